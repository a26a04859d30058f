import MigrationEngine
import StoreFormats

/// The migration of a stored ``UserProfile`` from version 1 or 2 to 3, with its version beside it.
///
/// The values are those of the seed; value and version change in the same step, so they never disagree.
public struct KlivvrUserProfile: Migration {
    /// Makes the migration.
    public init() {}

    /// The name.
    public let id = "klivvr-user-profile"
    /// The name for people.
    public let title = "Klivvr user profile, version 1 or 2 → 3"
    /// What it does.
    public let summary = """
        Gives the user profile in the keychain the preferences that version 2 of the app added and the notification \
        settings that version 3 added, and its schema version with them.
        """

    /// The only profile.
    public let profiles = [
        Profile(id: "default", summary: "the article's values; a version that is in doubt is asked for")
    ]

    /// The facts that its steps may ask for.
    public let facts = [
        FactDefinition(
            .locale, "the device's locale; its language becomes that of the preferences", form: .text, example: "ar_EG"),
        FactDefinition(
            .assumedVersion, "the version to take the profile for where its own is missing or in doubt: 1, 2 or 3",
            form: .text, example: "3"),
        FactDefinition(
            .keychainService, "the keychain service that the profile is in", form: .text, example: "com.klivvr.storage"),
        FactDefinition(
            .profileKey, "the account that the profile is kept under", form: .text,
            example: UserProfile.modelIdentifier),
    ]

    /// The usual account, and the services with a profile or its version.
    ///
    /// A service with what is a profile for certain comes before those with an item of that name.
    public let clues = [
        FactClue(.profileKey, in: "the name of the model") { _, _ in
            [Fact(UserProfile.modelIdentifier, from: .metadata("the name of the model"))]
        },
        FactClue(.keychainService, in: "the keychain services with a profile") { stores, known in
            let named = Self.services(in: stores, facts: known)
            let certain = named.filter { Self.isCertain($0, in: stores, facts: known) }
            // A profile that is seen there says where it is; an item of that name alone lets one conclude it.
            return certain.isEmpty
                ? named.map { Fact($0.name.text, inferredFrom: Address(store: $0)) }
                : certain.map { Fact($0.name.text, from: .metadata("\($0)")) }
        },
    ]

