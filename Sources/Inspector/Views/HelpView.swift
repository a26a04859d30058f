/// The help: every action with its keys and its command, from the table of actions.
enum HelpView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let rect = layout.body
        frame.horizontalLine(at: rect.origin.x, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" Help ", at: 2, rect.origin.y, role: .title)
        let lines = lines(model)
        for (index, runs) in lines.dropFirst(model.helpTop ?? 0).prefix(rect.size.height - 1).enumerated() {
            frame.draw(runs, at: 1, rect.origin.y + 1 + index, width: rect.size.width - 1)
        }
    }

    /// How many lines the help has.
    static func lineCount(_ model: Model) -> Int { lines(model).count }

    private static func lines(_ model: Model) -> [[Run]] {
        var lines: [[Run]] = []
        for group in Action.Group.allCases {
            if !lines.isEmpty { lines.append([]) }
            lines.append([Run(group.rawValue, .heading)])
            for action in Action.all where action.group == group {
                let keys = model.glyphs.padded(action.keys.map(\.notation).joined(separator: " "), to: 16)
                let command = ":\(action.name)\(action.argument.isEmpty ? "" : " \(action.argument)")"
                let text = action.disabledReason(model).map { "\(action.help) (now: \($0))" } ?? action.help
                let isOff = action.disabledReason(model) != nil
                lines.append([Run(keys, isOff ? .dim : .footerKey), Run(command, isOff ? .dim : .key)])
                for line in model.glyphs.proseLines(text, width: max(10, model.size.width - 20)) {
                    lines.append([Run(String(repeating: " ", count: 16)), Run(line, isOff ? .dim : .text)])
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
