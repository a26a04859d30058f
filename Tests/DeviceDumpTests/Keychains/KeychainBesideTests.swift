import Files
import Foundation
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Which dump the keychain beside it belongs to")
struct KeychainBesideTests {
    private static let export = KeychainForms.objection([KeychainForms.Entry()])
    private static let old = "00008101-000A1B2C3D4E001E", new = "00008110-000A1B2C3D4E001F"

    /// Which export is taken where one of these dumps is opened, or why none is.
    private func taken(_ dumps: [String], beside names: [String], others: [String] = []) throws -> [String] {
        let tree = try TemporaryTree()
        for dump in dumps {
            guard ArchiveFormat.ending(of: dump) == nil else {
                try tree.file(dump, try Self.archive())
                continue
            }
            if dump.hasSuffix(".xcappdata") { try tree.xcappdata(dump) } else { try tree.container(dump) }
        }
        for name in names { try tree.file(name, Self.export) }
        for name in others {
            if name.hasPrefix("out") { try tree.container(String(name.dropLast())) }
            if name == "out/", let dump = dumps.first {
                let attribute = try #require(try Dump.open(tree.at(dump)).exportAttribute)
                try OpenFile.folder(tree.at("out")).setAttribute(attribute, to: "1")
            }
            if name.hasSuffix("/") {
                try tree.folder(name + "photos")
            } else if name == "screenshots.tar" {
                try tree.file(name, try Self.archive(of: "a.png", Data([0x89, 0x50, 0x4E, 0x47])))
            } else {
                try tree.file(name, name.hasPrefix("empty") ? "" : "x")
            }
        }
        return try dumps.map { dump in
            let opened = try Dump.open(tree.at(dump))
            let doubts = opened.warnings.compactMap { warning -> String? in
                guard case .keychainOfAnother(let doubt) = warning.problem else { return nil }
                switch doubt {
                case .namedAfter(let other): return "after \(other)"
                case .namedOtherwise: return "otherwise"
                case .fitsAlso(let other): return "as well \(other)"
                case .ofDevice(let device): return "of \(device)"
                case .notRead(let other): return "not read \(other)"
                case .notAllLookedAt: return "not all"
                }
            }
            if let file = opened.keychain { return (doubts + [file.name]).joined(separator: ", ") }
            // Whoever looks for an item is told which one is not read.
            if case .unreadable(let reason) = try opened.container(nil).keychain {
                #expect(!doubts.isEmpty && names.contains { reason.explanation.contains($0) }, "\(dump): \(doubts)")
            } else {
                #expect(doubts.isEmpty, "\(dump): \(doubts)")
            }
            return doubts.isEmpty ? "none" : doubts.joined(separator: ", ")
        }
    }

    /// A tar with a container, small enough to be written here.
    private static func archive() throws -> Data {
        let list = try PropertyListSerialization.data(fromPropertyList: ["key": "value"], format: .xml, options: 0)
        return try archive(of: "AppData/Library/Preferences/com.acme.notes.plist", list)
    }

