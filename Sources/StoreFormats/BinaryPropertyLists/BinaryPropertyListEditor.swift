import Foundation

/// A binary property list to whose top dictionary one member after the other is added.
///
/// The bytes are those of ``BinaryPropertyList/rewriting(_:)``.
struct BinaryPropertyListEditor: Sendable {
    /// The objects before the top dictionary, behind the magic, and those after it.
    private let head: Data
    private var tail: Data
    /// Where the objects begin: those before the top dictionary in the list, those after it in the tail.
    private let headOffsets: [Int]
    private var tailOffsets: [Int]
    /// The references of the top dictionary, packed.
    private var keys: [UInt8], values: [UInt8]
    private let referenceSize: Int

    private var objectCount: Int { headOffsets.count + 1 + tailOffsets.count }

    /// Takes a list apart that ``BinaryPropertyList/rewriting(_:)`` has just written; `nil` where it cannot be that.
    init?(_ data: Data) {
        guard let list = try? BinaryPropertyList(data) else { return nil }
        let trailer = list.source.trailer
        let parts = list.source.withReader { reader -> (head: [Int], top: BinaryPropertyList.Object, tail: [Int])? in
            guard let top = try? reader.object(trailer.top), top.kind == .dictionary else { return nil }
            var end = BinaryPropertyList.Trailer.magicLength, head: [Int] = [], tail: [Int] = []
            for number in 0..<trailer.objectCount {
                guard let object = try? reader.object(number), object.offset == end else { return nil }
                end = object.end
                if number < trailer.top { head.append(object.offset) }
                if number > trailer.top { tail.append(object.offset - top.end) }
            }
            return end == trailer.offsetTable ? (head, top, tail) : nil
        }
        guard let parts, trailer.referenceSize == BinaryPropertyList.Output.width(of: trailer.objectCount) else {
            return nil
        }
        (headOffsets, tailOffsets, referenceSize) = (parts.head, parts.tail, trailer.referenceSize)
        func bytes(_ range: Range<Int>) -> Data { data.dropFirst(range.lowerBound).prefix(range.count) }
        let middle = parts.top.start + parts.top.count * referenceSize
        head = Data(bytes(0..<parts.top.offset))
        tail = Data(bytes(parts.top.end..<trailer.offsetTable))
        keys = Array(bytes(parts.top.start..<middle))
        values = Array(bytes(middle..<parts.top.end))
    }

    /// Adds a member whose key is not there.
    ///
    /// - Returns: The bytes then; `nil` where the objects are so many that all references become wider.
    mutating func add(_ key: Name, _ value: Value) throws(FormatError) -> Data? {
        var builder = BinaryPropertyList.Builder()
        let value = try builder.add(value), key = builder.add(key.text)
        let (order, final) = builder.ordered(from: [key, value])
        let base = objectCount
        guard BinaryPropertyList.Output.width(of: base + order.count) == referenceSize else { return nil }
        var added = BinaryPropertyList.Output(objectCount: base + order.count, capacity: builder.scalarLength + 64)
        for number in order { builder.write(number, final: final, base: base, to: &added) }
        let objects = added.objects
        tailOffsets += objects.offsets.map { tail.count + $0 }
        tail += objects.bytes
        keys.append(bigEndian: UInt64(base + final[key]), bytes: referenceSize)
        values.append(bigEndian: UInt64(base + final[value]), bytes: referenceSize)
        return BinaryPropertyList.Output.list(
            head, headOffsets, dictionary: keys + values, count: keys.count / referenceSize, referenceSize, tail,
            tailOffsets)
    }
}
