/// Why bytes could not be read as a format, and where.
public struct FormatError: Error, Hashable, Sendable {
    /// The format that the bytes were read as.
    public var format: StoreFormat
    /// Where in the bytes the problem is.
    public var position: Position
    /// What is wrong there.
    public var problem: Problem

    /// Makes an error.
    public init(_ format: StoreFormat, at position: Position, _ problem: Problem) {
        self.format = format
        self.position = position
        self.problem = problem
    }

    /// A place in an input.
    public enum Position: Hashable, Sendable {
        /// Bytes from the start.
        case offset(Int)
        /// A line and a column of text, both from 1, with the offset in bytes.
        case line(Int, column: Int, offset: Int)
        /// An object of a keyed archive, by its number.
        case object(Int)
    }

    /// What can be wrong with an input.
    public enum Problem: Hashable, Sendable {
        /// The input has fewer bytes than the format needs.
        case tooShort(bytes: Int)
        /// The input does not begin as the format does.
        case badMagic
        /// The input is another format, which is recognised and not read: its name.
        case unsupported(String)
        /// A field has a value that the format does not allow: what, in words.
        case invalid(String)
        /// Something points outside of the input: what, in words.
        case outOfBounds(String)
        /// An object contains itself.
        case cycle
        /// A limit is exceeded.
        case tooDeep(limit: Int)
        /// The value would have more parts than the limit once written out.
        case tooManyNodes(limit: Int)
        /// The input has more bytes than the limit.
        case tooLarge(bytes: Int, limit: Int)
        /// What one answer may decode is used up; see ``DecodingBudget``.
        case overBudget
        /// A value cannot be written in the format: which, in words.
        case unwritable(String)
    }
}
