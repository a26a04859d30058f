import MigrationEngine
import StoreFormats

/// What becomes of the user's values in a plan: how many meet which fate, and how many no step takes on yet, and why.
///
/// A step that takes nothing on counts the values that it would take and no other step does, and one that takes some those that it
/// leaves; one that could not go on counts at least one, for what it would make, unless another that could not either counts what
/// it would make that of. Of a step that waits only for a name it is known what will become of them, and that counts.
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
    /// What becomes of those with which something of the user's goes or means something else.
    package static let losses: [Fate] = [.effect(.dropped), .effect(.changed)]
    package static let others =
        ValueEffect.allCases.map(Fate.effect) + [.held(.unchanged), .held(.skipped), .untouched]

    private var counts: [Fate: Int] = [:]
    /// The names of the steps that hold them.
    private var holders: [Outcome.Kind: Set<String>] = [:]
    /// The entries that steps only take away, as their values stand where they belong already.
    package private(set) var alreadyThere: Set<Address> = []
    /// How many of those that are dropped, and made up, are parts of values that else go on.
    package private(set) var droppedParts = 0, madeUpParts = 0

    package init() {}

    package init(_ plan: Plan, in stores: any StoreReader) {
        let changes = plan.stepsAsMade.flatMap(\.shownChanges), effects = EffectCounts(changes)
        (droppedParts, madeUpParts) = (effects.droppedParts, effects.madeUpParts)
        for effect in ValueEffect.allCases { counts[.effect(effect)] = effects[effect] }
        counts[.untouched] = plan.untouched
        alreadyThere = Set(changes.lazy.filter { $0.after == nil && $0.effect == .carried }.map(\.address))
            .subtracting(changes.lazy.flatMap { $0.after == nil ? [] : $0.takenOn + [$0.address] })
        counts[.held(.unchanged)] = alreadyThere.count + Set(changes.lazy.filter(\.isThere).map(\.address)).count
        let account = PartAccount(of: changes)
        /// Those that are counted as held, or as dropped for others.
        var counted = alreadyThere.union(changes.lazy.filter(\.isThere).flatMap(\.from))
            .union(changes.lazy.flatMap(\.dropped))
        func isOpen(_ place: Address) -> Bool {
            guard !counted.contains(place), !counted.contains(place.entry), !account.isMade(place) else { return false }
            let state = stores.state(at: place)
            return state != .absent && !account.rest(of: place, holding: state.value).isEmpty
        }
        /// The values of steps that could not go on.
        var held: Set<Address> = []
        for case .held(let kind) in Self.stopped + Self.others {
            let isStopped = Self.stopped.contains(.held(kind))
            for planned in plan.steps {
                let isWhole = planned.heldKind == kind && planned.shownChanges.isEmpty
                let all = planned.heldPlaces(kind, isWhole: isWhole), own = Set(all.filter(isOpen))
                counted.formUnion(own)
                held.formUnion(own)
                var count = own.count
                if isWhole {
                    // What was made of nothing that lies in a store, as of a fact, counts where it stands.
                    let isMade = all.isEmpty && !planned.found.isEmpty
                    // What only takes away makes nothing.
                    let makesOne = isStopped && !planned.step.followsAll && !all.contains(where: held.contains)
                    count = (isMade ? 1 : 0) + max(makesOne ? 1 : 0, count)
                }
                guard count > 0 else { continue }
                counts[.held(kind), default: 0] += count
                holders[kind, default: []].insert(planned.id)
            }
        }
    }

    /// Whether a step takes values on so, by its name.
    package func isHeld(_ kind: Outcome.Kind, by step: String) -> Bool { holders[kind]?.contains(step) ?? false }

    package subscript(fate: Fate) -> Int { counts[fate] ?? 0 }
}

extension Plan {
    /// The steps that are applied, in the order in which they were, and then the others in theirs: what one moves on the next finds.
    fileprivate var stepsAsMade: [PlannedStep] {
        steps.enumerated().sorted { one, other in
            (one.element.entry?.number ?? .max, one.offset) < (other.element.entry?.number ?? .max, other.offset)
        }.map(\.element)
    }
}

extension PlannedStep {
    /// What it would take and takes on so: of one that changes something, or whose sources only the stores can name, what it leaves
    /// and what it finds by itself.
    fileprivate func heldPlaces(_ kind: Outcome.Kind, isWhole: Bool) -> [Address] {
        // Of several sources those count whose value is kept out, and not what stands beside it in the entry of the target.
        let from = conflict?.from ?? [], kept = from.filter { $0.entry != conflict?.address.entry }
        let used = kept.isEmpty ? from : kept, all = used.isEmpty ? step.sources + step.beside : used
        let named = isWhole ? all : [], entries = Set(named), isOfSome = !step.patterns.isEmpty || !shownChanges.isEmpty
        guard isWhole || isOfSome else { return [] }
        let left = self.left.lazy.filter { $0.kind == kind }.map(\.place).filter { !entries.contains($0.entry) }
        let there = (kind == .unchanged && isOfSome ? found : []).lazy.filter(\.isThere).flatMap { change in
            // What stands beside it in the entry is no source of it.
            let sources = change.takenOn.filter { $0 != change.address }
            return sources.isEmpty ? [change.address] : sources
        }
        return named + left + there
    }
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
