import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization
import Testing
import TestSupport

@testable import DeviceDump

@Suite("What people send is found, or refused by its name")
struct SentDumpsTests {
    private static let own = StoreID.defaults("com.acme.notes")
    private static let notes = Places.fixture("notes-legacy.xcappdata")

    private func archive(_ kind: String, _ tree: TemporaryTree, _ name: String, of source: String = notes) throws {
        try tree.folder((name as NSString).deletingLastPathComponent)
        try Archives.write(kind, to: tree.at(name), of: source)
    }

    /// What is said of where the dump is.
    private func elsewhere(_ dump: Dump) -> [DumpWarning.Problem] {
        dump.warnings.map(\.problem).filter { if case .foundElsewhere = $0 { true } else { false } }
    }

    private func expectNotes(_ named: String, at place: String) throws {
        let dump = try Dump.open(named)
        #expect(try dump.container(nil).state(of: "rs_user_id", in: Self.own).value == .string("u-42"))
        #expect(dump.path == place)
        #expect(elsewhere(dump) == [.foundElsewhere(named: named, root: place)])
    }

    @Test("a dump in folders of a zip, beside pictures, notes and what macOS adds")
    func mail() throws {
        let tree = try TemporaryTree()
        try archive("mail", tree, "mail.zip")
        let zip = tree.at("mail.zip")
        try expectNotes(zip, at: zip + "/Ticket 42/For support/notes-legacy.xcappdata")
    }

    @Test("a zip in a folder of a zip, and a zip in a folder on the disk, beside a note")
    func nested() throws {
        let tree = try TemporaryTree()
        try archive("nested", tree, "box/mail.zip")
        try tree.file("box/note.txt", "see the zip")
        let zip = tree.at("box/mail.zip"), place = zip + "/mail/dump.zip/notes-legacy.xcappdata"
        try expectNotes(zip, at: place)
        try expectNotes(tree.at("box"), at: place)
    }

