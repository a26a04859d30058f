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
