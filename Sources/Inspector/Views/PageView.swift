import MigrationEngine
import Reports
import Workspace

/// A page of text over the panes.
enum PageView {
    static func draw(_ page: Page, _ model: Model, in layout: Layout, on frame: inout Frame) {
        if page.subject == .comparison { return ComparisonView.draw(model, in: layout, on: &frame) }
        let rect = layout.body
        frame.horizontalLine(at: rect.origin.x, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" \(title(page)) ", at: 2, rect.origin.y, role: .title)
        let lines = lines(page, model)
        // What is to be selected stands by itself.
        let margin = page.subject == .copied ? 0 : 1
        for (index, runs) in lines.dropFirst(page.top).prefix(rect.size.height - 1).enumerated() {
            frame.draw(runs, at: margin, rect.origin.y + 1 + index, width: rect.size.width - margin)
        }
        guard lines.count > layout.bodyRows else { return }
        let shown = " \(min(lines.count, page.top + layout.bodyRows))/\(lines.count) "
        frame.draw(shown, at: rect.columns.upperBound - shown.count - 1, rect.origin.y, width: shown.count, role: .dim)
    }

    private static func title(_ page: Page) -> String {
        switch page.subject {
        case .help: "Help"
        case .warnings: "Warnings"
        case .copied: "Copied"
        case .comparison: "Comparison"
        }
    }

    /// The lines of a page that is a text.
    static func lines(_ page: Page, _ model: Model) -> [[Run]] {
        switch page.subject {
        case .help: HelpPage.lines(model)
        case .warnings: warnings(model)
        case .copied: model.clipboard.lines.map { [Run($0)] }
        case .comparison: []
        }
    }

    private static func warnings(_ model: Model) -> [[Run]] {
        let quoting =
            model.opened.map { $0.drift.map(\.told) + $0.warnings + $0.view.unknown.map(\.told) }
            ?? model.apps?.warnings ?? []
        // A departure knows which of its facts are secret.
        let sentences =
            (model.opened?.plan?.departures ?? []).map { $0.told(model.masking) }
            + quoting.map(model.masking.sentence)
        if sentences.isEmpty {
            return [[Run("Nothing is missing, and everything that was looked at can be read.", .dim)]]
        }
        return sentences.flatMap { sentence in
            model.glyphs.proseLines(sentence, width: max(1, model.size.width - 3)).enumerated()
                .map { index, line in
                    [Run(index == 0 ? "! " : "  ", .warning), Run(line)]
                }
        }
    }
}

extension ApplicableMigrations.UnknownReason {
    /// What is not known, why, and what the person can do about it here.
    fileprivate var told: String {
        let list = migrations.map(\.id).joined(separator: ", ")
        guard isWithoutKeychain else { return "Unknown of \(list): \(reason.explanation)." }
        return "Not known without a keychain: \(list). To mend it: \(AdviceWords.keys(.giveKeychain))."
    }
}

extension Drift {
    /// What is the matter, and what the person can do about it here.
    fileprivate var told: String {
        let advice = kind == .keychainNotGiven ? " To mend it: \(AdviceWords.keys(.giveKeychain))." : ""
        return sentence.prefix(1).uppercased() + sentence.dropFirst() + "." + advice
    }
}

/// The lines of the help: every action with its keys and its command, from the table of actions.
enum HelpPage {
    /// The columns for the keys of an action.
    private static let keyColumns = 24
    /// Below this width, the command stands under the keys rather than beside them.
    private static let sideBySide = 60

    static func lines(_ model: Model) -> [[Run]] {
        let isStacked = model.size.width < sideBySide
        let indent = String(repeating: " ", count: isStacked ? 2 : keyColumns)
        var lines: [[Run]] = []
        for group in Action.Group.allCases {
            if !lines.isEmpty { lines.append([]) }
            lines.append([Run(group.rawValue, .heading)])
            for action in Action.all where action.group == group {
                let keys = model.glyphs.padded(action.keys.map(\.notation).joined(separator: " "), to: keyColumns)
                let command = ":\(action.name)\(action.argument.isEmpty ? "" : " \(action.argument)")"
                let text = action.disabledReason(model).map { "\(action.help) (now: \($0))" } ?? action.help
                let isOff = action.disabledReason(model) != nil
                let keyRun = Run(keys, isOff ? .dim : .footerKey), commandRun = Run(command, isOff ? .dim : .key)
                if isStacked {
                    if !action.keys.isEmpty { lines.append([keyRun]) }
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
            (.migrates, "there is something to apply"), (.unchanged, "the target holds that"),
            (.skipped, "the rules say to leave it"), (.blocked, "a fact is missing"),
            (.conflict, "the target differs"), (.failed, "corrupt, or of the wrong type"),
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
