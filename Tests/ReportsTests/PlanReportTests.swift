import DeviceDump
import Files
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Reports
@testable import Workspace

@Suite("What a plan says of a user's values")
struct PlanReportTests {
    /// The answer about a built-in migration on a fixture.
    static func report(
        _ fixture: String, _ migration: String, profile: String? = nil, facts: Facts? = nil,
        _ masking: Masking = Masking()
    ) throws -> PlanReport {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture(fixture)), facts: facts ?? GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first { $0.id == migration })
        let plan = workspace.snapshot.plan(migration, profile: try migration.profile(named: profile))
        return PlanReport(plan, of: migration, in: workspace.snapshot, Showing(masking.naming(migration)))
    }

    static func json(_ report: some Report) throws -> Value { try JSONDocument(Data(report.json.utf8)).value }

    @Test("What a change drops is named with its address, in JSON and in every form for people")
    func dropped() throws {
        let report = try Self.report("notes-legacy.xcappdata", "rudderstack-v2")
        let traits = "defaults://com.acme.notes/rs_traits"
        let change = try #require(JSONPointer(parsing: "/steps/2/changes/0/dropped"))
        func part(_ pointer: String) -> Value {
            .dictionary([("address", .string(traits + pointer)), ("effect", .string("dropped"))])
        }
        #expect(try Self.json(report)[change] == .array([part("#/id"), part("#/anonymousId")]))
        let document = report.document
        #expect(document.text().contains("      drops   \(traits)#/id\n      drops   \(traits)#/anonymousId\n"))
        #expect(document.markdown().contains("*drops* defaults://com.acme.notes/rs\\_traits\\#/id"))
        #expect(document.html(title: "t").contains("<b>drops</b> \(traits)#/id"))
        #expect(document.text().contains("3 dropped (2 parts of others)"))
        let counts = try #require(JSONPointer(parsing: "/effects"))
        // The same number as the screen has.
        #expect(try Self.json(report)[counts]?.members?["untouched"] == .integer(20))
        #expect(try Self.json(report)[counts]?.members?["droppedParts"] == .integer(2))
    }

    @Test("The fingerprint is the shape of a plan: other values have the same one, another outcome has not")
    func fingerprint() throws {
        func fingerprint(_ facts: Facts, _ fixture: String = "notes-legacy.xcappdata", _ profile: String? = nil) throws
            -> String
        {
            let report = try Self.report(fixture, "rudderstack-v2", profile: profile, facts: facts)
            #expect(report.document.text().contains("\nfingerprint: \(report.fingerprint)\n"))
            return report.fingerprint
        }
        var facts = try GivenFacts.file(Places.facts)
        let first = try fingerprint(facts)
        #expect(first.count == 16 && first.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(try fingerprint(facts) == first)
        // Another device, another write key, which is in the name of a store.
        facts[.identifierForVendor] = Fact("11111111-74A7-4EDF-969D-164CB151B6C3", from: "another")
        facts["writeKey"] = Fact("wk-of-another-app", from: "another")
        #expect(try fingerprint(facts) == first)
        // Also one that is short, or stands in other names.
        for short in ["ab", "a", "id", "notes"] {
            facts["writeKey"] = Fact(short, from: "another")
            #expect(try fingerprint(facts) == first, "\(short)")
        }
        facts["writeKey"] = Fact("wk-of-another-app", from: "another")
        #expect(try fingerprint(facts, "notes-troubled.xcappdata") != first)
        #expect(try fingerprint(facts, "notes-legacy.xcappdata", "sdk-1.2") != first)
        facts["uptime"] = Fact("1000", from: "another")
        #expect(try fingerprint(facts) != first, "the last activity was before the device was started: skipped")
    }

    @Test(
        "What no step touches is as much after a step is applied, and what a step moves under a name of its own is touched"
    )
    func untouched() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), facts: GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first), profile = try migration.profile(named: nil)
        let stamp = LedgerEntry.Stamp(date: Date(), author: "a test", toolVersion: "0")
        #expect(workspace.snapshot.plan(migration, profile: profile).untouched == 20)
        try workspace.apply(.steps(["session-id"]), of: migration, profile: profile, stamp: stamp)
        #expect(workspace.snapshot.plan(migration, profile: profile).untouched == 20)
        try workspace.apply(.all, of: migration, profile: profile, stamp: stamp)
        #expect(workspace.snapshot.plan(migration, profile: profile).untouched == 20)
        let shop = try Self.report("shop-broken.xcappdata", "convert")
        let moved = Address(
            store: StoreID(.file, "AppSupport"), key: "com.convertexperiments.sdk/config-100413_100410.json")
        let key = try #require(moved.key)
        #expect(shop.plan.touched[moved.store]?.contains(key) == true)
        #expect(shop.document.text().contains("untouched in the migration's stores"))
    }

    @Test(
        "What is in conflict or stands there already is counted in the text as on the screen, and what is moved aside is dropped"
    )
    func heldValues() throws {
        let report = try Self.report("shop-broken.xcappdata", "convert")
        #expect(
            report.document.text().contains(
                "values: 2 in conflict, 3 dropped, 1 there already, 5 untouched in the migration's stores"),
            "\(report.document.text())")
        let effects = try #require(JSONPointer(parsing: "/effects"))
        let counts = try #require(try Self.json(report)[effects]?.members)
        #expect(
            counts["conflict"] == .integer(2) && counts["unchanged"] == .integer(1) && counts["dropped"] == .integer(3))
    }

    @Test("A removal that waits counts nothing of what a step that stands in another profile has dropped for others")
    func droppedElsewhere() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first), other = try migration.profile(named: "sdk-1.1")
        let stamp = LedgerEntry.Stamp(date: Date(), author: "a test", toolVersion: "0")
        try workspace.apply(
            .all, of: migration, profile: migration.profile(named: "documented"), stamp: stamp, assuming: true)
        let snapshot = workspace.snapshot,
            counts = ValueCounts(snapshot.plan(migration, profile: other), in: snapshot.overlay)
        #expect(counts[.held(.blocked)] == 2 && !counts.isHeld(.blocked, by: "remove-legacy"))
    }

    @Test("A step that stands in another profile is applied in the plan of this one, and counted apart, as in the list")
    func otherProfile() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), facts: GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first), other = try migration.profile(named: "sdk-1.1")
        let stamp = LedgerEntry.Stamp(date: Date(), author: "a test", toolVersion: "0")
        try workspace.apply(.steps(["user-id"]), of: migration, profile: migration.profile(named: nil), stamp: stamp)
        let plan = workspace.snapshot.plan(migration, profile: other)
        let report = PlanReport(plan, of: migration, in: workspace.snapshot, Showing(Masking().naming(migration)))
        let text = report.document.text()
        #expect(text.contains("0 of 10 applied, 1 with documented: ") && !text.contains("conflict"), "\(text)")
        #expect(text.contains("it stands as the profile documented has made it"))
        #expect(report.status == .pending)
        // The values are those of the steps.
        #expect(ValueCounts(plan, in: workspace.snapshot.overlay)[.held(.conflict)] == 0)
    }

    @Test("A step that does nothing because of a guess says so, and the guess is listed")
    func guesses() throws {
        var facts = Facts()
        for (name, value) in [
            ("identifierForVendor", "9B574574-74A7-4EDF-969D-164CB151B6C3"), ("uptime", "1000"),
            ("writeKey", "wk-1a2b3c"),
        ] { facts[FactName(rawValue: name)] = Fact(value, from: "a test") }
        let text = try Self.report("notes-legacy.xcappdata", "rudderstack-v2", facts: facts).document.text()
        #expect(text.contains("the device was restarted since") && text.contains("    fact  now is "))
        #expect(text.contains("Facts that are only assumed") && text.contains("\n  now is "))
        let given = try Self.report("notes-legacy.xcappdata", "rudderstack-v2").document.text()
        #expect(!given.contains("fact  now is") && !given.contains("Facts that are only assumed"))
    }

    @Test("Whoever is asked to agree to a fact sees its value, and is told once what is missing and how to give it")
    func waiting() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first), profile = try migration.profile(named: nil)
        let stamp = LedgerEntry.Stamp(date: Date(), author: "a test", toolVersion: "0")
        let applied = try workspace.apply(.all, of: migration, profile: profile, stamp: stamp)
        let report = ApplyReport(
            applied, of: migration, profile: profile, in: workspace.snapshot, Showing(Masking().naming(migration)))
        let text = report.document.text(), json = try report.json
        #expect(!text.contains("masked") && !json.contains("masked"))
        #expect(text.components(separatedBy: "writeKey is wk-1a2b3c").count == 2, "\(text)")
        #expect(text.contains("--assume") && text.contains("What is missing:"))
        #expect(text.contains("identifierForVendor=…   ") && text.contains("such as 9B574574-"))
    }

    @Test("The version of a profile in the keychain is shown as it changes")
    func version() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("klivvr-v1.xcappdata")), facts: GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first { $0.id == "klivvr-user-profile" })
        let plan = workspace.snapshot.plan(migration, profile: try migration.profile(named: nil))
        let masking = Masking(secrecy: EntrySecrecy(open: migration.publicEntries(facts: plan.facts)))
        let text = PlanReport(plan, of: migration, in: workspace.snapshot, Showing(masking)).document.text()
        #expect(!text.contains("‹masked data") && text.contains("/v_Data  "), "\(text)")
        // What a default made up is nobody's secret.
        #expect(text.contains("/preferences is a placeholder: nobody entered {"), "\(text)")
    }

    @Test("Two masked ids in conflict are told apart")
    func apart() throws {
        let text = try Self.report("shop-broken.xcappdata", "convert").document.text()
        #expect(text.contains("after   ‹another masked string, 36 characters›"))
    }

    @Test("In Markdown the changes of a step stand under it, and no two empty lines follow each other")
    func nesting() throws {
        let report = try Self.report("notes-legacy.xcappdata", "rudderstack-v2"), page = report.document.markdown()
        let phrase = "migrates, drops 1 value and changes what 1 value means"
        #expect(page.contains("\n- user-id · User ID · \(phrase)\n  - add, changed  defaults"))
        #expect(page.contains("\n    - *after* \"x\"") && !page.contains("\n\n\n"))
        #expect(report.document.html(title: "t").contains("<p style=\"margin-left: 3em\"><b>drops</b>"))
    }

    @Test("In Markdown a name behind @ is nobody's, a number behind # no page's, and $ no formula")
    func mentions() {
        var document = Document()
        document.line("@octocat closes #12, costs $x$, a@b # c")
        let page = document.markdown()
        #expect(page.contains("@<!-- -->octocat closes \\#<!-- -->12, costs \\$x\\$, a@<!-- -->b \\# c"))
    }

    @Test("Two masked keys of a store that would look alike are told apart by their places, and one alone is not")
    func maskedTwins() throws {
        let store = StoreID.defaults("d"), address = "ann@example.com", other = "bob@example.com"
        let stores = MemoryStores([
            (
                store,
                Members(
                    [address, "plain", other, "someone.else@example.com"].map { Member(key: Name($0), value: .null) })
            )
        ])
        let listed = [address, other, "someone.else@example.com", "plain"].map {
            Masking().listed(Name($0), in: store, of: stores)
        }
        #expect(listed[0] == Masking().name(Name(address)) + " ‹entry 1›", "\(listed)")
        #expect(listed[1] == Masking().name(Name(other)) + " ‹entry 3›", "\(listed)")
        #expect(listed[2] == Masking().name("someone.else@example.com") && listed[3] == "plain", "\(listed)")
        #expect(Masking(isRevealing: true).listed(Name(address), in: store, of: stores) == address)
    }

    @Test("What cannot be known without a keychain is said last, with what helps")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let snapshot = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), ledger: .file(folder("ledger"))
        ).snapshot
        let found = ApplicableMigrations(among: BuiltIn.migrations, in: snapshot.container, facts: snapshot.facts)
        let plans = try found.applying.map { migration in
            (migration: migration, plan: snapshot.plan(migration, profile: try migration.profile(named: nil)))
        }
        let lines = PlansReport(plans, unknown: found.unknownReasons, in: snapshot, Showing()).document.text()
            .split(separator: "\n")
        #expect(lines.first?.hasPrefix("rudderstack-v2:documented") == true)
        #expect(
            lines.dropLast().last
                == "Not known without a keychain: convert, person, klivvr-user-profile")
        #expect(lines.last == "  name an export of the keychain")
    }

    @Test("Steps that stand of a migration that nobody has given are told, with what helps")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), facts: GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first { $0.id == "rudderstack-v2" })
        let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSinceReferenceDate: 0), author: "ann", toolVersion: "1")
        try workspace.apply(.next, of: migration, profile: migration.profiles[0], stamp: stamp)
        func text(_ known: [String]) -> String {
            PlansReport([], unknown: [], among: known, in: workspace.snapshot, Showing()).document.text()
        }
        #expect(text([]).contains("rudderstack-v2:documented  1 step applied\n  give the spec"), "\(text([]))")
        #expect(!text([migration.id]).contains("give the spec"))
    }

    @Test("A verification of nothing has not passed, and says that nothing is applied")
    func nothingVerified() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), facts: GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        func members() throws -> Members? {
            let found = try workspace.verify(BuiltIn.migrations)
            return try Self.json(VerifyReport(found, in: workspace.snapshot, Showing())).members
        }
        #expect(try members()?["result"] == .string("nothing-applied") && members()?["passed"] == .bool(false))
        let migration = try #require(BuiltIn.migrations.first)
        try workspace.apply(
            .next, of: migration, profile: try migration.profile(named: nil),
            stamp: LedgerEntry.Stamp(date: Date(), author: "a test", toolVersion: "0"))
        #expect(try members()?["result"] == .string("verified") && members()?["passed"] == .bool(true))
    }

    @Test("What exports that were stopped had left, a copy of somebody's data, is named by the answer")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), ledger: .file(folder("ledger")))
        try folder.write(".out.vestige-1f/Documents/private.txt", Data("private".utf8))
        try OpenFile.folder(folder(".out.vestige-1f")).setAttribute(ExportMark.attribute, to: "1")
        var summary = try workspace.export(to: folder("out"))
        summary.keptLeftovers = ["/t/.out.vestige-2f"]
        let report = ExportReport(
            summary, in: workspace.snapshot, beside: .init("/out", problem: "it was stopped"), Masking())
        let members = try Self.json(report).members
        #expect(members?["removedLeftovers"] == .array([.string(folder(".out.vestige-1f"))]))
        #expect(members?["keptLeftovers"] == .array([.string("/t/.out.vestige-2f")]))
        #expect(
            report.document.text().contains(folder(".out.vestige-1f")) && report.document.text().contains("vestige-2f"))
    }

    @Test("A plan as text names the parts that change inside a value, and a note quotes nothing of a keychain item")
    func inside() throws {
        let plan = try Self.report("klivvr-half-migrated.xcappdata", "klivvr-user-profile").document.text()
        #expect(plan.contains("        ~  /v_Data/preferences/theme  ‹masked string› → ‹another masked string›"))
        #expect(plan.contains("it was ‹masked string") && !plan.contains("dark"))
        let revealed = try Self.report(
            "klivvr-half-migrated.xcappdata", "klivvr-user-profile", Masking(isRevealing: true))
        #expect(revealed.document.text().contains("it was “{\"theme\":\"dark\""))
    }

    @Test("Where a value is stored in another type, and what it holds looks the same, a note says so")
    func storedOtherwise() {
        func notes(_ before: Value, _ after: Value) -> [String] {
            let change = Change(
                address: .defaults("a", "b"), before: .present(before), after: after, from: [.defaults("a", "b")],
                rule: "")
            return ChangePart(change, Showing()).notes
        }
        let text = #"{"a":1}"#
        #expect(notes(.data(Data(text.utf8)), .string(text)).first?.contains("becomes a string") == true)
        #expect(notes(.string(text), .data(Data(text.utf8))).first?.contains("becomes data") == true)
        #expect(notes(.string(text), .string(text)) == [])
        let plain = Value.dictionary(["a": .integer(2)])
        #expect(
            notes(.string(text), plain) == [
                "it is stored as a string and becomes a dictionary: what reads a string there finds none"
            ])
        #expect(notes(.data(Data(text.utf8)), plain).first?.contains("becomes a dictionary") == true)
        #expect(notes(plain, .string(text)).first?.contains("what reads a dictionary there finds none") == true)
        #expect(notes(.string("red,green"), .array([.string("red")])) == [])
    }

    @Test("A sign begins no list within a list, and counts that are none take no line")
    func empty() throws {
        let report = try Self.report("notes-legacy.xcappdata", "rudderstack-v2")
        #expect(!report.document.markdown().contains("- - ") && !report.document.markdown().contains("- \\-"))
        let nothing = try Self.report("person-v3.xcappdata", "rudderstack-v2").document.text()
        #expect(!nothing.contains("values: \n"))
    }

    @Test("A change that rolls back another has no effect on a value of its own: it gives back what was there")
    func rollback() throws {
        let folder = try TemporaryFolder()
        let workspace = try Workspace.open(
            dump: Dump.open(Places.fixture("notes-legacy.xcappdata")), facts: GivenFacts.file(Places.facts),
            ledger: .file(folder("ledger")))
        let migration = try #require(BuiltIn.migrations.first)
        let stamp = LedgerEntry.Stamp(date: Date(), author: "a test", toolVersion: "0")
        try workspace.apply(.next, of: migration, profile: try migration.profile(named: nil), stamp: stamp)
        try workspace.rollback(.last, stamp: stamp)
        let log = LogReport(workspace.snapshot, Showing())
        func effect(_ entry: Int) throws -> Value? {
            try Self.json(log)[try #require(JSONPointer(parsing: "/entries/\(entry)/changes/0/effect"))]
        }
        #expect(try effect(0) == .string("carried") && effect(1) == .null)
        #expect(log.document.text().contains("    remove  defaults://"))
    }

    @Test("a fact that is one of a migration's own words is shown, also where it was inferred from a keychain")
    func choice() throws {
        let place = FactSource.inferred("keychain://com.acme.people/person")
        let choice = FactDefinition(
            "place", "where it is", form: .oneOf(["defaults", "keychain"]), example: "defaults")
        var masking = Masking()
        masking.secrecy.note(naming: [choice])
        #expect(masking.fact("place", Fact("keychain", from: place)) == "keychain")
        #expect(masking.fact("place", Fact("hunter22", from: place)).contains("masked"))
        #expect(Masking().fact("place", Fact("keychain", from: place)).contains("masked"))
        #expect(choice.accepts("defaults") && !choice.accepts("cloud") && !choice.accepts(""))
    }

    @Test("What a step only takes away, as its target holds it, is there already: so it is counted, and shown")
    func thereAlready() throws {
        let report = try Self.report("localdata-half-equal.xcappdata", "localdata-sealed")
        let step = try #require(report.plan.steps.first)
        #expect(step.changes.map(\.action) == [.remove] && step.changes[0].effect == .carried)
        #expect(report.document.text().contains("values: 1 there already"), "\(report.document.text())")
        #expect(try Self.json(report)[JSONPointer(["effects", "unchanged"])] == .integer(1))
        let target = try #require(step.target), stores = try Dump.open(Places.fixture("localdata-half-equal.xcappdata"))
        let container = try stores.container(nil)
        let answer = StepAnswer(
            step, facts: report.plan.facts, definitions: [], now: container, found: container, Masking())
        #expect(answer.document.text().contains("\(target)  "), "\(answer.document.text())")
    }
}

extension Masking {
    /// The same where a migration is known, of whose facts some name stores.
    func naming(_ migration: any Migration) -> Masking {
        var other = self
        other.secrecy.note(naming: migration.facts)
        return other
    }
}
