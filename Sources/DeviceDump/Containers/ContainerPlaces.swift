import MigrationEngine
import StoreFormats

/// Where the stores of a container are in a dump.
struct ContainerPlaces: Sendable {
    /// A folder whose files are the entries of a store.
    struct Folder: Sendable {
        /// The store's name.
        let store: String
        /// The folder.
        let path: DumpPath
        /// What in it belongs to other stores, or to none.
        var excluded: Set<DumpPath> = []
        /// Whether the store is the container's own, and listed with it.
        var isListed = true
        /// What in it is for caches and temporary files, or all of it.
        var caches: [DumpPath] = []
    }

    /// The container of an app group, or of an extension, that a dump holds.
    struct Group: Sendable {
        /// The group's identifier.
        let identifier: String
        /// The folder of its container.
        let path: DumpPath
    }

    /// The folder of a container that UserDefaults domains are in.
    static let preferencesFolder = DumpPath(StoreID.preferencesFolder) ?? .root

    /// The container's own domain.
    let ownDomain: String
    /// The folder that domains are in, a file each.
    let preferences: DumpPath
    /// Domains whose file has its place for another reason than its name.
    private(set) var domains: [(name: String, file: DumpPath)] = []
    /// The folders that are stores, in the order to list them.
    private(set) var folders: [Folder] = []
    /// The folders of the groups and extensions that are the container's own.
    private(set) var companions: [DumpPath] = []
    /// The file that is a database whatever its name.
    private(set) var database: DumpPath?
    /// What dumps of this form never hold.
    let unheld: Unheld
    /// Whether domains that did not come with the dump are unknown to steps too.
    var assumesNothing = false
    /// The app groups that iOS has noted for the container; `nil` where nothing says which it may use.
    private(set) var appGroups: [String]?
    /// Those that a person says it uses; one of several containers of one group by the path of that.
    var toldGroups: [String] = [] {
        didSet { placeCompanions() }
    }
    /// The groups and extensions that are the container's own, those of one identifier together.
    private var claimed: [[Group]] = []
    /// Where each of these is, and what has a name or a file: an app may have groups by the thousand.
    private var index = Index()

    private struct Index: Sendable {
        var claimed: [[UInt8]: Int] = [:]
        var files: [[UInt8]: DumpPath] = [:]
        var names: [DumpPath: String] = [:]
        var folders: [[UInt8]: Int] = [:]
    }
    /// The folders that are in the container itself.
    private var ownFolders: [Folder] = []
    /// What any app may name, unless it is another's; `nil` where the dump is of one container.
    private let shared: SharedContainers?
    private var apps = AppIdentifiers([])

    /// The places that iOS has for every container.
    ///
    /// - Parameters:
    ///   - shared: The groups that the dump has; `nil` where it is of one container.
    ///   - claimed: Those, and the extensions, that are the container's by its own word, or by their names.
    ///   - appGroups: The groups that iOS has noted for the container; `nil` where nothing says which it may use.
    ///   - apps: The apps of the dump.
    init(
        containerOf identifier: String, at path: DumpPath, shared: SharedContainers? = nil, claimed: [Group] = [],
        appGroups: [String]? = nil, apps: AppIdentifiers = AppIdentifiers([]), unheld: Unheld
    ) {
        (self.shared, self.appGroups, self.apps, self.unheld) = (shared, appGroups, apps, unheld)
        ownDomain = identifier
        preferences = path / Self.preferencesFolder
        let stores = StoreID.containerFolders.map { ($0.store, path / (DumpPath($0.path) ?? .root)) }
        let caches = Self.caches(in: path)
        ownFolders = stores.map { store, own in
            // What lies further in is of the store there.
            let inner = (stores.map(\.1) + [preferences]).filter { $0 != own && $0.relative(to: own) != nil }
            return Folder(store: store, path: own, excluded: Set(inner), caches: caches.filter { $0 == own })
        }
        companions = claimed.map(\.path)
        for group in claimed {
            let name = Array(group.identifier.utf8), place = index.claimed[name] ?? self.claimed.count
            if place == self.claimed.count { self.claimed.append([]) }
            self.claimed[place].append(group)
            index.claimed[name] = place
        }
        placeCompanions()
    }

