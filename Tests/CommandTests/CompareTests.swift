import Foundation
import StoreFormats
import Testing

/// Two dumps of one app, before and after.
@Suite("compare")
struct CompareTests {
    private static let old = Places.fixture("notes-legacy.xcappdata"), facts = ["--facts", Places.facts]

    /// The old dump with all steps of a profile applied, as a dump of its own.
    private static func updated(_ profile: String, in scratch: Scratch) throws -> String {
        let migration = ["-m", "rudderstack-v2:" + profile]
        #expect(try Program.run(["apply", old, "--all"] + facts + migration, in: scratch).code == 0)
        #expect(try Program.run(["export", old, "--to", scratch("new")], in: scratch).code == 0)
        return scratch("new")
    }

    @Test("An update that did what the migration plans is as planned, every entry of it, and nothing else differs")
    func asPlanned() throws {
        let scratch = try Scratch(), new = try Self.updated("documented", in: scratch)
        let run = try Program.run(
            ["compare", Self.old, new, "-m", "rudderstack-v2", "--json"] + Self.facts, in: scratch)
        #expect(run.code == 0, "\(run.errors)")
        let answer = try Answer(run.output)
        #expect(answer.format == "vestige.compare/1")
        #expect(answer.objects("entries").count == 8)
        #expect(answer.objects("entries").allSatisfy { $0["verdict"] as? String == "as-planned" })
        #expect((answer.content["same"] as? [String])?.count == 38)
    }

    @Test("What came otherwise is told with what was, what should be and what is, and ends with 5")
    func differs() throws {
        let scratch = try Scratch(), new = try Self.updated("sdk-1.2", in: scratch)
        let arguments = ["compare", Self.old, new, "-m", "rudderstack-v2"] + Self.facts
        let run = try Program.run(arguments, in: scratch)
        #expect(run.code == 5)
        try Expected.expect(run.text, is: "compare-differs.txt")
        let page = try Program.run(arguments + ["--markdown"], in: scratch)
        #expect(page.code == 5 && page.text.contains("*planned*"))
        // Without a migration nothing is wrong with it.
        let plain = try Program.run(["compare", Self.old, new], in: scratch)
        #expect(plain.code == 0)
        #expect(plain.text.contains("added"))
    }

    @Test("A fact that nobody has said is why only where what came does not show that it is right")
    func guesses() throws {
        let scratch = try Scratch()
        func compare(_ new: String) throws -> String {
            try Program.run(["compare", Self.old, Places.fixture(new), "-m", "rudderstack-v2"], in: scratch).text
        }
        // The write key names the store, in which nothing came, or something.
        let missing = try compare("notes-legacy.xcappdata"), differing = try compare("notes-half-migrated.xcappdata")
        #expect(missing.contains("the plan only assumes writeKey"), "\(missing)")
        #expect(differing.contains("differ") && !differing.contains("assumes writeKey"), "\(differing)")
        #expect(differing.contains("writeKey is "), "it is told all the same")
    }

    @Test(
        "An ID that is public where it stands in the keychain is public as a fact and in the entry that is made from it"
    )
    func publicItem() throws {
        let scratch = try Scratch(), id = "11111111-2222-3333-4444-555555555555"
        let group = #""entitlement_group": "ABCDE12345.com.acme.notes""#
        let item =
            #"{"service": "com.convert.sdk", "account": "com.convert.sdk.visitorId", "data": "\#(id)", \#(group)}"#
        for (name, items) in [("old", ""), ("new", item)] {
            _ = try scratch.copy("notes-empty.xcappdata", to: name + ".xcappdata")
            try scratch.write(name + ".xcappdata/keychain.json", Data("[\(items)]".utf8))
            try scratch.write(
                name + ".xcappdata/AppData/Library/Application Support/com.convertexperiments.sdk/event-queue.json",
                Data("[]".utf8))
        }
        try scratch.set("com.convert.sdk.visitorIdMirror", to: id, in: scratch("new.xcappdata"))
        let run = try Program.run(
            ["compare", scratch("old.xcappdata"), scratch("new.xcappdata"), "-m", "convert"], in: scratch)
        #expect(run.code == 0 && run.text.components(separatedBy: id).count == 4, "\(run.text) \(run.errors)")
    }

