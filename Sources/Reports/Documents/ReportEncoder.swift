import DeviceDump
import Foundation
import StoreFormats

/// Writes JSON as it is made: two spaces for each level, members in the order in which they are put, one line for each.
///
/// Every character that a terminal or an editor would not show as itself is escaped: control, C1, bidirectional and
/// zero-width characters, surrogates, private and unassigned ones. So the text may be shown anywhere. What is written is
/// handed on in pieces; of a report of any size only one is kept.
package final class JSONSink {
    private var bytes: [UInt8] = []
    /// Whether nothing is handed on.
    private var isKept = false
    private let write: (ArraySlice<UInt8>) throws -> Void
    private static let pieceSize = 1 << 16

    init(_ write: @escaping (ArraySlice<UInt8>) throws -> Void) {
        self.write = write
        bytes.reserveCapacity(Self.pieceSize * 2)
    }

    /// What is written, to be put into another's place later.
    static func bytes(_ body: (JSONSink) throws -> Void) rethrows -> [UInt8] {
        let sink = JSONSink { _ in }
        sink.isKept = true
        try body(sink)
        return sink.bytes
    }

    func append(_ bytes: [UInt8]) { self.bytes += bytes }

    /// All that is written, as one text.
    static func collected(_ body: (@escaping (ArraySlice<UInt8>) throws -> Void) throws -> Void) rethrows -> String {
        let text = CollectedText()
        try body { text.bytes += $0 }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    func flush() throws {
        try write(bytes[...])
        bytes.removeAll(keepingCapacity: true)
    }

    func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Begins a member or an element: after a comma unless it is the first, on a line of its own.
    func next(isFirst: Bool, depth: Int) throws {
        if bytes.count > Self.pieceSize, !isKept { try flush() }
        append(isFirst ? "\n" : ",\n")
        indent(depth)
    }

    /// Ends a list or an object.
    func end(_ mark: String, isEmpty: Bool, depth: Int) {
        if !isEmpty {
            append("\n")
            indent(depth)
        }
        append(mark)
    }

    private func indent(_ depth: Int) { bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth)) }

    func quote(_ text: String) {
        append("\"")
        // Most texts are as they are.
        let isPlain = text.utf8.allSatisfy { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        if isPlain {
            append(text)
            return append("\"")
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\t": append("\\t")
            case "\r": append("\\r")
            case _ where scalar.isASCII && (0x20..<0x7F).contains(scalar.value): bytes.append(UInt8(scalar.value))
            case _ where Self.isShown(scalar): bytes.append(contentsOf: Unicode.UTF8.encode(scalar) ?? .init())
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
                }
            }
        }
        append("\"")
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}

private final class CollectedText {
    var bytes: [UInt8] = []
}

/// Writes anything that can be encoded as JSON, in the order in which it encodes itself; Foundation's keeps none.
final class ReportEncoder: Encoder {
    private enum Shape { case none, object, array }

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let sink: JSONSink
    private let depth: Int
    private var shape = Shape.none
    private var count = 0

    init(_ sink: JSONSink, depth: Int = 0) {
        self.sink = sink
        self.depth = depth
    }

    /// Writes a value as a whole.
    static func write(_ value: some Encodable, to sink: JSONSink, depth: Int) throws {
        switch value {
        case let value as ShownValue: try value.write(to: sink, depth: depth)
        case let text as String: sink.quote(text)
        case let parts as any WrittenApart: try write(parts, to: sink, depth: depth)
        default:
            let encoder = ReportEncoder(sink, depth: depth)
            try value.encode(to: encoder)
            encoder.close()
        }
    }

    /// Writes a list a few elements at a time, each on a core of its own.
    private static func write(_ parts: any WrittenApart, to sink: JSONSink, depth: Int) throws {
        let step = 4 * ProcessInfo.processInfo.activeProcessorCount
        sink.append("[")
        for start in stride(from: 0, to: parts.count, by: step) {
            let made = OpeningControl.current.concurrently(min(step, parts.count - start)) { position in
                Result { try JSONSink.bytes { try parts.write(start + position, to: $0, depth: depth + 1) } }
            }
            for (position, bytes) in made.enumerated() {
                try sink.next(isFirst: start + position == 0, depth: depth + 1)
                sink.append(try bytes.get())
            }
        }
        sink.end("]", isEmpty: parts.count == 0, depth: depth)
    }

    func open(_ isObject: Bool) {
        guard shape == .none else { return }
        shape = isObject ? .object : .array
        sink.append(isObject ? "{" : "[")
    }

    func close() {
        guard shape != .none else { return }
        sink.end(shape == .object ? "}" : "]", isEmpty: count == 0, depth: depth)
    }

    func member(_ key: String, _ value: some Encodable) throws {
        open(true)
        try sink.next(isFirst: count == 0, depth: depth + 1)
        count += 1
        sink.quote(key)
        sink.append(": ")
        try Self.write(value, to: sink, depth: depth + 1)
    }

    func element(_ value: some Encodable) throws {
        open(false)
        try sink.next(isFirst: count == 0, depth: depth + 1)
        count += 1
        try Self.write(value, to: sink, depth: depth + 1)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(true)
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(false)
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(sink: sink, depth: depth) }

    private func inner() -> ReportEncoder { ReportEncoder(sink, depth: depth + 1) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ReportEncoder
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) throws { try encoder.member(key.stringValue, Null()) }
        mutating func encode(_ value: some Encodable, forKey key: Key) throws {
            try encoder.member(key.stringValue, value)
        }
        // No report nests containers by hand.
        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> { encoder.inner().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.inner().unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { encoder }
        mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: ReportEncoder
        var codingPath: [any CodingKey] { [] }
        var count: Int { encoder.count }

        mutating func encodeNil() throws { try encoder.element(Null()) }
        mutating func encode(_ value: some Encodable) throws { try encoder.element(value) }
        mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
            encoder.inner().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.inner().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { encoder }
    }

    private struct Single: SingleValueEncodingContainer {
        let sink: JSONSink
        let depth: Int
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() throws { sink.append("null") }
        mutating func encode(_ value: Bool) throws { sink.append(value ? "true" : "false") }
        mutating func encode(_ value: String) throws { sink.quote(value) }
        mutating func encode(_ value: Int) throws { sink.append(String(value)) }
        mutating func encode(_ value: Double) throws {
            if value.isFinite { sink.append("\(value)") } else { sink.quote("\(value)") }
        }
        mutating func encode(_ value: some Encodable) throws {
            if let integer = value as? any BinaryInteger { return sink.append("\(integer)") }
            if let real = value as? Float { return try encode(Double(real)) }
            try ReportEncoder.write(value, to: sink, depth: depth)
        }
    }
}

/// A list whose elements take long to make, and need nothing of one another.
protocol WrittenApart: Encodable, Sendable {
    var count: Int { get }
    /// Writes an element.
    func write(_ position: Int, to sink: JSONSink, depth: Int) throws
}

/// Nothing, which is told as such.
private struct Null: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

/// A field that is always there, and null where there is nothing to say.
@propertyWrapper
package struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

/// An object whose members have names of their own, in order.
package struct Named<Element: Encodable & Sendable>: Encodable, Sendable {
    package var all: [(name: String, value: Element)]

    package init(_ all: [(String, Element)]) { self.all = all.map { ($0.0, $0.1) } }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for member in all { try container.encode(member.value, forKey: Key(stringValue: member.name)) }
    }
}
