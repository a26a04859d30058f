import ArgumentParser
import DeviceDump
import Foundation
import Inspector
import MigrationEngine
import Reports
import StoreFormats
import Terminal
import Workspace

/// Runs a command and turns what goes wrong into a sentence on standard error and the exit code of its kind.
func reportingFailures(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as WorkspaceError {
        throw fail("\(error)\(error.option.map { " (\($0))" } ?? "")", error.exitCode)
    } catch let error as DumpError {
        throw fail("\(error)", error.exitCode)
    } catch let error as FormatError {
        throw fail("\(error)", 6)
    } catch let error as AddressError {
        throw fail("\(error)", 64)
    } catch let error as TerminalError {
        throw fail("\(error)", 75)
    }
}

extension WorkspaceError {
    /// The option that does what the message speaks of.
    fileprivate var option: String? {
        switch self {
        case .drift: "--accept-drift"
        case .export(_, .targetExists): "--replace"
        default: nil
        }
    }
}

/// Says what went wrong; what is thrown ends the program with the code.
func fail(_ sentence: String, _ code: Int32) -> ExitCode {
    printError("vestige: " + sentence)
    return ExitCode(code)
}

/// Writes lines to standard error, in a form that is safe to show.
func printError(_ text: String) {
    // A list in a message has lines of its own.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.map { Glyphs.unicode.displayText(String($0)) + "\n" }.joined()
    FileHandle.standardError.write(Data(shown.utf8))
}
