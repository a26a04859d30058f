import CArchive
import Foundation
import SystemPackage

/// Writes a tar anew: what is not changed as it stands there, compressed as it was.
struct TarWriter {
    private let bytes: PackedBytes
    private let file: DumpPath
    private let output: ArchiveOutput
    private var count = 0

    /// Begins a tar in place of another.
    init(of bytes: PackedBytes, _ layers: [ArchiveFormat], _ file: DumpPath) throws(DumpError) {
        self.bytes = bytes
        self.file = file
        output = try ArchiveOutput(layers, file)
    }

    /// Takes over a member as it stands there.
    mutating func keep(_ member: ArchiveMember) throws(DumpError) {
        var place = member.range.lowerBound
        while place < member.range.upperBound {
            let part = try read(place..<min(member.range.upperBound, place + 1 << 20))
            guard !part.isEmpty else { throw DumpError(file, .changing) }
            try write(part)
            place += part.count
        }
    }

    /// Leaves out a member, but for what holds for all behind it.
    mutating func drop(_ member: ArchiveMember) throws(DumpError) {
        try eachHeader(of: member) { (writer, header, text) throws(DumpError) in
            if header.type == UInt8(ascii: "g") { try writer.write(header.bytes + Self.padded(text)) }
        }
    }

    /// Writes a member with another content, otherwise as it was.
    mutating func write(_ content: any DumpStream, in place: ArchiveMember) throws(DumpError) {
        let content = try spilled(content)
        try eachHeader(of: place) { (writer, header, text) throws(DumpError) in
            switch header.type {
            case UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"):
                try writer.write(header.bytes + Self.padded(text))
            case UInt8(ascii: "x"), UInt8(ascii: "X"):
                var records = TarHeader.records(text) ?? []
                // The name of a file with holes stands there, and is none of the header's.
                if let name = records.first(where: { $0.key == "GNU.sparse.name" }) {
                    records.removeAll { $0.key == "path" }
                    records.append(("path", name.value))
                }
                records.removeAll { $0.key == "size" || $0.key == "linkpath" || $0.key.hasPrefix("GNU.sparse.") }
                let text = Self.pax(records)
                if !text.isEmpty { try writer.write(Self.header(header.bytes, size: text.count) + Self.padded(text)) }
            default:
                var block = header.bytes
                block[156] = UInt8(ascii: "0")
                block.replaceSubrange(157..<257, with: [UInt8](repeating: 0, count: 100))
                // Where GNU has the holes, POSIX has the rest of the name.
                if !header.isPOSIX { block.replaceSubrange(345..<512, with: [UInt8](repeating: 0, count: 167)) }
                try writer.write(Self.header(block, size: content.count))
            }
        }
        try write(content)
    }

    /// Writes a new member, for its owner only.
    mutating func write(_ content: any DumpStream, _ path: DumpPath, modified: Int) throws(DumpError) {
        let content = try spilled(content)
        var block = [UInt8](repeating: 0, count: TarHeader.block)
        func put(_ text: some Sequence<UInt8>, at place: Int) {
            for (index, byte) in text.enumerated() { block[place + index] = byte }
        }
        put(path.bytes.prefix(100), at: 0)
        put("0000600\0".utf8, at: 100)
        for place in [108, 116] { put("0000000\0".utf8, at: place) }
        put(Self.octal(max(0, modified), digits: 11), at: 136)
        put("ustar\u{0}00".utf8, at: 257)
        if path.bytes.count > 100 {
            let text = Self.pax([("path", path.bytes)])
            var long = block
            long[156] = UInt8(ascii: "x")
            try write(Self.header(long, size: text.count) + Self.padded(text))
        }
        block[156] = UInt8(ascii: "0")
        try write(Self.header(block, size: content.count))
        try write(content)
    }

    /// Writes the end.
    mutating func finish() throws(DumpError) -> PackedBytes {
        // Two empty blocks, and up to a whole record of twenty.
        let end = count + 2 * TarHeader.block, record = 20 * TarHeader.block
        try write([UInt8](repeating: 0, count: (end + record - 1) / record * record - count))
        return try output.finish()
    }

    // MARK: Parts

    /// Goes through the headers of a member, each with what follows where that is none of the content.
    private mutating func eachHeader(
        of member: ArchiveMember,
        _ body: (inout TarWriter, TarHeader, [UInt8]) throws(DumpError) -> Void
    ) throws(DumpError) {
        var place = member.range.lowerBound
        while place < member.range.upperBound {
            guard let header = TarHeader(try read(place..<place + TarHeader.block)), let size = header.size else {
                throw DumpError(file, .changing)
            }
            place += TarHeader.block
            let describes = "xXgLK".utf8.contains(header.type)
            try body(&self, header, describes ? try read(place..<place + size) : [])
            guard describes else { return }
            place += ArchiveTree.padded(size)
        }
    }

