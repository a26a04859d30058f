import StoreFormats

/// A value that the rules of a migration write out, under the name that it goes by.
///
/// Rules are shown, sent around and kept: whether such a value is told is decided here, for whoever reads them and whoever shows
/// them.
package struct WrittenValue: Hashable, Sendable {
    /// The value; of a text with facts in it, what is written out.
    package let value: Value
    /// The key that it is written to or stands at, in some store, and the members on the way to it.
    package let address: Address
    /// The pieces of a text between the facts in it.
    package let parts: [String]

    /// Whether the rules say that it is secret.
    private let isSaid: Bool

    package init(_ value: Value, at address: Address, parts: [String]? = nil, isSaid: Bool = false) {
        (self.value, self.address, self.isSaid) = (value, address, isSaid)
        self.parts = parts ?? value.string.map { [$0] } ?? []
    }

    /// A value that a rule has made up at an address: its name tells of it, and not that all of a keychain is secret.
    ///
    /// Of a value with parts these are each of them.
    package static func all(in value: Value, at address: Address) -> [WrittenValue] {
        let isItem = address.store.kind == .keychain && address.pointer.tokens.first == KeychainItem.dataKey
        let tokens = isItem ? Array(address.pointer.tokens.dropFirst()) : address.pointer.tokens
        let place = Address(store: nowhere.store, key: address.key, pointer: JSONPointer(tokens))
        var found: [WrittenValue] = []
        find(in: value, at: place, depth: 0, &found)
        return found
    }

    private static func find(in value: Value, at place: Address, depth: Int, _ found: inout [WrittenValue]) {
        guard depth < 16, found.count < 200 else { return }
        switch value {
        case .dictionary(let members):
            for member in members {
                find(in: member.value, at: place.appending(JSONPointer([member.key])), depth: depth + 1, &found)
            }
        case .array(let items): for item in items { find(in: item, at: place, depth: depth + 1, &found) }
        case .string, .integer, .real: found.append(WrittenValue(value, at: place))
        default: break
        }
    }

    /// Whether it looks like a secret, and is none that was invented, nor a word or a moment that only its name makes one.
    ///
    /// - Parameter isSecret: Whether a value looks like a secret, under the names of an address.
    package func looksSecret(_ isSecret: (Address, Value) -> Bool) -> Bool {
        if isSaid { return true }
        guard isSecret(address, value) else { return false }
        guard case .string(let text) = value else { return !Self.isMoment(value) || isSecret(Self.nowhere, value) }
        return !Self.isInvented(text) && (!Self.isPlain(text) || isSecret(Self.nowhere, value))
    }

    /// A name that says nothing of what stands there.
    private static let nowhere = Address(store: .defaults("spec"), key: "x")

    /// Whether a text says of itself that it is no real one.
    private static func isInvented(_ text: String) -> Bool {
        let words = text.lowercased().split { !$0.isLetter }
        return words.contains { inventions.contains(String($0)) }
    }

    private static let inventions: Set = [
        "example", "invented", "sample", "demo", "dummy", "fake", "placeholder", "test", "redacted",
    ]

    /// Words that say that there is no secret, what becomes of one, or where or how it is kept.
    private static let states: Set = [
        "absent", "anonymous", "biometric", "biometrics", "default", "disabled", "enabled", "expired", "faceid",
        "guest",
        "invalid", "keychain", "locked", "missing", "nobody", "optional", "passcode", "pending", "required", "revoked",
        "touchid", "unknown", "unlocked", "unused", "verified", "md5", "sha1", "sha256", "sha512", "bcrypt", "scrypt",
        "argon2", "pbkdf2", "aes128", "aes256", "hmac", "rsa2048", "ed25519",
    ]

    /// Whether a text is no secret by the name that it goes by alone: one of a few characters, without a letter and a digit,
    /// an identifier of two or three words, or a word for a state.
    private static func isPlain(_ text: String) -> Bool {
        guard text.count >= 6, text.contains(where: { $0.isLetter || $0.isNumber }) else { return true }
        if states.contains(text.lowercased().replacing("-", with: "")) { return true }
        if let number = Int128(text) { return isMoment(.integer(number)) }
        let words = text.split(omittingEmptySubsequences: false) { "_-.".contains($0) }
        return (2...3).contains(words.count)
            && words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains) }
    }

    /// Whether a number is a moment of 2001 to 2060, in seconds or in milliseconds.
    private static func isMoment(_ value: Value) -> Bool {
        guard let number = value.double else { return false }
        let years = 978_307_200.0...2_840_140_800.0
        return years.contains(number) || years.contains(number / 1000)
    }
}

/// A migration whose rules somebody has written, with values in them.
package protocol WritingMigration: Migration {
    /// The values that its rules write out.
    var written: [WrittenValue] { get }
    /// The apps that it says that it is for, where a `*` stands for a part; none where it says of none.
    var apps: [String] { get }
    /// Whether it is for an app, as far as it says.
    func names(_ app: String) -> Bool
}
