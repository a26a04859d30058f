import Foundation

/// Writes a property list as XML in Apple's layout.
struct XMLPropertyListWriter {
    /// How many containers may lie inside one another.
    private static let depthLimit = 512
    private static let header = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private var text = header

    /// The property list of a value.
    static func data(_ value: Value) throws(FormatError) -> Data {
        var writer = XMLPropertyListWriter()
        try writer.write(value, depth: 0)
        writer.text += "</plist>\n"
        return Data(writer.text.utf8)
    }

    /// What stands before the members of a dictionary that is the list, and behind them.
    static let beginning = Array((header + "<dict>\n").utf8), end = Array("</dict>\n</plist>\n".utf8)

    /// One of several members of a dictionary that is the list.
    static func bytes(of member: Member) throws(FormatError) -> [UInt8] {
        var writer = XMLPropertyListWriter()
        writer.text = ""
        try writer.write(member, depth: 1)
        return Array(writer.text.utf8)
    }

    private mutating func write(_ member: Member, depth: Int) throws(FormatError) {
        line("<key>\(try escaped(member.key.text))</key>", depth)
        try write(member.value, depth: depth)
    }

    private mutating func write(_ value: Value, depth: Int) throws(FormatError) {
        guard depth < Self.depthLimit else {
            throw FormatError(.xmlPropertyList, at: .offset(text.utf8.count), .tooDeep(limit: Self.depthLimit))
        }
        switch value {
        case .array(let elements):
            guard !elements.isEmpty else { return line("<array/>", depth) }
            line("<array>", depth)
            for element in elements { try write(element, depth: depth + 1) }
            line("</array>", depth)
        case .dictionary(let members):
            guard !members.isEmpty else { return line("<dict/>", depth) }
            if members.count == 1, members[0].key == "CF$UID", case .integer(let number) = members[0].value,
                UInt64(exactly: number) != nil
            {
                throw unwritable("a dictionary that would read as a UID")
            }
            line("<dict>", depth)
            for member in members { try write(member, depth: depth + 1) }
            line("</dict>", depth)
        default: try writeScalar(value, depth)
        }
    }

    /// Apart from the containers, so that each level of them takes little of the stack.
    private mutating func writeScalar(_ value: Value, _ depth: Int) throws(FormatError) {
        switch value {
        case .bool(let flag): line(flag ? "<true/>" : "<false/>", depth)
        case .integer(let number):
            guard (Int128(Int64.min)...Int128(UInt64.max)).contains(number) else {
                throw unwritable("the integer \(number)")
            }
            line("<integer>\(number)</integer>", depth)
        case .real(let real): line("<real>\(Self.text(of: real.value))</real>", depth)
        case .string(let string): line("<string>\(try escaped(string))</string>", depth)
        case .data(let data): write(data, depth)
        case .date(let date): line("<date>\(try self.date(date))</date>", depth)
        case .uid(let number):
            line("<dict>", depth)
            line("<key>CF$UID</key>", depth + 1)
            line("<integer>\(number)</integer>", depth + 1)
            line("</dict>", depth)
        case .array, .dictionary: break
        case .null: throw unwritable("null")
        case .set: throw unwritable("a set")
        case .object(let object): throw unwritable("an object of the class \(object.className)")
        case .reference: throw unwritable("a reference to an object")
        }
    }

    private mutating func write(_ data: Data, _ depth: Int) {
        line("<data>", depth)
        // Lines end at column 76, where a tab counts as 8, and hold at least 16 characters.
        let width = max(16, 76 - 8 * depth) / 4 * 3
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + width, data.endIndex)
            line(data[start..<end].base64EncodedString(), depth)
            start = end
        }
        line("</data>", depth)
    }

    private mutating func line(_ content: String, _ depth: Int) {
        for _ in 0..<depth { text += "\t" }
        text += content
        text += "\n"
    }

    private static func text(of real: Double) -> String {
        if real.isNaN { return "nan" }
        return real.isInfinite ? (real < 0 ? "-infinity" : "+infinity") : real.description
    }

    private func date(_ date: Timestamp) throws(FormatError) -> String {
        guard let text = date.iso8601 else { throw unwritable("a date outside of the years 1 to 9999") }
        guard date.secondsSinceReference == date.secondsSinceReference.rounded() else {
            throw unwritable("the fraction of a second of the date \(text)")
        }
        return text
    }

    private func escaped(_ string: String) throws(FormatError) -> String {
        var escaped: [UInt8] = []
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            // As it is, a reader of XML would turn it into the end of a line.
            case 0x0D: escaped += "&#13;".utf8
            case 0x09, 0x0A, 0x20...: escaped.append(byte)
            default: throw unwritable("the control character U+00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))")
            }
        }
        // The two that XML leaves out of what UTF-8 can say (XML 1.0, 2.2).
        if string.utf8.contains(0xEF),
            let scalar = string.unicodeScalars.first(where: { $0 == "\u{FFFE}" || $0 == "\u{FFFF}" })
        {
            throw unwritable("the character U+\(String(scalar.value, radix: 16, uppercase: true))")
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private func unwritable(_ what: String) -> FormatError {
        FormatError(.xmlPropertyList, at: .offset(text.utf8.count), .unwritable(what))
    }
}
