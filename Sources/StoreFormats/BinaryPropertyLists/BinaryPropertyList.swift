import Foundation

/// A binary property list (`bplist00`), read where it lies and only as far as it is asked for.
///
/// The bytes are kept as they were given and never copied as a whole, so give a memory-mapped `Data` for a large file.
/// Facts about the format are from Apple's published CFBinaryPList.c; like it, this reads `bplist0` with any one
/// character after it, and no other version.
public struct BinaryPropertyList: Sendable {
    let source: Source

    /// The top object, where it is a dictionary that can be listed; `nil` where it is another object or unreadable.
    ///
    /// Where this is `nil`, `value()` gives the object or says what is wrong. Every copy shares one index of keys.
    public let topDictionary: BinaryPropertyListDictionary?

    /// Opens a list: checks its magic, its trailer and the head of its top dictionary, in constant time.
    ///
    /// Throws `.badMagic` for anything that is not a binary property list, and that before anything else is looked at.
    public init(_ data: Data, limits: Limits = .standard) throws(FormatError) {
        let source = Source(data: data, trailer: try Trailer(of: data), limits: limits)
        self.source = source
        topDictionary = source.withReader { reader in
            guard let object = try? reader.object(source.trailer.top), object.kind == .dictionary else { return nil }
            return BinaryPropertyListDictionary(source: source, object: object)
        }
    }

    /// The number of objects that the list says it has, used or not.
    public var objectCount: Int { source.trailer.objectCount }

    /// The whole list as a value, within the limits it was opened with.
    ///
    /// Objects that are used in several places are decoded once, and count against `Limits.nodes` in each place.
    public func value() throws(FormatError) -> Value {
        try source.value(of: source.trailer.top)
    }
}

extension BinaryPropertyList {
    /// The bytes of a list with its trailer and the limits of its reader.
    struct Source: Sendable {
        let data: Data
        let trailer: Trailer
        let limits: Limits

        /// Runs a closure on a reader that must not leave it.
        func withReader<Result, Failure: Error>(
            _ body: (ObjectReader) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let result = data.withUnsafeBytes { bytes in
                Swift.Result { () throws(Failure) in try body(ObjectReader(bytes: bytes, trailer: trailer)) }
            }
            return try result.get()
        }

        /// The value of the object with a number, expanded.
        func value(of reference: Int) throws(FormatError) -> Value {
            try withReader { reader throws(FormatError) in
                var decoder = Decoder(reader: reader, limits: limits)
                return try decoder.value(of: reference)
            }
        }
    }
}

extension FormatError {
    /// Makes an error at an offset in a binary property list.
    init(binary offset: Int, _ problem: Problem) {
        self.init(.binaryPropertyList, at: .offset(offset), problem)
    }
}
