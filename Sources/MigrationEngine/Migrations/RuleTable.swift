/// Rules of a migration as a table for people, made of the same definitions that run.
public struct RuleTable: Hashable, Sendable {
    /// What the table is of.
    public var title: String
    /// The names of the columns.
    public var columns: [String]
    /// The rows, each with a cell for every column.
    public var rows: [[String]]

    /// Makes a table.
    public init(_ title: String, columns: [String], rows: [[String]]) {
        self.title = title
        self.columns = columns
        self.rows = rows
    }
}
