/// Edits of a text that do not touch one another, as the tree of their pointers: all of them are made in one pass.
struct JSONEdits {
    /// The edits behind one step.
    struct Inner {
        let token: Name
        var edits: JSONEdits
    }

    /// What the text holds at a place.
    enum Shape {
        case object
        /// An array, and how many elements it has.
        case array(Int)
        /// Nothing, or what holds no other values.
        case other
    }

    /// What is written here: one value, or elements that go to the end of an array.
    private(set) var written: [Value] = []
    /// Whether what is here is removed.
    private(set) var isRemoved = false
    /// The edits inside, in the order in which their steps were first named.
    private(set) var inner: [Inner] = []
    private var positions: [Name: Int] = [:]
    private var shape: Shape?
    /// The first position of an array that is removed, and whether something goes to its end.
    private var firstRemoved: Int?, appends = false

    /// The edits at one step further in.
    subscript(token: Name) -> JSONEdits? { positions[token].map { inner[$0].edits } }

    /// Adds an edit.
    ///
    /// - Parameter shape: What the text holds at the beginning of a pointer.
    /// - Returns: Whether it could be added; one that depends on what another one makes waits for the next pass.
    mutating func add(_ pointer: JSONPointer, _ value: Value?, shape: (JSONPointer) -> Shape) -> Bool {
        add(pointer, at: 0, value, shape)
    }

    private mutating func add(
        _ pointer: JSONPointer, at depth: Int, _ value: Value?, _ shape: (JSONPointer) -> Shape
    ) -> Bool {
        guard depth < pointer.tokens.count else {
            guard inner.isEmpty, !isRemoved, written.isEmpty || (value != nil && pointer.tokens.last == "-") else {
                return false
            }
            if let value { written.append(value) } else { isRemoved = true }
            return true
        }
        guard written.isEmpty, !isRemoved else { return false }
        let token = pointer.tokens[depth], isLast = depth == pointer.tokens.count - 1
        let index = JSONPointer.arrayIndex(token)
        if let index, appends || firstRemoved != nil || (isLast && value == nil) {
            let parent = JSONPointer(Array(pointer.tokens[..<depth]))
            let known = self.shape ?? shape(parent)
            self.shape = known
            if case .array(let count) = known {
                // A position counts as the edits before have left it: after a removal only what lies before it is where it was.
                guard firstRemoved.map({ index < $0 }) ?? true, !appends || index < count else { return false }
                // What was changed behind it has been changed where it stood.
                if isLast, value == nil { firstRemoved = index }
            }
        }
        let position = positions[token] ?? inner.count
        if position == inner.count {
            var edits = JSONEdits()
            guard edits.add(pointer, at: depth + 1, value, shape) else { return false }
            inner.append(Inner(token: token, edits: edits))
            positions[token] = position
        } else if !inner[position].edits.add(pointer, at: depth + 1, value, shape) {
            return false
        }
        if isLast, token == "-", value != nil { appends = true }
        return true
    }
}
