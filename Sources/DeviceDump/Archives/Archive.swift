import CArchive
import Files
import Foundation
import MigrationEngine

/// A zip or a tar, also a compressed one, with a dump of any form in it.
struct Archive: DumpForm {
    let words: String? = "a zip or tar archive of any of these"
    let innerFolders: [DumpPath] = []

    /// Whether it is what macOS adds to an archive, and none of what was packed.
    static func isAddition(_ path: DumpPath) -> Bool {
        path.name == ".DS_Store" || path.name.hasPrefix("._")
            || path.parts.first?.elementsEqual("__MACOSX".utf8) ?? false
    }

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard let file = source.loneFile else { return nil }
        guard let format = ArchiveFormat(try source.head(of: file)) ?? Self.format(ofEnd: file, in: source.files) else {
            return nil
        }
        return .holding { (source, options, control) throws(DumpError) in
            // One with a password lists its names without it.
            let limits = ArchiveLimits(options.limits, sizeOfWhole: source.isMounted ? try source.sizeOnDisk() : .max)
            var files = try ArchiveFiles(file, in: source.files, format, limits: limits, control)
            if files.isSealed {
                let sealed = files
                return .sealed(Dump.Kind(rawValue: format.rawValue)) { (secret, source, control) throws(DumpError) in
                    guard case .password(let password) = secret else {
                        throw DumpError(source.location.path, .wrongKey)
                    }
                    return try Self.mounted(try sealed.opened(with: password, at: source.location.path), on: source)
                }
            }
            if files.isProtected {
                // Most of it opens without one; a password may be that of what is in it.
                var isWrong = false
                for case .password(let password) in options.secrets {
                    do throws(DumpError) {
                        files = try files.opened(with: password, at: source.location.path)
                        isWrong = false
                        break
                    } catch {
                        guard error.isWrongPassword else { throw error }
                        isWrong = true
                    }
                }
                let warnings = isWrong ? [DumpWarning(file, .entriesStayLocked)] : []
                return .files(try Self.mounted(files, on: source), files.warnings + warnings)
            }
            return .files(try Self.mounted(files, on: source), files.warnings)
        }
    }

    /// Whether a file is one.
    static func isOne(_ source: DumpSource) -> Bool {
        do throws(DumpError) { return try Archive().recognise(source) != nil } catch { return false }
    }

    /// A zip is known by its end too, as a program that unpacks it may stand before it.
    private static func format(ofEnd file: DumpPath, in files: any DumpFiles) -> ArchiveFormat? {
        guard let path = files.diskPath(of: file), let open = try? OpenFile.open(path), let status = try? open.status()
        else { return nil }
        let bytes = PackedBytes(file: open, range: 0..<Int(clamping: status.size))
        return (try? ZipDirectory(in: bytes, file)) == nil ? nil : .zip
    }

    /// The files of an archive; where that is one file, as if that had been named.
    private static func mounted(_ files: ArchiveFiles, on source: DumpSource) throws(DumpError) -> DumpSource {
        let items = try files.children(of: .root, limit: 10).filter { !isAddition($0.path) }
        let mounted = source.mounting(files)
        guard let only = items.first, items.count == 1, only.kind == .file else { return mounted }
        let alone = mounted.alone(only.path)
        guard isOne(alone) else { return alone }
        // What is in that one goes by the path through both.
        return try mounted.file(only.path).going(on: mounted.rest)
    }
}

/// The forms of archives that are read.
enum ArchiveFormat: String, Sendable, CaseIterable {
    case zip, tar
    case gzip = "tar.gz"
    case bzip2 = "tar.bz2"
    case xz = "tar.xz"
    case zstd = "tar.zst"

    /// What the names of archives of it end with, in capitals or not; the one table of these.
    private var endings: [String] {
        switch self {
        case .zip, .tar: ["." + rawValue]
        case .gzip: [".tar.gz", ".tgz"]
        case .bzip2: [".tar.bz2", ".tbz2", ".tbz"]
        case .xz: [".tar.xz", ".txz"]
        case .zstd: [".tar.zst", ".tzst"]
        }
    }

    /// What the name of a file ends with that is one of an archive's; `nil` where it is called no archive.
    static func ending(of name: String) -> String? {
        let name = name.lowercased()
        return allCases.lazy.flatMap(\.endings).first { name.hasSuffix($0) }
    }

    /// Whether the name of a file says that it is one of several parts of an archive: `.z02`, `.zip.002`, `.r00`.
    static func isPart(_ name: String) -> Bool {
        let ending = name.lowercased().suffix(4), digits = ending.dropFirst(2)
        return [".z", ".r", ".0"].contains(ending.prefix(2)) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The form that the first bytes of a file say.
    init?(_ head: Data) {
        if head.starts(with: Data("PK\u{3}\u{4}".utf8)) || head.starts(with: Data("PK\u{5}\u{6}".utf8))
            || head.starts(with: Data("PK\u{7}\u{8}".utf8))
        {
            self = .zip
        } else if head.starts(with: GzipReader.magic) {
            self = .gzip
        } else if head.starts(with: Data("BZh".utf8)), head.count >= 10,
            (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(head[head.startIndex + 3]),
            // A block follows, or of nothing the end.
            [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]].contains(
                Array(head.dropFirst(4).prefix(6)))
        {
            self = .bzip2
        } else if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
            self = .xz
        } else if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            self = .zstd
        } else if head.count >= 262,
            head.dropFirst(257).prefix(5).elementsEqual("ustar".utf8)
                || TarHeader(Array(head.prefix(TarHeader.block))) != nil
        {
            self = .tar
        } else {
            return nil
        }
    }

    /// What the library calls it where it compresses something, or unpacks it.
    var filter: Int32? {
        switch self {
        case .gzip: ARCHIVE_FILTER_GZIP
        case .bzip2: ARCHIVE_FILTER_BZIP2
        case .xz: ARCHIVE_FILTER_XZ
        case .zstd: ARCHIVE_FILTER_ZSTD
        case .zip, .tar: nil
        }
    }

    /// Unpacks what is compressed by it.
    func reader(
        of packed: PackedBytes, _ path: DumpPath, _ control: OpeningControl
    ) throws(DumpError) -> any LayerReader {
        self == .gzip
            ? try GzipReader(packed, path, control) : try ArchiveReader(packed, .compressed(self), path, control)
    }

    /// Whether it is a tar that is compressed as a whole.
    var isCompressed: Bool { self != .zip && self != .tar }
}
