import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// The stores of a container but its keychain, read on first use and kept.
final class ContainerContents: Sendable {
    /// The largest file that is read as one value, in bytes.
    static let fileLimit = 64 << 20
    /// How many keys of a domain that stand more than once are named.
    private static let repeatedLimit = 20

    let files: any DumpFiles
    let places: ContainerPlaces
    private let domains = Mutex<[Name: Result<PropertyListFile?, Unreadable>]>([:])
    /// The bytes of the domains that have been read.
    private let read = Mutex<[DumpPath: Data]>([:])
    private let listings = Mutex<[DumpPath: FileListing]>([:])
    /// The order of the keys of domains, where patterns are looked for.
    private let beginnings = Mutex<[StoreID: KeyBeginnings]>([:])
    /// What keys of domains are that stand more than once: a list that names one a thousand times asks as often.
    private let repeated = Mutex<[Address: EntryState]>([:])
    /// The entries of domains that were read last, of those that hold much: many steps may each read a part of one.
    private let recent = Mutex(RecentEntries<EntryState>())
    /// From how many bytes on an entry holds much.
    private static let much = 512
    private let listedStores = Mutex<[StoreID]?>(nil)
    private let databases: ContainerDatabases

    init(of files: any DumpFiles, at places: ContainerPlaces) {
        self.files = files
        self.places = places
        databases = ContainerDatabases(of: files, isAlone: places.database != nil)
    }

    // MARK: Which stores there are

    /// The stores that are there: domains and folders by their names alone, then the tables of databases.
    var stores: [StoreID] {
        if let known = listedStores.withLock({ $0 }) { return known }
        var folders: [StoreID] = [], databases: [(path: DumpPath, folder: Name, key: Name)] = []
        for folder in places.folders where folder.isListed {
            let (isThere, paths) = look(into: folder)
            if isThere { folders.append(.files(Name(folder.store))) }
            databases += paths.map { path in
                (path, Name(folder.store), Name((path.relative(to: folder.path) ?? path).text))
            }
        }
        let found =
            domainNames().names.map { StoreID.defaults(Name($0)) } + folders + self.databases.stores(of: databases)
        // What was stopped may lack tables.
        if !OpeningControl.current.isStopped() { listedStores.withLock { $0 = found } }
        return found
    }

    /// Whether a folder holds an entry, or that cannot be known, and the databases among its entries.
    private func look(into folder: ContainerPlaces.Folder) -> (isThere: Bool, databases: [DumpPath]) {
        let listing = listing(of: folder).listing
        let isUnknown = listing.warnings.contains { $0.problem != .nameNotUTF8 }
        let databases = listing.items.filter { ContainerDatabases.isNamed($0) || $0.path == places.database }
        return (isUnknown || !listing.items.isEmpty, databases.map(\.path))
    }

    /// The folders that are not looked into; that of the preferences is, for what is not a domain.
    private func skipped(in folder: ContainerPlaces.Folder) -> Set<DumpPath> {
        folder.excluded.subtracting([places.preferences])
    }

