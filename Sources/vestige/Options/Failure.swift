import ArgumentParser
import DeviceDump
import Foundation
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
        let (sentence, isMasked) = error.told()
        throw fail(told(sentence, error.advice), ExitStatus(error), isMasked: isMasked, except: error.dumpPath)
    } catch let error as DumpError {
        throw fail(
            told("\(error)", error.advice), ExitStatus(error), except: WorkspaceError.dump(error).dumpPath)
    } catch let error as FormatError {
        throw fail("\(error)", .unreadable)
    } catch let error as AddressError {
        // What was typed is quoted, and is no path.
        throw fail(Secrets.masked(text: "\(error)"), .usage, isMasked: true)
    } catch let error as TerminalError {
        // Where there is no terminal there will be none: another subcommand does it.
        if case .noTerminal = error { throw fail("\(error)", .usage) }
        throw fail("\(error)", .tryAgain)
    } catch let error as OutputError {
        let done = error.done.map { "\($0); only " } ?? ""
        let again = error.done == nil ? "" : ". What was done is not to be done again"
        throw fail(
            "\(done)the answer could not be written: standard output is closed, or its disk is full\(again)", .tryAgain)
    }
}

extension WorkspaceError {
    /// What happened, and whether the secrets that it may quote are masked already, as those of facts are by their names.
    ///
    /// - Parameter facts: Those that migrations ask for, as far as they are known.
    func told(asking facts: [FactDefinition] = []) -> (sentence: String, isMasked: Bool) {
        guard quotesFacts, case .fact(let problem) = self else { return ("\(self)", false) }
        var masking = Masking()
        masking.secrecy.note(naming: facts + [problem.asked].compactMap(\.self))
        return (masking.told(self), true)
    }
}

/// What happened, with the option that helps.
func told(_ sentence: String, _ advice: Advice?) -> String {
    sentence + (advice.map { (sentence.contains("\n") ? "\n" : " ") + "(\(AdviceWords.options($0)))" } ?? "")
}

/// Says what went wrong; what is thrown ends the program with the status.
///
/// - Parameters:
///   - isMasked: Whether the secrets that it may quote are masked already.
///   - path: That of the dump, in which nothing is masked.
func fail(_ sentence: String, _ status: ExitStatus, isMasked: Bool = false, except path: String? = nil) -> ExitCode {
    printError("vestige: " + sentence, isMasked: isMasked, except: path)
    return ExitCode(status.rawValue)
}

/// A message without the secrets that it quotes; the paths that the person typed are none, whatever their names look like.
private func masked(_ text: String, except path: String? = nil) -> String {
    let typed = CommandLine.arguments.dropFirst().filter {
        $0.utf8.count > 1 && ($0.contains("/") || access($0, F_OK) == 0)
    }
    let found = (path.map { [$0] } ?? []) + typed
    guard let path = found.first(where: text.contains) else { return Secrets.masked(text: text) }
    return text.components(separatedBy: path).map { masked($0) }.joined(separator: path)
}

/// Writes lines to standard error, in a form that is safe to show and without the secrets that they quote.
///
/// - Parameters:
///   - usage: What stands behind it and is the program's own, so that nothing in it is masked.
///   - isMasked: Whether the secrets that it may quote are masked already.
///   - path: That of the dump, in which nothing is masked.
func printError(_ text: String, usage: String = "", isMasked: Bool = false, except path: String? = nil) {
    var text = isMasked ? text : masked(text, except: path)
    // A list in a message has lines of its own; an argument that has some could forge one.
    for argument in CommandLine.arguments.dropFirst() {
        // What is quoted may be a part of it, as of `NAME=VALUE` and `NAME:PROFILE`.
        for part in argument.split(whereSeparator: { "=:".contains($0) }) where part.contains(where: \.isNewline) {
            text = text.replacingOccurrences(of: String(part), with: Glyphs.unicode.displayText(String(part)))
        }
    }
    let lines = (text + usage).split(separator: "\n", omittingEmptySubsequences: false)
    StandardStreams.writeError(lines.map { Glyphs.unicode.displayText(String($0)) + "\n" }.joined())
}

extension AdviceWords {
    /// How the command line words advice: as its options and subcommands.
    static let options = AdviceWords { advice in
        switch advice {
        case .giveFact(let name, let example, let meaning): "--fact \(name)=…   \(meaning), such as \(example)"
        case .startWithFact(let name, let value): "--fact \(name)=\(value)"
        case .giveKeychain: "--keychain FILE   an export of the keychain that has this app's items"
        case .giveNewKeychain:
            "--new-keychain FILE   an export of the keychain that has this app's items, of the new dump"
        case .takeWhole: AdviceWords.plain(advice)
        case .giveKeychainAgain: "--keychain FILE, as steps were applied with it; or --accept-drift to go on without it"
        case .tellKeychainGroup:
            "--keychain-group GROUP   an access group that this app reads (none: items without one), or its own identifier where it "
                + "reads no other"
        case .givePassword:
            "--password-file FILE, where - is standard input; VESTIGE_PASSWORD; or --key-file FILE, which --save-key wrote"
        case .giveArchivePassword, .startWithPassword:
            "--password-file FILE, where - is standard input; or VESTIGE_PASSWORD"
        case .giveSpec: "--spec FILE   the spec that the steps were applied with"
        case .writeSpec:
            "vestige specs new DUMP   drafts a spec; vestige specs infer OLD NEW does, with a dump from after an update"
        case .verify:
            "vestige verify DUMP --workspace FILE   shows a colleague the same, who has the dump, the ledger below (FILE) and the "
                + "spec, where steps are a spec's"
        case .chooseContainer: "--app BUNDLE-ID, or the path that inspect lists"
        case .chooseGroup: "--app-group PATH, which inspect lists"
        case .nameWorkspace: "--workspace FILE"
        case .showSteps(let migration): "-m \(migration) lists its steps"
        case .replaceTarget: "--replace"
        case .exportUnpacked: "--unpacked"
        case .raiseLimit(let name, let value): "--limit \(name.rawValue)=\(value)"
        case .acceptDrift: "--accept-drift"
        }
    }
}
