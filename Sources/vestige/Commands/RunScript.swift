import ArgumentParser
import Foundation
import Inspector
import Reports
import Workspace

/// The inspector driven by a script.
struct RunScript: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a script of keys and commands on the inspector, without a terminal.",
        usage: "vestige run <script> <dump> [<options>]",
        discussion: """
            A script has a line for each thing a person would do, and what the screen must then show:

              key j j <Enter>          press keys
              :apply all               type a command
              type some text           type characters
              expect "1 of 9 applied"  the screen must show this
              expect-not "conflict"    the screen must not show this
              expect-style selected "Traits"
                                       the screen must show this in this style
              screen after             write the screen, as after.screen
              screen after.svg         write the screen as a picture
              resize 120x40            give the screen another size

            A line that begins with # is a remark. A failed expectation prints the screen and ends with exit code 5, a \
            script that cannot be read with 64.
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
            let script = try parsedScript()
            let inspection = try look.inspection(options)
            let model = try inspection.start(
                container: options.app, size: Size(parsing: size) ?? Size(width: 80, height: 24), glyphs: look.glyphs,
                masking: options.masking)
            var isSaved = true
            var runner = ScriptRunner(model, perform: { inspection.perform($0) }) { name, frame in
                isSaved = false
                try save(name, frame)
                isSaved = true
            }
            do throws(ScriptError) {
                try runner.run(script)
            } catch {
                if let screen = error.screen { printError(screen) }
                throw failure(error, error.screen != nil ? 5 : isSaved ? 64 : 75)
            }
        }
    }

    private func parsedScript() throws -> Script {
        let text = try readScript()
        do throws(ScriptError) { return try Script(text) } catch { throw failure(error, 64) }
    }

    private func failure(_ error: ScriptError, _ code: Int32) -> ExitCode {
        fail("\(script), line \(error.line): \(error.problem)", code)
    }

    private func readScript() throws -> String {
        let data: Data
        do {
            data =
                script == "-"
                ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(fileURLWithPath: script))
        } catch {
            throw fail("the script \(script) cannot be read: \(error.localizedDescription)", 64)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw fail("the script \(script) is not UTF-8 text", 64)
        }
        return text
    }

    private func save(_ name: String, _ frame: Frame) throws {
        let text = name.hasSuffix(".svg") ? frame.svg(title: "vestige") : frame.text + "\n"
        guard let screens else { return print("── \(name)\n\(text)", terminator: "") }
        let folder = URL(fileURLWithPath: screens, isDirectory: true)
        let file = folder.appendingPathComponent(name.contains(".") ? name : name + ".screen")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
        } catch {
            throw UnwritableScreen(description: error.localizedDescription)
        }
    }

    /// Why a screen could not be written, in words.
    private struct UnwritableScreen: Error, CustomStringConvertible {
        let description: String
    }
}
