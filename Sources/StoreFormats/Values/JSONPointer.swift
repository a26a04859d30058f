/// A path into a value (RFC 6901), such as `/traits/email`; the empty pointer is the whole value.
public struct JSONPointer: Hashable, Sendable {
    /// The steps of the path, unescaped: keys of dictionaries, or positions in arrays.
    public var tokens: [Name]

    /// Makes a pointer from unescaped steps.
    public init(_ tokens: [Name] = []) {
        self.tokens = tokens
    }

    /// Reads a pointer as RFC 6901 writes it; `nil` where it is neither empty nor begins with `/`, or has a stray `~`.
    public init?(parsing text: String) {
        let scalars = text.unicodeScalars
        guard scalars.isEmpty || scalars.first == "/" else { return nil }
        var tokens: [Name] = []
        // Scalars, not characters: a combining mark after a slash does not make it another character here.
        for part in scalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            var token = "", escaped = false
            for scalar in part {
                switch (escaped, scalar) {
                case (false, "~"): escaped = true
                case (false, _): token.unicodeScalars.append(scalar)
                case (true, "0"): (token, escaped) = (token + "~", false)
                case (true, "1"): (token, escaped) = (token + "/", false)
                case (true, _): return nil
                }
            }
            guard !escaped else { return nil }
            tokens.append(Name(token))
        }
        self.init(tokens)
    }

    /// Whether this is the whole value.
    public var isRoot: Bool { tokens.isEmpty }

    /// The pointer one step further in.
    public func appending(_ token: Name) -> JSONPointer {
        JSONPointer(tokens + [token])
    }

    /// Whether this is a pointer or leads further in from it.
    package func isWithin(_ other: JSONPointer) -> Bool {
        tokens.count >= other.tokens.count && zip(tokens, other.tokens).allSatisfy(==)
    }

    /// The position that a step names in an array: digits without a leading zero (RFC 6901, section 4).
    public static func arrayIndex(_ token: Name) -> Int? {
        guard token == "0" || (!token.hasPrefix("0") && token.utf8.allSatisfy { (0x30...0x39).contains($0) })
        else { return nil }
        return Int(token.text)
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as RFC 6901 writes it.
    public var description: String {
        tokens.map { token in
            "/" + token.text.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
        }.joined()
    }
}

extension Value {
    /// The part of this value at a pointer, or `nil` where there is none.
    public subscript(pointer: JSONPointer) -> Value? {
        pointer.tokens.reduce(Optional(self)) { value, token in
            switch value {
            case .dictionary(let members): members[token]
            case .object(let object): object.fields[token]
            case .array(let elements): Self.element(token, of: elements)
            case .set(let set): Self.element(token, of: set.elements)
            default: nil
            }
        }
    }

    /// The first step of a pointer at a key that stands more than once there, so that nothing says which value is meant.
    public func repeatedKey(on pointer: JSONPointer) -> JSONPointer? {
        var value: Value? = self
        for (index, token) in pointer.tokens.enumerated() {
            if let members = value?.members, members.count(where: { $0.key == token }) > 1 {
                return JSONPointer(Array(pointer.tokens[...index]))
            }
            value = value?[JSONPointer([token])]
        }
        return nil
    }

    private static func element(_ token: Name, of elements: [Value]) -> Value? {
        guard let index = JSONPointer.arrayIndex(token), elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
