import MigrationEngine
import StoreFormats

/// The versions of a stored profile and what leads from each to the next: the one definition that the pipeline, the
/// steps of the migration and its printed rules are made of.
package enum UserProfileDocument {
    /// What each version has.
    static let shapes = [
        DocumentShape(version: 1, user, without: ["preferences", "notificationSettings"]),
        DocumentShape(
            version: 2, fields: fields(user) + preferences, without: [JSONPointer(["notificationSettings"])]),
        DocumentShape(version: 3, fields: fields(user) + preferences + notificationSettings),
    ]

    /// What leads from each version to the next; a field that is there already is replaced, as the original does it.
    package static let steps = [
        DocumentStep(
            from: 1,
            [
                .add(
                    JSONPointer(["preferences"]),
                    .facts(.locale, phrase: #"{"theme":"system","language":‹of the locale›,"currency":"USD"}"#) {
                        facts throws(StepStop) in
                        .dictionary([
                            ("theme", .string("system")), ("language", .string(try language(facts))),
                            ("currency", .string("USD")),
                        ])
                    }, existing: .replace)
            ]),
        DocumentStep(
            from: 2,
            [
                .add(
                    JSONPointer(["notificationSettings"]),
                    .value(
                        .dictionary([
                            ("pushEnabled", .bool(true)), ("emailEnabled", .bool(true)),
                            ("transactionAlerts", .bool(true)), ("marketingOptIn", .bool(false)),
                        ])), existing: .replace)
            ]),
    ]

    private static let user: KeyValuePairs<Name, DocumentShape.FieldType> = [
        "userId": .string, "displayName": .string, "email": .string,
    ]
    private static let preferences = fields(
        ["theme": .string, "language": .string, "currency": .string], in: "preferences")
    private static let notificationSettings = fields(
        ["pushEnabled": .bool, "emailEnabled": .bool, "transactionAlerts": .bool, "marketingOptIn": .bool],
        in: "notificationSettings")

    private static func fields(
        _ types: KeyValuePairs<Name, DocumentShape.FieldType>, in parent: Name? = nil
    ) -> [DocumentShape.Field] {
        let path = parent.map { [$0] } ?? []
        return (parent.map { [DocumentShape.Field(JSONPointer([$0]), .object)] } ?? [])
            + types.map { DocumentShape.Field(JSONPointer(path + [$0.key]), $0.value) }
    }

    /// The language of the locale: its letters up to the first `-`, `_`, `.` or `@`; `en` where it has none.
    static func language(_ facts: Facts) throws(StepStop) -> String {
        let locale = try facts.text(.locale)
        let language = locale.prefix { !"-_.@".contains($0) }.lowercased()
        if language.isEmpty { return "en" }
        guard (2...8).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
            throw .blocked(
                "malformed-fact",
                "\(FactName.locale) is “\(locale)”, which does not begin with a language, as ar_EG does")
        }
        return language
    }

    /// The profile in a keychain item.
    ///
    /// - Parameter assumed: The version that somebody decided for, instead of the fact.
    static func document(at address: Address, assumed: Int? = nil) -> VersionedDocument {
        VersionedDocument(
            name: "profile", at: address, detector: detector, steps: steps, shapes: shapes, stepPrefix: stepPrefix
        ) { answer, document, facts throws(StepStop) in
            let given = try assumedVersion(facts)
            return try confirm(answer, document.value, assumed: assumed ?? given)
        }
    }

    /// What the names of the steps begin with.
    static let stepPrefix = "v"

    /// What the name of the file of a sealed backup ends with.
    package static let backupEnding = ".sealed"

    /// The version lies beside the profile.
    static let detector = SideKeyVersion(suffix: "_schema_version", missing: VersionClaim.missing)

    private static func assumedVersion(_ facts: Facts) throws(StepStop) -> Int? {
        guard let text = facts[.assumedVersion]?.value else { return nil }
        guard let version = Int(text), (1...UserProfile.schemaVersion).contains(version) else {
            throw .blocked(
                "malformed-fact",
                "the fact \(FactName.assumedVersion) is no version from 1 to \(UserProfile.schemaVersion)"
            )
        }
        return version
    }

    /// What to go on with: the version, if the profile is what that version says.
    private static func confirm(
        _ answer: StoredVersion, _ document: Value, assumed: Int?
    ) throws(StepStop) -> StoredVersion {
        guard let number = answer.number else { return answer }
        var stored: Int?
        if case .stored = answer { stored = number }
        guard number >= 1 else { return .unknown("the stored version is \(number), and versions begin with 1") }
        let claim = VersionClaim(stored: stored, looksLike: UserProfile.inferredVersion(of: document))
        let version: Int
        do throws(MigrationError) {
            version = try claim.version(
                of: UserProfile.modelIdentifier, known: UserProfile.schemaVersion, assumed: assumed)
        } catch {
            throw .blocked(
                unclear, "\(error): give the fact \(FactName.assumedVersion)", missingFacts: [.assumedVersion])
        }
        if let mismatch = shapes.first(where: { $0.version == version })?.firstMismatch(in: document) {
            throw .failed("document-invalid", "the profile is not of version \(version): \(mismatch)")
        }
        if version == stored { return answer }
        return assumed == nil ? .assumed(version) : .given(version, stored: stored)
    }

    /// The code of a version that somebody has to decide over.
    static let unclear = "version-unclear"
}

extension FactName {
    /// The version to take a stored profile for where its own is missing or in doubt.
    public static let assumedVersion: FactName = "assumedVersion"
    /// The keychain service that the profile is in.
    public static let keychainService: FactName = "keychainService"
    /// The account under which the profile is kept.
    public static let profileKey: FactName = "profileKey"
}

/// What is said of the version of a stored value, and what it looks like.
package struct VersionClaim: Hashable, Sendable {
    /// The version that is taken where none is stored.
    package static let missing = 1

    /// The stored version.
    package var stored: Int?
    /// The version that the value looks like, where its looks tell.
    package var looksLike: Int?

    package init(stored: Int?, looksLike: Int?) {
        self.stored = stored
        self.looksLike = looksLike
    }

    /// The version to go on with.
    ///
    /// A value that looks newer than its version says has most likely been migrated already, by something that was
    /// interrupted before it could say so; migrating it again would overwrite it. Somebody has to decide.
    ///
    /// - Parameter assumed: The version that somebody has decided for; it counts only where there is a question.
    package func version(of model: String, known: Int, assumed: Int?) throws(MigrationError) -> Int {
        if let stored, stored > known { throw .newerVersion(model: model, stored: stored, known: known) }
        let claimed = stored ?? Self.missing
        guard stored == nil || (looksLike ?? 0) > claimed else { return claimed }
        // Whoever names an older version than is stored says that the looks deceive.
        if let assumed { return max(assumed, claimed) }
        if let looksLike, looksLike > claimed {
            throw .versionUnclear(model: model, stored: stored, looksLike: looksLike)
        }
        return claimed
    }

    /// The stored version in words.
    package static func phrase(_ stored: Int?) -> String {
        stored.map { "version \($0) is stored for it" } ?? "no version is stored, which counts as version \(missing)"
    }
}
