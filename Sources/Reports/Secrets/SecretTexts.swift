import Foundation
import MigrationEngine
import StoreFormats

/// Which parts of a text that is in no format are secret: what stands behind a word that says so.
///
/// Such a text is JSON that was cut short, lines of JSON, a query, a form, headers, a file of settings, an element of
/// XML, or a sentence that quotes a value. Works on bytes, in time proportional to the text.
struct SecretTexts {
    let bytes: [UInt8]
    var ranges: [Range<Int>] = []
    /// Where the value of a pair may stand, the name of which said that it is secret: `"name": "password", "value": …`.
    private var pairEnd = 0
    /// Whether the section of a file of settings that is being read says by its name that its values are secret.
    private var isInSecretSection = false
    /// What a sentence of the program's own quotes; `nil` where the text is anything else.
    private var quoted: [Range<Int>]?

    /// The parts of a text that are secret by their shape or by a word before them, in order, apart from one another.
    ///
    /// - Parameters:
    ///   - isValue: Whether it is an app's: then a word for secrets makes the numbers and the tokens around it secret,
    ///     wherever in the sentence they stand. What this program says of one tells numbers of its own.
    ///   - isSentence: Whether it is what this program says: then a colon behind a path or an address, outside of quotes, stands
    ///     before its own words.
    static func ranges(in text: String, isValue: Bool = false, isSentence: Bool = false) -> [Range<Int>] {
        // What is this short and has no sign that anything is named or addressed says no secret.
        if text.utf8.count < 14, !text.utf8.contains(where: ":=>@\"-".utf8.contains),
            !(text.utf8.contains(0x20) && text.utf8.contains(where: SecretShapes.isDigit)), !text.utf8.contains(0xE3)
        {
            return []
        }
        let bytes = Array(text.utf8)
        let quotes = quotes(in: bytes)
        var found = all(in: bytes, isValue: isValue, quoted: isSentence ? quotes : nil)
        for plain in EscapedText.levels(of: bytes) {
            found += all(in: plain.bytes, isValue: isValue).map(plain.place)
        }
        // What a sentence quotes is as secret as it is by itself.
        for quote in quotes {
            found += all(in: Array(bytes[quote]), isValue: true).map {
                $0.lowerBound + quote.lowerBound..<$0.upperBound + quote.lowerBound
            }
        }
        return found.joined
    }

    /// What a sentence quotes between “ and ”; a value may have such marks in it, so one that is not paired is part of what
    /// stands before it.
    static func quotes(in bytes: [UInt8]) -> [Range<Int>] {
        var quotes: [Range<Int>] = [], start: Int?, end: Int?, depth = 0
        for index in bytes.indices.dropLast(2) where bytes[index] == 0xE2 && bytes[index + 1] == 0x80 {
            switch bytes[index + 2] {
            case 0x9C:
                if depth == 0 { (start, end) = (index + 3, nil) }
                depth += 1
            case 0x9D:
                depth = max(0, depth - 1)
                end = index
                guard depth == 0, let begin = start else { continue }
                if let last = quotes.last, last.lowerBound == begin { quotes.removeLast() }
                quotes.append(begin..<index)
            default: break
            }
        }
        // One that is opened and never closed goes on to the last mark, or to the end.
        if depth > 0, let begin = start { quotes.append(begin..<(end ?? bytes.count)) }
        return quotes
    }

    private static func all(in bytes: [UInt8], isValue: Bool, quoted: [Range<Int>]? = nil) -> [Range<Int>] {
        var texts = SecretTexts(bytes: bytes)
        texts.quoted = quoted
        texts.scan()
        if isValue {
            texts.takeNumbers()
            texts.takePhrases()
        }
        var shapes = SecretShapes.ranges(in: bytes)
        if let quoted { shapes.removeAll { isOfDevice($0, in: bytes, outside: quoted) } }
        return texts.ranges + shapes + SecretTables.ranges(in: bytes)
    }

