import MigrationEngine
import StoreFormats

/// The migration of a person document to version 3: an e-mail address is added, the name becomes the alias, the age goes.
public struct PersonMigration: Migration {
    /// Makes the migration.
    public init() {}

    /// The name.
    public let id = "person"
    /// The name for people.
    public let title = "Person, version 0 → 3"
    /// What it does.
    public let summary = """
        Takes the JSON document of a person from the version that its fields tell to version 3, one version a step. \
        Fields that no step names stay byte for byte.
        """

    /// Where the document is found, and each place by itself.
    public let profiles = [
        Profile(
            id: Self.found,
            summary: "the person wherever it is: UserDefaults, else Documents/person.json, else the keychain"),
        Profile(id: PersonLocation.defaults.rawValue, summary: "the string under person in the app's UserDefaults"),
        Profile(id: PersonLocation.file.rawValue, summary: "the file Documents/person.json"),
        Profile(
            id: PersonLocation.keychain.rawValue,
            summary: "the keychain item person of the service named as the bundle identifier"),
    ]

    private static let found = "found"

    /// The facts that its steps may ask for.
    public let facts = [
        FactDefinition(
            .bundleIdentifier, "the app's bundle identifier, which names its UserDefaults", form: .text,
            example: "com.acme.people"),
        FactDefinition(
            .personLocation, "where the person is kept: defaults, file or keychain", form: .text, example: "defaults"),
    ]

    /// Where the document is: the first place that holds one.
    public func factsFound(in stores: any StoreReader, given: Facts) -> Facts {
        guard let bundle = given[.bundleIdentifier]?.value,
            let location = Self.locations(in: stores, bundle: bundle).first
        else { return Facts() }
        let address = location.address(bundleIdentifier: bundle)
        return Facts([.personLocation: Fact(location.rawValue, from: .metadata("\(address)"))])
    }

    /// Whether there is a person anywhere, also one that cannot be read.
    public func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        guard let bundle = facts[.bundleIdentifier]?.value else { return false }
        return !Self.locations(in: stores, bundle: bundle).isEmpty
    }

    /// The store that the document is in, which is the old one and the new one.
    public func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        guard let bundle = facts[.bundleIdentifier]?.value else { return ([], []) }
        return ([Self.location(facts: facts).address(bundleIdentifier: bundle).store], [])
    }

    /// One step for each version.
    public func steps(profile: Profile, facts: Facts) -> [Step] {
        let location = PersonLocation(rawValue: profile.id) ?? Self.location(facts: facts)
        let isKnown = facts[.personLocation].map { PersonLocation(rawValue: $0.value) != nil } ?? true
        guard let bundle = facts[.bundleIdentifier]?.value, isKnown || profile.id != Self.found else {
            let places = facts[.bundleIdentifier].map { bundle in
                PersonLocation.allCases.map { $0.address(bundleIdentifier: bundle.value) }
            }
            return PersonDocument.steps.map { step in
                Step(
                    id: step.id, title: step.title, sources: places ?? [], targetKey: PersonDocument.key,
                    rule: step.rule,
                    facts: [.bundleIdentifier, .personLocation], reversibility: step.reversibility
                ) { _, facts throws(StepStop) in
                    try facts.require(.bundleIdentifier)
                    let text = try facts.text(.personLocation)
                    throw .blocked("malformed-fact", "\(FactName.personLocation) is “\(text)”, which is no place")
                }
            }
        }
        return PersonDocument.document(at: location.address(bundleIdentifier: bundle)).migrationSteps()
    }

    /// The version of the document, beside its entry.
    public func annotation(of address: Address, in stores: any StoreReader) -> String? {
        let isPlace =
            switch address.store.kind {
            case .defaults, .keychain: address.key == PersonDocument.key
            case .file: PersonLocation.file.address(bundleIdentifier: "") == address.entry
            }
        guard isPlace, address.pointer.isRoot else { return nil }
        var transaction = StoreTransaction(on: stores)
        return try? PersonDocument.document(at: address).read(in: &transaction).version.phrase
    }

    /// The versions and the steps, which are the same in every place.
    public func tables(profile: Profile) -> [RuleTable] {
        PersonDocument.document(at: PersonLocation.defaults.address(bundleIdentifier: "")).tables
    }

    private static func location(facts: Facts) -> PersonLocation {
        facts[.personLocation].flatMap { PersonLocation(rawValue: $0.value) } ?? .defaults
    }

    /// The places that hold a person, also one that cannot be read.
    ///
    /// Of a store that cannot be read as a whole nobody knows whether it holds one.
    private static func locations(in stores: any StoreReader, bundle: String) -> [PersonLocation] {
        PersonLocation.allCases.filter { location in
            let address = location.address(bundleIdentifier: bundle)
            return stores.contains(address.store) && stores.problem(with: address.store) == nil
                && stores.state(at: address) != .absent
        }
    }
}

extension FactName {
    /// Where an app keeps its person: `defaults`, `file` or `keychain`.
    public static let personLocation: FactName = "personLocation"
}
