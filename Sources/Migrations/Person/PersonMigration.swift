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

    /// Where the document is found, each place by itself, and what the original app does.
    public let profiles = Self.choices.map(\.profile)

    /// What a profile stands for.
    private enum Choice {
        /// The rules here, on the person wherever it is.
        case found
        /// The rules here, on the person in one place.
        case place(PersonLocation)
        /// The rules of the original.
        case original
    }

    private static let choices: [(profile: Profile, choice: Choice)] = [
        (
            Profile(
                id: "found",
                summary: "the person wherever it is: UserDefaults, else Documents/person.json, else the keychain"),
            .found
        ),
        (
            Profile(id: PersonLocation.defaults.rawValue, summary: "the string under person in the app's UserDefaults"),
            .place(.defaults)
        ),
        (Profile(id: PersonLocation.file.rawValue, summary: "the file Documents/person.json"), .place(.file)),
        (
            Profile(
                id: PersonLocation.keychain.rawValue,
                summary: "the keychain item person of the service named as the bundle identifier"),
            .place(.keychain)
        ),
        (
            Profile(
                id: "original",
                summary: "what the article's code does: version 2 keeps its age, fields that it does not know are lost"),
            .original
        ),
    ]

    /// The facts that its steps may ask for.
    public let facts = [
        FactDefinition(
            .bundleIdentifier, "the app's bundle identifier, which names its UserDefaults", form: .name,
            example: "com.acme.people"),
        FactDefinition(
            .personLocation, "where the person is kept",
            form: .oneOf(PersonLocation.allCases.map(\.rawValue)), example: "defaults"),
    ]

    /// Where the document is: the first place that holds one for certain, else the first with an entry of its name.
    public let clues = [
        FactClue(.personLocation, in: "the places of a person's document") { stores, known in
            guard let bundle = known[.bundleIdentifier]?.value else { return [] }
            let named = Self.locations(in: stores, bundle: bundle)
            let certain = named.first { PersonDocument.evidence.isMet(by: stores.state(at: $0.address(bundle))) }
            guard let location = certain ?? named.first else { return [] }
            // A person that is seen there says where it is; an entry of that name alone lets one conclude it, and so does a
            // person behind a place that nobody can look into: there may be one there, which the app would take first.
            let address = location.address(bundle)
            let isFirst = PersonLocation.allCases.prefix { $0 != location }.allSatisfy { earlier in
                let state = stores.state(at: earlier.address(bundle))
                if case .unreadable = state { return false }
                return PersonDocument.evidence.verdict(on: state) != .unknown
            }
            return [
                certain == nil || !isFirst
                    ? Fact(location.rawValue, inferredFrom: address)
                    : Fact(location.rawValue, from: .metadata("\(address)"))
            ]
        }
    ]

    /// Whether there is a person anywhere, by two of its fields, or an entry of its name that cannot be read.
    ///
    /// An entry named `person` alone may be any app's.
    public func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        guard let bundle = facts[.bundleIdentifier]?.value else {
            // Whose it is, somebody must say.
            return stores.stores(of: .defaults).contains {
                PersonDocument.evidence.isMet(at: PersonLocation.defaults.address($0.name.text), in: stores)
            }
        }
        return Self.locations(in: stores, bundle: bundle).contains {
            PersonDocument.evidence.isMet(at: $0.address(bundle), in: stores)
        }
    }

    /// The store that the document is in, which is the old one and the new one.
    public func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        guard let bundle = facts[.bundleIdentifier]?.value else { return ([], []) }
        return ([Self.location(facts: facts).address(bundle).store], [])
    }

    /// One step for each version; a profile of another migration has none.
    public func steps(profile: Profile, facts: Facts) -> [Step] {
        guard let choice = Self.choices.first(where: { $0.profile.id == profile.id })?.choice else { return [] }
        guard let bundle = facts[.bundleIdentifier]?.value else {
            return Self.stopped([]) { facts throws(StepStop) in try facts.require(.bundleIdentifier) }
        }
        switch choice {
        case .original: return PersonOriginal.steps(at: PersonLocation.defaults.address(bundle))
        case .place(let location): return Self.document(in: location, of: bundle).migrationSteps()
        case .found: break
        }
        guard let text = facts[.personLocation]?.value else { return Self.stepsWithoutPlace(bundle: bundle) }
        guard let location = PersonLocation(rawValue: text) else {
            return Self.stopped(PersonLocation.allCases.map { $0.address(bundle) }) { _ throws(StepStop) in
                throw .blocked(
                    "malformed-fact",
                    """
                    \(FactName.personLocation) is “\(text)”, where one of \
                    \(PersonLocation.allCases.map(\.rawValue).joined(separator: ", ")) belongs
                    """)
            }
        }
        // Where it is may be concluded: then a person must say so before anything is applied.
        return Self.document(in: location, of: bundle).migrationSteps(facts: [.personLocation])
    }

    private static func document(in location: PersonLocation, of bundle: String) -> VersionedDocument {
        PersonDocument.document(
            at: location.address(bundle),
            besides: PersonLocation.allCases.filter { $0 != location }.map { $0.address(bundle) })
    }

    /// The steps where no place is known to hold a person: which places hold none, and which nobody can know.
    private static func stepsWithoutPlace(bundle: String) -> [Step] {
        let places = PersonLocation.allCases.map { $0.address(bundle) }
        return stopped(places) { transaction, _ throws(StepStop) in
            var unknown: [(place: Address, reason: Unreadable)] = []
            for place in places {
                guard case .unreadable(let reason) = transaction.read(place) else { continue }
                guard reason.cause == .missing else { throw .unreadable(place, reason) }
                unknown.append((place, reason))
            }
            let nowhere = "there is no person at \(places.filter { !unknown.map(\.place).contains($0) }.list)"
            guard let first = unknown.first else { throw .skipped("absent", "\(nowhere): there is nothing to do") }
            throw .unreadable(first.place, first.reason, nowhere)
        }
    }

    private static func stopped(
        _ sources: [Address], _ run: @escaping @Sendable (inout StoreTransaction, Facts) throws(StepStop) -> Void
    ) -> [Step] {
        PersonDocument.steps.map { step in
            Step(
                id: step.id, title: step.title, sources: sources, targetKey: PersonDocument.key, rule: step.rule,
                facts: [.bundleIdentifier, .personLocation], reversibility: step.reversibility, run: run)
        }
    }

    private static func stopped(
        _ sources: [Address], _ run: @escaping @Sendable (Facts) throws(StepStop) -> Void
    ) -> [Step] {
        stopped(sources) { _, facts throws(StepStop) in try run(facts) }
    }

    /// The version of the document, beside its entry.
    public func annotation(of address: Address, in stores: any StoreReader) -> String? {
        let isPlace =
            switch address.store.kind {
            case .defaults, .keychain: address.key == PersonDocument.key
            case .file: PersonLocation.file.address("") == address.entry
            case .sqlite: false
            }
        guard isPlace, address.pointer.isRoot else { return nil }
        var transaction = StoreTransaction(on: stores)
        return try? PersonDocument.document(at: address).read(in: &transaction).version.phrase
    }

    /// The versions and the steps, which are the same in every place.
    public func tables(profile: Profile) -> [RuleTable] {
        PersonDocument.document(at: PersonLocation.defaults.address("")).tables
    }

    private static func location(facts: Facts) -> PersonLocation {
        facts[.personLocation].flatMap { PersonLocation(rawValue: $0.value) } ?? .defaults
    }

    /// The places that have an entry of its name, also one that cannot be read.
    ///
    /// Of a store that cannot be read as a whole nobody knows whether it holds one.
    private static func locations(in stores: any StoreReader, bundle: String) -> [PersonLocation] {
        PersonLocation.allCases.filter { location in
            let address = location.address(bundle)
            // Asked first: a store in a folder that cannot be listed is not among the stores.
            return stores.problem(with: address.store) == nil && stores.contains(address.store)
                && stores.state(at: address) != .absent
        }
    }
}

extension PersonLocation {
    fileprivate func address(_ bundle: String) -> Address { address(bundleIdentifier: bundle) }
}

extension [Address] {
    /// The addresses as a list in words.
    fileprivate var list: String { map(\.description).joined(separator: ", ") }
}

extension FactName {
    /// Where an app keeps its person: `defaults`, `file` or `keychain`.
    public static let personLocation: FactName = "personLocation"
}
