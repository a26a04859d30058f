import MigrationEngine
import StoreFormats

/// What there is to do and to see in one app of a dump of several, in a row and in full.
///
/// It is found by the same plans as every other answer.
package struct AppFinding: Sendable {
    /// A migration that applies: what its steps do, and how many are applied.
    package struct Part: Hashable, Sendable {
        package let migration: String
        package let applied: Int
        package let counts: [Outcome.Kind: Int]
        /// How many values somebody else has dropped or changed in meaning.
        let lost: EffectCounts
        /// Whether all that is to be made is there, whoever made it.
        let isThere: Bool

        init(_ plan: Plan, in stores: any StoreReader) {
            migration = plan.migration
            applied = plan.ownSteps.count { $0.status == .applied }
            counts = plan.pendingCounts
            lost = EffectCounts(plan.steps.filter(\.wasLostElsewhere).flatMap(\.lostElsewhere))
            let isOpen = plan.steps.contains { step in
                switch step.countedKind {
                case .migrates, .conflict, .failed: true
                // What waits is not to be made where its target has a value; one that cannot be read may have none.
                case .blocked: step.target.map { stores.state(at: $0).value == nil } ?? true
                case .unchanged, .skipped: false
                }
            }
            isThere = !isOpen && plan.steps.contains { $0.status == .applied || !$0.found.isEmpty }
        }
    }

    /// Migrations of which it is unknown whether they apply.
    private struct Unknown: Sendable {
        let migrations: [String]
        let reason: Unreadable
        /// Whether it is so in all of the dump, which has no keychain, or one that cannot be read: no news of this app.
        let isOfDump: Bool
    }

    /// How urgent it is; what comes first is listed first.
    package enum Need: Int, Comparable, CaseIterable, Sendable {
        /// A step fails or is in conflict, or what is there cannot be read.
        case problem
        /// Something was lost, or means something else, before anybody looked.
        case loss
        /// There is something to migrate, at once or once a fact is given.
        case migration
        /// What was to be done is done.
        case done
        /// There is something to see, and nothing to do.
        case nothing
        /// There is nothing in it.
        case empty

        package static func < (left: Need, right: Need) -> Bool { left.rawValue < right.rawValue }
    }

    /// The migrations that apply.
    package let parts: [Part]
    /// The migrations of which it is unknown whether they apply, each reason once.
    private let unknown: [Unknown]
    /// The stores that cannot be read.
    private let unreadable: [Unreadable]
    /// How many steps stand of migrations that nobody has given.
    private let foreign: Int
    /// How many stores there are.
    package let stores: Int
    /// Why nothing is known of it.
    private let failure: String?
    /// That the dump holds no file of it, and nothing else either.
    private let lack: String?

    /// Plans every migration that applies.
    ///
    /// - Parameters:
    ///   - lack: That the dump holds no file of it; `nil` where it holds some.
    ///   - isCancelled: Asked between the parts of the work; what is then known is not whole.
    package init(
        in stores: any StoreReader, facts: Facts, history: History, among migrations: [any Migration],
        lack: String? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        let found = ApplicableMigrations(among: migrations, in: stores, facts: facts, isCancelled: isCancelled)
        parts = found.applying.compactMap { migration in
            guard let profile = try? migration.profile(named: nil, history: history),
                let plan = try? Plan(
                    of: migration, profile: profile, facts: facts, stores: stores, history: history,
                    check: { () throws(CancellationError) in if isCancelled() { throw CancellationError() } })
            else { return nil }
            return Part(plan, in: history.overlay(on: stores))
        }
        unknown = found.unknownReasons.map { unknown in
            Unknown(
                migrations: unknown.migrations.map(\.id), reason: unknown.reason,
                isOfDump: unknown.reason.cause == .missing || unknown.isWithoutKeychain)
        }
        foreign = history.standing(besides: migrations.map(\.id)).count
        let there = stores.stores
        unreadable = there.compactMap { isCancelled() ? nil : stores.problem(with: $0) }
        self.stores = there.count
        failure = nil
        self.lack = there.isEmpty ? lack : nil
    }

    /// Notes why nothing is known of it.
    package init(failure: String) {
        (parts, unknown, unreadable, foreign, stores, self.failure, lack) = ([], [], [], 0, 0, failure, nil)
    }

    /// How urgent it is.
    package var need: Need {
        func has(_ kinds: Outcome.Kind...) -> Bool {
            parts.contains { part in kinds.contains { part.counts[$0] != nil } }
        }
        func isOpen(_ part: Part) -> Bool {
            !part.isThere && (part.counts[.migrates] != nil || part.counts[.blocked] != nil)
        }
        if failure != nil || !unreadable.isEmpty || has(.failed, .conflict) { return .problem }
        if unknown.contains(where: { !$0.isOfDump }) { return .problem }
        if parts.contains(where: { $0.lost[.dropped] + $0.lost[.changed] > 0 }) { return .loss }
        if parts.contains(where: isOpen) { return .migration }
        if foreign > 0 || parts.contains(where: { $0.applied > 0 || $0.isThere }) { return .done }
        return stores > 0 ? .nothing : .empty
    }

    /// The most urgent of it in a sign.
    package func sign(_ glyphs: Glyphs) -> Run {
        let kinds: [Outcome.Kind] = [.failed, .conflict, .migrates, .blocked]
        let worst = kinds.first { kind in parts.contains { $0.counts[kind] != nil } }
        switch need {
        case .problem: return (worst.flatMap { [.failed, .conflict].contains($0) ? $0 : nil } ?? .failed).sign(glyphs)
        case .loss:
            let effects: [ValueEffect] = [.dropped, .changed]
            let worst = effects.first { effect in parts.contains { $0.lost[effect] > 0 } }
            return (worst ?? .changed).sign(glyphs)
        case .migration: return (worst ?? .migrates).sign(glyphs)
        case .done: return Outcome.Kind.appliedSign(glyphs)
        case .nothing, .empty: return Run(glyphs.choose("·", ascii: "."), .dim)
        }
    }

    /// What there is to do, in a phrase.
    package var summary: String {
        if let failure { return failure }
        let phrases =
            parts.map { "\($0.migration): \($0.phrase)" }
            + (foreign == 0 ? [] : ["\(foreign.counted("step")) applied by a spec that is not given"])
            + (unreadable.isEmpty ? [] : ["\(unreadable.count.counted("store")) cannot be read"])
            + unknown.filter { !$0.isOfDump }.map { "\($0.migrations.joined(separator: ", ")) unknown" }
        if !phrases.isEmpty { return phrases.joined(separator: "; ") }
        if let lack { return lack }
        let without = Array(Set(unknown.flatMap(\.migrations)))
        if without.isEmpty { return stores == 0 ? "nothing in it" : "nothing to migrate" }
        return "nothing found; \(without.count == 1 ? without[0] : "\(without.count) migrations") unknown"
    }

    /// What there is to do, a line for each part, with what keeps anything from being known.
    func write(to document: inout Document, _ showing: Showing) {
        if let failure { return document.line(showing.sentence(failure), role: .problem) }
        for part in parts { document.field(part.migration, part.phrase, width: 16, indent: 0) }
        for reason in unreadable.prefix(Self.shownReasons) {
            document.field("unreadable", showing.sentence(reason.explanation), role: .problem, width: 16, indent: 0)
        }
        for part in unknown {
            document.field(
                "unknown", "\(part.migrations.joined(separator: ", ")): \(showing.sentence(part.reason.explanation))",
                role: part.isOfDump ? .dim : .problem, width: 16, indent: 0)
        }
        if parts.isEmpty, unreadable.isEmpty, unknown.isEmpty || lack != nil { document.line(summary, role: .dim) }
    }

    /// How many stores that cannot be read are named; the app itself names all.
    private static let shownReasons = 5
}