    private func spilled(_ content: any DumpStream) throws(DumpError) -> PackedBytes {
        try PackedBytes.spilled(file) { (count) throws(DumpError) in
            guard count < 1 << 33 else {
                throw DumpError(file, .notPackable("a changed file of more than 8 GB is not written into a tar"))
            }
            return try content.next()
        }
    }

    private func read(_ range: Range<Int>) throws(DumpError) -> [UInt8] {
        do throws(Errno) { return try bytes.read(at: range.lowerBound, upTo: range.count) } catch {
            throw DumpError(file, .inaccessible(error))
        }
    }

    private mutating func write(_ content: PackedBytes) throws(DumpError) {
        let stream = PackedStream(content, file)
        while true {
            let part = try stream.next()
            if part.isEmpty { break }
            try write(Array(part))
        }
        try write([UInt8](repeating: 0, count: ArchiveTree.padded(content.count) - content.count))
    }

    private mutating func write(_ bytes: [UInt8]) throws(DumpError) {
        guard !bytes.isEmpty else { return }
        try output.write(bytes)
        count += bytes.count
    }

    private static func padded(_ text: [UInt8]) -> [UInt8] {
        text + [UInt8](repeating: 0, count: ArchiveTree.padded(text.count) - text.count)
    }

    /// A header with another size.
    private static func header(_ block: [UInt8], size: Int) -> [UInt8] {
        var block = block
        block.replaceSubrange(124..<136, with: octal(size, digits: 11) + [0])
        let sum = TarHeader.checksum(of: block)
        block.replaceSubrange(148..<156, with: octal(sum, digits: 6) + [0, 0x20])
        return block
    }

    private static func octal(_ number: Int, digits: Int) -> [UInt8] {
        let text = Array(String(number, radix: 8).utf8)
        return [UInt8](repeating: 0x30, count: max(0, digits - text.count)) + text.suffix(digits)
    }

    /// Records of pax: the length that each begins with counts its own digits.
    private static func pax(_ records: [(key: String, value: [UInt8])]) -> [UInt8] {
        records.flatMap { record in
            let rest = [0x20] + Array(record.key.utf8) + [UInt8(ascii: "=")] + record.value + [0x0A]
            var length = rest.count + 1
            while length != rest.count + String(length).utf8.count { length = rest.count + String(length).utf8.count }
            return Array(String(length).utf8) + rest
        }
    }
}

/// A private file that what is written is compressed into.
final class ArchiveOutput {
    private let archive: OpaquePointer?
    private let file: DumpPath
    private var spilled: SpilledFile
    private var failure: Errno?

    /// - Parameter layers: What it is compressed by, from the inside out.
    init(_ layers: [ArchiveFormat], _ file: DumpPath) throws(DumpError) {
        self.file = file
        do throws(Errno) { spilled = try SpilledFile() } catch { throw DumpError(file, .noCopy(error)) }
        guard !layers.isEmpty else {
            archive = nil
            return
        }
        archive = archive_write_new()
        guard let archive else { throw DumpError(file, .noCopy(.noMemory)) }
        for layer in layers.compactMap(\.filter) { archive_write_add_filter(archive, layer) }
        archive_write_set_format_raw(archive)
        archive_write_set_bytes_in_last_block(archive, 1)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let status = archive_write_open(
            archive, context, nil,
            { _, context, bytes, count in
                guard let context, let bytes else { return -1 }
                let output = Unmanaged<ArchiveOutput>.fromOpaque(context).takeUnretainedValue()
                return output.take(UnsafeRawBufferPointer(start: bytes, count: count))
            }, nil)
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_filetype(entry, 0o100000)
        archive_entry_set_pathname(entry, "data")
        guard status == ARCHIVE_OK, archive_write_header(archive, entry) == ARCHIVE_OK else { throw reason() }
    }

    deinit { archive_write_free(archive) }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        do throws(Errno) { try spilled.write(Data(bytes)) } catch {
            failure = error
            return -1
        }
        return bytes.count
    }

    private func reason() -> DumpError { DumpError(file, .noCopy(failure ?? .ioError)) }

    func write(_ bytes: [UInt8]) throws(DumpError) {
        guard let archive else {
            do throws(Errno) { try spilled.write(bytes) } catch { throw DumpError(file, .noCopy(error)) }
            return
        }
        guard archive_write_data(archive, bytes, bytes.count) == bytes.count else { throw reason() }
    }

    func finish() throws(DumpError) -> PackedBytes {
        if let archive, archive_write_close(archive) != ARCHIVE_OK { throw reason() }
        return spilled.bytes
    }
}
