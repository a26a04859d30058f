import Foundation
import MigrationEngine
import StoreFormats

/// Finds the keychain export that belongs to a dump.
///
/// One that a person names is it. Otherwise it is looked for in each ``Place``, one after the other; where one is found no
/// further place is looked at.
///
/// One beside the dump is read where its name says that it is the dump's and no other's there, or where nothing else there may
/// be a dump; see ``KeychainNeighbours``. Any other is never read unasked and never passed over: whatever looks for an item is
/// told which it is. Of several that are the dump's those count whose names are nearest to its own or to that of an archive that
/// holds it; where there are still several, none is chosen, and all are named.
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
            case .ufed: "in `extra/KeychainDump` in the dump, or beside it, where UFED puts it"
            case .beside:
                "beside the dump; in an archive then in the folders above it; then beside each archive that holds it; on the disk "
                    + "then beside the folder that it, or its archive, lies in, called after that or after the dump's device"
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
    /// The devices that the dump says it is of.
    private var devices: [String] = []
    private let options: OpeningOptions
    private let control: OpeningControl
    private static let limit = 10_000
    /// Where UFED puts one beside the file system, whose folder it gives a number.
    private static let ufed: DumpPath = "extra/KeychainDump"

    /// Takes the file that a person named, on the disk or in an archive there.
    init(
        given path: String, _ options: OpeningOptions, for source: DumpSource, _ control: OpeningControl
    ) throws(DumpError) {
        let (absolute, files, file) = try DumpSource.file(at: path, options, control)
        try self.init(file, in: files, at: absolute, for: source, options, control)
    }

    /// Takes the file that a person named as it is now.
    init(
        again given: KeychainFile, _ options: OpeningOptions, for source: DumpSource, _ control: OpeningControl
    ) throws(DumpError) {
        let (files, file) = try given.reopened()
        guard case .elsewhere(let absolute) = given.source else {
            let absolute = source.location.path + "/" + given.path
            try self.init(file, in: files, at: absolute, for: source, options, control)
            return
        }
        try self.init(file, in: files, at: absolute, for: source, options, control)
    }

    private init(
        _ file: DumpPath, in files: any DumpFiles, at absolute: String, for source: DumpSource,
        _ options: OpeningOptions, _ control: OpeningControl
    ) throws(DumpError) {
        (self.source, self.options, self.control) = (source, options, control)
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
    init(
        _ own: FoundKeychain, of source: DumpSource, on devices: [String], _ options: OpeningOptions,
        _ control: OpeningControl
    ) {
        (self.source, self.devices, self.options, self.control) = (source, devices, options, control)
        switch own {
        case .read(let file):
            // One that lies there was put there, as an export of Vestige does, to be read.
            // The rows of a device's own tell less.
            let within = (heldBeside() + inRoot()).filter { !$0.export.isLocked }
            take(within.count == 1 ? within[0] : file)
            switch within.count {
            case 0: break
            case 1: warnings.append(DumpWarning(file.path, .keychainReplaced(by: within[0].path)))
            default: warnings.append(DumpWarning("", .severalKeychains(within.map(\.path))))
            }
        case .locked(let file):
            let within = inRoot() + inUFED()
            choose(within.isEmpty ? beside() : within)
            if self.file == nil, case .none = state { take(file) }
        case .unreadable(let path, let reason):
            let within = heldBeside() + inRoot() + inUFED()
            choose(within.isEmpty ? beside() : within)
            guard file == nil else { return }
            warnings.append(DumpWarning(path, .unreadable(reason)))
            if case .none = state { state = .unreadable(reason) }
        }
    }

    /// Looks for one in and beside a dump.
    init(around source: DumpSource, on devices: [String], _ options: OpeningOptions, _ control: OpeningControl) {
        (self.source, self.devices, self.options, self.control) = (source, devices, options, control)
        var inside =
            source.loneFile == nil
            ? candidates(.root, among: Self.items(in: source.files), in: source.files) { .inDump($0.path) } : []
        // In a backup's folder there are no files of its own but what somebody has put there.
        if inside.isEmpty, source.files is BackupFiles { inside = heldBeside() }
        if inside.isEmpty { inside = inUFED() }
        if inside.isEmpty, broken == nil { choose(beside()) } else { choose(inside) }
        if let broken, case .none = state { state = .unreadable(broken) }
    }

    private static func export(of file: DumpPath, in files: any DumpFiles) throws(DumpError) -> KeychainExport {
        let data = try files.bytes(at: file, limit: KeychainExport.byteLimit)
        // What a device keeps has the rows of its items, each locked.
        if data.starts(with: SQLiteMagic.database), let keychain = try? DeviceKeychain(file, in: files, .current) {
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
        return candidates(.backup, among: Self.items(in: holder), in: holder) {
            .elsewhere(folder + "/" + $0.path.text)
        }
    }

    /// The exports in the dump's own folder, as an unpacked export of a backup has one.
    private mutating func inRoot() -> [KeychainFile] {
        candidates(.backup, among: Self.items(in: source.files), in: source.files) { .inDump($0.path) }
    }

    /// The export that UFED has put into the dump of a file system.
    private mutating func inUFED() -> [KeychainFile] {
        guard source.loneFile == nil, source.files.hasFolder(Self.ufed) else { return [] }
        let files = Subtree(source.files, below: Self.ufed)
        return candidates(.ufed, among: Self.items(in: files), in: files) { .inDump(Self.ufed / $0.path) }
    }

    /// The exports beside the dump, or else in the folders above it in an archive, or beside an archive that holds it, or beside
    /// its folder.
    private mutating func beside() -> [KeychainFile] {
        for level in source.allSurroundings {
            let found = beside(level, called: names)
            // While nobody knows whose it is, no other is looked for.
            if !found.isEmpty || isUndecided { return found }
        }
        guard let level = source.outerSurroundings else { return [] }
        return beside(level, called: [level.name], isOuter: true)
    }

    /// Whether there is an export that is not read, and no further one is looked for.
    private var isUndecided: Bool { if case .unreadable = state { true } else { broken != nil } }

    /// The exports in one such folder that are the dump's; of others it is said that they are not read.
    ///
    /// - Parameter isOuter: Whether only those count that are called after the folder in which the dump is.
    private mutating func beside(
        _ level: DumpSource.Surroundings, called names: [String], isOuter: Bool = false
    ) -> [KeychainFile] {
        let folder = Subtree(level.files, below: level.folder), items = Self.items(in: folder)
        // Looked at once, and only where there is an export.
        lazy var neighbours = KeychainNeighbours(
            at: level, items, of: source, called: names, on: devices, options, control)
        let words = names.map(NameLikeness.words(of:))
        var own: [DumpItem] = [], doubted: [(item: DumpItem, doubt: KeychainDoubt)] = []
        lazy var rival = isOuter ? rivalInFolder : nil
        for item in items where Self.isNamed(item) && !item.name.utf8.elementsEqual(level.name.utf8) {
            if isOuter, !neighbours.isOfDevice(item.name), NameLikeness(of: item.name, toNearestOf: words).isNone {
                continue
            }
            let doubt = neighbours.doubt(of: item.name) ?? rival
            if let doubt { doubted.append((item, doubt)) } else { own.append(item) }
        }
        func place(_ item: DumpItem) -> SourceFile { .elsewhere(level.path + "/" + item.path.text) }
        let found = candidates(.beside, among: own, in: folder, as: place)
        guard found.isEmpty else { return nearest(of: found, to: words) }
        let ufed = level.folder / Self.ufed
        if !isOuter, level.files.hasFolder(ufed) {
            let files = Subtree(level.files, below: ufed), items = Self.items(in: files)
            func place(_ item: DumpItem) -> SourceFile { .elsewhere("\(level.path)/\(Self.ufed)/\(item.path.text)") }
            let doubt = level.name.hasPrefix("filesystem") ? nil : neighbours.rival
            guard let doubt else { return candidates(.ufed, among: items, in: files, as: place) }
            ask(items.map { ($0, doubt) }, in: files, as: place)
        }
        ask(doubted, in: folder, as: place)
        return []
    }

    /// What lies beside the dump and may be another one.
    private var rivalInFolder: KeychainDoubt? {
        guard let level = source.surroundingsOnDisk else { return nil }
        let items = Self.items(in: Subtree(level.files, below: level.folder))
        return KeychainNeighbours(at: level, items, of: source, called: names, on: devices, options, control).rival
    }

    /// Says of exports which may be another's that they are not read; a text with that word in its name is none.
    private mutating func ask(
        _ doubted: [(item: DumpItem, doubt: KeychainDoubt)], in files: any DumpFiles, as place: (DumpItem) -> SourceFile
    ) {
        let shown = 20
        for (item, doubt) in doubted.prefix(shown) {
            do throws(DumpError) { _ = try Self.export(of: item.path, in: files) } catch {
                if case .notAKeychain(let error) = error.problem, error.problem == .notAnExport,
                    !Self.isCalledAsTools(item)
                {
                    continue
                }
            }
            let warning = DumpWarning(place(item).description, .keychainOfAnother(doubt))
            warnings.append(warning)
            if case .none = state {
                state = .unreadable(Unreadable(.missing, String(warning.description.dropLast())))
            }
        }
    }

    /// The names of the dump and of what holds it.
    private var names: [String] { [source.location.name] + source.allSurroundings.map(\.name) }

    /// Those whose names are nearest to the dump's.
    private func nearest(of files: [KeychainFile], to names: [[String]]) -> [KeychainFile] {
        let nearness = files.map { NameLikeness(of: $0.name, toNearestOf: names) }, most = nearness.max()
        return zip(files, nearness).filter { $0.1 == most }.map(\.0)
    }

    /// What lies in a folder and has a name that can be told.
    private static func items(in files: any DumpFiles) -> [DumpItem] {
        ((try? files.children(of: .root, limit: limit)) ?? []).filter(\.path.isUTF8)
    }

    /// The exports among the items of a folder; one by its name that cannot be read is a warning.
    private mutating func candidates(
        _ kind: Place, among items: [DumpItem], in files: any DumpFiles, as place: (DumpItem) -> SourceFile
    ) -> [KeychainFile] {
        var found: [KeychainFile] = [], ofDevices: [KeychainFile] = []
        for item in items {
            let isNamed = Self.isNamed(item)
            guard isNamed || !kind.mustBeNamed && item.kind == .file else { continue }
            let place = place(item), data: Data
            do throws(DumpError) {
                data = try files.bytes(at: item.path, limit: KeychainExport.byteLimit)
            } catch {
                if isNamed { note(DumpError(place.description, error.problem)) }
                continue
            }
            guard isNamed || KeychainExport.mayBe(data) else { continue }
            if data.starts(with: SQLiteMagic.database), let export = try? Self.export(of: item.path, in: files) {
                ofDevices.append(KeychainFile(place, isGiven: false, export: export, file: item.path, of: files))
                continue
            }
            do throws(KeychainError) {
                let export = try KeychainExport(data)
                found.append(KeychainFile(place, isGiven: false, export: export, file: item.path, of: files))
            } catch {
                // A text with that word in its name may be anything; in the dump it is worth a word.
                let isBroken = error.problem != .notAnExport || Self.isCalledAsTools(item)
                guard isNamed, isBroken || !kind.mustBeNamed else { continue }
                let reason = Unreadable(error, in: place.description)
                warnings.append(DumpWarning(place.description, .unreadable(reason)))
                if isBroken { broken = broken ?? reason }
            }
        }
        // Any export tells more than what a device keeps to itself.
        return found.isEmpty ? ofDevices : found
    }

    /// Whether a name says that it is an export; a link or a pipe is not read, and only its name says that it might be one.
    private static func isNamed(_ item: DumpItem) -> Bool {
        KeychainNeighbours.isCalledExport(item) || isCalledAsTools(item)
    }

    /// Whether it is named as tools name an export: that is one, also where nothing of it is left.
    private static func isCalledAsTools(_ item: DumpItem) -> Bool { item.name.lowercased().hasPrefix("keychain.") }

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
