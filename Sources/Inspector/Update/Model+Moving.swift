/// How far to move.
enum Movement: Hashable {
    case rows(Int)
    case pages(Int)
    case top
    case bottom
}

extension Model {
    mutating func move(_ movement: Movement) -> [Effect] {
        guard let layout = Layout(self) else { return [] }
        if let page {
            let top = target(movement, from: page.top, page: layout.bodyRows)
            self.page?.top = top
        } else if let opened {
            switch opened.focus {
            case .detail:
                let line = target(movement, from: opened.detailTop, page: layout.detailLines.shown)
                self.opened?.detailTop = line
            case .sheet:
                let row = target(movement, from: opened.cursor, page: layout.sheetRows)
                self.opened?.moveCursor(to: row)
            }
        } else if let apps {
            let cursor = target(movement, from: apps.cursor, page: layout.bodyRows)
            self.apps?.cursor = min(max(0, cursor), max(0, apps.apps.count - 1))
        }
        return []
    }

    private func target(_ movement: Movement, from position: Int, page: Int) -> Int {
        switch movement {
        case .rows(let number): position + number * (count ?? 1)
        case .pages(let number): position + number * (count ?? 1) * max(1, page - 1)
        case .top: (count ?? 1) - 1
        case .bottom: count.map { $0 - 1 } ?? Int(Int32.max)
        }
    }

    mutating func moveToProblem(forward: Bool) -> [Effect] {
        let problems = (opened?.plan?.steps ?? []).indices.filter { opened?.plan?.steps[$0].isProblem ?? false }
        let cursor = opened?.cursor ?? 0
        let next =
            forward ? problems.first { $0 > cursor } ?? problems.first : problems.last { $0 < cursor } ?? problems.last
        guard let next else {
            message = .done("no step needs attention")
            return []
        }
        opened?.moveCursor(to: next)
        return []
    }

    mutating func goIn() -> [Effect] {
        if page != nil { return move(.rows(1)) }
        guard let opened else {
            guard let apps, apps.apps.indices.contains(apps.cursor) else { return [] }
            return [.open(apps.apps[apps.cursor].identifier)]
        }
        switch (opened.focus, opened.row) {
        case (.detail, _): self.opened?.isZoomed = true
        case (.sheet, .store(let store)):
            if opened.unfolded.contains(store) {
                self.opened?.unfolded.remove(store)
            } else {
                self.opened?.unfolded.insert(store)
            }
        case (.sheet, _): self.opened?.focus = .detail
        }
        return []
    }

    /// One level out: what runs, the page over the panes, the detail's full screen, the detail, an unfolded store, the app.
    mutating func goOut() -> [Effect] {
        if busy != nil { return [.cancel] }
        if page != nil {
            page = nil
        } else if opened?.isZoomed ?? false {
            opened?.isZoomed = false
        } else if opened?.focus == .detail {
            opened?.focus = .sheet
        } else if case .entry(let store, _) = opened?.row, opened?.unfolded.contains(store) ?? false {
            opened?.unfolded.remove(store)
            if let position = opened?.sheet.position(of: .store(store)) { opened?.moveCursor(to: position) }
        } else if opened?.searchText != nil {
            opened?.searchText = nil
        } else if apps != nil, opened != nil {
            opened = nil
        } else {
            message = .done("this is the outermost level; q quits")
        }
        return []
    }
}
