import Foundation
import MigrationEngine

/// A zip or a tar, also a compressed one, with a dump of any form in it.
struct Archive: DumpForm {
    let words: String? = "a zip or tar archive of any of these"
    let innerFolders: [DumpPath] = []
    /// What macOS adds to an archive, and is none of what was packed.
    static let additions = ["__MACOSX", ".DS_Store"]

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard let file = source.loneFile, let format = ArchiveFormat(try source.head(of: file)) else { return nil }
        return .holding { (source, control) throws(DumpError) in
            // An archive with a password lists its names without it.
            let files = try ArchiveFiles(file, in: source.files, format, password: nil, control)
            guard let entry = files.firstEncrypted else { return .files(try Self.mounted(files, on: source)) }
            return .sealed(Dump.Kind(rawValue: format.rawValue)) { (secret, source, control) throws(DumpError) in
                guard case .password(let password) = secret else { throw DumpError(source.location.path, .wrongKey) }
                let files = try ArchiveFiles(file, in: source.files, format, password: password, control)
                try files.check(entry, at: source.location.path)
                return try Self.mounted(files, on: source)
            }
        }
    }

    /// The files of an archive; where that is one file, as if that had been named.
    private static func mounted(_ files: ArchiveFiles, on source: DumpSource) throws(DumpError) -> DumpSource {
        let items = try files.children(of: .root, limit: 10).filter { !additions.contains($0.name) }
        let mounted = source.mounting(files)
        guard let only = items.first, items.count == 1, only.kind == .file else { return mounted }
        return mounted.alone(only.path)
    }
}

/// The forms of archives that are read.
enum ArchiveFormat: String, Sendable {
    case zip, tar
    case gzip = "tar.gz"
    case xz = "tar.xz"
    case zstd = "tar.zst"

    /// The form that the first bytes of a file say.
    init?(_ head: Data) {
        if head.starts(with: Data("PK\u{3}\u{4}".utf8)) || head.starts(with: Data("PK\u{5}\u{6}".utf8)) {
            self = .zip
        } else if head.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
            self = .xz
        } else if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            self = .zstd
        } else if head.count >= 262, head.dropFirst(257).prefix(5).elementsEqual("ustar".utf8) {
            self = .tar
        } else {
            return nil
        }
    }

    /// Whether an entry can be reached without unpacking those before it.
    var isDirect: Bool { self == .zip || self == .tar }
}
