import Foundation
import MigrationEngine
import StoreFormats

/// What is masked unless the person asks to see it: all of a keychain but the attributes that say what an item is, and
/// what a word in a key, the shape of a value, or a word in a text says is a password, a token, a key, an e-mail address.
///
/// A truth value, a date and null are never masked outside of a keychain: `hasPassword` and `tokenExpiry` tell no secret.
/// Identifiers, such as UUIDs, are not secrets. What cannot be looked into, because it is damaged or over a limit, and
/// has such a word in it, is taken for a secret as a whole.
package enum Secrets {
    /// How deep values are looked into, also those within others in another format.
    static let depthLimit = 512

    /// The parts of a sentence of the program's own that are secret, each replaced by what it is.
    ///
    /// It quotes values; a path or an address before a colon is what it is about, and no name of a secret behind it.
    package static func masked(text: String) -> String {
        let text = masked(addressesIn: text), bytes = Array(text.utf8)
        // A dash or two that stands for nothing hides nothing.
        let ranges = SecretTexts.ranges(in: text, isSentence: true).filter { range in
            range.count > 5 || bytes[range].contains { SecretShapes.isAlphanumeric($0) || $0 > 0x7F }
        }
        // What stands in place of a secret is replaced whole or not at all.
        let cut =
            ranges.isEmpty ? [] : placeholders(in: text).filter { place in ranges.contains(where: place.overlaps) }
        return masked(text, (ranges + cut).joined)
    }

    /// Where a text has placeholders already.
    private static func placeholders(in text: String) -> [Range<Int>] {
        let bytes = Array(text.utf8), begins = Array(mark.utf8), ends = Array("›".utf8)
        return bytes.indices.filter { bytes[$0...].starts(with: begins) }.compactMap { start in
            bytes[start...].indices.first { bytes[$0...].starts(with: ends) }.map { start..<($0 + ends.count) }
        }
    }

    /// - Parameter written: How what is no secret is written.
    private static func masked(
        _ text: String, _ ranges: [Range<Int>], _ written: (String) -> String = { $0 }
    ) -> String {
        guard !ranges.isEmpty else { return written(text) }
        var masked = "", position = 0
        let bytes = Array(text.utf8)
        for range in ranges {
            masked += written(String(decoding: bytes[position..<range.lowerBound], as: UTF8.self))
            masked += placeholder(.string(String(decoding: bytes[range], as: UTF8.self)))
            position = range.upperBound
        }
        return masked + written(String(decoding: bytes[position...], as: UTF8.self))
    }

    /// A key of a dictionary without what is secret in it by its shape, such as the e-mail address of a user.
    ///
    /// The names of stores and entries are masked by ``masked(name:)``.
    ///
    /// - Parameter written: How what is no secret is written.
    static func masked(key: String, _ written: (String) -> String = { $0 }) -> String {
        masked(key, key.utf8.count > 5 ? SecretShapes.ranges(inKey: Array(key.utf8)) : [], written)
    }

    /// The name of a store or an entry, such as an account, without what ``SecretShapes/ranges(inName:)`` finds in it.
    ///
    /// All else of a name is shown, write keys too: an address without them would lead nowhere.
    static func masked(name: String, _ written: (String) -> String = { $0 }) -> String {
        masked(name, SecretShapes.ranges(inName: Array(name.utf8)), written)
    }

    /// A text with addresses of entries in it, as they are written: percent-encoded.
    static func masked(addressesIn text: String) -> String {
        func isPart(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "%") || PercentEncoding.isUnreserved(byte) }
        let bytes = Array(text.utf8)
        var masked = "", position = 0
        for part in bytes.indices.split(whereSeparator: { !isPart(bytes[$0]) }) {
            guard let name = PercentEncoding.decode(String(decoding: bytes[part], as: UTF8.self)) else { continue }
            let ranges = SecretShapes.ranges(inName: Array(name.utf8))
            guard !ranges.isEmpty else { continue }
            masked += String(decoding: bytes[position..<part.lowerBound], as: UTF8.self)
            masked += Self.masked(name, ranges) { PercentEncoding.encode($0) }
            position = part.upperBound
        }
        return position == 0 ? text : masked + String(decoding: bytes[position...], as: UTF8.self)
    }

    /// A text without what it quotes, between quotation marks or in the brackets of JSON.
    static func masked(quotesIn text: String) -> String {
        let pairs: [Character: Character] = ["“": "”", "\"": "\"", "{": "}", "[": "]"]
        var masked = "", rest = text[...]
        while let start = rest.firstIndex(where: { pairs[$0] != nil }), let end = pairs[rest[start]] {
            // Of nested quotes the outermost one counts, so the last end of its kind.
            guard let close = rest[rest.index(after: start)...].lastIndex(of: end) else { break }
            masked += rest[..<start] + placeholder(.string(String(rest[start...close])))
            rest = rest[rest.index(after: close)...]
        }
        return masked + rest
    }

    /// Whether there is anything to mask in a value.
    package static func isSecret(_ value: Value, at address: Address) -> Bool {
        holdsSecret(value, SecretContext(address), depth: 0, within: SearchBudget(DecodingBudget()))
    }
}
