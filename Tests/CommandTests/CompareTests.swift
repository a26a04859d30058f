import Foundation
import Testing

/// Two dumps of one app, before and after.
@Suite("compare")
struct CompareTests {
    private static let old = Places.fixture("notes-legacy.xcappdata"), facts = ["--facts", Places.facts]

    /// The old dump with all steps of a profile applied, as a dump of its own.
    private static func updated(_ profile: String, in scratch: Scratch) throws -> String {
        let migration = ["-m", "rudderstack-v2:" + profile]
        #expect(try Program.run(["apply", old, "--all"] + facts + migration, in: scratch).code == 0)
        #expect(try Program.run(["export", old, "--to", scratch("new")], in: scratch).code == 0)
        return scratch("new")
    }

    @Test("An update that did what the migration plans is as planned, every entry of it, and nothing else differs")
    func asPlanned() throws {
        let scratch = try Scratch(), new = try Self.updated("documented", in: scratch)
        let run = try Program.run(
            ["compare", Self.old, new, "-m", "rudderstack-v2", "--json"] + Self.facts, in: scratch)
        #expect(run.code == 0, "\(run.errors)")
        let answer = try Answer(run.output)
        #expect(answer.format == "vestige.compare/1")
        #expect(answer.objects("entries").count == 8)
        #expect(answer.objects("entries").allSatisfy { $0["verdict"] as? String == "as-planned" })
        #expect((answer.content["same"] as? [String])?.count == 38)
    }

    @Test("What came otherwise is told with what was, what should be and what is, and ends with 5")
    func differs() throws {
        let scratch = try Scratch(), new = try Self.updated("sdk-1.2", in: scratch)
        let arguments = ["compare", Self.old, new, "-m", "rudderstack-v2"] + Self.facts
        let run = try Program.run(arguments, in: scratch)
        #expect(run.code == 5)
        try Expected.expect(run.text, is: "compare-differs.txt")
        let page = try Program.run(arguments + ["--markdown"], in: scratch)
        #expect(page.code == 5 && page.text.contains("*planned*"))
        // Without a migration nothing is wrong with it.
        let plain = try Program.run(["compare", Self.old, new], in: scratch)
        #expect(plain.code == 0)
        #expect(plain.text.contains("added"))
    }

