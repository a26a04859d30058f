import CZlib
import Foundation
import SystemPackage

/// Writes a zip anew: what is not changed as it stands there, packed and protected as it is.
struct ZipWriter {
    private let bytes: PackedBytes
    private let file: DumpPath
    private var output: SpilledFile
    private var list: [UInt8] = []
    private var count = 0

    /// Begins a zip in place of another, with what stands before that.
    init(of bytes: PackedBytes, before: Int, _ file: DumpPath) throws(DumpError) {
        self.bytes = bytes
        self.file = file
        do throws(Errno) { output = try SpilledFile() } catch { throw DumpError(file, .noCopy(error)) }
        try copy(0..<before)
    }

    /// Takes over an entry as it stands there.
    mutating func keep(_ entry: ZipEntry, _ path: DumpPath) throws(DumpError) {
        let content = try ZipStream.content(of: entry, in: bytes, path)
        var record = try read(entry.record)
        let start = output.count
        try copy(entry.start..<content.upperBound + (try descriptorSize(of: entry, at: content.upperBound)))
        if record.number(at: 42, bytes: 4) == 0xFFFF_FFFF, start >= 0xFFFF_FFFF {
            guard let place = ZipExtra.placeOfStart(in: record) else { throw tooLarge(path) }
            record.put(start, at: place, bytes: 8)
        } else {
            guard start < 0xFFFF_FFFF else { throw tooLarge(path) }
            record.put(start, at: 42, bytes: 4)
        }
        list += record
        count += 1
    }

    /// Writes an entry with another content, or a new one.
    mutating func write(
        _ content: any DumpStream, in place: ZipEntry?, _ path: DumpPath, modified: Int
    ) throws(DumpError) {
        var packed: SpilledFile, size = 0, sum: UInt32 = 0
        do throws(Errno) { packed = try SpilledFile() } catch { throw DumpError(file, .noCopy(error)) }
        let isStored = place?.method == 0
        guard let deflater = Deflater() else { throw DumpError(file, .noCopy(.noMemory)) }
        while true {
            let part = try content.next()
            size += part.count
            sum = Checksum.extending(sum, with: part)
            // The library counts in 32 bits.
            var rest = part
            repeat {
                let piece = rest.prefix(1 << 24)
                rest = rest.dropFirst(piece.count)
                let output = isStored ? piece : deflater.next(piece, isLast: part.isEmpty)
                do throws(Errno) { try packed.write(output) } catch { throw DumpError(file, .noCopy(error)) }
            } while !rest.isEmpty
            if part.isEmpty { break }
        }
        var record: [UInt8]
        if let place {
            record = try read(place.record)
            record = ZipExtra.without([0x0001, 0x9901], in: record)
        } else {
            record = Array("PK\u{1}\u{2}".utf8) + [UInt8](repeating: 0, count: 42)
            // By a Unix, so that the mode counts.
            record.put(0x0314, at: 4, bytes: 2)
            record.put(path.isUTF8 ? 0x0800 : 0, at: 8, bytes: 2)
            record.put(path.bytes.count, at: 28, bytes: 2)
            record.put(0o100600 << 16, at: 38, bytes: 4)
            let (date, time) = Self.stamp(modified)
            record.put(time, at: 12, bytes: 2)
            record.put(date, at: 14, bytes: 2)
            record += path.bytes
        }
        let start = output.count
        guard size < 0xFFFF_FFFF, packed.count < 0xFFFF_FFFF, start < 0xFFFF_FFFF, path.bytes.count <= 0xFFFF else {
            throw tooLarge(path)
        }
        record.put(20, at: 6, bytes: 2)
        // Neither protected nor with sizes behind it; what the name is written in stays.
        record.put((record.number(at: 8, bytes: 2) ?? 0) & 0x0800, at: 8, bytes: 2)
        record.put(isStored ? 0 : 8, at: 10, bytes: 2)
        record.put(Int(sum), at: 16, bytes: 4)
        record.put(packed.count, at: 20, bytes: 4)
        record.put(size, at: 24, bytes: 4)
        record.put(start, at: 42, bytes: 4)
        let nameCount = record.number(at: 28, bytes: 2) ?? 0
        // What describes the entry where it stands is the same, without what stands behind the name.
        let head = Array("PK\u{3}\u{4}".utf8) + record[6..<30] + [0, 0] + record[46..<46 + nameCount]
        try write(head)
        let whole = packed.bytes
        try copy(0..<whole.count, of: whole)
        list += record
        count += 1
    }

    /// Writes the list, and what the other zip has behind it.
    mutating func finish(comment: [UInt8]) throws(DumpError) -> PackedBytes {
        let start = output.count, size = list.count
        try write(list)
        if count >= 0xFFFF || start >= 0xFFFF_FFFF || size >= 0xFFFF_FFFF {
            let place = output.count
            var large = Array("PK\u{6}\u{6}".utf8) + [UInt8](repeating: 0, count: 52)
            large.put(44, at: 4, bytes: 8)
            for offset in [12, 14] { large.put(45, at: offset, bytes: 2) }
            for (number, offset) in [(count, 24), (count, 32), (size, 40), (start, 48)] {
                large.put(number, at: offset, bytes: 8)
            }
            var locator = Array("PK\u{6}\u{7}".utf8) + [UInt8](repeating: 0, count: 16)
            locator.put(place, at: 8, bytes: 8)
            locator.put(1, at: 16, bytes: 4)
            try write(large + locator)
        }
        var end = Array("PK\u{5}\u{6}".utf8) + [UInt8](repeating: 0, count: 18)
        for offset in [8, 10] { end.put(min(count, 0xFFFF), at: offset, bytes: 2) }
        end.put(min(size, 0xFFFF_FFFF), at: 12, bytes: 4)
        end.put(min(start, 0xFFFF_FFFF), at: 16, bytes: 4)
        end.put(comment.count, at: 20, bytes: 2)
        try write(end + comment)
        return output.bytes
    }

