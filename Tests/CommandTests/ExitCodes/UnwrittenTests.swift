import Foundation
import Testing

@Suite("What cannot be written")
struct UnwrittenTests: PackageFixtures {
    @Test(
        "The help and the version that cannot be written are to be tried again, 75", arguments: ["--help", "--version"])
    func unwrittenHelp(option: String) throws {
        let scratch = try Scratch(), path = try #require(Program.path)
        let run = try Program.execute("/bin/sh", ["-c", "'\(path)' \(option) > /dev/full"], in: scratch)
        #expect(run.code == 75 && run.errors.contains("could not be written"), "\(run.errors)")
        #expect(try Program.run([option], in: scratch).code == 0)
        let export = "'\(path)' export '\(Self.legacy)' --to '\(scratch("out"))' > /dev/full"
        let exported = try Program.execute(
            "/bin/sh", ["-c", export], in: scratch, environment: ["XDG_STATE_HOME": scratch("state")])
        #expect(exported.code == 75 && exported.errors.contains("not to be done again"), "\(exported.errors)")
    }

    @Test("A screen that cannot be written ends the script's run with 75")
    func fullScreens() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let scratch = try Scratch()
        try scratch.write("s.script", Data("screen now\n".utf8))
        let program = try #require(Program.path)
        let run = try Program.execute(
            "/bin/sh", ["-c", "\"$0\" run \"$1\" \"$2\" >/dev/full", program, scratch("s.script"), Self.legacy],
            in: scratch)
        #expect(run.code == 75, "\(run.errors)")
    }

    @Test(
        "With standard descriptors that are closed nothing lands in another file: 75, or the answer's own code",
        arguments: [("<&- >&-", 75), (">&-", 75), ("2>&-", 0), ("<&- >&- 2>&-", 75), ("<&-", 0)])
    func closedDescriptors(closed: String, code: Int32) throws {
        let scratch = try Scratch(), program = try #require(Program.path)
        let run = try Program.execute(
            "/bin/sh",
            ["-c", "\"$0\" \"$@\" \(closed)", program, "apply", Self.legacy, "--next", "--facts", Places.facts]
                + Self.migration, in: scratch)
        #expect(run.code == code, "\(run.errors)")
        // The first file that is opened is given the number of one that is closed.
        let verified = try Program.run(["verify", Self.legacy], in: scratch)
        #expect(verified.code == 0 && verified.text.contains("1 step"), "\(verified.text)")
        for path in try FileManager.default.subpathsOfDirectory(atPath: scratch("")) where path.hasSuffix(".lock") {
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch(path))).isEmpty, "\(path)")
        }
    }

    @Test("A file that would be larger than the shell allows is refused as on a full disk, and nothing of it is left")
    func sizeLimit() throws {
        let scratch = try Scratch(), program = try #require(Program.path)
        func run(_ limit: Int, _ arguments: [String]) throws -> Program.Run {
            try Program.execute(
                "/bin/sh", ["-c", "ulimit -f \(limit); \"$0\" \"$@\"", program] + arguments, in: scratch)
        }
        let apply = ["apply", Self.legacy, "--next", "--facts", Places.facts] + Self.migration
        for limit in [1, 16] {
            let refused = try run(limit, apply)
            #expect(refused.code == 75 && refused.errors.hasPrefix("vestige: "), "\(limit): \(refused.errors)")
            #expect(!refused.errors.contains("10 ("), "\(limit): \(refused.errors)")
        }
        #expect(try Program.run(apply, in: scratch).code == 0)
        let export = try run(1, ["export", Self.legacy, "--to", scratch("out")])
        #expect(export.code == 75 && !export.errors.isEmpty, "\(export.code) \(export.errors)")
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: scratch(""))).contains { $0.contains("out") })
    }

    @Test("Where only the answer could not be written, the message says what was done")
    func doneUnsaid() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let scratch = try Scratch(), program = try #require(Program.path)
        func run(_ arguments: [String]) throws -> Program.Run {
            try Program.execute(
                "/bin/sh", ["-c", "\"$0\" \"$@\" >/dev/full", program] + arguments, in: scratch)
        }
        let applied = try run(["apply", Self.legacy, "--next", "--facts", Places.facts] + Self.migration)
        #expect(applied.code == 75 && applied.errors.contains("1 step applied; only the answer could not be written"))
        let rolledBack = try run(["rollback", Self.legacy, "--last"])
        #expect(rolledBack.code == 75 && rolledBack.errors.contains("1 step rolled back; only the answer"))
        let exported = try run(["export", Self.legacy, "--to", scratch("out")])
        #expect(exported.code == 75 && exported.errors.contains("exported to "))
        let looked = try run(["inspect", Self.legacy])
        #expect(looked.code == 75 && !looked.errors.contains("only"))
    }
}
