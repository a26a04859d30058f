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

    /// Whether a limit of the reader was reached: the input may be sound, and nothing is known of the rest of it.
    public var isOverLimit: Bool {
        switch problem {
        case .tooDeep, .tooManyNodes, .tooLarge, .overBudget: true
        default: false
        }
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
        /// The root of what is to have keys is something else: what, with an article.
        case notADictionary(String)
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

extension FormatError: CustomStringConvertible {
    /// What is wrong and where, in one sentence without a full stop.
    public var description: String {
        if case .overBudget = problem { return "the \(format.rawValue) in it is left out: \(problem)" }
        // It is sound, and nothing that has keys.
        if case .notADictionary = problem { return "not a store: its \(format.rawValue) is \(problem)" }
        return "not a readable \(format.rawValue): \(problem) \(position)"
    }
}

extension FormatError.Position: CustomStringConvertible {
    /// The place in words, such as `at offset 12`.
    public var description: String {
        switch self {
        case .offset(let offset): "at offset \(offset)"
        case .line(let line, let column, let offset): "at line \(line), column \(column) (offset \(offset))"
        case .object(let number): "in object #\(number)"
        }
    }
}

extension FormatError.Problem: CustomStringConvertible {
    /// The problem in words, with the bound that was met where there is one.
    public var description: String {
        switch self {
        case .tooShort(let bytes): "\(bytes) bytes are too few"
        case .badMagic: "it does not begin as one"
        case .unsupported(let name): "this is \(name), which is not supported"
        case .invalid(let what): what
        case .notADictionary(let what): "\(what), not a dictionary with keys"
        case .outOfBounds(let what): "\(what) lies outside of the file"
        case .cycle: "an object contains itself"
        case .tooDeep(let limit): "more than \(limit) levels deep"
        case .tooManyNodes(let limit): "it expands to more than \(limit) values"
        case .tooLarge(let bytes, let limit): "\(bytes) bytes are more than the limit of \(limit)"
        case .overBudget: "what one answer may decode is used up"
        case .unwritable(let what): "\(what) cannot be written in this format"
        }
    }
}

extension FormatError {
    /// An error in UTF-8 text, at the line and column of an offset.
    ///
    /// Counts lines only here, so that reading pays nothing for it.
    init(_ format: StoreFormat, in bytes: [UInt8], at offset: Int, _ problem: Problem) {
        let end = min(max(offset, 0), bytes.count)
        let feed = UInt8(ascii: "\n"), carriageReturn = UInt8(ascii: "\r")
        var line = 1, lineStart = 0
        for index in 0..<end {
            let endsLine =
                bytes[index] == feed
                || (bytes[index] == carriageReturn && (index + 1 == bytes.count || bytes[index + 1] != feed))
            if endsLine { (line, lineStart) = (line + 1, index + 1) }
        }
        // A byte of the form 10xxxxxx continues a character.
        let column = bytes[lineStart..<end].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        self.init(format, at: .line(line, column: column, offset: end), problem)
    }
}