    /// How many bytes stand behind a content that say again what it has.
    private func descriptorSize(of entry: ZipEntry, at end: Int) throws(DumpError) -> Int {
        guard entry.hasDescriptor else { return 0 }
        let found = try read(end..<min(end + 24, bytes.count)), signed = found.starts(with: "PK\u{7}\u{8}".utf8) ? 4 : 0
        for width in [4, 8]
        where found.number(at: signed + 4, bytes: width) == entry.packed
            && found.number(at: signed + 4 + width, bytes: width) == entry.size
        {
            return signed + 4 + 2 * width
        }
        return 0
    }

    private func tooLarge(_ path: DumpPath) -> DumpError {
        DumpError(path, .notPackable("the zip would have more than 4 GB with it, which is not written"))
    }

    private func read(_ range: Range<Int>) throws(DumpError) -> [UInt8] {
        do throws(Errno) { return try bytes.read(at: range.lowerBound, upTo: range.count) } catch {
            throw DumpError(file, .inaccessible(error))
        }
    }

    private mutating func copy(_ range: Range<Int>, of source: PackedBytes? = nil) throws(DumpError) {
        try output.append(source ?? bytes, range, file)
    }

    private mutating func write(_ bytes: [UInt8]) throws(DumpError) {
        do throws(Errno) { try output.write(bytes) } catch { throw DumpError(file, .noCopy(error)) }
    }

    /// The date and the time of a zip in UTC; it knows years from 1980 to 2107.
    private static func stamp(_ seconds: Int) -> (date: Int, time: Int) {
        var time = time_t(seconds), parts = tm()
        gmtime_r(&time, &parts)
        let year = min(max(Int(parts.tm_year) - 80, 0), 127)
        return (
            year << 9 | Int(parts.tm_mon + 1) << 5 | Int(parts.tm_mday),
            Int(parts.tm_hour) << 11 | Int(parts.tm_min) << 5 | Int(parts.tm_sec) / 2
        )
    }
}

extension SpilledFile {
    /// Appends a part of other bytes.
    mutating func append(_ bytes: PackedBytes, _ range: Range<Int>, _ file: DumpPath) throws(DumpError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let part: [UInt8]
            do throws(Errno) { part = try bytes.read(at: place, upTo: min(range.upperBound - place, 1 << 20)) } catch {
                throw DumpError(file, .inaccessible(error))
            }
            guard !part.isEmpty else { throw DumpError(file, .changing) }
            do throws(Errno) { try write(part) } catch { throw DumpError(file, .noCopy(error)) }
            place += part.count
        }
    }
}

/// What stands behind the name in a record of the list.
private enum ZipExtra {
    private static func fields(of record: [UInt8]) -> [(tag: Int, range: Range<Int>)] {
        guard let name = record.number(at: 28, bytes: 2), let count = record.number(at: 30, bytes: 2) else { return [] }
        var fields: [(Int, Range<Int>)] = [], place = 46 + name
        let end = min(place + count, record.count)
        while let tag = record.number(at: place, bytes: 2), let size = record.number(at: place + 2, bytes: 2),
            place + 4 + size <= end
        {
            fields.append((tag, place..<place + 4 + size))
            place += 4 + size
        }
        return fields
    }

    /// Where the place of a large entry is, behind its sizes where these are large too.
    static func placeOfStart(in record: [UInt8]) -> Int? {
        guard let field = fields(of: record).first(where: { $0.tag == 1 })?.range else { return nil }
        let before = [20, 24].count { record.number(at: $0, bytes: 4) == 0xFFFF_FFFF }
        let place = field.lowerBound + 4 + 8 * before
        return place + 8 <= field.upperBound ? place : nil
    }

    /// A record without some of it.
    static func without(_ tags: Set<Int>, in record: [UInt8]) -> [UInt8] {
        var record = record
        for field in fields(of: record).reversed() where tags.contains(field.tag) {
            record.removeSubrange(field.range)
            record.put((record.number(at: 30, bytes: 2) ?? 0) - field.range.count, at: 30, bytes: 2)
        }
        return record
    }
}

extension [UInt8] {
    /// Puts a number with the least byte first.
    fileprivate mutating func put(_ number: Int, at offset: Int, bytes count: Int) {
        for index in 0..<count { self[offset + index] = UInt8(truncatingIfNeeded: number >> (index * 8)) }
    }
}

/// Deflates a content.
private final class Deflater {
    /// Where it stays, as the library checks.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init?() {
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// What a part becomes.
    func next(_ part: Data, isLast: Bool) -> Data {
        var result = Data(), input = Array(part)
        input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                var output = Data(count: 1 << 16)
                let room = output.count
                output.withUnsafeMutableBytes { buffer in
                    stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(room)
                    deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                }
                result.append(output.prefix(room - Int(stream.pointee.avail_out)))
            } while stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
        }
        return result
    }
}
