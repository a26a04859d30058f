import Reports

/// The last line: the most useful keys that do something now.
enum FooterView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let rect = layout.footer
        let help = "? help"
        var x = 0
        for action in Action.footer where model.prompt == nil && (model.page == nil || action.group != .migrating) {
            guard action.disabledReason(model) == nil, action.isUseful(model), let key = action.keys.first,
                let label = action.label
            else { continue }
            let notation = key.notation
            let width = frame.glyphs.columns("\(notation) \(label)  ")
            guard x + width + help.count <= rect.size.width else { continue }
            x = frame.draw(notation, at: x, rect.origin.y, role: .footerKey) + 1
            x = frame.draw(label, at: x, rect.origin.y, role: .footer) + 2
        }
        if model.prompt != nil {
            let keys = "Enter \(model.prompt?.purpose == .password ? "unlocks" : "runs") · Esc cancels"
            let completion = model.prompt?.purpose == .command ? " · Tab completes" : ""
            frame.draw(keys + completion, at: 0, rect.origin.y, width: rect.size.width, role: .footer)
        } else {
            frame.draw("?", at: rect.size.width - help.count, rect.origin.y, role: .footerKey)
            frame.draw("help", at: rect.size.width - help.count + 2, rect.origin.y, role: .footer)
        }
    }
}
