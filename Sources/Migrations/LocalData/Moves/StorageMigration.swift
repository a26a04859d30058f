import MigrationEngine

/// A migration of one's own, asked and run by a router.
///
/// What it does through the router takes effect as a whole when it returns with success, and not at all otherwise.
public protocol StorageMigration<Value>: Sendable {
    /// The type of the value.
    associatedtype Value: Codable & Sendable

    /// The key whose value it provides.
    var destinationKey: StorageKey<Value> { get }

    /// The keys that it reads; the router lets it use them though they are in no catalog.
    var sources: [AnyStorageKey] { get }

    /// What it does, for people.
    var rule: String { get }

    /// Whether there is something to do. On `get` this is asked only where the destination is absent.
    func shouldMigrate(using router: StorageRouter, context: MigrationContext) async throws -> Bool

    /// Does it.
    func migrate(using router: StorageRouter, context: MigrationContext) async throws -> MigrationResult
}

extension StorageMigration {
    /// None.
    public var sources: [AnyStorageKey] { [] }
    /// That it is code.
    public var rule: String { "by code: \(Self.self)" }
}

/// A migration that makes the new value of old ones; the router moves it.
///
/// All of them converge by the same rule (``StorageTransaction/move(_:)``).
public protocol ValueMigration<Value>: StorageMigration {
    /// The value that the sources make, or `nil` where none of them is there.
    func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value?

    /// Why it does not apply, or `nil` where it does.
    func refusal(in context: MigrationContext) throws(StorageError) -> String?
}

extension ValueMigration {
    /// It always applies.
    public func refusal(in context: MigrationContext) throws(StorageError) -> String? { nil }

    /// Whether the sources make a value.
    public func shouldMigrate(using router: StorageRouter, context: MigrationContext) async throws -> Bool {
        guard try refusal(in: context) == nil else { return false }
        return try await router.perform { transaction throws(StorageError) in try value(in: &transaction) != nil }
    }

    /// Moves the value.
    public func migrate(using router: StorageRouter, context: MigrationContext) async throws -> MigrationResult {
        try await router.perform { transaction throws(StorageError) in try transaction.move(self) }
    }
}

/// A migration of whatever type.
public struct AnyStorageMigration: Sendable {
    /// The migration.
    public let base: any StorageMigration

    /// Takes the type from a migration.
    public init(_ base: some StorageMigration) { self.base = base }

    /// The keys that it reads.
    public var sources: [AnyStorageKey] { base.sources }
    /// What it does, for people.
    public var rule: String { base.rule }
}

/// What a migration may know of the device; it is given, never asked of the machine.
public struct MigrationContext: Hashable, Sendable {
    /// The app's version.
    public var appVersion: String?
    /// The device's model.
    public var deviceModel: String?
    /// The version of its system.
    public var systemVersion: String?

    /// Makes a context.
    public init(appVersion: String? = nil, deviceModel: String? = nil, systemVersion: String? = nil) {
        self.appVersion = appVersion
        self.deviceModel = deviceModel
        self.systemVersion = systemVersion
    }

    /// The context that facts give.
    public init(facts: Facts) {
        self.init(
            appVersion: facts[.appVersion]?.value, deviceModel: facts[.deviceModel]?.value,
            systemVersion: facts[.systemVersion]?.value)
    }
}

/// What a migration did.
public struct MigrationResult: Hashable, Sendable {
    /// The kinds of result; ``StorageError/copiesDiffer(key:new:old:)`` is the one that is an error.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The value is at its new place, and no longer at the old one.
        case migrated
        /// Both places held the same value; the old copy is gone.
        case copiesEqual = "copies-equal"
        /// The value is at its new place, and there is no old one.
        case alreadyMigrated = "already-migrated"
        /// There is neither an old nor a new value.
        case nothingToMigrate = "nothing-to-migrate"
        /// The key has no migration.
        case noMigration = "no-migration"
        /// The migration does not apply now.
        case declined
        /// The migration itself does not say.
        case unspecified
    }

    /// Whether it did what it had to do.
    public var success: Bool
    /// What it did.
    public var kind: Kind
    /// What there is to say of it.
    public var message: String?

    /// Makes a result.
    public init(success: Bool, kind: Kind = .unspecified, message: String? = nil) {
        self.success = success
        self.kind = kind
        self.message = message
    }
}