    private static func archive(of name: String, _ list: Data) throws -> Data {
        func header(_ name: String, _ size: Int) -> [UInt8] {
            var block = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, at place: Int) {
                block.replaceSubrange(place..<(place + text.utf8.count), with: text.utf8)
            }
            func octal(_ number: Int, _ width: Int) -> String {
                let digits = String(number, radix: 8)
                return String(repeating: "0", count: width - digits.count) + digits
            }
            put(name, at: 0)
            put(octal(0o644, 7), at: 100)
            put(octal(0, 7), at: 108)
            put(octal(0, 7), at: 116)
            put(octal(size, 11), at: 124)
            put(octal(0, 11), at: 136)
            put("        ", at: 148)
            put("0", at: 156)
            put("ustar\u{0}00", at: 257)
            put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
            return block
        }
        let padding = [UInt8](repeating: 0, count: (512 - list.count % 512) % 512 + 1024)
        return Data(header(name, list.count)) + list + Data(padding)
    }

    @Test("One is read that is called after this dump and nothing else that may be one, in capitals or not")
    func nearest() throws {
        for (dumps, name) in [
            (["00008101-AAAA_files_full.tar", "00008101-BBBB_files_full.tar"], "00008101-AAAA_keychain.plist"),
            (["A_full.tar", "B_full.tar"], "A_keychain.plist"), (["A.tar", "B.tar"], "keychain_A.plist"),
            (["A.tar", "B.tar"], "a_keychain.plist"), (["AAAA", "BBBB"], "AAAA_keychain.plist"),
            (["ann.tar", "ann-2.tar"], "ann_keychain.json"), (["ann-2.tar", "ann.tar"], "Ann 2 Keychain.json"),
            (["ann.xcappdata", "bob.tar"], "keychain-ann-2024.txt"),
            (["case7_ann", "case7_bob"], "case7-keychain-ann.json"),
            (["Zo\u{E9}.tar", "Bob.tar"], "zoe\u{301}_keychain.json"),
            (["ann.tgz.tar", "ann.old.tar"], "ann.tgz_keychain"),
            (["ann-keychain-files.tar", "bob.tar"], "ann-keychain.json"),
            (["AnnKeychainA.tar", "AnnKeychainB.tar"], "AnnKeychainA.json"),
        ] {
            let other = name.hasPrefix("00008101-") ? "of 00008101-AAAA" : "after \(dumps[0])"
            #expect(try taken(dumps, beside: [name]) == [name, other], "\(dumps) \(name)")
        }
        // Each has one of its own, and one is nobody's.
        #expect(
            try taken(["ann.tar", "bob.tar"], beside: ["ann_keychain.json", "keychain.json", "bob_keychain.json"])
                == ["ann_keychain.json", "bob_keychain.json"])
        #expect(try taken(["ann-new.tar"], beside: ["ann_keychain.json"], others: ["ann.zip"]) == ["after ann.zip"])
    }

    @Test("One that is called after several dumps, or after none of them, is asked for")
    func unclear() throws {
        for (dumps, name) in [
            (["ann.tar", "bob.tar"], "keychain.json"), (["ann.tar", "bob"], "keychain-2.json"),
            (["ann", "bob"], "device_keychain.plist"), (["keychainA.tar", "B.tar"], "keychain.json"),
            (["with-keychain.tar", "without.tar"], "keychain.json"),
            (["case7_ann_full.tar", "case7_bob.tar"], "case7_keychain.json"),
            // What they have in common says nothing.
            (["case7_ann.tar", "case8_bob.tar"], "case7_carl_keychain.json"),
            (["ann.tar", "anna.tar"], "annabel_keychain.json"), (["ann (1).tar", "ann (2).tar"], "ann_keychain.json"),
            (["ann.xcappdata", "bob.xcappdata"], "keychain.json"),
        ] {
            #expect(
                try taken(dumps, beside: [name]) == ["as well \(dumps[1])", "as well \(dumps[0])"], "\(dumps) \(name)")
        }
    }

    @Test(
        "What is no dump by its content, or by its name where that is not known, or is the same one, makes nothing doubtful"
    )
    func noDumps() throws {
        for others in [
            ["ann.eml", "notes.txt", "report.pdf"], ["photos/"], ["ann/"], ["__MACOSX/", ".git/", ".B.zip"],
            ["out/", ".out.vestige-export"], ["empty.tar.gz"], ["sysdiagnose_2024.tar.gz", "screenshots.7z"],
            ["screenshots.tar"], ["settings.plist", "data.db"], ["EXTRACTION_FFS.ufd"],
        ] {
            #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: others) == ["keychain.json"], "\(others)")
        }
        // What was exported from another dump is another one.
        for (name, doubt) in [("keychain.json", "as well out2"), ("out2_keychain.json", "after out2")] {
            #expect(try taken(["ann.tar"], beside: [name], others: ["out2/", ".out2.vestige-export"]) == [doubt])
        }
        // Unpacked beside its archive it is one dump.
        #expect(
            try taken(["ann.tar", "ann"], beside: ["ann_keychain.json"]) == ["ann_keychain.json", "ann_keychain.json"])
        // It may be somebody's all the same, as it says.
        #expect(try taken(["ann.tar"], beside: ["bobs_keychain.json"], others: ["bobs/"]) == ["otherwise"])
        // GrayKey's files are of one device.
        #expect(
            try taken(
                ["AA_files_full.tar", "AA_files_partial.tar"], beside: ["AA_keychain.plist"],
                others: ["AA_mem.zip", "AA_passwords.txt"]) == ["AA_keychain.plist", "AA_keychain.plist"])
    }

    @Test(
        "What may be a dump in a form that is not read is another one, whatever is in it",
        arguments: [
            "bob.7z", "bob.rar", "bob.clbx", "bob.tar.lz4", "bob.zip.001", "bob.z01", "bob.ipa", "bob.gz", "bob.tar.Z",
            "bob.zip",
            "bob.tar.zst", "bob-keychain.7z",
        ])
    func unread(other: String) throws {
        #expect(try taken(["ann.tar"], beside: ["bob_keychain.json"], others: [other]) == ["after \(other)"])
        #expect(try taken(["ann.tar"], beside: ["ann_keychain.json"], others: [other]) == ["ann_keychain.json"])
        guard ArchiveFormat.ending(of: other) == nil else { return }
        #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: [other]) == ["as well \(other)"])
    }

    @Test("A property list is another dump where the export is called after it, or the dump is one too")
    func lists() throws {
        let tree = try TemporaryTree()
        for name in ["ann.plist", "bob.plist"] { try tree.list(name, ["key": "value"]) }
        try tree.file("ann_keychain.json", Self.export)
        #expect(try Dump.open(tree.at("ann.plist")).keychain != nil)
        #expect(
            try Dump.open(tree.at("bob.plist")).warnings.contains {
                $0.problem == .keychainOfAnother(.namedAfter("ann.plist"))
            })
        try FileManager.default.moveItem(atPath: tree.at("ann_keychain.json"), toPath: tree.at("keychain.json"))
        #expect(
            try Dump.open(tree.at("bob.plist")).warnings.contains {
                $0.problem == .keychainOfAnother(.fitsAlso("ann.plist"))
            })
        #expect(try taken(["bob.tar"], beside: ["ann_keychain.json"], others: ["ann.plist"]) == ["after ann.plist"])
    }

    @Test(
        "UFED's is found beside the file system, and one that is called after the folder of the dump beside that folder"
    )
    func layouts() throws {
        let tree = try TemporaryTree()
        for folder in ["one/filesystem1/var/mobile", "two/filesystem2/private/var/mobile"] {
            try tree.container(folder + "/Containers/Data/Application/A", app: "com.acme.notes")
        }
        for folder in ["one", "two"] {
            try tree.file(folder + "/extra/KeychainDump/backup_keychain_v2.plist", Self.export)
        }
        for path in ["one", "one/filesystem1", "two", "two/filesystem2"] {
            #expect(try Dump.open(tree.at(path)).keychain?.name == "backup_keychain_v2.plist", "\(path)")
        }
        try tree.xcappdata("AAAA/files.xcappdata")
        for name in ["AAAA_keychain.json", "BBBB_keychain.json", "keychain.json"] { try tree.file(name, Self.export) }
        for path in ["AAAA", "AAAA/files.xcappdata"] {
            #expect(try Dump.open(tree.at(path)).keychain?.name == "AAAA_keychain.json", "\(path)")
        }
        try tree.xcappdata("AAAA/more.xcappdata")
        let dump = try Dump.open(tree.at("AAAA/files.xcappdata"))
        #expect(dump.keychain == nil)
        #expect(
            dump.warnings.contains { $0.problem == .keychainOfAnother(.fitsAlso("more.xcappdata")) }, "\(dump.warnings)"
        )
    }

    @Test("What lies there and cannot be looked at, or is too much to be, may be a dump, and that is said")
    func unknown() throws {
        let many = (0...KeychainNeighbours.lookLimit).map { "folder \($0)/" }
        #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: Array(many.dropLast())) == ["keychain.json"])
        #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: many) == ["not all"])
        #expect(try taken(["ann.tar"], beside: ["ann_keychain.json"], others: many) == ["ann_keychain.json"])
        let files = (0...KeychainNeighbours.headLimit).map { "note \($0)" }
        #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: Array(files.dropLast())) == ["keychain.json"])
        #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: files) == ["not all"])
        // What is known of another one says more.
        #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: many + ["zoe.7z"]) == ["as well zoe.7z"])
        let tree = try TemporaryTree(), elsewhere = try TemporaryTree()
        try tree.xcappdata("ann.xcappdata")
        try elsewhere.xcappdata("bob.xcappdata")
        try elsewhere.file("note", "x")
        try tree.file("keychain.json", Self.export)
        for (name, target, doubt) in [
            ("loop", "loop", KeychainDoubt.notRead("loop")), ("nowhere", "gone", nil),
            ("text", elsewhere.at("note"), nil),
            ("bob", elsewhere.at("bob.xcappdata"), .fitsAlso("bob")),
        ] {
            try tree.link(name, to: target)
            let warnings = try Dump.open(tree.at("ann.xcappdata")).warnings.map(\.problem)
            #expect(warnings == (doubt.map { [.keychainOfAnother($0)] } ?? []), "\(name): \(warnings)")
            try FileManager.default.removeItem(atPath: tree.at(name))
        }
    }

    @Test("A backup is of the device that its own lists name, whatever it and what holds it are called")
    func devicesOfBackups() throws {
        for file in ["Info.plist", "Manifest.plist"] {
            let tree = try BackupTests.copy("backup")
            if file == "Info.plist" {
                try tree.list("backup/Info.plist", ["Unique Identifier": Self.old])
            } else {
                try FileManager.default.removeItem(atPath: tree.at("backup/Info.plist"))
                try tree.list("backup/Manifest.plist", ["Lockdown": ["UniqueDeviceID": Self.old]])
            }
            func problems(_ name: String) throws -> [DumpWarning.Problem] {
                let path = tree.at(name)
                try tree.file(name, Self.export)
                defer { try? FileManager.default.removeItem(atPath: path) }
                let dump = try Dump.open(tree.at("backup"))
                let doubts = dump.warnings.map(\.problem).filter {
                    if case .keychainOfAnother = $0 { true } else { false }
                }
                #expect((dump.keychain?.name == name) == doubts.isEmpty, "\(name)")
                return doubts
            }
            #expect(try problems("\(Self.new)_keychain.plist") == [.keychainOfAnother(.ofDevice(Self.new))])
            #expect(try problems("keychain.plist").isEmpty && problems("\(Self.old)_keychain.plist").isEmpty)
            // Another dump there is no reason to doubt the name of the device.
            try tree.xcappdata("bob.xcappdata")
            let plain = Self.old.lowercased().replacing("-", with: "")
            #expect(try problems("\(Self.old)_keychain.plist").isEmpty && problems("\(plain)_keychain.json").isEmpty)
            #expect(try problems("keychain.plist") == [.keychainOfAnother(.fitsAlso("bob.xcappdata"))])
        }
    }

    @Test(
        "One beside the folder of a backup, or of an archive, is found where it is called after that or after the device"
    )
    func outer() throws {
        let tree = try BackupTests.copy("backup")
        try tree.list("backup/Info.plist", ["Unique Identifier": Self.old])
        try tree.folder("case/Ann")
        try FileManager.default.moveItem(atPath: tree.at("backup"), toPath: tree.at("case/Ann/backup"))
        try tree.file("case/Tar/files.tar", try Self.archive())
        func taken(_ dump: String, beside name: String) throws -> Bool {
            try tree.file("case/" + name, Self.export)
            defer { try? FileManager.default.removeItem(atPath: tree.at("case/" + name)) }
            return try Dump.open(tree.at("case/" + dump)).keychain?.name == name
        }
        #expect(try taken("Ann/backup", beside: "Ann_keychain.json"))
        #expect(try taken("Ann", beside: "Ann_keychain.json"))
        #expect(try taken("Ann/backup", beside: "\(Self.old)_keychain.json"))
        #expect(try taken("Tar/files.tar", beside: "keychain-tar.json"))
        #expect(try !taken("Tar/files.tar", beside: "Ann_keychain.json"))
        #expect(try !taken("Ann/backup", beside: "keychain.json"))
        #expect(try !taken("Ann/backup", beside: "Ann_\(Self.new)_keychain.json"))
    }

    @Test("One that names another device than the dump is not taken; one dump with another name has it")
    func devices() throws {
        #expect(try taken(["\(Self.old)_files.tar"], beside: ["\(Self.new)_keychain.plist"]) == ["of \(Self.new)"])
        #expect(
            try taken(["00008101-AAAA_files.tar"], beside: ["00008101-BBBB_keychain.plist"]) == ["of 00008101-BBBB"])
        for name in [
            "\(Self.old.lowercased())_keychain.plist", "keychain.plist", "keychain_2024-08-30.json",
            "backup_keychain_v2.plist", "KeychainDump.txt",
        ] {
            #expect(try taken(["files_\(Self.old).tar"], beside: [name]) == [name], "\(name)")
        }
        for name in ["bob_keychain.json", "keychain-bob.plist"] {
            #expect(try taken(["files_\(Self.old).tar"], beside: [name]) == ["otherwise"], "\(name)")
        }
        #expect(
            try taken(["notes.xcappdata"], beside: ["\(Self.new)_keychain.plist"]) == ["\(Self.new)_keychain.plist"])
        let hash = String(repeating: "a1", count: 20), other = String(repeating: "b2", count: 20)
        #expect(try taken([hash], beside: ["\(other)-keychain.json"]) == ["of \(other.uppercased())"])
        // Of one device there may be several copies, and dumps of others beside it.
        let name = "\(Self.old)_keychain.plist"
        #expect(try taken(["\(Self.old)_1.tar", "\(Self.old)_2.tar"], beside: [name]) == [name, name])
        #expect(try taken(["files_\(Self.old).tar"], beside: [name], others: ["bob.7z"]) == [name])
        #expect(
            try taken(["\(Self.old)_a.tar", "\(Self.old)_b.tar"], beside: ["\(Self.old)_b_keychain.plist"])
                == ["after \(Self.old)_b.tar", "\(Self.old)_b_keychain.plist"])
    }
}
