import Foundation
import StoreFormats
import TestSupport
import Testing

@testable import MigrationEngine
@testable import Workspace

/// The laws of the engine on random stores, names, steps, profiles and orders of work, against a naive model.
///
/// Seeds are new in each run and printed; one that fails is told with the shortest work that still fails.
@Suite("Random stores, steps and orders of work")
struct RandomLawTests {
    /// Names among which some differ only in their normalization.
    private static let names: [Name] = ["a", "caf\u{E9}", "cafe\u{301}", "\u{1100}\u{1161}", "\u{AC00}", "b/c", ""]
    /// A file has a name.
    private static func names(in store: StoreID) -> [Name] { names.filter { store.kind != .file || !$0.text.isEmpty } }
    private static let stores: [StoreID] = [.defaults("caf\u{E9}"), .defaults("cafe\u{301}"), .files("AppSupport")]

    /// What a step does, as data: so the model can do it too.
    private struct Edit: Sendable {
        var address: Address
        var value: Value?
        /// The fact that the value is made of, where it is not fixed.
        var needsFact = false
    }

    private struct RandomMigration: Migration {
        let id: String
        var edits: [[Edit]]
        let title = "Random", summary = "Random steps.", facts: [FactDefinition] = []
        let profiles = [Profile(id: "one", summary: "first"), Profile(id: "two", summary: "second")]

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { (RandomLawTests.stores, []) }

        func steps(profile: Profile, facts: Facts) -> [Step] {
            edits.indices.map { index in
                Step(id: "s\(index)", title: "s\(index)", sources: [], rule: "random") {
                    [edits = edits[index]] transaction, facts throws(StepStop) in
                    for edit in edits {
                        guard var value = edit.value else {
                            transaction.remove(edit.address, rule: "random")
                            continue
                        }
                        if edit.needsFact { value = .string(try facts.text("greeting") + profile.id) }
                        try transaction.write(value, to: edit.address, rule: "random", policy: .replaceExisting)
                    }
                }
            }
        }
    }

    /// One thing that a person does.
    private enum Work: CustomStringConvertible {
        case apply(Set<String>, of: Int, profile: Int, hasFact: Bool)
        case rollBackLast, rollBackAll, reopen

        var description: String {
            switch self {
            case .apply(let steps, let migration, let profile, let hasFact):
                "apply \(steps.sorted()) of \(migration) in \(profile)\(hasFact ? "" : " without the fact")"
            case .rollBackLast: "roll back"
            case .rollBackAll: "roll back all"
            case .reopen: "reopen"
            }
        }
    }

    /// Stores some of which cannot be read as a whole, and some entries of which cannot.
    private struct TroubledStores: StoreReader {
        var memory: MemoryStores
        var unreadable: Set<Address>
        /// Those that cannot be read as a whole: they have no keys, and of any entry nobody knows.
        var closed: Set<StoreID>

        var stores: [StoreID] { memory.stores + closed.filter { !memory.contains($0) } }
        func problem(with store: StoreID) -> Unreadable? {
            closed.contains(store) ? Unreadable(.locked, "it is locked") : nil
        }
        func keys(in store: StoreID) -> any KeyList { closed.contains(store) ? Keys() : memory.keys(in: store) }

        func state(of key: Name, in store: StoreID) -> EntryState {
            if let problem = problem(with: store) { return .unreadable(problem) }
            return unreadable.contains(Address(store: store, key: key))
                ? .unreadable(Unreadable(.corrupt, "it is broken")) : memory.state(of: key, in: store)
        }
    }

    /// What is under a name, where something is.
    private enum Held: Equatable {
        case value(Value), unreadable

        var value: Value? { if case .value(let value) = self { value } else { nil } }
    }

    /// Entries by the bytes of their names.
    private typealias Contents = [[UInt8]: Held]

    /// What is seen, told from the edits alone: the naive model.
    private struct Model {
        struct Standing {
            var migration: String, profile: String, step: String
            var writes: [[UInt8]: Value?]
            var contents: Contents
        }

        let start: Contents
        /// What stands, each with the contents after it: a stack.
        var standing: [Standing] = []
        var contents: Contents { standing.last?.contents ?? start }

        /// What the chosen steps make one after the other, those that make something.
        func taking(
            _ chosen: Set<String>, of migration: RandomMigration, in profile: String, hasFact: Bool
        ) -> [Standing] {
            let mine = standing.filter { ($0.migration, $0.profile) == (migration.id, profile) }
            var results: [[UInt8]: Value?] = [:]
            for known in mine { results.merge(known.writes) { $1 } }
            var contents = contents, made: [Standing] = []
            for (index, edits) in migration.edits.enumerated() where chosen.contains("s\(index)") {
                // A step that stands, and whose results are seen or were taken further, is not taken again.
                let isDone = mine.last { $0.step == "s\(index)" }?.writes.allSatisfy { key, after in
                    contents[key]?.value == after || contents[key]?.value == results[key] ?? after
                }
                if isDone ?? false { continue }
                guard let after = Self.after(edits, on: contents, profile: profile, hasFact: hasFact) else { continue }
                var writes: [[UInt8]: Value?] = [:]
                for key in Set(after.keys).union(contents.keys) where after[key] != contents[key] {
                    writes.updateValue(after[key]?.value, forKey: key)
                }
                if writes.isEmpty { continue }
                contents = after
                made.append(
                    Standing(
                        migration: migration.id, profile: profile, step: "s\(index)", writes: writes, contents: after))
            }
            return made
        }

