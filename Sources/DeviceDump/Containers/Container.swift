import Foundation
import MigrationEngine
import StoreFormats

/// One app's (or app group's, or extension's) share of a dump: its stores, read when they are first used.
package struct Container: Sendable {
    /// Whose share it is.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An app's.
        case app
        /// An app extension's.
        case plugin
        /// An app group's.
        case group
        /// A part of the system's, such as the settings of a device.
        case system
    }

    /// The bundle identifier, or the group's; the folder's name where nothing says it.
    package let identifier: String
    /// Whose share it is.
    package let kind: Kind
    /// The folder in the dump.
    package let path: DumpPath
    /// What the dump's metadata says, each fact with the file that says it.
    package let facts: Facts
    /// Whether apps use it, as they do a group's or an extension's.
    var isShared: Bool { kind == .group || kind == .plugin }
    /// What was wrong with the metadata.
    ///
    /// ``storeWarnings()`` says what is wrong with the stores.
    package let warnings: [DumpWarning]
    /// Whether there is a keychain with it.
    package private(set) var keychain = KeychainState.none
    /// That the dump lists it and holds no file of it, in a sentence without a full stop; `nil` where it holds some.
    package internal(set) var lack: String?
    private(set) var contents: ContainerContents
    private var lazyShare: LazyShare?
    private var share: KeychainShare? { lazyShare?.share }

    init(
        _ identifier: String, _ kind: Kind, at path: DumpPath, of files: any DumpFiles, facts: Facts,
        warnings: [DumpWarning], places: ContainerPlaces
    ) {
        self.identifier = identifier
        self.kind = kind
        self.path = path
        self.facts = facts
        self.warnings = warnings
        contents = ContainerContents(of: files, at: places)
    }

    /// Every store that cannot be read, every folder that cannot be listed in full, every name that is not UTF-8.
    ///
    /// Indexes every domain and lists every folder, which opening a dump does not; the work is kept for later use.
    package func storeWarnings() -> [DumpWarning] {
        // What only reading shows is known to the files once the stores have been looked at.
        let stores = contents.storeWarnings()
        return stores + contents.files.problems(below: path) + (share?.warnings ?? [])
    }

    /// What tells it from other containers, also from the same one of another dump that takes the place of this one: where it is,
    /// and how large its preferences are and how old.
    package func mark(in dump: String) -> Name {
        // A property list by itself lies in no folder of that name.
        let folders = [path / ContainerPlaces.preferencesFolder, path]
        let items = folders.flatMap { (try? contents.files.children(of: $0, limit: 100)) ?? [] }
        let ages = items.map { "\($0.name) \($0.size) \($0.modified.map { "\($0.seconds).\($0.nanoseconds)" } ?? "")" }
        return Name(([dump, path.text, identifier] + ages.sorted()).joined(separator: "\0"))
    }

    /// What is not as it should be with the file that holds an entry, as far as looking at it and reading it shows.
    package func fileWarnings(of address: Address) -> [DumpWarning] {
        guard case .inDump(let file)? = file(of: address) else { return [] }
        let found = contents.files.problems(below: file).filter { $0.path == file.text }
        return address.store.kind == .sqlite ? found + DatabaseFile.warnings(beside: file, in: contents.files) : found
    }

    /// The name of the type of an entry's value; `nil` where there is none, or it cannot be read.
    ///
    /// A file's content is bytes, so it is opened, and not read.
    package func typeName(of key: Name, in store: StoreID) -> String? {
        guard store.kind == .file else { return state(of: key, in: store).value?.typeName }
        return contents.isReadable(key, in: store) ? Value.data(Data()).typeName : nil
    }

    /// The file that holds an entry, whether or not it exists yet.
    ///
    /// That is a domain's property list, an entry's own file, or for keychain items the export; `nil` for a folder of files
    /// as a whole, for names that no file of the store can have, for stores that a dump of this form cannot hold, and for
    /// keychain items without a keychain.
    package func file(of address: Address) -> SourceFile? {
        address.store.kind == .keychain ? share?.file.source : contents.file(of: address).map(SourceFile.inDump)
    }

    /// The store or the entry that a file or a folder of the dump holds, whether or not it is there; `nil` where it is none of this
    /// container's.
    package func address(ofFile file: DumpPath) -> Address? { contents.address(ofFile: file) }

    /// The files that what is known of an entry comes from: beside a SQLite file also its log and its journal, whether or not there
    /// are any.
    package func files(behind address: Address) -> [SourceFile] {
        guard let file = file(of: address) else { return [] }
        guard address.store.kind == .sqlite, case .inDump(let path) = file else { return [file] }
        return [file]
            + [DatabaseFile.log(of: path), DatabaseFile.journal(of: path)].compactMap(\.self).map(SourceFile.inDump)
    }

    /// Whether an entry of another container may be one of this one's, as far as is known before anybody has said which groups
    /// that one has.
    package func mayShare(_ address: Address, with other: Container) -> Bool {
        if address.store.kind == .keychain { return true }
        guard let file = other.contents.file(of: address) else { return contents.file(of: address) != nil }
        return contents.address(like: address, at: file) != nil
    }

    /// What an entry that another container of the dump has is to this one.
    package enum Sharing: Hashable, Sendable {
        /// It is none of its entries.
        case none
        /// It is one of its entries, at this address.
        case same(Address)
        /// It is an item that would be at this address, and nothing says whether the container is in its access group.
        case unknown(Address, group: String)
    }

    /// What an entry that a step of another container of the dump has changed is to this one: one of an app group or of an
    /// extension, whatever each calls it, or a keychain item.
    package func sharing(_ change: Change, with other: Container) -> Sharing {
        if let address = address(of: change.address, in: other) { return .same(address) }
        guard change.address.store.kind == .keychain, let key = change.address.key, let share, let others = other.share,
            others.position(of: key, in: change.address.store) == nil
        else { return .none }
        return share.sharing(change, withGroup: others.group)
    }

    /// What the container calls an entry that another one of the dump has, and that is there; `nil` where it is none of its.
    package func address(of address: Address, in other: Container) -> Address? {
        guard let key = address.key else { return nil }
        if address.store.kind == .keychain {
            return other.share?.position(of: key, in: address.store).flatMap { share?.address(ofItemAt: $0) }
        }
        return other.contents.file(of: address).flatMap { contents.address(like: address, at: $0) }
    }

    /// The folders of the groups and extensions whose stores are listed with its own.
    package var companions: [DumpPath] { contents.places.companions }

    /// The app groups that iOS has noted for it; `nil` where it says nothing of them.
    var appGroups: [String]? { contents.places.appGroups }

    /// Whether a container does not say whose it is, so that it may be that of a group, or of an extension.
    func mayBe(_ path: DumpPath, of group: String) -> Bool { contents.places.mayBe(path, of: group) }

    /// The container with nothing read yet; what is then read goes with it.
    package var afresh: Container {
        var container = self
        container.contents = ContainerContents(of: contents.files, at: contents.places)
        return container
    }

    /// The container with what another look at the same one has read, or reads.
    package func reading(_ other: Container) -> Container {
        var container = self
        container.contents = other.contents
        return container
    }

    /// The container in which UserDefaults, and files in `Documents`, that did not come with the dump are unknown, and not taken to
    /// be absent.
    package var assumingNothing: Container {
        guard contents.places.unheld.domains != nil || contents.missingDocuments != nil else { return self }
        var container = self, places = contents.places
        places.assumesNothing = true
        container.contents = ContainerContents(of: contents.files, at: places)
        return container
    }

    /// The container that uses app groups although they are called after another app, as a person says.
    func using(_ groups: [String]) -> Container {
        guard groups != contents.places.toldGroups else { return self }
        var container = self, places = contents.places
        places.toldGroups = groups
        container.contents = ContainerContents(of: contents.files, at: places)
        return container
    }

    /// What steps take for granted of what did not come with the dump, in a sentence; `nil` where that is nothing.
    ///
    /// - Parameter stores: Those that the steps look into.
    package func assumption(reading stores: some Sequence<StoreID>) -> String? {
        var reason = contents.places.unheld.domains ?? assumption(ofWhatIsElsewhere: stores)
        if reason == nil, let folder = contents.missingDocuments,
            stores.contains(where: { ($0.kind == .file ? $0.name : SQLiteTable($0)?.folder) == "Documents" })
        {
            reason = "the dump lacks \(folder)"
        }
        return reason.map { reason in
            "\(reason.prefix(1).uppercased())\(reason.dropFirst()): what steps look for there is taken to be absent, and may be "
                + "there on the device."
        }
    }

    /// That steps look in the container of a group, or of an extension, for what an app keeps in its own.
    private func assumption(ofWhatIsElsewhere stores: some Sequence<StoreID>) -> String? {
        let names = stores.lazy.filter { $0.kind != .keychain }.map(\.place)
        switch kind {
        case .group where names.contains { $0 != Name(identifier) }:
            return "this is the container of the app group \(identifier), and an app keeps the rest in its own"
        case .plugin:
            guard let app = contents.places.app, names.contains(Name(app)) else { return nil }
            return "this is the container of the extension \(identifier), and \(app) has its own"
        default: return nil
        }
    }

    /// Whether the dump has its folder; of an app that a backup only lists it has none.
    package var hasFolder: Bool { path.isRoot || contents.files.hasFolder(path) }

    /// How many files there are in its folder and those of its companions, and how many bytes they have.
    ///
    /// `isWhole` is false where not all of it can be listed.
    package func measure() -> (files: Int, bytes: Int, isWhole: Bool) {
        var measure = (files: 0, bytes: 0, isWhole: true)
        for folder in [path] + companions {
            let listing = contents.files.items(below: folder)
            // What the system notes of a container is not the app's.
            let noted = folder / ContainerMetadata.managerFile
            for item in listing.items where item.kind == .file && item.path != noted {
                measure.files += 1
                measure.bytes += item.size
            }
            measure.isWhole = measure.isWhole && listing.warnings.allSatisfy { $0.problem == .nameNotUTF8 }
        }
        return measure
    }

    /// The export that its keychain items come from.
    package var keychainFile: KeychainFile? { share?.file }

    /// The container with a keychain.
    func seeing(_ state: KeychainState, _ share: LazyShare?) -> Container {
        var container = self
        container.keychain = state
        container.lazyShare = share
        return container
    }

    /// What becomes of the keychain's export where an entry becomes a value, or is removed with `nil`; `nil` where there
    /// is no keychain, or the value is no item.
    ///
    /// A new item is of the class and the service that the store's name says, and in the access group of the container
    /// unless it names another.
    package func keychainEdit(of key: Name, in store: StoreID, to value: Value?) -> KeychainExport.Edit? {
        guard let share else { return nil }
        var item: KeychainItem?
        if let value {
            guard let read = KeychainItem(value) else { return nil }
            item = read
        }
        if let position = share.position(of: key, in: store) { return .init(.item(position), to: item) }
        if let group = share.group, item?.attributes["agrp"] == nil { item?.attributes["agrp"] = .string(group) }
        let group = item?.attributes["agrp"]?.string ?? share.group ?? ""
        // An item that is nobody's cannot come to be by a step.
        guard !store.name.hasPrefix(KeychainShare.unassigned) else { return nil }
        let (kind, service) = KeychainExport.Item.parts(ofStore: store.name)
        return .init(.new(kind: kind, service: service, account: key, group: Name(group)), to: item)
    }
}

