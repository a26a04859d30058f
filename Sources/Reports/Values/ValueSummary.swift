import Foundation
import StoreFormats
import Workspace

extension Value {
    /// The value in a few words for a row: `"u-42"`, `417`, `keyed archive {email, age}`, `data, 44 bytes`.
    ///
    /// The text may hold anything that the value holds; it is made displayable where it is drawn. Of a long value only the
    /// beginning is looked at.
    package var summary: String { summary(key: \.text) }

    /// The same, with keys as they may be shown.
    func summary(key: (Name) -> String, within budget: DecodingBudget = DecodingBudget()) -> String {
        summary(isLarge ? nil : decoded(within: budget), key: key, within: budget)
    }

    /// - Parameter decoded: What it holds in another format; of what is large that is not said.
    private func summary(_ decoded: DecodedValue?, key: (Name) -> String, within budget: DecodingBudget) -> String {
        if isLarge { return largeSummary }
        guard let decoded else { return plainSummary(key: key) }
        return decoded.formatName + " " + decoded.value.summary(key: key, within: budget.inner)
    }

    /// Whether one of the texts that the value is shown with is the one that is looked for: those in few words, its keys and
    /// its texts to their ends, at any depth and in other formats.
    ///
    /// - Parameter budget: What may be decoded; of what is over it the text in few words is asked for alone.
    package func isShown(within budget: DecodingBudget, where matches: (String) -> Bool) -> Bool {
        var next: (value: Value, budget: DecodingBudget)? = (self, budget), isWhole = true
        var stack: [(value: Value, budget: DecodingBudget)] = []
        while let (value, budget) = next {
            // Each is decoded once, as a store may have a million.
            let decoded = value.decoded(within: budget)
            let parts =
                switch value {
                case .string, .data: decoded?.value.parts(within: budget.inner)
                default: value.parts(within: budget)
                }
            if isWhole || parts == nil, matches(value.summary(decoded, key: \.text, within: budget)) { return true }
            if let text = (decoded?.value ?? value).string, matches(text) { return true }
            isWhole = false
            for part in (parts ?? []).reversed() {
                if matches(part.key.text) { return true }
                stack.append((part.value, decoded == nil ? budget : budget.inner))
            }
            next = stack.popLast()
        }
        return false
    }

    /// How many characters of a text stand in a row.
    private static let shownLength = 400
    /// How many bytes of data stand in a row as their digits; of more there is a digest.
    private static let digitsLimit = 16

    /// Two values that differ and have no parts, in a few words each that show in what.
    ///
    /// - Parameters:
    ///   - left: The one with its own few words, in which nothing is masked.
    ///   - right: The other with its own.
    ///   - context: How many characters around the differences of long texts are shown.
    static func toldApart(
        _ left: (value: Value, text: String), _ right: (value: Value, text: String),
        context: Int, _ budget: inout TextDifference.Budget
    ) -> (left: String, right: String) {
        if case .string(let old) = left.value, case .string(let new) = right.value,
            max(old.utf8.count, new.utf8.count) > foldedLimit, max(old.utf8.count, new.utf8.count) <= glanceLimit,
            left.text.hasPrefix("\""), right.text.hasPrefix("\"")
        {
            // What both have would fill the room before the first word that differs.
            let difference = TextDifference(old, new, within: &budget)
            let sides = difference.folded(context: context, limit: 800, within: &budget)
            if sides.left != sides.right {
                return Lookalikes.told(
                    "\"\(sides.left.spelled)\"", "\"\(sides.right.spelled)\"", within: &budget)
            }
        }
        guard left.text == right.text else { return Lookalikes.told(left.text, right.text, within: &budget) }
        return (left.value.toldApart(left.text), right.value.toldApart(right.text))
    }

    /// From how many bytes on of a text beside another one only what stands around the differences is shown.
    private static let foldedLimit = 160

