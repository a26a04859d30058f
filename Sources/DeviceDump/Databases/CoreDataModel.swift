import StoreFormats

/// Which entities of an app's model the tables of a file have that Core Data has made: it keeps their names in
/// `Z_PRIMARYKEY`.
///
/// The table of an entity is `Z` and its name in capitals. An entity that has another above it is in the table of the topmost
/// one, where `Z_ENT` of a row says which it is. `Z_3TAGS` has the relationship `tags` of the entity 3.
struct CoreDataModel: Sendable {
    private struct Entity {
        let number: Int64
        let name: String
        let parent: Int64
    }

    private let entities: [Int64: Entity]
    /// The entities in each table, by what its name has after the `Z`.
    private let byTable: [String: [Entity]]
    private static let names = "Z_PRIMARYKEY"
    private static let own: Set<String> = [
        names, "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
    /// How many entities are read; a model has hundreds.
    private static let limit = 10_000

    /// Reads what a file says; `nil` where Core Data has not made it, or what it says is damaged.
    ///
    /// - Throws: where it could be read another time, such as once nobody stops it.
    init?(of database: DatabaseSource, _ tables: [DatabaseTable]) throws(DumpError) {
        guard let names = tables.first(where: { $0.name == Self.names }),
            ["Z_ENT", "Z_NAME", "Z_SUPER"].allSatisfy(names.columns.contains)
        else { return nil }
        let found: [Entity]
        do throws(DumpError) {
            found = try database.read { db in
                try Reading.rows(
                    db, "SELECT Z_ENT, Z_NAME, Z_SUPER FROM \(names.source) WHERE typeof(Z_NAME) = 'text' LIMIT ?",
                    [Self.limit]
                ) { row in
                    Entity(number: row.integer(at: 0), name: row.literal(at: 1).text, parent: row.integer(at: 2))
                }
            }
        } catch {
            switch error.problem {
            // Rows of other tables are read all the same.
            case .brokenDatabase, .unreadDatabase: return nil
            default: throw error
            }
        }
        let entities = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
        self.entities = entities
        byTable = Dictionary(grouping: entities.values.sorted { $0.number < $1.number }) {
            Self.root(of: $0, among: entities).name.uppercased()
        }
    }

    /// What a table has; `nil` where Core Data knows nothing of it.
    func words(for table: String) -> String? {
        if Self.own.contains(table) { return "Core Data's own" }
        guard table.hasPrefix("Z") else { return nil }
        let name = table.dropFirst()
        let inside = byTable[String(name), default: []]
        guard let top = inside.first(where: { $0.name.uppercased() == name }) else { return relationship(name) }
        let others = inside.filter { $0.number != top.number }.map(\.name)
        let more = others.count > 5 ? others.prefix(5) + ["\(others.count - 5) more"] : others[...]
        return "Core Data entity \(top.name)" + (more.isEmpty ? "" : ", with \(more.joined(separator: ", "))")
    }

    /// Which entity a row is; `nil` where it does not say.
    func words(forRow row: Value) -> String? {
        guard let members = row.members, case .integer(let number)? = members["Z_ENT"], members["Z_PK"] != nil,
            let entity = Int64(exactly: number).flatMap({ entities[$0] })
        else { return nil }
        return "Core Data entity \(entity.name)"
    }

    private func relationship(_ name: Substring) -> String? {
        guard name.first == "_" else { return nil }
        let digits = name.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard let entity = Int64(digits).flatMap({ entities[$0] }) else { return nil }
        return "Core Data relationship \(name.dropFirst(digits.count + 1)) of \(entity.name)"
    }

    /// The topmost entity above one; what goes in a circle has none above it.
    private static func root(of entity: Entity, among entities: [Int64: Entity]) -> Entity {
        var top = entity
        for _ in 0..<64 {
            guard top.parent != 0, let above = entities[top.parent] else { return top }
            top = above
        }
        return entity
    }
}
