import Foundation
import MigrationEngine
import StoreFormats

/// What the place of a value says of it.
struct SecretContext {
    /// Whether it is in a keychain, and no attribute that may be seen.
    private(set) var isKeychain: Bool
    /// Whether it is a whole item of a keychain, whose members are its attributes.
    private var isKeychainItem: Bool
    /// Whether a migration says of the item that what it holds is no secret.
    private var isPublicItem = false
    /// Whether it is a row of a table whose name says that its values are secret.
    private var isSecretRow = false
    /// Whether it is an attribute of a keychain item that may be seen, or what a public one holds.
    private var isAttribute = false
    /// What the keys on the way to it say of it.
    private(set) var meaning: SecretWords.Meaning
    /// Whether a key on the way to it says that a code below it is secret.
    private var isOfCodes = false
    /// Whether its own key says what a code opens, so that the code itself may stand there: `"screenLock": "7943"`.
    private var isOfLock = false
    /// Whether a migration says that it is secret: then so are all of its parts.
    private var isMarked = false
    /// The secrets of what it was made from, those of many entries together.
    private var known: [[KnownSecrets]] = []
    /// What migrations say of its parts.
    private var marks: [EntrySecrecy.Mark] = []
    /// What the places say that its parts are told beside.
    private var beside: PartContexts?

    /// The shortest value, in bytes, that is taken for a key where its name may mean that.
    private static let keyLength = 12
    /// The same of data, of which a key needs less, and of a seed.
    private static let dataLength = 8
    /// The longest answer to a question, in bytes: `false`.
    private static let answerLength = 5

    /// The attributes of a keychain item that say what it is: its group, name and kind, when and whether it can be read.
    ///
    /// A comment (`icmt`) and what an app keeps with an item (`gena`) may be anything, and are masked.
    private static let readable: Set<String> = [
        "agrp", "acct", "svce", "labl", "desc", "pdmn", "cdat", "mdat", "sync", "tomb", "srvr", "port", "ptcl", "path",
        "atyp", "sdmn", "class",
    ]

    /// Texts that say that there is no value.
    private static let nothing: Set<String> = ["", "null", "nil", "(null)", "<null>", "undefined"]

    /// Whether the place alone makes a text or data secret; what says that there is none is no secret of an app.
    func makesSecret(_ value: Value) -> Bool {
        let length =
            switch value {
            case .string(let text): text.utf8.count
            case .data(let data): data.count
            default: 0
            }
        if !isKeychain, length == 0 || Self.nothing.contains(value.string ?? " ") { return false }
        if knows(value) || opens(value) { return true }
        return switch meaning {
        case .secret: true
        case .seed: length >= Self.dataLength
        case .ambiguous: length >= (value.data == nil ? Self.keyLength : Self.dataLength)
        case .token: length >= Self.keyLength && Self.isToken(value)
        case .asking: length > Self.answerLength
        case .plain: false
        }
    }

    /// Whether the place says nothing of a value.
    func isPlain(_ value: Value) -> Bool { !isKeychain && !makesSecret(value) }

    /// Whether a value is the code of a lock: four to eight digits under a key that names one.
    func opens(_ value: Value) -> Bool {
        guard isOfLock else { return false }
        switch value {
        case .integer(let number): return (1000...99_999_999).contains(number)
        case .string(let text): return (4...8).contains(text.utf8.count) && text.utf8.allSatisfy(SecretShapes.isDigit)
        default: return false
        }
    }

    /// Whether a value is, or has in it, a secret of what it was made from.
    func knows(_ value: Value) -> Bool {
        guard !known.isEmpty, let sought = KnownSecrets.Sought(value) else { return false }
        return known.contains { $0.contains { $0.holds(sought) } }
    }

