import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// A fact that a spec asks for.
struct SpecFact: Sendable {
    /// What the text of a fact is.
    enum Kind: String, CaseIterable, Sendable {
        case string, name, integer, seconds, uuid, flag

        var form: FactDefinition.Form {
            switch self {
            case .string: .text
            case .name: .name
            case .integer: .integer
            case .seconds: .seconds
            case .uuid: .uuid
            case .flag: .flag
            }
        }

        /// A text of this kind, for people.
        var example: String {
            switch self {
            case .string: "text"
            case .name: "abc123"
            case .integer: "1"
            case .seconds: "1725000000"
            case .uuid: "9B574574-74A7-4EDF-969D-164CB151B6C3"
            case .flag: "true"
            }
        }
    }

    var name: FactName
    var kind: Kind
    var about: String
    var example: String
    var infer: AddressTemplate?
    var assume: AddressTemplate?
    var isFresh = false
    /// The fact that it is computed of, and how.
    var computed: (from: FactName, operations: [SpecOperation])?
}

extension SpecFact {
    /// Those that every spec has.
    static let builtIn: [SpecFact] = [
        SpecFact(
            name: .bundleIdentifier, kind: .name, about: "the app's bundle identifier", example: "com.acme.notes"),
        SpecFact(
            name: .now, kind: .seconds, about: "the moment the new version first starts", example: "1725000000"),
        SpecFact(
            name: .uptime, kind: .seconds, about: "how long the device has been up at that moment, in seconds",
            example: "10000"),
        SpecFact(
            name: .identifierForVendor, kind: .uuid, about: "the device's identifierForVendor",
            example: "9B574574-74A7-4EDF-969D-164CB151B6C3"),
        SpecFact(name: .locale, kind: .string, about: "the device's locale", example: "ar_EG"),
        SpecFact(
            name: .boot, kind: .seconds, about: "the last start of the device: now less uptime", example: "1724990000"),
    ]

    /// What the migration asks for.
    var definition: FactDefinition {
        FactDefinition(
            name, about, form: name == .now ? .moment : kind.form, example: example, isFresh: isFresh)
    }
}

extension FactName {
    /// The last start of the device, which is `now` less `uptime`.
    static let boot: FactName = "boot"
}

/// The facts as a spec reads them: typed, with those that are computed of others.
struct SpecFacts: Sendable {
    let definitions: [FactName: SpecFact]
    let facts: Facts
    private let made = Made()

    init(definitions: [FactName: SpecFact], facts: Facts) { (self.definitions, self.facts) = (definitions, facts) }

    /// What was made of those that are computed.
    private final class Made: Sendable {
        let results = Mutex<[FactName: Result<Value, StepStop>]>([:])
    }

    /// Whether somebody has said a fact, the stores tell it, or the device has it, so that nobody made it up; a draw and what
    /// is only assumed are.
    func isSaid(_ name: FactName) -> Bool {
        base(of: name).allSatisfy { name in
            if [.identifierForVendor, .bundleIdentifier, .locale].contains(name) { return true }
            switch facts[name]?.source.first {
            case .given?, .metadata?, .inferred?: return true
            // A ledger does not keep whether one was drawn.
            case .ledger?: return !(definitions[name]?.isFresh ?? false)
            case .drawn?, .assumed?, nil: return false
            }
        }
    }

    /// Those that must be given for some facts, and are not.
    func missing(_ names: [FactName]) -> [FactName] { names.flatMap(base).filter { facts[$0] == nil }.uniqued }

    /// The facts that must be given for a fact.
    func base(of name: FactName) -> [FactName] { Self.base(of: name, definitions) }

    static func base(of name: FactName, _ definitions: [FactName: SpecFact]) -> [FactName] {
        if name == .boot { return [.now, .uptime] }
        guard let computed = definitions[name]?.computed else { return [name] }
        return base(of: computed.from, definitions)
    }

    /// The value of a fact, of its type.
    func value(_ name: FactName) throws(StepStop) -> Value {
        if name == .boot {
            try facts.require(.now, .uptime)
            return Self.seconds(try facts.seconds(.now) - facts.seconds(.uptime))
        }
        if let computed = definitions[name]?.computed {
            // Each address and each text that names it would compute it again.
            let result = made.results.withLock { $0[name] } ?? Result { () throws(StepStop) in try make(computed) }
            made.results.withLock { $0[name] = result }
            return try result.get()
        }
        let text = try facts.text(name)
        switch definitions[name]?.kind ?? .string {
        case .string, .name, .uuid: return .string(text)
        case .seconds: return Self.seconds(try facts.seconds(name))
        case .flag: return .bool(text == "true")
        case .integer:
            guard let integer = Int128(text) else {
                throw .blocked("malformed-fact", "\(name) is “\(text)”, which is not a whole number")
            }
            return .integer(integer)
        }
    }

    /// A fact that is computed of another.
    private func make(_ computed: (from: FactName, operations: [SpecOperation])) throws(StepStop) -> Value {
        var draft: any Draft = ValueDraft(try value(computed.from), facts: facts)
        draft.allowance = .fact
        for operation in computed.operations { try operation.run(&draft, JSONPointer(), self) }
        return draft.value
    }

    private static func seconds(_ seconds: Double) -> Value {
        Int64(exactly: seconds).map { .integer(Int128($0)) } ?? .real(seconds)
    }

    /// The text of a fact that stands in a text.
    func text(_ name: FactName) throws(StepStop) -> String {
        switch try value(name) {
        case .string(let text): text
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real.value)"
        case .bool(let flag): "\(flag)"
        default: ""
        }
    }

    /// The text of a fact that stands in an address: nothing that leads out of a store.
    func name(_ name: FactName) throws(StepStop) -> String {
        let text = try text(name)
        guard FactDefinition.isName(text) else {
            throw .blocked(
                "malformed-fact", "\(name) is “\(text)”, which cannot stand in an address: it must be a plain name")
        }
        return text
    }
}
