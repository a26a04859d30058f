import ArgumentParser
import DeviceDump
import Foundation
import MigrationEngine
import Reports
import Specs

/// What helps to write spec files.
struct SpecsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "specs",
        abstract: "Check, try and look up spec files: migrations of your own.",
        usage: "vestige specs <subcommand>",
        subcommands: [
            NewSpec.self, InferSpec.self, LintSpecs.self, FormatSpecs.self, TestSpecs.self, HelpOnSpecs.self,
            SchemaOfSpecs.self,
        ])
}

/// A first draft.
struct NewSpec: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract:
            "Print a first draft of a spec: what lies in a dump, each entry with its type, left until you decide.",
        usage: "vestige specs new <dump> [<options>]")

    @OptionGroup var options: DumpOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openStores().snapshot
            let text = SpecDraft.text(
                of: snapshot.container,
                bundleIdentifier: snapshot.facts[.bundleIdentifier]?.value ?? snapshot.container.identifier
            ) { address, value in Secrets.isLikelySecret(value, at: address) }
            try StandardStreams.write(Array(text.utf8)[...])
        }
    }
}

/// A draft from two dumps.
struct InferSpec: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Print a draft of a spec that turns one dump into another, made after the real update.",
        usage: "vestige specs infer <old> <new> [<options>]",
        discussion: """
            The steps were run on the old dump as a whole: each makes exactly what is in the new one. A remark above it \
            says why it is thought so, and from where else the value may come; what may be chance, what no order of steps \
            does, and what nothing explains, stands in remarks at the end, and how much the steps make. A value stands in it only where an operation needs it, and none that is likely a secret: look all the \
            same before you send it on. specs test then tries it on other dumps.
            """)

    @OptionGroup var pair: PairOptions

    func run() throws {
        try reportingFailures {
            let pair = try pair.open()
            let inference = SpecInference(
                from: pair.before.container.assumingNothing, to: pair.after.container.assumingNothing,
                bundleIdentifier: pair.facts[.bundleIdentifier]?.value ?? pair.before.container.identifier,
                facts: pair.facts
            ) { address, value in Secrets.isSecret(value, at: address) }
            try StandardStreams.write(Array(inference.text.utf8)[...])
        }
    }
}

/// What is wrong with spec files.
struct LintSpecs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Say what is wrong with spec files, or doubtful in them, each with its line and the fix.",
        usage: "vestige specs lint <file> ... [--json]",
        discussion:
            """
            Exit code 5: a file has an error, so that it cannot be used; 6: one cannot be read. Warnings and notes keep \
            nobody from it.
            """)

    @Argument(help: "Spec files; - is standard input.", completion: .file())
    var files: [String]
    @Option(
        help: "A dump that they are meant for: what they ask for and it does not have is told.", completion: .file())
    var dump: String?
    @OptionGroup var tried: TriedDumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let container = try dump.map { path in
                // A file that cannot be read names no app, and is told below; a pipe can be read once.
                let specs = files.filter(SpecFile.isRegular).compactMap { file in
                    (try? SpecFile.bytes(file)).flatMap { try? Spec($0) }
                }
                let (dump, container) = try tried.open(path, for: specs)
                if let problem = dump.problem { throw fail(problem.explanation, .unreadable) }
                try tried.checkGroups(in: [dump])
                return container
            }
            var isUnread = false, names: [String: String] = [:]
            // What a plan masks is masked here, too.
            let showing = container.map { container in
                Showing(Masking(secrecy: EntrySecrecy(of: [], in: [container], given: container.facts)))
            }
            let all = files.map { file in
                let problems: [SpecProblem]
                do throws(SpecProblems) {
                    problems = Spec.lint(
                        try SpecFile.bytes(file),
                        isSecret: { Secrets.isSecret($1, at: $0) },
                        on: container.map { ($0, $0.facts) },
                        telling: { reason, step in
                            showing?.sentence(reason, of: step.quoted) ?? reason.sentence
                        },
                        beside: { id in
                            defer { names[id] = names[id] ?? file }
                            return names[id]
                        })
                } catch {
                    problems = error.all
                    isUnread = true
                }
                return (
                    file: file,
                    findings: problems.map { problem in
                        SpecsLintReport.Finding(
                            code: problem.code.rawValue, severity: problem.code.severity.rawValue,
                            line: problem.place.line,
                            column: problem.place.column, sentence: problem.sentence, fix: problem.fix)
                    }
                )
            }
            try output.answer(SpecsLintReport(all, isUnread: isUnread))
        }
    }
}

