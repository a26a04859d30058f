extension Model {
    /// Takes in an event and says what is to be done about it.
    public mutating func update(_ event: Event) -> [Effect] {
        switch event {
        case .started: return opened == nil ? [] : [.examine]
        case .terminal(.key(let key)):
            let effects = press(key)
            settle()
            return effects
        case .terminal(.resize(let size)):
            self.size = size
            settle()
            return []
        case .terminal(.closed):
            hasQuit = true
            return []
        case .terminal(.woken): return []
        case .progress(let text):
            if busy != nil { busy = text }
            return []
        case .finished(.examined(let identifier, let warnings)):
            if opened?.snapshot.title == identifier { opened?.warnings = warnings }
            settle()
            return []
        case .finished(let result):
            busy = nil
            finish(result)
            settle()
            if case .opened = result { return [.examine] }
            return []
        }
    }

    private mutating func press(_ key: Key) -> [Effect] {
        if prompt != nil { return begin(type(key)) }
        message = nil
        if case .character(let digit) = key, let number = digit.wholeNumberValue, digit.isASCII,
            count != nil || number > 0
        {
            count = min((count ?? 0) * 10 + number, 100_000_000)
            return []
        }
        defer { count = nil }
        guard let action = Action.action(of: key) else {
            message = .refused("\(key.notation) does nothing here; ? shows what does")
            return []
        }
        if page != nil, action.group == .migrating {
            message = .refused("\(action.name): Esc closes this page first")
            return []
        }
        return begin(perform(action))
    }

    /// Starts effects: one at a time, so that nothing overtakes.
    private mutating func begin(_ effects: [Effect]) -> [Effect] {
        guard let first = effects.first else { return [] }
        if case .cancel = first { return [first] }
        if let busy {
            message = .refused("still \(busy); Esc stops it")
            return []
        }
        busy = first.label
        return [first]
    }

    /// Brings the cursor into the window and the scrolled parts into their bounds.
    mutating func settle() {
        guard let layout = Layout(self) else { return }
        let written = DetailView.written(self, width: layout.detailWidth)
        opened?.writtenDetail = written
        opened?.scroll(rows: layout.sheetRows, detailLines: layout.detailLines)
        if let page {
            let last = max(0, PageView.lines(page, self).count - layout.bodyRows)
            self.page?.top = min(max(0, page.top), last)
        }
    }
}

extension OpenContainer {
    /// Moves the windows so that the cursor is seen and no pane is scrolled past its end.
    fileprivate mutating func scroll(rows: Int, detailLines: (total: Int, shown: Int)) {
        if cursor < top { top = cursor }
        if rows > 0, cursor >= top + rows { top = cursor - rows + 1 }
        top = min(top, max(0, sheet.count - max(rows, 1)))
        detailTop = min(max(0, detailTop), max(0, detailLines.total - detailLines.shown))
    }
}