    @Test("A spec file is compared with as any migration is, and is taken where none is named")
    func spec() throws {
        let scratch = try Scratch()
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                steps:
                - {id: zoom, from: "defaults://com.acme.notes.editor/zoom", type: number, to: "defaults://com.acme.notes/zoom"}
                """.utf8))
        let run = try Program.run(
            ["compare", Self.old, Places.fixture("notes-migrated.xcappdata"), "--spec", scratch("s.yaml")], in: scratch)
        #expect(run.code == 5)
        #expect(run.text.contains("missing      defaults://com.acme.notes/zoom"), "\(run.text)")
    }

    @Test("A key or a value that spells the visible form of another looks different; JSON has both as they are")
    func spelledForms() throws {
        let scratch = try Scratch()
        let pair = try ["‹200B›", "\u{200B}"].map { text in
            let dump = try scratch.copy("notes-legacy.xcappdata", to: "\(text.utf8.count).xcappdata")
            for key in ["‹200B›size", "\u{200B}size"] { try scratch.set(key, to: "same", in: dump) }
            try scratch.set("theme", to: text, in: dump)
            return dump
        }
        let compared = try Program.run(["compare"] + pair, in: scratch).text
        #expect(compared.contains("\"‹2039›200B›\"") && compared.contains("\"‹200B›\""), "\(compared)")
        let shown = try Program.run(["show", pair[0], "defaults://com.acme.notes"], in: scratch).text
        #expect(shown.contains("\n‹2039›200B›size ") && shown.contains("\n‹200B›size "), "\(shown)")
        let json = try Program.run(["show", pair[0], "defaults://com.acme.notes", "--json"], in: scratch).text
        #expect(json.contains(##""‹200B›size""##) && json.contains(##""\u200bsize""##), "\(json)")
        #expect(!json.contains("‹2039›"))
    }

    @Test("Secrets are masked on both sides, and told apart where they differ; --reveal shows them")
    func secrets() throws {
        let scratch = try Scratch()
        let pair = [Places.fixture("klivvr-v1.xcappdata"), Places.fixture("klivvr-v3.xcappdata")]
        let run = try Program.run(["compare"] + pair, in: scratch)
        #expect(
            run.text.contains("masked string, 7 characters› → ‹another masked string, 7 characters›"), "\(run.text)")
        let revealed = try Program.run(["compare"] + pair + ["--reveal"], in: scratch)
        #expect(!revealed.text.contains("masked"))
        let address = try #require(revealed.text.split(separator: " ").first { $0.contains("@") })
        #expect(!run.text.contains(address))
    }

    @Test("A secret that the app itself put under another name within a value is masked there, without a migration")
    func renamedSecret() throws {
        let scratch = try Scratch(), names = ["password", "open"]
        let pair = try names.map { name in
            let dump = try scratch.copy("notes-legacy.xcappdata", to: "\(name).xcappdata")
            try scratch.set("account", to: [name: "hunter2horse", "theme": "seagreen"], in: dump)
            return dump
        }
        for form in [[], ["--json"]] {
            let run = try Program.run(["compare"] + pair + form, in: scratch)
            #expect(run.text.contains("account") && !run.text.contains("hunter2horse"), "\(run.text) \(run.errors)")
        }
    }

    @Test("What a migration calls secret of an entry that only the new dump has is masked, also in the inspector")
    func secretOfNew() throws {
        let scratch = try Scratch(), new = try scratch.copy("notes-legacy.xcappdata", to: "new.xcappdata")
        try scratch.set("nickname", to: "OpenSesame99", in: new)
        let spec = """
            vestige: migration/1
            id: nick
            title: Nicknames
            apps: [com.acme.notes]
            stores: {app: defaults://com.acme.notes}
            steps: [{id: a, from: app/nickname, type: string, to: app/alias, secret: true}]
            """
        try scratch.write("nick.yaml", Data(spec.utf8))
        try scratch.write("look.script", Data("expect \"nickname\"\nscreen all\n".utf8))
        let more = ["--spec", scratch("nick.yaml"), "-m", "rudderstack-v2"] + Self.facts
        let run = ["run", scratch("look.script"), Self.old, "--compare", new, "--size", "160x60"]
        for arguments in [["compare", Self.old, new], run] {
            let run = try Program.run(arguments + more, in: scratch)
            #expect(run.text.contains("nickname") && !run.text.contains("OpenSesame"), "\(run.text) \(run.errors)")
        }
    }

    @Test("A copy of a secret that stayed where it was is masked, as a whole and in a text, in the inspector too")
    func secretThatStays() throws {
        let scratch = try Scratch(), folder = "notes-legacy.xcappdata"
        let old = try scratch.copy(folder, to: "old.xcappdata"), new = try scratch.copy(folder, to: "new.xcappdata")
        for dump in [old, new] { try scratch.set("password", to: "Trkmbv71!", in: dump) }
        try scratch.set("u2", to: "Trkmbv71!", in: new)
        try scratch.set("u3", to: "x:Trkmbv71!", in: new)
        try scratch.set("u4", to: "plain", in: new)
        try scratch.write("look.script", Data("expect \"u4\"\nscreen all\n".utf8))
        let run = ["run", scratch("look.script"), old, "--compare", new, "--size", "160x60"]
        for arguments in [["compare", old, new], ["compare", old, new, "--json"], run] {
            let text = try Program.run(arguments, in: scratch).text
            #expect(text.contains("u3") && text.contains("plain") && !text.contains("Trkmbv"), "\(text)")
        }
    }

    @Test(
        "Values under one key are compared one by one: the same in the same order are the same, and else it is said which"
    )
    func repeatedKeys() throws {
        let scratch = try Scratch()
        func dump(_ name: String, _ values: [String]) throws -> String {
            let list = Value.dictionary(Members(values.map { Member(key: "theme", value: .string($0)) }))
            try scratch.write(name + "/Library/Preferences/com.acme.notes.plist", BinaryPropertyList.write(list))
            return scratch(name)
        }
        let old = try dump("old", ["dark", "light"])
        let same = try Program.run(["compare", old, try dump("same", ["dark", "light"])], in: scratch)
        #expect(same.code == 0 && same.text.contains("1 the same") && !same.text.contains("unknown"), "\(same.text)")
        let other = try Program.run(["compare", old, try dump("other", ["dark", "grey"])], in: scratch)
        #expect(other.code == 0 && other.text.contains("of the 2 values under its key the one at 2 differs"))
        #expect(other.text.contains(#""dark" | "light""#) && other.text.contains(#""dark" | "grey""#), "\(other.text)")
        let swapped = try Program.run(["compare", old, try dump("swapped", ["light", "dark"])], in: scratch)
        #expect(swapped.text.contains("1 changed") && swapped.text.contains("the one at 1 differs"), "\(swapped.text)")
        let more = try Program.run(["compare", old, try dump("more", ["dark", "light", "light"])], in: scratch)
        #expect(more.text.contains("its key stands 2 times before, and 3 times after"), "\(more.text)")
        let once = try Program.run(["compare", old, try dump("once", ["dark"])], in: scratch)
        #expect(once.code == 6 && once.text.contains("1 unknown"), "\(once.text)")
    }

    @Test("A report of the inspector is written beside a dump by the ending of its name, and never into one")
    func reports() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata", to: "d.xcappdata")
        let inside = dump + "/AppData/r.md", beside = scratch("r.HTML")
        try scratch.write(
            "report.script",
            Data(":report \(beside)\nexpect \"written to\"\nfails :report \(inside)\nexpect \"never changed\"\n".utf8))
        let run = try Program.run(["run", scratch("report.script"), dump, "--size", "200x60"], in: scratch)
        #expect(run.code == 0, "\(run.errors)\(run.text)")
        #expect(!FileManager.default.fileExists(atPath: inside))
        #expect(try String(contentsOfFile: beside, encoding: .utf8).contains("<html"))
    }

    @Test("What is masked on one side is on the other, in every part and copy of it, in every form of the answer")
    func oneChoice() throws {
        let scratch = try Scratch(), folder = "notes-legacy.xcappdata"
        let old = try scratch.copy(folder, to: "old.xcappdata"), new = try scratch.copy(folder, to: "new.xcappdata")
        try scratch.set("login", to: "adalovelace7", in: old)
        try scratch.set("login", to: "ada@acme.com", in: new)
        try scratch.set("state", to: #"{"who": [{"login": "grace77"}], "theme": "dark"}"#, in: old)
        try scratch.set("state", to: #"{"who": [{"login": "grace@acme.com"}], "theme": "light"}"#, in: new)
        try scratch.set("u5", to: "adalovelace7", in: new)
        try scratch.write("look.script", Data("expect \"u5\"\nscreen all\n".utf8))
        let run = ["run", scratch("look.script"), old, "--compare", new, "--size", "160x60"]
        for arguments in [
            ["compare", old, new], ["compare", old, new, "--json"], ["compare", new, old, "--html"], run,
        ] {
            let text = try Program.run(arguments, in: scratch).text
            #expect(text.contains("u5") && !text.contains("adalovelace7") && !text.contains("grace77"), "\(text)")
            #expect(arguments[0] == "run" || text.contains("light"), "what no side masks is shown: \(text)")
        }
    }

    @Test("Two values that differ never look the same: short data as its digits, long data and text with a digest")
    func alike() throws {
        let scratch = try Scratch()
        func dump(_ name: String, _ byte: UInt8) throws -> String {
            let short = Data([1, byte]), long = Data(repeating: byte, count: 600)
            let values: [String: Any] = [
                "short": short, "long": long, "inner": ["x": short], "apiToken": short,
                "text": String(repeating: "x", count: 450) + "\(byte)",
            ]
            let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
            try scratch.write("\(name)/com.acme.x.plist", data)
            return scratch("\(name)/com.acme.x.plist")
        }
        let pair = [try dump("old", 2), try dump("new", 3)]
        let run = try Program.run(["compare"] + pair, in: scratch)
        #expect(run.text.contains("before   data, 2 bytes: 01 02\n    after    data, 2 bytes: 01 03"), "\(run.text)")
        #expect(run.text.contains("/x  data, 2 bytes: 01 02 → data, 2 bytes: 01 03"), "\(run.text)")
        #expect(run.text.contains("‹masked data, 2 bytes›\n    after    ‹another masked data, 2 bytes›"), "\(run.text)")
        let lines = run.text.split(separator: "\n").filter {
            $0.hasPrefix("    ") && ($0.contains("before") || $0.contains("after"))
        }
        let texts = lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        // Of the one that has parts these are told.
        #expect(texts.count == 10 && Set(texts).count == 9, "\(run.text)")
        #expect(run.text.contains("600 bytes: SHA-256 ") && run.text.contains("\"… 424 the same …"), "\(run.text)")
    }

    @Test("The inspector begins with the two side by side where --compare names one, and counts as compare does")
    func inspector() throws {
        let scratch = try Scratch(), new = try Self.updated("sdk-1.2", in: scratch)
        try scratch.write("look.script", Data("expect \"Planned\"\nkey j\nscreen beside\n".utf8))
        let arguments = ["run", scratch("look.script"), Self.old, "--size", "120x40", "-m", "rudderstack-v2:sdk-1.2"]
        let run = try Program.run(arguments + ["--compare", new] + Self.facts, in: scratch)
        let text = try Program.run(
            ["compare", Self.old, new, "-m", "rudderstack-v2:sdk-1.2"] + Self.facts, in: scratch)
        let counts = try #require(text.text.components(separatedBy: "of the plan: ").last?.split(separator: "\n").first)
        #expect(counts.contains("as planned") && !counts.contains("missing"), "\(counts)")
        #expect(run.code == 0 && run.text.contains("new  \(counts)"), "\(run.text) \(run.errors)")
        let keychain = try Program.run(arguments + ["--new-keychain", "k"], in: scratch)
        #expect(keychain.code == 64 && keychain.errors.contains("--new-app-group stand with --compare"))
        let wrong = try Program.run(arguments + ["--compare", scratch("none")], in: scratch)
        #expect(wrong.code == 64 && wrong.errors.contains("none"), "\(wrong.errors)")
    }

    /// A dump with these items of the keychain, and a link.
    private static func dump(_ name: String, _ items: [(group: String, hex: String)], in scratch: Scratch) throws
        -> String
    {
        let dump = try scratch.copy("notes-empty.xcappdata", to: name + ".xcappdata")
        let objects = items.map { item in
            """
            {"service": "bank", "account": "ada", "dataHex": "\(item.hex)", "entitlement_group": "ABCDE12345.com.acme.notes\(item.group)"}
            """
        }
        try scratch.write(name + ".xcappdata/keychain.json", Data("[\(objects.joined(separator: ", "))]".utf8))
        try FileManager.default.createDirectory(
            atPath: dump + "/AppData/Documents", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: dump + "/AppData/Documents/link", withDestinationPath: "/elsewhere")
        return dump
    }

    @Test("Keychain items are the same ones in another order and place, in text, JSON, on pages and in the inspector")
    func keychainPairs() throws {
        let scratch = try Scratch()
        let old = try Self.dump("old", [("", "6f6e65"), (".shared", "74776f"), (".x", "")], in: scratch)
        let new = try Self.dump("new", [(".x", ""), (".shared", "74776f")], in: scratch)
        let second = "keychain://bank/ada%20%28ABCDE12345.com.acme.notes.shared%29"
        let run = try Program.run(["compare", old, new], in: scratch)
        // A link to the same place is the same, and what is locked on both sides unknown, which is told once.
        #expect(run.code == 0 && run.text.contains("1 removed, 1 unknown"), "\(run.text) \(run.errors)")
        #expect(run.text.contains("removed      keychain://bank/ada\n"), "\(run.text)")
        #expect(run.text.components(separatedBy: "cannot be read").count == 2, "\(run.text)")
        let page = try Program.run(["compare", old, new, "--markdown"], in: scratch).text
        #expect(page.contains("in another place now"), "\(page)")
        let answer = try Answer(Program.run(["compare", old, new, "--json", "-m", "person"], in: scratch).output)
        let entries = answer.objects("entries")
        let moved = try #require(
            entries.first { $0["address"] as? String == "keychain://bank/ada%20%28ABCDE12345.com.acme.notes.x%29" })
        #expect(moved["addressAfter"] as? String == "keychain://bank/ada" && moved["mark"] as? String == "unknown")
        #expect(moved["verdict"] is NSNull)
        #expect((answer.content["same"] as? [String])?.contains(second) == true)
        #expect((answer.content["same"] as? [String])?.contains("file://Documents/link") == true)
        try scratch.write("look.script", Data("key j\nexpect \"in another place now\"\n".utf8))
        let looked = try Program.run(
            ["run", scratch("look.script"), old, "--compare", new, "--size", "160x40"], in: scratch)
        #expect(looked.code == 0, "\(looked.text) \(looked.errors)")
    }

    @Test("Of an item in another group with the same secret only the group is another one")
    func keychainGroup() throws {
        let scratch = try Scratch()
        let old = try Self.dump("old", [("", "6f6e65")], in: scratch)
        let new = try Self.dump("new", [(".shared", "6f6e65")], in: scratch)
        let run = try Program.run(["compare", old, new], in: scratch)
        #expect(run.text.contains("/agrp") && !run.text.contains("another masked"), "\(run.text)")
        let other = try Self.dump("other", [("", "74776f")], in: scratch)
        #expect(try Program.run(["compare", old, other], in: scratch).text.contains("another masked"))
    }

    @Test(
        "What helps a store that is not compared is said of that store: a keychain export helps no folder",
        arguments: [true, false])
    func adviceOfStores(isOld: Bool) throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        try FileManager.default.removeItem(atPath: dump + "/AppData/Documents")
        let pair = isOld ? [dump, Self.old] : [Self.old, dump]
        let told = try Program.run(["compare"] + pair, in: scratch).text
        let lines = try #require(told.range(of: "? file://Documents is not compared")).upperBound
        let store = told[lines...].prefix { $0 != "?" }
        #expect(store.contains("give a dump that has it") && !store.contains("--keychain"), "\(told)")
    }

    @Test("Dumps of two apps, and one that is none, are refused; a damaged store is not compared, and ends with 6")
    func refused() throws {
        let scratch = try Scratch()
        // What was planned and is on neither side is not the same on both.
        let itself = ["compare", Self.old, Self.old, "--json"]
        let alike = try [itself, itself + ["-m", "rudderstack-v2", "--facts", Places.facts]].map { arguments in
            let answer = try Answer(Program.run(arguments, in: scratch).output)
            return try #require(answer.content["summary"] as? [String: Any])["same"] as? Int
        }
        #expect(alike[0] == alike[1] && alike[0] != nil, "\(alike)")
        let apps = try Program.run(["compare", Self.old, Places.fixture("person-v0.xcappdata")], in: scratch)
        #expect(apps.code == 64 && apps.errors.contains("two apps"))
        // A list that came under another name may be of any app.
        try FileManager.default.copyItem(
            atPath: Self.old + "/AppData/Library/Preferences/com.acme.notes.plist", toPath: scratch("prefs.plist"))
        let unnamed = ["compare", Self.old, scratch("prefs.plist")]
        let unknown = try Program.run(unnamed, in: scratch), fact = ["--fact", "bundleIdentifier=com.acme.notes"]
        #expect(unknown.code == 64 && unknown.errors.contains(fact.joined(separator: " ")), "\(unknown.errors)")
        let named = try Program.run(unnamed + fact, in: scratch)
        #expect(named.code == 0 && !named.text.contains("added"), "\(named.text) \(named.errors)")
        // What should have come lies in a list that did not come along: nobody can say that it is missing.
        let planned = try Program.run(
            unnamed + fact + ["-m", "rudderstack-v2", "--facts", Places.facts], in: scratch)
        #expect(!planned.text.contains("missing") && planned.text.contains("unknown"), "\(planned.text)")
        #expect(try Program.run(["compare", Self.old, scratch("none")], in: scratch).code == 64)
        let copy = scratch("broken.xcappdata")
        try FileManager.default.copyItem(atPath: Self.old, toPath: copy)
        let list = copy + "/AppData/Library/Preferences/com.acme.notes.plist"
        try Data("bplist00 damaged".utf8).write(to: URL(fileURLWithPath: list))
        let damaged = try Program.run(["compare", Self.old, copy, "--json"], in: scratch)
        #expect(damaged.code == 6, "\(damaged.errors)")
        let told = try Program.run(["compare", Self.old, copy], in: scratch).text.split(separator: "\n")
        #expect(told.contains { $0.hasSuffix(", 1 store not compared") }, "\(told)")
        let answer = try Answer(damaged.output)
        #expect(answer.objects("stores").map { $0["address"] as? String } == ["defaults://com.acme.notes"])
        #expect(answer.objects("entries").allSatisfy { $0["mark"] as? String != "removed" })
    }

    /// The options that name a migration of these rows, which is written there.
    private static func migration(of rows: String, in scratch: Scratch) throws -> [String] {
        let head =
            "vestige: migration/1\nid: mine\nstores: {app: defaults://com.acme.notes, docs: 'file://Documents'}\nsteps:"
        try scratch.write("mine.yaml", Data("\(head)\n\(rows)\n".utf8))
        return ["-m", "mine", "--spec", scratch("mine.yaml")]
    }

    @Test("What the plan takes to be absent, as it did not come with the dump before, is said, also in JSON")
    func assumed() throws {
        let scratch = try Scratch()
        let row = "- {id: two, from: app/rs_user_id, if: [docs/flag.json is absent], to: app/two}"
        let arguments =
            ["compare", Places.fixture("notes-migrated.xcappdata"), Self.old]
            + (try Self.migration(of: row, in: scratch))
        for form in [[], ["--json"]] {
            let run = try Program.run(arguments + form, in: scratch)
            #expect(
                run.text.contains("The dump lacks AppData/Documents: what steps look for there is taken to be"),
                "\(run.text)")
        }
    }

    @Test("A ledger that cannot be read keeps no two dumps from being compared; that its facts are left out is told")
    func junkLedger() throws {
        let scratch = try Scratch()
        try scratch.write("junk", Data("no ledger".utf8))
        let run = try Program.run(["compare", Self.old, Self.old, "--workspace", scratch("junk")], in: scratch)
        #expect(run.code == 0 && run.errors.contains("cannot be used as a ledger"), "\(run.errors)")
    }

    @Test("What comes otherwise than planned is not known where the plan takes to be absent what the dump before lacks")
    func presumed() throws {
        let scratch = try Scratch()
        let rows = """
            - {id: two, from: app/rs_user_id, if: [docs/welcome.json is absent], to: app/two}
            - {id: three, from: app/two, to: app/three}
            - {id: four, from: app/rs_user_id, if: [docs/welcome.json exists], to: app/four}
            - {id: five, from: app/rs_user_id, to: app/five}
            - {id: six, from: app/rs_user_id, if: [app/two exists], to: app/six}
            - {id: seven, from: [app/rs_user_id, docs/welcome.json], to: app/seven}
            """
        var migration = try Self.migration(of: rows, in: scratch)
        let bare = scratch("bare.xcappdata")
        try FileManager.default.copyItem(atPath: Self.old, toPath: bare)
        try FileManager.default.removeItem(atPath: bare + "/AppData/Documents")
        func compared(_ before: String) throws -> [String: String?] {
            let run = try Program.run(
                ["compare", before, Self.old, "--json"] + migration, in: scratch)
            let entries = try Answer(run.output).objects("entries")
            return Dictionary(
                entries.map { entry in
                    (
                        (entry["address"] as? String ?? "").split(separator: "/").last.map(String.init) ?? "",
                        entry["verdict"] as? String
                    )
                }, uniquingKeysWith: { $1 })
        }
        let presumed = try compared(bare)
        for key in ["two", "three", "six"] { #expect(presumed[key] == "unknown", "\(key)") }
        for key in ["five", "seven"] { #expect(presumed[key] == "missing", "\(key)") }
        #expect(presumed["four"] == nil, "nothing was to come, and nothing came")
        let known = try compared(Self.old)
        for key in ["two", "three", "six"] { #expect(known[key] == nil, "\(key)") }
        for key in ["four", "five", "seven"] { #expect(known[key] == "missing", "\(key)") }
        let person = Places.fixture("person-v0.xcappdata")
        let update = try Program.run(["compare", person, person, "-m", "person"], in: scratch)
        #expect(
            update.code == 5 && update.text.contains("1 differs"), "another place that has it counts: \(update.text)")
        let told = try Program.run(["compare", bare, Self.old] + migration, in: scratch)
        #expect(told.text.contains("not known: the plan takes to be absent what the dump before lacks"), "\(told.text)")
        for condition in ["is empty", "is absent"] {
            migration = try Self.migration(
                of: "- {id: five, from: app/rs_user_id, if: [store docs \(condition)], to: app/five}", in: scratch)
            #expect(try compared(bare)["five"] == "unknown", "the store \(condition)")
        }
        migration = try Self.migration(
            of: """
                - {id: four, from: app/rs_user_id, if: [docs/welcome.json exists], to: app/four}
                - {id: five, from: app/rs_user_id, to: app/five, after: [four]}
                """, in: scratch)
        #expect(try compared(bare)["five"] == "unknown", "it waits for what nobody knows")
        for (source, verdict) in [("keep", "missing"), ("remove", "unknown")] {
            migration = try Self.migration(
                of: """
                    - {id: four, from: app/rs_user_id, if: [docs/welcome.json exists], to: app/four, source: \(source)}
                    - {id: five, from: app/rs_user_id, to: app/five}
                    """, in: scratch)
            #expect(try compared(bare)["five"] == verdict, "what it would take away nobody reads behind it")
        }
        for (exists, verdict) in [("conflict", "missing"), ("overwrite", "unknown")] {
            migration = try Self.migration(
                of: """
                    - {id: star, from: docs/*.json, to: app/rs_*, exists: \(exists)}
                    - {id: five, from: app/rs_user_id, to: app/five}
                    """, in: scratch)
            #expect(try compared(bare)["five"] == verdict, "what a row with a star finds there it may only overwrite")
        }
    }
}
