import Foundation

/// Reads the tags and the text of XML, as far as property lists need it.
///
/// Valid only within the closure of `XMLScanner.scanning`.
struct XMLScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let utf16: UTF16Text?
    /// The offset of the next byte to read, in UTF-8.
    private(set) var position = 0

    /// What a property list is made of.
    enum Element {
        case plist, dict, array, key, string, integer, real, yes, no, date, data
        /// Anything else, which is an error.
        case other
    }

    /// A tag.
    struct Tag {
        var element = Element.other
        /// Where its name stands.
        var name: Range<Int>
        /// `</name>`.
        var isEnd = false
        /// `<name/>`.
        var isEmpty = false
    }

    /// Runs a closure on a scanner of a text, which must not leave it.
    static func scanning<Result>(
        _ data: Data, limit: Int, _ body: (inout XMLScanner) throws(FormatError) -> Result
    ) throws(FormatError) -> Result {
        guard data.count <= limit else {
            throw FormatError(.xmlPropertyList, at: .offset(0), .tooLarge(bytes: data.count, limit: limit))
        }
        let utf16 = UTF16Text([UInt8](data.prefix(2)))
        let transcoded = try utf16.map { utf16 throws(FormatError) in try Self.transcoded([UInt8](data), utf16) }
        let result = (transcoded ?? data).withUnsafeBytes { bytes in
            Swift.Result { () throws(FormatError) in
                var scanner = try XMLScanner(bytes.bindMemory(to: UInt8.self), utf16)
                return try body(&scanner)
            }
        }
        return try result.get()
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ utf16: UTF16Text?) throws(FormatError) {
        self.bytes = bytes
        self.utf16 = utf16
        guard utf16 == nil else { return }
        if let invalid = bytes.firstInvalidUTF8 { throw failure(.invalid("this is not UTF-8"), at: invalid) }
        if bytes.holds("\u{FEFF}", at: 0) { position = 3 }
    }

    /// The text of UTF-16 after its byte order mark, in UTF-8.
    private static func transcoded(_ raw: [UInt8], _ utf16: UTF16Text) throws(FormatError) -> Data {
        guard raw.count.isMultiple(of: 2), let text = String(validating: utf16.units(of: raw), as: UTF16.self) else {
            throw FormatError(.xmlPropertyList, at: .offset(0), .invalid("this is not UTF-16"))
        }
        return Data(text.utf8)
    }

    /// Whether all is read.
    var isAtEnd: Bool { position == bytes.count }

    /// Whether a byte is white space of XML.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    // MARK: What stands before and between elements

    /// Reads the XML declaration and the document type.
    mutating func skipProlog() throws(FormatError) {
        let start = position
        if bytes.holds("<?xml", at: position) {
            position += 5
            guard let end = skip(past: "?>") else {
                throw failure(.invalid("the XML declaration does not end"), at: start)
            }
            try checkEncoding(text(in: start..<end), at: start)
        }
        try skipBetweenElements()
        if bytes.holds("<!DOCTYPE", at: position) {
            try skipDocumentType()
            try skipBetweenElements()
        }
        guard position < bytes.count else { throw failure(.tooShort(bytes: bytes.count)) }
        guard bytes[position] == UInt8(ascii: "<") else { throw failure(.badMagic) }
    }

    private func checkEncoding(_ declaration: String, at start: Int) throws(FormatError) {
        guard let place = declaration.range(of: "encoding") else { return }
        let quoted = declaration[place.upperBound...].drop { $0 != "\"" && $0 != "'" }
        let name = quoted.dropFirst().prefix { $0 != quoted.first }
        // The bytes that were read as UTF-16 are that, also where a program that converted them left another name here.
        guard utf16 != nil || ["UTF-8", "US-ASCII"].contains(name.uppercased()) else {
            throw failure(.unsupported("an XML property list in the encoding “\(name.prefix(40))”"), at: start)
        }
    }

    /// Skips a document type with its internal subset, in which nothing may be declared that text could expand to.
    private mutating func skipDocumentType() throws(FormatError) {
        let start = position
        var isInSubset = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let quote = bytes[position]
                guard let end = bytes[(position + 1)...].firstIndex(of: quote) else { break }
                position = end + 1
                continue
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: "<") where bytes.holds("<!ENTITY", at: position):
                throw failure(.unsupported("an XML property list that declares entities"))
            case UInt8(ascii: "<") where bytes.holds("<!--", at: position):
                position += 4
                guard skip(past: "-->") != nil else { throw failure(.invalid("a comment does not end"), at: start) }
                continue
            case UInt8(ascii: ">") where !isInSubset:
                position += 1
                return
            default: break
            }
            position += 1
        }
        throw failure(.invalid("the document type does not end"), at: start)
    }

    /// Skips white space, comments and processing instructions.
    mutating func skipBetweenElements() throws(FormatError) {
        while position < bytes.count {
            if Self.isSpace(bytes[position]) {
                position += 1
            } else if bytes[position] == UInt8(ascii: "&") {
                let start = position
                guard let byte = try reference().utf8.first, Self.isSpace(byte) else {
                    throw failure(.invalid("text stands between elements"), at: start)
                }
            } else if try !skipComment() {
                return
            }
        }
    }

    /// Skips a comment or a processing instruction that begins here.
    private mutating func skipComment() throws(FormatError) -> Bool {
        let start = position
        let isComment = bytes.holds("<!--", at: position)
        guard isComment || bytes.holds("<?", at: position) else { return false }
        position += isComment ? 4 : 2
        guard skip(past: isComment ? "-->" : "?>") != nil else {
            throw failure(.invalid("a comment does not end"), at: start)
        }
        return true
    }

    // MARK: Tags

    /// Reads a tag that begins here with its attributes, which say nothing in a property list; `nil` where none begins.
    mutating func tag() throws(FormatError) -> Tag? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "<") else { return nil }
        let start = position
        position += 1
        var tag = Tag(name: position..<position)
        if position < bytes.count, bytes[position] == UInt8(ascii: "/") { (tag.isEnd, position) = (true, position + 1) }
        tag.name = name()
        guard !tag.name.isEmpty else { throw failure(.invalid("this is not a tag"), at: start) }
        tag.element = element(in: tag.name)
        while position < bytes.count {
            let hasSpace = Self.isSpace(bytes[position])
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            if bytes.holds(">", at: position) {
                position += 1
                return tag
            }
            if bytes.holds("/>", at: position), !tag.isEnd {
                (tag.isEmpty, position) = (true, position + 2)
                return tag
            }
            guard hasSpace, !tag.isEnd, attribute() else { break }
        }
        throw failure(.invalid("a tag does not end"), at: start)
    }

    /// Skips `name="value"`; says whether one is here.
    private mutating func attribute() -> Bool {
        guard !name().isEmpty else { return false }
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard bytes.holds("=", at: position) else { return false }
        position += 1
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'"),
            let end = bytes[(position + 1)...].firstIndex(of: bytes[position]),
            !bytes[position..<end].contains(UInt8(ascii: "<"))
        else { return false }
        position = end + 1
        return true
    }

    private mutating func name() -> Range<Int> {
        let start = position
        while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
        return start..<position
    }

    private func element(in name: Range<Int>) -> Element {
        func holds(_ word: StaticString) -> Bool { bytes.holds(word, at: name.lowerBound) }
        switch name.count {
        case 3 where holds("key"): return .key
        case 4 where holds("dict"): return .dict
        case 4 where holds("true"): return .yes
        case 4 where holds("real"): return .real
        case 4 where holds("date"): return .date
        case 4 where holds("data"): return .data
        case 5 where holds("array"): return .array
        case 5 where holds("false"): return .no
        case 5 where holds("plist"): return .plist
        case 6 where holds("string"): return .string
        case 7 where holds("integer"): return .integer
        default: return .other
        }
    }

    /// The text at a place, which may be no more than a name for an error.
    func text(in range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "&"),
            UInt8(ascii: "\""), UInt8(ascii: "'"):
            false
        default: !isSpace(byte)
        }
    }

    // MARK: Text

    /// Reads text up to the end tag of an element, with the tag.
    ///
    /// Ends of lines stay as they are written, as Apple's reader leaves them and other readers of XML do not.
    mutating func text(upToEndOf tag: Tag) throws(FormatError) -> String {
        let start = position
        var text = ""
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "&"): text += try reference()
            case UInt8(ascii: "<"):
                if bytes.holds("<![CDATA[", at: position) {
                    position += 9
                    let from = position
                    guard let end = skip(past: "]]>") else { throw failure(.invalid("CDATA does not end"), at: from) }
                    text += self.text(in: from..<end)
                } else if try !skipComment() {
                    let at = position
                    guard let end = try self.tag(), end.isEnd, end.element == tag.element else {
                        throw failure(.invalid("<\(self.text(in: tag.name))> holds another tag"), at: at)
                    }
                    return text
                }
            default:
                let from = position
                while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&")
                {
                    position += 1
                }
                let run = self.text(in: from..<position)
                if text.isEmpty { text = run } else { text += run }
            }
        }
        throw failure(.invalid("<\(self.text(in: tag.name))> does not end"), at: start)
    }

    /// Reads `&name;` or `&#number;`.
    private mutating func reference() throws(FormatError) -> String {
        let start = position
        guard let end = bytes[start...].prefix(40).firstIndex(of: UInt8(ascii: ";")) else {
            throw failure(.invalid("& stands alone"), at: start)
        }
        position = end + 1
        let name = text(in: start + 1..<end)
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "apos": return "'"
        case "quot": return "\""
        default: break
        }
        guard name.hasPrefix("#") else {
            throw failure(.invalid("an entity is not one of XML itself"), at: start)
        }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first?.isHexDigit == true, let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            number != 0,
            let scalar = Unicode.Scalar(number)
        else { throw failure(.invalid("the number of a character is none"), at: start) }
        return String(scalar)
    }

    /// Moves behind the next occurrence of a text and returns where it begins.
    private mutating func skip(past text: StaticString) -> Int? {
        var index = position
        while let found = bytes[index...].firstIndex(of: text.utf8Start.pointee) {
            if bytes.holds(text, at: found) {
                position = found + text.utf8CodeUnitCount
                return found
            }
            index = found + 1
        }
        return nil
    }

    // MARK: Errors

    /// An error here or at another offset in UTF-8; in UTF-16 it names the offset in that.
    func failure(_ problem: FormatError.Problem, at offset: Int? = nil) -> FormatError {
        var error = FormatError(.xmlPropertyList, in: Array(bytes), at: offset ?? position, problem)
        if let utf16, case .line(let line, let column, let offset) = error.position {
            let units = text(in: 0..<offset).utf16.count
            error.position = .line(line, column: column, offset: utf16.start + 2 * units)
        }
        return error
    }
}