    /// Whether a keychain service has a profile for certain.
    ///
    /// That is an item of its name with its version beside it, with two of its fields in it, or one that cannot be read. An
    /// account of this name alone may be any app's.
    public func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        let all = factsKnown(in: stores, given: facts)
        let services = Self.services(in: stores, facts: all).filter { Self.isCertain($0, in: stores, facts: all) }
        return all[.keychainService].map { services.contains(.keychain(Name($0.value))) } ?? !services.isEmpty
    }

    private static func services(in stores: any StoreReader, facts: Facts) -> [StoreID] {
        let key = facts[.profileKey]?.value ?? UserProfile.modelIdentifier
        let names = [key, key + UserProfileDocument.detector.suffix]
        return stores.stores(of: .keychain).filter { store in
            let keys = stores.keys(in: store)
            return names.contains { keys.position(of: Name($0)) != nil }
        }
    }

    private static func isCertain(_ service: StoreID, in stores: any StoreReader, facts: Facts) -> Bool {
        let address = Address(store: service, key: Name(facts[.profileKey]?.value ?? UserProfile.modelIdentifier))
        if stores.state(at: UserProfileDocument.detector.address(for: address)) != .absent { return true }
        return DocumentEvidence(["userId", "displayName", "email"]).isMet(at: address, in: stores)
    }

    /// The service is both the old side and the new one.
    public func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        let service = facts[.keychainService].map { [StoreID.keychain(Name($0.value))] } ?? []
        return (service, service)
    }

    /// A step from each version to the next; a profile of another migration has none.
    public func steps(profile: Profile, facts: Facts) -> [Step] {
        guard profiles.contains(where: { $0.id == profile.id }) else { return [] }
        let key = facts[.profileKey]?.value ?? UserProfile.modelIdentifier
        let service = facts[.keychainService]?.value
        let address = service.map { Address(store: .keychain(Name($0)), key: Name(key)) }
        return UserProfileDocument.steps.map { step in
            var made = Step(
                id: UserProfileDocument.stepPrefix + step.id, title: step.title, sources: address.map { [$0] } ?? [],
                targetKey: Name(key),
                target: address, rule: step.rule + "; the version beside it becomes \(step.to)",
                facts: [.keychainService, .assumedVersion] + step.facts, reversibility: step.reversibility
            ) { transaction, facts throws(StepStop) in
                guard let address else {
                    // A keychain that cannot be read says nothing of its services either: that is what to mend.
                    let anyService = StoreID.keychain("")
                    if let reason = transaction.problem(with: anyService), reason.cause != .missing {
                        throw .unreadable(Address(store: anyService, key: Name(key)), reason)
                    }
                    throw .missing([.keychainService], in: facts)
                }
                try Self.take(step, at: address, in: &transaction, facts: facts)
            }
            made.beside = address.map(UserProfileDocument.detector.entries) ?? []
            return made
        }
    }

    /// The versions with their fields, and the steps between them.
    public func tables(profile: Profile) -> [RuleTable] {
        UserProfileDocument.document(at: Address(store: .keychain(""), key: Name(UserProfile.modelIdentifier))).tables
    }

    // MARK: A step

    private static func take(
        _ step: DocumentStep, at address: Address, in transaction: inout StoreTransaction, facts: Facts
    ) throws(StepStop) {
        try checkPresence(at: address, in: &transaction)
        do throws(StepStop) {
            let document = UserProfileDocument.document(at: address)
            if step.to == UserProfile.schemaVersion, try record(document, in: &transaction, facts: facts) { return }
            try document.take(step, in: &transaction, facts: facts)
        } catch {
            if error.outcome.reason?.code == UserProfileDocument.unclear {
                showConsequence(of: step, at: address, in: &transaction, facts: facts)
            }
            throw error
        }
    }

    /// Neither a profile nor a version is a fresh install; a version alone is a profile that is gone.
    private static func checkPresence(
        at address: Address, in transaction: inout StoreTransaction
    ) throws(StepStop) {
        guard transaction.read(address) == .absent else { return }
        let version = UserProfileDocument.detector.address(for: address)
        switch transaction.read(version) {
        case .absent: throw .skipped("absent", "no profile is stored: a fresh install has nothing to migrate")
        case .unreadable(let reason): throw .unreadable(version, reason)
        case .present:
            throw .failed("document-missing", "\(version) is there, and the profile that it belongs to is not")
        }
    }

    /// Writes the version of a profile that is current and whose version is missing or behind; says whether it did.
    private static func record(
        _ document: VersionedDocument, in transaction: inout StoreTransaction, facts: Facts
    ) throws(StepStop) -> Bool {
        let reading = try document.read(in: &transaction, facts: facts)
        guard let content = reading.content else { return false }
        switch reading.version {
        case .assumed(document.newest), .given(document.newest, _): break
        default: return false
        }
        try document.detector.record(
            document.newest, of: document.address, like: content.container, in: &transaction)
        return true
    }

    /// What would become of the profile if its version were taken at its word, as the original does it; shown, not done.
    private static func showConsequence(
        of step: DocumentStep, at address: Address, in transaction: inout StoreTransaction, facts: Facts
    ) {
        var trial = transaction
        let stored = try? UserProfileDocument.detector.version(
            of: .null, at: address, newest: UserProfile.schemaVersion, in: &trial, facts: facts)
        let document = UserProfileDocument.document(at: address, assumed: max(stored?.number ?? 1, step.from))
        guard (try? document.take(step, in: &trial, facts: facts)) != nil,
            let change = trial.changes.first(where: { $0.address == address }), let value = change.after
        else { return }
        // The policy is to keep what is there: this records the other side and changes nothing.
        try? transaction.write(
            value, to: address, from: change.from, rule: change.rule,
            notes: ["this is what would happen if the version were taken at its word"] + change.notes,
            placeholders: change.placeholders, policy: .keepExisting)
    }
}
