import Reports

/// A rectangle of cells: a pane, a row, a box.
///
/// It may lie outside of the frame; what does is not drawn.
package struct Rect: Hashable, Sendable {
    /// The first column and row.
    package let origin: Position
    /// Columns and rows.
    package let size: Size

    /// Makes a rectangle; a negative width or height counts as zero.
    ///
    /// Positions far outside of any screen are brought nearer, so that no sum of them overflows.
    package init(x: Int, y: Int, width: Int, height: Int) {
        let far = Size.limit * 2
        origin = Position(x: min(max(-far, x), far), y: min(max(-far, y), far))
        size = Size(width: width, height: height)
    }

    /// The whole of a screen of some size.
    package init(_ size: Size) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The columns, from the first to the one after the last.
    package var columns: Range<Int> { origin.x..<origin.x + size.width }
    /// The rows, from the first to the one after the last.
    package var rows: Range<Int> { origin.y..<origin.y + size.height }
    /// Whether there is not one cell in it.
    package var isEmpty: Bool { size.width == 0 || size.height == 0 }
}

extension Rect {
    /// Whether a cell is in it.
    func holds(_ position: Position) -> Bool { columns.contains(position.x) && rows.contains(position.y) }

    /// The part that two rectangles share.
    package func intersection(_ other: Rect) -> Rect {
        let columns = columns.clamped(to: other.columns), rows = rows.clamped(to: other.rows)
        return Rect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// The first columns, and the rest: two panes side by side.
    package func split(columns count: Int) -> (left: Rect, right: Rect) {
        let count = min(max(0, count), size.width)
        return (
            Rect(x: origin.x, y: origin.y, width: count, height: size.height),
            Rect(x: origin.x + count, y: origin.y, width: size.width - count, height: size.height)
        )
    }

    /// The first rows, and the rest: two panes one over the other.
    package func split(rows count: Int) -> (top: Rect, bottom: Rect) {
        let count = min(max(0, count), size.height)
        return (
            Rect(x: origin.x, y: origin.y, width: size.width, height: count),
            Rect(x: origin.x, y: origin.y + count, width: size.width, height: size.height - count)
        )
    }
}

/// The size of a screen or of a part of it, in columns and rows, each from 0 to `Size.limit`.
package struct Size: Hashable, Sendable {
    /// The most columns or rows: far above any terminal, low enough that a script cannot ask for unbounded memory.
    package static let limit = 2000

    /// Columns.
    package let width: Int
    /// Rows.
    package let height: Int

    /// Makes a size; what lies outside of the limits is brought to the nearest.
    package init(width: Int, height: Int) {
        self.width = min(max(0, width), Self.limit)
        self.height = min(max(0, height), Self.limit)
    }

    /// Reads a size as options and scripts write it, `80x24`; `nil` where it is none or is outside of the limits.
    package init?(parsing text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else { return nil }
        guard (1...Self.limit).contains(width), (1...Self.limit).contains(height) else { return nil }
        self.init(width: width, height: height)
    }
}

extension Size: CustomStringConvertible {
    /// The size as options and scripts write it.
    package var description: String { "\(width)x\(height)" }
}

/// A cell of a screen; the first is 0, 0 at the top left.
package struct Position: Hashable, Sendable {
    /// The column.
    package var x: Int
    /// The row.
    package var y: Int

    /// Makes a position.
    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}
