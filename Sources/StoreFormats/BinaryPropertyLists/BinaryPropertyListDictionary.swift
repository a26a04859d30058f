/// The top dictionary of a binary property list, whose keys and values are decoded one at a time.
///
/// Positions are those of the file, from 0 up to `count`; any other position is a mistake of the caller and traps.
public struct BinaryPropertyListDictionary: Sendable {
    let source: BinaryPropertyList.Source
    let object: BinaryPropertyList.Object
    private let index = BinaryPropertyList.KeyIndex()

    init(source: BinaryPropertyList.Source, object: BinaryPropertyList.Object) {
        self.source = source
        self.object = object
    }

    /// The number of entries, each key as often as it stands there.
    public var count: Int { object.count }

    /// The key at a position; one that cannot be read exactly has a text too, so that its entry can be listed.
    ///
    /// In an ASCII string, other bytes are taken as Latin-1; half a surrogate pair is U+FFFD; so is, as a whole, an
    /// object that is not a string. `value()` refuses a list with such a key.
    public func key(at position: Int) -> Name {
        precondition((0..<count).contains(position))
        return source.withReader { reader in
            let key = reader.keyObject(position, of: object)
            if let key, key.isText, let text = try? reader.text(key) { return Name(text) }
            return Name(String(decoding: Array(BinaryPropertyList.KeyText(key, reader)), as: UTF8.self))
        }
    }

    /// The positions whose `key(at:)` is the key, in ascending order; more than one where it stands more than once.
    ///
    /// The first call reads every key once, into an index that takes from 20 kB to about 8 bytes a key; later calls take
    /// time in proportion to the keys that begin like this one, and constant time once they are many.
    /// May be called from several threads at once.
    public func positions(of key: Name) -> [Int] {
        var text = key.text
        return text.withUTF8 { index.positions(of: UnsafeRawBufferPointer($0), in: object, source) }
    }

    /// The first position of a key, or `nil`.
    public func position(of key: Name) -> Int? { positions(of: key).first }

    /// The keys that stand more than once, each named once, in the order of the file.
    ///
    /// Reads every key, and of a large dictionary that is not in some order into an index.
    public var repeatedKeys: [Name] {
        index.repeated(in: object, source).map(key(at:))
    }

    /// What the value at a position is, without decoding it.
    public func kind(at position: Int) -> BinaryPropertyList.Kind {
        precondition((0..<count).contains(position))
        return source.withReader { reader in
            do throws(FormatError) {
                return .init(try reader.object(reader.reference(count + position, of: object)))
            } catch {
                return .unreadable(error)
            }
        }
    }

    /// The value at a position, within the limits that the list was opened with.
    public func value(at position: Int) throws(FormatError) -> Value {
        precondition((0..<count).contains(position))
        let reference = try source.withReader { reader throws(FormatError) in
            try reader.reference(count + position, of: object)
        }
        return try source.value(of: reference)
    }

    /// The value of the first entry with a key, or `nil` where there is none.
    public subscript(key: Name) -> Value? {
        get throws(FormatError) {
            guard let position = position(of: key) else { return nil }
            return try value(at: position)
        }
    }
}

extension BinaryPropertyList {
    /// What an object is, as far as its head says: its content is not decoded and may still be found unreadable.
    public enum Kind: Hashable, Sendable {
        /// The null object.
        case null
        /// A Boolean.
        case bool
        /// A whole number of 1, 2, 4, 8 or 16 bytes.
        case integer
        /// A floating-point number of 32 or 64 bits.
        case real
        /// A point in time.
        case date
        /// Text, with its length in UTF-16 code units.
        case string(length: Int)
        /// Bytes, with their number.
        case data(length: Int)
        /// Values in order, with their number.
        case array(count: Int)
        /// Keys with values, with their number.
        case dictionary(count: Int)
        /// A set, ordered or not, with the number of its elements.
        case set(count: Int)
        /// A reference of a keyed archive.
        case uid
        /// An object that lies outside of the file or is of no known kind, and why.
        case unreadable(FormatError)

        init(_ object: Object) {
            self =
                switch object.kind {
                case .null: .null
                case .no, .yes: .bool
                case .integer: .integer
                case .single, .double: .real
                case .date: .date
                case .ascii, .utf16: .string(length: object.count)
                case .data: .data(length: object.count)
                case .array: .array(count: object.count)
                case .dictionary: .dictionary(count: object.count)
                case .set, .orderedSet: .set(count: object.count)
                case .uid: .uid
                case .fill:
                    .unreadable(FormatError(binary: object.offset, .invalid("a fill byte in the place of an object")))
                }
        }
    }
}
