import MigrationEngine
import StoreFormats

/// Where Convert's iOS SDK keeps what it persists.
public enum ConvertLocation {
    /// The keychain item of the visitor's id: a generic password with the service `com.convert.sdk`.
    public static let visitorID = Address(
        store: .keychain("com.convert.sdk"), key: "com.convert.sdk.visitorId")

    /// The folder of the SDK's files in Application Support, as a prefix of their keys.
    public static let folder: Name = "com.convertexperiments.sdk/"

    /// The events that have not been sent.
    public static let eventQueue = Address(store: .files("AppSupport"), key: folder + "event-queue.json")

    /// A file of one byte that is there while an upload of the events goes on in the background.
    public static let uploadMarker = Address(store: .files("AppSupport"), key: folder + "event-queue.uploading")

    /// Where the decision file may lie: first where the SDK reads it, then the folder that its guide names, then where the
    /// SDK falls back to without an Application Support folder.
    public static let decisions = [
        Address(store: .files("AppSupport"), key: decisionFile),
        Address(store: .files("AppSupport"), key: folder + decisionFile.text),
        Address(store: .files("Caches"), key: decisionFile),
        Address(store: .files("tmp"), key: decisionFile),
    ]

    private static let decisionFile: Name = "convert-decision-store.json"
    private static let mirrorKey: Name = "com.convert.sdk.visitorIdMirror"
    private static let configPrefix = folder + "config-"
    private static let configSuffix = ".json"

    /// The copy of the visitor's id in the app's own UserDefaults.
    public static func mirror(bundleIdentifier: String) -> Address { .defaults(Name(bundleIdentifier), mirrorKey) }

    /// Whether an address is that of a copy of the visitor's id.
    static func isMirror(_ address: Address) -> Bool { address.store.kind == .defaults && address.key == mirrorKey }

    /// The cached configuration of an SDK key: of the key's characters only `/` becomes another one, `_`.
    public static func config(sdkKey: String) -> Address {
        let sanitized = String(String.UnicodeScalarView(sdkKey.unicodeScalars.map { $0 == "/" ? "_" : $0 }))
        return Address(store: .files("AppSupport"), key: configPrefix + sanitized + configSuffix)
    }

    /// The sanitized SDK key in the name of a cached configuration; `nil` for any other entry.
    static func sanitizedKey(of address: Address) -> String? {
        guard address.store == .files("AppSupport"), let key = address.key, key.hasPrefix(configPrefix.text),
            key.hasSuffix(configSuffix), key.utf8.count >= configPrefix.utf8.count + configSuffix.utf8.count
        else { return nil }
        let name = key.text.dropFirst(configPrefix.text.count).dropLast(configSuffix.count)
        return name.contains("/") ? nil : String(name)
    }

    /// The cached configurations that are there, in stored order, and what stands in their place.
    static func configs(among keys: any KeyList) -> [Address] {
        (keys.names + keys.folders).map { Address(store: .files("AppSupport"), key: $0) }
            .filter { sanitizedKey(of: $0) != nil }
    }

    /// The names of cached configurations.
    static let configNames = NameListing(Name("\(configPrefix)\(NamePattern.star)\(configSuffix)"))
}
