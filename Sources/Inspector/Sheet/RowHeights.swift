/// How many lines the rows of a list take: each step, which come first, one or two, and all others one.
struct RowHeights: Hashable, Sendable {
    /// The first line below each step, counted from the first one's first.
    private let ends: [Int]

    /// - Parameter steps: How many lines each step takes.
    init(steps: some Sequence<Int> = EmptyCollection<Int>()) {
        ends = steps.reduce(into: []) { ends, height in ends.append((ends.last ?? 0) + height) }
    }

    /// How many lines the steps take.
    private var stepLines: Int { ends.last ?? 0 }

    /// How many lines a row takes.
    func height(of row: Int) -> Int { lines(before: row + 1) - lines(before: row) }

    /// How many lines the rows before one take.
    func lines(before row: Int) -> Int {
        if row <= 0 { return 0 }
        return row <= ends.count ? ends[row - 1] : stepLines + row - ends.count
    }

    /// The row that has a line, counted from the first row's first.
    func row(at line: Int) -> Int {
        if line >= stepLines { return ends.count + line - stepLines }
        var low = 0, high = ends.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > line { high = middle } else { low = middle + 1 }
        }
        return low
    }

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
