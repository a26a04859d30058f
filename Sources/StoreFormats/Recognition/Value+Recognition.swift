import Foundation

extension Value {
    /// How many formats may be wrapped around one another in one value.
    private static let formatLimit = 4
    /// The shortest base64 that is looked into, in characters; shorter text is more often a word than a wrapped format.
    private static let base64Minimum = 12

    /// What this value holds in another format, one level of meaning deep, or `nil`.
    ///
    /// See ``recognition(within:)``, which also says what was left out because of the budget.
    public func decoded(within budget: DecodingBudget = DecodingBudget()) -> DecodedValue? {
        recognition(within: budget)?.decoded
    }

    /// What this value looks like it holds in another format; `nil` where it looks like none.
    ///
    /// Data and text are looked into: for a property list, a keyed archive, an object or array of JSON, and, in text,
    /// base64 of one of them; data also for a scalar of JSON and for text, which it may be too where another format in it
    /// is broken. A dictionary may itself be a keyed archive. What is found is not looked into further; ask it again for
    /// the next level, with the budget's ``DecodingBudget/inner``. Most values are rejected by their first bytes.
    public func recognition(within budget: DecodingBudget = DecodingBudget()) -> Recognition? {
        switch self {
        case .dictionary where KeyedArchive.isKeyedArchive(self):
            return Self.unarchived(DecodedValue(formats: [], value: self), within: budget)
        case .data(let data): return Self.recognition(of: data, within: budget)
        case .string(let text):
            return Self.recognition(of: text, inside: [], within: budget)
        default: return nil
        }
    }

    private static func recognition(of data: Data, within budget: DecodingBudget) -> Recognition? {
        var broken: Recognition?
        // Of text that ends in NUL, the text without it is asked again.
        if case .readable(let format)? = StoreFormat.sniff(data), format == .binaryPropertyList || data.last != 0 {
            let recognition = recognition(of: data, as: format, inside: [], within: budget)
            if recognition.decoded != nil || recognition.isOverBudget { return recognition }
            broken = recognition
        }
        do throws(FormatError) {
            guard var decoded = try StoreFormat.text(in: data, within: budget) else { return broken }
            if broken == nil, let text = decoded.value.string, let scalar = StoreFormat.jsonScalar(in: text) {
                decoded.value = scalar
                decoded.formats = (decoded.formats == [.terminatedText] ? [.terminatedText] : []) + [.json]
            }
            return Recognition(decoded: decoded, problem: broken?.problem)
        } catch {
            return Recognition(problem: error)
        }
    }

    private static func recognition(
        of text: String, inside formats: [StoreFormat], within budget: DecodingBudget
    ) -> Recognition? {
        if case .readable(let format)? = StoreFormat.sniff(text) {
            return recognition(of: Data(text.utf8), as: format, inside: formats, within: budget)
        }
        guard formats.count + 1 < formatLimit, looksLikeBase64(text) else { return nil }
        do throws(FormatError) {
            try budget.pay(for: text.utf8.count, of: .base64)
        } catch {
            return Recognition(problem: error)
        }
        guard let data = Base64.decoded(text.utf8) else { return nil }
        if case .readable(let format)? = StoreFormat.sniff(data) {
            return recognition(of: data, as: format, inside: formats + [.base64], within: budget)
        }
        guard let inner = String(validating: data, as: UTF8.self) else { return nil }
        return recognition(of: inner, inside: formats + [.base64], within: budget)
    }

