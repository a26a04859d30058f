import MigrationEngine
import Reports

/// The lines of the help, from the table of actions: all of it in columns, in a few words, then each action in full.
enum HelpPage {
    /// The columns of a column of the help, and what of them the keys take.
    private static let column = (width: 38, keys: 12)

    /// The columns for the keys of an action.
    private static let keyColumns = 24
    /// Below this width, the command stands under the keys rather than beside them.
    private static let sideBySide = 60

    static func lines(_ model: Model) -> [[Run]] {
        // What can be done is what can be done beneath it.
        var model = model
        if model.page?.subject == .help { model.closePage() }
        return columns(model) + inFull(model)
    }

    /// Every action with its keys, and the signs, side by side in as many columns as there is room for; nothing where that
    /// is one.
    static func columns(_ model: Model) -> [[Run]] {
        let glyphs = model.glyphs, count = (model.size.width - 1) / column.width
        guard count > 1 else { return [] }
        var parts = Action.Group.allCases.map { group in
            [[Run(group.rawValue, .heading)]]
                + Action.all.filter { $0.group == group }.map { action in
                    let isOff = action.disabledReason(model) != nil, keys = keys(of: action, model)
                    return [
                        Run(glyphs.padded(keys, to: column.keys), isOff ? .dim : .footerKey),
                        Run(action.brief, isOff ? .dim : .text),
                    ]
                }
        }
        parts += signs(model).split(whereSeparator: \.isEmpty).map { Array($0) }
        let lines = Array(parts.joined(separator: [[]])), height = (lines.count + count - 1) / count
        let rows = (0..<height).map { row in
            (0..<count).flatMap { index -> [Run] in
                let position = index * height + row
                let line = lines.indices.contains(position) ? lines[position] : []
                return cut(line, to: column.width, glyphs)
            }
        }
        return rows + [[]]
    }

    /// As many of an action's keys as a column has room for; of one without a key, its command.
    private static func keys(of action: Action, _ model: Model) -> String {
        let all = model.settings.keys(of: action).map(\.notation)
        guard let first = all.first else { return ":\(action.name)" }
        return all.dropFirst().reduce(first) { keys, key in
            keys.count + key.count + 2 < column.keys ? "\(keys) \(key)" : keys
        }
    }

    /// A line of exactly so many columns, of which the last ones are blank.
    private static func cut(_ runs: [Run], to width: Int, _ glyphs: Glyphs) -> [Run] {
        var left = width - 2
        let cut = runs.map { run in
            let text = glyphs.truncated(run.text, to: max(0, left))
            left -= glyphs.columns(text)
            return Run(text, run.role)
        }
        return cut + [Run(String(repeating: " ", count: max(0, left) + 2))]
    }

    /// Each action with its keys, its command and what it does.
    private static func inFull(_ model: Model) -> [[Run]] {
        let isStacked = model.size.width < sideBySide
        let indent = String(repeating: " ", count: isStacked ? 2 : keyColumns)
        var lines: [[Run]] = []
        for group in Action.Group.allCases {
            if !lines.isEmpty { lines.append([]) }
            lines.append([Run(group.rawValue, .heading)])
            for action in Action.all where action.group == group {
                let own = model.settings.keys(of: action)
                let keys = model.glyphs.padded(own.map(\.notation).joined(separator: " "), to: keyColumns)
                let command = ":\(action.name)\(action.argument.isEmpty ? "" : " \(action.argument)")"
                let text = action.disabledReason(model).map { "\(action.help) (now: \($0))" } ?? action.help
                let isOff = action.disabledReason(model) != nil
                let keyRun = Run(keys, isOff ? .dim : .footerKey), commandRun = Run(command, isOff ? .dim : .key)
                if isStacked {
                    if !own.isEmpty { lines.append([keyRun]) }
                    lines.append([Run(indent), commandRun])
                } else {
                    lines.append([keyRun, commandRun])
                }
                for line in model.glyphs.proseLines(text, width: max(10, model.size.width - indent.count - 2)) {
                    lines.append([Run(indent), Run(line, isOff ? .dim : .text)])
                }
            }
        }
        return lines + [[]] + signs(model)
    }

    /// What the signs mean, a line each, so that none is cut on a narrow screen.
    private static func signs(_ model: Model) -> [[Run]] {
        let kinds: [(Outcome.Kind, String)] = [
            (.migrates, "something to apply"), (.unchanged, "the target holds that"),
            (.skipped, "the rules say to leave it"), (.blocked, "waits for a fact or store"),
            (.conflict, "the target differs"), (.failed, "damaged, or a wrong type"),
        ]
        let signs =
            [(Outcome.Kind.appliedSign(model.glyphs), "applied", "")]
            + kinds.map { kind, meaning in (kind.sign(model.glyphs), kind.rawValue, ": " + meaning) }
        return [[Run("Signs", .heading)]]
            + signs.map { sign, word, meaning in [sign, Run(" "), Run(word, sign.role), Run(meaning)] }
            + [[], [Run("Between the sides", .heading)]]
            + ValueEffect.allCases.map { effect in
                let sign = effect.sign(model.glyphs)
                return [sign, Run(" "), Run(effect.word, sign.role), Run(": " + effect.meaning)]
            }
    }
}
