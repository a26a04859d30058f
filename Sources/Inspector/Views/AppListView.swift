import Reports

/// The apps of a dump that holds several.
enum AppListView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let apps = model.apps else { return }
        let rect = layout.body
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" Apps: choose one with Enter ", at: 2, rect.origin.y, role: .title)
        let shown = layout.bodyRows
        let top = max(0, min(apps.cursor - shown / 2, apps.apps.count - shown))
        for (index, app) in apps.apps.dropFirst(top).prefix(shown).enumerated() {
            let y = rect.origin.y + 1 + index
            let nameWidth = min(44, rect.size.width * 3 / 5)
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
}
