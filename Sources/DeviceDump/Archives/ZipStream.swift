import CArchive
import CZlib
import Foundation
import SystemPackage

/// The CRC-32 of a content.
enum Checksum {
    static func of(_ bytes: [UInt8]) -> UInt32 { extending(0, with: bytes) }

    static func extending(_ sum: UInt32, with bytes: some ContiguousBytes) -> UInt32 {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: UInt8.self).baseAddress
            return UInt32(truncatingIfNeeded: crc32_z(uLong(sum), start, z_size_t(buffer.count)))
        }
    }
}

/// The content of an entry of a zip, unpacked as it is asked for; its size and its checksum are as the list has them, or
/// it ends with an error.
final class ZipStream: DumpStream {
    /// What the library is not needed for.
    static let methods: Set = [0, 8]
    private static let block = 1 << 16

    private let entry: ZipEntry
    private let packed: PackedBytes
    private let path: DumpPath
    private var offset = 0, size = 0
    private var sum: UInt32 = 0
    private var inflater: Inflater?
    private var isDone = false

    /// Finds the content; the entry must have the name that the list has for it.
    init(_ entry: ZipEntry, in bytes: PackedBytes, _ path: DumpPath) throws(DumpError) {
        packed = bytes[try Self.content(of: entry, in: bytes, path)]
        self.entry = entry
        self.path = path
        guard entry.method != 8 else {
            inflater = Inflater(.bare)
            guard inflater != nil else { throw DumpError(path, .noCopy(.noMemory)) }
            return
        }
        guard entry.packed == entry.size else {
            throw DumpError(path, .otherSize(listed: entry.size, found: entry.packed))
        }
    }

    /// Where the content of an entry is, behind what the entry itself says of it.
    static func content(of entry: ZipEntry, in bytes: PackedBytes, _ path: DumpPath) throws(DumpError) -> Range<Int> {
        let head: [UInt8], listed: [UInt8]
        do throws(Errno) {
            head = try bytes.read(at: entry.start, upTo: 30)
            listed = try bytes.read(at: entry.record.lowerBound, upTo: entry.record.count)
        } catch {
            throw DumpError(path, .inaccessible(error))
        }
        guard head.count == 30, head.starts(with: "PK\u{3}\u{4}".utf8), let name = head.number(at: 26, bytes: 2),
            let extra = head.number(at: 28, bytes: 2)
        else { throw DumpError(path, .brokenEntry("nothing of it is at byte \(entry.start), where it is listed")) }
        let own: [UInt8]
        do throws(Errno) { own = try bytes.read(at: entry.start + 30, upTo: name) } catch {
            throw DumpError(path, .inaccessible(error))
        }
        guard listed.count >= 46 + name, listed.number(at: 28, bytes: 2) == name,
            listed[46..<46 + name].elementsEqual(own)
        else {
            let found = String(decoding: own.prefix(200), as: UTF8.self)
            throw DumpError(
                path, .brokenEntry("what is at byte \(entry.start), where it is listed, is named “\(found)”"))
        }
        let start = entry.start + 30 + name + extra, end = start.addingReportingOverflow(entry.packed)
        guard !end.overflow, end.partialValue <= bytes.count else {
            throw DumpError(
                path, .brokenEntry("its content is listed at byte \(start) and ends outside of the archive"))
        }
        return start..<end.partialValue
    }

    func next() throws(DumpError) -> Data {
        while !isDone {
            var part: Data
            if let inflater {
                if inflater.needsInput {
                    let input = try read()
                    if !input.isEmpty { inflater.give(input) }
                }
                guard let output = inflater.next(upTo: Self.block * 4) else {
                    throw DumpError(path, .brokenEntry("what it is packed in is damaged"))
                }
                part = output
                if inflater.isAtEnd {
                    isDone = true
                } else if part.isEmpty, inflater.needsInput, offset == packed.count {
                    throw DumpError(path, .brokenEntry("what it is packed in ends too early"))
                }
            } else {
                part = Data(try read())
                isDone = offset == packed.count
            }
            size += part.count
            // Before more of it is kept anywhere.
            guard size <= entry.size else {
                throw DumpError(path, .otherSize(listed: entry.size))
            }
            sum = Checksum.extending(sum, with: part)
            if isDone { try check() }
            if !part.isEmpty { return part }
        }
        return Data()
    }

    private func read() throws(DumpError) -> [UInt8] {
        guard offset < packed.count else { return [] }
        let part: [UInt8]
        do throws(Errno) { part = try packed.read(at: offset, upTo: Self.block) } catch {
            throw DumpError(path, .inaccessible(error))
        }
        guard !part.isEmpty else { throw DumpError(path, .changing) }
        offset += part.count
        return part
    }

    private func check() throws(DumpError) {
        guard size == entry.size else {
            throw DumpError(path, .otherSize(listed: entry.size, found: size))
        }
        guard sum == entry.checksum else {
            throw DumpError(path, .brokenEntry("its bytes do not have the checksum that is listed (CRC-32)"))
        }
    }
}
