/// Follows the references of a keyed archive.
struct KeyedArchiveWalker {
    /// A value with what it costs where it is used.
    private struct Expansion {
        var value: Value
        var nodes: Int
        var height: Int
    }

    /// What is known of an object while the walk goes on.
    private enum State {
        case unseen
        /// It is being read, this many objects below the root.
        case open(Int)
        /// It has been read and refers to nothing that is still open.
        case closed(Expansion)
    }

    private let objects: [Value]
    private let limits: Limits
    private var states: [State]
    /// The classes that have been asked for, by the number of their object.
    private var classes: [Int: ArchivedClass] = [:]
    private var openObjects = 0
    private var depth = 0
    /// How many values the result has so far, counting a shared one each time it is used.
    private var nodes = 0
    /// How many containers the value that is being read has had inside one another, from the root.
    private var deepest = 0
    /// The outermost open object that has been referred to since the object that is being read began.
    private var outermostReference = Int.max

    init(objects: [Value], limits: Limits) {
        self.objects = objects
        self.limits = limits
        self.states = Array(repeating: .unseen, count: objects.count)
    }

    /// Throws where an object cannot be read at all: it does not exist, or its class cannot be told.
    mutating func requireUsable(_ number: UInt64) throws(FormatError) {
        guard let index = Int(exactly: number), objects.indices.contains(index) else {
            let shown = Int(clamping: number)
            throw FormatError(.keyedArchive, at: .object(shown), .outOfBounds("the root object"))
        }
        guard case .dictionary(let fields) = objects[index] else { return }
        if case .unknown(let why) = archivedClass(of: fields) {
            throw FormatError(.keyedArchive, at: .object(index), .invalid(why))
        }
    }

    // MARK: Values

    /// The value with every reference in it resolved.
    mutating func value(of value: Value) throws(FormatError) -> Value {
        if case .uid(let number) = value { return try object(number) }
        nodes += 1
        guard nodes <= limits.nodes else { throw failure(.tooManyNodes(limit: limits.nodes)) }
        switch value {
        case .string("$null"): return .null
        case .array(let elements): return .array(try values(of: elements))
        case .set(let set): return .set(SetElements(try values(of: set.elements), isOrdered: set.isOrdered))
        case .dictionary(let members): return .dictionary(try fields(of: members))
        default: return value
        }
    }

    private mutating func values(of values: [Value]) throws(FormatError) -> [Value] {
        try enter()
        var resolved: [Value] = []
        resolved.reserveCapacity(values.count)
        for value in values { resolved.append(try self.value(of: value)) }
        depth -= 1
        return resolved
    }

    private mutating func fields(of members: Members) throws(FormatError) -> Members {
        try enter()
        var resolved: [Member] = []
        resolved.reserveCapacity(members.count)
        for member in members { resolved.append(Member(key: member.key, value: try value(of: member.value))) }
        depth -= 1
        return Members(resolved)
    }

    private mutating func enter() throws(FormatError) {
        depth += 1
        deepest = max(deepest, depth)
        guard depth <= limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
    }

    // MARK: Objects

    /// The object with a number, read once and then remembered, unless what it is depends on where it is used.
    private mutating func object(_ number: UInt64) throws(FormatError) -> Value {
        guard number != 0 else { return try value(of: .null) }
        guard let index = Int(exactly: number), objects.indices.contains(index) else {
            nodes += 1
            return .uid(number)
        }
        switch states[index] {
        case .open(let level):
            outermostReference = min(outermostReference, level)
            nodes += 1
            return .reference(index)
        case .closed(let expansion):
            nodes = nodes.addingReportingOverflow(expansion.nodes).overflow ? .max : nodes + expansion.nodes
            deepest = max(deepest, depth + expansion.height)
            guard nodes <= limits.nodes else { throw failure(.tooManyNodes(limit: limits.nodes), in: index) }
            guard depth + expansion.height <= limits.depth else {
                throw failure(.tooDeep(limit: limits.depth), in: index)
            }
            return expansion.value
        case .unseen: break
        }
        // A chain of objects that are mere references nests calls too, so each object counts as a level.
        guard openObjects < limits.depth else { throw failure(.tooDeep(limit: limits.depth), in: index) }
        let before = (nodes: nodes, deepest: deepest, reference: outermostReference)
        (deepest, outermostReference) = (depth, Int.max)
        states[index] = .open(openObjects)
        openObjects += 1
        let value = try instance(objects[index])
        openObjects -= 1
        let isClosed = outermostReference >= openObjects
        states[index] =
            isClosed
            ? .closed(Expansion(value: value, nodes: nodes - before.nodes, height: deepest - depth)) : .unseen
        outermostReference = isClosed ? before.reference : min(before.reference, outermostReference)
        deepest = max(before.deepest, deepest)
        return value
    }

    private mutating func instance(_ object: Value) throws(FormatError) -> Value {
        guard case .dictionary(let members) = object else { return try value(of: object) }
        nodes += 1
        var fields = Members(members.all.filter { $0.key != "$class" })
        switch archivedClass(of: members) {
        case .known(let name, let plain):
            fields = try self.fields(of: fields)
            return KeyedArchiveClass.value(
                of: ArchivedObject(className: name, fields: fields), as: plain)
        case .unknown where members["$class"] == nil:
            return .dictionary(try self.fields(of: fields))
        case .unknown:
            fields = try self.fields(of: fields)
            fields["$class"] = members["$class"]
            return .object(ArchivedObject(className: "", fields: fields))
        }
    }

    /// The class of an instance: its name with the plain class that it is or inherits from, or why it cannot be told.
    private enum ArchivedClass {
        case known(String, plain: String?)
        case unknown(String)
    }

    private mutating func archivedClass(of fields: Members) -> ArchivedClass {
        guard let reference = fields["$class"] else { return .unknown("it has no $class") }
        guard case .uid(let number) = reference, let index = Int(exactly: number), objects.indices.contains(index)
        else {
            return .unknown("its $class is not the number of an object")
        }
        if let known = classes[index] { return known }
        let description = described(by: index)
        classes[index] = description
        return description
    }

    private func described(by index: Int) -> ArchivedClass {
        guard case .dictionary(let description) = objects[index] else {
            return .unknown("its $class, #\(index), does not describe a class")
        }
        guard let name = description["$classname"]?.string else {
            return .unknown("its $class, #\(index), has no $classname")
        }
        var names = [name]
        if case .array(let classes)? = description["$classes"] { names += classes.compactMap(\.string) }
        return .known(name, plain: KeyedArchiveClass.plain(among: names))
    }

    private func failure(_ problem: FormatError.Problem, in object: Int? = nil) -> FormatError {
        FormatError(.keyedArchive, at: object.map(FormatError.Position.object) ?? .offset(0), problem)
    }
}