    /// The domains by their file names, the container's own first, and what could not be listed.
    private func domainNames() -> (names: [String], warnings: [DumpWarning]) {
        let listing = items(below: places.preferences)
        let elsewhere = Set(places.domains.map(\.file))
        let listed = listing.items.compactMap { (item) -> String? in
            // A folder in place of a list is not a list that is absent.
            guard !elsewhere.contains(item.path),
                let name = ContainerPlaces.domain(ofFile: item.path, in: places.preferences),
                !places.isHidden(Array(name), at: item.path)
            else { return nil }
            return DumpPath.text(of: name)
        }
        let further = places.domains.filter { place in files.isThere(place.file) }.map(\.name)
        let own = places.ownDomain.utf8, names = listed + further
        return (
            names.filter { $0.utf8.elementsEqual(own) }
                + names.filter { !$0.utf8.elementsEqual(own) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            listing.warnings
        )
    }

    /// What cannot be known of a store at all, because a dump of this form holds no such stores.
    private func unknown(_ store: StoreID) -> Unreadable? {
        places.unknown(store, isThere: files.isThere) { folder in
            (try? files.children(of: folder, limit: 1))?.isEmpty ?? !files.isThere(folder)
        }.map { Unreadable(.missing, $0) }
    }

    /// Why a file that is not found in a folder of files may yet have been on the device.
    private func unknown(_ file: DumpPath, in folder: ContainerPlaces.Folder) -> Unreadable? {
        places.unknown(file, in: folder).map { Unreadable(.missing, $0) } ?? notCopied(file)
    }

    /// `Documents`, where that is not there.
    var missingDocuments: DumpPath? { places.documents.flatMap { files.isThere($0) ? nil : $0 } }

    /// Why what is not found at a path was not copied with the rest.
    private func notCopied(_ path: DumpPath) -> Unreadable? {
        places.notCopied(path, isThere: files.isThere).map { Unreadable(.missing, $0) }
    }

    /// Why nothing is known of a table of a file that is not there.
    private func unknown(_ table: SQLiteTable, of file: DumpPath) -> Unreadable? {
        guard let folder = places.folder(table.folder.utf8), !files.isThere(file) else { return nil }
        return unknown(file, in: folder)
    }

    // MARK: What is in them

    /// Why a store cannot be read.
    func problem(with store: StoreID) -> Unreadable? {
        if let reason = unknown(store) { return reason }
        switch store.kind {
        case .defaults:
            if case .failure(let reason) = domain(store) { return reason }
            return nil
        case .file: return places.folder(store.name.utf8).flatMap { problem(with: $0.path) }
        case .sqlite:
            guard let (table, file) = table(of: store) else { return nil }
            return unknown(table, of: file) ?? databases.problem(with: table.table, of: file, as: store)
        case .keychain: return nil
        }
    }

    /// Why a folder cannot be listed at all.
    private func problem(with folder: DumpPath) -> Unreadable? {
        do throws(DumpError) {
            _ = try files.children(of: folder, limit: 1)
            return nil
        } catch {
            return error.problem == .notFound ? notCopied(folder) : Unreadable(error)
        }
    }

    /// The keys of a store.
    func keys(in store: StoreID) -> any KeyList {
        switch store.kind {
        case .defaults:
            if case .success(let list?) = domain(store) {
                return DomainKeys(list: list, beginnings: beginnings.withLock { $0.value(of: store) })
            }
        case .file:
            if let folder = places.folder(store.name.utf8) { return listing(of: folder) }
        case .sqlite:
            if let (table, file) = table(of: store),
                case .success(let rows)? = databases.rows(of: table.table, in: file, as: store)
            {
                return rows
            }
        case .keychain: break
        }
        return Keys()
    }

    /// What a store or an entry is to what made it.
    func annotation(of address: Address) -> String? {
        if address.store.kind == .file, let file = file(of: address), databases.hasTables(file) {
            return "SQLite database; its tables are stores of their own"
        }
        guard let (table, file) = table(of: address.store), let name = table.table else { return nil }
        return databases.annotation(of: name, row: address.key, in: file, as: address.store)
    }

    /// That what lies beside a database is damaged.
    func doubt(about store: StoreID) -> String? {
        guard store.kind == .sqlite, let (_, file) = table(of: store) else { return nil }
        return databases.logDamage(of: file)?.explanation
    }

    /// That a row of a table is shown without some of what is computed for it, and why.
    func omissions(of address: Address, isAlone: Bool) -> String? {
        guard let key = address.key, let (table, file) = table(of: address.store) else { return nil }
        return databases.omissions(of: table.table, row: key, isAlone: isAlone, in: file, as: address.store)
    }

    /// Why a row of a table is without a column that it has.
    func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        guard let (table, file) = table(of: store),
            case .success(let rows)? = databases.rows(of: table.table, in: file, as: store)
        else { return nil }
        return rows.unread(part, of: key)
    }

