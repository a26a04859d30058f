import Foundation
import Testing

/// What no answer may say, in small letters.
private let secrets = ["hunter2horse", "739154", "tokaaa7bbb"]

/// What a step makes of a secret, by a spec of a few steps, in every answer.
protocol SecretSpecs {
    var scratch: Scratch { get }
    /// A dump with an account in which a password and a PIN lie.
    var dump: String { get }
    /// The options that give the spec.
    var spec: [String] { get }

    init(scratch: Scratch, dump: String, spec: [String])
}

extension SecretSpecs {
    /// - Parameter applies: What the spec asks for besides its steps, a list of conditions.
    init(steps: String, facts: String = "{}", entries: [String: Any] = [:], applies: String? = nil) throws {
        let scratch = try Scratch()
        let dump = try scratch.copy("notes-legacy.xcappdata")
        let account: [String: Any] = ["password": "hunter2horse", "pin": 739_154, "theme": "seagreen"]
        for (key, value) in entries.merging(["account": account], uniquingKeysWith: { own, _ in own }) {
            try scratch.set(key, to: value, in: dump)
        }
        let text = """
            vestige: migration/1
            id: made
            title: Made of secrets
            apps: [com.acme.notes]
            stores: {app: defaults://com.acme.notes}
            facts: \(facts)
            \(applies.map { "applies: \($0)" } ?? "")
            steps:
            \(steps)
            """
        try scratch.write("made.yaml", Data(text.utf8))
        self.init(scratch: scratch, dump: dump, spec: ["--spec", scratch("made.yaml")])
    }

    init() throws { try self.init(steps: "  []") }

    /// The ledger that the commands share, also with a script.
    var ledger: [String] { ["--workspace", scratch("ledger")] }

    /// What a command says, after it is made sure that no secret is in it.
    @discardableResult
    func said(
        _ arguments: [String], hasJSON: Bool = true, hasLedger: Bool = true, _ line: Int = #line
    ) throws -> String {
        var all = ""
        for form in hasJSON ? [[], ["--json"]] : [[]] {
            let run = try Program.run(arguments + (hasLedger ? ledger : []) + form, in: scratch),
                text = run.text + run.errors
            for secret in secrets {
                #expect(!text.lowercased().contains(secret), "line \(line): \(arguments) \(text)")
            }
            all += text
        }
        return all
    }

    /// All answers that tell of what the steps make: planned, applied, without the spec, and taken back.
    func check(_ more: [String] = [], shows: [String] = []) throws {
        var text = try said(["plan", dump, "-m", "made"] + spec + more)
        text += try said(["report", dump] + spec + more)
        text += try said(["apply", dump, "--all", "--assume"] + spec + more)
        for arguments in [["log", dump], ["report", dump], ["log", dump] + spec] { text += try said(arguments) }
        text += try said(["rollback", dump, "--all"])
        text += try said(["log", dump])
        for word in shows { #expect(text.contains(word), "\(word) in \(text)") }
    }
}
