import Foundation
import MigrationEngine
import Reports
import Workspace

extension Model {
    mutating func toggleSelection() -> [any Effect] {
        guard let step = opened?.step else { return [] }
        if opened?.selected.contains(step.id) ?? false {
            opened?.selected.remove(step.id)
        } else {
            opened?.selected.insert(step.id)
        }
        return move(.rows(1))
    }

    mutating func apply(_ argument: String) -> [any Effect] {
        guard let opened, let plan = opened.plan else { return [] }
        let selection: StepSelection
        switch argument {
        case "": return applyStep(opened)
        case "next": selection = .next
        case "all": selection = .all
        case "selected" where opened.selected.isEmpty:
            message = .refused("no step is selected; \(key(.select)) selects one")
            return []
        case "selected": selection = .steps(opened.selected)
        default:
            let names = argument.split(separator: " ").map(String.init)
            let known = plan.ownSteps.map(\.id)
            if let unknown = names.first(where: { !known.contains($0) }) {
                message = .unknown("step", unknown, among: known)
                return []
            }
            selection = .steps(Set(names))
        }
        return apply(selection, argument)
    }

    /// Applies the step under the cursor; the steps that come before it are asked about.
    private mutating func applyStep(_ opened: OpenContainer) -> [any Effect] {
        guard let step = opened.stepToApply else {
            guard opened.step != nil else {
                message = .refused("this row is of no step; :apply next applies the next one")
                return []
            }
            let title = opened.step?.step.title ?? "", others = opened.plan?.pending.count ?? 0
            let why = opened.step?.outcome.reason.map {
                masking.sentence($0.sentence, of: opened.step?.quoted ?? [])
            }
            let way = opened.step?.outcome.reason?.missingFacts.isEmpty == false ? "; \(key(.fact)) gives it" : ""
            let rest =
                others == 0 ? "" : "; \(key(.applyAll)) applies the \(others == 1 ? "other one" : "\(others) others")"
            let text = "\(title) has nothing to apply" + (why.map { ": \($0)" } ?? "") + way + rest
            message = Message(kind: .refused, text: text, quotesDump: false)
            return []
        }
        let earlier = opened.earlier(than: step)
        let ids = (earlier + [step]).map(\.id)
        return apply(
            .steps(Set(ids)), ids.joined(separator: " "),
            earlier.isEmpty ? [] : [.earlier(earlier.map(\.step.title), than: step.step.title)])
    }

    /// Applies steps, once what there is to ask has been answered.
    ///
    /// - Parameters:
    ///   - argument: As the action has them; a step may be called as a word of it is.
    ///   - more: What to ask about besides.
    mutating func apply(
        _ selection: StepSelection, _ argument: String, _ more: [Concern] = []
    ) -> [any Effect] {
        guard let opened, let migration = opened.migration, let plan = opened.plan else { return [] }
        let unanswered = (more + opened.concerns(of: plan)).filter { !opened.accepted.contains($0) }
        let steps = opened.steps(of: selection), guesses = opened.guesses(steps)
        func applying(_ selection: StepSelection, _ steps: [PlannedStep], rest: StepSelection? = nil) -> Applying {
            Applying(
                argument: argument, selection: selection, rest: rest, migration: migration, profile: plan.profile,
                accepted: opened.acceptedDrift, assuming: steps.contains { !plan.guesses(of: $0).isEmpty },
                request: opened.request)
        }
        if unanswered.isEmpty, guesses.isEmpty { return [applying(selection, steps)] }
        // What rests on nothing that is only assumed waits for no answer, as on the command line.
        if unanswered.isEmpty, let certain = opened.certain(of: selection) {
            return [applying(certain.selection, certain.steps, rest: selection)]
        }
        let concerns = unanswered + (guesses.isEmpty ? [] : [.guesses(guesses)])
        let named = unanswered.isEmpty ? steps.filter { !opened.guesses([$0]).isEmpty } : steps
        return ask(
            Question(concerns: concerns, intent: .apply(selection, argument), steps: named.map(\.step.title)))
    }

