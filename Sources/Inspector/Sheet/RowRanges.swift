/// Some of the rows of a sheet, in their order: runs of positions, so that a million rows of one store are one run.
struct RowRanges: Hashable, Sendable {
    private var runs: [Range<Int>] = []
    /// How many rows come before each run.
    private var before: [Int] = []
    /// How many rows there are.
    private(set) var count = 0

    /// Adds rows that come after all that are here.
    mutating func append(_ rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        if let last = runs.last, last.upperBound == rows.lowerBound {
            runs[runs.count - 1] = last.lowerBound..<rows.upperBound
        } else {
            before.append(count)
            runs.append(rows)
        }
        count += rows.count
    }

    /// Adds others that come after all that are here.
    mutating func append(_ others: RowRanges) { others.runs.forEach { append($0) } }

    /// The position in the sheet of one of these rows.
    subscript(index: Int) -> Int? {
        guard (0..<count).contains(index) else { return nil }
        let run = before.lastPosition { $0 <= index }
        return run.map { runs[$0].lowerBound + index - before[$0] }
    }

    /// Which of these rows a position in the sheet is; `nil` where it is none.
    func index(of position: Int) -> Int? {
        guard let run = runs.lastPosition(where: { $0.lowerBound <= position }), runs[run].contains(position) else {
            return nil
        }
        return before[run] + position - runs[run].lowerBound
    }

    /// How many of these rows come before a position in the sheet.
    func count(before position: Int) -> Int {
        guard let run = runs.lastPosition(where: { $0.lowerBound < position }) else { return 0 }
        return before[run] + min(position, runs[run].upperBound) - runs[run].lowerBound
    }

    /// The first of these rows that is at a position in the sheet or after it, or else the last one.
    func index(atOrAfter position: Int) -> Int {
        if let index = index(of: position) { return index }
        let next = runs.lastPosition { $0.lowerBound <= position }.map { $0 + 1 } ?? 0
        return next < runs.count ? before[next] : max(0, count - 1)
    }
}

extension Array {
    /// The last position whose element holds, where all that hold come first.
    func lastPosition(where holds: (Element) -> Bool) -> Int? {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}

extension [Int] {
    /// The first place behind another, or the last before it, of places in their order that are taken as a ring.
    func next(from place: Int, forward: Bool) -> Int? {
        forward ? first { $0 > place } ?? first : last { $0 < place } ?? last
    }
}
