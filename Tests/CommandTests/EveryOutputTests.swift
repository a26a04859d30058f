import Foundation
import Testing

/// What holds for everything that the program says about a dump.
@Suite("Every output")
struct EveryOutputTests {
    /// Every subcommand on a dump, as text and as JSON, before and after steps are applied, with every store and, where
    /// that is asked for, every entry.
    static func outputs(
        of dump: String, everyEntry: Bool = false, options: [String] = [], in scratch: Scratch
    ) throws -> [(arguments: [String], run: Program.Run)] {
        let common = [dump] + ["--facts", Places.facts] + options
        var results: [(arguments: [String], run: Program.Run)] = []
        func run(_ arguments: [String], input: String = "") throws {
            results.append((arguments, try Program.run(arguments + common, in: scratch, input: input)))
        }
        func both(_ arguments: [String]) throws {
            try run(arguments)
            try run(arguments + ["--json"])
        }
        func look() throws {
            for name in ["inspect", "plan", "status", "log", "verify", "report"] { try both([name]) }
            for profile in ["documented", "sdk-1.2"] { try both(["plan", "-m", "rudderstack-v2:" + profile]) }
            try both(["export", "--to", scratch("out"), "--replace"])
        }
        try look()
        for (address, isStore) in try addresses(of: dump, everyEntry: everyEntry, in: scratch) {
            // What is revealed is the same in both forms, and the JSON of a store has that of its entries.
            for form in isStore && !options.contains("--reveal") ? [[], ["--json"]] : [[]] {
                let run = try Program.run(["show", dump, address] + form + options, in: scratch)
                results.append((["show", address] + form, run))
            }
        }
        try both(["apply", "--all", "-m", "rudderstack-v2:sdk-1.2"])
        try look()
        try both(["rollback", "--last"])
        try both(["rollback", "--all"])
        let keys = "key " + String(repeating: "j <Enter> <Esc> ", count: 12)
        try run(
            ["run", "-"],
            input: "screen a\n\(keys)\nscreen b\nkey w\nscreen c.svg\nexpect \"never shown\"\n")
        return results
    }

    /// The stores and, where that is asked for, their entries.
    private static func addresses(
        of dump: String, everyEntry: Bool, in scratch: Scratch
    ) throws -> [(address: String, isStore: Bool)] {
        let inspected = try Program.run(["inspect", dump, "--json"], in: scratch)
        return try Answer(inspected.output).objects("containers").flatMap { container in
            (container["stores"] as? [[String: Any]] ?? []).flatMap { store in
                let entries = everyEntry ? store["entries"] as? [[String: Any]] ?? [] : []
                return ([store] + entries).enumerated().compactMap {
                    number, part -> (address: String, isStore: Bool)? in
                    (part["address"] as? String).map { ($0, number == 0) }
                }
            }
        }
    }

    /// A text as it stands in base64, at whichever of the three positions.
    private static func encoded(_ text: String) -> [String] {
        (0..<3).map { shift in
            let data = Data(repeating: 0, count: shift) + Data(text.utf8)
            // The first and the last characters depend on what is beside the text.
            return String(data.base64EncodedString().dropFirst(shift == 0 ? 0 : 4).prefix(text.utf8.count * 4 / 3 - 5))
        }
    }

    /// Characters that act on a terminal or are not seen: control, bidirectional, zero-width, and what has no glyph.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar != "\n"
        case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    @Test("with --ascii an answer is printable ASCII, and its lines begin with words and not with signs")
    func ascii() throws {
        let scratch = try Scratch(), dump = Places.fixture("notes-troubled.xcappdata"), migration = "rudderstack-v2"
        let commands = [
            ["inspect", dump], ["plan", dump, "-m", migration], ["apply", dump, "-m", migration, "--all"],
            ["plan", dump, "-m", migration], ["status", dump], ["log", dump], ["verify", dump], ["report", dump],
            ["show", dump, "defaults://com.acme.notes/rs_traits"], ["migrations", migration],
            ["compare", dump, Places.fixture("notes-migrated.xcappdata"), "-m", migration],
        ]
        for command in commands {
            let facts = ["migrations", "show"].contains(command[0]) ? [] : ["--facts", Places.facts]
            let run = try Program.run(command + facts + ["--ascii"], in: scratch)
            #expect(!run.output.isEmpty, "\(command)")
            #expect(run.output.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) }, "\(command): \(run.text)")
            let signs = run.text.split(separator: "\n").filter { line in
                // Parts of values that differ have the marks of every difference.
                guard let first = line.split(separator: " ").first, !line.hasPrefix("   ") else { return false }
                return ["->", ">", "=", "-", "?", "!", "X", "*"].contains(first) || first.hasPrefix("<2")
            }
            #expect(signs.isEmpty, "\(command): \(signs)")
        }
    }

