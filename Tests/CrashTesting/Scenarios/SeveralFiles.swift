import Foundation
import LiveStores
import MigrationEngine
import StoreFormats

extension CrashScenario {
    /// One commit that changes a domain, makes a keychain service, adds a file in new folders and takes one away.
    public static let severalFiles = CrashScenario(
        name: "several-files",
        prepare: { files, path in
            var stores = try DirectoryStores(at: path, fileSystem: files)
            try stores.commit([
                change(.defaults("com.acme.notes"), "theme", nil, .string("dark")),
                change(.defaults("com.acme.notes"), "token", nil, .string("t")),
                change(.files("Documents"), "old/note.txt", nil, .data(Data("old".utf8))),
            ])
        },
        operation: { files, path in
            var stores = try DirectoryStores(at: path, fileSystem: files)
            try stores.commit(moves)
        },
        check: { files, path, moment in
            do {
                var stores = try DirectoryStores(at: path, fileSystem: files)
                let isOld = moves.allSatisfy { stores.state(at: $0.address) == $0.before }
                let isNew = moves.allSatisfy {
                    stores.state(at: $0.address) == ($0.after.map(EntryState.present) ?? .absent)
                }
                guard isNew || (isOld && moment == .interrupted) else {
                    throw Wrong(isOld ? "what was done is gone" : "old and new are mixed")
                }
                guard stores.state(of: "theme", in: .defaults("com.acme.notes")) == .present(.string("dark")) else {
                    throw Wrong("what nobody changed has changed")
                }
                if isOld { try stores.commit(moves) }
            }
            let stores = try DirectoryStores(at: path, fileSystem: files)
            guard moves.allSatisfy({ stores.state(at: $0.address).value == $0.after }) else {
                throw Wrong("trying again did not complete")
            }
            guard try leftovers(in: path, files).isEmpty else {
                throw Wrong("left behind: \(try leftovers(in: path, files))")
            }
        })

    private static let moves = [
        change(.defaults("com.acme.notes"), "token", .string("t"), nil),
        change(.keychain("com.acme.notes"), "token", nil, KeychainItem(text: "t").value),
        change(.files("Documents"), "new/deep/note.txt", nil, .data(Data(repeating: 7, count: 20_000))),
        change(.files("Documents"), "old/note.txt", .data(Data("old".utf8)), nil),
    ]

    private static func change(_ store: StoreID, _ key: String, _ before: Value?, _ after: Value?) -> Change {
        Change(
            address: Address(store: store, key: Name(key)), before: before.map(EntryState.present) ?? .absent,
            after: after,
            rule: "a scenario")
    }

    /// Temporary files, and what the journal keeps beside its lock and its empty stage.
    static func leftovers(in path: String, _ files: any FileSystem) throws -> [String] {
        var found: [String] = [], folders = [path]
        while let folder = folders.popLast() {
            for name in try files.names(in: folder) {
                let item = "\(folder)/\(name)"
                if try files.status(of: item)?.kind == .folder {
                    folders.append(item)
                } else if name.hasPrefix(".vestige-") || (item.contains("/.vestige-journal/") && name != "lock") {
                    found.append(item)
                }
            }
        }
        return found
    }
}
