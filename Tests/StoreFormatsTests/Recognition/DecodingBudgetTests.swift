import Foundation
import Testing

@testable import StoreFormats

@Suite("One budget for all that an answer decodes")
struct DecodingBudgetTests {
    /// Property lists in one another, each of so many references to the next, which is stored once.
    static func bomb(levels: Int, references: Int) throws -> Value {
        var value = Value.string("x")
        for _ in 0..<levels {
            value = .data(try BinaryPropertyList.write(.array(Array(repeating: value, count: references))))
        }
        return value
    }

    /// Decodes everything in a value at every level, as an answer does; counts what was decoded and what was refused.
    private func walk(_ value: Value, _ budget: DecodingBudget) -> (decoded: Int, refused: Int) {
        if case .array(let elements) = value {
            return elements.reduce((1, 0)) { sum, element in
                let (decoded, refused) = walk(element, budget)
                return (sum.0 + decoded, sum.1 + refused)
            }
        }
        guard let recognition = value.recognition(within: budget) else { return (1, 0) }
        guard let decoded = recognition.decoded else { return (1, recognition.isOverBudget ? 1 : 0) }
        return walk(decoded.value, budget.inner)
    }

    @Test("Formats inside formats that share content do not multiply beyond the budget; what is left out is told")
    func bomb() throws {
        let bomb = try Self.bomb(levels: 12, references: 200)
        let budget = DecodingBudget()
        let (decoded, refused) = walk(bomb, budget)
        #expect(budget.isExceeded)
        #expect(refused > 0)
        #expect(decoded < Limits.standard.nodes)
    }

    @Test("What lies side by side draws from the same budget, and a copy of a budget is the same one")
    func sideBySide() throws {
        let budget = DecodingBudget(Limits(nodes: 10)), list = Value.string("[1,2,3]")
        let results = (0..<4).map { _ in (list.recognition(within: budget).map { $0.isOverBudget }) }
        // Four values each: two fit, the third and the fourth have only two left.
        #expect(results == [false, false, true, true])
        #expect(budget.isExceeded)
        #expect(budget.inner.isExceeded)
    }

    @Test("A document that is asked for again in one budget is read once and paid for each time; few are kept")
    func again() throws {
        func document(_ number: Int) -> Value { .string("[" + String(repeating: "\(number),", count: 400) + "0]") }
        let budget = DecodingBudget(Limits(nodes: 402 * 4 + 402 / 2))
        var kept: [Value] = []
        for number in [1, 2, 1, 2] { kept += [try #require(document(number).decoded(within: budget)?.value)] }
        let places = kept.compactMap { value in
            if case .array(let items) = value { items.withUnsafeBufferPointer(\.baseAddress) } else { nil }
        }
        #expect(places.count == 4 && places[0] == places[2] && places[1] == places[3] && places[0] != places[1])
        #expect(document(1).recognition(within: budget)?.isOverBudget == true, "it is paid for all the same")
    }

    @Test("Bytes are paid for also where they turn out to be broken")
    func brokenBytes() {
        let budget = DecodingBudget(Limits(bytes: 20)), broken = Value.string(#"{"a": nope}"#)
        #expect(broken.recognition(within: budget)?.problem?.problem != .overBudget)
        #expect(broken.recognition(within: budget)?.problem?.problem == .overBudget)
    }

    @Test("What is within the budget is read, ten formats deep")
    func depth() throws {
        var value = Value.string("x")
        for _ in 0..<10 { value = .data(try BinaryPropertyList.write(.array([value]))) }
        let budget = DecodingBudget()
        #expect(walk(value, budget) == (11, 0))
        #expect(!budget.isExceeded)
    }

    @Test("What fits no budget is too large, rather than left out of this one")
    func tooLarge() {
        let budget = DecodingBudget(Limits(nodes: 3, bytes: 20))
        #expect(Value.string("[1,2,3]").recognition(within: budget)?.problem?.problem == .tooManyNodes(limit: 3))
        #expect(!budget.isExceeded)
    }

    @Test("A refusal says that the content is left out, and not that it is broken")
    func words() {
        let error = FormatError(.json, at: .offset(0), .overBudget)
        #expect(error.description == "the JSON in it is left out: what one answer may decode is used up")
    }
}
