/// The name of an input that is not in a store, such as `now` or `writeKey`.
public struct FactName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The name.
    public var description: String { rawValue }
}

extension FactName {
    /// The app's bundle identifier.
    public static let bundleIdentifier: FactName = "bundleIdentifier"
    /// The app's version.
    public static let appVersion: FactName = "appVersion"
    /// The moment at which the new version starts, in seconds since 1970.
    public static let now: FactName = "now"
    /// How long the device has been up at that moment, in seconds.
    public static let uptime: FactName = "uptime"
    /// The device's `identifierForVendor`, a UUID.
    public static let identifierForVendor: FactName = "identifierForVendor"
    /// The device's system and its version, such as `17.5`; a simulator's has its name too, as in `iOS-17-5`.
    public static let systemVersion: FactName = "systemVersion"
    /// The device's locale, such as `ar_EG`.
    public static let locale: FactName = "locale"
}
