import Foundation
import TestSupport
import Testing

@Suite("The password of a dump, through the program")
struct PasswordTests {
    private static let dump = Places.fixture("backup-encrypted")
    private static let address = "defaults://com.acme.notes/rs_user_id"

    private func show(_ options: [String], in scratch: Scratch, input: String = "", password: String? = nil) throws
        -> Program.Run
    {
        try Program.run(
            ["show", Self.dump, Self.address, "--app", "com.acme.notes"] + options, in: scratch, input: input,
            environment: password.map { ["VESTIGE_PASSWORD": $0] } ?? [:])
    }

    @Test("It comes from a file, standard input or VESTIGE_PASSWORD, and without one the dump is locked")
    func places() throws {
        let scratch = try Scratch()
        try scratch.write("password", Data("test\n".utf8))
        for run in [
            try show(["--password-file", scratch("password")], in: scratch),
            try show(["--password-file", "-"], in: scratch, input: "test\r\n"),
            try show([], in: scratch, password: "test"),
        ] {
            #expect(run.code == 0 && run.text.contains("u-42"), "\(run.errors)")
        }
        let locked = try show([], in: scratch)
        #expect(locked.code == 6 && locked.errors.contains("is encrypted"), "\(locked.errors)")
        let wrong = try show([], in: scratch, password: "secret")
        #expect(wrong.code == 6 && wrong.errors.contains("is not opened by this password"), "\(wrong.errors)")
        #expect(!wrong.errors.contains("masked"), "\(wrong.errors)")
        #expect(try show(["--password-file", scratch("none")], in: scratch).code == 64)
        let folder = try show(["--password-file", scratch("")], in: scratch)
        #expect(folder.code == 64 && folder.errors.contains("it is a folder"), "\(folder.errors)")
        // What is too long to be one is refused, and not cut.
        try scratch.write("long", Data("test\n".utf8) + Data(count: 1 << 16))
        let long = try show(["--password-file", scratch("long")], in: scratch)
        #expect(long.code == 64 && long.errors.contains("it is too large"), "\(long.errors)")
    }

    @Test("A password in an argument is refused, and what is said of it has the usage as it is")
    func argument() throws {
        let scratch = try Scratch()
        for argument in ["--password", "--password=test", "--passwd", "-p"] {
            let run = try show([argument, "test"], in: scratch)
            #expect(run.code == 64 && run.output.isEmpty, "\(argument): \(run.text)")
            #expect(run.errors.contains("Usage: vestige show <dump> [<address>] [<options>]\n"), "\(run.errors)")
        }
    }

    @Test("A key that was saved opens the dump in its place, and its file is for its owner and new")
    func key() throws {
        let scratch = try Scratch(), path = scratch("key")
        let saved = try show(["--save-key", path], in: scratch, password: "test")
        #expect(saved.code == 0, "\(saved.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let opened = try show(["--key-file", path], in: scratch)
        #expect(opened.code == 0 && opened.text.contains("u-42"), "\(opened.errors)")
        let again = try show(["--save-key", path], in: scratch, password: "test")
        #expect(again.code == 64 && again.errors.contains("is there already"), "\(again.errors)")
        try scratch.write("other", Data(String(repeating: "0", count: 64).utf8))
        #expect(try show(["--key-file", scratch("other")], in: scratch).errors.contains("is not opened by this key"))
        try scratch.write("broken", Data("test".utf8))
        #expect(try show(["--key-file", scratch("broken")], in: scratch).code == 64)
    }

