import Foundation
import TestSupport
import Testing

@Suite("Specs are tried on dumps and by their expectations")
struct SpecTrialTests: SpecCommands {
    @Test("Where every step waits for a fact, specs test says that, and not that the dump is another app's")
    func onlyFacts() throws {
        let scratch = try Scratch()
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                facts: {suite: {type: name}}
                steps: [{id: a, from: "defaults://{suite}/a", to: "defaults://com.acme.notes/b"}]
                """.utf8))
        let run = try Program.run(["specs", "test", scratch("s.yaml"), Self.dump], in: scratch)
        #expect(run.code == 5 && run.text.contains("give it with --fact suite=VALUE"), "\(run.text)\(run.errors)")
    }

    @Test("What a job of continuous integration runs says of a good spec and of a bad one what the server needs")
    func integration() throws {
        let scratch = try Scratch(), program = try #require(Program.path), folder = Places.package + "/Tests/Scripts/"
        let dumps = ["legacy", "migrated", "half-migrated", "traits-json", "empty"].map {
            Places.fixture("notes-\($0).xcappdata")
        }
        func job(_ spec: String) throws -> (run: Program.Run, tap: String, junit: String) {
            let run = try Program.execute(
                "/bin/sh", [folder + "ci.sh", program, spec, scratch("")] + dumps, in: scratch)
            return try (
                run, String(contentsOfFile: scratch("result.tap"), encoding: .utf8),
                String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
            )
        }
        let good = try job(folder + "notes-3.yaml")
        #expect(good.run.code == 0, "\(good.run.text)\(good.run.errors)")
        try Expected.expect(good.tap, is: "ci-notes.tap")
        #expect(good.junit.contains(#"tests="41" failures="0""#), "\(good.junit)")

        let text = try String(contentsOfFile: folder + "notes-3.yaml", encoding: .utf8)
        try scratch.write("bad.yaml", Data(text.replacingOccurrences(of: "white: 0, sepia: 1, ", with: "").utf8))
        let bad = try job(scratch("bad.yaml"))
        #expect(bad.run.code == 5, "\(bad.run.text)\(bad.run.errors)")
        #expect(
            bad.tap.contains("not ok 2 - notes-3: notes-legacy.xcappdata, default: no step fails or is in conflict"))
        #expect(bad.junit.contains("<failure") && !bad.junit.contains(#"failures="0""#), "\(bad.junit)")
    }

    @Test("specs test tries a spec on five dumps, for CI: TAP, JUnit, and 5 where something is not as it must be")
    func trial() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("spec.yaml", Data(spec.utf8))
        let dumps = ["legacy", "migrated", "half-migrated", "traits-json", "empty"].map {
            Places.fixture("notes-\($0).xcappdata")
        }
        let before = try Tree(Self.dump)
        let run = try Program.run(
            ["specs", "test", scratch("spec.yaml")] + dumps + ["--junit", scratch("junit.xml")], in: scratch)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        // Six checks, and two of exports, of each dump that has something for the spec.
        #expect(run.text.hasPrefix("TAP version 14\n1..\(5 * 8)\n"), "\(run.text)")
        #expect(
            run.text.contains("ok 1 - acme-notes-3: notes-legacy.xcappdata, default: no step fails or is in conflict"))
        let junit = try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
        #expect(junit.contains(#"tests="40" failures="0""#))
        #expect(try Tree(Self.dump).differences(from: before) == [], "the dump is as it was")

        // Nothing but its name tells the form of a dump without that file.
        try FileManager.default.copyItem(
            atPath: Places.fixture("notes-legacy.xcappdata"), toPath: scratch("own.xcappdata"))
        try FileManager.default.removeItem(atPath: scratch("own.xcappdata/AppDataInfo.plist"))
        let bare = try Program.run(["specs", "test", scratch("spec.yaml"), scratch("own.xcappdata")], in: scratch)
        #expect(bare.code == 0, "\(bare.text)\(bare.errors)")

        let wrong = spec.replacingOccurrences(of: "sepia: 1, ", with: "")
        try scratch.write(
            "wrong.yaml", Data((wrong + "expect: [{name: it is, given: {app/a: 1}, gives: {app/a: 2}}]\n").utf8))
        let failed = try Program.run(["specs", "test", scratch("wrong.yaml"), Self.dump, "--json"], in: scratch)
        #expect(failed.code == 5)
        let failures = try Answer(failed.output).objects("cases").compactMap { $0["failure"] as? String }
        #expect(failures.count == 2, "\(failures)")
        #expect(failures.contains { $0.contains("“2” is expected, and there is “1”") })
        #expect(failures.contains { $0.contains("not in the table") })
    }

    @Test(
        "A dump that cannot be read keeps specs test from no other: it is named, and ends with 6 where all else is well"
    )
    func unreadableDumps() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        // Two of the simulator's apps are meant by it.
        try #require(spec.contains("apps: [com.acme.notes]"))
        let both = spec.replacingOccurrences(of: "apps: [com.acme.notes]", with: "apps: [com.acme.*]")
        try scratch.write("spec.yaml", Data(both.utf8))
        try scratch.write("broken.zip", Data("PK\u{3}\u{4}".utf8))
        let dumps = [scratch("broken.zip"), scratch("none"), Places.fixture("simulator"), Self.dump]
        let run = try Program.run(
            ["specs", "test", scratch("spec.yaml")] + dumps + ["--junit", scratch("junit.xml")], in: scratch)
        #expect(run.code == 6, "\(run.text)\(run.errors)")
        #expect(run.text.hasPrefix("TAP version 14\n1..11\n"), "\(run.text)")
        for name in ["broken.zip", "none", "simulator"] {
            #expect(run.text.contains("- acme-notes-3: \(name): it can be tried\n"), "\(run.text)")
        }
        #expect(run.text.contains("\nok 4 - acme-notes-3: notes-legacy.xcappdata, default:"))
        #expect(try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8).contains(#"tests="11" failures="3""#))
    }

    @Test(
        "specs test that has found nothing to try does not pass: usage without anything, 5 where no dump has anything")
    func nothingTried() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("spec.yaml", Data(spec.utf8))
        let bare = try Program.run(["specs", "test", scratch("spec.yaml")], in: scratch)
        #expect(bare.code == 64 && bare.errors.contains("there is nothing to try"), "\(bare.errors)")
        let empty = Places.fixture("person-v0.xcappdata")
        let none = try Program.run(["specs", "test", scratch("spec.yaml"), empty], in: scratch)
        #expect(
            none.text.contains(
                "person-v0.xcappdata, default: something is there to try # SKIP every step is skipped or waits"))
        #expect(none.code == 5 && none.text.contains("not ok 2 - acme-notes-3: something was tried"), "\(none.text)")
        try scratch.write("hollow.yaml", Data((spec + "expect: [{name: it is}]\n").utf8))
        let hollow = try Program.run(["specs", "test", scratch("hollow.yaml")], in: scratch)
        #expect(hollow.code == 5 && hollow.text.contains("it expects nothing"), "\(hollow.text)")
    }

    @Test("An expectation may begin with a dump beside the file")
    func fixtures() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        _ = try scratch.copy("notes-legacy.xcappdata")
        let expected =
            "expect: [{name: legacy, fixture: NAME, gives: {app/theme: 1, app/sync_cursor: '9007199254740993'}}]\n"
        try scratch.write(
            "spec.yaml",
            Data((spec + expected.replacingOccurrences(of: "NAME", with: "notes-legacy.xcappdata")).utf8))
        let run = try Program.run(["specs", "test", scratch("spec.yaml")], in: scratch)
        #expect(
            run.code == 0 && run.text == "TAP version 14\n1..1\nok 1 - acme-notes-3: legacy\n",
            "\(run.text)\(run.errors)")
    }

    @Test("A fixture that cannot be used is one failed expectation, with its line and what to do; the others are tried")
    func missingFixture() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example(), line = spec.split(separator: "\n").count + 3
        let expected = """
            expect:
            - {name: before, given: {app/other: dark}, gives: {app/other: dark}}
            - {name: none, fixture: none.xcappdata, gives: {app/theme: 1}}
            - {name: text, fixture: notes.yaml, gives: {app/theme: 1}}
            - {name: after, given: {app/other: dark}, gives: {app/other: RESULT}}

            """
        for (result, code) in [("dark", Int32(6)), ("light", 5)] {
            let text = spec + expected.replacingOccurrences(of: "RESULT", with: result)
            try scratch.write("notes.yaml", Data(text.utf8))
            let arguments = ["specs", "test", scratch("notes.yaml"), "--junit", scratch("junit.xml")]
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == code, "\(run.text)\(run.errors)")
            let lines = run.text.split(separator: "\n").map(String.init)
            #expect(lines.dropFirst().first == "1..4" && lines.contains("ok 1 - acme-notes-3: before"), "\(run.text)")
            #expect(
                lines.contains {
                    $0.hasPrefix("  # \(scratch("notes.yaml")):\(line): its fixture cannot be used: ")
                        && $0.contains("none.xcappdata") && $0.contains("correct fixture:")
                }, "\(run.text)")
            #expect(lines.contains { $0.contains("notes.yaml:\(line + 1): its fixture cannot be used") }, "\(run.text)")
            #expect(lines.contains("not ok 2 - acme-notes-3: none"), "\(run.text)")
            #expect(lines.contains("\(result == "dark" ? "" : "not ")ok 4 - acme-notes-3: after"), "\(run.text)")
            let junit = try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
            #expect(junit.contains(#"tests="4" failures="\#(result == "dark" ? 2 : 3)""#), "\(junit)")
        }
    }

    @Test("A fixture that is a link out of the folder of the file is not opened; one beside it is")
    func linkedFixture() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        for (name, target) in [("out", Places.fixture("notes-legacy.xcappdata")), ("in", "notes.yaml")] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch("\(name).xcappdata"), withDestinationPath: target)
            let expected = "expect: [{name: a, fixture: \(name).xcappdata, gives: {app/theme: 1}}]\n"
            try scratch.write("notes.yaml", Data((spec + expected).utf8))
            let run = try Program.run(["specs", "test", scratch("notes.yaml")], in: scratch)
            #expect(run.text.contains("is a link that leads out") == (name == "out"), "\(run.text)\(run.errors)")
            #expect(run.text.contains("its fixture cannot be used"), "\(run.text)")
        }
    }

    @Test("What a spec did is looked at in an export, and an export of what was rolled back is the dump byte for byte")
    func exports() throws {
        let scratch = try Scratch()
        try scratch.write(
            "spec.yaml",
            Data(
                """
                vestige: migration/1
                id: files
                steps:
                - {id: theme, from: defaults://com.acme.notes/editor.theme, type: string, to: file://Documents/theme, source: remove}
                """.utf8))
        let run = try Program.run(["specs", "test", scratch("spec.yaml"), Self.dump], in: scratch)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        for part in ["exported, the copy holds what was applied", "rolled back, an export is the dump byte for byte"] {
            #expect(run.text.contains("notes-legacy.xcappdata, default: \(part)"), "\(run.text)")
        }
        let profiles = "profiles: {one: first, two: second, three: third}\n"
        let spec = try String(contentsOfFile: scratch("spec.yaml"), encoding: .utf8)
        try scratch.write("three.yaml", Data(spec.replacingOccurrences(of: "steps:", with: profiles + "steps:").utf8))
        let three = try Program.run(["specs", "test", scratch("three.yaml"), Self.dump], in: scratch)
        #expect(three.code == 0, "\(three.text)\(three.errors)")
        func count(_ text: String) -> Int { three.text.components(separatedBy: text).count - 1 }
        #expect(count("the copy holds what was applied") == 3, "\(three.text)")
        #expect(count("an export is the dump byte for byte") == 1, "what is the same for all profiles is exported once")
    }

    @Test("Of one list, by itself, in a bare container or in an archive of several, an export is looked at where it is")
    func oneList() throws {
        let scratch = try Scratch(), list = "<plist><dict><key>a</key><string>one</string></dict></plist>"
        for place in ["alone", "bare/Library/Preferences", "sent"] {
            try FileManager.default.createDirectory(atPath: scratch(place), withIntermediateDirectories: true)
            try scratch.write("\(place)/com.acme.notes.plist", Data(list.utf8))
        }
        try scratch.write("sent/com.acme.other.plist", Data(list.utf8))
        try Archives.write("zip", to: scratch("sent.zip"), of: scratch("sent"))
        // The names of two of these end alike.
        try scratch.write(
            "spec.yaml",
            Data(
                """
                vestige: migration/1
                id: domains
                steps:
                - {id: a, from: defaults://com.acme.notes/a, to: defaults://x%2Fsuite/a}
                - {id: b, from: defaults://com.acme.notes/a, to: defaults://suite/b}
                - {id: c, from: defaults://com.acme.notes/a, to: defaults://com.acme.notes/c}
                """.utf8))
        for dump in ["alone/com.acme.notes.plist", "bare", "sent.zip/sent/com.acme.notes.plist"] {
            let run = try Program.run(["specs", "test", scratch("spec.yaml"), scratch(dump)], in: scratch)
            #expect(run.code == 0 && !run.text.contains("# SKIP"), "\(dump): \(run.text)\(run.errors)")
        }
    }

    @Test("Of one database, by itself or in an archive, a file that a step adds is looked at beside it")
    func oneDatabase() throws {
        let scratch = try Scratch()
        try scratch.write(
            "spec.yaml",
            Data(
                """
                vestige: migration/1
                id: tables
                steps:
                - {id: a, do: [{encode: json}], from: "sqlite://Files/notes.sqlite/store/device_id#/value", to: "file://Files/sub/device.json"}
                """.utf8))
        try FileManager.default.createDirectory(atPath: scratch("sent"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Places.fixture("notes-databases.xcappdata/AppData/Documents/notes.sqlite"),
            toPath: scratch("sent/notes.sqlite"))
        try Archives.write("zip", to: scratch("sent.zip"), of: scratch("sent"))
        for dump in ["sent/notes.sqlite", "sent.zip"] {
            let run = try Program.run(["specs", "test", scratch("spec.yaml"), scratch(dump)], in: scratch)
            #expect(run.code == 0 && !run.text.contains("# SKIP"), "\(dump): \(run.text)\(run.errors)")
        }
    }

    @Test("Beside one list an export has the keychain that was given under the list's name, and is opened with it")
    func keychainBeside() throws {
        let scratch = try Scratch(), list = "<plist><dict><key>a</key><string>one</string></dict></plist>"
        try FileManager.default.createDirectory(atPath: scratch("sent"), withIntermediateDirectories: true)
        try scratch.write("sent/com.acme.notes.plist", Data(list.utf8))
        try FileManager.default.copyItem(
            atPath: Places.fixture("localdata-healthy.xcappdata/keychain.json"), toPath: scratch("theirs.json"))
        try scratch.write(
            "spec.yaml",
            Data(
                """
                vestige: migration/1
                id: items
                steps:
                - {id: a, from: defaults://com.acme.notes/a, do: [{encode: utf8}], to: "keychain://com.acme/a"}
                - {id: b, from: defaults://com.acme.notes/a, to: defaults://com.acme.notes.suite/b}
                """.utf8))
        let run = try Program.run(
            [
                "specs", "test", scratch("spec.yaml"), scratch("sent/com.acme.notes.plist"), "--keychain",
                scratch("theirs.json"), "--keychain-group", "ABCDE12345.com.myapp",
            ], in: scratch)
        #expect(run.code == 0 && !run.text.contains("# SKIP"), "\(run.text)\(run.errors)")
    }

    @Test("Nothing is written over the dump, into it, or over the spec")
    func places() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let (text, _) = try Self.example()
        try scratch.write("own.yaml", Data(text.utf8))
        try scratch.write("own.script", Data("screen com.acme.notes.plist\n".utf8))
        let folder = dump + "/AppData/Library/Preferences", list = folder + "/com.acme.notes.plist"
        let before = try Data(contentsOf: URL(fileURLWithPath: list))
        let other = try scratch.copy("notes-migrated.xcappdata")
        try FileManager.default.copyItem(atPath: list, toPath: scratch("lone.screen"))
        try scratch.write("lone.script", Data("screen lone\n".utf8))
        try scratch.write("facts.json", Data("{}".utf8))
        try Archives.write("zip", to: scratch("sent.zip"), of: dump)
        let within = "\(scratch("sent.zip"))/\((dump as NSString).lastPathComponent)"
        try FileManager.default.createDirectory(atPath: scratch("db"), withIntermediateDirectories: true)
        let database = Places.fixture("notes-databases.xcappdata/AppData/Documents/notes.sqlite")
        try FileManager.default.copyItem(atPath: database, toPath: scratch("db/store.sqlite"))
        try scratch.write("log.script", Data("screen store.sqlite-wal\n".utf8))
        try scratch.write("ledger.script", Data("screen own.ledger\n".utf8))
        let documents = dump + "/AppData/Documents", facts = scratch("facts.json"), trial = ["specs", "test"]
        for arguments in [
            trial + [scratch("own.yaml"), dump, "--junit", list],
            trial + [scratch("own.yaml"), dump, "--junit", scratch("own.yaml")],
            trial + [scratch("own.yaml"), within, "--junit", scratch("sent.zip")],
            trial + [scratch("own.yaml"), dump, "--facts", facts, "--junit", facts],
            ["run", scratch("own.script"), dump, "--screens", folder], ["record", folder + "/new.script", dump],
            ["run", scratch("own.script"), dump, "--compare", other, "--screens", other + "/AppData"],
            ["record", other + "/new.script", dump, "--compare", other],
            ["run", scratch("lone.script"), scratch("lone.screen"), "--screens", scratch("")],
            ["run", scratch("log.script"), scratch("db/store.sqlite"), "--screens", scratch("db")],
            [
                "run", scratch("ledger.script"), dump, "--workspace", scratch("own.ledger"), "--screens", scratch(""),
            ],
            ["run", scratch("own.script"), list, "--screens", dump],
            ["run", scratch("own.script"), documents, "--screens", dump + "/AppData/Library"],
        ] {
            let run = try Program.run(arguments, in: scratch)
            #expect([64, 75].contains(run.code), "\(arguments) \(run.text)")
            #expect(run.errors.contains("nothing is written"), "\(arguments) \(run.errors)")
        }
        for command in ["report \(other)/report.md", "export \(other)/out"] {
            try scratch.write("into.script", Data(":\(command)\n".utf8))
            let run = try Program.run(["run", scratch("into.script"), dump, "--compare", other], in: scratch)
            #expect(run.code != 0, "\(command) \(run.text)")
            #expect(!FileManager.default.fileExists(atPath: String(command.split(separator: " ")[1])))
        }
        #expect(mkfifo(scratch("pipe"), 0o600) == 0)
        let unread = try Program.run(trial + [scratch("own.yaml"), dump, "--junit", scratch("pipe")], in: scratch)
        #expect(unread.code == 75 && unread.errors.contains("cannot be written"), "\(unread.errors)")
        // The file has another name, by which it is a dump's.
        try FileManager.default.linkItem(atPath: list, toPath: scratch("linked.xml"))
        _ = try Program.run(trial + [scratch("own.yaml"), dump, "--junit", scratch("linked.xml")], in: scratch)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("lone.screen"))) == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: list)) == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("own.yaml"))) == Data(text.utf8))
        #expect(!FileManager.default.fileExists(atPath: folder + "/new.script"))
    }
}
