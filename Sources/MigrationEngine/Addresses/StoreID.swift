import StoreFormats

/// Which store of a container: its kind and its name.
public struct StoreID: Hashable, Sendable {
    /// What a store is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A UserDefaults domain: the app's own, a suite, or an app group's.
        case defaults
        /// The keychain items of one service.
        case keychain
        /// A folder of files, with paths as keys.
        case file
        /// A table of a SQLite file, with the primary keys of its rows as keys; see ``SQLiteTable``.
        case sqlite
    }

    /// What the store is.
    public var kind: Kind
    /// The name of the domain, of the service, of the folder (such as `AppSupport`), or of the table.
    public var name: Name

    /// Makes the name of a store.
    public init(_ kind: Kind, _ name: Name) {
        self.kind = kind
        self.name = name
    }

    /// A UserDefaults domain.
    public static func defaults(_ name: Name) -> StoreID { StoreID(.defaults, name) }
    /// A folder of files.
    public static func files(_ name: Name) -> StoreID { StoreID(.file, name) }
    /// A keychain service.
    public static func keychain(_ service: Name) -> StoreID { StoreID(.keychain, service) }
}

extension StoreID: CustomStringConvertible {
    /// The address of the whole store, such as `defaults://com.acme.notes`.
    public var description: String { Address(store: self).description }
}
