import MigrationEngine
import Reports

/// How far to move.
enum Movement: Hashable {
    case rows(Int)
    case pages(Int)
    case top
    case bottom
}

extension Model {
    mutating func move(_ movement: Movement) -> [any Effect] {
        guard let layout = Layout(self) else { return [] }
        if case .rows = movement { hasMovedNearby = true }
        if case .pages = movement { hasMovedNearby = true }
        if isComparing, let comparison {
            let places = ComparisonView.Places(comparison, layout)
            if comparison.isZoomed {
                let line = target(movement, from: comparison.detailTop, page: places.lines)
                self.comparison?.detailTop = line
            } else {
                let row = target(movement, from: comparison.cursor, page: places.rows)
                self.comparison?.moveCursor(to: row)
            }
        } else if let page {
            move(movement, on: page, lines: layout.bodyRows)
        } else if let opened {
            switch opened.focus {
            case .detail where opened.detail?.pages.form == .tree:
                let line = target(movement, from: opened.treeLine, page: layout.detailLines.shown)
                self.opened?.treeLine = line
            case .detail:
                let line = target(movement, from: opened.detailTop, page: layout.detailLines.shown)
                self.opened?.detailTop = line
                self.opened?.detailMatch = nil
            case .sheet:
                let row = target(movement, from: opened.cursor, page: layout.sheetRows)
                self.opened?.moveCursor(to: row)
            }
        } else if let apps {
            let cursor = target(movement, from: apps.cursor, page: layout.sheetRows)
            self.apps?.moveCursor(to: cursor)
        }
        return []
    }

    func target(_ movement: Movement, from position: Int, page: Int) -> Int {
        switch movement {
        case .rows(let number): position + number * (count ?? 1)
        case .pages(let number): position + number * (count ?? 1) * max(1, page - 1)
        case .top: (count ?? 1) - 1
        case .bottom: count.map { $0 - 1 } ?? Int(Int32.max)
        }
    }

    /// The next form that the row under the cursor has; `nil` where it has no other, or that is not known yet.
    var nextForm: ValueForm? {
        guard opened?.row != nil, let pages = opened?.detail?.pages, pages.forms.count > 1,
            let now = pages.forms.firstIndex(of: pages.form)
        else { return nil }
        return pages.forms[(now + 1) % pages.forms.count]
    }

    /// Looks at the row under the cursor in the next form, or in the one that is named.
    mutating func look(as name: String) -> [any Effect] {
        let forms = opened?.detail?.pages.forms ?? []
        if name.isEmpty {
            guard let next = nextForm else {
                message = .done("there is no other way to look at this")
                return []
            }
            opened?.look(as: next)
        } else if let form = ValueForm(rawValue: name), forms.contains(form) {
            opened?.look(as: form)
        } else {
            message = .refused("view takes \(forms.map(\.rawValue).joined(separator: ", ")) here")
        }
        return []
    }

    mutating func foldTree(by levels: Int) -> [any Effect] {
        guard let opened, let depth = opened.detail?.pages.depth else { return [] }
        let new = max(0, (opened.tree.depth ?? depth) + levels)
        self.opened?.tree = TreeFolds(depth: new >= depth ? nil : new)
        return []
    }

    /// Folds or unfolds the part in the line of the tree that the keys go to.
    mutating func foldPart() -> [any Effect] {
        guard let opened, let pages = opened.detail?.pages else { return [] }
        guard let part = pages.part(at: opened.treeLine) else {
            message = .refused(
                "the part in this line has no parts; \(key(.down)) and \(key(.up)) go to others once \(key(.pane)) is in the detail"
            )
            return []
        }
        self.opened?.tree.toggled.formSymmetricDifference([part])
        return []
    }

    mutating func moveTable(by columns: Int) -> [any Effect] {
        let left = (opened?.tableLeft ?? 0) + columns
        opened?.tableLeft = min(max(0, left), 2_000)
        return []
    }

    mutating func moveToProblem(forward: Bool) -> [any Effect] {
        if isComparing { return moveToComparedProblem(forward: forward) }
        if page?.subject == .warnings { return move(.rows(forward ? 1 : -1)) }
        let steps = opened?.urgentSteps ?? []
        let shown = steps.filter { opened?.sheet.position(of: .step($0)) != nil }
        guard let first = shown.first, let last = shown.last else {
            message = .done(
                steps.isEmpty
                    ? "no step needs attention"
                    : "no step that the filter shows needs attention; \(steps.count) that it hides do, \(key(.filter)) shows them"
            )
            return []
        }
        // By urgency, as a ring: who is on none of them begins with the most urgent one.
        var next = forward ? first : last
        if case .step(let here)? = opened?.row, let place = shown.firstIndex(of: here) {
            next = shown[(place + (forward ? 1 : shown.count - 1)) % shown.count]
        }
        let position = opened?.sheet.position(of: .step(next)) ?? 0
        opened?.moveCursor(to: position)
        if let step = opened?.step, let matter = step.attention {
            message = .done("\((shown.firstIndex(of: next) ?? 0) + 1) of \(shown.count): \(step.step.title) \(matter)")
        }
        return []
    }

