import Foundation
import SystemPackage

/// Unpacks what is compressed as a whole.
protocol LayerReader: AnyObject {
    /// How much of what is packed has been read.
    var consumed: Int { get }
    /// The next bytes; none at the end.
    func bytes(upTo count: Int) throws(DumpError) -> Data
    /// How many bytes stand behind what is packed and are none of it; known at the end.
    var behind: Int { get }
}

extension ArchiveReader: LayerReader {
    /// The library tells of none.
    var behind: Int { 0 }
}

/// Unpacks gzip as it is asked for: one member after another, each with its checksum and its length checked, which the
/// library for archives reads past.
final class GzipReader: LayerReader {
    static let magic: [UInt8] = [0x1F, 0x8B]

    private let packed: PackedBytes
    private let path: DumpPath
    private let control: OpeningControl
    private let inflater: Inflater
    private let block = 1 << 16
    private var offset = 0
    /// Where the member begins that is being unpacked.
    private var start = 0
    private var isDone = false
    private(set) var behind = 0

    init(_ packed: PackedBytes, _ path: DumpPath, _ control: OpeningControl) throws(DumpError) {
        guard let inflater = Inflater(.gzip) else { throw DumpError(path, .noCopy(.noMemory)) }
        self.inflater = inflater
        (self.packed, self.path, self.control) = (packed, path, control)
    }

    var consumed: Int { offset - inflater.left.count }

    func bytes(upTo count: Int) throws(DumpError) -> Data {
        while !isDone {
            if inflater.needsInput { try fill() }
            guard let part = inflater.next(upTo: count) else { throw damage() }
            if inflater.isAtEnd {
                try goOn()
            } else if part.isEmpty, inflater.needsInput, offset == packed.count {
                throw DumpError(path, .brokenArchive("it ends too early, after \(packed.count) bytes"))
            }
            if !part.isEmpty { return part }
        }
        return Data()
    }

    /// Goes on with the next member, where there is one.
    private func goOn() throws(DumpError) {
        if inflater.left.count < Self.magic.count { try fill() }
        let place = consumed
        if inflater.left.starts(with: Self.magic) {
            start = place
            return inflater.restart()
        }
        isDone = true
        // Zeros fill a block of a tape.
        var isFilling = true
        while isFilling, !inflater.needsInput {
            isFilling = inflater.left.allSatisfy { $0 == 0 }
            try fill(dropping: true)
        }
        behind = isFilling ? 0 : packed.count - place
        inflater.give([])
        offset = packed.count
    }

    /// Reads on, from what is left of what was read.
    private func fill(dropping: Bool = false) throws(DumpError) {
        // Much may be read of which nothing comes.
        if control.isStopped() { throw DumpError("", .cancelled) }
        if !dropping { offset = consumed }
        guard offset < packed.count else { return inflater.give([]) }
        let part: [UInt8]
        do throws(Errno) { part = try packed.read(at: offset, upTo: block) } catch {
            throw DumpError(path, .inaccessible(error))
        }
        guard !part.isEmpty else { throw DumpError(path, .changing) }
        offset += part.count
        inflater.give(part)
    }

    private func damage() -> DumpError {
        let which = start == 0 ? "" : " of its part that begins at byte \(start)"
        return DumpError(
            path,
            .brokenArchive(
                inflater.isOnlySumWrong
                    ? "what was unpacked\(which) does not have the checksum (CRC-32) or the length that stands behind it, "
                        + "before byte \(consumed), so that something in it was damaged"
                    : "what it is packed in is damaged at byte \(consumed) or before\(which)"))
    }
}
