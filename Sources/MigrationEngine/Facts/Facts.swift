import Foundation
import StoreFormats

/// The value of a fact and where it came from.
public struct Fact: Hashable, Sendable {
    /// The value as text.
    public var value: String
    /// Where it came from.
    public var source: FactSource

    /// Makes a fact.
    public init(_ value: String, from source: FactSource) {
        self.value = value
        self.source = source
    }

    /// The fact as an entry of the ledger has it; a guess that was agreed to says what it rested on.
    ///
    /// - Parameter entry: The entry's number; below 1 it is of a step that was only tried, and in no ledger.
    package func recorded(in entry: Int) -> Fact {
        guard entry > 0 else { return self }
        if case .ledger = source { return self }
        return Fact(value, from: .ledger(entry: entry, guessed: source.isGuess ? source : nil))
    }

    /// Whether both have the same value, wherever they are from; compared by bytes, as a value may name a store.
    package func hasSameValue(as other: Fact) -> Bool { value.utf8.elementsEqual(other.value.utf8) }

    /// Whether both have the same source and the same value, compared by bytes.
    public static func == (left: Fact, right: Fact) -> Bool {
        left.source == right.source && left.hasSameValue(as: right)
    }

    /// Hashes the value's bytes and the source.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Name(value))
        hasher.combine(source)
    }
}

/// Where a fact came from; of two that disagree, the one that stands first here wins.
///
/// A text in its place means ``given(_:)``.
public enum FactSource: Hashable, Sendable {
    /// A person or a program gave it: how, such as `--fact` or a file's name.
    case given(String)
    /// A step was applied with it: the number of that step's entry in the ledger.
    ///
    /// Where it was a guess that somebody agreed to, what that rested on comes with it.
    indirect case ledger(entry: Int, guessed: FactSource? = nil)
    /// The dump says so of itself: in which file, or by which place.
    case metadata(String)
    /// Any new value will do, and a program drew this one: how.
    case drawn(String)
    /// It was concluded from a value in the dump: the value's address.
    case inferred(String)
    /// Nothing says so, but it is likely: why.
    case assumed(String)

    /// Whether nobody has said so: a step that rests on it is applied only after being asked.
    public var isGuess: Bool {
        switch self {
        case .given, .ledger, .metadata, .drawn: false
        case .inferred, .assumed: true
        }
    }

    /// Where it came from before it was recorded in a ledger.
    public var first: FactSource {
        if case .ledger(_, let guessed?) = self { guessed.first } else { self }
    }

    fileprivate var rank: Int {
        switch self {
        case .given: 0
        case .ledger: 1
        case .metadata: 2
        case .drawn: 3
        case .inferred: 4
        case .assumed: 5
        }
    }
}

extension FactSource: CustomStringConvertible {
    /// Where it came from, in a phrase that follows "from" or stands alone.
    public var description: String {
        switch self {
        case .given(let how): how
        case .ledger(let entry, let guessed):
            "entry \(entry) of the ledger" + (guessed.map { ", where it was \($0)" } ?? "")
        case .metadata(let file): file
        case .drawn(let how): how
        case .inferred(let address): "inferred from \(address)"
        case .assumed(let why): "assumed: \(why)"
        }
    }
}

extension FactSource {
    /// Where it came from, in a phrase that follows the value.
    package var phrase: String { isGuess ? description : "from \(description)" }
}

extension FactSource: ExpressibleByStringInterpolation {
    /// A fact that was given: how.
    public init(stringLiteral how: String) { self = .given(how) }
}

extension FactSource {
    /// The name of the kind, as a ledger keeps it.
    public var kind: String {
        switch self {
        case .given: "given"
        case .drawn: "drawn"
        case .ledger: "ledger"
        case .metadata: "metadata"
        case .inferred: "inferred"
        case .assumed: "assumed"
        }
    }

    /// What there is to say besides the kind, as a ledger keeps it.
    public var text: String {
        switch self {
        case .given(let text), .metadata(let text), .drawn(let text), .inferred(let text), .assumed(let text): text
        case .ledger(let entry, _): String(entry)
        }
    }

    /// The source that a ledger keeps as these two texts.
    public init?(kind: String, text: String) {
        switch kind {
        case "given": self = .given(text)
        case "drawn": self = .drawn(text)
        case "ledger":
            guard let entry = Int(text) else { return nil }
            self = .ledger(entry: entry)
        case "metadata": self = .metadata(text)
        case "inferred": self = .inferred(text)
        case "assumed": self = .assumed(text)
        default: return nil
        }
    }
}

