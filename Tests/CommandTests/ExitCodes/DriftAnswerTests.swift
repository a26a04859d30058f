import Foundation
import Testing

@Suite("A dump that has changed since steps were applied")
struct DriftAnswerTests: PackageFixtures {
    @Test("A dump that has changed is drift, 4, until the person accepts it; the steps can be taken back all the same")
    func drift() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump] + ["--facts", Places.facts] + Self.migration
        for step in ["user-id", "app-version"] {
            #expect(try Program.run(apply + ["--step", step], in: scratch).code == 0)
        }
        try scratch.set(in: dump)
        for arguments in [["status", dump], ["verify", dump], ["plan", dump], ["plan", dump] + Self.migration] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 4, "\(arguments)")
            #expect(run.text.contains("com.acme.notes.plist"))
        }
        // What only looks at the dump names it too.
        for arguments in [["inspect", dump], ["log", dump], ["show", dump, "defaults://com.acme.notes"]] {
            #expect(
                try Program.run(arguments, in: scratch).text.contains("com.acme.notes.plist has changed"),
                "\(arguments)")
        }
        let inspected = try Answer(Program.run(["inspect", dump, "--json"], in: scratch).output)
        #expect(inspected.objects("drift").map { $0["kind"] as? String } == ["changed"])
        for arguments in [apply + ["--all"], ["export", dump, "--to", scratch("out")]] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 4, "\(arguments)")
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("com.acme.notes.plist") && run.errors.contains("--accept-drift"))
        }
        #expect(try Program.run(["export", dump, "--to", scratch("out"), "--accept-drift"], in: scratch).code == 0)
        let last = try Program.run(["rollback", dump, "--last"], in: scratch)
        #expect(last.code == 0 && last.text.contains("com.acme.notes.plist has changed"), "\(last.text)")
        let all = try Program.run(["rollback", dump, "--all", "--json"], in: scratch)
        #expect(all.code == 0)
        #expect(try Answer(all.output).objects("drift").map { $0["kind"] as? String } == ["changed"])
        #expect(try Program.run(["status", dump], in: scratch).code != 4)
        #expect(try Program.run(apply + ["--all"], in: scratch).code == 0)
    }

    @Test("Steps that would do something else now fail verification, 5")
    func verification() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump, "--step", "app-version", "--facts", Places.facts] + Self.migration
        #expect(try Program.run(apply, in: scratch).code == 0)
        try scratch.set("rs_application_version_key", in: dump)
        let run = try Program.run(["verify", dump, "--json"], in: scratch)
        #expect(run.code == 5)
        #expect(try Answer(run.output).content["passed"] as? Bool == false)
        #expect(
            try Answer(run.output).objects("findings").map { $0["kind"] as? String } == ["drift", "different-changes"])
        #expect(run.errors.isEmpty)
        let text = try Program.run(["verify", dump], in: scratch).text
        #expect(
            text.contains("makes other changes now: rudderstack-v2") && !text.contains("different-changes"), "\(text)")
    }

    @Test("That a dump has changed is told as that of a spec too, and not as other rules; edited, it is told as both")
    func driftOfSpec() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        func write(_ operation: String) throws {
            let spec = """
                vestige: migration/1
                id: one
                stores: {app: defaults://com.acme.notes}
                steps:
                  - {id: size, from: app/editor.fontSize, \(operation)to: app/size}
                """
            try scratch.write("one.yaml", Data(spec.utf8))
        }
        let spec = ["--spec", scratch("one.yaml"), "-m", "one"]
        try write("")
        #expect(try Program.run(["apply", dump, "--all"] + spec, in: scratch).code == 0)
        try scratch.set("editor.fontSize", to: 15.5, in: dump)
        let plan = try Program.run(["plan", dump] + spec, in: scratch)
        #expect(plan.text.contains("com.acme.notes.plist has changed"), "\(plan.text)\(plan.errors)")
        #expect(!plan.text.contains("other rules"), "\(plan.text)")
        let accepted = try Program.run(["apply", dump, "--all", "--accept-drift"] + spec, in: scratch)
        #expect(!accepted.errors.contains("other rules"), "\(accepted.errors)")
        try write("type: number, do: [{round: down}], ")
        let edited = try Program.run(["plan", dump] + spec, in: scratch)
        #expect(edited.text.contains("by other rules than the migration has now: size"), "\(edited.text)")
    }

    @Test("A domain that comes to fit the pattern of an applied step is drift")
    func driftOfDomains() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let spec = """
            vestige: migration/1
            id: one
            steps:
              - {id: all, from: "defaults://com.acme.*/editor.fontSize", to: "defaults://com.acme.*/size"}
            """
        try scratch.write("one.yaml", Data(spec.utf8))
        let options = ["--spec", scratch("one.yaml"), "-m", "one"]
        #expect(try Program.run(["apply", dump, "--all"] + options, in: scratch).code == 0)
        // What other migrations have to do is pending.
        #expect(try Program.run(["status", dump] + options.prefix(2), in: scratch).code == 2)
        let preferences = dump + "/AppData/Library/Preferences/"
        try FileManager.default.copyItem(
            atPath: preferences + "com.acme.notes.plist", toPath: preferences + "com.acme.second.plist")
        let run = try Program.run(["status", dump] + options.prefix(2), in: scratch)
        #expect(run.code == 4 && run.text.contains("com.acme.second.plist was not there before"), "\(run.text)")
        #expect(!run.text.contains("other rules") && !run.text.contains("editor.plist"), "\(run.text)")
    }

    @Test("A file whose name has the sign of a pattern in it is a file")
    func driftOfSign() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let name = "Documents/a\(String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)).note",
            file = "\(dump)/AppData/\(name)"
        let spec = """
            vestige: migration/1
            id: one
            steps: [{id: all, type: data, from: "file://Documents/*.note", to: "file://Documents/*.text"}]
            """
        try scratch.write("one.yaml", Data(spec.utf8))
        try FileManager.default.createDirectory(
            atPath: dump + "/AppData/Documents", withIntermediateDirectories: true)
        try Data("old".utf8).write(to: URL(fileURLWithPath: file))
        let options = ["--spec", scratch("one.yaml"), "-m", "one"]
        #expect(try Program.run(["apply", dump, "--all"] + options, in: scratch).code == 0)
        try Data("new".utf8).write(to: URL(fileURLWithPath: file))
        let run = try Program.run(["status", dump] + options.prefix(2), in: scratch)
        #expect(run.code == 4 && run.text.contains("has changed"), "\(run.text)\(run.errors)")
    }

    @Test("A folder that a pattern has left is drift where it becomes a file, and not where something else comes")
    func driftOfFolders() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let documents = dump + "/AppData/Documents/", left = documents + "left"
        let spec = """
            vestige: migration/1
            id: one
            steps: [{id: all, type: text, from: "file://Documents/*", to: "defaults://com.acme.other/a.*"}]
            """
        try scratch.write("one.yaml", Data(spec.utf8))
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        try Data("1".utf8).write(to: URL(fileURLWithPath: documents + "one"))
        let options = ["--spec", scratch("one.yaml")]
        func status(_ code: Int32) throws -> String {
            let run = try Program.run(["status", dump] + options, in: scratch)
            #expect((run.code == 4) == (code == 4), "\(run.code) \(run.text)\(run.errors)")
            return run.text
        }
        #expect(try Program.run(["apply", dump, "-m", "one", "--all"] + options, in: scratch).code == 0)
        _ = try status(2)
        try Data("2".utf8).write(to: URL(fileURLWithPath: documents + "two"))
        let come = try status(4)
        #expect(come.contains("two was not there before") && !come.contains("left was not"), "\(come)")
        try FileManager.default.removeItem(atPath: documents + "two")
        try FileManager.default.removeItem(atPath: left)
        #expect(try status(4).contains("Documents/* has changed"))
        try Data("3".utf8).write(to: URL(fileURLWithPath: left))
        #expect(try status(4).contains("left was not there before"))
    }

    @Test("A file that comes to fit the pattern of an applied step is drift, and not other rules")
    func driftOfPattern() throws {
        let scratch = try Scratch(), dump = try scratch.copy("sdk-mixpanel.xcappdata")
        #expect(try Program.run(["apply", dump, "-m", "mixpanel", "--all"], in: scratch).code == 0)
        #expect(try Program.run(["status", dump], in: scratch).code == 0)
        let library = "AppData/Library/",
            files = try FileManager.default.contentsOfDirectory(atPath: dump + "/" + library)
        let old = try #require(files.first { $0.hasPrefix("mixpanel-") && $0.hasSuffix("-properties") })
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(dump)/\(library)\(old)"))
        try data.write(to: URL(fileURLWithPath: "\(dump)/\(library)mixpanel-second-properties"))
        for command in ["status", "plan"] {
            let run = try Program.run([command, dump], in: scratch)
            #expect(run.text.contains("mixpanel-second-properties was not there before"), "\(run.text)\(run.errors)")
            #expect(run.code == 4 && !run.text.contains("other rules"), "\(run.text)")
        }
        let log = try Program.run(["log", dump, "--json"], in: scratch).text
        #expect(log.contains("/mixpanel-*-properties\""), "the names that were looked through are recorded")
        // What was accepted has to be done anew: rolled back and applied, both projects have moved.
        #expect(try Program.run(["rollback", dump, "--all"], in: scratch).code == 0)
        let again = try Program.run(["apply", dump, "-m", "mixpanel", "--all", "--accept-drift"], in: scratch)
        #expect(again.code == 0 && again.text.contains("mixpanel-second-"), "\(again.errors)\(again.text)")
        #expect(try Program.run(["status", dump], in: scratch).code == 0)
    }
}
