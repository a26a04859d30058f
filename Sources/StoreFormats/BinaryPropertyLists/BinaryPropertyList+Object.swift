extension BinaryPropertyList {
    /// The head of an object: what it is and where its content lies, which is within the file.
    struct Object {
        enum Kind: UInt8 {
            case null, no, yes, fill, integer, single, double, date, data, ascii, utf16, uid
            case array, orderedSet, set, dictionary
        }

        let kind: Kind
        /// Where the marker is.
        let offset: Int
        /// Where the content begins.
        let start: Int
        /// Bytes of a number or of data, code units of text, elements of an array, members of a dictionary.
        let count: Int
        /// Where the content ends.
        let end: Int

        var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }

        var isText: Bool { kind == .ascii || kind == .utf16 }

        /// Bytes of the content.
        var length: Int { end - start }

        /// References in a container: a dictionary has those of its keys, then those of its values.
        var referenceCount: Int { kind == .dictionary ? 2 * count : count }
    }
}