extension Container: KeychainNaming {
    /// The stores that are there: domains, the app's own first, then keychain services, then the folders that hold a file.
    package var stores: [StoreID] {
        let found = contents.stores, services = share?.stores ?? []
        guard !services.isEmpty else { return found }
        let domains = found.prefix { $0.kind == .defaults }
        return domains + services + found.dropFirst(domains.count)
    }

    /// Why a store cannot be read; `nil` where it can, or is not there.
    ///
    /// Without a keychain no keychain store can be read: that is not the same as an empty one. Nor can one that has no item
    /// where there are items whose names cannot be read.
    package func problem(with store: StoreID) -> Unreadable? {
        store.kind == .keychain ? keychain.problem ?? share?.problem(with: store) : contents.problem(with: store)
    }

    /// The keys of a store: of a domain in stored order, of a keychain service its accounts, of a folder the paths of its
    /// files, folder by folder.
    package func keys(in store: StoreID) -> any KeyList {
        guard store.kind == .keychain else { return contents.keys(in: store) }
        return share?.keys(in: store) ?? Keys()
    }

    /// What a table or a row of a database is to the program that made it.
    public func annotation(of address: Address) -> String? { contents.annotation(of: address) }

    /// That what lies beside a database is damaged.
    public func doubt(about store: StoreID) -> String? { contents.doubt(about: store) }

