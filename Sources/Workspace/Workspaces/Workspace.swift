import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// A dump and its ledger: look, plan, apply, roll back, verify, export.
///
/// The dump is never changed.
///
/// A workspace may be used from several tasks at once. Changes wait for one another; looking never waits: it takes the
/// ``snapshot`` that the last change left.
package final class Workspace: Sendable {
    /// The dump.
    package let dump: Dump
    /// The container that was chosen.
    package let container: Container
    let ledgerFile: LedgerFile
    /// What is asked of the facts that may be remembered; `nil` where that is not known.
    let asked: [FactDefinition]?
    let memory: RememberedFacts

    struct State {
        var session: MigrationSession<SQLiteLedger>
        /// What steps of other containers have made of entries that this one has too.
        let shared: SharedChanges
        /// The facts that were given; the others are told from the ledger and the dump.
        var given: Facts
        /// Those of them that hold for every container, and for whatever comes to the dump's place.
        let givenAtOpening: Facts
        /// Those that a person has given while looking at the dump, now or at another time.
        var remembered: Facts
        /// The names of those of them that were given here.
        private(set) var typed: Set<FactName> = []
        /// The names of those that could not be remembered yet, or taken back for good.
        var unwritten: Set<FactName> = []
        private let memory: RememberedFacts.Memory
        /// What another program has made of them, as far as the last look at them or change here has found it.
        var changedFacts: WorkspaceError?
        /// Why some that were given at another time are not known.
        private(set) var forgotten: [WorkspaceError] = []
        /// The facts, each from the best source.
        var facts = Facts()
        /// What draws the facts for which any new value will do.
        private let draw: FactDraw
        /// The files that have changed; `nil` where nobody has looked yet.
        private(set) var drift: [Drift]?
        /// The numbers of the entries that read what has changed; `nil` where nobody has looked yet.
        private(set) var outdated: Set<Int>?

        /// Looks for what has changed in the dump.
        mutating func look(
            with digests: inout FileDigests, progress: (Int, Int) -> Void = { _, _ in }, isCancelled: () -> Bool
        ) throws(WorkspaceError) {
            let drift = try drift(in: &digests, progress: progress, isCancelled: isCancelled)
            let outdated = try digests.outdated(in: session.history, isCancelled: isCancelled)
            (self.drift, self.outdated) = (drift, outdated)
        }

        /// The files that have changed since standing steps read them: the container's own, or others' whose results it has.
        func drift(
            in digests: inout FileDigests, progress: (Int, Int) -> Void = { _, _ in }, isCancelled: () -> Bool
        ) throws(WorkspaceError) -> [Drift] {
            let own = try digests.drift(since: session.history, progress: progress, isCancelled: isCancelled)
            let others = try shared.drift(in: &digests, since: session.history, isCancelled: isCancelled)
            return own + others.filter { !own.contains($0) }
        }

        init(
            on container: Container, of dump: Dump, in file: LedgerFile, given: Facts, _ facts: RememberedFacts,
            after other: State? = nil
        ) throws(WorkspaceError) {
            let shared = try SharedChanges(on: container, of: dump, in: file)
            session = try Workspace.typed(file) {
                try MigrationSession(stores: shared.stores, ledger: file.ledger(of: container.ledgerName))
            }
            self.shared = shared
            memory = facts.load()
            remembered = other?.remembered ?? memory.facts
            draw = FactDraw(for: container.mark(in: dump.path))
            let given = try given.told(by: session.history.facts.completed(by: container.facts))
            (self.given, givenAtOpening) = (given, other?.givenAtOpening ?? given)
            (typed, unwritten) = (other?.typed ?? [], other?.unwritten ?? [])
            if other != nil { takeOver(memory, from: facts.path) }
            gatherFacts(of: container)
        }

        /// Takes a fact that a person gives, or has one taken back.
        mutating func give(_ name: FactName, _ fact: Fact?, of container: Container) {
            (given[name], remembered[name]) = (fact, fact)
            typed.insert(name)
            gatherFacts(of: container)
        }

        /// Takes over what is there of the dump now, but for what was given here and could not be remembered yet.
        ///
        /// Where there is nothing of it any more, what is known here is as it was, and written with the next one.
        mutating func takeOver(_ memory: RememberedFacts.Memory, from file: String) {
            guard memory.isFound else { return }
            var kept = memory.facts
            for name in unwritten { kept[name] = remembered[name] }
            takeOver(kept, from: file)
        }

        /// Takes over what is remembered now, and notes what of it another program has made.
        mutating func takeOver(_ kept: Facts, from file: String) {
            let before = remembered
            let others = Set(before.names + kept.names).filter { name in
                guard let one = before[name], let other = kept[name] else {
                    return before[name] != nil || kept[name] != nil
                }
                return !one.hasSameValue(as: other)
            }
            for name in others where typed.contains(name) { given[name] = kept[name] ?? givenAtOpening[name] }
            remembered = kept
            let names = others.sorted { $0.rawValue < $1.rawValue }
            // What an earlier look has found is still to be said.
            guard !names.isEmpty else { return }
            changedFacts = .fact(
                .changedMemory(
                    names.compactMap { name in kept[name].map { GivenFact(name: name, value: $0.value) } },
                    gone: names.filter { kept[$0] == nil }, file: file))
        }

        /// Takes over what another state has of the facts that were given.
        mutating func takeFacts(of other: State, _ container: Container) {
            (given, remembered, typed, unwritten) = (other.given, other.remembered, other.typed, other.unwritten)
            changedFacts = other.changedFacts
            gatherFacts(of: container)
        }

        /// Whether steps go on from the same as with another state, whoever may write now.
        func holdsSame(as other: State) -> Bool {
            facts == other.facts && session.history.entries == other.session.history.entries
                && shared.holdsSame(as: other.shared)
        }

        /// Takes over what another look at the same has found.
        mutating func take(_ other: State) { (drift, outdated) = (other.drift, other.outdated) }

        mutating func gatherFacts(of container: Container) {
            // Of what steps were applied with it says more that they were.
            let recorded = session.history.facts
            var remembered = remembered
            for name in remembered.names {
                guard let fact = remembered[name], let own = recorded[name] else { continue }
                if fact.hasSameValue(as: own) { remembered[name] = nil }
            }
            facts = given.completed(by: remembered).completed(by: recorded).completed(by: container.facts)
            forgotten = memory.forgotten(knowing: facts)
            facts = facts.completed(by: Facts.assumed(from: facts))
            facts.draw = draw
        }
    }

    private let state: Mutex<State>
    private let changes = Mutex<Void>(())

    /// Opens the workspace of a dump.
    ///
    /// Nothing is written anywhere until the first step is applied, or a fact is given by ``setFact(_:to:source:)``.
    ///
    /// - Parameters:
    ///   - dump: The dump.
    ///   - identifier: The container to look at; `nil` is the only one.
    ///   - facts: The facts that were given; those of the ledger and of the dump's metadata complete them.
    ///   - location: Where the ledger is kept.
    ///   - asked: What is asked of facts: one that is remembered otherwise, or that nobody asks for, is left out.
    ///   - findingDrift: Whether to look for drift at once; see ``findDrift(progress:isCancelled:)``.
    /// - Throws: ``WorkspaceError``, such as for a container that is not there or a file that is not a ledger.
    package static func open(
        dump: Dump, container identifier: String? = nil, facts: Facts = Facts(), ledger location: LedgerLocation,
        asked: [FactDefinition]? = nil, findingDrift: Bool = true
    ) throws(WorkspaceError) -> Workspace {
        let path = try location.path(forDumpAt: dump.path)
        if dump.protects(path) { throw .ledgerInsideDump(path) }
        let workspace = try Workspace(
            dump: dump, container: identifier, facts: facts,
            ledger: try LedgerFile(path: path, isStandard: location.isStandard),
            asked: asked)
        if findingDrift { try workspace.findDrift() }
        return workspace
    }

    /// Opens another container of the same dump with the same ledger and the same facts that were given at the opening.
    ///
    /// Opened by itself it would find the ledger in use by this workspace, and be read-only.
    ///
    /// - Parameter afresh: Whether nothing that was read of the container before is used, and nothing that is read is kept
    ///   after the workspace.
    /// - Throws: ``WorkspaceError``, such as for a container that is not there.
    package func opening(
        container identifier: String?, afresh: Bool = false, findingDrift: Bool = true
    ) throws(WorkspaceError) -> Workspace {
        let chosen = try dump.chosenContainer(identifier)
        let workspace = try Workspace(
            dump: dump, container: afresh ? chosen.afresh : chosen, facts: current.givenAtOpening, ledger: ledgerFile,
            asked: asked)
        if findingDrift { try workspace.findDrift() }
        return workspace
    }

    convenience init(
        dump: Dump, container identifier: String?, facts: Facts, ledger file: LedgerFile, asked: [FactDefinition]? = nil
    ) throws(WorkspaceError) {
        try self.init(
            dump: dump, container: try dump.chosenContainer(identifier), facts: facts, ledger: file, asked: asked)
    }

    init(
        dump: Dump, container: Container, facts: Facts, ledger file: LedgerFile, asked: [FactDefinition]? = nil,
        after other: State? = nil
    ) throws(WorkspaceError) {
        (ledgerFile, self.asked) = (file, asked)
        let (dump, container, facts) = try Self.claiming(dump, container, facts, file)
        self.dump = dump
        self.container = container
        memory = RememberedFacts(beside: file, of: container, in: dump, asked: asked)
        let first = try State(on: container, of: dump, in: file, given: facts, memory, after: other)
        try Self.check(file, isOf: dump, [(container, first.session.history)])
        state = Mutex(first)
    }

    /// A dump and its container with the groups that a person has said it may use, now or with a step that stands; what is said
    /// now is a fact that is kept with the next ones.
    private static func claiming(
        _ dump: Dump, _ container: Container, _ facts: Facts, _ file: LedgerFile
    ) throws(WorkspaceError) -> (Dump, Container, Facts) {
        var facts = facts
        for name in [FactName.keychainGroups, .appGroups] { facts[name] = nil }
        let told = try History(file.ledger(of: container.ledgerName).entries()).facts
        let (claimed, seen) = dump.claiming(GroupClaims(told), for: container)
        let now = dump.claims(of: container), all = claimed.claims(of: container)
        if !now.keychain.isEmpty {
            facts[.keychainGroups] = Fact(all.keychain.joined(separator: "\n"), from: "--keychain-group")
        }
        if !now.app.isEmpty { facts[.appGroups] = Fact(all.app.joined(separator: "\n"), from: "--app-group") }
        return (claimed, seen, facts)
    }

    /// Refuses the ledger of another dump: one in which a container is another app's, or that has none of the dump's.
    ///
    /// The metadata of the app is recorded with each entry.
    private static func check(
        _ file: LedgerFile, isOf dump: Dump, _ known: [(container: Container, history: History)]
    ) throws(WorkspaceError) {
        // The store of a lone file goes by what it was opened as.
        if dump.loneFile != nil {
            for (container, history) in known {
                let applied = history.standing.lazy.compactMap { $0.facts[.bundleIdentifier]?.value }.last
                guard let applied, !applied.utf8.elementsEqual(container.identifier.utf8) else { continue }
                throw .fact(.namedOtherwise(applied, opened: container.identifier))
            }
        }
        for (container, history) in known {
            // Another place may name another app where a file has come or gone.
            guard let own = container.facts[.bundleIdentifier], let app = history.app, app.source == own.source,
                !app.value.utf8.elementsEqual(own.value.utf8)
            else { continue }
            throw .foreignLedger(file.path, of: app.value, opened: own.value)
        }
        guard known.allSatisfy({ $0.history.entries.isEmpty }) else { return }
        let names = try file.containers()
        guard !names.isEmpty else { return }
        let own = Set(dump.containers.map(\.ledgerName))
        if names.contains(where: own.contains) { return }
        let apps = try names.map { name throws(WorkspaceError) in
            History(try file.ledger(of: name).entries()).app?.value ?? name.text
        }
        throw .foreignLedger(
            file.path, of: apps.joined(separator: ", "), opened: known.first?.container.identifier ?? dump.path)
    }

    /// The workspace as the last change left it.
    package var snapshot: WorkspaceSnapshot {
        let state = current
        return WorkspaceSnapshot(
            dump: dump, container: container, history: state.session.history, overlay: state.session.overlay,
            stores: state.session.stores, facts: state.facts, access: ledgerFile.access, drift: state.drift ?? [],
            driftIsKnown: state.drift != nil, shared: state.shared,
            outdated: state.outdated.map { $0.union(state.shared.outdated(in: state.session.history)) },
            ledgerPath: ledgerFile.path, ledgerIsStandard: ledgerFile.isStandard, forgotten: state.forgotten,
            changedFacts: state.changedFacts)
    }

    var current: State { state.withLock { $0 } }

    /// What each step of a migration does now.
    package func plan(_ migration: any Migration, profile: Profile) -> Plan {
        snapshot.plan(migration, profile: profile)
    }

    /// Gives a fact, or takes a given one back with `nil`; what the ledger and the dump say then counts again.
    ///
    /// It is remembered: whoever opens the dump with this ledger has it, unless another is given.
    ///
    /// - Parameter source: How it was given, such as `the inspector`.
    /// - Returns: Why it counts only now, where it could not be remembered, or what another program has made of the others.
    /// - Throws: ``WorkspaceError/fact(_:)`` where the text has not the form that the migration asks for, or names the app
    ///   of a lone file, whose store is named after it when it is opened.
    @discardableResult
    package func setFact(
        _ definition: FactDefinition, to text: String?, source: String
    ) throws(WorkspaceError) -> WorkspaceError? {
        let fact = try text.map { text throws(WorkspaceError) in
            guard let value = definition.value(of: text) else {
                throw WorkspaceError.fact(.badForm(text, source: source, definition))
            }
            return Fact(value, from: .given(source))
        }
        if dump.loneFile != nil, definition.name == .bundleIdentifier, let fact,
            !fact.value.utf8.elementsEqual(container.identifier.utf8)
        {
            throw .fact(.onlyAtOpening(definition.name, value: fact.value))
        }
        return changes.withLock { _ in
            var new = state.withLock {
                $0.give(definition.name, fact, of: container)
                return $0
            }
            let problem = remember([definition.name], in: &new)
            state.withLock { $0.takeFacts(of: new, container) }
            return problem
        }
    }

    /// The facts as they would be without some of those that were given; nothing is taken back.
    package func facts(without names: some Sequence<FactName>) -> Facts {
        var state = current
        for name in names { state.give(name, nil, of: container) }
        return state.facts
    }

    /// Keeps facts for the next time, and takes over what another program has kept meanwhile.
    private func remember(_ names: [FactName], in state: inout State) -> WorkspaceError? {
        state.changedFacts = nil
        state.unwritten.formUnion(names)
        if dump.protects(memory.path) {
            return .fact(.notRemembered(memory.path, reason: "would lie in the dump"))
        }
        let kept: Facts
        do throws(WorkspaceError) { kept = try memory.keep(state.unwritten, of: state.remembered) } catch {
            return error
        }
        state.takeOver(kept, from: memory.path)
        state.unwritten = []
        return state.changedFacts
    }

    /// How many steps stand in other containers of the same ledger.
    ///
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where the ledger cannot be read.
    package func standingElsewhere() throws(WorkspaceError) -> [StandingElsewhere] {
        let own = container.ledgerName, byName = dump.byLedgerName
        return try ledgerFile.standing().filter { $0.container != own }.map { name, steps in
            StandingElsewhere(container: byName[name]?.identifier ?? name.text, steps: steps)
        }
    }

    // MARK: Looking again

    /// Looks for files of the dump that are not what they were when standing steps read them; every answer names them.
    ///
    /// Each of the files is read as a whole.
    ///
    /// - Parameters:
    ///   - progress: Called before each file: how many have been read, of how many.
    ///   - isCancelled: Asked before each file whether to stop.
    /// - Throws: ``WorkspaceError/cancelled``.
    @discardableResult
    package func findDrift(
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }, isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) -> [Drift] {
        var new = current, digests = FileDigests(of: dump)
        try new.look(with: &digests, progress: progress, isCancelled: isCancelled)
        state.withLock { state in
            // A change that was made meanwhile has looked for itself.
            if state.session.history.entries.count == new.session.history.entries.count { state.take(new) }
        }
        return new.drift ?? []
    }

    /// The files of a dump that are not what they were when standing steps read them, in whichever container.
    ///
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where the ledger cannot be read.
    package static func drift(of dump: Dump, ledger location: LedgerLocation) throws(WorkspaceError) -> [Drift] {
        let ledger = try LedgerFile(path: try location.path(forDumpAt: dump.path))
        var digests = FileDigests(of: dump)
        var drift: Set<Drift> = [], known: [(container: Container, history: History)] = []
        let containers = dump.byLedgerName
        for standing in try ledger.standing() {
            let history = History(try ledger.ledger(of: standing.container).entries())
            if let container = containers[standing.container] { known.append((container, history)) }
            drift.formUnion(try digests.drift(since: history))
        }
        try check(ledger, isOf: dump, known)
        return drift.sorted { ($0.path, $0.kind.rawValue) < ($1.path, $1.kind.rawValue) }
    }

    /// Takes the right to write to the ledger before there is one; see ``LedgerFile/keep()``.
    package func keepLedger() { ledgerFile.keep() }

    /// Lets go of the right to write to the ledger; for the end of a program.
    package func letGoOfLedger() { ledgerFile.letGo() }

    /// Whether another program has made the ledger, added to it, or let go of it, which ``refresh()`` would take in.
    package var isBehind: Bool { ledgerFile.hasChanged }

    /// Looks whether another program has made the ledger, added to it, or let go of it, and reads it again where it has.
    ///
    /// Where nothing has happened that costs a look at the file's time, so that it may be done often.
    ///
    /// - Returns: Whether the ``snapshot`` is another now; whether there is drift then is unknown.
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where what is there now is not a ledger or is damaged.
    package func refresh() throws(WorkspaceError) -> Bool {
        try changes.withLock { _ throws(WorkspaceError) in try reread() }
    }

    private func reread() throws(WorkspaceError) -> Bool {
        guard try ledgerFile.refresh() else { return false }
        let before = current
        let new = try State(on: container, of: dump, in: ledgerFile, given: before.given, memory, after: before)
        state.withLock { $0 = new }
        return true
    }

    // MARK: Changing

    /// Applies the chosen steps: each that has changes becomes one entry of the ledger.
    ///
    /// - Parameters:
    ///   - selection: Which steps.
    ///   - migration: The migration.
    ///   - profile: Its profile.
    ///   - stamp: Who does it, when, and with what.
    ///   - accepted: The drift that the person has decided to go on in spite of; any other is refused. The entries then
    ///     record the new digests of these files, so that they are no longer named; where no step has changes there is
    ///     no entry, and they still are.
    ///   - assuming: The person has decided to rest on facts that are inferred or assumed; a step that does is blocked
    ///     otherwise.
    ///   - isCancelled: Asked before each step and each file whether to stop.
    /// - Returns: What became of each chosen step, in order.
    /// - Throws: ``WorkspaceError``; the steps before the one that failed stand, and ``WorkspaceError/partly(_:_:)`` names
    ///   them.
    @discardableResult
    package func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        accepting accepted: [Drift] = [], assuming: Bool = false, isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) -> [AppliedStep] {
        try change(isCancelled) { state, digests in
            let found = state.drift ?? []
            try found.refused(but: accepted)
            if case .steps(let names) = selection {
                let facts = migration.factsKnown(in: container, given: state.facts)
                try Self.check(names, in: migration, profile: profile, facts: facts)
            }
            let drifted = digests.recorded(found, since: state.session.history)
            let reread = Reread(of: dump, container)
            // What steps are applied with now is newer than what was given for them before.
            let known = state.facts, entries = state.session.history.entries.count
            let older = state.remembered.names.filter { name in
                guard let fact = state.remembered[name] else { return false }
                return known[name].map(fact.hasSameValue) != true
            }
            defer {
                if !older.isEmpty, state.session.history.entries.count > entries {
                    for name in older { state.remembered[name] = known[name] }
                    _ = remember(older, in: &state)
                }
            }
            return try state.session.apply(
                selection, of: migration, profile: profile, facts: state.facts, stamp: stamp, assuming: assuming,
                origin: state.shared.origin(of: migration.id, in: state.session.history),
                basis: { [shared = state.shared, container] preview in
                    let addresses = preview.reads + preview.changes.map(\.address), listings = preview.listings
                    try reread.check(addresses, listings)
                    // A keychain that comes later is another one to whoever has found none.
                    let isWithout = dump.keychain == nil && addresses.contains { $0.store.kind == .keychain }
                    let files = addresses.flatMap { container.files(behind: $0).map { Name($0.description) } }
                    let names = listings.compactMap { container.file(of: $0).map(NameListing.recorded) }
                    let paths = Set(files + names + drifted + (isWithout ? [FileDigests.keychain] : []))
                    let versions = Dictionary(uniqueKeysWithValues: paths.map { ($0, digests.digest(of: $0)) })
                    // What was read and cannot be read again is another: of an archive that was replaced nothing can.
                    let gone = Set(versions.lazy.filter { $1 == FileDigests.unreadable }.map(\.key))
                    if !gone.isEmpty {
                        let read = addresses.lazy.filter { container.state(at: $0.entry).value != nil }
                            .compactMap { container.file(of: $0).map { Name($0.description) } }
                        let changed = gone.intersection(read).sorted().map { Drift($0, .changed) }
                        if !changed.isEmpty { throw WorkspaceError.changedSinceOpening(changed) }
                    }
                    return (versions, shared.foundations(of: preview))
                }, isCancelled: isCancelled)
        }
    }

    /// Takes standing steps back, the last one first; each becomes one entry of the ledger.
    ///
    /// Drift does not keep anyone from it: taking steps back needs nothing of the dump.
    ///
    /// - Returns: The new entries in order.
    /// - Throws: ``WorkspaceError``; the steps that were taken back before the one that failed stay so, and
    ///   ``WorkspaceError/partly(_:_:)`` names them.
    @discardableResult
    package func rollback(
        _ target: RollbackTarget, stamp: LedgerEntry.Stamp, isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) -> [LedgerEntry] {
        try change(isCancelled) { state, _ in
            try state.session.rollback(
                target, stamp: stamp, isCancelled: isCancelled, check: state.shared.restingCheck())
        }
    }

    private static func check(
        _ names: Set<String>, in migration: any Migration, profile: Profile, facts: Facts
    ) throws(WorkspaceError) {
        let known = migration.steps(profile: profile, facts: facts).map(\.id)
        let unknown = names.subtracting(known).sorted()
        guard unknown.isEmpty else { throw .unknownSteps(unknown, migration: migration.id, known: known) }
    }

    /// Makes one change after the other, each on what the one before it left; what was done before an error stands.
    private func change<Result>(
        _ isCancelled: () -> Bool, _ body: (inout State, inout FileDigests) throws -> Result
    ) throws(WorkspaceError) -> Result {
        try Self.typed(ledgerFile) {
            try changes.withLock { _ in
                state.withLock { $0.changedFacts = nil }
                let seen = current, isOther = try reread()
                if case .readOnly(let reason) = ledgerFile.access { throw WorkspaceError.readOnly(reason) }
                // What the person decided on is not what is there any more; who has only let go of it has changed nothing.
                if isOther, !current.holdsSame(as: seen) {
                    throw WorkspaceError.ledger(ledgerFile.path, .changedByAnother)
                }
                var new = current
                let before = new.session.history.entries.count
                var digests = FileDigests(of: dump)
                try new.look(with: &digests, isCancelled: isCancelled)
                defer {
                    // The steps go on the facts that the person has seen; those that count since count for the next ones.
                    new.takeOver(memory.load(), from: memory.path)
                    new.gatherFacts(of: container)
                    try? new.look(with: &digests, isCancelled: { false })
                    state.withLock { $0 = new }
                }
                do {
                    return try body(&new, &digests)
                } catch {
                    // What the ledger holds counts: an entry may be there although its writing ended with an error.
                    let ledger = ledgerFile.ledger(of: container.ledgerName)
                    let problem = Self.problem(error, ledgerFile)
                    do {
                        new.session = try MigrationSession(stores: new.session.stores, ledger: ledger)
                    } catch {
                        throw WorkspaceError.uncertain(problem, rereading: Self.problem(error, ledgerFile))
                    }
                    let done = new.session.history.entries.dropFirst(before).map(\.step)
                    throw done.isEmpty ? problem : .partly(done, problem)
                }
            }
        }
    }

    private static func typed<Result>(
        _ file: LedgerFile, _ body: () throws -> Result
    ) throws(WorkspaceError) -> Result {
        do { return try body() } catch { throw problem(error, file) }
    }

    private static func problem(_ error: any Error, _ file: LedgerFile) -> WorkspaceError {
        switch error {
        case is CancellationError: .cancelled
        case RollbackError.notApplied(let step): .notApplied(step)
        case RollbackError.ambiguous(let step, let migrations): .ambiguousStep(step, migrations: migrations)
        default: LedgerFile.problem(error, at: file.path)
        }
    }
}

extension History {
    /// The app that the entries are of, as the dump said when they were made.
    fileprivate var app: Fact? {
        let recorded = entries.lazy.compactMap { $0.facts[.bundleIdentifier] }
        return recorded.last { if case .metadata = $0.source { true } else { false } }
    }
}

extension GroupClaims {
    /// What was said with steps, as it is kept with them.
    init(_ facts: Facts) {
        func groups(_ name: FactName) -> [String] { facts[name]?.value.split(separator: "\n").map(String.init) ?? [] }
        self.init(keychain: groups(.keychainGroups), app: groups(.appGroups))
    }
}
