import Foundation

/// The XML form of property lists.
///
/// The reader knows no more of XML than property lists need: it opens no other file and expands no entity but the five
/// of XML itself and character references.
public enum XMLPropertyList {
    /// Reads a property list in UTF-8 or UTF-16.
    ///
    /// A dictionary whose only key is `CF$UID` with a whole number is a UID. A key that stands twice is kept twice.
    /// Integers are decimal or hexadecimal (`0x`) and have up to 128 bits; dates are `yyyy-MM-ddTHH:mm:ssZ`, in which
    /// the smaller units may be missing; ends of lines in text stay as they are, as Apple's reader leaves them. Errors name the line, the column and the offset.
    public static func parse(_ data: Data, limits: Limits = .standard) throws(FormatError) -> Value {
        try XMLScanner.scanning(data, limit: limits.bytes) { scanner throws(FormatError) in
            var parser = XMLPropertyListParser(limits: limits)
            return try parser.parse(&scanner)
        }
    }

    /// Writes a property list as Apple's tools lay it out: UTF-8, indented with tabs.
    ///
    /// What is written reads back as it was, but for the width of a number and the sign and payload of a NaN. Throws for what this form cannot hold: null, sets, objects, integers outside of −2⁶³ ..< 2⁶⁴, dates
    /// with a fraction of a second or outside of the years 1 to 9999, control characters in text, and a dictionary that
    /// would read as a UID.
    public static func write(_ value: Value) throws(FormatError) -> Data {
        try XMLPropertyListWriter.data(value)
    }
}

/// Reads the elements of a property list, without recursion.
struct XMLPropertyListParser {
    private let limits: Limits
    private var nodes = 0

    /// A container that has begun and not ended.
    private struct Container {
        /// `plist`, `dict` or `array`.
        var element: XMLScanner.Element
        var elements: [Value] = []
        var members: [Member] = []
        var key: String?
    }

    init(limits: Limits) {
        self.limits = limits
    }

    /// Reads the whole text.
    mutating func parse(_ scanner: inout XMLScanner) throws(FormatError) -> Value {
        try scanner.skipProlog()
        var stack: [Container] = []
        while true {
            try scanner.skipBetweenElements()
            let start = scanner.position
            guard let tag = try scanner.tag() else {
                throw scanner.failure(
                    .invalid(scanner.isAtEnd ? "the text ends too early" : "text stands between elements"))
            }
            var finished: Value?
            if tag.isEnd {
                guard let container = stack.popLast(), container.element == tag.element, tag.element != .other else {
                    throw scanner.failure(
                        .invalid("</\(scanner.text(in: tag.name))> ends what has not begun"), at: start)
                }
                finished = try value(of: container, endingAt: start, scanner)
            } else if tag.element == .key {
                guard let top = stack.indices.last, stack[top].element == .dict, stack[top].key == nil else {
                    throw scanner.failure(.invalid("a key stands where none can"), at: start)
                }
                stack[top].key = try text(of: tag, &scanner)
            } else {
                try check(tag, in: stack, at: start, scanner)
                if tag.element == .dict || tag.element == .array || tag.element == .plist {
                    guard stack.count < limits.depth else {
                        throw scanner.failure(.tooDeep(limit: limits.depth), at: start)
                    }
                    let container = Container(element: tag.element)
                    if tag.isEmpty {
                        finished = try value(of: container, endingAt: start, scanner)
                    } else {
                        stack.append(container)
                    }
                } else {
                    finished = try scalar(tag, at: start, &scanner)
                }
            }
            guard let finished else { continue }
            guard let top = stack.indices.last else {
                try scanner.skipBetweenElements()
                guard scanner.isAtEnd else { throw scanner.failure(.invalid("something follows the property list")) }
                return finished
            }
            if let key = stack[top].key {
                stack[top].members.append(Member(key: Name(key), value: finished))
                stack[top].key = nil
            } else {
                stack[top].elements.append(finished)
            }
        }
    }

    /// Refuses an element that cannot stand here.
    private mutating func check(
        _ tag: XMLScanner.Tag, in stack: [Container], at start: Int, _ scanner: XMLScanner
    ) throws(FormatError) {
        if tag.element != .plist { nodes += 1 }
        guard nodes <= limits.nodes else { throw scanner.failure(.tooManyNodes(limit: limits.nodes), at: start) }
        switch stack.last?.element {
        case .dict where stack.last?.key == nil:
            throw scanner.failure(
                .invalid("<\(scanner.text(in: tag.name))> stands in a dictionary without a key"), at: start)
        case .plist where stack.last?.elements.isEmpty == false:
            throw scanner.failure(.invalid("a property list has one value and no more"), at: start)
        case .some where tag.element == .plist:
            throw scanner.failure(.invalid("<plist> stands inside of a property list"), at: start)
        default: break
        }
    }

    private func value(
        of container: Container, endingAt end: Int, _ scanner: XMLScanner
    ) throws(FormatError) -> Value {
        switch container.element {
        case .array: return .array(container.elements)
        case .dict:
            if let key = container.key { throw scanner.failure(.invalid("the key “\(key)” has no value"), at: end) }
            if container.members.count == 1, container.members[0].key == "CF$UID",
                case .integer(let number) = container.members[0].value, let uid = UInt64(exactly: number)
            {
                return .uid(uid)
            }
            return .dictionary(Members(container.members))
        default:
            guard let value = container.elements.first else {
                throw scanner.failure(.invalid("the property list is empty"), at: end)
            }
            return value
        }
    }

    // MARK: Scalars

    private mutating func scalar(
        _ tag: XMLScanner.Tag, at start: Int, _ scanner: inout XMLScanner
    ) throws(FormatError) -> Value {
        guard tag.element != .other else {
            throw scanner.failure(
                .invalid("<\(scanner.text(in: tag.name))> is not an element of property lists"), at: start)
        }
        let text = try text(of: tag, &scanner)
        if tag.element == .string { return .string(text) }
        let trimmed = text.trimmed
        let value: Value? =
            switch tag.element {
            case .integer: XMLScalar.integer(trimmed).map(Value.integer)
            case .real: XMLScalar.real(trimmed).map(Value.real)
            case .date: XMLScalar.date(trimmed).map(Value.date)
            case .data: Base64.decoded(trimmed.utf8).map(Value.data)
            default: trimmed.isEmpty ? .bool(tag.element == .yes) : nil
            }
        guard let value else {
            // The content is not quoted: its key may say that it is secret, and nobody who shows this knows the key.
            throw scanner.failure(
                .invalid("what stands in it is not what <\(scanner.text(in: tag.name))> can hold"), at: start)
        }
        return value
    }

    private func text(of tag: XMLScanner.Tag, _ scanner: inout XMLScanner) throws(FormatError) -> String {
        tag.isEmpty ? "" : try scanner.text(upToEndOf: tag)
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmed: String {
        guard let first = utf8.first, let last = utf8.last else { return self }
        guard XMLScanner.isSpace(first) || XMLScanner.isSpace(last) else { return self }
        var text = utf8.drop(while: XMLScanner.isSpace)
        while let last = text.last, XMLScanner.isSpace(last) { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}
