import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// Makes the view of the open container anew: with another migration, profile or store unfolded, or because something
/// has changed.
struct Planning: Effect {
    private let request: ViewRequest
    let label: String
    private let then: @Sendable (_ before: OpenContainer, inout Model) -> Void
    private let next: (any Effect)?

    /// - Parameters:
    ///   - next: What is to be done once the view is there.
    ///   - then: What is to be said or moved then.
    init(
        _ request: ViewRequest, label: String = "planning", next: (any Effect)? = nil,
        then: @escaping @Sendable (_ before: OpenContainer, inout Model) -> Void = { _, _ in }
    ) {
        self.request = request
        self.label = label
        self.next = next
        self.then = then
    }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> ContainerView {
        if request.planned == nil, let loss = try inspection.workspace(of: request.container).loss {
            throw .dump(loss)
        }
        return try inspection.view(request, control)
    }

    func finish(_ view: ContainerView, in model: inout Model) -> [any Effect] {
        guard let before = model.opened else { return [] }
        model.opened?.show(view)
        // Whoever only looks may as well know it from the beginning.
        if !before.isPlanned, model.message == nil, let reason = view.snapshot.readOnlyReason {
            model.message = .refused(reason)
        }
        then(before, &model)
        return [next].compactMap(\.self)
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        model.message = model.refused(error, stopped: "stopped; :reload plans again")
        return []
    }
}

/// Plans anew, on what the ledger and the spec files hold now.
struct Reloading: Effect {
    let request: ViewRequest
    var label: String { "planning" }

    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> (view: ContainerView, reread: Inspection.Reread?) {
        let reread = inspection.reread()
        try inspection.workspace(of: request.container).reload()
        return (try inspection.view(request, control), reread)
    }

    func finish(
        _ answer: (view: ContainerView, reread: Inspection.Reread?), in model: inout Model
    ) -> [any Effect] {
        let view = answer.view
        let before = model.opened?.snapshot.history.entries.count ?? 0
        model.opened?.showReread(view)
        if let reread = answer.reread { model.apps?.unusable = reread.problems.map(\.sentence) }
        let new = view.snapshot.history.entries.count - before
        if let reread = answer.reread, let problem = reread.problems.first {
            let count = reread.problems.count,
                more = count > 1 ? " (and \(count - 1) more: \(model.key(.warnings)))" : ""
            model.message = .refused("\(problem.sentence)\(more)")
        } else {
            let read = answer.reread.map(\.changed) ?? []
            let parts =
                (read.isEmpty ? [] : ["\(read.joined(separator: ", ")) read again"])
                + (new > 0 ? ["\(new.counted("entry", "entries")) more in the ledger"] : [])
            model.message = .done((["planned again"] + parts).joined(separator: "; "))
        }
        model.tellOfFacts()
        return [Examination(path: view.snapshot.path)]
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] { model.failRereading(error) }
}

extension Model {
    /// Says, behind what was done, which facts another program has changed, as what was done has found.
    fileprivate mutating func tellOfFacts(_ problem: WorkspaceError? = nil) {
        guard let message,
            case .fact(.changedMemory(let others, gone: let gone, file: _))? =
                problem ?? opened?.snapshot.changedFacts
        else { return }
        let changed = FactProblem.changed(others, gone, masking.shown)
        let text = message.shown(masking).followed(by: "Another program has changed these facts: \(changed)")
        self.message = Message(kind: message.kind, text: text, quotesDump: false)
    }

    /// Says why nothing was read again; where the dump is gone, what was read of it stays, as there is nothing to plan on.
    fileprivate mutating func failRereading(_ error: WorkspaceError) -> [any Effect] {
        message = refused(error)
        if case .dump = error { return [] }
        return opened.map { [Planning($0.request)] } ?? []
    }
}

