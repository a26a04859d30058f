import Reports

/// What a screen shows: a grid of cells, and where the cursor is.
///
/// Every row is exactly as wide as the frame.
package struct Frame: Hashable, Sendable {
    /// Columns and rows.
    package let size: Size
    /// The characters that may appear.
    package let glyphs: Glyphs
    /// Where the terminal's cursor is shown, or `nil` where it is hidden.
    package var cursor: Position?

    /// Row after row.
    var cells: [Cell]

    /// Makes a blank frame.
    package init(_ size: Size, glyphs: Glyphs = .unicode) {
        self.size = size
        self.glyphs = glyphs
        cells = Array(repeating: .blank(), count: size.width * size.height)
    }

    /// The whole of the frame.
    package var bounds: Rect { Rect(size) }

    /// The cell at a place, or `nil` outside of the frame.
    package subscript(x: Int, y: Int) -> Cell? {
        index(x, y).map { cells[$0] }
    }

    func index(_ x: Int, _ y: Int) -> Int? {
        guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return nil }
        return y * size.width + x
    }

    /// Puts a cell and what it needs beside it, so that no half of a wide character is left.
    ///
    /// That is neither one of the new cell at an edge nor one of an old cell that is written over. What lies outside of
    /// the frame is left out.
    mutating func put(_ cell: Cell, _ x: Int, _ y: Int) {
        if cell.columns == 2 {
            guard let first = index(x, y), index(x + 1, y) != nil else {
                // Half of it is outside.
                put(.blank(cell.style), x, y)
                put(.blank(cell.style), x + 1, y)
                return
            }
            clear(x, y)
            clear(x + 1, y)
            cells[first] = cell
            cells[first + 1] = Cell(text: "", columns: 0, style: cell.style)
        } else if let place = index(x, y) {
            if cells[place].columns != 1 { clear(x, y) }
            cells[place] = cell
        }
    }

    /// Makes a cell writable: where it holds half of a wide character, the other half becomes blank.
    private mutating func clear(_ x: Int, _ y: Int) {
        guard let place = index(x, y) else { return }
        if cells[place].columns == 0, x > 0 {
            cells[place - 1] = .blank(cells[place - 1].style)
        } else if cells[place].columns == 2 {
            cells[place + 1] = .blank(cells[place + 1].style)
        }
    }
}

/// One place of a frame.
package struct Cell: Hashable, Sendable {
    /// A displayable character with its marks; empty where the wide character on the left reaches in here.
    package internal(set) var text: String
    /// The columns of the text: 1, 2, or 0 where the wide character on the left reaches in here.
    package internal(set) var columns: Int8
    /// How it is to look.
    package internal(set) var style: Style
    /// The directions in which a line leaves the cell, so that lines that meet are joined; empty for text.
    var line: LineEnds = []

    static func blank(_ style: Style = Style()) -> Cell {
        Cell(text: " ", columns: 1, style: style)
    }
}

/// The directions in which a line leaves a cell.
struct LineEnds: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let up = LineEnds(rawValue: 1)
    static let down = LineEnds(rawValue: 2)
    static let left = LineEnds(rawValue: 4)
    static let right = LineEnds(rawValue: 8)

    /// The character that shows the line.
    func text(in glyphs: Glyphs) -> String {
        let isHorizontal = isSubset(of: [.left, .right]), isVertical = isSubset(of: [.up, .down])
        if glyphs == .ascii { return isHorizontal ? "-" : isVertical ? "|" : "+" }
        switch self {
        case [.down, .right]: return "┌"
        case [.down, .left]: return "┐"
        case [.up, .right]: return "└"
        case [.up, .left]: return "┘"
        case [.up, .down, .right]: return "├"
        case [.up, .down, .left]: return "┤"
        case [.down, .left, .right]: return "┬"
        case [.up, .left, .right]: return "┴"
        case [.up, .down, .left, .right]: return "┼"
        default: return isHorizontal ? "─" : "│"
        }
    }
}
