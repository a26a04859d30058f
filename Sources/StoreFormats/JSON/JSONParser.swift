/// Reads JSON text (RFC 8259) into a value, without recursion.
struct JSONParser {
    private let bytes: [UInt8]
    private let limits: Limits
    private var position = 0
    private var nodes = 0

    /// A container that has begun and not ended.
    private struct Container {
        var isObject: Bool
        var elements: [Value] = []
        var members: [Member] = []
        var key: Name = ""
    }

    init(_ bytes: [UInt8], limits: Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Reads the whole text.
    mutating func parse() throws(FormatError) -> Value {
        guard bytes.count <= limits.bytes else {
            throw FormatError(.json, at: .offset(0), .tooLarge(bytes: bytes.count, limit: limits.bytes))
        }
        if bytes.holds("\u{FEFF}", at: 0) { position = 3 }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw failure(.unsupported("JSON in UTF-16"))
        }
        if let invalid = bytes.firstInvalidUTF8 {
            position = invalid
            throw failure(.invalid("this is not UTF-8"))
        }
        var stack: [Container] = []
        reading: while true {
            skipSpace()
            guard position < bytes.count else {
                throw stack.isEmpty
                    ? failure(.tooShort(bytes: bytes.count)) : failure(.invalid("the text ends too early"))
            }
            guard var value = try begin(&stack) else { continue }
            while let top = stack.indices.last {
                if stack[top].isObject {
                    stack[top].members.append(Member(key: stack[top].key, value: value))
                } else {
                    stack[top].elements.append(value)
                }
                skipSpace()
                switch byte {
                case UInt8(ascii: ","):
                    position += 1
                    if stack[top].isObject { stack[top].key = try key() }
                    continue reading
                case UInt8(ascii: "}") where stack[top].isObject:
                    value = .dictionary(Members(stack.removeLast().members))
                case UInt8(ascii: "]") where !stack[top].isObject:
                    value = .array(stack.removeLast().elements)
                default:
                    throw failure(.invalid("a comma or the end of the container is expected here"))
                }
                position += 1
            }
            skipSpace()
            guard position == bytes.count else { throw failure(.invalid("something follows the value")) }
            return value
        }
    }

    /// Reads a scalar or an empty container; opens any other container and returns `nil`.
    private mutating func begin(_ stack: inout [Container]) throws(FormatError) -> Value? {
        nodes += 1
        guard nodes <= limits.nodes else { throw failure(.tooManyNodes(limit: limits.nodes)) }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            try open(isObject: true, on: &stack)
            guard byte == UInt8(ascii: "}") else {
                stack[stack.count - 1].key = try key()
                return nil
            }
            position += 1
            stack.removeLast()
            return .dictionary(Members())
        case UInt8(ascii: "["):
            try open(isObject: false, on: &stack)
            guard byte == UInt8(ascii: "]") else { return nil }
            position += 1
            stack.removeLast()
            return .array([])
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw failure(stack.isEmpty ? .badMagic : .invalid("a value is expected here"))
        }
    }

    private mutating func open(isObject: Bool, on stack: inout [Container]) throws(FormatError) {
        guard stack.count < limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
        stack.append(Container(isObject: isObject))
        position += 1
        skipSpace()
    }

    /// Reads a key and the colon after it.
    private mutating func key() throws(FormatError) -> Name {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else { throw failure(.invalid("a key in quotes is expected here")) }
        let key = try string()
        skipSpace()
        guard byte == UInt8(ascii: ":") else { throw failure(.invalid("a colon is expected here")) }
        position += 1
        return Name(key)
    }

    private mutating func string() throws(FormatError) -> String {
        do throws(JSONText.Flaw) {
            let (text, end) = try JSONText.string(in: bytes, at: position)
            position = end
            return text
        } catch {
            position = error.offset
            throw failure(.invalid(error.what))
        }
    }

    private mutating func number() throws(FormatError) -> Value {
        guard let end = JSONText.numberEnd(in: bytes, at: position) else {
            throw failure(.invalid("this is not a number as JSON writes them"))
        }
        defer { position = end }
        return JSONText.number(in: bytes, at: position..<end)
    }

    private mutating func literal(_ text: StaticString, _ value: Value) throws(FormatError) -> Value {
        guard bytes.holds(text, at: position) else { throw failure(.invalid("this is not a word of JSON")) }
        position += text.utf8CodeUnitCount
        return value
    }

    /// The byte here; `nil` at the end.
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        position = JSONText.skippingSpace(in: bytes, from: position)
    }

    private func failure(_ problem: FormatError.Problem) -> FormatError {
        FormatError(.json, in: bytes, at: position, problem)
    }
}