    /// Asks about the steps that were left because they rest on what is only assumed.
    ///
    /// - Parameter applied: What was applied without them, in words.
    mutating func askAboutRest(of selection: StepSelection, _ argument: String, applied: String?) {
        guard let opened else { return }
        let steps = opened.steps(of: selection).filter { !opened.guesses([$0]).isEmpty }
        guard !steps.isEmpty else { return }
        _ = ask(
            Question(
                concerns: [.guesses(opened.guesses(steps))], intent: .apply(selection, argument),
                steps: steps.map(\.step.title), applied: applied))
    }

    /// The name of a folder that an export may go to, as far as anybody has looked a free one.
    var suggestedExport: String {
        let title = opened?.snapshot.title ?? ""
        let name = String(title.map { $0 == "/" || $0.isWhitespace ? "-" : $0 }) + "-migrated"
        return freeFolder.flatMap { $0.asked == name ? $0.free : nil } ?? name
    }

    /// Asks for the folder that an export goes to.
    ///
    /// - Parameter isNew: Whether one that is there already is not proposed.
    mutating func askForFolder(_ command: String, isNew: Bool) -> [any Effect] {
        freeFolder = nil
        prompt = Prompt(command: command)
        message = .proposing(suggestedExport)
        return isNew ? [ProposingFolder(name: suggestedExport)] : []
    }

    /// Writes the dump with what is applied.
    mutating func export(to path: String, replacing: Bool) -> [any Effect] {
        guard let opened else { return [] }
        guard let order = ExportOrder(path) else {
            message = .refused(
                "export takes a folder, and \(ExportOrder.unpacked) before it; one whose name begins with - is ./-…")
            return []
        }
        if let concern = opened.newDrift {
            return ask(Question(concerns: [concern], intent: .export(path, replacing: replacing)))
        }
        return [
            Exporting(
                order, isReplacing: replacing, accepted: opened.acceptedDrift, chosen: reportChoice,
                request: opened.request)
        ]
    }

    /// What a report is on: the migration in view where it does not stand among those that apply in the profile that they have
    /// of themselves; else all of those, as on the command line.
    var reportChoice: Choice? {
        guard let opened, let migration = opened.migration, let profile = opened.profile else { return nil }
        let usual = try? migration.profile(named: nil, history: opened.snapshot.history)
        let applies = opened.migrations.prefix(opened.applicable).contains { $0.id == migration.id }
        return applies && usual?.id == profile.id ? nil : Choice(migration.id, profile: profile.id)
    }

    /// Asks the person.
    mutating func ask(_ question: Question) -> [any Effect] {
        self.question = question
        message = Message(kind: .refused, text: question.sentence(masking, settings), quotesDump: false)
        return []
    }

    /// Takes a key as the answer to what was asked; `nil` where it is none.
    mutating func answer(_ question: Question, with key: Key) -> [any Effect]? {
        switch key {
        case .enter: return accept()
        case .escape:
            self.question = nil
            let nothing = question.applied == nil ? "nothing" : "nothing more"
            message = .done("\(nothing) was \(question.intent.isApplying ? "applied" : "exported")")
            return []
        default: return nil
        }
    }

    /// Goes on with what the person was asked about.
    mutating func accept() -> [any Effect] {
        guard let question else { return [] }
        self.question = nil
        // That others come first is asked each time.
        opened?.accepted.formUnion(question.concerns.filter { if case .earlier = $0 { false } else { true } })
        return switch question.intent {
        case .apply(let selection, let argument): apply(selection, argument)
        case .export(let path, let replacing): export(to: path, replacing: replacing)
        }
    }

