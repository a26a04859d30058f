import Testing
import TestSupport

@testable import Inspector

@Suite("The heights of rows")
struct RowHeightsTests {
    @Test("what is told of lines and rows is what counting them line by line tells", arguments: 0..<40)
    func counted(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let steps = (0..<Int.random(in: 0...6, using: &random)).map { _ in Int.random(in: 1...2, using: &random) }
        let heights = RowHeights(steps: steps)
        for (row, height) in steps.enumerated() { #expect(heights.height(of: row) == height) }
        let rows = 14, lines = (0..<rows).flatMap { Array(repeating: $0, count: heights.height(of: $0)) }
        for (line, row) in lines.enumerated() { #expect(heights.row(at: line) == row) }
        for row in 0..<rows {
            #expect(heights.lines(before: row) == lines.firstIndex(of: row))
            for room in 2...9 {
                let top = heights.top(endingWith: row, in: room)
                #expect(lines.count { (top...row).contains($0) } <= room)
                #expect(top == 0 || lines.count { (top - 1...row).contains($0) } > room)
                let shown = heights.count(from: row, in: room)
                let fitting = (0...rows - row).last { number in
                    lines.count { (row..<row + number).contains($0) } <= room
                }
                #expect(row + shown >= rows || shown == fitting)
            }
        }
    }
}
