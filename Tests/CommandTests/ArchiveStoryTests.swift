import CrashTesting
import Foundation
import TestSupport
import Testing

@Suite("A dump in an archive, through the program")
struct ArchiveStoryTests {
    private static let address = "defaults://com.acme.notes/rs_user_id"

    private func archive(_ kind: String, _ fixture: String, in scratch: Scratch, _ name: String) throws -> String {
        try Archives.write(kind, to: scratch(name), of: Places.fixture(fixture))
        return scratch(name)
    }

    @Test("From the mail, a zip of an encrypted backup and a file with its password, to an applied step and an export")
    func story() throws {
        let scratch = try Scratch(), zip = try archive("zip", "backup-encrypted", in: scratch, "mail.zip")
        try scratch.write("password.txt", Data("test\n".utf8))
        let common = [
            "--app", "com.acme.notes", "--password-file", scratch("password.txt"), "--workspace", scratch("ledger"),
        ]
        let facts = ["--facts", Places.facts]
        let applied = try Program.run(
            ["apply", zip, "-m", "rudderstack-v2", "--step", "user-id"] + facts + common, in: scratch)
        #expect(applied.text.contains("applied"), "\(applied.errors)")
        let refused = try Program.run(["export", zip, "--to", scratch("out")] + common, in: scratch)
        #expect(refused.code != 0 && refused.errors.contains("--unpacked"), "\(refused.errors)")
        let exported = try Program.run(["export", zip, "--unpacked", "--to", scratch("out")] + common, in: scratch)
        #expect(exported.code == 0, "\(exported.errors)")
        let shown = try Program.run(
            [
                "show", scratch("out"), "defaults://com.acme.notes.analytics.wk-1a2b3c/user_id", "--app",
                "com.acme.notes",
            ],
            in: scratch)
        #expect(shown.code == 0 && shown.text.contains("\"x\""), "\(shown.errors)")
    }

    @Test(
        "a database is copied out of an archive into a file that has no name any more, so that a kill leaves nothing",
        .enabled(if: SyscallKills.strace != nil))
    func copyWithoutName() throws {
        let scratch = try Scratch(), strace = try #require(SyscallKills.strace), program = try #require(Program.path)
        let zip = try archive("zip", "notes-databases.xcappdata", in: scratch, "mail.zip")
        try scratch.write("temporary/mark", Data())
        let run = try Program.execute(
            strace,
            [
                "-f", "-qq", "-y", "-o", scratch("trace"), "-e", "trace=write,pwrite64", program, "show", zip,
                "sqlite://Documents/notes.sqlite/store/device_id#/value",
            ], in: scratch, environment: ["TMPDIR": scratch("temporary")])
        #expect(run.code == 0 && run.text.contains("7f3c"), "\(run.errors)")
        let trace = try String(contentsOfFile: scratch("trace"), encoding: .utf8)
        let copied = trace.split(separator: "\n").filter { $0.contains("SQLite format 3") }
        #expect(!copied.isEmpty && copied.allSatisfy { $0.contains("(deleted)") }, "\(copied)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("temporary")) == ["mark"])
    }

    @Test("An applied zip is exported as a zip, which Python's unzip finds sound")
    func zip() throws {
        let scratch = try Scratch(), zip = try archive("zip", "notes-legacy.xcappdata", in: scratch, "mail.zip")
        let common = ["--workspace", scratch("ledger")]
        let applied = try Program.run(
            ["apply", zip, "-m", "rudderstack-v2", "--all", "--facts", Places.facts] + common, in: scratch)
        #expect(applied.code == 0, "\(applied.errors)")
        let exported = try Program.run(["export", zip, "--to", scratch("out")] + common, in: scratch)
        #expect(exported.code == 0, "\(exported.errors)")
        #expect(exported.text.contains("in it mail.zip, with what has changed"), "\(exported.text)")
        let json = try Program.run(["export", zip, "--to", scratch("again"), "--json"] + common, in: scratch)
        #expect(try Answer(json.output).content["archive"] as? String == "mail.zip")
        let shown = try Program.run(
            ["show", scratch("out/mail.zip"), "defaults://com.acme.notes.analytics.wk-1a2b3c/user_id"], in: scratch)
        #expect(shown.code == 0, "\(shown.errors)")
        let test = Process()
        test.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        test.arguments = ["python3", "-m", "zipfile", "-t", scratch("out/mail.zip")]
        test.standardOutput = FileHandle.nullDevice
        try test.run()
        test.waitUntilExit()
        #expect(test.terminationStatus == 0)
    }

    @Test("Two passwords are given one after the other; a zip's own has no key that could be saved")
    func passwords() throws {
        let scratch = try Scratch(), app = ["--app", "com.acme.notes"]
        let zip = try archive("elsewhere", "backup-encrypted", in: scratch, "mail.zip")
        try scratch.write("zip", Data("other\n".utf8))
        try scratch.write("backup", Data("test\n".utf8))
        let first = ["--password-file", scratch("zip")], second = ["--password-file", scratch("backup")]
        let shown = try Program.run(["show", zip, Self.address] + first + second + app, in: scratch)
        #expect(shown.code == 0 && shown.text.contains("u-42"), "\(shown.errors)")
        let one = try Program.run(["show", zip, Self.address] + first + app, in: scratch)
        #expect(one.code == 6 && one.errors.contains("mail.zip/backup-encrypted is encrypted"), "\(one.errors)")
        let locked = try archive("locked", "notes-legacy.xcappdata", in: scratch, "locked.zip")
        let saved = try Program.run(["inspect", locked, "--save-key", scratch("key")] + second, in: scratch)
        #expect(saved.code == 64 && saved.errors.contains("no key to save"), "\(saved.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch("key")))
    }
}
