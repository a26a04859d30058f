import ArgumentParser
import Files
import Foundation
import Inspector
import Reports
import SystemPackage
import Terminal
import Workspace

/// The inspector, which writes down what the person does in it.
struct RecordScript: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Open the inspector, and write what you do in it as a script for run.",
        usage: "vestige record <script> <dump> [<options>]",
        discussion: """
            The script is written when the inspector is left, to a file that must not be there yet. It begins where a \
            script does: on the dump alone, unless --workspace names a ledger. Keys and commands are written as they \
            came, and at the end what each step is; vestige run with the same options comes to the same. A password \
            is not written; what is typed for a fact is.
            """)

    @Argument(help: "The script to write.", completion: .file())
    var script: String

    @OptionGroup var options: DumpOptions
    @OptionGroup var look: LookOptions

    func run() throws {
        try reportingFailures {
            try refuseInside(script, of: options.named + [look.other].compactMap(\.self))
            // What cannot be written is told before anything is done that would be lost.
            let file: OpenFile
            do throws(Errno) {
                file = try OpenFile.create(script, mode: 0o600)
            } catch {
                let folder = script.lastIndex(of: "/").map { String(script[..<$0]) } ?? ""
                if error == .noSuchFileOrDirectory, !folder.isEmpty {
                    throw fail("\(script) cannot be written: there is no folder \(folder); make it first", .usage)
                }
                throw fail("\(script) cannot be written: \(error.words)", error == .fileExists ? .usage : .tryAgain)
            }
            // Also where the program is asked to end, what was done is written, and of its own ledger nothing stays.
            try Interruption.holding { try record(to: file) }
        }
    }

    private func record(to file: OpenFile) throws {
        var isWritten = false
        defer { if !isWritten { try? OpenFile.remove(script) } }
        let own = OwnLedger(options)
        defer { own.remove() }
        let inspection = try look.inspection(options, ledger: own.location)
        let settings = try look.settings(orOwn: false)
        // The terminal is given back before anything is said.
        let text = try session(inspection, settings) ?? ""
        let head = "# recorded by vestige record; vestige run with the same dump and options comes to the same\n"
        let whole = head + text
        if inspection.protects(script) {
            // A part of the dump was named, so that this is known only now; what was done is not lost.
            try StandardStreams.write(Array(whole.utf8)[...])
            throw fail("\(script) lies in the dump, which is never written to: the script was printed instead", .usage)
        }
        do throws(Errno) {
            try file.write(Data(whole.utf8))
            isWritten = true
        } catch {
            throw fail("\(script) cannot be written: \(error.words)", .tryAgain)
        }
    }

    private func session(_ inspection: Inspection, _ settings: Settings) throws -> String? {
        var terminal = try CursesTerminal(looks: settings.looks)
        return try terminal.run(inspection, recording: true) { size throws(WorkspaceError) in
            try look.start(inspection, options, settings, size)
        }
    }
}