    @Test("a dump in folders of a folder, three levels down and no further")
    func folders() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("ticket/from the customer/dump/notes.xcappdata")
        #expect(try Dump.open(tree.at("ticket")).path == tree.at("ticket/from the customer/dump/notes.xcappdata"))
        try tree.xcappdata("other/1/2/3/notes.xcappdata")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("other")) }
        #expect(error?.problem == .notRecognised)
    }

    @Test(
        "the one property list in a folder is it; of several dumps each is named, and opens by that name, in an archive too"
    )
    func several() throws {
        let tree = try TemporaryTree()
        try tree.list("one/com.acme.notes.plist")
        try tree.file("one/package.json", "{}")
        #expect(try Dump.open(tree.at("one")).path == tree.at("one/com.acme.notes.plist"))
        try tree.list("one/com.acme.notes.suite.plist")
        let lists = ["com.acme.notes.plist", "com.acme.notes.suite.plist"].map { tree.at("one/" + $0) }
        #expect(throws: DumpError(tree.at("one"), .severalDumps(lists))) { try Dump.open(tree.at("one")) }
        try tree.xcappdata("two/a.xcappdata")
        try tree.xcappdata("two/b.xcappdata")
        try archive("zip", tree, "two.zip", of: tree.at("two"))
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("two.zip")) }
        let packed = ["a", "b"].map { tree.at("two.zip/two/\($0).xcappdata") }
        #expect(error?.problem == .severalDumps(packed))
        for path in packed {
            let dump = try Dump.open(path)
            #expect(dump.path == path && dump.warnings.isEmpty)
            #expect(try dump.reopened().path == path)
        }
        #expect(throws: DumpError(tree.at("two.zip/two/c.xcappdata"), .notFound)) {
            try Dump.open(tree.at("two.zip/two/c.xcappdata"))
        }
        #expect(throws: DumpError.self) { try Dump.open(tree.at("one/com.acme.notes.plist/a.xcappdata")) }
    }

    @Test(
        "of several archives those that hold no dump are none of the dumps: where all are such that is said, and one that is left is it"
    )
    func archivesWithout() throws {
        let tree = try TemporaryTree()
        try archive("notes", tree, "mail.zip")
        let none = DumpError.Problem.somethingElse(holds: "3 .zip files, with no dump in the archives")
        #expect(throws: DumpError(tree.at("mail.zip"), none)) { try Dump.open(tree.at("mail.zip")) }
        try archive("among", tree, "among.zip")
        try expectNotes(tree.at("among.zip"), at: tree.at("among.zip/zips/dump.zip/notes-legacy.xcappdata"))
        // One with a password may hold one.
        for (kind, name) in [("zip", "open"), ("locked", "locked"), ("notes", "notes")] {
            try archive(kind, tree, "box/\(name).zip")
        }
        let two = ["locked", "open"].map { tree.at("box/\($0).zip") }
        #expect(throws: DumpError(tree.at("box"), .severalDumps(two))) { try Dump.open(tree.at("box")) }
    }

    @Test("archives in one another are looked into up to a number, and what is in more of them is told as that")
    func innermost() throws {
        let tree = try TemporaryTree()
        try archive("innermost", tree, "mail.zip")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("mail.zip")) }
        let place = tree.at("mail.zip/4.zip/3.zip/2.zip/1.zip")
        #expect(error == DumpError(place, .nestedArchives(limit: 4)), "\(error as Any)")
    }

    @Test("of more archives than are looked into those that were not are named, and not called dumps")
    func notLookedInto() throws {
        let tree = try TemporaryTree()
        try archive("many", tree, "mail.zip")
        let others = (32..<40).map { tree.at("mail.zip/\($0).zip") }
        #expect(throws: DumpError(tree.at("mail.zip"), .severalArchives([], notLookedInto: others))) {
            try Dump.open(tree.at("mail.zip"))
        }
        try expectNotes(tree.at("mail.zip/39.zip"), at: tree.at("mail.zip/39.zip/notes-legacy.xcappdata"))
    }

    @Test("what is refused by its name is told as that among several archives too")
    func refusedAmongArchives() throws {
        let tree = try TemporaryTree()
        try archive("document", tree, "box/letter.docx")
        try archive("notes", tree, "box/notes.zip")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box")) }
        #expect(error?.path == tree.at("box/letter.docx"))
        guard case .refused("a document of Microsoft Office", _)? = error?.problem else {
            Issue.record("\(error as Any)")
            return
        }
        // It keeps nothing that lies beside it from being found.
        try tree.list("box/com.acme.notes.plist")
        #expect(try Dump.open(tree.at("box")).kind == .propertyList)
    }

    @Test("nothing but pictures and films is told as that, and what to ask for")
    func pictures() throws {
        let tree = try TemporaryTree()
        for name in ["IMG_1.HEIC", "IMG_1.MOV", "more/IMG_2.JPG"] { try tree.file("box/" + name, "x") }
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box")) }
        let sentence = error.map { "\($0)" } ?? ""
        #expect(
            sentence.contains("nothing but pictures and films (1 .heic file, 1 .jpg file and 1 .mov file)")
                && sentence.hasSuffix(RefusedForm.askForContainer), "\(sentence)")
        try tree.file("box/note.txt", "x")
        let other = #expect(throws: DumpError.self) { try Dump.open(tree.at("box")) }
        if case .somethingElse? = other?.problem {} else { Issue.record("\(other as Any)") }
    }

    @Test("what archives unpack to together only to be looked into has a limit; what was not looked into is named")
    func unpackedInAll() throws {
        let tree = try TemporaryTree()
        for name in ["a", "b"] {
            try tree.file("in/\(name)/notes.txt", Data(count: 1 << 20))
            try archive("tar.gz", tree, "box/\(name).tar.gz", of: tree.at("in/\(name)"))
        }
        let control = OpeningControl().unpacking(upTo: 1 << 20)
        let error = #expect(throws: DumpError.self) { try Dump.opening(tree.at("box"), control: control) }
        let names = ["a", "b"].map { tree.at("box/\($0).tar.gz") }
        #expect(error?.problem == .severalArchives([], notLookedInto: names))
        // What holds the dump is unpacked once.
        try archive("tar.gz", tree, "box/dump.tar.gz")
        let size = try Data(contentsOf: URL(fileURLWithPath: tree.at("box/dump.tar.gz"))).count, begun = Mutex(0)
        let watching = OpeningControl { progress in
            if progress == OpeningProgress(phase: .unpacking, done: 0, total: size) { begun.withLock { $0 += 1 } }
        }
        guard case .opened(let dump) = try Dump.opening(tree.at("box"), control: watching) else {
            Issue.record("it is not found")
            return
        }
        #expect(dump.path == tree.at("box/dump.tar.gz/notes-legacy.xcappdata") && begun.withLock(\.self) == 1)
        try FileManager.default.removeItem(atPath: tree.at("box/dump.tar.gz"))
        let none = #expect(throws: DumpError.self) { try Dump.opening(tree.at("box")) }
        if case .somethingElse? = none?.problem {} else { Issue.record("\(none as Any)") }
    }

    @Test("a lone property list or database is found three levels of folders down, in a zip too, the nearest first")
    func loneFilesBelow() throws {
        let tree = try TemporaryTree()
        try tree.list("deep/from/the/customer/com.acme.notes.plist")
        #expect(try Dump.open(tree.at("deep")).path == tree.at("deep/from/the/customer/com.acme.notes.plist"))
        try tree.list("deeper/1/2/3/4/com.acme.notes.plist")
        #expect(throws: DumpError(tree.at("deeper"), .notRecognised)) { try Dump.open(tree.at("deeper")) }
        try archive("zip", tree, "mail.zip", of: tree.at("deep/from"))
        let zip = try Dump.open(tree.at("mail.zip"))
        #expect(zip.kind == .propertyList && zip.path.hasSuffix("mail.zip/from/the/customer/com.acme.notes.plist"))
        #expect(elsewhere(zip) == [.foundElsewhere(named: tree.at("mail.zip"), root: zip.path)])

        let database = try DatabaseQueue(path: tree.at("notes.sqlite"))
        try database.write { db in try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY)") }
        try database.close()
        try tree.file("box/below/notes.sqlite", try Data(contentsOf: URL(fileURLWithPath: tree.at("notes.sqlite"))))
        #expect(try Dump.open(tree.at("box")).kind == .database)
        // What lies nearer is it, and what lies further down is named.
        try tree.list("box/com.acme.notes.plist")
        let nearest = try Dump.open(tree.at("box"))
        #expect(nearest.kind == .propertyList && nearest.passedOver == [tree.at("box/below/notes.sqlite")])
        // Of several on one level each is named.
        try tree.list("two/below/a.plist")
        try tree.list("two/else/b.plist")
        let both = ["below/a.plist", "else/b.plist"].map { tree.at("two/" + $0) }
        #expect(throws: DumpError(tree.at("two"), .severalDumps(both))) { try Dump.open(tree.at("two")) }
    }

    @Test("an archive in a folder of a folder on the disk is found")
    func archiveBelow() throws {
        let tree = try TemporaryTree()
        try archive("mail", tree, "box/from/them/mail.zip")
        try expectNotes(
            tree.at("box"), at: tree.at("box/from/them/mail.zip") + "/Ticket 42/For support/notes-legacy.xcappdata")
    }

    @Test("in a list of dumps each has one line, whatever lines its name has")
    func linesInNames() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("box/a\n  /else/b.xcappdata")
        try tree.xcappdata("box/c\u{2028}d.xcappdata")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box")) }
        let lines = "\(try #require(error))".split(whereSeparator: \.isNewline)
        #expect(lines.count == 3 && lines[1].contains("a\u{240A}  /else") && lines[2].contains("c\u{2424}d"))
        let missing = DumpError(tree.at("x\nvestige: all is well"), .notFound).description
        let hasLines = missing.contains(where: \.isNewline)
        #expect(!hasLines)
    }

    @Test("a content of a backup by itself is read where it is a list or a database, else said to be one")
    func payloadAlone() throws {
        let tree = try TemporaryTree(), name = String(repeating: "0a", count: 20)
        try tree.file("box/" + name, "some bytes")
        for named in ["box", "box/" + name] {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(named)) }
            let text = "\(try #require(error))"
            #expect(
                text.contains("content of a file in a backup") && text.contains("Ask for the whole backup"), "\(text)")
        }
        try tree.list("list/" + name)
        #expect(try Dump.open(tree.at("list/" + name)).kind == .propertyList)
        // Where its backup is at hand, that is what is to be named.
        let backup = Places.fixture("backup-encrypted")
        for content in try FileManager.default.subpathsOfDirectory(atPath: backup).filter({ $0.count == 43 }) {
            let error = #expect(throws: DumpError.self) { try Dump.open(backup + "/" + content) }
            // Of nothing there is nothing to say but that.
            guard let error, error.problem != .refused(form: "an empty file", advice: "Copy it again from its source.")
            else { continue }
            #expect(error.problem == .insideDump(backup))
        }
    }

    @Test("a path leads into an archive in an archive, to its file, and behind its password")
    func inArchives() throws {
        let tree = try TemporaryTree()
        try archive("nested", tree, "mail.zip")
        let inner = tree.at("mail.zip/mail/dump.zip")
        for named in [inner + "/notes-legacy.xcappdata", inner] {
            let dump = try Dump.open(named)
            #expect(dump.path == inner + "/notes-legacy.xcappdata")
            #expect(try dump.container(nil).state(of: "rs_user_id", in: Self.own).value == .string("u-42"))
        }
        let list = inner + "/notes-legacy.xcappdata/AppData/Library/Preferences/com.acme.notes.plist"
        #expect(try Dump.open(list).kind == .propertyList)
        #expect(throws: DumpError(list + "/more", .notFound)) { try Dump.open(list + "/more") }
        for path in ["mail.zip/.", "mail.zip/../mail.zip"].map(tree.at) {
            #expect(throws: DumpError(path, .notFound)) { try Dump.open(path) }
        }
        #expect(try Dump.open(tree.at("mail.zip/")).path == inner + "/notes-legacy.xcappdata")
        try archive("locked", tree, "locked.zip")
        guard case .locked(let locked) = try Dump.opening(tree.at("locked.zip/notes-legacy.xcappdata")) else {
            Issue.record("it is not locked")
            return
        }
        #expect(try locked.opened(with: .password("test")).path == tree.at("locked.zip/notes-legacy.xcappdata"))
    }

    @Test("an archive, or a property list, that lies beside the dump and is not opened is named")
    func passedOver() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("box/new.xcappdata")
        try archive("zip", tree, "box/backup.zip")
        try tree.file("box/note.txt", "two of them")
        let dump = try Dump.open(tree.at("box"))
        #expect(dump.path == tree.at("box/new.xcappdata") && dump.named == tree.at("box"))
        #expect(dump.passedOver == [tree.at("box/backup.zip")] && dump.placeInNamed == "new.xcappdata")
        #expect(try dump.reopened().passedOver == dump.passedOver)
        try archive("zip", tree, "mail/backup.zip")
        try tree.list("mail/com.acme.notes.plist")
        #expect(try Dump.open(tree.at("mail")).passedOver == [tree.at("mail/com.acme.notes.plist")])
        #expect(try Dump.open(tree.at("box/new.xcappdata")).named == nil)
    }

    @Test("dumps of several people below a folder are named, on whatever level, and none is passed over")
    func severalBelow() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("box/A/notes.xcappdata")
        try tree.simulator("box/B/device", apps: ["com.acme.timer"])
        try tree.container("box/C/deeper/private/var/mobile/Containers/Data/Application/U1", app: "com.acme.other")
        let found = ["A/notes.xcappdata", "B/device", "C/deeper"].map { tree.at("box/" + $0) }
        #expect(throws: DumpError(tree.at("box"), .severalDumps(found))) { try Dump.open(tree.at("box")) }
    }

    @Test("folders are looked at before files; where there are too many to look at all, that is said")
    func many() throws {
        let tree = try TemporaryTree()
        for number in 0..<2_100 { try tree.file("box/\(number).txt", "x") }
        #expect(throws: DumpError(tree.at("box"), .searchCut(limit: 2_000))) { try Dump.open(tree.at("box")) }
        // Of a lone list nobody knows that it is the only one then.
        try tree.list("box/zy/com.acme.notes.plist")
        #expect(throws: DumpError(tree.at("box"), .searchCut(limit: 2_000))) { try Dump.open(tree.at("box")) }
        try tree.xcappdata("box/zz/notes.xcappdata")
        #expect(try Dump.open(tree.at("box")).path == tree.at("box/zz/notes.xcappdata"))
    }

    @Test("a list of a backup or of a container named by itself is a part of that")
    func part() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        for path in [tree.at("notes.xcappdata/AppDataInfo.plist"), Places.fixture("backup/Manifest.plist")] {
            let error = #expect(throws: DumpError.self) { try Dump.open(path) }
            #expect("\(try #require(error))".contains("a part of the dump that it lies in"))
        }
    }

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

    @Test("names with backslashes, as some programs of Windows write them, are folders, with a word")
    func windows() throws {
        let tree = try TemporaryTree()
        try archive("windows", tree, "mail.zip")
        let dump = try Dump.open(tree.at("mail.zip"))
        #expect(try dump.container(nil).state(of: "rs_user_id", in: Self.own).value == .string("u-42"))
        let isNamed = dump.warnings.map(\.problem).contains { problem in
            if case .backslashEntries(let count, let first) = problem {
                count > 5 && !first.contains("\\")
            } else {
                false
            }
        }
        #expect(isNamed, "\(dump.warnings)")
    }

    @Test(
        "names that nothing says to be in UTF-8, and that are not, are read as code page 437, with a word; others as bytes"
    )
    func codePage() throws {
        let tree = try TemporaryTree()
        try archive("code_page", tree, "mail.zip")
        let dump = try Dump.open(tree.at("mail.zip")), app = try dump.container(nil)
        for name: Name in ["Übersicht.json", "¿qué?.json", "Größe.json", "welcome.json"] {
            #expect(app.keys(in: .files("Documents")).names.contains(name), "\(name)")
            #expect(app.state(of: name, in: .files("Documents")).value != nil, "\(name)")
        }
        let problems = dump.warnings.map(\.problem)
        let first = "notes-legacy.xcappdata/AppData/Documents/Übersicht.json"
        #expect(problems.contains(.codePageEntries(2, first: first)), "\(problems)")
        // Of one that is said to be UTF-8 nobody knows what else it is.
        #expect(app.storeWarnings().map(\.problem) == [.nameNotUTF8])
        #expect(CodePage437.utf8(of: [0x41, 0x80, 0xE1, 0xFF]) == Array("AÇß\u{A0}".utf8))
    }

    @Test("one file that is compressed by itself is that file; what is called a tar and is none is damaged")
    func compressed() throws {
        let tree = try TemporaryTree()
        try tree.list("com.acme.notes.plist")
        try archive("gz", tree, "com.acme.notes.plist.gz", of: tree.at("com.acme.notes.plist"))
        let app = try Dump.open(tree.at("com.acme.notes.plist.gz")).container("com.acme.notes")
        #expect(app.state(of: "key", in: Self.own).value == .string("value"))
        // Compressed again by a mail program it is the same, and so is its name.
        try archive("gzgz", tree, "twice/com.acme.notes.plist.gz.gz", of: tree.at("com.acme.notes.plist"))
        let twice = try Dump.open(tree.at("twice/com.acme.notes.plist.gz.gz")).container("com.acme.notes")
        #expect(twice.state(of: "key", in: Self.own).value == .string("value"))
        try archive("gz", tree, "dump.tar.gz", of: tree.at("com.acme.notes.plist"))
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("dump.tar.gz")) }
        #expect("\(try #require(error))".contains("dump.tar.gz cannot be unpacked"))
    }

    @Test("a suite of an app group by itself is a group's, not an app's")
    func group() throws {
        let tree = try TemporaryTree()
        try tree.list("group.com.acme.notes.plist")
        #expect(try Dump.open(tree.at("group.com.acme.notes.plist")).container(nil).kind == .group)
    }

    @Test("folders whose names have lost their case are named, as what is in them is not read")
    func otherCase() throws {
        let tree = try TemporaryTree()
        try tree.list(
            "box/.com.apple.mobile_container_manager.metadata.plist", ["MCMMetadataIdentifier": "com.acme.notes"])
        try tree.list("box/library/preferences/com.acme.notes.plist")
        let warnings = try Dump.open(tree.at("box")).container(nil).warnings
        #expect(warnings == [DumpWarning("library", .otherCase("Library"))])
    }

    @Test(
        "other files are refused by what they are",
        arguments: [
            ("x.rar", "Rar!\u{1A}\u{7}\u{1}", "a RAR archive"), ("x.7z", "7z\u{BC}", "not a dump"),
            ("x.aar", "AA01", "an Apple Archive"),
            ("x.dmg", "any", "a disk image"),
            ("x.zip", "", "an empty file"), ("y.zip", "\n<!DOCTYPE html><html>", "a web page"),
            ("x.eml", "Received: from a\nFrom: b\n", "a mail"),
            ("x.eml", "Subject: app broken\r\nFrom: a@b.example\r\n\r\nsee below", "a mail"),
            ("x.eml", "X-Mailer: y\nDate: today\n folded: line\nCc: b\n", "save what is attached to it"),
            ("1.emlx", "2813\nSubject: a\nTo: b\n", "a mail"), ("box.mbox", "From a@b Mon\nTo: a\nDate: b\n", "a mail"),
            ("x.msg", "\u{D0}", "not a dump"), ("notes.txt", "Subject: one line\n\nTo: me", "not a dump"),
            ("todo.txt", "to do: nothing\nfrom: here", "not a dump"),
            ("x.ips", #"{"app_name":"Notes","bug_type":"309"}"# + "\n{}", "a crash report"),
        ])
    func otherFiles(name: String, content: String, words: String) throws {
        let tree = try TemporaryTree()
        try tree.file("box/" + name, content)
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box/" + name)) }
        #expect("\(try #require(error))".contains(words))
    }

    @Test("what SQLite keeps beside a database says so by itself, empty or not, and whether that is there")
    func companions() throws {
        let tree = try TemporaryTree()
        try tree.file("box/a.db", "SQLite format 3\0")
        for (name, words) in [
            ("a.db-wal", "which lies there. Name that"), ("a.db-shm", "which lies there. Name that"),
            ("b.db-journal", "without the database. Ask for both"), ("b.db-wal", "an empty file"),
        ] {
            try tree.file(
                "box/" + name, name.hasSuffix("l") && name != "b.db-wal" ? SQLiteMagic.journal : Data())
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box/" + name)) }
            #expect("\(try #require(error))".contains(words))
        }
    }

    @Test("the last part of a zip in several says that it is one, and so does each other")
    func parts() throws {
        let tree = try TemporaryTree()
        try tree.file("box/x.z01", "PK\u{3}\u{4}" + String(repeating: "a", count: 100))
        try tree.file("box/x.zip", String(repeating: "b", count: 100))
        for name in ["x.z02", "x.zip.002", "x.r00"] { try tree.file("box/" + name, String(repeating: "c", count: 100)) }
        let part = "one of several parts of an archive"
        for (name, words) in [
            ("x.zip", "the last of several parts of a zip"), ("x.z01", "or is one of several parts"), ("x.z02", part),
            ("x.zip.002", part), ("x.r00", part),
        ] {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box/" + name)) }
            #expect("\(try #require(error))".contains(words))
        }
    }

    @Test("a mail that Outlook has saved says to open it in its program")
    func outlook() throws {
        let tree = try TemporaryTree()
        try tree.file(
            "x.msg", Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + Array(repeating: 0, count: 600)))
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("x.msg")) }
        #expect("\(try #require(error))".contains("Open it in its program"))
    }

    @Test(
        "other folders are refused by what they are",
        arguments: [
            ("logs.logarchive", "Info.plist", "a log archive"), ("Notes.app", "Info.plist", "an app itself"),
            ("android", "shared_prefs/a.xml", "data of an Android app"),
            ("android", "data/data/com.acme/shared_prefs/a.xml", "data of an Android app"),
            ("Notes.xcarchive", "Info.plist", "an app itself"), ("Test.xcresult", "Info.plist", "the result of a test"),
        ])
    func otherFolders(name: String, file: String, words: String) throws {
        let tree = try TemporaryTree()
        try tree.file(name + "/" + file, "x")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(name)) }
        #expect("\(try #require(error))".contains(words))
    }

    @Test(
        "the home folder of a Mac is no app's container, nor is a folder in it",
        arguments: ["Desktop", "Downloads", "Library/Containers", "Library/Keychains"])
    func homeOfMac(mark: String) throws {
        for folder in ["", "/Library", "/Documents"] {
            let tree = try TemporaryTree()
            for name in ["Library/Preferences", "Documents"] { try tree.folder("ada/" + name) }
            try tree.list("ada/Library/Preferences/com.acme.notes.plist", ["a": "b"])
            #expect(try Dump.open(tree.at("ada" + folder)).kind == .container)
            try tree.folder("ada/" + mark)
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("ada")) }
            #expect("\(try #require(error))".contains("the home folder of a Mac"))
            #expect((try? Dump.open(tree.at("ada" + folder)))?.kind != .container)
        }
    }

    @Test("the place where iOS installs an app is refused as the app itself, and no container of its data is")
    func bundleContainer() throws {
        let tree = try TemporaryTree()
        try tree.container("bundle", app: "com.acme.notes")
        try? FileManager.default.removeItem(atPath: tree.at("bundle/Library"))
        try? FileManager.default.removeItem(atPath: tree.at("bundle/Documents"))
        try tree.list("bundle/Notes.app/Info.plist", ["CFBundleIdentifier": "com.acme.notes"])
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("bundle")) }
        #expect("\(try #require(error))".contains("an app itself"))
        try tree.list("bundle/Library/Preferences/com.acme.notes.plist", ["a": "b"])
        #expect(try Dump.open(tree.at("bundle")).containers.count == 1)
        // Its app may have been left out.
        try tree.list(
            "other/.com.apple.mobile_container_manager.metadata.plist",
            ["MCMMetadataIdentifier": "com.acme.notes", "MCMMetadataContentClass": 1])
        let other = #expect(throws: DumpError.self) { try Dump.open(tree.at("other")) }
        #expect("\(try #require(other))".contains("an app itself"))
    }

    @Test(
        "a list that describes a backup is no app's by itself, whatever lies beside it",
        arguments: [
            ("Manifest.plist", "BackupKeyBag"), ("Info.plist", "Target Identifier"), ("Status.plist", "SnapshotState"),
        ])
    func listOfBackup(name: String, key: String) throws {
        let tree = try TemporaryTree()
        try tree.list(name, [key: "x"])
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(name)) }
        #expect("\(try #require(error))".contains("a list that describes an iOS backup"))
        try tree.list(name, ["theme": "dark"])
        #expect(try Dump.open(tree.at(name)).containers.count == 1, "an app may call its own as it likes")
    }

    @Test("a backup without its list of files is said to be one, and none of its contents is taken for a dump")
    func backupWithoutManifest() throws {
        let tree = try TemporaryTree()
        try tree.list("backup/Manifest.plist")
        try tree.list("backup/0a/0a00000000000000000000000000000000000000")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("backup")) }
        #expect("\(try #require(error))".contains("without its list of files (Manifest.db)"))
    }
}
