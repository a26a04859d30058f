import StoreFormats

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
        self.init(parts: store.name.text.split(separator: "/", omittingEmptySubsequences: false))
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