    /// Whether a word of a sentence of this program's, outside of what it quotes, has its shape only of a device's identifier of
    /// forty digits: one that the sentence names, or that is in the name of a file or folder.
    private static func isOfDevice(_ word: Range<Int>, in bytes: [UInt8], outside quotes: [Range<Int>]) -> Bool {
        guard !quotes.contains(where: { $0.overlaps(word) }) else { return false }
        let before = bytes[..<word.lowerBound], own = bytes[word]
        let slashes = own.indices.filter { own[$0] == UInt8(ascii: "/") }
        // What a path ends in without more of a name may be anything, unless it begins at the root of the disk.
        let isPath =
            !zip(slashes, slashes.dropFirst()).contains { $1 == $0 + 1 }
            && (slashes.first == own.startIndex
                || !slashes.isEmpty && own.last.map { !SecretShapes.isHexadecimal($0) } ?? false)
        let isNamed = beforeDevices.contains { before.reversed().starts(with: $0.utf8.reversed()) }
        guard isPath || isNamed else { return false }
        var rest: [UInt8] = [], digits: [UInt8] = []
        for byte in own + [0] {
            if SecretShapes.isHexadecimal(byte) {
                digits.append(byte)
            } else {
                rest += (digits.count == 40 ? Array("x".utf8) : digits) + [byte]
                digits = []
            }
        }
        return SecretShapes.ranges(in: rest).isEmpty
    }

