import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// Several rows of random work on the same entries, and a removal of what they have read.
@Suite("What several rows together leave nowhere is told")
struct ManyRowsTests {
    private static let head = "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new}"

    private struct RandomRows {
        var entries: [(String, Value)] = [], rows: [String] = []
        private var generator: SeededGenerator
        private var leaves = 0

        init(seed: UInt64) {
            generator = SeededGenerator(seed: seed)
            for name in ["d", "e"] { entries.append(("defaults://com.acme.notes/\(name)", dictionary(depth: 0))) }
            entries.append(("defaults://com.acme.new/doc", dictionary(depth: 1)))
            let count = Int.random(in: 2...4, using: &generator)
            for number in 0..<count { rows.append(row(number)) }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: rows.append("- {id: rm, remove: every source}")
            case 1: rows.append("- {id: rm, remove: [app/d]}")
            case 2: rows.append("- {id: rm, remove: [app/d, app/e]}")
            default: break
            }
        }

        private mutating func dictionary(depth: Int) -> Value {
            let names = ["a", "b", "c"].filter { _ in depth == 0 || Bool.random(using: &generator) }
            return .dictionary(
                Members(
                    names.map { name in
                        if depth < 2, Int.random(in: 0..<3, using: &generator) == 0 {
                            return Member(key: Name(name), value: dictionary(depth: depth + 1))
                        }
                        leaves += 1
                        return Member(key: Name(name), value: .string("leaf\(leaves)."))
                    }))
        }

        private mutating func one(_ all: [String]) -> String { all.randomElement(using: &generator) ?? all[0] }

        private mutating func place() -> String {
            one(["app/d", "app/e", "o/doc", "o/n", "app/d#/a", "app/d#/b", "app/e#/c", "o/n#/a", "o/n#/b", "o/doc#/x"])
        }

        private mutating func row(_ number: Int) -> String {
            let exists = one(["overwrite", "keep", "overwrite"]), source = one(["keep", "remove", "remove"])
            let end = "exists: \(exists), source: \(source)}"
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                let targets = one([
                    "{a: o/doc#/p, b: o/doc#/q}", "{a: app/e#/x, c: app/e#/b}", "{a: o/n, b: o/doc#/a}",
                    "{a: app/d#/z, b: app/d#/a}", "{b: o/n#/a, c: o/n#/b}",
                ])
                return "- {id: r\(number), from: \(one(["app/d", "app/e", "o/n"])), to: \(targets), \(end)"
            case 1:
                let operation = one([
                    "{remove: [a]}", "{rename: {a: z}}", "{pick: [b]}", "{move: {b: c/b}}", "{remove: [a, b]}",
                ])
                return "- {id: r\(number), from: \(one(["o/n", "o/doc", "app/d"])), do: [\(operation)]}"
            case 2:
                let operation = one(["{remove: [p/a]}", "{pick: p}", "{remove: [q]}", "{copy: {p/a: q/z}}"])
                return
                    "- {id: r\(number), from: {p: app/d, q: \(one(["app/e", "o/n", "app/d#/a"]))}, do: [\(operation)], to: \(place()), \(end)"
            case 3:
                let operation = one(["{wrap: w}", "{pick: a}", "{remove: [b]}", "{encode: json}"])
                return "- {id: r\(number), from: \(place()), do: [\(operation)], to: \(place()), \(end)"
            default: return "- {id: r\(number), from: \(place()), to: \(place()), \(end)"
            }
        }
    }

    /// The texts of a value, also of what it holds as JSON.
    private static func text(of value: Value?) -> String {
        switch value {
        case .string(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        case .dictionary(let members): members.map { text(of: $0.value) }.joined(separator: " ")
        case .array(let items): items.map { text(of: $0) }.joined(separator: " ")
        default: ""
        }
    }

    private static func leaves(of value: Value) -> [String] {
        text(of: value).split(separator: ".").map { "\($0.trimmingPrefix(while: { $0 == " " }))." }
    }

    @Test("Whatever rows do after each other, what is nowhere in the end was dropped by one of them", arguments: 0..<8)
    func random(part: UInt64) throws {
        var count = 0
        for seed in (part * 100)..<(part * 100 + 100) {
            let made = RandomRows(seed: seed)
            // Two rows that write the same are no spec.
            guard let spec = try? Specs.spec(made.rows.joined(separator: "\n"), Self.head) else { continue }
            var tried = try Tried(spec, made.entries)
            let plan = try tried.plan()
            var stores: [Address: Value] = [:], told: [String] = []
            for (name, value) in made.entries { stores[try Address(parsing: name)] = value }
            for step in plan.steps {
                // What it drops is what stood there before it, or before one of its own writes.
                for change in step.changes + step.found {
                    told += change.dropped.map { place in
                        Self.text(of: stores[place.entry]?.standing(at: place.pointer))
                            + Self.text(
                                of: change.before.value.flatMap {
                                    place.entry == change.address ? $0.standing(at: place.pointer) : nil
                                })
                    }
                    if change.effect == .dropped { told.append(Self.text(of: change.before.value)) }
                    if change.notes.contains(where: { $0.contains("is dropped") }) {
                        told += change.from.map { Self.text(of: stores[$0.entry]) }
                    }
                }
                for change in step.changes where step.outcome.kind == .migrates {
                    stores[change.address] = change.after
                }
            }
            count += plan.steps.count { $0.outcome.kind == .migrates }
            try tried.applyAll()
            let end = stores.map { Self.text(of: tried["\($0.key)"]) }.joined(separator: " ")
            for leaf in made.entries.flatMap({ Self.leaves(of: $0.1) }) where !end.contains(leaf) {
                #expect(
                    told.contains { $0.contains(leaf) },
                    "\(seed): \(leaf) is nowhere, and not told\n\(made.entries)\n\(made.rows.joined(separator: "\n"))\n\(plan.steps.map { "\($0.id) \($0.outcome.kind) \($0.changes)" }.joined(separator: "\n"))"
                )
            }
        }
        #expect(count > 60, "\(count) rows do something")
    }
}

