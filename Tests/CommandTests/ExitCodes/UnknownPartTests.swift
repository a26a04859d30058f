import Foundation
import Testing

@Suite("What cannot be read, or is not there to be read, is told as unknown")
struct UnknownPartTests: PackageFixtures {
    @Test("What cannot be read has not changed, and was not removed: status and verify say so, 6")
    func unreadable() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump, "--step", "app-version", "--facts", Places.facts] + Self.migration
        #expect(try Program.run(apply, in: scratch).code == 0)
        let plist = dump + "/AppData/Library/Preferences/com.acme.notes.plist"
        try FileManager.default.removeItem(atPath: plist)
        try FileManager.default.createSymbolicLink(atPath: plist, withDestinationPath: "/nowhere")
        let status = try Program.run(["status", dump], in: scratch)
        #expect(status.code == 6 && status.text.contains("cannot be compared, because it cannot be read"))
        #expect(!status.text.contains("No built-in migration finds anything here"), "\(status.text)")
        let run = try Program.run(["verify", dump, "--json"], in: scratch)
        #expect(run.code == 6, "\(run.text)")
        #expect(
            try Set(Answer(run.output).objects("findings").compactMap { $0["kind"] as? String }) == ["unreadable"],
            "\(run.text)")
    }

    @Test("A store that cannot be read makes its migrations unknown: they are named, and nothing else is offered, 6")
    func damagedStore() throws {
        let scratch = try Scratch()
        let domain = "Library/Preferences/com.acme.notes.plist"
        let whole = try Data(
            contentsOf: URL(fileURLWithPath: Places.fixture("notes-legacy.xcappdata/AppData/" + domain)))
        try scratch.write("cut/" + domain, whole.prefix(900))
        for command in ["plan", "status"] {
            let run = try Program.run(
                [command, scratch("cut"), "--fact", "bundleIdentifier=com.acme.notes"], in: scratch)
            #expect(run.code == 6, "\(run.errors)\(run.text)")
            #expect(run.text.contains("Unknown of rudderstack-v2") && run.text.contains(domain), "\(run.text)")
            #expect(!run.text.contains("localdata-sealed:default"), "\(run.text)")
            #expect(!run.text.contains("No built-in migration finds anything"), "\(run.text)")
        }
    }

    @Test("A store that a backup lists without its content is unreadable, 6, and not absent")
    func withoutContent() throws {
        let scratch = try Scratch(), backup = scratch("backup")
        try FileManager.default.copyItem(atPath: Places.fixture("backup"), toPath: backup)
        // The SHA-1 digest of the domain, a dash and the path of com.acme.notes.plist.
        try FileManager.default.removeItem(atPath: backup + "/d9/d961a1af25a284adb5ba6c72026997c46a6eea00")
        let dump = [backup, "--app", "com.acme.notes"]
        for command in ["plan", "status", "report"] {
            let run = try Program.run([command] + dump, in: scratch)
            #expect(run.code == 6, "\(command): \(run.errors)\(run.text)")
            #expect(run.text.contains("com.acme.notes.plist, and its content"), "\(command): \(run.text)")
        }
        let shown = try Program.run(["show"] + dump + ["defaults://com.acme.notes/rs_user_id"], in: scratch)
        #expect(shown.code == 6, "\(shown.errors)\(shown.text)")
    }

    @Test(
        "What did not come with a lone file is unknown to show, compare and plan, and steps can be previewed all the same"
    )
    func besideLoneFile() throws {
        let scratch = try Scratch(), whole = "Fixtures/notes-half-migrated.xcappdata"
        let file = whole + "/AppData/Library/Preferences/com.acme.notes.plist"
        let shown = try Program.run(["show", file, "defaults://com.acme.notes.editor/zoom"], in: scratch)
        #expect(shown.code == 6 && shown.text.contains("comes without the app's other UserDefaults"), "\(shown.text)")
        let plan = try Program.run(["plan", file] + Self.facts + Self.migration, in: scratch)
        #expect(
            plan.code == 2 && plan.text.contains("taken to be absent, and may be there on the device"), "\(plan.text)")
        let compared = try Program.run(["compare", whole, file], in: scratch)
        #expect(!compared.text.contains("removed"), "\(compared.text)")
    }

    @Test(
        "What would be in Documents, where that is missing, is taken to be absent, and a plan that only writes or asks there says so",
        arguments: [
            "from: app/rs_user_id, do: [{encode: json}], to: docs/u.json",
            "from: app/rs_user_id, if: [docs/flag.json is absent], to: app/u",
            "from: app/rs_user_id, if: [docs/flag.json exists], to: app/u",
            "from: docs/*.json, type: string, to: app/s.*", "remove: [docs/*.tmp]",
            "from: \"db/*#/value\", type: string, to: \"app/x.*\"",
        ])
    func missingDocuments(row: String) throws {
        let scratch = try Scratch(), dump = scratch("dump.xcappdata")
        try FileManager.default.copyItem(atPath: Places.fixture("notes-legacy.xcappdata"), toPath: dump)
        try FileManager.default.removeItem(atPath: dump + "/AppData/Documents")
        try scratch.write(
            "spec.yaml",
            Data(
                ("vestige: migration/1\nid: d\nstores: {app: defaults://com.acme.notes, docs: file://Documents, "
                    + "db: sqlite://Documents/n.sqlite/store}\nsteps:\n- {id: r, \(row)}\n").utf8))
        let plan = try Program.run(["plan", dump, "--spec", scratch("spec.yaml"), "-m", "d"], in: scratch)
        #expect(
            plan.text.contains("lacks AppData/Documents: what steps look for there is taken to be absent"),
            "\(plan.text)")
    }

    @Test("A lone file that steps were applied to as an app's is not taken for another's: it is asked for, 64")
    func loneFile() throws {
        let scratch = try Scratch(), file = scratch("support mail.plist")
        try FileManager.default.copyItem(
            atPath: Places.fixture("notes-legacy.xcappdata/AppData/Library/Preferences/com.acme.notes.plist"),
            toPath: file)
        let named = ["--fact", "bundleIdentifier=com.acme.notes"]
        let seen = try Program.run(["plan", file], in: scratch)
        #expect(seen.code == 2 && seen.text.contains("--fact bundleIdentifier="), "\(seen.text)")
        #expect(!seen.text.contains("No built-in migration finds anything"), "\(seen.text)")
        let apply = ["apply", file, "--step", "user-id"] + Self.migration + Self.facts + named
        #expect(try Program.run(apply, in: scratch).code == 0)
        for command in [
            ["plan", file], ["status", file], ["verify", file], ["export", file, "--to", scratch("out")],
        ] {
            let run = try Program.run(command, in: scratch)
            #expect(run.code == 64 && run.errors.contains("as that of com.acme.notes"), "\(command): \(run.errors)")
            #expect(run.errors.contains("--fact bundleIdentifier="), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch("out")))
        #expect(try Program.run(["verify", file] + named, in: scratch).code == 0)
        #expect(try Program.run(["export", file, "--to", scratch("out")] + named, in: scratch).code == 0)
    }

    @Test("Without its keychain a dump does not count as one in which nothing is found")
    func noKeychain() throws {
        let scratch = try Scratch()
        let source = URL(fileURLWithPath: Places.fixture("klivvr-v1.xcappdata"))
        try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: scratch("k.xcappdata")))
        try FileManager.default.removeItem(atPath: scratch("k.xcappdata/keychain.json"))
        let run = try Program.run(["plan", scratch("k.xcappdata")], in: scratch)
        #expect(run.text.contains("klivvr-user-profile") && run.text.contains("--keychain"), "\(run.text)")
    }

    @Test("A keychain that only the device opens is told as one that does not tell, and not as one that is not there")
    func lockedKeychain() throws {
        for command in ["plan", "status"] {
            let run = try Program.run(
                [command, Places.fixture("backup"), "--app", "com.acme.timer"], in: Scratch())
            #expect(run.code == 0, "\(run.errors)\(run.text)")
            #expect(run.text.contains("Not known from this keychain: convert") && run.text.contains("--keychain"))
            #expect(run.text.contains("ask for an encrypted backup"), "\(run.text)")
        }
    }
}