    /// Whether a value may be a token: data, or text in one piece with digits and letters.
    private static func isToken(_ value: Value) -> Bool {
        guard let text = value.string else { return true }
        return text.utf8.contains(where: SecretShapes.isDigit) && text.utf8.contains(where: SecretShapes.isLetter)
            && !text.utf8.contains(0x20)
    }

    /// A place that says nothing.
    ///
    /// - Parameter known: The secrets of what a value there was made from.
    init(knowing known: [KnownSecrets] = []) {
        (isKeychain, isKeychainItem, meaning) = (false, false, .plain)
        know(known)
    }

    /// The place of a value that was made from nothing else.
    ///
    /// - Parameter secrecy: What migrations say of entries, whatever their keys say.
    init(_ address: Address, _ secrecy: EntrySecrecy = EntrySecrecy()) {
        self.init(address, secrecy.marks(of: address.entry))
    }

    /// A place of whose parts something is said, and nothing of itself.
    init(of parts: PartContexts) {
        self.init()
        beside = parts
    }

    /// What is known of what a value was made from, whatever its place says.
    var withoutPlace: SecretContext {
        var other = SecretContext()
        other.known = known
        return other
    }

    /// Takes in the place of what the value was made from, or is compared with; also those of many, which say the same together as
    /// one after the other.
    mutating func join(_ other: SecretContext) {
        // An attribute says the same of an item wherever the item came from; what was made of a public item is no secret.
        guard !isAttribute, !other.isPublicItem else { return }
        isKeychain = isKeychain || other.isKeychain
        isSecretRow = isSecretRow || other.isSecretRow
        (isOfCodes, isOfLock) = (isOfCodes || other.isOfCodes, isOfLock || other.isOfLock)
        (meaning, isMarked) = (max(meaning, other.meaning), isMarked || other.isMarked)
        known += other.known
        if let parts = other.beside { beside = parts }
    }

    /// Takes in secrets of what the value was made from.
    mutating func know(_ secrets: [KnownSecrets]) {
        if !isAttribute, !secrets.isEmpty { known.append(secrets) }
    }

    /// Goes on to a part, which is as secret as what it is told beside; the parts next to it are not for that.
    private mutating func enter(beside key: Name?) {
        beside = key.flatMap { beside?.parts[$0] }
        if let beside { join(beside.here) }
    }

    /// The place of what may be any part of the value.
    var ofAnyPart: SecretContext {
        var any = self, left = [beside].compactMap(\.self)
        while let parts = left.popLast() {
            any.join(parts.here)
            left += parts.parts.values
        }
        return any
    }

    /// What a name says of a value by itself.
    init(named name: String) { (isKeychain, isKeychainItem, meaning) = (false, false, SecretWords.meaning(of: name)) }

    private init(_ address: Address, _ all: [EntrySecrecy.Mark]) {
        let own = EntrySecrecy.verdict(of: all), isPublic = own == false
        isKeychain = address.store.kind == .keychain
        isKeychainItem = isKeychain && address.pointer.isRoot
        isPublicItem = isKeychain && isPublic
        if isKeychain, address.pointer.tokens.count == 1, let attribute = address.pointer.tokens.first,
            Self.readable.contains(attribute.text) || (isPublic && attribute == KeychainItem.dataKey)
        {
            (isKeychain, isAttribute, meaning) = (false, true, .plain)
            return
        }
        // The folders on the way to a file are not about it.
        let name = address.key?.text
        let key = address.store.kind == .file ? name?.split(separator: "/").last.map(String.init) : name
        isMarked = own == true
        meaning = own == true ? .secret : isPublic ? .plain : key.map { SecretWords.meaning(of: $0) } ?? .plain
        marks = all
        isOfCodes = (SQLiteTable(address.store)?.table?.text ?? key).map(SecretWords.isOfCodes) ?? false
        isOfLock = isOfCodes
        for token in address.pointer.tokens { enter(token.text) }
        if isKeychain { meaning = .secret }
        guard !isPublic, let table = SQLiteTable(address.store)?.table,
            SecretWords.meaning(of: table.text) == .secret
        else { return }
        if let column = address.pointer.tokens.first {
            if SecretWords.isOfSecretTable(column.text) { meaning = .secret }
        } else {
            isSecretRow = true
        }
    }

