import Reports

/// The size of a screen or of a part of it, in columns and rows, each from 0 to `Size.limit`.
public struct Size: Hashable, Sendable {
    /// The most columns or rows: far above any terminal, low enough that a script cannot ask for unbounded memory.
    public static let limit = 2000

    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int

    /// Makes a size; what lies outside of the limits is brought to the nearest.
    public init(width: Int, height: Int) {
        self.width = min(max(0, width), Self.limit)
        self.height = min(max(0, height), Self.limit)
    }

    /// Reads a size as options and scripts write it, `80x24`; `nil` where it is none or is outside of the limits.
    public init?(parsing text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else { return nil }
        guard (1...Self.limit).contains(width), (1...Self.limit).contains(height) else { return nil }
        self.init(width: width, height: height)
    }
}

extension Size: CustomStringConvertible {
    /// The size as options and scripts write it.
    public var description: String { "\(width)x\(height)" }
}

/// A cell of a screen; the first is 0, 0 at the top left.
public struct Position: Hashable, Sendable {
    /// The column.
    public var x: Int
    /// The row.
    public var y: Int

    /// Makes a position.
    public init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}
