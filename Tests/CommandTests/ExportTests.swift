import Foundation
import Testing

@Suite("Exports, through the program and read by others")
struct ExportTests {
    static let legacy = Places.fixture("notes-legacy.xcappdata")
    static let migration = ["-m", "rudderstack-v2", "--facts", Places.facts]
    static let preferences = "AppData/Library/Preferences/"
    static let suite = preferences + "com.acme.notes.analytics.wk-1a2b3c.plist"

    @Test("What is there is not replaced without --replace, and then as a whole")
    func existing() throws {
        let scratch = try Scratch(), export = ["export", Self.legacy, "--to", scratch("out")]
        let first = try Program.run(export, in: scratch)
        #expect(first.code == 0 && first.text.contains("its report is \(scratch("out"))-report.md"), "\(first.text)")
        try scratch.write("out/mine.txt", Data("mine".utf8))
        let before = try Tree(scratch("out"))
        let refused = try Program.run(export, in: scratch)
        #expect(refused.code == 64)
        #expect(
            refused.errors.contains("is there already") && refused.errors.contains("--replace"),
            "\(refused.errors)")
        #expect(try Tree(scratch("out")).differences(from: before) == [])
        let kept = try Program.run(export + ["--replace"], in: scratch)
        #expect(kept.code == 64 && kept.errors.contains("mine.txt"), "\(kept.errors)")
        #expect(try Tree(scratch("out")).differences(from: before) == [])
        try FileManager.default.removeItem(atPath: scratch("out/mine.txt"))
        #expect(try Program.run(export + ["--replace"], in: scratch).code == 0)
        #expect(try Tree(scratch("out")).differences(from: Tree(Self.legacy)) == [])
        try scratch.write("file", Data())
        #expect(
            try Program.run(["export", Self.legacy, "--to", scratch("file"), "--replace"], in: scratch).code == 64)
    }

    @Test(
        "Ended by a signal in the middle, an export leaves nothing behind, also one of the inspector",
        arguments: [SIGINT, SIGTERM, SIGHUP], ["export", "run"])
    func interrupted(number: Int32, command: String) throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let large = "AppData/Documents/large"
        try scratch.write("notes-legacy.xcappdata/" + large, Data())
        try #require(truncate(dump + "/" + large, 1 << 30) == 0)
        func built() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: scratch.path)) ?? []
            return names.filter { $0.contains("out") }
        }
        try scratch.write("script", Data(":export \(scratch("out"))\n".utf8))
        let arguments = command == "run" ? [scratch("script"), dump] : [dump, "--to", scratch("out")]
        let run = try Program.run(
            [command] + arguments, in: scratch, environment: ["TMPDIR": scratch.path]
        ) { process in
            while process.isRunning, !built().contains(where: { access(scratch($0 + "/" + large), F_OK) == 0 }) {
                sched_yield()
            }
            kill(process.processIdentifier, number)
        }
        #expect(run.code == -number, "\(run.errors)")
        #expect(built() == [])
    }

    @Test(
        "Ended by a signal, whichever, a script leaves nothing of its own ledger",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM])
    func interruptedScript(number: Int32) throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        func ledgers() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: scratch.path)) ?? []
            return names.filter { $0.hasPrefix("vestige-script-") }
        }
        let lines = String(repeating: ":apply next\n:rollback all\n", count: 2_000)
        try scratch.write("script", Data(lines.utf8))
        let run = try Program.run(
            ["run", scratch("script"), dump, "--facts", Places.facts], in: scratch,
            environment: ["TMPDIR": scratch.path]
        ) { process in
            while process.isRunning, ledgers().isEmpty { sched_yield() }
            kill(process.processIdentifier, number)
        }
        // Of SIGQUIT Swift's backtracer may tell where the program was, and end it in its own way.
        #expect(number == SIGQUIT ? run.code != 0 : run.code == -number && run.errors.isEmpty, "\(run.errors)")
        #expect(ledgers() == [])
    }

    @Test("Nothing is written into the dump, over it, over the ledger, or where there is no folder")
    func places() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata"), before = try Tree(dump)
        let ledger = scratch("kept/ledger")
        _ = try Program.run(["apply", dump, "--all", "--workspace", ledger] + Self.migration, in: scratch)
        for target in [dump, dump + "/out", scratch.path, scratch("kept"), scratch("nowhere/out")] {
            let run = try Program.run(
                ["export", dump, "--to", target, "--replace", "--workspace", ledger], in: scratch)
            #expect(run.code == 64, "\(target) \(run.errors)")
            #expect(run.output.isEmpty)
        }
        #expect(try Tree(dump).differences(from: before) == [])
        #expect(FileManager.default.fileExists(atPath: ledger))
    }

    @Test("The export says what it copied, wrote anew and added")
    func summary() throws {
        let scratch = try Scratch()
        _ = try Program.run(
            ["apply", Self.legacy, "--all", "-m", "rudderstack-v2:sdk-1.2", "--facts", Places.facts], in: scratch)
        let run = try Program.run(["export", Self.legacy, "--to", scratch("out"), "--json"], in: scratch)
        let answer = try Answer(run.output)
        #expect(answer.content["target"] as? String == scratch("out"))
        #expect(answer.content["rewritten"] as? [String] == [Self.preferences + "com.acme.notes.plist"])
        #expect(answer.content["added"] as? [String] == [Self.suite])
        #expect(answer.content["removed"] as? [String] == [])
        // All but those two are the same files.
        let changed = try Tree(scratch("out")).differences(from: Tree(Self.legacy))
        #expect(
            changed.filter { $0.hasSuffix(".plist") }.sorted()
                == [Self.suite, Self.preferences + "com.acme.notes.plist"].sorted())
        #expect(
            Set(changed).subtracting([
                Self.suite, Self.preferences + "com.acme.notes.plist", String(Self.preferences.dropLast()),
            ]) == [])
    }

    /// What Python's plistlib reads: each key with its type and value, in order.
    private func python(_ file: String, in scratch: Scratch) throws -> [String]? {
        guard let python = Places.tool("python3") else { return nil }
        let program = """
            import plistlib, sys
            with open(sys.argv[1], "rb") as file: members = plistlib.load(file)
            for key, value in members.items(): print(key, type(value).__name__, ascii(value))
            """
        let run = try Program.execute(python, ["-c", program, file], in: scratch)
        #expect(run.code == 0, "\(run.errors)")
        return run.text.split(separator: "\n").map(String.init)
    }

    /// The same through libplist's plistutil, which makes XML of it.
    private func plistutil(_ file: String, in scratch: Scratch) throws -> [String]? {
        guard let plistutil = Places.tool("plistutil") else { return nil }
        let xml = scratch(UUID().uuidString)
        let run = try Program.execute(plistutil, ["-i", file, "-f", "xml", "-o", xml], in: scratch)
        #expect(run.code == 0, "\(run.errors)")
        return try python(xml, in: scratch)
    }

    @Test(
        "Others read the added and the rewritten property list with the right types",
        .enabled(if: Places.tool("python3") != nil, "there is no python3 for a second opinion"))
    func secondOpinion() throws {
        let scratch = try Scratch()
        _ = try Program.run(
            ["apply", Self.legacy, "--all", "-m", "rudderstack-v2:sdk-1.2", "--facts", Places.facts], in: scratch)
        #expect(try Program.run(["export", Self.legacy, "--to", scratch("out")], in: scratch).code == 0)

        let added = try #require(try python(scratch("out/" + Self.suite), in: scratch))
        #expect(
            added == [
                "anonymous_id str '9b574574-74a7-4edf-969d-164cb151b6c3'", "user_id str 'u-42'",
                #"traits str '{"email":"a@b.c","age":30,"vip":true}'"#, "session_id str '1724990100'",
                "is_manual_session bool False", "last_activity_time str '1724995000000'",
                "rudder.app_version str '2.3.1'", "rudder.app_build int 417",
            ])
        if let others = try plistutil(scratch("out/" + Self.suite), in: scratch) {
            #expect(others.sorted() == added.sorted())
        }

        let old = try #require(try python(Self.legacy + "/" + Self.preferences + "com.acme.notes.plist", in: scratch))
        let rewritten = try #require(
            try python(scratch("out/" + Self.preferences + "com.acme.notes.plist"), in: scratch))
        let removed = old.filter { !rewritten.contains($0) }
        #expect(rewritten == old.filter { !removed.contains($0) }, "what stays is the same, in the same order")
        #expect(removed.allSatisfy { $0.hasPrefix("rs_") || $0.hasPrefix("rl_") } && removed.count >= 6, "\(removed)")
        if let others = try plistutil(scratch("out/" + Self.preferences + "com.acme.notes.plist"), in: scratch) {
            #expect(others.sorted() == rewritten.sorted())
        }
    }
}
