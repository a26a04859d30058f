import Foundation
import MigrationEngine
import StoreFormats

/// Finds the keychain export that belongs to a dump.
///
/// One that a person names is it. Otherwise it is looked for in each ``Place``, one after the other; where one is found no
/// further place is looked at. Of several beside the dump those count whose names begin as its own or as that of an archive
/// that holds it; where there are still several, none is chosen, and all are named. One whose name begins as that of another
/// thing beside the dump is that one's: `ann_keychain.plist` beside `ann.zip` and `bob.zip` is not Bob's.
struct KeychainSearch {
    /// Where it is looked for; the README has these lines.
    enum Place: CaseIterable {
        case root, backup, ufed, beside

        /// Whether a file counts only where its name says what it is: among others a content says too little.
        var mustBeNamed: Bool { self != .root }

        var words: String {
            switch self {
            case .root: "in the dump's own folder"
            case .backup: "in the folder of a backup"
            case .ufed: "in `extra/KeychainDump`, where UFED puts it"
            case .beside:
                "beside the dump; in an archive then in the folders above it; then beside each archive that holds it"
            }
        }

        /// Which file counts.
        var fileWords: String {
            mustBeNamed ? "one with `keychain` in its name, in capitals or not" : "any that is one by its content"
        }
    }

    private(set) var state = KeychainState.none
    private(set) var file: KeychainFile?
    private(set) var warnings: [DumpWarning] = []

    /// Why the first file that is called a keychain cannot be read.
    private var broken: Unreadable?
    private let source: DumpSource
    private static let limit = 10_000
    /// Where UFED puts one beside the file system.
    private static let ufed: DumpPath = "extra/KeychainDump"

    /// Takes the file that a person named, on the disk or in an archive there.
    init(
        given path: String, _ options: OpeningOptions, for source: DumpSource, _ control: OpeningControl
    ) throws(DumpError) {
        let (absolute, files, file) = try DumpSource.file(at: path, options, control)
        try self.init(file, in: files, at: absolute, for: source)
    }

    /// Takes the file that a person named as it is now.
    init(again given: KeychainFile, for source: DumpSource) throws(DumpError) {
        let (files, file) = try given.reopened()
        guard case .elsewhere(let absolute) = given.source else {
            try self.init(file, in: files, at: source.location.path + "/" + given.path, for: source)
            return
        }
        try self.init(file, in: files, at: absolute, for: source)
    }

