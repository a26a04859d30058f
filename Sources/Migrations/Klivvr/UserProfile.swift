import Foundation
import MigrationEngine
import StoreFormats

/// The profile of a user, as version 3 of the app keeps it.
public struct UserProfile: VersionedModel, Hashable {
    /// The version of this type.
    public static let schemaVersion = 3
    /// The name under which its migrations are registered, and the key that it is kept under.
    public static let modelIdentifier = "user_profile"

    /// The user.
    public let userId: String
    /// The name to show.
    public let displayName: String
    /// The address for mail.
    public let email: String
    /// How the user wants the app; since version 2.
    public let preferences: UserPreferences
    /// What the user is told; since version 3.
    public let notificationSettings: NotificationSettings

    /// The version that a stored profile looks like: that of the newest field that is there, whatever is in it.
    public static func inferredVersion(of value: Value) -> Int? {
        guard let members = value.members else { return nil }
        return members["notificationSettings"] != nil ? 3 : members["preferences"] != nil ? 2 : 1
    }
}

/// How a user wants the app.
public struct UserPreferences: Codable, Hashable, Sendable {
    /// `system`, `light` or `dark`.
    public let theme: String
    /// The code of a language, such as `ar`.
    public let language: String
    /// The code of a currency, such as `EGP`.
    public let currency: String
}

/// What a user is told.
public struct NotificationSettings: Codable, Hashable, Sendable {
    /// Whether by push notification.
    public let pushEnabled: Bool
    /// Whether by e-mail.
    public let emailEnabled: Bool
    /// Whether of transactions.
    public let transactionAlerts: Bool
    /// Whether the user has opted in to marketing.
    public let marketingOptIn: Bool
}

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
