/// The lines of the help: every action with its keys and its command, from the table of actions.
enum HelpPage {
    /// The columns for the keys of an action.
    private static let keyColumns = 24

    static func lines(_ model: Model) -> [[Run]] {
        var lines: [[Run]] = []
        for group in Action.Group.allCases {
            if !lines.isEmpty { lines.append([]) }
            lines.append([Run(group.rawValue, .heading)])
            for action in Action.all where action.group == group {
                let keys = model.glyphs.padded(action.keys.map(\.notation).joined(separator: " "), to: keyColumns)
                let command = ":\(action.name)\(action.argument.isEmpty ? "" : " \(action.argument)")"
                let text = action.disabledReason(model).map { "\(action.help) (now: \($0))" } ?? action.help
                let isOff = action.disabledReason(model) != nil
                lines.append([Run(keys, isOff ? .dim : .footerKey), Run(command, isOff ? .dim : .key)])
                for line in model.glyphs.proseLines(text, width: max(10, model.size.width - keyColumns - 2)) {
                    lines.append([Run(String(repeating: " ", count: keyColumns)), Run(line, isOff ? .dim : .text)])
                }
            }
        }
        return lines + [[]] + signs
    }

    /// What the signs mean.
    private static let signs: [[Run]] = [
        [Run("Signs", .heading)],
        [Run("→ migrates: there is something to apply     ✓ applied")],
        [Run("= unchanged: the target holds that already  - skipped: the rules say to leave it")],
        [Run("? blocked: a fact is missing                ! conflict: the target holds something else")],
        [Run("✗ failed: the input is corrupt or of the wrong type")],
    ]
}
