import Foundation
import StoreFormats
import TestSupport
import Testing

@Suite("What is asked for is what is answered")
struct AnswersTests {
    @Test("Every answer says which dump it is of where that is not what was named, and what lies beside it unopened")
    func whichDump() throws {
        let scratch = try Scratch(), dump = scratch("box/notes-legacy.xcappdata")
        try FileManager.default.createDirectory(atPath: scratch("box"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Places.fixture("notes-legacy.xcappdata"), toPath: dump)
        try Archives.write("zip", to: scratch("box/other.zip"), of: dump)
        let commands = [
            ["plan"], ["plan", "-m", "rudderstack-v2"], ["status"], ["log"], ["rollback", "--all"], ["verify"],
            ["apply", "-m", "person", "--all"], ["show", "defaults://com.acme.notes"],
            ["export", "--to", scratch("out")],
        ]
        for command in commands {
            let arguments = [command[0], scratch("box")] + command.dropFirst()
            let json = try Answer(Program.run(arguments + ["--json"], in: scratch).output).content
            let part = try #require(json["dump"] as? [String: Any], "\(command)")
            #expect(part["named"] as? String == scratch("box") && part["path"] as? String == dump, "\(command) \(part)")
            #expect(part["passedOver"] as? [String] == [scratch("box/other.zip")], "\(command) \(part)")
            if command[0] == "export" { try FileManager.default.removeItem(atPath: scratch("out")) }
            let text = try Program.run(arguments, in: scratch).text
            #expect(text.hasPrefix("dump  "), "\(command) \(text)")
            #expect(text.contains("not opened, beside it"), "\(command) \(text)")
        }
        let named = try Answer(Program.run(["plan", dump, "--json"], in: scratch).output).content["dump"]
        #expect((named as? [String: Any])?.keys.sorted() == ["bundleIdentifier", "kind"])
    }

    @Test("A dump in an archive of several is named by its path, which the error lists")
    func inArchive() throws {
        let scratch = try Scratch()
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: scratch("box"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: Places.fixture("notes-legacy.xcappdata"), toPath: scratch("box/\(name).xcappdata"))
        }
        try Archives.write("zip", to: scratch("box.zip"), of: scratch("box"))
        let several = try Program.run(["plan", scratch("box.zip")], in: scratch)
        #expect(several.code == 64, "\(several.errors)")
        let paths = several.errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasSuffix(".xcappdata") }
        #expect(paths.count == 2)
        for path in paths { #expect(try Program.run(["plan", path], in: scratch).code == 2) }
        #expect(try Program.run(["plan", scratch("box.zip/none")], in: scratch).code == 64)
    }

    static let legacy = ContractTests.legacy

    private func plan(_ arguments: [String]) throws -> Answer {
        let run = try Program.run(["plan", "--json", "-m", "rudderstack-v2"] + arguments, in: Scratch())
        return try Answer(run.output)
    }

    private func fact(_ name: String, of answer: Answer) -> [String: String]? {
        (answer.content["facts"] as? [String: Any])?[name] as? [String: String]
    }

    // MARK: show

