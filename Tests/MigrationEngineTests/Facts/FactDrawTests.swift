import StoreFormats
import Testing

@testable import MigrationEngine

@Suite("Facts for which any new value will do")
struct FactDrawTests {
    @Test("Who looks at the same dump again draws the same; another dump, and another fact, has another")
    func stable() {
        let seeds: [Name] = ["a\0com.acme.notes", "b\0com.acme.notes", "a\0com.acme.note", ""]
        let values = seeds.flatMap { seed in
            (0..<100).map { FactDraw(for: seed).fact(FactName(rawValue: "id\($0)")).value }
        }
        #expect(Set(values).count == 400)
        #expect(values.allSatisfy(FactDefinition.isUUID))
        #expect(values[0] == FactDraw(for: seeds[0]).fact(FactName(rawValue: "id0")).value)
        let characters = values.map { Array($0) }
        #expect(characters.allSatisfy { $0[14] == "4" && "89AB".contains($0[19]) })
    }
}