    mutating func rollBack(_ argument: String) -> [any Effect] {
        let words = argument.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case (nil, _), ("last", 1): return rollBack(.last)
        case ("all", 1): return rollBack(.all)
        case ("to", 2): return rollBack(RollbackTarget(parsing: words[1]))
        default:
            message = .refused("rollback takes “last”, “all” or “to STEP”")
            return []
        }
    }

    /// Takes back every step that was applied after the one under the cursor.
    func rollBackToStep() -> [any Effect] {
        guard let opened, let step = opened.step else { return [] }
        let target = step.entry.map { RollbackTarget.entry($0.number) }
        return rollBack(target ?? .step(step.step.id, migration: opened.migration?.id))
    }

    private func rollBack(_ target: RollbackTarget) -> [any Effect] {
        opened.map { [RollingBack(target: target, request: $0.request)] } ?? []
    }

    /// Sets a fact, or asks for the one that the step under the cursor lacks.
    mutating func giveFact(_ argument: String) -> [any Effect] {
        let asked = question
        question = nil
        if !argument.isEmpty {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                message = .refused("fact takes NAME=VALUE")
                return []
            }
            let value = parts[1].trimmingCharacters(in: .whitespacesAndNewlines).unquoted
            return setFact(FactName(rawValue: parts[0]), to: value, isAsked: false)
        }
        // What was just asked about stands in the line, to be changed.
        if let guess = asked?.guesses.first {
            prompt = Prompt(.fact(guess.name), text: masking.isSecret(guess.name, guess.fact) ? "" : guess.words)
            return []
        }
        guard let name = opened?.missingFact else {
            show(.facts)
            message = .done("every fact that a step asks for is known")
            return []
        }
        prompt = Prompt(.fact(name))
        return []
    }

    /// Gives a fact; without a value, takes it back.
    ///
    /// - Parameter isAsked: Whether the person was asked for it, by the line that it is typed in.
    mutating func setFact(_ name: FactName, to text: String, isAsked: Bool) -> [any Effect] {
        // What is pasted has blanks around it, and a line's end.
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let opened, let definition = opened.migration?.facts.first(where: { $0.name == name }) else {
            message = noFact(name.rawValue)
            return []
        }
        if !value.isEmpty, let reason = refusal(of: value, for: definition, opened) {
            message = .refused(reason)
            return []
        }
        prompt = nil
        return atNow(
            GivingFacts(
                facts: [(definition, value.isEmpty ? nil : value)], isAsked: isAsked, isBack: opened.moment != .now,
                request: opened.request))
    }

    /// That the migration in view asks for no fact of a name: that it only declares it, the one that is like it, or all.
    func noFact(_ name: String) -> Message {
        guard let migration = opened?.migration else { return .refused("no migration is in view that asks for facts") }
        if migration.unusedFacts.contains(FactName(rawValue: name)) {
            return .refused("\(migration.id) declares the fact \(name), but nothing in it uses it")
        }
        let names = migration.facts.map(\.name.rawValue)
        let near = Nearest.name(to: name, among: names).map { "did you mean \($0)?" }
        let all = names.isEmpty ? "it asks for none" : "it asks for \(names.joined(separator: ", "))"
        return .refused("this migration asks for no fact “\(name)”; \(near ?? all)")
    }

    /// Why a text is no value of a fact; `nil` where it is one, or may be by the clock, which is asked when it is taken.
    func refusal(of text: String, for definition: FactDefinition, _ opened: OpenContainer) -> String? {
        switch definition.reading(of: text, from: opened.anchors) {
        case .value, .waits(.clock): nil
        case .waits(let anchor): "\(definition.name) cannot be told from that: \(anchor.lack)"
        case .backwards: "\(definition.name) would be less than nothing: that is later than the fact now"
        case .malformed:
            "\(definition.name) is \(definition.form.description), for example \(definition.examples)"
                + (masking.isSecret(definition.name, Fact(text, from: "the inspector")) ? "" : ", and not “\(text)”")
        }
    }

    mutating func chooseProfile(_ name: String) -> [any Effect] {
        guard let opened, let migration = opened.migration, let current = opened.profile else { return [] }
        let profiles = migration.profiles
        let next: Profile?
        if name.isEmpty {
            let index = profiles.firstIndex(of: current) ?? 0
            next = profiles[(index + 1) % profiles.count]
        } else {
            next = profiles.first { $0.id == name }
        }
        guard let next else {
            message = .unknown("profile", name, among: profiles.map(\.id))
            return []
        }
        let isBack = opened.moment != .now
        return choose(Choice(migration.id, profile: next.id), "choosing the profile") { before, model in
            let difference = Plan.difference(from: before.plan, to: model.opened?.plan)
            model.message = .done("\(isBack ? Self.backAtNow : "")\(next.id): \(difference)")
        }
    }

    /// That another point was in view, and is not any more.
    static let backAtNow = "back at now; "

    /// An effect that says what it changes, once now is in view: what differs at another point is none of its doing.
    func atNow(_ effect: any Effect) -> [any Effect] {
        guard let opened, opened.moment != .now else { return [effect] }
        return [Planning(opened.request, label: "coming back to now", next: effect)]
    }

    /// Brings another migration or profile into view, or the stores without one.
    private mutating func choose(
        _ choice: Choice?, _ label: String,
        then: @escaping @Sendable (_ before: OpenContainer, inout Model) -> Void
    ) -> [any Effect] {
        guard let opened else { return [] }
        var request = opened.request
        request.choice = choice
        // The stores of another point are not those of now.
        if opened.moment == .now { request.examined = opened.view }
        return atNow(Planning(request, label: label, then: then))
    }

    mutating func chooseMigration(_ name: String) -> [any Effect] {
        guard let opened, !opened.migrations.isEmpty else { return [] }
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        let index = opened.migrations.firstIndex { $0.id == opened.migration?.id }
        if parts.isEmpty, index == opened.migrations.count - 1, opened.isPlainAtFirst { return lookWithoutMigration() }
        // Of several that apply the others come next; those that do not are looked at by their names.
        let isOneOfSeveral = index.map { $0 < opened.applicable && opened.applicable > 1 } ?? false
        let next =
            parts.isEmpty
            ? opened.migrations[((index ?? -1) + 1) % (isOneOfSeveral ? opened.applicable : opened.migrations.count)]
            : opened.migrations.first { $0.id == parts[0] }
        guard let next else {
            message = .unknown("migration", parts[0], among: opened.migrations.map(\.id))
            return []
        }
        if parts.count > 1, !next.profiles.contains(where: { $0.id == parts[1] }) {
            message = .unknown("profile", parts[1], among: next.profiles.map(\.id))
            return []
        }
        return choose(Choice(next.id, profile: parts.count > 1 ? parts[1] : nil), "planning") { _, model in
            model.message = .done("\(next.id): \(next.title)")
        }
    }

    /// Shows the stores as they are found, where no migration applies.
    mutating func lookWithoutMigration() -> [any Effect] {
        choose(nil, "planning") { _, model in model.message = .done("the stores, without a migration") }
    }

    /// Shows what was in view before a migration that does not apply was looked at.
    mutating func lookAsBefore() -> [any Effect] {
        choose(opened?.choiceBefore, "planning") { _, model in
            let migration = model.opened?.migration
            model.message = .done(migration.map { "\($0.id): \($0.title)" } ?? "the stores, without a migration")
        }
    }

    mutating func chooseApp(_ name: String) -> [any Effect] {
        guard let apps else {
            message = .refused(unopened == nil ? "this dump holds one app" : Self.isOpening)
            return []
        }
        if name.isEmpty {
            if let opened { leaveApp(opened) }
            return []
        }
        let named = apps.named(name)
        guard let app = named.first, named.count == 1 else {
            let paths = named.map(\.path).joined(separator: ", ")
            message = .refused(
                named.isEmpty
                    ? "there is no app “\(name)” in this dump"
                        + (Nearest.word(to: name, among: apps.names).map { "; did you mean \($0)?" } ?? "")
                    : "several containers are called “\(name)”; open one by its path: \(paths)")
            return []
        }
        return [Opening(path: app.path, name: app.identifier)]
    }
}

