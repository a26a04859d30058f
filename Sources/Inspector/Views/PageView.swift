import Reports

/// A page of text over the panes.
enum PageView {
    static func draw(_ page: Page, _ model: Model, in layout: Layout, on frame: inout Frame) {
        let rect = layout.body
        frame.horizontalLine(at: rect.origin.x, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(page.subject == .help ? " Help " : " Warnings ", at: 2, rect.origin.y, role: .title)
        let lines = lines(page, model)
        for (index, runs) in lines.dropFirst(page.top).prefix(rect.size.height - 1).enumerated() {
            frame.draw(runs, at: 1, rect.origin.y + 1 + index, width: rect.size.width - 1)
        }
        guard lines.count > layout.bodyRows else { return }
        let shown = " \(min(lines.count, page.top + layout.bodyRows))/\(lines.count) "
        frame.draw(shown, at: rect.columns.upperBound - shown.count - 1, rect.origin.y, width: shown.count, role: .dim)
    }

    /// The lines of a page.
    static func lines(_ page: Page, _ model: Model) -> [[Run]] {
        switch page.subject {
        case .help: HelpPage.lines(model)
        case .warnings: warnings(model)
        }
    }

    private static func warnings(_ model: Model) -> [[Run]] {
        guard let opened = model.opened else { return [] }
        let sentences = opened.drift.map { "The dump has changed: \($0)." } + opened.warnings
        if sentences.isEmpty {
            return [[Run("Nothing is missing, and everything that was looked at can be read.", .dim)]]
        }
        return sentences.flatMap { sentence in
            model.glyphs.proseLines(model.masking.sentence(sentence), width: max(1, model.size.width - 3)).enumerated()
                .map { index, line in
                    [Run(index == 0 ? "! " : "  ", .warning), Run(line)]
                }
        }
    }
}
