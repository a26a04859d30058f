import Crypto
import CryptoExtras
import Foundation

/// AES-GCM with first vectors of any length, none included.
///
/// The system's keychain seals each item with a key of its own and no vector at all, for which swift-crypto has no way in:
/// it refuses vectors of fewer than 12 bytes. So the mode is made here from its block cipher, for opening only.
enum GCM {
    /// Opens what was sealed; `nil` where the tag says that key, vector or bytes are not those that it was sealed with.
    static func open(
        _ cipher: Data, tag: Data, key: SymmetricKey, vector: Data, authenticating header: Data = Data()
    ) -> Data? {
        guard tag.count == 16, let hashKey = block([UInt8](repeating: 0, count: 16), key) else { return nil }
        var hash = Hash(key: number(hashKey))
        let first: [UInt8]
        switch vector.count {
        // What CommonCrypto makes of no vector; by the standard there is none.
        case 0: first = [UInt8](repeating: 0, count: 16)
        case 12: first = Array(vector) + [0, 0, 0, 1]
        default:
            var start = Hash(key: number(hashKey))
            start.add(vector)
            start.add(UInt128(vector.count) << 3)
            first = bytes(start.sum)
        }
        hash.add(header)
        hash.add(cipher)
        hash.add(UInt128(header.count) << 67 | UInt128(cipher.count) << 3)
        guard let mask = block(first, key) else { return nil }
        let expected = bytes(hash.sum ^ number(mask))
        // Takes the same time wherever they differ.
        guard zip(expected, tag).reduce(UInt8(0), { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
        var plain = Data(capacity: cipher.count), counter = number(first), rest = cipher[...]
        while !rest.isEmpty {
            // The last 32 bits count, and wrap by themselves.
            counter = counter & ~0xFFFF_FFFF | UInt128(UInt32(truncatingIfNeeded: counter) &+ 1)
            guard let stream = block(bytes(counter), key) else { return nil }
            plain.append(contentsOf: zip(rest.prefix(16), stream).map { $0 ^ $1 })
            rest = rest.dropFirst(16)
        }
        return plain
    }

    private static func block(_ block: [UInt8], _ key: SymmetricKey) -> [UInt8]? {
        var block = block
        do { try AES.permute(&block, key: key) } catch { return nil }
        return block
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

    private static func bytes(_ number: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: number >> UInt128(120 - 8 * $0)) }
    }

    /// GHASH: a polynomial over GF(2¹²⁸), bits in the standard's order, the first one the highest.
    private struct Hash {
        let key: UInt128
        var sum: UInt128 = 0

        mutating func add(_ block: UInt128) {
            var (x, factor, product) = (sum ^ block, key, UInt128(0))
            for _ in 0..<128 {
                if x >> 127 == 1 { product ^= factor }
                x <<= 1
                factor = factor & 1 == 1 ? factor >> 1 ^ 0xE1 << 120 : factor >> 1
            }
            sum = product
        }

        mutating func add(_ data: Data) {
            var rest = data[...]
            while !rest.isEmpty {
                let part = rest.prefix(16)
                add(GCM.number(part) << UInt128(8 * (16 - part.count)))
                rest = rest.dropFirst(16)
            }
        }
    }
}
