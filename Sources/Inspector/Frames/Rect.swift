import Reports

/// A rectangle of cells: a pane, a row, a box.
///
/// It may lie outside of the frame; what does is not drawn.
public struct Rect: Hashable, Sendable {
    /// The first column and row.
    public let origin: Position
    /// Columns and rows.
    public let size: Size

    /// Makes a rectangle; a negative width or height counts as zero.
    ///
    /// Positions far outside of any screen are brought nearer, so that no sum of them overflows.
    public init(x: Int, y: Int, width: Int, height: Int) {
        let far = Size.limit * 2
        origin = Position(x: min(max(-far, x), far), y: min(max(-far, y), far))
        size = Size(width: width, height: height)
    }

    /// The whole of a screen of some size.
    public init(_ size: Size) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The columns, from the first to the one after the last.
    public var columns: Range<Int> { origin.x..<origin.x + size.width }
    /// The rows, from the first to the one after the last.
    public var rows: Range<Int> { origin.y..<origin.y + size.height }
    /// Whether there is not one cell in it.
    public var isEmpty: Bool { size.width == 0 || size.height == 0 }
}

extension Rect {
    /// The part that two rectangles share.
    public func intersection(_ other: Rect) -> Rect {
        let columns = columns.clamped(to: other.columns), rows = rows.clamped(to: other.rows)
        return Rect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// What is left inside of a margin on all sides, such as the inside of a box.
    public func inset(by margin: Int = 1) -> Rect {
        let margin = min(max(0, margin), Size.limit)
        return Rect(
            x: origin.x + margin, y: origin.y + margin,
            width: size.width - 2 * margin, height: size.height - 2 * margin)
    }

    /// The first columns, and the rest: two panes side by side.
    public func split(columns count: Int) -> (left: Rect, right: Rect) {
        let count = min(max(0, count), size.width)
        return (
            Rect(x: origin.x, y: origin.y, width: count, height: size.height),
            Rect(x: origin.x + count, y: origin.y, width: size.width - count, height: size.height)
        )
    }

    /// The first rows, and the rest: two panes one over the other.
    public func split(rows count: Int) -> (top: Rect, bottom: Rect) {
        let count = min(max(0, count), size.height)
        return (
            Rect(x: origin.x, y: origin.y, width: size.width, height: count),
            Rect(x: origin.x, y: origin.y + count, width: size.width, height: size.height - count)
        )
    }
}