    private static func harm(_ run: Program.Run) -> [String] {
        // The decoding initialiser would repair what is not UTF-8.
        guard let text = String(validating: run.output, as: UTF8.self) else { return ["not UTF-8"] }
        return (text + run.errors).unicodeScalars.filter(isHarmful).map { "U+" + String($0.value, radix: 16) }
    }

    private static let secrets: [(fixture: String, everyEntry: Bool, secrets: [String])] = [
        ("notes-legacy.xcappdata", false, ["a@b.c", "not-a-real-token-0001"]),
        ("notes-traits-json.xcappdata", false, ["a@b.c", "not-a-real-token-0001"]),
        (
            "hostile.xcappdata", true,
            [
                "correct horse battery staple", "not-a-real-token-0002", "not-a-real-key-0003", "jane.roe@example.com",
                "a@b.c",
            ]
        ),
    ]

    @Test("Nothing says a secret unless --reveal asks for it, and nothing acts on a terminal", arguments: secrets)
    func isHarmless(fixture: String, everyEntry: Bool, secrets: [String]) throws {
        let scratch = try Scratch(), dump = try scratch.copy(fixture)
        let masked = try Self.outputs(of: dump, everyEntry: everyEntry, in: scratch)
        let revealed = try Self.outputs(of: dump, everyEntry: everyEntry, options: ["--reveal"], in: scratch)
        // Of what is shown the masked ones have JSON besides.
        let shown = masked.filter { $0.arguments.first != "show" || $0.arguments.last != "--json" }
        #expect(shown.map(\.arguments) == revealed.map(\.arguments))
        for (arguments, run) in masked + revealed {
            #expect(Self.harm(run) == [], "\(arguments)")
            #expect(Places.exitCodes.contains(run.code), "\(arguments) ended with \(run.code): \(run.errors)")
            #expect(run.isAnswered, "\(arguments) says nothing")
        }
        for secret in secrets {
            // Too short a text stands in base64 by chance.
            let forms = [secret] + (secret.count > 12 ? Self.encoded(secret) : [])
            for (arguments, run) in masked {
                for form in forms {
                    #expect(!(run.text + run.errors).contains(form), "\(arguments) says “\(form)”")
                }
            }
            let isTold = revealed.contains { output in forms.contains { output.run.text.contains($0) } }
            #expect(isTold, "“\(secret)” is not told by --reveal either")
        }
    }

