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
