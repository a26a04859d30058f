import Foundation
import StoreFormats
import TestSupport

extension Value {
    /// A random value of the kinds that a property list has; containers lie at most `depth` deep.
    static func random(depth: Int, sets: Bool = true, using generator: inout SeededGenerator) -> Value {
        let count = Int.random(in: 0...20, using: &generator)
        switch Int.random(in: 0...(depth > 0 ? 13 : 9), using: &generator) {
        case 0: return .bool(.random(using: &generator))
        case 1: return .integer(Int128(Int64.random(in: .min ... .max, using: &generator)) >> (count * 3))
        case 2: return .integer(Int128(UInt64.random(in: .min ... .max, using: &generator)) << count)
        case 3: return .real(Double(bitPattern: .random(in: 0...(.max), using: &generator)))
        case 4: return .real(Real(Double(Float.random(in: -1e9...1e9, using: &generator)), form: .single))
        case 5: return .date(Timestamp(secondsSinceReference: .random(in: -1e9...1e9, using: &generator)))
        case 6: return .data(Data((0..<count * 5).map { _ in .random(in: 0...255, using: &generator) }))
        case 7: return .uid(.random(in: 0...(.max), using: &generator) >> UInt64(count * 3))
        case 8: return .null
        case 9: return .string(text(count, using: &generator))
        case 10 where sets:
            return .set(SetElements(elements(count / 4, depth, sets, using: &generator), isOrdered: count % 2 == 0))
        case 10, 11: return .array(elements(count, depth, sets, using: &generator))
        default:
            let members = elements(count, depth, sets, using: &generator)
            return .dictionary(members.enumerated().map { ("\($0.offset)\(text(4, using: &generator))", $0.element) })
        }
    }

    private static func elements(
        _ count: Int, _ depth: Int, _ sets: Bool, using generator: inout SeededGenerator
    ) -> [Value] {
        (0..<count).map { _ in random(depth: depth - 1, sets: sets, using: &generator) }
    }

    private static func text(_ count: Int, using generator: inout SeededGenerator) -> String {
        let scalars: [UnicodeScalar] = [
            "a", "Z", "0", "\n", "\0", "ä", "€", "語", "\u{301}", "😀", "\u{10FFFF}", "<", "&",
        ]
        let ascii = Bool.random(using: &generator)
        let chosen = (0..<count).compactMap { _ in scalars.prefix(ascii ? 5 : 13).randomElement(using: &generator) }
        return String(String.UnicodeScalarView(chosen))
    }
}
