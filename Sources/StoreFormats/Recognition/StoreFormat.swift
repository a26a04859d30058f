import Foundation

/// The formats that stores are written in.
public enum StoreFormat: String, Hashable, Sendable, CaseIterable {
    /// `bplist00`.
    case binaryPropertyList = "binary property list"
    /// The XML form of a property list.
    case xmlPropertyList = "XML property list"
    /// JSON (RFC 8259).
    case json = "JSON"
    /// An archive of `NSKeyedArchiver`, itself a property list.
    case keyedArchive = "keyed archive"
    /// Base64 text of one of the others.
    case base64 = "base64"
    /// Text in UTF-8, as data.
    case text = "text"
    /// Text in UTF-8, as data, with NUL at the end, which is not part of the text.
    case terminatedText = "NUL-terminated text"
}

extension StoreFormat {
    /// The value of a whole file in this format; a keyed archive is read as the binary property list that it is.
    ///
    /// - Throws: ``FormatError``, which says where and why.
    public func read(_ data: Data, limits: Limits = .standard) throws(FormatError) -> Value {
        switch self {
        case .xmlPropertyList: try XMLPropertyList.parse(data, limits: limits)
        case .json: try JSONDocument(data, limits: limits).value
        case .base64, .text, .terminatedText:
            throw FormatError(self, at: .offset(0), .unsupported("\(rawValue) by itself"))
        case .binaryPropertyList, .keyedArchive: try BinaryPropertyList(data, limits: limits).value()
        }
    }
}

/// What bytes are, as far as their beginning tells.
public enum SniffedFormat: Hashable, Sendable {
    /// A format that has a reader here.
    case readable(StoreFormat)
    /// A format that is known and not read, with its name, such as `an OpenStep property list`.
    case unsupported(String)
}

extension StoreFormat {
    /// How many bytes of the beginning are looked at.
    private static let window = 4096

    /// The bytes that something known may begin with; nearly all values begin with others, and no more of them is looked at.
    private static let beginnings = ByteSet([0xEF, 0xFE, 0xFF, 0x00] + Array("bS<{[\"(/ \t\r\n".utf8))

    /// What bytes are by how they begin, or `nil` where they begin as nothing known; takes constant time.
    ///
    /// JSON is named where an object or an array begins, not for a scalar; an archive is named as the property list
    /// that it is.
    public static func sniff(_ data: Data) -> SniffedFormat? {
        guard let first = data.first, beginnings.contains(first) else { return nil }
        return sniff(beginning: Array(data.prefix(window)))
    }

    /// What text is by how it begins.
    static func sniff(_ text: String) -> SniffedFormat? {
        guard let first = text.utf8.first, beginnings.contains(first) else { return nil }
        return sniff(beginning: Array(text.utf8.prefix(window)))
    }

