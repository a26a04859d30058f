import ArgumentParser
import Foundation
import Inspector
import Workspace

/// The inspector driven by a script.
struct RunScript: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a script of keys and commands on the inspector, without a terminal.",
        discussion: """
            A script has a line for each thing a person would do, and what the screen must then show:

              key j j <Enter>          presses keys
              :apply all               types a command
              type some text           types characters
              expect "1 of 9 applied"  the screen must show this (expect-not: must not)
              expect-style selected "Traits"
              screen after.svg         writes the screen, as a picture where the name ends in .svg
              resize 120x40

            A failed expectation prints the screen and exits with 1.
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
            let script = try Script(readScript())
            let inspection = try look.inspection(options)
            let model = try inspection.start(
                container: options.app, size: Size(parsing: size) ?? Size(width: 80, height: 24), glyphs: look.glyphs,
                masking: options.masking)
            var runner = ScriptRunner(model, perform: { inspection.perform($0) }, save: save)
            try runner.run(script)
        }
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
        let text = name.hasSuffix(".svg") ? frame.svg(title: name) : frame.text + "\n"
        guard let screens else { return print("── \(name)\n\(text)", terminator: "") }
        let folder = URL(fileURLWithPath: screens, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name.contains(".") ? name : name + ".screen")
        try Data(text.utf8).write(to: file, options: .atomic)
    }
}
