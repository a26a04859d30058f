import Foundation
import MigrationEngine
import StoreFormats

/// Finds the keychain export that belongs to a dump.
///
/// One that a person names is it. Otherwise a file in the dump's root folder whose content is an export, whatever its
/// name; otherwise a file beside the dump with “keychain” in its name, as tools name them: one whose name begins with the
/// dump's, or else the only one. Where there are several, none is chosen, and all are named.
struct KeychainSearch {
    private(set) var state = KeychainState.none
    private(set) var file: KeychainFile?
    private(set) var warnings: [DumpWarning] = []

    /// Why the first file that is called a keychain cannot be read.
    private var broken: Unreadable?

    private static let limit = 10_000
    private let root: DumpFolder

    /// Takes the file that a person named.
    init(given path: String, in root: DumpFolder) throws(DumpError) {
        self.root = root
        let (folder, name) = try DumpFolder.opening(file: path)
        let absolutePath = folder.absolutePath(name)
        do throws(KeychainError) {
            let data: Data
            do { data = try folder.read(name, limit: KeychainExport.byteLimit) } catch { throw .init(.notAnExport) }
            take(
                KeychainFile(
                    absolutePath: absolutePath, pathInDump: Self.path(absolutePath, in: root), isGiven: true,
                    export: try KeychainExport(data)))
        } catch {
            // Say what the file system says, where it is that.
            _ = try folder.read(name, limit: KeychainExport.byteLimit)
            throw DumpError(absolutePath, .notAKeychain(error))
        }
    }

    /// Looks for one in and beside a dump.
    init(in root: DumpFolder) {
        self.root = root
        let inside = root.onlyFile == nil ? candidates(in: root, at: "", mustBeNamed: false) : []
        if inside.isEmpty, broken == nil { choose(preferred(beside())) } else { choose(inside) }
        if let broken, case .none = state { state = .unreadable(broken) }
    }

    private static func path(_ absolutePath: String, in root: DumpFolder) -> String? {
        guard root.onlyFile == nil else { return nil }
        let prefix = root.path == "/" ? "/" : root.path + "/"
        guard absolutePath.hasPrefix(prefix) else { return nil }
        return String(absolutePath.dropFirst(prefix.count))
    }

    private mutating func take(_ file: KeychainFile) {
        self.file = file
        state = .items(from: file.path)
        let shown = 20
        warnings += file.export.problems.prefix(shown).map {
            DumpWarning(file.path, .keychainItem(place: $0.place, reason: $0.reason))
        }
        let rest = file.export.problems.count - shown
        if rest > 0 { warnings.append(DumpWarning(file.path, .moreKeychainItems(rest))) }
    }

    private mutating func choose(_ files: [KeychainFile]) {
        if let only = files.first, files.count == 1 { return take(only) }
        guard !files.isEmpty else { return }
        let paths = files.map(\.path)
        warnings.append(DumpWarning("", .severalKeychains(paths)))
        state = .unreadable(
            Unreadable(.unsupported, "there are several keychain exports; name one with --keychain"))
    }

    /// The exports beside the dump.
    private mutating func beside() -> [KeychainFile] {
        // Of a single file, the folder is the same, and all of it is beside.
        let path = root.onlyFile == nil ? String(root.path.dropLast(root.name.count)) : root.path
        guard !path.isEmpty, path != root.path || root.onlyFile != nil, let folder = try? DumpFolder(opening: path)
        else { return [] }
        return candidates(in: folder, at: nil, mustBeNamed: true)
    }

    /// Those whose names begin with the dump's, if there are such.
    private func preferred(_ files: [KeychainFile]) -> [KeychainFile] {
        let name = root.onlyFile ?? root.name
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        for start in [name, name.hasSuffix(".xcappdata") ? String(name.dropLast(10)) : name, stem] {
            let named = files.filter { $0.absolutePath.split(separator: "/").last?.hasPrefix(start) ?? false }
            if !named.isEmpty { return named }
        }
        return files
    }

    /// The exports in a folder; one by its name that cannot be read is a warning.
    ///
    /// - Parameter prefix: The folder's path in the dump; `nil` where it is not of the dump.
    private mutating func candidates(
        in folder: DumpFolder, at prefix: String?, mustBeNamed: Bool
    ) -> [KeychainFile] {
        var found: [KeychainFile] = []
        for item in (try? folder.children(limit: Self.limit)) ?? [] where item.kind == .file && item.isNameExact {
            let isNamed = item.name.lowercased().contains("keychain")
            if mustBeNamed && !isNamed || folder.path == root.path && item.name == root.onlyFile { continue }
            let path = prefix == nil ? folder.absolutePath(item.path) : item.path
            do {
                let data = try folder.read(item.path, limit: KeychainExport.byteLimit)
                guard isNamed || KeychainExport.mayBe(data) else { continue }
                do {
                    found.append(
                        KeychainFile(
                            absolutePath: folder.absolutePath(item.path), pathInDump: prefix == nil ? nil : item.path,
                            isGiven: false, export: try KeychainExport(data)))
                } catch {
                    // A text with that word in its name may be anything; in the dump it is worth a word.
                    let isBroken = error.problem != .notAnExport
                    guard isNamed, isBroken || prefix != nil else { continue }
                    let reason = Unreadable(error, in: path)
                    warnings.append(DumpWarning(path, .unreadable(reason)))
                    if isBroken { broken = broken ?? reason }
                }
            } catch {
                guard isNamed else { continue }
                warnings.append(DumpWarning(path, .init(error, in: folder)))
                broken = broken ?? Unreadable(error, in: folder)
            }
        }
        return found
    }
}

extension Unreadable {
    /// The reason that an error in a keychain export is.
    init(_ error: KeychainError, in file: String) {
        let cause: Cause =
            switch error.problem {
            case .notAnExport, .unsupported: .unsupported
            case .malformed(let error): Unreadable(error).cause
            case .tooLarge, .tooManyItems: .overLimit
            }
        self.init(cause, "\(file): \(error)")
    }
}
