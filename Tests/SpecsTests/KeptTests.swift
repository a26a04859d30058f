import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("What a row may not lose, and says that it does")
struct KeptTests {
    private static let head =
        "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new, d: file://Documents}"
    private static func key(_ name: String) -> String { "defaults://com.acme.notes/\(name)" }

    private func tried(_ steps: String, _ entries: [(String, Value)]) throws -> Tried {
        try Tried(Specs.spec(steps, Self.head), entries.map { (Self.key($0), $1) })
    }

    @Test("A number over another is the quotient, as everybody else has it")
    func over() throws {
        let plan = try tried(
            "- {id: a, from: app/n.*, type: number, do: [{scale: {over: 100}}], to: o/n.*}",
            [("n.1", .integer(17720)), ("n.2", .integer(12335)), ("n.3", .real(14992.0))]
        ).plan()
        #expect(plan.steps.flatMap(\.changes).map(\.after) == [.real(177.2), .real(123.35), .real(149.92)])
    }

    @Test(
        "No part of a keyed archive is written or taken away: the row fails with the way to do it",
        arguments: [
            "{from: app/a, to: \"app/arch#/new\", source: remove}",
            "{from: app/a, to: \"app/arch#/x\", exists: overwrite}",
            "{from: \"app/arch#/x\", to: o/x, source: remove}",
        ])
    func archive(row: String) throws {
        let archive = try KeyedArchive.write(.dictionary(["x": .integer(1), "y": .string("k")]))
        let tried = try tried(
            "- " + row.replacing("{", with: "{id: r, ", maxReplacements: 1),
            [
                ("arch", .data(archive)), ("a", .string("v")),
            ])
        let outcome = try tried.outcome("r")
        #expect(
            outcome?.kind == .failed && outcome?.reason?.code == "edit-impossible", "\(String(describing: outcome))")
        #expect(outcome?.reason?.sentence.contains("encode: keyed-archive") ?? false)
    }

    @Test(
        "What a property list cannot hold fails in the plan, at any depth",
        arguments: [
            (#"{"a":null,"b":1}"#, "null"), (#"[184467440737095516150]"#, "more than 64 bits"),
            (#"{"a":[1e400]}"#, "more than 64 bits"),
        ])
    func unstorable(json: String, says: String) throws {
        let tried = try tried(
            "- {id: r, from: app/j, type: [json dictionary, json array], to: o/j}\n- {id: v, value: null, to: o/v}\n"
                + "- {id: w, from: app/j, to: o/w}",
            [("j", .string(json))])
        let steps = try tried.plan().steps
        #expect(
            steps[0].outcome.kind == .failed && steps[0].outcome.reason?.sentence.contains(says) == true, "\(steps[0])")
        #expect(steps[1].outcome.kind == .failed)
        #expect(steps[2].outcome.kind == .migrates, "as text it goes on")
    }

    @Test(
        "exists: larger replaces numbers by larger ones; what is no number on both sides is a conflict",
        arguments: [
            (Value.integer(5), Value.integer(7), Outcome.Kind.migrates), (.integer(7), .integer(5), .skipped),
            (.real(1.5), .integer(2), .migrates), (.string("text"), .integer(7), .conflict),
            (.integer(5), .string("abc"), .conflict),
            (.integer(5), .bool(true), .conflict), (.string("9"), .string("007"), .conflict),
            (.integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .migrates),
        ])
    func larger(old: Value, new: Value, kind: Outcome.Kind) throws {
        let tried = try tried("- {id: r, from: app/new, to: app/old, exists: larger}", [("old", old), ("new", new)])
        #expect(try tried.outcome("r")?.kind == kind)
    }

    @Test(
        "A removal takes the matches of a star that arrived, and leaves the one that failed, and what one of several rows could not take"
    )
    func failedRows() throws {
        var tried = try tried(
            """
            - {id: num, from: app/n.*, type: string, do: [number], to: o/n.*}
            - {id: one, from: app/two, type: string, to: o/one}
            - {id: two, from: app/two, type: integer, to: o/two}
            - {id: cond, from: app/c, if: value is 1, to: o/c}
            - {id: other, from: app/c, if: value is not 1, to: o/d}
            - {id: rm, remove: every source}
            """,
            [
                ("n.a", .string("1")), ("n.b", .string("x")), ("n.c", .string("3")), ("two", .string("t")),
                ("c", .integer(1)),
            ])
        try tried.applyAll()
        for name in ["n.b", "two"] { #expect(tried[Self.key(name)] != nil, "\(name)") }
        for name in ["n.a", "n.c"] { #expect(tried[Self.key(name)] == nil, "\(name)") }
        for (name, value) in [("n.a", 1), ("n.c", 3)] {
            #expect(tried["defaults://com.acme.new/\(name)"] == .integer(Int128(value)))
        }
        #expect(tried["defaults://com.acme.new/n.b"] == nil)
        #expect(tried[Self.key("c")] == nil, "one row took it, and the other was not meant")
    }

    @Test(
        "A removal of every source leaves what a row has made in place; what nobody read of an entry is told as dropped"
    )
    func everySource() throws {
        var tried = try tried(
            """
            - {id: a, from: app/inplace, type: string, do: [trim]}
            - {id: b, from: "app/doc#/in", type: string, to: o/in}
            - {id: c, from: "app/all#/in", type: string, to: o/all}
            - {id: rm, remove: every source}
            """,
            [
                ("inplace", .string(" t ")), ("doc", .dictionary(["in": .string("x"), "other": .string("y")])),
                ("all", .dictionary(["in": .string("x")])),
            ])
        let changes = try #require(tried.plan().steps.last).changes
        #expect(changes.map(\.address.description) == [Self.key("doc"), Self.key("all")])
        #expect(changes.map(\.effect) == [.dropped, .carried])
        #expect(
            changes.first?.notes.contains { $0.contains("other of it is taken on by nothing") } ?? false, "\(changes)")
        try tried.applyAll()
        #expect(tried[Self.key("inplace")] == .string("t"))
    }

    @Test(
        "Of what is removed that rows took only parts of, the rest is told as dropped, at any depth and in a list",
        arguments: [
            (Value.dictionary(["friends": .string("b"), "name": .string("a")]), "name", "friends of it is taken on"),
            (.array([.string("a"), .string("b")]), "0", "/1 of it is taken on by nothing"),
            (.dictionary(["sub": .dictionary(["a": .string("a"), "b": .string("b")])]), "sub/a", "/sub/b of it"),
            (.dictionary(["name": .string("a"), "none": .array([])]), "name", nil),
            (.array([.string("a"), .array([])]), "0", nil),
        ] as [(Value, String, String?)], [true, false])
    func rest(value: (whole: Value, part: String, says: String?), isArchive: Bool) throws {
        let entry = isArchive ? Value.data(try KeyedArchive.write(value.whole)) : value.whole
        try checkRest(of: entry, part: value.part, says: value.says)
    }

    @Test("It is told of an archive of an app's own class too", arguments: [true, false])
    func restOfOwnClass(hasMore: Bool) throws {
        var fields: Members = ["$class": .uid(2), "name": .uid(3)]
        if hasMore { fields["friends"] = .uid(4) }
        let archive = try BinaryPropertyList.write(
            .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": .uid(1)]),
                "$objects": .array([
                    .string("$null"), .dictionary(fields),
                    .dictionary(["$classname": .string("App.User"), "$classes": .array([.string("App.User")])]),
                    .string("a"), .string("b"),
                ]),
            ]))
        try checkRest(
            of: .data(archive), part: "name", says: hasMore ? "friends of it is taken on by nothing" : nil)
    }

    private func checkRest(of entry: Value, part: String, says: String?) throws {
        let changes = try tried(
            "- {id: a, from: \"app/own#/\(part)\", to: o/a}\n- {id: rm, remove: [app/own]}", [("own", entry)]
        ).plan().steps[1].changes
        #expect(changes.map(\.effect) == [says == nil ? .carried : .dropped], "\(changes)")
        #expect(changes.first?.notes.contains { $0.contains(says ?? "of it") } == (says != nil), "\(changes)")
    }

    @Test(
        "What an operation drops goes with the source as dropped, and is told; what it keeps is carried",
        arguments: [
            ("type: string, do: [number]", Value.string("007"), true),
            ("type: string, do: [number]", .string("7"), false),
            ("type: array, do: [{join: \",\"}]", .array([.string("x"), .string("y,z")]), true),
            ("type: array, do: [{join: \",\"}]", .array([.string("x"), .string("y")]), false),
            (
                "type: string, do: [{time: {from: iso8601, to: milliseconds}}]", .string("2024-08-30T06:40:59.999999Z"),
                true
            ),
            (
                "type: string, do: [{time: {from: iso8601, to: milliseconds}}]", .string("2024-08-30T06:40:59.999Z"),
                false
            ),
            (
                "type: integer, do: [{time: {from: microseconds, to: milliseconds}}]", .integer(1_725_000_000_000_001),
                true
            ),
            ("type: string, do: [{case: lower}]", .string("Ada"), true),
            ("type: string, do: [{case: lower}]", .string("ada"), false),
            ("type: string, do: [trim]", .string(" a"), true), ("type: string, do: [trim]", .string("a"), false),
            ("type: dictionary, do: [{fill: \"{x}\"}]", .dictionary(["x": .string("a")]), false),
        ])
    func dropped(keys: String, value: Value, isDropped: Bool) throws {
        let step = try #require(
            try tried("- {id: r, from: app/a, \(keys), to: o/a, source: remove}", [("a", value)]).plan().steps.first)
        #expect(step.changes.map(\.effect).last == (isDropped ? .dropped : .carried), "\(step)")
        #expect(step.changes.first?.notes.isEmpty == !isDropped, "\(step.changes)")
    }

    @Test(
        "What cannot be made of the arguments of an operation is told, and never passed over",
        arguments: [
            "split: \"\"", "split: {at: \"\", into: [p, q]}", "split: {at: [], into: [p, q]}",
            "split: {at: \",\", into: []}", "split: {at: [\",\", \"\"], into: [p, q]}", "strip: {}",
            "strip: {prefix: \"\"}", "pick: []", "table: {}", "in: {}", "each: []", "rename: {}",
        ])
    func emptyArguments(operation: String) {
        let found = Specs.problems(ofSteps: "- {id: a, from: app/a, do: [{\(operation)}], to: app/b}", Self.head)
        #expect(!found.isEmpty && found.allSatisfy { $0.code.severity == .error }, "\(found)")
    }

    @Test("A field has one value: one that split names twice is an error, and nothing is written with a key twice")
    func twice() throws {
        let found = Specs.problems(
            ofSteps: "- {id: a, from: app/a, do: [{split: {at: \",\", into: [p, q, p]}}], to: app/b}", Self.head)
        #expect(found.map(\.code) == [.duplicateKey] && found[0].sentence.contains("the field p"), "\(found)")
        let tried = try tried(
            """
            - {id: r, from: app/j, type: json dictionary, to: o/j, source: remove}
            - {id: s, from: app/j, type: json dictionary, do: [{encode: json}], to: o/s}
            - {id: t, from: app/j, type: json dictionary, do: [{in: {c: [{pick: d}]}}], to: o/t}
            - {id: u, from: app/j, type: json dictionary, do: [{pick: a}], to: o/u, source: remove}
            - {id: v, from: app/j, do: [{decode: json}, {fill: "{a}"}], to: o/v}
            - {id: w, from: "app/j#/b", to: o/w}
            """, [("j", .string(#"{"a":1,"a":2,"b":3,"c":{"d":{"e":1,"e":2}}}"#))])
        let places = [
            ("r", "j#/a stands"), ("s", "/a stands"), ("t", "j#/a stands"), ("u", "j#/a stands"), ("v", "/a stands"),
        ]
        for (step, place) in places {
            let outcome = try tried.outcome(step)
            #expect(outcome?.kind == .blocked && outcome?.reason?.code == "repeated-key", "\(step)")
            #expect(outcome?.reason?.sentence.contains(place) == true, "\(String(describing: outcome))")
        }
        #expect(try tried.outcome("w")?.kind == .migrates, "what is beside it can be had by its address")
    }

    @Test(
        "A value that has no place in the text that is filled is told as dropped",
        arguments: [("const", true), ("", true), ("{value}!", false)])
    func filled(text: String, isDropped: Bool) throws {
        let step = try #require(
            try tried(
                "- {id: r, from: app/a, do: [{fill: \"\(text)\"}], to: o/a, source: remove}", [("a", .string("v"))]
            )
            .plan().steps.first)
        #expect(step.changes.map(\.effect).last == (isDropped ? .dropped : .carried), "\(step)")
    }

    @Test(
        "A number of JSON of which a property list keeps only the first digits is told as changed",
        arguments: [
            ("9007199254740993.0", true), ("0.12345678901234567890123", true), ("1e-400", true),
            ("12345678901234567890123456789012345678901", true), ("37.774929999999998", false), ("1e3", false),
            ("0.10", false), ("340282366920938463463374607431768211456", false),
        ])
    func digits(number: String, isLost: Bool) throws {
        let spec = try Specs.spec(
            "- {id: a, from: \"defaults://a/b#/n\", type: real, to: \"defaults://a/c\", source: remove}")
        let tried = try Tried(spec, [("defaults://a/b", .string(#"{"n":\#(number)}"#))])
        let change = try #require(try tried.plan().steps.first?.changes.first { "\($0.address)" == "defaults://a/c" })
        #expect(change.notes.joined().contains("53 bits") == isLost, "\(change.notes)")
    }

    @Test("What somebody has said is no placeholder where add puts it; what the file writes out is")
    func said() throws {
        let spec = try Specs.spec(
            "- {id: a, from: app/b, do: [{add: {region: \"{region}\", level: 3}}, {encode: json}], to: app/c}",
            "facts: {region: {type: string}}\nstores: {app: \"defaults://a\"}")
        let tried = try Tried(spec, [("defaults://a/b", .dictionary([("x", .integer(1))]))], facts: ["region": "eu"])
        let step = try #require(try tried.plan().steps.first)
        #expect(!step.changes.flatMap(\.notes).contains { $0.contains("nobody entered \"eu\"") }, "\(step.changes)")
        #expect(step.changes.flatMap(\.notes).contains { $0.contains("nobody entered 3") }, "\(step.changes)")
    }

    @Test("What a row has set aside, now or in a former run, is no match of its star")
    func asideOnce() throws {
        var tried = try tried(
            "- {id: r, from: app/n.*, type: string, do: [number], to: o/n.*, source: remove, error: aside}",
            [("n.1", .string("1")), ("n.2", .string("zz")), ("n.3.corrupt", .string("3")), ("m", .string("x"))])
        try tried.applyAll()
        #expect(tried[Self.key("n.2.corrupt")] == .string("zz") && tried[Self.key("n.2")] == nil)
        #expect(tried["defaults://com.acme.new/n.1"] == .integer(1))
        #expect(tried[Self.key("n.3.corrupt")] == .string("3"))
        let plan = Plan(
            of: tried.migration, profile: try tried.migration.profile(named: nil), facts: Facts(),
            stores: tried.session.overlay, history: History(), check: {})
        #expect(plan.steps[0].changes.isEmpty, "\(plan.steps[0])")
    }

    @Test("A removal leaves what a row behind it reads, which has taken nothing on yet")
    func laterReader() throws {
        var tried = try tried(
            "- {id: a, from: app/a, to: o/a}\n- {id: rm, remove: [app/a, \"app/s.*\"]}\n- {id: b, from: app/a, to: o/b}\n"
                + "- {id: s, from: app/s.*, to: o/s.*}",
            [("a", .string("x")), ("s.1", .string("y"))])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.new/b"] == .string("x") && tried[Self.key("a")] != nil)
        #expect(tried["defaults://com.acme.new/s.1"] == .string("y"))
    }
}
