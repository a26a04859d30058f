import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Synchronization

/// What takes the stored bytes of a model from one version to the next.
public typealias MigrationStep = @Sendable (Data) throws -> Data

/// The steps of models from each version to the next, and their running in sequence.
///
/// ```swift
/// let pipeline = MigrationPipeline()
/// pipeline.register(model: "user_profile", fromVersion: 1) { data in … }
/// let current = try pipeline.migrate(model: "user_profile", data: stored, fromVersion: 1, toVersion: 3)
/// ```
public final class MigrationPipeline: Sendable {
    private let steps = Mutex<[String: [Int: MigrationStep]]>([:])

    /// Makes a pipeline without steps.
    public init() {}

    /// Registers the step of a model from a version to the next; a step that is registered for it already is replaced.
    public func register(model: String, fromVersion: Int, migration: @escaping MigrationStep) {
        steps.withLock { $0[model, default: [:]][fromVersion] = migration }
    }

    /// The bytes of one version as those of another, in memory; the same bytes where it is not a later one.
    ///
    /// - Throws: ``MigrationError/missingMigration(model:from:to:)``, or ``MigrationError/migrationFailed(model:from:reason:)``
    ///   with the version that the failing step starts from.
    public func migrate(
        model: String, data: Data, fromVersion: Int, toVersion: Int
    ) throws(MigrationError) -> Data {
        let registered = steps.withLock { $0[model] ?? [:] }
        var data = data, version = fromVersion
        while version < toVersion {
            guard let step = registered[version] else {
                throw .missingMigration(model: model, from: version, to: version + 1)
            }
            do {
                data = try step(data)
            } catch {
                throw .migrationFailed(model: model, from: version, reason: MigrationFailure(error))
            }
            version += 1
        }
        return data
    }
}

extension MigrationPipeline {
    /// Registers the steps of ``UserProfile`` from version 1 to 3.
    ///
    /// - Parameter locale: The device's locale, such as `ar_EG`: its language becomes that of the preferences.
    public func registerUserProfile(locale: String) {
        let facts = Facts([.locale: Fact(locale, from: "the caller")])
        for step in UserProfileDocument.steps {
            register(model: UserProfile.modelIdentifier, fromVersion: step.from) { data in
                try step.apply(to: JSONDocument(data), facts: facts).document.data
            }
        }
    }
}
