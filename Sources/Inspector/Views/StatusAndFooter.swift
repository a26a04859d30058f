import Reports

/// The lines above the footer: what the person types, what is being done, or what was last said.
enum StatusView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let y = layout.status.origin.y, width = layout.status.size.width
        if let prompt = model.prompt {
            let over = lines(over: prompt, model).prefix(layout.status.size.height - 1)
            for (index, line) in over.enumerated() {
                let role: Role = model.message?.kind == .done ? .dim : .warning
                frame.draw(line, at: 0, y + index, width: width, role: role)
            }
            draw(prompt, model, at: y + over.count, width: width, isAlone: !over.isEmpty, on: &frame)
        } else if let message = told(model) {
            let lines = lines(of: message, model), most = layout.status.size.height
            let last = lines.dropFirst(most - 1).joined(separator: " ")
            for (index, line) in (lines.prefix(most - 1) + [last]).enumerated() {
                frame.draw(line, at: 0, y + index, width: width, role: message.kind == .done ? .done : .warning)
            }
        } else if let busy = model.busy {
            frame.draw(text(busy, model), at: 0, y, width: width, role: .warning)
        } else if let count = model.count {
            frame.draw("\(count)", at: 0, y, width: width, role: .prompt)
        }
    }

    /// What was last said, unless what is being done stands there; a refusal while something is written goes before that.
    static func told(_ model: Model) -> Message? {
        guard let busy = model.busy else { return model.message }
        return busy.isWriting && model.message?.kind == .refused && !model.wasHeldUp ? model.message : nil
    }

    private static func text(_ busy: Busy, _ model: Model) -> String {
        let dots = model.glyphs.ellipsis
        if busy.isStopping {
            return "stopping: \(busy.label)\(dots)" + (model.isLeaving ? "  Ctrl-C leaves without waiting" : "")
        }
        return "\(busy.label)\(dots)" + (busy.canBeStopped ? "  \(model.key(.out)) stops it" : "")
    }

    /// The lines of what was last said; a long sentence takes several.
    static func lines(of message: Message, _ model: Model, width: Int? = nil) -> [String] {
        model.glyphs.proseLines(message.shown(model.masking), width: width ?? model.size.width)
    }

    /// The lines of what was last said that stand over the line that is typed, as there is no room behind it.
    static func lines(over prompt: Prompt, _ model: Model) -> [String] {
        guard let message = model.message, prompt.purpose != .password else { return [] }
        let used = model.glyphs.columns(prompt.label) + model.glyphs.columns(prompt.shown(model.glyphs).text) + 3
        let room = model.size.width - used
        if room > 0, model.glyphs.columns(message.shown(model.masking), limit: room + 1) <= room { return [] }
        return lines(of: message, model)
    }

    /// The line with the cursor in sight; what was last said stands behind it where there is room.
    private static func draw(
        _ prompt: Prompt, _ model: Model, at y: Int, width: Int, isAlone: Bool, on frame: inout Frame
    ) {
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
        if isAlone { return }
        if let message = model.message, used < width, prompt.purpose != .password {
            frame.draw(
                message.shown(model.masking), at: used, y, width: width - used,
                role: message.kind == .done ? .dim : .warning)
        } else if case .fact(let name) = prompt.purpose, used < width,
            let fact = model.opened?.migration?.facts.first(where: { $0.name == name })
        {
            frame.draw("\(fact.form.description), as \(fact.examples)", at: used, y, width: width - used, role: .dim)
        }
    }
}

