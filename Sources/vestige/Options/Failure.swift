import ArgumentParser
import DeviceDump
import Foundation
import Inspector
import MigrationEngine
import Terminal
import Workspace

/// Runs a command and turns what goes wrong into a sentence on standard error and the exit code of its kind.
func reportingFailures(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as WorkspaceError {
        throw fail("\(error)", error.exitCode)
    } catch let error as DumpError {
        throw fail("\(error)", error.exitCode)
    } catch let error as AddressError {
        throw fail("\(error)", 64)
    } catch let error as TerminalError {
        throw fail("\(error)", 75)
    } catch let error as ScriptError {
        if let screen = error.screen { printError(screen) }
        throw fail("line \(error.line): \(error.problem)", 1)
    }
}

/// Says what went wrong; what is thrown ends the program with the code.
func fail(_ sentence: String, _ code: Int32) -> ExitCode {
    // A list in a message has lines of its own.
    for (index, line) in sentence.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        printError((index == 0 ? "vestige: " : "") + Glyphs.unicode.displayText(String(line)))
    }
    return ExitCode(code)
}

private func printError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
