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
    private let source: DumpSource
    private static let limit = 10_000
    /// Where UFED puts one beside the file system.
    private static let ufed: DumpPath = "extra/KeychainDump"

    /// Takes the file that a person named.
    init(given path: String, for source: DumpSource) throws(DumpError) {
        self.source = source
        let absolute = try FolderFiles.canonicalPath(path), (files, file) = try DumpSource.file(at: absolute)
        let export: KeychainExport
        do throws(DumpError) { export = try Self.export(of: file, in: files) } catch {
            throw DumpError(absolute, error.problem)
        }
        if let inside = Self.path(absolute, in: source) {
            take(KeychainFile(.inDump(inside), isGiven: true, export: export, file: inside, of: source.files))
        } else {
            take(KeychainFile(.elsewhere(absolute), isGiven: true, export: export, file: file, of: files))
        }
    }

    /// Takes the one that the dump's own form has; one that cannot be read gives way to an export beside the dump.
    init(_ own: FoundKeychain, of source: DumpSource) {
        self.source = source
        switch own {
        case .read(let file): take(file)
        case .locked(let file):
            let within = inRoot() + inUFED()
            choose(within.isEmpty ? preferred(beside()) : within)
            if self.file == nil, case .none = state { take(file) }
        case .unreadable(let path, let reason):
            let within = heldBeside() + inRoot() + inUFED()
            choose(within.isEmpty ? preferred(beside()) : within)
            guard file == nil else { return }
            warnings.append(DumpWarning(path, .unreadable(reason)))
            if case .none = state { state = .unreadable(reason) }
        }
    }

    /// Looks for one in and beside a dump.
    init(around source: DumpSource) {
        self.source = source
        var inside = source.loneFile == nil ? candidates(in: source.files, mustBeNamed: false) { .inDump($0.path) } : []
        if inside.isEmpty { inside = inUFED() }
        if inside.isEmpty, broken == nil { choose(preferred(beside())) } else { choose(inside) }
        if let broken, case .none = state { state = .unreadable(broken) }
    }

    private static func export(of file: DumpPath, in files: any DumpFiles) throws(DumpError) -> KeychainExport {
        let data = try files.bytes(at: file, limit: KeychainExport.byteLimit)
        // What a device keeps has the rows of its items, each locked.
        if data.starts(with: DatabaseFile.magic), let keychain = try? DeviceKeychain(file, in: files, .current) {
            return KeychainExport(keychain)
        }
        do throws(KeychainError) { return try KeychainExport(data) } catch {
            throw DumpError(file, .notAKeychain(error))
        }
    }

    private static func path(_ absolute: String, in source: DumpSource) -> DumpPath? {
        guard source.loneFile == nil, source.location.inside.isRoot, !source.isMounted else { return nil }
        let start = source.location.disk == "/" ? "/" : source.location.disk + "/"
        guard absolute.utf8.starts(with: start.utf8) else { return nil }
        return DumpPath(bytes: absolute.utf8.dropFirst(start.utf8.count))
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
        warnings.append(DumpWarning("", .severalKeychains(files.map(\.path))))
        let shown = files.prefix(5).map(\.path.description).joined(separator: ", ")
        state = .unreadable(
            Unreadable(
                .missing,
                "there are several keychain exports (\(shown)\(files.count > 5 ? ", …" : "")), and none is read: one must be "
                    + "chosen"))
    }

    /// The exports among what holds the dump's files, where an export of the dump puts one.
    private mutating func heldBeside() -> [KeychainFile] {
        guard let holder = source.files.packed?.holder else { return [] }
        let folder = source.location.path
        return candidates(in: holder, mustBeNamed: true) { .elsewhere(folder + "/" + $0.path.text) }
    }

    /// The exports in the dump's own folder, as an unpacked export of a backup has one.
    private mutating func inRoot() -> [KeychainFile] {
        candidates(in: source.files, mustBeNamed: true) { .inDump($0.path) }
    }

    /// The export that UFED has put into the dump of a file system.
    private mutating func inUFED() -> [KeychainFile] {
        guard source.loneFile == nil, source.files.hasFolder(Self.ufed) else { return [] }
        return candidates(in: Subtree(source.files, below: Self.ufed), mustBeNamed: true) {
            .inDump(Self.ufed / $0.path)
        }
    }

    /// The exports beside the dump, or else beside the archive that holds it.
    private mutating func beside() -> [KeychainFile] {
        let near = besideItself()
        guard near.isEmpty, broken == nil, let files = source.aroundArchive, !source.location.inside.isRoot else {
            return near
        }
        let disk = source.location.disk.split(separator: "/").dropLast().joined(separator: "/")
        return candidates(in: files, mustBeNamed: true) { .elsewhere("/" + disk + "/" + $0.path.text) }
    }

    private mutating func besideItself() -> [KeychainFile] {
        guard let (files, folder) = source.surroundings else { return [] }
        let source = source
        let disk = source.location.disk.split(separator: "/").dropLast().joined(separator: "/")
        return candidates(in: Subtree(files, below: folder), mustBeNamed: true) { item in
            // Beside a part of what was opened is inside of that.
            source.location.inside.isRoot
                ? .elsewhere((disk.isEmpty ? "" : "/" + disk) + "/" + item.path.text)
                : .elsewhere(
                    source.location.disk + "/" + ((source.location.inside.parent ?? .root) / item.path).text)
        }
    }

    /// Those whose names begin with the dump's, or with that of the archive that holds it, if there are such.
    private func preferred(_ files: [KeychainFile]) -> [KeychainFile] {
        let name = source.location.name, disk = source.location.disk.split(separator: "/").last.map(String.init) ?? name
        let stems = [name, disk].map { $0.split(separator: ".").first.map(String.init) ?? $0 }
        for start in [name, name.hasSuffix(".xcappdata") ? String(name.dropLast(10)) : name] + stems {
            let named = files.filter { $0.name.hasPrefix(start) }
            if !named.isEmpty { return named }
        }
        return files
    }

    /// The exports in a folder; one by its name that cannot be read is a warning.
    private mutating func candidates(
        in files: any DumpFiles, mustBeNamed: Bool, as place: (DumpItem) -> SourceFile
    ) -> [KeychainFile] {
        var found: [KeychainFile] = [], ofDevices: [KeychainFile] = []
        for item in (try? files.children(of: .root, limit: Self.limit)) ?? [] where item.path.isUTF8 {
            let isNamed = item.name.lowercased().contains("keychain")
            let isItself =
                item.path == source.loneFile || item.name == source.location.disk.split(separator: "/").last ?? ""
            if mustBeNamed && (!isNamed || isItself) || item.kind == .folder { continue }
            // A link or a pipe is not read, and only its name says that it might be an export.
            guard isNamed || item.kind == .file else { continue }
            let place = place(item), data: Data
            do throws(DumpError) {
                data = try files.bytes(at: item.path, limit: KeychainExport.byteLimit)
            } catch {
                if isNamed { note(DumpError(place.description, error.problem)) }
                continue
            }
            guard isNamed || KeychainExport.mayBe(data) else { continue }
            if data.starts(with: DatabaseFile.magic), let export = try? Self.export(of: item.path, in: files) {
                ofDevices.append(KeychainFile(place, isGiven: false, export: export, file: item.path, of: files))
                continue
            }
            do throws(KeychainError) {
                let export = try KeychainExport(data)
                found.append(KeychainFile(place, isGiven: false, export: export, file: item.path, of: files))
            } catch {
                // A text with that word in its name may be anything; in the dump it is worth a word.
                // One that is named as tools name an export is one, also where nothing of it is left.
                let isExport = item.name.lowercased().hasPrefix("keychain.")
                let isBroken = error.problem != .notAnExport || isExport
                guard isNamed, isBroken || !mustBeNamed else { continue }
                let reason = Unreadable(error, in: place.description)
                warnings.append(DumpWarning(place.description, .unreadable(reason)))
                if isBroken { broken = broken ?? reason }
            }
        }
        // Any export tells more than what a device keeps to itself.
        return found.isEmpty ? ofDevices : found
    }

    private mutating func note(_ error: DumpError) {
        warnings.append(DumpWarning(error.path, .init(error)))
        broken = broken ?? Unreadable(error)
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
