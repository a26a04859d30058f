import Foundation
import Testing

@testable import DeviceDump

@Suite("What is no dump is refused by what it is")
struct RefusedDumpsTests: SentDumps {
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
}