/// The last line: the most useful keys that do something now.
enum FooterView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let rect = layout.footer
        if let prompt = model.prompt {
            frame.draw(keys(of: prompt, model), at: 0, rect.origin.y, width: rect.size.width, role: .footer)
            return
        }
        if model.isLocked {
            let keys =
                model.busy == nil
                ? "Enter asks for the password · Ctrl-C leaves" : "\(model.key(.out)) stops it · Ctrl-C leaves"
            frame.draw(keys, at: 0, rect.origin.y, width: rect.size.width, role: .footer)
            return
        }
        if model.clipboard.isChoosing {
            frame.draw("the letter copies · Esc cancels", at: 0, rect.origin.y, width: rect.size.width, role: .footer)
            return
        }
        for item in items(model, width: rect.size.width) {
            let end = frame.draw(item.key.notation, at: item.columns.lowerBound, rect.origin.y, role: .footerKey) + 1
            frame.draw(item.label, at: end, rect.origin.y, role: .footer)
        }
    }

    /// The key that stands in a column.
    static func key(at x: Int, _ model: Model) -> Key? {
        guard model.prompt == nil, !model.isLocked, !model.clipboard.isChoosing else { return nil }
        return items(model, width: model.size.width).first { $0.columns.contains(x) }?.key
    }

    private struct Item {
        let key: Key
        let label: String
        var columns: Range<Int>

        /// The same at a column, which becomes the one where the next can stand.
        func moved(to x: inout Int) -> Item {
            defer { x += columns.count + 2 }
            return Item(key: key, label: label, columns: x..<x + columns.count)
        }
    }

    /// What fits, the most useful first; how to leave, and what else there is, stand in every footer.
    private static func items(_ model: Model, width: Int) -> [Item] {
        let last = ["quit", "help"].compactMap(Action.named).compactMap { item($0, model) }
        let room = width - last.map { $0.columns.count + 2 }.reduce(0, +) + 2
        let actions = Action.footer.filter { action in
            (model.page == nil || action.group != .migrating || action.name == "accept")
                && action.disabledReason(model) == nil && action.isUseful(model)
                && !(action.waitsForWriting && model.busy?.isWriting ?? false)
        }
        // On a narrow screen what there is room for counts more.
        let keepsPlaces = model.isInList && width >= Self.wide
        var items = items(of: actions, model, within: room, keepingPlaces: keepsPlaces), x = room
        for item in last { items.append(item.moved(to: &x)) }
        return items
    }

    /// From this width on, keys stay where they are as the cursor moves.
    private static let wide = 100

    /// - Parameter keepingPlaces: Whether what another row of the list asks for leaves a gap, so that what stands behind it stays
    ///   where it is as the cursor moves.
    private static func items(
        of actions: [Action], _ model: Model, within room: Int, keepingPlaces: Bool
    ) -> [Item] {
        var items: [Item] = [], x = 0
        for action in actions {
            let start = x
            if let item = item(action, model), x + item.columns.count + 2 <= room { items.append(item.moved(to: &x)) }
            guard keepingPlaces else { continue }
            let others = action.labelsByRow.compactMap { item(action, model, label: $0)?.columns.count }
            if let widest = others.max() { x = max(x, start + widest + 2) }
        }
        return items
    }

    private static func item(_ action: Action, _ model: Model, label: String? = nil) -> Item? {
        guard let key = model.settings.keys(of: action).first, let label = label ?? action.label(model) else {
            return nil
        }
        return Item(key: key, label: label, columns: 0..<model.glyphs.columns("\(key.notation) \(label)"))
    }

    private static func keys(of prompt: Prompt, _ model: Model) -> String {
        switch prompt.purpose {
        case .password: "Enter unlocks · Esc closes the line"
        case .filter: "type to filter · \(Key.up.notation) \(Key.down.notation) move · Enter keeps it · Esc shows all"
        case .command: "Enter runs · Esc cancels · Tab completes"
        case .rows:
            "\(model.filterWords.prefix(4).joined(separator: ", ")), or a text; nothing: all · Enter · Esc"
        case .palette: "type to choose · \(Key.up.notation) \(Key.down.notation) move · Enter does it · Esc cancels"
        case .fact: "Enter takes it · Esc leaves it as it is"
        case .search:
            "Enter stays there · \(model.key(.nextMatch)) then goes on · Esc goes back"
        }
    }
}
