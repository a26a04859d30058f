import Reports

extension Frame {
    /// Draws a text in one row, from a column to a width's end, or to the frame's where there is none.
    ///
    /// The text is made displayable, cut with an ellipsis where it is too long, and with a width filled up with blanks.
    /// It may begin to the left of the frame: what lies outside is left out.
    ///
    /// - Returns: the column after what was drawn, blanks included: where the next text can go.
    @discardableResult
    package mutating func draw(
        _ text: String, at x: Int, _ y: Int, width: Int? = nil, role: Role = .text, _ alignment: Alignment = .leading
    ) -> Int {
        let x = min(max(-Size.limit, x), Size.limit)
        let room = min(max(0, width ?? size.width - x), 2 * Size.limit)
        let style = Style(role)
        let line = width == nil ? glyphs.truncated(text, to: room) : glyphs.padded(text, to: room, alignment)
        var column = x
        if line.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            for byte in line.utf8 {
                put(Cell(text: Self.plain[Int(byte)], columns: 1, style: style), column, y)
                column += 1
            }
            return column
        }
        for piece in DisplayPieces(line, glyphs: glyphs) {
            put(Cell(text: piece.text, columns: Int8(clamping: piece.columns), style: style), column, y)
            column += piece.columns
        }
        return column
    }

    /// The characters of ASCII, which most of what is drawn is made of.
    private static let plain = (UInt8(0)..<0x80).map { String(UnicodeScalar($0)) }

    /// Gives cells a style and a character of one column, a blank where none is named.
    package mutating func fill(_ rect: Rect, with character: Character = " ", role: Role = .text) {
        let text = glyphs.truncated(String(character), to: 1)
        let cell = Cell(text: text.isEmpty ? " " : text, columns: 1, style: Style(role))
        let part = rect.intersection(bounds)
        for y in part.rows {
            for x in part.columns { put(cell, x, y) }
        }
    }

    /// Marks cells as selected or not and leaves what is drawn there: draw a row first, then select it.
    package mutating func select(_ rect: Rect, _ selection: Selection = .selected) {
        let part = rect.intersection(bounds)
        for y in part.rows {
            for x in part.columns { cells[y * size.width + x].style.selection = selection }
        }
    }

    /// Marks an item of a list as selected: its left edge, and in its first line the columns of its name, with the sign that
    /// stands before it.
    ///
    /// Its values go on looking as they do, so that loss and change stay loud in it, and a terminal is sent only what differs
    /// where the cursor moves.
    package mutating func select(_ lines: Range<Int>, name: Range<Int>, _ selection: Selection = .selected) {
        select(Rect(x: 0, y: lines.lowerBound, width: Self.edge, height: lines.count), selection)
        let start = name.lowerBound <= Self.signs ? 0 : name.lowerBound
        select(Rect(x: start, y: lines.lowerBound, width: name.upperBound - start, height: 1), selection)
        cursor = Position(x: 0, y: lines.lowerBound)
    }

    /// How many columns the edge has, and how many at most have nothing but signs in them.
    private static let edge = 1, signs = 3

    /// Gives cells a role and leaves what is drawn there: a match inside of a text.
    package mutating func paint(_ rect: Rect, role: Role) {
        let part = rect.intersection(bounds)
        for y in part.rows {
            for x in part.columns { cells[y * size.width + x].style.role = role }
        }
    }

    /// Places another frame of the same glyphs, such as a pane, with its cursor if it has one.
    ///
    /// What lies outside is left out.
    package mutating func place(_ other: Frame, at x: Int, _ y: Int) {
        let part = Rect(x: x, y: y, width: other.size.width, height: other.size.height)
        for row in part.rows where (0..<size.height).contains(row) {
            for column in part.columns {
                guard let cell = other[column - part.origin.x, row - part.origin.y], cell.columns > 0 else { continue }
                put(cell, column, row)
            }
        }
        if let cursor = other.cursor {
            self.cursor = Position(x: part.origin.x + cursor.x, y: part.origin.y + cursor.y)
        }
    }
}

extension Frame {
    /// Draws a line from a column to the right; it is joined to lines that it meets.
    package mutating func horizontalLine(at x: Int, _ y: Int, width: Int, role: Role = .border) {
        let whole = Rect(x: x, y: y, width: width, height: 1)
        guard (0..<size.height).contains(y) else { return }
        for column in whole.columns where (0..<size.width).contains(column) {
            var ends: LineEnds = []
            if column > whole.columns.lowerBound || width == 1 { ends.insert(.left) }
            if column < whole.columns.upperBound - 1 || width == 1 { ends.insert(.right) }
            join(ends, column, y, role)
        }
    }

    /// Draws a line from a row downwards; it is joined to lines that it meets.
    package mutating func verticalLine(at x: Int, _ y: Int, height: Int, role: Role = .border) {
        let whole = Rect(x: x, y: y, width: 1, height: height)
        guard (0..<size.width).contains(x) else { return }
        for row in whole.rows where (0..<size.height).contains(row) {
            var ends: LineEnds = []
            if row > whole.rows.lowerBound || height == 1 { ends.insert(.up) }
            if row < whole.rows.upperBound - 1 || height == 1 { ends.insert(.down) }
            join(ends, x, row, role)
        }
    }

    /// Draws a box along the inner edge of a rectangle, with a title in its upper line; boxes that overlap are joined.
    package mutating func box(_ rect: Rect, title: String = "", role: Role = .border) {
        guard !rect.isEmpty else { return }
        let right = rect.columns.upperBound - 1, bottom = rect.rows.upperBound - 1
        horizontalLine(at: rect.origin.x, rect.origin.y, width: rect.size.width, role: role)
        horizontalLine(at: rect.origin.x, bottom, width: rect.size.width, role: role)
        verticalLine(at: rect.origin.x, rect.origin.y, height: rect.size.height, role: role)
        verticalLine(at: right, rect.origin.y, height: rect.size.height, role: role)
        // A line's end and a blank on both sides.
        let room = rect.size.width - 4
        guard !title.isEmpty, room > 0 else { return }
        draw(" " + glyphs.truncated(title, to: room) + " ", at: rect.origin.x + 1, rect.origin.y, role: .title)
    }

    private mutating func join(_ ends: LineEnds, _ x: Int, _ y: Int, _ role: Role) {
        guard let old = self[x, y] else { return }
        let line = old.line.union(ends)
        put(Cell(text: line.text(in: glyphs), columns: 1, style: Style(role), line: line), x, y)
    }
}
