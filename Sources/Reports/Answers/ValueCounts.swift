import MigrationEngine
import StoreFormats

/// What becomes of the user's values in a plan: how many meet which fate, and how many no step takes on yet, and why.
///
/// A step that takes nothing on counts the values that it would take and no other step does; one that could not go on counts
/// at least one, for what it would make, unless another that could not either counts what it would make that of. Of a step that
/// waits only for a name it is known what will become of them, and that counts.
package struct ValueCounts: Hashable, Sendable {
    /// What becomes of a value.
    package enum Fate: Hashable, Sendable {
        /// The step that would take it failed, is in conflict, waits, leaves it, or finds its target made.
        case held(Outcome.Kind)
        case effect(ValueEffect)
        /// No step looks at it, though it is in the migration's stores.
        case untouched
    }

    /// What keeps values from being taken on, the gravest first; then what becomes of the others.
    package static let stopped: [Fate] = [.held(.failed), .held(.conflict), .held(.blocked)]
    package static let others =
        ValueEffect.allCases.map(Fate.effect) + [.held(.unchanged), .held(.skipped), .untouched]

    private var counts: [Fate: Int] = [:]
    /// The entries that steps only take away, as their values stand where they belong already.
    package private(set) var alreadyThere: Set<Address> = []
    /// How many of those that are dropped, and made up, are parts of values that else go on.
    package private(set) var droppedParts = 0, madeUpParts = 0

    package init() {}

    package init(_ plan: Plan, in stores: any StoreReader) {
        let changes = plan.steps.flatMap(\.shownChanges), effects = EffectCounts(changes)
        (droppedParts, madeUpParts) = (effects.droppedParts, effects.madeUpParts)
        for effect in ValueEffect.allCases { counts[.effect(effect)] = effects[effect] }
        counts[.untouched] = plan.untouched
        alreadyThere = Set(changes.lazy.filter { $0.after == nil && $0.effect == .carried }.map(\.address))
            .subtracting(changes.lazy.flatMap { $0.after == nil ? [] : $0.takenOn + [$0.address] })
        counts[.held(.unchanged)] = alreadyThere.count + Set(changes.lazy.filter(\.isThere).map(\.address)).count
        let account = PartAccount(of: changes)
        /// Those that are counted as held.
        var counted: Set<Address> = []
        func isOpen(_ place: Address) -> Bool {
            guard !counted.contains(place), !counted.contains(place.entry), !account.isMade(place) else { return false }
            let state = stores.state(at: place)
            return state != .absent && !account.rest(of: place, holding: state.value).isEmpty
        }
        for case .held(let kind) in Self.stopped + Self.others {
            let least = Self.stopped.contains(.held(kind)) ? 1 : 0
            /// The values that count so.
            var held: Set<Address> = []
            for planned in plan.steps where planned.heldKind == kind && planned.shownChanges.isEmpty {
                // Of several sources that one counts whose value is kept out.
                let used = planned.conflict?.from ?? []
                let all = used.isEmpty ? planned.step.sources + planned.step.beside : used
                let own = all.filter(isOpen)
                counted.formUnion(own)
                held.formUnion(own)
                // What was made of nothing that lies in a store, as of a fact, counts where it stands.
                if all.isEmpty, !planned.found.isEmpty { counts[.held(kind), default: 0] += 1 }
                counts[.held(kind), default: 0] += max(all.contains(where: held.contains) ? 0 : least, own.count)
            }
        }
    }

    package subscript(fate: Fate) -> Int { counts[fate] ?? 0 }
}

extension ValueCounts.Fate {
    /// What the values are, after their number.
    package var word: String {
        switch self {
        case .held(let kind): kind.valueWord
        case .effect(let effect): effect.word
        case .untouched: "untouched"
        }
    }

    /// The same where it stands by itself.
    package var phrase: String {
        switch self {
        case .effect(.changed): "changed in meaning"
        case .untouched: "untouched in the migration's stores"
        default: word
        }
    }

    /// All that it, and a step with such values, is called on screens and in reports; its word first.
    package var words: [String] {
        switch self {
        case .held(let kind): [word, kind.phrase, kind.rawValue]
        case .effect(let effect): [word, phrase, effect.rawValue]
        case .untouched: [word, phrase]
        }
    }
}

extension Outcome.Kind {
    /// What the values of such steps are, after their number, and what is said of the rows that a filter for them shows.
    package var valueWord: String {
        switch self {
        case .failed: "failed"
        case .conflict: "in conflict"
        case .blocked: "waiting"
        case .skipped: "skipped"
        case .unchanged: "there already"
        case .migrates: rawValue
        }
    }
}
