import StoreFormats

/// What stands where in a value while operations work on it, told by where it stood in the value as it was given.
///
/// What the result has nowhere is lost: nobody need say so at each operation, and none can forget it.
package struct PartOrigins: Sendable {
    /// What stands at one place of the value: a tree that names what stands elsewhere than the place above it says.
    package struct Node: Sendable {
        /// Whose part stands there; `nil` where nobody has lost anything if it goes: it was made up.
        var part: (of: Made?, pointer: JSONPointer)?
        private(set) var inner: [Name: Node] = [:]

        /// What was made up, or stands nowhere.
        package static let nothing = Node(part: nil)
        /// The whole value as it was given.
        fileprivate static let given = Node(part: (nil, JSONPointer()))

        fileprivate var isGiven: Bool {
            if let (made, pointer) = part { made == nil && pointer.isRoot && inner.isEmpty } else { false }
        }

        /// Members of a container, beside which there is nothing.
        package init(_ members: [Name: Node]) { inner = members }

        init(part: (of: Made?, pointer: JSONPointer)?) { self.part = part }

        /// Whether nothing that was given stands there, also not in another form.
        package var isNothing: Bool { part == nil && inner.values.allSatisfy(\.isNothing) }

        func implied(_ name: Name) -> Node { Node(part: part.map { ($0.of, $0.pointer.appending(name)) }) }

        package subscript(name: Name) -> Node { inner[name] ?? implied(name) }

        package func at(_ pointer: JSONPointer) -> Node { pointer.tokens.reduce(self) { $0[$1] } }

        mutating func edit(_ tokens: ArraySlice<Name>, _ edit: (inout Node) -> Void) {
            guard let token = tokens.first else { return edit(&self) }
            if inner[token] == nil { inner[token] = implied(token) }
            inner[token]?.edit(tokens.dropFirst(), edit)
        }

        /// Takes out an item of so many, which moves up those behind it.
        fileprivate mutating func removeItem(_ index: Int, of count: Int) {
            for next in (index + 1)..<max(index + 1, count) { inner[Name("\(next - 1)")] = self[Name("\(next)")] }
            inner[Name("\(count - 1)")] = .nothing
        }
    }

    /// What an operation made of everything that stood in a place, so that of its parts none can be told by where it stood.
    final class Made: Sendable {
        /// Greater than that of all from which it was made.
        let number: Int
        let value: Value, node: Node
        /// The parts that were made up with it.
        let madeUp: [JSONPointer]

        init(_ number: Int, _ value: Value, of node: Node, madeUp: [JSONPointer]) {
            (self.number, self.value, self.node, self.madeUp) = (number, value, node, madeUp)
        }
    }

    /// The tree of the value.
    package private(set) var root = Node.given
    /// What went to where nothing tells it.
    private(set) var untold: [Node] = []
    private(set) var count = 0
    /// Whether anything was changed.
    package private(set) var isChanged = false

    /// A value as it was given.
    package init() {}

    /// A value that was made of something.
    init(_ root: Node, untold: [Node], count: Int) {
        (self.root, self.untold, self.count, isChanged) = (root, untold, count, true)
    }

    /// The same of a part, which operations work on by itself.
    package func part(at pointer: JSONPointer) -> PartOrigins {
        var part = PartOrigins()
        (part.root, part.count) = (root.at(pointer), count)
        return part
    }

    /// Takes up a part that operations worked on by itself.
    package mutating func take(_ part: PartOrigins, at pointer: JSONPointer) {
        count = max(count, part.count)
        untold += part.untold
        if part.isChanged { set(part.root, at: pointer) }
    }

    /// Notes what stands at a place now.
    package mutating func set(_ node: Node, at pointer: JSONPointer) {
        isChanged = true
        root.edit(pointer.tokens[...]) { $0 = node }
    }

    /// Notes that nothing stands at a place any more.
    ///
    /// - Parameter items: How many the array had of which it was an item; `nil` where it was none.
    package mutating func remove(_ pointer: JSONPointer, items: Int?) {
        guard let items, let last = pointer.tokens.last, let index = JSONPointer.arrayIndex(last), index < items else {
            return set(.nothing, at: pointer)
        }
        isChanged = true
        root.edit(pointer.tokens.dropLast()) { $0.removeItem(index, of: items) }
    }

    /// Notes that another value was made of what stood at a place.
    ///
    /// - Parameters:
    ///   - names: The members that it was made of; `nil` where of all.
    ///   - madeUp: The parts of the new value that were made up.
    package mutating func make(
        _ value: Value, at pointer: JSONPointer, of names: Set<Name>? = nil, madeUp: [JSONPointer] = []
    ) {
        var node = root.at(pointer)
        if let names {
            node = Node(Dictionary(names.map { ($0, node[$0]) }, uniquingKeysWith: { first, _ in first }))
        }
        // A single value has no parts, and stands for what it was made of.
        if value.children != nil || !node.inner.isEmpty {
            count += 1
            node = Node(part: (Made(count, value, of: node, madeUp: madeUp), JSONPointer()))
        }
        set(node, at: pointer)
    }

    /// Notes that somebody who need not say what becomes of it has taken what stood at a place.
    package mutating func takeUntold(_ pointer: JSONPointer) { untold.append(root.at(pointer)) }
}

