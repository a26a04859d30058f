import Reports

extension Model {
    /// Takes in an event, and says what is to be done about it.
    package mutating func update(_ event: Event) -> [any Effect] {
        var effects: [any Effect] = []
        if case .terminal(let event) = event, event != .touched { (wasHeldUp, hasMovedNearby) = (false, false) }
        switch event {
        case .started: effects = begin(start())
        case .terminal(.key(let key)): effects = begin(press(key)) + follow()
        case .terminal(.mouse(let action, let position)): effects = begin(point(action, at: position)) + follow()
        case .terminal(.paste(let text)): effects = begin(paste(text))
        case .terminal(.resize(let size)): self.size = size
        case .terminal(.closed): hasQuit = true
        case .terminal(.woken): return []
        case .terminal(.touched):
            isTouched = true
            effects = followTouched()
        case .progress(let text): busy?.label = text
        case .changed(let change): change(&self)
        case .finished(let lane, let finish):
            if lane == .main, replaced > 0 {
                // Another search was begun in its place.
                replaced -= 1
                return []
            }
            if lane == .main { busy = nil }
            if isLeaving, lane == .main {
                hasQuit = true
                return []
            }
            effects = begin(finish(&self)) + followTouched()
        }
        effects += begin(goOnToPlace()) + begin(compareAnew()) + begin(reportAnew())
        effects += begin(unfoldFound()) + settle()
        notePlace(isNear: hasMovedNearby || !event.isMeant)
        return effects
    }

    /// What the first screen needs.
    func start() -> [any Effect] {
        if let unopened { return [OpeningDump(dump: unopened)] }
        guard let opened else { return [] }
        return [Planning(opened.request), Examination(path: opened.snapshot.path)]
    }

    mutating func press(_ key: Key) -> [any Effect] {
        if isLeaving { return pressWhileLeaving(key) }
        if prompt != nil {
            clipboard.isChoosing = false
            return type(key)
        }
        // What is typed ahead may be a password, and whoever has closed its line may go on typing one: while nothing is open no
        // letter does anything, or is shown.
        if unopened != nil, page == nil, case .character = key {
            message = .refused(isLocked ? Self.lineIsClosed : Self.isOpening)
            return []
        }
        message = nil
        // Whichever key goes in elsewhere.
        if isLocked, key == .enter { return goIn() }
        if let question, let effects = answer(question, with: key) { return effects }
        if let effects = chooseCopied(key) { return effects }
        if case .character(let digit) = key, let number = digit.wholeNumberValue, digit.isASCII,
            count != nil || number > 0
        {
            count = min((count ?? 0) * 10 + number, 100_000_000)
            return []
        }
        defer { count = nil }
        guard let action = Action.action(of: key, in: self) else {
            question = nil
            message = .refused("\(key.notation) does nothing here; \(self.key(.help)) shows what does")
            return []
        }
        // What asks first does nothing unseen, and a question is answered wherever it was asked.
        let isSeen = page == nil || action.asks || action.name == "accept"
        let covered = action.group == .migrating && !isSeen ? reasonCovered : nil
        guard let reason = covered ?? action.disabledReason(self) else { return perform(action) }
        question = nil
        message = .refused("\(action.name): \(reason)")
        // What is typed behind a refused key that asks for a text must not be taken for keys.
        if action.asks { prompt = Prompt(.command, text: action.name + " ") }
        return []
    }

    /// A look at the ledger of the app that is open, unless something runs, which then looks itself.
    private func follow() -> [any Effect] {
        guard busy == nil, prompt == nil, !hasQuit, let opened, opened.isPlanned else { return [] }
        return [Following(request: opened.request)]
    }

    /// The same once the ledger was written, as soon as nothing runs.
    private mutating func followTouched() -> [any Effect] {
        guard isTouched else { return [] }
        let effects = follow()
        if !effects.isEmpty { isTouched = false }
        return effects
    }

    /// What is being done is stopped and waited for, so that it leaves nothing half done.
    private mutating func pressWhileLeaving(_ key: Key) -> [any Effect] {
        if key == .control("c") { (hasQuit, leavesAtOnce) = (true, true) }
        return []
    }

    /// Starts effects: what the person asks for one at a time, so that nothing overtakes.
    private mutating func begin(_ effects: [any Effect]) -> [any Effect] {
        effects.filter { effect in
            guard effect.lane == .main else { return true }
            if effect.isCancelling {
                busy?.isStopping = true
                return true
            }
            if busy != nil, effect is RowSearch, isSearching {
                (replaced, busy) = (replaced + 1, Busy(label: effect.label, canBeStopped: true))
                return true
            }
            if let busy {
                wasHeldUp = true
                message = still(busy)
                return false
            }
            isSearching = effect is RowSearch
            // What is refused meanwhile stands in place of how far it is, until the next key.
            if effect.isWriting { message = nil }
            busy = Busy(
                label: effect.label, canBeStopped: effect.canBeStopped, isWriting: effect.isWriting)
            return true
        }
    }

    /// That something else is still done.
    func still(_ busy: Busy) -> Message {
        .refused("still \(busy.label)\(busy.canBeStopped ? "; \(key(.out)) stops it" : "")")
    }

