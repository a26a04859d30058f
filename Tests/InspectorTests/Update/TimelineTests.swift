import Foundation
import MigrationEngine
import Reports
import Specs
import StoreFormats
import Testing

@testable import Inspector

/// Moving along the timeline, and what differs between its points.
@Suite("The timeline")
struct TimelineTests {
    private static let suite = RudderStack.suite

    private func value(_ key: Name, _ inspected: Inspected) -> Value? {
        inspected.opened?.stores.state(at: Address(store: Self.suite, key: key)).value
    }

    /// What the stores hold of the new version's entries, by key.
    private func contents(_ inspected: Inspected) -> [String: String] {
        let stores = inspected.opened?.stores
        return Dictionary(
            (stores?.keys(in: Self.suite).names ?? []).map { key in
                (key.text, "\(String(describing: stores?.state(at: Address(store: Self.suite, key: key)).value))")
            }
        ) { $1 }
    }

    @Test("at each point the stores hold what they held when the ledger was there, also after a step was rolled back")
    func past() throws {
        var inspected = try Inspected(RudderStack.stores())
        var held = [contents(inspected)]
        for command in ["apply anonymous-id", "apply user-id", "rollback", "apply session-id"] {
            inspected.command(command)
            held.append(contents(inspected))
        }
        #expect(Set(held.map { $0.keys.sorted() }).count == 4, "rolled back is as before")
        for (number, contents) in held.enumerated().reversed() {
            inspected.command(number == 0 ? "at dump" : "at #\(number)")
            #expect(self.contents(inspected) == contents, "#\(number)")
        }
        inspected.command("at now")
        #expect(contents(inspected) == held[4] && inspected.opened?.moment == .now)
    }

    @Test("what will be at a point is what applying up to there makes, step by step")
    func future() throws {
        var seen = try Inspected(RudderStack.stores())
        let pending = (seen.plan?.pending ?? []).map(\.id)
        #expect(pending.count > 4)
        var applied = try Inspected(RudderStack.stores())
        for step in pending {
            applied.command("apply \(step)")
            seen.command("at \(step)")
            #expect(contents(seen) == contents(applied), "\(step)")
            #expect(seen.applied == applied.applied)
        }
        #expect(seen.workspace.snapshot.history.entries.isEmpty, "nothing was applied")
        seen.press("<Esc>")
        #expect(seen.opened?.moment == .now && contents(seen).isEmpty && !seen.screen.contains("not now"))
    }

