/// How many lines the rows of a list take: the steps, which come first, one or two, and all others one.
struct RowHeights: Hashable, Sendable {
    /// How many steps there are among the rows.
    let steps: Int
    /// How many lines each takes.
    let step: Int

    /// How many lines a row takes.
    func height(of row: Int) -> Int { row < steps ? step : 1 }

    /// How many lines the rows before one take.
    func lines(before row: Int) -> Int { min(row, steps) * step + max(0, row - steps) }

    /// The row that has a line, counted from the first row's first.
    func row(at line: Int) -> Int { line < steps * step ? line / step : steps + line - steps * step }

    /// The first row of a window of so many lines at whose end another row is.
    func top(endingWith row: Int, in lines: Int) -> Int {
        let hidden = self.lines(before: row + 1) - lines
        guard hidden > 0 else { return 0 }
        let top = self.row(at: hidden)
        return min(row, self.lines(before: top) < hidden ? top + 1 : top)
    }

    /// How many rows a window of so many lines has as a whole.
    func count(from top: Int, in lines: Int) -> Int {
        max(0, row(at: self.lines(before: top) + max(0, lines)) - top)
    }
}
