import DeviceDump
import Foundation
import MigrationEngine
import Reports
import Migrations
import Testing
import Workspace

/// The laws, over every fixture and every variant of every migration; in process, by the same calls as the subcommands.
@Suite("Laws")
struct LawTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let fixture: String
        let app: String?
        let migration: any Migration
        let profile: Profile

        var testDescription: String { "\(fixture) \(app ?? "") \(migration.id):\(profile.id)" }

        func workspace(of dump: String, ledger: String) throws -> Workspace {
            try Workspace.open(
                dump: Dump.open(dump), container: app, facts: GivenFacts.file(Places.facts), ledger: .file(ledger))
        }
    }

    /// The first migration on every fixture, also where it finds nothing; every other one where it applies.
    static let cases: [Case] = Places.fixtures.flatMap { name -> [Case] in
        guard let dump = try? Dump.open(Places.fixture(name)), let facts = try? GivenFacts.file(Places.facts) else {
            return []
        }
        return dump.containers.flatMap { container in
            BuiltIn.migrations.filter { migration in
                migration.id == BuiltIn.migrations.first?.id
                    || migration.applies(to: container, facts: facts.completed(by: container.facts))
            }.flatMap { migration in
                migration.profiles.map { profile in
                    Case(
                        fixture: name, app: dump.containers.count > 1 ? container.identifier : nil,
                        migration: migration, profile: profile)
                }
            }
        }
    }

    @Test("Every fixture is there, and every variant of every migration")
    func casesAreThere() {
        #expect(Set(Self.cases.map(\.fixture)) == Set(Places.fixtures))
        let variants = BuiltIn.migrations.flatMap { migration in migration.profiles.map { "\(migration.id):\($0.id)" } }
        #expect(Set(Self.cases.map { "\($0.migration.id):\($0.profile.id)" }) == Set(variants))
    }

    private static func stamp() -> LedgerEntry.Stamp {
        LedgerEntry.Stamp(date: Date(timeIntervalSinceReferenceDate: 800_000_000), author: "tester", toolVersion: "1")
    }

    /// The steps of a plan's or an apply's answer that have changes: names and changes as JSON.
    private static func changes(_ report: any Report) throws -> [String] {
        try Answer(Data(report.json.utf8)).objects("steps").compactMap { step in
            guard let changes = step["changes"] as? [Any], step["outcome"] as? String == "migrates" else { return nil }
            return try "\(step["id"] ?? ""): " + Answer.text(changes)
        }
    }

    /// The export, or `nil` where it is refused because a file that would have to be written anew cannot be read.
    private static func export(_ workspace: Workspace, to target: String) throws -> Tree? {
        do {
            let summary = try workspace.export(to: target)
            var tree = try Tree(target)
            // Files that are new, and the folders they are in, have times of their own.
            for path in summary.rewritten + summary.added { tree.items[path]?.modified = [] }
            for path in summary.added + summary.removed {
                var folder = path
                while !folder.isEmpty {
                    folder = (folder as NSString).deletingLastPathComponent
                    tree.items[folder]?.modified = []
                }
            }
            return tree
        } catch WorkspaceError.export(_, .notRewritable(let path, _)) {
            #expect(path == "AppData/Library/Preferences/com.acme.hostile.plist")
            return nil
        }
    }

    @Test("Preview is what is applied, again is nothing, one by one is all at once, back is the dump", arguments: cases)
    func laws(test: Case) throws {
        let scratch = try Scratch(), dump = Places.fixture(test.fixture), before = try Tree(dump)
        let all = try test.workspace(of: dump, ledger: scratch("all.ledger"))
        func plan(_ workspace: Workspace) -> Plan { workspace.plan(test.migration, profile: test.profile) }
        func apply(_ selection: StepSelection, to workspace: Workspace) throws -> [AppliedStep] {
            try workspace.apply(selection, of: test.migration, profile: test.profile, stamp: Self.stamp())
        }
        let showing = Showing(Masking(isRevealing: true))
        func report(_ applied: [AppliedStep]) -> any Report {
            ApplyReport(applied, of: test.migration, profile: test.profile, in: all.snapshot, showing)
        }

        let preview = try Self.changes(PlanReport(plan(all), of: test.migration, in: all.snapshot, showing))
        let applied = try apply(.all, to: all)
        #expect(try Self.changes(report(applied)) == preview)
        let done = Set(applied.filter { $0.entry != nil }.map(\.step.id))
        #expect(done.count == preview.count)

        #expect(try all.verify(BuiltIn.migrations).findings == [], "a sound ledger verifies")

        #expect(try apply(.all, to: all).allSatisfy { $0.entry == nil }, "applied again, nothing is left to apply")
        for step in plan(all).steps where done.contains(step.id) {
            #expect([.unchanged, .skipped].contains(step.outcome.kind), "\(step.id) is \(step.outcome.kind)")
            #expect(step.status == .applied)
        }

        let one = try test.workspace(of: dump, ledger: scratch("one.ledger"))
        while try apply(.next, to: one).contains(where: { $0.entry != nil }) {}
        #expect(one.snapshot.history.standing.map(\.step) == all.snapshot.history.standing.map(\.step))
        #expect(one.snapshot.history.standing.map(\.changes) == all.snapshot.history.standing.map(\.changes))
        let exported = try Self.export(all, to: scratch("all"))
        #expect(try Self.export(one, to: scratch("one")) == exported)

        // The store that holds a dangling reference cannot be written anew.
        let hostile = StoreID.defaults("com.acme.hostile")
        #expect((exported == nil) == all.snapshot.overlay.editedStores.contains(hostile))
        if exported != nil {
            let again = try test.workspace(of: scratch("all"), ledger: scratch("again.ledger"))
            for step in plan(again).steps where done.contains(step.id) {
                switch (test.migration.id, test.profile.id) {
                case ("rudderstack-v2", "documented"): #expect(step.outcome.kind == .unchanged, "\(step.id)")
                case ("rudderstack-v2", _):
                    #expect(step.outcome.reason?.code == "requirement-not-met", "\(step.id) \(step.outcome)")
                default: #expect([.unchanged, .skipped].contains(step.outcome.kind), "\(step.id) \(step.outcome)")
                }
            }
            #expect(plan(again).pending.isEmpty)
        }

        #expect(try all.rollback(.all, stamp: Self.stamp()).count == done.count)
        try all.export(to: scratch("back"))
        #expect(try Tree(scratch("back")).differences(from: before) == [])
        #expect(try Tree(dump).differences(from: before) == [], "the dump is as it was")
    }

    @Test("Through the program, too, a preview is what is applied", arguments: ["documented", "sdk-1.1", "sdk-1.2"])
    func program(profile: String) throws {
        let scratch = try Scratch(), dump = Places.fixture("notes-legacy.xcappdata"), before = try Tree(dump)
        let options = [dump, "-m", "rudderstack-v2:" + profile, "--facts", Places.facts, "--json"]
        func changes(_ arguments: [String]) throws -> [String] {
            let steps = try Answer(Program.run(arguments + options, in: scratch).output).objects("steps")
            return try steps.filter { $0["outcome"] as? String == "migrates" }.map { try Answer.text($0["changes"]) }
        }
        let preview = try changes(["plan"])
        #expect(preview.count >= 8)
        #expect(try changes(["apply", "--all"]) == preview)
        #expect(try changes(["apply", "--all"]) == [])
        #expect(try Program.run(["verify", dump], in: scratch).code == 0)
        #expect(try Program.run(["rollback", dump, "--all"], in: scratch).code == 0)
        #expect(try changes(["plan"]) == preview)
        #expect(try Program.run(["export", dump, "--to", scratch("back")], in: scratch).code == 0)
        #expect(try Tree(scratch("back")).differences(from: before) == [])
        #expect(try Tree(dump).differences(from: before) == [])
    }
}