    /// Puts the stores of the container's own groups and extensions beside those in it, but of those with several containers of
    /// which nothing says which counts.
    private mutating func placeCompanions() {
        guard !ownFolders.isEmpty else { return }
        (domains, folders) = ([], ownFolders)
        for groups in claimed {
            guard let group = chosen(among: groups) else { continue }
            guard let folder = Self.folder(of: group, isListed: true), let file = Self.file(of: group) else { continue }
            domains.append((group.identifier, file))
            folders.append(folder)
        }
        makeIndex()
    }

    private mutating func makeIndex() {
        // Of those of one name, or of one file, the first counts.
        index.files = Dictionary(domains.map { (Array($0.name.utf8), $0.file) }) { first, _ in first }
        index.names = Dictionary(domains.map { ($0.file, $0.name) }) { first, _ in first }
        index.folders = Dictionary(folders.enumerated().map { (Array($1.store.utf8), $0) }) { first, _ in first }
    }

    /// The folders of a container for what need not last.
    private static func caches(in container: DumpPath) -> [DumpPath] {
        [container / "Library/Caches", container / "tmp"]
    }

    private static func file(of group: Group) -> DumpPath? {
        file(ofDomain: Array(group.identifier.utf8), in: group.path / preferencesFolder)
    }

    private static func folder(of group: Group, isListed: Bool) -> Folder? {
        file(of: group).map { file in
            Folder(
                store: group.identifier, path: group.path,
                excluded: [file, group.path / ContainerMetadata.managerFile], isListed: isListed,
                caches: caches(in: group.path))
        }
    }

    /// Why nothing can be known of a store, as no dump of this form has such ones, or what lists them is damaged; `nil`
    /// where it can.
    ///
    /// - Parameters:
    ///   - isThere: Whether there is something at a path.
    ///   - isEmpty: Whether there is nothing in a folder; a backup may list one without what was in it.
    func unknown(
        _ store: StoreID, isThere: (DumpPath) -> Bool, isEmpty: (DumpPath) -> Bool
    ) -> String? {
        if store.kind == .keychain { return nil }
        let name = store.kind == .sqlite ? SQLiteTable(store)?.folder ?? store.name : store.name
        if let reason = unknownGroup(name, store.kind) {
            // Where an app has no right to the group, the suite is a file of its own.
            if store.kind == .defaults, !mayLieElsewhere(Array(name.utf8)),
                let file = file(ofDomain: name.utf8, isThere: isThere), isThere(file)
            {
                return nil
            }
            return "\(reason), so nothing is known of what \(store.name) holds"
        }
        if store.kind == .defaults {
            guard assumesNothing, let reason = unheld.domains,
                file(ofDomain: name.utf8, isThere: isThere).map(isThere) != true
            else { return nil }
            return "\(reason), so nothing is known of them"
        }
        guard let folder = folder(name.utf8) else { return unheld.files.map { "\($0), so nothing is known of them" } }
        guard store.kind == .file, let reason = unknown(folder.path, in: folder), isEmpty(folder.path) else {
            return nil
        }
        return reason
    }

    /// The container of a group that is none of the container's own, where it may name it.
    ///
    /// Not where iOS has noted others for it, and not where it is called after another app, unless a person says so. An extension's container is
    /// nobody's but its app's.
    private func group(_ name: [UInt8]) -> Group? {
        guard let group = chosen(among: shared?[name] ?? []),
            isTold(name) || appGroups == nil && otherApp(named: name) == nil
        else { return nil }
        return group
    }

    /// Whether a person says that the container uses a group, or one of its containers.
    private func isTold(_ group: [UInt8]) -> Bool {
        toldGroups.contains { told in
            told.utf8.elementsEqual(group)
                || (shared?[group] ?? []).contains { $0.path.bytes.elementsEqual(told.utf8) }
        }
    }

