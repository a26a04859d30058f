import MigrationEngine
import StoreFormats

/// A catalog as a migration: each key that was elsewhere before is a step, run by the very code of the router.
public struct CatalogMigration: Migration {
    /// The name.
    public let id: String
    /// The name for people.
    public let title: String
    /// What it does.
    public let summary: String
    /// The only profile.
    public let profiles = [Profile(id: "default", summary: "every key of the catalog")]
    /// The facts that its steps may ask for.
    public let facts: [FactDefinition]
    private let catalog: any StorageKeyCatalog
    private let makeConfiguration: @Sendable (Facts) -> StorageConfiguration

    /// Makes a migration of a catalog.
    ///
    /// - Parameters:
    ///   - id: The name, in lower case with hyphens.
    ///   - configuration: The process-wide defaults under given facts.
    public init(
        id: String, title: String, summary: String, catalog: some StorageKeyCatalog,
        facts: [FactDefinition] = CatalogMigration.allFacts,
        configuration: @escaping @Sendable (Facts) -> StorageConfiguration = { StorageConfiguration(facts: $0) }
    ) {
        self.id = id
        self.title = title
        self.summary = summary
        self.facts = facts
        self.catalog = catalog
        makeConfiguration = configuration
    }

    /// The facts that a catalog may need.
    public static let allFacts = [
        FactDefinition(
            .bundleIdentifier, "the app's bundle identifier: the UserDefaults domain of keys without a suite",
            form: .name, example: "com.myapp"),
        FactDefinition(
            .keychainService, "the keychain service of keys without one", form: .text, example: "com.myapp"),
        FactDefinition(.appGroup, "the app group of keys without one", form: .name, example: "group.com.myapp"),
        FactDefinition(
            .storageDirectory, "the folder that files are in within their directory", form: .text, example: "LocalData"),
        FactDefinition(.appVersion, "the app's version", form: .text, example: "2.3.1"),
        FactDefinition(.deviceModel, "the device's model", form: .text, example: "iPhone15,2"),
        FactDefinition(.systemVersion, "the version of the device's system", form: .text, example: "17.5"),
    ]

    /// The keys that were elsewhere before.
    var moved: [AnyStorageKey] { catalog.allKeys.filter { $0.migration != nil } }

    /// Whether a key is at its new place or at an old one; in UserDefaults only data counts, which LocalData writes: a text
    /// of the same name is somebody else's.
    public func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        let configuration = makeConfiguration(facts)
        return moved.contains { key in
            ([key] + (key.migration?.sources ?? [])).contains { place in
                guard let address = try? configuration.address(of: place.identity) else { return false }
                switch stores.state(at: address) {
                case .absent: return false
                case .present(let value): return address.store.kind != .defaults || value.data != nil
                case .unreadable(let reason): return reason.cause != .missing
                }
            }
        }
    }

    /// The stores of the old places and of the new ones.
    public func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        let configuration = makeConfiguration(facts)
        func stores(_ keys: [AnyStorageKey]) -> [StoreID] {
            keys.compactMap { try? configuration.address(of: $0.identity).store }.reduce(into: []) { list, store in
                if !list.contains(store) { list.append(store) }
            }
        }
        return (stores(moved.flatMap { $0.migration?.sources ?? [] }), stores(moved))
    }

    /// A step for each key that was elsewhere before; a profile of another migration has none.
    public func steps(profile: Profile, facts: Facts) -> [Step] {
        guard profiles.contains(where: { $0.id == profile.id }) else { return [] }
        let configuration = makeConfiguration(facts)
        var registry = StorageRegistry(configuration)
        var refusal: StorageError?
        do throws(StorageError) { try registry.register(catalog) } catch { refusal = error }
        let names = Self.names(moved)
        return zip(moved, names).map { [registry, refusal] key, name in
            Step(
                id: name, title: key.name,
                sources: (key.migration?.sources ?? []).compactMap { try? configuration.address(of: $0.identity) },
                targetKey: Name(key.name), target: try? configuration.address(of: key.identity),
                rule: key.migration?.rule ?? "", facts: self.facts.map(\.name), reversibility: .beforeImage
            ) { transaction, facts throws(StepStop) in
                if let refusal { throw refusal.stop }
                var storage = StorageTransaction(
                    transaction, registry: registry, context: MigrationContext(facts: facts))
                // A stop keeps what was read, and the other side of a conflict.
                defer { transaction = storage.entries }
                let result: MigrationResult
                do throws(StorageError) {
                    result = try storage.forceMigration(for: key)
                } catch {
                    throw error.stop
                }
                if storage.entries.changes.isEmpty { throw result.stop(of: key.name) }
            }
        }
    }

    /// The keys as a table.
    public func tables(profile: Profile) -> [RuleTable] {
        let rows = catalog.allKeys.flatMap { key in
            [Self.row(key, rule: key.migration?.rule ?? "–")]
                + (key.migration?.sources ?? []).map { Self.row($0, rule: "old place of \(key.name)") }
        }
        return [
            RuleTable(
                "Keys of \(catalog.name)",
                columns: ["name", "type", "domain", "security", "serializer", "owner", "migration", "description"],
                rows: rows)
        ]
    }

    /// Which key an entry is, at its new place or an old one, under the configuration that no facts give.
    ///
    /// In UserDefaults only data is LocalData's; a text under the same name is somebody else's.
    public func annotation(of address: Address, in stores: any StoreReader) -> String? {
        var facts = Facts()
        if address.store.kind == .defaults {
            guard stores.state(at: address).value?.data != nil else { return nil }
            facts[.bundleIdentifier] = Fact(address.store.name.text, from: "the address")
        }
        let configuration = makeConfiguration(facts)
        for key in catalog.allKeys {
            if address == (try? configuration.address(of: key.identity)) {
                return "\(key.name) of \(key.owner), \(key.form)\n\(key.description)"
            }
            for source in key.migration?.sources ?? []
            where address == (try? configuration.address(of: source.identity)) {
                return "\(source.name) of \(source.owner), \(source.form); the old place of \(key.name)"
            }
        }
        return nil
    }

    // MARK: Parts

    private static func row(_ key: AnyStorageKey, rule: String) -> [String] {
        [
            key.name, key.valueType, key.domain.phrase, key.security.phrase, key.serializer, key.owner, rule,
            key.description,
        ]
    }

    /// A name for each step, in lower case with hyphens.
    private static func names(_ keys: [AnyStorageKey]) -> [String] {
        var taken: Set<String> = []
        return keys.map { key in
            let name = String(
                key.name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
            var candidate = name, number = 2
            while !taken.insert(candidate).inserted {
                candidate = "\(name)-\(number)"
                number += 1
            }
            return candidate
        }
    }
}
