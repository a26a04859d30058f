import Reports

/// The lines above the footer: what the person types, what is being done, or what was last said.
enum StatusView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let y = layout.status.origin.y, width = layout.status.size.width
        if let prompt = model.prompt {
            draw(prompt, model, at: y, width: width, on: &frame)
        } else if let busy = model.busy {
            frame.draw(text(busy, model), at: 0, y, width: width, role: .warning)
        } else if let message = model.message {
            let lines = lines(of: message, model), most = layout.status.size.height
            let last = lines.dropFirst(most - 1).joined(separator: " ")
            for (index, line) in (lines.prefix(most - 1) + [last]).enumerated() {
                frame.draw(line, at: 0, y + index, width: width, role: message.kind == .done ? .done : .warning)
            }
        } else if let count = model.count {
            frame.draw("\(count)", at: 0, y, width: width, role: .prompt)
        }
    }

    private static func text(_ busy: Busy, _ model: Model) -> String {
        let dots = model.glyphs.ellipsis
        if model.isLeaving { return "stopping: \(busy.label)\(dots)  Ctrl-C leaves without waiting" }
        return "\(busy.label)\(dots)" + (busy.canBeStopped ? "  Esc stops it" : "")
    }

    /// The lines of what was last said; a long sentence takes several.
    static func lines(of message: Message, _ model: Model, width: Int? = nil) -> [String] {
        model.glyphs.proseLines(shown(message, model), width: width ?? model.size.width)
    }

    private static func shown(_ message: Message, _ model: Model) -> String {
        message.quotesDump ? model.masking.sentence(message.text) : message.text
    }

    /// The line with the cursor in sight; what was last said stands behind it where there is room.
    private static func draw(_ prompt: Prompt, _ model: Model, at y: Int, width: Int, on frame: inout Frame) {
        let glyphs = frame.glyphs
        let label = glyphs.columns(prompt.label)
        frame.draw(prompt.label, at: 0, y, width: label, role: .prompt)
        let (text, before) = prompt.shown(glyphs)
        let room = max(1, width - label - 1)
        let hidden = max(0, glyphs.columns(before) - room)
        frame.draw(text, at: label - hidden, y, width: width - label + hidden, role: .text)
        if hidden > 0 { frame.draw(prompt.label, at: 0, y, width: label, role: .prompt) }
        frame.cursor = Position(x: label + glyphs.columns(before) - hidden, y: y)
        let used = label + glyphs.columns(text) + 3
        if let message = model.message, used < width, prompt.purpose != .password {
            frame.draw(
                shown(message, model), at: used, y, width: width - used, role: message.kind == .done ? .dim : .warning)
        } else if case .fact(let name) = prompt.purpose, used < width,
            let fact = model.opened?.migration?.facts.first(where: { $0.name == name })
        {
            frame.draw("\(fact.form.description), as \(fact.example)", at: used, y, width: width - used, role: .dim)
        }
    }
}

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
