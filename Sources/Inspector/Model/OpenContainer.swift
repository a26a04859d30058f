import MigrationEngine

/// A container that is being looked at: what it holds, the migration in view, and where the cursor is.
public struct OpenContainer: Sendable {
    /// The parts of the screen that can have the keys.
    enum Pane: Hashable, Sendable {
        /// The steps with both sides, and the other entries.
        case sheet
        /// The selected row in full.
        case detail

        mutating func toggle() { self = self == .sheet ? .detail : .sheet }
    }

    /// What is known of the container.
    public internal(set) var snapshot: ContainerSnapshot { didSet { refresh() } }
    /// The migrations that can be chosen, those that apply first.
    public let migrations: [any Migration]
    /// How many of the migrations apply.
    public let applicable: Int
    /// The migration in view and its variant.
    public private(set) var migration: (any Migration)?
    /// The variant of the migration.
    public private(set) var profile: Profile?
    /// What the migration's steps do.
    public private(set) var plan: Plan?
    /// What is seen: the stores with what has been applied.
    public private(set) var stores: Overlay
    /// The rows.
    public private(set) var sheet: Sheet
    /// The row under the cursor.
    public internal(set) var cursor = 0
    /// The first row shown.
    var top = 0
    /// The steps chosen with Space.
    public internal(set) var selected: Set<String> = []
    var unfolded: Set<StoreID> = [] { didSet { layOutSheet() } }
    var focus = Pane.sheet
    /// Whether the detail fills the screen.
    var isZoomed = false
    /// The first line of the detail shown.
    var detailTop = 0
    /// The lines of the detail as they were last written, and what for.
    var writtenDetail: WrittenDetail?
    /// Counts what the detail may depend on besides the row: what is seen, the plan.
    private(set) var revision = 0
    /// What is missing from the dump or cannot be read; those of the snapshot until every store was looked through.
    public internal(set) var warnings: [String]
    /// Whether the person has decided to go on although the dump has changed.
    var acceptsDrift = false
    /// What was last looked for.
    var searchText: String?

    /// Opens a container on the first migration that applies, with the cursor on the first problem, else on the first
    /// step that has something to do.
    ///
    /// - Parameters:
    ///   - snapshot: What is known of the container.
    ///   - migrations: The migrations that there are.
    ///   - chosen: The names of the migration and the variant to begin with.
    public init(
        _ snapshot: ContainerSnapshot, migrations: [any Migration],
        chosen: (migration: String, profile: String?)? = nil
    ) {
        self.snapshot = snapshot
        warnings = snapshot.warnings
        let applying = migrations.filter { $0.applies(to: snapshot.stores, facts: snapshot.facts) }
        let others = migrations.filter { migration in !applying.contains { $0.id == migration.id } }
        self.migrations = applying + others
        applicable = applying.count
        stores = snapshot.history.overlay(on: snapshot.stores)
        sheet = Sheet(stores: stores, plan: nil, sides: [], unfolded: [])
        migration = chosen.flatMap { chosen in migrations.first { $0.id == chosen.migration } } ?? applying.first
        profile = migration.flatMap { migration in
            migration.profiles.first { $0.id == chosen?.profile } ?? migration.profiles.first
        }
        refresh()
        let steps = plan?.steps ?? []
        cursor = steps.firstIndex(where: \.isProblem) ?? steps.firstIndex { $0.outcome.kind == .migrates } ?? 0
    }

    /// The row under the cursor.
    public var row: SheetRow? { sheet[cursor] }

    /// The step under the cursor.
    public var step: PlannedStep? {
        if case .step(let index) = row { plan?.steps[index] } else { nil }
    }

    /// How many steps stand.
    public var appliedCount: Int { plan?.steps.count { $0.status == .applied } ?? 0 }

    /// The stores of the old and of the new version.
    public var sides: (legacy: [StoreID], migrated: [StoreID]) {
        migration?.sides(facts: plan?.facts ?? snapshot.facts) ?? ([], [])
    }

    /// What an entry is to the first migration that applies and knows it.
    func annotation(of address: Address) -> String? {
        migrations.prefix(applicable).lazy.compactMap { $0.annotation(of: address, in: self.stores) }.first
    }

    /// Brings another migration or variant into view.
    mutating func choose(_ migration: any Migration, _ profile: Profile) {
        if migration.id != self.migration?.id { selected = [] }
        self.migration = migration
        self.profile = profile
        refresh()
    }

    /// Moves the cursor, keeping it within the sheet.
    mutating func moveCursor(to position: Int) {
        let clamped = min(max(0, position), max(0, sheet.count - 1))
        if clamped != cursor { detailTop = 0 }
        cursor = clamped
    }

    private mutating func refresh() {
        let row = row
        stores = snapshot.history.overlay(on: snapshot.stores)
        if let migration, let profile {
            plan = Plan(
                of: migration, profile: profile, facts: snapshot.facts, stores: snapshot.stores,
                history: snapshot.history)
        }
        selected = selected.filter { id in plan?.steps.contains { $0.id == id } ?? false }
        layOutSheet()
        moveCursor(to: row.flatMap(sheet.position(of:)) ?? cursor)
    }

    private mutating func layOutSheet() {
        revision += 1
        sheet = Sheet(stores: stores, plan: plan, sides: sides.legacy + sides.migrated, unfolded: unfolded)
    }
}

extension PlannedStep {
    /// Whether the step needs a person: it failed, conflicts, or lacks a fact.
    public var isProblem: Bool { [.failed, .conflict, .blocked].contains(outcome.kind) }
}
