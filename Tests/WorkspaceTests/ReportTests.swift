import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Reports
@testable import Workspace

@Suite("Reports")
struct ReportTests {
    static let migration = TestMigration()

    /// The JSON of one part of a report.
    private static func json(_ value: some Encodable) throws -> String {
        try JSONSink.collected { write in
            let sink = JSONSink(write)
            try ReportEncoder.write(value, to: sink, depth: 0)
            try sink.flush()
        }
    }

    @Test(
        "A report shows no character that could change how the text around it looks",
        arguments: [
            ("a\u{202E}b", #""a\u202eb""#), ("\u{9B}31m", #""\u009b31m""#), ("\u{1B}[0m\0", #""\u001b[0m\u0000""#),
            ("\u{200B}\u{FEFF}", #""\u200b\ufeff""#), ("\"\\\n\t\r", #""\"\\\n\t\r""#), ("é中🎉", #""é中🎉""#),
            ("\u{E0041}", #""\udb40\udc41""#), ("\u{2028}\u{7F}", #""\u2028\u007f""#),
            ("\u{61C}\u{2066}", #""\u061c\u2066""#),
        ])
    func escapes(text: String, json: String) throws {
        let printed = try Self.json(text)
        #expect(printed == json)
        #expect(try JSONDocument(Data("[\(printed)]".utf8)).value == .array([.string(text)]))
    }

    /// A list that is written as one, or each element apart.
    private struct Numbers: WrittenApart {
        let count: Int

        func write(_ position: Int, to sink: JSONSink, depth: Int) throws {
            struct Refused: Error {}
            if position == 999 { throw Refused() }
            try ReportEncoder.write(element(position), to: sink, depth: depth)
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            for position in 0..<count { try list.encode(element(position)) }
        }
        private func element(_ position: Int) -> [String] { Array(repeating: "\(position)", count: position % 5) }
        /// The same elements, of which nothing is made apart.
        var all: [[String]] { (0..<count).map(element) }
    }

    @Test("A list whose elements are made on several cores is written as any other, and an error in one ends it")
    func writtenApart() throws {
        for count in [0, 1, 2, 7, 8, 9, 200] {
            #expect(try Self.json(Numbers(count: count)) == Self.json(Numbers(count: count).all), "\(count)")
        }
        #expect(throws: (any Error).self) { try Self.json(Numbers(count: 2000)) }
    }

    @Test(
        "Each type of value has its own form",
        arguments: [
            (.integer(Int128(UInt64.max) + 1), #"{"type": "integer", "value": 18446744073709551616}"#),
            (.real(1), #"{"type": "real", "value": 1.0}"#), (.real(.nan), #"{"type": "real", "value": "nan"}"#),
            (.real(Real(100, form: .literal("1e2"))), #"{"type": "real", "value": 1e2}"#),
            (.bool(true), #"{"type": "bool", "value": true}"#), (.null, #"{"type": "null", "value": null}"#),
            (.data(Data([1, 2])), #"{"type": "data", "value": "AQI="}"#), (.uid(7), #"{"type": "uid", "value": 7}"#),
            (.date(Timestamp(secondsSinceReference: 0)), #"{"type": "date", "value": "2001-01-01T00:00:00Z"}"#),
            (
                .date(Timestamp(secondsSinceReference: .infinity)),
                #"{"type": "date", "value": null, "secondsSinceReference": "inf"}"#
            ),
            (.set(SetElements([.bool(false)])), #"{"type": "set", "value": [ {"type": "bool", "value": false} ]}"#),
            (
                .dictionary([("a", .null), ("a", .bool(true))]),
                #"{"type": "dictionary", "value": {"a": {"type": "null", "value": null}, "a": {"type": "bool", "value": true}}, "duplicateKeys": ["a"]}"#
            ),
            (
                .string(#"{"n":1}"#),
                #"{"type": "string", "value": "{\"n\":1}", "decoded": {"format": "JSON", "value": {"type": "dictionary", "value": {"n": {"type": "integer", "value": 1}}}}}"#
            ),
            (.array([]), #"{"type": "array", "value": []}"#),
        ] as [(Value, String)])
    func valueForms(value: Value, json: String) throws {
        let written = try Self.json(Showing()(value, at: .defaults("a", "b")))
        // Compared without layout, which the printer adds.
        let compact = { (text: String) in text.replacing(/\s+(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/, with: "") }
        #expect(compact(written) == compact(json))
    }

    @Test("Formats inside formats that share their content have one budget, and what is left out of a report is told")
    func budget() throws {
        var bomb = Value.string("x")
        for _ in 0..<12 { bomb = .data(try BinaryPropertyList.write(.array(Array(repeating: bomb, count: 200)))) }
        for reveals in [false, true] {
            let showing = Showing(Masking(isRevealing: reveals))
            let json = try Self.json(showing(bomb, at: .defaults("a", "b")))
            #expect(showing.budget.show.isExceeded)
            #expect(json.contains(#""notDecoded": "the binary property list in it is left out"#))
            #expect(json.utf8.count < 100_000_000)
        }
    }

    @Test("The entries of one answer have one budget, and what is over it is told; one value that many share is one")
    func sharedBudget() throws {
        let budget = AnswerBudget(Limits(bytes: 5000)), showing = Showing(Masking(), within: budget)
        let texts = (0..<4).map { "\($0) " + String(repeating: "a plain text ", count: 160) }
        let json = try texts.map { try Self.json(showing(.string($0), at: .defaults("a", "b"))) }
        #expect(json.map { $0.contains("notSearched") } == [false, false, true, true])
        #expect(json.map { $0.contains("plain text") } == [true, true, false, false])
        #expect(showing(.string(texts[0]), at: .defaults("a", "b")).summary.contains("plain text"))
        #expect(showing(.string(texts[3]), at: .defaults("a", "b")).summary.contains("not looked into"))
        let lines = showing.masking.treeLines(of: .array(texts.map(Value.string)), at: .defaults("a", "b"))
        #expect(lines.map { $0.text.contains("not looked into") } == [false, false, false, true, true])
        let list = Value.string("[1, 2, 3]"), other = Showing(Masking(), within: AnswerBudget(Limits(nodes: 10)))
        let decoded = try (0..<4).map { _ in try Self.json(other(list, at: .defaults("a", "b"))).contains("decoded\"") }
        #expect(decoded == [true, true, false, false])
    }

    @Test("A masked value shows type and length; revealing shows it; decoded parts are masked each by itself")
    func masking() throws {
        let address = Address.defaults("a", "traits"), value = Value.string(#"{"email":"b@c.de","city":"Ulm"}"#)
        let masked = try Self.json(Showing()(value, at: address))
        #expect(!masked.contains("b@c.de"))
        #expect(masked.contains("Ulm"))
        #expect(masked.contains("\"masked\": true,\n  \"length\": 31"))
        let revealed = try Self.json(Showing(Masking(isRevealing: true))(value, at: address))
        #expect(revealed.contains("b@c.de"))
    }

    @Test("The decoded form of a keychain item is not shown")
    func keychain() throws {
        let address = Address(store: .keychain("s"), key: "k"), value = Value.data(Data(#"{"city":"Ulm"}"#.utf8))
        #expect(try !Self.json(Showing()(value, at: address)).contains("Ulm"))
        #expect(
            try Self.json(Showing(Masking(isRevealing: true))(value, at: address))
                .contains("Ulm"))
    }

    @Test("A value of any depth is written without end of the stack")
    func depth() throws {
        var value = Value.string("x")
        for _ in 0..<2_000 { value = .array([value]) }
        let text = try Self.json(Showing()(value, at: .defaults("a", "b")))
        #expect(text.contains("tooDeep"))
        #expect(Secrets.isSecret(value, at: .defaults("a", "b")), "what is not looked into may be secret")
    }

    @Test("The plan has the form of the contract")
    func plan() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Facts(["writeKey": Fact("wk-1a2b3c", from: "--fact")]))
        try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        let plan = workspace.plan(Self.migration, profile: Self.migration.plain)
        var masking = Masking()
        masking.secrecy.note(naming: [FactDefinition("writeKey", "a write key", form: .name, example: "wk")])
        let report = PlanReport(
            Plan(
                of: Self.migration, profile: Self.migration.plain, facts: plan.facts, stores: workspace.container,
                history: workspace.snapshot.history, check: {}),
            of: Self.migration, in: workspace.snapshot, Showing(masking))
        let document = try JSONDocument(Data(try report.json.utf8)).value
        #expect(
            document.members?.map(\.key) == [
                "format", "migration", "profile", "fingerprint", "dump", "facts", "drift", "departures", "steps",
                "summary",
                "effects",
            ])
        #expect(
            document[try #require(JSONPointer(parsing: "/dump"))]
                == .dictionary([
                    ("kind", .string("container")), ("bundleIdentifier", .string("com.acme.notes")),
                ]))
        #expect(
            document[try #require(JSONPointer(parsing: "/facts/writeKey"))]
                == .dictionary([("value", .string("wk-1a2b3c")), ("from", .string("--fact"))]))
        #expect(
            document[try #require(JSONPointer(parsing: "/steps/0"))]
                == .dictionary([
                    ("id", .string("id")), ("title", .string("Identifier")), ("status", .string("applied")),
                    ("outcome", .string("unchanged")), ("reason", .null), ("reversible", .string("exact")),
                    (
                        "changes",
                        .array([
                            .dictionary([
                                ("action", .string("add")), ("effect", .string("carried")),
                                ("address", .string("defaults://com.acme.notes.new/id")),
                                ("from", .array([.string("defaults://com.acme.notes/old_id")])),
                                ("dropped", .array([])),
                                ("before", .null),
                                ("after", .dictionary([("type", .string("string")), ("value", .string("u-42"))])),
                                ("rule", .string("copied")), ("notes", .array([.string("kept\0whole")])),
                                ("placeholders", .array([])),
                            ])
                        ])
                    ), ("conflict", .null),
                ]))
        #expect(
            document[try #require(JSONPointer(parsing: "/steps/1/reason/missingFacts"))] == .array([.string("now")]))
        #expect(
            document[try #require(JSONPointer(parsing: "/summary"))]
                == .dictionary([
                    ("migrates", .integer(2)), ("skipped", .integer(0)), ("blocked", .integer(2)),
                    ("conflict", .integer(0)),
                    ("failed", .integer(0)), ("unchanged", .integer(1)),
                ]))
    }

    @Test("Every report is JSON with its format and the fields of its version")
    func fields() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: WorkspaceTests.now)
        let applied = try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        let rolledBack = try workspace.rollback(.last, stamp: .test)
        let exported = try workspace.export(to: folder("out"))
        let verified = try workspace.verify([Self.migration])
        let snapshot = workspace.snapshot, plan = workspace.plan(Self.migration, profile: Self.migration.plain)
        let showing = Showing()
        let reports: [(any Report, String)] = [
            (
                PlansReport([(Self.migration, plan)], unknown: [], in: snapshot, showing),
                "plans dump drift migrations unknown collisions others"
            ),
            (InspectReport(snapshot.dump), "inspect kind path warnings drift containers"),
            (
                StatusReport(snapshot, plans: [plan], unknown: [], showing),
                "status dump ledger drift migrations unknown others elsewhere"
            ),
            (LogReport(snapshot, showing), "log dump ledger drift entries"),
            (
                VerifyReport(verified, in: snapshot, showing),
                "verify dump result passed ledger isExport checked findings elsewhere"
            ),
            (
                ExportReport(exported, in: snapshot, beside: .init("/out", problem: "it was stopped"), Masking()),
                "export dump ledger target report archive copied rewritten added removed skipped withoutFile leftover removedLeftovers "
                    + "keptLeftovers"
            ),
            (MigrationsReport([Self.migration], withSteps: true), "migrations migrations"),
            (
                ApplyReport(applied, of: Self.migration, profile: Self.migration.plain, in: snapshot, showing),
                "apply dump migration profile steps"
            ),
            (RollbackReport(rolledBack, drift: [], in: snapshot, showing), "rollback dump drift steps"),
            (ShowReport(.defaults("com.acme.notes", "old_id"), in: snapshot), "show dump address state value drift"),
            (
                ShowReport(Address(store: .defaults("com.acme.notes")), in: snapshot),
                "show dump address problem count entries drift"
            ),
        ]
        for (report, expected) in reports {
            let members = try #require(try JSONDocument(Data(try report.json.utf8)).value.members)
            let names = expected.split(separator: " ").map(String.init)
            #expect(members["format"] == .string("vestige.\(names[0])/1"))
            #expect(members.map(\.key) == ["format"] + names.dropFirst().map { Name($0) })
            // Every answer can be read, and sent on, too.
            #expect(!report.document.text().isEmpty)
            #expect(
                report.document.markdown().hasSuffix("\n") && report.document.html(title: "t").hasSuffix("</html>\n"))
        }
    }

    @Test("The log has a line for each entry, with who, when and what was read")
    func log() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace()
        try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        try workspace.rollback(.last, stamp: .test)
        let log = try JSONDocument(Data(try LogReport(workspace.snapshot, Showing()).json.utf8)).value
        func field(_ pointer: String) -> Value? { JSONPointer(parsing: "/entries/" + pointer).flatMap { log[$0] } }
        #expect(field("0/event") == .string("applied"))
        #expect(field("0/date") == .string("2026-05-09T06:13:20.125Z"))
        #expect(
            field("0/digests")?.members?.map(\.key) == [
                "Library/Preferences/com.acme.notes.new.plist", "Library/Preferences/com.acme.notes.plist",
            ])
        #expect(field("0/digests")?.members?.first?.value == .string("absent"))
        #expect(field("1/event") == .string("rolled-back"))
        #expect(field("1/takesBack") == .integer(1))
        #expect(field("1/changes/0/action") == .string("remove"))
    }

    @Test("Of what a document says nothing acts on the page that it is drawn on")
    func pages() {
        var document = Document()
        document.heading("<b>*x*</b>\n# y")
        document.field("why", "a & [link](http://x) `code`")
        document.value(Showing()(.string("```\n</pre><script>"), at: .defaults("a", "b")))
        #expect(document.markdown().contains(##"## \<b\>\*x\*\</b\>␊\# y"##))
        #expect(document.markdown().contains("````\n\"```␊</pre><script>\"\n````"))
        let page = document.html(title: "<t>")
        #expect(page.contains("<title>&lt;t&gt;</title>") && page.contains("&lt;/pre&gt;&lt;script&gt;"))
        #expect(!page.contains("<script") && !page.contains("<b>*x*"))
    }

    @Test("The status of an answer is the gravest: drift before a problem before what is pending")
    func statuses() {
        #expect(ExitStatus.worst(of: [.pending, .problem, .drift]) == .drift)
        #expect(ExitStatus.worst(of: [.pending, .problem]) == .problem)
        #expect(ExitStatus.worst(of: [.done, .pending]) == .pending)
        #expect(ExitStatus.worst(of: []) == .done)
    }

    @Test("Long texts and data are shown in full where they are asked for")
    func inFull() {
        let text = String(repeating: "x y ", count: 500)
        func lines(_ value: Value) -> [String] {
            Showing()(value, at: .defaults("a", "b")).treeLines.map { ($0.key.map { "\($0): " } ?? "") + $0.text }
        }
        #expect(lines(.string(text)) == ["\"\(text)\""])
        #expect(lines(.dictionary([("k", .string(text))])).last == "k: \"\(text)\"")
        #expect(lines(.data(Data([0xFF, 0, 10]))) == ["data, 3 bytes: ff 00 0a"])
    }
}
