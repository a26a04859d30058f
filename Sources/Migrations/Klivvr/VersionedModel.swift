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
    /// Whether a stored value that decodes as this type may be of this version, whatever version is stored for it.
    ///
    /// It is asked where ``inferredVersion(of:)`` tells nothing. A model whose older values decode too, and whose steps
    /// change what is in them, says `false`; otherwise such a value is taken for one that was migrated already, and not
    /// overwritten.
    static var isToldByDecoding: Bool { get }
}

extension VersionedModel {
    /// The looks tell nothing, unless a model says otherwise.
    public static func inferredVersion(of value: Value) -> Int? { nil }

    /// A value that decodes may have been migrated already.
    public static var isToldByDecoding: Bool { true }
}
