import StoreFormats

/// Writes reports as JSON: two spaces for each level, members in the order in which they were put, one line for each.
///
/// Every character that a terminal or an editor would not show as itself is escaped: control, C1, bidirectional and
/// zero-width characters, surrogates, private and unassigned ones. So the text may be shown anywhere.
enum ReportPrinter {
    /// The JSON text of a report, ending with a line feed.
    static func text(of report: Value) -> String {
        var text = ""
        write(report, to: &text, indent: "")
        return text + "\n"
    }

    private static func write(_ value: Value, to text: inout String, indent: String) {
        switch value {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .integer(let integer): text += String(integer)
        case .real(let real): text += number(real)
        case .string(let string): quote(string, to: &text)
        case .array(let elements):
            list(elements, "[", "]", to: &text, indent: indent) { write($0, to: &$1, indent: $2) }
        case .dictionary(let members):
            list(members, "{", "}", to: &text, indent: indent) { member, text, indent in
                quote(member.key.text, to: &text)
                text += ": "
                write(member.value, to: &text, indent: indent)
            }
        case .data, .date, .set, .uid, .object, .reference: quote("\(value.typeName)", to: &text)
        }
    }

    private static func list<Elements: Collection>(
        _ elements: Elements, _ open: String, _ close: String, to text: inout String, indent: String,
        write: (Elements.Element, inout String, String) -> Void
    ) {
        text += open
        let inner = indent + "  "
        for (index, element) in elements.enumerated() {
            text += (index == 0 ? "\n" : ",\n") + inner
            write(element, &text, inner)
        }
        text += elements.isEmpty ? close : "\n" + indent + close
    }

    private static func number(_ real: Real) -> String {
        if case .literal(let literal) = real.form { return literal }
        return real.value.isFinite ? "\(real.value)" : "\"\(real.value)\""
    }

    private static func quote(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where isShown(scalar): text.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        text += "\""
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        case .spaceSeparator: return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
