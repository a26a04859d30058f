import Files
import Foundation
import MigrationEngine
import StoreFormats

extension PlannedStep {
    /// One character that says what the step does or did, with the word beside it.
    package func sign(_ glyphs: Glyphs) -> Run {
        guard status == .applied, outcome.kind == .unchanged else { return heldKind.sign(glyphs) }
        return outcome.isPartial ? Outcome.Kind.failed.sign(glyphs) : Outcome.Kind.appliedSign(glyphs)
    }

    /// The same, or where somebody else has lost or changed something with what it finds, the sign of that.
    var toldSign: Run {
        guard wasLostElsewhere, let loss else { return sign(.unicode) }
        return loss.sign(.unicode)
    }

    /// The word beside that sign, with what is lost or changed, or was found so.
    var toldWord: String { [word, lossPhrase].compactMap(\.self).joined(separator: ", ") }

    /// The gravest that it does to the user's values: something is dropped, or means something else; `nil` of what keeps all.
    package var loss: ValueEffect? {
        shownChanges.loss
    }

    /// Whether it would lose or change something once it is applied.
    package var loses: Bool { outcome.kind == .migrates && loss != nil }

    /// Whether that is done: it has nothing more to do.
    package var hasLost: Bool { isDone && loss != nil }

    /// Whether it does not go on, or not with all.
    package var isHeldUp: Bool { isStopped || outcome.kind == .blocked }

    /// The same of what no fact and no other step would help.
    package var isStopped: Bool { [.failed, .conflict].contains(outcome.kind) || outcome.isPartial }

    /// Whether it needs a person: it does not go on, or something of the user's is lost with it, or means something else.
    package var isProblem: Bool { isHeldUp || loses || hasLost }

    /// Whether it is done, and that was by nobody here: neither by itself nor by another step that is applied.
    package var wasLostElsewhere: Bool { isDone && status != .applied && !lostElsewhere.isEmpty }

    /// Whether it is applied, or what it would make was made already, or its rules leave it.
    package var isDone: Bool {
        switch outcome.kind {
        case .unchanged: (status == .applied || !found.isEmpty) && !outcome.isPartial
        case .skipped: status != .applied && !found.isEmpty
        default: false
        }
    }

    /// What the values are that it takes nothing on of: those that stand there already, though its rules leave them so, are that.
    package var heldKind: Outcome.Kind {
        outcome.kind == .skipped && !found.isEmpty && found.allSatisfy(\.isThere) ? .unchanged : outcome.kind
    }

    /// What it loses or changes, or has, in a phrase; `nil` where that is nothing.
    package var lossPhrase: String? {
        guard loses else { return hasLost ? shownChanges.lossPhrase(isDone: true) : nil }
        let own = sketch.isEmpty ? changes : sketch, told = Set(own.flatMap(\.dropped))
        // What it finds lost it does not lose itself, unless it takes that away.
        let others = foundLosses.map { change in
            var change = change
            change.dropped.removeAll(where: told.contains)
            return change
        }.filter(\.losesMeaning)
        return [own.lossPhrase(isDone: false), others.lossPhrase(isDone: true)].compactMap(\.self)
            .joined(separator: ", ")
    }

    /// The same word, and whether the step was taken back.
    var wordAndStatus: String { word + (status == .rolledBack ? ", was applied and rolled back" : "") }

    /// The same, and what it loses or changes.
    var headline: String { wordAndStatus + (lossPhrase.map { ", \($0)" } ?? "") }

    /// What the step does or did, in a word.
    package var word: String {
        guard status == .applied, outcome.kind == .unchanged else { return heldKind.rawValue }
        return outcome.isPartial ? "applied in part" : "applied"
    }
}

extension [Change] {
    /// The gravest that they do to the user's values: something is dropped, or means something else; `nil` where they keep all.
    package var loss: ValueEffect? {
        if contains(where: \.drops) { return .dropped }
        return contains { $0.effect == .changed } ? .changed : nil
    }

    /// What they lose or change, in a phrase; `nil` where that is nothing.
    ///
    /// - Parameter isDone: Whether they have done so, and not only would.
    package func lossPhrase(isDone: Bool) -> String? {
        guard let loss else { return nil }
        let effects = EffectCounts(self), dropped = effects[.dropped], changed = effects[.changed]
        let (drops, changes) = isDone ? ("has dropped", "has changed") : ("drops", "changes")
        let parts =
            (dropped > 0 ? ["\(drops) \(dropped.counted("value"))"] : loss == .dropped ? ["\(drops) a value"] : [])
            + (changed > 0 ? ["\(changes) what \(changed.counted("value")) mean\(changed == 1 ? "s" : "")"] : [])
        return parts.joined(separator: " and ")
    }
}

