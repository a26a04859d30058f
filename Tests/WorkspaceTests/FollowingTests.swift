import DeviceDump
import Files
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

@Suite("What a workspace remembers, follows and tells")
struct FollowingTests {
    static let migration = TestMigration()
    static let now = Facts(["now": Fact("1725000000.5", from: "--fact")])

    @discardableResult
    private func apply(
        _ selection: StepSelection, in workspace: Workspace, assuming: Bool = false
    ) throws -> [AppliedStep] {
        try workspace.apply(
            selection, of: Self.migration, profile: Self.migration.plain, stamp: .test, assuming: assuming)
    }

    // MARK: Facts

    @Test("A fact that a step was applied with is known again when the dump is opened anew, and says from which entry")
    func remembers() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        do {
            let workspace = try folder.workspace()
            try workspace.setFact(Self.migration.facts[0], to: "12", source: "the inspector")
            #expect(try apply(.steps(["time"]), in: workspace).map(\.outcome.kind) == [.migrates])
        }
        let workspace = try folder.workspace()
        #expect(workspace.snapshot.facts["now"] == Fact("12", from: .ledger(entry: 1)))
        try apply(.steps(["file"]), in: workspace)
        #expect(try folder.workspace().snapshot.facts["now"] == Fact("12", from: .ledger(entry: 1)))
        // One that is given now wins, and can be taken back.
        try workspace.setFact(Self.migration.facts[0], to: "2024-08-30T10:00:00Z", source: "the inspector")
        #expect(workspace.snapshot.facts["now"] == Fact("1725012000", from: "the inspector"))
        try workspace.setFact(Self.migration.facts[0], to: nil, source: "the inspector")
        #expect(workspace.snapshot.facts["now"] == Fact("12", from: .ledger(entry: 1)))
        #expect(workspace.snapshot.facts[.bundleIdentifier]?.source.kind == "metadata")
    }

    /// An `.xcappdata` whose download date says when it was made.
    private func makeDownload(_ folder: TemporaryFolder) throws -> String {
        try folder.write(
            "d.xcappdata/AppDataInfo.plist",
            XMLPropertyList.write(
                .dictionary([
                    ("CFBundleIdentifier", .string("com.acme.notes")),
                    ("XCDownloadDate", .string("2019-02-02 11:31:02")),
                ])))
        _ = try folder.makeDump("made")
        try FileManager.default.moveItem(atPath: folder("made"), toPath: folder("d.xcappdata/AppData"))
        return "d.xcappdata"
    }

    @Test(
        "The time of the dump is assumed to be now: the plan rests on it, and what does is applied once that is agreed to"
    )
    func assumes() throws {
        let folder = try TemporaryFolder()
        let dump = try makeDownload(folder)
        do {
            let workspace = try folder.workspace(dump)
            let now = try #require(workspace.snapshot.facts[.now])
            #expect(now.value == "1549107062")
            #expect(now.source.kind == "assumed" && now.source.text.contains("2019-02-02 11:31:02"))
            let plan = workspace.plan(Self.migration, profile: Self.migration.plain)
            let step = try #require(plan.steps.first { $0.id == "time" })
            #expect(step.outcome.kind == .migrates)
            #expect(plan.guesses(of: step) == [.now])
            #expect(plan.steps.filter { !plan.guesses(of: $0).isEmpty }.map(\.id) == ["time"])
            let held = try apply(.all, in: workspace)
            let reason = try #require(held.first { $0.step.id == "time" }?.outcome.reason)
            #expect(reason.code == "unconfirmed-facts" && reason.sentence.contains("1549107062"))
            #expect(workspace.snapshot.history.standing.map(\.step).contains("time") == false)
            #expect(try apply(.next, in: workspace).map(\.outcome.isUnconfirmed) == [true])
            let agreed = try apply(.next, in: workspace, assuming: true)
            #expect(agreed.map(\.step.id) == ["time"])
            #expect(agreed.first?.entry?.facts[.now]?.source.kind == "assumed")
        }
        // What was agreed to once is not asked again.
        let workspace = try folder.workspace(dump)
        let known = try #require(workspace.snapshot.facts[.now])
        #expect(known.source.kind == "ledger" && !known.source.isGuess)
        #expect(known.source.description.contains(", where it was assumed: the dump was made then"))
        // What was given is no assumption.
        let given = try folder.workspace(dump, ledger: "other", facts: Self.now)
        #expect(try apply(.steps(["time"]), in: given).map(\.outcome.kind) == [.migrates])
    }

    // MARK: A second program

    @Test(
        "Who keeps a dump open has the right to write from the beginning; the next one is told at once, and takes over")
    func keeps() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let first = try folder.workspace(facts: Self.now), second = try folder.workspace(facts: Self.now)
        let lock = first.snapshot.ledgerPath + ".lock"
        first.keepLedger()
        second.keepLedger()
        #expect(first.snapshot.access == .readWrite && second.snapshot.access == .readOnly(.inUse))
        #expect(throws: WorkspaceError.readOnly(.inUse)) { try apply(.next, in: second) }
        #expect(try !second.refresh() && !second.isBehind)
        // Whoever looks for a moment says so too, and leaves nothing.
        #expect(throws: WorkspaceError.readOnly(.inUse)) { try apply(.next, in: folder.workspace(facts: Self.now)) }
        first.letGoOfLedger()
        #expect(!FileManager.default.fileExists(atPath: lock))
        #expect(try second.isBehind && second.refresh() && second.snapshot.access == .readWrite)
        #expect(FileManager.default.fileExists(atPath: lock))
        try apply(.next, in: second)
        second.letGoOfLedger()
        #expect(!FileManager.default.fileExists(atPath: lock), "whoever watches sees it go")
        let third = try folder.workspace()
        #expect(third.snapshot.access == .readWrite && third.snapshot.history.entries.count == 1)
    }

    @Test(
        "Who could only look applies at the first try once the other has let go, unless that has written or given a fact"
    )
    func takesOver() throws {
        for makesEntry in [false, true] {
            let folder = try TemporaryFolder()
            _ = try folder.makeDump()
            let first = try folder.workspace(facts: Self.now)
            try apply(.next, in: first)
            let second = try folder.workspace(facts: Self.now)
            #expect(second.snapshot.access == .readOnly(.inUse))
            if makesEntry { try apply(.next, in: first) }
            first.letGoOfLedger()
            if makesEntry {
                #expect(throws: WorkspaceError.ledger(second.snapshot.ledgerPath, .changedByAnother)) {
                    try apply(.next, in: second)
                }
            } else {
                try apply(.next, in: second)
                #expect(second.snapshot.history.entries.count == 2 && second.snapshot.access == .readWrite)
            }
        }
    }

    @Test(
        "A workspace that was opened before there was a ledger sees the one that another program makes, and follows it")
    func follows() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let second = try folder.workspace()
        do {
            let first = try folder.workspace(facts: Self.now)
            #expect(try !second.refresh())
            try apply(.next, in: first)
            #expect(try second.refresh())
            #expect(second.snapshot.access == .readOnly(.inUse))
            #expect(second.snapshot.history.entries == first.snapshot.history.entries)
            #expect(second.snapshot.overlay.edits(in: .defaults(Name(TestMigration.migrated))).count == 1)
            #expect(throws: WorkspaceError.readOnly(.inUse)) { try apply(.next, in: second) }
            try apply(.next, in: first)
            #expect(try second.refresh())
            #expect(second.snapshot.history.entries.count == 2)
            #expect(second.snapshot.facts["now"]?.source.kind == "ledger")
        }
        #expect(try second.refresh())
        #expect(second.snapshot.access == .readWrite)
        try apply(.next, in: second)
        #expect(second.snapshot.history.entries.count == 3)
    }

    @Test("What another program did meanwhile is looked at before anything is applied on top of it")
    func otherMeanwhile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let second = try folder.workspace(facts: Self.now)
        do { try apply(.next, in: try folder.workspace(facts: Self.now)) }
        #expect(throws: WorkspaceError.ledger(folder("state/ledger"), .changedByAnother)) {
            try apply(.next, in: second)
        }
        #expect(second.snapshot.history.standing.map(\.step) == ["id"])
        try apply(.next, in: second)
        #expect(second.snapshot.history.standing.map(\.step) == ["id", "time"])
    }

    @Test("A ledger that cannot be read any more is not an empty one: reading, writing and exporting say why")
    func becomesUnreadable() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now), ledger = folder("state/ledger")
        try apply(.next, in: workspace)
        try FileManager.default.moveItem(atPath: ledger, toPath: folder("aside"))
        try folder.write("state/ledger", Data("junk".utf8))
        let junk = WorkspaceError.ledger(ledger, .notALedger("not a SQLite file"))
        for _ in 0..<2 { #expect(throws: junk) { try workspace.refresh() } }
        #expect(throws: junk) { try workspace.ledgerFile.containers() }
        #expect(throws: junk) { try workspace.ledgerFile.problems() }
        #expect(throws: junk) { try workspace.standingElsewhere() }
        #expect(throws: junk) { try workspace.export(to: folder("out")) }
        #expect(throws: junk) { try apply(.next, in: workspace) }
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
        #expect(workspace.snapshot.history.standing.map(\.step) == ["id"], "what was seen stays")
        // It is read again as soon as it can be.
        try FileManager.default.removeItem(atPath: ledger)
        try FileManager.default.moveItem(atPath: folder("aside"), toPath: ledger)
        #expect(try workspace.refresh())
        try apply(.next, in: workspace)
        #expect(workspace.snapshot.history.standing.map(\.step) == ["id", "time"])
    }

    @Test("An export writes what the person sees: a ledger that another program has added to is looked at first")
    func exportAfterAnother() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let second = try folder.workspace()
        do { try apply(.next, in: try folder.workspace(facts: Self.now)) }
        #expect(throws: WorkspaceError.ledger(folder("state/ledger"), .changedByAnother)) {
            try second.export(to: folder("out"))
        }
        #expect(try second.export(to: folder("out")).added.count == 1)
    }

    @Test("A transaction within one tick of the file's time, which leaves its size, is seen too")
    func sameTick() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let first = try folder.workspace(facts: Self.now)
        try apply(.next, in: first)
        let second = try folder.workspace()
        let before = try #require(folder.status("state/ledger"))
        try apply(.next, in: first)
        var times = [
            timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: before.modified[0], tv_nsec: before.modified[1]),
        ]
        utimensat(AT_FDCWD, folder("state/ledger"), &times, 0)
        let after = try #require(folder.status("state/ledger"))
        try #require(after.st_size == before.st_size && after.modified == before.modified)
        #expect(try second.refresh())
        #expect(second.snapshot.history.entries.count == 2)
        #expect(try !second.refresh())
    }

    // MARK: Errors on the way

    @Test("Where the ledger cannot be read after an error, nothing is said of what was done")
    func uncertain() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let path = folder("l"), isFailing = Mutex(false)
        let workspace = try Workspace(
            dump: Dump.open(folder("dump")), container: nil, facts: Self.now,
            ledger: LedgerFile(
                path: path,
                willAddRow: {
                    guard isFailing.withLock({ $0 }) else { return }
                    try Data("junk".utf8).write(to: URL(fileURLWithPath: path))
                    throw Errno.ioError
                }))
        try apply(.next, in: workspace)
        isFailing.withLock { $0 = true }
        let thrown = #expect(throws: WorkspaceError.self) { try apply(.next, in: workspace) }
        let error = try #require(thrown)
        guard case .uncertain(.ledger(path, .inaccessible), rereading: .ledger(path, _)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.contains("it is not known what was done") && error.exitCode == 6)
    }

    @Test("An error on the way says which steps were applied before it, and they are", arguments: [0, 1, 3])
    func partly(steps: Int) throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let rows = Mutex(0), failing = Mutex(Int?.none)
        let fails: @Sendable () throws -> Void = {
            let number = rows.withLock {
                $0 += 1; return $0
            }
            if number == failing.withLock({ $0 }) { throw Errno.noSpace }
        }
        func workspace(_ ledger: String) throws -> Workspace {
            try Workspace(
                dump: Dump.open(folder("dump")), container: nil, facts: Self.now,
                ledger: LedgerFile(path: folder(ledger), willAddRow: fails))
        }
        // How many rows the steps before the one that fails have.
        let twin = try workspace("twin")
        for _ in 0..<steps { try apply(.next, in: twin) }
        failing.withLock { $0 = rows.withLock { $0 } + 1 }
        rows.withLock { $0 = 0 }
        let names = ["id", "time", "file", "theme", "clean"]
        let workspace = try workspace("l")
        let error = #expect(throws: WorkspaceError.self) { try apply(.all, in: workspace) }
        let done = Array(names.prefix(steps))
        let full = WorkspaceError.ledger(folder("l"), .full)
        #expect(error == (done.isEmpty ? full : .partly(done, full)))
        #expect(error?.exitCode == 75)
        let words = try #require(error).description
        #expect(done.allSatisfy(words.contains))
        #expect(words.contains("Nothing was changed") == done.isEmpty)
        #expect(workspace.snapshot.history.standing.map(\.step) == done)
        #expect(try LedgerFile(path: folder("l")).ledger(of: ".").entries().map(\.step) == done)
        try apply(.all, in: workspace)
        #expect(workspace.snapshot.history.standing.map(\.step) == names)
    }

    @Test("Applying stops where it is cancelled, and says what was applied before")
    func cancelled() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now)
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.apply(
                .all, of: Self.migration, profile: Self.migration.plain, stamp: .test,
                isCancelled: { ((try? workspace.ledgerFile.ledger(of: ".").entries().count) ?? 0) == 2 })
        }
        #expect(error == .partly(["id", "time"], .cancelled))
        #expect(throws: WorkspaceError.cancelled) { try workspace.rollback(.all, stamp: .test, isCancelled: { true }) }
        #expect(workspace.snapshot.history.standing.map(\.step) == ["id", "time"])
    }

    // MARK: Drift

    @Test("Looking for drift can be left for later, tells how far it is, and can be stopped; unknown is not none")
    func findDrift() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        do { try apply(.all, in: try folder.workspace(facts: Self.now)) }
        let drift = try WorkspaceTests.tamper(.sameSizeAndTime, folder)
        let workspace = try Workspace.open(
            dump: Dump.open(folder("dump")), ledger: .file(folder("state/ledger")), findingDrift: false)
        #expect(!workspace.snapshot.driftIsKnown)
        #expect(throws: WorkspaceError.cancelled) { try workspace.findDrift(isCancelled: { true }) }
        #expect(!workspace.snapshot.driftIsKnown)
        var reports: [[Int]] = []
        #expect(try workspace.findDrift(progress: { reports.append([$0, $1]) }) == [drift])
        #expect(reports == (0..<4).map { [$0, 4] })
        #expect(workspace.snapshot.driftIsKnown && workspace.snapshot.drift == [drift])
    }

    // MARK: Verification

    @Test("A verification of nothing is not a success")
    func verifiesNothing() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: Self.now)
        #expect(try workspace.verify([Self.migration]).isOfNothing)
        try apply(.next, in: workspace)
        #expect(try !workspace.verify([Self.migration]).isOfNothing)
        #expect(throws: WorkspaceError.cancelled) { try workspace.verify([Self.migration], isCancelled: { true }) }
    }
}
