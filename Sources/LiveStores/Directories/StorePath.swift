import MigrationEngine

/// Where a store lies in its folder.
///
/// The file of a store is named as in its address, percent-encoded: `Preferences/com.acme.notes.plist`,
/// `Keychain/com.acme%2Fkeys.plist`, `Files/AppSupport/…`.
enum StorePath {
    static let preferences = "Preferences"
    static let keychain = "Keychain"
    static let files = "Files"
    static let ending = ".plist"
    /// What the names of temporary files begin with; no entry has such a name.
    static let temporary = ".vestige-"

    /// The file or, of a store of files, the folder; `nil` where the name can be no file's, and for a table.
    static func of(_ store: StoreID) -> String? {
        let name = String(store.description.dropFirst("\(store.kind.rawValue)://".count))
        guard !name.isEmpty else { return nil }
        switch store.kind {
        case .defaults: return "\(preferences)/\(name)\(ending)"
        case .keychain: return "\(keychain)/\(name)\(ending)"
        case .sqlite: return nil
        case .file: return name == "." || name == ".." ? nil : "\(files)/\(name)"
        }
    }

    /// The file of an entry of a store of files; `nil` where the key is no relative path.
    static func of(_ key: String, in store: StoreID) -> String? {
        guard isRelative(key), !key.split(separator: "/").contains(where: { $0.hasPrefix(temporary) }) else {
            return nil
        }
        return of(store).map { "\($0)/\(key)" }
    }

    /// The store of a name in one of the folders.
    static func store(_ kind: StoreID.Kind, named name: String) -> StoreID? {
        var name = name
        if kind != .file {
            guard name.hasSuffix(ending) else { return nil }
            name.removeLast(ending.count)
        }
        guard let address = try? Address(parsing: "\(kind.rawValue)://\(name)"), address.key == nil,
            address.pointer.isRoot
        else { return nil }
        return address.store
    }

    /// Whether a path leads down only: no empty part, no `.`, no `..`, no NUL.
    static func isRelative(_ path: String) -> Bool {
        !path.utf8.contains(0)
            && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && $0 != "." && $0 != ".."
            }
    }

    /// The folders above a path, the innermost first, ending with the empty path.
    static func ancestors(of path: String) -> [String] {
        let parts = path.split(separator: "/").dropLast()
        return (0...parts.count).reversed().map { parts.prefix($0).joined(separator: "/") }
    }
}
