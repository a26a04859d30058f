import MigrationEngine
import StoreFormats

/// Runs a migration of one's own on stores of its own, and returns what it did there.
struct CustomRun: Sendable {
    let migration: any StorageMigration
    let key: AnyStorageKey
    let stores: any StoreReader
    let registry: StorageRegistry
    let context: MigrationContext
    let migrating: Set<StorageKeyIdentity>

    /// What the migration says and changed; nothing is changed in ``stores``.
    func result() async -> Result<(MigrationResult, [Change]), StorageError> {
        let router = router(on: stores)
        do {
            guard try await migration.shouldMigrate(using: router, context: context) else {
                return .success((MigrationResult(success: true, kind: .declined, message: await advice()), []))
            }
            let result = try await migration.migrate(using: router, context: context)
            guard result.success else {
                let reason = result.message ?? "it says that it did not succeed"
                return .failure(.migrationFailed(key: key.name, reason: reason))
            }
            let changes = (await router.stores as? ScratchStores)?.changes ?? []
            if changes.isEmpty, try isAbsent {
                let message = "its migration says that it succeeded, and wrote nothing"
                return .success((MigrationResult(success: true, kind: .declined, message: message), []))
            }
            return .success((result, changes))
        } catch let error as StorageError {
            return .failure(error)
        } catch {
            return .failure(.migrationFailed(key: key.name, reason: StorageError.words(of: error)))
        }
    }

    private var isAbsent: Bool {
        get throws(StorageError) { stores.state(at: try registry.configuration.address(of: key.identity)) == .absent }
    }

    /// Says so where a check is the wrong way round: it asks for the destination, which is absent whenever it is asked.
    private func advice() async -> String? {
        guard (try? isAbsent) ?? false, let place = try? registry.configuration.address(of: key.identity) else {
            return nil
        }
        var filled = Overlay(stores)
        let content: Value = place.store.kind == .keychain ? KeychainItem(text: "").value : .string("")
        filled.apply(Change(address: place, before: .absent, after: content, rule: "a trial"))
        guard let answer = try? await migration.shouldMigrate(using: router(on: filled), context: context), answer
        else {
            return nil
        }
        return """
            its shouldMigrate is true only where \(key.name) exists already; it is asked where \(key.name) does not \
            exist, so this migration never runs: the check is the wrong way round
            """
    }

    private func router(on stores: any StoreReader) -> StorageRouter {
        StorageRouter(
            stores: ScratchStores(stores), registry: registry, context: context,
            migrating: migrating.union([key.identity]))
    }
}

/// Stores that keep what is written to them to themselves.
struct ScratchStores: StoreWriter {
    private var transaction: StoreTransaction

    init(_ base: any StoreReader) { transaction = StoreTransaction(on: base) }

    /// What was written, one change for each entry.
    var changes: [Change] { transaction.changes }

    var stores: [StoreID] { transaction.seen.stores }
    var problem: Unreadable? { transaction.seen.problem }
    func problem(with store: StoreID) -> Unreadable? { transaction.seen.problem(with: store) }
    func keys(in store: StoreID) -> any KeyList { transaction.seen.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState { transaction.seen.state(of: key, in: store) }

    mutating func commit(_ changes: [Change]) throws {
        for change in changes {
            guard let value = change.after else {
                transaction.remove(change.address, rule: change.rule, notes: change.notes)
                continue
            }
            try transaction.write(
                value, to: change.address, from: change.from, rule: change.rule, notes: change.notes,
                policy: .replaceExisting)
        }
    }
}
