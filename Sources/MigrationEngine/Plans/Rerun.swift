import StoreFormats

/// Runs the steps that stand again on what they were given, where a migration may have been edited since.
struct Rerun {
    private let migration: any Migration, profile: Profile
    /// What is there before the next entry.
    private var seen: Overlay
    /// What was there before the migration's first step.
    private let origin: any StoreReader
    /// The steps as they are now, by the facts that entries were made with: mostly all have the same.
    private var steps: (facts: Facts, byID: [String: Step])?
    private var allowance = Allowance.migration
    /// The numbers of the entries that read what is another now; `nil` where nobody has looked.
    private let outdated: Set<Int>?
    /// The names of those that now make something else, in the order of the ledger.
    private(set) var departed: [String] = []
    /// What steps do that make the same again, by the names of those.
    private(set) var previews: [String: StepPreview] = [:]
    /// What steps that make the same again find, of which the ledger, as one of an earlier version, says nothing.
    private(set) var found: [String: [Change]] = [:]
    /// What became of what the steps that stand have read.
    private(set) var account = StepAccount()
    /// Whether a step makes something else, and nobody knows yet whether what it read is what it was.
    private(set) var isUndecided = false

    init(
        _ migration: any Migration, profile: Profile, stores: any StoreReader, origin: any StoreReader,
        outdated: Set<Int>?
    ) {
        (self.migration, self.profile, self.outdated) = (migration, profile, outdated)
        (seen, self.origin) = (Overlay(stores), origin)
    }

    /// - Throws: what `check` throws.
    mutating func run<Stop: Error>(_ history: History, check: () throws(Stop) -> Void) throws(Stop) {
        guard history.lastStanding(of: migration.id) != nil else { return }
        guard migration.isEdited else { return account.noteUnknown() }
        for entry in history.standing {
            if entry.migration == migration.id, entry.profile == profile.id, !departed.contains(entry.step) {
                try check()
                if !isSame(entry) { departed.append(entry.step) }
            } else {
                account.noteUnknown(entry)
            }
            entry.changes.forEach { seen.apply($0) }
        }
    }

    private mutating func isSame(_ entry: LedgerEntry) -> Bool {
        if steps?.facts != entry.facts {
            let all = migration.steps(profile: profile, facts: entry.facts)
            steps = (entry.facts, Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }))
        }
        guard let step = steps?.byID[entry.step] else {
            account.noteUnknown(entry)
            return false
        }
        func makesSame(_ preview: StepPreview) -> Bool {
            preview.changes.count == entry.changes.count
                && zip(preview.changes, entry.changes).allSatisfy { $0.address == $1.address && $0.after == $1.after }
        }
        let preview = step.rerun(
            on: seen, origin: origin, facts: entry.facts, after: &account, &allowance, isSame: makesSame)
        // What cannot be read now, such as a keychain that is not given, says nothing of the rules.
        let isUnreadable = preview.outcome.reason?.unreadable != nil
        let isSame = !isUnreadable && makesSame(preview)
        if isSame { account.note(preview) } else { account.noteUnknown(entry) }
        if isUnreadable { return true }
        if isSame {
            previews[entry.step] = preview
            if entry.found.isEmpty, !preview.found.isEmpty { found[entry.step] = preview.found }
        }
        guard !isSame, outdated?.contains(entry.number) ?? true else { return isSame }
        // Of something else it makes something else by the same rules: only their words tell.
        let rules = Set(preview.changes.map(\.rule))
        guard rules.isEmpty || entry.changes.contains(where: { rules.contains($0.rule) }) else { return false }
        if outdated == nil { isUndecided = true }
        return true
    }
}
