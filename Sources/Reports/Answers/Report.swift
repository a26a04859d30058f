import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// One of the program's answers: its encoding is the documented JSON, its document is what a person reads, and its status
/// how the program ends.
///
/// It is written and not read back: no part of the program, and no other, needs it as a value again.
///
/// The JSON is an object whose `format` is `vestige.<name>/1`; fields are only ever added within a version. Secrets are
/// masked in the parts that a report is made of, and nowhere else: a value in ``ShownValue``, a sentence in ``Showing``.
package protocol Report: Encodable, Sendable {
    /// The name in `format`.
    static var name: String { get }
    /// How the program ends that gives this answer.
    var status: ExitStatus { get }
    /// Says the answer to a person.
    func write(to document: inout Document)
}

extension Report {
    /// The answer as blocks.
    package var document: Document {
        var document = Document()
        (self as? any DumpReport)?.dump.write(to: &document)
        write(to: &document)
        return document
    }

    /// Writes the JSON, ending with a line feed, piece by piece.
    package func writeJSON(_ write: @escaping (ArraySlice<UInt8>) throws -> Void) throws {
        let sink = JSONSink(write), encoder = ReportEncoder(sink)
        try encoder.member("format", "vestige.\(Self.name)/1")
        try encode(to: encoder)
        encoder.close()
        sink.append("\n")
        try sink.flush()
    }

    /// The JSON as a whole.
    package var json: String {
        get throws { try JSONSink.collected { sink in try writeJSON { try sink($0) } } }
    }
}

/// An answer about one container of a dump.
protocol DumpReport: Report {
    var dump: DumpPart { get }
}

/// A dump and the chosen container.
///
/// Where what was named is not the dump itself, `named` is that and `path` is the dump; `passedOver` are what lies beside it
/// and was not opened. Elsewhere they are not there.
struct DumpPart: Encodable {
    let kind: String
    let bundleIdentifier: String
    private let named, path: String?
    private let passedOver: [String]?
    /// Which dump it is, by its file, the app's version and when it was made; else what is seen of the app.
    let origin: String

    private enum CodingKeys: String, CodingKey { case kind, bundleIdentifier, named, path, passedOver }

    init(_ snapshot: WorkspaceSnapshot) { self.init(snapshot.dump, snapshot.container) }

