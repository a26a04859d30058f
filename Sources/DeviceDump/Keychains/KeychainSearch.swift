import Foundation
import MigrationEngine
import StoreFormats

/// Finds the keychain export that belongs to a dump.
///
/// One that a person names is it. Otherwise it is looked for in each ``Place``, one after the other; where one is found no
/// further place is looked at. Of several beside the dump those count whose names are nearest to its own or to that of an
/// archive that holds it; where there are still several, none is chosen, and all are named.
///
/// One beside the dump may be another dump's there. It is not read where its name is nearer to that of another, where it is as near
/// to that of another dump, or where it names another device; see ``NameLikeness``: of `ann.zip` and `bob.zip`
/// `ann_keychain.plist` is Ann's, and whose `keychain.plist` is nobody knows.
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
    /// Which of the exports in the folder that is looked at may be another's: their paths, and why.
    private var doubts: [(path: String, doubt: KeychainDoubt)] = []
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
    init(around source: DumpSource) {
        self.source = source
        var inside = source.loneFile == nil ? candidates(.root, in: source.files) { .inDump($0.path) } : []
        if inside.isEmpty { inside = inUFED() }
        if inside.isEmpty, broken == nil { choose(beside()) } else { choose(inside) }
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
            doubts = []
            let found = candidates(.beside, in: Subtree(level.files, below: level.folder), beside: level) {
                .elsewhere(level.path + "/" + $0.path.text)
            }
            let doubted = Set(doubts.map(\.path)), likely = found.filter { !doubted.contains($0.path) }
            guard likely.isEmpty else { return nearest(of: likely) }
            let exports = Set(found.map(\.path)), shown = 20
            for (path, doubt) in doubts.prefix(shown) {
                let warning = DumpWarning(path, .keychainOfAnother(doubt))
                if case .fitsAlso = doubt {
                    // A text with that word in its name is none.
                    guard exports.contains(path) else { continue }
                    if case .none = state {
                        state = .unreadable(Unreadable(.missing, String(warning.description.dropLast())))
                    }
                }
                warnings.append(warning)
            }
            if broken != nil { return [] }
            // While nobody knows whose it is, no other is looked for.
            if case .unreadable = state { return [] }
        }
        return []
    }

    /// The names of the dump and of what holds it.
    private var names: [String] { [source.location.name] + source.allSurroundings.map(\.name) }

    /// Those whose names are nearest to the dump's.
    private func nearest(of files: [KeychainFile]) -> [KeychainFile] {
        let names = names.map(NameLikeness.words(of:))
        let nearness = files.map { NameLikeness(of: $0.name, toNearestOf: names) }, most = nearness.max()
        return zip(files, nearness).filter { $0.1 == most }.map(\.0)
    }

    /// The exports in a folder; one by its name that cannot be read is a warning.
    ///
    /// - Parameter level: The folder, where the dump, or what holds it, lies in it.
    private mutating func candidates(
        _ kind: Place, in files: any DumpFiles, beside level: DumpSource.Surroundings? = nil,
        as place: (DumpItem) -> SourceFile
    ) -> [KeychainFile] {
        var found: [KeychainFile] = [], ofDevices: [KeychainFile] = []
        let items = ((try? files.children(of: .root, limit: Self.limit)) ?? []).filter(\.path.isUTF8)
        let neighbours = level.map { Neighbours($0, items, besides: names) }
        for item in items {
            let isNamed = Self.isNamed(item.name)
            let isItself = item.path == source.loneFile || item.name.utf8.elementsEqual((level?.name ?? "").utf8)
            // One that is named as tools name an export is one, also where nothing of it is left.
            let isExport = item.name.lowercased().hasPrefix("keychain.")
            if kind.mustBeNamed && (!isNamed || isItself) || item.kind == .folder && !isExport { continue }
            // A link or a pipe is not read, and only its name says that it might be an export.
            guard isNamed || item.kind == .file else { continue }
            let place = place(item), data: Data
            if let doubt = neighbours.flatMap({ doubt(of: item.name, among: $0) }) {
                doubts.append((place.description, doubt))
                // Another's is not looked at.
                guard case .fitsAlso = doubt else { continue }
            }
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

    /// Why an export beside the dump may be another's; `nil` where it is taken for the dump's.
    private func doubt(of file: String, among neighbours: Neighbours) -> KeychainDoubt? {
        // What holds files is no export, whatever its name.
        guard ArchiveFormat.ending(of: file) == nil else { return nil }
        let own = NameLikeness(of: file, toNearestOf: names.map(NameLikeness.words(of:)))
        let others = neighbours.all.map { ($0.item, NameLikeness(of: file, toNearestOf: [$0.words])) }
        if let (other, likeness) = others.max(by: { $0.1 < $1.1 }), likeness > own { return .namedAfter(other.name) }
        // Any folder may be called so; that it is as likely counts where it is a dump.
        if let (other, _) = others.first(where: { $0.1 == own && neighbours.isDump($0.0, beside: source) }) {
            return .fitsAlso(other.name)
        }
        let devices = NameLikeness.devices(in: file), ofDump = names.flatMap(NameLikeness.devices)
        if let device = devices.first, !ofDump.isEmpty, !devices.contains(where: ofDump.contains) {
            return .ofDevice(device.uppercased())
        }
        return nil
    }

    private mutating func note(_ error: DumpError) {
        warnings.append(DumpWarning(error.path, .init(error)))
        broken = broken ?? Unreadable(error)
    }
}

/// Why a keychain's export beside a dump may be another's.
package enum KeychainDoubt: Hashable, Sendable {
    /// It is named after another thing there, whose name this is.
    case namedAfter(String)
    /// Its name is as near to that of another dump there.
    case fitsAlso(String)
    /// It is named after a device, which the dump is not.
    case ofDevice(String)
}

/// What lies beside a dump, and may be another one or be called after one; what was exported of one is not, which has a list of
/// its own beside it.
private final class Neighbours {
    let all: [(item: DumpItem, words: [String])]
    private let level: DumpSource.Surroundings
    private var known: [DumpPath: Bool] = [:]

    /// - Parameter names: Those of the dump and of what holds it; one of them, unpacked or not, is the same.
    init(_ level: DumpSource.Surroundings, _ items: [DumpItem], besides names: [String]) {
        self.level = level
        let files = Set(items.map(\.name)), stems = Set(names.map(NameLikeness.stem(of:)))
        all = items.filter { item in
            let name = item.name
            // Another export is none, and neither is an archive's memory of processes, as GrayKey calls it.
            let isFileOfDump = Self.isContainer(item) || !name.lowercased().contains("keychain")
            return isFileOfDump && NameLikeness.words(of: name).last != "mem" && !name.hasPrefix(".")
                && !Archive.isAddition(item.path)
                && !files.contains(".\(name).vestige-export") && !stems.contains(NameLikeness.stem(of: name))
        }.map { ($0, NameLikeness.words(of: $0.name)) }
    }

    private static func isContainer(_ item: DumpItem) -> Bool {
        item.kind == .folder || ArchiveFormat.ending(of: item.name) != nil
    }

    /// Whether one is a dump, as far as a look at it, and not into it, shows.
    func isDump(_ item: DumpItem, beside source: DumpSource) -> Bool {
        guard Self.isContainer(item) else { return false }
        guard item.kind == .folder, !item.name.lowercased().hasSuffix(".xcappdata") else { return true }
        if let known = known[item.path] { return known }
        let folder =
            DumpPath(level.name).flatMap(source.above)?.below(item.path)
            ?? (try? DumpSource(opening: level.path + "/" + item.name))
        let isDump = folder.map(Recognition.isDump) ?? false
        known[item.path] = isDump
        return isDump
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