/// Looks for the name of a folder that is not there yet, beside what the person types.
struct ProposingFolder: Effect {
    let name: String
    var lane: Lane { .search }
    var label: String { "looking for a free name" }

    func perform(on inspection: Inspection, _ control: EffectControl) -> String {
        let names = [name] + (2...99).map { "\(name)-\($0)" }
        return names.first { !FileManager.default.fileExists(atPath: $0) } ?? name
    }

    func finish(_ free: String, in model: inout Model) -> [any Effect] {
        model.freeFolder = (name, free)
        // What was said meanwhile stays.
        if model.message == .proposing(name) { model.message = .proposing(free) }
        return []
    }
}

extension Message {
    /// What to type for an export, and what may be taken for it.
    fileprivate static func proposing(_ folder: String) -> Message {
        .done("name the folder to write; Tab: \(folder)")
    }
}

/// What the person is asked before steps are applied or the dump is exported.
struct Question: Hashable, Sendable {
    /// What was to be done.
    enum Intent: Hashable, Sendable {
        /// Steps, and the argument of the action that names them.
        case apply(StepSelection, String)
        case export(String, replacing: Bool)

        var isApplying: Bool { if case .apply = self { true } else { false } }
    }

    let concerns: [Concern]
    let intent: Intent
    /// The titles of the steps that were to be applied.
    var steps: [String] = []
    /// What was applied already, in words, as it rests on nothing that is asked about.
    var applied: String?