        /// The contents after edits; `nil` where one of them cannot be made: then none is.
        private static func after(_ edits: [Edit], on before: Contents, profile: String, hasFact: Bool) -> Contents? {
            var contents = before
            for edit in edits {
                guard let name = edit.address.key, RandomLawTests.names(in: edit.address.store).contains(name) else {
                    return nil
                }
                let key = RandomLawTests.key(edit.address.store, name)
                guard let fixed = edit.value else {
                    contents[key] = nil
                    continue
                }
                if edit.needsFact && !hasFact || contents[key] == .unreadable { return nil }
                contents[key] = .value(edit.needsFact ? .string("hello" + profile) : fixed)
            }
            return contents
        }
    }

    /// What an engine's change makes of each entry.
    private static func writes(_ changes: [Change]) -> [[UInt8]: Value?] {
        var writes: [[UInt8]: Value?] = [:]
        for change in changes {
            writes.updateValue(change.after, forKey: key(change.address.store, change.address.key ?? "no key"))
        }
        return writes
    }

    private static func key(_ store: StoreID, _ name: Name) -> [UInt8] {
        Array("\(store.kind)".utf8) + [0] + Array(store.name.utf8) + [0] + Array(name.utf8)
    }

    private static func contents(of reader: some StoreReader) -> Contents {
        var contents: Contents = [:]
        for store in RandomLawTests.stores {
            for name in RandomLawTests.names {
                switch reader.state(of: name, in: store) {
                case .absent: break
                case .present(let value): contents[key(store, name)] = .value(value)
                case .unreadable: contents[key(store, name)] = .unreadable
                }
            }
        }
        return contents
    }

    /// The entries that are listed, of the stores that can be.
    private static func listed(by reader: some StoreReader) -> Set<[UInt8]> {
        Set(
            RandomLawTests.stores.filter { reader.problem(with: $0) == nil }.flatMap { store in
                reader.keys(in: store).names.map { key(store, $0) }
            })
    }

    private struct Case {
        var stores: TroubledStores
        var migrations: [RandomMigration]
        var work: [Work]

