import Reports

/// The apps of a dump that holds several.
enum AppListView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let apps = model.apps else { return drawLocked(model, in: layout, on: &frame) }
        let rect = layout.body
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" Apps: choose one with Enter ", at: 2, rect.origin.y, role: .title)
        let shown = layout.bodyRows
        let top = max(0, min(apps.cursor - shown / 2, apps.apps.count - shown))
        let longest = apps.apps.dropFirst(top).prefix(shown).map { frame.glyphs.columns(apps.name(of: $0)) }.max() ?? 0
        for (index, app) in apps.apps.dropFirst(top).prefix(shown).enumerated() {
            let y = rect.origin.y + 1 + index
            let nameWidth = min(max(44, longest), rect.size.width * 3 / 5)
            frame.draw(apps.name(of: app), at: 2, y, width: nameWidth, role: .key)
            let summary = apps.findings[app.path]?.summary ?? frame.glyphs.ellipsis
            frame.draw(
                "\(app.kind) · \(summary)", at: 3 + nameWidth, y, width: rect.size.width - nameWidth - 3, role: .dim)
            if top + index == apps.cursor {
                frame.select(Rect(x: 0, y: y, width: rect.size.width, height: 1))
                frame.cursor = Position(x: 0, y: y)
            }
        }
    }

    /// What a dump is that a password opens.
    private static func drawLocked(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let locked = model.unopened?.locked else { return }
        let rect = layout.body
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" Locked ", at: 2, rect.origin.y, role: .title)
        let sentence = """
            \(locked.place ?? "This dump") (\(locked.kind)) is encrypted. The password that was chosen when it was made opens it; it is kept \
            nowhere. Enter asks for it.
            """
        let width = max(1, rect.size.width - 4)
        // Beside the line that is typed there is little room for why the last password did not do.
        let message = model.prompt == nil ? nil : model.message
        let lines =
            frame.glyphs.proseLines(sentence, width: width).map { ($0, Role.text) }
            + (message.map { StatusView.lines(of: $0, model, width: width) } ?? []).map { ($0, Role.warning) }
        for (index, line) in lines.prefix(rect.size.height - 1).enumerated() {
            frame.draw(line.0, at: 2, rect.origin.y + 1 + index, width: width, role: line.1)
        }
    }
}
