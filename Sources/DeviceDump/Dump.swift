import Foundation
import MigrationEngine
import StoreFormats
import SystemPackage

/// What came off a device, which is only ever read.
package struct Dump: Sendable {
    /// A form of dumps; each is declared where it is read.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name, as reports have it.
        package let rawValue: String

        /// Makes a form of its name.
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The form.
    package let kind: Kind
    /// The containers, in the order of their identifiers; at least one.
    package private(set) var containers: [Container]
    /// Parts that are missing or not as expected.
    ///
    /// Each container and its stores have warnings of their own.
    package var warnings: [DumpWarning] { foundWarnings + shareWarnings }
    private let foundWarnings: [DumpWarning]
    private var shareWarnings: [DumpWarning] = []
    /// The export that the keychain items of all containers come from, where there is one that is read.
    package let keychain: KeychainFile?
    private let keychainState: KeychainState
    private let hasFurtherApps: Bool
    private let apps: AppIdentifiers
    /// What a person says of the groups of a container, by its folder.
    private var claims: [DumpPath: GroupClaims] = [:]
    private let survey: (@Sendable (OpeningControl) throws(DumpError) -> [DumpWarning])?
    let source: DumpSource
    private let contents: Recognised.Contents
    private let options: OpeningOptions
    /// What was found to be not as it should be on the way to it.
    private let foundOnTheWay: [DumpWarning]
    /// The archive on the disk that holds the dump, as it was then; `nil` where none does.
    private let archive: Stat?
    /// What opens the dump without its password, where it has one: the key that was derived from that.
    package let derivedKey: Data?

    init(
        _ kind: Kind, _ source: DumpSource, _ contents: @escaping Recognised.Contents, _ options: OpeningOptions,
        _ warnings: [DumpWarning], _ control: OpeningControl, key: Data? = nil, again given: KeychainFile? = nil
    ) throws(DumpError) {
        try control.reach(.listing)
        var source = source
        source.bundleIdentifier = options.bundleIdentifier
        let found = try contents(source, control)
        guard !found.containers.isEmpty else { throw DumpError(source.location.path, .noContainers) }
        try control.reach(.readingKeychain)
        let keychain =
            if let given {
                // What holds it may have needed a password that is not kept.
                try KeychainSearch(again: given, options, for: source, control)
            } else if let path = options.keychain {
                try KeychainSearch(given: path, options, for: source, control)
            } else if let own = found.keychain {
                KeychainSearch(own, of: source, on: found.devices, options, control)
            } else {
                KeychainSearch(around: source, on: found.devices, options, control)
            }
        let duplicates = Self.repeated(among: found.containers.filter { !$0.isShared }.map(\.identifier))
        self.kind = kind
        self.source = source
        self.contents = contents
        var options = options
        // What it opens is open, so that nothing keeps it.
        options.secrets = []
        self.options = options
        foundOnTheWay = warnings
        archive = source.archiveOnDisk
        derivedKey = key
        survey = found.survey
        self.keychain = keychain.file
        keychainState = keychain.state
        (hasFurtherApps, apps) = (found.hasFurtherApps, found.apps)
        containers = found.containers.sorted { (Name($0.identifier), $0.path) < (Name($1.identifier), $1.path) }
        foundWarnings =
            warnings + found.warnings + duplicates.map { DumpWarning("", .duplicateIdentifier($0)) }
            + keychain.warnings
        if !options.claims.isEmpty {
            let container = try container(options.claimant)
            if let error = refusal(of: options.claims, for: [container]) { throw error }
            claims[container.path] = options.claims
        }
        share()
    }

    /// That a group is none, as one that is not spelt right, with those that there are; `nil` where each is one.
    ///
    /// An access group is one that items are in, or a container's own.
    package func refusal(of claims: GroupClaims, for containers: [Container]) -> DumpError? {
        let known = accessGroups
        let isOwn = { (group: String) in
            AccessGroup(group).exactNames.contains { name in
                containers.contains { $0.identifier.utf8.elementsEqual(name) }
            }
        }
        // That an item has none makes none of it.
        let groups = Set(known.map { $0.text.isEmpty ? Name(GroupClaims.withoutGroup) : $0 })
        if let group = claims.keychain.first(where: { $0.isEmpty || !groups.contains(Name($0)) && !isOwn($0) }) {
            let others = groups.map(\.text).sorted()
            return DumpError(keychain?.path ?? path, .noSuchGroup(group, available: others))
        }
        // Of several containers of one group one is named by its path, and which group's one is that does not say it by both.
        let shared = self.containers.filter(\.isShared)
        let counts = Dictionary(shared.map { (Name($0.identifier), 1) }, uniquingKeysWith: +)
        let appGroups = shared.compactMap { container in
            counts[Name(container.identifier)] ?? 0 > 1
                ? container.path.text : container.kind == .group ? container.identifier : nil
        }
        let others = Set(shared.lazy.filter { $0.kind == .group }.map { Name($0.identifier) })
            .union(appGroups.map(Name.init)).union(known)
        let places = claims.app.compactMap(GroupClaims.place), told = Dictionary(grouping: places) { $0.path }
        if let group = Self.repeated(among: places.map(\.group)).first {
            return DumpError(path, .groupInSeveralContainers(group))
        }
        if let (place, groups) = told.first(where: { Set($0.value.map { Name($0.group) }).count > 1 }) {
            return DumpError(place, .groupsOfOneContainer(groups.map(\.group)))
        }
        let wrong = claims.app.first { $0.isEmpty || !others.contains(Name($0)) && !isPlace($0, of: containers) }
        guard let group = wrong else { return nil }
        return DumpError(path, .noSuchAppGroup(group, available: appGroups))
    }

    /// Whether a claim says that a group lies where there is a container that may be one's, or the app's own.
    private func isPlace(_ claim: String, of apps: [Container]) -> Bool {
        guard let (group, path) = GroupClaims.place(in: claim) else { return false }
        // Of one that has a container the dump says it.
        let own = containers.filter { $0.isShared && $0.identifier.utf8.elementsEqual(group.utf8) }
        return apps.contains { $0.path == path || own.isEmpty && $0.mayBe(path, of: group) }
            || own.contains { $0.path == path }
    }

    /// Shares the keychain's items among the containers.
    private mutating func share() {
        let owners = keychain.map {
            KeychainOwners(
                of: $0, among: containers, hasFurtherApps: hasFurtherApps, apps: apps, told: claims)
        }
        for position in containers.indices {
            let share = owners.map { owners in LazyShare { owners.share(of: position) } }
            let groups = claims[containers[position].path]?.app ?? []
            containers[position] = containers[position].using(groups).seeing(keychainState, share)
        }
        // Of those of which a person has chosen one nothing is left to choose.
        let told = Set(claims.values.flatMap(\.app).map(Name.init)), shared = containers.filter(\.isShared)
        let chosen = Set(shared.filter { told.contains(Name($0.path.text)) }.map { Name($0.identifier) })
        let groups = Self.repeated(among: shared.map(\.identifier)).filter { !chosen.contains(Name($0)) }
        shareWarnings = groups.map { DumpWarning("", .duplicateGroup($0)) } + (owners?.warnings ?? [])
    }

    /// The names that stand more than once.
    private static func repeated(among names: [String]) -> [String] {
        let counts = Dictionary(names.map { (Name($0), 1) }, uniquingKeysWith: +)
        return counts.filter { $0.value > 1 }.keys.map(\.text).sorted()
    }

    /// What a person says of the groups of a container.
    package func claims(of container: Container) -> GroupClaims { claims[container.path] ?? GroupClaims() }

    /// The same, where a person has said that a container may use further groups, and that container.
    package func claiming(_ others: GroupClaims, for container: Container) -> (Dump, Container) {
        let known = claims(of: container), all = known.adding(others.holding { isPlace($0, of: [container]) })
        guard all != known else { return (self, container) }
        var dump = self
        dump.claims[container.path] = all
        dump.share()
        guard let same = dump.containers.first(where: { $0.path == container.path && $0.kind == container.kind }) else {
            return (dump, container)
        }
        // With other groups it has other stores.
        return (dump, all.app == known.app ? same.reading(container) : same)
    }

    /// The access groups that the keychain's items have.
    package var accessGroups: Set<Name> { Set((keychain?.export.items ?? []).map { Name($0.group) }) }

    /// What is missing or not as expected and only a look at all of the dump shows, as ``warnings`` do not.
    package func surveyWarnings() -> [DumpWarning] {
        guard let survey else { return [] }
        do throws(DumpError) { return try survey(OpeningControl.current) } catch {
            return [DumpWarning(error.path, .init(error))]
        }
    }

    /// The dump as it is now, read anew without asking for anything again.
    ///
    /// - Throws: ``DumpError`` where it is not there any more, or is nothing of its form any more.
    package func reopened() throws(DumpError) -> Dump {
        var dump: Dump
        if let archive, let now = source.archiveOnDisk, !FolderFiles.isUnchanged(archive, now) {
            dump = try openedAnew()
        } else {
            dump = try Dump(
                kind, source.reopened(), contents, options, foundOnTheWay, OpeningControl.current, key: derivedKey,
                again: keychain.flatMap { $0.isGiven ? $0 : nil })
        }
        dump.claims = claims
        dump.share()
        return dump
    }

    /// What is now where the archive was that held the dump: nothing that was known of that need be so.
    private func openedAnew() throws(DumpError) -> Dump {
        var options = options
        options.claims = GroupClaims()
        options.secrets = derivedKey.map { [.key($0)] } ?? []
        do throws(DumpError) {
            if case .opened(let dump) = try Dump.opening(named ?? path, options, control: .current) { return dump }
        } catch {
            if error.problem == .cancelled { throw error }
        }
        // What is wrong with the new one, or its password, is asked when it is opened.
        throw DumpError(location.disk, .overwritten)
    }

    /// What was named, where that is not the dump itself, as an absolute path.
    package var named: String? {
        foundOnTheWay.lazy.compactMap { if case .foundElsewhere(let named, _) = $0.problem { named } else { nil } }
            .first
    }

    /// Where the dump is in what was named, where that is above it; its name, where that is in it.
    package var placeInNamed: String? {
        guard let named else { return nil }
        let start = Array((named + "/").utf8)
        return path.utf8.starts(with: start)
            ? String(decoding: path.utf8.dropFirst(start.count), as: UTF8.self) : location.name
    }

    /// What lies beside it that might have been meant: absolute paths.
    package var passedOver: [String] {
        foundOnTheWay.flatMap { warning -> [String] in
            if case .passedOver(let paths) = warning.problem { paths } else { [] }
        }
    }

    /// The absolute path, without symbolic links, that the dump goes by.
    package var path: String { source.location.path }
    /// Where the dump is.
    package var location: DumpLocation { source.location }
    /// The files.
    package var files: any DumpFiles { source.files }
    /// The file, where all of the dump is that one.
    package var loneFile: DumpPath? { source.loneFile }

    /// Why nothing of the dump can be read: of a single file that is broken there is no rest.
    package var problem: Unreadable? {
        guard loneFile != nil, let container = containers.first else { return nil }
        // Of a database a table may be damaged by itself.
        let whole = container.stores.first { SQLiteTable($0)?.table == nil && $0.kind != .file }
        return whole.flatMap(container.problem)
    }

    /// What tells the content of a file that entries come from, in the dump or elsewhere, from any other.
    ///
    /// - Throws: ``DumpError`` where there is no such file, or it cannot be read.
    package func version(of file: SourceFile) throws(DumpError) -> FileVersion {
        switch file {
        case .inDump(let path): return try files.version(of: path)
        // It may lie beside the dump in an archive.
        case .elsewhere(let path) where keychain?.source == file:
            guard let keychain else { throw DumpError(path, .notFound) }
            return try keychain.version()
        case .elsewhere(let path):
            let (path, files, file) = try DumpSource.file(at: path)
            do throws(DumpError) { return try files.version(of: file) } catch { throw DumpError(path, error.problem) }
        }
    }

    /// The bytes of a file as it is now; those that a store keeps in memory, where the file still has them.
    ///
    /// A large domain that was looked at is not in memory twice for it.
    ///
    /// - Throws: ``DumpError`` where there is no such file, or it cannot be read.
    package func bytes(at path: DumpPath) throws(DumpError) -> Data {
        let known = containers.lazy.compactMap { $0.contents.bytesRead(of: path) }.first
        if let known, try files.digest(of: path) == FileVersion(ofContent: known) { return known }
        return try files.bytes(at: path)
    }

    /// The bytes of a file that belongs to no dump, which may lie in an archive.
    ///
    /// - Throws: ``DumpError`` where there is no such file, or it cannot be read.
    package static func bytes(ofFileAt path: String) throws(DumpError) -> Data {
        let (_, files, file) = try DumpSource.file(at: path)
        return try files.bytes(at: file)
    }

    /// Whether this very dump is still what is at its place.
    ///
    /// - Throws: ``DumpError`` where it was removed or replaced since it was opened.
    package func checkIsThere() throws(DumpError) {
        let isSame: Bool
        do {
            isSame = try files.reopened().version(of: .root) == files.version(of: .root)
        } catch {
            guard error.problem == .notFound else { throw error }
            isSame = false
        }
        guard isSame else { throw DumpError(path, .gone) }
    }

    /// The container of an identifier, or at a path in the dump; without one, the only container or else the only app's, where
    /// several are the only one of which there is a folder.
    ///
    /// - Throws: ``DumpError`` that lists what there is: identifiers, or paths where several containers have the one that
    ///   was named.
    package func container(_ identifier: String?) throws(DumpError) -> Container {
        let apps = containers.filter { $0.kind == .app }
        guard let identifier else {
            if let only = containers.first, containers.count == 1 { return only }
            for apps in [apps, apps.filter(\.hasFolder)] {
                if let only = apps.first, apps.count == 1 { return only }
            }
            throw DumpError(path, .severalApps(names(of: apps.isEmpty ? containers : apps)))
        }
        if let named = containers.first(where: { !$0.path.isRoot && $0.path.bytes.elementsEqual(identifier.utf8) }) {
            return named
        }
        let named = containers.filter { $0.identifier.utf8.elementsEqual(identifier.utf8) }
        let preferred = named.filter { $0.kind == .app }
        if let only = preferred.first ?? named.first, (preferred.isEmpty ? named : preferred).count == 1 { return only }
        guard named.isEmpty else { throw DumpError(path, .severalApps(named.map(\.path.text))) }
        throw DumpError(path, .noSuchApp(identifier, available: names(of: containers)))
    }

    /// What the containers are chosen by that hold an entry or a store, but one of them.
    package func names(ofThoseHolding address: Address, besides own: Container) -> [String] {
        let holding = containers.filter { container in
            guard container.path != own.path else { return false }
            guard address.key != nil else { return container.keys(in: address.store).count(upTo: 1) > 0 }
            switch container.state(at: address.entry) {
            case .absent: return false
            case .present: return true
            // Only what is listed is there: of the others nothing is known.
            case .unreadable:
                return address.key.map { !container.keys(in: address.store).positions(of: $0).isEmpty } ?? false
            }
        }
        return zip(containers, names(of: containers)).filter { container, _ in
            holding.contains { $0.path == container.path }
        }.map(\.1)
    }

    /// What containers are chosen by: their identifiers, and their paths where they share one.
    private func names(of containers: [Container]) -> [String] {
        let counts = Dictionary(containers.map { (Array($0.identifier.utf8), 1) }, uniquingKeysWith: +)
        return containers.map { counts[Array($0.identifier.utf8)] == 1 ? $0.identifier : $0.path.text }
    }
}