@Suite("Rows that write several fields of one entry, and rows behind others")
struct JoinedWritesTests {
    private static let head =
        "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new, kc: keychain://com.acme}"

    private func tried(_ steps: String, _ json: String) throws -> Tried {
        let members = try #require(OperationTests.value(json).asPropertyList.members)
        return try Tried(
            Specs.spec(steps, Self.head), members.map { ("defaults://com.acme.notes/\($0.key)", $0.value) })
    }

    private func dropped(_ changes: [Change]) -> [String] {
        changes.flatMap(\.dropped).map { "\($0)".replacing("defaults://com.acme.notes/", with: "") }.sorted()
    }

    @Test(
        "Each write of one entry tells what it drops, as one change from first to last",
        arguments: [
            (
                #"{"s":{"a":"A","b":"B","c":"C"},"d":{}}"#,
                "from: app/s, to: {a: app/d#/p, b: app/d#/q}, source: remove", ["s#/c"], 1
            ),
            (
                #"{"s":{"a":"A","b":"B","c":"C"},"d":"{}"}"#,
                "from: app/s, to: {a: app/d#/p, b: app/d#/q}, source: remove", ["s#/c"], 1
            ),
            (
                #"{"s":{"a":"A","b":"B"},"d":{"p":"oldp","q":"oldq"}}"#,
                "from: app/s, to: {a: app/d#/p, b: app/d#/q}, exists: overwrite, source: remove", ["d#/p", "d#/q"], 2
            ),
            (
                #"{"f.a":"A","f.b":"B","d":{"a":"olda","c":"C"}}"#,
                "from: app/f.*, to: app/d#/*, exists: overwrite, source: remove", ["d#/a"], 1
            ),
            (
                #"{"f.a":{"x":"A","z":"zz"},"f.b":{"x":"B","z":"zzz"},"d":{}}"#,
                "from: app/f.*, do: [{pick: x}], to: app/d#/*, source: remove", ["f.a#/z", "f.b#/z"], 2
            ),
            (
                #"{"s":{"a":{"x":"X","u":"U","k":"K"}}}"#,
                "from: app/s#/a, to: {x: app/s#/x, u: app/s#/u1}, source: remove", ["s#/a/k"], 1
            ),
            // One of them stands there already: what was lost with it is told with the others.
            (
                #"{"s":{"a":"A","b":"B","c":"C"},"d":{"p":"A"}}"#,
                "from: app/s, to: {a: app/d#/p, b: app/d#/q}, source: remove", ["s#/c"], 1
            ),
        ] as [(String, String, [String], Int)])
    func told(dump: String, row: String, lost: [String], count: Int) throws {
        var tried = try tried("- {id: r, \(row)}", dump)
        let plan = try tried.plan(), changes = plan.changes
        #expect(Set(dropped(changes)) == Set(lost), "\(changes)")
        #expect(plan.effects[.dropped] == count, "\(plan.effects)")
        #expect(Set(changes.map(\.address)).count == changes.count)
        let sources = Set(changes.filter { $0.after == nil }.map(\.address))
        #expect(sources.isSubset(of: changes.flatMap(\.from).map(\.entry)), "\(changes)")
        try tried.applyAll()
        try tried.rollback()
        #expect(try tried.plan().changes == changes, "all is as it was")
    }

