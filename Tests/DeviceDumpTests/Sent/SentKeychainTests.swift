import Foundation
import GRDB
import MigrationEngine
import Testing
import TestSupport

@testable import DeviceDump

@Suite("The keychain that is sent with a dump")
struct SentKeychainTests: SentDumps {
    @Test("a folder of exports of a keychain says what they go with; beside a dump they are its own")
    func keychains() throws {
        let tree = try TemporaryTree()
        let export = Data(
            #"[{"item_class": "kSecClassGenericPassword", "account": "a", "service": "s", "dataHex": "00", "entitlement_group": "T.com.acme.notes"}]"#
                .utf8)
        try tree.file("box/dump.json", export)
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box")) }
        #expect(error == DumpError(tree.at("box/dump.json"), .keychainAlone))
        try tree.list("box/com.acme.notes.plist")
        #expect(try Dump.open(tree.at("box")).loneFile == "com.acme.notes.plist")
    }

    @Test("a device's own keychain by itself is a keychain, and no database of an app")
    func deviceKeychainAlone() throws {
        let tree = try TemporaryTree(), database = try DatabaseQueue(path: tree.at("keychain-2.db"))
        try database.write { db in try db.execute(sql: "CREATE TABLE genp (agrp TEXT, pdmn TEXT, data BLOB)") }
        try database.close()
        #expect(throws: DumpError(tree.at("keychain-2.db"), .keychainAlone)) { try Dump.open(tree.at("keychain-2.db")) }
    }

    @Test("UFED's keychain is found where UFED puts it, also where the device's own lies in the dump")
    func ufed() throws {
        let tree = try TemporaryTree()
        try tree.container("dump/filesystem2/mobile/Containers/Data/Application/U1")
        let data = try Data(contentsOf: URL(fileURLWithPath: Places.fixture("keychain-ufed/backup_keychain_v2.plist")))
        try tree.file("dump/extra/KeychainDump/backup_keychain_v2.plist", data)
        for _ in 0..<2 {
            let dump = try Dump.open(tree.at("dump"))
            #expect(dump.keychain?.source == .inDump("extra/KeychainDump/backup_keychain_v2.plist"))
            #expect(dump.keychain?.export.items.count == 3)
            try tree.file("dump/filesystem2/Keychains/keychain-2.db", "broken")
        }
    }

