import Foundation
import StoreFormats

/// Draws facts for which any new UUID will do, each by what it is drawn for.
///
/// Who looks at the same dump again draws the same, so that what was previewed is what is applied. What a ledger has recorded
/// goes before it.
public struct FactDraw: Hashable, Sendable {
    private let seed: Name

    /// Makes a draw.
    ///
    /// - Parameter seed: Tells whose facts they are: two apps, and two dumps, have none in common.
    public init(for seed: Name) { self.seed = seed }

    /// The value of a fact.
    func fact(_ name: FactName) -> Fact {
        let text = Array(seed.utf8) + [0] + Array(name.rawValue.utf8)
        let halves = [0, 1].map { Self.mixed(text, UInt64($0)) }
        var bytes = halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) } }
        // As any random one has them: RFC 9562, section 5.4.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hexadecimal.text(bytes).uppercased()
        var value = "", rest = digits[...]
        for count in [8, 4, 4, 4, 12] {
            value += (value.isEmpty ? "" : "-") + rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        return Fact(value, from: .drawn("a draw, as any new one will do"))
    }

    /// A number by which texts are told apart (FNV-1a, with the end of SplitMix64); nothing is kept secret by it.
    private static func mixed(_ bytes: [UInt8], _ half: UInt64) -> UInt64 {
        var number = 0xCBF2_9CE4_8422_2325 ^ half &* 0x9E37_79B9_7F4A_7C15
        for byte in bytes { number = (number ^ UInt64(byte)) &* 0x100_0000_01B3 }
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }
}