    /// The container among several of one group or extension: the only one, or that whose path a person has said.
    private func chosen(among groups: [Group]) -> Group? {
        guard groups.count > 1 else { return groups.first }
        return groups.first { group in toldGroups.contains { $0.utf8.elementsEqual(group.path.bytes) } }
    }

    /// The app of the dump that a group is called after, where that is neither this one nor one that this one is called after.
    private func otherApp(named group: [UInt8]) -> String? {
        let prefix = Array("group.".utf8)
        guard group.starts(with: prefix), let app = apps.longest(in: group.dropFirst(prefix.count)),
            !"\(ownDomain).".utf8.starts(with: "\(app).".utf8)
        else { return nil }
        return app
    }

    /// Why nothing can be known of a store that may be that of a group, or of an extension.
    private func unknownGroup(_ name: Name, _ kind: StoreID.Kind) -> String? {
        let all = index.claimed[Array(name.utf8)].map { claimed[$0] } ?? shared?[name.utf8] ?? []
        if all.count > 1, chosen(among: all) == nil {
            let shown = all.prefix(5).map(\.path.text).joined(separator: ", ") + (all.count > 5 ? ", …" : "")
            return "\(name) has \(all.count) containers (\(shown)), and nothing says which one counts: "
                + "--app-group chooses one by its path"
        }
        if appGroups == nil, !all.isEmpty, !isOwn(name), !isTold(Array(name.utf8)),
            let app = otherApp(named: Array(name.utf8))
        {
            return "\(name) is called after \(app), and nothing says that \(ownDomain) may use it"
        }
        guard !name.utf8.elementsEqual(ownDomain.utf8), !isOwn(name), group(Array(name.utf8)) == nil else { return nil }
        if name.hasPrefix("group.") { return shared?.unknown.groups ?? unheld.groups }
        guard let reasons = shared?.unknown, let reason = reasons.extensions ?? reasons.groups ?? unheld.groups else {
            return nil
        }
        switch kind {
        // What is called after the app may as well be a suite of its own.
        case .defaults: return reasons.domains.contains(Array(name.utf8)) ? reason : nil
        default: return kind == .file && folder(name.utf8) == nil ? reason : nil
        }
    }

    /// Whether a domain may lie in another container: in one of several of its name, or in one that does not say whose it is.
    ///
    /// The list of that name in the container's own folder is then not known to be it.
    private func mayLieElsewhere(_ name: [UInt8]) -> Bool {
        guard !name.elementsEqual(ownDomain.utf8) else { return false }
        if let place = index.claimed[name] { return chosen(among: claimed[place]) == nil }
        // The list that iOS has noted is whole.
        guard let shared, appGroups == nil else { return false }
        let all = shared[name]
        guard all.isEmpty else { return chosen(among: all) == nil }
        return shared.unknown.domains.contains(name)
            || shared.unknown.hasNamelessGroups && name.starts(with: "group.".utf8)
    }

    /// Whether a store is that of a group, or of an extension, that is the container's own.
    private func isOwn(_ name: Name) -> Bool {
        index.files[Array(name.utf8)] != nil
    }

    /// Why what is not found at a path in a folder may yet have been there; `nil` where it was not.
    func unknown(_ path: DumpPath, in folder: Folder) -> String? {
        guard let reason = unheld.caches, folder.caches.contains(where: { path.relative(to: $0) != nil }) else {
            return nil
        }
        // The same for each, so that it is one reason.
        return "\(reason), so nothing is known of them"
    }

    /// The folders in a folder, or that itself, of which dumps of this form have nothing, with why.
    func unknownParts(of folder: Folder) -> [(path: DumpPath, reason: String)] {
        folder.caches.compactMap { path in unknown(path, in: folder).map { (path, $0) } }
    }

    /// One property list, which is the only domain.
    init(domain: String, in file: DumpPath) {
        ownDomain = domain
        // Another domain that a step makes goes beside it, also in an archive.
        preferences = file.parent ?? .root
        domains = [(domain, file)]
        (shared, unheld) = (nil, .ofPropertyList)
        makeIndex()
    }

