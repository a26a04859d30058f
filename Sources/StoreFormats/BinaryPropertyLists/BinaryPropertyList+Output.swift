import Foundation

extension BinaryPropertyList {
    /// A list that is being written: objects in the order of their numbers, then the table of their offsets.
    struct Output {
        private var data = Data()
        private var offsets: [Int] = []
        /// Objects that are still to be copied.
        private var run: UnsafeRawBufferPointer?
        private let referenceSize: Int

        /// Begins a list that will have a number of objects, and about so many bytes.
        init(objectCount: Int, capacity: Int) {
            referenceSize = Self.width(of: objectCount)
            data.reserveCapacity(capacity)
            offsets.reserveCapacity(objectCount)
            data.append(contentsOf: "bplist00".utf8)
        }

        /// The smallest of 1, 2, 4 and 8 bytes that holds a number, as Apple's writer chooses it.
        static func width(of number: Int) -> Int {
            number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
        }

        /// Adds the next object as its bytes.
        mutating func append(_ object: [UInt8]) {
            flush()
            offsets.append(data.count)
            data.append(contentsOf: object)
        }

        /// Adds the next object as its bytes, which must stay where they are until the list is finished.
        ///
        /// Objects that follow one another in memory are copied at once.
        mutating func append(lasting object: UnsafeRawBufferPointer) {
            if let run, let start = run.baseAddress, start + run.count == object.baseAddress {
                offsets.append(data.count + run.count)
                self.run = UnsafeRawBufferPointer(start: start, count: run.count + object.count)
            } else {
                flush()
                offsets.append(data.count)
                run = object
            }
        }

        private mutating func flush() {
            if let run, let start = run.baseAddress {
                data.append(start.assumingMemoryBound(to: UInt8.self), count: run.count)
            }
            run = nil
        }

        /// Adds the next object, a container of references.
        mutating func append(_ kind: Object.Kind, count: Int, references: some Collection<Int>) {
            flush()
            offsets.append(data.count)
            data.append(contentsOf: Self.head(of: kind, count: count))
            data.append(contentsOf: Self.packed(references, width: referenceSize))
        }

        private static func head(of container: Object.Kind, count: Int) -> [UInt8] {
            var head: [UInt8] = []
            head.append(marker: marker(of: container), count: count)
            return head
        }

        /// Numbers one after another, each in so many bytes.
        fileprivate static func packed(_ numbers: some Collection<Int>, width: Int) -> [UInt8] {
            let count = numbers.count * width
            // Eight bytes are written at a time, those behind a number by the next one.
            return [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, written in
                for number in numbers {
                    let highest = UInt64(number) << UInt64(64 - 8 * width)
                    UnsafeMutableRawBufferPointer(buffer).storeBytes(
                        of: highest.bigEndian, toByteOffset: written, as: UInt64.self)
                    written += width
                }
            }
        }

        private static func marker(of container: Object.Kind) -> UInt8 {
            switch container {
            case .orderedSet: 0xB0
            case .set: 0xC0
            case .dictionary: 0xD0
            default: 0xA0
            }
        }

        /// The objects by themselves, and where each begins in that.
        var objects: (bytes: Data, offsets: [Int]) {
            let magic = Trailer.magicLength
            return (data.dropFirst(magic), offsets.map { $0 - magic })
        }

        /// The finished list, whose top object has a number.
        mutating func finish(top: Int) -> Data {
            flush()
            data.append(table: offsets, at: data.count, top: top, referenceSize)
            return data
        }

        /// A list of objects before a dictionary, which is the top object, and after it.
        ///
        /// - Parameters:
        ///   - head: What stands before the dictionary, with the magic, and where the objects begin in it.
        ///   - references: Those of the dictionary, which has so many members.
        ///   - tail: What stands after it, and where the objects begin in that.
        static func list(
            _ head: Data, _ headOffsets: [Int], dictionary references: [UInt8], count: Int, _ referenceSize: Int,
            _ tail: Data, _ tailOffsets: [Int]
        ) -> Data {
            let objects = headOffsets.count + 1 + tailOffsets.count
            var data = Data(capacity: head.count + references.count + tail.count + 8 * objects + 64)
            data += head
            data += Self.head(of: .dictionary, count: count)
            data += references
            let start = data.count
            data += tail
            let offsets = headOffsets + [head.count] + tailOffsets.map { start + $0 }
            data.append(table: offsets, at: data.count, top: headOffsets.count, referenceSize)
            return data
        }
    }
}

extension Data {
    /// Adds the table of the offsets of a list's objects, and its trailer.
    fileprivate mutating func append(table offsets: [Int], at table: Int, top: Int, _ referenceSize: Int) {
        let offsetSize = BinaryPropertyList.Output.width(of: table)
        append(contentsOf: BinaryPropertyList.Output.packed(offsets, width: offsetSize))
        append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        append(contentsOf: BinaryPropertyList.Output.packed([offsets.count, top, table], width: 8))
    }
}

extension [UInt8] {
    /// Adds the low bytes of a number, the highest of them first.
    mutating func append(bigEndian number: UInt64, bytes: Int) {
        for byte in (0..<bytes).reversed() { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))) }
    }

    /// Adds a marker with a count: in its low half up to 14, else in an integer object after it.
    mutating func append(marker: UInt8, count: Int) {
        if count < 15 { return append(marker | UInt8(count)) }
        let width = BinaryPropertyList.Output.width(of: count)
        append(marker | 0x0F)
        append(0x10 | UInt8(width.trailingZeroBitCount))
        append(bigEndian: UInt64(count), bytes: width)
    }
}
