import Foundation
import StoreFormats

/// Parts of a spec as text, which reads back as the same parts.
enum SpecWriting {
    /// A part on one line.
    static func flow(_ node: SpecNode) -> String {
        switch node.content {
        case .scalar(let value): scalar(value)
        case .list(let items): "[" + items.map(flow).joined(separator: ", ") + "]"
        case .mapping(let members):
            "{" + members.map { key($0.key, isPlain: $0.isPlainKey) + ": " + flow($0.value) }.joined(separator: ", ")
                + "}"
        }
    }

    static func scalar(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool, .integer: value.numberText
        case .real(let real): decimal(real.value)
        case .string(let text): quoted(text)
        default: quoted("")
        }
    }

    /// A key: in quotes where it would stand for something else without, or where it is text that looks like a number.
    static func key(_ text: String, isPlain: Bool) -> String {
        if isPlain, case .value(let value) = SpecScalar(text, isPlain: true), value.string == nil { return text }
        return quoted(text)
    }

    /// A number with decimals and without an exponent, as the language writes it.
    private static func decimal(_ number: Double) -> String {
        let text = "\(number)"
        guard text.contains("e") else { return text }
        var places = 1
        while places < 400, Double(String(format: "%.\(places)f", number)) != number { places += 1 }
        return String(format: "%.\(places)f", number)
    }

    /// Whether a text stands for itself without quotes, also within brackets unless told otherwise.
    static func isPlain(_ text: String, isWithinBrackets: Bool = true) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            first.properties.isAlphabetic || (0x30...0x39).contains(first.value)
                || "/_(".unicodeScalars.contains(first),
            last != ":", last != " ", case .value(.string) = SpecScalar(text, isPlain: true)
        else { return false }
        let forbidden = isWithinBrackets ? "[]{},\"`\\" : "\"`\\"
        return !text.unicodeScalars.contains { forbidden.unicodeScalars.contains($0) || isHidden($0) }
            && !text.contains(": ") && !text.contains(" #") && !text.contains("  ")
    }

    /// A text as a scalar, in quotes unless it stands for itself without.
    static func quoted(_ text: String, isWithinBrackets: Bool = true) -> String {
        if isPlain(text, isWithinBrackets: isWithinBrackets) { return text }
        // JSON reads better as it is.
        if text.contains("\"") || text.contains("\\"), !text.contains("'"), isVisible(text) { return "'\(text)'" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case _ where isHidden(scalar):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted +=
                    digits.count > 4
                    ? "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
                    : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A text for a remark, without what a spec may not hold.
    static func remark(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isHidden($0) ? "\u{FFFD}" : $0 }))
    }

    /// Whether every character of a text is seen.
    static func isVisible(_ text: String) -> Bool { !text.unicodeScalars.contains(where: isHidden) }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            || scalar.properties.isNoncharacterCodePoint
    }
}

extension SpecNode {
    /// A part that stands in no file.
    static func made(_ content: Content) -> SpecNode {
        SpecNode(content: content, place: SpecProblem.Place(line: 1, column: 1))
    }

    static func text(_ text: String) -> SpecNode { made(.scalar(.string(text))) }
    static func list(_ items: [SpecNode]) -> SpecNode { made(.list(items)) }
    static func mapping(_ members: [(String, SpecNode)]) -> SpecNode {
        made(
            .mapping(
                members.map { key, value in
                    Member(key: key, keyPlace: SpecProblem.Place(line: 1, column: 1), value: value, isPlainKey: false)
                }))
    }
}
