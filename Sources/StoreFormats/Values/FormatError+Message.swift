extension FormatError: CustomStringConvertible {
    /// What is wrong and where, in one sentence without a full stop.
    public var description: String {
        if case .overBudget = problem { return "the \(format.rawValue) in it is left out: \(problem)" }
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
