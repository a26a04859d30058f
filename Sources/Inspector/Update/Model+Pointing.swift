import Reports

extension Model {
    /// How many rows the wheel moves by.
    private static let wheel = 3

    /// Takes what the mouse did: a press goes to what stands there, and into it where that is selected already; the wheel
    /// scrolls what is under it.
    mutating func point(_ action: MouseAction, at position: Position) -> [any Effect] {
        guard !isLeaving, prompt == nil, let layout = Layout(self), Rect(size).holds(position) else { return [] }
        if action == .release { return letGo(at: position, layout) }
        (message, count) = (nil, nil)
        switch action {
        case .release: break
        case .press:
            isDragging = page == nil && opened != nil && layout.isDivider(position)
            if isDragging { return [] }
            if layout.footer.holds(position) { return FooterView.key(at: position.x, self).map { press($0) } ?? [] }
            question = nil
            return press(at: position, layout)
        case .wheelUp: return turn(-Self.wheel, at: position, layout)
        case .wheelDown: return turn(Self.wheel, at: position, layout)
        }
        return []
    }

    /// Puts the line between the panes where it is let go of.
    private mutating func letGo(at position: Position, _ layout: Layout) -> [any Effect] {
        guard isDragging else { return [] }
        isDragging = false
        if layout.isDetailBeside {
            shares.beside = (Double(position.x) + 0.5) / Double(size.width)
        } else {
            let rows = max(0, position.y - layout.body.origin.y)
            shares.below = (Double(rows) + 0.5) / Double(max(1, layout.body.size.height))
        }
        return []
    }

    /// Moves the line between the panes by some lines or columns, so that the list is larger, or smaller.
    mutating func moveDivider(by distance: Int) -> [any Effect] {
        guard let layout = Layout(self) else { return [] }
        if layout.isDetailBeside {
            let width = min(max(20, layout.sheet.size.width + distance * 4 * (count ?? 1)), size.width - 20)
            shares.beside = (Double(width) + 0.5) / Double(size.width)
        } else {
            let height = layout.body.size.height
            let rows = min(max(3, layout.sheet.size.height + distance * (count ?? 1)), height - 2)
            shares.below = (Double(rows) + 0.5) / Double(max(1, height))
        }
        return []
    }

    /// Puts the line between the panes where the list has so many percent, or, with `auto`, where the program puts it.
    mutating func putDivider(_ argument: String) -> [any Effect] {
        if argument.isEmpty || argument == "auto" {
            shares = (nil, nil)
        } else if let percent = Int(argument.hasSuffix("%") ? String(argument.dropLast()) : argument),
            (10...90).contains(percent)
        {
            let share = Double(percent) / 100
            if Layout(self)?.isDetailBeside ?? false { shares.beside = share } else { shares.below = share }
        } else {
            message = .refused("divider takes how many percent the list is to have, from 10 to 90, or auto")
        }
        return []
    }

    private mutating func press(at position: Position, _ layout: Layout) -> [any Effect] {
        if isComparing {
            guard let comparison, !comparison.isZoomed else { return [] }
            let places = ComparisonView.Places(comparison, layout)
            guard places.list.holds(position),
                let line = Self.line(
                    of: position, below: places.list.origin.y + places.head, places.rowHeight, places.rows),
                comparison.top + line < comparison.count
            else { return [] }
            if comparison.cursor == comparison.top + line { return goIn() }
            self.comparison?.moveCursor(to: comparison.top + line)
        } else if let page {
            guard let cursor = page.cursor, layout.body.holds(position) else { return [] }
            let text = PageView.text(page, self), line = page.top + position.y - layout.body.origin.y - 1
            guard (page.top..<text.count).contains(line) else { return [] }
            let target = text.target(-1, from: line, orThere: true)
            guard text.isTarget(target), text.item(at: target).contains(line) else { return [] }
            if target == cursor { return follow(page) ?? [] }
            self.page?.cursor = target
        } else if layout.sheet.holds(position) {
            if let opened {
                let rows = opened.top..<min(opened.sheet.count, opened.top + layout.sheetRows)
                guard let row = rows.first(where: { layout.lines(of: $0).contains(position.y) }) else { return [] }
                let isThere = opened.focus == .sheet && opened.cursor == row
                self.opened?.focus = .sheet
                if isThere { return goIn() }
                self.opened?.moveCursor(to: row)
            } else if let apps {
                let window = apps.window(of: layout.sheetRows), line = position.y - layout.sheet.origin.y - 1
                guard window.contains(window.lowerBound + line) else { return [] }
                if apps.cursor == window.lowerBound + line { return goIn() }
                self.apps?.moveCursor(to: window.lowerBound + line)
            }
        } else if let opened, layout.detail.holds(position) {
            self.opened?.focus = .detail
            let line = position.y - layout.detailText(beside: layout.isDetailBeside).origin.y
            if opened.detail?.pages.form == .tree, line >= 0 { self.opened?.treeLine = opened.detailTop + line }
        }
        return []
    }

    /// Scrolls what is under the wheel; the keys go there from then on.
    private mutating func turn(_ rows: Int, at position: Position, _ layout: Layout) -> [any Effect] {
        if page == nil, opened != nil {
            if layout.detail.holds(position) {
                opened?.focus = .detail
            } else if layout.sheet.holds(position) {
                opened?.focus = .sheet
            }
        }
        return move(.rows(rows))
    }

    /// Which row of a list a position is in.
    private static func line(of position: Position, below first: Int, _ height: Int, _ rows: Int) -> Int? {
        guard position.y >= first else { return nil }
        let line = (position.y - first) / height
        return line < rows ? line : nil
    }
}
