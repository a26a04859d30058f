import MigrationEngine

/// Reads and writes registered keys in stores, and migrates a value when it is first asked for.
///
/// There is no shared one: its stores, its configuration and what it knows of the device are given.
public actor StorageRouter {
    private(set) var stores: any StoreWriter
    private var registry: StorageRegistry
    private let context: MigrationContext
    private let migrating: Set<StorageKeyIdentity>

    /// Makes a router.
    public init(
        stores: any StoreWriter, configuration: StorageConfiguration, context: MigrationContext = MigrationContext()
    ) {
        self.init(stores: stores, registry: StorageRegistry(configuration), context: context, migrating: [])
    }

    init(
        stores: any StoreWriter, registry: StorageRegistry, context: MigrationContext,
        migrating: Set<StorageKeyIdentity>
    ) {
        self.stores = stores
        self.registry = registry
        self.context = context
        self.migrating = migrating
    }

    /// Registers a catalog beside those that are, as a whole or not at all.
    ///
    /// - Parameter migrateImmediately: Whether to migrate every key of it now.
    /// - Returns: What became of each key, where they were migrated; a failure of one does not stop the others.
    /// - Throws: ``StorageError`` where a name is taken, a description is missing, or a key contradicts itself.
    @discardableResult
    public func registerCatalog(
        _ catalog: some StorageKeyCatalog, migrateImmediately: Bool = false
    ) async throws(StorageError) -> [KeyMigrationReport] {
        try registry.register(catalog)
        guard migrateImmediately else { return [] }
        return await sweep(catalog.allKeys)
    }

    /// Migrates every registered key.
    public func migrateAll() async -> [KeyMigrationReport] { await sweep(registry.keys) }

    /// The registered keys in order.
    public var registeredKeys: [AnyStorageKey] { registry.keys }

    /// The value of a key: at its own place, or else migrated there from where it was.
    ///
    /// - Throws: ``StorageError``.
    public func get<Value>(_ key: StorageKey<Value>) async throws(StorageError) -> Value {
        let key = key, any = AnyStorageKey(key)
        guard isCustom(any) else { return try perform { transaction throws(StorageError) in try transaction.get(key) } }
        let found = try perform { transaction throws(StorageError) in
            try transaction.registry.check(key.identity)
            return try transaction.stored(key)
        }
        if let found { return found }
        let result = try await runCustom(any)
        guard let value = try perform({ transaction throws(StorageError) in try transaction.stored(key) }) else {
            throw .notFound(key: key.name, advice: result.message)
        }
        return value
    }

    /// Gives a key a value.
    public func set<Value>(_ value: Value, for key: StorageKey<Value>) async throws(StorageError) {
        try perform { transaction throws(StorageError) in try transaction.set(value, for: key) }
    }

    /// Whether a key has a value at its own place.
    public func exists<Value>(_ key: StorageKey<Value>) async throws(StorageError) -> Bool {
        try perform { transaction throws(StorageError) in try transaction.exists(key) }
    }

    /// Takes the value of a key away from its own place.
    public func remove<Value>(_ key: StorageKey<Value>) async throws(StorageError) {
        try perform { transaction throws(StorageError) in try transaction.remove(key) }
    }

    /// Migrates a key whether or not it has a value.
    ///
    /// - Throws: ``StorageError``; ``StorageError/copiesDiffer(key:new:old:)`` where both places hold different values.
    public func forceMigration<Value>(for key: StorageKey<Value>) async throws(StorageError) -> MigrationResult {
        try await force(AnyStorageKey(key))
    }

    /// Runs several things and makes their changes as one, or none of them where it throws.
    public func perform<Result: Sendable>(
        _ body: @Sendable (inout StorageTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var transaction = StorageTransaction(
            StoreTransaction(on: stores), registry: registry, context: context, migrating: migrating)
        let result = try body(&transaction)
        do { try stores.commitChecked(transaction.entries.changes) } catch { throw .storeFailed("\(error)") }
        return result
    }

    // MARK: Parts

    private func sweep(_ keys: [AnyStorageKey]) async -> [KeyMigrationReport] {
        var reports: [KeyMigrationReport] = []
        for key in keys {
            do throws(StorageError) {
                reports.append(KeyMigrationReport(key: key.name, outcome: .success(try await force(key))))
            } catch {
                reports.append(KeyMigrationReport(key: key.name, outcome: .failure(error)))
            }
        }
        return reports
    }

    private func force(_ key: AnyStorageKey) async throws(StorageError) -> MigrationResult {
        try registry.check(key.identity)
        if isCustom(key) { return try await runCustom(key) }
        return try perform { transaction throws(StorageError) in try transaction.forceMigration(for: key) }
    }

    private func isCustom(_ key: AnyStorageKey) -> Bool {
        key.migration.map { !($0.base is any ValueMigration) } ?? false
    }

    private func runCustom(_ key: AnyStorageKey) async throws(StorageError) -> MigrationResult {
        guard let migration = key.migration, !migrating.contains(key.identity) else {
            return MigrationResult(success: true, kind: .noMigration)
        }
        let run = CustomRun(
            migration: migration.base, key: key, stores: stores, registry: registry, context: context,
            migrating: migrating)
        let (result, changes) = try await run.result().get()
        do {
            // Others may have used this router while the migration was waiting.
            try stores.commitChecked(changes)
        } catch LiveSessionError.changedMeanwhile {
            throw .migrationFailed(key: key.name, reason: "what it changes was changed meanwhile; try again")
        } catch {
            throw .storeFailed("\(error)")
        }
        return result
    }
}

/// What became of a key in a sweep.
public struct KeyMigrationReport: Sendable {
    /// The name of the key.
    public let key: String
    /// What its migration did, or why it failed.
    public let outcome: Result<MigrationResult, StorageError>
}
