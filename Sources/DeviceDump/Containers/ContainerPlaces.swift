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
    /// The container's folder.
    let path: DumpPath
    /// The folder that domains are in, a file each.
    let preferences: DumpPath
    /// Domains whose file has its place for another reason than its name.
    private(set) var domains: [(name: String, file: DumpPath)] = []
    /// The folders that are stores, in the order to list them.
    private(set) var folders: [Folder] = []
    /// The folders of the groups and extensions that are the container's own.
    var companions: [DumpPath] {
        claimed.flatMap { $0.map(\.path) } + toldPlaces.values.filter { $0 != path }.sorted()
    }
    /// The file that is a database whatever its name.
    private(set) var database: DumpPath?
    /// What dumps of this form never hold.
    let unheld: Unheld
    /// Whether what steps take for granted is unknown: domains that did not come with the dump, and files where `Documents` did not.
    var assumesNothing = false
    /// The app groups that iOS has noted for the container; `nil` where nothing says which it may use.
    private(set) var appGroups: [String]?
    /// What a person says of the groups that it uses, as ``GroupClaims/app`` has it.
    var toldGroups: [String] = [] {
        didSet { placeCompanions() }
    }
    /// Where a person says that a group, or an extension, lies.
    private var toldPlaces: [[UInt8]: DumpPath] = [:]
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
    /// The folders that every container of an app or an extension has, with something in them, an outer one first: one that is
    /// missing was not copied.
    private var madeFolders: [(path: DumpPath, owner: String)] = []
    private static let madeNames: [DumpPath] = ["Library", DumpPath(StoreID.preferencesFolder) ?? .root]
    /// The folder that every app's container has too, and that may be missing as nothing was in it.
    ///
    /// Archives, and git, leave such ones out; steps take that for granted, which a plan says.
    private(set) var documents: DumpPath?
    /// Whether it is an app group's container, and the dump has none of an app.
    private var isLoneGroup = false
    private static let ownNames = Set(StoreID.containerFolders.map { Array($0.store.utf8) })
    /// What any app may name, unless it is another's; `nil` where the dump is of one container.
    private let shared: SharedContainers?
    private var apps = AppIdentifiers([])

    /// The places that iOS has for every container.
    ///
    /// - Parameters:
    ///   - kind: Whose container it is.
    ///   - shared: The groups that the dump has; `nil` where it is of one container, or for a group where it has no app's.
    ///   - claimed: Those, and the extensions, that are the container's by its own word, or by their names.
    ///   - appGroups: The groups that iOS has noted for the container; `nil` where nothing says which it may use.
    ///   - apps: The apps of the dump.
    init(
        containerOf identifier: String, _ kind: Container.Kind, at path: DumpPath, shared: SharedContainers? = nil,
        claimed: [Group] = [],
        appGroups: [String]? = nil, apps: AppIdentifiers = AppIdentifiers([]), unheld: Unheld
    ) {
        (self.shared, self.appGroups, self.apps, self.unheld) = (shared, appGroups, apps, unheld)
        ownDomain = identifier
        self.path = path
        preferences = path / Self.preferencesFolder
        isLoneGroup = kind == .group && shared == nil
        if !unheld.isListed {
            if kind == .app || kind == .plugin { madeFolders = Self.madeFolders(in: path, of: kind) }
            if kind == .app { documents = path / "Documents" }
            let extensions = claimed.filter { !$0.identifier.hasPrefix("group.") }
            madeFolders += extensions.flatMap { Self.madeFolders(in: $0.path, of: .plugin) }
        }
        // A group has files of its own making only, under its name, as the apps that use it call them.
        let stores =
            kind == .group
            ? [(identifier, path)]
            : StoreID.containerFolders.map { ($0.store, path / (DumpPath($0.path) ?? .root)) }
        let caches = Self.caches(in: path)
        ownFolders = stores.map { store, own in
            // What lies further in is of the store there.
            let inner = (stores.map(\.1) + [preferences]).filter { $0 != own && $0.relative(to: own) != nil }
            var folder = Folder(store: store, path: own, excluded: Set(inner), caches: caches.filter { $0 == own })
            if kind == .group {
                folder.excluded.insert(path / ContainerMetadata.managerFile)
                folder.caches = caches
            }
            return folder
        }
        for group in claimed {
            let name = Array(group.identifier.utf8), place = index.claimed[name] ?? self.claimed.count
            if place == self.claimed.count { self.claimed.append([]) }
            self.claimed[place].append(group)
            index.claimed[name] = place
        }
        placeCompanions()
    }

    private static func madeFolders(in container: DumpPath, of kind: Container.Kind) -> [(
        path: DumpPath, owner: String
    )] {
        madeNames.map { (container / $0, kind == .app ? "app" : "extension") }
    }

    /// Puts the stores of the container's own groups and extensions beside those in it, but of those with several containers of
    /// which nothing says which counts.
    private mutating func placeCompanions() {
        guard !ownFolders.isEmpty else { return }
        (domains, folders) = ([], ownFolders)
        toldPlaces = [:]
        var told: [Group] = []
        for (group, path) in toldGroups.compactMap(GroupClaims.place) {
            if path != self.path { told.append(Group(identifier: group, path: path)) }
            toldPlaces[Array(group.utf8)] = path
        }
        let chosen = claimed.compactMap { groups in
            let told = groups.first.flatMap { toldPlaces[Array($0.identifier.utf8)] }
            return told == nil || told == path ? self.chosen(among: groups) : nil
        }
        // One that nothing but a person says it may use is listed too.
        let further = toldGroups.compactMap { name in
            shared.flatMap {
                self.chosen(among: $0.named(name).filter { index.claimed[Array($0.identifier.utf8)] == nil })
            }
        }
        for group in chosen + further + told {
            guard let folder = folder(of: group, isListed: true), let file = Self.file(of: group) else { continue }
            if folder.excluded.contains(file) { domains.append((group.identifier, file)) }
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

    private func folder(of group: Group, isListed: Bool) -> Folder? {
        guard let file = Self.file(of: group) else { return nil }
        var folder = Folder(
            store: group.identifier, path: group.path, excluded: [group.path / ContainerMetadata.managerFile],
            isListed: isListed, caches: Self.caches(in: group.path))
        // Where the app's own list is the group's, this one is a file.
        if toldPlaces[Array(group.identifier.utf8)] != path { folder.excluded.insert(file) }
        return folder
    }

    // MARK: Groups and extensions

    /// Where what goes by the name of a group, of an extension or of a domain lies.
    private enum Whereabouts {
        /// In the container itself, or nowhere.
        case here
        /// In the container of a group, or of an extension.
        case there(Group)
        /// In another container or in this one, and nothing says where.
        case unknown(String)
    }

    /// Where what goes by a name lies.
    ///
    /// Everything goes by this: what is read and written, what is listed, what is unknown, and which list in the container's own folder
    /// is no domain but a file. A list there that is called after a group is what an app writes that may not use the group, so it is
    /// the group's only where it is known that the app has no other.
    ///
    /// - Parameters:
    ///   - kind: The kind of store. UserDefaults that are called after the app may as well be a suite of its own.
    ///   - hasOwnList: Whether the container has a list of that name; looked for only where it matters, as each entry is asked for.
    private func whereabouts(
        of name: [UInt8], _ kind: StoreID.Kind, hasOwnList: @autoclosure () -> Bool
    ) -> Whereabouts {
        if isLoneGroup, !name.elementsEqual(ownDomain.utf8) {
            return .unknown("this is the container of the app group \(ownDomain), and the dump has none of an app")
        }
        if name.elementsEqual(ownDomain.utf8) || kind != .defaults && Self.ownNames.contains(name) { return .here }
        // Of the group that the app's own list is taken for, only its UserDefaults are there.
        if let told = toldPlaces[name], told != path || kind == .defaults {
            return told == path ? .here : .there(Group(identifier: DumpPath.text(of: name[...]), path: told))
        }
        let own = index.claimed[name].map { claimed[$0] }, all = own ?? shared?[name] ?? []
        lazy var shown = DumpPath.text(of: name[...])
        guard let group = chosen(among: all) else {
            guard all.isEmpty else {
                let paths = all.prefix(5).map(\.path.text).joined(separator: ", ") + (all.count > 5 ? ", …" : "")
                return .unknown(
                    "\(shown) has \(all.count) containers (\(paths)), and nothing says which one counts: --app-group chooses one by "
                        + "its path")
            }
            return lack(of: name, kind).map(Whereabouts.unknown) ?? .here
        }
        if own != nil || isTold(name) { return .there(group) }
        // The list that iOS has noted is whole.
        if appGroups != nil { return .here }
        if let app = otherApp(named: name) {
            return .unknown(
                "\(shown) is called after \(app), and nothing says that \(ownDomain) may use it, as --app-group \(shown) does"
            )
        }
        if let other = apps.doubt(about: name, after: "group." + ownDomain, at: path) {
            return .unknown(
                "\(shown) may be of \(other), and nothing says that \(ownDomain) may use it, as --app-group \(shown) does"
            )
        }
        guard hasOwnList() else { return .there(group) }
        return .unknown("nothing says whether \(ownDomain) may use \(shown), or has a list of that name for itself")
    }

    /// Why the container of a group, or of an extension, that the dump does not list may yet be on the device; `nil` where
    /// it is not.
    private func lack(of name: [UInt8], _ kind: StoreID.Kind) -> String? {
        let isNoted = appGroups?.contains { $0.utf8.elementsEqual(name) }
        let groups = shared?.unknown.groups ?? unheld.groups ?? nameless(.group)
        if isNoted == true { return groups ?? "iOS has noted it for \(ownDomain), and the dump lacks its container" }
        if name.starts(with: "group.".utf8) { return isNoted == nil ? groups : nil }
        guard let unknown = shared?.unknown else {
            // Only what is called after the app may be its extension's.
            return kind != .defaults && name.starts(with: "\(ownDomain).".utf8) ? unheld.extensions : nil
        }
        if let doubt = unknown.domains[name], !isTold(doubt.path) { return doubt.reason }
        if kind == .defaults { return nil }
        return unknown.extensions ?? nameless(.plugin) ?? (isNoted == nil ? groups : nil)
    }

    /// Why a container of the dump may be any group's, or extension's, until a person says whose it is.
    private func nameless(_ kind: Container.Kind) -> String? {
        shared?.unknown.nameless.first { $0.kind == kind && !isTold($0.path) }?.reason
    }

    /// Whether a container does not say whose it is, so that it may be that of a group, or of an extension.
    func mayBe(_ container: DumpPath, of group: String) -> Bool {
        shared?.unknown.nameless.contains {
            $0.path == container && ($0.kind == .group || !group.hasPrefix("group."))
        } ?? false
    }

    /// Whether a person says which group, or extension, a container is of.
    private func isTold(_ container: DumpPath) -> Bool { toldPlaces.values.contains(container) }

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

    /// The app of the dump that the container is called after, where it is not that app's.
    var app: String? { apps.longest(in: ownDomain.utf8).flatMap { $0 == ownDomain ? nil : $0 } }

    /// The app of the dump that a group is called after, where that is neither this one nor one that this one is called after.
    private func otherApp(named group: [UInt8]) -> String? {
        let prefix = Array("group.".utf8)
        guard group.starts(with: prefix), let app = apps.longest(in: group.dropFirst(prefix.count)),
            !"\(ownDomain).".utf8.starts(with: "\(app).".utf8)
        else { return nil }
        return app
    }

    /// Whether the list of a domain in the container's own folder is not that domain, which lies elsewhere, or may.
    func isHidden(_ domain: [UInt8], at file: DumpPath) -> Bool {
        // The only domain of a property list is wherever that is.
        if let place = index.files[domain] { return place != file }
        return if case .here = whereabouts(of: domain, .defaults, hasOwnList: true) { false } else { true }
    }

    // MARK: What is unknown

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
        let name = Array(store.place.utf8)
        let place = whereabouts(of: name, store.kind, hasOwnList: hasOwnList(name, store.kind, isThere: isThere))
        if case .unknown(let reason) = place { return "\(reason), so nothing is known of what \(store.name) holds" }
        if store.kind == .defaults {
            guard assumesNothing, let reason = unheld.domains,
                file(ofDomain: name, isThere: isThere).map(isThere) != true
            else { return nil }
            return "\(reason), so nothing is known of them"
        }
        guard let folder = folder(name) else { return unheld.files.map { "\($0), so nothing is known of them" } }
        guard store.kind == .file, let reason = unknown(folder.path, in: folder), isEmpty(folder.path) else {
            return nil
        }
        return reason
    }

    private func hasOwnList(_ name: [UInt8], _ kind: StoreID.Kind, isThere: (DumpPath) -> Bool) -> Bool {
        kind == .defaults && Self.file(ofDomain: name, in: preferences).map(isThere) == true
    }

    /// Why what is not found at a path in a folder may yet have been there; `nil` where it was not.
    func unknown(_ path: DumpPath, in folder: Folder) -> String? {
        guard let reason = unheld.caches, folder.caches.contains(where: { path.relative(to: $0) != nil }) else {
            return nil
        }
        // The same for each, so that it is one reason.
        return "\(reason), so nothing is known of them"
    }

    /// Why what is not found at a path was not copied: a folder that iOS makes is not there; `nil` where each is.
    func notCopied(_ path: DumpPath, isThere: (DumpPath) -> Bool) -> String? {
        let documents = assumesNothing ? documents.map { [($0, "app")] } ?? [] : []
        return (madeFolders + documents).first { path.relative(to: $0.path) != nil && !isThere($0.path) }.map { made in
            "the dump lacks \(made.path), which every \(made.owner)'s container has, so nothing is known of what was in it; an empty folder "
                + "there says that there was nothing"
        }
    }

    /// The folders in a folder, or that itself, of which a dump has nothing, with why.
    ///
    /// - Parameter isThere: Whether there is something at a path.
    func unknownParts(of folder: Folder, isThere: (DumpPath) -> Bool) -> [(path: DumpPath, reason: String)] {
        let unheld = folder.caches.compactMap { path in unknown(path, in: folder).map { (path, $0) } }
        if let reason = notCopied(folder.path, isThere: isThere) { return unheld + [(folder.path, reason)] }
        return unheld
            + madeFolders.compactMap { path, _ in
                path.relative(to: folder.path) == nil || folder.excluded.contains(path)
                    ? nil : notCopied(path, isThere: isThere).map { (path, $0) }
            }
    }

    /// One property list, which is the only domain.
    init(domain: String, in file: DumpPath) {
        (ownDomain, path) = (domain, .root)
        // Another domain that a step makes goes beside it, also in an archive.
        preferences = file.parent ?? .root
        domains = [(domain, file)]
        (shared, unheld) = (nil, .ofPropertyList)
        makeIndex()
    }

    /// One database, whose tables are the stores.
    init(database file: DumpPath, of identifier: String) {
        (ownDomain, path) = (identifier, .root)
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
        let place = whereabouts(of: name, .defaults, hasOwnList: hasOwnList(name, .defaults, isThere: isThere))
        guard case .there(let group) = place else { return file }
        return Self.file(of: group) ?? file
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
        if let place = index.folders[store] { return folders[place] }
        guard case .there(let group) = whereabouts(of: store, .file, hasOwnList: false) else { return nil }
        return self.folder(of: group, isListed: false)
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

extension StoreID {
    /// What names where a store lies: of a table the store of the files that its database is one of.
    var place: Name { SQLiteTable(self)?.folder ?? name }
}
