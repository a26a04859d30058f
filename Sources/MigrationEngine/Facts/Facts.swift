/// The value of a fact and where it came from.
public struct Fact: Hashable, Sendable {
    /// The value as text.
    public var value: String
    /// Where it came from, such as `--fact` or `AppDataInfo.plist`.
    public var source: String

    /// Makes a fact.
    public init(_ value: String, from source: String) {
        self.value = value
        self.source = source
    }
}

/// Inputs that are not in a store, by name; none is ever taken from the host that the program runs on.
public struct Facts: Hashable, Sendable {
    private var facts: [FactName: Fact] = [:]

    /// Makes facts.
    public init(_ facts: [FactName: Fact] = [:]) { self.facts = facts }

    /// The fact of a name.
    public subscript(name: FactName) -> Fact? {
        get { facts[name] }
        set { facts[name] = newValue }
    }

    /// These facts, and those of others under names that these lack.
    public func completed(by others: Facts) -> Facts {
        Facts(facts.merging(others.facts) { own, _ in own })
    }

    /// Stops a step where one of these facts is missing.
    public func require(_ names: FactName...) throws(StepStop) {
        let missing = names.filter { facts[$0] == nil }
        guard missing.isEmpty else { throw StepStop.missing(missing) }
    }

    /// The text of a fact that a step cannot do without.
    public func text(_ name: FactName) throws(StepStop) -> String {
        guard let fact = facts[name] else { throw StepStop.missing([name]) }
        return fact.value
    }

    /// The number of seconds of a fact that a step cannot do without.
    public func seconds(_ name: FactName) throws(StepStop) -> Double {
        let text = try text(name)
        guard let seconds = Double(text), seconds.isFinite else {
            throw .blocked("malformed-fact", "\(name) is “\(text)”, which is not a number of seconds")
        }
        return seconds
    }

    /// The names, in alphabetical order.
    public var names: [FactName] { facts.keys.sorted { $0.rawValue < $1.rawValue } }
}

/// A fact that a migration asks for: its name, its meaning and its form.
public struct FactDefinition: Hashable, Sendable {
    /// What the text of a fact must be.
    public enum Form: String, Hashable, Sendable {
        /// Any text but the empty one.
        case text
        /// A number of seconds, zero or more, with or without decimals.
        case seconds
        /// A UUID.
        case uuid = "UUID"
    }

    /// The name.
    public var name: FactName
    /// What it is, in a phrase.
    public var meaning: String
    /// What its text must be.
    public var form: Form
    /// A text that has the form.
    public var example: String
    /// Whether any new UUID will do, so that a program may draw one and record it.
    public var isFresh: Bool

    /// Makes a definition.
    public init(_ name: FactName, _ meaning: String, form: Form, example: String, isFresh: Bool = false) {
        self.name = name
        self.meaning = meaning
        self.form = form
        self.example = example
        self.isFresh = isFresh
    }

    /// Whether a text has the form.
    public func accepts(_ text: String) -> Bool {
        switch form {
        case .text: !text.isEmpty
        case .seconds: Double(text).map { $0.isFinite && $0 >= 0 } ?? false
        case .uuid: Self.isUUID(text)
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(\.isHexDigit)
    }
}
