import Foundation
import TestSupport

@testable import StoreFormats

extension SeededGenerator {
    /// The bytes with a few of them changed, removed, doubled or moved.
    mutating func damaged(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[Int.random(in: bytes.indices, using: &self)], at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...30, using: &self)))
            default:
                let end = min(bytes.count, place + Int.random(in: 1...30, using: &self))
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &self))
            }
        }
        return Data(bytes)
    }

    /// A value of what both JSON and property lists hold.
    mutating func value(depth: Int = 0) -> Value {
        switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &self) {
        case 0: return .bool(Bool.random(using: &self))
        case 1: return .integer(Int128(Int64.random(in: .min ... .max, using: &self)))
        case 2:
            let real = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &self))
            return .real(real.isFinite ? real : 0.5)
        case 3, 4: return .string(text())
        case 5: return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth + 1) })
        default:
            let keys = (0..<Int.random(in: 0..<5, using: &self)).map { "\($0)\(text())" }
            return .dictionary(keys.map { (Name($0), value(depth: depth + 1)) })
        }
    }

    private mutating func text() -> String {
        let alphabet = Array("ab/\\\"<>&'é\u{301}😀 \n\t~\u{7F}\u{2028}{}[]:,")
        return String(
            (0..<Int.random(in: 0..<8, using: &self)).compactMap { _ in alphabet.randomElement(using: &self) })
    }
}