    init(_ dump: Dump, _ container: Container) {
        kind = dump.kind.rawValue
        bundleIdentifier = container.identifier
        named = dump.named
        path = dump.named == nil ? nil : dump.path
        passedOver = dump.passedOver.isEmpty ? nil : dump.passedOver
        let file = dump.path.split(separator: "/").last.map(String.init) ?? dump.path
        origin = [
            Secrets.masked(text: file),
            container.facts[.appVersion].map { "version \(Secrets.masked(text: $0.value))" },
            container.facts.downloadWordsWithZone.map { "taken \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// What is seen of an app under some condition, which stands in place of a kind.
    init(_ condition: String, of app: String) {
        (kind, bundleIdentifier, named, path, passedOver, origin) = (condition, app, nil, nil, nil, condition)
    }

    /// Says which dump it is, where that is not what was named.
    func write(to document: inout Document) {
        if let path { document.line("dump  \(path)") }
        for path in passedOver ?? [] { document.line("not opened, beside it  \(path)", role: .warning) }
    }
}

/// A fact.
///
/// A person gave it, and stores are named after it; only what is secret by its shape is masked.
struct FactPart: Encodable {
    let value: String
    let from: String
    /// The value as people write it.
    let words: String

    private enum CodingKeys: String, CodingKey { case value, from }

    /// - Parameter entry: The number of the entry of the ledger that has them.
    static func all(_ facts: Facts, of entry: Int? = nil, _ showing: Showing) -> Named<FactPart> {
        Named(
            facts.names.compactMap { name in
                facts[name].map { fact in
                    let recorded = entry.map(fact.recorded) ?? fact
                    let value = showing.masking.fact(name, recorded, as: recorded.value)
                    let words = name == .downloadDate ? facts.downloadWords : nil
                    return (
                        name.rawValue,
                        FactPart(
                            value: value, from: showing.masking.addresses(in: "\(fact.source)"),
                            words: words ?? showing.masking.fact(name, recorded))
                    )
                }
            })
    }
}

/// Why a step does what it does; `missingFacts` is there where that is the reason.
struct ReasonPart: Encodable {
    let code: String
    let sentence: String
    let missingFacts: [String]?

    init(_ reason: Reason, of sources: [Address], _ showing: Showing) {
        code = reason.code
        sentence = showing.sentence(reason, of: sources)
        missingFacts = reason.missingFacts.isEmpty ? nil : reason.missingFacts.map(\.rawValue)
    }
}

/// Why something cannot be read; `candidates` are there where several values stand under one key.
struct UnreadablePart: Encodable, Sendable {
    let type = "unreadable"
    let cause: String
    let explanation: String
    let candidates: [StatePart]?
    /// Whether an export of the keychain would tell, where it is of one.
    let isHelpedByExport: Bool
    /// Whether the dump lacks it.
    let isMissing: Bool
    let advice: Advice?

    init(_ reason: Unreadable, at address: Address? = nil, from sources: [Address] = [], _ showing: Showing) {
        (isHelpedByExport, isMissing) = (reason.isHelpedByExport, reason.cause == .missing)
        advice = reason.advice
        cause = reason.cause.rawValue
        explanation = showing.sentence(reason.explanation)
        candidates =
            reason.candidates.isEmpty
            ? nil
            : address.map { address in reason.candidates.map { StatePart($0, at: address, from: sources, showing) } }
    }

    private enum CodingKeys: String, CodingKey { case type, cause, explanation, candidates }
}

extension Document {
    /// What lets it be read, where there is something.
    mutating func advice(on reason: UnreadablePart, indent: Int) {
        if let advice = reason.advice { self.advice("do", advice, indent: indent) }
    }
}

/// What is known of an entry: null where it is absent, its value, or why it cannot be read.
enum StatePart: Encodable, Sendable {
    case absent
    case present(ShownValue)
    case unreadable(UnreadablePart)

    init(_ state: EntryState, at address: Address, from sources: [Address] = [], _ showing: Showing) {
        self =
            switch state {
            case .absent: .absent
            case .present(let value): .present(showing(value, at: address, from: sources))
            case .unreadable(let reason): .unreadable(UnreadablePart(reason, at: address, from: sources, showing))
            }
    }

    var name: String {
        switch self {
        case .absent: "absent"
        case .present: "present"
        case .unreadable: "unreadable"
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .absent: try container.encodeNil()
        case .present(let value): try container.encode(value)
        case .unreadable(let reason): try container.encode(reason)
        }
    }
}

/// A change: what happens to an entry, and what made it so.
struct ChangePart: Encodable {
    let action: String
    /// What it does to the user's value: carried, converted, changed, dropped or made-up; null where a step is rolled back,
    /// which gives the user what was there.
    @OrNull var effect: String?
    let address: String
    let from: [String]
    /// The parts of what it is made from that the new value does not take on.
    let dropped: [DroppedPart]
    let before: StatePart
    let after: StatePart
    let rule: String
    let notes: [String]
    /// JSON Pointers to the parts of the new value that a default made up.
    let placeholders: [String]

    /// What stood at each source, where the new value means something else.
    private let were: [Name: String]
    /// What differs inside of a value that is edited where it is.
    private let inside: ShownComparison?

    private enum CodingKeys: String, CodingKey {
        case action, effect, address, from, dropped, before, after, rule, notes, placeholders
    }

    /// - Parameters:
    ///   - isRollback: Whether the change takes back another.
    ///   - isSketch: Whether names in braces stand in it for facts.
    ///   - stores: Where what it is made from stands, and where it stood before steps were applied.
    ///   - rule: The rule as it is shown, where that is known.
    init(
        _ change: Change, isRollback: Bool = false, isSketch: Bool = false, in stores: [any StoreReader] = [],
        rule: String? = nil, _ showing: Showing
    ) {
        action = change.action.rawValue
        _effect = OrNull(wrappedValue: isRollback ? nil : change.effect.rawValue)
        address = showing.masking.place(change.address, isSketch: isSketch)
        from = change.from.map(showing.masking.place)
        dropped = change.dropped.map { DroppedPart(address: showing.masking.place($0)) }
        were = Dictionary(
            change.from.compactMap { source in
                change.value(of: source, in: stores).map {
                    (Name(showing.masking.place(source)), showing($0, at: source, from: [change.address]).summary)
                }
            }, uniquingKeysWith: { first, _ in first })
        // A secret on one side would be told by the other.
        let after = EntryState(change.after), sources = change.from
        before = StatePart(change.before, at: change.address, from: sources, showing)
        self.after = StatePart(after, at: change.address, from: sources, showing)
        self.rule = rule ?? showing.masking.rule(change.rule, on: [change], at: [change.address] + change.from)
        notes = change.notes.map { showing.note($0, on: change) } + change.ownNotes
        inside = change.before.value.flatMap { before in
            let budget = showing.budget.show
            guard before.hasParts(within: budget), let after = change.after, after.hasParts(within: budget)
            else { return nil }
            return ShownComparison(
                before: (before, change.address), after: (after, change.address), sources: sources,
                titles: ("before", "after"), placeholders: change.placeholders, showing: showing)
        }
        placeholders = change.placeholders.map(showing.masking.place)
    }

    func write(to document: inout Document) { write(to: &document, withValues: true) }

    /// - Parameter withValues: Whether the values before and after are told, which a table may tell already.
    func write(to document: inout Document, withValues: Bool) {
        document.line("\(action)\(effect.map { ", \($0)" } ?? "")  \(address)", indent: 4)
        for source in from {
            let held = withValues ? were[Name(source)].map { "  \($0)" } : nil
            document.field("from", source + (held ?? ""), width: 8, indent: 6)
        }
        let told = before.value.flatMap { old in after.value.map { ShownValue.told(old, $0) } }
        let isFound = action == Change.Action.found.rawValue
        let states = isFound ? [("holds", after)] : [("before", before), ("after", after)]
        for (label, state) in withValues || isFound ? states : [] {
            switch state {
            case .absent: break
            case .present(let value):
                let text = label == "before" ? told?.left : told?.right
                document.field(label, text ?? value.summary, width: 8, indent: 6)
            case .unreadable(let reason):
                document.field(label, "cannot be read: \(reason.explanation)", width: 8, indent: 6)
            }
        }
        document.parts(inside)
        for part in dropped { document.field("drops", part.address, width: 8, indent: 6) }
        for pointer in placeholders {
            document.field("placeholder", pointer.isEmpty ? "the whole value" : pointer, width: 13, indent: 6)
        }
        for note in notes { document.field("note", note, width: 8, indent: 6) }
    }
}

/// Changes, each made when it is told: a step with a star has as many as there are entries.
struct ChangeParts: Encodable {
    private let changes: [Change], isRollback: Bool, isSketch: Bool
    private let stores: [any StoreReader]
    /// How rules are shown, where that is known.
    private let known: [String: String]?
    private let showing: Showing

    init(
        _ changes: [Change], isRollback: Bool = false, isSketch: Bool = false, in stores: [any StoreReader] = [],
        rules known: [String: String]? = nil, _ showing: Showing
    ) {
        (self.changes, self.isRollback, self.isSketch) = (changes, isRollback, isSketch)
        (self.stores, self.known, self.showing) = (stores, known, showing)
    }

    var isEmpty: Bool { changes.isEmpty }

    private func forEach(_ body: (ChangePart) throws -> Void) rethrows {
        var told = known ?? [:]
        // What a rule names is as secret as what any change by it may hold.
        if changes.contains(where: { told[$0.rule] == nil }) {
            for (rule, own) in Dictionary(grouping: changes, by: \.rule) where told[rule] == nil {
                told[rule] = showing.masking.rule(
                    rule, on: own.prefix(10), at: own.flatMap { [$0.address] + $0.from })
            }
        }
        for change in changes {
            try body(
                ChangePart(
                    change, isRollback: isRollback, isSketch: isSketch, in: stores,
                    rule: told[change.rule, default: ""], showing))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try forEach { try list.encode($0) }
    }

    func write(to document: inout Document, withValues: Bool = true) {
        forEach { $0.write(to: &document, withValues: withValues) }
    }
}

extension Change {
    /// What its values say besides what was noted.
    var ownNotes: [String] { [storageNote, accessNote].compactMap(\.self) }

    /// When an item of the keychain can be read that is new, or could be read at other times.
    private var accessNote: String? {
        func access(_ value: Value?) -> Value? { value.flatMap { KeychainItem($0) }?.attributes["pdmn"] }
        guard address.store.kind == .keychain, let new = access(after), new != access(before.value) else { return nil }
        let words = KeychainWords.words(for: new, at: JSONPointer(["pdmn"]))
        return "the item can be read \(words ?? new.quoted)"
    }

    /// What must be known of a value that is stored in another type, where what it holds looks the same in both.
    private var storageNote: String? {
        guard let old = before.value, let new = after, old.typeName != new.typeName else { return nil }
        func isText(_ value: Value) -> Bool { ["string", "data"].contains(value.typeName) }
        func isContainer(_ value: Value) -> Bool { ["array", "dictionary"].contains(value.typeName) }
        let isSameToRead =
            isText(old) && isText(new) || isText(old) && isContainer(new) && old.decoded() != nil
            || isContainer(old) && isText(new) && new.decoded() != nil
        return isSameToRead
            ? "it is stored as \(old.typePhrase) and becomes \(new.typePhrase): what reads \(old.typePhrase) there finds none"
            : nil
    }

    /// What a source held, where it is another place than the change's and the new value means something else, or is not there.
    ///
    /// - Parameter stores: Where the source may stand, the first that has it counts.
    func value(of source: Address, in stores: [any StoreReader]) -> Value? {
        guard effect == .changed || after == nil && before == .absent, source != address else { return nil }
        return stores.lazy.compactMap { $0.state(at: source).value }.first
    }
}

extension Change {
    /// What stood at a place that it has to do with: in its own entry what it has replaced, wherever it is applied.
    ///
    /// - Parameter stores: Where another place may stand, the first that has it counts.
    func formerValue(of place: Address, in stores: [any StoreReader]) -> Value? {
        if place.entry == address, action != .found, let before = before.value {
            return before.standing(at: place.pointer)
        }
        return stores.lazy.compactMap { $0.state(at: place).value }.first
    }
}

extension Document {
    /// How many parts are named.
    private static let partLimit = 20

    /// Names the parts that differ inside of a value.
    ///
    /// - Parameter titles: What the sides are called, where words say what differs in place of signs.
    mutating func parts(_ comparison: ShownComparison?, inWords titles: (before: String, after: String)? = nil) {
        let comparison = comparison?.differences, rows = (comparison?.rows ?? []).filter { $0.mark != .same }
        // A container differs where a part of it does, which is named itself; one that is gone takes its parts along.
        let parents = Set(rows.map(\.parent)), gone = Set(rows.filter { $0.mark == .removed }.map(\.pointer))
        let parts = rows.filter { row in
            !row.pointer.isRoot && !(row.mark == .changed && !row.isReplaced && parents.contains(row.pointer))
                && !gone.contains(row.parent)
        }
        for row in parts.prefix(Self.partLimit) {
            if let (before, after) = titles {
                let sides = [(before, row.left), (after, row.right)].map { "\($0) \($1 ?? "nothing")" }
                line("\(row.place): \(sides.joined(separator: ", "))", indent: 8)
                continue
            }
            let sides = [row.left, row.right].compactMap(\.self).joined(separator: " → ")
            field(row.mark.sign, "\(row.place)  \(sides)", width: 2, indent: 8)
        }
        let more = parts.count - Self.partLimit
        if more > 0 { line("… \(more.counted("more part"))", indent: 8) }
        if comparison?.isCut == true {
            line("… and perhaps others: the value has too many parts to compare", indent: 8)
        }
    }
}

extension Comparison.Row {
    /// The part that it is a part of.
    fileprivate var parent: JSONPointer { JSONPointer(Array(pointer.tokens.dropLast())) }
}

/// A part of a value that nothing takes on, or a value as a whole.
struct DroppedPart: Encodable {
    let address: String
    let effect = ValueEffect.dropped.rawValue
}

/// How many steps have each outcome.
struct SummaryPart: Encodable {
    let migrates, skipped, blocked, conflict, failed, unchanged: Int

    init(_ plan: Plan) {
        func count(_ kind: Outcome.Kind) -> Int { plan.summary[kind] ?? 0 }
        (migrates, skipped, blocked) = (count(.migrates), count(.skipped), count(.blocked))
        (conflict, failed, unchanged) = (count(.conflict), count(.failed), count(.unchanged))
    }
}

extension Named<Int> {
    /// How many values meet which fate.
    init(_ counts: EffectCounts) { self.init(ValueEffect.allCases.map { ($0.rawValue, counts[$0]) }) }
}

/// How many of the user's values meet which fate, each counted once, as ``ValueCounts`` has them.
///
/// `droppedParts` are those of `dropped` that are parts of values that else go on, such as a member of a dictionary, and
/// `madeUpParts` those of `made-up` that are. Of `failed`, `conflict`, `blocked`, `unchanged` and `skipped` no step takes
/// anything on; `untouched` are the entries of the stores on both sides of the migration that are no step's source or target and
/// that no step changes.
struct EffectsPart: Encodable {
    let carried, converted, changed, dropped, madeUp, untouched, droppedParts, madeUpParts: Int
    let failed, conflict, blocked, unchanged, skipped: Int
    private let counts: ValueCounts

    private enum CodingKeys: String, CodingKey {
        case carried, converted, changed, dropped
        case madeUp = "made-up"
        case untouched, droppedParts, madeUpParts, failed, conflict, blocked, unchanged, skipped
    }

    init(_ counts: ValueCounts) {
        self.counts = counts
        (carried, converted, changed) = (
            counts[.effect(.carried)], counts[.effect(.converted)], counts[.effect(.changed)]
        )
        (dropped, madeUp) = (counts[.effect(.dropped)], counts[.effect(.madeUp)])
        (droppedParts, madeUpParts, untouched) = (counts.droppedParts, counts.madeUpParts, counts[.untouched])
        (failed, conflict, blocked) = (counts[.held(.failed)], counts[.held(.conflict)], counts[.held(.blocked)])
        (unchanged, skipped) = (counts[.held(.unchanged)], counts[.held(.skipped)])
    }

    /// The counts in a phrase, without those that are none; `nil` where all are.
    var sentence: String? {
        func parts(_ count: Int) -> String { count == 0 ? "" : " (\(count.counted("part")) of others)" }
        let some = (ValueCounts.stopped + ValueCounts.others).filter { counts[$0] > 0 }.map { fate in
            "\(counts[fate]) \(fate.phrase)"
                + (fate == .effect(.dropped) ? parts(droppedParts) : fate == .effect(.madeUp) ? parts(madeUpParts) : "")
        }
        return some.isEmpty ? nil : "values: " + some.joined(separator: ", ")
    }
}

/// What is missing from a dump or cannot be read.
struct WarningPart: Encodable {
    let path: String
    let sentence: String
    private let advice: Advice?

    private enum CodingKeys: String, CodingKey { case path, sentence }

    static func all(_ warnings: [DumpWarning], _ showing: Showing) -> [WarningPart] {
        // What is damaged is found again by each that reads it, and by each part of the dump that it keeps from being read.
        var told: Set<Name> = []
        return warnings.filter { told.insert(Name("\($0)")).inserted }
            .map {
                WarningPart(
                    path: showing.masking.written(Name($0.path)), sentence: showing.sentence("\($0)"),
                    advice: $0.advice)
            }
    }

    /// That of a spec nothing is known, as it cannot be used.
    init(leftOut: TicketReport.LeftOut, _ showing: Showing) {
        (path, sentence, advice) = (leftOut.name, showing.sentence(leftOut.sentence), nil)
    }

    private init(path: String, sentence: String, advice: Advice?) {
        (self.path, self.sentence, self.advice) = (path, sentence, advice)
    }

    func write(to document: inout Document, indent: Int = 2) {
        document.line("warning: \(sentence)", indent: indent)
        if let advice { document.advice("do", advice, indent: indent + 2) }
    }
}

/// A file that has changed since steps were applied: changed, missing, appeared, unreadable or keychain-not-given.
struct DriftPart: Encodable {
    let path: String
    let kind: String

    static func all(_ drift: [Drift]) -> [DriftPart] {
        drift.map { DriftPart(path: $0.path.asFile, kind: $0.kind.rawValue) }
    }
}

/// In what steps that stand were applied otherwise than a plan would apply the next ones: in another profile, with another
/// value of a fact, or by other rules.
struct DeparturePart: Encodable {
    /// The fact; absent where it is the profile or the rules.
    let fact: String?
    /// The steps that were applied by other rules, or by rules that are no more; absent where it is the profile or a fact.
    var steps: [String]?
    /// The profile, or the fact's value, that steps were applied with; of rules the steps, in a sentence.
    let applied: String
    @OrNull var now: String?
    let sentence: String

    init(_ departure: Departure, _ showing: Showing) {
        switch departure {
        case .profile(let profile):
            (fact, applied) = (nil, profile)
            _now = OrNull(wrappedValue: nil)
        case .fact(let name, let value, let current):
            (fact, applied) = (name.rawValue, showing.masking.fact(name, value, as: value.value))
            _now = OrNull(wrappedValue: current.map { showing.masking.fact(name, $0, as: $0.value) })
        case .steps(let ids), .formerSteps(let ids):
            (fact, steps, applied) = (nil, ids, ids.joined(separator: ", "))
            _now = OrNull(wrappedValue: nil)
        }
        sentence = departure.phrase(showing.masking)
    }
}

extension Departure {
    /// How steps were applied, after “applied”.
    package func phrase(_ masking: Masking) -> String {
        switch self {
        case .profile(let applied): "with the profile \(masking.sentence(applied))"
        case .fact(let name, let applied, let now):
            "with \(name) \(masking.fact(name, applied)), which now is "
                + (now.map { masking.fact(name, $0) } ?? "not known")
        case .steps(let ids): "by other rules than the migration has now: \(first(of: ids))"
        case .formerSteps(let ids): "by rules that the migration does not have now: \(first(of: ids))"
        }
    }

    private func first(of ids: [String]) -> String {
        ids.prefix(8).joined(separator: ", ") + (ids.count > 8 ? " and \(ids.count - 8) more" : "")
    }

    /// What that means, in a sentence without a full stop.
    ///
    /// - Parameter profile: What to call the profile that the next ones would be made with.
    package func consequence(with profile: String) -> String {
        switch self {
        case .profile: "the next ones would be made with \(profile)"
        case .fact(_, _, now: nil): "the next ones would be made without it"
        case .fact: "the next ones would be made with what it is now"
        case .steps: "what they made is not what they would make now"
        case .formerSteps: "nothing would make now what they made"
        }
    }
}

extension WorkspaceSnapshot {
    /// How a look at plans on this workspace ends.
    func status(of plans: [Plan]) -> ExitStatus {
        .worst(
            of: [ExitStatus(drift)].compactMap(\.self) + plans.flatMap { $0.steps.map { ExitStatus($0.outcome) } })
    }
}