extension Outcome.Kind {
    /// The sign of a step that has been taken.
    package static func appliedSign(_ glyphs: Glyphs) -> Run { Run(glyphs.choose("✓", ascii: "*"), .done) }

    /// The sign of a step that does this.
    package func sign(_ glyphs: Glyphs) -> Run {
        switch self {
        case .migrates: Run(glyphs.choose("→", ascii: ">"), .added)
        case .unchanged: Run("=", .dim)
        case .skipped: Run("-", .dim)
        case .blocked: Run("?", .warning)
        case .conflict: Run("!", .problem)
        case .failed: Run(glyphs.choose("✗", ascii: "X"), .problem)
        }
    }
}

extension Document {
    /// The signs that stand before rows, each beside a word that says the same.
    static let signs = Set(
        Outcome.Kind.allCases.map { $0.sign(.unicode).text } + [Outcome.Kind.appliedSign(.unicode).text]
            + [Comparison.Mark.added, .changed, .removed].map(\.sign)
            + ValueEffect.allCases.map { $0.sign(.unicode).text })
}

extension Outcome.Kind {
    /// What so many steps do, after their number.
    package var phrase: String {
        switch self {
        case .migrates: "to apply"
        case .conflict: "in conflict"
        default: rawValue
        }
    }
}

extension FactDefinition {
    /// Texts that have the form; of a time also as people write it.
    package var examples: String {
        switch form {
        case .moment: "\(example), 2024-08-30 10:00, or 3h after the dump"
        case .seconds: "\(example), 3h 20min, or since 2024-08-30 06:00"
        default: example
        }
    }
}

extension FactDefinition.Form {
    /// The form in words.
    package var description: String {
        switch self {
        case .text: "a text"
        case .name: "a name"
        case .integer: "a whole number"
        case .flag: "true or false"
        case .oneOf(let words): "one of \(words.joined(separator: ", "))"
        case .seconds: "a number of seconds"
        case .moment: "a number of seconds since 1970 or a date"
        case .uuid: "a UUID"
        }
    }
}

extension Unreadable.Cause {
    /// The obstacle in a word or two, for a cell.
    package var word: String {
        switch self {
        case .locked: "locked"
        case .corrupt: "damaged"
        case .unsupported: "not supported"
        case .overLimit: "over a limit"
        case .inaccessible: "not accessible"
        case .ambiguous: "stands twice"
        case .missing: "not in the dump"
        }
    }
}

extension ValueEffect {
    /// What becomes of a value, in a word.
    package var word: String { self == .madeUp ? "made up" : rawValue }

    /// The same in one character; loss and change are loud.
    package func sign(_ glyphs: Glyphs) -> Run {
        switch self {
        case .carried: Run(glyphs.choose("→", ascii: ">"), .dim)
        case .converted: Run(glyphs.choose("⇢", ascii: "~"))
        case .changed: Run(glyphs.choose("≠", ascii: "%"), .warning)
        case .dropped: Run(glyphs.choose("⌫", ascii: "x"), .problem)
        case .madeUp: Run("+", .warning)
        }
    }
}

extension Masking {
    /// The key of an entry as a list shows it: where it is masked beside another one that looks alike, with its place in the store.
    package func listed(_ key: Name, in store: StoreID, of stores: any StoreReader) -> String {
        let shown = name(key)
        if written(key) == key.text { return shown }
        return shown + place(ofMasked: key, shownAs: shown, among: stores.keys(in: store))
    }

    /// The number of a masked key among all of its store, where another one is shown as it is; of many keys nobody looks at each.
    private func place(ofMasked key: Name, shownAs shown: String, among keys: any KeyList) -> String {
        guard let position = keys.position(of: key) else { return "" }
        let isFew = keys.count(upTo: Self.compared + 1) <= Self.compared
        let isAlone = isFew && (0..<keys.count).count { name(keys.key(at: $0)) == shown } < 2
        return isAlone ? "" : " ‹entry \(position + 1)›"
    }
    private static let compared = 200
}
