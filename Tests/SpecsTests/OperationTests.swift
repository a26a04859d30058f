import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import TestSupport
import Testing

@testable import Specs

@Suite("The table of operations")
struct OperationTests {
    static func chain(_ written: String) throws -> [SpecOperation] {
        let (operations, problems) = try read(written)
        #expect(problems == [], "\(written)")
        return operations
    }

    static func read(_ written: String) throws -> (operations: [SpecOperation], problems: [SpecProblem]) {
        let text = SpecText(Data("do: [\(written)]".utf8))
        let root = try #require(text.root, "\(text.problems)")
        guard case .mapping(let members) = root.content else { return ([], []) }
        var reader = SpecReader()
        let operations = reader.operations(members[0].value, of: "do")
        return (operations, text.problems + reader.problems)
    }

    static func value(_ json: String) throws -> Value { try JSONDocument(Data(json.utf8)).value }

    static func apply(_ operations: [SpecOperation], to value: Value, _ facts: [FactName: String] = [:]) throws -> Value
    {
        let facts = Facts(facts.mapValues { Fact($0, from: "the test") })
        var draft: any Draft = ValueDraft(value, facts: facts)
        try operations.apply(to: &draft, SpecFacts(definitions: [:], facts: facts))
        return draft.value
    }

    @Test("Every operation does what its example says", arguments: OperationTable.all.map(\.name))
    func example(name: String) throws {
        let example = try #require(OperationTable[name]).example
        let written = example.written.contains(":") ? "{\(example.written)}" : example.written
        let operations = try Self.chain(written)
        #expect(operations.count == 1)
        let after = try Self.apply(operations, to: try Self.value(example.before), example.facts)
        #expect(after.isEquivalentJSON(to: try Self.value(example.after)), "\(after)")
    }

    @Test(
        "A table of pairs takes texts, numbers and flags, in JSON too, whose keys are texts",
        arguments: [
            ("1", "\"one\""), ("true", "\"yes\""), ("1.5", "\"more\""), ("\"1\"", "\"text\""),
        ])
    func pairs(old: String, new: String) throws {
        let before = try Self.value(old), after = try Self.value(new)
        let all = #"{"table": [[1, "one"], [true, "yes"], [1.5, "more"], ["1", "text"]]}"#
        #expect(try Self.apply(try Self.chain(all), to: before) == after)
        let chain = try Self.chain(#"{"table": [[1, "one"], [true, "yes"], ["1", "text"]]}"#)
        guard old != "1.5" else { return }
        #expect(chain[0].inverse == .exact && chain[0].back?(after) == before)
    }

    @Test(
        "A fraction is one in a table in whatever form it is stored, and a whole number that is stored as a real one is named"
    )
    func realsOfTables() throws {
        let fractions = try Self.chain(#"{"table": [[1.5, "more"], [2, "two"]]}"#)
        for real in [Real(1.5), Real(1.5, form: .single), Real(1.5, form: .literal("1.50"))] {
            #expect(try Self.apply(fractions, to: .real(real)) == .string("more"))
        }
        // How it was stored, the text does not tell.
        #expect(fractions[0].inverse == .complement)
        for (table, value, type) in [
            ("{table: {1: one}}", .real(Real(1)), "an integer"),
            // It is none of the others, as whoever wrote the table would be surprised to learn.
            ("{table: {1: one}, else: none}", .real(Real(1, form: .literal("1e0"))), "an integer"),
            ("{table: [[1.0, one]], else: none}", .integer(1), "a real number"),
        ] as [(String, Value, String)] {
            #expect {
                try Self.apply(try Self.chain(table), to: value)
            } throws: { error in
                let reason = (error as? StepStop)?.outcome.reason
                return reason?.code == "not-in-table" && reason?.sentence.contains("has it as \(type)") == true
            }
        }
        let problem = try #require(
            Specs.problems(ofSteps: "- {id: a, from: defaults://a/b, do: [{table: {1.5: x}}], to: defaults://a/c}")
                .first)
        #expect(problem.fix.contains("[[1.5, one]]"), "\(problem)")
    }

