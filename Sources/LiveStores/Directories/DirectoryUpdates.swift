import Crypto
import Foundation
import MigrationEngine
import StoreFormats

/// What changes make of the files of a folder of live stores.
struct DirectoryUpdates {
    let root: String
    let files: any FileSystem

    /// The files that differ afterwards, in the order in which they are first touched.
    ///
    /// - Throws: ``LiveStoreError/unwritable(_:_:)`` for whatever could stop the change once it is decided.
    func of(_ changes: [Change]) throws(LiveStoreError) -> [FileUpdate] {
        var order: [StoreID] = [], byStore: [StoreID: [Change]] = [:]
        for change in changes {
            if byStore[change.address.store] == nil { order.append(change.address.store) }
            byStore[change.address.store, default: []].append(change)
        }
        var updates: [FileUpdate] = []
        for store in order {
            let changes = byStore[store] ?? []
            updates += store.kind == .file ? try fileUpdates(changes) : [try listUpdate(of: store, changes)]
        }
        updates.removeAll { $0.before == $0.after }
        try checkPlaces(of: updates, changes: changes)
        return updates
    }

    private func fileUpdates(_ changes: [Change]) throws(LiveStoreError) -> [FileUpdate] {
        var updates: [FileUpdate] = [], positions: [Name: Int] = [:]
        for change in changes {
            guard let path = StorePath.of(change.address.key?.text ?? "", in: change.address.store) else {
                throw .unwritable(change.address, "its key is not the path of a file")
            }
            if let after = change.after, after.data == nil {
                throw .unwritable(change.address, "a file holds data, not \(after.typePhrase)")
            }
            if let index = positions[Name(path)] {
                updates[index].after = change.after?.data
            } else {
                positions[Name(path)] = updates.count
                updates.append(
                    FileUpdate(path: path, before: try read(path, for: change.address), after: change.after?.data))
            }
        }
        return updates
    }

    private func listUpdate(of store: StoreID, _ changes: [Change]) throws(LiveStoreError) -> FileUpdate {
        let address = changes.first?.address ?? Address(store: store)
        if store.kind == .sqlite { throw .unwritable(address, SQLiteTable.refusal) }
        guard let path = StorePath.of(store) else { throw .unwritable(address, "its store has no name") }
        if store.kind == .keychain {
            for change in changes where change.after.map({ KeychainItem($0) == nil }) ?? false {
                throw .unwritable(change.address, "it is not a keychain item")
            }
        }
        let before = try read(path, for: address)
        let edits = changes.map { (key: $0.address.key ?? "", value: $0.after) }
        do {
            let old = try before ?? BinaryPropertyList.write(.dictionary(Members()))
            let new = try PropertyListFile(old).rewriting(edits)
            let reread = try PropertyListFile(new)
            // What was written is what was meant: a later edit of the same key counts.
            var expected: [Name: Value?] = [:]
            for edit in edits { expected.updateValue(edit.value, forKey: edit.key) }
            for (key, value) in expected {
                let found = try reread.position(of: key).map { position throws(FormatError) in
                    try reread.value(at: position)
                }
                guard found == value else {
                    throw LiveStoreError.unwritable(
                        Address(store: store, key: key), "its file, \(path), cannot hold exactly that value")
                }
            }
            return FileUpdate(path: path, before: before, after: reread.count == 0 ? nil : new)
        } catch let error as LiveStoreError {
            throw error
        } catch {
            throw .unwritable(address, "\(error)")
        }
    }

    private func read(_ path: String, for address: Address) throws(LiveStoreError) -> Data? {
        do {
            if let kind = try files.status(of: "\(root)/\(path)")?.kind, kind != .file {
                throw LiveStoreError.unwritable(address, "\(path) is not a file")
            }
            return try files.contents(of: "\(root)/\(path)")
        } catch let error as FileError {
            throw .file(error)
        } catch let error as LiveStoreError {
            throw error
        } catch {
            throw .unwritable(address, "\(error)")
        }
    }

    /// What a file system could refuse only after the decision is refused before it: a file where a folder must be.
    private func checkPlaces(of updates: [FileUpdate], changes: [Change]) throws(LiveStoreError) {
        let written = Set(updates.lazy.filter { $0.after != nil }.map { Name($0.path) })
        guard let address = changes.first?.address else { return }
        for path in written {
            for folder in StorePath.ancestors(of: path.text) where !folder.isEmpty {
                guard !written.contains(Name(folder)) else {
                    throw .unwritable(address, "\(folder) cannot be a file and a folder")
                }
                do {
                    guard let kind = try files.status(of: "\(root)/\(folder)")?.kind, kind != .folder else { continue }
                } catch {
                    throw .file(error)
                }
                throw .unwritable(address, "\(folder) is not a folder")
            }
        }
    }
}

/// What one file was and what it becomes; `nil` where there is none.
struct FileUpdate: Sendable {
    /// Relative to the folder of the stores.
    var path: String
    var before: Data?
    var after: Data?
}

extension Data {
    /// The SHA-256 digest in hexadecimal.
    var digest: String { Hexadecimal.text(SHA256.hash(data: self)) }
}
