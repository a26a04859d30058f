/// An ordered list of steps that takes legacy stores to migrated ones.
public protocol Migration: Sendable {
    /// The name, in lower case with hyphens; it never changes once a ledger may hold it.
    var id: String { get }
    /// The name for people.
    var title: String { get }
    /// What it does, in one or two sentences.
    var summary: String { get }
    /// Its profiles, the default first; at least one.
    var profiles: [Profile] { get }
    /// The facts that its steps may ask for.
    var facts: [FactDefinition] { get }

    /// The facts that it declares and that nothing in it uses.
    var unusedFacts: [FactName] { get }

    /// Where the stores may tell facts that nobody has said; of one fact, the best place first.
    var clues: [FactClue] { get }

    /// Whether the stores hold anything that the migration reads or writes.
    func applies(to stores: any StoreReader, facts: Facts) -> Bool

    /// The stores of the old and of the new version, as far as the facts name them.
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID])

    /// The steps in order.
    func steps(profile: Profile, facts: Facts) -> [Step]

    /// What an entry is to the migration, for people: whose side key it is, what its bytes amount to.
    ///
    /// The first line stands beside the entry, the others where there is room. `nil` where there is nothing to say.
    func annotation(of address: Address, in stores: any StoreReader) -> String?

    /// The entries, and the parts of them, of which it knows that they are no secret, though their keys might say so: a
    /// number of a session.
    func publicEntries(facts: Facts) -> [Address]

    /// The entries, and the parts of them, of which it knows that they are secret, though nothing else says so.
    ///
    /// Where only the stores can name them, U+FDD0 in a name, which is no character, stands for any text.
    func secretEntries(facts: Facts) -> [Address]

    /// Where entries, or parts of them, would go by its steps, also those that only the stores can name.
    func destinations(of places: Set<Address>, profile: Profile, facts: Facts) -> [Destination]

    /// Whether people edit its rules, so that steps may have been applied by others: a plan then runs again those that stand.
    var isEdited: Bool { get }

    /// What its rules amount to as tables, besides the list of its steps.
    func tables(profile: Profile) -> [RuleTable]
}

extension Migration {
    /// None.
    public var unusedFacts: [FactName] { [] }

    /// None.
    public var clues: [FactClue] { [] }

    /// Nothing to say.
    public func annotation(of address: Address, in stores: any StoreReader) -> String? { nil }

    /// None.
    public func publicEntries(facts: Facts) -> [Address] { [] }
    /// None.
    public func secretEntries(facts: Facts) -> [Address] { [] }

    /// What its steps name.
    public func destinations(of places: Set<Address>, profile: Profile, facts: Facts) -> [Destination] {
        steps(profile: profile, facts: facts).flatMap { step -> [Destination] in
            guard let target = step.target else { return [] }
            return step.places.filter { places.contains($0.entry) || places.contains($0) }
                .map { Destination(of: $0, target) }
        }
    }

    /// It is part of a program.
    public var isEdited: Bool { false }

    /// What each step reads and writes, and the rule, a row each.
    public func tables(profile: Profile) -> [RuleTable] {
        let rows = describedSteps(profile: profile).map { step in
            [
                step.title, step.sources.compactMap(\.key?.text).joined(separator: ", "), step.targetKey?.text ?? "",
                step.rule,
            ].map { $0.isEmpty ? "-" : $0 }
        }
        return [RuleTable("\(id):\(profile.id)", columns: ["step", "reads", "writes", "rule"], rows: rows)]
    }

    /// The steps with the names of facts in place of their values, so that every store has a name: for a description.
    public func describedSteps(profile: Profile) -> [Step] {
        let names = facts.map { ($0.name, Fact("‹\($0.name)›", from: "its name")) }
        return steps(profile: profile, facts: Facts(Dictionary(names, uniquingKeysWith: { first, _ in first })))
    }
}

/// Where a step would put what an entry, or a part of one, holds.
public struct Destination: Hashable, Sendable {
    /// Where it is.
    public let place: Address
    /// Where it would go.
    public let target: Address

    /// Makes a destination.
    public init(of place: Address, _ target: Address) { (self.place, self.target) = (place, target) }
}

/// A profile of a migration: which version of the software writes or reads the result.
public struct Profile: Identifiable, Hashable, Sendable {
    /// The name, in lower case with hyphens.
    public let id: String
    /// What the profile is, in a phrase.
    public let summary: String

    /// Makes a profile.
    public init(id: String, summary: String) {
        self.id = id
        self.summary = summary
    }
}

/// Rules of a migration as a table for people, made of the same definitions that run.
public struct RuleTable: Hashable, Sendable {
    /// What the table is of.
    public var title: String
    /// The names of the columns.
    public var columns: [String]
    /// The rows, each with a cell for every column.
    public var rows: [[String]]

    /// Makes a table.
    public init(_ title: String, columns: [String], rows: [[String]]) {
        self.title = title
        self.columns = columns
        self.rows = rows
    }
}