/// The canonical form.
struct FormatSpecs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Print a spec file in its canonical form, with its remarks; or put files into it.",
        usage: "vestige specs format <file> ... [--write | --check]",
        discussion:
            "Exit code 5: with --check, a file is not in that form. A file that cannot be used as a spec is left as it is."
    )

    /// What is done besides printing.
    enum Action: String, EnumerableFlag {
        case write, check

        static func help(for action: Action) -> ArgumentHelp? {
            switch action {
            case .write: "Replace each file by its canonical form."
            case .check: "Name the files that are not in it, and print nothing else."
            }
        }
    }

    @Argument(help: "Spec files; - is standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var files: [String]
    @Flag var action: Action?

    func validate() throws {
        guard files.count == 1 || action != nil else {
            throw ValidationError("Name one file to print it, or say --write or --check for several.")
        }
        if action == .write, let other = files.first(where: { $0 == "-" || $0.hasSuffix(".json") }) {
            throw ValidationError("\(other) is no file that is written as YAML.")
        }
    }

    func run() throws {
        try reportingFailures {
            var others: [String] = []
            for file in files {
                let (data, formatted) = try form(of: file)
                guard let action else { return try StandardStreams.write(Array(formatted.utf8)[...]) }
                guard data != Data(formatted.utf8) else { continue }
                others.append(file)
                if action == .write { try SpecFile.replace(file, by: formatted) }
            }
            guard action == .check else { return }
            for file in others { printError("vestige: \(file) is not in the canonical form; --write puts it there") }
            if !others.isEmpty { throw ExitCode(ExitStatus.checkFailed.rawValue) }
        }
    }

    private func form(of file: String) throws -> (Data, String) {
        do throws(SpecProblems) {
            let data = try SpecFile.bytes(file)
            return (data, try Spec.formatted(data))
        } catch {
            throw SpecFile.failure(error, file)
        }
    }
}

/// What the language has.
struct HelpOnSpecs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help",
        abstract: "List what a spec can have: keys, conditions, types, operations; or say all of one, such as from.",
        usage: "vestige specs help [<word>] [--json]")

    @Argument(
        help: "A key, an operation, a type, or a part of a spec: exists, table, uuid, row, conditions.",
        completion: .list(KeySection.words))
    var word: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            // What is no key and no operation may be a word that stands behind one, or that one fails with.
            let isName =
                word.map { word in
                    OperationTable[word] != nil
                        || KeySection.all.contains {
                            $0.isCalled(word) || !$0.isOfWords && $0.keys.contains { $0.name == word }
                        }
                } ?? true
            let sections = KeySection.all.compactMap { section -> SpecsHelpReport.Section? in
                let isWhole = word.map(section.isCalled) ?? true
                let keys =
                    isWhole
                    ? section.keys
                    : section.keys.filter { key in
                        key.name == word || !isName && key.values.choices.contains { $0 == word }
                    }
                return keys.isEmpty
                    ? nil
                    : SpecsHelpReport.Section(
                        name: section.name, summary: section.summary, isWhole: isWhole,
                        keys: keys.map { key in
                            SpecsHelpReport.Key(
                                name: key.name, of: section.name, values: key.values.phrase, summary: key.summary,
                                example: key.example)
                        })
            }
            let operations = OperationTable.all.filter { operation in
                word == nil || word == "operations" || operation.name == word
                    || !isName && operation.errors.contains { $0 == word }
            }
            guard !sections.isEmpty || !operations.isEmpty else {
                let near = word.flatMap { Nearest.word(to: $0, among: KeySection.words) }
                throw fail(
                    "the language has no “\(word ?? "")”. "
                        + (near.map { "Did you mean \($0)?" } ?? "vestige specs help lists what it has."), .usage)
            }
            try output.answer(
                SpecsHelpReport(
                    sections,
                    operations.map { definition in
                        let example = definition.example
                        return SpecsHelpReport.Operation(
                            name: definition.name, summary: definition.summary, arguments: definition.arguments,
                            takes: definition.takes.phrase, gives: definition.gives.phrase, inverse: definition.inverse,
                            errors: definition.errors,
                            example: .init(written: example.written, before: example.before, after: example.after))
                    }))
        }
    }
}

/// The JSON Schema.
struct SchemaOfSpecs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of spec files, with which editors complete and check them.",
        usage: "vestige specs schema")

    func run() throws {
        try reportingFailures { try StandardStreams.write(Array((SpecSchema.schema() + "\n").utf8)[...]) }
    }
}
