import MigrationEngine
import Migrations
import StoreFormats

/// Migrates the person of an app over stores that the caller brings, and says truthfully how that went.
///
/// ```swift
/// var manager = PersonMigrationManager(stores: stores, bundleIdentifier: "com.acme.people")
/// manager.storedPersonVersion()   // .inferred(0, decodesAs: [0])
/// try manager.applyMigration()
/// manager.person()                // Person(alias: "Peter", email: "---")
/// ```
public struct PersonMigrationManager<Stores: StoreWriter>: Sendable {
    /// The stores, with what has been migrated.
    public private(set) var stores: Stores
    /// Whether there is a person of an older version, which ``applyMigration()`` would migrate.
    public var migrationPending: Bool {
        storedPersonVersion().number.map { $0 < document.newest } ?? false
    }
    /// Why the last ``applyMigration()`` could not migrate the person that is there; `nil` where it could, or there is
    /// none.
    public private(set) var failure: Reason?
    /// Whether the last ``applyMigration()`` could not migrate the person that is there.
    public var migrationFailed: Bool { failure != nil }

    private let document: VersionedDocument

    /// Makes a manager of the person of an app.
    public init(stores: Stores, bundleIdentifier: String, location: PersonLocation = .defaults) {
        self.stores = stores
        document = PersonDocument.document(at: location.address(bundleIdentifier: bundleIdentifier))
    }

    /// The version of the person that is stored; absent, corrupt and unknown are answers of their own.
    public func storedPersonVersion() -> StoredVersion { reading().version }

    /// The person, where it is of the current version.
    public func person() -> Person? {
        let reading = reading()
        guard reading.version.number == document.newest, let value = reading.content?.document.value,
            let alias = value[JSONPointer(["alias"])]?.string, let email = value[JSONPointer(["email"])]?.string
        else { return nil }
        return Person(alias: alias, email: email)
    }

    /// Takes the person to the current version, as one change: all of its steps or none.
    ///
    /// - Returns: What was done: `migrates`, or `skipped` or `failed` with the reason.
    /// - Throws: what the stores throw where they cannot be written; then nothing has changed.
    @discardableResult
    public mutating func applyMigration() throws -> Outcome {
        let document = document
        let step = Step(
            id: "all", title: document.name, sources: [document.address], target: document.address,
            rule: "the person becomes current"
        ) { transaction, facts throws(StepStop) in
            try document.takeAll(in: &transaction, facts: facts)
        }
        var session = try LiveSession(stores: stores, ledger: MemoryLedger())
        defer { stores = session.stores }
        let outcome = try session.take(step, of: "person", stamp: .app)
        failure = [.migrates, .skipped, .unchanged].contains(outcome.kind) ? nil : outcome.reason
        return outcome
    }

    private func reading() -> DocumentReading {
        var transaction = StoreTransaction(on: stores)
        do throws(StepStop) {
            return try document.read(in: &transaction)
        } catch {
            return DocumentReading(version: .unknown(error.outcome.reason?.sentence ?? error.outcome.kind.rawValue))
        }
    }
}
