import Foundation
import MigrationEngine
import Specs
import StoreFormats
import Testing

@testable import Reports

@Suite("Every value of the migration's stores is counted with its fate")
struct ValueCountsTests {
    private func counts(
        _ steps: String, _ texts: [String: String], numbers: [String: Int] = [:], others: [String: Value] = [:]
    ) throws -> (ValueCounts, Plan) {
        let text = "vestige: migration/1\nid: t\nstores: {app: defaults://com.acme.notes}\nsteps:\n\(steps)\n"
        let migration = SpecMigration(try Spec(Data(text.utf8)))
        var stores = MemoryStores()
        stores[.defaults("com.acme.notes")] = Members(
            (texts.mapValues(Value.string).map { $0 } + numbers.mapValues { Value.integer(Int128($0)) } + others)
                .sorted { $0.key < $1.key }.map { Member(key: Name($0.key), value: $0.value) })
        let plan = Plan(
            of: migration, profile: try migration.profile(named: nil), facts: Facts(), stores: stores,
            history: History(), check: {})
        return (ValueCounts(plan, in: stores), plan)
    }

    @Test("of a star each that is there already, fails, is in conflict or goes on")
    func star() throws {
        let (counts, _) = try counts(
            "- {id: r, from: app/f.*, type: string, do: [number], to: app/g.*}",
            ["f.a": "1", "f.b": "x", "f.c": "3", "f.d": "4", "f.e": "5", "z": "Z"],
            numbers: ["g.c": 5, "g.d": 4, "g.e": 5])
        #expect(counts[.effect(.converted)] == 1)
        #expect(counts[.held(.failed)] == 1)
        #expect(counts[.held(.conflict)] == 1)
        #expect(counts[.held(.unchanged)] == 2)
        #expect(counts[.untouched] == 1)
        for kind in [Outcome.Kind.failed, .conflict, .unchanged] { #expect(counts.isHeld(kind, by: "r"), "\(kind)") }
        #expect(!counts.isHeld(.skipped, by: "r"))
    }

    @Test("of a star of which all is there already, or nothing can be taken", arguments: ["there", "taken"])
    func whole(_ case: String) throws {
        let isThere = `case` == "there"
        let (counts, _) = try counts(
            "- {id: r, from: app/f.*, to: app/g.*}",
            ["f.a": "1", "f.b": "2", "f.c": "3", "g.a": "1", "g.b": isThere ? "2" : "x", "g.c": isThere ? "3" : "y"])
        #expect(counts[.held(.unchanged)] == (isThere ? 3 : 1))
        #expect(counts[.held(.conflict)] == (isThere ? 0 : 2))
        #expect(counts[.untouched] == 0)
    }

    @Test("of several sources the one whose target keeps what it has, and no target that stands already is untouched")
    func several() throws {
        let row = "- {id: r, from: {a: app/x, b: app/y}, to: {a: app/n, b: app/m}"
        let (kept, _) = try counts("\(row), exists: keep}", ["x": "X", "y": "Y", "n": "N"])
        #expect(kept[.effect(.carried)] == 1)
        #expect(kept[.held(.skipped)] == 1)
        #expect(kept[.untouched] == 0)
        let (stopped, _) = try counts("\(row)}", ["x": "X", "y": "Y", "n": "N"])
        #expect(stopped[.held(.conflict)] == 2)
        for end in ["}", ", source: remove}"] {
            let (there, _) = try counts(row + end, ["x": "X", "y": "Y", "n": "X", "m": "Y"])
            #expect(there[.held(.unchanged)] == 2)
            #expect(there[.untouched] == 0)
        }
    }

    @Test("one that is kept out of a field, and not what holds the field")
    func conflictInField() throws {
        let (counts, _) = try counts(
            "- {id: r, from: app/n, to: \"app/d#/k\"}", ["n": "N"], others: ["d": .dictionary([("k", .string("K"))])])
        #expect(counts[.held(.conflict)] == 1)
    }

    @Test("as steps were applied, also where that is in another order than theirs")
    func otherOrder() throws {
        let text =
            "vestige: migration/1\nid: t\nstores: {app: defaults://com.acme.notes}\nsteps:\n"
            + "- {id: r, from: app/c, to: app/a}\n- {id: s, from: app/a, to: app/b, source: remove}\n"
        let migration = SpecMigration(try Spec(Data(text.utf8))), profile = try migration.profile(named: nil)
        var stores = MemoryStores()
        stores[.defaults("com.acme.notes")] = ["a": .string("A"), "c": .string("C")]
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        for step in ["s", "r"] {
            try session.apply(
                .steps([step]), of: migration, profile: profile, facts: Facts(),
                stamp: LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "", toolVersion: ""))
        }
        let counts = ValueCounts(session.plan(migration, profile: profile, facts: Facts()), in: stores)
        #expect(counts[.effect(.carried)] == 2, "\(counts)")
    }

    @Test("a removal that waits for a step which could not go on counts nothing beside that")
    func waitingRemoval() throws {
        let (counts, _) = try counts(
            "- {id: r, from: app/a, to: app/t}\n- {id: s, from: app/n, to: app/m, source: remove}\n"
                + "- {id: all, remove: every source}", ["a": "A", "t": "T", "n": "N"])
        #expect(counts[.held(.conflict)] == 1 && counts[.held(.blocked)] == 0 && counts[.effect(.carried)] == 1)
    }

    @Test("what a step has left is left still once the step is applied")
    func applied() throws {
        let text =
            "vestige: migration/1\nid: t\nstores: {app: defaults://com.acme.notes}\nsteps:\n"
            + "- {id: r, from: app/f.*, type: string, do: [number], to: app/g.*, source: remove}\n"
            + "- {id: k, from: {a: app/x, b: app/y}, to: {a: app/n, b: app/m}, exists: keep}\n"
        let migration = SpecMigration(try Spec(Data(text.utf8))), profile = try migration.profile(named: nil)
        var stores = MemoryStores()
        stores[.defaults("com.acme.notes")] = Members(
            ["f.a": "1", "f.b": "x", "f.c": "3", "g.c": "y", "n": "N", "x": "X", "y": "Y", "z": "Z"].map {
                Member(key: $0, value: .string($1))
            })
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        func counts() -> ValueCounts {
            ValueCounts(session.plan(migration, profile: profile, facts: Facts()), in: session.overlay)
        }
        let fates: [ValueCounts.Fate] = [
            .held(.failed), .held(.conflict), .held(.skipped), .effect(.converted), .effect(.carried), .untouched,
        ]
        let before = counts()
        #expect(fates.map { before[$0] } == [1, 1, 1, 1, 1, 1])
        let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "me", toolVersion: "1")
        try session.apply(.all, of: migration, profile: profile, facts: Facts(), stamp: stamp)
        let after = counts()
        #expect(fates.map { after[$0] } == fates.map { before[$0] })
    }
}
