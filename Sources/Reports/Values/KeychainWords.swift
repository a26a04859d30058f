import MigrationEngine
import StoreFormats

/// A keychain item as a person reads it: what it holds, then its attributes in words.
enum KeychainWords {
    /// The attributes in the order of what a person asks first, with what they are; others follow under their own names.
    private static let labels: [(key: Name, label: String)] = [
        (KeychainItem.dataKey, "secret"), ("svce", "service"), ("acct", "account"), ("labl", "label"),
        ("desc", "kind"), ("agrp", "access group"), ("pdmn", "accessible"), ("sync", "synchronizable"),
        ("cdat", "created"), ("mdat", "changed"), ("icmt", "comment"), ("gena", "the app's own"),
    ]

    /// When an item can be read, by Apple's codes (`kSecAttrAccessible…`).
    private static let accessibility: [String: String] = [
        "ak": "when unlocked", "ck": "after the first unlock", "dk": "always",
        "aku": "when unlocked, on this device only", "cku": "after the first unlock, on this device only",
        "dku": "always, on this device only",
        "akpu": "when unlocked, on this device only, while it has a passcode",
    ]

    /// Whether a value is a whole item.
    static func isItem(_ value: Value, at address: Address) -> Bool {
        guard address.store.kind == .keychain, address.pointer.isRoot, case .dictionary(let members) = value else {
            return false
        }
        return members[KeychainItem.dataKey] != nil
    }

    /// An item with its secret first, then its attributes; any other value as it is.
    static func ordered(_ value: Value, at address: Address) -> Value {
        guard isItem(value, at: address), case .dictionary(let members) = value else { return value }
        let ranks = Dictionary(labels.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        // Members of one rank keep their order.
        let sorted = members.all.enumerated().sorted {
            (ranks[$0.element.key] ?? labels.count, $0.offset) < (ranks[$1.element.key] ?? labels.count, $1.offset)
        }
        return .dictionary(Members(sorted.map(\.element)))
    }

    /// What a member of an item is called; `nil` where nothing else than its key is known.
    static func label(of key: Name) -> String? { labels.first { $0.key == key }?.label }

    /// What an attribute says, where its value does not say it to a reader.
    static func words(for value: Value, at pointer: JSONPointer) -> String? {
        guard let key = pointer.tokens.first, pointer.tokens.count == 1 else { return nil }
        return switch (key, value) {
        case ("pdmn", .string(let code)): accessibility[code].map { "\($0) (\(code))" }
        case ("sync", .integer(let flag)) where (0...1).contains(flag): flag == 1 ? "yes" : "no"
        case ("sync", .bool(let flag)): flag ? "yes" : "no"
        default: nil
        }
    }
}
