import Foundation
import MigrationEngine
import StoreFormats

extension ContainerContents {
    /// Why a store cannot be read.
    func problem(with store: StoreID) -> Unreadable? {
        switch store.kind {
        case .defaults:
            if case .failure(let reason) = domain(store.name.text) { return reason }
            return nil
        case .file:
            guard let files = FileStore(rawValue: store.name.text), case .folders = layout else { return nil }
            return problem(with: RelativePath.join(path, files.folder))
        case .keychain: return nil
        }
    }

    /// Why a folder cannot be listed at all.
    private func problem(with folder: String) -> Unreadable? {
        do {
            _ = try root.children(of: folder, limit: 1)
            return nil
        } catch {
            return error.problem == .notFound ? nil : Unreadable(error, in: root)
        }
    }

    /// The keys of a store.
    func keys(in store: StoreID) -> any KeyList {
        switch store.kind {
        case .defaults:
            if case .success(let list?) = domain(store.name.text) { return DomainKeys(list: list) }
        case .file:
            if let files = FileStore(rawValue: store.name.text) { return listing(of: files) }
        case .keychain: break
        }
        return Keys()
    }

    /// What is known of an entry.
    func state(of key: Name, in store: StoreID) -> EntryState {
        switch store.kind {
        case .defaults: return state(of: key, inDomain: store.name.text)
        case .file:
            guard let files = FileStore(rawValue: store.name.text), case .folders = layout else { return .absent }
            return state(of: key.text, in: files)
        case .keychain: return .absent
        }
    }

    private func state(of key: Name, inDomain name: String) -> EntryState {
        switch domain(name) {
        case .failure(let reason): return .unreadable(reason)
        case .success(let list):
            guard let list, let position = list.position(of: key) else { return .absent }
            do {
                return .present(try list.value(at: position))
            } catch {
                return .unreadable(Unreadable(error, in: file(ofDomain: name) ?? name))
            }
        }
    }

    private func state(of key: String, in store: FileStore) -> EntryState {
        guard store.owns(key) else { return .absent }
        let file = RelativePath.join(RelativePath.join(path, store.folder), key)
        do {
            return .present(.data(try root.read(file, limit: Self.fileLimit)))
        } catch {
            switch error.problem {
            case .notAFile("a folder"): return .absent
            case .notFound:
                return inexactName(file, in: listing(of: store).listing).map(EntryState.unreadable) ?? .absent
            default: return .unreadable(Unreadable(error, in: root))
            }
        }
    }

    /// What is wrong with the stores, in their order.
    func storeWarnings() -> [DumpWarning] {
        let domains = domainNames()
        var warnings = domains.warnings
        for name in domains.names {
            guard case .failure(let reason) = domain(name) else { continue }
            warnings.append(DumpWarning(file(ofDomain: name) ?? path, .unreadable(reason)))
        }
        for store in FileStore.allCases {
            let listing = listing(of: store).listing
            warnings += listing.warnings
            for item in listing.items {
                switch item.kind {
                case .symbolicLink(let target): warnings.append(DumpWarning(item.path, .symbolicLink(target: target)))
                case .other(let what):
                    let reason = Unreadable(.unsupported, "\(item.path) is \(what), which is not opened")
                    warnings.append(DumpWarning(item.path, .unreadable(reason)))
                case .file where item.size > Self.fileLimit:
                    let error = DumpError(item.path, .overLimit(bytes: item.size, limit: Self.fileLimit))
                    warnings.append(DumpWarning(item.path, .init(error, in: root)))
                case .file, .folder: break
                }
            }
        }
        // Library/Preferences is listed for its domains and for the other files in it.
        var seen: Set<DumpWarning> = []
        return warnings.filter { seen.insert($0).inserted }
    }

    /// The file that holds an entry.
    func file(of address: Address) -> String? {
        switch address.store.kind {
        case .defaults: return file(ofDomain: address.store.name.text)
        case .file:
            guard case .folders = layout, let key = address.key?.text, let store = FileStore(rawValue: address.store.name.text),
                store.owns(key)
            else { return nil }
            return RelativePath.join(RelativePath.join(path, store.folder), key)
        case .keychain: return nil
        }
    }
}

/// The keys of a domain, read from its index.
private struct DomainKeys: KeyList {
    let list: PropertyListFile

    var count: Int { list.count }
    func key(at position: Int) -> Name { list.key(at: position) }
    func position(of key: Name) -> Int? { list.position(of: key) }
}
