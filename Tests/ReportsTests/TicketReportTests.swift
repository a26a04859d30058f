import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Specs
import StoreFormats
import TestSupport
import Testing

@testable import Reports
@testable import Workspace

@Suite("What is said in a ticket")
struct TicketReportTests {
    private func report(
        _ fixture: String, facts: Facts? = nil, _ masking: Masking = Masking(), apply: Int = 0
    ) throws -> TicketReport {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture(fixture)), facts: facts ?? GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let found = ApplicableMigrations(
            among: BuiltIn.migrations, in: workspace.snapshot.container, facts: workspace.snapshot.facts)
        for _ in 0..<apply {
            for migration in found.applying {
                let stamp = LedgerEntry.Stamp(
                    date: Date(timeIntervalSinceReferenceDate: 0), author: "ann", toolVersion: "1")
                try workspace.apply(.next, of: migration, profile: migration.profile(named: nil), stamp: stamp)
            }
        }
        let snapshot = workspace.snapshot
        let plans = try found.applying.map { ($0, snapshot.plan($0, profile: try $0.profile(named: nil))) }
        return TicketReport(
            plans, unknown: found.unknownReasons, in: snapshot, toolVersion: "vestige test", Showing(masking))
    }

    @Test("Every form has the summary, what becomes of each key, the facts with where they are from, and the version")
    func forms() throws {
        let report = try report("notes-legacy.xcappdata")
        let pages = [report.document.text(), report.document.markdown(), report.document.html(title: "t")]
        for page in pages {
            for said in [
                "0 of 9 applied: 8 to apply, 1 skipped", "3 converted", "Nothing has been applied",
                "the traits' userId is “x”: they differ", "identifierForVendor", "vestige test",
                "Problems, and what to do",
            ] {
                #expect(page.contains(said), "\(said)\n\(page)")
            }
            #expect(!page.contains("@acme"), "an e-mail address")
        }
        #expect(report.status == .pending)
    }

    @Test(
        "Of several values that are made of facts each says of which one, and of those that are changed on the way of which all"
    )
    func factOfEach() throws {
        let text = """
            vestige: migration/1
            id: t
            facts:
              one: {type: name, about: one, example: a}
              two: {type: name, about: two, example: b}
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: each, from: {a: fact/one, b: fact/two}, to: {a: app/first, b: app/second}}
            - {id: made, from: {a: fact/one, b: fact/two}, do: [{in: {a: [{case: upper}]}}], to: {a: app/third, b: app/fourth}}

            """
        let folder = try TemporaryFolder(), migration = SpecMigration(try Spec(Data(text.utf8)))
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")),
            facts: Facts(["one": Fact("x", from: "--fact"), "two": Fact("y", from: "--fact")]),
            ledger: .file(folder("ledger")))
        let profile = try migration.profile(named: nil), masking = Masking()
        let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "ann", toolVersion: "1")
        for isApplied in [false, true] {
            if isApplied { try workspace.apply(.all, of: migration, profile: profile, stamp: stamp) }
            let snapshot = workspace.snapshot, plan = snapshot.plan(migration, profile: profile)
            let markdown = TicketReport(
                [(migration, plan)], unknown: [], in: snapshot, toolVersion: "vestige test", Showing(masking)
            ).document.markdown()
            for row in [
                "| fact one |  | carried | first |", "| fact two |  | carried | second |",
                "| facts one, two |  |",
            ] {
                #expect(markdown.contains(row), "\(row)\n\(markdown)")
            }
        }
    }

    @Test(
        "What becomes of each key is a table: what lay where, what of it comes where, and what is lost with its value")
    func table() throws {
        let document = try report("notes-legacy.xcappdata").document, markdown = document.markdown()
        for row in [
            ##"| key | value | effect | becomes | value |"##,
            ##"| rs\_traits\#/userId | "x" | changed | user\_id | "x" |"##,
            ##"| rs\_user\_id | "u-42" | dropped |  |  |"##, ##"| rs\_traits\#/id | "9" | dropped |  |  |"##,
            ##"| rl\_external\_id |  | skipped |  |  |"##,
        ] {
            #expect(markdown.contains("\n" + row + "\n"), "\(row)\n\(markdown)")
        }
        let html = document.html(title: "t")
        #expect(
            html.contains("<tr><td>rs_user_id</td><td>&quot;u-42&quot;</td><td>dropped</td><td></td><td></td></tr>"))
        let text = document.text()
        #expect(text.contains(/rs_user_id +"u-42" +dropped/), "\(text)")
    }

    @Test("The steps that were taken are told with who took them and when, and the files that they read with digests")
    func taken() throws {
        let report = try report("notes-legacy.xcappdata", apply: 2), text = report.document.text()
        #expect(
            report.summary.contains("The ledger has 2 entries; 2 steps are applied. No step writes to the dump itself.")
        )
        #expect(text.contains("#1    2001-01-01T00:00:00Z  ann         applied         anonymous-id"), "\(text)")
        // Whoever gets it needs the ledger that it names.
        for page in [text, report.document.markdown(), report.document.html(title: "t")] {
            #expect(page.contains("vestige verify DUMP --workspace FILE"), "\(page)")
        }
        let digest = try #require(report.digests.all.first { $0.name.hasSuffix("com.acme.notes.plist") })
        #expect(digest.value.count == 64 && text.contains(digest.value))
    }

    @Test("A conflict is told as what would be written, not as what is")
    func conflict() throws {
        let text = try report("notes-half-migrated.xcappdata").document.text()
        let lines = text.split(separator: "\n")
        let row = try #require(lines.firstIndex { $0.hasPrefix("  !  ") })
        #expect(lines[row + 1] == "    would write", "\(text)")
        // In the table stands what would come, and what stays.
        #expect(text.contains(/conflict +user_id +"x" \(holds "someone-else"\)/), "\(text)")
        #expect(!text.contains(/rs_user_id +"u-42" +dropped/), "\(text)")
    }

    @Test("What is done already is told with what was lost or changed with it, beside what was made")
    func done() throws {
        let text = try report("notes-migrated.xcappdata").document.text()
        #expect(text.contains(/rl_session_id +\S.* +there already +session_id/), "\(text)")
        #expect(text.contains(/rs_traits#.userId +"x" +changed, there already +user_id +"x"/), "\(text)")
        #expect(text.contains(/rs_user_id +"u-42" +dropped/), "\(text)")
        #expect(text.contains(/rl_session_manual_track_status +false +changed, there already +is_manual_session +true/))
        #expect(text.contains("3 changed in meaning, 3 dropped (2 parts of others), 5 there already"), "\(text)")
        let problems = try #require(text.range(of: "Problems, and what to do\n"))
        #expect(text[problems.upperBound...].contains("⌫ User ID (rudderstack-v2, step user-id) has dropped 1 value"))
        #expect(text.contains(/⌫ +user-id +User ID +unchanged, has dropped 1 value/), "\(text)")
        // Step by step it is told as in a plan, also where the table has the values.
        let steps = try #require(text.range(of: "Step by step\n")), rest = text[steps.upperBound...]
        #expect(
            rest.contains("holds   \"x\"") && rest.contains("drops   defaults://com.acme.notes/rs_user_id"), "\(rest)")
    }

    @Test("What the plan or applied steps lose or change is a problem as it is where the real update has done that")
    func ownLosses() throws {
        func problems(apply: Int) throws -> String {
            let text = try report("notes-legacy.xcappdata", apply: apply).document.text()
            let start = try #require(text.range(of: "Problems, and what to do\n"))
            return text[start.upperBound...].components(separatedBy: "\n\n")[0]
        }
        let planned = try problems(apply: 0)
        #expect(planned.contains("⌫ User ID (rudderstack-v2, step user-id) drops 1 value"), "\(planned)")
        #expect(planned.contains("≠ Session mode (rudderstack-v2, step manual-session) changes what 1 value means"))
        #expect(planned.contains("That comes with applying the steps") && !planned.contains("has dropped"))
        let applied = try problems(apply: 9)
        #expect(
            applied.contains("⌫ User ID (rudderstack-v2, step user-id) has dropped 1 value and has changed"),
            "\(applied)")
        #expect(applied.contains("That is so with what the applied steps have made") && !applied.contains(" drops 1 "))
    }

    @Test("What failed stands among the problems, with its reason, and first")
    func failed() throws {
        let text = try report("notes-troubled.xcappdata", facts: Facts()).document.text()
        let problems = try #require(text.range(of: "Problems, and what to do\n"))
        let rest = text[problems.upperBound...]
        #expect(rest.hasPrefix("  ✗ "), "\(rest)")
        #expect(rest.contains("✗ Session ID (rudderstack-v2, step session-id) failed: rl_session_id is a string"))
    }

    @Test(
        "A value that means something else now is told with what it was, once; what does not go on is told before all else"
    )
    func changedValue() throws {
        let text = try report("notes-legacy.xcappdata").document.text()
        let row = /rl_session_manual_track_status +false +changed +is_manual_session +true/
        #expect(
            text.contains(row) && text.contains("from    defaults://com.acme.notes/rl_session_manual_track_status\n"),
            "\(text)")
        #expect(text.components(separatedBy: "\"u-42\"").count == 2, "\(text)")
        let troubled = try report("notes-troubled.xcappdata").document.text()
        let problems = try #require(troubled.range(of: "Problems, and what to do")),
            table = try #require(troubled.range(of: "becomes"))
        #expect(problems.lowerBound < table.lowerBound)
        #expect(troubled.components(separatedBy: "is a string, where a number belongs").count == 2, "\(troubled)")
    }

    @Test("What waits for a fact has what to do; what cannot be read is not told as nothing")
    func problems() throws {
        let waiting = try report("notes-legacy.xcappdata", facts: Facts())
        #expect(waiting.document.text().contains("uptime is not known"))
        let hostile = try report("hostile.xcappdata")
        #expect(hostile.warnings.count > 3)
        for warning in hostile.warnings { #expect(hostile.document.text().contains(warning.sentence)) }
        #expect(!hostile.summary.contains("No migration finds anything of an older version."))
    }

    @Test("Of an app without a migration it lists the stores with their keys and says how a spec is written")
    func withoutMigration() throws {
        let report = try report("notes-empty.xcappdata", facts: Facts()), text = report.document.text()
        #expect(report.migrations.isEmpty, "the fixture has no migration")
        #expect(report.summary.contains { $0.hasPrefix("No migration") && $0.contains("listed below") }, "\(text)")
        #expect(text.contains("vestige specs new") && text.contains("defaults://com.acme.notes"), "\(text)")
    }

    @Test("In a pane a row of it is broken between words and not cut")
    func brokenRows() throws {
        let document = try report("notes-troubled.xcappdata", facts: Facts()).document
        let whole = document.lines(width: nil).map(\.text).joined(separator: " ")
        for width in [40, 80, 120] {
            let lines = document.lines(width: width).map(\.text)
            #expect(lines.allSatisfy { Glyphs.unicode.columns($0) <= width }, "\(width)")
            let words = Set(lines.joined(separator: " ").split(separator: " "))
            let reason = "whether the traits name the user cannot be"
            #expect(whole.contains(reason), "the fixture has another")
            #expect(reason.split(separator: " ").allSatisfy(words.contains), "\(width): \(lines)")
        }
    }
}