extension PartOrigins {
    /// What of the value as it was given stands in parts of the result.
    package struct Arrival: Sendable {
        /// The parts of it, in whatever form they are.
        package fileprivate(set) var parts = PartSet()
        /// Whether something that was made of a part does not stand there, such as a word of a text.
        package fileprivate(set) var isPartial = false
    }

    /// What of the value as it was given stands at places, or anywhere.
    ///
    /// - Parameter nodes: What stands at the places; `nil` is the whole value.
    package func arrival(in nodes: [Node]? = nil) -> Arrival {
        // Of what nothing was done with all is there.
        if nodes == nil, root.isGiven {
            var all = Arrival()
            all.parts = PartSet(true)
            return all
        }
        var known = Known()
        return arrival(in: (nodes ?? [root]) + untold, &known)
    }

    /// The same of many places, each by itself.
    package func arrivals(in nodes: [Node]) -> [Arrival] {
        var known = Known()
        return nodes.map { arrival(in: [$0] + untold, &known) }
    }

    /// What need not be worked out again for each of many places, by the numbers of what was made.
    private struct Known {
        var indexes: [Int: MemberIndex] = [:]
        /// What arrives with anything of it.
        var arrivals: [Int: Arrival] = [:]
    }

    private func arrival(in nodes: [Node], _ known: inout Known) -> Arrival {
        var arrival = Arrival(), pieces: [Int: (made: Made, set: PartSet)] = [:]
        func take(_ node: Node) {
            if let (made, pointer) = node.part {
                let inner = node.inner.keys.lazy.map(pointer.appending)
                let set = PartSet(pointer, without: inner)
                if let made {
                    pieces[made.number, default: (made, PartSet())].set.formUnion(set)
                } else {
                    arrival.parts.formUnion(set)
                }
            }
            for inner in node.inner.values { take(inner) }
        }
        func settle(_ made: Made, _ set: PartSet) -> Bool {
            func coverage(_ set: PartSet) -> (isAny: Bool, isAll: Bool) {
                set.coverage(of: made.value, &known.indexes[made.number, default: MemberIndex()])
            }
            let own = coverage(set)
            guard own.isAny else { return false }
            let all = made.madeUp.reduce(into: set) { $0.formUnion(PartSet($1)) }
            if !own.isAll, made.madeUp.isEmpty || !coverage(all).isAll { arrival.isPartial = true }
            return true
        }
        for node in nodes { take(node) }
        // Of any piece of one, all that it was made of arrives: of many places that is the same.
        if pieces.count == 1, let (made, set) = pieces.first?.value {
            guard settle(made, set) else { return arrival }
            let whole = known.arrivals[made.number] ?? self.arrival(in: [made.node], &known)
            known.arrivals[made.number] = whole
            arrival.parts.formUnion(whole.parts)
            arrival.isPartial = arrival.isPartial || whole.isPartial
            return arrival
        }
        // What something was made of was there before it.
        for made in Self.made(in: nodes).sorted(by: { $0.number > $1.number }) {
            guard let (_, set) = pieces.removeValue(forKey: made.number), settle(made, set) else { continue }
            take(made.node)
        }
        return arrival
    }

    private static func made(in nodes: [Node]) -> [Made] {
        var found: [Int: Made] = [:], open = nodes
        while let node = open.popLast() {
            open += node.inner.values
            guard let made = node.part?.of, found.updateValue(made, forKey: made.number) == nil else { continue }
            open.append(made.node)
        }
        return Array(found.values)
    }
}

extension PartOrigins.Node {
    /// The same at a place in something beside which there is nothing.
    func placed(at pointer: JSONPointer) -> Self {
        var outer = Self.nothing
        outer.edit(pointer.tokens[...]) { $0 = self }
        return outer
    }
}