/// Looks whether another program has made, changed or let go of the ledger.
///
/// It is asked for with each key, and where the file is seen to be written. Nothing is taken in before the
/// screen shows it: a step that is applied meanwhile is refused, as it would go on what nobody has seen.
struct Following: Effect {
    let request: ViewRequest
    var lane: Lane { .ledger }
    var label: String { "looking at the ledger" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Bool {
        try inspection.workspace(of: request.container).isBehind
    }

    /// While something runs it is left until that has ended.
    func finish(_ isBehind: Bool, in model: inout Model) -> [any Effect] {
        guard isBehind, let opened = model.opened, opened.request.container == request.container else { return [] }
        guard model.busy == nil else {
            model.isTouched = true
            return []
        }
        return [TakingInLedger(request: opened.request)]
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] { [] }
}

/// Takes in what another program has made of the ledger, and plans anew on it.
struct TakingInLedger: Effect {
    let request: ViewRequest
    var label: String { "planning" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> ContainerView {
        try inspection.workspace(of: request.container).reload()
        return try inspection.view(request, control)
    }

    func finish(_ view: ContainerView, in model: inout Model) -> [any Effect] {
        let before = model.opened?.snapshot
        model.opened?.showReread(view)
        let isFree = before?.readOnlyReason != nil && view.snapshot.readOnlyReason == nil
        let isSame = before?.history.entries == view.snapshot.history.entries
        model.message = .done(
            isFree && isSame
                ? "the other program has closed the ledger: steps can be applied here now"
                : "another program has changed the ledger")
        model.tellOfFacts()
        return [Examination(path: view.snapshot.path)]
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] { model.failRereading(error) }
}

/// Gives facts, or takes given ones back, and plans with them.
struct GivingFacts: Effect {
    /// The facts with their values, or `nil` for one that is taken back.
    let facts: [(definition: FactDefinition, text: String?)]
    /// The profile that is taken with them, for what is said of it.
    var profile: String?
    /// Whether the person was asked for it, and is asked for the next one.
    let isAsked: Bool
    /// Whether another point was in view, which is now again.
    var isBack = false
    let request: ViewRequest
    var label: String { "planning" }

    /// The app with them, and why they are not remembered, where they could not be, or which others are not what they were.
    struct Given: Sendable {
        let view: ContainerView
        let problem: WorkspaceError?
    }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Given {
        var problem: WorkspaceError?
        let workspace = try inspection.workspace(of: request.container)
        if let loss = workspace.loss { throw .dump(loss) }
        for (definition, text) in facts {
            let fact = try text.map { text throws(WorkspaceError) in
                try inspection.fact(definition, as: text, beside: workspace.snapshot.facts)
            }
            problem =
                try workspace.setFact(definition, to: fact?.value, source: fact?.source.description ?? "") ?? problem
        }
        return Given(view: try inspection.view(request, control), problem: problem)
    }

    /// Says what it changed; who was asked for it is asked for another fact that the step under the cursor lacks.
    func finish(_ given: Given, in model: inout Model) -> [any Effect] {
        let before = model.opened?.plan, view = given.view
        model.opened?.show(view)
        let taken = facts.map { definition, text in
            let fact = view.plan?.facts[definition.name]
            return "\(definition.name) "
                + (fact.map { fact in
                    "is \(model.masking.fact(definition.name, fact, as: definition.words(for: fact.value)))"
                        // One that was taken back is known from elsewhere.
                        + (text == nil ? fact.source.recordedWords : "")
                } ?? "is not known")
        }
        // The words around it are the program's own.
        let now = ([profile].compactMap(\.self) + taken).joined(separator: ", ")
        model.message = Message(
            kind: .done,
            text: "\(isBack ? Model.backAtNow : "")\(now): \(Plan.difference(from: before, to: view.plan))",
            quotesDump: false)
        switch given.problem {
        case .fact(.changedMemory)?: model.tellOfFacts(given.problem)
        case let problem?: model.message = model.refused(problem)
        case nil: break
        }
        if case .fact(.notRemembered)? = given.problem {
            model.unremembered[request.container, default: []].formUnion(facts.map(\.definition.name))
        } else {
            // With these all that could not be before is.
            model.unremembered[request.container] = nil
        }
        if isAsked, facts.contains(where: { $0.text != nil }),
            let next = model.opened?.step?.outcome.reason?.missingFacts.first
        {
            model.prompt = Prompt(.fact(next))
        }
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        model.message = model.refused(error)
        return [Planning(request)]
    }
}

/// Applies steps of a migration.
struct Applying: Effect {
    /// What the person named, which the selection is.
    let argument: String
    let selection: StepSelection
    /// What was to be applied, where what rests on facts that are only assumed is left to be asked about.
    var rest: StepSelection?
    let migration: any Migration
    let profile: Profile
    /// The files that have changed, as the person was told.
    let accepted: [Drift]
    /// The person has agreed to the facts that nobody has said.
    let assuming: Bool
    let request: ViewRequest
    var label: String { "applying" }

