import Foundation

extension Value {
    /// How many formats may be wrapped around one another in one value.
    private static let formatLimit = 4
    /// The shortest base64 that is looked into, in characters; shorter text is more often a word than a wrapped format.
    private static let base64Minimum = 12

    /// What this value holds in another format, one level of meaning deep, or `nil`.
    ///
    /// See ``recognition(limits:)``.
    public func decoded(limits: Limits = .standard) -> DecodedValue? {
        recognition(limits: limits)?.decoded
    }

    /// What this value looks like it holds in another format; `nil` where it looks like none.
    ///
    /// Data and text are looked into: for a property list, a keyed archive, an object or array of JSON, and, in text,
    /// base64 of one of them. A dictionary may itself be a keyed archive. What is found is not looked into further; ask
    /// it again for the next level. Most values are rejected by their first bytes.
    public func recognition(limits: Limits = .standard) -> Recognition? {
        switch self {
        case .dictionary where KeyedArchive.isKeyedArchive(self):
            return Self.unarchived(DecodedValue(formats: [], value: self), limits: limits)
        case .data(let data):
            guard case .readable(let format)? = StoreFormat.sniff(data) else { return nil }
            return Self.recognition(of: data, as: format, inside: [], limits: limits)
        case .string(let text):
            return Self.recognition(of: text, inside: [], limits: limits)
        default: return nil
        }
    }

    private static func recognition(of text: String, inside formats: [StoreFormat], limits: Limits) -> Recognition? {
        if case .readable(let format)? = StoreFormat.sniff(text) {
            return recognition(of: Data(text.utf8), as: format, inside: formats, limits: limits)
        }
        guard formats.count + 1 < formatLimit, let data = base64(text, limits: limits) else { return nil }
        if case .readable(let format)? = StoreFormat.sniff(data) {
            return recognition(of: data, as: format, inside: formats + [.base64], limits: limits)
        }
        guard let inner = String(validating: data, as: UTF8.self) else { return nil }
        return recognition(of: inner, inside: formats + [.base64], limits: limits)
    }

    /// The bytes of base64 that begins as something known, or as base64 once more.
    private static func base64(_ text: String, limits: Limits) -> Data? {
        let length = text.utf8.count
        guard length >= base64Minimum, length <= limits.bytes else { return nil }
        let head = text.utf8.prefix(32).filter { !JSONText.isSpace($0) }.prefix(12)
        guard let bytes = Base64.decoded(head), let first = bytes.first(where: { !JSONText.isSpace($0) }),
            Array("{[<".utf8).contains(first) || bytes.starts(with: "bplist".utf8)
                || bytes.starts(with: "\u{FEFF}".utf8) || bytes.allSatisfy(isBase64)
        else { return nil }
        return Base64.decoded(text.utf8)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
    }

    private static func recognition(
        of data: Data, as format: StoreFormat, inside formats: [StoreFormat], limits: Limits
    ) -> Recognition {
        do throws(FormatError) {
            let value = try format.read(data, limits: limits)
            let decoded = DecodedValue(formats: formats + [format], value: value)
            return KeyedArchive.isKeyedArchive(value)
                ? unarchived(decoded, limits: limits) : Recognition(decoded: decoded)
        } catch {
            return Recognition(problem: error)
        }
    }

    private static func unarchived(_ archive: DecodedValue, limits: Limits) -> Recognition {
        do throws(FormatError) {
            let value = try KeyedArchive.decode(archive.value, limits: limits)
            return Recognition(decoded: DecodedValue(formats: archive.formats + [.keyedArchive], value: value))
        } catch {
            return Recognition(decoded: archive.formats.isEmpty ? nil : archive, problem: error)
        }
    }
}
