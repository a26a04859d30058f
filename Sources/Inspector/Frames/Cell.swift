import Reports

/// One place of a frame.
public struct Cell: Hashable, Sendable {
    /// A displayable character with its marks; empty where the wide character on the left reaches in here.
    public internal(set) var text: String
    /// The columns of the text: 1, 2, or 0 where the wide character on the left reaches in here.
    public internal(set) var columns: Int8
    /// How it is to look.
    public internal(set) var style: Style
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
