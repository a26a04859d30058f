import StoreFormats
import TestSupport
import Testing

@Suite("Positions of keys")
struct KeyPositionsTests {
    @Test("Keys that are added at the end and taken away stand where a look through the list finds them")
    func edits() {
        var generator = SeededGenerator(seed: 3)
        for round in 0..<200 {
            var list = (0..<round % 9).map { _ in Name("k\(Int.random(in: 0..<6, using: &generator))") }
            var positions = KeyPositions(list)
            for _ in 0..<20 {
                let key = Name("k\(Int.random(in: 0..<6, using: &generator))")
                if Bool.random(using: &generator) {
                    list.append(key)
                    positions.append(key)
                } else {
                    if let index = list.firstIndex(of: key) { list.remove(at: index) }
                    positions.removeFirst(of: key)
                }
                for number in 0..<6 {
                    let key = Name("k\(number)"), found = list.indices.filter { list[$0] == key }
                    #expect(positions.all(of: key) == found)
                    #expect(positions.first(of: key) == found.first)
                    #expect(positions.isRepeated(key) == (found.count > 1))
                }
                let counts = Dictionary(list.map { ($0, 1) }, uniquingKeysWith: +)
                #expect(Set(positions.repeatedKeys) == Set(counts.filter { $0.value > 1 }.keys))
            }
        }
    }
}
