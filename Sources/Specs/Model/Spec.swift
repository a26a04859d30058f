import Foundation
import MigrationEngine
import StoreFormats

/// A migration as a spec file says it, read and checked.
package struct Spec: Sendable {
    /// The first line of every spec.
    package static let format = "migration/1"

    /// Its name, for programs and for people.
    package var id = "", title = "", about = ""
    /// The sources of its rules.
    package var see: [String] = []
    /// The apps that it is for, by their bundle identifiers, where a `*` stands for a part.
    var apps: [String] = []
    var applies: [Condition] = []
    var facts: [FactName: SpecFact] = [:]
    /// The names of its own facts, in their order.
    var factNames: [FactName] = []
    /// The places of each alias, in their order.
    var stores: [String: [AddressTemplate]] = [:]
    /// What each profile does; the first is the default.
    var profiles: [SpecProfile] = []
    /// What the spec says that it makes of what.
    package var expectations: [SpecExpectation] = []
    /// Where its facts and aliases stand.
    var places: [String: SpecProblem.Place] = [:]
    /// What stands in the file.
    private(set) var root: SpecNode?

    /// Reads a spec.
    ///
    /// - Throws: ``SpecProblems``, all that is wrong with it.
    package init(_ data: Data) throws(SpecProblems) { try self.init(SpecText(data)) }

    /// What a text that was taken apart says.
    init(_ text: SpecText) throws(SpecProblems) {
        guard let root = text.root else { throw SpecProblems(text.problems) }
        var reader = SpecReader()
        reader.unread = Set(text.problems.map(\.place))
        self = reader.spec(root)
        self.root = root
        let problems = text.problems + reader.problems
        guard problems.isEmpty else { throw SpecProblems(problems) }
    }

    init() {}

    /// Whether it says that it is for an app, by the bundle identifier of that.
    package func names(_ app: String) -> Bool {
        apps.contains { pattern in
            let starred = Name(pattern.replacing("*", with: "\(AddressTemplate.star)"))
            return Name(app) == Name(pattern) || NamePattern(starred).match(Name(app)) != nil
        }
    }
}

/// A profile with the steps that it has.
struct SpecProfile: Sendable {
    var id: String
    var summary: String
    var requires: [Condition]
    var steps: [SpecStep]
}

/// What every step has, whatever it does.
struct SpecStep: Sendable {
    var id = ""
    /// What the spec calls it; empty where it does not.
    var givenTitle = ""
    var rule: String?
    var notes: [(condition: Condition?, sentence: String)] = []
    var differs: String?
    var after: [String] = []
    var place = SpecProblem.Place(line: 1, column: 1)
    /// Whether the spec gives it its name.
    var isNamed = true
    var work = Work.note([], because: "")

    /// What it does.
    enum Work: Sendable {
        // Steps are handed on far more often than a row is looked into.
        indirect case row(SpecRow)
        case document(SpecDocument)
        case removal(SpecRemoval)
        case note([SpecAddress], because: String)
    }
}

extension SpecStep {
    /// Whether it takes its sources away.
    var takesSources: Bool {
        switch work {
        case .row(let row): row.source != .keep
        case .removal: true
        case .document, .note: false
        }
    }

