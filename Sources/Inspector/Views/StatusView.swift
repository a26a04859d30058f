/// The line above the footer: what the person types, what is being done, or what was last said.
enum StatusView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let y = layout.status.origin.y, width = layout.status.size.width
        if let prompt = model.prompt {
            draw(prompt, model, at: y, width: width, on: &frame)
        } else if let busy = model.busy {
            frame.draw("\(busy)…  Esc stops it", at: 0, y, width: width, role: .warning)
        } else if let message = model.message {
            frame.draw(
                model.masking.sentence(message.text), at: 0, y, width: width,
                role: message.kind == .done ? .done : .warning)
        } else if let count = model.count {
            frame.draw("\(count)", at: 0, y, width: width, role: .prompt)
        }
    }

    /// The line with the cursor in sight; what was last said stands behind it where there is room.
    private static func draw(_ prompt: Prompt, _ model: Model, at y: Int, width: Int, on frame: inout Frame) {
        let glyphs = frame.glyphs
        let label = glyphs.columns(prompt.label)
        frame.draw(prompt.label, at: 0, y, width: label, role: .prompt)
        let before = prompt.textBeforeCursor
        let room = max(1, width - label - 1)
        let hidden = max(0, glyphs.columns(before) - room)
        frame.draw(prompt.text, at: label - hidden, y, width: width - label + hidden, role: .text)
        if hidden > 0 { frame.draw(prompt.label, at: 0, y, width: label, role: .prompt) }
        frame.cursor = Position(x: label + glyphs.columns(before) - hidden, y: y)
        let used = label + glyphs.columns(prompt.text) + 3
        if let message = model.message, used < width {
            let text = model.masking.sentence(message.text)
            frame.draw(text, at: used, y, width: width - used, role: message.kind == .done ? .dim : .warning)
        } else if case .fact(let name) = prompt.purpose, used < width,
            let fact = model.opened?.migration?.facts.first(where: { $0.name == name })
        {
            frame.draw("\(fact.form.description), as \(fact.example)", at: used, y, width: width - used, role: .dim)
        }
    }
}
