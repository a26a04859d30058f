import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing
import Workspace

@testable import Inspector
@testable import Reports

@Suite("Answers as lines of text")
struct ListingTests {
    /// Every listing that a container's stores and plans give.
    private func everything(_ stores: any StoreReader, glyphs: Glyphs, masking: Masking = Masking()) throws -> [String]
    {
        var listing = Listing(glyphs: glyphs, masking: masking)
        for store in stores.stores {
            listing.show(Address(store: store), in: stores)
            let keys = stores.keys(in: store)
            for position in 0..<keys.count {
                listing.show(Address(store: store, key: keys.key(at: position)), in: stores)
            }
        }
        listing.show(.defaults("none", "absent"), in: stores)
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        for profile in RudderStack.migration.profiles {
            let plan = session.plan(RudderStack.migration, profile: profile, facts: .notes)
            for step in plan.steps {
                for change in step.changes { listing.change(change) }
                listing.line(step.outcome.reason.map { listing.masking.sentence($0.sentence) } ?? "")
            }
        }
        listing.applied(
            try session.apply(
                .all, of: RudderStack.migration, profile: RudderStack.migration.profiles[0], facts: .notes, stamp: .test
            ))
        listing.rolledBack(try session.rollback(.last, stamp: .test))
        listing.log(session.history)
        listing.migration(RudderStack.migration, profiles: RudderStack.migration.profiles)
        listing.migrations([RudderStack.migration])
        return listing.lines
    }

    @Test(
        "every line is displayable and ends without blanks", arguments: [Start.legacy, .troubled, .hostile, .secrets])
    func displayable(start: Start) throws {
        for glyphs in Glyphs.allCases {
            let inspected = try start.inspected()
            for line in try everything(try #require(inspected.opened).snapshot.stores, glyphs: glyphs) {
                #expect(glyphs.displayText(line) == line, "\(line.debugDescription)")
                #expect(!line.hasSuffix(" "))
                if glyphs == .ascii { #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }) }
            }
        }
    }

    @Test("nothing secret is listed unless it is revealed")
    func masked() throws {
        let stores = try #require(try Start.secrets.inspected().opened).snapshot.stores
        let hidden = try everything(stores, glyphs: .unicode).joined(separator: "\n")
        for needle in Start.needles { #expect(!hidden.contains(needle), "\(needle)") }
        #expect(hidden.contains("‹masked string, 20 characters›"))
        let shown = try everything(stores, glyphs: .unicode, masking: Masking(isRevealing: true)).joined(
            separator: "\n")
        for needle in Start.needles { #expect(shown.contains(needle), "\(needle)") }
    }

    private func show(_ address: String, masking: Masking = Masking()) throws -> String {
        var listing = Listing(masking: masking)
        listing.show(try Address(parsing: address), in: RudderStack.stores())
        return listing.text
    }

    @Test("a value is shown as deep as it goes")
    func show() throws {
        #expect(
            try show("defaults://com.acme.notes/rs_traits") == """
                rs_traits  string, holding JSON
                  JSON {email, plan, userId}
                    email: ‹masked string, 16 characters›
                    plan: "pro"
                    userId: "u-77"

                """)
        #expect(try show("defaults://com.acme.notes/rs_traits#/plan") == "/plan  string\n  \"pro\"\n")
        #expect(try show("defaults://com.acme.notes/nope") == "defaults://com.acme.notes/nope is absent\n")
        #expect(
            try show("defaults://com.acme.notes/rs_traits#/email")
                == "/email  string\n  ‹masked string, 16 characters›\n")
        #expect(
            try show("defaults://com.acme.notes/rs_traits#/email", masking: Masking(isRevealing: true))
                == "/email  string\n  \"jane@example.com\"\n")
    }

    @Test("a store is shown as its keys with their values")
    func showStore() throws {
        let lines = try show("defaults://com.acme.notes").split(separator: "\n")
        #expect(lines.count == 9)
        #expect(lines.first == "rs_user_id                        \"u-42\"")
    }

    @Test("a long text is shown whole where it was asked for")
    func longText() {
        var listing = Listing()
        let text = String(repeating: "x y ", count: 500)
        listing.show(.defaults("d", "k"), in: MemoryStores([(.defaults("d"), ["k": .string(text)])]))
        #expect(listing.lines.last == "  \"\(text)\"")
    }

    /// The listings of a workspace over a fixture.
    private func listing(_ fixture: String, _ body: (inout Listing, Workspace) throws -> Void) throws -> String {
        let folder = try TemporaryFolder()
        var listing = Listing()
        try body(&listing, try Fixtures.workspace(of: fixture, ledger: folder))
        return listing.text
    }

    @Test("a plan says of each step what it does, with before, after and why")
    func plan() throws {
        let migration = RudderStack.migration
        let text = try listing("notes-half-migrated.xcappdata") { listing, workspace in
            listing.plan(
                workspace.plan(migration, profile: migration.profiles[0]), of: migration, in: workspace.snapshot)
        }
        let lines = text.components(separatedBy: "\n")
        #expect(lines[0] == "rudderstack-v2:documented on com.acme.notes (xcappdata)")
        #expect(lines[1] == "0 of 9 applied: 5 to apply, 2 unchanged, 1 skipped, 1 in conflict")
        #expect(lines[3] == "=  anonymous-id          Anonymous ID          unchanged")
        #expect(text.contains("\n!  user-id               User ID               conflict\n    why   "))
        #expect(
            text.contains(
                """
                →  session-id            Session ID            migrates
                    add  defaults://com.acme.notes.analytics.wk-1a2b3c/session_id
                      from    defaults://com.acme.notes/rl_session_id
                      after   "1724990100"
                    rule  the number as a string
                """))
    }

    @Test("facts that are missing are named with how to give them")
    func missingFacts() throws {
        let folder = try TemporaryFolder()
        var listing = Listing()
        let workspace = try Fixtures.workspace(of: "notes-legacy.xcappdata", withFacts: false, ledger: folder)
        let migration = RudderStack.migration
        listing.plans([(migration, workspace.plan(migration, profile: migration.profiles[0]))], in: workspace.snapshot)
        #expect(listing.text.contains("Facts that are missing:\n  --fact writeKey=2Fk8pQx   the write key"))
    }

    @Test("the status counts and names what is applied, rolled back and to do")
    func status() throws {
        let migration = RudderStack.migration
        let text = try listing("notes-legacy.xcappdata") { listing, workspace in
            try workspace.apply(
                .steps(["traits", "user-id"]), of: migration, profile: migration.profiles[0], stamp: .test)
            try workspace.rollback(.last, stamp: .test)
            listing.status(workspace.snapshot, plans: [workspace.plan(migration, profile: migration.profiles[0])])
        }
        #expect(text.contains("rudderstack-v2:documented  1 of 9 applied: 7 to apply, 1 unchanged, 1 skipped\n"))
        #expect(text.contains("  ✓  user-id               applied\n"))
        #expect(text.contains("  →  traits                rolled back; now migrates\n"))
        #expect(text.contains("  3 entries\n"))
    }
}
