import MigrationEngine
import StoreFormats

extension Dump.Kind {
    /// A single SQLite file.
    package static let database = Dump.Kind(rawValue: "database")
}

/// One SQLite file by itself, as a support mail brings it, with the log that lies beside it.
///
/// Nothing says where in its app it was, so that it is in a folder of its own: `sqlite://Files/notes.sqlite/notes`.
struct SingleDatabase: DumpForm {
    let words: String? = "a single SQLite file"
    let innerFolders: [DumpPath] = []

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard let file = source.loneFile, try source.head(of: file).starts(with: SQLiteMagic.database) else {
            return nil
        }
        return .open(.database) { (source, _) throws(DumpError) in Self.contents(of: source) }
    }

    /// Whether a file is one.
    static func isDatabase(_ source: DumpSource) -> Bool {
        guard let file = source.loneFile, let head = try? source.head(of: file) else { return false }
        return head.starts(with: SQLiteMagic.database)
    }

    private static func contents(of source: DumpSource) -> DumpContents {
        guard let file = source.loneFile else { return DumpContents(containers: []) }
        var facts = Facts()
        if let given = source.bundleIdentifier { facts[.bundleIdentifier] = Fact(given, from: .given("--fact")) }
        let identifier = source.bundleIdentifier ?? file.name
        let container = Container(
            identifier, .app, at: .root, of: source.files, facts: facts, warnings: [],
            places: ContainerPlaces(database: file, of: identifier))
        return DumpContents(containers: [container])
    }
}
