import MigrationEngine

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