    /// The facts among it that nobody has said.
    var guesses: [Concern.Guess] {
        concerns.flatMap { concern -> [Concern.Guess] in
            if case .guesses(let guesses) = concern { guesses } else { [] }
        }
    }

    /// It, with the keys that answer it.
    func sentence(_ masking: Masking, _ settings: Settings) -> String {
        (applied.map { $0 + ". " } ?? "") + (steps.isEmpty ? "" : "\(steps.fewOrCounted): ")
            + concerns.map { $0.sentence(masking, of: steps.count) }.joined(separator: "; ")
            + ". \(settings.words(for: .accept)) \(intent.isApplying ? "applies" : "exports") all the same"
            + (guesses.isEmpty ? "" : ", \(settings.words(for: .fact)) changes \(guesses[0].name)")
    }
}

/// Something that a person should know before steps are applied.
enum Concern: Hashable, Sendable {
    /// Files have changed since steps were applied.
    case drift([Drift])
    /// Steps were applied in another way than they, or the next ones, would be now: how, and how many.
    case otherWay(Departure, steps: Int)
    /// The steps rest on facts that nobody has said.
    case guesses([Guess])
    /// Other steps come before the one that was asked for, and are applied with it.
    case earlier([String], than: String)

    /// A fact that nobody has said.
    struct Guess: Hashable, Sendable {
        let name: FactName
        let fact: Fact
        /// The value as people write it.
        let words: String
        /// The titles of the steps that rest on it.
        let steps: [String]

        /// Whether it says the same of a fact, of whichever steps.
        func isSame(as other: Guess) -> Bool { name == other.name && fact == other.fact }
    }

    /// It, in a sentence without a full stop.
    ///
    /// - Parameter count: How many steps are asked about.
    func sentence(_ masking: Masking, of count: Int) -> String {
        switch self {
        case .drift(let files):
            (files.isOfKeychain ? "" : "the dump has changed since steps were applied: ")
                + files.map(\.description).joined(separator: ", ")
        case .otherWay(let departure, let steps):
            "\(steps.counted("step")) applied \(departure.phrase(masking)) (\(departure.wayBack(masking)))"
        case .earlier(let titles, let step):
            "\(step) builds on \(titles.fewOrCounted), which \(titles.count == 1 ? "comes" : "come") first"
        case .guesses(let guesses):
            "it is only assumed "
                + guesses.map { guess in
                    let value = masking.fact(guess.name, guess.fact, as: guess.words)
                    let of = guess.steps.count < count ? "; for \(guess.steps.fewOrCounted)" : ""
                    return "that \(guess.name) is \(value) (\(masking.sentence("\(guess.fact.source)"))\(of))"
                }.joined(separator: ", and ")
        }
    }
}

extension Departure {
    /// It, in a sentence.
    ///
    /// - Parameter isLast: Whether no step is left to be applied otherwise.
    func told(_ masking: Masking, isLast: Bool) -> String {
        let consequence = isLast && !isOfRules ? "" : ": \(consequence(with: "the profile in view"))"
        return "Steps were applied \(phrase(masking))\(consequence). \(wayBack(masking))."
    }

    /// Whether it says of the steps that stand what they would make now, and nothing of the next ones.
    fileprivate var isOfRules: Bool {
        switch self {
        case .steps, .formerSteps: true
        case .profile, .fact: false
        }
    }

