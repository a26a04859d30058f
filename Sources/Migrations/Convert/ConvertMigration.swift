import MigrationEngine
import StoreFormats

/// The migration of what Convert's iOS SDK persisted to what its released versions read.
///
/// The rules are those of Convert's page on persistent storage (seed 003); where the software differs, each step says so.
public struct ConvertMigration: Migration {
    /// Makes the migration.
    public init() {}

    /// The name.
    public let id = "convert"
    /// The name for people.
    public let title = "Convert iOS SDK: persistent storage"
    /// What it does.
    public let summary = """
        Brings the visitor's id in keychain and UserDefaults together, takes old decision files to the form that the SDK \
        reads, and sets corrupt files aside that the SDK would delete or write over.
        """

    /// What becomes of a mirror that holds another id than the keychain.
    public let profiles = [Self.documented, Self.repairMirror]

    private static let documented = Profile(
        id: "documented", summary: "as documented: of two ids the keychain's wins, and the mirror is left as it is")
    private static let repairMirror = Profile(
        id: "repair-mirror", summary: "as documented, and a mirror with another id gets the keychain's")

    /// The facts that its steps may ask for.
    public let facts = [
        FactDefinition(
            .bundleIdentifier, "the app's bundle identifier, which names the UserDefaults that the mirror is in",
            form: .name, example: "com.acme.shop"),
        FactDefinition(
            .freshVisitorID, "the id that a visitor gets who has none", form: .uuid,
            example: "550E8400-E29B-41D4-A716-446655440000", isFresh: true),
        FactDefinition(
            .sdkKeys, "the SDK keys that the app starts Convert with, separated by commas; only for telling them apart",
            form: .text, example: "100413/100410, 100413_100410"),
    ]

    /// Whether the SDK left anything.
    public func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        // Where nobody says whose they are, the app's own may be any of the domains that are there.
        let domains =
            facts[.bundleIdentifier].map { [Name($0.value)] }
            ?? stores.stores.filter { $0.kind == .defaults }.map(\.name)
        let entries =
            [ConvertLocation.visitorID] + ConvertLocation.decisions
            + domains.map { ConvertLocation.mirror(bundleIdentifier: $0.text) }
        let isHeld = entries.contains { entry in
            guard let key = entry.key else { return false }
            if stores.keys(in: entry.store).contains(key) { return true }
            // What stands in place of a file is not listed.
            guard entry.store.kind == .file, case .unreadable(let reason) = stores.state(at: entry) else {
                return false
            }
            return reason.cause != .missing
        }
        let files = stores.keys(in: .files("AppSupport"))
        // Where the SDK's folder cannot be listed, whoever asks is told that this was looked for.
        _ = files.problem(under: ConvertLocation.folder)
        return isHeld || (0..<files.count).contains { files.key(at: $0).hasPrefix(ConvertLocation.folder.text) }
    }

    /// The app's own UserDefaults and its files, and the keychain; most files are migrated where they are.
    public func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        let own = facts[.bundleIdentifier].map { [StoreID.defaults(Name($0.value))] } ?? []
        return (own + [.files("AppSupport")], [ConvertLocation.visitorID.store])
    }

    /// The visitor's id first, then decisions, events and configurations; a profile of another migration has no steps.
    public func steps(profile: Profile, facts: Facts) -> [Step] {
        guard profiles.contains(where: { $0.id == profile.id }) else { return [] }
        let mirror = facts[.bundleIdentifier].map { ConvertLocation.mirror(bundleIdentifier: $0.value) }
        return [
            .convertKeychain(mirror: mirror), .convertMirror(mirror, repairs: profile.id == Self.repairMirror.id),
            .convertDecisionsPlace, .convertDecisionsFlat, .convertDecisionsCorrupt, .convertDecisionsParts,
            .convertDecisionsOrder, .convertQueueCorrupt, .convertQueueUpload, .convertConfigCorrupt,
            .convertConfigNames,
        ]
    }
}

extension FactName {
    /// The id that a visitor gets who has none, a UUID.
    public static let freshVisitorID: FactName = "freshVisitorId"
    /// The SDK keys that the app starts Convert with, separated by commas.
    public static let sdkKeys: FactName = "sdkKeys"
}
