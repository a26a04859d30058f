import TestSupport
import Testing

@testable import Inspector

@Suite("Some rows of a sheet")
struct RowRangesTests {
    @Test("rows are found by their place and by their position, as in a list of them")
    func law() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed)), ranges = RowRanges(), rows: [Int] = [], next = 0
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                next += Int.random(in: 0...3, using: &random)
                let run = next..<next + Int.random(in: 0...4, using: &random)
                ranges.append(run)
                rows += run
                next = run.upperBound
            }
            #expect(ranges.count == rows.count)
            for index in -1...rows.count {
                #expect(ranges[index] == (rows.indices.contains(index) ? rows[index] : nil))
            }
            for position in -1...next + 2 {
                #expect(ranges.index(of: position) == rows.firstIndex(of: position))
                let after = rows.firstIndex { $0 >= position } ?? max(0, rows.count - 1)
                #expect(ranges.index(atOrAfter: position) == after)
            }
        }
    }
}
