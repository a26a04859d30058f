import Foundation
import StoreFormats
import TestSupport
import Testing

@Suite("Damaged binary property lists")
struct BinaryPropertyListFuzzTests {
    @Test("A damaged list gives a value or an error, in every operation", .timeLimit(.minutes(10)))
    func damage() throws {
        var generator = SeededGenerator(seed: 42)
        let originals: [Data] = try (0..<20).map { _ in
            let members = (0..<6).map { (Name("key \($0)"), Value.random(depth: 2, using: &generator)) }
            return try BinaryPropertyList.write(.dictionary(members + [("k", .string("ä")), ("key 1", .null)]))
        }
        let limits = Limits(nodes: 2000, bytes: 1 << 20)
        var read = 0, refused = 0
        for round in 0..<2000 {
            var data = originals[round % originals.count]
            if round % 5 == 0 {
                // A piece is missing, and the trailer still there.
                let start = Int.random(in: 8..<data.count - 32, using: &generator)
                data.removeSubrange(start..<Int.random(in: start...data.count - 32, using: &generator))
            } else if round % 5 == 1 {
                data = data.prefix(Int.random(in: 0..<data.count, using: &generator))
            }
            for _ in 0..<Int.random(in: 1...4, using: &generator) where data.count > 8 {
                // Half of the damage goes where it hurts: the trailer and the offsets before it.
                let low = Bool.random(using: &generator) ? 8 : max(8, data.count - 48)
                data[Int.random(in: low..<data.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            do throws(FormatError) {
                let list = try BinaryPropertyList(data, limits: limits)
                exercise(list)
                _ = try list.value()
                read += 1
            } catch {
                refused += 1
            }
        }
        #expect(read > 150)
        #expect(refused > 150)
    }

    private func exercise(_ list: BinaryPropertyList) {
        if let top = list.topDictionary {
            for position in 0..<min(top.count, 20) {
                let key = top.key(at: position)
                let found = top.position(of: key)
                #expect(found.map { top.key(at: $0) } == key)
                #expect((found ?? .max) <= position)
                _ = top.kind(at: position)
                _ = try? top.value(at: position)
            }
        }
        if let data = try? list.rewriting([("key 1", .integer(1)), ("new", .string("x"))]) {
            let read = try? BinaryPropertyList(data)
            #expect((try? read?.topDictionary?["new"]) == .string("x"))
        }
    }
}