    /// One database, whose tables are the stores.
    init(database file: DumpPath, of identifier: String) {
        ownDomain = identifier
        preferences = Self.preferencesFolder
        folders = [Folder(store: StoreID.databaseFolder, path: .root)]
        database = file
        (shared, unheld) = (nil, .ofDatabase)
        makeIndex()
    }

    /// The file of a domain; `nil` where the name can be no file's.
    ///
    /// - Parameter isThere: Whether there is something at a path.
    func file(ofDomain name: some Sequence<UInt8>, isThere: (DumpPath) -> Bool) -> DumpPath? {
        let name = Array(name)
        if let file = index.files[name] { return file }
        let file = Self.file(ofDomain: name, in: preferences)
        // The file of another domain is not this one's, whatever it is called.
        if let file, index.names[file] != nil { return nil }
        if let group = group(name), file.map(isThere) != true { return Self.file(of: group) ?? file }
        return file
    }

    /// What an entry of another container is called, by the file that holds it; `nil` where no store of these has it.
    func address(like other: Address, at file: DumpPath) -> Address? {
        switch other.store.kind {
        case .defaults:
            let name =
                index.names[file]
                ?? Self.domain(ofFile: file, in: preferences).map(DumpPath.text)
            return name.map { Address(store: .defaults(Name($0)), key: other.key) }
        case .file:
            for folder in folders where owns(file, folder) {
                guard let key = file.relative(to: folder.path), !key.isRoot else { continue }
                return Address(store: .files(Name(folder.store)), key: Name(key.text))
            }
            return nil
        case .keychain, .sqlite: return nil
        }
    }

    /// The folder of a store.
    func folder(_ store: some Sequence<UInt8>) -> Folder? {
        let store = Array(store)
        return index.folders[store].map { folders[$0] }
            ?? group(store).flatMap { Self.folder(of: $0, isListed: false) }
    }

    /// The path of an entry of a folder; `nil` where it can be none of that store.
    func file(_ key: some Sequence<UInt8>, in folder: Folder) -> DumpPath? {
        guard let key = DumpPath(bytes: key), !key.isRoot else { return nil }
        let path = folder.path / key
        return owns(path, folder) ? path : nil
    }

    /// Whether an item in a folder is an entry of it, and not of another store.
    func owns(_ path: DumpPath, _ folder: Folder) -> Bool {
        if folder.excluded.contains(path) { return false }
        if !folder.excluded.isEmpty, path.folders.contains(where: { $0 != preferences && folder.excluded.contains($0) })
        {
            return false
        }
        return Self.domain(ofFile: path, in: preferences).map { isHidden(Array($0), at: path) } ?? true
    }

    /// Whether the list of a domain in the container's own folder is not that domain, which lies elsewhere: in the container of
    /// the group or the extension that it is called after, or may lie there.
    func isHidden(_ domain: [UInt8], at file: DumpPath) -> Bool {
        index.files[domain].map { $0 != file } ?? mayLieElsewhere(domain)
    }

    /// The name of the domain that a file in a folder of domains holds, which may have slashes, as some live in folders of
    /// their own; `nil` where it is no such file.
    static func domain(ofFile path: DumpPath, in folder: DumpPath) -> ArraySlice<UInt8>? {
        guard let below = path.relative(to: folder)?.bytes, below.reversed().starts(with: ".plist".utf8.reversed())
        else { return nil }
        let name = below.dropLast(6)
        return name.isEmpty || name.last == UInt8(ascii: "/") ? nil : name
    }

    private static func file(ofDomain name: [UInt8], in folder: DumpPath) -> DumpPath? {
        guard !name.isEmpty, let path = DumpPath(bytes: name + ".plist".utf8), DumpPath(bytes: name) != nil
        else { return nil }
        return folder / path
    }
}

