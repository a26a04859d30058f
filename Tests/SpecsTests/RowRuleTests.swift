import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("What rows promise")
struct RowRuleTests {
    static let head =
        "stores: {app: defaults://com.acme.notes, state: \"defaults://com.acme.notes/state#/\"}"
    static func key(_ name: String) -> String { "defaults://com.acme.notes/\(name)" }

    private func tried(_ steps: String, _ entries: [(String, Value)], _ head: String = head) throws -> Tried {
        try Tried(Specs.spec(steps, head), entries)
    }

    // MARK: Form

    static let members = Value.dictionary([("a", .integer(1))])

    @Test(
        "In place or beside, a change of the form alone is a change where the row ends in a form, and done once",
        arguments: [
            ("type: keyed-archive dictionary, do: [{encode: json}]", "keyed-archive", "a"),
            ("type: json dictionary, do: [{encode: property-list}]", "json", "a"),
            (
                "type: keyed-archive dictionary, do: [{encode: json}], to: app/b, exists: overwrite", "keyed-archive",
                "b"
            ),
            ("type: property-list dictionary, do: [{encode: json}, {encode: utf8}]", "property-list", "a"),
        ])
    func form(keys: String, form: String, target: String) throws {
        let old = try #require(Form(rawValue: form)).encode(Self.members)
        var tried = try tried("- {id: row, from: app/a, \(keys)}", [(Self.key("a"), old), (Self.key("b"), old)])
        #expect(try tried.outcome("row")?.kind == .migrates)
        try tried.applyAll()
        let new = try #require(tried[Self.key(target)])
        #expect(new != old)
        #expect(new.decoded()?.value == Self.members)
        #expect(try tried.outcome("row")?.kind == .unchanged)
        // Also where no ledger says so.
        let again = try self.tried(
            "- {id: row, from: app/c, \(keys)}".replacing("}]}", with: "}], to: app/\(target), exists: overwrite}"),
            [(Self.key("c"), old), (Self.key(target), new)])
        if !keys.contains("to:") { #expect(try again.outcome("row")?.kind == .unchanged) }
    }

    @Test("The same JSON with other spaces is no other form")
    func spaces() throws {
        let tried = try tried(
            "- {id: row, from: app/a, type: json dictionary, do: [{encode: json}]}",
            [(Self.key("a"), .string(#"{ "a": 1 }"#))])
        #expect(try tried.outcome("row")?.kind == .unchanged)
    }

    // MARK: What is told

    @Test("The rule says what is checked")
    func checkInRule() throws {
        let plan = try tried(
            "- {id: row, from: app/a, type: integer, check: [value is above 0, value is at most 10], to: app/b}",
            [(Self.key("a"), .integer(3))]
        ).plan()
        #expect(plan.steps[0].rule.contains("failed unless value is above 0 and value is at most 10"))
    }

    @Test("What of a star is left by the row's own words is named beside what is taken")
    func leftOfStar() throws {
        let rows = "- {id: row, from: app/a.*, type: string, if: value is not empty, to: app/b.*, exists: keep}"
        let entries = [("a.x", "one"), ("a.y", ""), ("a.z", "two"), ("b.z", "three")].map {
            (Self.key($0.0), Value.string($0.1))
        }
        let step = try #require(try tried(rows, entries).plan().steps.first)
        #expect(step.outcome.kind == .migrates && !step.outcome.isPartial)
        let notes = step.changes.flatMap(\.notes)
        #expect(
            notes == [
                "2 of 3 are left, as the row says: \(Self.key("a.y")) (condition-not-met), "
                    + "\(Self.key("a.z")) (target-kept)"
            ], "\(notes)")
    }

    // MARK: What is dropped

    @Test(
        "What an operation drops is told: the value is changed, a note says why, and a source that goes is dropped",
        arguments: [
            ("[first]", Value.array([.string("a"), .string("b")]), "the other item is dropped"),
            ("[keys]", .dictionary([("a", .integer(1))]), "the values are dropped"),
            ("[{round: down}]", .real(12.7), "the fraction is dropped"),
            ("[{table: {a: 1}, else: 9}]", .string("z"), "else stands for it"),
            ("[{split: {at: \" \", into: [a, b]}}, {pick: a}]", .string("Ada King"), "a part of the value is dropped"),
            ("[{each: [{round: down}]}]", .array([.real(1.5)]), "the fraction is dropped"),
            ("[{scale: {times: 1.0}}]", .integer(9_007_199_254_740_993), "keeps 53 bits"),
            ("[text, {number: real}]", .integer(18_446_744_073_709_551_615), "keeps 53 bits"),
        ])
    func drops(operations: String, value: Value, note: String) throws {
        let rows = "- {id: row, from: app/a, do: \(operations), to: app/b, source: remove}"
        let step = try #require(try tried(rows, [(Self.key("a"), value)]).plan().steps.first)
        #expect(step.changes.map(\.effect) == [.changed, .dropped])
        #expect(step.effects[.dropped] == 1)
        #expect(step.changes.first?.notes.contains { $0.contains(note) } == true, "\(step.changes.first?.notes ?? [])")
        let removal = "- {id: row, from: app/a, do: \(operations), to: app/b}\n- {id: gone, remove: app/a}"
        let steps = try tried(removal, [(Self.key("a"), value)]).plan().steps
        #expect(steps.last?.changes.map(\.effect) == [.dropped])
    }

    @Test(
        "An operation that drops nothing of this value says nothing",
        arguments: [
            ("[first]", Value.array([.string("a")])), ("[{round: down}]", .real(12)),
            ("[{table: {a: 1}, else: 9}]", .string("a")), ("[{scale: {times: 1.0}}]", .integer(5)),
            ("[text, {number: real}]", .integer(5)),
            ("[{split: {at: \" \", into: [a, b]}}, {fill: \"{b} {a}\"}]", .string("a b")),
        ])
    func keeps(operations: String, value: Value) throws {
        let rows = "- {id: row, from: app/a, do: \(operations), to: app/b, source: remove}"
        let step = try #require(try tried(rows, [(Self.key("a"), value)]).plan().steps.first)
        #expect(step.changes.map(\.effect) == [.converted, .carried])
        #expect(step.effects[.dropped] == 0)
    }

    @Test("What has no target is dropped, and so is a source of several that is not taken on, unless it is kept")
    func others() throws {
        let split = try tried(
            "- {id: row, from: app/a, do: [{split: {at: \" \", into: [p, q]}}], to: {p: app/x}, source: remove}",
            [(Self.key("a"), .string("Ada King"))])
        #expect(try split.plan().steps.first?.changes.last?.effect == .dropped)
        for (source, lost) in [("remove", [Self.key("b")]), ("keep", [])] {
            let both = try tried(
                "- {id: row, from: {p: app/a, q: app/b}, do: [{pick: p}], to: app/c, source: \(source)}",
                [(Self.key("a"), .integer(1)), (Self.key("b"), .integer(2))])
            #expect(try both.plan().steps.first?.changes.first?.dropped.map(\.description) == lost)
        }
    }

    @Test("A source of which one row takes a part and another the whole is not dropped by the removal")
    func whole() throws {
        let rows = """
            - {id: part, from: app/a, do: [first], to: app/b}
            - {id: all, from: app/a, to: app/c}
            - {id: gone, remove: every source}
            """
        let steps = try tried(rows, [(Self.key("a"), .array([.integer(1), .integer(2)]))]).plan().steps
        #expect(steps.last?.changes.map(\.effect) == [.carried])
    }

    // MARK: fill, fields, after

    @Test("fill takes {value} of a single value, and any other name only of a dictionary")
    func fill() throws {
        #expect(
            Specs.problems(
                ofSteps: "- {from: app/a, type: string, do: [{fill: \"https://host/{userId}\"}], to: app/b}", Self.head
            ).map(\.code) == [.operand])
        let rows = "- {id: row, from: app/a, do: [{fill: \"https://host/{userId}/{x}\"}], to: app/b}"
        #expect(try tried(rows, [(Self.key("a"), .string("u-42"))]).outcome("row")?.reason?.code == "field-missing")
        let single = "- {id: row, from: app/a, type: string, do: [{fill: \"a/{value}\"}], to: app/b}"
        #expect(try tried(single, [(Self.key("a"), .string("u"))]).outcome("row")?.kind == .migrates)
    }

    @Test(
        "A field is removed also where the target lies in the same entry, but never the target or what holds it",
        arguments: [
            ("app/state#/old", "app/state#/new", #"{"new":"5"}"#), ("state/old", "state/new", #"{"new":"5"}"#),
            ("app/state#/old", "app/state#/old", #"{"old":"5"}"#),
        ])
    func field(from: String, to: String, result: String) throws {
        var tried = try tried(
            "- {id: row, from: \"\(from)\", do: [text], to: \"\(to)\", source: remove, exists: overwrite}",
            [(Self.key("state"), .string(#"{"old":5}"#))])
        #expect(try tried.plan().steps.first?.changes.map(\.effect) == [.converted])
        try tried.applyAll()
        #expect(tried[Self.key("state")] == .string(result))
        #expect(try tried.outcome("row")?.kind == .unchanged)
        try tried.rollback()
        #expect(tried[Self.key("state")] == .string(#"{"old":5}"#))
    }

    @Test("A step that comes after one that failed, or that waits for that, is blocked; after a skipped one it is not")
    func after() throws {
        let rows = """
            - {id: p, from: app/a, type: string, do: [number], to: app/p}
            - {id: q, from: app/a, to: app/q, after: [p]}
            - {id: r, from: app/a, to: app/r, after: [q]}
            - {id: none, from: app/none, to: app/n}
            - {id: s, from: app/a, to: app/s, after: [none]}
            """
        var tried = try tried(rows, [(Self.key("a"), .string("x"))])
        let steps = try tried.plan().steps
        #expect(steps.map(\.outcome.kind) == [.failed, .blocked, .blocked, .skipped, .migrates])
        #expect(steps[1].outcome.reason?.code == "earlier-steps-first")
        try tried.applyAll()
        #expect(tried[Self.key("q")] == nil)
        #expect(tried[Self.key("s")] == .string("x"))
    }

    // MARK: Facts

    @Test(
        "A fact that somebody gave, or that the stores tell, is not made up; a draw, a default and an assumption are",
        arguments: [
            (FactSource.given("--fact"), "{type: string}", ValueEffect.carried),
            (.inferred("defaults://a/b"), "{type: string}", .carried),
            (.metadata("Info.plist"), "{type: string}", .carried),
            (.assumed("nothing says so"), "{type: string}", .madeUp),
            (.drawn("new"), "{type: uuid, fresh: true}", .madeUp),
            (.ledger(entry: 1), "{type: string}", .carried), (.ledger(entry: 1), "{type: uuid, fresh: true}", .madeUp),
        ])
    func said(source: FactSource, definition: String, effect: ValueEffect) throws {
        let spec = try Specs.spec(
            "- {id: a, from: fact/key, to: app/a}\n- {id: b, value: '{key}', to: app/b}\n- {id: c, value: x, to: app/c}",
            Self.head + "\nfacts: {key: \(definition)}")
        var tried = try Tried(spec, [])
        tried.facts["key"] = Fact("9B574574-74A7-4EDF-969D-164CB151B6C3", from: source)
        let changes = try tried.plan().steps.flatMap(\.changes)
        #expect(changes.map(\.effect) == [effect, effect, .madeUp])
        #expect(changes.map(\.placeholders.isEmpty) == [effect == .carried, effect == .carried, false])
    }

    // MARK: A spec that was edited

    @Test("Steps that were applied by other rules are told, with the rule that they were applied by; others are not")
    func edited() throws {
        func rows(_ factor: Int) -> String {
            """
            - {id: big, from: app/a, type: integer, do: [{scale: {times: \(factor)}}], to: app/b}
            - {id: same, from: app/a, to: app/c}
            """
        }
        var tried = try tried(rows(1000), [(Self.key("a"), .integer(5))])
        try tried.applyAll()
        #expect(try tried.plan().departures.isEmpty)
        let edited = SpecMigration(try Specs.spec(rows(2000), Self.head))
        let plan = tried.session.plan(edited, profile: edited.profiles[0], facts: tried.facts)
        #expect(plan.departures == [.steps(["big"])])
        #expect(plan.steps.map(\.outcome.kind) == [.unchanged, .unchanged])
        #expect(plan.steps[0].rule.contains("times 1000"))
        #expect(plan.steps[0].departure?.contains("times 2000") == true)
        #expect(plan.steps[1].departure == nil)
        let shorter = SpecMigration(try Specs.spec("- {id: same, from: app/a, to: app/c}", Self.head))
        let without = tried.session.plan(shorter, profile: shorter.profiles[0], facts: tried.facts)
        #expect(without.departures == [.formerSteps(["big"])], "a step that is no more")
        #expect(without.steps.map(\.id) == ["same", "big"])
        #expect(
            without.steps[1].appliedOtherwise == "it stands as earlier rules have made it; those of now do not have it")
    }

    @Test("What a step has done that the profile, or the migration as it is now, does not have counts as what it did")
    func former() throws {
        let head = Self.head + "\nprofiles: {one: first, two: {about: second, like: one}}"
        let row = "- {id: b, from: app/list, type: array, do: [first], to: app/item, source: remove, only: [two]}"
        var tried = try Tried(
            Specs.spec("- {id: a, from: app/a, to: app/c}\n\(row)", head),
            [(Self.key("a"), .integer(5)), (Self.key("list"), .array([.integer(1), .integer(2)]))])
        try tried.applyAll(profile: "two")
        let two = try tried.plan("two"), one = try tried.plan("one")
        let edited = SpecMigration(try Specs.spec("- {id: a, from: app/a, to: app/c}", Self.head))
        let without = tried.session.plan(edited, profile: edited.profiles[0], facts: tried.facts)
        for plan in [one, without] {
            #expect(plan.steps.map(\.id) == ["a", "b"] && plan.steps.map(\.isFormer) == [false, true])
            #expect(plan.steps[1].status == .applied && plan.steps[1].changes == two.steps[1].changes)
            #expect(plan.effects == two.effects && plan.effects[.dropped] == 1)
            #expect(plan.untouched == 0 && plan.pending.isEmpty)
        }
        #expect(one.steps[1].otherProfile == "two" && one.departures == [.profile(applied: "two")])
        try tried.rollback()
        #expect(try tried.plan("one").steps.map(\.id) == ["a"])
    }

    @Test("A step that two profiles have applied, each in its way, is told of by a row for each, whichever is in view")
    func formerOfTwo() throws {
        let head = Self.head + "\nprofiles: {one: first, two: second, three: third}"
        let row =
            "- {id: b, from: app/l, type: array, do: [first], to: app/n, only: [two, three], "
            + "in-profile: {three: {from: app/m, to: app/o}}}"
        let lists = ["l", "m"].map { (Self.key($0), Value.array([.integer(1), .integer(2)])) }
        var tried = try Tried(Specs.spec("- {id: a, from: app/a, to: app/c}\n\(row)", head), lists)
        for profile in ["two", "three"] { try tried.applyAll(profile: profile) }
        for (profile, ids) in [
            ("one", ["a", "b#1", "b#2"]), ("two", ["a", "b", "b#2"]), ("three", ["a", "b", "b#1"]),
        ] {
            let plan = try tried.plan(profile)
            #expect(plan.steps.map(\.id) == ids, "\(profile)")
            #expect(plan.effects[.changed] + plan.effects[.converted] == 2 && plan.untouched == 0, "\(profile)")
        }
    }

    @Test("A step that was applied more than once is told of by a row for each time")
    func appliedTwice() throws {
        var tried = try tried(
            """
            - {id: move, from: app/n.1, to: app/old, source: remove}
            - {id: back, from: app/q, to: app/m.1, source: remove}
            - {id: star, from: app/m.*, to: app/n.*, source: remove}
            """, [(Self.key("m.1"), .integer(1)), (Self.key("m.2"), .integer(2)), (Self.key("q"), .integer(3))])
        try tried.apply(["star"])
        try tried.applyAll()
        let plan = try tried.plan()
        #expect(plan.steps.map(\.id) == ["move", "back", "star", "star#1"])
        #expect(plan.steps.map(\.changes.count) == [2, 2, 2, 4] && plan.untouched == 0 && plan.pending.isEmpty)
        #expect(plan.steps[3].appliedOtherwise == "it was applied more than once, and this stands too")
        try tried.session.rollback(RollbackTarget(parsing: plan.steps[3].id), stamp: Tried.stamp)
        #expect(try tried.plan().steps.map(\.status) == [.rolledBack, .rolledBack, .applied, .applied])
    }

    @Test("What an applied step has read is told as it was then, though a later one has written something else there")
    func readBefore() throws {
        var tried = try tried(
            "- {id: one, from: app/a, to: app/old, source: remove}\n- {id: two, from: app/b, to: app/a, source: remove}",
            [(Self.key("a"), .string("A")), (Self.key("b"), .string("B"))])
        try tried.applyAll()
        let plan = try tried.plan(), address = try Address(parsing: Self.key("a"))
        #expect(tried[Self.key("a")] == .string("B"))
        #expect(plan.steps[0].storesBefore(tried.session.overlay).state(at: address) == .present(.string("A")))
        #expect(plan.steps[1].storesBefore(tried.session.overlay).state(at: address) == .absent)
    }

    @Test("A removal takes nothing of which a step that is no more, or another profile's, has taken on a part alone")
    func removalOfFormer() throws {
        let head = Self.head + "\nprofiles: {one: first, two: second}"
        let pick = "{id: p, from: app/d, type: dictionary, do: [{pick: k}], to: app/x, only: [one]}"
        let removal = "{id: r, remove: [app/d], unmigrated: keep"
        let value = Value.dictionary([("k", .integer(1)), ("z", .integer(2))])
        var tried = try Tried(
            Specs.spec("- \(pick)\n- \(removal), only: [two]}", head), [(Self.key("d"), value)])
        try tried.applyAll(profile: "one")
        let shorter = SpecMigration(try Specs.spec("- \(removal)}", Self.head))
        for plan in [
            try tried.plan("two"), tried.session.plan(shorter, profile: shorter.profiles[0], facts: tried.facts),
        ] {
            #expect(plan.steps[0].id == "r" && plan.pending.isEmpty, "\(plan.steps[0].outcome)")
            let why = plan.steps[0].outcome.reason?.sentence ?? ""
            #expect(why.contains("steps that this profile does not have had to do with"), "\(why)")
        }
    }

    @Test(
        "Of rows that rely on each other's copy of a part the last one says that it drops it",
        arguments: [
            "{id: r, from: app/d, type: dictionary, do: [{remove: [z]}]}",
            "{id: r, from: app/d, type: dictionary, do: [{pick: k}], to: app/y, source: remove}",
            "{id: r, from: app/b, to: app/d, exists: overwrite}",
        ])
    func copiesOfEachOther(last: String) throws {
        let copy = "- {id: p, from: app/d, to: app/x}\n"
        let edit = "- {id: q, from: app/x, type: dictionary, do: [{remove: [z]}]}\n- "
        let entries: [(String, Value)] = [
            (Self.key("d"), .dictionary(["k": "K", "z": "Z"])), (Self.key("b"), .string("B")),
        ]
        func dropped(_ steps: String, applying: Bool = false) throws -> [String: Bool] {
            var tried = try tried(steps, entries)
            if applying {
                try tried.apply(["p"])
                try tried.apply(["q"])
            }
            return Dictionary(
                try tried.plan().steps.map { step in
                    (step.id, step.changes.contains { !$0.dropped.isEmpty || $0.effect == .dropped })
                }, uniquingKeysWith: { first, _ in first })
        }
        for applying in [false, true] {
            #expect(try dropped(copy + edit + last, applying: applying)["r"] == true)
        }
        #expect(try dropped(copy + edit + last)["q"] == false, "the other copy has it still")
        #expect(try dropped(copy + "- " + last) == ["p": false, "r": false], "the copy keeps it")
    }

    @Test("A part that came to another part of its entry, by another entry, is not lost with the first one")
    func partElsewhereInItsEntry() throws {
        let tried = try tried(
            "- {id: r, from: \"app/a#/z\", to: app/c}\n"
                + "- {id: b, from: app/c, to: \"app/a#/w\", source: remove}\n"
                + "- {id: rm, remove: [\"app/a#/z\"], unmigrated: keep}",
            [(Self.key("a"), .dictionary(["k": "K", "z": "Z"]))])
        let last = try #require(try tried.plan().steps.last)
        #expect(last.outcome.kind == .migrates && last.changes.allSatisfy { $0.dropped.isEmpty }, "\(last)")
    }

    @Test(
        "A removal leaves the last copy of a value, whichever it was made from",
        arguments: [
            [
                "{id: q, from: app/b, to: app/a, exists: keep}",
                "{id: p, from: app/a, to: app/b, exists: keep, source: remove}", "{id: rm, remove: [app/b]}",
            ],
            [
                "{id: p, from: app/a, to: app/b, exists: keep}", "{id: q, from: app/b, to: app/a, exists: keep}",
                "{id: rm, remove: [app/a, app/b]}",
            ],
        ])
    func lastCopy(steps: [String]) throws {
        var tried = try tried(
            steps.map { "- \($0)" }.joined(separator: "\n"),
            [(Self.key("a"), .string("ONLY")), (Self.key("b"), .string("ONLY"))])
        try tried.applyAll()
        #expect(tried[Self.key("a")] == .string("ONLY") || tried[Self.key("b")] == .string("ONLY"))
    }

    @Test("What a row drops is dropped though another profile has read it, unless it stands elsewhere still")
    func dropsOfOthers() throws {
        let head = Self.head + "\nprofiles: {one: first, two: second}", value = Value.dictionary(["k": "K", "z": "Z"])
        let picked = "{id: w, from: app/d, type: dictionary, do: [{pick: k}], to: app/y, source: remove, only: [two]}"
        for (row, drops) in [("do: [{pick: z}], ", true), ("", false)] {
            let other = "{id: p, from: app/d, type: dictionary, \(row)to: app/x, only: [one]}"
            var tried = try Tried(Specs.spec("- \(other)\n- \(picked)", head), [(Self.key("d"), value)])
            try tried.applyAll(profile: "one")
            let step = try #require(try tried.plan("two").steps.first { $0.id == "w" })
            let isDropped = step.changes.contains { !$0.dropped.isEmpty || $0.effect == .dropped }
            #expect(isDropped == drops, "\(step.changes)")
        }
    }

    @Test("A fact that a step was applied with departs only where the step asks for it")
    func otherFact() throws {
        let spec = try Specs.spec(
            "- {id: a, from: app/a, to: app/b}\n- {id: c, value: '{key}', to: app/c}",
            Self.head + "\nfacts: {key: {type: string}}")
        var tried = try Tried(spec, [(Self.key("a"), .integer(5))], facts: ["key": "1"])
        func departures(_ key: String) throws -> [Departure] {
            var other = tried
            other.facts["key"] = Fact(key, from: "the test")
            return try other.plan().departures
        }
        try tried.session.apply(
            .steps(["a"]), of: tried.migration, profile: tried.migration.profiles[0], facts: tried.facts,
            stamp: Tried.stamp)
        #expect(try departures("2").isEmpty)
        try tried.applyAll()
        #expect(try departures("1").isEmpty)
        #expect(try departures("2").count == 1)
    }

    @Test("Where the dump has changed, that a step makes something else says nothing of its rules; their words do")
    func editedOrDrifted() throws {
        func spec(_ factor: Int) throws -> Spec {
            let scale = "do: [{scale: {times: \(factor)}}]"
            return try Specs.spec("- {id: big, from: app/a, type: integer, \(scale), to: app/b}", Self.head)
        }
        var tried = try Tried(try spec(1000), [(Self.key("a"), .integer(5))])
        try tried.applyAll()
        let history = tried.session.history, all = Set(history.entries.map(\.number))
        let changed = MemoryStores([(.defaults("com.acme.notes"), ["a": .integer(6)])])
        func plan(_ factor: Int, _ outdated: Set<Int>?) throws -> Plan {
            let migration = SpecMigration(try spec(factor))
            return Plan(
                of: migration, profile: migration.profiles[0], facts: tried.facts, stores: changed, history: history,
                outdated: outdated, check: {})
        }
        #expect(try plan(1000, []).departures == [.steps(["big"])])
        #expect(try plan(1000, all).departures.isEmpty)
        #expect(try plan(2000, all).departures == [.steps(["big"])])
        let unknown = try plan(1000, nil)
        #expect(unknown.departures.isEmpty && unknown.departuresAreUndecided)
        #expect(try !plan(1000, all).departuresAreUndecided)
    }

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

    @Test(
        "Items of a list that one step takes away are those that were read, whatever their order",
        arguments: [
            "- {id: a, from: {first: \"app/l#/0\", third: \"app/l#/2\"}, to: app/x, source: remove}",
            "- {id: a, from: \"app/l#/0\", to: app/x}\n- {id: b, from: \"app/l#/2\", to: app/y}\n"
                + "- {id: c, remove: [\"app/l#/0\", \"app/l#/2\"]}",
        ])
    func items(steps: String) throws {
        let list = Value.array(["a", "b", "c", "d"].map(Value.string))
        for stored in [list, .string(#"["a","b","c","d"]"#)] {
            var tried = try tried(steps, [(Self.key("l"), stored)])
            try tried.applyAll()
            let left = try #require(tried[Self.key("l")])
            #expect(left.decoded()?.value ?? left == .array([.string("b"), .string("d")]), "\(left)")
        }
    }

    @Test("A number that JSON writes in a form of its own is its 64 bits in an entry, and as written in a document")
    func longNumbers() throws {
        let written = #"{"lat":37.774929999999998,"pi":3.14159265358979323846,"e":1e3}"#
        let rows = """
            - {id: lat, from: "app/j#/lat", to: app/lat}
            - {id: all, from: app/j, type: json dictionary, to: app/all}
            - {id: part, from: "app/j#/pi", to: "app/part#/pi"}
            - {id: text, from: "app/j#/pi", to: "app/doc#/pi"}
            """
        var tried = try tried(
            rows,
            [
                (Self.key("j"), .string(written)), (Self.key("part"), .dictionary(["a": .integer(1)])),
                (Self.key("doc"), .string("{}")),
            ])
        try tried.applyAll()
        #expect(tried[Self.key("lat")] == .real(37.77493))
        #expect(tried[Self.key("all")]?.members?["e"] == .real(1000))
        #expect(tried[Self.key("part")]?.members?["pi"] == .real(.pi))
        #expect(tried[Self.key("doc")]?.string?.contains("3.14159265358979323846") == true)
        #expect(try tried.plan().steps.allSatisfy { $0.outcome.kind == .unchanged }, "it is the same once more")
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

    @Test("A row that waits for several facts names all of them, but what may be missing")
    func severalMissingFacts() throws {
        let tried = try tried(
            "- {id: both, from: {a: fact/one, b: app/a, c: fact/two, d: fact/three}, optional: [d], to: app/b}",
            [(Self.key("a"), .string("1"))],
            Self.head + "\nfacts: {one: {type: string}, two: {type: string}, three: {type: string}}")
        let outcome = try #require(try tried.outcome("both"))
        #expect(outcome.kind == .blocked && outcome.reason?.missingFacts == ["one", "two"], "\(outcome)")
        #expect(outcome.reason?.sentence == "one and two are not known")
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

    @Test(
        "An item that is overwritten by the same secret is read when the row says, and one that is not overwritten as before"
    )
    func accessible() throws {
        func item(_ code: String) -> Value {
            KeychainItem(text: "secret", attributes: Members([Member(key: "pdmn", value: .string(code))])).value
        }
        let place = "keychain://svc/ada"
        func row(_ more: String) throws -> Spec {
            try Specs.spec("- {id: a, from: \(place), type: text, to: {at: \(place), accessible: always}\(more)}")
        }
        var tried = try Tried(try row(", exists: overwrite"), [(place, item("ck"))])
        #expect(try tried.outcome("a")?.kind == .migrates)
        try tried.applyAll()
        #expect(tried[place] == item("dk"))
        #expect(try Tried(try row(", exists: overwrite"), [(place, item("dk"))]).outcome("a")?.kind == .unchanged)
        #expect(try Tried(try row(", exists: keep"), [(place, item("ck"))]).outcome("a")?.kind != .migrates)
    }

    @Test("What an item of the keychain that holds the value already has otherwise than the row would make it is told")
    func heldOtherwise() throws {
        func item(_ code: String, _ group: String = "T1.app") -> Value {
            KeychainItem(text: "secret", attributes: ["pdmn": .string(code), "agrp": .string(group)]).value
        }
        let old = "keychain://old/ada", new = "keychain://new/ada"
        for (more, held, says) in [
            ("accessible: after-first-unlock", item("ak"), "can be read when-unlocked, not after-first-unlock"),
            ("group: T1.shared", item("ck"), "in the access group T1.app, not T1.shared"),
            ("group: T1.app", item("ak"), "can be read when-unlocked, where its source can be after-first-unlock"),
            ("accessible: after-first-unlock", item("ck"), nil),
        ] as [(String, Value, String?)] {
            for rest in ["", ", source: remove"] {
                let spec = try Specs.spec("- {id: a, from: \(old), to: {at: \(new), \(more)}\(rest)}")
                let step = try #require(try Tried(spec, [(old, item("ck")), (new, held)]).plan().steps.first)
                let told = [step.outcome.reason?.sentence].compactMap(\.self) + step.changes.flatMap(\.notes)
                #expect(step.outcome.kind == (rest.isEmpty ? .unchanged : .migrates))
                #expect(says.map { says in told.contains { $0.contains(says) } } ?? told.isEmpty, "\(told)")
                if rest.isEmpty { #expect(step.outcome.reason?.code == says.map { _ in "held-otherwise" }) }
            }
        }
    }

    @Test(
        "An item that goes into an access group that no item of the dump is in says so",
        arguments: ["T1.app", "T9.none"])
    func unknownGroup(group: String) throws {
        let old = "keychain://old/ada", item = KeychainItem(text: "secret", attributes: ["agrp": "T1.app"]).value
        let spec = try Specs.spec("- {id: a, from: \(old), to: {at: keychain://new/ada, group: \(group)}}")
        let notes = try Tried(spec, [(old, item)]).plan().steps[0].changes.flatMap(\.notes)
        #expect(notes.contains { $0.contains("access group \(group)") } == (group == "T9.none"), "\(notes)")
    }

    @Test("Of several targets only that one is made up which gets what nobody entered")
    func madeUpMember() throws {
        let app = "defaults://com.acme.notes/"
        let spec = try Specs.spec(
            "- {id: a, from: \(app)name, do: [{split: {at: \" \", into: [first, last], missing: \"?\"}}], "
                + "to: {first: \(app)first, last: \(app)last}}")
        let changes = try Tried(spec, [(app + "name", .string("Ada"))]).plan().steps[0].changes
        #expect(changes.map(\.placeholders) == [[], [JSONPointer()]])
        #expect(changes.map(\.effect) == [changes[0].effect, .madeUp] && changes[0].effect != .madeUp)
    }

    @Test("A dictionary of UserDefaults has no order: what differs in that alone is there already, at any depth")
    func order() {
        let left: Value = .dictionary([("a", .integer(1)), ("b", .dictionary([("c", .bool(true)), ("d", .null)]))])
        let right: Value = .dictionary([("b", .dictionary([("d", .null), ("c", .bool(true))])), ("a", .integer(1))])
        let place = Address.defaults("com.acme.notes", "k")
        #expect(left.isSame(as: right, in: place) && Value.array([left]).isSame(as: .array([right]), in: place))
        let other: Value = .dictionary([("b", .null), ("a", .integer(1))])
        #expect(!left.isSame(as: other, in: place))
        #expect(!Value.array([.integer(1), .integer(2)]).isSame(as: .array([.integer(2), .integer(1)]), in: place))
    }

    @Test("A row that goes to the place where it is read from works in place, and is in no conflict with that")
    func toItsSource() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: r, from: app/a, type: string, do: [{table: {x: z}}], to: app/a}", "stores: {app: defaults://a}"),
            [("defaults://a/a", .string("x"))])
        try tried.applyAll()
        #expect(tried["defaults://a/a"] == .string("z"))
        try tried.rollback()
        #expect(tried["defaults://a/a"] == .string("x"))
    }

    @Test(
        "A row in place that has a default gives it to what is not there, and one that only has a type is in place too",
        arguments: ["", ", to: app/lang"])
    func defaultInPlace(to: String) throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: r, from: app/lang, default: EN, do: [{table: {EN: en, DE: de}}]\(to)}\n"
                    + "- {id: t, from: app/n, type: flag, to: app/n}", "stores: {app: defaults://a}"),
            [("defaults://a/n", .integer(1))])
        let changes = try tried.plan().steps.map { $0.changes.first }
        #expect(changes[0]?.effect == .madeUp && changes[1]?.after == .bool(true), "\(changes)")
        try tried.applyAll()
        #expect(tried["defaults://a/lang"] == .string("en"))
        try tried.rollback()
        #expect(tried["defaults://a/lang"] == nil && tried["defaults://a/n"] == .integer(1))
    }

    @Test("What a row reads beside others and puts nowhere stays, and no target is told as made from it")
    func stays() throws {
        let tried = try Tried(
            Specs.spec(
                "- {id: r, from: {a: app/x, b: app/y, c: app/z}, to: {a: app/n, b: app/m}}",
                "stores: {app: defaults://a}"),
            ["x", "y", "z"].map { ("defaults://a/\($0)", .string($0)) })
        let step = try #require(try tried.plan().steps.first)
        #expect(step.changes.map { $0.from.map { "\($0)" } } == [["defaults://a/x"], ["defaults://a/y"]])
        #expect(step.left.map { "\($0.place)" } == ["defaults://a/z"])
    }

    @Test("What one member of a row loses is told of the target that it goes to, and of no other")
    func lossOfOneMember() throws {
        let tried = try Tried(
            Specs.spec(
                "- {id: r, from: {a: app/x, b: app/y}, do: [{in: {b: [{round: nearest}]}}], to: {a: app/n, b: app/m}}",
                "stores: {app: defaults://a}"),
            [("defaults://a/x", .string("A")), ("defaults://a/y", .real(Real(2.7)))])
        let changes = try tried.plan().changes
        #expect(changes.map(\.effect) == [.carried, .changed] && changes[0].notes == [] && changes[1].notes != [])
    }

    @Test("Facts that somebody has given are nobody's invention, also where one target takes several")
    func factsTogether() throws {
        let spec = try Specs.spec(
            "- {id: r, from: {a: fact/one, b: fact/two}, to: app/m}",
            "facts: {one: {type: string}, two: {type: string}}\nstores: {app: defaults://a}")
        let tried = try Tried(spec, [], facts: ["one": "1", "two": "2"])
        #expect(try tried.plan().changes.map(\.effect) == [.carried])
    }

    @Test(
        "A conflict is one still when a later step that was applied has taken its source away, also of a star",
        arguments: [("app/c", "app/a", "app/b"), ("app/c*", "app/a*", "app/b*")])
    func conflictStill(from: String, to: String, other: String) throws {
        let key = from.hasSuffix("*") ? "1" : ""
        var tried = try Tried(
            Specs.spec(
                "- {id: one, from: \(from), to: \(to)}\n- {id: two, from: \(from), to: \(other), source: remove}",
                "stores: {app: defaults://a}"),
            [("defaults://a/a\(key)", .string("A")), ("defaults://a/c\(key)", .string("C"))])
        try tried.applyAll()
        let outcome = try #require(try tried.outcome("one"))
        #expect(outcome.kind == .conflict && outcome.reason?.sentence.contains("two has taken it away since") == true)
        #expect(try tried.plan().steps.first?.conflict?.after == .string("C"))
    }

    @Test(
        "A step that failed has failed still when a later one has overwritten or taken away its source, also with a default",
        arguments: [
            ("{id: two, value: 5, to: app/c, exists: overwrite}", "overwritten it since"),
            ("{id: two, remove: [app/c], unmigrated: remove}", "taken it away since"),
        ], ["", ", default: 7"])
    func failedStill(later: (step: String, says: String), placeholder: String) throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: one, from: app/c, type: integer, to: app/n\(placeholder)}\n- \(later.step)",
                "stores: {app: defaults://a}"),
            [("defaults://a/c", .string("x"))])
        for _ in 1...2 { try tried.applyAll() }
        let outcome = try #require(try tried.outcome("one"))
        #expect(outcome.kind == .failed && outcome.reason?.sentence.contains(later.says) == true, "\(outcome)")
        #expect(tried["defaults://a/n"] == nil)
    }

    @Test("A step that earlier ones let go on has not failed, whatever a later one has made of its source since")
    func letGoOn() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: zero, from: app/c, if: [value is string], type: string, do: [number]}\n"
                    + "- {id: one, from: app/c, type: integer, to: app/n}\n- {id: two, value: 5, to: app/c, exists: overwrite}",
                "stores: {app: defaults://a}"),
            [("defaults://a/c", .string("12"))])
        try tried.apply(["zero", "two"])
        #expect(try tried.outcome("one")?.kind == .migrates)
    }

    @Test("What an earlier step takes away that is applied later is made again, as the next start would")
    func madeAgain() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: mv, from: app/n, to: app/old, source: remove}\n- {id: s, from: app/a, to: app/n}",
                "stores: {app: defaults://a}"),
            [("defaults://a/a", .string("A"))])
        for _ in 1...2 { try tried.applyAll() }
        #expect(tried["defaults://a/n"] == .string("A") && tried["defaults://a/old"] == .string("A"))
    }

    @Test("One of several sources is changed where it stands, and another is put there", arguments: ["n", "m"])
    func toOneOfItsSources(name: String) throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: r, from: [app/n, app/m], type: string, do: [trim], to: app/n}", "stores: {app: defaults://a}"),
            [("defaults://a/\(name)", .string(" x "))])
        #expect(try tried.outcome("r")?.kind == .migrates)
        try tried.applyAll()
        #expect(tried["defaults://a/n"] == .string("x"))
        try tried.rollback()
        #expect(tried["defaults://a/\(name)"] == .string(" x "))
    }

    @Test("What a step has taken on is no loss of a later one, also where one is applied after the other")
    func oneByOne() throws {
        let spec = try Specs.spec(
            "- {id: m, from: {a: app/a, b: app/b}, to: app/merged}\n"
                + "- {id: w, from: app/a, if: [value is real], do: [{wrap: value}]}\n"
                + "- {id: r, from: app/b, type: dictionary, do: [{remove: [k]}]}", "stores: {app: defaults://a}")
        let entries: [(String, Value)] = [
            ("defaults://a/a", .real(Real(1.5))),
            ("defaults://a/b", .dictionary([("k", .bool(true)), ("z", .integer(1))])),
        ]
        var (one, all) = (try Tried(spec, entries), try Tried(spec, entries))
        try all.applyAll()
        try one.apply(["m", "w", "r"])
        let made = one.session.history.standing.map(\.changes)
        #expect(made == all.session.history.standing.map(\.changes))
        #expect(made.joined().allSatisfy { $0.dropped.isEmpty })
    }

    @Test("What could not be read of an argument is told once", arguments: ["{times: 1e2}", "{times: ~}"])
    func unreadArgument(written: String) throws {
        let problems = Specs.problems(
            ofSteps: "- {id: r, from: app/a, type: integer, do: [{scale: \(written)}], to: app/b}",
            "stores: {app: defaults://a}")
        #expect(problems.map(\.code) == [.doubtfulScalar], "\(problems)")
    }

    @Test("What a row only checks is never taken away, and a row that says so is refused")
    func onlyChecked() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: r, from: app/f, check: [value is string]}",
                "stores: {app: defaults://a}\ndefaults: {source: remove}"),
            [("defaults://a/f", .string("F"))])
        try tried.applyAll()
        #expect(tried["defaults://a/f"] == .string("F"))
        let problems = Specs.problems(ofSteps: "- {id: r, from: app/f, source: discard}", "stores: {app: defaults://a}")
        #expect(problems.count == 1 && problems[0].sentence.contains("nowhere"), "\(problems)")
        let untold = Specs.problems(ofSteps: "- {id: r, from: app/f, default: EN}", "stores: {app: defaults://a}")
        #expect(untold.count == 1 && untold[0].fix.contains("to: app/f"), "\(untold)")
    }

    @Test("The keys of a table are told apart by what they are, however many they are")
    func tableKeys() {
        #expect(Set((0..<100).map { SpecLiteral(.integer($0)).hashValue }).count > 50)
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