    @Test("the keys go a point back and on, by a number at once, and stop at the ends")
    func keys() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("apply all")
        let count = try #require(inspected.opened?.timeline.points.count)
        inspected.press("{ {")
        #expect(inspected.opened?.moment == .after(entry: count - 3))
        #expect(inspected.screen.contains("\(count - 2) of \(count)"))
        inspected.type("99{")
        #expect(inspected.opened?.moment == .after(entry: 0))
        inspected.press("{")
        #expect(inspected.message == "this is the first point, the dump as it is")
        inspected.type("99}")
        #expect(inspected.opened?.moment == .now)
        inspected.press("q")
        #expect(!inspected.model.hasQuit && inspected.opened?.showsTimeline == false)
    }

    @Test("nothing is applied, taken back or exported at another point; a fact leads back to now")
    func elsewhere() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("apply next")
        inspected.command("at dump")
        for action in ["apply", "rollback", "export x"] {
            inspected.command(action)
            #expect(inspected.message?.contains(Model.notNow) == true, "\(inspected.message ?? "")")
        }
        #expect(inspected.workspace.snapshot.history.entries.count == 1)
        inspected.command("fact uptime=20000")
        #expect(inspected.opened?.moment == .now)
    }

    @Test("what many steps have found lost is told with their titles, for which the steps are made once")
    func lossesOfMany() {
        struct Counted: Migration {
            let id = "many", title = "Many", summary = "Many."
            let profiles = [Profile(id: "only", summary: "The only one.")], facts: [FactDefinition] = []
            let keys = CountingKeys(count: 1)
            func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
            func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
            func steps(profile: Profile, facts: Facts) -> [Step] {
                _ = keys.key(at: 0)
                return (0..<50).map { Step(id: "s\($0)", title: "Title \($0)", sources: [], rule: "") { _, _ in } }
            }
        }
        let migration = Counted(), address = Address.defaults("com.acme", "a")
        let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "a", toolVersion: "1")
        let lost = Change(address: address, before: .absent, after: .bool(true), rule: "", effect: .changed)
        let later = History(
            (0..<50).map { number in
                LedgerEntry(
                    number: number + 1, event: .applied, stamp: stamp, migration: "many", profile: "only",
                    step: "s\(number)", changes: [], found: [lost], facts: Facts())
            })
        let remarks = History().losses(
            upTo: later, migration,
            RowSentence(of: "", now: MemoryStores([]), found: MemoryStores([]), Masking()))
        #expect(remarks.count == 50 && "\(remarks[49])".contains("Title 49"))
        #expect("\(remarks[49])".contains("defaults://com.acme/a is true (changed)"), "as a report has it")
        #expect(migration.keys.accesses == 1)
    }

    @Test(
        "what a fact or a profile changes is told as at now, also where another point was in view, and that now is in view again"
    )
    func changedElsewhere() throws {
        for command in ["fact uptime=5", "profile sdk-1.1"] {
            var here = try Inspected(RudderStack.stores()), elsewhere = try Inspected(RudderStack.stores())
            here.command(command)
            elsewhere.command("at end")
            #expect(elsewhere.opened?.moment != .now)
            elsewhere.command(command)
            #expect(elsewhere.opened?.moment == .now)
            #expect(elsewhere.message == here.message.map { "back at now; \($0)" }, "\(elsewhere.message ?? "")")
        }
    }

    @Test("of a step that waits or fails it says that what it would write is not known")
    func unknown() throws {
        var inspected = try Start.troubled.inspected(size: Size(width: 160, height: 45))
        let failed = try #require(inspected.plan?.steps.first { $0.outcome.kind == .failed }?.id)
        inspected.command("at \(failed)")
        #expect(inspected.screen.contains("what it would write is not known"), "\(inspected.screen)")
        inspected.command("at dump")
        inspected.command("at end")
        inspected.press("d")
        let report = try #require(inspected.model.difference?.report)
        let rows = (0..<report.rowCount).map { report.document(at: $0).text() }.joined()
        #expect(rows.contains("what it would write is not known"), "\(rows)")
        // It fails at either point.
        let written = report.document.text()
        #expect(written.contains("Steps of which it is not known what they write"), "\(written)")
        #expect(!written.contains("end differently"))
        inspected.press("<Esc>")
        inspected.command("at nowhere")
        #expect(inspected.message?.contains("there is no point “nowhere”; points are called dump, now") == true)
    }

    @Test("the difference is of the marked point and the one in view, or the dump; moving on shows that of the next")
    func difference() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        func rows() -> [String] {
            let report = inspected.model.difference?.report
            return (0..<(report?.rowCount ?? 0)).compactMap { report?.title(at: $0) }
        }
        let suite = "defaults://com.acme.notes.analytics.wk/"
        inspected.command("apply anonymous-id")
        inspected.command("apply user-id")
        inspected.press("d")
        #expect(rows() == [suite + "anonymous_id", suite + "user_id"], "\(rows())")
        #expect(inspected.screen.contains("the dump as it is → now, after #2 User ID"), "\(inspected.screen)")
        inspected.press("<Esc> { x } d")
        #expect(rows() == [suite + "user_id"])
        inspected.press("}")
        #expect(rows().count == 2 && inspected.model.isComparing, "the other end moves on the page")
        inspected.press("<Esc>")
        inspected.command("at #1")
        inspected.press("d")
        #expect(inspected.message?.contains("this is that point") == true)
        inspected.command("difference end")
        #expect(rows().count > 4 && inspected.screen.contains(" Before "))
    }

    @Test("the page of the timeline has what is next, what was done and the dump; Enter goes to the point")
    func page() throws {
        var inspected = try Start.blocked.inspected(size: Size(width: 120, height: 40))
        inspected.command("apply user-id")
        inspected.press("T")
        let screen = inspected.screen
        #expect(screen.contains("the dump as it is") && screen.contains("blocked"), "\(screen)")
        #expect(screen.contains("what it would write is not known"))
        inspected.press("G <Enter>")
        #expect(inspected.opened?.moment == inspected.opened?.timeline.points[0].moment)
    }

    @Test(
        "over a comparison of something else no point is gone to, and it is said why; on the timeline's page the cursor moves"
    )
    func covered() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.command("apply anonymous-id")
        inspected.command("what-if uptime=5000")
        for key in ["{", "}"] {
            inspected.press(key)
            #expect(inspected.message?.hasSuffix("Esc closes this page first") == true, "\(inspected.message ?? "")")
        }
        #expect(inspected.opened?.moment == .now && inspected.opened?.showsTimeline == false)
        inspected.press("<Esc>")
        inspected.model.otherDump = ComparedDump(named: "other")
        inspected.model.otherDump?.isOffered = true
        inspected.model.show(.comparison)
        inspected.press("{")
        #expect(inspected.message == "earlier: Esc closes this page first")
        inspected.command("at dump")
        #expect(inspected.opened?.moment == .now)
        inspected.press("<Esc> T")
        let line = try #require(inspected.model.page?.cursor)
        inspected.press("{")
        #expect(inspected.model.page?.cursor ?? 0 > line && inspected.opened?.moment == .now)
    }

    @Test("on the timeline's page the row under the cursor is marked, and what differs is of it")
    func listed() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        for step in ["anonymous-id", "user-id", "session-id"] { inspected.command("apply \(step)") }
        inspected.press("T j j x")
        #expect(inspected.opened?.mark == .after(entry: 1) && inspected.opened?.moment == .now)
        let lines = inspected.screen.split(separator: "\n")
        #expect(lines.contains { $0.contains("#1 ") && $0.contains("(marked)") }, "\(inspected.screen)")
        inspected.press("k d")
        let report = inspected.model.difference?.report
        let rows = (0..<(report?.rowCount ?? 0)).compactMap { report?.title(at: $0) }
        #expect(rows == ["defaults://com.acme.notes.analytics.wk/user_id"], "\(rows)")
        #expect(inspected.opened?.moment == .after(entry: 2))
    }

    @Test("of two points the earlier stands first, whichever is marked")
    func order() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.command("apply anonymous-id")
        inspected.press("x")
        inspected.command("at dump")
        inspected.press("d")
        #expect(
            inspected.screen.contains("the dump as it is → now, after #1 Anonymous ID  1 added"), "\(inspected.screen)")
    }

    @Test("after an entry of the ledger the facts are those that it holds, not those of now")
    func facts() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.command("apply anonymous-id")
        inspected.command("fact uptime=20000")
        inspected.command("apply session-id")
        func uptime() -> String? { inspected.plan?.facts[.uptime]?.value }
        inspected.command("at #1")
        #expect(uptime() == nil && inspected.plan?.facts[.writeKey]?.source == .ledger(entry: 1))
        inspected.command("at end")
        #expect(uptime() == "20000")
        inspected.command("fact uptime=30000")
        inspected.command("at #1")
        inspected.command("at now")
        #expect(uptime() == "30000")
        inspected.command("apply user-id")
        inspected.command("accept")
        inspected.command("at #2")
        #expect(uptime() == "20000")
    }

    @Test("every point is drawn on any screen, in ASCII too, and no secret is shown there", arguments: Start.allCases)
    func drawn(start: Start) throws {
        for (width, height, glyphs) in [(80, 24, Glyphs.unicode), (40, 10, .ascii), (160, 45, .ascii)] {
            var inspected = try start.inspected(size: Size(width: width, height: height), glyphs: glyphs)
            inspected.type("{")
            inspected.type("x")
            for _ in 0..<(inspected.opened?.timeline.points.count ?? 0) {
                inspected.press("} d")
                let text = inspected.screen
                for needle in Start.needles where start == .secrets { #expect(!text.contains(needle)) }
                #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= height)
                if glyphs == .ascii { #expect(text.utf8.allSatisfy { $0 < 128 }, "\(text)") }
                if inspected.model.isComparing { inspected.press("<Esc>") }
            }
        }
    }
}

/// What other facts or another profile would change, before they are taken.
@Suite("Proposals")
struct ProposalTests {
    private func titles(_ inspected: Inspected) -> [String] {
        let report = inspected.model.difference?.report
        return (0..<(report?.rowCount ?? 0)).compactMap { report?.title(at: $0) }
    }

    @Test("while a fact is typed the rows that it would change are listed; Esc leaves it, Enter takes it")
    func typed() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        let before = inspected.plan?.facts[.uptime]?.value
        inspected.press("F")
        inspected.command("search uptime")
        inspected.press("<Enter>")
        #expect(!inspected.model.isComparing)
        inspected.press("<C-u>")
        #expect(inspected.model.isComparing, "what would change without it")
        inspected.type("20000")
        #expect(
            inspected.model.isComparing
                && titles(inspected).contains { $0.hasSuffix("/last_event_monotonic_time") || $0.contains("last") },
            "\(titles(inspected))")
        #expect(inspected.plan?.facts[.uptime]?.value == before, "it is not taken yet")
        inspected.press("<Esc>")
        #expect(inspected.model.page?.subject == .facts && inspected.plan?.facts[.uptime]?.value == before)
        inspected.press("<Enter> <C-u>")
        inspected.type("20000")
        inspected.press("<Enter>")
        #expect(inspected.model.page?.subject == .facts && inspected.plan?.facts[.uptime]?.value == "20000")
        inspected.press("<Enter>")
        inspected.type("x")
        #expect(!inspected.model.isComparing, "what has not the form changes nothing")
    }

    @Test("what differs between two points tells what the steps between them have found lost or changed")
    func foundBetween() throws {
        let text = """
            vestige: migration/1
            id: made
            title: Made
            stores: {app: defaults://com.acme.notes}
            steps:
              - {id: inv, title: Inv, from: app/rl_session_manual_track_status, type: bool, do: [not], to: app/done, source: remove}
            """
        let spec = SpecMigration(try Spec(Data(text.utf8)))
        var inspected = try Inspected(
            RudderStack.stores(["done": .bool(true)]), migrations: [spec], size: Size(width: 140, height: 40))
        func told() { #expect(inspected.screen.contains("Inv: has changed what 1 value means"), "\(inspected.screen)") }
        inspected.command("at end")
        inspected.command("difference dump")
        told()
        inspected.press("<Esc>")
        inspected.command("at now")
        inspected.command("apply all")
        inspected.command("difference dump")
        told()
    }

    @Test("what is listed is what taking it changes, with the steps that end otherwise")
    func truth() throws {
        var inspected = try Start.blocked.inspected(size: Size(width: 160, height: 45))
        inspected.command("what-if writeKey=wk uptime=10000 now=2024-08-30T06:40:00Z")
        let listed = Set(titles(inspected).filter { $0.contains("://") })
        #expect(!listed.isEmpty)
        #expect(inspected.screen.contains("blocked as it is, migrates with it"), "\(inspected.screen)")
        #expect(inspected.plan?.facts[.uptime] == nil)
        inspected.press("!")
        #expect(!inspected.model.isComparing && inspected.plan?.facts[.uptime]?.value == "10000")
        var applied = inspected
        applied.command("apply all")
        let written = Set(
            applied.workspace.snapshot.history.entries.flatMap(\.changes).map { "\($0.address)" })
        #expect(listed.isSubset(of: written), "\(listed.subtracting(written))")
    }

    @Test("what waits for a name alone is compared with the name's place in its stead")
    func sketched() throws {
        var inspected = try Start.blocked.inspected(size: Size(width: 160, height: 45))
        #expect(inspected.plan?.facts[.writeKey] == nil)
        inspected.command("what-if profile=sdk-1.2")
        #expect(titles(inspected).contains { $0.contains("{writeKey}") }, "\(inspected.screen)")
    }

    @Test("of a step that would be skipped it is said why")
    func whySkipped() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 200, height: 45))
        inspected.command("what-if uptime=1")
        #expect(inspected.screen.contains("skipped with it: "), "\(inspected.screen)")
    }

    @Test("what would change without a fact is shown before it is taken back: by a command, and by an emptied line")
    func takenBack() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        #expect(inspected.plan?.facts[.identifierForVendor] != nil)
        inspected.command("what-if identifierForVendor=")
        #expect(inspected.model.isComparing && inspected.screen.contains("identifierForVendor taken back"))
        #expect(inspected.screen.contains("migrates as it is, blocked with it"), "\(inspected.screen)")
        #expect(inspected.plan?.facts[.identifierForVendor] != nil, "it is only shown")
        inspected.press("!")
        #expect(inspected.plan?.facts[.identifierForVendor] == nil)
        // In the line of the page of facts.
        inspected.command("fact identifierForVendor=9B574574-74A7-4EDF-969D-164CB151B6C3")
        inspected.press("F")
        inspected.model.prompt = Prompt(.fact(.identifierForVendor), text: "9")
        inspected.press("<C-u>")
        #expect(inspected.model.isComparing && inspected.screen.contains("blocked with it"), "\(inspected.screen)")
        inspected.press("<Enter>")
        #expect(!inspected.model.isComparing && inspected.plan?.facts[.identifierForVendor] == nil)
    }

    @Test("what nobody has given cannot be taken back, and where it is from is said")
    func notGiven() throws {
        var facts = Facts.notes.without(.uptime)
        facts[.bundleIdentifier] = Fact("com.acme.notes", from: .metadata("AppDataInfo.plist"))
        var inspected = try Inspected(RudderStack.stores(), facts: facts)
        for (name, says) in [
            ("uptime", "uptime is not given, so there is nothing to take back"),
            ("bundleIdentifier", "there is nothing to take back: it is from AppDataInfo.plist"),
        ] {
            inspected.command("what-if \(name)=")
            #expect(inspected.message?.hasSuffix(says) == true, "\(inspected.message ?? "")")
            #expect(!inspected.model.isComparing)
        }
    }

    @Test("what is proposed says made, not made, kept and removed by what is there now, and shows what the list shows")
    func words() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.command("what-if writeKey=other")
        let screen = inspected.screen
        #expect(screen.contains(" made, ") && screen.contains(" not made"), "\(screen)")
        #expect(!screen.contains("removed") && !screen.contains("added"), "\(screen)")
        #expect(screen.contains("As it is") && screen.contains("With it"), "\(screen)")
        #expect(screen.contains("session_id  \"1724990100\"") && !screen.contains("session_id  ‹masked"), "\(screen)")
        inspected.press("<Esc>")
        inspected.command("what-if profile=sdk-1.2")
        #expect(inspected.screen.contains(" removed"), "\(inspected.screen)")
        inspected.press("!")
        inspected.command("what-if profile=documented")
        #expect(inspected.screen.contains(" kept"), "\(inspected.screen)")
    }

    @Test("the next profile stands beside the one in view, and the one after that; it is taken only when asked for")
    func profiles() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        let first = inspected.opened?.profile?.id
        inspected.press("P")
        let second = try #require(inspected.model.proposal?.profile)
        #expect(
            second != first && inspected.opened?.profile?.id == first
                && inspected.screen.contains("the profile \(second)"))
        inspected.press("P")
        #expect(inspected.model.proposal?.profile != first && inspected.model.proposal?.profile != second)
        inspected.press("<Esc>")
        #expect(inspected.opened?.profile?.id == first)
        inspected.command("what-if profile=\(second)")
        inspected.press("!")
        #expect(inspected.opened?.profile?.id == second)
        let entries = inspected.workspace.snapshot.history.entries
        #expect(entries.isEmpty)
    }

    @Test("a fact that the migration declares and does not use is said to be that, and no other is proposed for it")
    func unusedFact() throws {
        let text = """
            vestige: migration/1
            id: own
            facts:
              tenantId: {type: name, about: the tenant, example: t-1}
              tenant: {type: name, about: the tenant, example: t-1}
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: move, from: app/rs_user_id, to: "app/user_{tenantId}"}

            """
        var inspected = try Inspected(RudderStack.stores(), migrations: [SpecMigration(try Spec(Data(text.utf8)))])
        for command in ["fact tenant=a", "what-if tenant=a"] {
            inspected.command(command)
            #expect(inspected.message == "own declares the fact tenant, but nothing in it uses it")
        }
        inspected.command("fact tenan=a")
        #expect(inspected.message?.hasSuffix("did you mean tenantId?") == true, "\(inspected.message ?? "")")
    }

    @Test(
        "mistakes are told with what there is",
        arguments: [
            ("what-if uptme=3", "there is no fact “uptme”; did you mean uptime?"),
            ("what-if uptime=soon", "uptime is"), ("what-if profile=none", "there is no profile “none”; there are"),
            ("what-if uptime", "what-if takes NAME=VALUE"), ("what-if profile=", "what-if takes"),
            ("take", "nothing is proposed"),
        ])
    func mistakes(typed: String, says: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command(typed)
        #expect(inspected.message?.contains(says) == true, "\(inspected.message ?? "")")
        #expect(!inspected.model.isComparing)
    }
}