/// Inputs that are not in a store, by name; none is ever taken from the host that the program runs on.
public struct Facts: Hashable, Sendable {
    private var facts: [FactName: Fact] = [:]
    /// What the stores tell of facts of which they tell more than one value, so that none is taken.
    public internal(set) var rivals: [FactName: [Fact]] = [:]
    /// The given facts whose texts count from a time that only the dump tells, with their forms.
    package private(set) var untold: [FactName: FactDefinition] = [:]
    /// Draws what any new value will do for; `nil` where nothing is drawn, and a step waits for it.
    public var draw: FactDraw?

    /// Makes facts.
    public init(_ facts: [FactName: Fact] = [:]) { self.facts = facts }

    /// The fact of a name.
    public subscript(name: FactName) -> Fact? {
        get { facts[name] }
        set { (facts[name], untold[name]) = (newValue, nil) }
    }

    /// These facts, and those of others under names that these lack or know from a weaker source only.
    public func completed(by others: Facts) -> Facts {
        var completed = self
        completed.facts.merge(others.facts) { own, other in other.source.rank < own.source.rank ? other : own }
        completed.rivals.merge(others.rivals) { own, _ in own }
        completed.untold.merge(others.untold) { own, _ in own }
        completed.draw = draw ?? others.draw
        return completed
    }

    /// The dump is still to tell the value of a fact that was given.
    package mutating func awaitTime(of definition: FactDefinition) { untold[definition.name] = definition }

    /// Stops a step where one of these facts is missing.
    public func require(_ names: FactName...) throws(StepStop) {
        let missing = names.filter { facts[$0] == nil }
        guard missing.isEmpty else { throw StepStop.missing(missing, in: self) }
    }

    /// The text of a fact that a step cannot do without.
    public func text(_ name: FactName) throws(StepStop) -> String {
        guard let fact = facts[name] else { throw StepStop.missing([name], in: self) }
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

extension FactName {
    /// The value as people write it, of a fact by which every migration means the same; of others as it is.
    package func words(for value: String) -> String {
        let form: FactDefinition.Form? =
            switch self {
            case .now: .moment
            case .uptime: .seconds
            default: nil
            }
        return form.map { FactDefinition(self, "", form: $0, example: "").words(for: value) } ?? value
    }
}

/// A fact that a migration asks for: its name, its meaning and its form.
public struct FactDefinition: Hashable, Sendable {
    /// What the text of a fact must be.
    public enum Form: Hashable, Sendable {
        /// Any text but the empty one.
        case text
        /// A number of seconds, zero or more, with or without decimals; ``reading(of:from:)`` takes more.
        case seconds
        /// A moment: a number of seconds since 1970, or a date with its time, in UTC where it has no offset from that;
        /// ``reading(of:from:)`` takes more.
        case moment
        /// A UUID.
        case uuid
        /// A text that may be part of a name of a store or a file: of up to 128 bytes without a slash, `..` or a control character.
        case name
        /// A whole number.
        case integer
        /// `true` or `false`.
        case flag
        /// One of these words.
        case oneOf([String])

        /// The form in a word, as `migrations --json` says it.
        public var name: String {
            switch self {
            case .text: "text"
            case .seconds: "seconds"
            case .moment: "moment"
            case .uuid: "UUID"
            case .name: "name"
            case .integer: "integer"
            case .flag: "flag"
            case .oneOf: "one-of"
            }
        }

        /// The words of which it is one; `nil` where others are possible.
        public var words: [String]? {
            switch self {
            case .flag: ["true", "false"]
            case .oneOf(let words): words
            default: nil
            }
        }
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
    public func accepts(_ text: String) -> Bool { value(of: text) != nil }

    /// The value that a text stands for, as steps read it: a moment as a number of seconds; `nil` where the text has not
    /// the form.
    public func value(of text: String) -> String? {
        switch form {
        case .text: text.isEmpty ? nil : text
        case .seconds: Self.isNumber(text) ? text : nil
        case .moment: Self.isMomentNumber(text) ? text : WrittenTime.micros(ofDate: text).flatMap(WrittenTime.text)
        case .uuid: Self.isUUID(text) ? text : nil
        case .name: Self.isName(text) ? text : nil
        case .integer: Int128(text).map { String($0) }
        case .flag, .oneOf: form.words?.contains(text) ?? false ? text : nil
        }
    }

    /// The value as people write it, in a text that ``reading(of:from:)`` takes: a moment of whole seconds as a date with its
    /// time, and so many seconds as `1d 3h 20min`.
    package func words(for value: String) -> String {
        guard let seconds = Int(value) else { return value }
        return switch form {
        case .moment: Timestamp(secondsSinceEpoch: Double(seconds)).iso8601 ?? value
        case .seconds: WrittenTime.words(forSeconds: seconds) ?? value
        default: value
        }
    }

    /// A number of seconds since 1970; eight digits that are a day of our times, such as `20240830`, could be meant as either.
    private static func isMomentNumber(_ text: String) -> Bool {
        guard isNumber(text) else { return false }
        guard text.utf8.count == 8, ("1970"..."2199").contains(String(text.prefix(4))) else { return true }
        return WrittenTime.micros(ofDate: "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))") == nil
    }

    /// Digits, with or without decimals: no other notation, and nothing beyond what a clock can show.
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2 && parts[0].utf8.count <= 12
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }
    }

    /// Whether a text may be part of a name: nothing that leads out of a folder, or that a reader does not see.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= nameLimit && text != "."
            && !zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: ".") }
            && text.unicodeScalars.allSatisfy { scalar in
                scalar != "/" && !scalar.isControl && (scalar.isASCII || !scalar.properties.isNoncharacterCodePoint)
            }
    }

    /// How long such a text may be, in bytes: the name of a file has 255, and others stand beside it there.
    package static let nameLimit = 128

    package static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }
}