        init(_ random: inout SeededGenerator) {
            var contents: [(StoreID, Members)] = []
            for store in RandomLawTests.stores where Bool.random(using: &random) {
                let members = RandomLawTests.names(in: store).filter { _ in Bool.random(using: &random) }.map {
                    Member(key: $0, value: .integer(Int128(Int.random(in: 0...3, using: &random))))
                }
                if !members.isEmpty { contents.append((store, Members(members))) }
            }
            let addresses = contents.flatMap { store, members in members.map { Address(store: store, key: $0.key) } }
            stores = TroubledStores(
                memory: MemoryStores(contents),
                unreadable: Set(addresses.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }),
                closed: Set(RandomLawTests.stores.filter { _ in Int.random(in: 0..<8, using: &random) == 0 }))
            migrations = ["random", "other"].map { id in
                RandomMigration(
                    id: id,
                    edits: (0..<Int.random(in: 1...4, using: &random)).map { _ in
                        (0..<Int.random(in: 1...4, using: &random)).map { _ in
                            Edit(
                                address: Address(
                                    store: RandomLawTests.stores[Int.random(in: 0..<3, using: &random)],
                                    key: RandomLawTests.names[Int.random(in: 0..<7, using: &random)]),
                                value: Bool.random(using: &random)
                                    ? nil : .integer(Int128(Int.random(in: 0...3, using: &random))),
                                needsFact: Int.random(in: 0..<5, using: &random) == 0)
                        }
                    })
            }
            work = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: work.append(.rollBackLast)
                case 1: work.append(.rollBackAll)
                case 2: work.append(.reopen)
                default:
                    let chosen = (0..<4).filter { _ in Bool.random(using: &random) }.map { "s\($0)" }
                    work.append(
                        .apply(
                            Set(chosen), of: Int.random(in: 0...1, using: &random),
                            profile: Int.random(in: 0...1, using: &random), hasFact: Bool.random(using: &random)))
                }
            }
        }

        /// What is wrong after which work; `nil` where every law holds.
        ///
        /// - Parameters:
        ///   - isKept: Whether a ledger is handed on where the session is opened anew.
        ///   - open: Opens a ledger, from the one that is handed on.
        func failure<Log: Ledger>(keeping isKept: Bool, open: (Log?) throws -> Log) throws -> String? {
            var model = Model(start: RandomLawTests.contents(of: stores))
            var current: MigrationSession<Log>? = try MigrationSession(stores: stores, ledger: open(nil))
            for (number, step) in work.enumerated() {
                if case .reopen = step {
                    let kept = isKept ? current?.ledger : nil
                    // A file of its own is let go of before it is opened again.
                    current = nil
                    current = try MigrationSession(stores: stores, ledger: open(kept))
                }
                var session = try #require(current)
                defer { current = session }
                switch step {
                case .reopen: break
                case .rollBackLast:
                    try session.rollback(.last, stamp: .test)
                    _ = model.standing.popLast()
                case .rollBackAll:
                    try session.rollback(.all, stamp: .test)
                    model.standing = []
                case .apply(let chosen, let which, let profileIndex, let hasFact):
                    let migration = migrations[which], profile = migration.profiles[profileIndex]
                    let facts = hasFact ? Facts(["greeting": Fact("hello", from: "test")]) : Facts()
                    let all = Set(migration.edits.indices.map { "s\($0)" })
                    let plan = session.plan(migration, profile: profile, facts: facts)
                    let previewed = plan.steps.filter { $0.outcome.kind == .migrates }
                    let planned = model.taking(all, of: migration, in: profile.id, hasFact: hasFact)
                    guard previewed.map(\.id) == planned.map(\.step),
                        previewed.map({ RandomLawTests.writes($0.changes) }) == planned.map(\.writes)
                    else { return "\(number) (\(step)): the plan is not what the model makes" }
                    let applied = try session.apply(
                        .steps(chosen.intersection(all)), of: migration, profile: profile, facts: facts, stamp: .test
                    ).compactMap(\.entry)
                    let made = model.taking(chosen, of: migration, in: profile.id, hasFact: hasFact)
                    guard applied.map(\.step) == made.map(\.step),
                        applied.map({ RandomLawTests.writes($0.changes) }) == made.map(\.writes)
                    else { return "\(number) (\(step)): what is applied is not what the model makes" }
                    if chosen.isSuperset(of: all), applied.map(\.changes) != previewed.map(\.changes) {
                        return "\(number): what is applied is not what was previewed"
                    }
                    model.standing += made
                }
                if RandomLawTests.contents(of: session.overlay) != model.contents {
                    return "\(number) (\(step)): what is seen is not what the model has"
                }
                let listed = RandomLawTests.listed(by: session.overlay),
                    open = RandomLawTests.stores.filter {
                        stores.problem(with: $0) == nil
                    }
                let held = open.flatMap { store in
                    RandomLawTests.names.map { RandomLawTests.key(store, $0) }.filter { model.contents[$0] != nil }
                }
                if listed != Set(held) { return "\(number) (\(step)): what is listed is not what there is" }
                if session.history.standing.map(\.step) != model.standing.map(\.step) {
                    return "\(number): other steps stand"
                }
            }
            var session = try #require(current)
            try session.rollback(.all, stamp: .test)
            return RandomLawTests.contents(of: session.overlay) == model.start && session.overlay.editedStores.isEmpty
                ? nil : "rolled back, it is not what it was"
        }

        /// The shortest work and the fewest edits that still fail.
        func shrunk(where fails: (Case) throws -> Bool) throws -> Case {
            var smallest = self, isSmaller = true
            while isSmaller {
                isSmaller = false
                for index in smallest.work.indices {
                    var candidate = smallest
                    candidate.work.remove(at: index)
                    if try fails(candidate) { (smallest, isSmaller) = (candidate, true); break }
                }
                for which in smallest.migrations.indices {
                    for step in smallest.migrations[which].edits.indices where !isSmaller {
                        for edit in smallest.migrations[which].edits[step].indices {
                            var candidate = smallest
                            candidate.migrations[which].edits[step].remove(at: edit)
                            if try fails(candidate) { (smallest, isSmaller) = (candidate, true); break }
                        }
                    }
                }
            }
            return smallest
        }
    }

    /// Looks for a case that fails, and tells the smallest one like it.
    private func check(_ count: Int, failure: @escaping (Case) throws -> String?) throws {
        let first = UInt64.random(in: 0...UInt64(UInt32.max))
        print("random laws: seeds \(first) to \(first + UInt64(count) - 1)")
        for seed in first..<first + UInt64(count) {
            var random = SeededGenerator(seed: seed)
            let found = Case(&random)
            guard let problem = try failure(found) else { continue }
            let smallest = try found.shrunk { try failure($0) != nil }
            Issue.record(
                """
                seed \(seed): \(problem); smallest: \(smallest.work) on \(smallest.migrations.map(\.edits)), unreadable \
                \(smallest.stores.unreadable), closed \(smallest.stores.closed)
                """)
            return
        }
    }

    @Test(
        "Preview = applied, rolled back = untouched, and what is seen is what a naive model has, in any order of work")
    func laws() throws {
        try check(500) { try $0.failure(keeping: true) { (kept: MemoryLedger?) in kept ?? MemoryLedger() } }
    }

    @Test("The same with a ledger on disk, which is opened anew")
    func lawsOnDisk() throws {
        let folder = try TemporaryFolder()
        var number = 0
        try check(25) { found in
            number += 1
            let path = folder("ledger-\(number)")
            return try found.failure(keeping: false) { (_: SQLiteLedger?) in
                try LedgerFile(path: path).ledger(of: "app")
            }
        }
    }
}
