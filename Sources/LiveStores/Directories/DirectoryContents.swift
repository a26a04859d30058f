import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// What lies in a folder of live stores, shared by all copies of its ``DirectoryStores``.
final class DirectoryContents: Sendable {
    /// A file that is to hold a dictionary, as it was last read.
    private enum Loaded: Sendable {
        case absent
        case list(PropertyListFile)
        case unreadable(Unreadable)
    }

    private struct State: Sendable {
        /// Whether the journal may hold something; then nothing is read or written before it is settled.
        var isUnsettled = true
        /// By path.
        var lists: [Name: Loaded] = [:]
    }

    private let root: String
    private let files: any FileSystem
    private let journal: Journal
    private let lock: any FileLock
    private let state = Mutex(State())

    init(root: String, files: any FileSystem) throws(LiveStoreError) {
        self.root = root
        self.files = files
        journal = Journal(root: root, files: files)
        lock = try journal.open()
        try journal.settle()
        state.withLock { $0.isUnsettled = false }
    }

    /// Does something with the settled folder, one caller at a time.
    private func settled<Result: Sendable>(
        _ body: (inout State) throws(LiveStoreError) -> Result
    ) throws(LiveStoreError) -> Result {
        let result = state.withLock { state -> Swift.Result<Result, LiveStoreError> in
            do throws(LiveStoreError) {
                if state.isUnsettled {
                    try journal.settle()
                    state.isUnsettled = false
                }
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    // MARK: Reading

    /// The stores that can be listed, and why others may be there.
    func stores() -> (found: [StoreID], problem: Unreadable?) {
        do throws(LiveStoreError) {
            return try settled { _ in
                var found: [StoreID] = [], problem: Unreadable?
                let folders = [
                    (StoreID.Kind.defaults, StorePath.preferences), (.keychain, StorePath.keychain),
                    (.file, StorePath.files),
                ]
                for (kind, folder) in folders {
                    do throws(FileError) {
                        found += try files.names(in: "\(root)/\(folder)")
                            .compactMap { StorePath.store(kind, named: $0) }
                            // One that cannot be read is there.
                            .filter { kind != .file || !((try? paths(in: $0)) ?? ["?"]).isEmpty }
                            .sorted { $0.name < $1.name }
                    } catch {
                        problem = problem ?? Unreadable(.inaccessible, "\(error)")
                    }
                }
                return (found, problem)
            }
        } catch {
            return ([], Unreadable(.inaccessible, "\(error)"))
        }
    }

    func problem(with store: StoreID) -> Unreadable? {
        do throws(LiveStoreError) {
            return try settled { state throws(LiveStoreError) -> Unreadable? in
                guard store.kind == .file else {
                    if case .unreadable(let reason) = list(of: store, &state) { return reason }
                    return nil
                }
                do {
                    _ = try paths(in: store)
                    return nil
                } catch {
                    return Unreadable(.inaccessible, "\(error)")
                }
            }
        } catch {
            return Unreadable(.inaccessible, "\(error)")
        }
    }

    /// The keys of a store; none where it cannot be read, which ``problem(with:)`` tells from an empty one.
    func keys(in store: StoreID) -> any KeyList {
        let found = try? settled { state -> [Name] in
            guard store.kind != .file else { return ((try? paths(in: store)) ?? []).map { Name($0) }.sorted() }
            guard case .list(let list) = list(of: store, &state) else { return [] }
            return (0..<list.count).map { list.key(at: $0) }
        }
        return Keys(found ?? [])
    }

    func state(of key: Name, in store: StoreID) -> EntryState {
        do throws(LiveStoreError) {
            return try settled { current(key, in: store, &$0) }
        } catch {
            return .unreadable(Unreadable(.inaccessible, "\(error)"))
        }
    }

    private func current(_ key: Name, in store: StoreID, _ state: inout State) -> EntryState {
        guard store.kind != .file else {
            guard let path = StorePath.of(key.text, in: store) else { return .absent }
            switch contents(of: path) {
            case .success(let data): return EntryState(data.map(Value.data))
            case .failure(let reason): return .unreadable(reason)
            }
        }
        switch list(of: store, &state) {
        case .absent: return .absent
        case .unreadable(let reason): return .unreadable(reason)
        case .list(let list):
            return list.state(of: key, in: StorePath.of(store) ?? store.name.text)
        }
    }

    private func list(of store: StoreID, _ state: inout State) -> Loaded {
        guard let path = StorePath.of(store) else { return .absent }
        if let loaded = state.lists[Name(path)] { return loaded }
        switch contents(of: path) {
        case .success(let data):
            let loaded = data.map(Self.read) ?? .absent
            state.lists[Name(path)] = loaded
            return loaded
        // Not kept: it may be readable the next time.
        case .failure(let reason): return .unreadable(reason)
        }
    }

    /// What a file holds, `nil` where there is none; what stands in its place, and is no file, cannot be read.
    private func contents(of path: String) -> Result<Data?, Unreadable> {
        do throws(FileError) {
            switch try files.status(of: "\(root)/\(path)")?.kind {
            case .folder: return .failure(Unreadable(notAFile: "a folder", at: path))
            case .other: return .failure(Unreadable(notAFile: "a link, a pipe or a device", at: path))
            case .file, nil: return .success(try files.contents(of: "\(root)/\(path)"))
            }
        } catch {
            return .failure(Unreadable(.inaccessible, "\(error)"))
        }
    }

    private static func read(_ data: Data) -> Loaded {
        do throws(FormatError) {
            return .list(try PropertyListFile(data))
        } catch {
            return .unreadable(Unreadable(error))
        }
    }

    /// The keys of a store of files: what is in its folder, to a depth of 64.
    private func paths(in store: StoreID) throws(FileError) -> [String] {
        guard let top = StorePath.of(store) else { return [] }
        var found: [String] = []
        var folders: [(path: String, depth: Int)] = [("", 0)]
        while let (folder, depth) = folders.popLast() {
            for name in try files.names(in: "\(root)/\(top)" + (folder.isEmpty ? "" : "/\(folder)")) {
                guard !name.hasPrefix(StorePath.temporary) else { continue }
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                switch try files.status(of: "\(root)/\(top)/\(path)")?.kind {
                case .file: found.append(path)
                case .folder where depth < 64: folders.append((path, depth + 1))
                default: break
                }
            }
        }
        return found
    }

    // MARK: Writing

    func commit(_ changes: [Change]) throws(LiveStoreError) {
        try settled { state throws(LiveStoreError) in
            // What another program wrote since must be seen.
            state.lists = [:]
            for change in changes { try check(change, &state) }
            let updates = try DirectoryUpdates(root: root, files: files).of(changes)
            defer { state.lists = [:] }
            guard !updates.isEmpty else { return }
            state.isUnsettled = true
            try journal.commit(updates)
            state.isUnsettled = false
        }
    }

    /// A change is made on what it was planned on, or not at all.
    private func check(_ change: Change, _ state: inout State) throws(LiveStoreError) {
        let address = change.address
        guard let key = address.key, address.pointer.isRoot else {
            throw .unwritable(address, "only whole entries are written")
        }
        let found = current(key, in: address.store, &state)
        if case .unreadable(let reason) = found { throw .unwritable(address, reason.explanation) }
        guard found == change.before else { throw .changedMeanwhile(address) }
    }
}
