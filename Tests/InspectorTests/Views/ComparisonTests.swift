import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Reports
import Specs
import StoreFormats
import TestSupport
import Testing
import Workspace

@testable import Inspector

/// Two dumps of one app side by side.
@Suite("The comparison in the inspector")
struct ComparisonTests {
    private static func runner(
        _ new: String? = nil, of old: String = "notes-legacy.xcappdata", in folder: TemporaryFolder, facts: Bool = true,
        migrations: [any Migration] = BuiltIn.migrations, size: Size = Size(width: 120, height: 40)
    ) throws -> ScriptRunner {
        let inspection = try Fixtures.inspection(
            of: old, withFacts: facts, ledger: folder, migrations: migrations, other: new)
        return ScriptRunner(
            try inspection.start(container: nil, dump: old, size: size, glyphs: .unicode, masking: Masking()),
            on: inspection)
    }

    @Test("It is the report that compare gives: the same rows, signs, counts and sentences")
    func report() throws {
        let folder = try TemporaryFolder(), names = ["notes-legacy.xcappdata", "notes-half-migrated.xcappdata"]
        let model = try Self.runner(names[1], in: folder).model
        let shown = try #require(model.comparison?.report)
        let sides = try names.map { try DumpPair.Side(Dump.open(Places.fixture($0)), named: $0, container: nil) }
        let pair = try DumpPair(before: sides[0], after: sides[1], facts: GivenFacts.file(Places.facts))
        let migration = RudderStackV2()
        let report = CompareReport(
            pair.comparison(with: (migration, migration.profiles[0])), of: pair, Showing(model.masking))
        #expect(report.rowCount > 8 && shown.rowCount == report.rowCount)
        #expect(shown.counts == report.counts && shown.subject == report.subject)
        for row in 0..<report.rowCount {
            #expect(shown.title(at: row) == report.title(at: row))
            #expect(shown.sign(at: row, .unicode) == report.sign(at: row, .unicode))
            #expect(shown.document(at: row).text() == report.document(at: row).text())
        }
        #expect(model.isComparing, "the inspector begins with it")
        #expect(model.render().text.contains(report.counts))
    }

    @Test("On its page R shows, and :report writes, what it says and not the plan's report; Esc comes back to it")
    func ownReport() throws {
        let folder = try TemporaryFolder(), file = folder("r.md")
        var runner = try Self.runner("notes-half-migrated.xcappdata", in: folder)
        let report = try #require(runner.model.comparison?.report)
        try runner.run(Script("key R\nexpect \"\(report.subject)\"\n:report \(file)\nexpect \"is written to\""))
        #expect(runner.model.page?.subject == .report)
        let written = try String(contentsOfFile: file, encoding: .utf8)
        let said = report.document.markdown(.plain).split(separator: "\n"), lines = written.split(separator: "\n")
        #expect(lines.starts(with: said) && lines.dropFirst(said.count).first == "## Made with", "\(written)")
        try runner.run(Script("key <Esc>"))
        #expect(runner.model.isComparing && runner.model.comparison?.report != nil)
        // What two sets of facts come to is a comparison too.
        try runner.run(Script("key <Esc>\n:what-if uptime=5"))
        // Beside what it is of, it is read where no dump says that.
        try runner.run(
            Script("key R\nexpect \"Acme Notes 2.3.1 (com.acme.notes\"\nexpect \"with uptime 5s\"\nkey <Esc>"))
        #expect(runner.model.page?.subject == .difference)
    }

