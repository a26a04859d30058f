import ArgumentParser
import Files
import Foundation
import Inspector
import Reports
import SystemPackage
import Workspace

/// The inspector driven by a script.
struct RunScript: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a script of keys and commands on the inspector, without a terminal.",
        usage: "vestige run <script> <dump> [<options>]",
        discussion: """
            A script has a line for each thing a person would do, and what the screen must then show:

              key j j <Enter>          press keys
              :apply all               type a command, which must not fail
              fails :apply nonsense    type a command, which must fail
              type some text           type characters
              paste some text          paste a text
              click 5 12               press the mouse in a column and a line
              release 5 16             let it go there, as of what is dragged
              wheel-up 5 12            turn the wheel there; wheel-down too
              expect-step user-id applied
                                       the step must have this status or outcome
              expect-value ADDRESS == "u-42"
                                       the entry must be this JSON, or absent
              expect-copied "u-42"     this must be what was copied last
              expect "1 of 9 applied"  the screen must show this
              expect-not "conflict"    the screen must not show this
              expect-style selected "Traits"
                                       the screen must show this in this style
              screen after             write the screen, as after.screen
              screen after.svg         write the screen as a picture
              resize 120x40            give the screen another size

            A line that begins with # is a remark. A command that fails, or an expectation that is not met, prints the \
            screen and ends with exit code 5, a script that cannot be read with 64. Steps are applied in a workspace of \
            the script's own, unless --workspace names one.
            """)

    @Argument(help: "The script; - is standard input.", completion: .file())
    var script: String

    @OptionGroup var options: DumpOptions
    @OptionGroup var look: LookOptions

    @Option(help: "The size of the screen.")
    var size = "80x24"

    @Option(
        help: ArgumentHelp("Where to write screens; without it they are printed.", valueName: "folder"),
        completion: .directory)
    var screens: String?

    func validate() throws {
        guard Size(parsing: size) != nil else { throw ValidationError("--size takes a size such as 80x24.") }
    }

    func run() throws {
        try reportingFailures {
            if let screens { try refuseInside(screens, of: named) }
            let script = try parsedScript()
            let own = OwnLedger(options)
            let inspection = try look.inspection(options, ledger: own.location)
            let model = try look.start(
                inspection, options, look.settings(orOwn: false), Size(parsing: size) ?? Size(width: 80, height: 24))
            // Nothing of a ledger that is nobody's stays where the program is asked to end.
            try Interruption.holding {
                defer { own.remove() }
                try run(script, model, on: inspection)
            }
        }
    }

    private func run(_ script: Script, _ model: Model, on inspection: Inspection) throws {
        var isSaved = true
        var runner = ScriptRunner(model, on: inspection, isCancelled: { Interruption.isRequested }) { name, frame in
            isSaved = false
            try save(name, frame, inspection)
            isSaved = true
        }
        // Where there is no comparison, what the script shows is not what was asked for.
        func checkComparison() throws { if let failure = runner.model.comparisonFailure { throw failure } }
        if let failure = runner.model.failure { throw failure }
        try checkComparison()
        do throws(ScriptError) {
            try runner.run(script)
        } catch {
            // The program ends by the signal, and says no more.
            if Interruption.isRequested { throw error }
            // It is what the screen shows, masked and displayable already.
            if let screen = error.screen { StandardStreams.writeError(screen + "\n") }
            throw failure(
                error, error.screen != nil ? .checkFailed : isSaved ? .usage : .tryAgain, isMasked: error.screen != nil)
        }
        try checkComparison()
    }

    private func parsedScript() throws -> Script {
        let text = try readScript()
        do throws(ScriptError) { return try Script(text) } catch { throw failure(error, .usage) }
    }

    private func failure(_ error: ScriptError, _ status: ExitStatus, isMasked: Bool = false) -> ExitCode {
        fail("\(script), line \(error.line): \(error.problem)", status, isMasked: isMasked)
    }

    /// The largest script, in bytes; standard input may have no end.
    private static let limit = 16 << 20

    /// The text of the script; a pipe is read to its end.
    private func readScript() throws -> String {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try OpenFile.input(script, limit: Self.limit)
        } catch {
            if error == .fileTooLarge { throw fail("the script \(script) is longer than 16 MiB", .usage) }
            throw fail("the script \(script) cannot be read: \(error.words)", .usage)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fail("the script \(script) is not UTF-8 text", .usage)
        }
        return text
    }

    /// What it reads, as a person has named it.
    private var named: [String] { [script] + options.named + [look.other, look.config].compactMap(\.self) }

    private func save(_ name: String, _ frame: Frame, _ inspection: Inspection) throws {
        let text = name.hasSuffix(".svg") ? frame.svg(title: "vestige") : frame.text + "\n"
        guard let screens else { return try StandardStreams.write(Array("── \(name)\n\(text)".utf8)[...]) }
        let file = screens + "/" + (name.contains(".") ? name : name + ".screen")
        if inspection.protects(file) || named.contains(where: { CanonicalPath.isSame(file, asNamed: $0) }) {
            throw UnwritableScreen(description: "it is read, or lies in a dump, into which nothing is written")
        }
        do throws(Errno) {
            try OpenFile.makeFolders(screens, mode: 0o777)
            try write(text, over: file)
        } catch {
            throw UnwritableScreen(description: error.words)
        }
    }

    /// Why a screen could not be written, in words.
    private struct UnwritableScreen: Error, CustomStringConvertible {
        let description: String
    }
}

/// The ledger of a script: what it applies is its own affair, and a person's is used only where it is named.
struct OwnLedger {
    let location: LedgerLocation
    private let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
        "vestige-script-\(UUID().uuidString)", isDirectory: true)

    init(_ options: DumpOptions) {
        location =
            options.workspaceFile == nil ? .file(folder.appendingPathComponent("ledger").path) : options.ledger
    }

    /// Takes it away where it is nobody's.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}
