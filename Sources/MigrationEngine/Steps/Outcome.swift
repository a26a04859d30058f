import StoreFormats

/// What a step does on a dump.
public struct Outcome: Hashable, Sendable {
    /// The kinds of outcome.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// There are changes.
        case migrates
        /// The target already holds exactly that.
        case unchanged
        /// The rules say to leave it.
        case skipped
        /// A fact, or what an earlier step makes, is missing, or other steps come first.
        case blocked
        /// The target exists and differs.
        case conflict
        /// The input is corrupt or of the wrong type.
        case failed
    }

    /// The kind.
    public var kind: Kind
    /// Why, where there is more to say than the kind.
    public var reason: Reason?

    /// Makes an outcome.
    public init(_ kind: Kind, _ reason: Reason? = nil) {
        self.kind = kind
        self.reason = reason
    }

    /// There are changes.
    public static let migrates = Outcome(.migrates)
    /// The target already holds exactly that.
    public static let unchanged = Outcome(.unchanged)

    /// Whether the step does only a part of what it is for, or has done only that, as some of what it matches cannot be taken.
    public var isPartial: Bool { (kind == .migrates || kind == .unchanged) && reason?.code == Self.partial }
    /// The code of the reason then.
    package static let partial = "partly-failed"
}

/// Why a step does what it does: a code for programs and a sentence for people.
public struct Reason: Hashable, Sendable {
    /// A stable code in lower case with hyphens.
    public var code: String
    /// What happened, why, and what the person can do.
    public var sentence: String
    /// The facts that are missing, where that is the reason.
    public var missingFacts: [FactName]
    /// What could not be read, where that is the reason.
    public var unreadable: Applicability.UnreadableStore?
    /// The places whose values the sentence may quote, where the step does not name them itself.
    package var quoted: [Address] = []

    /// Makes a reason.
    public init(_ code: String, _ sentence: String, missingFacts: [FactName] = []) {
        self.code = code
        self.sentence = sentence
        self.missingFacts = missingFacts
    }
}

/// How a step ends where it does not migrate.
public struct StepStop: Error, Hashable, Sendable {
    /// What the step does.
    public var outcome: Outcome

    package init(outcome: Outcome) { self.outcome = outcome }

    /// The rules say to leave it.
    public static func skipped(_ code: String, _ sentence: String) -> StepStop {
        StepStop(outcome: Outcome(.skipped, Reason(code, sentence)))
    }

    /// The input is corrupt or of the wrong type.
    public static func failed(_ code: String, _ sentence: String) -> StepStop {
        StepStop(outcome: Outcome(.failed, Reason(code, sentence)))
    }

    /// The step cannot be taken yet.
    public static func blocked(_ code: String, _ sentence: String, missingFacts: [FactName] = []) -> StepStop {
        StepStop(outcome: Outcome(.blocked, Reason(code, sentence, missingFacts: missingFacts)))
    }

    /// Facts are missing.
    ///
    /// - Parameter facts: What is known: where the stores tell several values of a missing fact, the sentence names them.
    public static func missing(_ names: [FactName], in facts: Facts = Facts()) -> StepStop {
        let list = names.map(\.rawValue).joined(separator: " and ")
        let rivals = names.compactMap { name in
            facts.rivals[name].map { rivals in
                let values = rivals.map { "“\($0.value)” (\($0.source))" }.joined(separator: " or ")
                return "; \(name) may be \(values): say which"
            }
        }
        return .blocked(
            "missing-fact", "\(list) \(names.count == 1 ? "is" : "are") not known" + rivals.joined(),
            missingFacts: names)
    }

    /// The target exists and differs.
    public static func conflict(at address: Address) -> StepStop {
        StepStop(
            outcome: Outcome(
                .conflict,
                Reason("target-differs", "\(address) exists already and holds something else; it is left as it is")))
    }

    /// What exists and what would be written differ.
    public static func conflict(_ code: String, _ sentence: String) -> StepStop {
        StepStop(outcome: Outcome(.conflict, Reason(code, sentence)))
    }

    /// No dump of the form can hold what would be written.
    package static func noFile(_ why: String) -> StepStop { .failed("address-outside", why) }

    /// An entry cannot be read; where it is locked, ambiguous, or its store is not in the dump at all, it may still be given.
    ///
    /// - Parameter consequence: What follows from it for the step, in words.
    public static func unreadable(_ address: Address, _ reason: Unreadable, _ consequence: String? = nil) -> StepStop {
        let limit = reason.cause == .overLimit ? "that is over a limit of this reader, not damage" : nil
        let code = "unreadable-\(reason.cause.rawValue)", tail = (consequence ?? limit).map { ": \($0)" } ?? ""
        let sentence =
            "\(address) cannot be \(reason.cause == .missing ? "known" : "read"): \(reason.explanation)\(tail)"
        var stop: StepStop =
            switch reason.cause {
            case .missing, .locked, .ambiguous: .blocked(code, sentence)
            default: .failed(code, sentence)
            }
        stop.outcome.reason?.unreadable = Applicability.UnreadableStore(address.store, reason)
        return stop
    }

    /// What an entry holds is over a limit of the reader: it may be sound, so nobody may take it for corrupt, or for absent.
    public static func overLimit(_ address: Address, _ error: FormatError) -> StepStop {
        .unreadable(address, Unreadable(error))
    }

    /// A member of JSON that the step reads or changes stands more than once in an entry.
    public static func repeatedKey(_ pointer: JSONPointer, of address: Address? = nil) -> StepStop {
        .blocked(
            "repeated-key",
            "\(address.map { "\($0.appending(pointer))" } ?? "\(pointer)") stands more than once, and programs differ on "
                + "which value counts; the step waits until one is left")
    }

    /// Whether the step ends because nobody can know what another reader finds there: this one has a limit, or several
    /// values stand under one key.
    public var isOfUnknown: Bool {
        let code = outcome.reason?.code
        return code == "repeated-key"
            || [.overLimit, .ambiguous].contains { (cause: Unreadable.Cause) in
                code == "unreadable-\(cause.rawValue)"
            }
    }
}

extension StepStop: CustomStringConvertible {
    /// The reason, in words.
    public var description: String { outcome.reason?.sentence ?? outcome.kind.rawValue }
}
