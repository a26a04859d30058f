import MigrationEngine

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
    }

    /// What is known of app groups.
    enum Groups: Sendable {
        /// The dump has these and no others.
        case held([Group])
        /// A dump of this form cannot hold them: why, in a sentence without a full stop.
        case unknown(String)
    }

    /// An app group that a dump holds.
    struct Group: Sendable {
        /// The group's identifier.
        let identifier: String
        /// The folder of its container.
        let path: DumpPath
        /// Whether the container that sees it has it by its own word.
        var isClaimed = false
    }

    /// The folder of a container that UserDefaults domains are in.
    static let preferencesFolder: DumpPath = "Library/Preferences"

    /// The container's own domain.
    let ownDomain: String
    /// The folder that domains are in, a file each.
    let preferences: DumpPath
    /// Domains whose file has its place for another reason than its name.
    private(set) var domains: [(name: String, file: DumpPath)] = []
    /// The folders that are stores, in the order to list them.
    private(set) var folders: [Folder] = []
    /// Why app groups cannot be known, where that is so.
    private(set) var unknownGroups: String?

    /// The places that iOS has for every container.
    init(containerOf identifier: String, at path: DumpPath, groups: Groups) {
        ownDomain = identifier
        preferences = path / Self.preferencesFolder
        let appSupport = path / "Library/Application Support", caches = path / "Library/Caches"
        folders = [
            Folder(store: "AppSupport", path: appSupport), Folder(store: "Documents", path: path / "Documents"),
            Folder(store: "Caches", path: caches), Folder(store: "tmp", path: path / "tmp"),
            Folder(store: "Library", path: path / "Library", excluded: [appSupport, caches, preferences]),
        ]
        switch groups {
        case .unknown(let reason): unknownGroups = reason
        case .held(let groups):
            for group in groups {
                let folder = group.path / Self.preferencesFolder
                guard let file = Self.file(ofDomain: group.identifier, in: folder) else { continue }
                if group.isClaimed { domains.append((group.identifier, file)) } else { further.append((group, file)) }
                folders.append(
                    Folder(
                        store: group.identifier, path: group.path,
                        excluded: [file, group.path / ContainerMetadata.managerFile], isListed: group.isClaimed))
            }
        }
    }

    /// Groups that are there and that nothing says to be the container's.
    private var further: [(group: Group, file: DumpPath)] = []

    /// One property list, which is the only domain.
    init(domain: String, in file: DumpPath) {
        ownDomain = domain
        preferences = .root
        domains = [(domain, file)]
        unknownGroups = "a single property list has no app groups"
    }

    /// The file of a domain; `nil` where the name can be no file's.
    ///
    /// - Parameter isThere: Whether there is something at a path.
    func file(ofDomain name: some Sequence<UInt8>, isThere: (DumpPath) -> Bool) -> DumpPath? {
        let name = Array(name)
        if let place = domains.first(where: { $0.name.utf8.elementsEqual(name) }) { return place.file }
        let file = Self.file(ofDomain: name, in: preferences)
        // The file of another domain is not this one's, whatever it is called.
        if let file, domains.contains(where: { $0.file == file }) { return nil }
        if let place = further.first(where: { $0.group.identifier.utf8.elementsEqual(name) }),
            file.map(isThere) != true
        {
            return place.file
        }
        return file
    }

    /// The folder of a store.
    func folder(_ store: some Sequence<UInt8>) -> Folder? {
        let store = Array(store)
        return folders.first { $0.store.utf8.elementsEqual(store) }
    }

    /// The path of an entry of a folder; `nil` where it can be none of that store.
    func file(_ key: some Sequence<UInt8>, in folder: Folder) -> DumpPath? {
        guard let key = DumpPath(bytes: key), !key.isRoot else { return nil }
        let path = folder.path / key
        return owns(path, folder) ? path : nil
    }

    /// Whether an item in a folder is an entry of it, and not of another store.
    func owns(_ path: DumpPath, _ folder: Folder) -> Bool {
        guard !folder.excluded.contains(path) else { return false }
        if path.folders.contains(where: { $0 != preferences && folder.excluded.contains($0) }) { return false }
        return Self.domain(ofFile: path, in: preferences) == nil
    }

    /// The name of the domain that a file in a folder of domains holds, which may have slashes, as some live in folders of
    /// their own; `nil` where it is no such file.
    static func domain(ofFile path: DumpPath, in folder: DumpPath) -> ArraySlice<UInt8>? {
        guard let below = path.relative(to: folder)?.bytes, below.reversed().starts(with: ".plist".utf8.reversed())
        else { return nil }
        let name = below.dropLast(6)
        return name.isEmpty || name.last == UInt8(ascii: "/") ? nil : name
    }

    private static func file(ofDomain name: String, in folder: DumpPath) -> DumpPath? {
        file(ofDomain: Array(name.utf8), in: folder)
    }

    private static func file(ofDomain name: [UInt8], in folder: DumpPath) -> DumpPath? {
        guard !name.isEmpty, let path = DumpPath(bytes: name + ".plist".utf8), DumpPath(bytes: name) != nil
        else { return nil }
        return folder / path
    }
}

extension ContainerPlaces.Group {
    /// The group as a container sees it: its own where its metadata says so, or where that says nothing, where the group
    /// is named after the app.
    func claimed(by metadata: ContainerMetadata) -> ContainerPlaces.Group {
        var group = self
        if let groups = metadata.groups {
            group.isClaimed = groups.contains { $0.utf8.elementsEqual(identifier.utf8) }
        } else if let app = metadata.identifier, identifier.hasPrefix("group.") {
            let name = String(identifier.dropFirst(6))
            group.isClaimed = name == app || name.hasPrefix(app + ".") || app.hasPrefix(name + ".")
        }
        return group
    }
}
