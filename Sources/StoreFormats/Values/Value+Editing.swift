extension Value {
    /// The value with one part replaced, added or, with `nil`, removed.
    ///
    /// A new key goes to the end of its dictionary; `-` or the count of an array appends to it. Removing a key that is not
    /// there changes nothing. Throws where the pointer leads through nothing.
    package func replacing(_ pointer: JSONPointer, with part: Value?) throws(FormatError) -> Value {
        try replacing(pointer.tokens[...], with: part) ?? .null
    }

    private func replacing(_ tokens: ArraySlice<Name>, with part: Value?) throws(FormatError) -> Value? {
        guard let token = tokens.first else { return part }
        let rest = tokens.dropFirst()
        switch self {
        case .dictionary(var members):
            guard let inner = members[token] ?? (rest.isEmpty ? .null : nil) else { throw Self.leadsNowhere(token) }
            members[token] = try inner.replacing(rest, with: part)
            return .dictionary(members)
        case .array(var elements):
            let index = token == "-" ? elements.count : JSONPointer.arrayIndex(token) ?? elements.count + 1
            guard index < elements.count || (index == elements.count && rest.isEmpty) else {
                throw Self.leadsNowhere(token)
            }
            guard index < elements.count else {
                return .array(elements + (part.map { [$0] } ?? []))
            }
            if let element = try elements[index].replacing(rest, with: part) {
                elements[index] = element
            } else {
                elements.remove(at: index)
            }
            return .array(elements)
        default: throw Self.leadsNowhere(token)
        }
    }

    /// The value after several replacements; those of members of one container are made in one pass.
    package func replacing(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) -> Value {
        let parents = Set(parts.map { JSONPointer(Array($0.pointer.tokens.dropLast())) })
        if let parent = parents.first, parents.count == 1, parts.allSatisfy({ $0.value != nil && !$0.pointer.isRoot }) {
            let values = Dictionary(parts.map { ($0.pointer.tokens.last ?? "", $0.value) }, uniquingKeysWith: { $1 })
            switch self[parent] {
            case .array(var elements)?:
                let indices = values.keys.compactMap(JSONPointer.arrayIndex)
                guard indices.count == values.count, indices.allSatisfy(elements.indices.contains) else { break }
                for (token, value) in values {
                    if let index = JSONPointer.arrayIndex(token), let value { elements[index] = value }
                }
                return try replacing(parent, with: .array(elements))
            case .dictionary(let members)?
            where members.duplicateKeys.isEmpty && values.keys.allSatisfy(Set(members.map(\.key)).contains):
                let edited = members.map { Member(key: $0.key, value: (values[$0.key] ?? nil) ?? $0.value) }
                return try replacing(parent, with: .dictionary(Members(edited)))
            default: break
            }
        }
        var result = self
        for (pointer, part) in parts { result = try result.replacing(pointer, with: part) }
        return result
    }

    /// The value with another key for the member at a pointer, at the same place.
    ///
    /// Throws where there is no such member, and where the dictionary has the new key already.
    package func renaming(_ pointer: JSONPointer, to key: Name) throws(FormatError) -> Value {
        guard let old = pointer.tokens.last else { throw Self.leadsNowhere(key) }
        let parent = JSONPointer(pointer.tokens.dropLast())
        guard case .dictionary(var members)? = self[parent], members[old] != nil else { throw Self.leadsNowhere(old) }
        guard old == key || members[key] == nil else {
            throw FormatError(.json, at: .offset(0), .invalid("there is a member \(key) already"))
        }
        for index in members.all.indices where members.all[index].key == old { members.all[index].key = key }
        return try replacing(parent, with: .dictionary(members))
    }

    private static func leadsNowhere(_ token: Name) -> FormatError {
        FormatError(.json, at: .offset(0), .invalid("there is nothing at \(token)"))
    }
}
