import Foundation

/// What the argument parser tells of a command: its arguments, and the commands below it.
struct CommandTable: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable { let kind, name: String }
        let kind: String
        let shouldDisplay, isRepeating: Bool
        let names: [Name]?
        let valueName, abstract, defaultValue: String?
    }

    let commandName: String
    let abstract, discussion: String?
    let subcommands: [CommandTable]?
    let arguments: [Argument]?
    let shouldDisplay: Bool

    /// That of the whole program.
    static func read() throws -> CommandTable {
        struct Tool: Decodable { let command: CommandTable }
        return try JSONDecoder().decode(Tool.self, from: Data(Vestige._dumpHelp().utf8)).command
    }

    /// The option that is written more than once though it holds one value, as it is written the last time.
    ///
    /// The parser takes the last: of two migrations that are named it would be one, and nothing said so.
    static func optionGivenTwice(in arguments: some Sequence<String>) -> String? {
        let written = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0.count > 1 }
            .map { String($0.prefix { $0 != "=" }) }
        // The table takes longer than a short answer: facts and specs, which are often several, do not ask for it.
        let others = written.filter { $0 != "--fact" && $0 != "--spec" }
        guard mayRepeat(others), let table = try? read() else { return nil }
        let single = table.all.flatMap { $0.arguments ?? [] }.filter { $0.kind == "option" && !$0.isRepeating }
        var seen: Set<[String]> = []
        return written.first { word in
            guard let words = single.first(where: { $0.words.contains(word) })?.words else { return false }
            return !seen.insert(words).inserted
        }
    }

    /// Whether a name is there twice, or a short one with a long one of the same letter.
    private static func mayRepeat(_ written: [String]) -> Bool {
        Set(written).count < written.count
            || written.contains { short in short.count == 2 && written.contains { $0.hasPrefix("-" + short) } }
    }

    private var all: [CommandTable] { [self] + (subcommands ?? []).flatMap(\.all) }
}

extension CommandTable.Argument {
    /// Its names as they are written, such as `-m` and `--migration`.
    var words: [String] { (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name } }
}
