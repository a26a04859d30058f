extension BinaryPropertyList {
    /// Expands an object into a value, without recursion, each shared part once.
    ///
    /// For every container it keeps how many values it expands to and how deep it is, so a list of a few bytes that
    /// doubles at every level is refused as soon as the number is known, and before anything walks the result.
    struct Decoder {
        /// Content above this many bytes is decoded once and shared; below, a reference costs as much as the content.
        private static let sharedLength = 64

        /// A finished object.
        private struct Part {
            var value: Value
            var nodes = 1
            var height = 0
        }

        /// A container that is being filled.
        private struct Frame {
            let reference: Int
            let object: Object
            var next = 0
            var keys: [String] = []
            var values: [Value] = []
            var nodes = 1
            var height = 1
        }

        private let reader: ObjectReader
        private let limits: Limits
        private var parts: [Int: Part] = [:]
        private var open: Set<Int> = []
        private var stack: [Frame] = []
        private var visited = 0
        private var decodedBytes = 0

        init(reader: ObjectReader, limits: Limits) {
            self.reader = reader
            self.limits = limits
        }

        /// The value of the object with a number.
        mutating func value(of reference: Int) throws(FormatError) -> Value {
            if let part = try enter(reference) { return part.value }
            while let top = stack.indices.last {
                let object = stack[top].object
                if stack[top].next == object.count {
                    let part = close()
                    if stack.isEmpty { return part.value }
                    try add(part)
                    continue
                }
                let position = stack[top].next
                stack[top].next += 1
                var valuePosition = position
                if object.kind == .dictionary {
                    stack[top].keys.append(try key(reader.reference(position, of: object)))
                    valuePosition += object.count
                }
                if let part = try enter(reader.reference(valuePosition, of: object)) { try add(part) }
            }
            return .null  // Never reached: the stack had a frame, and the last frame to close returns.
        }

        /// The part of an object that is a scalar or finished already; otherwise opens a frame for it.
        private mutating func enter(_ reference: Int) throws(FormatError) -> Part? {
            let object = try reader.object(reference)
            guard object.isContainer else {
                guard object.length > Self.sharedLength else { return Part(value: try reader.scalar(object)) }
                return try shared(reference, object)
            }
            if let part = parts[reference] { return part }
            guard open.insert(reference).inserted else { throw FormatError(binary: object.offset, .cycle) }
            guard stack.count < limits.depth else {
                throw FormatError(binary: object.offset, .tooDeep(limit: limits.depth))
            }
            // Every container is part of the expansion at least once, so this many values there will be at least.
            visited += object.count
            guard visited < limits.nodes else {
                throw FormatError(binary: object.offset, .tooManyNodes(limit: limits.nodes))
            }
            var frame = Frame(reference: reference, object: object)
            frame.values.reserveCapacity(object.count)
            if object.kind == .dictionary { frame.keys.reserveCapacity(object.count) }
            stack.append(frame)
            return nil
        }

        private mutating func add(_ part: Part) throws(FormatError) {
            let top = stack.count - 1
            let (nodes, overflow) = stack[top].nodes.addingReportingOverflow(part.nodes)
            guard !overflow, nodes <= limits.nodes else {
                throw FormatError(binary: stack[top].object.offset, .tooManyNodes(limit: limits.nodes))
            }
            guard stack.count + part.height <= limits.depth else {
                throw FormatError(binary: stack[top].object.offset, .tooDeep(limit: limits.depth))
            }
            stack[top].nodes = nodes
            stack[top].height = max(stack[top].height, part.height + 1)
            stack[top].values.append(part.value)
        }

        private mutating func close() -> Part {
            let frame = stack.removeLast()
            let value: Value =
                switch frame.object.kind {
                case .dictionary:
                    .dictionary(Members(zip(frame.keys, frame.values).map { Member(key: Name($0), value: $1) }))
                case .set: .set(SetElements(frame.values))
                case .orderedSet: .set(SetElements(frame.values, isOrdered: true))
                default: .array(frame.values)
                }
            let part = Part(value: value, nodes: frame.nodes, height: frame.height)
            open.remove(frame.reference)
            parts[frame.reference] = part
            return part
        }

        private mutating func key(_ reference: Int) throws(FormatError) -> String {
            let object = try reader.object(reference)
            guard object.isText, object.length > Self.sharedLength else { return try reader.text(object) }
            return try shared(reference, object).value.string ?? ""
        }

        /// Decodes long content once; the sum is bounded, as objects of a hostile list may overlap.
        private mutating func shared(_ reference: Int, _ object: Object) throws(FormatError) -> Part {
            if let part = parts[reference] { return part }
            decodedBytes += object.length
            guard decodedBytes <= limits.bytes else {
                throw FormatError(binary: object.offset, .tooLarge(bytes: decodedBytes, limit: limits.bytes))
            }
            let part = Part(value: try reader.scalar(object))
            parts[reference] = part
            return part
        }
    }
}