    @Test("A spec in JSON says a table of integers by pairs, and is told so where it does not")
    func pairsInJSON() throws {
        func text(_ table: String) -> String {
            """
            {"vestige": "migration/1", "id": "t", "steps": [{"id": "a", "from": "defaults://c.a/a", "type": "integer",
             "do": [{"table": \(table)}], "to": "defaults://c.a/b"}]}
            """
        }
        let spec = try Specs.read(Data(text(#"[[1, "one"], [2, "two"]]"#).utf8))
        #expect(try Tried(spec, [("defaults://c.a/a", .integer(2))]).plan().steps[0].changes[0].after == .string("two"))
        let keys = try #require(Specs.problems(text(#"{"1": "one"}"#)).first)
        #expect(keys.code == .operand && keys.fix.contains("table: [[1, one]]"), "\(keys)")
        for wrong in ["[1, 2]", "[[1]]", "[[1, 2, 3]]", "[[[1], 2]]", "[[1, 2], [1, 3]]", "[]"] {
            let problems = Specs.problems(text(wrong))
            #expect(problems.count == 1 && problems[0].place.line == 2, "\(wrong): \(problems)")
        }
    }

    @Test(
        "An operation that has no result says why, by a code of the table",
        arguments: [
            ("number", #""12a""#, "not-a-number"), ("number", #""""#, "not-a-number"), ("number", "5", "wrong-type"),
            ("{round: down}", "1e300", "out-of-range"),
            ("{scale: {times: 170141183460469231731687303715884105727}}", "2", "overflow"),
            (#"{strip: {prefix: "x"}}"#, #""ab""#, "no-prefix"), (#"{strip: {suffix: "x"}}"#, #""ab""#, "no-suffix"),
            (#"{fill: "{a}"}"#, "{}", "field-missing"), ("{table: {a: 1}}", #""b""#, "not-in-table"),
            ("{decode: json}", #""{""#, "not-json"), ("{decode: base64}", #""§""#, "not-base64"),
            ("{encode: base64}", "5", "not-base64"), ("{encode: property-list}", "{\"a\":null}", "not-property-list"),
            ("{pick: a}", "{}", "field-missing"), ("{add: {a: 1}}", #"{"a":2}"#, "field-exists"),
            ("{rename: {a: b}}", "{}", "field-missing"), ("{rename: {a: b}}", #"{"a":1,"b":2}"#, "edit-impossible"),
            ("{move: {a: b}}", #"{"a":1,"b":2}"#, "field-exists"), ("{in: {a: [not]}}", "{}", "field-missing"),
            ("first", "[]", "empty-list"), (#"{split: {at: " ", into: [a, b]}}"#, #""x""#, "too-few-parts"),
            ("{time: {from: iso8601, to: seconds}}", #""yesterday""#, "not-a-time"), ("trim", "5", "wrong-type"),
            ("{each: [not]}", "[true, 5]", "wrong-type"),
        ])
    func failures(written: String, before: String, code: String) throws {
        let operations = try Self.chain(written)
        do {
            let result = try Self.apply(operations, to: try Self.value(before))
            Issue.record("\(written) made \(result)")
        } catch let stop as StepStop {
            #expect(stop.outcome.reason?.code == code, "\(stop)")
            let known = OperationTable.all.flatMap(\.errors) + ["wrong-type"]
            #expect(known.contains(code), "the table names it")
        }
    }

    @Test(
        "nearest takes a half away from zero, as Swift's rounded() does; nearest-even takes it to the even number",
        arguments: [0.5, 1.5, 2.5, 14.5, -0.5, -2.5, 2.4, 2.6])
    func halves(number: Double) throws {
        func rounded(_ way: String) throws -> Value? {
            let spec = try Specs.spec(
                "- {id: a, from: \"defaults://a/b\", type: real, do: [{round: \(way)}], to: \"defaults://a/c\"}")
            var tried = try Tried(spec, [("defaults://a/b", .real(number))])
            try tried.applyAll()
            return tried["defaults://a/c"]
        }
        #expect(try rounded("nearest") == .integer(Int128(number.rounded())))
        #expect(try rounded("nearest-even") == .integer(Int128(number.rounded(.toNearestOrEven))))
    }

    @Test(
        "Times are exact as long as they are whole microseconds, and rounded toward zero after that",
        arguments: [
            ("seconds", "milliseconds", "1724995000", "1724995000000"),
            ("milliseconds", "seconds", "1724995000500", "1724995000.5"),
            ("milliseconds", "seconds", "1724995000000", "1724995000"),
            ("seconds", "milliseconds", "1.0009", "1000"), ("microseconds", "milliseconds", "1999", "1"),
            ("seconds", "apple-seconds", "978307200", "0"), ("apple-seconds", "seconds", "0", "978307200"),
            ("seconds", "iso8601", "0", #""1970-01-01T00:00:00Z""#),
            ("iso8601", "milliseconds", #""2024-08-30T08:40:00.25+02:00""#, "1725000000250"),
            ("seconds", "uptime-milliseconds", "1724995000", "5000000"),
            ("uptime-seconds", "seconds", "10", "1724990010"),
        ])
    func times(from: String, to: String, before: String, after: String) throws {
        let operations = try Self.chain("{time: {from: \(from), to: \(to)}}")
        let facts: [FactName: String] = [.now: "1725000000", .uptime: "10000"]
        #expect(try Self.apply(operations, to: Self.value(before), facts) == Self.value(after))
    }

    @Test(
        "What a time loses on its way to another form is told: what is too fine for it, and the offset from UTC",
        arguments: [
            ("iso8601", "date", #""2024-08-30T06:40:00.1234567Z""#, "less than a microsecond"),
            ("iso8601", "seconds", #""2024-08-30T08:40:00+02:00""#, "the offset +02:00"),
            ("iso8601", "iso8601", #""2024-08-30T08:40:00+02:00""#, "the offset +02:00"),
            ("iso8601", "date", #""2024-08-30T06:40:00.1230000Z""#, nil),
            ("iso8601", "date", #""2024-08-30T06:40:00+00:00""#, nil),
            ("seconds", "milliseconds", "1724995000.1234", "milliseconds are too coarse"),
            ("seconds", "milliseconds", "1724995000.123", nil), ("seconds", "date", "1724995000.1234567", nil),
            ("microseconds", "milliseconds", "1724995000123456", "milliseconds are too coarse"),
        ] as [(String, String, String, String?)])
    func lostOfTimes(from: String, to: String, before: String, note: String?) throws {
        let facts = Facts()
        var draft: any Draft = ValueDraft(try Self.value(before), facts: facts)
        try Self.chain("{time: {from: \(from), to: \(to)}}").apply(
            to: &draft, SpecFacts(definitions: [:], facts: facts))
        #expect(draft.losesPart == (note != nil))
        #expect(note.map { draft.notes.joined().contains($0) } ?? draft.notes.isEmpty, "\(draft.notes)")
    }

    @Test("Seconds with a fraction are the milliseconds that are meant, whatever their fraction is in binary")
    func wholeMilliseconds() throws {
        let operations = try Self.chain("{time: {from: seconds, to: milliseconds}}")
        for milliseconds in stride(from: 1_724_995_000_000, to: 1_724_995_002_000, by: 7) {
            let made = try Self.apply(operations, to: .real(Double(milliseconds) / 1000))
            #expect(made == .integer(Int128(milliseconds)))
        }
    }

    @Test(
        "Members are renamed, moved and copied all at once, as a mapping means all of them",
        arguments: [
            ("{rename: {a: b, b: c}}", #"{"a":1,"b":2}"#, #"{"b":1,"c":2}"#),
            ("{rename: {a: b, b: a}}", #"{"a":1,"x":0,"b":2}"#, #"{"b":1,"x":0,"a":2}"#),
            ("{rename: {a: b, b: c}}", #"{"a":1}"#, nil), ("{rename: {a: a}}", #"{"a":1}"#, #"{"a":1}"#),
            ("{rename: {a: aside, aside: a}}", #"{"a":1,"aside":2}"#, #"{"aside":1,"a":2}"#),
            ("{move: {a: b, b: a}}", #"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#),
            ("{move: {a: b/x, b: a/y}}", #"{"a":1,"b":2}"#, #"{"b":{"x":1},"a":{"y":2}}"#),
            ("{move: {a: b, b: c}}", #"{"a":1}"#, nil), ("{copy: {a: b, b: c}}", #"{"a":1}"#, nil),
            ("{copy: {a: b, c: d}}", #"{"a":1,"c":2}"#, #"{"a":1,"c":2,"b":1,"d":2}"#),
            ("{rename: {a: b, c: aside, b: d}}", #"{"a":1,"b":2,"c":3}"#, #"{"b":1,"d":2,"aside":3}"#),
            ("{move: {b: aside, a: b}}", #"{"a":1,"b":2}"#, #"{"aside":2,"b":1}"#),
            ("{move: {l/0: l/3, l/3: l/0}}", #"{"l":[0,1,2,3]}"#, #"{"l":[3,1,2,0]}"#),
            ("{move: {l/0: l/1, l/1: l/2, l/2: l/0}}", #"{"l":[0,1,2]}"#, #"{"l":[2,0,1]}"#),
            ("{move: {l/0: first, l/1: second}}", #"{"l":[1,2,3]}"#, #"{"l":[3],"first":1,"second":2}"#),
            ("{move: {l/2: c, l/0: a}}", #"{"l":[1,2,3]}"#, #"{"l":[2],"a":1,"c":3}"#),
            ("{remove: [l/0, l/1]}", #"{"l":[1,2,3,4]}"#, #"{"l":[3,4]}"#),
            ("{remove: [l/10, l/9]}", #"{"l":[0,1,2,3,4,5,6,7,8,9,10,11]}"#, #"{"l":[0,1,2,3,4,5,6,7,8,11]}"#),
        ] as [(String, String, String?)])
    func together(written: String, before: String, after: String?) throws {
        let operations = try Self.chain(written), old = try Self.value(before)
        guard let after else {
            #expect(throws: StepStop.self) { try Self.apply(operations, to: old) }
            return
        }
        let made = try Self.apply(operations, to: old)
        #expect(made.isEquivalentJSON(to: try Self.value(after)), "\(made)")
        if operations.inverse == .exact { #expect(operations.back(made) == old) }
    }

    @Test(
        "What is no base64 is not read as such",
        arguments: [
            ("YWJj", "abc"), ("YW\nJj\n", "abc"), ("----YWJj", nil), ("2024-08-30", nil), ("YWJ", nil), ("YW=J", nil),
        ] as [(String, String?)])
    func base64(text: String, held: String?) {
        let made = try? Self.apply(Self.chain("{decode: base64}"), to: .string(text))
        #expect(made == held.map { .data(Data($0.utf8)) })
    }

    /// A value of every kind.
    private static let kinds: [Value] = [
        .string("2024-08-30T06:40:00Z"), .string("12"), .string(""), .integer(3), .integer(Int128.max), .real(1.5),
        .real(Real(.nan)), .real(Real(.infinity)), .real(-0.0), .bool(true), .date(Timestamp(secondsSinceEpoch: 5)),
        .date(Timestamp(secondsSinceReference: .nan)), .data(Data([0xFF, 0])), .data(Data()), .array([]),
        .array([.null, .integer(1)]), .dictionary(Members()), .dictionary([("a", .integer(1)), ("b", .null)]), .null,
        .uid(3),
    ]

    @Test(
        "An operation refuses every type that it does not take, gives what it says of the others, and takes back what is exact",
        arguments: OperationTable.all.map(\.name))
    func everyType(name: String) throws {
        let definition = try #require(OperationTable[name]), example = definition.example
        let operations = try Self.chain(example.written.contains(":") ? "{\(example.written)}" : example.written)
        for value in Self.kinds + [try Self.value(example.before)] {
            let kind = ValueKinds(of: value)
            do {
                let made = try Self.apply(operations, to: value, example.facts)
                #expect(definition.takes.contains(kind), "\(value) became \(made)")
                #expect(operations[0].gives(kind).contains(ValueKinds(of: made)), "\(value) became \(made)")
                if operations.inverse == .exact { #expect(operations.back(made) == value, "\(value) became \(made)") }
            } catch let stop as StepStop {
                let code = stop.outcome.reason?.code
                #expect(definition.takes.contains(kind) || code == "wrong-type", "\(value): \(stop)")
                #expect(code.map { (definition.errors + ["wrong-type"]).contains($0) } ?? false, "\(value): \(stop)")
            }
        }
    }

    @Test("A time before the last start of the device has no uptime")
    func beforeBoot() throws {
        let operations = try Self.chain("{time: {from: seconds, to: uptime-seconds}}")
        do {
            _ = try Self.apply(operations, to: .integer(1_724_989_999), [.now: "1725000000", .uptime: "10000"])
            Issue.record("it has one")
        } catch let stop as StepStop {
            #expect(stop.outcome.reason?.code == "before-boot")
        }
    }

    @Test("A keyed archive that is written reads as the value")
    func keyedArchive() throws {
        let value = Value.dictionary([
            ("name", .string("Ada")), ("tags", .array([.string("Ada"), .integer(5), .bool(true), .real(1.5)])),
            ("when", .date(Timestamp(secondsSinceEpoch: 1))), ("none", .dictionary([])),
        ])
        let data = try Self.apply(try Self.chain("{encode: keyed-archive}"), to: value)
        #expect(try Self.apply(try Self.chain("{decode: keyed-archive}"), to: data) == value)
    }

    @Test("each writes the whole once, however many items there are, and works on each of them")
    func eachWritesOnce() throws {
        let operations = try Self.chain("{each: [{add: {a: 1}}, {rename: {b: c}}]}")
        for count in [1, 16, 256] {
            let items = (0..<count).map { Value.dictionary([("b", .integer(Int128($0)))]) }
            let facts = Facts(), writes = WriteCount()
            var draft: any Draft = CountingDraft(ValueDraft(.array(items), facts: facts), writes)
            try operations.apply(to: &draft, SpecFacts(definitions: [:], facts: facts))
            guard case .array(let made) = draft.value else {
                Issue.record("it is no array")
                return
            }
            #expect(made.map { $0.members?["c"] } == (0..<count).map { .integer(Int128($0)) })
            #expect(writes.count == 1, "\(count) items")
        }
    }
}

/// How often a draft is written.
private final class WriteCount: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock(\.self) }
    func add() { number.withLock { $0 += 1 } }
}

/// A draft that counts how often its whole is written.
private struct CountingDraft: Draft {
    private var draft: ValueDraft
    private let writes: WriteCount

    init(_ draft: ValueDraft, _ writes: WriteCount) { (self.draft, self.writes) = (draft, writes) }

    var value: Value { draft.value }
    var facts: Facts { draft.facts }
    var placeholders: [JSONPointer] {
        get { draft.placeholders }
        set { draft.placeholders = newValue }
    }
    var origins: PartOrigins {
        get { draft.origins }
        set { draft.origins = newValue }
    }
    var replacesValues: Bool {
        get { draft.replacesValues }
        set { draft.replacesValues = newValue }
    }
    var losesPart: Bool {
        get { draft.losesPart }
        set { draft.losesPart = newValue }
    }
    var notes: [String] {
        get { draft.notes }
        set { draft.notes = newValue }
    }
    var allowance: Allowance {
        get { draft.allowance }
        set { draft.allowance = newValue }
    }
    mutating func replace(_ pointer: JSONPointer, with value: Value?) throws(FormatError) {
        writes.add()
        try draft.replace(pointer, with: value)
    }
    mutating func replaceParts(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) {
        writes.add()
        try draft.replaceParts(parts)
    }
    mutating func renameMembers(of pointer: JSONPointer, _ keys: [Name: Name]) throws(FormatError) {
        writes.add()
        try draft.renameMembers(of: pointer, keys)
    }
}

/// Random chains of exact operations, each with values that it takes.
@Suite("The laws of operations")
struct OperationLawTests {
    /// Exact operations as they are written, and the values that they take.
    static let exact: [(written: String, takes: ValueKinds)] = [
        ("text", .number), ("not", .bool), ("list", .any), ("{wrap: w}", .any), ("{rename: {a: r}}", .dictionary),
        ("{add: {new: 5, other: x}}", .dictionary), ("{copy: {a: twin}}", .dictionary), ("{encode: json}", .any),
        ("{split: x}", .string), ("{table: {one: 1, two: 2}}", .string),
        ("{each: [{wrap: e}]}", [.array, .dictionary]),
        ("{in: {a: [list, {wrap: deep}]}}", .dictionary), ("{encode: utf8}", .string), ("{encode: base64}", .data),
        ("{encode: hex}", .data),
    ]

    static func value(_ generator: inout SeededGenerator, depth: Int = 0) -> Value {
        switch Int.random(in: 0..<(depth < 3 ? 7 : 4), using: &generator) {
        case 0: return .integer(Int128(Int64.random(in: .min ... .max, using: &generator)))
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .string(["one", "two", "xaxbx", "", "é", "{}"].randomElement(using: &generator) ?? "")
        case 3: return .real(Double(Int.random(in: -1000...1000, using: &generator)) / 8)
        case 4:
            return .array(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(&generator, depth: depth + 1) })
        default:
            let keys: [Name] = ["a", "b", "é"].shuffled(using: &generator)
            return .dictionary(
                Members(
                    keys.prefix(Int.random(in: 0...3, using: &generator)).map {
                        Member(key: $0, value: value(&generator, depth: depth + 1))
                    }))
        }
    }

    /// What keeps a chain from giving a value back; `nil` where it gives it back, or has no result for it.
    static func violation(_ written: [String], _ value: Value) throws -> String? {
        let chain = try written.flatMap(OperationTests.chain)
        guard let made = try? OperationTests.apply(chain, to: value) else { return nil }
        guard chain.inverse == .exact else { return "it is not exact" }
        guard let back = chain.back(made) else { return "\(made) gives nothing back" }
        return back == value ? nil : "\(made) gives back \(back)"
    }

    @Test("A chain of exact operations gives its value back", arguments: 0..<20)
    func giveBack(round: Int) throws {
        let seed = UInt64(round) &* 7919 &+ 17
        var generator = SeededGenerator(seed: seed), tried = 0
        for _ in 0..<150 {
            let value = Self.value(&generator)
            var chain: [String] = [], now = value
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let fitting = Self.exact.filter { $0.takes.contains(ValueKinds(of: now)) }
                guard let next = fitting.randomElement(using: &generator),
                    let made = try? OperationTests.apply(OperationTests.chain(next.written), to: now)
                else { break }
                (now, chain) = (made, chain + [next.written])
            }
            guard !chain.isEmpty else { continue }
            tried += 1
            guard var violation = try Self.violation(chain, value) else { continue }
            // The shortest chain that still shows it.
            var index = 0
            while index < chain.count {
                var shorter = chain
                shorter.remove(at: index)
                if !shorter.isEmpty, let smaller = try Self.violation(shorter, value) {
                    (chain, violation) = (shorter, smaller)
                } else {
                    index += 1
                }
            }
            Issue.record("seed \(seed): do: [\(chain.joined(separator: ", "))] on \(value): \(violation)")
            return
        }
        #expect(tried > 50)
    }

    @Test("A chain never changes the value that it was given, and does the same each time")
    func pure() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let value = Self.value(&generator), copy = value
            for (written, takes) in Self.exact where takes.contains(ValueKinds(of: value)) {
                let chain = try OperationTests.chain(written)
                let first = try? OperationTests.apply(chain, to: value)
                #expect(first == (try? OperationTests.apply(chain, to: value)), "\(written)")
                #expect(value == copy)
            }
        }
    }
}
