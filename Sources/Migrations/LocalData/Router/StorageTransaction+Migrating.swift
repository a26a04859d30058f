import MigrationEngine

extension StorageTransaction {
    /// Runs the migration of a key, where it has one that is not running already.
    mutating func migrate(_ key: AnyStorageKey) throws(StorageError) -> MigrationResult {
        guard let migration = key.migration, !migrating.contains(key.identity) else {
            return MigrationResult(success: true, kind: .noMigration)
        }
        if let migration = migration.base as? any ValueMigration { return try move(migration) }
        for place in [key] + migration.sources {
            _ = entries.read(try registry.configuration.address(of: place.identity))
        }
        let run = CustomRun(
            migration: migration.base, key: key, stores: entries.seen, registry: registry, context: context,
            migrating: migrating)
        guard let outcome = InlineExecutor.run({ await run.result() }) else {
            throw .migrationFailed(
                key: key.name, reason: "it waits for something besides the router, which a step cannot do")
        }
        let (result, changes) = try outcome.get()
        try replay(changes)
        return result
    }

    /// Moves a value from where it was to where it belongs; every migration of values converges by this rule.
    ///
    /// | old | new | result |
    /// |---|---|---|
    /// | – | – | nothing to migrate |
    /// | – | there | already migrated |
    /// | there | – | written to the new place and taken from the old one, in one change of the stores |
    /// | there | equal | the old copy is taken away |
    /// | there | different | ``StorageError/copiesDiffer(key:new:old:)``, and both stay |
    ///
    /// What cannot be read is never taken for absent.
    public mutating func move(_ migration: some ValueMigration) throws(StorageError) -> MigrationResult {
        let key = migration.destinationKey
        if let refusal = try migration.refusal(in: context) {
            return MigrationResult(success: true, kind: .declined, message: refusal)
        }
        let new = try registry.configuration.address(of: key.identity)
        var old: [Address] = []
        for source in migration.sources {
            let address = try registry.configuration.address(of: source.identity)
            guard address != new else { throw .sourceIsDestination(key: key.name, new) }
            if entries.read(address) != .absent { old.append(address) }
        }
        let present = try stored(key)
        guard let value = try migration.value(in: &self) else {
            return MigrationResult(success: true, kind: present == nil ? .nothingToMigrate : .alreadyMigrated)
        }
        guard let present else {
            try write(value, to: key, from: old, rule: migration.rule)
            old.forEach { entries.remove($0, rule: "moved to \(new)") }
            return MigrationResult(success: true, kind: .migrated)
        }
        // Compared as values: the same value may have been serialized in another way.
        guard try serialized(present, by: key) == serialized(value, by: key) else {
            try? write(value, to: key, from: old, rule: migration.rule, policy: .keepExisting)
            throw .copiesDiffer(key: key.name, new: new, old: old)
        }
        old.forEach { entries.remove($0, rule: "both copies are equal; the one at \(new) stays", effect: .carried) }
        return MigrationResult(
            success: true, kind: .copiesEqual, message: "both copies are equal; the old one is taken away")
    }

    private mutating func replay(_ changes: [Change]) throws(StorageError) {
        for change in changes {
            guard let value = change.after else {
                // What the run itself told, such as of an equal copy; a loss may still be taken on by another change.
                let effect = change.effect == .dropped ? nil : change.effect
                entries.remove(change.address, rule: change.rule, notes: change.notes, effect: effect)
                continue
            }
            do {
                try entries.write(
                    value, to: change.address, from: change.from, rule: change.rule, notes: change.notes,
                    policy: .replaceExisting)
            } catch {
                throw .storeFailed(error.outcome.reason?.sentence ?? error.outcome.kind.rawValue)
            }
        }
    }
}
