/// Writes values as JSON text.
struct JSONWriter {
    /// How many containers may lie inside one another.
    private static let depthLimit = 512

    /// How the text is laid out.
    private let layout: JSONLayout
    /// The text so far.
    private(set) var bytes: [UInt8] = []

    init(layout: JSONLayout = .compact) {
        self.layout = layout
    }

    /// The text of a value.
    static func bytes(_ value: Value, layout: JSONLayout = .compact) throws(FormatError) -> [UInt8] {
        var writer = JSONWriter(layout: layout)
        try writer.write(value, depth: 0)
        return writer.bytes
    }

    /// The text of a string with its quotes; escapes nothing but what it must.
    static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(text)
        return writer.bytes
    }

    private mutating func write(_ value: Value, depth: Int) throws(FormatError) {
        guard depth < Self.depthLimit else {
            throw FormatError(.json, at: .offset(bytes.count), .tooDeep(limit: Self.depthLimit))
        }
        switch value {
        case .array(let elements):
            append("[")
            for (index, element) in elements.enumerated() {
                separate(isFirst: index == 0, depth: depth + 1)
                try write(element, depth: depth + 1)
            }
            end("]", isEmpty: elements.isEmpty, depth: depth)
        case .dictionary(let members):
            append("{")
            for (index, member) in members.enumerated() {
                separate(isFirst: index == 0, depth: depth + 1)
                write(member.key.text)
                append(layout.colon)
                try write(member.value, depth: depth + 1)
            }
            end("}", isEmpty: members.isEmpty, depth: depth)
        default: try writeScalar(value)
        }
    }

    /// Apart from the containers, so that each level of them takes little of the stack.
    private mutating func writeScalar(_ value: Value) throws(FormatError) {
        switch value {
        case .null: append("null")
        case .bool(let flag): append(flag ? "true" : "false")
        case .integer(let integer): append(String(integer))
        case .real(let real): append(try text(of: real))
        case .string(let text): write(text)
        case .data: throw unwritable("data")
        case .date: throw unwritable("a date")
        case .set: throw unwritable("a set")
        case .uid: throw unwritable("a UID")
        case .object(let object): throw unwritable("an object of the class \(object.className)")
        case .array, .dictionary: break
        case .reference: throw unwritable("a reference to an object")
        }
    }

    private mutating func end(_ closing: String, isEmpty: Bool, depth: Int) {
        if !isEmpty, let lines = layout.lines { append(lines.start(depth)) }
        append(closing)
    }

    private mutating func separate(isFirst: Bool, depth: Int) {
        if let lines = layout.lines {
            append((isFirst ? "" : ",") + lines.start(depth))
        } else if !isFirst {
            append(layout.comma)
        }
    }

    private func text(of real: Real) throws(FormatError) -> String {
        if case .literal(let text) = real.form {
            let bytes = Array(text.utf8)
            guard JSONText.numberEnd(in: bytes, at: 0) == bytes.count else {
                throw unwritable("the number “\(text)”")
            }
            return text
        }
        // A number of 32 bits is written as the 64 bits that it equals.
        guard real.value.isFinite else { throw unwritable("the number \(real.value)") }
        return real.value.description
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0x08: append("\\b")
            case 0x0C: append("\\f")
            case 0x00..<0x20: append("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private func unwritable(_ what: String) -> FormatError {
        FormatError(.json, at: .offset(bytes.count), .unwritable(what))
    }
}
