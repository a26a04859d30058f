import Foundation
import MigrationEngine
import StoreFormats

/// A model whose stored form changes from one version of an app to the next.
public protocol VersionedModel: Codable, Sendable {
    /// The version that this type is, from 1.
    static var schemaVersion: Int { get }
    /// The name under which its migrations are registered.
    static var modelIdentifier: String { get }
    /// The version that a stored value looks like, or `nil` where its looks tell nothing.
    ///
    /// It is asked where the version that is stored, or assumed, may be wrong.
    static func inferredVersion(of value: Value) -> Int?
}

extension VersionedModel {
    /// The looks tell nothing, unless a model says otherwise.
    public static func inferredVersion(of value: Value) -> Int? { nil }
}
