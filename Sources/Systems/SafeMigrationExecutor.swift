import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats

/// Migrates a stored model with a backup, so that at every moment the stores hold the old value with its version or the
/// new one with its version.
///
/// 1. The version is read from `‹key›_schema_version`; where there is none it is 1.
/// 2. The value is sealed into `‹key›_backup_v‹version›`. A backup of that name with another content stays, and the new
///    one gets the next free name: `‹key›_backup_v‹version›-2`.
/// 3. The pipeline runs in memory, and its result is decoded as the model.
/// 4. Value and version are saved in one commit.
/// 5. The backup is removed.
///
/// A failure leaves the value, its version and the backup; trying again finds the backup and goes on from there.
public struct SafeMigrationExecutor<Storage: StoreWriter, Backups: StoreWriter>: Sendable {
    /// The store of values and versions.
    public private(set) var storage: KeychainStore<Storage>
    /// The store of backups.
    public private(set) var backupStore: EncryptedFileStore<Backups>
    private let pipeline: MigrationPipeline
    private let assumedVersion: Int?

    /// Makes an executor.
    ///
    /// - Parameter assumedVersion: The version of a value that looks newer than is stored, or for which no version is
    ///   stored. Where it is `nil`, a value that looks newer is refused, and one without a version is of version 1.
    public init(
        storage: KeychainStore<Storage>, pipeline: MigrationPipeline, backupStore: EncryptedFileStore<Backups>,
        assumedVersion: Int? = nil
    ) {
        self.storage = storage
        self.pipeline = pipeline
        self.backupStore = backupStore
        self.assumedVersion = assumedVersion
    }

    /// The key of the version of a value.
    public static func versionKey(for key: String) -> String { "\(key)_schema_version" }
    /// The key of the backup of a value of a version.
    public static func backupKey(for key: String, version: Int) -> String { "\(key)_backup_v\(version)" }

    /// Migrates the value under a key where it is of an older version, and returns it.
    ///
    /// - Returns: The value in its current version, or `nil` where neither a value nor a version is stored: a fresh
    ///   install, with nothing to do.
    /// - Throws: ``MigrationError``.
    public mutating func executeMigration<T: VersionedModel>(
        for type: T.Type, key: String
    ) throws(MigrationError) -> T? {
        let model = T.modelIdentifier, target = T.schemaVersion
        let stored = try storedVersion(for: key, of: model)
        guard let raw = try rawValue(for: key, of: model, version: stored ?? VersionClaim.missing) else {
            guard let stored else { return nil }
            throw .corruptedData(
                model: model, version: stored,
                reason: MigrationFailure("its version is stored, and the value itself is not there"))
        }
        let claim = VersionClaim(stored: stored, looksLike: looksLike(raw, type, stored: stored))
        let version =
            (stored ?? 1) < 1 ? 0 : try claim.version(of: model, known: target, assumed: assumedVersion)
        guard (1...max(target, 1)).contains(version) else {
            throw .corruptedData(
                model: model, version: stored ?? version,
                reason: MigrationFailure("its version is \(stored ?? version), and versions are from 1 to \(target)"))
        }
        if version == target {
            let value = try decode(type, from: raw, version: version)
            if stored != target { try record(target, for: key, of: model) }
            return value
        }
        return try migrate(type, key: key, raw: raw, stored: stored, from: version)
    }

    private mutating func migrate<T: VersionedModel>(
        _ type: T.Type, key: String, raw: Data, stored: Int?, from version: Int
    ) throws(MigrationError) -> T {
        let model = T.modelIdentifier, target = T.schemaVersion
        let backup: String
        do {
            backup = try backUp(raw, key: key, version: version)
        } catch {
            throw .migrationFailed(model: model, from: version, reason: MigrationFailure(error))
        }
        let migrated: Data, value: T
        do {
            migrated = try pipeline.migrate(model: model, data: raw, fromVersion: version, toVersion: target)
            value = try JSONDecoder().decode(type, from: migrated)
            try save(migrated, target, for: key, of: model, from: version)
        } catch LiveSessionError.torn(let error, let second) {
            let failure = MigrationFailure(error), reason = MigrationFailure(second)
            throw .migrationFailed(
                model: model, from: version,
                reason: MigrationFailure(
                    "\(failure); putting back the old value failed too: \(reason); it is in \(backup)"))
        } catch {
            throw .migrationFailed(model: model, from: version, reason: MigrationFailure(error))
        }
        // What is left is a copy that does no harm; the next migration of this version takes it for its own.
        try? backupStore.delete(forKey: backup)
        return value
    }

