import CArchive
import Files
import Foundation
import SystemPackage

/// What the library unpacks: a whole file that is compressed, or the one entry of an archive.
final class ArchiveReader {
    /// What is unpacked.
    enum Form {
        /// The file itself, which is compressed; what is in it may be compressed too.
        case compressed(ArchiveFormat)
        /// The first entry of a zip.
        case zip(password: String?)
        /// The first entry of a tar.
        case tar
    }

    private let archive: OpaquePointer
    private let source: Source
    private let path: DumpPath

    /// Begins to unpack what is at a path.
    init(
        _ bytes: PackedBytes, _ form: Form, _ path: DumpPath, _ control: OpeningControl = .current
    ) throws(DumpError) {
        guard let archive = archive_read_new() else { throw DumpError(path, .noCopy(.noMemory)) }
        self.archive = archive
        self.path = path
        source = Source(bytes, control)
        switch form {
        case .compressed(let format):
            if let filter = format.filter { archive_read_append_filter(archive, filter) }
            archive_read_support_format_raw(archive)
        case .zip(let password):
            archive_read_support_format_zip(archive)
            if let password { archive_read_add_passphrase(archive, password) }
        case .tar: archive_read_support_format_tar(archive)
        }
        // The source lives as long as the archive does.
        archive_read_set_callback_data(archive, Unmanaged.passUnretained(source).toOpaque())
        archive_read_set_read_callback(archive) { _, context, place in
            guard let context, let place else { return -1 }
            return Source.of(context).next(place)
        }
        archive_read_set_seek_callback(archive) { _, context, offset, origin in
            context.map { Source.of($0).seek(offset, origin) } ?? -1
        }
        archive_read_set_skip_callback(archive) { _, context, count in
            context.map { Source.of($0).skip(count) } ?? 0
        }
        let locale = uselocale(Self.unicode)
        defer { _ = uselocale(locale) }
        var entry: OpaquePointer?
        guard archive_read_open1(archive) == ARCHIVE_OK else { throw failure() }
        let status = archive_read_next_header(archive, &entry)
        guard status == ARCHIVE_OK || status == ARCHIVE_WARN else { throw failure() }
    }

    deinit { archive_read_free(archive) }

    /// The library has no names in the locale of a bare system; they are not used, and it must not stop over them.
    ///
    /// Made once and never changed, so that any thread may use it.
    private static nonisolated(unsafe) let unicode =
        newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) ?? newlocale(LC_CTYPE_MASK, "UTF-8", nil)

    /// How much of what is packed has been read.
    var consumed: Int { source.offset }

    /// The next bytes; none at the end.
    func bytes(upTo count: Int) throws(DumpError) -> Data {
        var data = Data(count: count)
        let got = data.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, count) }
        guard got >= 0 else { throw failure() }
        return data.prefix(got)
    }

    private func failure() -> DumpError {
        if source.isStopped { return DumpError("", .cancelled) }
        if let error = source.failure { return DumpError(path, .inaccessible(error)) }
        let words = archive_error_string(archive).map { String(cString: $0) } ?? ""
        if words.localizedCaseInsensitiveContains("passphrase") { return DumpError(path, .wrongArchivePassword) }
        return DumpError(path, .brokenArchive("what it is packed in is damaged, or ends too early"))
    }

    /// The bytes that the library reads, by its calls.
    private final class Source {
        private let bytes: PackedBytes
        private(set) var offset = 0
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        private(set) var failure: Errno?
        private(set) var isStopped = false
        private let control: OpeningControl

        init(_ bytes: PackedBytes, _ control: OpeningControl) { (self.bytes, self.control) = (bytes, control) }

        deinit { buffer.deallocate() }

        static func of(_ context: UnsafeMutableRawPointer) -> Source {
            Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
        }

        func next(_ place: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
            // Much may be read of which nothing comes.
            isStopped = control.isStopped()
            if isStopped { return -1 }
            do throws(Errno) {
                let part = try bytes.read(at: offset, upTo: buffer.count)
                buffer.copyBytes(from: part)
                offset += part.count
                place.pointee = UnsafeRawPointer(buffer.baseAddress)
                return part.count
            } catch {
                failure = error
                return -1
            }
        }

        func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
            let start = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? self.offset : bytes.count
            self.offset = min(max(0, start + Int(offset)), bytes.count)
            return Int64(self.offset)
        }

        func skip(_ count: Int64) -> Int64 {
            let skipped = min(max(0, Int(count)), bytes.count - offset)
            offset += skipped
            return Int64(skipped)
        }
    }
}

/// A content that the library unpacks, no longer than it is listed.
final class LibraryStream: DumpStream {
    private let reader: ArchiveReader
    private let size: Int
    private let path: DumpPath
    private var count = 0

    init(_ reader: ArchiveReader, size: Int, _ path: DumpPath) {
        self.reader = reader
        self.size = size
        self.path = path
    }

    /// One entry of a zip by itself, with a list of its own, as the library finds it.
    convenience init(
        _ entry: ZipEntry, in bytes: PackedBytes, password: String?, _ path: DumpPath
    ) throws(DumpError) {
        let content = try ZipStream.content(of: entry, in: bytes, path)
        var record: [UInt8]
        do throws(Errno) { record = try bytes.read(at: entry.record.lowerBound, upTo: entry.record.count) } catch {
            throw DumpError(path, .inaccessible(error))
        }
        guard record.count >= 46 else { throw DumpError(path, .changing) }
        record.replaceSubrange(42..<46, with: [0, 0, 0, 0])
        let end = content.count + content.lowerBound - entry.start
        guard end < 0xFFFF_FFFF else {
            throw DumpError(path, .brokenEntry("it is packed in more than 4 GB in a way that is not read"))
        }
        var part = bytes[entry.start..<content.upperBound]
        part.tail = record + Array("PK\u{5}\u{6}".utf8) + [0, 0, 0, 0, 1, 0, 1, 0]
        for number in [record.count, end] {
            part.tail += (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        part.tail += [0, 0]
        do throws(DumpError) {
            self.init(try ArchiveReader(part, .zip(password: password), path), size: entry.size, path)
        } catch {
            throw Self.told(error)
        }
    }

    func next() throws(DumpError) -> Data {
        let part: Data
        do throws(DumpError) { part = try reader.bytes(upTo: 1 << 18) } catch { throw Self.told(error) }
        count += part.count
        guard count <= size else {
            throw DumpError(path, .otherSize(listed: size))
        }
        guard !part.isEmpty || count == size else {
            throw DumpError(path, .otherSize(listed: size, found: count))
        }
        return part
    }

    private static func told(_ error: DumpError) -> DumpError {
        guard case .brokenArchive(let reason) = error.problem else { return error }
        return DumpError(error.path, .brokenEntry(reason))
    }
}