    /// What stands in such sentences before the name of a device, or of what is called after one.
    private static let beforeDevices = ["the device ", "is named after ", "may be the keychain of "]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func scan() {
        var index = 0
        takeLine(at: 0)
        while index < bytes.count {
            if bytes[index] == 0x0A { takeLine(at: index + 1) }
            switch bytes[index] {
            case UInt8(ascii: ":") where starts(with: "//", at: index + 1): index = take(authorityAt: index + 3)
            case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "|"), 0x09: index = take(separatorAt: index)
            case 0xEF where starts(with: "：", at: index) || starts(with: "＝", at: index):
                index = take(separatorAt: index, length: 3)
            case 0xE2 where starts(with: "→", at: index): index = take(separatorAt: index, length: 3)
            // “is” in Japanese and in Chinese, where no space parts it from the word before.
            case 0xE3 where starts(with: "は", at: index), 0xE6 where starts(with: "是", at: index):
                index = take(separatorAt: index, length: 3)
            case UInt8(ascii: ";") where starts(with: ";base64,", at: index): index = take(dataAt: index + 8)
            case UInt8(ascii: "[") where beginsLine(index): index = take(sectionAt: index)
            case 0x20 where isOption(before: index) || isSpoken(before: index): index = take(separatorAt: index)
            case 0x20 where takeTold(before: index): index += 1
            case UInt8(ascii: "-"): index = take(optionAt: index)
            case UInt8(ascii: "/"): index = take(pathAt: index)
            case UInt8(ascii: "?"):
                take(queryAt: index)
                index += 1
            // Elements of a list: a name in quotes, then its value in quotes.
            case UInt8(ascii: ",") where index > 0 && "\"'".utf8.contains(bytes[index - 1]) && isQuoted(index + 1):
                index = take(separatorAt: index)
            case UInt8(ascii: ">") where index > 0 && bytes[index - 1] == UInt8(ascii: "-"):
                index = take(separatorAt: index)
            case UInt8(ascii: ">"): index = take(elementEndingAt: index)
            case UInt8(ascii: "i") where starts(with: "is ", at: index) && index > 0 && bytes[index - 1] == 0x20:
                index = take(separatorAt: index, length: 2)
            default: index += 1
            }
        }
    }

    private func beginsLine(_ index: Int) -> Bool {
        let before = bytes[max(0, index - 64)..<index].last { $0 != 0x20 && $0 != 0x09 }
        return before.map { $0 == 0x0A || $0 == 0x0D } ?? (index <= 64)
    }

    /// Looks at the name of a section, `[passwords]`, on a line of its own, which may end in a remark.
    private mutating func take(sectionAt index: Int) -> Int {
        let line = bytes[index...].prefix(Self.nameLength + 2).prefix { $0 != 0x0A && $0 != 0x0D }
        guard let end = line.lastIndex(of: UInt8(ascii: "]")),
            line[(end + 1)...].first(where: { $0 > 0x20 }).map("#;".utf8.contains) ?? true,
            !line[index..<end].contains(where: "\"',{".utf8.contains)
        else { return index + 1 }
        isInSecretSection =
            SecretWords.meaning(of: String(decoding: bytes[(index + 1)..<end], as: UTF8.self)) == .secret
        return end + 1
    }

    /// Looks at what stands between `://` and the path: `user:password@host` (RFC 3986, section 3.2.1).
    private mutating func take(authorityAt index: Int) -> Int {
        let limit = min(bytes.count, index + Self.keyLength)
        let end = bytes[index..<limit].firstIndex { $0 <= 0x20 || "/?#\"'<>”".utf8.contains($0) } ?? limit
        guard let at = bytes[index..<end].lastIndex(of: UInt8(ascii: "@")),
            let colon = bytes[index..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return index }
        ranges.append((colon + 1)..<at)
        return at + 1
    }

    /// Options of one letter that take a password: those of commands that want it without a space, and of others.
    private static let attached: [String: String] = [
        "mysql": "p", "mysqldump": "p", "mysqladmin": "p", "mariadb": "p", "mariadb-dump": "p", "7z": "p", "7za": "p",
        "7zz": "p", "rar": "p", "unrar": "p", "sshpass": "p", "zip": "P", "unzip": "P",
    ]
    private static let spaced: [String: String] = [
        "sshpass": "p", "zip": "P", "unzip": "P", "redis-cli": "a", "mongo": "p", "mongosh": "p", "mongodump": "p",
        "ldapsearch": "w", "ldapmodify": "w", "login": "p", "sqlplus": "p", "sqlcmd": "P",
        "openssl": "k",
    ]

    /// Looks at an option of a command that is known to take a password so: `mysql -pPASSWORD`, `sshpass -p PASSWORD`.
    private mutating func take(optionAt index: Int) -> Int {
        guard index > 0, bytes[index - 1] == 0x20, index + 2 < bytes.count, SecretShapes.isLetter(bytes[index + 1])
        else { return index + 1 }
        let isSpaced = bytes[index + 2] == 0x20, letter = Character(Unicode.Scalar(bytes[index + 1]))
        let from = max(0, index - Self.keyLength)
        let line = bytes[from..<index].split { $0 == 0x0A || $0 == 0x0D }.last ?? []
        let isKnown = line.split(separator: 0x20).contains { word in
            let name = word.split(separator: UInt8(ascii: "/")).last ?? []
            let letters = (isSpaced ? Self.spaced : Self.attached)[String(decoding: name, as: UTF8.self)]
            return letters?.contains(letter) ?? false
        }
        let value = word(after: index + 2)
        guard isKnown, !value.isEmpty else { return index + 1 }
        ranges.append(value)
        return value.upperBound
    }

    /// Looks into the base64 of a `data:` address (RFC 2397).
    private mutating func take(dataAt index: Int) -> Int {
        let end =
            bytes[index...].firstIndex { !SecretShapes.isAlphanumeric($0) && !"+/=-_%".utf8.contains($0) }
            ?? bytes.count
        let digits = String(decoding: bytes[index..<end].prefix(Self.dataLength), as: UTF8.self)
            .replacingOccurrences(of: "%3D", with: "=").prefix { $0 != "=" }
        let whole = digits.dropLast(digits.count % 4 == 1 ? 1 : 0)
        let padding = String(repeating: "=", count: (4 - whole.count % 4) % 4)
        guard let data = Data(base64Encoded: whole + padding), let text = String(validating: data, as: UTF8.self),
            !Self.ranges(in: text).isEmpty
        else { return index }
        ranges.append(index..<end)
        return end
    }

    /// How much of the base64 in an address is looked into.
    private static let dataLength = 64 << 10

    /// Looks at what stands before and after a `:`, a `=` or an `is`; returns where to go on.
    private mutating func take(separatorAt index: Int, length: Int = 1) -> Int {
        let next = index + length
        let isSentence = length == 2
        if isSentence, takeNamed(behind: index) { return next }
        if isSentence, !isQuoted(next), !isLikeSecret(next), !isLikeCode(word(after: next)) { return next }
        if bytes[index] == UInt8(ascii: ":"),
            let value = login(around: index) ?? bot(around: index) ?? login(beforeHostAt: index)
        {
            ranges.append(value)
            return value.upperBound
        }
        if isBehindPath(index) { return next }
        let words = name(before: index)
        guard let word = words.first?.lowercased(), !word.isEmpty else { return next }
        if SecretParts.isOfNames(word) {
            // The name of a secret is short; what is longer is not read to its end. Without quotes it is one word, behind
            // which another name may stand with its own value.
            var value = value(after: next, isHeader: false, within: Self.nameLength)
            if value.lowerBound == skippingSpace(from: next) {
                value = bytes[value].prefix { $0 > 0x20 && !":=|>".utf8.contains($0) }.indices
            }
            if SecretWords.meaning(of: String(decoding: bytes[value], as: UTF8.self)) == .secret {
                pairEnd = value.upperBound + 200
                return take(partAfter: value.upperBound) ?? next
            }
        }
        let isValueOfPair = index < pairEnd && SecretWords.isOfValues(word)
        let meanings = words.map { SecretWords.meaning(of: $0) }
        let isHeader = Self.headers.contains(word)
        let isSecret =
            isValueOfPair || isInSecretSection || meanings.contains(.secret)
            || words.dropFirst().first?.lowercased() == "identifiedby"  // SQL
        // Whether an ambiguous name is of a secret is told by the beginning of its value.
        let mayBeKey = meanings.first == .ambiguous || meanings.first == .seed
        guard isSecret || mayBeKey && isKey(value(after: next, isHeader: isHeader, within: Self.keyLength))
        else { return next }
        if isValueOfPair { pairEnd = 0 }
        var value = value(after: next, isHeader: isHeader, within: isSentence && !isQuoted(next) ? 0 : bytes.count)
        if isSentence, value.isEmpty { value = self.word(after: next) }
        // What follows may stand on a line of its own.
        if value.isEmpty, value.lowerBound < bytes.count, bytes[value.lowerBound] == 0x0A {
            value = self.value(after: value.lowerBound + 1, isHeader: isHeader, within: bytes.count)
        }
        guard !value.isEmpty else { return next }
        ranges.append(value)
        return max(next, value.upperBound)
    }

    /// Whether a colon, in a sentence of the program's own and outside of quotes, stands behind a path, an address or the name of a
    /// file: `Library/tokens.plist: …`.
    private func isBehindPath(_ index: Int) -> Bool {
        guard let quoted, bytes[index] == UInt8(ascii: ":"), index + 1 < bytes.count, bytes[index + 1] == 0x20,
            index > 0,
            SecretShapes.isAlphanumeric(bytes[index - 1]) || bytes[index - 1] >= 0x80
        else { return false }
        let subject = bytes[max(0, index - 512)..<index].reversed().prefix {
            $0 > 0x20 && !"\"'`{[(<=".utf8.contains($0)
        }
        return subject.contains { "/.".utf8.contains($0) } && !quoted.contains { $0.contains(index) }
    }

    /// What follows a name and a colon as a command's `-u` or `--user` takes them: `curl -u ann:password`.
    private func login(around index: Int) -> Range<Int>? {
        let start = bytes[max(0, index - 64)..<index].lastIndex { $0 <= 0x20 || "\"'".utf8.contains($0) }
        guard var end = start, end > 0 else { return nil }
        while end > 0, " \"'=".utf8.contains(bytes[end]) { end -= 1 }
        let option = bytes[max(0, end - 6)...end]
        guard option.suffix(3).elementsEqual(" -u".utf8) || option.elementsEqual(" --user".utf8) else { return nil }
        let value = word(after: index + 1)
        return value.isEmpty ? nil : value
    }

    /// The token of a bot on Telegram, the number of the bot and what follows the colon behind it.
    private func bot(around index: Int) -> Range<Int>? {
        let digits = bytes[max(0, index - 11)..<index].reversed().prefix { (0x30...0x39).contains($0) }.count
        guard (8...10).contains(digits) else { return nil }
        let end = bytes[(index + 1)...].prefix(64).firstIndex {
            !SecretShapes.isAlphanumeric($0) && !"_-".utf8.contains($0)
        }
        let value = (index + 1)..<(end ?? min(bytes.count, index + 65))
        return value.count >= 34 ? value : nil
    }

    /// How much is looked at, in bytes, of a value that may be the name of a secret, and of one that may be a key.
    static let nameLength = 64, keyLength = 256

    /// Looks at the text of an element of XML whose name, or the `<key>` before it, says that it is secret.
    private mutating func take(elementEndingAt index: Int) -> Int {
        guard let start = bytes[max(0, index - 79)..<index].lastIndex(of: UInt8(ascii: "<")) else { return index + 1 }
        let tag = String(decoding: bytes[(start + 1)..<index], as: UTF8.self).split(separator: " ").first ?? ""
        guard !tag.isEmpty, !tag.hasPrefix("/"),
            Self.cells.contains(tag.lowercased()) || start < pairEnd || SecretWords.meaning(of: tag) == .secret
        else { return index + 1 }
        let isCharacterData = starts(with: "<![CDATA[", at: index + 1)
        let begin = index + (isCharacterData ? 10 : 1)
        let end =
            (isCharacterData ? find("]]>", in: begin..<bytes.count) : bytes[begin...].firstIndex(of: UInt8(ascii: "<")))
            ?? bytes.count
        let text = begin..<end
        guard !text.isEmpty else { return index + 1 }
        if Self.cells.contains(tag.lowercased()), start >= pairEnd || tag == "key" {
            let key = String(decoding: bytes[text], as: UTF8.self)
            pairEnd = text.count <= Self.nameLength && SecretWords.meaning(of: key) == .secret ? end + 200 : 0
            return index + 1
        }
        ranges.append(text)
        pairEnd = 0
        return end
    }

    /// Elements that may have a name whose value is in the next element.
    private static let cells: Set<String> = ["key", "name", "field", "td", "th", "dt", "label", "b", "strong"]
    /// Headers, whose values go on to the end of the line.
    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
    ]

    /// Whether a value may be a key: long, of letters and digits, in one piece.
    private func isKey(_ value: Range<Int>) -> Bool {
        guard value.count >= 16 else { return false }
        let part = bytes[value]
        return !part.contains(0x20) && part.contains { (0x30...0x39).contains($0) }
            && part.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    }

    /// The word before a separator, and, as `mot de passe` is one too, the two or three words there run together.
    func name(before index: Int) -> [String] {
        let end = nameEnd(before: index)
        var starts: [Int] = [], start = end
        while start > 0, end - start < Self.nameLength {
            if bytes[start - 1] == 0x20, starts.count < 2, start < end, bytes[start] != 0x20 {
                starts.append(start)
            } else if !isOfName(bytes[start - 1]) {
                break
            }
            start -= 1
        }
        starts.append(start)
        return starts.enumerated().map { number, start in
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            return number == 0 ? text : text.filter { $0 != " " }
        }
    }

    /// The first of the names before a separator, the word alone.
    func nameWord(before index: Int) -> ArraySlice<UInt8> {
        let end = nameEnd(before: index)
        var start = end
        while start > 0, end - start < Self.nameLength, isOfName(bytes[start - 1]) { start -= 1 }
        return bytes[start..<end]
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || SecretShapes.isAlphanumeric(byte) || "_-.".utf8.contains(byte)
    }

    /// Where the name before a separator ends, without its quotes.
    private func nameEnd(before index: Int) -> Int {
        // In some JSON, a comment is between a name and its colon.
        let index = comment(before: index) ?? remark(before: index) ?? index
        var end = index
        if end > 0, bytes[end - 1] == UInt8(ascii: "-"), end < bytes.count, bytes[end] == UInt8(ascii: ">") { end -= 1 }
        // In brackets, as a field of a form (`user[password]=`) or the key of a dictionary.
        while end > 0, " \"'\\”“`\u{9}]?".utf8.contains(bytes[end - 1]), index - end < 8 { end -= 1 }
        return end
    }

    /// Where the remark in parentheses begins that stands right before a place: `password (old): …`.
    private func remark(before index: Int) -> Int? {
        let text = bytes[max(0, index - Self.nameLength)..<index]
        guard let end = text.lastIndex(where: { $0 > 0x20 }), bytes[end] == UInt8(ascii: ")") else { return nil }
        return text[..<end].lastIndex(of: UInt8(ascii: "("))
    }

    /// Where the comment begins that stands right before a place.
    private func comment(before index: Int) -> Int? {
        let text = bytes[max(0, index - Self.keyLength)..<index]
        guard let end = text.lastIndex(where: { $0 > 0x20 }), bytes[end] == UInt8(ascii: "/"), end > text.startIndex,
            bytes[end - 1] == UInt8(ascii: "*")
        else { return nil }
        return text.indices.dropLast(3).last { $0 + 2 < end && starts(with: "/*", at: $0) }
    }

    /// The word after a separator, up to the next space.
    func word(after index: Int) -> Range<Int> {
        let start = skippingSpace(from: index)
        return
            start..<(bytes[start...].prefix(Self.keyLength).firstIndex { $0 <= 0x20 }
            ?? min(bytes.count, start + Self.keyLength))
    }

    /// Whether a word is none of a language: it has letters and digits.
    func isLikeSecret(_ index: Int) -> Bool {
        let word = bytes[word(after: index)]
        return word.count >= 6 && word.contains { (0x30...0x39).contains($0) }
            && word.contains { (0x61...0x7A).contains($0 | 0x20) }
    }

    private func isQuoted(_ index: Int) -> Bool {
        let start = bytes[min(index, bytes.count)...].firstIndex { $0 > 0x20 } ?? bytes.count
        return start < bytes.count && (bytes[start] == UInt8(ascii: "\"") || starts(with: "“", at: start))
    }

    /// Where the value after a separator is, without its quotes, and no further than so many bytes.
    private func value(after index: Int, isHeader: Bool, within limit: Int) -> Range<Int> {
        var start = skippingSpace(from: index)
        let last = min(bytes.count, start + limit)
        guard start < bytes.count else { return start..<start }
        if starts(with: "\\\"", at: start) {
            start += 2
            return start..<(find("\\\"", in: start..<last) ?? max(start, last))
        }
        for quotes in ["\"\"\"", "'''"] where starts(with: quotes, at: start) {
            start += quotes.utf8.count
            return start..<(find(quotes, in: start..<max(start, last)) ?? max(start, last))
        }
        if starts(with: "“", at: start) {
            start += "“".utf8.count
            return start..<(find("”", in: start..<last) ?? max(start, last))
        }
        let first = bytes[start]
        if "\"'`".utf8.contains(first) {
            start += 1
            var end = start
            while end < last, bytes[end] != first { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
            return start..<max(start, min(end, last))
        }
        // All of a list or an object under such a word, as far as the line goes.
        let isLine = isHeader || first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        let isCell = bytes[index - 1] == UInt8(ascii: "|")
        let ends: [UInt8] = isLine ? Array("\n\r".utf8) : Array((isCell ? "\n\r|" : "\n\r\"&;,}]<”").utf8)
        let end = bytes[start..<last].firstIndex(where: ends.contains) ?? last
        return start..<end
    }

    private func skippingSpace(from index: Int) -> Int {
        bytes[min(index, bytes.count)...].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
    }

    func starts(with text: String, at index: Int) -> Bool { bytes[index...].starts(with: text.utf8) }

    func find(_ text: String, in range: Range<Int>) -> Int? {
        let first = text.utf8.first ?? 0
        var index = range.lowerBound
        while index < range.upperBound, let found = bytes[index..<range.upperBound].firstIndex(of: first) {
            if starts(with: text, at: found) { return found }
            index = found + 1
        }
        return nil
    }
}