    mutating func goIn() -> [any Effect] {
        if isComparing {
            let hasRows = (comparison?.count ?? 0) > 0
            comparison?.isZoomed = hasRows
            return []
        }
        if let page { return follow(page) ?? move(.rows(1)) }
        if unopened?.locked != nil {
            // While a password is tried there is no line for another.
            if let busy { message = still(busy) } else { prompt = Prompt(.password) }
            return []
        }
        guard let opened else {
            guard let app = apps?.selected else { return [] }
            return [Opening(path: app.path, name: app.identifier)]
        }
        switch (opened.focus, opened.row) {
        case (.detail, _): self.opened?.isZoomed = true
        case (.sheet, .store(let store)):
            return fold(store, opened.folding(store), isUnfolded: opened.unfolded.contains(store))
        case (.sheet, .noise(let store, _)):
            return fold(store, opened.foldingNoise(of: store), isUnfolded: opened.view.noisy.contains(store))
        case (.sheet, _): self.opened?.focus = .detail
        }
        return []
    }

    /// Folds or unfolds a store; a filter does not undo it.
    private mutating func fold(_ store: StoreID, _ request: ViewRequest, isUnfolded: Bool) -> [any Effect] {
        if busy == nil {
            if isUnfolded { opened?.filtering?.shut.insert(store) } else { opened?.filtering?.shut.remove(store) }
        }
        return [Planning(request, label: "listing \(masking.place(store))")]
    }

    /// One level out: what runs, a page or the detail, the timeline, the filter of the rows, an unfolded store, the search, a
    /// migration that does not apply, the app, the filter of the apps.
    mutating func goOut() -> [any Effect] {
        if let busy {
            if busy.canBeStopped { return [Cancelling()] }
            message = .refused("\(busy.label) cannot be stopped; it will not take long")
            return []
        }
        if closeLevel() { return [] }
        if let effects = leaveTimeline() { return effects }
        if opened?.filtering != nil { return filterRows(by: "") }
        if let opened, case .entry(let store, let key) = opened.row {
            let isNoise =
                opened.view.noisy.contains(store) && opened.view.sheet.noise(in: store)?.contains(key) == true
            // What was unfolded at first is no level that the person has gone into.
            if isNoise || opened.view.chosenUnfolded?.contains(store) ?? false {
                let request = isNoise ? opened.foldingNoise(of: store) : opened.folding(store)
                let head = isNoise ? SheetRow.noise(store, count: 0) : .store(store)
                return [
                    Planning(request, label: "listing \(masking.place(store))") { _, model in
                        if let position = model.opened?.sheet.position(of: head) {
                            model.opened?.moveCursor(to: position)
                        }
                    }
                ]
            }
        }
        if opened?.searchText != nil {
            opened?.searchText = nil
        } else if let opened, opened.looksAside {
            return lookAsBefore()
        } else if let opened, opened.migration != nil, opened.isPlainAtFirst {
            return lookWithoutMigration()
        } else if let opened, apps != nil {
            leaveApp(opened)
        } else if let apps, !apps.filter.isEmpty {
            self.apps?.filter(by: "")
        } else if let apps, apps.isExamining {
            self.apps?.stop()
            message = .done("stopped; \(key(.reload)) looks at the others")
            return [Cancelling(lane: .apps)]
        } else if isLocked {
            message = .done(Self.lineIsClosed)
        } else {
            message = .done("this is the outermost level; \(key(.quit)) quits")
        }
        return []
    }

    /// Shows the rows that a filter lets through; without one, all of them.
    mutating func filterRows(by typed: String) -> [any Effect] {
        if isComparing { return filterComparison(by: typed) }
        let filter = RowFilter(typed)
        if filter == nil, opened?.filtering == nil {
            message = .done(allRowsAreShown)
            return []
        }
        let folding = opened?.foldingAgain
        // What is folded again could not be meanwhile, and how it was would be forgotten.
        if let busy, folding != nil {
            (wasHeldUp, message) = (true, still(busy))
            return []
        }
        opened?.filter(by: filter)
        message = .done(filter == nil ? "all rows are shown" : "\(key(.filter)) with nothing shows all rows again")
        return (filter == nil ? [Cancelling(lane: .filter)] : [])
            + (folding.map { [Planning($0, label: "folding")] } ?? [])
    }

    /// Goes back to the list of apps; what was done to this one shows there.
    mutating func leaveApp(_ opened: OpenContainer) {
        self.opened = nil
        apps?.forget(opened.snapshot.path, wasChanged: opened.wasChanged)
    }

    /// Closes the page over the panes, the detail's full screen, or the detail; whether there was one of them.
    private mutating func closeLevel() -> Bool {
        if isComparing, comparison?.isZoomed ?? false {
            comparison?.isZoomed = false
        } else if isComparing, comparison?.filter != nil {
            comparison?.filter(by: nil)
        } else if page != nil {
            closePage()
        } else if opened?.isZoomed ?? false {
            opened?.isZoomed = false
        } else if opened?.focus == .detail {
            opened?.focus = .sheet
        } else {
            return false
        }
        return true
    }

    /// Leaves what covers the list; from the list, leaves the program, once what is being done has been stopped.
    mutating func quit() -> [any Effect] {
        if closeLevel() { return [] }
        if let effects = leaveTimeline() { return effects }
        // What is being done here is stopped first; what would be half written, also before the program is left.
        if let busy, apps != nil && opened != nil || busy.isWriting { return [Cancelling()] }
        if let opened, apps != nil {
            leaveApp(opened)
            return []
        }
        let names = Set(unremembered.values.joined()).map(\.rawValue).sorted()
        if !names.isEmpty {
            unremembered = [:]
            message = .refused(
                "not remembered: \(names.joined(separator: ", ")); \(key(.quit)) again leaves all the same")
            return []
        }
        return leave()
    }

    /// Leaves the program from anywhere, once what is being done has been stopped.
    mutating func leave() -> [any Effect] {
        guard busy != nil else {
            hasQuit = true
            return []
        }
        isLeaving = true
        return [Cancelling()]
    }
}
