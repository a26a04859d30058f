import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("What people send is found")
struct SentDumpsTests: SentDumps {
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
}