    /// What is known of an entry.
    func state(of key: Name, in store: StoreID) -> EntryState {
        if let reason = unknown(store) { return .unreadable(reason) }
        switch store.kind {
        case .defaults: return state(of: key, inDomain: store)
        case .file:
            guard let folder = places.folder(store.name.utf8), let file = places.file(key.utf8, in: folder)
            else { return .absent }
            return state(ofFile: file, in: folder)
        case .sqlite:
            guard let (table, file) = table(of: store) else { return .absent }
            if let reason = unknown(table, of: file) { return .unreadable(reason) }
            if let problem = databases.problem(with: table.table, of: file, as: store) { return .unreadable(problem) }
            if case .success(let rows)? = databases.rows(of: table.table, in: file, as: store) {
                return rows.state(of: key)
            }
            return databases.logDamage(of: file).map(EntryState.unreadable) ?? .absent
        case .keychain: return .absent
        }
    }

    private func state(of key: Name, inDomain store: StoreID) -> EntryState {
        switch domain(store) {
        case .failure(let reason): return .unreadable(reason)
        case .success(let list):
            let address = Address(store: store, key: key)
            if let known = repeated.withLock({ $0.isEmpty ? nil : $0[address] }) { return known }
            if let known = recent.withLock({ $0[address] }) { return known }
            let state = list?.state(of: key, in: file(ofDomain: store)?.text ?? store.name.text) ?? .absent
            switch state {
            case .unreadable(let reason) where reason.cause == .ambiguous: repeated.withLock { $0[address] = state }
            case .present(let value):
                let size = value.size
                if size >= Self.much { recent.withLock { $0.keep(state, of: address, size: size) } }
            default: break
            }
            return state
        }
    }

    private func state(ofFile file: DumpPath, in folder: ContainerPlaces.Folder) -> EntryState {
        do throws(DumpError) {
            return .present(.data(try files.bytes(at: file, limit: Self.fileLimit)))
        } catch {
            switch error.problem {
            case .notFound:
                if let gone = gone(file) { return .unreadable(gone) }
                let reason =
                    files.doubt(aboutMissing: file) ?? inexactName(file, in: listing(of: folder).listing)
                    ?? unknown(file, in: folder)
                return reason.map(EntryState.unreadable) ?? .absent
            default: return .unreadable(Unreadable(error, at: file))
            }
        }
    }

    /// Whether an entry of a folder can be read, as far as opening its file tells.
    func isReadable(_ key: Name, in store: StoreID) -> Bool {
        guard unknown(store) == nil, let folder = places.folder(store.name.utf8),
            let file = places.file(key.utf8, in: folder), let item = try? files.item(at: file)
        else { return false }
        return item.size <= Self.fileLimit && files.isReadable(file)
    }

    /// The property list of a domain, indexed on first use; `nil` in it where there is no such domain.
    private func domain(_ store: StoreID) -> Result<PropertyListFile?, Unreadable> {
        let key = store.name
        if let known = domains.withLock({ $0[key] }) { return known }
        let domain: Result<PropertyListFile?, Unreadable>
        // Who stopped it may ask again.
        do throws(DumpError) { domain = try load(store) } catch { return .failure(Unreadable(error)) }
        domains.withLock { $0[key] = domain }
        return domain
    }

    /// - Throws: only where it was stopped.
    private func load(_ store: StoreID) throws(DumpError) -> Result<PropertyListFile?, Unreadable> {
        guard let file = file(ofDomain: store) else { return .success(nil) }
        let data: Data
        do throws(DumpError) {
            data = try files.bytes(at: file)
        } catch {
            if error.problem == .cancelled { throw error }
            guard error.problem == .notFound else { return .failure(Unreadable(error, at: file)) }
            if let gone = gone(file) { return .failure(gone) }
            let reason =
                files.doubt(aboutMissing: file) ?? inexactName(file, in: files.items(below: places.preferences))
                ?? notCopied(file)
            return reason.map(Result.failure) ?? .success(nil)
        }
        do throws(FormatError) {
            let list = try PropertyListFile(data)
            read.withLock { $0[file] = data }
            return .success(list)
        } catch {
            return .failure(Unreadable(error, in: file.text))
        }
    }