    @Test("Of two texts of several words those that differ are marked, beside each other")
    func words() throws {
        let folder = try TemporaryFolder()
        let dumps = try ["red", "blue"].map { colour in
            let dump = try folder.copy("notes-legacy.xcappdata", to: colour + ".xcappdata")
            let list = URL(fileURLWithPath: dump + "/AppData/Library/Preferences/com.acme.notes.plist")
            let members: Members = ["motto": .string("the sky is \(colour) today")]
            try BinaryPropertyList.write(.dictionary(members)).write(to: list)
            return dump
        }
        let inspection = Inspection(
            of: try Dump.open(dumps[0]),
            options: Inspection.Options(
                migrations: [], facts: Facts(), ledger: .file(folder("ledger")), other: Fixtures.other(dumps[1]),
                stamp: { .test }))
        let runner = ScriptRunner(
            try inspection.start(
                container: nil, dump: "red", size: Size(width: 120, height: 30), glyphs: .unicode, masking: Masking()),
            on: inspection)
        let frame = runner.model.render()
        #expect(frame.shows("red", styled: "removed") && frame.shows("blue", styled: "added"), "\(frame.text)")
        #expect(!frame.shows("sky", styled: "added"))
        let row = try #require(frame.rows.firstIndex { $0.contains("motto") })
        let marked = frame.spans(row).filter { $0.style.selection == .none }.map { "\($0.style) \($0.text)" }
        #expect(marked.contains("removed red") && marked.contains("added blue"), "in the list too: \(marked)")
    }

    @Test("Without a migration there are two columns; of one app beside itself nothing differs")
    func columns() throws {
        let folder = try TemporaryFolder()
        let two = try Self.runner("notes-migrated.xcappdata", in: folder, migrations: []).model.render().text
        #expect(two.contains(" Before ") && two.contains(" After ") && !two.contains("Planned"), "\(two)")
        let same = try Self.runner("notes-legacy.xcappdata", in: folder, migrations: []).model.render().text
        #expect(same.contains("Nothing differs."), "\(same)")
    }

    @Test("What cannot be compared is told with what to do; the app itself can be looked at all the same")
    func refused() throws {
        let folder = try TemporaryFolder()
        for (other, says) in [
            ("person-v0.xcappdata", "These are dumps of two apps, com.acme.notes and"),
            ("none.xcappdata", "none.xcappdata"),
            ("backup-encrypted", "start again with --password-file FILE"),
        ] {
            var runner = try Self.runner(other, in: folder)
            let text = runner.model.render().text
            #expect(text.contains(says), "\(text)")
            try runner.run(Script("key <Esc>\nexpect \"Legacy\"\nkey c <Esc>\nexpect \"Legacy\""))
        }
    }