/// The containers of a dump that go with apps: those of app groups, or of extensions.
///
/// There is one list for all apps, which each searches by name: a device has them by the thousand.
struct SharedContainers: Sendable {
    typealias Group = ContainerPlaces.Group
    /// In the order of their identifiers.
    private let groups: [Group]
    /// Why there may be other groups, and other extensions.
    let unknown: Unknown

    /// Why a dump may hold containers that are not listed under what they are of.
    struct Unknown: Sendable {
        var groups: String?
        var extensions: String?
        /// Whether a container of a group does not say whose it is.
        var hasNamelessGroups = false
        /// The domains in containers of extensions that do not say whose they are.
        var domains: Set<[UInt8]> = []
    }

    static let none = SharedContainers([])

    /// Makes the list.
    init(_ groups: [Group], unknown: Unknown = Unknown()) {
        let ordered = groups.enumerated().sorted { left, right in
            let (one, other) = (left.element.identifier.utf8, right.element.identifier.utf8)
            return one.elementsEqual(other) ? left.offset < right.offset : one.lexicographicallyPrecedes(other)
        }
        self.groups = ordered.map(\.element)
        self.unknown = unknown
    }

    /// The containers of an identifier: one, but in a dump that is none as a device makes it.
    subscript(identifier: some Sequence<UInt8>) -> [Group] {
        let identifier = Array(identifier)
        return Array(groups[place(of: identifier)...].prefix { $0.identifier.utf8.elementsEqual(identifier) })
    }

    /// Those whose identifiers begin with that of an app, behind a prefix, and with no longer one of another app.
    func named(after app: String, _ prefix: String = "", among apps: AppIdentifiers) -> [Group] {
        let start = Array("\(prefix)\(app).".utf8)
        return groups[place(of: start)...].prefix { $0.identifier.utf8.starts(with: start) }.filter { group in
            !apps.haveLonger(than: app, in: group.identifier.utf8.dropFirst(prefix.utf8.count))
        }
    }

    /// Those that a container has: as its metadata says, or where that says nothing, those named after the app.
    func claimed(by metadata: ContainerMetadata, among apps: AppIdentifiers) -> [Group] {
        if let names = metadata.groups {
            let names = Set(names.map { Array($0.utf8) })
            return groups.filter { names.contains(Array($0.identifier.utf8)) }
        }
        return metadata.identifier.map { named(ofApp: $0, among: apps) } ?? []
    }

    /// Those that are called as the groups of an app are.
    func named(ofApp app: String, among apps: AppIdentifiers) -> [Group] {
        let below = named(after: app, "group.", among: apps)
        // An app's group may have the name of what comes before its last dots, as its maker's other apps.
        let above = app.utf8.indices.filter { app.utf8[$0] == UInt8(ascii: ".") }.map { String(app[..<$0]) } + [app]
        return above.flatMap { self["group.\($0)".utf8] } + below
    }

    /// The first place whose identifier does not come before another.
    private func place(of identifier: [UInt8]) -> Int {
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].identifier.utf8.lexicographicallyPrecedes(identifier) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

/// The identifiers of the apps of a dump, by which it is told whose a group or an extension is.
struct AppIdentifiers: Sendable {
    private let all: Set<[UInt8]>

    init(_ identifiers: some Sequence<String>) { all = Set(identifiers.map { Array($0.utf8) }) }

    /// The longest one that an identifier begins with, up to a dot or its end.
    func longest(in identifier: some Sequence<UInt8>) -> String? {
        var part = Array(identifier)[...]
        while !all.contains(Array(part)) {
            guard let dot = part.lastIndex(of: UInt8(ascii: ".")) else { return nil }
            part = part[..<dot]
        }
        return String(decoding: part, as: UTF8.self)
    }

    /// Whether an identifier begins with that of another app, up to a dot or its end, which is longer than this app's.
    func haveLonger(than app: String, in identifier: some Sequence<UInt8>) -> Bool {
        var part = Array(identifier)[...]
        while part.count > app.utf8.count {
            if all.contains(Array(part)) { return true }
            guard let dot = part.lastIndex(of: UInt8(ascii: ".")) else { return false }
            part = part[..<dot]
        }
        return false
    }
}