extension Step {
    /// The facts that the step may ask for and that nobody has said: inferred, or assumed.
    public func guesses(in facts: Facts) -> [FactName] {
        self.facts.filter { facts[$0]?.source.isGuess ?? false }
    }
}

extension Facts {
    /// The facts that an entry of a step records: a guess only where the step rests on it, so that nobody is taken to have
    /// agreed to one that was not asked for; one that was agreed to earlier stays told as a guess.
    func recorded(for step: Step) -> Facts {
        var recorded = self
        (recorded.rivals, recorded.untold, recorded.draw) = ([:], [:], nil)
        for name in names {
            if case .ledger(_, let guessed?) = recorded[name]?.source { recorded[name]?.source = guessed }
            if recorded[name]?.source.isGuess ?? false, !step.facts.contains(name) { recorded[name] = nil }
        }
        return recorded
    }
}

extension Plan {
    /// The facts that nobody has said and that the steps may ask for which are still to do, or do nothing or stop because
    /// of them, in alphabetical order.
    public var guesses: [FactName] {
        let names = Set(steps.filter { $0.outcome.kind != .unchanged }.flatMap(guesses))
        return facts.names.filter(names.contains)
    }

    /// The facts that a step may ask for and that nobody has said: whoever applies it is asked first.
    public func guesses(of step: PlannedStep) -> [FactName] { step.step.guesses(in: facts) }
}

extension StepStop {
    /// The step rests on facts that nobody has said, and nobody has agreed to that.
    public static func unconfirmed(_ names: [FactName], in facts: Facts) -> StepStop {
        let guesses = names.compactMap { name in facts[name].map { "\(name) is “\($0.value)” (\($0.source))" } }
        return .blocked(
            "unconfirmed-facts",
            "it rests on what is only assumed: \(guesses.joined(separator: "; ")); give the fact, or agree to it")
    }
}

extension Reason {
    /// Whether it asks for facts, or for somebody to agree to some, and so quotes their values.
    package var isOfFacts: Bool { code == "unconfirmed-facts" || !missingFacts.isEmpty }
}

extension Outcome {
    /// Whether a step waits for somebody to agree to facts that nobody has said.
    public var isUnconfirmed: Bool { reason?.code == "unconfirmed-facts" }
}

/// The name of an input that is not in a store, such as `now` or `writeKey`.
public struct FactName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The name.
    public var description: String { rawValue }
}

extension FactName {
    /// The app's bundle identifier.
    public static let bundleIdentifier: FactName = "bundleIdentifier"
    /// The app's version.
    public static let appVersion: FactName = "appVersion"
    /// The access groups of keychain items that the app reads beside its own, which nothing in the dump says, one in a line.
    public static let keychainGroups: FactName = "keychainGroups"
    /// The app groups that the app uses although they are called after another app, one in a line.
    public static let appGroups: FactName = "appGroups"
    /// The moment at which the new version starts, in seconds since 1970.
    public static let now: FactName = "now"
    /// How long the device has been up at that moment, in seconds.
    public static let uptime: FactName = "uptime"
    /// The device's `identifierForVendor`, a UUID.
    public static let identifierForVendor: FactName = "identifierForVendor"
    /// The device's system and its version, such as `17.5`; a simulator's has its name too, as in `iOS-17-5`.
    public static let systemVersion: FactName = "systemVersion"
    /// The device's locale, such as `ar_EG`.
    public static let locale: FactName = "locale"
}

extension Unicode.Scalar {
    /// Whether it is of the category Cc, whose ranges no version of Unicode changes.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
