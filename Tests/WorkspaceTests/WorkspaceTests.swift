import DeviceDump
import Foundation
import GRDB
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

@Suite("A workspace")
struct WorkspaceTests {
    static let migration = TestMigration()
    static let now = Facts(["now": Fact("1725000000.5", from: "--fact")])

    @Test("Looking at a dump leaves nothing on the disk, and neither does an apply that changes nothing")
    func leavesNothing() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let before = try folder.tree("")
        let workspace = try folder.workspace()
        _ = workspace.plan(Self.migration, profile: Self.migration.plain)
        _ = try workspace.verify([Self.migration])
        #expect(workspace.snapshot.access == .readWrite)
        let applied = try workspace.apply(
            .steps(["time"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        #expect(applied.map(\.outcome.kind) == [.blocked])
        #expect(try folder.tree("") == before)
    }

    @Test("What is applied is what the plan showed, also after opening the dump anew")
    func previewIsApplied() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let planned: [[Change]]
        do {
            let workspace = try folder.workspace(facts: Self.now)
            planned = workspace.plan(Self.migration, profile: Self.migration.plain).steps.map(\.changes)
            let applied = try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
            #expect(applied.map { $0.entry?.changes ?? [] } == planned)
        }
        let history = try folder.workspace().snapshot.history
        #expect(history.entries.map(\.changes) == planned)
        #expect(history.entries.map(\.number) == [1, 2, 3, 4, 5])
        #expect(history.entries.allSatisfy { $0.facts["now"]?.value == "1725000000.5" })
    }

    @Test("Applying again changes nothing")
    func idempotent() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now)
        try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        let again = try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        #expect(again.allSatisfy { $0.entry == nil })
        #expect(workspace.snapshot.history.entries.count == 5)
    }

    @Test("Step by step is the same as all at once, in the ledger and in every byte of the export")
    func stepByStep() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let all = try folder.workspace(ledger: "a", facts: Self.now)
        try all.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        try all.export(to: folder("all"))
        for number in 1...5 {
            let one = try folder.workspace(ledger: "b", facts: Self.now)
            try one.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
            #expect(one.snapshot.history.entries.count == number)
        }
        let one = try folder.workspace(ledger: "b", facts: Self.now)
        try one.export(to: folder("one"))
        #expect(one.snapshot.history.entries == all.snapshot.history.entries)
        #expect(try folder.tree("one") == folder.tree("all"))
    }

    @Test("After rolling back, wherever one stopped, the export is the dump again, byte for byte", arguments: 1...5)
    func rollback(count: Int) throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now)
        for _ in 1...count {
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        try workspace.rollback(.last, stamp: .test)
        try workspace.rollback(.all, stamp: .test)
        try workspace.export(to: folder("out"))
        #expect(try folder.tree("out") == folder.tree("dump"))
        #expect(workspace.snapshot.history.entries.count == 2 * count)
        #expect(workspace.snapshot.overlay.editedStores.isEmpty)
    }

    @Test("Rolling back to a step leaves that one as the last, and names a step that does not stand")
    func rollbackTo() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now)
        try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        try workspace.rollback(.step("file"), stamp: .test)
        #expect(workspace.snapshot.history.standing.map(\.step) == ["id", "time", "file"])
        let error = #expect(throws: WorkspaceError.notApplied("theme")) {
            try workspace.rollback(.step("theme"), stamp: .test)
        }
        #expect(error?.exitCode == 64)
    }

    @Test("A step that the migration does not have is named, with those that it has")
    func unknownStep() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let error = #expect(throws: WorkspaceError.self) {
            try folder.workspace().apply(
                .steps(["id", "ids"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        #expect(
            error == .unknownSteps(["ids"], migration: "test", known: ["id", "time", "file", "theme", "clean"]))
    }

    @Test("A workspace that another program has open can be looked at and exported, not changed")
    func readOnly() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let first = try folder.workspace()
        try first.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        let second = try folder.workspace()
        #expect(second.snapshot.access == .readOnly(.inUse))
        #expect(second.snapshot.history.standing.map(\.step) == ["id"])
        for change in [
            { _ = try second.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test) },
            { _ = try second.rollback(.last, stamp: .test) },
        ] {
            let error = #expect(throws: WorkspaceError.readOnly(.inUse)) { try change() }
            #expect(error?.exitCode == 75)
        }
        try second.export(to: folder("out"))
        #expect(first.snapshot.history.entries.count == 1)
    }

    @Test("A ledger inside the dump is refused, also through a link")
    func ledgerInside() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try FileManager.default.createSymbolicLink(atPath: folder("way"), withDestinationPath: folder("dump/Documents"))
        for path in ["dump/new/ledger", "way/ledger"] {
            let error = #expect(throws: WorkspaceError.self) { try folder.workspace(ledger: path) }
            #expect(error == .ledgerInsideDump(folder(path)))
        }
    }

    // MARK: Facts

    @Test("A fact given later unblocks the steps that need it; a badly formed one is refused with an example")
    func setFact() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace()
        let definition = Self.migration.facts[0]
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.setFact(definition, to: "yesterday", source: "the inspector")
        }
        #expect(error?.exitCode == 64)
        #expect("\(try #require(error))".contains("such as 2024-08-30, 2024-08-30 10:00 or"))
        #expect(workspace.snapshot.facts["now"] == nil)
        try workspace.setFact(definition, to: "12", source: "the inspector")
        #expect(workspace.snapshot.facts["now"] == Fact("12", from: "the inspector"))
        #expect(workspace.plan(Self.migration, profile: Self.migration.plain).summary[.blocked] == nil)
        try workspace.setFact(definition, to: nil, source: "the inspector")
        #expect(workspace.snapshot.facts["now"] == nil)
    }

    @Test("Whose a lone file is cannot be said once it is open; the refusal says how it can")
    func factOfLoneFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let dump = try Dump.open(folder("dump/Library/Preferences/com.acme.notes.plist"))
        let workspace = try Workspace.open(dump: dump, ledger: .file(folder("lone.ledger")))
        let definition = FactDefinition(.bundleIdentifier, "the app", form: .text, example: "com.acme.notes")
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.setFact(definition, to: "com.acme.other", source: "the inspector")
        }
        #expect(error?.exitCode == 64)
        #expect(error?.advice == .startWithFact(.bundleIdentifier, value: "com.acme.other"))
        #expect("\(try #require(error))".contains("bundleIdentifier says what is in this file"))
        try workspace.setFact(definition, to: "com.acme.notes", source: "the inspector")
    }

    @Test("Facts that were given win over those of the dump's metadata")
    func factOrder() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        #expect(try folder.workspace().snapshot.facts[.bundleIdentifier]?.value == "com.acme.notes")
        let given = Facts([.bundleIdentifier: Fact("com.other", from: "--fact")])
        #expect(try folder.workspace(facts: given).snapshot.facts[.bundleIdentifier]?.value == "com.other")
    }

    // MARK: Drift

    enum Tampering: CaseIterable {
        case changed, sameSizeAndTime, missing, appeared
    }

    static func tamper(_ how: Tampering, _ folder: TemporaryFolder) throws -> Drift {
        let preferences = "Library/Preferences/com.acme.notes"
        switch how {
        case .changed:
            try folder.write(
                "dump/" + preferences + ".plist",
                XMLPropertyList.write(.dictionary([("a", .null)].filter { _ in false })))
            return Drift(Name(preferences + ".plist"), .changed)
        case .sameSizeAndTime:
            let path = folder("dump/" + preferences + ".plist")
            let modified = try #require(folder.status("dump/" + preferences + ".plist")).modified
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            let range = try #require(data.range(of: Data("u-42".utf8)))
            data.replaceSubrange(range, with: Data("u-43".utf8))
            try data.write(to: URL(fileURLWithPath: path))
            var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: modified[0], tv_nsec: modified[1])]
            utimensat(AT_FDCWD, path, &times, 0)
            return Drift(Name(preferences + ".plist"), .changed)
        case .missing:
            try FileManager.default.removeItem(atPath: folder("dump/" + preferences + ".plist"))
            return Drift(Name(preferences + ".plist"), .missing)
        case .appeared:
            try folder.write(
                "dump/" + preferences + ".new.plist", BinaryPropertyList.write(.dictionary([("z", .bool(true))])))
            return Drift(Name(preferences + ".new.plist"), .appeared)
        }
    }

    @Test(
        "A dump that has changed is named, and nothing is applied or exported until the person decides",
        arguments: Tampering.allCases)
    func drift(how: Tampering) throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        do {
            let workspace = try folder.workspace()
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
            #expect(workspace.snapshot.drift.isEmpty)
        }
        let drift = try Self.tamper(how, folder)
        let workspace = try folder.workspace()
        #expect(workspace.snapshot.drift == [drift])
        let error = #expect(throws: WorkspaceError.drift([drift])) {
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        #expect(error?.exitCode == 4)
        #expect("\(try #require(error))".contains(drift.path.text))
        #expect(throws: WorkspaceError.drift([drift])) { try workspace.export(to: folder("out")) }
        #expect(workspace.snapshot.history.entries.count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
    }

    @Test("Accepting drift records the new digests, so that it is not named again")
    func acceptDrift() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        do {
            let workspace = try folder.workspace()
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        _ = try Self.tamper(.sameSizeAndTime, folder)
        let workspace = try folder.workspace()
        try workspace.apply(
            .steps(["file"]), of: Self.migration, profile: Self.migration.plain, stamp: .test,
            accepting: workspace.snapshot.drift)
        #expect(workspace.snapshot.drift.isEmpty)
        try workspace.export(to: folder("out"))
        #expect(try workspace.verify([Self.migration]).findings.map(\.kind) == [.differentChanges])
    }

    @Test("Accepting drift accepts the files that were asked about, and no other that has changed since")
    func acceptsWhatWasAsked() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace()
        try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        _ = try Self.tamper(.sameSizeAndTime, folder)
        let asked = try workspace.findDrift()
        let later = try Self.tamper(.appeared, folder)
        func apply(_ accepted: [Drift]) throws {
            try workspace.apply(
                .steps(["file"]), of: Self.migration, profile: Self.migration.plain, stamp: .test, accepting: accepted)
        }
        #expect(throws: WorkspaceError.drift([later])) { try apply(asked) }
        #expect(throws: WorkspaceError.drift([later])) { try workspace.export(to: folder("out"), accepting: asked) }
        #expect(workspace.snapshot.history.entries.count == 1 && workspace.snapshot.drift.count == 2)
        try apply(asked + [later])
        #expect(workspace.snapshot.history.entries.count == 2 && workspace.snapshot.drift.isEmpty)
    }

    @Test("Steps can be taken back in spite of drift, and then there is none")
    func rollbackDrift() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        do {
            let workspace = try folder.workspace()
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        _ = try Self.tamper(.sameSizeAndTime, folder)
        let workspace = try folder.workspace()
        try workspace.rollback(.all, stamp: .test)
        #expect(workspace.snapshot.drift.isEmpty)
        try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        #expect(
            workspace.snapshot.overlay.state(of: "id", in: .defaults("com.acme.notes.new")) == .present(.string("u-43"))
        )
    }

    @Test(
        "A file that changes while the dump is open is noticed before a step on its old content is recorded",
        arguments: [Tampering.changed, .sameSizeAndTime, .missing])
    func changedWhileOpen(how: Tampering) throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace()
        _ = workspace.plan(Self.migration, profile: Self.migration.plain)
        let drift = try Self.tamper(how, folder)
        #expect(throws: WorkspaceError.changedSinceOpening([Drift(drift.path, .changed)])) {
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        #expect(workspace.snapshot.history.entries.isEmpty)
        // Read anew it is what is there now, and nothing stands in the way.
        let reopened = try workspace.reopened()
        #expect(!reopened.snapshot.driftIsKnown)
        let applied = try reopened.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        #expect(applied.contains { $0.entry != nil })
    }

    @Test("An archive that is replaced while it is open is noticed before a step on what it had is recorded")
    func replacedArchive() throws {
        let folder = try TemporaryFolder(), dump = try folder.makeDump()
        let path = folder("notes.zip")
        try Archives.write("tar.gz", to: path, of: dump)
        let workspace = try folder.workspace("notes.zip")
        _ = workspace.plan(Self.migration, profile: Self.migration.plain)
        // The same entries in other bytes.
        try Archives.write("zip", to: path + ".new", of: dump)
        // Written over it: what is open has the new bytes too.
        try Data(contentsOf: URL(fileURLWithPath: path + ".new")).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        guard case .changedSinceOpening? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(workspace.snapshot.history.entries.isEmpty)
    }

    // MARK: Verification

    @Test("A sound workspace has no finding")
    func verifies() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now)
        try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        let verification = try workspace.verify([Self.migration])
        #expect(verification.findings == [])
        #expect((verification.steps, verification.entries, verification.files) == (5, 8, 4))
    }

    @Test("Verification names drift, a step that has become another, and one that is gone")
    func findings() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace()
        try workspace.apply(.next, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        #expect(try workspace.verify([TestMigration(suffix: "!")]).findings.map(\.kind) == [.differentChanges])
        let unknown = try workspace.verify([])
        #expect(unknown.findings.map(\.kind) == [.unknownStep] && unknown.steps == 0, "it was not run again")
        let drift = try Self.tamper(.sameSizeAndTime, folder)
        let verification = try folder.workspace().verify([Self.migration])
        #expect(verification.findings.map(\.kind) == [.drift, .differentChanges])
        #expect(verification.findings.first?.subject == drift.path.text)
    }

    /// Gives an entry of the group to the app, or the other way round.
    private struct Passing: Migration {
        let id: String, from: Address, to: Address
        var title: String { id }
        let summary = "For tests."
        let profiles = [Profile(id: "plain", summary: "The only one.")]
        let facts: [FactDefinition] = []
        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([from.store], [to.store]) }
        func steps(profile: Profile, facts: Facts) -> [Step] {
            [
                Step(id: "pass", title: "Pass", sources: [from], target: to, rule: "") {
                    [from, to] (transaction, _) throws(StepStop) in
                    guard let value = transaction.read(from).value else { throw .skipped("none", "there is none") }
                    try transaction.write(value, to: to, from: [from], rule: "")
                }
            ]
        }
    }

    @Test("What came first is told by the ledger, and not by a clock that is set back")
    func clock() throws {
        let folder = try TemporaryFolder()
        let device = URL(fileURLWithPath: Places.fixture("simulator/device.plist"))
        try folder.write("device/device.plist", Data(contentsOf: device))
        for (place, identifier) in [
            ("Data/Application/a", "com.acme.a"), ("Data/Application/b", "com.acme.b"),
            ("Shared/AppGroup/g", "group.com.acme"),
        ] {
            let metadata = Value.dictionary([("MCMMetadataIdentifier", .string(identifier))])
            try folder.write(
                "device/data/Containers/\(place)/.com.apple.mobile_container_manager.metadata.plist",
                BinaryPropertyList.write(metadata))
            try folder.write(
                "device/data/Containers/\(place)/Library/Preferences/\(identifier).plist",
                BinaryPropertyList.write(.dictionary([("x", .string(identifier))])))
        }
        func workspace(_ app: String) throws -> Workspace {
            try Workspace.open(
                dump: Dump.open(folder("device")), container: app, ledger: .file(folder("ledger")))
        }
        let made = Address.defaults("group.com.acme", "made")
        let first = Passing(id: "first", from: .defaults("com.acme.a", "x"), to: made)
        let second = Passing(id: "second", from: made, to: .defaults("com.acme.b", "made"))
        func stamp(_ seconds: Double) -> LedgerEntry.Stamp {
            LedgerEntry.Stamp(date: Date(timeIntervalSinceReferenceDate: seconds), author: "a", toolVersion: "1")
        }
        do {
            let a = try workspace("com.acme.a")
            try a.apply(.all, of: first, profile: first.profiles[0], stamp: stamp(8_000))
        }
        do {
            let b = try workspace("com.acme.b")
            let applied = try b.apply(.all, of: second, profile: second.profiles[0], stamp: stamp(800))
            #expect(applied.map(\.outcome.kind) == [.migrates])
            #expect(try b.verify([first, second]).findings.isEmpty)
        }
        let refusal = WorkspaceError.restsOn("pass", container: "com.acme.b", step: "pass")
        do {
            let a = try workspace("com.acme.a")
            #expect(throws: refusal) { try a.rollback(.all, stamp: stamp(9_000)) }
        }
        // The same where an earlier program has not written what its steps rest on.
        let database = try DatabaseQueue(path: folder("old"))
        try LedgerSchema.migrator.migrate(database, upTo: "ledger-3")
        let entries = try ["a", "b"].map { app in
            let container = try Dump.open(folder("device")).container("com.acme.\(app)").ledgerName
            let entry = try #require(try LedgerFile(path: folder("ledger")).ledger(of: container).entries().first)
            return (container, entry)
        }
        try database.write { db in
            for (container, known) in entries {
                var entry = known
                entry.restsOn = []
                let images = try entry.changes.map { try LedgerImages(of: $0) }
                try LedgerRows.add(entry, images, of: container, to: db, willAddRow: nil)
            }
        }
        try database.close()
        let old = try Workspace.open(
            dump: Dump.open(folder("device")), container: "com.acme.a", ledger: .file(folder("old")))
        #expect(throws: refusal) { try old.rollback(.all, stamp: stamp(9_000)) }
    }
}