    @Test("A hostile path of the dump, and a hostile argument, are shown harmless too")
    func hostilePath() throws {
        let scratch = try Scratch(), name = "\u{1B}[31m\u{202E}\u{9B}2J\n\u{200B}.xcappdata"
        try FileManager.default.copyItem(
            atPath: Places.fixture("notes-half-migrated.xcappdata"), toPath: scratch(name))
        for (arguments, run) in try Self.outputs(of: scratch(name), in: scratch) {
            #expect(Self.harm(run) == [], "\(arguments)")
            #expect(Places.exitCodes.contains(run.code), "\(arguments) ended with \(run.code): \(run.errors)")
        }
        let dump = Places.fixture("notes-legacy.xcappdata")
        for arguments in [
            ["inspect", name], ["inspect", dump, name], ["plan", dump, "--" + name], ["plan", dump, "-m", name],
            ["plan", dump, "-m", "rudderstack-v2:" + name], ["show", dump, name], ["plan", dump, "--app", name],
            ["plan", dump, "--fact", name], ["plan", dump, "--fact", "now=" + name], ["plan", dump, "--facts", name],
            ["run", name, dump], ["apply", dump, "-m", "rudderstack-v2", "--step", name],
            ["rollback", dump, "--to", name],
        ] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 64, "\(arguments) \(run.errors)")
            #expect(Self.harm(run) == [], "\(arguments)")
        }
    }

    @Test(
        "An e-mail address, or a token, in the name of a service, an account, a key or a file is masked wherever its entry is named, and what is shown opens it"
    )
    func names() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-empty.xcappdata")
        let account = "keychain://sync/‹masked string, 15 characters›"
        func item(_ service: String, _ account: String) -> String {
            #"{"service": "\#(service)", "account": "\#(account)", "dataHex": "6F6E65", "entitlement_group": "ABCDE12345.com.acme.notes"}"#
        }
        let items = [
            ("sync", "ada@example.org"), ("sync", "user:bob@mail.example.org|1"), ("ada@example.org", "pin"),
            ("sync", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ]
        try scratch.write(
            "notes-empty.xcappdata/keychain.json",
            Data("[\(items.map { item($0.0, $0.1) }.joined(separator: ", "))]".utf8))
        try scratch.set("last:ada@example.org", to: "light", in: dump)
        try scratch.write("notes-empty.xcappdata/AppData/Documents/ada@example.org/notes.json", Data("{}".utf8))
        try scratch.write(
            "names.yaml",
            Data(
                """
                vestige: migration/1
                id: names
                title: Names
                apps: [com.acme.notes]
                steps:
                  - {id: accounts, from: "keychain://sync/*", type: data, to: "keychain://sync2/*", source: remove}
                  - {id: last, from: "defaults://com.acme.notes/last:*", type: string, to: "defaults://com.acme.notes/theme:*"}
                  - {id: file, from: "file://Documents/*/notes.json", type: data, to: "file://Documents/*/all.json"}

                """.utf8))
        func run(_ arguments: [String]) throws -> Program.Run { try Program.run(arguments, in: scratch) }
        var runs = try Self.outputs(of: dump, options: ["--spec", scratch("names.yaml")], in: scratch).map(\.run)
        let spec = [dump, "-m", "names", "--spec", scratch("names.yaml")]
        for form in [[], ["--json"]] {
            runs.append(try run(["plan"] + spec + form))
            runs.append(try run(["show", dump, "keychain://sync"] + form))
            runs.append(try run(["show", dump, account] + form))
            #expect(runs.last?.code == 0 && runs.last?.text.contains("pin") == false, "\(runs.last?.errors ?? "")")
        }
        runs.append(try run(["show", dump, account + "2"]))
        #expect(runs.last?.code == 64)
        runs.append(try run(["apply", "--all"] + spec))
        #expect(runs.last?.code == 0, "\(runs.last?.text ?? "") \(runs.last?.errors ?? "")")
        for form in [[], ["--json"]] {
            for name in ["plan", "status", "verify"] { runs.append(try run([name] + spec + form)) }
            runs.append(try run(["log", dump] + form))
            runs.append(try run(["show", dump, account] + form))
            #expect(runs.last?.errors.contains("step accounts removed it") == true, "\(runs.last?.errors ?? "")")
            runs.append(try run(["export"] + spec + ["--to", scratch("out"), "--replace"] + form))
            runs.append(try run(["compare", dump, scratch("out")] + form))
            runs.append(
                try run(["compare", dump, scratch("out"), "-m", "names", "--spec", scratch("names.yaml")] + form))
        }
        runs.append(
            try Program.run(
                ["run", "-", "--size", "120x60"] + spec, in: scratch,
                input: "key " + String(repeating: "j <Enter> ", count: 12)
                    + "\nscreen a\n:palette\ntype ada\nscreen b\n"))
        for run in runs {
            // The paths of files are shown, as people must find them.
            let said = (run.text + run.errors).replacing("AppData/Documents/ada@example.org/", with: "")
            for name in ["ada@example.org", "ada%40example.org", "bob@mail", "bob%40mail", "ghp_16C7e"] {
                #expect(!said.contains(name), "\(said)")
            }
        }
        let open = try run(["show", dump, "keychain://sync2", "--reveal"])
        #expect(open.text.contains("ada@example.org") && open.text.contains("bob@mail.example.org"), "\(open.text)")
    }
}