    /// Whether text may be base64 of what begins as something known, or of base64 once more.
    ///
    /// Every text of a store is asked this, so it makes nothing on the way.
    private static func looksLikeBase64(_ text: String) -> Bool {
        guard text.utf8.count >= base64Minimum else { return false }
        var bits: UInt128 = 0, count = 0, padding = 0
        for byte in text.utf8.prefix(32) where !JSONText.isSpace(byte) {
            if byte == UInt8(ascii: "=") {
                padding += 1
                bits <<= 6
            } else {
                guard padding == 0, let sextet = Base64.sextet(byte) else { return false }
                bits = bits << 6 | UInt128(sextet)
            }
            count += 1
            if count == 12 { break }
        }
        guard count.isMultiple(of: 4), padding <= 2, count * 3 / 4 > padding else { return false }
        let length = count * 3 / 4
        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits >> UInt128((length - 1 - index) * 8)) }
        func begins(_ head: StaticString) -> Bool {
            head.utf8CodeUnitCount <= length - padding
                && (0..<head.utf8CodeUnitCount).allSatisfy { byte($0) == head.utf8Start[$0] }
        }
        let indices = 0..<length - padding
        guard let first = indices.first(where: { !JSONText.isSpace(byte($0)) }).map(byte) else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "<")
            || begins("bplist") || begins("\u{FEFF}")
            || indices.allSatisfy { Base64.sextet(byte($0)) != nil }
    }

    private static func recognition(
        of data: Data, as format: StoreFormat, inside formats: [StoreFormat], within budget: DecodingBudget
    ) -> Recognition {
        do throws(FormatError) {
            try budget.pay(for: data.count, of: format)
            let value = try budget.read(format, of: data) { limits throws(FormatError) in
                try format.read(data, limits: limits)
            }
            let decoded = DecodedValue(formats: formats + [format], value: value)
            return KeyedArchive.isKeyedArchive(value)
                ? unarchived(decoded, within: budget) : Recognition(decoded: decoded)
        } catch {
            return Recognition(problem: error)
        }
    }

    private static func unarchived(_ archive: DecodedValue, within budget: DecodingBudget) -> Recognition {
        do throws(FormatError) {
            let value = try budget.read(.keyedArchive) { limits throws(FormatError) in
                try KeyedArchive.decode(archive.value, limits: limits)
            }
            return Recognition(decoded: DecodedValue(formats: archive.formats + [.keyedArchive], value: value))
        } catch {
            return Recognition(decoded: archive.formats.isEmpty ? nil : archive, problem: error)
        }
    }
}

/// What a value holds in another format.
public struct DecodedValue: Hashable, Sendable {
    /// The formats that were read, the outermost first, such as base64 and then JSON.
    public var formats: [StoreFormat]
    /// What they hold.
    public var value: Value

    /// Makes a result.
    public init(formats: [StoreFormat], value: Value) {
        self.formats = formats
        self.value = value
    }
}

/// What is found in a value that looks as if it held another format.
public struct Recognition: Hashable, Sendable {
    /// What could be read.
    ///
    /// A property list that looks like a keyed archive and is a broken one is here as the property list.
    public var decoded: DecodedValue?
    /// Why something could not be read that looks like a format.
    public var problem: FormatError?

    /// Whether it was left out because of the budget: nothing is known of what it holds.
    public var isOverBudget: Bool { problem?.problem == .overBudget }
}

extension Value {
    /// The part of this value at a pointer that may lead through what other formats hold, such as the JSON in a text;
    /// `nil` where there is none.
    ///
    /// Throws where the way leads through something that cannot be read: nothing is known then of what is in it.
    public func part(
        at pointer: JSONPointer, within budget: DecodingBudget = DecodingBudget()
    ) throws(FormatError) -> Value? {
        try following(pointer, within: budget).part
    }

    /// What such a pointer leads to, and what keeps anybody from telling.
    ///
    /// - Parameter memo: Where what lies on the way is kept for the next pointer.
    public func following(
        _ pointer: JSONPointer, within budget: DecodingBudget = DecodingBudget(), remembering memo: PartMemo? = nil
    ) throws(FormatError) -> FollowedPointer {
        var value = self, budget = budget, repeated: JSONPointer?
        for (index, token) in pointer.tokens.enumerated() {
            let place = JSONPointer(Array(pointer.tokens[..<index]))
            let stop =
                memo?.stop(at: place) { PartStop(value, within: budget) } ?? PartStop(value, within: budget)
            let part = stop.part(at: token)
            if part.isRepeated { repeated = repeated ?? place.appending(token) }
            guard let inner = part.value else {
                if let problem = stop.problem { throw problem }
                return FollowedPointer(
                    repeated: repeated, obstacle: stop.value.mayLack(token) ? nil : (place, stop.value))
            }
            (value, budget) = (inner, stop.budget)
        }
        return FollowedPointer(part: value, repeated: repeated)
    }

    /// Whether it can be without such a part: what has no parts at all, or none of that kind, cannot.
    private func mayLack(_ token: Name) -> Bool {
        switch self {
        case .dictionary, .object, .null: true
        case .array, .set: JSONPointer.arrayIndex(token) != nil
        default: false
        }
    }
}

/// What a pointer into a value leads to.
public struct FollowedPointer {
    /// The part; `nil` where there is none.
    public var part: Value?
    /// The first step at a key that stands more than once there, so that nothing says which value is meant.
    public var repeated: JSONPointer?
    /// Where it comes to what cannot have the part, and what that is.
    ///
    /// That is a text in no format, or a list where the key of a dictionary is asked; null can be without one.
    public var obstacle: (place: JSONPointer, value: Value)?
}
