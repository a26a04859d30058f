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

    /// Feeds the kind by its number, and the name: the kind by itself would be fed as a text, for each look into a table.
    public func hash(into hasher: inout Hasher) {
        let kind: UInt8 =
            switch kind {
            case .defaults: 0
            case .keychain: 1
            case .file: 2
            case .sqlite: 3
            }
        hasher.combine(kind)
        hasher.combine(name)
    }

    /// A UserDefaults domain.
    public static func defaults(_ name: Name) -> StoreID { StoreID(.defaults, name) }
    /// A folder of files.
    public static func files(_ name: Name) -> StoreID { StoreID(.file, name) }
    /// A keychain service.
    public static func keychain(_ service: Name) -> StoreID { StoreID(.keychain, service) }
}

extension StoreID {
    /// What the names of stores begin with that hold keychain items of which nobody can tell whose they are.
    package static let unassigned = "unassigned:"

    /// Whether nobody can tell whose its items are: no migration takes them without being told to.
    package var isUnassigned: Bool { kind == .keychain && name.hasPrefix(Self.unassigned) }
}

extension StoreID: CustomStringConvertible {
    /// The address of the whole store, such as `defaults://com.acme.notes`.
    public var description: String { Address(store: self).description }
}

extension StoreID {
    /// The folders of a container that are stores of files, by the names of the stores.
    ///
    /// What lies in several of them is in the store of the innermost. A property list in ``preferencesFolder`` is a domain.
    package static let containerFolders: [(store: String, path: String)] = [
        ("AppSupport", "Library/Application Support"), ("Documents", "Documents"), ("Caches", "Library/Caches"),
        ("tmp", "tmp"), ("Library", "Library"),
    ]
    /// The one file of a dump that is a database is an entry of this store.
    package static let databaseFolder = "Files"

    /// Whether dumps have such a store of files: one of ``containerFolders``, or that of the container of an app group or an
    /// extension, which has the name of that, as an identifier is written.
    package static func isOfFiles(_ name: Name) -> Bool {
        name.utf8.contains(UInt8(ascii: ".")) || name == Name(databaseFolder)
            || containerFolders.contains { Name($0.store) == name }
    }

    /// The folder of a container that UserDefaults domains are in.
    package static let preferencesFolder = "Library/Preferences"

    /// The store that is a folder of another one; `nil` where that folder is in none of its own.
    package static func store(of folder: String, in store: String) -> String? {
        guard let outer = containerFolders.first(where: { $0.store.utf8.elementsEqual(store.utf8) }) else { return nil }
        let whole = Name(outer.path + "/" + folder)
        return containerFolders.first { Name($0.path) == whole }?.store
    }

    /// The store, or the folder of domains, that what lies at a path in a store of files is in instead; `nil` where it is an entry
    /// of that store.
    package static func otherPlace(of key: Name, in store: Name) -> String? {
        let parts = key.text.parts(at: "/")
        // No such folder is deeper.
        let inner = (1...2).reversed().lazy.compactMap { count in
            self.store(of: parts.prefix(count).joined(separator: "/"), in: store.text)
        }.first
        if let inner { return inner }
        guard key.hasSuffix(".plist") else { return nil }
        let isGroup = key.text == "\(preferencesFolder)/\(store.text).plist"
        let isOwn = "\(store.text)/\(key.text)".utf8.starts(with: "\(preferencesFolder)/".utf8)
        let isDomain = isOwn && parts.last != ".plist" && !(parts.last.map { isOfGroup($0) } ?? false)
        return isGroup || isDomain ? preferencesFolder : nil
    }

    /// Whether a list among an app's own preferences may be a file of it: it is called after a group, which may be none of the
    /// app's.
    package static func isOfGroup(_ list: some StringProtocol) -> Bool { list.hasPrefix("group.") }
}

/// A table of a SQLite file, or the file as a whole: what the name of a store of the kind ``StoreID/Kind/sqlite`` says.
///
/// The name has two or three parts, each percent-encoded, with slashes between them: the store of files that the file is an
/// entry of, its key there, and the table. So `sqlite://AppSupport/inbox%2Fmail.sqlite/messages` is the table `messages`.
public struct SQLiteTable: Hashable, Sendable {
    /// The name of the store of files.
    public var folder: Name
    /// The file's key in that store: its path.
    public var file: Name
    /// The table; `nil` for the file as a whole, which is a store only where it cannot be read.
    public var table: Name?

    /// Names a table, or a file as a whole.
    public init(_ table: Name?, of file: Name, in folder: Name) {
        self.folder = folder
        self.file = file
        self.table = table
    }

    /// What a store's name says; `nil` for a store of another kind, and for a name that is none of a table.
    public init?(_ store: StoreID) {
        guard store.kind == .sqlite else { return nil }
        self.init(parts: store.name.text.parts(at: "/"))
    }

    /// Takes encoded parts; `nil` where they are not two or three, one is empty, or one is not percent-encoded UTF-8.
    init?(parts: [Substring]) {
        let names = parts.compactMap { PercentEncoding.decode($0) }
        guard (2...3).contains(parts.count), names.count == parts.count, !names.contains(where: \.isEmpty) else {
            return nil
        }
        self.init(names.count == 3 ? Name(names[2]) : nil, of: Name(names[1]), in: Name(names[0]))
    }

    /// The store.
    public var store: StoreID {
        let parts = [folder, file] + (table.map { [$0] } ?? [])
        return StoreID(.sqlite, Name(parts.map { PercentEncoding.encode($0.text) }.joined(separator: "/")))
    }

    /// Why no step writes to one, in a sentence without a full stop.
    package static let refusal = "rows of a SQLite store are only read; Vestige does not write them"
}
