import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing
import Workspace

@testable import Reports

@Suite("A step as a person reads it, on a pane and in text")
struct StepAnswerTests {
    private func step(
        _ id: String, _ fixture: String, _ migration: String, facts: Facts? = nil, _ masking: Masking = Masking()
    ) throws -> Document {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture(fixture)), facts: facts ?? GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first { $0.id == migration }), snapshot = workspace.snapshot
        let plan = snapshot.plan(migration, profile: try migration.profile(named: nil))
        return StepAnswer(
            try #require(plan.steps.first { $0.id == id }), facts: plan.facts, definitions: migration.facts,
            now: snapshot.overlay, found: snapshot.container, masking.naming(migration)
        ).document
    }

    private func text(_ document: Document, _ width: Int?) -> [String] {
        document.lines(width: width).map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    @Test("where a fact is from goes on below where a pane has no room for it, and is cut nowhere")
    func facts() {
        var document = Document()
        let source = "inferred from defaults://com.acme.notes/rs_server_config#/source/_writeKey"
        document.facets("fact", [Run("writeKey ", .key), Run("wk-1"), Run("  \(source)", .dim)])
        func lines(_ width: Int?) -> [String] { document.lines(width: width).map(\.text) }
        #expect(lines(nil) == ["fact  writeKey wk-1  \(source)"] && lines(120) == lines(nil))
        #expect(
            lines(80) == [
                "fact  writeKey wk-1  inferred from",
                "      defaults://com.acme.notes/rs_server_config#/source/_writeKey",
            ])
        for width in 12...100 {
            #expect(lines(width).allSatisfy { Glyphs.unicode.columns($0) <= width })
            let told = lines(width).joined().filter { $0 != " " }
            #expect(told == "factwriteKeywk-1" + source.filter { $0 != " " })
        }
    }

    @Test("What is made from a part of an entry names the part")
    func parts() throws {
        let lines = text(try step("user-id", "notes-legacy.xcappdata", "rudderstack-v2"), nil)
        #expect(lines.contains { $0.hasSuffix("defaults://com.acme.notes/rs_traits#/userId") }, "\(lines)")
        #expect(!lines.contains { $0.hasSuffix("from  defaults://com.acme.notes/rs_traits") }, "\(lines)")
    }

    @Test("One document is drawn beside and below the list, and as text: values, what is dropped, the rule, the facts")
    func widths() throws {
        let document = try step("traits", "notes-legacy.xcappdata", "rudderstack-v2")
        for width in [30, 80, nil] {
            let lines = text(document, width)
            #expect(lines.first == "→ migrates, drops 2 values")
            #expect(lines.contains(width == nil ? "drops  /id" : "drops /id"), "\(lines)")
            #expect(
                lines.contains { $0.contains("age: 30") } && lines.contains { $0.contains("fact  writeKey wk-1a2b3c") })
        }
        #expect(document.lines(width: 80).contains { if case .pair(_, .removed, _) = $0 { true } else { false } })
        #expect(!document.lines(width: 30).contains { if case .pair = $0 { true } else { false } })
        // Sentences are broken between words, and their later lines stand under their first.
        let prose = text(document, 30).filter { $0.hasPrefix("rule  ") || $0.hasPrefix("      ") }
        #expect(prose.count > 2 && prose.allSatisfy { $0.count <= 30 })
        #expect(document.markdown().contains("- *drops* /id") && document.html(title: "t").contains("<pre>rs_traits →"))
    }

    @Test("A long text of an entry is shown to its end, on as many lines as it takes")
    func longText() throws {
        let long = String(repeating: "abcdefghij", count: 30)
        let stores = MemoryStores([(.defaults("d"), ["draft": .string(long)])])
        let document = EntryAnswer(.defaults("d", "draft"), in: stores, is: "a draft", Masking()).document
        let lines = text(document, 40)
        #expect(lines.allSatisfy { $0.count <= 40 } && lines.contains("is    a draft"))
        // Each but the last has the sign that it goes on.
        let pieces = lines.dropFirst(2).map { $0.trimmingPrefix("is    a draft") }.filter { !$0.isEmpty }
        #expect(pieces.count { $0.contains("↪") } == pieces.count - 1 && pieces.count > 1)
        #expect(pieces.joined().replacing("↪", with: "").replacing(" ", with: "") == "\"\(long)\"")
    }

    @Test("Data does not fill a pane with its bytes, which text has")
    func bytes() throws {
        let stores = MemoryStores([(.defaults("d"), ["image": .data(Data(repeating: 0xFE, count: 4000))])])
        let document = EntryAnswer(.defaults("d", "image"), in: stores, is: nil, Masking()).document
        #expect(text(document, 80) == ["defaults://d/image data", "data, 4000 bytes"])
        #expect(document.text().contains("data, 4000 bytes: fe fe"))
    }

    @Test("Nothing is said twice: neither the place and the value of an entry that is source and target, nor a note")
    func once() throws {
        let broken = text(try step("0-1", "person-broken.xcappdata", "person"), nil)
        let place = try #require(broken.first { $0.contains("://") }?.split(separator: " ").first.map(String.init))
        #expect(broken.filter { $0.hasPrefix(place) }.count == 1, "\(broken)")
        let klivvr = text(try step("v1-2", "klivvr-v1.xcappdata", "klivvr-user-profile"), nil)
        #expect(klivvr.filter { $0.hasPrefix("note") }.count == Set(klivvr.filter { $0.hasPrefix("note") }).count)
        #expect(klivvr.filter { $0.hasPrefix("note") && $0.contains("/preferences is a placeholder") }.count == 1)
    }

    @Test("What helps is worded by each front end, and no message of a room below names an option")
    func advice() throws {
        let words = AdviceWords { "⟨\($0)⟩" }
        let waiting = try step("user-id", "notes-legacy.xcappdata", "rudderstack-v2", facts: Facts())
        let all = try step("anonymous-id", "notes-legacy.xcappdata", "rudderstack-v2", facts: Facts())
        #expect((waiting.text(.unicode, words) + all.text(.unicode, words)).contains("⟨giveFact("))
        let item = try step("account", "localdata-no-keychain.xcappdata", "localdata-sealed")
        #expect(item.lines(width: 80, .unicode, words).contains { $0.text == "do    ⟨giveKeychain⟩" })
        #expect(item.text(.unicode, words).contains("⟨giveKeychain⟩") && !item.text().contains("--"))
        let errors: [(WorkspaceError, Advice)] = [
            (.dump(DumpError("d", .severalApps(["a", "b"]))), .chooseContainer),
            (.dump(DumpError("d", .noSuchApp("c", available: ["a"]))), .chooseContainer),
            (.noStateFolder, .nameWorkspace), (.ledgerInsideDump("l"), .nameWorkspace),
            (.ledger("l", .notALedger("x")), .nameWorkspace), (.export("t", .targetExists), .replaceTarget),
            (.drift([]), .acceptDrift),
        ]
        for (error, advice) in errors { #expect(error.advice == advice && !"\(error)".contains(" --"), "\(error)") }
    }
}