    /// What the form of the keychain's export has no way to say of an item, or that no file of the dump can be the entry.
    public func loss(of value: Value, at entry: Address) -> String? {
        switch entry.store.kind {
        case .keychain: return KeychainItem(value).flatMap { keychainFile?.export.loss(of: $0) }
        case .file, .defaults:
            guard case .inDump(let path)? = file(of: entry) else {
                return
                    "no file of this form of dump can be \(entry.store.kind == .file ? entry : Address(store: entry.store))"
            }
            // An archive may hold one, which then is what it is.
            guard let part = path.parts.first(where: { $0.count > DumpPath.partLimit }),
                !contents.files.isThere(path)
            else { return nil }
            return "\(path.text) has a name of \(part.count) bytes, and file systems allow \(DumpPath.partLimit)"
        case .sqlite: return nil
        }
    }

    /// That a row of a database is shown without some of what is computed for it, and why, in a phrase; `nil` where nothing is
    /// lacking.
    ///
    /// - Parameter isAlone: Whether that is not said of it which is said of all rows of its table.
    package func omissions(of address: Address, isAlone: Bool = false) -> String? {
        contents.omissions(of: address, isAlone: isAlone)
    }

    /// Why a row of a database is shown without a column.
    package func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        contents.unread(part, of: key, in: store)
    }

    /// Which keychain item an entry is: what the export says of it, and not its key, which others may have had first.
    package func identity(of key: Name, in store: StoreID) -> KeychainIdentity? {
        guard store.kind == .keychain else { return nil }
        if let item = share?.item(of: key, in: store) {
            return KeychainIdentity(
                itemClass: Name(item.kind.rawValue), service: Name(item.service), account: Name(item.account),
                group: Name(item.group))
        }
        let (kind, service) = KeychainExport.Item.parts(ofStore: store.name)
        return KeychainIdentity(
            itemClass: Name(kind.rawValue), service: service, account: key, group: share?.group.map { Name($0) })
    }

    /// What is known of the entry under a key; of a file, its bytes.
    package func state(of key: Name, in store: StoreID) -> EntryState {
        guard store.kind == .keychain else { return contents.state(of: key, in: store) }
        if let problem = keychain.problem { return .unreadable(problem) }
        return share?.state(of: key, in: store) ?? .absent
    }
}