    /// The value in a few words beside another one that looks the same in these, with what tells it apart.
    private func toldApart(_ summary: String) -> String {
        func digest(_ data: Data) -> String { "SHA-256 " + SHA256Digest.hexadecimal(of: data).prefix(16) + "…" }
        switch self {
        case .data(let data):
            return summary + ": "
                + (data.count > Self.digitsLimit ? digest(data) : Hexadecimal.text(data, separator: " "))
        case .string(let text):
            return "\(summary), \(text.utf8.count.counted("byte")), \(digest(Data(text.utf8)))"
        default: return "\(summary), \(typePhrase)"
        }
    }

    /// How many bytes of text or data are looked into for a row; more would make every key press slow.
    package static let glanceLimit = 64 << 10

    /// Whether this is text or data that a row does not look into.
    package var isLarge: Bool {
        switch self {
        case .string(let text): text.utf8.count > Self.glanceLimit
        case .data(let data): data.count > Self.glanceLimit
        default: false
        }
    }

    /// What a large text or data begins as, and how long it is.
    private var largeSummary: String {
        switch self {
        case .data(let data):
            guard case .readable(let format)? = StoreFormat.sniff(data) else { return plainSummary(key: \.text) }
            return "\(format.rawValue), \(data.count.counted("byte"))"
        case .string(let text):
            guard case .readable(let format)? = StoreFormat.sniff(Data(text.utf8.prefix(4096))) else {
                return plainSummary(key: \.text)
            }
            return "\(format.rawValue), \(text.utf8.count.counted("byte"))"
        default: return plainSummary(key: \.text)
        }
    }

    /// The value in a few words, without looking for another format in it.
    private func plainSummary(key: (Name) -> String) -> String {
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .integer(let integer): return String(integer)
        case .real(let real): return real.text
        case .string(let text):
            // A text has no more characters than bytes.
            if text.utf8.count <= Self.shownLength { return "\"\(text.spelled)\"" }
            let isLonger = text.count(upTo: Self.shownLength + 1) > Self.shownLength
            return "\"\(String(text.prefix(Self.shownLength)).spelled)\(isLonger ? "…" : "")\""
        case .data(let data): return "data, \(data.count.counted("byte"))"
        case .date(let date): return date.text
        case .array(let elements): return "[\(elements.count.counted("item"))]"
        case .dictionary(let members): return members.summary(key: key)
        case .set(let set): return "\(set.isOrdered ? "ordered set" : "set") [\(set.elements.count.counted("item"))]"
        case .uid(let number): return "UID \(number)"
        case .object(let object): return "\(object.className.spelled) \(object.fields.summary(key: key))"
        case .reference(let number): return "↺ #\(number)"
        }
    }
}

extension Members {
    /// The first keys in braces.
    fileprivate func summary(key: (Name) -> String) -> String {
        guard !isEmpty else { return "{}" }
        let shown = prefix(8).map { key($0.key).beginning(of: 40) }.joined(separator: ", ")
        return "{\(shown)\(count > 8 ? ", … \(count) keys" : "")}"
    }
}

extension Real {
    /// The number as its store writes it, or as short as reads back the same.
    package var text: String {
        if case .literal(let text) = form { return text }
        return form == .single ? String(Float(value)) : String(value)
    }
}

extension Timestamp {
    /// The time as ISO 8601, or the number of seconds where it is outside of the calendar.
    package var text: String { iso8601 ?? "date \(secondsSinceReference) s after 2001" }
}

extension DecodedValue {
    /// What was read, in a phrase such as `base64 of JSON`; of a keyed archive not that it is a property list too.
    package var formatName: String {
        let isArchive = formats.last == .keyedArchive
        return formats.filter { !isArchive || $0 == .keyedArchive || $0 == .base64 }.map(\.rawValue).joined(
            separator: " of ")
    }
}

extension String {
    /// So many characters, with an ellipsis where there are more.
    fileprivate func beginning(of limit: Int) -> String {
        count(upTo: limit + 1) > limit ? prefix(limit) + "…" : self
    }

    /// The number of characters, counted no further than a limit.
    fileprivate func count(upTo limit: Int) -> Int {
        index(startIndex, offsetBy: limit, limitedBy: endIndex).map { _ in limit } ?? count
    }
}
