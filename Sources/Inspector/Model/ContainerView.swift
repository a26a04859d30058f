import MigrationEngine
import StoreFormats
import Reports
import Workspace

/// What is known of a container at one moment, as the inspector needs it; it never changes.
package struct ContainerSnapshot: Sendable {
    /// The app, by its identifier, or where several have that by its place.
    package var title: String
    /// What people call the app, with its version; `nil` where the dump does not say it.
    package var name: String?
    /// Where the container is in the dump; no two containers have the same.
    package var path: String
    /// What else to say of it in the header: its version, where that does not stand behind its name, and the kind of dump.
    package var details: [String]
    /// The stores as the dump has them, with what other apps' steps have left in those that they share.
    package var stores: any StoreReader
    /// What has been applied and rolled back.
    package var history: History
    /// The facts that were given and those of the dump's metadata.
    package var facts: Facts
    /// Why nothing can be applied here, or `nil`.
    package var readOnlyReason: String?
    /// The files of the dump that have changed since steps were applied; `nil` where nobody has looked yet.
    package var drift: [Drift]?
    /// The numbers of the ledger's entries that read what is not in the dump any more; `nil` where nobody has looked yet.
    package var outdated: Set<Int>?
    /// What is missing from the dump or cannot be read.
    package var warnings: [Warning]
    /// That the dump holds no file of it; `nil` where it holds some.
    package var lack: String?
    /// What another program has made of the facts that are remembered, as far as the last look at them or change here has found it.
    package var changedFacts: WorkspaceError?
    /// What steps that look into some stores take for granted of what did not come with the dump; `nil` is nothing.
    package var assumption: @Sendable (Set<StoreID>) -> String? = { _ in nil }
    /// The files of migrations that cannot be used as they are.
    package var unusable: [Inspection.UnusableSpec] = []

    /// What the header begins with, and what else it says.
    var heading: (title: String, details: [String]) {
        name.map { ($0, [title] + details) } ?? (title, details)
    }

    /// Which app it is and when the dump was made, for who does not see it.
    func told(_ masking: Masking) -> String {
        let (title, details) = heading
        return masking.sentence(title + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"))
    }

    /// Makes a snapshot.
    package init(
        title: String, path: String = "", details: [String], stores: any StoreReader, history: History, facts: Facts,
        readOnlyReason: String? = nil, drift: [Drift]? = [], outdated: Set<Int>? = [], warnings: [Warning] = []
    ) {
        self.title = title
        self.path = path
        self.details = details
        self.stores = stores
        self.history = history
        self.facts = facts
        self.readOnlyReason = readOnlyReason
        self.drift = drift
        self.outdated = outdated
        self.warnings = warnings
    }
}

/// What is missing from the dump or cannot be read.
package struct Warning: Hashable, Sendable {
    /// In a sentence or two.
    var text: String
    /// What it is about; `nil` where that is nothing that a dump holds.
    var subject: WarningSubject?
    /// What knows better what of it is masked.
    var error: WorkspaceError?

    /// It with nothing left to mask.
    func told(_ masking: Masking) -> Warning {
        Warning(text: error.map(masking.told) ?? masking.sentence(text), subject: subject)
    }
}

/// What a warning is about.
enum WarningSubject: Hashable, Sendable {
    /// A file or folder, relative to the dump's root.
    case file(Name)
    case address(Address)
}

/// The migration to look at, by name, and its profile.
package struct Choice: Hashable, Sendable {
    package var migration: String
    package var profile: String?

    package init(_ migration: String, profile: String? = nil) {
        self.migration = migration
        self.profile = profile
    }
}

/// What a view of a container is to be made of, besides the container.
package struct ViewRequest: Sendable {
    /// The path of the container.
    let container: String
    /// The migration; `nil` is the one whose steps were applied last, else of those that apply one whose file was named, or the one
    /// that needs attention most.
    var choice: Choice?
    /// The stores that the migration does not touch and whose entries are to be shown; `nil` where nobody has chosen.
    var unfolded: Set<StoreID>?
    /// The stores whose entries of the system and of SDKs are shown.
    var noisy: Set<StoreID> = []
    /// A view whose plan still holds: nothing but what is unfolded has changed since.
    var planned: ContainerView?
    /// A view of the same stores and facts, of which still holds what every migration found in them: nothing but the migration
    /// in view, or its profile, has changed since.
    var examined: ContainerView?
    /// The point of the timeline.
    var moment = Moment.now
    /// The timeline, where the point is another than now.
    var timeline: Timeline?
}

/// What is seen of a container: the plan of one migration, and the rows.
///
/// It is made off the thread that draws, and never changes.
package struct ContainerView: Sendable {
    /// What it was made of.
    let snapshot: ContainerSnapshot
    /// What is seen: the stores with what has been applied.
    let stores: Overlay
    /// The migrations that can be chosen, those that apply first.
    let migrations: [any Migration]
    /// How many of the migrations apply.
    let applicable: Int
    /// Why it is unknown of others whether they apply.
    let unknown: [ApplicableMigrations.UnknownReason]
    /// The migration in view.
    let migration: (any Migration)?
    /// What the migration's steps do; of those that stand, in whichever profile, what the ledger holds.
    let plan: Plan?
    /// What the migrations that apply, and what the history and the plan make of the stores, say of secrets.
    private(set) var masking: Masking
    /// What becomes of the user's values.
    let values: ValueCounts
    /// What the steps take for granted of what did not come with the dump; `nil` is nothing.
    let assumption: String?
    /// Whether a step failed, is in conflict, waits, or has lost or changed something that nobody has applied.
    let needsAttention: Bool
    /// How much room the steps need, as many as are looked at for it.
    private(set) var rooms: [StepRoom] = []
    private static let measured = 200
    /// Whether something else is secret since.
    private var isSettled = false
    /// The stores of the old and of the new version.
    let sides: (legacy: [StoreID], migrated: [StoreID])
    /// The rows.
    let sheet: Sheet
    /// The stores whose entries are shown, and those that the person has chosen.
    let unfolded: Set<StoreID>
    let chosenUnfolded: Set<StoreID>?
    /// The stores whose entries of the system and of SDKs are shown.
    let noisy: Set<StoreID>
    /// The point of the timeline that is seen, and all of them as they are now.
    let moment: Moment
    let timeline: Timeline

    /// What the stores hold, and what of it is masked: the same of views that differ in nothing but what is unfolded.
    final class Contents: Sendable {}
    private(set) var contents: Contents

    /// Which stores are unfolded, and as the person has chosen.
    struct Folds: Hashable, Sendable {
        let chosen: Set<StoreID>?
        let unfolded: Set<StoreID>
        let noisy: Set<StoreID>
    }
    var folds: Folds { Folds(chosen: chosenUnfolded, unfolded: unfolded, noisy: noisy) }

    /// The view before anything was planned: no rows.
    init(unplanned snapshot: ContainerSnapshot) {
        self.snapshot = snapshot
        stores = Overlay(snapshot.stores)
        (migrations, applicable, migration, plan, sides) = ([], 0, nil, nil, ([], []))
        (unfolded, chosenUnfolded, noisy) = ([], nil, [])
        (masking, unknown, values, needsAttention) = (Masking(), [], ValueCounts(), false)
        assumption = nil
        (moment, timeline, contents) = (.now, Timeline(), Contents())
        sheet = Sheet()
    }

    /// Plans the migration, and lays out the rows.
    ///
    /// - Parameter isCancelled: Asked between the parts of the work; what is cancelled is made in part, and not to be
    ///   shown.
    /// - Throws: ``WorkspaceError/unknownProfile(_:migration:known:)``.
    init(
        of snapshot: ContainerSnapshot, migrations all: [any Migration], named: Set<String> = [],
        _ request: ViewRequest,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(WorkspaceError) {
        self.snapshot = snapshot
        (chosenUnfolded, noisy, moment) = (request.unfolded, request.noisy, request.moment)
        contents = request.planned?.contents ?? Contents()
        isSettled = request.planned?.isSettled ?? false
        if let planned = request.planned {
            (stores, migrations, applicable) = (planned.stores, planned.migrations, planned.applicable)
            (migration, plan, sides) = (planned.migration, planned.plan, planned.sides)
            (masking, unknown, timeline, values) = (planned.masking, planned.unknown, planned.timeline, planned.values)
            assumption = planned.assumption
        } else {
            let read = StoppableStores(snapshot.stores, isCancelled)
            var masking: Masking
            if let examined = request.examined {
                (stores, migrations, applicable) = (examined.stores, examined.migrations, examined.applicable)
                unknown = examined.unknown
                masking = Masking(secrecy: examined.masking.secrecy)
            } else {
                stores = snapshot.history.overlay(on: snapshot.stores)
                let found = ApplicableMigrations(
                    among: all, in: read, facts: snapshot.facts, history: snapshot.history, isCancelled: isCancelled)
                let applying = found.applying
                migrations = applying + all.filter { migration in !applying.contains { $0.id == migration.id } }
                applicable = applying.count
                unknown = found.unknownReasons
                masking = Masking(secrecy: found.secrecy(in: read, given: snapshot.facts))
                masking.secrecy.note(naming: all.flatMap(\.facts))
                masking.secrecy.note(snapshot.history, among: all, in: read)
            }
            let names = [request.choice?.migration, snapshot.history.standing.last?.migration].compactMap(\.self)
            let applying = migrations.prefix(applicable)
            let meant =
                names.lazy.compactMap { name in all.first { $0.id == name } }.first
                ?? applying.first { named.contains($0.id) } ?? (applying.count > 1 ? nil : applying.first)
            func plan(_ migration: any Migration, _ profile: Profile) -> Plan? {
                // Cancelled, there is none.
                try? Plan(
                    of: migration, profile: profile, facts: snapshot.facts, stores: read, history: snapshot.history,
                    outdated: snapshot.outdated,
                    check: { () throws(CancellationError) in if isCancelled() { throw CancellationError() } })
            }
            let urgent = meant == nil ? Self.mostUrgent(of: applying, snapshot.history, plan) : nil
            let migration = meant ?? urgent?.migration
            let chosen = request.choice.flatMap { $0.migration == migration?.id ? $0.profile : nil }
            let profile: Profile?
            do throws(UnknownProfile) {
                profile = try migration?.profile(named: chosen, history: snapshot.history)
            } catch {
                throw .unknownProfile(error.name, migration: error.migration, known: error.known)
            }
            let made = urgent?.plan ?? profile.flatMap { profile in migration.flatMap { plan($0, profile) } }
            (self.migration, self.plan) = (migration, made)
            values = made.map { [stores] in ValueCounts($0, in: stores) } ?? ValueCounts()
            assumption = made.flatMap { snapshot.assumption($0.storesRead) }
            masking.origins = SecretOrigins(
                of: snapshot.history, outdated: snapshot.outdated, among: migrations, in: read, masking)
            if let made { masking.origins.follow(made, in: read, masking) }
            self.masking = masking
            timeline = request.timeline ?? Timeline(snapshot.history, made)
            sides = migration?.sides(facts: made?.facts ?? snapshot.facts) ?? ([], [])
        }
        needsAttention = plan?.steps.contains { $0.isHeldUp || $0.showsLoss } ?? false
        // Where no migration says what matters, all that is the app's own is there to be read.
        unfolded = request.unfolded ?? (plan == nil ? stores.readable(isCancelled) : [])
        sheet =
            isCancelled()
            ? Sheet()
            : Sheet(stores: stores, plan: plan, sides: sides.legacy + sides.migrated, unfolded: unfolded, noisy: noisy)
        rooms =
            request.planned?.rooms
            ?? (plan?.steps.prefix(Self.measured) ?? []).filter { _ in !isCancelled() }.map { StepRoom($0, self) }
    }

    /// The migration that needs attention most, of several the first, with its plan.
    private static func mostUrgent(
        of applying: ArraySlice<any Migration>, _ history: History, _ plan: (any Migration, Profile) -> Plan?
    ) -> (migration: any Migration, plan: Plan?)? {
        let plans = applying.map { migration in
            let made = (try? migration.profile(named: nil, history: history)).flatMap { plan(migration, $0) }
            return (migration: migration, plan: made, urgency: made?.urgency.map(\.count) ?? [])
        }
        let most = plans.map(\.urgency).max { $0.lexicographicallyPrecedes($1) }
        return plans.first { $0.urgency == most }.map { ($0.migration, $0.plan) }
    }

    /// What was found to stand in the cells of a step in Unicode's signs, secrets masked; `nil` where it is to be found anew.
    func cells(ofStep index: Int) -> StepCells? {
        isSettled || !rooms.indices.contains(index) ? nil : rooms[index].cells
    }

    /// Takes in which entries of the ledger read what is not in the dump any more.
    mutating func settle(outdated: Set<Int>?) {
        guard masking.origins.outdated != outdated else { return }
        masking.origins.outdated = outdated
        (contents, isSettled) = (Contents(), true)
        // What was masked until it was known of what it was made may need less room.
        for (index, step) in (plan?.steps ?? []).enumerated().prefix(rooms.count) where step.entry != nil {
            rooms[index] = StepRoom(step, self)
        }
    }

    /// What an entry is to the first migration that applies and knows it, else what the store says.
    func annotation(of address: Address) -> String? {
        migrations.prefix(applicable).lazy.compactMap { $0.annotation(of: address, in: stores) }.first
            ?? stores.annotation(of: address)
    }
}

/// Stores that cannot be read any more once what reads them is to stop: a plan on them ends soon, and is thrown away.
struct StoppableStores: KeychainNaming {
    private let base: any StoreReader
    private let isCancelled: @Sendable () -> Bool
    private static let stopped = Unreadable(.inaccessible, "stopped")

    init(_ base: any StoreReader, _ isCancelled: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isCancelled = isCancelled
    }

    var stores: [StoreID] { isCancelled() ? [] : base.stores }
    var problem: Unreadable? { isCancelled() ? Self.stopped : base.problem }
    func problem(with store: StoreID) -> Unreadable? { isCancelled() ? Self.stopped : base.problem(with: store) }
    func keys(in store: StoreID) -> any KeyList { isCancelled() ? Keys() : base.keys(in: store) }
    func annotation(of address: Address) -> String? { isCancelled() ? nil : base.annotation(of: address) }
    func hold(on entry: Address) -> String? { base.hold(on: entry) }
    func doubt(about store: StoreID) -> String? { base.doubt(about: store) }
    func loss(of value: Value, at entry: Address) -> String? { base.loss(of: value, at: entry) }
    func identity(of key: Name, in store: StoreID) -> KeychainIdentity? {
        isCancelled() ? nil : base.keychainIdentity(of: key, in: store)
    }
    func state(of key: Name, in store: StoreID) -> EntryState {
        isCancelled() ? .unreadable(Self.stopped) : base.state(of: key, in: store)
    }
    func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        isCancelled() ? Self.stopped : base.unread(part, of: key, in: store)
    }
}