    private static func sniff(beginning bytes: [UInt8]) -> SniffedFormat? {
        if bytes.holds("bplist", at: 0), bytes.count >= 8 {
            if bytes[6] == UInt8(ascii: "0") { return .readable(.binaryPropertyList) }
            let version = String(decoding: bytes[6..<8].map { (0x21..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
            let isXPC = ["15", "16", "17"].contains(version)
            return .unsupported("\(isXPC ? "an XPC" : "another") property list (bplist\(version))")
        }
        if bytes.starts(with: SQLiteMagic.database) { return .unsupported("an SQLite database") }
        var text = TextPrefix(bytes)
        return text.sniff()
    }
}

/// The beginning of a text, read as far as its format shows.
private struct TextPrefix {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        if let utf16 = UTF16Text(bytes) {
            // The ASCII characters are enough to tell.
            self.bytes = utf16.units(of: bytes).map { $0 < 0x80 ? UInt8($0) : 0 }
        } else {
            self.bytes = bytes
            if bytes.holds("\u{FEFF}", at: 0) { position = 3 }
        }
    }

    mutating func sniff() -> SniffedFormat? {
        skipSpace()
        switch byte {
        case UInt8(ascii: "<"):
            if isXML() { return .readable(.xmlPropertyList) }
            return isOpenStepData() ? .openStep : nil
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return pairFollows(after: "=;") ? .openStep : nil
        case UInt8(ascii: "("): return list()
        case UInt8(ascii: "/"):
            guard skipComments() else { return nil }
            let isList = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "(") || pairFollows(after: "=")
            return isList ? .openStep : nil
        default: return nil
        }
    }

    /// After `{`: a key and a colon are JSON, a key and an equals sign OpenStep.
    private mutating func object() -> SniffedFormat? {
        position += 1
        skipSpace()
        switch byte {
        case UInt8(ascii: "}"): return isLast() ? .readable(.json) : nil
        case nil: return nil
        case UInt8(ascii: "\""):
            let end = JSONText.stringEnd(in: bytes, at: position)
            let isCut = end == bytes.count
            position = end
            skipSpace()
            if byte == UInt8(ascii: "=") { return .openStep }
            return isCut || byte == nil || byte == UInt8(ascii: ":") ? .readable(.json) : nil
        default:
            _ = skipComments()
            return pairFollows(after: "=") ? .openStep : nil
        }
    }

    /// After `[`: the end, or the beginning of a value of JSON.
    private mutating func array() -> SniffedFormat? {
        position += 1
        skipSpace()
        guard let byte else { return nil }
        switch byte {
        case UInt8(ascii: "]"): return isLast() ? .readable(.json) : nil
        case UInt8(ascii: "["), UInt8(ascii: "\""): return .readable(.json)
        case UInt8(ascii: "{"):
            position += 1
            skipSpace()
            return self.byte == UInt8(ascii: "\"") || self.byte == UInt8(ascii: "}") ? .readable(.json) : nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let end = JSONText.numberEnd(in: bytes, at: position) else { return nil }
            position = end
        case UInt8(ascii: "t") where bytes.holds("true", at: position),
            UInt8(ascii: "n") where bytes.holds("null", at: position):
            position += 4
        case UInt8(ascii: "f") where bytes.holds("false", at: position): position += 5
        default: return nil
        }
        skipSpace()
        let goesOn = self.byte == UInt8(ascii: ",")
        return goesOn || (self.byte == UInt8(ascii: "]") && isLast()) ? .readable(.json) : nil
    }

    /// Whether nothing but white space follows the character here.
    private mutating func isLast() -> Bool {
        position += 1
        skipSpace()
        return position == bytes.count
    }

    /// After `(`: an OpenStep array has a comma or its end after the first element.
    private mutating func list() -> SniffedFormat? {
        position += 1
        skipSpace()
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") { return .openStep }
        return pairFollows(after: ",)") ? .openStep : nil
    }

    /// Whether a word or a string in quotes stands here and one of these characters after it.
    private mutating func pairFollows(after separators: StaticString) -> Bool {
        let start = position
        if byte == UInt8(ascii: "\"") {
            position = JSONText.stringEnd(in: bytes, at: position)
        } else {
            while let byte,
                Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                    || Array("_$/:.-".utf8).contains(byte)
            { position += 1 }
        }
        guard position > start else { return false }
        skipSpace()
        guard let byte else { return false }
        return separators.withUTF8Buffer { $0.contains(byte) }
    }

    /// `<0fbd77 1c2735ae>`: bytes in hexadecimal.
    private func isOpenStepData() -> Bool {
        let content = bytes[(position + 1)...].prefix { $0 != UInt8(ascii: ">") }
        return !content.isEmpty
            && content.allSatisfy { JSONText.isSpace($0) || Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Whether an XML declaration, a document type or a root element of property lists stands here.
    private mutating func isXML() -> Bool {
        while position < bytes.count {
            skipSpace()
            let end: StaticString
            if bytes.holds("<?", at: position) {
                end = "?>"
            } else if bytes.holds("<!--", at: position) {
                end = "-->"
            } else {
                let roots: [StaticString] = ["<!DOCTYPE plist", "<plist", "<dict", "<array"]
                return position == bytes.count || roots.contains { bytes.holds($0, at: position) }
            }
            while position < bytes.count, !bytes.holds(end, at: position) { position += 1 }
            position = min(position + end.utf8CodeUnitCount, bytes.count)
        }
        return true
    }

    /// Skips comments of C and the white space after them; says whether there was one.
    private mutating func skipComments() -> Bool {
        let start = position
        while bytes.holds("/*", at: position) || bytes.holds("//", at: position) {
            let end: StaticString = bytes.holds("/*", at: position) ? "*/" : "\n"
            position += 2
            while position < bytes.count, !bytes.holds(end, at: position) { position += 1 }
            position = min(position + end.utf8CodeUnitCount, bytes.count)
            skipSpace()
        }
        return position > start
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        position = JSONText.skippingSpace(in: bytes, from: position)
    }
}

/// Some of the 256 bytes.
struct ByteSet: Sendable {
    private let bits: (UInt64, UInt64, UInt64, UInt64)

    init(_ bytes: some Sequence<UInt8>) {
        var words: [UInt64] = [0, 0, 0, 0]
        for byte in bytes { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
        bits = (words[0], words[1], words[2], words[3])
    }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: bits.0
            case 1: bits.1
            case 2: bits.2
            default: bits.3
            }
        return word >> UInt64(byte & 63) & 1 == 1
    }
}

extension SniffedFormat {
    fileprivate static let openStep = SniffedFormat.unsupported("an OpenStep property list")
}
