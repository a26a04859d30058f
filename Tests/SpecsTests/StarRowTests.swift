import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("Rows with a star")
struct StarRowTests: TriedRows {
    @Test("A star stands for normalization twins one by one, and one of them that is excepted leaves the other")
    func starOfTwins() throws {
        let one = "caf\u{E9}", other = "cafe\u{301}"
        func applied(_ except: String) throws -> [Value?] {
            var tried = try Tried(
                Specs.spec("- {id: star, from: app/p.*, \(except)to: app/q.*, source: remove}", Self.head),
                [(Self.key("p.\(one)"), .integer(1)), (Self.key("p.\(other)"), .integer(2))])
            try tried.applyAll()
            return [tried[Self.key("q.\(one)")], tried[Self.key("q.\(other)")]]
        }
        #expect(try applied("") == [.integer(1), .integer(2)])
        #expect(try applied("except: [app/p.\(one)], ") == [nil, .integer(2)])
    }

    @Test(
        "What another app's step has left so is not taken away: of what a star fits it is left and told, and the others are taken",
        arguments: [
            ("- {id: r, from: app/x.*, to: o/x.*, source: remove}", ["x.2", "x.2"]),
            ("- {id: r, from: app/x.*, to: o/x.*, source: discard}", ["x.2", "x.2"]),
            ("- {id: a, from: app/x.*, to: o/x.*}\n- {id: r, remove: [app/x.*]}", ["x.2"]),
        ])
    func starOfHeld(steps: String, changed: [String]) throws {
        var memory = MemoryStores()
        memory[.defaults("com.acme.notes")] = ["x.1": .integer(1), "x.2": .integer(2)]
        var stores = Overlay(memory)
        let entry = Address.defaults("com.acme.notes", "x.1")
        stores.apply(
            Change(address: entry, before: .absent, after: .integer(1), from: [], rule: ""), holding: "it is another's")
        let migration = SpecMigration(
            try Specs.spec(steps, "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new}"))
        let plan = Plan(
            of: migration, profile: try migration.profile(named: nil), facts: Facts(), stores: stores,
            history: History(), check: {})
        let step = try #require(plan.steps.last)
        #expect(step.outcome.kind == .migrates, "\(step.outcome)")
        #expect(step.changes.compactMap(\.address.key?.text) == changed)
        #expect(step.changes.first?.notes.contains { $0.contains("\(entry)") } == true, "\(step.changes)")
    }