extension AppFinding.Part {
    /// What is left to do, the worst first, and what is done.
    fileprivate var phrase: String {
        let kinds: [Outcome.Kind] = [.failed, .conflict, .migrates, .blocked]
        var phrases = kinds.compactMap { kind in counts[kind].map { "\($0) \(kind.phrase)" } }
        // What was lost is told before what waits.
        let losses = [ValueEffect.dropped, .changed].filter { lost[$0] > 0 }.map { "\(lost[$0]) \($0.word)" }
        phrases.insert(contentsOf: losses, at: kinds.prefix(2).count { counts[$0] != nil })
        if isThere, applied == 0, losses.isEmpty { phrases.append("there already") }
        if applied > 0 { phrases.append("\(applied) applied") }
        return phrases.isEmpty ? "nothing to do" : phrases.joined(separator: ", ")
    }
}

/// An app of a dump of several as a person reads it: what is its, how much that is, and what there is to do.
package struct AppAnswer {
    /// The app as blocks.
    package let document: Document

    /// - Parameters:
    ///   - fields: What is known of it, each with a word for what it is.
    ///   - finding: What there is to do; `nil` where nobody has looked yet.
    package init(_ fields: [(label: String, text: String)], _ finding: AppFinding?, _ masking: Masking) {
        let showing = Showing(masking)
        var document = Document()
        for field in fields { document.field(field.label, field.text, width: 16, indent: 0) }
        if let finding { finding.write(to: &document, showing) } else { document.line("not looked at yet", role: .dim) }
        self.document = document
    }
}

extension Int {
    /// So many bytes, in the unit that leaves the fewest digits: `812 B`, `12.3 kB`, `1.2 GB`; a kilobyte is 1,000 bytes.
    package var asBytes: String {
        var size = Double(self), unit = 0
        let units = ["B", "kB", "MB", "GB", "TB"]
        while size >= 999.5, unit < units.count - 1 { (size, unit) = (size / 1000, unit + 1) }
        guard unit > 0, size < 99.95 else { return "\(Int(size.rounded())) \(units[unit])" }
        let tenths = Int((size * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