    /// The bytes of a domain's file as they were when it was first read; `nil` where it has not been.
    func bytesRead(of file: DumpPath) -> Data? { read.withLock { $0[file] } }

    /// Why a file that is not found is not absent: the dump itself is not there any more.
    private func gone(_ file: DumpPath) -> Unreadable? {
        do throws(DumpError) {
            _ = try files.item(at: file)
            return nil
        } catch {
            return Unreadable(error)
        }
    }

    /// Why a listed file is not found: its name on disk is not UTF-8, so the listed name does not lead to it.
    private func inexactName(_ file: DumpPath, in listing: @autoclosure () -> DumpListing) -> Unreadable? {
        // The first byte of the sign; it is asked of every file that is looked for.
        guard !file.isUTF8 || file.bytes.contains(0xE2) else { return nil }
        let text = file.text
        guard text.contains("‹"), listing().items.contains(where: { !$0.path.isUTF8 && $0.path.text == text })
        else { return nil }
        return Unreadable(.unsupported, "the name of \(text) is not UTF-8")
    }

    /// What is below a folder, without what the app has not put there.
    private func items(below folder: DumpPath, skipping: Set<DumpPath> = []) -> DumpListing {
        var listing = files.items(below: folder, skipping: skipping)
        listing.items.removeAll { isAppleDouble($0) || isOfSystem($0) }
        return listing
    }

    /// Whether it is what macOS writes beside a file on a disk, and into an archive, that has no place for all that it knows of it.
    private func isAppleDouble(_ item: DumpItem) -> Bool {
        guard item.kind == .file, item.path.lastPart.starts(with: "._".utf8) else { return false }
        let head = try? files.stream(of: item.path).next()
        return head?.starts(with: [0x00, 0x05, 0x16, 0x07]) == true
    }

    /// Whether it is a link to a list of the device's own that iOS puts among the preferences of apps.
    private func isOfSystem(_ item: DumpItem) -> Bool {
        guard case .symbolicLink(let target) = item.kind, target.first == UInt8(ascii: "/") else { return false }
        let name = item.path.lastPart, end = "/\(StoreID.preferencesFolder)/".utf8 + name
        return (name.starts(with: "com.apple.".utf8) || name.elementsEqual(".GlobalPreferences.plist".utf8))
            && item.path.parent == places.preferences && target.suffix(end.count).elementsEqual(end)
    }

    /// What is below a folder of files, listed on first use, without what belongs to other stores.
    private func listing(of folder: ContainerPlaces.Folder) -> FileListing {
        if let known = listings.withLock({ $0[folder.path] }) { return known }
        var listing = items(below: folder.path, skipping: skipped(in: folder))
        listing.items.removeAll { !places.owns($0.path, folder) }
        let folders = listing.items.filter { $0.kind == .folder }
        listing.items.removeAll { $0.kind == .folder }
        let result = FileListing(
            listing, folders, below: folder.path, without: places.unknownParts(of: folder, isThere: files.isThere))
        listings.withLock { $0[folder.path] = result }
        return result
    }

    // MARK: Where it is

    private func file(ofDomain store: StoreID) -> DumpPath? {
        places.file(ofDomain: store.name.utf8, isThere: files.isThere)
    }

    /// The table that a store is, and the file it is in.
    private func table(of store: StoreID) -> (table: SQLiteTable, file: DumpPath)? {
        guard let table = SQLiteTable(store), let folder = places.folder(table.folder.utf8),
            let file = places.file(table.file.utf8, in: folder)
        else { return nil }
        return (table, file)
    }

    /// The file that holds an entry.
    func file(of address: Address) -> DumpPath? {
        switch address.store.kind {
        case .defaults: return unknown(address.store) == nil ? file(ofDomain: address.store) : nil
        case .file:
            guard let key = address.key, let folder = places.folder(address.store.name.utf8) else { return nil }
            return places.file(key.utf8, in: folder)
        case .sqlite: return table(of: address.store)?.file
        case .keychain: return nil
        }
    }

