import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

extension Report {
    /// How many entries of a store are listed.
    public static let entryLimit = 10_000

    /// `vestige.inspect/1`: the containers of a dump with their stores and entries.
    ///
    /// Fields: `kind`, `path`, `warnings` (`path`, `sentence`), and `containers` (`identifier`, `kind`: app, plugin or group;
    /// `path` in the dump, `facts`, `keychain`: `state`, which is none, items or unreadable, `from`, the export's path, and
    /// `problem`: null or why it cannot be read; `warnings`, and `stores`: `address`, `problem`: null or why it cannot be read, `count`,
    /// `entries`: `key`, `address`, `type`, the type of its value or `unreadable`, and, where a migration that applies knows
    /// what the entry is, `annotations` (`migration`, `text`); at most ``entryLimit`` of them).
    ///
    /// - Parameters:
    ///   - dump: The dump.
    ///   - containers: Those to report; all of them unless told otherwise.
    ///   - migrations: The migrations that may know what an entry is.
    ///   - withEntries: Whether entries are listed, for which each value is decoded.
    public static func inspect(
        _ dump: Dump, containers: [Container]? = nil, migrations: [any Migration] = [], withEntries: Bool = true,
        reveal: Bool = false
    ) -> Report {
        let writer = ReportWriter(reveals: reveal)
        func entries(of store: StoreID, in container: Container, _ applying: [any Migration]) -> Value {
            let keys = container.keys(in: store)
            return .array(
                (0..<min(keys.count, entryLimit)).map { position in
                    let key = keys.key(at: position)
                    let state = container.state(of: key, in: store)
                    let address = Address(store: store, key: key)
                    let annotations = applying.compactMap { migration in
                        migration.annotation(of: address, in: container).map { text in
                            Value.dictionary([("migration", .string(migration.id)), ("text", writer.sentence(text))])
                        }
                    }
                    return .dictionary(
                        [
                            ("key", .string(key.text)), ("address", .string("\(address)")),
                            ("type", .string(state.value?.typeName ?? "unreadable")),
                        ] + (annotations.isEmpty ? [] : [("annotations", .array(annotations))]))
                })
        }
        func store(_ store: StoreID, of container: Container, _ applying: [any Migration]) -> Value {
            .dictionary(
                [
                    ("address", .string("\(store)")),
                    ("problem", container.problem(with: store).map(writer.unreadable) ?? .null),
                    ("count", .count(container.keys(in: store).count)),
                ] + (withEntries ? [(Name("entries"), entries(of: store, in: container, applying))] : []))
        }
        let list = (containers ?? dump.containers).map { container in
            let applying = migrations.filter { $0.applies(to: container, facts: container.facts) }
            return Value.dictionary([
                ("identifier", .string(container.identifier)), ("kind", .string(container.kind.rawValue)),
                ("path", .string(container.path)), ("facts", writer.facts(container.facts)),
                ("keychain", writer.keychain(container.keychain)),
                ("warnings", writer.warnings(container.warnings + container.storeWarnings())),
                ("stores", .array(container.stores.map { store($0, of: container, applying) })),
            ])
        }
        return Report(
            "inspect",
            [
                ("kind", .string(dump.kind.rawValue)), ("path", .string(dump.canonicalPath)),
                ("warnings", writer.warnings(dump.warnings)), ("containers", .array(list)),
            ])
    }

    /// `vestige.show/1`: one entry, a part of one, or a store.
    ///
    /// Fields: `dump`, `address`, and of an entry `state` (absent, present or unreadable) and `value`; of a store `problem`,
    /// `count` and `entries` (`key`, `address`, `value`; at most ``entryLimit``).
    ///
    /// A value is `{"type", "value"}`. The type is string, integer, real, bool, date, data, array, dictionary, set, null or
    /// uid, and of a decoded keyed archive also object (with `"class"`) and reference (with the number of the object that
    /// it is in). Data is base64. A date is ISO 8601 in UTC; outside of the years 1 to 9999 its value is null and
    /// `"secondsSinceReference"` has its number as text. An integer is a JSON number of up to 128 bits. A real that is no
    /// number is text: `"nan"`, `"inf"`. A dictionary whose keys stand twice names them in `"duplicateKeys"`. Where the
    /// bytes hold another format there is `"decoded": {"format", "value"}`, with `"formats"`, the outermost first, where
    /// there are several, or `"notDecoded"` with the reason, where that is over the budget of an answer. In place of its
    /// value a secret has `"masked": true`, and its `"length"` where it has one.
    public static func show(_ address: Address, in snapshot: WorkspaceSnapshot, reveal: Bool = false) -> Report {
        let writer = ReportWriter(reveals: reveal)
        let stores = snapshot.overlay
        var fields: [(Name, Value)] = [
            ("dump", writer.dump(snapshot.dump, snapshot.container)), ("address", .string("\(address)")),
        ]
        if address.key == nil {
            let keys = stores.keys(in: address.store)
            let entries = (0..<min(keys.count, entryLimit)).map { position in
                let entry = Address(store: address.store, key: keys.key(at: position))
                return Value.dictionary([
                    ("key", .string(keys.key(at: position).text)), ("address", .string("\(entry)")),
                    ("value", writer.state(stores.state(at: entry), at: entry)),
                ])
            }
            fields += [
                ("problem", stores.problem(with: address.store).map(writer.unreadable) ?? .null),
                ("count", .count(keys.count)), ("entries", .array(entries)),
            ]
        } else {
            let state = stores.state(at: address)
            let name =
                switch state {
                case .absent: "absent"
                case .present: "present"
                case .unreadable: "unreadable"
                }
            fields += [("state", .string(name)), ("value", writer.state(state, at: address))]
        }
        return Report("show", fields)
    }

    /// `vestige.show/1` of a dump that is a single file, as a whole: `address` is null, and there are `file` and `fileFormat`
    /// beside `state` and `value`.
    public static func show(_ file: WholeFile, in snapshot: WorkspaceSnapshot, reveal: Bool = false) -> Report {
        let writer = ReportWriter(reveals: reveal)
        let place = Address(store: snapshot.container.stores.first ?? .defaults(Name(file.name)))
        return Report(
            "show",
            [
                ("dump", writer.dump(snapshot.dump, snapshot.container)), ("address", .null),
                ("file", .string(file.name)), ("fileFormat", .string(file.format.rawValue)),
                ("state", .string("present")), ("value", writer.value(file.value, at: place)),
            ])
    }
}
