import Foundation
import Testing

@Suite("Help")
struct HelpTests {
    static let subcommands = [
        "open", "inspect", "show", "migrations", "plan", "apply", "rollback", "status", "log", "verify", "report",
        "export",
        "compare", "run", "record", "man",
    ]

    @Test("The help of the program is the one that was reviewed, and fits 80 columns")
    func program() throws {
        let run = try Program.run(["--help"], in: Scratch())
        #expect(run.code == 0 && run.errors.isEmpty)
        try Expected.expect(run.text, is: "help.txt")
        #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        for name in Self.subcommands { #expect(run.text.contains("\n  \(name) ")) }
        for code in ["0", "2", "3", "4", "5", "6", "64", "75"] { #expect(run.text.contains(" \(code)  ")) }
    }

    @Test("The help of each subcommand is the one that was reviewed, and fits 80 columns", arguments: subcommands)
    func subcommand(name: String) throws {
        let run = try Program.run([name, "--help"], in: Scratch())
        #expect(run.code == 0 && run.errors.isEmpty)
        try Expected.expect(run.text, is: "help-\(name).txt")
        #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(run.text.contains("USAGE: vestige \(name == "open" ? "[open]" : name)"))
        #expect(try Program.run(["help", name], in: Scratch()).text == run.text)
    }

    @Test("Every subcommand that reports has --json, every one on a dump the common options")
    func options() throws {
        for name in Self.subcommands {
            let help = try Program.run([name, "--help"], in: Scratch()).text
            #expect(help.contains("--json") == !["open", "run", "record", "man"].contains(name), "\(name)")
            guard !["migrations", "man"].contains(name) else { continue }
            for option in ["--app", "--fact ", "--facts ", "--workspace", "--reveal"] {
                #expect(help.contains(option), "\(name) \(option)")
            }
        }
    }

    @Test("The help of a subcommand is the same, however it is asked for")
    func help() throws {
        let whole = try Program.run(["help", "plan"], in: Scratch()).text
        for arguments in [
            ["plan", "--help"], ["plan", "-h"], ["plan", Places.fixture("notes-legacy.xcappdata"), "--help"],
        ] {
            #expect(try Program.run(arguments, in: Scratch()).text == whole, "\(arguments)")
        }
        let specs = try Program.run(["specs", "--help-hidden"], in: Scratch()).text
        #expect(specs.contains("See 'vestige help specs <subcommand>'"), "\(specs)")
    }

    @Test("--version is a line with the name and a version")
    func version() throws {
        let run = try Program.run(["--version"], in: Scratch())
        #expect(run.code == 0 && run.errors.isEmpty)
        #expect(run.text.wholeMatch(of: /vestige \d+\.\d+\.\d+\n/) != nil)
        let subcommand = try Program.run(["plan", "--version"], in: Scratch())
        #expect(subcommand.code == 0 && subcommand.text == run.text, "\(subcommand.errors)")
    }

    @Test(
        "Completions name every subcommand and option, and the shell can read them", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let scratch = try Scratch()
        let run = try Program.run(["--generate-completion-script", shell], in: scratch)
        #expect(run.code == 0 && run.errors.isEmpty)
        for word in Self.subcommands + ["accept-drift", "workspace", "rudderstack-v2:sdk-1.2"] {
            #expect(run.text.contains(word), "\(word)")
        }
        try scratch.write("completions", run.output)
        if let program = Places.tool(shell) {
            let check = try Program.execute(program, ["-n", scratch("completions")], in: scratch)
            #expect(check.code == 0, "\(check.errors)")
        }
    }

    @Test(
        "The manual page is the one that was reviewed: every subcommand, option, key and exit code, from the same tables"
    )
    func manual() throws {
        let scratch = try Scratch()
        let run = try Program.run(["man"], in: scratch)
        #expect(run.code == 0 && run.errors.isEmpty)
        try Expected.expect(run.text, is: "vestige.1")
        let plain = run.text.replacing("\\-", with: "-").replacing("\\e", with: "\\")
        for name in Self.subcommands + ["specs infer"] { #expect(plain.contains(".SS vestige \(name)"), "\(name)") }
        for name in Self.subcommands {
            let help = try Program.run([name, "--help"], in: scratch).text
            for option in help.matches(of: /--[a-z][a-z-]+/).map({ String($0.output) })
            where !["--help", "--version"].contains(option) {
                #expect(plain.contains(option), "\(name) \(option)")
            }
        }
        for code in ["0", "2", "3", "4", "5", "6", "64", "75"] { #expect(plain.contains(" \(code)  ")) }
        for line in plain.split(separator: "\n") where line.hasPrefix(".") {
            #expect(line.wholeMatch(of: /\.(TH|SH|SS|TP|PP|B|br|nf|fi)( .*)?/) != nil, "\(line)")
        }
        try scratch.write("vestige.1", run.output)
        if let program = Places.tool("man") {
            let read = try Program.execute(program, ["--warnings", "-l", scratch("vestige.1")], in: scratch)
            #expect(read.code == 0 && read.errors.isEmpty, "\(read.errors)")
        }
    }
}