    @Test(
        "an export of the keychain beside the archive that holds a dump is its own, by the archive's name where there are two"
    )
    func besideArchive() throws {
        let tree = try TemporaryTree()
        try archive("mail", tree, "box/mail.zip")
        let export = Data(#"[{"item_class": "genp", "account": "a", "service": "s", "dataHex": "00"}]"#.utf8)
        try tree.file("box/mail_keychain.json", export)
        for named in ["box/mail.zip", "box"] {
            #expect(try Dump.open(tree.at(named)).keychain?.source == .elsewhere(tree.at("box/mail_keychain.json")))
        }
        try tree.file("box/other_keychain.json", export)
        #expect(try Dump.open(tree.at("box/mail.zip")).keychain?.path == tree.at("box/mail_keychain.json"))
    }

    @Test("an export beside an archive in another is found, or else in a folder above it, the nearest one first")
    func besideInnerArchive() throws {
        let tree = try TemporaryTree(), export = KeychainForms.objection([.init()])
        func keychain(of name: String) throws -> String? {
            try archive("zip", tree, name + ".zip", of: tree.at(name))
            return try Dump.open(tree.at(name + ".zip")).keychain.map { String($0.path.dropFirst(tree.path.count + 1)) }
        }
        for inner in ["zip", "tar.gz"] {
            let box = "box-" + inner
            try archive(inner, tree, "\(box)/far/inner." + inner)
            try tree.file(box + "/Keychain-Export.json", export)
            #expect(try keychain(of: box) == "\(box).zip/\(box)/Keychain-Export.json")
            try tree.file(box + "/far/keychain.json", export)
            #expect(try keychain(of: box) == "\(box).zip/\(box)/far/keychain.json")
            // Beside others an export that is not named after one of them is nobody's.
            for name in [box, box + ".zip"] { try FileManager.default.removeItem(atPath: tree.at(name)) }
        }
        // The dump is no archive itself; and on the disk nothing but what lies beside the archive goes with it.
        try tree.xcappdata("sent/device/notes.xcappdata")
        try tree.file("keychain.json", export)
        try tree.file("sent/UDID_keychain.plist", KeychainForms.propertyList([.init()]))
        #expect(try keychain(of: "sent") == "sent.zip/sent/UDID_keychain.plist")
        try FileManager.default.removeItem(atPath: tree.at("sent/UDID_keychain.plist"))
        #expect(try keychain(of: "sent") == "keychain.json")
        try tree.folder("apart")
        try FileManager.default.moveItem(atPath: tree.at("sent.zip"), toPath: tree.at("apart/sent.zip"))
        #expect(try Dump.open(tree.at("apart/sent.zip")).keychain == nil)
    }

    @Test(
        "an export that is given may lie in an archive, in one in another, behind its password, or compressed by itself"
    )
    func keychainInArchive() throws {
        let tree = try TemporaryTree(), notes = Self.notes
        try tree.file("sent/objection.json", KeychainForms.objection([.init()]))
        try tree.file("sent/note.txt", "with it")
        try archive("zip", tree, "sent.zip", of: tree.at("sent"))
        try archive("gz", tree, "objection.json.gz", of: tree.at("sent/objection.json"))
        try tree.folder("outer")
        try FileManager.default.copyItem(atPath: tree.at("sent.zip"), toPath: tree.at("outer/sent.zip"))
        try archive("tar.gz", tree, "outer.tgz", of: tree.at("outer"))
        func expectRead(_ path: String, _ options: OpeningOptions = .init()) throws {
            var options = options
            options.keychain = tree.at(path)
            guard case .opened(let dump) = try Dump.opening(notes, options) else { throw DumpError("", .locked) }
            #expect(dump.keychain?.path == tree.at(path))
            for dump in [dump, try dump.reopened()] {
                #expect(try dump.container(nil).state(of: "a", in: .keychain("s")).value != nil, "\(path)")
            }
        }
        for path in [
            "sent.zip/sent/objection.json", "outer.tgz/outer/sent.zip/sent/objection.json", "objection.json.gz",
        ] {
            try expectRead(path)
        }
        try archive("locked", tree, "locked.zip", of: tree.at("sent"))
        try expectRead("locked.zip/sent/objection.json", OpeningOptions(secrets: [.password("test")]))
        for (path, problem) in [
            ("locked.zip/sent/objection.json", .lockedArchive), ("sent.zip", .keychainInArchive),
            ("sent.zip/sent/none.json", .notFound), ("sent.zip/sent", .notAFile("a folder")),
        ] as [(String, DumpError.Problem)] {
            let error = #expect(throws: DumpError.self) { try Dump.open(notes, keychain: tree.at(path)) }
            #expect(error?.problem == problem, "\(path): \(error as Any)")
        }
    }

    @Test(
        "a device's own keychain beside a dump, or given with it, has its rows listed as locked; an export tells more")
    func deviceKeychain() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        let database = try DatabaseQueue(path: tree.at("keychain-2.db"))
        try database.write { db in
            for table in ["genp", "inet", "cert", "keys"] {
                try db.execute(
                    sql: "CREATE TABLE \(table) (rowid INTEGER PRIMARY KEY, agrp TEXT, pdmn TEXT, data BLOB)")
            }
            try db.execute(sql: "INSERT INTO genp VALUES (7, 'ABCDE12345.com.acme.notes', 'ck', x'08')")
        }
        try database.close()
        for given in [tree.at("keychain-2.db"), nil] {
            let dump = try Dump.open(tree.at("notes.xcappdata"), keychain: given)
            guard
                case .unreadable(let reason) = try dump.container(nil).state(
                    of: "row 7, locked", in: .keychain("genp:"))
            else {
                Issue.record("\(dump.warnings)")
                continue
            }
            #expect(reason.cause == .locked)
        }
        try tree.file("keychain.json", #"[{"item_class": "genp", "account": "a", "service": "s", "dataHex": "00"}]"#)
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil)
        #expect(app.state(of: "a", in: .keychain("s")).value != nil)
    }
}
