extension Value {
    /// The value with one part replaced, added or, with `nil`, removed.
    ///
    /// A new key goes to the end of its dictionary; `-` or the count of an array appends to it. Removing a key that is not
    /// there changes nothing. Throws where the pointer leads through nothing.
    package func replacing(_ pointer: JSONPointer, with part: Value?) throws(FormatError) -> Value {
        var value = self
        try value.replace(pointer, with: part) { members, depth in
            members.indices.filter { members[$0].key == pointer.tokens[depth] }
        }
        return value
    }

    /// Does the same in place: of what nothing else holds no more is touched than lies on the way.
    ///
    /// What it is after an error is not said.
    ///
    /// - Parameter positions: Where the key stands that the pointer names at a depth.
    mutating func replace(
        _ pointer: JSONPointer, with part: Value?, finding positions: (Members, _ depth: Int) -> [Int]
    ) throws(FormatError) {
        guard !pointer.isRoot else { return self = part ?? .null }
        try replace(pointer.tokens[...], with: part, positions)
    }

    private mutating func replace(
        _ tokens: ArraySlice<Name>, with part: Value?, _ positions: (Members, Int) -> [Int]
    ) throws(FormatError) {
        guard let token = tokens.first else { return }
        let isLast = tokens.count == 1
        if var members = takeMembers() {
            let places = positions(members, tokens.startIndex)
            if let place = places.first {
                if !isLast {
                    try members.all[place].value.replace(tokens.dropFirst(), with: part, positions)
                } else if let part {
                    members.all[place].value = part
                } else {
                    for place in places.reversed() { members.all.remove(at: place) }
                }
            } else {
                guard isLast else { throw Self.leadsNowhere(token) }
                if let part { members.all.append(Member(key: token, value: part)) }
            }
            self = .dictionary(members)
        } else if case .array(var elements) = self {
            let index = token == "-" ? elements.count : JSONPointer.arrayIndex(token) ?? elements.count + 1
            guard index < elements.count || (index == elements.count && isLast) else {
                throw Self.leadsNowhere(token)
            }
            if index == elements.count {
                if let part { elements.append(part) }
            } else if !isLast {
                try elements[index].replace(tokens.dropFirst(), with: part, positions)
            } else if let part {
                elements[index] = part
            } else {
                elements.remove(at: index)
            }
            self = .array(elements)
        } else {
            throw Self.leadsNowhere(token)
        }
    }

    /// The members, which the value holds no more: what it held too would be copied by an edit.
    private mutating func takeMembers() -> Members? {
        guard case .dictionary(let members) = self else { return nil }
        self = .null
        return members
    }

    /// The value after several replacements; those of members of one container are made in one pass.
    package func replacing(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) -> Value {
        let parents = Set(parts.map { JSONPointer(Array($0.pointer.tokens.dropLast())) })
        if let parent = parents.first, parents.count == 1, parts.allSatisfy({ !$0.pointer.isRoot }) {
            let values = Dictionary(parts.map { ($0.pointer.tokens.last ?? "", $0.value) }, uniquingKeysWith: { $1 })
            switch self[parent] {
            case .array(var elements)? where values.values.allSatisfy({ $0 != nil }):
                let indices = values.keys.compactMap(JSONPointer.arrayIndex)
                guard indices.count == values.count, indices.allSatisfy(elements.indices.contains) else { break }
                for (token, value) in values {
                    if let index = JSONPointer.arrayIndex(token), let value { elements[index] = value }
                }
                return try replacing(parent, with: .array(elements))
            case .dictionary(let members)?
            where members.duplicateKeys.isEmpty && values.keys.allSatisfy(Set(members.map(\.key)).contains):
                let edited = members.compactMap { member in
                    guard let part = values[member.key] else { return Optional(member) }
                    return part.map { Member(key: member.key, value: $0) }
                }
                return try replacing(parent, with: .dictionary(Members(edited)))
            default: break
            }
        }
        var result = self
        for (pointer, part) in parts { result = try result.replacing(pointer, with: part) }
        return result
    }

    /// The value with other keys for members of a dictionary in it, at the same places.
    ///
    /// Throws where one is not there, and where the dictionary has one of the new keys already.
    package func renaming(_ keys: [Name: Name], in parent: JSONPointer) throws(FormatError) -> Value {
        let missing = keys.keys.min() ?? ""
        guard case .dictionary(var members)? = self[parent] else { throw Self.leadsNowhere(missing) }
        let present = Set(members.lazy.map(\.key))
        if let missing = keys.keys.first(where: { !present.contains($0) }) { throw Self.leadsNowhere(missing) }
        if let key = keys.values.first(where: present.contains) {
            throw FormatError(.json, at: .offset(0), .invalid("there is a member \(key) already"))
        }
        for index in members.all.indices {
            if let key = keys[members.all[index].key] { members.all[index].key = key }
        }
        return try replacing(parent, with: .dictionary(members))
    }

    private static func leadsNowhere(_ token: Name) -> FormatError {
        FormatError(.json, at: .offset(0), .invalid("there is nothing at \(token)"))
    }
}
