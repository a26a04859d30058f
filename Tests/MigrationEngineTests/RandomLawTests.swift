import Foundation
import StoreFormats
import Testing

@testable import MigrationEngine

/// The laws of the engine on random stores, names, steps, profiles and orders of work, against a naive model.
///
/// Seeds are new in each run and printed; one that fails is told with the shortest work that still fails.
@Suite("Random stores, steps and orders of work")
struct RandomLawTests {
    /// Names among which some differ only in their normalization.
    private static let names: [Name] = ["a", "caf\u{E9}", "cafe\u{301}", "\u{1100}\u{1161}", "\u{AC00}", "b/c", ""]
    private static let stores: [StoreID] = [.defaults("caf\u{E9}"), .defaults("cafe\u{301}"), .files("AppSupport")]

    /// What a step does, as data: so the model can do it too.
    private struct Edit: Sendable {
        var address: Address
        var value: Value?
        /// The fact that the value is made of, where it is not fixed.
        var needsFact = false
    }

    private struct RandomMigration: Migration {
        var edits: [[Edit]]
        let id = "random", title = "Random", summary = "Random steps.", facts: [FactDefinition] = []
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
        case apply(Set<String>, profile: Int, hasFact: Bool)
        case rollBackLast, rollBackAll, reopen

        var description: String {
            switch self {
            case .apply(let steps, let profile, let hasFact):
                "apply \(steps.sorted()) in \(profile)\(hasFact ? "" : " without the fact")"
            case .rollBackLast: "roll back"
            case .rollBackAll: "roll back all"
            case .reopen: "reopen"
            }
        }
    }

    /// Entries by the bytes of their names: the naive model.
    private typealias Contents = [[UInt8]: Value]

    private static func key(_ store: StoreID, _ name: Name) -> [UInt8] {
        Array("\(store.kind)".utf8) + [0] + Array(store.name.utf8) + [0] + Array(name.utf8)
    }

    private static func contents(of reader: some StoreReader) -> Contents {
        var contents: Contents = [:]
        for store in reader.stores {
            for name in reader.keys(in: store).names {
                contents[key(store, name)] = reader.state(of: name, in: store).value
            }
        }
        return contents
    }

    private struct Case {
        var stores: MemoryStores
        var migration: RandomMigration
        var work: [Work]

        init(_ random: inout RandomSource) {
            var contents: [(StoreID, Members)] = []
            for store in RandomLawTests.stores where Bool.random(using: &random) {
                let members = RandomLawTests.names.filter { _ in Bool.random(using: &random) }.map {
                    Member(key: $0, value: .integer(Int128(Int.random(in: 0...3, using: &random))))
                }
                if !members.isEmpty { contents.append((store, Members(members))) }
            }
            stores = MemoryStores(contents)
            migration = RandomMigration(
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
                            Set(chosen), profile: Int.random(in: 0...1, using: &random),
                            hasFact: Bool.random(using: &random)))
                }
            }
        }

        /// What is wrong after which work; `nil` where every law holds.
        func failure() throws -> String? {
            let start = RandomLawTests.contents(of: stores)
            var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
            // The contents after each standing entry, the naive way: a stack.
            var stack = [start]
            for (number, step) in work.enumerated() {
                switch step {
                case .reopen: session = try MigrationSession(stores: stores, ledger: session.ledger)
                case .rollBackLast:
                    try session.rollback(.last, stamp: .test)
                    if stack.count > 1 { stack.removeLast() }
                case .rollBackAll:
                    try session.rollback(.all, stamp: .test)
                    stack = [start]
                case .apply(let chosen, let profileIndex, let hasFact):
                    let profile = migration.profiles[profileIndex]
                    let facts = hasFact ? Facts(["greeting": Fact("hello", from: "test")]) : Facts()
                    let plan = session.plan(migration, profile: profile, facts: facts)
                    let known = chosen.intersection(migration.steps(profile: profile, facts: facts).map(\.id))
                    let applied = try session.apply(
                        .steps(known), of: migration, profile: profile, facts: facts, stamp: .test)
                    for entry in applied.compactMap(\.entry) {
                        guard var contents = stack.last else { return "no contents" }
                        for change in entry.changes {
                            guard let name = change.address.key else { return "a change without a key" }
                            let key = RandomLawTests.key(change.address.store, name)
                            if change.before.value != contents[key] { return "\(number): a wrong image of before" }
                            contents[key] = change.after
                        }
                        stack.append(contents)
                    }
                    if known.count == plan.steps.count {
                        let previewed = plan.steps.filter { $0.outcome.kind == .migrates }.map(\.changes)
                        if previewed != applied.compactMap(\.entry).map(\.changes) {
                            return "\(number): what is applied is not what was previewed"
                        }
                    }
                }
                if RandomLawTests.contents(of: session.overlay) != stack.last {
                    return "\(number) (\(step)): what is seen is not what the model has"
                }
                if session.history.standing.count != stack.count - 1 { return "\(number): other steps stand" }
            }
            try session.rollback(.all, stamp: .test)
            return RandomLawTests.contents(of: session.overlay) == start && session.overlay.editedStores.isEmpty
                ? nil : "rolled back, it is not what it was"
        }

        /// The shortest work and the fewest edits that still fail.
        func shrunk() throws -> Case {
            var smallest = self, isSmaller = true
            while isSmaller {
                isSmaller = false
                for index in smallest.work.indices {
                    var candidate = smallest
                    candidate.work.remove(at: index)
                    if try candidate.failure() != nil { (smallest, isSmaller) = (candidate, true); break }
                }
                for step in smallest.migration.edits.indices where !isSmaller {
                    for edit in smallest.migration.edits[step].indices {
                        var candidate = smallest
                        candidate.migration.edits[step].remove(at: edit)
                        if try candidate.failure() != nil { (smallest, isSmaller) = (candidate, true); break }
                    }
                }
            }
            return smallest
        }
    }

    /// SplitMix64.
    private struct RandomSource: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    @Test(
        "Preview = applied, rolled back = untouched, and what is seen is what a naive model has, in any order of work")
    func laws() throws {
        let first = UInt64.random(in: 0...UInt64(UInt32.max))
        print("random laws: seeds \(first) to \(first + 499)")
        for seed in first..<first + 500 {
            var random = RandomSource(state: seed)
            let found = Case(&random)
            guard let failure = try found.failure() else { continue }
            let smallest = try found.shrunk()
            Issue.record("seed \(seed): \(failure); smallest: \(smallest.work) on \(smallest.migration.edits)")
            return
        }
    }
}
