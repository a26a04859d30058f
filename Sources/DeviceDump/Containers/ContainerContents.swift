import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// The stores of a container, read on first use and kept.
final class ContainerContents: Sendable {
    /// Where the stores are.
    enum Layout: Sendable {
        /// In the folders that every container of iOS has.
        case folders
        /// In one property list file, which is the only domain.
        case singleFile(String)
    }

    /// The largest file that is read as one value, in bytes.
    static let fileLimit = 64 << 20

    let root: DumpFolder
    let path: String
    let ownDomain: String
    let layout: Layout
    private let domains = Mutex<[Name: Result<PropertyListFile?, Unreadable>]>([:])
    private let listings = Mutex<[FileStore: FileListing]>([:])
    private let listedStores = Mutex<[StoreID]?>(nil)

    init(root: DumpFolder, path: String, ownDomain: String, layout: Layout) {
        self.root = root
        self.path = path
        self.ownDomain = ownDomain
        self.layout = layout
    }

    /// The file of a domain, relative to the dump's root.
    func file(ofDomain name: String) -> String? {
        switch layout {
        case .folders: Domain.file(of: name).map { RelativePath.join(path, $0) }
        case .singleFile(let file) where name == ownDomain: file
        case .singleFile: RelativePath(name).flatMap { $0.parts.count == 1 ? name + ".plist" : nil }
        }
    }

    /// The property list of a domain, indexed on first use; `nil` in it where there is no such domain.
    func domain(_ name: String) -> Result<PropertyListFile?, Unreadable> {
        let key = Name(name)
        if let known = domains.withLock({ $0[key] }) { return known }
        let domain = load(domain: name)
        domains.withLock { $0[key] = domain }
        return domain
    }

    private func load(domain name: String) -> Result<PropertyListFile?, Unreadable> {
        guard let file = file(ofDomain: name) else { return .success(nil) }
        do {
            let data = try root.read(file)
            do {
                return .success(try PropertyListFile(data))
            } catch {
                return .failure(Unreadable(error, in: file))
            }
        } catch {
            guard error.problem == .notFound else { return .failure(Unreadable(error, in: root)) }
            return inexactName(file, in: root.items(below: RelativePath.join(path, Domain.folder)))
                .map(Result.failure) ?? .success(nil)
        }
    }

    /// Why a listed file is not found: its name on disk is not UTF-8, so the listed name does not lead to it.
    func inexactName(_ file: String, in listing: @autoclosure () -> DumpListing) -> Unreadable? {
        guard file.unicodeScalars.contains("\u{FFFD}"),
            listing().items.contains(where: { !$0.isNameExact && $0.path == file })
        else { return nil }
        return Unreadable(.unsupported, "the name of \(file) is not UTF-8")
    }

    /// What is below a folder of files, listed on first use, without the folders that are other stores.
    func listing(of store: FileStore) -> FileListing {
        guard case .folders = layout else { return FileListing(DumpListing(), below: "") }
        if let known = listings.withLock({ $0[store] }) { return known }
        let place = place(of: store)
        var listing = root.items(below: place.folder, skipping: place.excluded)
        listing.items.removeAll { !isEntry($0, of: store, in: place.folder) }
        let result = FileListing(listing, below: place.folder)
        listings.withLock { $0[store] = result }
        return result
    }

    /// The stores that are there, found by their names alone.
    var stores: [StoreID] {
        if let known = listedStores.withLock({ $0 }) { return known }
        var stores = domainNames().names.map { StoreID.defaults(Name($0)) }
        if case .folders = layout { stores += FileStore.allCases.filter(isThere).map { StoreID.files(Name($0.rawValue)) } }
        let found = stores
        listedStores.withLock { $0 = found }
        return found
    }

    private func isThere(_ store: FileStore) -> Bool {
        let place = place(of: store)
        return root.contains(below: place.folder, skipping: place.excluded) { isEntry($0, of: store, in: place.folder) }
    }

    private func place(of store: FileStore) -> (folder: String, excluded: Set<String>) {
        (RelativePath.join(path, store.folder), Set(store.excluded.map { RelativePath.join(path, $0) }))
    }

    private func isEntry(_ item: DumpItem, of store: FileStore, in folder: String) -> Bool {
        item.kind != .folder && store.owns(FileListing.key(item, below: folder))
    }

    /// The domains by their file names, the container's own first, and what could not be listed.
    func domainNames() -> (names: [String], warnings: [DumpWarning]) {
        if case .singleFile = layout { return ([ownDomain], []) }
        let library = RelativePath.join(path, "Library")
        let listing = root.items(below: RelativePath.join(path, Domain.folder))
        let names = listing.items.compactMap { item in
            item.kind == .folder ? nil : Domain(file: FileListing.key(item, below: library))?.name
        }
        return (names.filter { $0 == ownDomain } + names.filter { $0 != ownDomain }.sorted(), listing.warnings)
    }
}

extension Unreadable {
    /// The reason that a format error in a file is.
    init(_ error: FormatError, in file: String) {
        let reason = Unreadable(error)
        self.init(reason.cause, "\(file) is \(reason.explanation)")
    }
}
