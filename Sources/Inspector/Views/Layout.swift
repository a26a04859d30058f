import Reports

/// Where the parts of the screen are; `nil` of a screen that is too small.
struct Layout {
    /// The smallest screen that there is room on.
    static let minimum = Size(width: 40, height: 10)
    /// From this width on, the detail stands beside the sheet rather than below it, where there is room for both.
    private static let wide = 200
    /// What the sheet has beside the detail at least, and what the detail has.
    private static let leastBeside = (sheet: 120, detail: 60)
    /// From this width on, both sides of a step stand beside each other, where that shows both whole, rather than one over the
    /// other.
    static let sideBySide = 110

    /// How many lines the detail below the sheet has at least on a screen that is not low, under its title.
    private static let detailBelow = 6

    /// From this height on there is room for a header of two lines.
    static let tall = 14

    let header: Rect
    /// The timeline over the body, while it is looked at.
    let timeline: Rect
    /// What is between the header and the last lines.
    let body: Rect
    /// The line over the sheet that names its columns, then the rows.
    let sheet: Rect
    /// The line over the detail, then its lines; empty where it is not shown.
    let detail: Rect
    let status: Rect
    let footer: Rect
    /// How many lines the rows of the sheet take.
    let heights: RowHeights
    /// The first row of the sheet that is shown.
    private let top: Int
    /// The columns of a line of the detail.
    let detailWidth: Int
    /// How many lines the detail has, and how many are shown.
    let detailLines: (total: Int, shown: Int)

    /// How many lines the rows of the sheet have.
    var sheetLines: Int { max(0, sheet.size.height - 1) }
    /// How many rows of the sheet are shown.
    var sheetRows: Int { heights.count(from: top, in: sheetLines) }
    /// The lines of a row of the sheet on the screen.
    func lines(of row: Int) -> Range<Int> {
        let first = sheet.origin.y + 1 + heights.lines(before: row) - heights.lines(before: top)
        return first..<first + heights.height(of: row)
    }
    /// How many lines of a list that fills the body are shown.
    var bodyRows: Int { max(1, body.size.height - 1) }

    init?(_ model: Model) {
        let size = model.size
        guard size.width >= Self.minimum.width, size.height >= Self.minimum.height else { return nil }
        let headerHeight = size.height >= Self.tall ? 2 : 1
        var rest: Rect
        (header, rest) = Rect(size).split(rows: headerHeight)
        (rest, footer) = rest.split(rows: rest.size.height - 1)
        // What was said may take some lines, where there are enough.
        let said =
            model.prompt.map { 1 + StatusView.lines(over: $0, model).count }
            ?? StatusView.told(model).map { StatusView.lines(of: $0, model).count }
        let most = rest.size.height / (model.question == nil ? 5 : 3)
        var body: Rect
        (body, status) = rest.split(rows: rest.size.height - min(max(1, said ?? 1), max(1, most)))
        let lines = model.opened?.showsTimeline ?? false ? headerHeight : 0
        (timeline, body) = body.split(rows: lines)
        self.body = body
        guard let opened = model.opened else {
            // The app under the cursor stands below the list where there is room for both.
            let lines = model.apps == nil || body.size.height < 12 ? 0 : min(9, body.size.height * 2 / 5)
            (sheet, detail) = body.split(rows: body.size.height - lines)
            (heights, top, detailWidth, detailLines) = (RowHeights(), 0, 0, (0, 0))
            return
        }
        // A wider screen never shows less of a row: the detail stands below until the longest one is whole beside it.
        let asked = model.shares.beside.map { Int($0 * Double(size.width)) }
        let beside = asked ?? max(size.width * 58 / 100, Self.leastBeside.sheet, opened.widestRow)
        let isWide = size.width >= Self.wide && (asked != nil || beside + Self.leastBeside.detail <= size.width)
        let sheetWidth = isWide ? min(max(20, beside), size.width - 20) : size.width
        let rowHeight = sheetWidth >= Self.sideBySide ? 1 : 2
        heights = opened.heights(width: sheetWidth, isRevealing: model.masking.isRevealing)
        top = opened.top
        if opened.isZoomed {
            (sheet, detail) = body.split(rows: 0)
        } else if isWide {
            (sheet, detail) = body.split(columns: sheetWidth)
        } else {
            // That there is nothing, or that a filter lets nothing through, takes a line too.
            let wanted = 1 + max(opened.isPlanned ? 1 : 0, heights.lines(before: opened.sheet.count))
            // Rows are what one looks for; a detail that needs more lines is whole by itself.
            let most = max(1 + rowHeight, body.size.height - 1 - Self.detailBelow, min(body.size.height - 4, 8))
            let least = 1 + rowHeight
            let rows = model.shares.below.map {
                min(max(least, Int($0 * Double(body.size.height))), body.size.height - 2)
            }
            (sheet, detail) = body.split(rows: rows ?? min(wanted, most))
        }
        detailWidth = max(1, detail.size.width - (isWide && !opened.isZoomed ? 2 : 0))
        let written = DetailView.written(model, width: detailWidth)
        detailLines = (written?.total ?? 0, max(0, detail.size.height - (written?.head == nil ? 1 : 2)))
    }

    /// Where the lines of the detail are drawn: beside the sheet there is a line between the two.
    func detailText(beside: Bool) -> Rect {
        let lines = detail.split(rows: 1).bottom
        return beside ? lines.split(columns: 2).right : lines
    }

    /// Whether a position is on the line between the panes.
    func isDivider(_ position: Position) -> Bool {
        guard detail.holds(position), sheet.size.height > 0 else { return false }
        return isDetailBeside ? position.x == detail.origin.x : position.y == detail.origin.y
    }

    /// Whether the detail stands beside the sheet.
    var isDetailBeside: Bool { detail.origin.x > 0 }
}

extension OpenContainer {
    /// How many lines the rows take in a list of a width: a step two, unless both its sides are whole beside each other.
    fileprivate func heights(width: Int, isRevealing: Bool) -> RowHeights {
        let isSideBySide = width >= Layout.sideBySide, sides = SheetView.sides(width: width)
        let sheet = sheet, rooms = view.rooms
        return RowHeights(
            steps: (0..<shownSteps).map { position in
                guard isSideBySide, case .step(let index)? = sheet[position], rooms.indices.contains(index) else {
                    return 2
                }
                return rooms[index].fits(sides, isRevealing: isRevealing) ? 1 : 2
            })
    }
}

extension Model {
    /// Draws the screen.
    package func render() -> Frame {
        var frame = Frame(size, glyphs: glyphs)
        guard let layout = Layout(self) else {
            let sentences = ["at least \(Layout.minimum) is needed; this is \(size)", "needs \(Layout.minimum)"]
            let text = sentences.first { glyphs.columns($0) <= size.width } ?? "<\(Layout.minimum)"
            frame.draw(text, at: 0, size.height / 2, width: size.width, role: .warning)
            return frame
        }
        HeaderView.draw(self, in: layout, on: &frame)
        TimelineView.draw(self, in: layout.timeline, on: &frame)
        if let page {
            PageView.draw(page, self, in: layout, on: &frame)
        } else if opened != nil {
            SheetView.draw(self, in: layout, on: &frame)
            DetailView.draw(self, in: layout, on: &frame)
        } else {
            AppListView.draw(self, in: layout, on: &frame)
        }
        Highlights.draw(self, in: layout, on: &frame)
        StatusView.draw(self, in: layout, on: &frame)
        FooterView.draw(self, in: layout, on: &frame)
        return frame
    }
}