    /// What people call it: as the spec says, or else its name as words, so that `sort-order` is `Sort order`.
    var title: String {
        guard givenTitle.isEmpty else { return givenTitle }
        let words = id.replacing("-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

/// A row: a value that is taken, checked, changed and put somewhere.
struct SpecRow: Sendable {
    /// Where a value comes from.
    struct Source: Sendable {
        enum Origin: Sendable {
            case address(SpecAddress)
            case fact(FactName)
        }

        /// What counts as not there.
        enum Ignored: String, CaseIterable, Sendable { case empty, zero, negative, damaged }

        var origin: Origin
        var ignored: Set<Ignored> = []

        var address: SpecAddress? { if case .address(let address) = origin { address } else { nil } }
    }

    enum From: Sendable {
        /// The first that is there.
        case first([Source])
        /// All of them, as the members of a dictionary; some may be missing.
        case all([(name: Name, source: Source)], optional: Set<Name>)
        case literal(SpecLiteral)

        var sources: [Source] {
            switch self {
            case .first(let sources): sources
            case .all(let members, _): members.map(\.source)
            case .literal: []
            }
        }
    }

    /// Where a value goes.
    struct Target: Sendable {
        var address: SpecAddress
        var ignored: Set<Source.Ignored> = []
        /// `pdmn` and `agrp` of a keychain item.
        var attributes = Members()
    }

    enum To: Sendable {
        /// Nowhere: the value is only checked.
        case nowhere
        case inPlace
        case one(Target)
        /// The members of a dictionary, each to its place.
        case members([(name: Name, target: Target)])

        var targets: [Target] {
            switch self {
            case .nowhere, .inPlace: []
            case .one(let target): [target]
            case .members(let members): members.map(\.target)
            }
        }

        /// Whether a value is put elsewhere than where it stood.
        var isElsewhere: Bool {
            switch self {
            case .nowhere, .inPlace: false
            case .one: true
            case .members(let members): !members.isEmpty
            }
        }
    }

    enum Empty: String, CaseIterable, Sendable { case write, skip }
    enum Existing: String, CaseIterable, Sendable { case conflict, keep, overwrite, larger }
    enum Keeping: String, CaseIterable, Sendable { case keep, remove, discard }
    enum OnError: String, CaseIterable, Sendable { case fail, skip, aside }

    var from = From.first([])
    var types: [ValueType] = []
    var conditions: [Condition] = []
    var checks: [Condition] = []
    var operations: [SpecOperation] = []
    var placeholder: SpecLiteral?
    var to = To.nowhere
    var empty = Empty.write
    var exists = Existing.conflict
    var source = Keeping.keep
    var onError = OnError.fail
    var onCode: [String: OnError] = [:]
    var say: [String: String] = [:]
    /// What it says of its value: that it is a secret, or that it is none.
    var isSecret: Bool?
    var except: [SpecAddress] = []

    /// Whether it may move a source to a name that nothing reads.
    var setsAside: Bool { onError == .aside || onCode.values.contains(.aside) }

    /// Whether its value is a secret: as it says, or as all of it goes into the keychain; `nil` where nothing tells.
    var holdsSecret: Bool? {
        let targets = to.targets
        return isSecret ?? (!targets.isEmpty && targets.allSatisfy(\.address.isInKeychain) ? true : nil)
    }

    /// The addresses that it reads a value from.
    var addresses: [SpecAddress] { from.sources.compactMap(\.address) }

    /// Whether what it makes may go to the place where it was read from, without a word about what stands there.
    var mayBeInPlace: Bool {
        guard exists == .conflict, case .one(let target) = to, case .first(let sources) = from, target.ignored.isEmpty,
            target.attributes.isEmpty
        else { return false }
        return sources.contains { $0.address?.templates == target.address.templates }
    }

    /// The types that its value may have as it is read; `nil` where nobody knows.
    var readKinds: ValueKinds? {
        guard case .first(let sources) = from, !types.isEmpty, sources.allSatisfy({ $0.address != nil }) else {
            return nil
        }
        let made = placeholder.map { $0.plain.map { ValueKinds(of: $0) } ?? .any } ?? []
        return types.reduce(into: made) { $0.formUnion($1.kinds) }
    }

    /// Whether its operations end in a form or in what one holds, which replaces whatever form the target has.
    var replacesForm: Bool { exists == .overwrite && ["encode", "decode"].contains(operations.last?.name) }

    /// Whether it leaves whatever stands at its targets.
    var leavesWhatStands: Bool {
        (exists == .conflict || exists == .keep) && !mayBeInPlace && to.targets.allSatisfy(\.ignored.isEmpty)
    }

    /// From what it can be undone.
    var reversibility: Step.Reversibility {
        let isLossy =
            exists == .overwrite || exists == .larger || source == .discard || setsAside || mayBeInPlace
        if isLossy { return .beforeImage }
        return operations.inverse == .complement ? .complement : .exact
    }

    /// The facts that it reads as sources.
    var factsOfValue: [FactName] {
        if case .literal(let literal) = from { return literal.facts }
        return from.sources.compactMap { if case .fact(let name) = $0.origin { name } else { nil } }.uniqued
    }

    /// The facts that each of several targets is made of, where nothing but them goes to it as it is.
    var factsOfTargets: [(target: SpecAddress, facts: [FactName])] {
        guard operations.isEmpty, case .members(let targets) = to, case .all(let members, _) = from else { return [] }
        var facts: [Name: FactName] = [:]
        for member in members { if case .fact(let fact) = member.source.origin { facts[member.name] = fact } }
        return targets.compactMap { name, target in facts[name].map { (target.address, [$0]) } }
    }

    /// The facts that it asks for.
    var facts: [FactName] {
        var all = addresses.flatMap(\.facts) + to.targets.flatMap(\.address.facts) + except.flatMap(\.facts)
        all += factsOfValue
        return (all + (conditions + checks).flatMap(\.facts) + operations.facts + (placeholder?.facts ?? [])).uniqued
    }
}

/// A document whose fields change from one version to the next.
struct SpecDocument: Sendable {
    enum Version: Sendable {
        case shape
        case field(JSONPointer, missing: Int?)
        case beside(suffix: String, missing: Int?)
        /// The number that the `*` in the name of its entry stands for; each version has an entry of its own.
        case inName(String)
    }

    struct Edition: Sendable {
        var number: Int
        var shape: DocumentShape
        var operations: [SpecOperation]
    }

    var name = ""
    /// What the name of a step is, with `{from}` and `{to}`.
    var stepID = "{document}-{from}-{to}"
    /// The places where it may be; the first that is there counts.
    var places: [SpecAddress] = []
    var version = Version.shape
    /// Whether the entry of an older version goes once the newer one is there.
    var removesOlder = false
    /// Whether a version that is in doubt is asked for.
    var asks = false
    var editions: [Edition] = []

    /// The fact that says a version that is in doubt.
    var versionFact: FactName { FactName(rawValue: "\(name)Version") }
}

/// A removal of what other steps have taken on.
struct SpecRemoval: Sendable {
    /// What is removed; `nil` is every source of the profile's rows.
    var addresses: [SpecAddress]?
    /// Whether what did not arrive is removed too.
    var removesUnmigrated = false
}

/// What a spec says that it makes of something.
package struct SpecExpectation: Sendable {
    /// What it shows.
    package var name: String
    /// The profile, unless the default.
    package var profile: String?
    /// The dump that it begins with, as a path from the folder of the file, instead of what is given.
    package var fixture: (path: String, place: SpecProblem.Place)?
    package var facts: [(FactName, String)] = []
    var given: [(address: SpecAddress, value: Value)] = []
    /// What is there afterwards; `nil` is nothing.
    var gives: [(address: SpecAddress, value: Value?)] = []
    /// How steps end, and why where a reason is asked for.
    var outcomes: [(step: String, outcome: Outcome.Kind, code: String?)] = []
    /// The place in the file.
    package var place: SpecProblem.Place
}
