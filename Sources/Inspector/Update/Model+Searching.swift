import Reports

/// Where one was when a text to look for began to be typed; Esc comes back to it.
struct SearchOrigin: Sendable {
    fileprivate let page: Page?
    fileprivate let compared: Int?
    fileprivate let row: (cursor: Int, top: Int)?
    fileprivate let detail: (top: Int, treeLine: Int, match: Int?)

    init(_ model: Model) {
        page = model.page
        compared = model.isComparing ? model.comparison?.cursor : nil
        row = model.opened.map { ($0.cursor, $0.top) }
        detail = (model.opened?.detailTop ?? 0, model.opened?.treeLine ?? 0, model.opened?.detailMatch)
    }

    /// Goes to the row, and the line of its detail, where one was.
    fileprivate func comeBack(in opened: inout OpenContainer) {
        guard let row else { return }
        opened.moveCursor(to: row.cursor)
        opened.top = row.top
        (opened.detailTop, opened.treeLine, opened.detailMatch) = detail
    }
}

extension Model {
    /// The most rows of a comparison, or lines of a page, that are looked through with each letter.
    private static let most = 20_000

    /// What was last looked for, where one looks now.
    var searchText: String? { page == nil ? opened?.searchText : page?.searchText }

    /// The text whose matches are marked on the screen: what is being typed, else what was last looked for or filtered by.
    var markedText: String? {
        switch prompt?.purpose {
        case .search?, .filter?: return prompt?.sought
        default: break
        }
        if page != nil { return page?.searchText }
        guard let opened else { return apps?.filter }
        if case .text(let text)? = opened.filtering?.filter, opened.searchText == nil { return text }
        return opened.searchText
    }

    mutating func search(_ text: String, forward: Bool) -> [any Effect] {
        if let page { return search(text, forward: forward, in: page) }
        guard let opened else {
            apps?.filter(by: text)
            return []
        }
        self.opened?.searchText = text
        return search(text, forward: forward, in: opened)
    }

    private mutating func search(
        _ text: String, forward: Bool, in opened: OpenContainer, isTyped: Bool = false
    ) -> [any Effect] {
        if opened.focus == .detail, let detail = opened.detail {
            let place = detail.pages.form == .tree ? opened.treeLine : opened.detailMatch ?? opened.detailTop - 1
            return [
                DetailSearch(
                    text: text, isForward: forward, isTyped: isTyped, detail: detail, start: place, glyphs: glyphs)
            ]
        }
        let purpose = purpose(of: text, in: opened)
        if let matches = opened.matches, matches.purpose == purpose,
            matches.isDone || matches.next(from: opened.cursor, isForward: forward) != nil
        {
            return matches.show(from: opened.cursor, isForward: forward, isTyped: isTyped, in: &self)
        }
        return [
            RowSearch(
                purpose: purpose, isForward: forward, isTyped: isTyped, container: opened, masking: masking)
        ]
    }

    /// Goes to the first match of what is typed so far.
    mutating func lookAhead(_ text: String) -> [any Effect] {
        guard searchOrigin != nil else { return [] }
        guard !text.isEmpty else {
            comeBack()
            message = nil
            return [Cancelling(lane: .search)]
        }
        if page != nil {
            comeBack()
            let lines = isComparing ? comparison?.count : page.map { PageView.text($0, self).count }
            guard let page, lines ?? 0 <= Self.most else { return [] }
            return search(text, forward: true, in: page)
        }
        guard var opened, opened.isPlanned else { return [] }
        // What is on the screen stays until something is found; what is said is of this text.
        searchOrigin?.comeBack(in: &opened)
        message = .done("looking for “\(text)”\(glyphs.ellipsis)")
        return search(text, forward: true, in: opened, isTyped: true)
    }

    /// Looks for what was typed, from where one was before.
    mutating func endTyping(_ text: String) -> [any Effect] {
        defer { searchOrigin = nil }
        comeBack()
        let effects = text.isEmpty ? [] : search(text, forward: true)
        // What was looked for while it was typed goes on in it.
        return effects.contains { $0 is RowSearch } ? [Cancelling(lane: .search)] + effects : effects
    }

    /// Leaves the line: one is where one was.
    mutating func leaveSearch() -> [any Effect] {
        comeBack()
        (searchOrigin, message) = (nil, nil)
        return [Cancelling(lane: .search)]
    }

    /// Comes back to where one was.
    mutating func comeBack() {
        guard let searchOrigin else { return }
        if let page = searchOrigin.page, self.page?.subject == page.subject { self.page = page }
        if let row = searchOrigin.compared { comparison?.moveCursor(to: row) }
        guard searchOrigin.page == nil, var opened else { return }
        searchOrigin.comeBack(in: &opened)
        self.opened = opened
    }

    /// Whether what a search was begun for is still wanted.
    func isStillTyped(_ text: String, _ isTyped: Bool) -> Bool {
        !isTyped || prompt?.purpose == .search && prompt?.text == text
    }

    private func purpose(of text: String, in opened: OpenContainer) -> Matches.Purpose {
        Matches.Purpose(
            text: text, revision: opened.revision, filter: opened.filterNumber, isRevealing: masking.isRevealing)
    }

    /// Takes in where a text is, as far as it was looked for.
    mutating func take(_ matches: Matches) {
        if opened?.awaitedMatches == matches.purpose { opened?.matches = matches }
    }

    /// Says which of how many matches one is at, once that is known; until then it is found out.
    mutating func countMatches() -> [any Effect] {
        guard let text = message?.search, let opened, opened.isPlanned, page == nil else { return [] }
        let purpose = purpose(of: text, in: opened)
        if let matches = opened.matches, matches.purpose == purpose {
            message = .found(text, at: opened.cursor, matches)
            if matches.isDone { return [] }
        }
        guard opened.awaitedMatches != purpose else { return [] }
        self.opened?.awaitedMatches = purpose
        return [MatchCounting(purpose: purpose, container: opened, masking: masking)]
    }

    /// Looks for a text in a page, from its first line on screen on, round its end.
    private mutating func search(_ text: String, forward: Bool, in page: Page) -> [any Effect] {
        self.page?.searchText = text
        let matcher = Matcher(text)
        let compared = isComparing ? comparison : nil
        if let compared, let (line, place, count) = compared.line(with: matcher, forward: forward) {
            comparison?.detailTop = line
            comparison?.detailMatch = line
            message = .found(text, place, of: count)
            return []
        }
        let top = compared?.cursor ?? page.match ?? page.cursor ?? page.top, lines = PageView.text(page, self)
        let texts =
            compared.map { compared in (0..<compared.count).map { compared.text(of: $0) } }
            ?? (0..<lines.count).map { lines[$0].runs.map(\.text).joined() }
        let matching = texts.indices.filter { matcher.matches(texts[$0]) }
        guard let next = matching.next(from: top, forward: forward) else {
            message = .refused("“\(text)” is nowhere on this page")
            return []
        }
        if compared != nil {
            comparison?.moveCursor(to: next)
            comparison?.isZoomed = false
        } else {
            self.page?.top = next
            self.page?.match = next
            if page.cursor != nil { self.page?.cursor = lines.target(-1, from: next, orThere: true) }
        }
        message = .found(text, (matching.firstIndex(of: next) ?? 0) + 1, of: matching.count)
        return []
    }
}
