import MigrationEngine

/// A page of text that covers the panes; some of its lines may lead somewhere.
struct Page: Hashable, Sendable {
    /// What it says.
    enum Subject: Hashable, Sendable {
        /// Every action with its keys.
        case help
        /// What is missing from the dump or cannot be read, and how the dump has changed.
        case warnings
        /// What was there, what should have come, and what came.
        case comparison
        /// What differs between two points of the timeline, or would with other facts or another profile.
        case difference
        /// What a ticket says of the app.
        case report
        /// What came of checking what was applied.
        case verification
        /// What was copied last, for the terminal's own selection.
        case copied
        /// What the steps are planned with.
        case facts
        /// The points of the timeline: what was done, by whom and when, and what is next.
        case history
        /// What can be done, as far as it is like what is typed.
        case palette(String)
    }

    let subject: Subject
    /// The first line shown.
    var top = 0
    /// The line under the cursor, of a page with lines that lead somewhere.
    var cursor: Int?
    /// What was last looked for in it, and the line where it was found.
    var searchText: String?
    var match: Int?
    /// The pages that it was opened from, the one to come back to last.
    var below: [Page] = []
}

/// Where a line of a page leads to.
enum PageTarget: Hashable, Sendable {
    /// The value of a fact, to be changed.
    case fact(FactName)
    /// The row of a step.
    case step(String)
    /// A row of the list.
    case row(SheetRow)
    /// What a warning is about, if it is about anything.
    case subject(WarningSubject?)
    /// A point of the timeline.
    case moment(Moment)
    /// What a command line does.
    case command(String)
}

extension Model {
    /// Shows a page; closing it comes back to the one that it was opened from.
    mutating func show(_ subject: Page.Subject) {
        guard page?.subject != subject else { return }
        let others = (page.map { $0.below + [$0] } ?? []).filter { $0.subject != subject }
        page = Page(subject: subject, below: others)
    }

    /// Comes back to the page that this one was opened from, or to the panes.
    mutating func closePage() {
        guard let page else { return }
        self.page = page.below.last
        self.page?.below = page.below.dropLast()
    }

    /// Moves the cursor of a page among the lines that lead somewhere, or else the lines that are shown.
    mutating func move(_ movement: Movement, on page: Page, lines shown: Int) {
        guard let cursor = page.cursor else {
            let top = target(movement, from: page.top, page: shown)
            self.page?.top = top
            self.page?.match = nil
            return
        }
        let text = PageView.text(page, self)
        switch movement {
        case .rows(let number):
            let line = text.target(number * (count ?? 1), from: cursor)
            self.page?.cursor = line
        case .pages(let number):
            let line = min(max(0, cursor + number * (count ?? 1) * max(1, shown - 1)), text.count - 1)
            self.page?.cursor = text.target(number > 0 ? -1 : 1, from: line, orThere: true)
        case .top:
            let line = text.target((count ?? 1) - 1, from: text.firstTarget ?? 0)
            self.page?.cursor = line
        case .bottom:
            let line =
                count.map { text.target($0 - 1, from: text.firstTarget ?? 0) }
                ?? text.target(-1, from: max(0, text.count - 1), orThere: true)
            self.page?.cursor = line
        }
    }

    /// Keeps what is shown of a page within it, and its cursor in sight.
    mutating func settle(page: Page, lines shown: Int) {
        let text = PageView.text(page, self)
        var cursor = page.cursor, top = page.top
        // What stood there may have gone.
        if cursor.map({ !text.isTarget($0) }) ?? true { cursor = text.target(-1, from: cursor ?? 0, orThere: true) }
        if let line = cursor, !text.isTarget(line) { cursor = text.firstTarget }
        if let cursor {
            // What stands over the first one is seen with it.
            top = cursor == text.firstTarget ? 0 : min(top, cursor)
            top = max(top, text.item(at: cursor).upperBound - shown)
            top = min(top, cursor)
        }
        self.page?.cursor = cursor
        self.page?.top = min(max(0, top), max(0, text.count - shown))
    }

    /// Goes where the line under the cursor of a page leads to; `nil` where there is no such line.
    mutating func follow(_ page: Page) -> [any Effect]? {
        guard let cursor = page.cursor, let target = PageView.text(page, self)[cursor].target else { return nil }
        switch target {
        case .fact(let name):
            let fact = opened?.plan?.facts[name], definition = opened?.migration?.facts.first { $0.name == name }
            let isHidden = fact.map { masking.isSecret(name, $0) } ?? true
            let value = isHidden ? "" : fact.map { definition?.words(for: $0.value) ?? $0.value } ?? ""
            prompt = Prompt(.fact(name), text: value)
        case .step(let id):
            self.page = nil
            guard opened?.plan?.steps.contains(where: { $0.id == id }) ?? false else {
                message = .refused("the migration in view has no step \(id); \(key(.migration)) looks at another")
                return []
            }
            opened?.focus = .sheet
            opened?.moveCursor(toStep: id)
            if opened?.step?.id != id {
                message = .refused("the filter hides the step \(id); \(key(.filter)) shows all rows")
            }
        case .row(let row): show(row)
        case .subject(nil): message = .refused("this names nothing that the list could show")
        case .subject(.address(let address)): return go(to: address)
        case .subject(.file(let path)):
            guard let opened else { return [] }
            return [Locating(path: path, container: opened.snapshot.path)]
        case .moment(let moment):
            self.page = nil
            opened?.focus = .sheet
            return travel(to: moment)
        case .command(let line):
            self.page = nil
            return runCommand(line)
        }
        return []
    }

    /// Goes to the row of an entry or a store: the step that reads or writes it, else where it is listed.
    mutating func go(to address: Address) -> [any Effect] {
        guard let opened else { return [] }
        let steps = opened.plan?.steps ?? [], entry = address.entry, store = address.store
        let step =
            address.key == nil
            ? nil : steps.firstIndex { $0.claims.contains(entry) }
        let row = address.key.map { SheetRow.entry(store, key: $0) }
        if let key = address.key, let row, step == nil, opened.isFolded(key, in: store) {
            return [Planning(opened.showing(key, in: store), label: "unfolding") { _, model in model.show(row) }]
        }
        let rows = [step.map(SheetRow.step), row, .store(store), .unmapped(store, count: 0)].compactMap(\.self)
        guard let row = rows.first(where: { opened.sheet.position(of: $0) != nil }) else {
            message = .refused(
                opened.filtering == nil
                    ? "nothing of \(masking.place(address)) is in the list"
                    : "the filter hides \(masking.place(address)); \(key(.filter)) with nothing shows all rows")
            return []
        }
        show(row)
        return []
    }

    /// Puts the cursor on a row, with no page over it.
    private mutating func show(_ row: SheetRow) {
        page = nil
        opened?.focus = .sheet
        if let position = opened?.sheet.position(of: row) { opened?.moveCursor(to: position) }
    }
}