    @Test(
        "A pointer leads into values, also those in another format",
        arguments: [
            ("rs_user_id", #"{"type":"string","value":"u-42"}"#),
            ("rs_traits#/age", #"{"type":"integer","value":30}"#),
            ("rs_traits#/vip", #"{"type":"bool","value":true}"#),
            ("draft#/title", #"{"type":"string","value":"Einkauf"}"#),
            ("sync.state#/folders/2", #"{"type":"string","value":"Réception"}"#),
            ("sync.state#/cursor", #"{"type":"integer","value":9007199254740993}"#),
            ("sync.state#/retry/after", #"{"type":"real","value":1.5}"#),
            ("sync.lastRun", #"{"type":"date","value":"2024-08-30T05:20:11Z"}"#),
            ("rs_server_config#/source/_destinations", #"{"type":"array","value":[]}"#),
            ("rs_traits#/email", #"{"length":5,"masked":true,"type":"string"}"#),
            ("sessionToken", #"{"length":21,"masked":true,"type":"string"}"#),
        ])
    func pointers(address: String, value: String) throws {
        let run = try Program.run(
            ["show", Self.legacy, "defaults://com.acme.notes/" + address, "--json"], in: Scratch())
        #expect(run.code == 0)
        #expect(try Answer.text(Answer(run.output).content["value"]) == value)
    }

    @Test(
        "What a script says of a failure is masked as its screen is: a write key in an address is seen, a value is not")
    func scriptFailure() throws {
        let scratch = try Scratch(), key = "2aBcDeF0123456789abcdef0123456789", other = "defaults://com.acme.notes"
        let dump = try scratch.copy("notes-legacy.xcappdata", to: "d.xcappdata")
        try scratch.set("password", to: "Trkmbv71!", in: dump)
        let facts = ["--facts", Places.facts, "--fact", "writeKey=\(key)"]
        let place = other + ".analytics.\(key)/user_id"
        for (line, said) in [
            ("expect-value \(place) == \"x\"", "\(place) is absent"),
            ("expect-value \(other)/password == \"x\"", "\(other)/password is ‹masked string, 9 characters›"),
        ] {
            let run = try Program.run(
                ["run", "-", dump, "-m", "rudderstack-v2"] + facts, in: scratch, input: line + "\n")
            #expect(run.code == 5 && run.errors.contains(said), "\(run.errors)")
            #expect(!run.errors.contains("Trkmbv71"))
        }
    }

    @Test("What is applied is shown as the ledger holds it, whatever facts are given since")
    func otherFacts() throws {
        let scratch = try Scratch(), given = ["--facts", Places.facts], ledger = ["--workspace", scratch("l")]
        let migration = ["-m", "rudderstack-v2"]
        _ = try Program.run(["apply", Self.legacy, "--all"] + migration + given + ledger, in: scratch)
        let plan = try Program.run(
            ["plan", Self.legacy, "--fact", "writeKey=other"] + migration + ledger, in: scratch
        ).text
        #expect(plan.contains(/session_id\n +from +[^\n]+\n +after +"1724990100"/), "\(plan)")
        let script = ":fact writeKey=other\nexpect \"/session_id  \\\"1724990100\\\"\"\n"
        let run = try Program.run(
            ["run", "-", Self.legacy, "--size", "120x40"] + migration + ledger, in: scratch, input: script)
        #expect(run.code == 0, "\(run.text) \(run.errors)")
    }

    @Test("A key that stands twice is shown with both values and warned of, and no step takes one of them")
    func repeatedKey() throws {
        let scratch = try Scratch(), place = "defaults://com.acme.notes/rs_user_id"
        let list = Value.dictionary([
            ("rs_user_id", .string("u-1")), ("rs_application_version_key", .string("1.0")),
            ("rs_user_id", .string("u-2")),
        ])
        try scratch.write("d/Library/Preferences/com.acme.notes.plist", BinaryPropertyList.write(list))
        let dump = scratch("d")
        let inspect = try Program.run(["inspect", dump], in: scratch)
        #expect(inspect.text.contains("the key of \(place) stands more than once"))
        #expect(inspect.text.components(separatedBy: #""u-1" | "u-2""#).count == 2, "a line for the key")
        let store = try Program.run(["show", dump, "defaults://com.acme.notes"], in: scratch)
        #expect(store.text.components(separatedBy: "rs_user_id").count == 2, "\(store.text)")
        let show = try Program.run(["show", dump, place], in: scratch)
        #expect(show.code == 6 && show.text.contains("u-1") && show.text.contains("u-2"))
        let shown = try JSONDocument(Program.run(["show", dump, place, "--json"], in: scratch).output).value
        #expect(shown[JSONPointer(["value", "cause"])] == .string("ambiguous"))
        #expect(shown[JSONPointer(["value", "candidates", "1", "value"])] == .string("u-2"))
        for profile in ["documented", "sdk-1.2"] {
            let steps = ["-m", "rudderstack-v2:\(profile)", "--facts", Places.facts]
            let plan = try JSONDocument(Program.run(["plan", dump, "--json"] + steps, in: scratch).output).value
            let user = plan[JSONPointer(["steps"])].flatMap { steps -> Value? in
                guard case .array(let all) = steps else { return nil }
                return all.first { $0[JSONPointer(["id"])] == .string("user-id") }
            }
            #expect(user?[JSONPointer(["outcome"])] == .string("blocked"))
            #expect(user?[JSONPointer(["reason", "code"])] == .string("unreadable-ambiguous"))
            let apply = try Program.run(["apply", dump, "--all", "--workspace", scratch(profile)] + steps, in: scratch)
            #expect(apply.code == 2)
            let out = scratch("out-\(profile)")
            #expect(
                try Program.run(["export", dump, "--to", out, "--workspace", scratch(profile)], in: scratch).code == 0)
            let file = try PropertyListFile(
                Data(contentsOf: URL(fileURLWithPath: out + "/Library/Preferences/com.acme.notes.plist")))
            #expect(file.positions(of: "rs_user_id").count == 2)
        }
    }

    @Test(
        "A write key that can be part of no file's name is refused where it is given",
        arguments: ["../../etc", "a/b", "x*128"])
    func badWriteKey(key: String) throws {
        let key = key == "x*128" ? String(repeating: "x", count: 129) : key
        let run = try Program.run(
            ["plan", Self.legacy, "-m", "rudderstack-v2", "--fact", "writeKey=\(key)"], in: Scratch())
        #expect(run.code == 64 && run.text.isEmpty && run.errors.contains("writeKey"), "\(run.errors)")
    }

    @Test(
        "Options that exclude one another are refused in the program's words",
        arguments: [
            (["apply", "-m", "rudderstack-v2", "--next", "--all"], "--next, --all and --step"),
            (["rollback", "--last", "--all"], "--last, --all and --to STEP"),
        ])
    func exclusive(arguments: [String], words: String) throws {
        let run = try Program.run(
            [arguments[0], Self.legacy] + arguments.dropFirst(), in: Scratch())
        #expect(run.code == 64 && run.errors.contains(words) && !run.errors.contains("had already been set"))
    }

    @Test("A store that is cut says by how many entries, as text and in JSON")
    func truncated() throws {
        let scratch = try Scratch(), members = (0..<10_001).map { (Name("k\($0)"), Value.bool(true)) }
        try scratch.write(
            "d/Library/Preferences/com.acme.notes.plist", BinaryPropertyList.write(.dictionary(members)))
        let show = ["show", scratch("d"), "defaults://com.acme.notes"]
        let shown = try JSONDocument(Program.run(show + ["--json"], in: scratch).output).value
        #expect(shown[JSONPointer(["truncated"])] == .integer(1) && shown[JSONPointer(["count"])] == .integer(10_001))
        #expect(try Program.run(show, in: scratch).text.hasSuffix("… 1 more entry\n"))
        let all = try JSONDocument(
            Program.run(["show", Self.legacy, "defaults://com.acme.notes", "--json"], in: scratch).output
        ).value
        #expect(all[JSONPointer(["truncated"])] == nil)
    }

    @Test("A secret is shown only by --reveal", arguments: ["rs_traits#/email", "rs_traits"], [false, true])
    func reveal(address: String, isJSON: Bool) throws {
        let show = ["show", Self.legacy, "defaults://com.acme.notes/" + address] + (isJSON ? ["--json"] : [])
        #expect(try !Program.run(show, in: Scratch()).text.contains("a@b.c"))
        #expect(try Program.run(show + ["--reveal"], in: Scratch()).text.contains("a@b.c"))
    }

    @Test("A value is shown decoded as deep as it goes, and a store with all of its entries")
    func showText() throws {
        let scratch = try Scratch()
        for (name, address) in [("traits", "/rs_traits"), ("draft", "/draft"), ("store", "")] {
            let run = try Program.run(["show", Self.legacy, "defaults://com.acme.notes" + address], in: scratch)
            try Expected.expect(run.text, is: "show-\(name).txt")
        }
    }

    @Test("What was applied is shown, and a file that is a dump by itself is shown as a whole")
    func showApplied() throws {
        let scratch = try Scratch(), address = "defaults://com.acme.notes.analytics.wk-1a2b3c/user_id"
        #expect(try Program.run(["show", Self.legacy, address], in: scratch).code == 64)
        _ = try Program.run(
            ["apply", Self.legacy, "--step", "user-id", "-m", "rudderstack-v2", "--facts", Places.facts], in: scratch)
        #expect(try Program.run(["show", Self.legacy, address], in: scratch).text.contains("\"x\""))
        let file = Self.legacy + "/AppData/Library/Preferences/com.acme.notes.editor.plist"
        let run = try Program.run(["show", file, "--json"], in: scratch)
        #expect(run.code == 0)
        #expect(
            try JSONDocument(run.output).value[JSONPointer(["value", "value"])]?.members?.map(\.key) == [
                "recent", "zoom", "spellcheck",
            ])
    }

    @Test(
        "Without -m the migrations that apply are found, with their counts",
        arguments: [
            ("notes-legacy", ["rudderstack-v2"]), ("person-v0", ["person"]), ("shop-flat", ["convert"]),
            ("klivvr-v1", ["klivvr-user-profile"]), ("localdata-healthy", ["localdata-sealed", "localdata-demo"]),
        ])
    func found(fixture: String, migrations: [String]) throws {
        let scratch = try Scratch(), dump = Places.fixture(fixture + ".xcappdata")
        let run = try Program.run(["plan", dump, "--json", "--facts", Places.facts], in: scratch)
        #expect(run.code == 2)
        let found = try Answer(run.output).objects("migrations")
        #expect(found.map { $0["migration"] as? String } == migrations)
        #expect(found.allSatisfy { ($0["pending"] as? Int ?? 0) > 0 })
    }

    @Test("A keychain that lies elsewhere is given with --keychain; without it there is none in the dump")
    func keychain() throws {
        let scratch = try Scratch(), dump = Places.fixture("shop-no-keychain.xcappdata")
        let export = try FileManager.default.contentsOfDirectory(atPath: Places.fixture("shop-healthy.xcappdata"))
            .first { $0.contains("keychain") }
        let file = Places.fixture("shop-healthy.xcappdata") + "/" + (export ?? "there is none")
        #expect(try Program.run(["inspect", dump], in: scratch).text.contains("no keychain in this dump"))
        let given = try Program.run(["inspect", dump, "--keychain", file], in: scratch)
        #expect(given.text.contains("keychain://com.convert.sdk"))
        #expect(given.code == 0)
    }

    @Test(
        "An item of another group of the team is read where --keychain-group tells that it is this app's, and not else")
    func keychainGroup() throws {
        let scratch = try Scratch(), dump = Places.fixture("notes-empty.xcappdata")
        try scratch.write(
            "items.json",
            Data(
                """
                [{"service": "own", "account": "a", "dataHex": "00", "entitlement_group": "ABCDE12345.com.acme.notes"},
                 {"service": "bank", "account": "a", "dataHex": "00", "entitlement_group": "ABCDE12345.com.acme.bank"}]
                """.utf8))
        func show(_ more: String...) throws -> Program.Run {
            try Program.run(
                ["show", dump, "keychain://bank/a", "--keychain", scratch("items.json")] + more, in: scratch)
        }
        let untold = try show()
        #expect(
            untold.code == 6 && (untold.text + untold.errors).contains("in the access group ABCDE12345.com.acme.bank"))
        #expect((untold.text + untold.errors).contains("--keychain-group GROUP"), "\(untold.text)")
        let told = try show("--keychain-group", "ABCDE12345.com.acme.bank")
        #expect(told.code == 0, "\(told.errors)")
        let wrong = try show("--keychain-group", "ABCDE12345.com.acme.bonk")
        #expect(wrong.code == 64 && wrong.errors.contains("ABCDE12345.com.acme.bank"), "\(wrong.errors)")
        let inspected = try Program.run(["inspect", dump, "--keychain", scratch("items.json")], in: scratch)
        #expect(inspected.text.contains("--keychain-group GROUP"), "\(inspected.text)")
        // A step that waits for the item says so too, also in the inspector; another export would not tell more.
        try scratch.write("bank.yaml", Data(Self.bank.utf8))
        let given = ["--spec", scratch("bank.yaml"), "--keychain", scratch("items.json")]
        let plan = try Program.run(["plan", dump, "-m", "bank"] + given, in: scratch)
        #expect(plan.text.contains("--keychain-group GROUP") && !plan.text.contains("--keychain FILE"), "\(plan.text)")
        try scratch.write("look.script", Data("expect \"--keychain-group\"\n".utf8))
        let looked = try Program.run(
            ["run", scratch("look.script"), dump, "-m", "bank", "--size", "160x50"] + given, in: scratch)
        #expect(looked.code == 0, "\(looked.text) \(looked.errors)")
    }

    /// Moves an item that another app of the team may have.
    private static let bank = """
        vestige: migration/1
        id: bank
        steps:
          - {id: token, from: "keychain://bank/a", type: text, to: "defaults://com.acme.notes/token"}

        """

    @Test(
        "specs test, specs lint and both dumps of compare take --keychain-group; of several dumps one need not have the group"
    )
    func keychainGroupElsewhere() throws {
        let scratch = try Scratch(), group = "ABCDE12345.com.acme.bank"
        try scratch.write("bank.yaml", Data(Self.bank.utf8))
        func dump(_ name: String, _ group: String, _ digits: String) throws -> String {
            let dump = try scratch.copy("notes-empty.xcappdata", to: name + ".xcappdata")
            try scratch.write(
                name + ".xcappdata/keychain.json",
                Data(
                    """
                    [{"service": "own", "account": "a", "dataHex": "6f6e65", "entitlement_group": "ABCDE12345.com.acme.notes"},
                     {"service": "bank", "account": "a", "dataHex": "\(digits)", "entitlement_group": "ABCDE12345.\(group)"}]
                    """.utf8))
            return dump
        }
        let old = try dump("old", "com.acme.bank", "6f6c64"), new = try dump("new", "com.acme.bank", "6e6577")
        let moved = try dump("moved", "com.acme.shared", "6e6577")
        func run(_ arguments: String...) throws -> Program.Run { try Program.run(arguments, in: scratch) }
        let untold = try run("specs", "test", scratch("bank.yaml"), old)
        #expect(
            untold.code == 5 && untold.text.contains("--keychain-group \(group)"), "\(untold.text) \(untold.errors)")
        let told = try run("specs", "test", scratch("bank.yaml"), old, moved, "--keychain-group", group)
        #expect(told.code == 0 && told.text.contains("exported, the copy holds"), "\(told.text) \(told.errors)")
        let wrong = try run("specs", "test", scratch("bank.yaml"), old, "--keychain-group", "ABCDE12345.com.acme.bonk")
        #expect(wrong.code == 64 && wrong.errors.contains(group), "\(wrong.errors)")
        let lint = ["specs", "lint", scratch("bank.yaml"), "--dump", old]
        #expect(try Program.run(lint + ["--keychain-group", group], in: scratch).code == 0)

        let address = "keychain://bank/a", pair = ["compare", old, new]
        let neither = try Program.run(pair, in: scratch).text
        #expect(!neither.contains(" \(address)") && neither.contains("--keychain-group GROUP"), "\(neither)")
        let both = try Program.run(pair + ["--keychain-group", group], in: scratch)
        #expect(both.text.contains(" \(address)") && !both.text.contains("unassigned:"), "\(both.text) \(both.errors)")
        // What the new version has put into another group is told of the new one alone.
        let other = ["--keychain-group", group, "--new-keychain-group", "ABCDE12345.com.acme.shared"]
        let apart = try Program.run(["compare", old, moved] + other, in: scratch)
        #expect(
            apart.text.contains(" \(address)") && !apart.text.contains("unassigned:"), "\(apart.text) \(apart.errors)")
        try scratch.write("look.script", Data("expect \"bank/a\"\nexpect-not \"unassigned\"\n".utf8))
        let looked = try Program.run(
            ["run", scratch("look.script"), old, "--compare", moved, "--size", "160x50"] + other, in: scratch)
        #expect(looked.code == 0, "\(looked.text) \(looked.errors)")
        let alone = try run("run", scratch("look.script"), old, "--new-keychain-group", group)
        #expect(alone.code == 64 && alone.errors.contains("--new-app-group stand with --compare"))
    }

    @Test(
        "One damage that keeps many parts of a dump from being read is warned of once for the dump, and once for the app"
    )
    func damageOnce() throws {
        let scratch = try Scratch(), backup = try scratch.copy("backup-old", to: "backup")
        let path = URL(fileURLWithPath: backup + "/Manifest.mbdb"), data = try Data(contentsOf: path)
        try data.dropLast(20).write(to: path)
        let answer = try Answer(
            Program.run(["inspect", backup, "--app", "com.acme.notes", "--json"], in: scratch).output)
        for warnings in [answer.objects("warnings"), answer.objects("containers")[0]["warnings"] as? [[String: Any]]] {
            let sentences = (warnings ?? []).compactMap { $0["sentence"] as? String }
            #expect(sentences.count { $0.contains("does not end") } == 1, "\(sentences)")
        }
    }

    @Test("An entry that a limit keeps from being unpacked is shown with the option that raises it")
    func limit() throws {
        let scratch = try Scratch()
        try Archives.write("broken", to: scratch("mail.zip"), of: Places.fixture("notes-legacy.xcappdata"))
        let run = try Program.run(["show", scratch("mail.zip"), "file://Documents/bomb"], in: scratch)
        #expect(
            run.code == 6 && (run.text + run.errors).contains("--limit ratio=13421772800"), "\(run.text) \(run.errors)")
        for arguments in [["inspect", scratch("mail.zip")], ["compare", scratch("mail.zip"), scratch("mail.zip")]] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.text.contains("--limit ratio=13421772800"), "\(run.text) \(run.errors)")
        }
    }

    @Test("Of an entry that another container of the dump holds, show names that container")
    func elsewhere() throws {
        let scratch = try Scratch(), simulator = Places.fixture("simulator")
        for address in ["defaults://com.acme.notes", "defaults://com.acme.notes/rs_user_id"] {
            let run = try Program.run(["show", simulator, address, "--app", "com.acme.timer"], in: scratch)
            #expect(
                run.code == 64 && run.errors.contains("of com.acme.notes: --app com.acme.notes"),
                "\(run.text) \(run.errors)")
        }
    }

    @Test("A store of an app group is shown as its entries are; of an app that it is not called after it is not known")
    func groupStore() throws {
        let scratch = try Scratch(), backup = Places.fixture("backup")
        for (address, app, code) in [
            ("defaults://group.com.acme.notes", "notes", 0),
            ("defaults://group.com.acme.notes/widget.note", "notes", 0),
            ("defaults://group.com.acme.notes", "timer", 6),
            ("defaults://group.com.acme.notes/widget.note", "timer", 6),
            ("defaults://group.com.acme.none", "timer", 64),
        ] as [(String, String, Int32)] {
            let run = try Program.run(["show", backup, address, "--app", "com.acme." + app], in: scratch)
            #expect(run.code == code, "\(address): \(run.errors)")
            #expect(code != 0 || run.text.contains("1"), "\(address): \(run.text)")
            #expect((code == 6) == run.errors.contains("group.com.acme.notes: --app com.acme.notes"), "\(run.errors)")
        }
    }

    // MARK: inspect and --app

    @Test("inspect lists every container, store and entry; --app only one container")
    func inspect() throws {
        let scratch = try Scratch(), simulator = Places.fixture("simulator")
        let all = try Answer(Program.run(["inspect", simulator, "--json"], in: scratch).output)
        #expect(
            all.objects("containers").map { $0["identifier"] as? String }
                == ["com.acme.notes", "com.acme.timer", "group.com.acme.notes"])
        #expect(all.objects("containers").map { $0["kind"] as? String } == ["app", "app", "group"])
        let one = try Answer(
            Program.run(["inspect", simulator, "--app", "com.acme.timer", "--json"], in: scratch).output)
        #expect(one.objects("containers").count == 1)
        #expect(
            try Answer.text(one.objects("containers").first) == Answer.text(all.objects("containers").dropFirst().first)
        )
        let plan = try Program.run(
            ["plan", simulator, "--app", "com.acme.notes", "--facts", Places.facts], in: scratch)
        #expect(plan.code == 2)
        #expect(plan.text.contains("8 to apply"))
    }

