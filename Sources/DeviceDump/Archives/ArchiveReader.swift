import CArchive
import Files
import Foundation
import SystemPackage

/// One pass through an archive, entry by entry.
final class ArchiveReader {
    /// An entry as the archive describes it.
    struct Entry {
        var path: [UInt8]
        var kind: DumpItem.Kind
        var size: Int?
        var mode: UInt16
        var modified: Int
        var isEncrypted: Bool
        /// The path of the entry whose content this one shares.
        var hardLink: [UInt8]?
    }

    private let archive: OpaquePointer
    private let content: OpenFile
    private let file: DumpPath

    /// Begins at the start of an open file.
    ///
    /// The place in the file is shared by all who read it, so that only one pass may be under way.
    init(_ content: OpenFile, _ format: ArchiveFormat, password: String?, _ file: DumpPath) throws(DumpError) {
        guard let archive = archive_read_new() else { throw DumpError(file, .noCopy(.noMemory)) }
        self.archive = archive
        self.content = content
        self.file = file
        switch format {
        case .zip: archive_read_support_format_zip(archive)
        case .tar: archive_read_support_format_tar(archive)
        case .gzip:
            archive_read_support_filter_gzip(archive)
            archive_read_support_format_tar(archive)
        case .xz:
            archive_read_support_filter_xz(archive)
            archive_read_support_format_tar(archive)
        case .zstd:
            archive_read_support_filter_zstd(archive)
            archive_read_support_format_tar(archive)
        }
        if let password { archive_read_add_passphrase(archive, password) }
        guard lseek(content.descriptor.rawValue, 0, SEEK_SET) == 0,
            archive_read_open_fd(archive, content.descriptor.rawValue, 1 << 16) == ARCHIVE_OK
        else { throw failure() }
    }

    deinit { archive_read_free(archive) }

    /// The library gives names in the locale's encoding, and has none for those that the locale of a bare system lacks.
    ///
    /// Made once and never changed, so that any thread may use it.
    private static nonisolated(unsafe) let unicode =
        newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) ?? newlocale(LC_CTYPE_MASK, "UTF-8", nil)

    /// The next entry; `nil` at the end.
    func next() throws(DumpError) -> Entry? {
        let locale = uselocale(Self.unicode)
        defer { _ = uselocale(locale) }
        var entry: OpaquePointer?
        switch archive_read_next_header(archive, &entry) {
        case ARCHIVE_EOF: return nil
        case ARCHIVE_OK, ARCHIVE_WARN: break
        default: throw failure()
        }
        guard let entry else { throw failure() }
        let type = UInt32(archive_entry_filetype(entry))
        let kind: DumpItem.Kind =
            switch type {
            case 0o100000: .file
            case 0o040000: .folder
            case 0o120000:
                .symbolicLink(
                    target: Self.bytes(archive_entry_symlink_utf8(entry)) ?? Self.bytes(archive_entry_symlink(entry))
                        ?? [])
            case 0 where archive_entry_hardlink(entry) != nil: .file
            default: .other("neither a file nor a folder")
            }
        return Entry(
            path: Self.bytes(archive_entry_pathname_utf8(entry)) ?? Self.bytes(archive_entry_pathname(entry)) ?? [],
            kind: kind, size: archive_entry_size_is_set(entry) != 0 ? Int(archive_entry_size(entry)) : nil,
            mode: UInt16(truncatingIfNeeded: archive_entry_perm(entry)), modified: Int(archive_entry_mtime(entry)),
            isEncrypted: archive_entry_is_data_encrypted(entry) != 0,
            hardLink: Self.bytes(archive_entry_hardlink_utf8(entry)) ?? Self.bytes(archive_entry_hardlink(entry)))
    }

    /// The next bytes of the entry that was read last; none at its end.
    func bytes(upTo count: Int) throws(DumpError) -> Data {
        var data = Data(count: count)
        let got = data.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, count) }
        guard got >= 0 else { throw failure() }
        return data.prefix(got)
    }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
        text.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }

    private func failure() -> DumpError {
        let words = archive_error_string(archive).map { String(cString: $0) } ?? ""
        if words.localizedCaseInsensitiveContains("passphrase") { return DumpError(file, .wrongPassword) }
        return DumpError(file, .brokenArchive)
    }
}