    /// Applies; stopped after that, it has no view, and tells what was applied all the same.
    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> (steps: [AppliedStep], view: ContainerView?) {
        let steps = try inspection.workspace(of: request.container).apply(
            selection, of: migration, profile: profile, stamp: inspection.options.stamp(), accepting: accepted,
            assuming: assuming, isCancelled: control.isCancelled)
        return (steps, try? inspection.view(request, control))
    }

    func finish(_ answer: (steps: [AppliedStep], view: ContainerView?), in model: inout Model) -> [any Effect] {
        let applied = answer.steps.filter { $0.entry != nil }
        model.opened?.selected.subtract(applied.map(\.step.id))
        // The ledger knows these files as they were then; changed once more, they are asked about again.
        if !applied.isEmpty { model.opened?.forgetAcceptedDrift() }
        model.message = message(applied, answer.steps, model.masking)
        guard let view = answer.view else { return [Planning(request) { _, model in show(applied, in: &model) }] }
        model.opened?.show(view)
        show(applied, in: &model)
        let isNextLeft = applied.isEmpty && answer.steps.contains { $0.outcome.isUnconfirmed }
        if let rest, rest != .next || isNextLeft {
            model.askAboutRest(of: rest, argument, applied: applied.isEmpty ? nil : model.message?.shown(model.masking))
        }
        return []
    }

    private func show(_ applied: [AppliedStep], in model: inout Model) {
        model.tellOfFacts()
        if let last = applied.last { model.opened?.moveCursor(toStep: last.step.id) }
    }

    /// Says why; the steps before the one that failed stand, which the next view shows.
    ///
    /// Files that have changed just now are asked about.
    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        if case .drift(let files) = error {
            let steps = model.opened?.steps(of: selection).map(\.step.title) ?? []
            return model.ask(Question(concerns: [.drift(files)], intent: .apply(selection, argument), steps: steps))
        }
        model.message = model.refused(error)
        return [Planning(request) { _, model in model.tellOfFacts() }]
    }

    private func message(_ applied: [AppliedStep], _ all: [AppliedStep], _ masking: Masking) -> Message {
        let held = all.filter { [.blocked, .conflict, .failed].contains($0.outcome.kind) }
        guard !applied.isEmpty else {
            let why = all.lazy.compactMap { step in
                step.outcome.reason.map { masking.sentence($0.sentence, of: step.quoted) }
            }.first
            return Message(kind: .refused, text: why ?? "nothing to apply", quotesDump: false)
        }
        var text = "applied \(applied.map(\.step.title).fewOrCounted)"
        if !held.isEmpty {
            text += "; not: " + held.map { "\($0.step.title) (\($0.outcome.kind.rawValue))" }.joined(separator: ", ")
        }
        return .done(text)
    }
}

/// Rolls standing steps back.
struct RollingBack: Effect {
    let target: RollbackTarget
    let request: ViewRequest
    var label: String { "rolling back" }
    var canBeStopped: Bool { false }

    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> (steps: [String], view: ContainerView) {
        let steps = try inspection.workspace(of: request.container).rollback(target, stamp: inspection.options.stamp())
        return (steps, try inspection.view(request, control))
    }

    func finish(_ answer: (steps: [String], view: ContainerView), in model: inout Model) -> [any Effect] {
        let known = model.opened?.plan?.steps ?? []
        let titles = answer.steps.map { step in known.first { $0.id == step }?.step.title ?? step }
        model.opened?.show(answer.view)
        model.message =
            titles.isEmpty ? .refused("nothing was applied after it") : .done("rolled back \(titles.fewOrCounted)")
        model.tellOfFacts()
        if let last = answer.steps.last { model.opened?.moveCursor(toStep: last) }
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        model.message = model.refused(error)
        return [Planning(request) { _, model in model.tellOfFacts() }]
    }
}

/// Where an export goes, as a person types it: a folder, with the option on either side of it.
struct ExportOrder: Hashable {
    /// As on the command line: what a backup or an archive holds is written by itself.
    static let unpacked = "--unpacked"