    /// Brings the cursor into the window and the scrolled parts into their bounds, and asks for what is to be seen there.
    private mutating func settle() -> [any Effect] {
        guard let layout = Layout(self) else {
            // What cannot be drawn is kept within its bounds all the same: keys go on.
            if let page, !isComparing { settle(page: page, lines: 1) }
            return []
        }
        opened?.scroll(layout.heights, lines: layout.sheetLines, detailLines: layout.detailLines)
        clipboard.write(width: size.width, glyphs)
        let width = max(1, size.width - 2), glyphs = glyphs
        if let page { reports[page.subject]?.write(width: width, glyphs) }
        if let page, !isComparing {
            settle(page: page, lines: layout.bodyRows)
        }
        return filterRows() + countMatches() + findLikeKeys() + lookAtRows(layout) + writeDetail(layout)
            + lookThroughDetail(layout) + examineApps(layout)
            + settleComparison(layout)
    }

    /// Looks in the detail for what a search through the rows has come here for, once that is written.
    private mutating func lookThroughDetail(_ layout: Layout) -> [any Effect] {
        guard let opened, let text = opened.soughtInDetail,
            let detail = DetailView.written(self, width: layout.detailWidth)
        else { return [] }
        self.opened?.soughtInDetail = nil
        return [
            DetailSearch(
                text: text, isForward: true, isTyped: false, detail: detail, start: -1, glyphs: glyphs,
                landsBelow: layout.detailLines.shown)
        ]
    }

    private mutating func examineApps(_ layout: Layout) -> [any Effect] {
        guard !isLeaving, let apps, apps.examination == .running(isAwaited: false) else { return [] }
        let paths = apps.next(50, window: opened == nil ? apps.window(of: layout.sheetRows) : 0..<0)
        guard !paths.isEmpty else { return [] }
        self.apps?.await()
        return [AppExamination(paths: paths, generation: apps.generation)]
    }

    private mutating func filterRows() -> [any Effect] {
        guard let purpose = opened?.beginFiltering(), let opened else { return [] }
        return [RowFiltering(purpose, in: opened, masking)]
    }

    private mutating func lookAtRows(_ layout: Layout) -> [any Effect] {
        guard let opened, opened.sheet.count > 0, layout.sheetLines > 0 else { return [] }
        let shown = layout.sheetLines, count = opened.sheet.count
        func purpose(_ rows: Range<Int>) -> Cells.Purpose {
            Cells.Purpose(
                revision: opened.revision, filter: opened.filterNumber, isRevealing: masking.isRevealing,
                rows: rows.clamped(to: 0..<count))
        }
        let window = purpose(opened.top..<opened.top + shown)
        if opened.cells.purpose?.serves(window) ?? false || opened.awaitedCells?.serves(window) ?? false { return [] }
        // Who moves about finds a screen more on either side; of a place that one jumps to, and of a new view, no more is looked at
        // than is seen, as the frame waits for it.
        let isNear = opened.cells.purpose.map { $0.isOfSameView(as: window) && $0.rows.overlaps(window.rows) } ?? false
        let wanted = isNear ? purpose(opened.top - shown..<opened.top + 2 * shown) : window
        self.opened?.awaitedCells = wanted
        return [RowLooking(purpose: wanted, model: self, opened: opened)]
    }

    private mutating func writeDetail(_ layout: Layout) -> [any Effect] {
        guard let opened, opened.row != nil || opened.isPlanned && opened.filtering == nil,
            layout.detail.size.height > 0
        else { return [] }
        let purpose = WrittenDetail.Purpose(opened, masking, width: layout.detailWidth)
        let top = opened.detailTop, shown = max(1, layout.detailLines.shown)
        if let detail = opened.detail, detail.purpose == purpose, detail.serves(top..<top + shown) { return [] }
        if let asked = opened.awaitedDetail, asked.purpose == purpose,
            asked.window.lowerBound <= top, top + shown <= asked.window.upperBound
        {
            return []
        }
        // A screen more on either side, so that scrolling finds it there.
        let asked = WrittenDetail.Asked(purpose: purpose, window: max(0, top - shown)..<top + 2 * shown)
        self.opened?.awaitedDetail = asked
        return [DetailWriting(asked: asked, model: self, opened: opened)]
    }
}

extension Event {
    /// Whether the person did it, or it ends what the person asked for.
    fileprivate var isMeant: Bool {
        switch self {
        case .terminal(.touched): false
        case .terminal, .finished(.main, _): true
        default: false
        }
    }
}

extension OpenContainer {
    /// Moves the windows so that the cursor is seen and no pane is scrolled past its end.
    fileprivate mutating func scroll(_ heights: RowHeights, lines: Int, detailLines: (total: Int, shown: Int)) {
        if cursor < top { top = cursor }
        let lines = max(1, lines)
        top = max(top, heights.top(endingWith: cursor, in: lines))
        top = min(top, heights.top(endingWith: max(0, sheet.count - 1), in: lines))
        if detail?.pages.form == .tree, detailLines.total > 0 {
            treeLine = min(max(0, treeLine), detailLines.total - 1)
            detailTop = min(max(detailTop, treeLine - max(1, detailLines.shown) + 1), treeLine)
        }
        // Of a detail that is still being written the end is not known.
        detailTop = max(0, detailTop)
        if detailLines.total > 0 { detailTop = min(detailTop, max(0, detailLines.total - detailLines.shown)) }
    }
}
