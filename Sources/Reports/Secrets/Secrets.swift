import Foundation
import MigrationEngine
import StoreFormats

/// What is masked unless the person asks to see it: all of a keychain but the attributes that say what an item is, and
/// values whose key or shape says token, password, secret, key or e-mail.
///
/// A truth value, a date and null are never masked outside of a keychain: `hasPassword` and `tokenExpiry` tell no secret.
/// Identifiers, such as UUIDs, are not secrets. Store names, keys and addresses are shown as they are.
public enum Secrets {
    /// How deep values are looked into, also those within others in another format.
    static let depthLimit = 512

    /// The parts of a text that are secret by their shape, each replaced by what it is.
    ///
    /// For sentences, such as a rule or a reason that quotes a value.
    public static func masked(text: String) -> String {
        let ranges = SecretShapes.ranges(in: text)
        guard !ranges.isEmpty else { return text }
        var masked = "", position = 0
        let bytes = Array(text.utf8)
        for range in ranges {
            masked += String(decoding: bytes[position..<range.lowerBound], as: UTF8.self)
            masked += placeholder(.string(String(decoding: bytes[range], as: UTF8.self)))
            position = range.upperBound
        }
        return masked + String(decoding: bytes[position...], as: UTF8.self)
    }

    /// A value with every secret in it replaced by a text that says its type and length; arrays, dictionaries and sets
    /// stay, and only what is secret in them is replaced.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - address: Where it is. Its pointer may lead into the value in another format that an entry holds.
    public static func masked(_ value: Value, at address: Address) -> Value {
        mask(value, SecretContext(address), depth: 0, within: DecodingBudget())
    }

    /// Whether there is anything to mask in a value.
    public static func isSecret(_ value: Value, at address: Address) -> Bool {
        holdsSecret(value, SecretContext(address), depth: 0, within: DecodingBudget())
    }

    /// What is shown in place of a secret: its type and length.
    public static func placeholder(_ value: Value) -> String {
        guard let length = length(of: value) else { return "‹masked \(value.typeName)›" }
        let unit = if case .data = value { "byte" } else { "character" }
        return "‹masked \(value.typeName), \(length) \(unit)\(length == 1 ? "" : "s")›"
    }

    /// How long a secret is: bytes of data, characters of text; `nil` for other types.
    static func length(of value: Value) -> Int? {
        switch value {
        case .string(let text): text.count
        case .data(let data): data.count
        default: nil
        }
    }

    private static func mask(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: DecodingBudget
    ) -> Value {
        guard depth < depthLimit else { return .string(placeholder(value)) }
        switch value {
        case .array(let elements): return .array(elements.map { mask($0, context, depth: depth + 1, within: budget) })
        case .set(var set):
            set.elements = set.elements.map { mask($0, context, depth: depth + 1, within: budget) }
            return .set(set)
        case .dictionary(let members):
            return .dictionary(
                mask(members, context.entering(archive: value, depth: depth, within: budget), depth, budget))
        case .object(var object):
            object.fields = mask(object.fields, context, depth, budget)
            return .object(object)
        default:
            return holdsSecret(value, context, depth: depth, within: budget) ? .string(placeholder(value)) : value
        }
    }

    private static func mask(
        _ members: Members, _ context: SecretContext, _ depth: Int, _ budget: DecodingBudget
    ) -> Members {
        Members(
            members.map {
                Member(key: $0.key, value: mask($0.value, context.entering($0.key.text), depth: depth + 1, within: budget))
            })
    }

    private static func holdsSecret(
        _ members: Members, _ context: SecretContext, _ depth: Int, _ budget: DecodingBudget
    ) -> Bool {
        members.contains { holdsSecret($0.value, context.entering($0.key.text), depth: depth + 1, within: budget) }
    }

