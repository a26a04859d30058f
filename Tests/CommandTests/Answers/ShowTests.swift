import Foundation
import StoreFormats
import TestSupport
import Testing

@Suite("What show says of an entry or a store")
struct ShowTests: LegacyNotes {
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

    @Test("What was typed and is no address, or is nothing's, is quoted without its secrets")
    func typed() throws {
        let token = "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5A1b2C3"
        for address in ["keychain:/bob@acme.com/\(token)", "defaults://a/b#\(token)", "defaults://a/\(token)"] {
            let run = try Program.run(["show", Self.legacy, address], in: Scratch())
            #expect(run.code == 64 && run.errors.contains("masked"), "\(run.errors)")
            #expect(!run.errors.contains(token) && !run.errors.contains("bob@"), "\(run.errors)")
        }
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
}
