import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// A container that is being looked at: the view of it, where the cursor is, and what is known of the rows in the window.
package struct OpenContainer: Sendable {
    /// The parts of the screen that can have the keys.
    enum Pane: Hashable, Sendable {
        /// The steps with both sides, and the other entries.
        case sheet
        /// The selected row in full.
        case detail

        mutating func toggle() { self = self == .sheet ? .detail : .sheet }
    }

    /// How many entries the ledger had of it when it was opened.
    private let entriesAtOpening: Int
    /// What is seen.
    private(set) var view: ContainerView
    /// Counts the views, for what was made for an earlier one.
    private(set) var revision = 0
    /// The migration that was asked for.
    private var choice: Choice?
    /// What was chosen when it was opened.
    private let choiceAtOpening: Choice?
    /// What was in view last that Esc does not lead out of.
    private(set) var choiceBefore: Choice?
    /// The row under the cursor.
    private(set) var cursor = 0
    /// The first row shown.
    var top = 0
    /// The steps chosen with Space.
    var selected: Set<String> = []
    var focus = Pane.sheet
    /// Whether the detail fills the screen.
    var isZoomed = false
    /// The first line of the detail shown.
    var detailTop = 0
    /// The rows in the window as they were last looked at.
    var cells = Cells()
    /// How many columns the longest of the rows needs that have been in the window: what was made room for stays so, as
    /// nothing is to move again and again.
    private(set) var widestRow = 0
    /// The lines of the detail as they were last written.
    var detail: WrittenDetail?
    /// What was asked for and has not come yet.
    var awaitedCells: Cells.Purpose?
    var awaitedDetail: WrittenDetail.Asked?
    /// How the row under the cursor is looked at.
    private(set) var form = ValueForm.details
    /// Which side of a step is looked at, in another form than in detail.
    private(set) var side = Side.legacy
    enum Side: String, Hashable, Sendable { case legacy, migrated }
    /// What of a tree is shown.
    var tree = TreeFolds()
    /// The line of a tree that the keys go to.
    var treeLine = 0
    /// The first column of a table that is shown.
    var tableLeft = 0
    /// What is missing from the dump or cannot be read; those of the snapshot until every store was looked through.
    var warnings: [Warning]
    /// The files that have changed since steps were applied, as far as anybody has looked.
    private(set) var drift: [Drift]
    /// The numbers of the ledger's entries that read what is not in the dump any more, as far as anybody has looked.
    private var outdated: Set<Int>?
    /// What the person has decided to go on in spite of.
    var accepted: Set<Concern> = []
    /// The files of which the person has decided that they may have changed.
    var acceptedDrift: [Drift] {
        accepted.flatMap { concern -> [Drift] in if case .drift(let files) = concern { files } else { [] } }
    }
    mutating func forgetAcceptedDrift() {
        accepted = accepted.filter { if case .drift = $0 { false } else { true } }
    }
    /// Which rows are shown, where not all are.
    var filtering: Filtering?
    /// Counts the filters, for the rows that were found for an earlier one.
    var filterNumber = 0
    /// What was last looked for.
    var searchText: String?
    /// Where that is, as far as it was found out.
    var matches: Matches?
    var awaitedMatches: Matches.Purpose?
    /// The keys that are like what was last typed in the palette.
    var likeKeys: LikeKeys?
    var awaitedLikeKeys: LikeKeys.Purpose?
    /// The line of the detail that a search has gone to.
    var detailMatch: Int?
    /// What a search through the rows has come here for, until the detail is looked through for it.
    var soughtInDetail: String?
    /// Whether the timeline stands over the panes.
    var showsTimeline = false
    /// The point that differences are from.
    var mark: Moment?

    /// Opens a container; nothing is planned yet.
    package init(_ snapshot: ContainerSnapshot, choice: Choice? = nil) {
        view = ContainerView(unplanned: snapshot)
        entriesAtOpening = snapshot.history.entries.count
        (self.choice, choiceAtOpening, choiceBefore) = (choice, choice, choice)
        warnings = snapshot.warnings
        drift = snapshot.drift ?? []
        outdated = snapshot.outdated
    }

    var snapshot: ContainerSnapshot { view.snapshot }
    /// What there is to warn of besides how the dump has changed: files of migrations that cannot be used, what steps take for granted
    /// of what did not come with the dump, and what of it is missing or cannot be read.
    var allWarnings: [Warning] {
        (snapshot.unusable.map(\.sentence) + [view.assumption].compactMap(\.self)).map { Warning(text: $0) } + warnings
    }
    /// What a step takes for granted of what did not come with the dump, where that is not so of any step.
    func assumption(of planned: PlannedStep) -> String? {
        // Asked for each frame: what all steps together do not take for granted none does.
        guard view.assumption != nil, snapshot.assumption([]) == nil else { return nil }
        return snapshot.assumption(planned.storesRead)
    }
    var migrations: [any Migration] { view.migrations }
    var applicable: Int { view.applicable }
    var migration: (any Migration)? { view.migration }
    var profile: Profile? { view.plan?.profile }
    var plan: Plan? { view.plan }
    var stores: Overlay { view.stores }
    var sides: (legacy: [StoreID], migrated: [StoreID]) { view.sides }
    /// The rows that are shown.
    var sheet: Sheet { filtering.map { view.sheet.showing($0.rows) } ?? view.sheet }
    /// How many of the rows that are shown are steps: they come first.
    var shownSteps: Int {
        let all = plan?.steps.count ?? 0
        return filtering.map { $0.rows.count(before: all) } ?? all
    }
    /// How many rows there are, shown or not.
    var allRows: Int { view.sheet.count }
    var unfolded: Set<StoreID> { view.unfolded }
    /// The point of the timeline that is seen.
    var moment: Moment { view.moment }
    var timeline: Timeline { view.timeline }
    /// Whether the stores are looked at without a migration, where none is chosen.
    var isPlainAtFirst: Bool {
        let last = snapshot.history.standing.last?.migration
        return applicable == 0 && !migrations.contains { $0.id == last }
    }
    /// Whether a migration that does not apply is in view in place of what was before, or stands.
    var looksAside: Bool {
        guard let migration, !migrations.prefix(applicable).contains(where: { $0.id == migration.id }) else {
            return false
        }
        return migration.id != choiceAtOpening?.migration && migration.id != snapshot.history.standing.last?.migration
    }

    /// Why nothing would change if a fact were taken back: nobody has given it; `nil` where somebody has.
    func refusalToTakeBack(_ name: FactName) -> String? {
        guard let fact = plan?.facts[name] else { return "\(name) is not given, so there is nothing to take back" }
        if case .given = fact.source { return nil }
        return "\(name) is not given, so there is nothing to take back: it is \(fact.source.phrase)"
    }

    /// Whether there is a view of it yet.
    var isPlanned: Bool { revision > 0 }

    /// What an entry is to the first migration that applies and knows it.
    func annotation(of address: Address) -> String? { view.annotation(of: address) }

    /// The row under the cursor.
    var row: SheetRow? { sheet[cursor] }

    /// The step under the cursor.
    var step: PlannedStep? {
        if case .step(let index) = row { plan?.steps[index] } else { nil }
    }

    /// What the row under the cursor is of: an entry or a store; of a step the entry that it reads, else the one that it
    /// writes.
    var address: Address? {
        switch row {
        case .step:
            guard let planned = step else { return nil }
            let places = planned.used + planned.step.sources + [planned.target].compactMap(\.self)
            return places.first { stores.state(at: $0) != .absent } ?? places.first
        case .unmapped(let store, _), .store(let store), .noise(let store, _): return Address(store: store)
        case .entry(let store, let key): return Address(store: store, key: key)
        case nil: return nil
        }
    }

    /// The steps that stand of migrations that nobody has given, by the migration's name.
    var foreign: [String: Int] {
        Dictionary(
            snapshot.history.standing(besides: migrations.map(\.id)).map { ($0.migration, 1) }, uniquingKeysWith: +)
    }

    /// What times of facts count from, but for the clock.
    var anchors: TimeAnchors { TimeAnchors(of: plan?.facts ?? snapshot.facts) }

    /// Whether the ledger has other entries of it than when it was opened.
    var wasChanged: Bool { snapshot.history.entries.count != entriesAtOpening }

    /// What the same view, made anew, would be made of.
    var request: ViewRequest {
        ViewRequest(
            container: snapshot.path, choice: choice, unfolded: view.chosenUnfolded, noisy: view.noisy)
    }

    /// What is seen at a point of the timeline.
    func request(at moment: Moment) -> ViewRequest {
        var request = request
        if moment != .now { (request.moment, request.timeline) = (moment, timeline) }
        return request
    }

    /// The request for the entries of a store to be shown, or to be no longer.
    func folding(_ store: StoreID) -> ViewRequest {
        var request = request(at: moment)
        (request.unfolded, request.planned) = (unfolded.symmetricDifference([store]), view)
        return request
    }

    /// The same of those that are the system's or an SDK's.
    func foldingNoise(of store: StoreID) -> ViewRequest {
        var request = request(at: moment)
        (request.noisy, request.planned) = (view.noisy.symmetricDifference([store]), view)
        return request
    }

    /// The request for what is folded behind rows to be shown.
    func unfolding(_ rows: [SheetRow]) -> ViewRequest {
        var request = request(at: moment)
        request.planned = view
        for row in rows {
            if case .store(let store) = row { request.unfolded = (request.unfolded ?? unfolded).union([store]) }
            // Those of a store that is unfolded as a whole are shown with the others.
            if case .noise(let store, _) = row { request.noisy.insert(store) }
        }
        return request
    }

    /// The request for what a filter has unfolded to be folded again, but for where the cursor is; `nil` where it has not.
    var foldingAgain: ViewRequest? {
        guard let folds = filtering?.folds else { return nil }
        var request = request(at: moment)
        (request.unfolded, request.noisy, request.planned) = (folds.chosen, folds.noisy, view)
        if let shut = filtering?.shut, !shut.isEmpty {
            (request.unfolded, request.noisy) = (folds.unfolded.subtracting(shut), folds.noisy.subtracting(shut))
        }
        if case .entry(let store, let key)? = row {
            if view.sheet.position(of: .store(store)) != nil {
                request.unfolded = (request.unfolded ?? folds.unfolded).union([store])
            }
            if Noise.holds(key, in: store) { request.noisy.insert(store) }
        }
        return request
    }

    /// The request for an entry to be shown that is folded.
    func showing(_ key: Name, in store: StoreID) -> ViewRequest {
        var request = request(at: moment)
        request.planned = view
        if view.sheet.position(of: .store(store)) != nil { request.unfolded = unfolded.union([store]) }
        if Noise.holds(key, in: store) { request.noisy.insert(store) }
        return request
    }

    /// The store and the keys that a row stands for while they are folded behind it.
    func folded(behind row: SheetRow) -> (store: StoreID, keys: any KeyList)? {
        switch row {
        case .store(let store) where !unfolded.contains(store): (store, stores.keys(in: store))
        case .noise(let store, _) where !view.noisy.contains(store): view.sheet.noise(in: store).map { (store, $0) }
        default: nil
        }
    }

    /// Whether an entry is folded behind a row that is shown.
    func isFolded(_ key: Name, in store: StoreID) -> Bool {
        guard let front = position(inFrontOf: key, in: store).flatMap({ sheet[$0] }) else { return false }
        return folded(behind: front)?.keys.contains(key) ?? false
    }

    /// The position of the row that an entry is folded behind.
    func position(inFrontOf key: Name, in store: StoreID) -> Int? {
        let isNoise = view.sheet.noise(in: store)?.contains(key) ?? false
        return sheet.position(of: isNoise ? .noise(store, count: 0) : .store(store))
    }

    /// Swaps in another view; the cursor stays on its row, but for the first view, where it goes to the first step
    /// that needs attention, where one cannot go on, else to the first that has something to do, and without steps to the
    /// first entry.
    mutating func show(_ view: ContainerView) {
        // Of another migration the answer is another.
        let row = row, step = step?.id, isFirst = !isPlanned || view.migration?.id != migration?.id
        if view.migration?.id != migration?.id { selected = [] }
        if let mark, view.timeline.position(of: mark) == nil { self.mark = nil }
        self.view = view
        widen(to: view.rooms.lazy.map(\.stacked).max() ?? 0)
        drift = view.snapshot.drift ?? drift
        outdated = view.snapshot.outdated ?? outdated
        self.view.settle(outdated: outdated)
        revision += 1
        choice = view.migration.map { Choice($0.id, profile: view.plan?.profile.id) }
        if !looksAside { choiceBefore = choice }
        let steps = view.plan?.steps ?? []
        selected = selected.filter { id in steps.contains { $0.id == id } }
        if isFirst {
            // What failed or collides is lost unless somebody acts; what waits only waits.
            // Where steps wait, what those that do not would lose comes before that.
            let isUrgent = steps.contains(where: \.isHeldUp)
            let first = isUrgent ? urgentSteps.first : steps.firstIndex { $0.outcome.kind == .migrates }
            if filtering != nil {
                filterAnew(to: .step(first ?? 0))
            } else {
                moveCursor(to: first ?? 0)
                // Where there are no steps, a value says more than how many there are.
                if steps.isEmpty, case .store? = sheet[0], case .entry? = sheet[1] { moveCursor(to: 1) }
            }
        } else if filtering != nil {
            filterAnew(to: step.flatMap { id in steps.firstIndex { $0.id == id } }.map(SheetRow.step) ?? row)
        } else if let step, let index = steps.firstIndex(where: { $0.id == step }) {
            moveCursor(to: index)
        } else {
            moveCursor(to: row.flatMap(sheet.position) ?? cursor)
        }
    }

    /// Makes room for a row.
    mutating func widen(to columns: Int) { widestRow = max(widestRow, columns) }

    /// Swaps in the view of a dump that was read again: what has changed in it is to be looked for anew.
    mutating func showReread(_ view: ContainerView) {
        outdated = nil
        show(view)
    }

    /// Takes in what has changed in the dump; what is shown is written anew where that makes other parts of it secret.
    mutating func settle(drift: [Drift], outdated: Set<Int>?) {
        self.drift = drift
        guard outdated != self.outdated else { return }
        self.outdated = outdated
        guard isPlanned, !snapshot.history.entries.isEmpty else { return }
        view.settle(outdated: outdated)
        revision += 1
    }

    /// Moves the cursor, keeping it within the sheet.
    mutating func moveCursor(to position: Int) {
        let clamped = min(max(0, position), max(0, sheet.count - 1))
        if clamped != cursor { forgetDetailPlace() }
        cursor = clamped
        filtering?.anchor = nil
    }

    /// Another row is looked at from its beginning.
    mutating func forgetDetailPlace() {
        (detailTop, tree, treeLine, tableLeft, detailMatch) = (0, TreeFolds(), 0, 0, nil)
        soughtInDetail = nil
    }

    /// Goes to a line of the detail that was found.
    mutating func goToDetail(line: Int) {
        (detailMatch, treeLine, detailTop) = (line, line, max(0, line - 2))
    }

    /// Looks at the row under the cursor in another way.
    mutating func look(as form: ValueForm) {
        self.form = form
        forgetDetailPlace()
    }

    /// Looks at the other side of a step.
    mutating func switchSides() {
        side = detail?.viewed.side == .legacy ? .migrated : .legacy
        forgetDetailPlace()
    }

    /// Looks up which side is looked at, the other one where there is nothing on the one that is meant, and whether there is
    /// something on both.
    func lookUpSides() -> (side: Side, hasBoth: Bool) {
        guard let written, written.state.value != nil, let address else { return (.legacy, false) }
        let hasLegacy = stores.state(at: address).value != nil
        return (hasLegacy ? side : .migrated, hasLegacy && written.address != address)
    }

    /// Moves the cursor to a step.
    mutating func moveCursor(toStep id: String) {
        guard let index = plan?.steps.firstIndex(where: { $0.id == id }) else { return }
        if filtering?.isComplete == false {
            filtering?.anchor = (.step(index), top)
        } else if let position = sheet.position(of: .step(index)) {
            moveCursor(to: position)
        }
    }
}
