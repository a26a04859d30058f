import Files
import Foundation
import SystemPackage

/// Bytes of an open file that can be read at any place, from several threads at once, and some that stand behind them.
struct PackedBytes: Sendable {
    let file: OpenFile
    /// Where in the file they are.
    let range: Range<Int>
    /// What stands behind them without being in the file.
    var tail: [UInt8] = []

    init(file: OpenFile, range: Range<Int>) { (self.file, self.range) = (file, range) }

    /// How many there are.
    var count: Int { range.count + tail.count }

    /// The bytes from a place on: fewer than so many only at the end.
    func read(at offset: Int, upTo count: Int) throws(Errno) -> [UInt8] {
        guard offset >= 0, offset < self.count, count > 0 else { return [] }
        let count = min(count, self.count - offset)
        let stored = max(0, min(count, range.count - offset))
        var failure: Errno?
        var bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < stored, let base = buffer.baseAddress {
                let place = off_t(range.lowerBound + offset + initialized)
                let got = pread(file.descriptor.rawValue, base + initialized, stored - initialized, place)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = .last }
                if got <= 0 { break }
                initialized += got
            }
        }
        if let failure { throw failure }
        if bytes.count == stored, stored < count {
            bytes += tail[(offset + stored - range.count)...].prefix(count - stored)
        }
        return bytes
    }

    /// All of a file of a dump: where it lies on the disk, else in a private copy.
    init(of file: DumpPath, in files: any DumpFiles, _ control: OpeningControl) throws(DumpError) {
        guard let path = files.diskPath(of: file) else {
            let stream = try files.stream(of: file)
            self = try Self.spilled(file) { (_) throws(DumpError) in
                try control.reach(.listing)
                let part = try stream.next()
                try control.spend(part.count)
                return part
            }
            return
        }
        do throws(Errno) {
            let open = try OpenFile.open(path)
            self.init(file: open, range: 0..<Int(clamping: try open.status().size))
        } catch {
            throw DumpError(file, .init(error))
        }
    }

    /// Parts, until there are no more, in a private file; each is asked for with how many bytes there are already.
    static func spilled(_ file: DumpPath, _ next: (Int) throws(DumpError) -> Data) throws(DumpError) -> PackedBytes {
        var copy: SpilledFile
        do throws(Errno) { copy = try SpilledFile() } catch { throw DumpError(file, .noCopy(error)) }
        while true {
            let part = try next(copy.count)
            if part.isEmpty { return copy.bytes }
            do throws(Errno) { try copy.write(part) } catch { throw DumpError(file, .noCopy(error)) }
        }
    }

    /// A part of what is in the file.
    subscript(part: Range<Int>) -> PackedBytes {
        let lower = min(range.lowerBound + part.lowerBound, range.upperBound)
        return PackedBytes(file: file, range: lower..<min(range.lowerBound + part.upperBound, range.upperBound))
    }
}

/// Numbers with the least byte first, as a zip has them.
extension RandomAccessCollection<UInt8> where Index == Int {
    /// The number of so many bytes at an offset from the first one; `nil` where it is not all there.
    func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset + count <= self.count else { return nil }
        var number: UInt64 = 0
        for index in (0..<count).reversed() { number = number << 8 | UInt64(self[startIndex + offset + index]) }
        return Int(clamping: number)
    }
}

/// A part of a file as it is.
final class PackedStream: DumpStream {
    private let bytes: PackedBytes
    private let path: DumpPath
    private var offset = 0

    init(_ bytes: PackedBytes, _ path: DumpPath) {
        self.bytes = bytes
        self.path = path
    }

    func next() throws(DumpError) -> Data {
        guard offset < bytes.count else { return Data() }
        let part: [UInt8]
        do throws(Errno) { part = try bytes.read(at: offset, upTo: 1 << 18) } catch {
            throw DumpError(path, .inaccessible(error))
        }
        // It was all there when it was listed.
        guard !part.isEmpty else { throw DumpError(path, .changing) }
        offset += part.count
        return Data(part)
    }
}

/// A private file without a name, which goes with the last reference or with the program, however that ends.
struct SpilledFile {
    let file: OpenFile
    private(set) var count = 0
    /// How many bytes may be in it, so that the disk is never full of it, and how many are left free on the disk: several such
    /// files may be written at a time.
    private let limit: Int

    init() throws(Errno) {
        let folder = try PrivateFolder()
        // Its name goes with the folder.
        file = try withExtendedLifetime(folder) { () throws(Errno) in
            try OpenFile.create(folder.path + "/unpacked", mode: 0o600)
        }
        limit = try file.freeBytes() / 2
    }

    /// Appends bytes; refuses to take more than half of what was free on the disk.
    mutating func write(_ data: some DataProtocol) throws(Errno) {
        guard data.count <= limit - count, try file.freeBytes() - data.count >= limit else { throw .noSpace }
        try file.write(data)
        count += data.count
    }

    /// What was written.
    var bytes: PackedBytes { PackedBytes(file: file, range: 0..<count) }
}