    /// The address of an entry of another container's, by the file that holds it there; `nil` where it is none of this one's.
    func address(like other: Address, at file: DumpPath) -> Address? {
        if self.file(of: other) == file { return other }
        guard let address = places.address(like: other, at: file), self.file(of: address) == file else { return nil }
        return address
    }

    /// The store or the entry that a file or a folder holds.
    func address(ofFile file: DumpPath) -> Address? {
        let stores = stores
        if let whole = stores.first(where: { self.file(of: Address(store: $0)) == file }) {
            return Address(store: whole)
        }
        for store in stores where store.kind == .file {
            guard let folder = places.folder(store.name.utf8)?.path, let inside = file.relative(to: folder) else {
                continue
            }
            if inside.isRoot { return Address(store: store) }
            let address = Address(store: store, key: Name(inside.text))
            if self.file(of: address) == file { return address }
        }
        return nil
    }

    /// That a list in the folder of domains is called after one that another container has.
    private func hidden(_ file: DumpPath, in folder: ContainerPlaces.Folder) -> DumpWarning? {
        guard let name = ContainerPlaces.domain(ofFile: file, in: places.preferences),
            places.isHidden(Array(name), at: file), let key = file.relative(to: folder.path)
        else { return nil }
        let domain = DumpPath.text(of: name), entry = Address(store: .files(Name(folder.store)), key: Name(key.text))
        return DumpWarning(file, .domainElsewhere(domain, entry: "\(entry)", container: places.path))
    }

    /// What is wrong with the stores, in their order.
    func storeWarnings() -> [DumpWarning] {
        let domains = domainNames()
        var warnings = domains.warnings
        for name in domains.names {
            let store = StoreID.defaults(Name(name)), file = file(ofDomain: store) ?? places.preferences
            switch domain(store) {
            // A name that is not UTF-8 is named by the listing.
            case .failure where domains.warnings.contains(DumpWarning(file, .nameNotUTF8)): break
            case .failure(let reason): warnings.append(DumpWarning(file, .unreadable(reason)))
            case .success(let list):
                let repeated = list?.repeatedKeys ?? []
                warnings += repeated.prefix(Self.repeatedLimit).map { key in
                    DumpWarning(file, .repeatedKey(Address(store: store, key: key)))
                }
                let rest = repeated.count - Self.repeatedLimit
                if rest > 0 { warnings.append(DumpWarning(file, .moreRepeatedKeys(rest))) }
            }
        }
        for folder in places.folders where folder.isListed {
            let listing = listing(of: folder).listing
            warnings += listing.warnings
            warnings += listing.items.compactMap(Self.warning)
            warnings += listing.items.compactMap { hidden($0.path, in: folder) }
        }
        var looked: Set<DumpPath> = []
        for store in stores where store.kind == .sqlite {
            if let file = table(of: store)?.file, looked.insert(file).inserted {
                warnings += DatabaseFile.warnings(beside: file, in: files)
            }
            guard let (table, file) = table(of: store) else { continue }
            let omissions = databases.omissions(of: table.table, in: file, as: store).map { words in
                Unreadable(
                    .unsupported, "the rows of the table \(table.table ?? "") of \(file) are shown \(words)")
            }
            let reasons = [problem(with: store) ?? damage(of: table, file, store), omissions]
            warnings += reasons.compactMap(\.self).map { DumpWarning(file, .unreadable($0)) }
        }
        // Library/Preferences is listed for its domains and for the other files in it.
        var seen: Set<DumpWarning> = []
        return warnings.filter { seen.insert($0).inserted }
    }

    /// Why not every row of a table can be read; looks at each page of them.
    private func damage(of table: SQLiteTable, _ file: DumpPath, _ store: StoreID) -> Unreadable? {
        guard case .success(let rows)? = databases.rows(of: table.table, in: file, as: store) else { return nil }
        return rows.problem(under: "")
    }

    private static func warning(_ item: DumpItem) -> DumpWarning? {
        switch item.kind {
        case .symbolicLink(let target):
            DumpWarning(item.path, .symbolicLink(target: String(decoding: target, as: UTF8.self)))
        case .other(let what):
            DumpWarning(item.path, .unreadable(Unreadable(notAFile: what, at: item.path.text)))
        case .file where item.size > fileLimit:
            DumpWarning(item.path, .init(DumpError(item.path, .overLimit(bytes: item.size, limit: fileLimit))))
        case .file, .folder: nil
        }
    }
}

