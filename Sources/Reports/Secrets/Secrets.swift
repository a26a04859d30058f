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

    /// What every placeholder begins with.
    static let mark = "‹masked "
    private static let otherMark = "‹another masked "
    /// What a text of a dump may begin with that stands in place of no secret.
    static let marks = [mark, otherMark]

    /// What is shown in place of data that is masked for its format alone, as a secret may lie in it: what it is.
    static func closedPlaceholder(_ value: Value) -> String? {
        guard case .data(let data) = value, let format = closedFormat(of: data) else { return nil }
        return "\(format), \(data.count.counted("byte"))"
    }

    /// Whether a value is likely to be a secret by itself: what is masked for its format alone is not.
    package static func isLikelySecret(_ value: Value, at address: Address) -> Bool {
        isSecret(value, at: address)
            && !(SecretContext(address).isPlain(value) && closedPlaceholder(value) != nil)
    }

    /// What is shown in place of a secret: its type and length.
    package static func placeholder(_ value: Value) -> String {
        guard let length = length(of: value) else { return "\(mark)\(value.typeName)›" }
        let unit = if case .data = value { "byte" } else { "character" }
        return "\(mark)\(value.typeName), \(length.counted(unit))›"
    }

    /// What is shown in place of a secret beside another one of the same type and length that it differs from.
    static func another(_ placeholder: String) -> String {
        if placeholder.hasPrefix(mark) { return otherMark + placeholder.dropFirst(mark.count) }
        return closed.contains { placeholder.hasPrefix($0.name + ", ") } ? "another " + placeholder : placeholder
    }

    /// What is shown in place of two secrets that differ, so that one sees that they do, and not by how many characters.
    static func toldApart(_ left: String, _ right: String) -> (left: String, right: String) {
        func withoutLength(_ text: String) -> String {
            guard text.hasPrefix(mark), text.hasSuffix("›") else { return text }
            return text.prefix { $0 != "," && $0 != ";" && $0 != "›" } + "›"
        }
        if left == right { return (left, another(right)) }
        let (left, right) = (withoutLength(left), withoutLength(right))
        return (left, left == right ? another(right) : right)
    }

    /// What is shown in place of what was not looked into, as the answer has looked into so much already.
    static func unsearched(_ value: Value) -> String {
        placeholder(value).replacing("›", with: "; not looked into, as this answer is over its limit›")
    }

    /// How long a secret is: bytes of data, characters of text; `nil` for other types.
    static func length(of value: Value) -> Int? {
        switch value {
        case .string(let text): text.count
        case .data(let data): data.count
        default: nil
        }
    }

    /// Whether a value is secret, or holds a secret, also in another format.
    static func holdsSecret(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget
    ) -> Bool {
        search(value, context, depth: depth, within: budget, countingNames: true) { _, _, _, isSecret in isSecret }
    }

    /// Looks for secrets in a value, also in another format, until it has seen enough.
    ///
    /// - Parameters:
    ///   - countingNames: Whether text that a dictionary is decoded from counts as a secret where the name of a member is masked,
    ///     as the text shows it; what is made of the dictionary is none for that.
    ///   - found: Is given each part that has no parts, or is masked as a whole: with what its place says of it, its depth, and
    ///     whether it is secret. Says whether that is enough.
    /// - Returns: Whether it was.
    static func search(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget,
        countingNames: Bool = false, _ found: (Value, SecretContext, Int, Bool) -> Bool
    ) -> Bool {
        guard depth < depthLimit else { return found(value, context, depth, true) }
        switch value {
        case .array(let elements):
            let parts = SecretParts(elements)
            return elements.enumerated().contains { position, element in
                let inner = context.entering(
                    element: Name("\(position)"), isSecret: parts.isSecret(at: position, element))
                return search(element, inner, depth: depth + 1, within: budget, countingNames: countingNames, found)
            }
        case .set(let set):
            return set.elements.contains {
                search($0, context, depth: depth + 1, within: budget, countingNames: countingNames, found)
            }
        case .dictionary(let members):
            // In the raw form of an archive, keys lie apart from their values.
            if archiveHoldsSecret(value, context, depth: depth, within: budget), found(value, context, depth, true) {
                return true
            }
            return search(members, context, depth: depth, within: budget, countingNames: countingNames, found)
        case .object(let object):
            return search(object.fields, context, depth: depth, within: budget, countingNames: countingNames, found)
        case .null, .bool, .date, .uid, .reference: return found(value, context, depth, context.isKeychain)
        case .integer(let number):
            let isSecret =
                context.meaning == .secret || context.knows(value) || context.opens(value)
                || !SecretNumbers.ranges(in: Array("\(number)".utf8)).isEmpty
            return found(value, context, depth, isSecret)
        case .real: return found(value, context, depth, context.meaning == .secret || context.knows(value))
        case .string, .data:
            return search(
                scalar: value, context, recognition: value.recognition(within: budget.decoding), depth: depth,
                within: budget, countingNames: countingNames, found)
        }
    }

    private static func search(
        _ members: Members, _ context: SecretContext, depth: Int, within budget: SearchBudget,
        countingNames: Bool = false, _ found: (Value, SecretContext, Int, Bool) -> Bool
    ) -> Bool {
        let parts = SecretParts(members)
        return members.contains {
            let inner = context.entering($0.key.text, isSecret: parts.isSecret($0.key, $0.value))
            return search($0.value, inner, depth: depth + 1, within: budget, countingNames: countingNames, found)
        }
    }

    /// Whether text or data is a secret, or holds one in another format, as which it has been recognised.
    static func isSecret(
        scalar value: Value, _ context: SecretContext, recognition: Recognition?, depth: Int,
        within budget: SearchBudget
    ) -> Bool {
        search(scalar: value, context, recognition: recognition, depth: depth, within: budget, countingNames: true) {
            _, _, _, isSecret in isSecret
        }
    }

    private static func search(
        scalar value: Value, _ context: SecretContext, recognition: Recognition?, depth: Int,
        within budget: SearchBudget, countingNames: Bool,
        _ found: (Value, SecretContext, Int, Bool) -> Bool
    ) -> Bool {
        if context.makesSecret(value) { return found(value, context, depth, true) }
        // What is over the budget cannot be looked into.
        if recognition?.isOverBudget == true { return found(value, context, depth, true) }
        if let decoded = recognition?.decoded {
            if countingNames, hasSecretName(decoded.value, depth: depth), found(value, context, depth, true) {
                return true
            }
            return search(
                decoded.value, context, depth: depth + 1, within: budget.inner, countingNames: countingNames, found)
        }
        let isSecret = budget.verdict(on: value) { saysSecret(scalar: value, isDamaged: recognition?.problem != nil) }
        return found(value, context, depth, isSecret)
    }

    /// Whether a member of a value has a name that is masked; the text that the value was decoded from shows it.
    private static func hasSecretName(_ value: Value, depth: Int) -> Bool {
        guard depth < depthLimit else { return true }
        func isIn(_ members: Members) -> Bool {
            members.contains { (member: Member) -> Bool in
                let name = member.key.utf8
                // Most are shorter than any token, and no address has no such sign, in plain or escaped.
                let mayBe = name.count >= SecretTokens.shortest || name.contains { "@%".utf8.contains($0) }
                return mayBe && !SecretShapes.ranges(inName: Array(name)).isEmpty
                    || hasSecretName(member.value, depth: depth + 1)
            }
        }
        return switch value {
        case .array(let elements): elements.contains { hasSecretName($0, depth: depth + 1) }
        case .set(let set): set.elements.contains { hasSecretName($0, depth: depth + 1) }
        case .dictionary(let members): isIn(members)
        case .object(let object): isIn(object.fields)
        default: false
        }
    }

    /// Whether text or data that is in no format says a secret.
    private static func saysSecret(scalar value: Value, isDamaged: Bool) -> Bool {
        switch value {
        case .string(let text): return !SecretTexts.ranges(in: text, isValue: true).isEmpty
        case .data(let data):
            if closedFormat(of: data) != nil { return true }
            // With two bytes a character, what is ASCII is UTF-8 as well: with a NUL after each.
            if let text = UTF16Text.decoded(data) { return !SecretTexts.ranges(in: text, isValue: true).isEmpty }
            if let text = String(validating: data, as: UTF8.self) {
                // Text of four bytes a character is UTF-8 too, with many a NUL, and so are the lengths of short texts.
                return !SecretTexts.ranges(in: text, isValue: true).isEmpty
                    || data.contains(where: isControl) && namesSecret(texts(in: data))
            }
            // Damaged, in another encoding, or in a format of no one's: its keys and values may lie anywhere.
            return isDamaged ? saysSecret(texts(in: data)) : namesSecret(texts(in: data))
        default: return false
        }
    }

    /// Whether a byte is none of a text, nor parts its lines.
    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !"\t\n\r".utf8.contains(byte) }

    /// What the format of data is called that nothing looks into here, so that a secret may lie anywhere: a database, whose rows
    /// are stores of their own, a log of one, or what is compressed (zip, gzip, Zstandard, xz, bzip2).
    private static func closedFormat(of data: Data) -> String? {
        closed.first { data.starts(with: $0.beginning) }?.name
    }

    private static let closed: [(beginning: Data, name: String)] =
        [(SQLiteMagic.database, "SQLite database"), (SQLiteMagic.journal, "SQLite journal")]
        + SQLiteMagic.logs.map { ($0, "SQLite log") }
        + [
            (Data([0x50, 0x4B, 0x03, 0x04]), "zip archive"), (Data([0x1F, 0x8B, 0x08]), "gzip"),
            (Data([0x28, 0xB5, 0x2F, 0xFD]), "Zstandard"), (Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), "xz"),
            (Data("BZh".utf8), "bzip2"),
        ]

    /// Whether the raw form of a keyed archive holds a secret; its keys lie apart from their values there.
    fileprivate static func archiveHoldsSecret(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget
    ) -> Bool {
        guard let recognition = value.recognition(within: budget.decoding) else { return false }
        if recognition.isOverBudget { return true }
        if let decoded = recognition.decoded?.value {
            return holdsSecret(decoded, context, depth: depth + 1, within: budget.inner)
        }
        guard case .array(let objects)? = value.members?["$objects"] else { return true }
        return saysSecret(objects.lazy.compactMap(\.string))
    }

    /// Whether any of the texts of something damaged is a key that says secret, or is a secret itself.
    private static func saysSecret(_ texts: some Sequence<String>) -> Bool {
        texts.contains { SecretWords.meaning(of: $0) == .secret || !SecretTexts.ranges(in: $0).isEmpty }
    }

    /// Whether any of the texts in bytes is the name of a secret by itself, or says one.
    ///
    /// Random bytes make short texts too, which count only where they are no more than the word.
    private static func namesSecret(_ texts: some Sequence<String>) -> Bool {
        texts.contains { text in
            let isName = text.utf8.allSatisfy { SecretShapes.isAlphanumeric($0) || "_-.".utf8.contains($0) }
            let name = text.utf8.count < 6 ? text.lowercased().filter(\.isLetter) : text
            if isName, name.utf8.count >= 4, SecretWords.meaning(of: name) == .secret { return true }
            // The lengths of a name and of its value may be signs, too.
            let parts = text.utf8.count < 16 ? [] : text.split { !($0.isLetter || $0.isNumber || "_-.".contains($0)) }
            if parts.count > 1, parts.contains(where: { $0.utf8.count >= 5 && SecretWords.meaning(of: $0) == .secret })
            {
                return true
            }
            return text.utf8.count >= 10 && text.utf8.contains { "=:\"".utf8.contains($0) }
                && !SecretTexts.ranges(in: text).isEmpty
        }
    }

    /// The runs of ASCII in data, of four characters or more, also those with two bytes a character.
    private static func texts(in data: Data) -> [String] {
        let isShown = { (byte: UInt8) in byte >= 0x20 && byte < 0x7F }
        let wide = Data(data.filter { $0 != 0 })
        return [data, wide].flatMap { bytes in
            bytes.split { !isShown($0) }.filter { $0.count >= 4 }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

/// Text of two bytes a character: with a mark of its byte order, or without one where most high bytes are zero.
private enum UTF16Text {
    static func decoded(_ data: Data) -> String? {
        // Four bytes a character begin so too.
        if data.starts(with: [0xFF, 0xFE, 0, 0]) { return nil }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return String(data: data, encoding: .utf16)
        }
        guard data.count >= 4, data.count.isMultiple(of: 2) else { return nil }
        let zeros = data.enumerated().reduce(into: (even: 0, odd: 0)) { zeros, byte in
            guard byte.element == 0 else { return }
            if byte.offset.isMultiple(of: 2) { zeros.even += 1 } else { zeros.odd += 1 }
        }
        let half = data.count / 2
        if zeros.even == 0, zeros.odd * 4 >= half * 3 { return String(data: data, encoding: .utf16LittleEndian) }
        if zeros.odd == 0, zeros.even * 4 >= half * 3 { return String(data: data, encoding: .utf16BigEndian) }
        return nil
    }
}

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