    /// Whether a value is secret, or holds a secret, also in another format.
    static func holdsSecret(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: DecodingBudget
    ) -> Bool {
        guard depth < depthLimit else { return true }
        switch value {
        case .array(let elements):
            return elements.contains { holdsSecret($0, context, depth: depth + 1, within: budget) }
        case .set(let set):
            return set.elements.contains { holdsSecret($0, context, depth: depth + 1, within: budget) }
        case .dictionary(let members):
            // In the raw form of an archive, keys lie apart from their values.
            if decodedHoldsSecret(value, context, depth: depth, within: budget) == true { return true }
            return holdsSecret(members, context, depth, budget)
        case .object(let object): return holdsSecret(object.fields, context, depth, budget)
        case .null, .bool, .date, .uid, .reference: return context.isKeychain
        case .integer, .real: return context.meaning == .secret
        case .string(let text):
            if context.makesSecret(text.utf8.count) { return true }
            return decodedHoldsSecret(value, context, depth: depth, within: budget)
                ?? !SecretShapes.ranges(in: text).isEmpty
        case .data(let data):
            if context.makesSecret(data.count) { return true }
            if let holds = decodedHoldsSecret(value, context, depth: depth, within: budget) { return holds }
            return String(validating: data, as: UTF8.self).map { !SecretShapes.ranges(in: $0).isEmpty } ?? false
        }
    }

    /// Whether what a value holds in another format holds a secret; `nil` where it holds no other format.
    ///
    /// What is over the budget cannot be looked into, and is taken for a secret.
    fileprivate static func decodedHoldsSecret(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: DecodingBudget
    ) -> Bool? {
        guard let recognition = value.recognition(within: budget) else { return nil }
        if recognition.isOverBudget { return true }
        return recognition.decoded.map { holdsSecret($0.value, context, depth: depth + 1, within: budget.inner) }
    }
}

/// What the place of a value says of it.
struct SecretContext {
    /// Whether it is in a keychain, and no attribute that may be seen.
    private(set) var isKeychain: Bool
    /// Whether it is a whole item of a keychain, whose members are its attributes.
    private var isKeychainItem: Bool
    /// What the keys on the way to it say of it.
    private(set) var meaning: SecretKeys.Meaning

    /// The shortest value, in bytes, that is taken for a key where its name may mean that.
    private static let keyLength = 12

    /// The attributes of a keychain item that say what it is: its group, name and kind, when and whether it can be read.
    ///
    /// A comment (`icmt`) and what an app keeps with an item (`gena`) may be anything, and are masked.
    private static let readable: Set<String> = [
        "agrp", "acct", "svce", "labl", "desc", "pdmn", "cdat", "mdat", "sync", "tomb", "srvr", "port", "ptcl", "path",
        "atyp", "sdmn", "class",
    ]

    /// Whether the place alone makes a text or data of a length secret.
    func makesSecret(_ length: Int) -> Bool {
        meaning == .secret || meaning == .ambiguous && length >= Self.keyLength
    }

    /// The place of a value that stands in one entry, the first, and was made from others.
    init(_ addresses: [Address]) {
        let contexts = addresses.map(SecretContext.init)
        isKeychain = contexts.contains(where: \.isKeychain)
        isKeychainItem = contexts.first?.isKeychainItem ?? false
        meaning = contexts.map(\.meaning).max() ?? .plain
    }

    init(_ address: Address) {
        isKeychain = address.store.kind == .keychain
        isKeychainItem = isKeychain && address.pointer.isRoot
        if isKeychain, address.pointer.tokens.count == 1, let attribute = address.pointer.tokens.first,
            Self.readable.contains(attribute.text)
        {
            (isKeychain, meaning) = (false, .plain)
            return
        }
        // The folders on the way to a file are not about it.
        let key = address.store.kind == .file ? address.key?.text.split(separator: "/").last.map(String.init) : address.key?.text
        let meanings = ([key].compactMap(\.self) + address.pointer.tokens.map(\.text)).map(SecretKeys.meaning)
        meaning = isKeychain ? .secret : meanings.max() ?? .plain
    }

    /// The place of the parts of a dictionary; all are secret where it is the raw form of an archive that holds a secret,
    /// as keys lie apart from their values there.
    func entering(archive dictionary: Value, depth: Int, within budget: DecodingBudget) -> SecretContext {
        guard meaning != .secret,
            Secrets.decodedHoldsSecret(dictionary, self, depth: depth, within: budget) == true
        else { return self }
        var inner = self
        inner.meaning = .secret
        return inner
    }

    /// The place of a member of a dictionary.
    func entering(_ key: String) -> SecretContext {
        var inner = self
        inner.isKeychainItem = false
        if isKeychainItem, Self.readable.contains(key) {
            (inner.isKeychain, inner.meaning) = (false, .plain)
        } else {
            inner.meaning = max(meaning, SecretKeys.meaning(of: key))
        }
        return inner
    }
}
