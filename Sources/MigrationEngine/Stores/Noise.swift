import StoreFormats

/// What lies in an app's stores and is none of the app's own: what the system keeps there for itself, and what widely used SDKs
/// do.
///
/// A name says it, so it is a guess: what is noise is shown apart, and never left out.
package enum Noise {
    /// What keys begin with, where a word with a capital letter and a small one follows: `UIDesign` may be the app's, `UID` is.
    private static let prefixes = ["NS", "AK", "PK", "IN", "UI", "FIR", "GUL"]

    /// What other keys begin with.
    private static let beginnings = [
        "Apple", "METAL_", "WebKit", "com.apple.", "MSAppCenter", "firebase", "/firebase", "com.firebase",
        "com.google.",
        "com.facebook.", "FBSDK", "com.crashlytics", "SentryDefault", "WebDatabaseDirectory",
    ]

    /// The tables that Core Data and SQLite keep for themselves.
    private static let tables: Set<Name> = [
        "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
        "sqlite_sequence", "sqlite_stat1", "sqlite_stat4",
    ]

    /// The folders and files of a container, but for its documents, that the system makes.
    private static let paths: Set<Substring> = [
        "Snapshots", "SplashBoard", "Saved Application State", "WebKit", "WebDatabaseDirectory", "Cookies",
        "HTTPStorages", "fsCachedData", "Cache.db", "Cache.db-wal", "Cache.db-shm", "GeoServices",
    ]

    /// Whether a domain, a keychain service or an access group is Apple's.
    package static func isApples(_ name: String) -> Bool {
        name == "apple" || name.hasPrefix("com.apple.") || name.hasPrefix("group.com.apple.")
    }

    /// Whether a store is a table that Core Data or SQLite keeps for itself.
    package static func isSystemTable(_ store: StoreID) -> Bool {
        SQLiteTable(store)?.table.map(tables.contains) ?? false
    }

    /// Whether a store as a whole is the system's: caches, and what Apple's frameworks write.
    package static func isSystem(_ store: StoreID) -> Bool {
        switch store.kind {
        case .file: ["Caches", "tmp"].contains { store.name.utf8.elementsEqual($0.utf8) }
        case .sqlite: isSystemTable(store)
        case .defaults, .keychain: isApples(store.name.text) || store.name.hasPrefix("WebKit")
        }
    }

    /// Whether an entry of a store is the system's, or that of a widely used SDK.
    package static func holds(_ key: Name, in store: StoreID) -> Bool {
        if store.kind == .file, store.name.utf8.elementsEqual("Documents".utf8) { return false }
        if beginnings.contains(where: key.hasPrefix) || prefixes.contains(where: { isWord(of: key, behind: $0) }) {
            return true
        }
        return store.kind == .file
            && key.text.split(separator: "/").contains {
                paths.contains($0) || $0.hasPrefix("com.apple.") || $0.hasPrefix(".com.apple.")
            }
    }

    /// Whether a key goes on behind a prefix with a word that has a capital letter.
    private static func isWord(of key: Name, behind prefix: String) -> Bool {
        guard key.hasPrefix(prefix) else { return false }
        let rest = key.utf8.dropFirst(prefix.utf8.count).prefix(2)
        guard let first = rest.first, let second = rest.dropFirst().first else { return false }
        return (0x41...0x5A).contains(first) && (0x61...0x7A).contains(second)
    }
}
