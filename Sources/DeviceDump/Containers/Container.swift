import MigrationEngine

/// One app's (or app group's, or extension's) share of a dump: its stores, read when they are first used.
public struct Container: Sendable {
    /// Whose share it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An app's.
        case app
        /// An app extension's.
        case plugin
        /// An app group's.
        case group
    }

    /// The bundle identifier, or the group's; the folder's name where nothing says it.
    public let identifier: String
    /// Whose share it is.
    public let kind: Kind
    /// The folder relative to the dump's root; empty for the root.
    public let path: String
    /// What the dump's metadata says, each fact with the file that says it.
    public let facts: Facts
    /// What was wrong with the metadata.
    ///
    /// ``storeWarnings()`` says what is wrong with the stores.
    public let warnings: [DumpWarning]
    let contents: ContainerContents

    init(
        _ identifier: String, _ kind: Kind, in root: DumpFolder, at path: String, facts: Facts,
        warnings: [DumpWarning] = [], layout: ContainerContents.Layout = .folders
    ) {
        self.identifier = identifier
        self.kind = kind
        self.path = path
        self.facts = facts
        self.warnings = warnings
        contents = ContainerContents(root: root, path: path, ownDomain: identifier, layout: layout)
    }

    /// Every store that cannot be read, every folder that cannot be listed in full, every name that is not UTF-8.
    ///
    /// Indexes every domain and lists every folder, which opening a dump does not; the work is kept for later use.
    public func storeWarnings() -> [DumpWarning] { contents.storeWarnings() }

    /// The file, relative to the dump's root, that holds an entry, whether or not it exists yet.
    ///
    /// That is a domain's property list, or an entry's own file; `nil` for keychain items, for a folder of files as a
    /// whole, and for names that no file of the store can have.
    public func file(of address: Address) -> String? { contents.file(of: address) }
}

extension Container: StoreReader {
    /// The stores that are there: domains, the app's own first, then the folders that hold a file.
    public var stores: [StoreID] { contents.stores }

    /// Why a store cannot be read; `nil` where it can, or is not there.
    public func problem(with store: StoreID) -> Unreadable? { contents.problem(with: store) }

    /// The keys of a store: of a domain in stored order, of a folder the paths of its files, folder by
    /// folder.
    public func keys(in store: StoreID) -> any KeyList { contents.keys(in: store) }

    /// What is known of the entry under a key; of a file, its bytes.
    public func state(of key: String, in store: StoreID) -> EntryState { contents.state(of: key, in: store) }
}
