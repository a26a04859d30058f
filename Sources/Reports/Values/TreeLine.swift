import StoreFormats

/// One line of a value that is shown as a tree.
package struct TreeLine: Hashable, Sendable {
    /// How far in, from 0.
    package var depth: Int
    /// The key or the position, or `nil` for the whole.
    package var key: String?
    /// The value in a few words; of a container, what it is.
    package var text: String
    /// What its type is.
    package var type = ""
}

extension Value {
    /// The parts of a container with their names, looking into what another format holds; `nil` for a plain value.
    package var parts: [(key: Name, value: Value)]? { parts(within: DecodingBudget()) }

    /// Whether it has any such, which are not made for that.
    func hasParts(within budget: DecodingBudget) -> Bool {
        switch self {
        case .dictionary, .object, .array, .set: true
        case .string, .data: decoded(within: budget)?.value.hasParts(within: budget.inner) ?? false
        default: false
        }
    }

    func parts(within budget: DecodingBudget) -> [(key: Name, value: Value)]? {
        switch self {
        case .dictionary(let members): members.map { ($0.key, $0.value) }
        case .object(let object): object.fields.map { ($0.key, $0.value) }
        case .array(let elements): elements.enumerated().map { (Name(String($0.offset)), $0.element) }
        case .set(let set): set.elements.enumerated().map { (Name(String($0.offset)), $0.element) }
        case .string, .data: decoded(within: budget)?.value.parts(within: budget.inner)
        default: nil
        }
    }

    /// The value as lines, depth first.
    ///
    /// - Parameters:
    ///   - limit: How many lines at most; a last line says that there are more.
    ///   - context: What the place of the value says of it.
    ///   - budget: What may be decoded.
    ///   - isSearched: Whether the raw forms of archives are looked into for what their places say of their parts.
    ///   - key: How a key is shown.
    ///   - display: What to show in place of a part, by its path and its place; `nil` shows it as it is.
    func treeLines(
        limit: Int = 2000, levels: Int = .max, in context: SecretContext, within budget: AnswerBudget,
        isSearched: Bool,
        key: (Name) -> String = { $0.text },
        display: (JSONPointer, Value, SecretContext) -> String?
    ) -> [TreeLine] {
        var lines: [TreeLine] = []
        var stack: [(depth: Int, pointer: JSONPointer, part: ValuePart)] = [
            (0, JSONPointer(), ValuePart(key: nil, value: self, context: context))
        ]
        while let (depth, pointer, part) = stack.popLast() {
            guard lines.count < limit else {
                lines.append(TreeLine(depth: 0, key: nil, text: "… cut after \(limit) lines"))
                break
            }
            let hidden = display(pointer, part.value, part.context)
            lines.append(
                TreeLine(
                    depth: depth, key: part.key.map(key),
                    text: hidden ?? part.value.summary(key: key, within: budget.show),
                    type: part.value.typeName))
            guard hidden == nil, depth < levels else { continue }
            let parts = part.parts(within: budget, isSearched: isSearched).prefix(limit)
            stack += parts.reversed().map { (depth + 1, pointer.appending($0.key ?? ""), $0) }
        }
        return lines
    }

    /// The same, of what holds no secret.
    package func treeLines(
        limit: Int = 2000, display: (JSONPointer, Value) -> String? = { _, _ in nil }
    ) -> [TreeLine] {
        treeLines(limit: limit, in: SecretContext(), within: AnswerBudget(), isSearched: false) { pointer, part, _ in
            display(pointer, part)
        }
    }
}

/// A part of a value with what its place says of it.
struct ValuePart {
    /// Its key or its position; `nil` of the whole.
    let key: Name?
    let value: Value
    /// What the place of the value says that this is a part of.
    private let outer: SecretContext
    private let place: Place

    /// Where it stands in that value.
    fileprivate enum Place {
        case whole, element, member(isSecret: Bool), secret
    }

    init(key: Name?, value: Value, context: SecretContext) {
        self.init(key: key, value: value, in: context, at: .whole)
    }

    fileprivate init(key: Name?, value: Value, in outer: SecretContext, at place: Place) {
        (self.key, self.value, self.outer, self.place) = (key, value, outer, place)
    }

    /// What its place says of it; looked for only where it is shown, as a value may have a million parts.
    var context: SecretContext {
        switch place {
        case .whole: outer
        case .element: outer.entering(element: key)
        case .member(let isSecret): outer.entering(key?.text ?? "", isSecret: isSecret)
        case .secret: outer.entering(element: key, isSecret: true)
        }
    }

    /// Its parts, looking into what another format holds: each is as secret as the keys on the way to it, and what stands
    /// beside it, make it.
    ///
    /// - Parameters:
    ///   - budget: What may be decoded.
    ///   - isSearched: Whether the raw forms of archives are looked into for what is secret.
    func parts(within budget: AnswerBudget, isSearched: Bool) -> ValueParts {
        switch value {
        case .string, .data:
            guard let decoded = value.decoded(within: budget.show)?.value, decoded.hasParts(within: budget.show.inner)
            else { return ValueParts() }
            return ValuePart(key: key, value: decoded, context: context).parts(
                within: budget.inner, isSearched: isSearched)
        case .dictionary(let members):
            let context = context
            return ValueParts(
                members,
                in: isSearched ? context.entering(archive: value, depth: 0, within: budget.search) : context)
        case .object(let object): return ValueParts(object.fields, in: context)
        case .array(let elements): return ValueParts(elements, SecretParts(elements), in: context)
        // What an element of a set says of another one is not asked.
        case .set(let set): return ValueParts(set.elements, nil, in: context)
        default: return ValueParts()
        }
    }
}

/// The parts of a value, each made where it is asked for: most of many are only compared.
struct ValueParts: RandomAccessCollection {
    private enum Parts {
        case members(Members), elements([Value])
    }

    private let parts: Parts
    /// Which of them another says are secret.
    private let secret: SecretParts?
    /// What the place of the value says.
    private let outer: SecretContext

    /// None.
    init() { self.init([], nil, in: SecretContext()) }

    fileprivate init(_ members: Members, in outer: SecretContext) {
        (parts, secret, self.outer) = (.members(members), SecretParts(members), outer)
    }

    fileprivate init(_ elements: [Value], _ secret: SecretParts?, in outer: SecretContext) {
        (parts, self.secret, self.outer) = (.elements(elements), secret, outer)
    }

    var startIndex: Int { 0 }
    var endIndex: Int {
        switch parts {
        case .members(let members): members.count
        case .elements(let elements): elements.count
        }
    }

    func key(at position: Int) -> Name {
        switch parts {
        case .members(let members): members[position].key
        case .elements: Name(String(position))
        }
    }

    func value(at position: Int) -> Value {
        switch parts {
        case .members(let members): members[position].value
        case .elements(let elements): elements[position]
        }
    }

    subscript(position: Int) -> ValuePart {
        let key = key(at: position), value = value(at: position)
        let place: ValuePart.Place =
            switch parts {
            case .members: .member(isSecret: secret?.isSecret(key, value) ?? false)
            case .elements: secret?.isSecret(at: position, value) ?? false ? .secret : .element
            }
        return ValuePart(key: key, value: value, in: outer, at: place)
    }
}
