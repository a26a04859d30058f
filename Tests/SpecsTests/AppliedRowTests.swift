import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("What rows promise once steps are applied")
struct AppliedRowTests: TriedRows {
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
}
