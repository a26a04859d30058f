import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

/// Writes one entry into a domain that may have no place.
private struct PlacelessMigration: Migration {
    let id = "placeless"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []
    let domain: String

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], [.defaults(Name(domain))]) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let target = Address.defaults(Name(domain), "k")
        return [
            Step(id: "one", title: "One", sources: [], target: target, rule: "written") {
                (transaction, _) throws(StepStop) in
                try transaction.write(.bool(true), to: target, rule: "written")
            }
        ]
    }
}

@Suite("Where nothing can be exported to, and what has no place in an export")
struct ExportPlaceTests: ExportedDumps {
    @Test(
        "A place that is taken, in the dump, or around it is refused, and nothing is written",
        arguments: [
            ("taken", .targetExists), ("dump", .insideDump), ("dump/out", .insideDump), ("way/out", .insideDump),
            ("missing/out", .noParentFolder), (".", .notAName),
        ] as [(String, ExportProblem)])
    func refusals(target: String, problem: ExportProblem) throws {
        let (folder, workspace) = try Self.setUp()
        try folder.write("taken/file", Data())
        try FileManager.default.createSymbolicLink(atPath: folder("way"), withDestinationPath: folder("dump/Documents"))
        let before = try folder.tree("")
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder(target)) }
        #expect(error == .export(folder(target), problem))
        #expect(error?.exitCode == 64)
        #expect(try folder.tree("") == before)
    }

    @Test("What is no name of a folder is refused as that, also when replacing", arguments: ["/", ".", "", "a/.."])
    func notAName(target: String) throws {
        let (_, workspace) = try Self.setUp(applied: false)
        #expect(throws: WorkspaceError.export(target, .notAName)) {
            try workspace.export(to: target, replacing: true)
        }
    }

    @Test("A target's name may be as long as the file system allows")
    func longTarget() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let name = String(repeating: "é", count: 127)
        try workspace.export(to: folder(name))
        #expect(folder.status(name) != nil)
        #expect(throws: WorkspaceError.export(folder(name + "xx"), .nameTooLong(bytes: 256))) {
            try workspace.export(to: folder(name + "xx"))
        }
    }

    @Test("Where nothing of what was applied has a place, there is no export")
    func noPlace() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let migration = PlacelessMigration(domain: "../../etc")
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
        #expect(error == .export(folder("out"), .noPlace([.defaults("../../etc", "k")])))
        #expect(error?.exitCode == 6 && folder.status("out") == nil)
    }

    @Test("A file whose name would be too long is named as that, and trying again is not the advice")
    func longName() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let domain = String(repeating: "w", count: 300), migration = PlacelessMigration(domain: domain)
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
        #expect(
            error == .export(folder("out"), .fileNameTooLong("Library/Preferences/\(domain).plist", bytes: 306)))
        #expect(error?.exitCode == 6 && folder.status("out") == nil)
    }

    @Test("One of several changes with a name that is too long is left out of the copy, which says so")
    func longNameOfSeveral() throws {
        let (folder, workspace) = try Self.setUp(applied: true)
        let domain = String(repeating: "w", count: 300), migration = PlacelessMigration(domain: domain)
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.skipped.map(\.path) == ["Library/Preferences/\(domain).plist"], "\(summary)")
        #expect(summary.skipped.first?.reason.contains("306 bytes") == true)
    }

    @Test("A changed entry that the dump has no file for is named")
    func withoutFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let container = try Dump.open(folder("dump")).container(nil)
        let item = Address(store: .keychain("com.acme"), key: "id"), odd = Address(store: .files("Odd"), key: "f")
        var overlay = Overlay(container), edits = ExportEdits(to: "copy")
        overlay.apply(Change(address: item, before: .absent, after: .string("x"), rule: ""))
        overlay.apply(Change(address: odd, before: .absent, after: .data(Data()), rule: ""))
        overlay.apply(Change(address: .defaults("../../x", "k"), before: .absent, after: .bool(true), rule: ""))
        try edits.add(overlay, of: container)
        #expect(edits.withoutFile == [item, odd, .defaults("../../x", "k")] && edits.withoutKeychain == [item])
        #expect(edits.files.isEmpty)
    }

    @Test("A row of a database is not written, and the export says so")
    func rows() throws {
        let container = try Dump.open(Places.fixture("notes-databases.xcappdata")).container(nil)
        let row = try Address(parsing: "sqlite://Documents/notes.sqlite/store/device_id")
        var overlay = Overlay(container), edits = ExportEdits(to: "copy")
        overlay.apply(Change(address: row, before: .absent, after: nil, rule: ""))
        let place = "sqlite://Documents/notes.sqlite/store"
        #expect(throws: WorkspaceError.export("copy", .refused(place, reason: SQLiteTable.refusal))) {
            try edits.add(overlay, of: container)
        }
    }
}
