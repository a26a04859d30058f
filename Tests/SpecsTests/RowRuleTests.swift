import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("What rows promise")
struct RowRuleTests: TriedRows {
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

    @Test("What arrives beside a fact whose target keeps what it has has arrived, and a removal takes its source")
    func besideKeptFact() throws {
        let entries: [(String, Value)] = [(Self.key("a"), .string("A")), (Self.key("b"), .string("other"))]
        let row = "- {id: r, from: {a: app/a, f: fact/f}, to: {a: app/n, f: app/b}, exists: keep"
        for steps in ["\(row), source: discard}", "\(row)}\n- {id: rm, remove: [app/a]}"] {
            var tried = try Tried(
                Specs.spec(steps, Self.head + "\nfacts: {f: {type: string}}"), entries, facts: ["f": "F"])
            let changes = try tried.plan().steps.flatMap(\.changes)
            #expect(changes.allSatisfy { $0.dropped.isEmpty && $0.effect != .dropped }, "\(changes)")
            try tried.applyAll()
            #expect(tried[Self.key("a")] == nil && tried[Self.key("n")] == .string("A"))
            #expect(tried[Self.key("b")] == .string("other"))
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
}