    private init(
        _ file: DumpPath, in files: any DumpFiles, at absolute: String, for source: DumpSource
    ) throws(DumpError) {
        self.source = source
        let export: KeychainExport
        do throws(DumpError) { export = try Self.export(of: file, in: files) } catch {
            guard case .notAKeychain = error.problem, let named = try? DumpSource(opening: absolute),
                Archive.isOne(named)
            else { throw DumpError(absolute, error.problem) }
            throw DumpError(absolute, .keychainInArchive)
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
        var inside = source.loneFile == nil ? candidates(.root, in: source.files) { .inDump($0.path) } : []
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

    /// The path of a file in the dump, where it is one of its files.
    private static func path(_ absolute: String, in source: DumpSource) -> DumpPath? {
        let start = source.location.path == "/" ? "/" : source.location.path + "/"
        guard source.loneFile == nil, absolute.utf8.starts(with: start.utf8),
            let path = DumpPath(bytes: absolute.utf8.dropFirst(start.utf8.count))
        else { return nil }
        // Of a backup the files have other names than what holds them.
        guard source.isMounted else { return source.location.inside.isRoot ? path : nil }
        return source.files.hasFile(path) ? path : nil
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
        return candidates(.backup, in: holder) { .elsewhere(folder + "/" + $0.path.text) }
    }

    /// The exports in the dump's own folder, as an unpacked export of a backup has one.
    private mutating func inRoot() -> [KeychainFile] {
        candidates(.backup, in: source.files) { .inDump($0.path) }
    }

    /// The export that UFED has put into the dump of a file system.
    private mutating func inUFED() -> [KeychainFile] {
        guard source.loneFile == nil, source.files.hasFolder(Self.ufed) else { return [] }
        return candidates(.ufed, in: Subtree(source.files, below: Self.ufed)) {
            .inDump(Self.ufed / $0.path)
        }
    }

    /// The exports beside the dump, or else in the folders above it in an archive, or beside an archive that holds it.
    private mutating func beside() -> [KeychainFile] {
        for level in source.allSurroundings {
            let found = candidates(.beside, in: Subtree(level.files, below: level.folder), beside: level.name) {
                .elsewhere(level.path + "/" + $0.path.text)
            }
            if !found.isEmpty || broken != nil { return found }
        }
        return []
    }

    /// Those whose names begin with the dump's, or with that of an archive that holds it, if there are such.
    private func preferred(_ files: [KeychainFile]) -> [KeychainFile] {
        let name = source.location.name, held = source.allSurroundings.map(\.name)
        let stems = ([name] + held).map { $0.split(separator: ".").first.map(String.init) ?? $0 }
        for start in [name, name.hasSuffix(".xcappdata") ? String(name.dropLast(10)) : name] + stems {
            let named = files.filter { $0.name.hasPrefix(start) }
            if !named.isEmpty { return named }
        }
        return files
    }

    /// The exports in a folder; one by its name that cannot be read is a warning.
    ///
    /// - Parameter neighbour: The name of the dump, or of what holds it, where that lies in the folder itself.
    private mutating func candidates(
        _ kind: Place, in files: any DumpFiles, beside neighbour: String = "",
        as place: (DumpItem) -> SourceFile
    ) -> [KeychainFile] {
        var found: [KeychainFile] = [], ofDevices: [KeychainFile] = []
        let items = ((try? files.children(of: .root, limit: Self.limit)) ?? []).filter(\.path.isUTF8)
        let neighbours = kind == .beside ? items.filter(Self.mayBeDump).map(\.name) : []
        for item in items {
            let isNamed = Self.isNamed(item.name)
            let isItself = item.path == source.loneFile || item.name.utf8.elementsEqual(neighbour.utf8)
            // One that is named as tools name an export is one, also where nothing of it is left.
            let isExport = item.name.lowercased().hasPrefix("keychain.")
            if kind.mustBeNamed && (!isNamed || isItself) || item.kind == .folder && !isExport { continue }
            // A link or a pipe is not read, and only its name says that it might be an export.
            guard isNamed || item.kind == .file else { continue }
            if let other = owner(of: item.name, among: neighbours) {
                warnings.append(DumpWarning(place(item).description, .keychainOfAnother(other)))
                continue
            }
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
                let isBroken = error.problem != .notAnExport || isExport
                guard isNamed, isBroken || !kind.mustBeNamed else { continue }
                let reason = Unreadable(error, in: place.description)
                warnings.append(DumpWarning(place.description, .unreadable(reason)))
                if isBroken { broken = broken ?? reason }
            }
        }
        // Any export tells more than what a device keeps to itself.
        return found.isEmpty ? ofDevices : found
    }

    /// Whether a name says that the file is an export.
    private static func isNamed(_ name: String) -> Bool { name.lowercased().contains("keychain") }

    /// What the names of dumps end with that are one file, or a folder that is told by its name.
    private static let endings = [
        ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tgz", ".txz", ".zip", ".tar", ".xcappdata",
    ]

    /// Whether something beside the dump may be another one: a mail or a note is none.
    private static func mayBeDump(_ item: DumpItem) -> Bool {
        let name = item.name.lowercased()
        return !isNamed(name) && (item.kind == .folder || endings.contains { name.hasSuffix($0) })
    }

    /// What else beside the dump an export is named after, and more closely than after the dump or what holds it.
    private func owner(of file: String, among neighbours: [String]) -> String? {
        let file = file.lowercased()
        func likeness(_ name: String) -> Int {
            let name = name.lowercased(), ending = Self.endings.first { name.hasSuffix($0) } ?? ""
            return [name, String(name.dropLast(ending.count))].filter { stem in
                let next = file.utf8.dropFirst(stem.utf8.count).first
                return !stem.isEmpty && file.utf8.starts(with: stem.utf8) && next.map { !$0.isWordByte } ?? true
            }.map(\.utf8.count).max() ?? 0
        }
        let own = ([source.location.name] + source.allSurroundings.map(\.name)).map(likeness).max() ?? 0
        guard let (name, length) = neighbours.map({ ($0, likeness($0)) }).max(by: { $0.1 < $1.1 }), length > own
        else { return nil }
        return name
    }

    private mutating func note(_ error: DumpError) {
        warnings.append(DumpWarning(error.path, .init(error)))
        broken = broken ?? Unreadable(error)
    }
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    fileprivate var isWordByte: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
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
