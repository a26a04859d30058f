import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// One of the program's answers in its stable form: a JSON object whose `format` is `vestige.<name>/1`.
///
/// Fields are only ever added within a version. Every text in it is escaped so that showing it is harmless, and secrets
/// are masked unless they are to be revealed: a masked value is `{"type": …, "masked": true, "length": …}`, without the
/// length where its type has none, and in sentences `‹masked string, 12 characters›` stands for one.
public struct Report: Hashable, Sendable {
    /// The report as a value.
    public let content: Value

    /// The JSON text, ending with a line feed.
    public var json: String { ReportPrinter.text(of: content) }

    init(_ name: String, _ fields: [(Name, Value)]) {
        content = .dictionary([("format", .string("vestige.\(name)/1"))] + fields)
    }
}

/// Writes the parts that reports share.
struct ReportWriter {
    /// Whether secrets are shown.
    let reveals: Bool
    /// What may be decoded to be shown.
    let budget = DecodingBudget()
    /// What may be decoded to look for secrets.
    let searchBudget = DecodingBudget()

    /// A dump and the chosen container: `{"kind", "bundleIdentifier"}`.
    func dump(_ dump: Dump, _ container: Container) -> Value {
        .dictionary([("kind", .string(dump.kind.rawValue)), ("bundleIdentifier", .string(container.identifier))])
    }

    /// A sentence, which may quote values.
    func sentence(_ text: String) -> Value { .string(reveals ? text : Secrets.masked(text: text)) }

    /// Facts by name: `{"value", "from"}`.
    ///
    /// A person gave them, and stores are named after them; only what is secret by its shape is masked.
    func facts(_ facts: Facts) -> Value {
        .dictionary(
            facts.names.compactMap { name in
                facts[name].map { fact in
                    (
                        Name(name.rawValue),
                        .dictionary([(Name("value"), sentence(fact.value)), ("from", .string(fact.source.description))])
                    )
                }
            })
    }

    /// A reason: `null`, or `{"code", "sentence"}` with `"missingFacts"` where that is the reason.
    func reason(_ reason: Reason?) -> Value {
        guard let reason else { return .null }
        var fields: [(Name, Value)] = [("code", .string(reason.code)), ("sentence", sentence(reason.sentence))]
        if !reason.missingFacts.isEmpty {
            fields.append(("missingFacts", .strings(reason.missingFacts.map(\.rawValue))))
        }
        return .dictionary(fields)
    }

    /// A change: `{"action", "address", "from", "before", "after", "rule", "notes", "placeholders"}`.
    func change(_ change: Change) -> Value {
        let fields: [(Name, Value)] = [
            ("action", .string(change.action.rawValue)), ("address", .string("\(change.address)")),
            ("from", .strings(change.from.map(\.description))), ("before", state(change.before, at: change.address)),
            ("after", change.after.map { value($0, at: change.address, from: change.from) } ?? .null),
            ("rule", sentence(change.rule)),
            ("notes", .array(change.notes.map(sentence))),
            ("placeholders", .strings(change.placeholders.map(\.description))),
        ]
        return .dictionary(fields)
    }

    /// What is known of an entry: `null` where it is absent, its value, or
    /// `{"type": "unreadable", "cause", "explanation"}`.
    func state(_ state: EntryState, at address: Address) -> Value {
        switch state {
        case .absent: .null
        case .present(let value): self.value(value, at: address)
        case .unreadable(let reason): unreadable(reason)
        }
    }

    /// Why something cannot be read: `{"type": "unreadable", "cause", "explanation"}`.
    func unreadable(_ reason: Unreadable) -> Value {
        .dictionary([
            ("type", .string("unreadable")), ("cause", .string(reason.cause.rawValue)),
            ("explanation", .string(reason.explanation)),
        ])
    }

    /// Whether there is a keychain: `{"state", "from", "problem"}`, the state being none, items or unreadable.
    func keychain(_ state: KeychainState) -> Value {
        let (name, path): (String, String?) =
            switch state {
            case .none: ("none", nil)
            case .items(let path): ("items", path)
            case .unreadable: ("unreadable", nil)
            }
        return .dictionary([
            ("state", .string(name)), ("from", path.map(Value.string) ?? .null),
            ("problem", state.problem.map(unreadable) ?? .null),
        ])
    }

    /// How many steps have each outcome.
    func summary(_ plan: Plan) -> Value {
        let kinds: [Outcome.Kind] = [.migrates, .skipped, .blocked, .conflict, .failed, .unchanged]
        return .dictionary(kinds.map { (Name($0.rawValue), .integer(Int128(plan.summary[$0] ?? 0))) })
    }

    /// Warnings of a dump: `{"path", "sentence"}` each.
    func warnings(_ warnings: [DumpWarning]) -> Value {
        .array(warnings.map { .dictionary([("path", .string($0.path)), ("sentence", .string("\($0)"))]) })
    }

    /// Files that have changed: `{"path", "kind"}` each, the kind being changed, missing, appeared or unreadable.
    func drift(_ drift: [Drift]) -> Value {
        .array(drift.map { .dictionary([("path", .string($0.path)), ("kind", .string($0.kind.rawValue))]) })
    }
}

extension Value {
    /// An array of texts.
    static func strings(_ texts: [String]) -> Value { .array(texts.map(Value.string)) }
    /// A number.
    static func count(_ number: Int) -> Value { .integer(Int128(number)) }
}
