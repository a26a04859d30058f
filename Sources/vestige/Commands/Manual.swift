import ArgumentParser
import Foundation
import Inspector
import Reports

/// The manual page, made of what the help, the completions and the inspector are made of.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Print the manual page, for man.",
        discussion: "To read it: vestige man | man -l -")

    func run() throws {
        try reportingFailures { try StandardStreams.write(Array(try Manual.page().utf8)[...]) }
    }
}

/// The manual page in the language of man(7).
enum Manual {
    static func page() throws -> String {
        let tool = try CommandTable.read()
        let commands = all(tool.subcommands ?? [], under: "")
        // What most commands take is told once.
        let counts = Dictionary(
            commands.flatMap { $0.command.options }.map { ($0.head, 1) }, uniquingKeysWith: +)
        func isCommon(_ option: CommandTable.Argument) -> Bool { counts[option.head] ?? 0 > 4 }
        var lines = [".TH VESTIGE 1 \"\" \"vestige \(Version.current)\"", ".SH NAME"]
        lines.append("vestige \\- " + text(tool.abstract ?? ""))
        lines += [".SH SYNOPSIS", ".B vestige", "\\fIdump\\fR", ".br", ".B vestige", "\\fIsubcommand\\fR"]
        lines += [".SH DESCRIPTION"] + prose(tool.discussion ?? "")
        lines.append(".SH SUBCOMMANDS")
        for (name, command) in commands {
            let places = command.shown.filter { $0.kind == "positional" }
            lines.append(".SS vestige " + text(([name] + places.map(\.head)).joined(separator: " ")))
            lines += prose(command.abstract ?? "")
            if let discussion = command.discussion, !discussion.isEmpty { lines += [".PP"] + prose(discussion) }
            lines += (places + command.options.filter { !isCommon($0) }).flatMap(item)
        }
        var seen: Set<String> = []
        let common = commands.flatMap { $0.command.options }.filter { isCommon($0) && seen.insert($0.head).inserted }
        lines += [".SH COMMON OPTIONS", "Most subcommands take these."] + common.flatMap(item)
        lines.append(".SH KEYS OF THE INSPECTOR")
        lines.append("Each is also a command after a colon, and in a script.")
        for group in Action.Group.allCases {
            lines.append(".SS " + text(group.rawValue))
            for action in Action.all where action.group == group {
                let command = ":\(action.name)" + (action.argument.isEmpty ? "" : " \(action.argument)")
                lines += [
                    ".TP", text((action.keys.map(\.notation) + [command]).joined(separator: "  ")), text(action.help),
                ]
            }
        }
        lines += [".SH FILES", ".TP", text("$XDG_CONFIG_HOME/vestige/config (by default ~/.config)")]
        lines.append("Keys, colours and the mouse of the inspector; vestige open tells its lines. Kinds of text:")
        lines.append(text(Role.allCases.map(\.rawValue).joined(separator: ", ")) + ". Colours:")
        lines.append(text((Settings.colours + Settings.attributes).joined(separator: ", ")) + ".")
        lines += [".TP", text("$XDG_CONFIG_HOME/vestige/specs"), "Specs that are offered where they apply."]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func all(_ commands: [CommandTable], under parent: String) -> [(name: String, command: CommandTable)]
    {
        commands.filter { $0.shouldDisplay && $0.commandName != "help" }.flatMap { command in
            let name = parent + command.commandName
            let below = all(command.subcommands ?? [], under: name + " ")
            return [(name, command)] + below
        }
    }

    private static func item(_ argument: CommandTable.Argument) -> [String] {
        let value = argument.defaultValue.map { " (default: \($0))" } ?? ""
        return [".TP", "\\fB" + text(argument.head) + "\\fR", text((argument.abstract ?? "") + value)]
    }

    /// A text of paragraphs; lines that are indented are an example, and stay as they are.
    private static func prose(_ text: String) -> [String] {
        var lines: [String] = [], isExample = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = line.hasPrefix(" ")
            if isIndented != isExample {
                lines.append(isIndented ? ".nf" : ".fi")
                isExample = isIndented
            }
            lines.append(line.isEmpty ? (lines.last == ".PP" ? "" : ".PP") : self.text(String(line)))
        }
        if isExample { lines.append(".fi") }
        while [".PP", ""].contains(lines.last) { lines.removeLast() }
        return lines.filter { !$0.isEmpty }
    }

    /// A text whose characters mean nothing to the language, in ASCII alone.
    private static func text(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        let quoted = escaped.replacing("…", with: "...").replacing("“", with: "\\(lq").replacing("”", with: "\\(rq")
        let plain = quoted.unicodeScalars.map { scalar in
            scalar.isASCII ? String(scalar) : "\\[u" + String(format: "%04X", scalar.value) + "]"
        }.joined()
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}

extension CommandTable {
    fileprivate var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
    /// Its options and flags; what every command has, such as its help, is left out.
    fileprivate var options: [Argument] {
        shown.filter { $0.kind != "positional" && !$0.words.contains("--help") && !$0.words.contains("--version") }
    }
}

extension CommandTable.Argument {
    /// How it is written.
    fileprivate var head: String {
        let value = "<\(valueName ?? "value")>"
        guard kind != "positional" else { return value }
        return words.joined(separator: ", ") + (kind == "flag" ? "" : " " + value)
    }
}