    @Test("Of what a star fits one that fails is left and told, and nothing of it is written; the others are taken")
    func starOfFailures() throws {
        let rows = """
            - {id: num, from: app/n.*, type: string, do: [number], to: app/m.*, source: remove}
            - {id: two, from: app/p.*, type: dictionary, to: {a: app/q.*, b: app/r.*}}
            - {id: gone, remove: ["app/p.*"]}
            """
        let entries: [(String, Value)] = [
            ("n.a", .string("1")), ("n.b", .string("x")), ("n.c", .string("3")), ("m.c", .integer(4)),
            ("p.1", .dictionary(["a": .integer(1), "b": .integer(2)])), ("p.2", .dictionary(["a": .integer(3)])),
        ].map { (Self.key($0), $1) }
        var tried = try tried(rows, entries)
        let steps = try tried.plan().steps
        #expect(steps.map(\.outcome.kind) == [.migrates, .migrates, .migrates])
        #expect(steps.map(\.outcome.isPartial) == [true, true, false])
        let left =
            "2 of 3 are left, and the others are taken: \(Self.key("n.b")) (not-a-number), \(Self.key("n.c")) (target-differs)"
        #expect(steps[0].outcome.reason?.sentence == left)
        #expect(steps[0].changes.map(\.address.description) == [Self.key("m.a"), Self.key("n.a")])
        #expect(steps[0].changes.first?.notes == [left])
        #expect(steps[1].changes.map(\.address.description) == [Self.key("q.1"), Self.key("r.1")], "nothing of p.2")
        #expect(steps[2].changes.map(\.address.description) == [Self.key("p.1")])
        #expect(steps[2].changes.first?.notes == ["\(Self.key("p.2")) stays, as nothing has taken it on"])
        try tried.applyAll()
        #expect(try tried.plan().summary[.failed] == 2, "a part of two of them was left")
        #expect(tried[Self.key("m.a")] == .integer(1) && tried[Self.key("n.a")] == nil)
        #expect(tried[Self.key("n.b")] != nil && tried[Self.key("n.c")] != nil && tried[Self.key("m.c")] == .integer(4))
        try tried.rollback()
        for (key, value) in entries { #expect(tried[key] == value) }
        #expect(tried[Self.key("m.a")] == nil)
        let behind = "\n- {id: then, from: app/n.b, to: app/then, after: [num]}"
        var waiting = try self.tried(rows + behind, entries)
        for _ in 1...2 {
            #expect(try waiting.outcome("then")?.reason?.code == "earlier-steps-first")
            let taken = try waiting.applyAll()
            #expect(taken.map(\.outcome.isPartial) == [true, true, false, false], "\(taken.map(\.outcome))")
            #expect(taken.last?.outcome.kind == .blocked, "also once the others are applied")
        }
    }

    @Test("Where nothing that a star fits is changed, one that fails fails the row; a fact that is missing blocks it")
    func starOfNothing() throws {
        let tried = try tried(
            "- {id: num, from: app/n.*, type: string, do: [number], to: app/m.*}\n"
                + "- {id: fact, from: app/n.*, to: \"app/o.{build}.*\"}",
            [
                (Self.key("n.a"), .string("1")), (Self.key("m.a"), .integer(1)), (Self.key("n.b"), .string("x")),
                (Self.key("n.c"), .string("y")),
            ], Self.head + "\nfacts: {build: {type: name}}")
        let steps = try tried.plan().steps
        #expect(steps[0].outcome.kind == .failed && steps[0].outcome.reason?.code == "not-a-number")
        #expect(steps[0].outcome.reason?.sentence.hasSuffix("; 1 more of 3") == true)
        #expect(steps[1].outcome.kind == .blocked && steps[1].outcome.reason?.missingFacts == ["build"])
    }

    @Test("error: skip with a star names what it passes over, also where nothing is changed")
    func starOfSkipped() throws {
        let row = "- {id: num, from: app/n.*, type: string, do: [number], to: app/m.*, error: skip}"
        let entries: [(String, Value)] = [("n.a", .string("1")), ("n.b", .string("x"))].map { (Self.key($0), $1) }
        let named = "1 of 2 is left, as error: skip says: \(Self.key("n.b")) (not-a-number)"
        let step = try #require(try tried(row, entries).plan().steps.first)
        #expect(step.outcome == .migrates && step.changes.map(\.notes) == [[named]])
        let unchanged = try tried(row, entries + [(Self.key("m.a"), .integer(1))]).outcome("num")
        #expect(unchanged == Outcome(.unchanged, Reason("left", named)))
        let none = try tried(row, [(Self.key("n.b"), .string("x")), (Self.key("n.c"), .string("y"))]).outcome("num")
        #expect(none?.kind == .skipped && none?.reason?.sentence.hasPrefix("2 of 2 are left") == true)
    }

    @Test(
        "A folder in place of a file that a star fits is left as what has failed; where names may end in anything it is left, with a word"
    )
    func starOfFolders() throws {
        let tree = try TemporaryFolder()
        try tree.write("Library/Preferences/com.acme.notes.plist", Data("<plist><dict/></plist>".utf8))
        try tree.write("Documents/a.one", Data("1".utf8))
        try tree.write("Library/Preferences/st.one.plist", Data("<plist><dict><key>k</key><true/></dict></plist>".utf8))
        try tree.write("Library/Preferences/st.two.plist/inside", Data())
        for name in ["b.one", "b.two"] { try tree.write("Documents/\(name)/inside", Data()) }
        let head = "stores: {doc: file://Documents}"
        func plan(_ row: String) throws -> PlannedStep {
            let type = row.hasPrefix("remove") ? "" : "type: data, "
            let migration = SpecMigration(try Specs.spec("- {id: star, \(type)\(row)}", head))
            let container = try #require(try Dump.open(tree.path).containers.first)
            let plan = Plan(
                of: migration, profile: migration.profiles[0],
                facts: Facts([.bundleIdentifier: Fact("com.acme.notes", from: "the test")]),
                stores: container, history: History([]), check: {})
            return try #require(plan.steps.first)
        }
        let failed = try plan("from: doc/*.one, to: doc/*.new").outcome
        #expect(failed.isPartial && failed.reason?.sentence.contains("b.one") == true, "\(failed)")
        #expect(try plan("from: doc/b.*ne, to: doc/b.*new").outcome.kind == .failed)
        #expect(try plan("from: doc/*.one, except: [doc/b.*], to: doc/*.new").outcome.kind == .migrates)
        let left = try plan("from: doc/a.*, to: doc/c.*")
        #expect(left.outcome.kind == .migrates && left.changes.flatMap(\.notes).isEmpty)
        let noted = try plan("from: doc/*, to: doc/new/*").changes.flatMap(\.notes)
        #expect(noted == ["file://Documents/b.one and 1 other are no file, and left"], "\(noted)")
        let domain = try plan("from: 'defaults://st.*/k', to: 'defaults://new.*/k'").outcome
        #expect(domain.kind == .failed && domain.reason?.sentence.contains("st.two") == true, "\(domain)")
        let aside = try plan("from: doc/b.one, error: aside, to: doc/c.one").outcome
        #expect(aside.kind == .failed, "what cannot be read cannot be moved aside: \(aside)")
        let none = try plan("from: doc/b.*, to: doc/c.*").outcome.reason?.sentence ?? ""
        #expect(none.contains("there is nothing at") && none.contains("b.one and 1 other are no file"), "\(none)")
        #expect(none.contains("file://Documents/b.*"), "a spec's own name for a store says nothing to others: \(none)")
        let given = try plan("from: 'defaults://{bundleIdentifier}.x/n.*', to: doc/c.*").outcome.reason?.sentence
        #expect(given?.contains("defaults://com.acme.notes.x/n.*") == true, "a fact that was given: \(given ?? "")")
        let same = try plan("from: doc/*, if: value is absent, to: doc/new/*, exists: keep").outcome
        #expect(same.kind == .skipped, "\(same)")
        try tree.write("Documents/n/a.one", Data("1".utf8))
        let unchanged = try plan("from: doc/*, to: doc/n/*").outcome
        #expect(
            unchanged
                == Outcome(.unchanged, Reason("left", "file://Documents/b.one and 2 others are no file, and left")))
        let removal = try plan("remove: [doc/a*], unmigrated: remove").changes
        #expect(removal.map(\.notes) == [["nothing has taken it on, and it would be lost"]])
        try tree.write("Documents/a.folder/inside", Data())
        let folder = try plan("remove: [doc/a*], unmigrated: remove").changes.flatMap(\.notes)
        #expect(folder.contains("file://Documents/a.folder is no file, and left"), "\(folder)")
    }

    @Test("A source that a star shares goes once it has arrived for one match, whichever", arguments: ["y_1", "y_2"])
    func sharedSource(occupied: String) throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: r, from: {a: app/x_*, s: app/s}, to: {a: app/y_*, s: app/z_*}, exists: keep, source: remove}",
                "stores: {app: defaults://a}"),
            [
                ("defaults://a/x_1", .string("1")), ("defaults://a/x_2", .string("2")),
                ("defaults://a/s", .string("S")),
                ("defaults://a/\(occupied.replacing("y", with: "z"))", .string("other")),
            ])
        try tried.applyAll()
        #expect(tried["defaults://a/s"] == nil)
        #expect(["1", "2"].count { tried["defaults://a/z_\($0)"] == .string("S") } == 1)
        try tried.rollback()
        #expect(tried["defaults://a/s"] == .string("S"))
    }
}