    @Test(
        "A part that one member of the result has lost and another has is not dropped",
        arguments: [
            ("from: {a: app/s#/a, q: app/s}, to: {q: app/n}", []),
            ("from: {p: app/s, q: app/s}, do: [{remove: [p/b]}], to: app/n", []),
            ("from: {p: app/s, q: app/s}, do: [{remove: [p/b, q/b]}], to: app/n", ["s#/b"]),
            ("from: {a: app/s#/a, q: app/s}, do: [{remove: [q/a]}, {pick: q}], to: app/n", ["s#/a"]),
        ] as [(String, [String])])
    func sharedSources(row: String, lost: [String]) throws {
        let tried = try tried("- {id: r, \(row), source: remove}", #"{"s":{"a":"A","b":"B"}}"#)
        #expect(try dropped(tried.plan().changes) == lost)
    }

    @Test(
        "Of several sources each target names those that have a place in it, and none those that stay",
        arguments: [
            ("{a: app/s1, b: app/s2}", "", "{a: app/n1, b: app/n2}", ["n1": ["s1"], "n2": ["s2"]]),
            ("{a: app/s1, b: app/s2}", "[{rename: {a: c}}]", "{b: app/n1, c: app/n2}", ["n1": ["s2"], "n2": ["s1"]]),
            (
                "{a: app/s1, b: app/s2, c: app/s3}", "[{move: {a: t/a, b: t/b}}, {in: {t: [{fill: \"{a}-{b}\"}]}}]",
                "{t: app/n1, c: app/n2}", ["n1": ["s1", "s2"], "n2": ["s3"]]
            ),
            (
                "{a: app/s1, b: app/s2, c: app/s3}", "[{remove: [c]}]", "{a: app/n1, b: app/n2}",
                ["n1": ["s1"], "n2": ["s2"]]
            ),
            (
                "{a: app/s1, b: app/s2}", "[{add: {c: C}}]", "{a: app/n1, b: app/n2, c: app/n3}",
                ["n1": ["s1"], "n2": ["s2"], "n3": []]
            ),
        ] as [(String, String, String, [String: [String]])])
    func sourcesOfTargets(from: String, operations: String, to: String, sources: [String: [String]]) throws {
        let tried = try tried(
            "- {id: r, from: \(from), \(operations.isEmpty ? "" : "do: \(operations), ")to: \(to)}",
            #"{"s1":"A","s2":"B","s3":"C"}"#)
        let changes = try tried.plan().changes
        let told = Dictionary(
            uniqueKeysWithValues: changes.map { ($0.address.key?.text ?? "", $0.from.map { $0.key?.text ?? "" }) })
        #expect(told == sources)
    }

    @Test(
        "Of several things that were taken each target is what those are that it is made of, also where they are facts",
        arguments: [
            ("{a: app/s1, b: fact/tok}", "{a: o/n, b: o/m}", [("n", .carried, ["s1"]), ("m", .carried, [])]),
            ("{a: fact/other, b: fact/tok}", "{a: o/n, b: o/m}", [("n", .carried, []), ("m", .carried, [])]),
            ("{a: app/s1, b: app/s2}", "{a: app/s2, b: app/s1}", [("s2", .carried, ["s1"]), ("s1", .carried, ["s2"])]),
        ] as [(String, String, [(Name, ValueEffect, [Name])])])
    func effectsOfTargets(from: String, to: String, told: [(Name, ValueEffect, [Name])]) throws {
        let tried = try Tried(
            Specs.spec(
                "- {id: r, from: \(from), to: \(to), exists: overwrite}",
                Self.head + "\nfacts: {tok: {type: string}, other: {type: string}}"),
            [("defaults://com.acme.notes/s1", .string("A")), ("defaults://com.acme.notes/s2", .string("B"))],
            facts: ["tok": "t", "other": "u"])
        let changes = try tried.plan().changes
        #expect(changes.map(\.address.key) == told.map(\.0))
        #expect(changes.map(\.effect) == told.map(\.1))
        #expect(changes.map { $0.from.map(\.key) } == told.map(\.2))
    }

    @Test("A target that lies in another one is put there behind it, so that neither is lost")
    func nestedTargets() throws {
        var tried = try tried(
            "- {id: r, from: app/u, to: {x: app/d#/q/a, v: app/d#/q}, source: remove, exists: overwrite}",
            #"{"u":{"x":"X","v":{"z":"Z"}},"d":{"q":{"a":"A","b":"B"}}}"#)
        #expect(try Set(dropped(tried.plan().changes)) == ["d#/q"])
        try tried.applyAll()
        #expect(
            tried["defaults://com.acme.notes/d"]
                == .dictionary(["q": .dictionary(["z": .string("Z"), "a": .string("X")])]))
    }

    @Test(
        "What was copied to other places of its own entry is not dropped where it stood",
        arguments: [
            ("from: app/d, to: {z: app/d#/o, v: app/d#/p}", "from: app/d, do: [{remove: [z, v]}]", []),
            ("from: app/d, to: {z: app/d#/o}", "from: app/d, do: [{remove: [z, v]}]", ["d#/v"]),
            ("from: app/d, do: [{rename: {z: o}}], to: app/d#/in", "from: app/c, to: app/d#/z, exists: overwrite", []),
            (
                "from: app/d, do: [{remove: [z]}], to: app/d#/in", "from: app/c, to: app/d#/z, exists: overwrite",
                ["d#/z"]
            ),
        ] as [(String, String, [String])])
    func copiedWithin(first: String, second: String, lost: [String]) throws {
        let tried = try tried(
            "- {id: r, \(first)}\n- {id: r2, \(second)}", #"{"d":{"z":"Z","v":"V"},"c":"C"}"#)
        #expect(try dropped(#require(tried.plan().steps.last).changes) == lost)
    }

    @Test("What one of several writes makes up is a placeholder, and what another carries is carried")
    func placeholders() throws {
        let tried = try tried(
            "- {id: r, from: app/s, do: [{split: {at: \" \", into: [f, m, l], missing: made}}], "
                + "to: {f: app/d#/f, m: app/d#/m, l: app/d#/l}}", #"{"s":"Ada","d":{"x":"X"}}"#)
        let change = try #require(try tried.plan().changes.first)
        #expect(Set(change.placeholders.map(\.description)) == ["/m", "/l"], "\(change)")
        #expect(change.effect != .madeUp)
    }

    @Test(
        "What a removal takes of an entry, it tells also where it takes the entry itself behind that",
        arguments: [
            (#"{"s":{"a":"A"}}"#, ""), (#"{"s":{"a":"A","b":"B"}}"#, "- {id: r, from: app/s#/b, to: app/n}\n"),
        ])
    func partsBeforeTheWhole(dump: String, first: String) throws {
        let tried = try tried(first + "- {id: rm, remove: [app/s#/a, app/s], unmigrated: remove}", dump)
        let plan = try tried.plan(), change = try #require(plan.steps.last?.changes.first)
        #expect(dropped([change]) == ["s#/a"])
        #expect(change.notes.contains { $0.contains("nothing has taken it on") }, "\(change.notes)")
        #expect(plan.effects[.dropped] == 1)
    }

    @Test(
        "What a star has written for one match it never overwrites for another, whatever of the two lies in the other",
        arguments: [
            ("{a: app/d#/*, b: app/d#/b/*}", #"{"f.a":{"a":"1","b":"2"},"f.b":{"a":{"x":"X"},"b":"4"},"d":{"b":{}}}"#),
            ("{a: app/d#/b/*, b: app/d#/*}", #"{"f.a":{"a":"1","b":"2"},"f.b":{"a":"3","b":"4"},"d":{"b":{}}}"#),
            ("{a: app/d#/*, b: app/*}", #"{"f.c":{"a":"1","b":"2"},"f.d":{"a":"3","b":{"x":"X"}},"d":{"z":"Z"}}"#),
            ("{a: app/*.x, b: app/*}", #"{"f.d":{"a":"1","b":"2"},"f.d.x":{"a":"3","b":"4"}}"#),
        ])
    func matchesInEachOther(to: String, dump: String) throws {
        var tried = try tried(
            "- {id: r, from: app/f.*, to: \(to), exists: overwrite, source: remove}", dump)
        let step = try #require(tried.plan().steps.first)
        #expect(step.outcome.reason?.code == "partly-failed", "\(step.outcome)")
        let gone = step.changes.filter { $0.after == nil }
        #expect(gone.count == 1 && gone.allSatisfy { $0.effect == .carried }, "\(step.changes)")
        try tried.applyAll()
        #expect(["f.a", "f.b", "f.c", "f.d", "f.d.x"].count { tried["defaults://com.acme.notes/\($0)"] != nil } == 1)
    }

    @Test(
        "What a star would write over what it also fits is read from there before",
        arguments: [
            (
                "app/f.z*", "remove", #"{"f.a":"A","f.za":"ZA","f.zza":"ZZA"}"#,
                ["f.za": "A", "f.zza": "ZA", "f.zzza": "ZZA"]
            ),
            (
                "app/f.z*", "remove", #"{"f.za":"ZA","f.zza":"ZZA","f.a":"A"}"#,
                ["f.za": "A", "f.zza": "ZA", "f.zzza": "ZZA"]
            ),
            ("app/f.z*", "keep", #"{"f.a":"A","f.za":"ZA"}"#, ["f.a": "A", "f.za": "A", "f.zza": "ZA"]),
        ] as [(String, String, String, [Name: String])])
    func matchesOverEachOther(to: String, source: String, dump: String, result: [Name: String]) throws {
        var tried = try tried("- {id: r, from: app/f.*, to: \(to), exists: overwrite, source: \(source)}", dump)
        #expect(try dropped(tried.plan().changes) == [])
        try tried.applyAll()
        let keys = tried.session.overlay.keys(in: .defaults("com.acme.notes"))
        #expect(Set((0..<keys.count).map { keys.key(at: $0) }) == Set(result.keys))
        for (key, value) in result { #expect(tried["defaults://com.acme.notes/\(key)"] == .string(value), "\(key)") }
    }

    @Test(
        "What is the same source for every match is read as it was before the first, written over or taken away by any of them",
        arguments: [
            ("{a: app/f.*, b: app/g.x}", "{a: app/g.*, b: app/h.*}", "keep", ["g.x": "FX", "h.x": "G", "h.y": "G"]),
            ("{a: app/f.*, b: app/g.x}", "{a: app/g.*, b: app/h.*}", "remove", ["g.x": "FX", "h.x": "G", "h.y": "G"]),
            ("{a: app/f.*, b: app/g.x}", "{b: app/h.*, a: app/k.*}", "remove", ["g.x": nil, "h.x": "G", "h.y": "G"]),
            ("{a: app/f.*, b: \"app/l#/0\"}", "{b: app/h.*, a: app/k.*}", "remove", ["h.x": "L", "h.y": "L"]),
        ] as [(String, String, String, [Name: String?])])
    func sourceOfAllMatches(from: String, to: String, source: String, result: [Name: String?]) throws {
        var tried = try tried(
            "- {id: r, from: \(from), to: \(to), exists: overwrite, source: \(source)}",
            #"{"f.x":"FX","f.y":"FY","g.x":"G","l":["L","M"]}"#)
        let dropped = try dropped(tried.plan().changes)
        #expect(dropped == [])
        try tried.applyAll()
        for (key, value) in result {
            #expect(tried["defaults://com.acme.notes/\(key)"] == value.map(Value.string), "\(key)")
        }
        if from.contains("l#") { #expect(tried["defaults://com.acme.notes/l"] == .array([.string("M")])) }
    }

    @Test("What fails and would be written over by another match of its star keeps that from it")
    func failedUnderAnother() throws {
        var tried = try tried(
            "- {id: r, from: app/f.*, type: string, do: [number], to: app/f.z*, exists: overwrite}",
            #"{"f.a":"1","f.za":"x"}"#)
        let step = try #require(tried.plan().steps.first)
        #expect(step.outcome.kind == .failed && step.left.count == 2, "\(step.outcome)")
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/f.za"] == .string("x"))
    }

    @Test(
        "Of an entry in a part of which something else stands it is the part that a conflict names",
        arguments: ["d", "j"])
    func conflictInPart(entry: String) throws {
        let tried = try tried(
            "- {id: r, from: app/s, to: app/\(entry)#/a}", #"{"s":"S","d":{"a":"A"},"j":"{\"a\":\"A\"}"}"#)
        let sentence = try tried.plan().steps.first?.outcome.reason?.sentence
        #expect(
            sentence?.hasPrefix("defaults://com.acme.notes/\(entry)#/a exists already") == true, "\(sentence ?? "")")
    }

    @Test("Matches that wait for one another in a circle are all too early, and those behind them too")
    func circle() {
        func address(_ key: String) -> Address { Address(store: .defaults("a"), key: Name(key)) }
        let places = [("c", "z"), ("a", "b"), ("b", "a"), ("d", "a"), ("e", "d")]
        var order = MatchOrder(of: places.count) { ([address(places[$0].0)], [address(places[$0].1)]) }
        #expect(order.indices == [0, 1, 2, 3, 4])
        #expect(order.indices.map(order.isTooEarly) == [false, true, true, true, true])
        order.close(1)
        #expect(order.indices.map(order.isTooEarly) == [false, true, false, false, true])
    }

    @Test("A write of a star that is taken back leaves what the others said")
    func takenBack() throws {
        let tried = try tried(
            "- {id: r, from: app/f.*, type: string, do: [number], to: app/d#/*, source: remove}",
            #"{"f.a":"1","f.b":"x","f.c":"3","d":{}}"#)
        let changes = try tried.plan().changes
        let made = try #require(changes.first { $0.after != nil })
        #expect(made.after == .dictionary(["a": .integer(1), "c": .integer(3)]))
        #expect(!made.from.contains { $0.key == "f.b" } && made.from.count == 3, "\(made)")
        #expect(changes.filter { $0.after == nil }.map(\.address.key) == ["f.a", "f.c"])
    }

    @Test(
        "What a row has put elsewhere, and another drops there, no removal takes for arrived",
        arguments: [
            ("from: app/s, to: app/n", "from: app/n, do: [{remove: [a]}]", "a of it is taken on by nothing"),
            (
                "from: app/s, to: app/n", "from: app/t, to: app/n#/a, exists: overwrite",
                "a of it is taken on by nothing"
            ),
            (
                "from: app/s, do: [{wrap: w}], to: app/n", "from: app/n, do: [{remove: [w/a]}]",
                "a of it is taken on by nothing"
            ),
            (
                "from: app/s, do: [{rename: {a: z}}], to: app/n", "from: app/n, do: [{remove: [z]}]",
                "a of it is taken on by nothing"
            ),
            (
                "from: app/s, to: app/n", "from: app/n, do: [{rename: {a: z}}, {remove: [z]}]",
                "a of it is taken on by nothing"
            ),
            ("from: {p: app/s, q: app/t}, to: app/n", "from: app/n, do: [{remove: [p]}]", "stays"),
            ("from: app/s, to: app/n", "from: app/n, do: [{remove: [a, b]}]", "stays"),
            (
                "from: app/s, do: [{encode: json}, {encode: utf8}], to: kc/n",
                "from: kc/n, type: json dictionary, do: [{remove: [a]}, {encode: json}, {encode: utf8}]",
                "a of it is taken on by nothing"
            ),
            // What goes on, or only stands elsewhere in it, has arrived.
            ("from: app/s, to: app/n", "from: app/n, do: [{rename: {a: z}}]", nil),
            ("from: app/s, to: app/n", "from: app/n#/a, to: app/m, source: remove", nil),
            ("from: app/s, to: app/n", "from: app/n, to: app/m, source: remove", nil),
            ("from: app/s, to: app/n", "from: app/n, do: [{wrap: w}, {move: {w/a: x}}]", nil),
            ("from: app/s, to: app/n", "from: app/s, to: app/m}\n- {id: z, from: app/n, do: [{remove: [a]}]", nil),
            // A chain, the end of which is dropped.
            (
                "from: app/s, to: app/n",
                "from: app/n, to: app/m, source: remove}\n- {id: z, from: app/m, do: [{remove: [a]}]",
                "a of it is taken on by nothing"
            ),
        ] as [(String, String, String?)])
    func droppedLater(first: String, second: String, words: String?) throws {
        let tried = try tried(
            "- {id: r, \(first)}\n- {id: r1, \(second)}\n- {id: rm, remove: [app/s]}",
            #"{"s":{"a":"A","b":"B"},"t":"tee"}"#)
        let plan = try tried.plan(), step = try #require(plan.steps.last)
        let change = step.changes.first { $0.address.key == "s" }
        var single = tried
        for step in plan.steps.dropLast() {
            try single.session.apply(
                .steps([step.id]), of: tried.migration, profile: try tried.migration.profile(named: nil),
                facts: tried.facts,
                stamp: Tried.stamp)
        }
        #expect(try single.plan().steps.last?.changes == step.changes, "step by step it comes to the same")
        var all = tried
        try all.applyAll()
        #expect(try all.plan().steps.allSatisfy { !$0.isDeparted }, "run again they come to the same")
        let said = (change?.notes ?? []) + [step.outcome.reason?.sentence].compactMap(\.self)
        if let words {
            #expect(said.contains { $0.contains(words) }, "\(step)")
            #expect(change == nil || change?.effect == .dropped)
        } else {
            #expect(change?.effect == .carried && said.isEmpty, "\(step)")
        }
    }

    @Test(
        "Many rows in place behind a row, and the removal behind them, take time that grows with their number",
        .timeLimit(.minutes(3)))
    func chain() throws {
        let rows = (0..<60).map { "- {id: r\($0), from: app/n, do: [{rename: {k\($0): k\($0 + 1)}}]}" }
        let tried = try tried(
            (["- {id: r, from: app/s, to: app/n}"] + rows + [
                "- {id: last, from: app/n, do: [{remove: [k60]}]}", "- {id: rm, remove: [app/s]}",
            ])
            .joined(separator: "\n"), #"{"s":{"k0":"A","b":"B"}}"#)
        let change = try #require(try tried.plan().steps.last?.changes.first)
        #expect(change.notes.contains { $0.contains("k0 of it is taken on by nothing") }, "\(change)")
    }
}
