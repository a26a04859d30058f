import Foundation

/// JSON text (RFC 8259) with the value that it holds; edits change only the bytes they must.
///
/// Strict: trailing commas, comments, `NaN`, leading zeros and raw control characters are refused. A byte order mark is
/// accepted and kept, a scalar may be the whole text, and an escape of half a surrogate pair (`\ud800`), which stands
/// for no character, reads as U+FFFD and stays in the text as it is.
public struct JSONDocument: Hashable, Sendable {
    /// The text in UTF-8, as it was read or as edits left it.
    public let data: Data
    /// What the text holds: keys in order, those that stand twice too, and numbers with their text.
    ///
    /// A number is an integer where its text is that of an `Int128`, a 64-bit number where its text is the shortest of
    /// one, and otherwise a number with that text (``Real/Form/literal(_:)``).
    public let value: Value
    private let limits: Limits

    /// Reads text; errors name the line, the column and the offset.
    public init(_ data: Data, limits: Limits = .standard) throws(FormatError) {
        try self.init([UInt8](data), data: data, limits: limits)
    }

    private init(_ bytes: [UInt8], data: Data? = nil, limits: Limits) throws(FormatError) {
        var parser = JSONParser(bytes, limits: limits)
        self.value = try parser.parse()
        self.data = data ?? Data(bytes)
        self.limits = limits
    }

    /// The text with one value replaced, added or, with `nil`, removed.
    ///
    /// A new key goes to the end of its object, and `-` or the count of an array appends to it; both follow the layout
    /// around them. Of a key that stands twice the first is replaced, and all are removed; keys are the same when their
    /// code units are. Replacing a value by an equal one, or removing a key that is not there, changes nothing.
    /// Throws where the pointer leads through nothing, and for a value that JSON cannot hold.
    public func replacing(_ pointer: JSONPointer, with value: Value?) throws(FormatError) -> JSONDocument {
        try replacing([(pointer, value)])
    }

    /// The text after several replacements, each as ``replacing(_:with:)`` makes it, one after the other; those that
    /// do not depend on one another are made in one pass.
    public func replacing(_ edits: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) -> JSONDocument {
        var editor = JSONEditor([UInt8](data))
        try editor.replace(edits)
        return try JSONDocument(editor.bytes, limits: limits)
    }

    /// The text with another key for the member at a pointer, at the same place; every one where the key stands twice.
    ///
    /// Throws where there is no such member, and where the object has the new key already.
    public func renaming(_ pointer: JSONPointer, to key: Name) throws(FormatError) -> JSONDocument {
        var editor = JSONEditor([UInt8](data))
        try editor.rename(pointer, to: key)
        return try JSONDocument(editor.bytes, limits: limits)
    }

    /// The shortest text of a value: no white space, keys in the order they have, nothing escaped that need not be.
    ///
    /// A number of 32 bits is written as the 64 bits that it equals. Throws for what JSON has no form for: data, dates,
    /// sets, UIDs, objects, NaN and infinities.
    public static func write(_ value: Value) throws(FormatError) -> Data {
        Data(try JSONWriter.bytes(value))
    }
}
