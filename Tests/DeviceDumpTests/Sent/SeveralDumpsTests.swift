import Foundation
import Synchronization
import Testing

@testable import DeviceDump

@Suite("Of several dumps each is named, and so is what is not looked into")
struct SeveralDumpsTests: SentDumps {
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
}