/// The files of a folder as keys: their paths relative to it, in the order of their bytes.
private final class FileListing: KeyList {
    /// The items behind the keys, in the same order, and what could not be listed.
    let listing: DumpListing
    let folders: [Name]
    private let folder: DumpPath
    /// The folders in it of which nothing is known that is not listed, with why.
    private let unknownParts: [(path: DumpPath, reason: String)]
    /// Found when a key is first looked for.
    private let positions = Mutex<[Name: [Int]]?>(nil)
    private let beginnings = KeyBeginnings()

    init(
        _ listing: DumpListing, _ folders: [DumpItem], below folder: DumpPath,
        without unknownParts: [(path: DumpPath, reason: String)]
    ) {
        self.listing = listing
        self.folders = folders.map { Name(($0.path.relative(to: folder) ?? $0.path).text) }
        self.folder = folder
        self.unknownParts = unknownParts
    }

    var count: Int { listing.items.count }

    func key(at position: Int) -> Name {
        let path = listing.items[position].path
        return Name((path.relative(to: folder) ?? path).text)
    }

    func positions(of key: Name) -> [Int] {
        positions.withLock { known in
            let found = known ?? Dictionary(grouping: 0..<count, by: self.key(at:))
            known = found
            return found[key, default: []]
        }
    }

    func positions(beginning prefix: Name) -> [Int] { beginnings.positions(beginning: prefix, of: self) }

    func problem(under prefix: Name) -> Unreadable? {
        let start = folder.text.isEmpty ? "" : folder.text + "/"
        for warning in listing.warnings {
            guard let reason = warning.unlisted else { continue }
            // What was cut, or is the folder itself, may have held any key.
            guard warning.path.utf8.starts(with: start.utf8), case .unreadable = warning.problem else { return reason }
            let unlisted = Array(warning.path.utf8.dropFirst(start.utf8.count)) + [0x2F]
            if prefix.utf8.starts(with: unlisted) || unlisted.starts(with: prefix.utf8) { return reason }
        }
        // Below what stands in place of a folder nothing is listed.
        for (end, byte) in prefix.utf8.enumerated() where byte == 0x2F {
            let part = Name(String(decoding: prefix.utf8.prefix(end), as: UTF8.self))
            guard let position = positions(of: part).first else { continue }
            let item = listing.items[position]
            return Unreadable(item.refusal ?? DumpError(item.path, .notAFolder))
        }
        for (path, reason) in unknownParts {
            // Whoever asks for all of a container is not told of the part that is for caches.
            let start = path == folder ? [] : (path.relative(to: folder) ?? path).bytes + [0x2F]
            let isMeant =
                prefix.utf8.starts(with: start) || !prefix.isEmpty && start.starts(with: prefix.utf8)
            if isMeant { return Unreadable(.missing, reason) }
        }
        return nil
    }
}

extension DumpWarning {
    /// Why a listing lacks what is at the place; `nil` where it does not.
    fileprivate var unlisted: Unreadable? {
        switch problem {
        case .unreadable(let reason): reason
        case .listingCut: Unreadable(.overLimit, description)
        default: nil
        }
    }
}

/// The keys of a domain, read from its index.
private struct DomainKeys: KeyList {
    let list: PropertyListFile
    let beginnings: KeyBeginnings

    var count: Int { list.count }
    func key(at position: Int) -> Name { list.key(at: position) }
    func positions(of key: Name) -> [Int] { list.positions(of: key) }
    func positions(beginning prefix: Name) -> [Int] { beginnings.positions(beginning: prefix, of: self) }
}

extension [StoreID: KeyBeginnings] {
    /// The one of a store, made where it is first asked for.
    fileprivate mutating func value(of store: StoreID) -> KeyBeginnings {
        if let known = self[store] { return known }
        let made = KeyBeginnings()
        self[store] = made
        return made
    }
}
