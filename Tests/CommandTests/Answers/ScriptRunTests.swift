import Foundation
import Testing

@Suite("Scripts that a person runs")
struct ScriptRunTests: LegacyNotes {
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