    let folder: String
    let isUnpacked: Bool

    /// `nil` where it is no folder, or has an option that there is not.
    init?(_ typed: String) {
        var rest = typed.trimmingCharacters(in: .whitespaces)
        let isBefore = rest.hasPrefix(Self.unpacked + " "), isBehind = rest.hasSuffix(" " + Self.unpacked)
        if isBefore || isBehind {
            let count = Self.unpacked.count
            rest = String(isBefore ? rest.dropFirst(count) : rest.dropLast(count))
                .trimmingCharacters(in: .whitespaces)
        }
        let last = rest.split(separator: " ").last ?? ""
        guard !rest.isEmpty, !rest.hasPrefix("-"), !last.hasPrefix("--") else { return nil }
        (folder, isUnpacked) = (rest, isBefore || isBehind)
    }

    /// What says the same.
    var typed: String { isUnpacked ? "\(Self.unpacked) \(folder)" : folder }
}

/// Writes the dump with what is applied to a folder.
struct Exporting: Effect {
    let isReplacing: Bool
    /// The files that have changed, as the person was told.
    let accepted: [Drift]
    /// The migration and the profile that the report beside it is on, where they were chosen.
    let chosen: Choice?
    let request: ViewRequest
    let order: ExportOrder
    /// Where to.
    var path: String { order.folder.asPath }
    var label: String { "exporting to \(path)" }
    var isWriting: Bool { true }

    init(_ order: ExportOrder, isReplacing: Bool, accepted: [Drift], chosen: Choice? = nil, request: ViewRequest) {
        (self.isReplacing, self.chosen) = (isReplacing, chosen)
        (self.order, self.accepted, self.request) = (order, accepted, request)
    }

    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> (target: String, notes: [String]) {
        if inspection.protects(path) { throw .export(path, .insideDump) }
        return try inspection.workspace(of: request.container).export(
            to: path, replacing: isReplacing, unpacked: order.isUnpacked, accepting: accepted,
            reporting: inspection.reporting(chosen), control)
    }

    /// Files of which the person has not been told, of another app of the dump or changed just now, are asked about.
    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        if case .drift(let files) = error {
            return model.ask(Question(concerns: [.drift(files)], intent: .export(order.typed, replacing: isReplacing)))
        }
        model.message = model.refused(error, stopped: "stopped; nothing was exported")
        return [Planning(request)]
    }

    func finish(_ answer: (target: String, notes: [String]), in model: inout Model) -> [any Effect] {
        let text = (["exported to \(answer.target), read back and compared"] + answer.notes).joined(separator: "; ")
        model.message = Message(kind: .done, text: text, quotesDump: false)
        return []
    }
}

extension Plan {
    /// Which steps two plans differ in, in words.
    static func difference(from before: Plan?, to after: Plan?) -> String {
        let old = Dictionary((before?.steps ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let steps = after?.ownSteps ?? [], names = Set(steps.lazy.map(\.id))
        let differing = steps.filter { step in old[step.id].map { !step.doesSame(as: $0) } ?? true }
        let gone = (before?.ownSteps ?? []).filter { !names.contains($0.id) }
        let titles = (differing + gone).map(\.step.title)
        if !titles.isEmpty { return "differs in \(titles.joined(separator: ", "))" }
        // A step that stands does nothing, and would make something else if it were to do it now.
        return after?.badge.map { "what is applied stays as it is, \($0.words)" } ?? "every step does the same"
    }
}

extension String {
    /// It and another sentence; only what refuses something ends in a full stop already.
    func followed(by sentence: String) -> String { self + (hasSuffix(".") ? " " : ". ") + sentence }
}

extension [String] {
    /// A few steps by their titles, many by their number: what follows must still fit the line.
    var fewOrCounted: String { count > 3 ? count.counted("step") : joined(separator: ", ") }
}

extension FactSource {
    /// That a step was applied with it.
    fileprivate var recordedWords: String {
        if case .ledger(let entry, _) = self { " (entry \(entry) of the ledger has it)" } else { "" }
    }
}
