import Foundation
import TestSupport
import Testing

@Suite("What is asked for is what is answered")
struct AnswersTests: LegacyNotes {
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
}