    @Test("A content that does not end as encrypted ones do is shown with a word")
    func padding() throws {
        let scratch = try Scratch(), dump = try scratch.copy("backup-encrypted")
        // The digest of its domain and path.
        let name = "a6867e2e27592ce98b87cba32109ff808220424c"
        let path = "\(dump)/\(name.prefix(2))/\(name)", whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole.dropLast(16).write(to: URL(fileURLWithPath: path))
        let options = ["--app", "com.acme.notes"], password = ["VESTIGE_PASSWORD": "test"]
        let address = "file://Documents/welcome.json"
        let shown = try Program.run(["show", dump, address] + options, in: scratch, environment: password)
        #expect(shown.code == 0 && shown.text.contains("does not end as it should"), "\(shown.text)")
        let json = try Program.run(["show", dump, address, "--json"] + options, in: scratch, environment: password)
        #expect(json.text.contains("\"warnings\": ["), "\(json.text)")
        // What reads it while it lists what there is says so, too.
        let listed = try Program.run(["inspect", dump] + options, in: scratch, environment: password)
        #expect(listed.text.contains("Documents/welcome.json: what is decrypted does not end"), "\(listed.text)")
    }

    @Test("Of a zip with a password nothing is said of backups, nor of keys, which it has none of")
    func zip() throws {
        let scratch = try Scratch(), path = scratch("mail.zip")
        try Archives.write("locked", to: path, of: Places.fixture("notes-legacy.xcappdata"))
        for password in [[:], ["VESTIGE_PASSWORD": "wrong"]] {
            let run = try Program.run(["plan", path], in: scratch, environment: password)
            #expect(run.code == 6 && run.errors.contains("--password-file FILE"), "\(run.errors)")
            #expect(!run.errors.contains("key-file") && !run.errors.contains("backup"), "\(run.errors)")
        }
        #expect(try Program.run(["plan", path], in: scratch, environment: ["VESTIGE_PASSWORD": "test"]).code == 2)
    }

    @Test("What is done for a dump unasked has limits, which the person raises as the message says")
    func limits() throws {
        let scratch = try Scratch()
        let refused = try show(["--limit", "rounds=100"], in: scratch, password: "test")
        #expect(refused.code == 6 && refused.errors.contains("(--limit rounds=3000)"), "\(refused.errors)")
        #expect(try show(["--limit", "rounds=3000"], in: scratch, password: "test").code == 0)
        try Archives.write("zip", to: scratch("mail.zip"), of: Places.fixture("notes-legacy.xcappdata"))
        let inspect = ["inspect", scratch("mail.zip"), "--limit"]
        for (limit, advice) in [("entries=3", "--limit entries=30"), ("names=40", "--limit names=400")] {
            let refused = try Program.run(inspect + [limit], in: scratch)
            #expect(refused.code == 6 && refused.errors.contains("(\(advice))"), "\(refused.errors)")
            #expect(try Program.run(inspect + [limit, "--limit", "\(limit)000"], in: scratch).code == 0)
        }
        try Archives.write("bombs", to: scratch("bomb.tar.gz"), of: Places.fixture("notes-legacy.xcappdata"))
        let bomb = try Program.run(["inspect", scratch("bomb.tar.gz")], in: scratch)
        #expect(bomb.code == 6 && bomb.errors.contains("(--limit ratio="), "\(bomb.errors)")
        for wrong in ["rounds", "rounds=0", "rounds=x", "turns=3"] {
            #expect(try Program.run(inspect + [wrong], in: scratch).code == 64)
        }
    }

    @Test("A key is not saved inside the dump that it opens")
    func keyInDump() throws {
        let scratch = try Scratch(), dump = try scratch.copy("backup-encrypted")
        let run = try Program.run(
            ["inspect", dump, "--save-key", dump + "/key"], in: scratch, environment: ["VESTIGE_PASSWORD": "test"])
        #expect(run.code == 64 && run.errors.contains("inside the dump"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: dump + "/key"))
    }

    @Test("An unpacked export of a backup opens again, and names what the backup lacks")
    func export() throws {
        let scratch = try Scratch(), app = ["--app", "com.acme.notes"]
        let run = try Program.run(
            ["export", Places.fixture("backup-broken"), "--unpacked", "--to", scratch("out")] + app, in: scratch)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.text.contains("com.acme.notes.editor.plist"), "\(run.text)")
        let shown = try Program.run(["show", scratch("out"), Self.address] + app, in: scratch)
        #expect(shown.code == 0 && shown.text.contains("u-42"), "\(shown.errors)")
    }
}