    @Test("Apps of one dump are migrated each by itself, and exported together")
    func apps() throws {
        let scratch = try Scratch(), simulator = Places.fixture("simulator")
        let options = ["--app", "com.acme.notes", "--facts", Places.facts]
        #expect(
            try Program.run(["apply", simulator, "--all", "-m", "rudderstack-v2"] + options, in: scratch).code == 0)
        let log = try Answer(Program.run(["log", simulator, "--app", "com.acme.timer", "--json"], in: scratch).output)
        #expect(log.objects("entries").isEmpty)
        let export = try Answer(
            Program.run(
                ["export", simulator, "--app", "com.acme.timer", "--to", scratch("out"), "--json"], in: scratch
            )
            .output)
        #expect((export.content["added"] as? [String])?.count == 1)
    }

    // MARK: Facts

    @Test(
        "A write key is seen where an address needs it, in the address and as its fact; the entry that keeps it is masked"
    )
    func writeKey() throws {
        let scratch = try Scratch(), stored = "defaults://com.acme.notes/rs_server_config#/source/_writeKey"
        func run(_ arguments: String...) throws -> String { try Program.run(arguments, in: scratch).text }
        let plan = try run("plan", Self.legacy, "-m", "rudderstack-v2")
        #expect(plan.contains("writeKey is wk-1a2b3c") && plan.contains(".wk-1a2b3c/"), "\(plan)")
        for text in [try run("show", Self.legacy, stored), try run("show", Self.legacy, stored, "--json")] {
            #expect(text.contains("masked") && !text.contains("wk-1a2b3c"), "\(text)")
        }
    }

    @Test("What was typed and is no address, or is nothing's, is quoted without its secrets")
    func typed() throws {
        let token = "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5A1b2C3"
        for address in ["keychain:/bob@acme.com/\(token)", "defaults://a/b#\(token)", "defaults://a/\(token)"] {
            let run = try Program.run(["show", Self.legacy, address], in: Scratch())
            #expect(run.code == 64 && run.errors.contains("masked"), "\(run.errors)")
            #expect(!run.errors.contains(token) && !run.errors.contains("bob@"), "\(run.errors)")
        }
    }

    @Test("A fact of --fact goes before one of --facts, that before one of the dump")
    func precedence() throws {
        let scratch = try Scratch()
        try scratch.write("given", Data("# facts\nnow=1725000000\nuptime = 10\nbundleIdentifier=com.acme.other\n".utf8))
        let plain = try plan([Self.legacy])
        #expect(fact("bundleIdentifier", of: plain) == ["value": "com.acme.notes", "from": "AppDataInfo.plist"])
        #expect(fact("now", of: plain)?["from"]?.hasPrefix("assumed: the dump was made then") == true)
        let address = "defaults://com.acme.notes/rs_server_config#/source/_writeKey"
        #expect(fact("writeKey", of: plain) == ["value": "wk-1a2b3c", "from": "inferred from \(address)"])
        let output = try Program.run(["plan", Self.legacy, "-m", "rudderstack-v2"], in: scratch).output
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("\n  writeKey is wk-1a2b3c   inferred from \(address)\n"))
        #expect(!text.contains("bundleIdentifier is"), "what the dump says of itself is no guess")
        let file = try plan([Self.legacy, "--facts", scratch("given")])
        #expect(fact("bundleIdentifier", of: file) == ["value": "com.acme.other", "from": "given"])
        #expect(fact("uptime", of: file) == ["value": "10", "from": "given"])
        let both = try plan([Self.legacy, "--facts", scratch("given"), "--fact", "now=2"])
        #expect(fact("now", of: both) == ["value": "2", "from": "--fact"])
        #expect(fact("uptime", of: both) == ["value": "10", "from": "given"])
    }

    @Test("An address that a plan prints is told by show before it is there: which step would write it")
    func notYet() throws {
        let address = "defaults://com.acme.notes.analytics.wk-1a2b3c/user_id", scratch = try Scratch()
        let run = try Program.run(["show", Self.legacy, address, "--facts", Places.facts], in: scratch)
        #expect(
            run.code == 64 && run.errors.contains("yet: step user-id of rudderstack-v2 would write it"), "\(run.errors)"
        )
        let none = try Program.run(["show", Self.legacy, address + "-of-nobody", "--facts", Places.facts], in: scratch)
        #expect(none.code == 64 && none.errors.contains("inspect lists what there is"), "\(none.errors)")
    }

    @Test(
        "A missing fact blocks the steps that need it, and no others",
        arguments: [
            ("uptime", ["last-activity-time"]), ("identifierForVendor", ["anonymous-id"]),
        ])
    func missing(name: String, blocked: [String]) throws {
        let facts = [
            "now=1725000000", "uptime=10000", "writeKey=wk", "identifierForVendor=9B574574-74A7-4EDF-969D-164CB151B6C3",
        ]
        let given = facts.filter { !$0.hasPrefix(name) }.flatMap { ["--fact", $0] }
        let steps = try plan([Self.legacy] + given).objects("steps").filter { $0["outcome"] as? String == "blocked" }
        #expect(steps.map { $0["id"] as? String } == blocked)
        #expect(steps.allSatisfy { ($0["reason"] as? [String: Any])?["missingFacts"] as? [String] == [name] })
        let text = try Program.run(["plan", Self.legacy] + given, in: Scratch()).text
        #expect(text.contains("--fact \(name)="), "it says how to give it")
    }

    @Test(
        "A fact that is none is refused by every subcommand that takes facts, saying what would be right",
        arguments: [
            (["--fact", "now"], "NAME=VALUE"), (["--fact", "=1"], "NAME=VALUE"),
            (["--fact", "now=soon"], "a number of seconds"),
            (["--fact", "identifierForVendor=x"], "a UUID"), (["--fact", "writeKey="], "must be a name"),
            (["--facts", "nowhere"], "nowhere cannot be read"), (["--facts", "Fixtures"], "it is a folder"),
            (["--facts", "Fixtures/build.py"], "line 2"),
        ])
    func badFacts(options: [String], says: String) throws {
        let scratch = try Scratch()
        let commands = [
            ["inspect"], ["show"], ["plan"], ["apply", "--all", "-m", "rudderstack-v2"], ["rollback", "--all"],
            ["status"], ["log"], ["verify"], ["report"], ["export", "--to", scratch("out")], ["open"], ["run", "-"],
        ]
        for command in commands {
            let run = try Program.run(command + [Self.legacy] + options, in: scratch)
            #expect(run.code == 64, "\(command)")
            #expect(run.output.isEmpty, "\(command)")
            #expect(run.errors.contains(says), "\(command) \(run.errors)")
        }
    }

    // MARK: Migrations

    @Test("-m ID:PROFILE chooses the variant", arguments: ["documented", "sdk-1.1", "sdk-1.2"])
    func profiles(profile: String) throws {
        let run = try Program.run(
            ["plan", Self.legacy, "--json", "-m", "rudderstack-v2:" + profile, "--facts", Places.facts], in: Scratch())
        let answer = try Answer(run.output)
        #expect(answer.content["profile"] as? String == profile)
        #expect(answer.objects("steps").count == (profile == "documented" ? 9 : 10))
        #expect(try plan([Self.legacy]).content["profile"] as? String == "documented")
    }

    @Test("The built-in migrations are listed, and one with its steps and rules")
    func migrations() throws {
        let scratch = try Scratch()
        try Expected.expect(Program.run(["migrations"], in: scratch).text, is: "migrations.txt")
        let one = try Program.run(["migrations", "rudderstack-v2:documented"], in: scratch).text
        try Expected.expect(one, is: "migrations-documented.txt")
        let list = try Answer(Program.run(["migrations", "rudderstack-v2", "--json"], in: scratch).output)
        let profiles = list.objects("migrations").first?["profiles"] as? [[String: Any]] ?? []
        #expect(profiles.map { $0["id"] as? String } == ["documented", "sdk-1.1", "sdk-1.2"])
        #expect(profiles.allSatisfy { ($0["steps"] as? [Any])?.isEmpty == false })
        let variant = try Answer(Program.run(["migrations", "rudderstack-v2:sdk-1.1", "--json"], in: scratch).output)
        let only = variant.objects("migrations").first?["profiles"] as? [[String: Any]] ?? []
        #expect(only.map { $0["id"] as? String } == ["sdk-1.1"])
    }

    // MARK: run

    @Test(
        "A script is told by its exit code, and a mistake in it by its line",
        arguments: [
            ("expect \"rudderstack-v2\"\n", 0, ""), ("# nothing\n\n", 0, ""),
            ("key j\nexpect \"no such text\"\n", 5, "line 2: the screen does not show “no such text”"),
            ("expect-not \"rudderstack-v2\"\n", 5, "line 1"),
            ("key j\n\nfly away\n", 64, "line 3: “fly” is not a command"), ("key <Nonsense>\n", 64, "line 1"),
            ("key q\nkey j\n", 64, "line 2"), ("screen a/b\n", 64, "line 1"),
        ])
    func scripts(script: String, code: Int32, says: String) throws {
        let run = try Program.run(["run", "-", Self.legacy, "--facts", Places.facts], in: Scratch(), input: script)
        #expect(run.code == code, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(says.isEmpty ? run.errors.isEmpty : run.errors.contains(says), "\(run.errors)")
    }

    @Test("A script's screens are printed, or written to a folder, as text and as pictures")
    func screens() throws {
        let scratch = try Scratch(), script = "screen first\nscreen second.svg\nresize 120x40\nscreen third\n"
        let run = ["run", "-", Self.legacy, "--facts", Places.facts]
        let printed = try Program.run(run, in: scratch, input: script)
        #expect(printed.code == 0)
        #expect(printed.text.contains("── first\n") && printed.text.contains("<svg"))
        let written = try Program.run(run + ["--screens", scratch("screens")], in: scratch, input: script)
        #expect(written.code == 0 && written.output.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch("screens")).sorted()
        #expect(names == ["first.screen", "second.svg", "third.screen"])
        let third = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: scratch("screens/third.screen"))), as: UTF8.self)
        #expect(third.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count == 40)
        try scratch.write("file", Data())
        let refused = try Program.run(run + ["--screens", scratch("file/x")], in: scratch, input: script)
        #expect(refused.code == 75)
        #expect(refused.errors.contains("line 1: the screen “first” cannot be written"))
        #expect(!refused.errors.contains("Error Domain"))
    }

    @Test("A script has a workspace of its own, so that it can be run again; a person's ledger only where it is named")
    func ownWorkspace() throws {
        let scratch = try Scratch(), run = ["run", "-", Self.legacy, "--facts", Places.facts]
        let script = ":apply\n:apply\nexpect \"2 of 9 steps applied\"\n"
        for _ in 0..<2 {
            let run = try Program.run(run, in: scratch, input: script)
            #expect(run.code == 0, "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch("state")))
        let named = ["--workspace", scratch("own.ledger")]
        #expect(try Program.run(run + named, in: scratch, input: script).code == 0)
        #expect(try Program.run(run + named, in: scratch, input: script).code == 5)
        let log = try Answer(Program.run(["log", Self.legacy, "--json"] + named, in: scratch).output)
        #expect(log.objects("entries").map { $0["step"] as? String }.prefix(2) == ["anonymous-id", "user-id"])
    }

    @Test("A command of a script that fails ends it with 5, its line and the reason, unless it is to fail")
    func failingCommands() throws {
        for (line, says) in [
            (":aply all", "there is no command"), (":fact uptime=abc", "a number of seconds"),
            (":export /nonexistent/x", "/nonexistent"), ("fails :apply", "was to fail and did not"),
        ] {
            let run = try Program.run(
                ["run", "-", Self.legacy, "--facts", Places.facts], in: Scratch(), input: "key j\n\(line)\n")
            #expect(run.code == 5 && run.errors.contains("line 2") && run.errors.contains(says), "\(run.errors)")
        }
        let run = try Program.run(
            ["run", "-", Self.legacy], in: Scratch(), input: "fails :aply\nfails :fact uptime=abc\n")
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test(
        "A script may come from a file, a pipe, standard input by any name, or another program",
        arguments: ["-", "/dev/stdin", "FIFO", "<(echo :nonsense)"])
    func sources(name: String) throws {
        let scratch = try Scratch(), path = try #require(Program.path)
        let script = name == "FIFO" ? scratch("fifo") : name
        if name == "FIFO" { #expect(mkfifo(script, 0o600) == 0) }
        let feed = name == "FIFO" ? "(echo :nonsense > \(script)) & " : name.hasPrefix("<") ? "" : "echo :nonsense | "
        let run = try Program.execute(
            "/bin/bash", ["-c", "\(feed)'\(path)' run \(script) '\(Self.legacy)'"], in: scratch)
        #expect(run.code == 5 && run.errors.contains("there is no command “nonsense”"), "\(run.errors)")
    }

    @Test("Settings in a pipe or a device are refused rather than waited for; a script to be recorded needs its folder")
    func unreadableSettings() throws {
        let scratch = try Scratch()
        #expect(mkfifo(scratch("fifo"), 0o600) == 0)
        for (name, says) in [
            (scratch("fifo"), "it is no file"), ("/dev/zero", "it is no file"), (Places.package, "it is no file"),
            ("/nowhere", "it is not there"),
        ] {
            let run = try Program.run(["run", "-", Self.legacy, "--config", name], in: scratch, input: "")
            #expect(run.code == 64 && run.errors.contains("\(name) cannot be read: \(says)"), "\(run.errors)")
        }
        let run = try Program.run(["record", scratch("none/x.script"), Self.legacy], in: scratch)
        #expect(run.code == 64 && run.errors.contains("there is no folder \(scratch("none"))"), "\(run.errors)")
    }

    @Test("Times are given as people write them, on the command line and in a file of facts alike")
    func times() throws {
        let scratch = try Scratch()
        func facts(_ options: [String]) throws -> [String: [String: Any]] {
            let answer = try Answer(
                Program.run(["plan", Self.legacy, "--json", "-m", "rudderstack-v2"] + options, in: scratch).output)
            return answer.content["facts"] as? [String: [String: Any]] ?? [:]
        }
        try scratch.write("facts", Data("now = 3h after the dump\nuptime = since 2024-08-30 06:00\n".utf8))
        let file = try facts(["--facts", scratch("facts")])
        let line = try facts(["--fact", "now=3h after the dump", "--fact", "uptime=since 2024-08-30 06:00"])
        for name in ["now", "uptime"] {
            #expect(file[name]?["value"] as? String == line[name]?["value"] as? String && line[name] != nil)
        }
        #expect(line["now"]?["from"] as? String == "--fact: 3h after the dump")
        let bad = try Program.run(["plan", Self.legacy, "--fact", "now=2024-08-30x10:00"], in: scratch)
        #expect(bad.code == 64 && bad.errors.contains("3h after the dump") && bad.errors.contains("2024-08-30 10:00"))
    }

    @Test("A script that cannot be read is refused in words, never in the system's own error")
    func unreadableScripts() throws {
        let scratch = try Scratch()
        for (name, says) in [("/nowhere", "it is not there"), (Places.package, "it is a folder")] {
            let run = try Program.run(["run", name, Self.legacy], in: scratch)
            #expect(run.code == 64 && run.errors.contains(says) && !run.errors.contains("rror "), "\(run.errors)")
        }
        let path = try #require(Program.path)
        let closed = try Program.execute("/bin/bash", ["-c", "'\(path)' run - '\(Self.legacy)' <&-"], in: scratch)
        #expect(closed.code == 64 && closed.errors.contains("the script - cannot be read"), "\(closed.errors)")
        let dots = try Program.run(
            ["run", "-", Self.legacy, "--screens", scratch("s")], in: scratch, input: "screen ..\n")
        #expect(dots.code == 64 && dots.errors.contains("screen takes the name of a file"))
    }
}
