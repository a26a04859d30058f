import Foundation

extension BinaryPropertyList {
    /// The same list with some members of the top dictionary replaced, added at the end, or, with `nil`, removed.
    ///
    /// What is kept is not decoded: its objects are copied byte for byte and only the references between them are
    /// renumbered, so values that `value()` refuses (too deep, in a cycle, not quite text) survive. Objects that nothing
    /// uses any more are left out: a removed secret is not in the result. Keys are matched by the text that `key(at:)`
    /// gives; every entry with a key is replaced or removed. Of two edits of one key the later counts.
    ///
    /// Throws where the top object is not a dictionary, a value cannot be written, or an object that must be kept lies
    /// outside of the file or is of no known kind.
    public func rewriting(_ edits: [(key: Name, value: Value?)]) throws(FormatError) -> Data {
        try source.withReader { reader throws(FormatError) in
            let object = try reader.object(source.trailer.top)
            guard object.kind == .dictionary else {
                throw FormatError(binary: object.offset, .invalid("the top object is not a dictionary"))
            }
            guard source.trailer.objectCount < UInt32.max else {
                throw FormatError(binary: 0, .tooLarge(bytes: source.data.count, limit: Int(UInt32.max)))
            }
            var rewriter = Rewriter(reader: reader, limits: source.limits, dictionary: object)
            try rewriter.edit(edits)
            try rewriter.mark()
            rewriter.number()
            return try rewriter.write()
        }
    }

    /// The work of one `rewriting`.
    private struct Rewriter {
        private let reader: ObjectReader
        private let limits: Limits
        private let dictionary: Object
        /// The references of the new top dictionary: an object of the file by its number, or a new one by the bitwise
        /// complement of its provisional number, and thus negative.
        private var keys: [Int] = []
        private var values: [Int] = []
        private var builder = Builder()
        private var newRoots: [Int] = []
        /// For each object of the file, first 1 where it is kept, later its new number plus 1; 0 where it is left out.
        ///
        /// In 32 bits, as a list in memory has fewer objects than that; half of the memory for a list of millions.
        private var numbers: [UInt32]
        private var keptCount = 0
        private var keptBytes = 0

        init(reader: ObjectReader, limits: Limits, dictionary: Object) {
            self.reader = reader
            self.limits = limits
            self.dictionary = dictionary
            numbers = [UInt32](repeating: 0, count: reader.trailer.objectCount)
        }

        /// Lists the members of the new top dictionary.
        mutating func edit(_ edits: [(key: Name, value: Value?)]) throws(FormatError) {
            let hasher = KeyHash()
            var last: [Name: Int] = [:]
            for (index, edit) in edits.enumerated() { last[edit.key] = index }
            var candidates: [UInt64: [(bytes: [UInt8], edit: Int)]] = [:]
            var values: [Int: Int] = [:]
            for index in last.values.sorted() {
                let bytes = Array(edits[index].key.utf8)
                candidates[bytes.withUnsafeBytes { hasher.hash($0).hash }, default: []].append((bytes, index))
                guard let value = edits[index].value else { continue }
                values[index] = try builder.add(value)
            }

            keys.reserveCapacity(dictionary.count + values.count)
            self.values.reserveCapacity(dictionary.count + values.count)
            let longest = last.keys.map(\.utf8.count).max() ?? 0
            var found: Set<Int> = []
            for position in 0..<dictionary.count {
                let key = try reader.reference(position, of: dictionary)
                let keyObject = try reader.object(key)
                // A code unit is one byte of UTF-8 or more, so most keys need no reading, and long ones never.
                let mayMatch = !keyObject.isText || keyObject.count <= longest
                let hash = mayMatch ? hasher.hash(keyObject, reader) : nil
                let edit = hash.flatMap { candidates[$0] }?.first { candidate in
                    candidate.bytes.withUnsafeBytes { reader.text(of: keyObject, equals: $0) }
                }?.edit
                guard let edit else {
                    keys.append(key)
                    self.values.append(try reader.reference(dictionary.count + position, of: dictionary))
                    continue
                }
                found.insert(edit)
                guard let value = values[edit] else { continue }
                keys.append(key)
                self.values.append(~value)
                newRoots.append(value)
            }
            for index in values.keys.sorted() where !found.contains(index) {
                guard let value = values[index] else { continue }
                let key = builder.add(edits[index].key.text)
                keys.append(~key)
                self.values.append(~value)
                newRoots += [key, value]
            }
        }

        /// Marks every object of the file that the new top dictionary needs.
        mutating func mark() throws(FormatError) {
            // The top object keeps its number, so an object that refers to it refers to the edited dictionary.
            numbers[reader.trailer.top] = 1
            keptCount = 1
            var pending: [Object] = []
            for reference in keys where reference >= 0 { try keep(reference, &pending) }
            for reference in values where reference >= 0 { try keep(reference, &pending) }
            while let container = pending.popLast() {
                for position in 0..<container.referenceCount {
                    try keep(reader.reference(position, of: container), &pending)
                }
            }
        }

        private mutating func keep(_ reference: Int, _ pending: inout [Object]) throws(FormatError) {
            guard numbers[reference] == 0 else { return }
            let object = try reader.object(reference)
            numbers[reference] = 1
            keptCount += 1
            // The objects of a sound list do not overlap; those of a hostile one could make a huge file of a small one.
            keptBytes += object.end - object.offset
            let limit = max(limits.bytes, reader.bytes.count)
            guard keptBytes <= limit else {
                throw FormatError(binary: object.offset, .tooLarge(bytes: keptBytes, limit: limit))
            }
            if object.isContainer { pending.append(object) }
        }

        /// Numbers the kept objects in the order of the file.
        mutating func number() {
            var next: UInt32 = 0
            for reference in numbers.indices where numbers[reference] != 0 {
                next += 1
                numbers[reference] = next
            }
        }

        /// Writes the kept objects, then the new ones.
        func write() throws(FormatError) -> Data {
            let (order, final) = builder.ordered(from: newRoots)
            let count = keptCount + order.count
            let referenceBytes = 2 * keys.count * Output.width(of: count)
            // An estimate, exact but for containers whose references become wider.
            let capacity = keptBytes + referenceBytes + builder.scalarLength + 8 * order.count + 5 * count + 64
            var output = Output(objectCount: count, capacity: capacity)
            for reference in numbers.indices where numbers[reference] != 0 {
                guard reference != reader.trailer.top else {
                    let all = [keys, values].joined().lazy.map { reference in
                        reference >= 0 ? newNumber(of: reference) : keptCount + final[~reference]
                    }
                    output.append(.dictionary, count: keys.count, references: all)
                    continue
                }
                let object = try reader.object(reference)
                if object.isContainer {
                    // The references have been checked when they were marked.
                    let references = try references(of: object)
                    output.append(object.kind, count: object.count, references: references.lazy.map(newNumber))
                } else {
                    output.append(lasting: UnsafeRawBufferPointer(rebasing: reader.bytes[object.offset..<object.end]))
                }
            }
            for number in order { builder.write(number, final: final, base: keptCount, to: &output) }
            return output.finish(top: newNumber(of: reader.trailer.top))
        }

        /// The number that a kept object of the file gets.
        private func newNumber(of reference: Int) -> Int { Int(numbers[reference]) - 1 }

        private func references(of container: Object) throws(FormatError) -> [Int] {
            var references: [Int] = []
            references.reserveCapacity(container.referenceCount)
            for position in 0..<container.referenceCount {
                references.append(try reader.reference(position, of: container))
            }
            return references
        }
    }
}
