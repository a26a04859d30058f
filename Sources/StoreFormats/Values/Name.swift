import Foundation

/// The name of something in a store: a key, a store, a part of a path.
///
/// Names are compared by their UTF-8 bytes. Swift's strings join normalization twins (`é` of one and of two scalars),
/// which a store keeps apart; so a `String` never decides what an entry is.
public struct Name: Sendable {
    /// The name as text.
    public let text: String

    /// Makes a name of a text.
    public init(_ text: some StringProtocol) {
        var text = String(text)
        // Names are compared often and by bytes: a bridged or lazy string would be converted each time.
        text.makeContiguousUTF8()
        self.text = text
    }

    /// The bytes of the name.
    public var utf8: String.UTF8View { text.utf8 }

    /// The name followed by a text.
    public static func + (name: Name, text: String) -> Name { Name(name.text + text) }

    /// Whether the name has no bytes.
    public var isEmpty: Bool { text.isEmpty }

    /// Whether the name begins with the bytes of a text.
    public func hasPrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// Whether the name ends with the bytes of a text.
    public func hasSuffix(_ suffix: String) -> Bool { text.utf8.reversed().starts(with: suffix.utf8.reversed()) }
}

extension Name: Hashable, Comparable {
    /// Whether both have the same bytes.
    public static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

    /// Whether the bytes of the left stand before those of the right.
    public static func < (left: Name, right: Name) -> Bool {
        left.text.withBytes { left in right.text.withBytes { right in left.lexicographicallyPrecedes(right) } }
    }

    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) {
        text.withBytes { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}

extension String {
    /// Whether both have the same bytes.
    func hasSameBytes(as other: String) -> Bool {
        let count = utf8.count
        // Known of each without its bytes.
        guard count == other.utf8.count else { return false }
        return withBytes { left in
            other.withBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, count) == 0
            }
        }
    }

    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}

extension Name: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Makes a name of a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// The name as text.
    public var description: String { text }
}

// Of the two types by name: code that is generic over them is not specialized in other modules, and took most of the time of
// reading an address.
extension Substring {
    /// The parts between marks of ASCII, also the empty ones, at most so many.
    ///
    /// They are told apart by bytes: a mark and an accent that follows it are one character, and still a mark.
    package func parts(at mark: Unicode.Scalar, most count: Int = .max) -> [Substring] {
        var parts: [Substring] = [], rest = self
        while parts.count + 1 < count, let end = rest.utf8.firstIndex(of: UInt8(ascii: mark)) {
            parts.append(rest[..<end])
            rest = rest[rest.utf8.index(after: end)...]
        }
        return parts + [rest]
    }

    /// Whether the bytes of a text stand in it; searches of the libraries make tables for it first.
    package func contains(bytes part: String) -> Bool {
        func found(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            part.withBytes { part in
                guard let start = part.baseAddress, part.count > 0 else { return true }
                guard var place = bytes.baseAddress else { return false }
                let end = place + bytes.count
                while let next = memchr(place, Int32(start.pointee), end - place) {
                    place = UnsafePointer(next.assumingMemoryBound(to: UInt8.self))
                    if end - place < part.count { return false }
                    if memcmp(place, start, part.count) == 0 { return true }
                    place += 1
                }
                return false
            }
        }
        // Many times faster than by the indices of a text.
        return utf8.withContiguousStorageIfAvailable(found) ?? Array(utf8).withUnsafeBufferPointer(found)
    }
}

extension String {
    /// The parts between marks of ASCII, also the empty ones, at most so many, as of ``Substring``.
    package func parts(at mark: Unicode.Scalar, most count: Int = .max) -> [Substring] {
        self[...].parts(at: mark, most: count)
    }

    /// Whether the bytes of a text stand in it.
    package func contains(bytes part: String) -> Bool { self[...].contains(bytes: part) }
}