    // MARK: Parts

    private func storedVersion(for key: String, of model: String) throws(MigrationError) -> Int? {
        do {
            return try storage.retrieve(Int.self, forKey: Self.versionKey(for: key))
        } catch {
            throw .corruptedData(model: model, version: VersionClaim.missing, reason: MigrationFailure(error))
        }
    }

    private func rawValue(for key: String, of model: String, version: Int) throws(MigrationError) -> Data? {
        do {
            return try storage.readRaw(forKey: key)
        } catch {
            throw .corruptedData(model: model, version: version, reason: MigrationFailure(error))
        }
    }

    /// The version that a value looks like: as the model says; else current, if it decodes and the steps from its version
    /// would overwrite something in it.
    ///
    /// Such a value has most likely been migrated by something that was interrupted before it could store the version.
    private func looksLike<T: VersionedModel>(_ raw: Data, _ type: T.Type, stored: Int?) -> Int? {
        guard let value = try? JSONDocument(raw).value else { return nil }
        if let version = T.inferredVersion(of: value) { return version }
        let version = stored ?? VersionClaim.missing
        guard T.isToldByDecoding, version < T.schemaVersion, (try? JSONDecoder().decode(type, from: raw)) != nil
        else { return nil }
        let migrated = try? pipeline.migrate(
            model: T.modelIdentifier, data: raw, fromVersion: version, toVersion: T.schemaVersion)
        guard stored != nil, let after = migrated.flatMap({ try? JSONDocument($0).value }), after.keeps(value)
        else { return T.schemaVersion }
        return nil
    }

    private func decode<T: VersionedModel>(_ type: T.Type, from raw: Data, version: Int) throws(MigrationError) -> T {
        do {
            return try JSONDecoder().decode(type, from: raw)
        } catch {
            throw .corruptedData(model: T.modelIdentifier, version: version, reason: MigrationFailure(error))
        }
    }

    /// Seals the value under the first name that is free or holds just that, and returns the name.
    private mutating func backUp(_ raw: Data, key: String, version: Int) throws -> String {
        let name = Self.backupKey(for: key, version: version)
        for number in 1...99 {
            let candidate = number == 1 ? name : "\(name)-\(number)"
            do {
                guard let present = try backupStore.read(forKey: candidate) else {
                    try backupStore.write(raw, forKey: candidate)
                    return candidate
                }
                if present == raw { return candidate }
            } catch is SealError {
                // What cannot be opened now may be opened by somebody: it stays.
                continue
            }
        }
        throw MigrationFailure("there are 99 different backups named \(name) already; remove those that nobody needs")
    }

    /// Keeps the new value with its version, as one step.
    private mutating func save(
        _ value: Data, _ version: Int, for key: String, of model: String, from old: Int
    ) throws {
        let storage = storage
        let step = Step(
            id: "v\(old)-\(version)", title: model, sources: [storage.address(key)], target: storage.address(key),
            rule: "migrated"
        ) { transaction, _ throws(StepStop) in
            try storage.write(value, forKey: key, in: &transaction)
            try storage.write(Self.data(version), forKey: Self.versionKey(for: key), in: &transaction)
        }
        var session = try LiveSession(stores: storage.stores, ledger: MemoryLedger())
        defer { self.storage.stores = session.stores }
        let outcome = try session.take(step, of: model, stamp: .app)
        guard [.migrates, .unchanged].contains(outcome.kind) else { throw StepStop(outcome: outcome) }
    }

    private mutating func record(_ version: Int, for key: String, of model: String) throws(MigrationError) {
        do {
            try storage.saveRaw(Self.data(version), forKey: Self.versionKey(for: key))
        } catch {
            throw .migrationFailed(model: model, from: version, reason: MigrationFailure(error))
        }
    }

    private static func data(_ version: Int) -> Data { Data(String(version).utf8) }
}

extension Value {
    /// Whether all of an older value is in this one, unchanged.
    fileprivate func keeps(_ older: Value) -> Bool {
        guard case .dictionary(let old) = older, case .dictionary(let new) = self else {
            return isEquivalentJSON(to: older)
        }
        return old.allSatisfy { member in new[member.key]?.keeps(member.value) ?? false }
    }
}