    /// How many of the entries were made so.
    fileprivate func count(among entries: [LedgerEntry]) -> Int {
        switch self {
        case .profile(let applied): entries.count { $0.profile == applied }
        case .fact(let name, let applied, _): entries.count { $0.facts[name].map(applied.hasSameValue) ?? false }
        case .steps(let ids), .formerSteps(let ids): ids.count
        }
    }

    /// The command that goes back to what was different, and what it does.
    fileprivate func wayBack(_ masking: Masking) -> String {
        switch self {
        case .profile(let applied): ":profile \(applied) goes back to it"
        case .formerSteps: ":rollback all, and applying the others anew, takes back what they made"
        case .steps: ":rollback, and applying them anew, makes it what the rules say now"
        case .fact(let name, let applied, _):
            ":fact \(name)=\(masking.isSecret(name, applied) ? "…" : applied.value) goes back to it"
        }
    }
}

extension Plan {
    /// Whether no step is left that may still be applied.
    var isAtEnd: Bool { !steps.contains { [.migrates, .blocked, .conflict].contains($0.outcome.kind) } }

    /// In what steps were applied otherwise, the worst of it in a few words: with something else than the next ones would be, else by
    /// rules that are others now; `nil` where all were as they would be now.
    var badge: (words: String, short: String)? {
        if departures.isEmpty { return nil }
        if departures.allSatisfy(\.isOfRules) { return ("applied by other rules", "other rules") }
        let isOfProfile = departures.contains { if case .profile = $0 { true } else { false } }
        return isOfProfile
            ? ("applied with another profile", "other profile") : ("applied with other facts", "other facts")
    }
}

extension OpenContainer {
    /// What the person should know before steps are applied, whichever they are.
    func concerns(of plan: Plan) -> [Concern] {
        let standing = snapshot.history.standing.filter { $0.migration == plan.migration }
        return [newDrift].compactMap(\.self)
            + plan.departures.map { Concern.otherWay($0, steps: $0.count(among: standing)) }
    }

    /// The files that have changed and of which the person has not been asked yet.
    var newDrift: Concern? {
        let accepted = acceptedDrift, new = drift.filter { !accepted.contains($0) }
        return new.isEmpty ? nil : .drift(new)
    }

    /// The steps of a selection that have something to do.
    func steps(of selection: StepSelection) -> [PlannedStep] {
        let pending = plan?.pending ?? []
        return switch selection {
        case .next: Array(pending.prefix(1))
        case .all: pending
        case .steps(let chosen): pending.filter { chosen.contains($0.id) }
        }
    }

    /// The facts that nobody has said or agreed to and that these steps rest on.
    func guesses(_ steps: [PlannedStep]) -> [Concern.Guess] {
        guard let plan else { return [] }
        let agreed = accepted.flatMap { concern in
            if case .guesses(let guesses) = concern { guesses } else { [Concern.Guess]() }
        }
        return plan.facts.names.compactMap { name in
            let resting = steps.filter { plan.guesses(of: $0).contains(name) }
            guard !resting.isEmpty, let fact = plan.facts[name] else { return nil }
            let value = migration?.facts.first { $0.name == name }?.words(for: fact.value) ?? fact.value
            let guess = Concern.Guess(name: name, fact: fact, words: value, steps: resting.map(\.step.title))
            return agreed.contains(where: guess.isSame) ? nil : guess
        }
    }

    /// The steps of a selection that rest on nothing that is only assumed; `nil` where all do.
    ///
    /// The next one is the first of those, which the workspace finds.
    func certain(of selection: StepSelection) -> (selection: StepSelection, steps: [PlannedStep])? {
        let isNext = selection == .next
        let steps = self.steps(of: isNext ? .all : selection).filter { guesses([$0]).isEmpty }
        if steps.isEmpty { return nil }
        return isNext ? (.next, []) : (.steps(Set(steps.map(\.id))), steps)
    }

    /// A fact that is missing: for the step under the cursor, else for any.
    var missingFact: FactName? {
        step?.outcome.reason?.missingFacts.first
            ?? plan?.steps.lazy.compactMap { $0.outcome.reason?.missingFacts.first }.first
    }
}