    @Test("A spec file is compared with as any migration is, and is taken where none is named")
    func spec() throws {
        let scratch = try Scratch()
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                steps:
                - {id: zoom, from: "defaults://com.acme.notes.editor/zoom", type: number, to: "defaults://com.acme.notes/zoom"}
                """.utf8))
        let run = try Program.run(
            ["compare", Self.old, Places.fixture("notes-migrated.xcappdata"), "--spec", scratch("s.yaml")], in: scratch)
        #expect(run.code == 5)
        #expect(run.text.contains("missing      defaults://com.acme.notes/zoom"), "\(run.text)")
    }

    @Test("Secrets are masked on both sides, and told apart where they differ; --reveal shows them")
    func secrets() throws {
        let scratch = try Scratch()
        let pair = [Places.fixture("klivvr-v1.xcappdata"), Places.fixture("klivvr-v3.xcappdata")]
        let run = try Program.run(["compare"] + pair, in: scratch)
        #expect(
            run.text.contains("masked string, 7 characters› → ‹another masked string, 7 characters›"), "\(run.text)")
        let revealed = try Program.run(["compare"] + pair + ["--reveal"], in: scratch)
        #expect(!revealed.text.contains("masked"))
        let address = try #require(revealed.text.split(separator: " ").first { $0.contains("@") })
        #expect(!run.text.contains(address))
    }

    @Test("A secret that the app itself put under another name within a value is masked there, without a migration")
    func renamedSecret() throws {
        let scratch = try Scratch(), names = ["password", "open"]
        let pair = try names.map { name in
            let dump = try scratch.copy("notes-legacy.xcappdata", to: "\(name).xcappdata")
            try scratch.set("account", to: [name: "hunter2horse", "theme": "seagreen"], in: dump)
            return dump
        }
        for form in [[], ["--json"]] {
            let run = try Program.run(["compare"] + pair + form, in: scratch)
            #expect(run.text.contains("account") && !run.text.contains("hunter2horse"), "\(run.text) \(run.errors)")
        }
    }

    @Test("What a migration calls secret of an entry that only the new dump has is masked, also in the inspector")
    func secretOfNew() throws {
        let scratch = try Scratch(), new = try scratch.copy("notes-legacy.xcappdata", to: "new.xcappdata")
        try scratch.set("nickname", to: "OpenSesame99", in: new)
        let spec = """
            vestige: migration/1
            id: nick
            title: Nicknames
            apps: [com.acme.notes]
            stores: {app: defaults://com.acme.notes}
            steps: [{id: a, from: app/nickname, type: string, to: app/alias, secret: true}]
            """
        try scratch.write("nick.yaml", Data(spec.utf8))
        try scratch.write("look.script", Data("expect \"nickname\"\nscreen all\n".utf8))
        let more = ["--spec", scratch("nick.yaml"), "-m", "rudderstack-v2"] + Self.facts
        let run = ["run", scratch("look.script"), Self.old, "--compare", new, "--size", "160x60"]
        for arguments in [["compare", Self.old, new], run] {
            let run = try Program.run(arguments + more, in: scratch)
            #expect(run.text.contains("nickname") && !run.text.contains("OpenSesame"), "\(run.text) \(run.errors)")
        }
    }

    @Test("The inspector begins with the two side by side where --compare names one, and counts as compare does")
    func inspector() throws {
        let scratch = try Scratch(), new = try Self.updated("sdk-1.2", in: scratch)
        try scratch.write("look.script", Data("expect \"Planned\"\nkey j\nscreen beside\n".utf8))
        let arguments = ["run", scratch("look.script"), Self.old, "--size", "120x40", "-m", "rudderstack-v2:sdk-1.2"]
        let run = try Program.run(arguments + ["--compare", new] + Self.facts, in: scratch)
        let text = try Program.run(
            ["compare", Self.old, new, "-m", "rudderstack-v2:sdk-1.2"] + Self.facts, in: scratch)
        let counts = try #require(text.text.components(separatedBy: "of the plan: ").last?.split(separator: "\n").first)
        #expect(counts.contains("as planned") && !counts.contains("missing"), "\(counts)")
        #expect(run.code == 0 && run.text.contains("new  \(counts)"), "\(run.text) \(run.errors)")
        let keychain = try Program.run(arguments + ["--new-keychain", "k"], in: scratch)
        #expect(keychain.code == 64 && keychain.errors.contains("--new-keychain stands with --compare"))
        let wrong = try Program.run(arguments + ["--compare", scratch("none")], in: scratch)
        #expect(wrong.code == 64 && wrong.errors.contains("none"), "\(wrong.errors)")
    }

    @Test("Dumps of two apps, and one that is none, are refused; a damaged store is not compared, and ends with 6")
    func refused() throws {
        let scratch = try Scratch()
        // What was planned and is on neither side is not the same on both.
        let itself = ["compare", Self.old, Self.old, "--json"]
        let alike = try [itself, itself + ["-m", "rudderstack-v2", "--facts", Places.facts]].map { arguments in
            let answer = try Answer(Program.run(arguments, in: scratch).output)
            return try #require(answer.content["summary"] as? [String: Any])["same"] as? Int
        }
        #expect(alike[0] == alike[1] && alike[0] != nil, "\(alike)")
        let apps = try Program.run(["compare", Self.old, Places.fixture("person-v0.xcappdata")], in: scratch)
        #expect(apps.code == 64 && apps.errors.contains("two apps"))
        // A list that came under another name may be of any app.
        try FileManager.default.copyItem(
            atPath: Self.old + "/AppData/Library/Preferences/com.acme.notes.plist", toPath: scratch("prefs.plist"))
        let unnamed = ["compare", Self.old, scratch("prefs.plist")]
        let unknown = try Program.run(unnamed, in: scratch), fact = ["--fact", "bundleIdentifier=com.acme.notes"]
        #expect(unknown.code == 64 && unknown.errors.contains(fact.joined(separator: " ")), "\(unknown.errors)")
        let named = try Program.run(unnamed + fact, in: scratch)
        #expect(named.code == 0 && !named.text.contains("added"), "\(named.text) \(named.errors)")
        // What should have come lies in a list that did not come along: nobody can say that it is missing.
        let planned = try Program.run(
            unnamed + fact + ["-m", "rudderstack-v2", "--facts", Places.facts], in: scratch)
        #expect(!planned.text.contains("missing") && planned.text.contains("unknown"), "\(planned.text)")
        #expect(try Program.run(["compare", Self.old, scratch("none")], in: scratch).code == 64)
        let copy = scratch("broken.xcappdata")
        try FileManager.default.copyItem(atPath: Self.old, toPath: copy)
        let list = copy + "/AppData/Library/Preferences/com.acme.notes.plist"
        try Data("bplist00 damaged".utf8).write(to: URL(fileURLWithPath: list))
        let damaged = try Program.run(["compare", Self.old, copy, "--json"], in: scratch)
        #expect(damaged.code == 6, "\(damaged.errors)")
        let answer = try Answer(damaged.output)
        #expect(answer.objects("stores").map { $0["address"] as? String } == ["defaults://com.acme.notes"])
        #expect(answer.objects("entries").allSatisfy { $0["mark"] as? String != "removed" })
    }
}
