import Foundation

extension BinaryPropertyList {
    /// Collects the objects of values that are to be written, each different one once.
    ///
    /// Two objects are the same where their bytes are, so `1`, `1.0`, `true` and `"1"` are four, and so are texts that
    /// look alike in different scalars. Containers are the same where they are of one kind and hold the same objects.
    struct Builder {
        /// An object to be written.
        enum Part: Hashable {
            case scalar([UInt8])
            case container(Object.Kind, references: [Int])

            /// Feeds the bytes or references to a hasher as a block, where an array would do so one by one.
            func hash(into hasher: inout Hasher) {
                switch self {
                case .scalar(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
                case .container(let kind, let references):
                    hasher.combine(kind)
                    references.withUnsafeBytes { hasher.combine(bytes: $0) }
                }
            }
        }

        /// A container whose parts are being added.
        private struct Frame {
            let kind: Object.Kind
            var references: [Int]
            let values: [Value]
            var next = 0
        }

        private var parts: [Part] = []
        private var numbers: [Part: Int] = [:]

        /// Adds a value with all of its parts and gives its provisional number.
        mutating func add(_ value: Value) throws(FormatError) -> Int {
            var stack: [Frame] = []
            guard let frame = frame(value) else { return number(.scalar(try scalarBytes(value))) }
            stack.append(frame)
            while let top = stack.indices.last {
                guard stack[top].next < stack[top].values.count else {
                    let frame = stack.removeLast()
                    let number = number(.container(frame.kind, references: frame.references))
                    guard let parent = stack.indices.last else { return number }
                    stack[parent].references.append(number)
                    continue
                }
                let value = stack[top].values[stack[top].next]
                stack[top].next += 1
                if let frame = self.frame(value) {
                    stack.append(frame)
                } else {
                    stack[top].references.append(number(.scalar(try scalarBytes(value))))
                }
            }
            return 0  // Never reached: the last frame to close returns.
        }

        /// Adds a text and gives its provisional number.
        mutating func add(_ text: String) -> Int {
            number(.scalar(textBytes(text)))
        }

        private mutating func frame(_ value: Value) -> Frame? {
            switch value {
            case .array(let elements): return Frame(kind: .array, references: [], values: elements)
            case .set(let set):
                return Frame(kind: set.isOrdered ? .orderedSet : .set, references: [], values: set.elements)
            case .dictionary(let members):
                let keys = members.map { add($0.key.text) }
                return Frame(kind: .dictionary, references: keys, values: members.map(\.value))
            default: return nil
            }
        }

        private mutating func number(_ part: Part) -> Int {
            let next = parts.count
            let number = Self.enter(next, &numbers[part])
            if number == next { parts.append(part) }
            return number
        }

        /// What stands in a place of the table, or else the given number, which then does; one search for both.
        private static func enter(_ next: Int, _ place: inout Int?) -> Int {
            if let number = place { return number }
            place = next
            return next
        }

        /// The objects that the given roots use, each before its parts as Apple's writer has them, with the provisional
        /// numbers in that order and, the other way round, the final number of each.
        func ordered(from roots: [Int]) -> (order: [Int], final: [Int]) {
            var order: [Int] = []
            var final = [Int](repeating: -1, count: parts.count)
            var pending = Array(roots.reversed())
            while let number = pending.popLast() {
                guard final[number] < 0 else { continue }
                final[number] = order.count
                order.append(number)
                if case .container(_, let references) = parts[number] {
                    pending.append(contentsOf: references.reversed())
                }
            }
            return (order, final)
        }

        /// Writes an object; a provisional number becomes a number of the list by `final` and `base`.
        func write(_ number: Int, final: [Int], base: Int, to output: inout Output) {
            switch parts[number] {
            case .scalar(let bytes): output.append(bytes)
            case .container(let kind, let references):
                let count = kind == .dictionary ? references.count / 2 : references.count
                output.append(kind, count: count, references: references.lazy.map { base + final[$0] })
            }
        }

        /// The bytes of the scalars that have been added.
        var scalarLength: Int {
            parts.reduce(0) { sum, part in
                if case .scalar(let bytes) = part { sum + bytes.count } else { sum }
            }
        }
    }

    /// Writes a value as a binary property list, in the form that Apple's writer gives it.
    ///
    /// Types are kept exactly; equal objects are written once. Throws `.unwritable` for an object or a reference of a
    /// decoded keyed archive, and for a JSON number that is beyond 64 bits.
    public static func write(_ value: Value) throws(FormatError) -> Data {
        var builder = Builder()
        let root = try builder.add(value)
        let (order, final) = builder.ordered(from: [root])
        var output = Output(objectCount: order.count, capacity: builder.scalarLength + 16 * order.count)
        for number in order { builder.write(number, final: final, base: 0, to: &output) }
        return output.finish(top: 0)
    }
}
