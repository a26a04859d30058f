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
            if name == "out/" { try tree.container("out") }
            if name.hasSuffix("/") { try tree.folder(name + "photos") } else { try tree.file(name, "x") }
        }
        return try dumps.map { dump in
            let opened = try Dump.open(tree.at(dump))
            let doubts = opened.warnings.compactMap { warning -> String? in
                guard case .keychainOfAnother(let doubt) = warning.problem else { return nil }
                switch doubt {
                case .namedAfter(let other): return "after \(other)"
                case .fitsAlso(let other): return "as well \(other)"
                case .ofDevice(let device): return "of \(device)"
                }
            }
            if let file = opened.keychain { return (doubts + [file.name]).joined(separator: ", ") }
            let isAsked = try opened.container(nil).keychain != .none
            // Whoever may be the owner is asked; of another's nothing is to be asked.
            #expect(isAsked == doubts.contains { $0.hasPrefix("as well") } || doubts.isEmpty, "\(dump): \(doubts)")
            return doubts.isEmpty ? "none" : doubts.joined(separator: ", ")
        }
    }

    /// A tar with a container, small enough to be written here.
    private static func archive() throws -> Data {
        let list = try PropertyListSerialization.data(fromPropertyList: ["key": "value"], format: .xml, options: 0)
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
        let name = "AppData/Library/Preferences/com.acme.notes.plist"
        let padding = [UInt8](repeating: 0, count: (512 - list.count % 512) % 512 + 1024)
        return Data(header(name, list.count)) + list + Data(padding)
    }

    @Test("Of several dumps an export is that one's whose name is nearer to its than any other's, in capitals or not")
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
        ] {
            #expect(try taken(dumps, beside: [name]) == [name, "after \(dumps[0])"], "\(dumps) \(name)")
        }
    }

    @Test("One that is as near to another dump is not taken, and asked for; what is no dump, or the same one, is none")
    func unclear() throws {
        for (dumps, name) in [
            (["ann.tar", "bob.tar"], "keychain.json"), (["ann.tar", "bob"], "keychain-2.json"),
            (["ann", "bob"], "device_keychain.plist"),
            (["00008101-AAAA.tar", "00008101-BBBB.tar"], "00008101-CCCC_keychain.json"),
            (["case7_ann_full.tar", "case7_bob.tar"], "case7_keychain.json"),
            (["ann.tar", "anna.tar"], "annabel_keychain.json"), (["ann (1).tar", "ann (2).tar"], "ann_keychain.json"),
        ] {
            #expect(
                try taken(dumps, beside: [name]) == ["as well \(dumps[1])", "as well \(dumps[0])"], "\(dumps) \(name)")
        }
        // Each has one of its own, and one is nobody's.
        #expect(
            try taken(["ann.tar", "bob.tar"], beside: ["ann_keychain.json", "keychain.json", "bob_keychain.json"])
                == ["ann_keychain.json", "bob_keychain.json"])
        for others in [
            ["ann.eml", "notes.txt"], ["photos/"], ["ann/"], ["__MACOSX/", ".git/"], ["out/", ".out.vestige-export"],
        ] {
            #expect(try taken(["ann.tar"], beside: ["keychain.json"], others: others) == ["keychain.json"], "\(others)")
        }
        // Unpacked beside its archive it is one dump.
        #expect(
            try taken(["ann.tar", "ann"], beside: ["ann_keychain.json"]) == ["ann_keychain.json", "ann_keychain.json"])
        #expect(try taken(["ann.tar"], beside: ["bobs_keychain.json"], others: ["bobs/"]) == ["after bobs"])
        // Also what is not read, and what has that word in its own name, may be another's; GrayKey's four files are one's.
        for other in ["bob.7z", "bob.plist"] {
            #expect(try taken(["ann.tar"], beside: ["bob_keychain.json"], others: [other]) == ["after \(other)"])
        }
        #expect(
            try taken(["bob-keychain-files.tar", "ann.tar"], beside: ["bob-keychain.json"])
                == ["bob-keychain.json", "after bob-keychain-files.tar"])
        #expect(
            try taken(["AA_files_full.tar"], beside: ["AA_keychain.plist"], others: ["AA_mem.zip", "AA_passwords.txt"])
                == ["AA_keychain.plist"])
    }

    @Test("One that names another device than the dump is not taken; one dump with another name has it")
    func devices() throws {
        #expect(try taken(["\(Self.old)_files.tar"], beside: ["\(Self.new)_keychain.plist"]) == ["of \(Self.new)"])
        #expect(
            try taken(["00008101-AAAA_files.tar"], beside: ["00008101-BBBB_keychain.plist"]) == ["of 00008101-BBBB"])
        for name in [
            "\(Self.old.lowercased())_keychain.plist", "keychain.plist", "keychain_2024-08-30.json",
            "bob_keychain.json",
        ] {
            #expect(try taken(["files_\(Self.old).tar"], beside: [name]) == [name], "\(name)")
        }
        #expect(
            try taken(["notes.xcappdata"], beside: ["\(Self.new)_keychain.plist"]) == ["\(Self.new)_keychain.plist"])
        let hash = String(repeating: "a1", count: 20), other = String(repeating: "b2", count: 20)
        #expect(try taken([hash], beside: ["\(other)-keychain.json"]) == ["of \(other.uppercased())"])
    }
}