    /// The place of the parts of a dictionary; all are secret where it is the raw form of an archive that holds a secret,
    /// as keys lie apart from their values there.
    func entering(archive dictionary: Value, depth: Int, within budget: SearchBudget) -> SecretContext {
        guard meaning != .secret, Secrets.archiveHoldsSecret(dictionary, self, depth: depth, within: budget)
        else { return self }
        var inner = self
        inner.meaning = .secret
        return inner
    }

    /// The place of a member of a dictionary.
    ///
    /// - Parameter isSecret: Whether another member says that it is secret, as ``SecretParts`` tells.
    func entering(_ key: String, isSecret: Bool = false) -> SecretContext {
        var inner = self
        inner.isKeychainItem = false
        if isKeychainItem, Self.readable.contains(key) || (isPublicItem && Name(key) == KeychainItem.dataKey) {
            (inner.isKeychain, inner.meaning, inner.known, inner.beside) = (false, .plain, [], nil)
        } else {
            let isSecret = isSecret || isSecretRow && SecretWords.isOfSecretTable(key)
            inner.enter(key)
            if isSecret { inner.meaning = .secret }
        }
        inner.isSecretRow = false
        return inner
    }

    /// Goes on to a part, of which its key says something, unless a migration does.
    private mutating func enter(_ key: String) {
        if !marks.isEmpty { marks = EntrySecrecy.marks(below: Name(key), of: marks) }
        let own = EntrySecrecy.verdict(of: marks)
        if own == nil { meaning = max(meaning, ownMeaning(of: key)) } else { take(own) }
        isOfLock = SecretWords.isOfCodes(key)
        isOfCodes = isOfCodes || isOfLock
        if beside != nil { enter(beside: Name(key)) }
    }

    /// What a key says by itself, and below the keys on the way to it.
    private func ownMeaning(of key: String) -> SecretWords.Meaning {
        isOfCodes && SecretWords.isCode(key) ? .secret : SecretWords.meaning(of: key)
    }

    private mutating func take(_ verdict: Bool?) {
        guard let verdict, !isKeychain, !isMarked else { return }
        (isMarked, meaning) = (verdict, verdict ? .secret : .plain)
    }

    /// The place of an element of a list.
    ///
    /// - Parameter isSecret: Whether another element says that it is secret, as ``SecretParts`` tells.
    func entering(element position: @autoclosure () -> Name?, isSecret: Bool = false) -> SecretContext {
        var inner = self
        if !marks.isEmpty {
            inner.marks = EntrySecrecy.marks(below: position() ?? "", of: marks)
            inner.take(EntrySecrecy.verdict(of: inner.marks))
        }
        if beside != nil { inner.enter(beside: position()) }
        if isSecret { (inner.isKeychainItem, inner.meaning) = (false, .secret) }
        return inner
    }
}

/// What places say of the parts of a value that are told beside them, by the ways to these.
final class PartContexts: Sendable {
    /// What is said of the part itself.
    let here: SecretContext
    let parts: [Name: PartContexts]

    /// - Parameters:
    ///   - all: What is told beside the parts.
    ///   - joined: What places say together.
    init(_ all: [(way: ArraySlice<Name>, others: Set<Address>)], _ joined: (Set<Address>) -> SecretContext) {
        var here = SecretContext(), below: [Name: [(way: ArraySlice<Name>, others: Set<Address>)]] = [:]
        for (way, others) in all {
            guard let key = way.first else {
                here.join(joined(others))
                continue
            }
            below[key, default: []].append((way.dropFirst(), others))
        }
        self.here = here
        parts = below.mapValues { PartContexts($0, joined) }
    }
}
