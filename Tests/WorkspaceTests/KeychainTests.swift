import DeviceDump
import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

/// Replaces one item of a keychain and adds another.
private struct KeychainMigration: Migration {
    /// The access group of the new one, where it says one.
    var group: String?
    let id = "keychain-test"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []
    static let old = Address(store: .keychain("s"), key: "old"), new = Address(store: .keychain("s"), key: "new")

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.old.store], [Self.new.store]) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        [
            Step(id: "move", title: "Move", sources: [Self.old], target: Self.new, rule: "moved") {
                (transaction, _) throws(StepStop) in
                switch transaction.read(Self.old) {
                case .unreadable(let reason): throw .unreadable(Self.old, reason)
                case .absent: throw .skipped("nothing", "there is none")
                case .present(let value):
                    guard let item = KeychainItem(value) else { throw .failed("no-item", "it is no item") }
                    var attributes: Members = ["pdmn": .string("cku")]
                    if let group { attributes["agrp"] = .string(group) }
                    try transaction.write(
                        KeychainItem(data: item.data, attributes: attributes).value, to: Self.new, rule: "moved")
                    transaction.remove(Self.old, rule: "moved")
                }
            }
        ]
    }
}

/// Looks for an item, and writes what it finds without one too.
private struct LookingMigration: Migration {
    let id = "looking-test"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        ["look", "look-again", "do-not-look"].map { id in
            let target = Address(store: .defaults("com.acme.notes"), key: Name(id))
            return Step(id: id, title: "Look", sources: [KeychainMigration.old], target: target, rule: "looked") {
                (transaction, _) throws(StepStop) in
                var found = false
                if id != "do-not-look" {
                    if case .present = transaction.read(KeychainMigration.old) { found = true }
                }
                try transaction.write(.bool(found), to: target, rule: "looked")
            }
        }
    }
}

@Suite("A keychain in a workspace")
struct KeychainTests {
    private static let migration = KeychainMigration()
    private static let export = Data(
        """
        [
          {"account": "old", "service": "s", "dataHex": "6f6c64", "data": "old", "entitlement_group": "ABCDE12345.com.acme.notes"},
          {"account": "kept", "service": "s", "dataHex": "00",  "data": "", "own": [1, 2.50]}
        ]

        """.utf8)