    @Test("Secrets are masked until they are asked for, in the rows and in full")
    func secrets() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner("klivvr-v3.xcappdata", of: "klivvr-v1.xcappdata", in: folder)
        func texts() throws -> String {
            let report = try #require(runner.model.comparison?.report)
            return (0..<report.rowCount).map { row in
                (runner.model.comparison?.text(of: row) ?? "") + report.document(at: row).text()
            }.joined(separator: "\n")
        }
        let masked = try texts()
        #expect(masked.contains("masked") && !masked.contains("@"), "\(masked)")
        try runner.run(Script("key v"))
        let shown = try texts()
        #expect(shown.contains("@") && !shown.contains("masked"), "\(shown)")
    }

    @Test("Without another dump its key says how to name one; a ledger's steps are left out of it")
    func without() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("c")
        #expect(inspected.message == "name the dump made after the update")
        #expect(inspected.model.prompt?.text == "compare ")
        let folder = try TemporaryFolder()
        var runner = try Self.runner("notes-legacy.xcappdata", in: folder)
        let before = runner.model.comparison?.report?.counts
        try runner.run(Script("key <Esc>\n:apply all\nkey c"))
        #expect(runner.model.comparison?.report?.counts == before)
    }

    @Test("A dump that is named by a command is compared with, in place of the one before, and says what it is called")
    func named() throws {
        let folder = try TemporaryFolder()
        let inspection = Inspection(
            of: try Dump.open(Places.fixture("notes-legacy.xcappdata")),
            options: Inspection.Options(
                migrations: BuiltIn.migrations, facts: try GivenFacts.file(Places.facts),
                ledger: .file(folder("ledger")),
                namingOther: { path in
                    Inspection.OtherDump(path) { _ throws(WorkspaceError) in
                        do throws(DumpError) { return try Dump.open(path) } catch { throw .dump(error) }
                    }
                }, stamp: { .test }))
        var runner = ScriptRunner(
            try inspection.start(
                container: nil, size: Size(width: 120, height: 40), glyphs: .unicode, masking: Masking()),
            on: inspection)
        #expect(runner.model.page == nil)
        for name in ["notes-half-migrated.xcappdata", "notes-migrated.xcappdata"] {
            try runner.run(Script(":compare \(Places.fixture(name))"))
            let comparison = try #require(runner.model.comparison)
            #expect(runner.model.page?.subject == .comparison && comparison.name == name)
            #expect(comparison.report?.rowCount ?? 0 > 8 && runner.model.render().text.contains(name))
        }
        try runner.run(Script("fails :compare \(folder("none"))\nkey <Esc>\nexpect \"Legacy\""))
    }

    @Test("A text is looked for in keys, values and addresses of all rows, round the end, and from a row in full too")
    func search() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner("notes-half-migrated.xcappdata", in: folder)
        func found(_ script: String) throws -> String? {
            try runner.run(Script(script))
            let comparison = try #require(runner.model.comparison)
            return comparison.report?.title(at: comparison.cursor)
        }
        let suite = "defaults://com.acme.notes.analytics.wk-1a2b3c/"
        #expect(try found(":search someone-else") == suite + "user_id", "a value of the new dump")
        #expect(try found(":search rl_session_id") == suite + "session_id", "a key of the old one")
        #expect(try found("key <Enter>\n:search spellcheck")?.hasSuffix("/spellcheck") == true)
        #expect(runner.model.comparison?.isZoomed == false)
        #expect(try found(":search someone-else") == suite + "user_id", "round the end")
        try runner.run(Script("fails :search nowhere at all"))
        #expect(runner.model.message?.text == "“nowhere at all” is nowhere on this page")
    }

    @Test("In a row that fills the page its own lines are searched first")
    func searchInRow() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner("notes-half-migrated.xcappdata", in: folder)
        try runner.run(Script(":search someone-else\nkey <Enter>\nkey <Enter>\n:search someone-else"))
        let comparison = try #require(runner.model.comparison)
        #expect(comparison.isZoomed && runner.model.message?.text.contains("1 of ") == true)
        let found = comparison.line(with: Matcher("someone-else"), forward: true)?.line
        #expect(found != nil)
        let none = comparison.line(with: Matcher("nowhere at all"), forward: true)?.line
        #expect(none == nil)
    }

    @Test("Rows that differ are jumped to, shown alone and copied; Esc shows all again before it closes the page")
    func working() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner("notes-half-migrated.xcappdata", in: folder)
        func title() -> String? {
            runner.model.comparison.flatMap { $0.report?.title(at: $0.place(of: $0.cursor)) }
        }
        let suite = "defaults://com.acme.notes.analytics.wk-1a2b3c/"
        try runner.run(Script("key ]"))
        #expect(title() == suite + "user_id")
        try runner.run(Script("key ] ] [ [ ["))
        #expect(title() == "file://Documents", "round the end, where what did not come with the dump is")
        try runner.run(Script("key ["))
        #expect(title() == suite + "rudder.app_build")
        try runner.run(Script("key & m i s s <Tab> <Enter>"))
        #expect(runner.model.comparison?.count == 5 && title() == suite + "rudder.app_build")
        #expect(runner.model.render().text.contains("& missing: 5 of 20 rows"), "\(runner.model.render().text)")
        try runner.run(Script("key g y a"))
        #expect(runner.model.clipboard.copied?.text == suite + "traits")
        try runner.run(Script("key <Esc>"))
        #expect(runner.model.isComparing && runner.model.comparison?.count == 20)
        try runner.run(Script(":filter differs\nkey y V"))
        #expect(runner.model.clipboard.copied?.text == "someone-else")
        try runner.run(Script("key y v"))
        #expect(runner.model.clipboard.copied?.text == "x", "what it was made from")
        try runner.run(Script("key y s"))
        let sentence = try #require(runner.model.clipboard.copied?.text)
        #expect(sentence.contains("user_id differs") && sentence.contains("after \"someone-else\""), "\(sentence)")
        for (name, word) in [("notes-legacy", "before"), ("notes-half-migrated", "after")] {
            let which = "\(word) (\(name).xcappdata, version 2.3.1, taken 2024-"
            #expect(sentence.contains(which), "it says of which dumps it is, and when they were made: \(sentence)")
        }
    }

    @Test("What is proposed says what becomes of values on each side: how many are what, and what is dropped with each")
    func fates() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner(in: folder, size: Size(width: 160, height: 45))
        try runner.run(Script(":what-if profile=sdk-1.1"))
        let screen = runner.model.render().text
        for side in [#/\n as it is +values: .* dropped/#, #/\n with it +values: .* dropped/#] {
            #expect(screen.contains(side), "\(screen)")
        }
        let report = try #require(runner.model.comparison?.report)
        let place = try #require((0..<report.rowCount).first { report.title(at: $0)?.hasSuffix("/user_id") == true })
        let text = report.document(at: place).text()
        #expect(text.contains("as it is changed, drops defaults://com.acme.notes/rs_user_id"), "\(text)")
        #expect(text.contains("with it carried, drops defaults://com.acme.notes/rs_traits#/userId"), "\(text)")
        let told = try #require(report.copied(.sentence, at: place)?.text)
        #expect(told.hasPrefix("Acme Notes 2.3.1 (com.acme.notes, "), "\(told)")
        #expect(told.contains("rudderstack-v2:documented as it is, and with the profile sdk-1.1: "), "\(told)")
        #expect(told.contains("user_id changed; as it is \"x\"; with it \"u-42\""), "\(told)")
    }

    @Test(
        "On a narrow screen what becomes of values on each side is told whole, by the signs of the rows",
        arguments: ["sdk-1.1", "sdk-1.2"])
    func narrowFates(profile: String) throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner(in: folder, facts: false, size: Size(width: 80, height: 24))
        try runner.run(Script(":what-if profile=\(profile)"))
        let screen = runner.model.render().text
        #expect(screen.contains(" as it is  values: 2? 1→ 3⇢ 2≠ 3⌫ · "), "\(screen)")
        #expect(screen.contains("as it is ≠ ⌫ rs_user_id; with it → ⌫ rs_traits#/userId"), "\(screen)")
        // A long list of steps is cut with a sign, and stands in the row in full.
        let told = screen.split(separator: "\n").filter { $0.contains("values: ") || $0.contains("; with it ") }
        #expect(told.count > 3 && !told.contains { $0.contains("…") }, "\(screen)")
    }

    @Test("What is proposed is a sentence of words, and its report says of what, made with what and when")
    func proposedInWords() throws {
        let folder = try TemporaryFolder(), dump = "notes-legacy.xcappdata"
        let text = """
            vestige: migration/1
            id: own
            profiles: {a: The first., b: The second.}
            stores: {app: defaults://com.acme.notes}
            steps:
              - id: t
                from: app/rs_user_id
                type: string
                do: [{fill: "the old {value} words"}]
                to: app/t
                in-profile: {b: {do: [{fill: "the new {value} words"}]}}
              - id: j
                from: app/rs_user_id
                type: string
                do: [{wrap: text}, {encode: json}]
                to: app/j
                in-profile: {b: {do: [{wrap: words}, {encode: json}]}}
            """
        let inspection = try Fixtures.inspection(
            of: dump, withFacts: true, ledger: folder, migrations: [SpecMigration(try Spec(Data(text.utf8)))])
        var runner = ScriptRunner(
            try inspection.start(
                container: nil, dump: dump, size: Size(width: 120, height: 40), glyphs: .unicode, masking: Masking()),
            on: inspection)
        try runner.run(Script(":what-if profile=b"))
        let report = try #require(runner.model.comparison?.report)
        func sentence(_ key: String) throws -> String {
            let place = try #require((0..<report.rowCount).first { report.title(at: $0)?.hasSuffix(key) == true })
            return try #require(report.copied(.sentence, at: place)?.text)
        }
        #expect(
            try sentence("/t").contains(
                #"/t changed; as it is "the old u-42 words"; with it "the new u-42 words"; effect"#))
        #expect(
            try sentence("/j").contains(
                #"/text: as it is "u-42", with it nothing; /words: as it is nothing, with it "u-42""#))
        let path = folder("what-if.txt")
        try runner.run(Script(":report \(path)"))
        let written = try String(contentsOfFile: path, encoding: .utf8)
        for words in ["own:a as it is, and with the profile b", "2 changed", "Made with", "vestige "] {
            #expect(written.contains(words), "\(words) in \(written)")
        }
    }

    @Test(
        "Where nothing differs both the line above and the list say so, and the words of a command may stand in quotes")
    func nothingDiffers() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner(in: folder)
        let uptime = try #require(runner.model.opened?.plan?.facts[.uptime]?.value)
        try runner.run(Script(":what-if uptime=\"\(uptime)\""))
        let screen = runner.model.render().text
        #expect(screen.contains("  nothing differs") && screen.contains("Nothing differs."), "\(screen)")
        #expect(!screen.contains("nothing to compare"), "\(screen)")
        try runner.run(Script("key <Esc>\n:fact uptime=\"3h 20min\""))
        #expect(runner.model.opened?.plan?.facts[.uptime]?.value == "12000")
    }

    @Test("Each word of the counts is one that the filter takes, and the rows are as many")
    func countedWords() throws {
        for dump in ["notes-half-migrated.xcappdata", "notes-migrated.xcappdata", "notes-troubled.xcappdata"] {
            for facts in [true, false] {
                let folder = try TemporaryFolder()
                var runner = try Self.runner(dump, in: folder, facts: facts)
                let report = try #require(runner.model.comparison?.report)
                // Stores that cannot be read are rows of the last one, too.
                let counts = report.counts.components(separatedBy: ", ")
                for count in counts where !count.hasSuffix(" the same") && !count.hasSuffix(" unknown") {
                    let (number, word) = (count.prefix { $0 != " " }, count.drop { $0 != " " }.dropFirst())
                    try runner.run(Script(":filter \(word)"))
                    #expect("\(runner.model.comparison?.count ?? 0)" == number, "\(count)")
                }
            }
        }
    }

    @Test("What is made from a fact has that on the left, as the list of steps has")
    func facts() throws {
        let folder = try TemporaryFolder()
        let model = try Self.runner("notes-migrated.xcappdata", in: folder).model
        let row = try #require(model.render().rows.first { $0.contains("anonymous_id") }, "\(model.render().text)")
        #expect(row.contains("fact identifierForVendor"), "\(row)")
    }

    @Test("A value with parts is shown to its end, also where it is on one side only")
    func inFull() throws {
        let folder = try TemporaryFolder()
        let report = try #require(try Self.runner("notes-half-migrated.xcappdata", in: folder).model.comparison?.report)
        let row = try #require((0..<report.rowCount).first { report.title(at: $0)?.hasSuffix("/recent") == true })
        let text = report.document(at: row).text()
        #expect(text.contains("\nbefore\n[3 items]\n"), "\(text)")
        #expect(text.split(separator: "\n").count > 6, "\(text)")
    }

    @Test("What is stopped says so, and is made anew when it is asked for")
    func stopped() throws {
        let folder = try TemporaryFolder()
        var model = try Self.runner("notes-migrated.xcappdata", in: folder).model
        let purpose = try #require(model.comparison?.purpose)
        model.comparison?.begin(purpose)
        let effect = Comparing(purpose: purpose, name: "other", masking: Masking(), choice: nil)
        _ = model.update(.finished(.main) { effect.fail(.cancelled, in: &$0) })
        #expect(model.render().text.contains("Stopped; Ctrl-R compares anew."))
    }

    @Test(
        "Every screen of it holds what screens must",
        arguments: [(10, 4), (40, 10), (71, 14), (80, 24), (100, 30), (200, 50)])
    func sizes(size: (width: Int, height: Int)) throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner("notes-half-migrated.xcappdata", in: folder)
        for keys in [
            "j", "<Enter>", "j j j", "G", "<Esc>", "G", "k", "g", "/ e <Enter>", "n", "N", "<Tab>", "?", "<Esc>",
        ] {
            try runner.run(Script("resize \(size.width)x\(size.height)\nkey \(keys)"))
            let frame = runner.model.render()
            #expect(frame.size == Size(width: size.width, height: size.height))
            let comparison = try #require(runner.model.comparison)
            #expect((0..<comparison.count).contains(comparison.cursor) && comparison.top <= comparison.cursor)
        }
    }
}