    private func setUp(_ path: String?) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        if let path { try folder.write(path, Self.export) }
        return folder
    }

    private func open(_ folder: TemporaryFolder, keychain: String? = nil) throws -> Workspace {
        let dump = try Dump.open(folder("dump"), keychain: keychain.map { folder($0) })
        return try Workspace.open(dump: dump, ledger: .file(folder("state/ledger")))
    }

    @Test(
        "What a person tells to be the app's is taken by a step, kept with it in the ledger, and exported without being told again"
    )
    func told() throws {
        let folder = try setUp(nil), group = "ABCDE12345.com.acme.shared"
        try folder.write(
            "dump/keychain.json",
            Data(
                """
                [{"account": "old", "service": "s", "dataHex": "6f6c64", "entitlement_group": "\(group)"},
                 {"account": "own", "service": "t", "dataHex": "00", "entitlement_group": "ABCDE12345.com.acme.notes"}]
                """.utf8))
        let untold = try open(folder)
        let plan = untold.plan(Self.migration, profile: Self.migration.profiles[0])
        #expect(plan.steps.map(\.changes.count) == [0])
        guard
            case .opened(let dump) = try Dump.opening(
                folder("dump"), OpeningOptions(claims: GroupClaims(keychain: [group]), of: nil))
        else { return }
        let workspace = try Workspace.open(dump: dump, ledger: .file(folder("state/ledger")))
        let entry = try #require(try apply(workspace).first?.entry)
        #expect(entry.facts[.keychainGroups] == Fact(group, from: "--keychain-group"))
        let again = try open(folder), snapshot = again.snapshot
        #expect(snapshot.facts[.keychainGroups] == Fact(group, from: .ledger(entry: 1)))
        #expect(snapshot.container.state(at: KeychainMigration.old).value != nil && snapshot.drift.isEmpty)
        #expect(snapshot.overlay.state(at: KeychainMigration.new).value != nil)
        #expect(try again.verify([Self.migration]).findings.isEmpty)
        _ = try again.export(to: folder("out"))
        let exported = try Dump.open(folder("out")).container(nil)
        #expect(exported.keys(in: KeychainMigration.old.store).names == ["new"])
        // Once nothing stands, nobody has said so any more.
        try workspace.rollback(.all, stamp: .test)
        #expect(try open(folder).snapshot.facts[.keychainGroups] == nil)
    }

    @Test("An item that goes into an access group in which the dump has none is in the copy of a trial")
    func newGroup() throws {
        let folder = try setUp("dump/export.json"), dump = try Dump.open(folder("dump"))
        let migration = KeychainMigration(group: "ABCDE12345.com.acme.shared")
        let trial = try MigrationTrial(
            of: migration, profile: migration.profiles[0], on: dump, container: nil,
            facts: Facts(),
            in: folder("trial"), stamp: .test
        ) { path throws(DumpError) in try Dump.open(path) }
        #expect(trial.checks.allSatisfy { $0.failure == nil }, "\(trial.checks)")
    }

    @discardableResult
    private func apply(_ workspace: Workspace) throws -> [AppliedStep] {
        try workspace.apply(.all, of: Self.migration, profile: Self.migration.profiles[0], stamp: .test)
    }

    @Test("An export in the dump is written at its place in the new dump, the rest of it byte for byte")
    func inside() throws {
        let folder = try setUp("dump/export.json"), workspace = try open(folder)
        try apply(workspace)
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.rewritten == ["export.json"] && summary.withoutFile.isEmpty && summary.skipped.isEmpty)
        let text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: folder("out/export.json"))), as: UTF8.self)
        #expect(text.contains(#"{"account": "kept", "service": "s", "dataHex": "00",  "data": "", "own": [1, 2.50]}"#))
        let copy = try Dump.open(folder("out")).container(nil)
        #expect(copy.state(at: KeychainMigration.old) == .absent)
        let item = try #require(copy.state(at: KeychainMigration.new).value.flatMap(KeychainItem.init))
        #expect(item.text == "old" && item.attributes["pdmn"] == .string("cku"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("dump/export.json"))) == Self.export)
    }

    @Test("What was moved into a keychain is not lost by an export without that keychain: it is refused")
    func withoutKeychain() throws {
        let folder = try setUp("far/k.json")
        try apply(open(folder, keychain: "far/k.json"))
        let error = WorkspaceError.export(folder("out"), .noKeychain([KeychainMigration.new]))
        #expect(throws: error) { try open(folder).export(to: folder("out")) }
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
        try open(folder, keychain: "far/k.json").export(to: folder("out"))
        #expect(try Dump.open(folder("out")).container(nil).state(at: KeychainMigration.new).value != nil)
    }

    @Test(
        "One that lies elsewhere is written into the new dump under a name that says what it is, and found there",
        arguments: [true, false])
    func elsewhere(isTaken: Bool) throws {
        let folder = try setUp("far/k.json")
        if isTaken { try folder.write("dump/keychain-k.json", Data("{}".utf8)) }
        let workspace = try open(folder, keychain: "far/k.json")
        try apply(workspace)
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.added == [isTaken ? "keychain-keychain-k.json" : "keychain-k.json"])
        let copy = try Dump.open(folder("out")).container(nil)
        #expect(copy.state(at: KeychainMigration.old) == .absent)
        #expect(copy.state(at: KeychainMigration.new).value != nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("far/k.json"))) == Self.export)
    }

    @Test("A step that is taken back leaves the export as it was")
    func rolledBack() throws {
        let folder = try setUp("dump/export.json"), workspace = try open(folder)
        try apply(workspace)
        try workspace.rollback(.all, stamp: .test)
        try workspace.export(to: folder("out"))
        #expect(try folder.tree("out") == folder.tree("dump"))
    }

    @Test(
        "An export that changes after a step is drift, in the dump and elsewhere",
        arguments: ["dump/k.json", "far/k.json"])
    func drift(path: String) throws {
        let folder = try setUp(path), keychain = path.hasPrefix("far") ? path : nil
        try apply(try open(folder, keychain: keychain))
        try folder.write(path, Self.export + Data("\n".utf8))
        let drift = try open(folder, keychain: keychain).snapshot.drift
        #expect(drift == [Drift(Name(keychain.map { folder($0) } ?? "k.json"), .changed)])
    }

    @Test("Without the keychain that steps were applied with, that is said and asked for, and the dump is not blamed")
    func notGiven() throws {
        let folder = try setUp("far/k.json")
        try folder.write("far/same.json", Self.export)
        try folder.write("far/other.json", Data("[]".utf8))
        try apply(open(folder, keychain: "far/k.json"))
        let path = Name(folder("far/k.json")), drift = [Drift(path, .keychainNotGiven)]
        for keychain in [nil, "far/other.json"] {
            let workspace = try open(folder, keychain: keychain)
            #expect(workspace.snapshot.drift == drift)
            let found = try workspace.verify([Self.migration])
            #expect(Set(found.findings.map(\.kind)) == [.unreadable], "\(found.findings)")
            #expect(!found.findings.contains { $0.sentence.contains("has changed") })
            let report = VerifyReport(found, in: workspace.snapshot, Showing())
            #expect(report.status == .unreadable)
            let status = StatusReport(workspace.snapshot, plans: [], unknown: [], Showing())
            #expect(status.status == .unreadable)
            for text in [report.document, status.document].map({ $0.text() }) {
                #expect(text.contains("\(path), which is not given now"), "\(text)")
                #expect(text.contains("name an export of the keychain") && !text.contains("the dump has changed"))
            }
            #expect(throws: WorkspaceError.drift(drift)) { try apply(workspace) }
        }
        // The same export may lie elsewhere.
        for keychain in ["far/k.json", "far/same.json"] {
            let workspace = try open(folder, keychain: keychain)
            #expect(workspace.snapshot.drift.isEmpty)
            #expect(try workspace.verify([Self.migration]).findings.isEmpty)
        }
    }

    @Test("A keychain that comes to a dump is drift to the steps that have looked for one, and to no others")
    func arrived() throws {
        for path in ["dump/keychain.json", "dump-keychain.json", "far/k.json"] {
            let folder = try setUp(nil), migration = LookingMigration(), profile = migration.profiles[0]
            let keychain = path.hasPrefix("far") ? path : nil
            func apply(_ step: String) throws {
                try open(folder).apply(.steps([step]), of: migration, profile: profile, stamp: .test)
            }
            try apply("do-not-look")
            try folder.write(path, Self.export)
            #expect(try open(folder, keychain: keychain).snapshot.drift.isEmpty)
            try FileManager.default.removeItem(atPath: folder(path))
            try apply("look")
            #expect(try open(folder).snapshot.drift.isEmpty)
            try folder.write(path, Self.export)
            let name = Name(path == "dump/keychain.json" ? "keychain.json" : folder(path))
            let drift = [Drift(name, .appeared)], arrived = try open(folder, keychain: keychain)
            #expect(arrived.snapshot.drift == drift && arrived.snapshot.outdated == [2], "\(arrived.snapshot.drift)")
            #expect(throws: WorkspaceError.drift(drift)) {
                try arrived.apply(.steps(["look-again"]), of: migration, profile: profile, stamp: .test)
            }
            // Who goes on in spite of it has been told.
            try arrived.apply(
                .steps(["look-again"]), of: migration, profile: profile, stamp: .test, accepting: drift)
            #expect(arrived.snapshot.drift.isEmpty)
            try folder.write(path, Self.export + Data("\n".utf8))
            #expect(try open(folder, keychain: keychain).snapshot.drift == [Drift(name, .changed)])
        }
        // Several are none that is read, and not none.
        let folder = try setUp(nil), migration = LookingMigration()
        try open(folder).apply(.steps(["look"]), of: migration, profile: migration.profiles[0], stamp: .test)
        for name in ["a", "b"] { try folder.write("dump/\(name)-keychain.json", Self.export) }
        #expect(try open(folder).snapshot.drift == [Drift("the keychain", .unreadable)])
    }

    @Test("Without a keychain a step says so, with its reason, and nothing is taken for absent")
    func none() throws {
        let folder = try setUp(nil), workspace = try open(folder)
        let plan = workspace.plan(Self.migration, profile: Self.migration.profiles[0])
        #expect(plan.steps.first?.outcome.reason?.code == "unreadable-not-in-dump")
        #expect(plan.steps.first?.outcome.reason?.sentence.contains("no keychain in this dump") == true)
    }

    @Test("A dump without a keychain, with one, and with one that cannot be read are told apart in the report")
    func report() throws {
        func state(_ folder: TemporaryFolder) throws -> Value? {
            let report = try JSONDocument(Data(InspectReport(try Dump.open(folder("dump"))).json.utf8)).value
            return report[JSONPointer(["containers", "0", "keychain", "state"])]
        }
        #expect(try state(try setUp(nil)) == .string("none"))
        #expect(try state(try setUp("dump/export.json")) == .string("items"))
        let broken = try setUp(nil)
        try broken.write("dump/keychain.json", Data(#"[{"account": "#.utf8))
        #expect(try state(broken) == .string("unreadable"))
    }

    @Test("A new dump must not take the place of the keychain's export")
    func target() throws {
        let folder = try setUp("out/k.json"), workspace = try open(folder, keychain: "out/k.json")
        #expect(throws: WorkspaceError.export(folder("out"), .holdsDump)) {
            try workspace.export(to: folder("out"), replacing: true)
        }
    }

    @Test(
        "an export is the dump's own until another dump has its path, of the same names and sizes too; then its keychain is not read"
    )
    func replaced() throws {
        let folder = try TemporaryFolder()
        func dump(_ id: String) throws {
            try? FileManager.default.removeItem(atPath: folder("mail"))
            _ = try folder.makeDump("mail")
            try folder.write(
                "mail/Library/Preferences/com.acme.notes.plist",
                BinaryPropertyList.write(.dictionary([("old_id", .string(id))])))
            // What tools unpack may have the time that it had on the device.
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder("mail")) {
                var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
                utimensat(AT_FDCWD, folder("mail/" + path), &times, AT_SYMLINK_NOFOLLOW)
            }
        }
        func open() throws -> Dump { try Dump.open(folder("mail")) }
        try dump("bob")
        try Workspace.open(dump: open(), ledger: .file(folder("ledger"))).export(to: folder("bob"))
        try folder.write("bob_keychain.json", Self.export)
        #expect(try open().keychain?.name == "bob_keychain.json")
        try folder.write("mail/.DS_Store", Data("x".utf8))
        #expect(try open().keychain?.name == "bob_keychain.json")
        try dump("ann")
        let replaced = try open()
        #expect(replaced.keychain == nil)
        #expect(replaced.warnings.map(\.problem) == [.keychainOfAnother(.namedAfter("bob"))])
        // So is an export of a list by itself, in whose folder there is no more than that.
        try folder.write("list/com.acme.notes.plist", BinaryPropertyList.write(.dictionary([("a", .integer(1))])))
        let list = try Workspace.open(dump: Dump.open(folder("list/com.acme.notes.plist")), ledger: .file(folder("l")))
        try list.export(to: folder("list/eve"))
        try folder.write("list/eve_keychain.json", Self.export)
        #expect(try Dump.open(folder("list/com.acme.notes.plist")).keychain?.name == "eve_keychain.json")
        try folder.write("list/com.acme.notes.plist", BinaryPropertyList.write(.dictionary([("a", .integer(2))])))
        #expect(try Dump.open(folder("list/com.acme.notes.plist")).keychain == nil)
        // Nor is what an export of another list has written under the name of this one's.
        try list.export(to: folder("list/com.acme.notes"), accepting: list.findDrift())
        try FileManager.default.removeItem(atPath: folder("list/eve"))
        #expect(try Dump.open(folder("list/com.acme.notes.plist")).keychain == nil, "nothing says any more who that is")
        try FileManager.default.moveItem(atPath: folder("list/eve_keychain.json"), toPath: folder("list/keychain.json"))
        #expect(try Dump.open(folder("list/com.acme.notes.plist")).keychain?.name == "keychain.json")
        try folder.write("list/com.acme.notes.plist", BinaryPropertyList.write(.dictionary([("a", .integer(3))])))
        #expect(try Dump.open(folder("list/com.acme.notes.plist")).keychain == nil)
        // Nor is what lies in the folder of an export its own that it has not written.
        try dump("bob")
        try FileManager.default.moveItem(atPath: folder("mail"), toPath: folder("bob/mail"))
        try FileManager.default.createDirectory(atPath: folder("bob/ann"), withIntermediateDirectories: false)
        _ = try folder.makeDump("bob/ann")
        try folder.write("bob/ann_keychain.json", Self.export)
        #expect(try Dump.open(folder("bob/mail")).keychain == nil)
    }
}
