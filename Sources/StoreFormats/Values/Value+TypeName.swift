extension Value {
    /// The name of the type, as reports and screens write it.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "integer"
        case .real: "real"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .array: "array"
        case .dictionary: "dictionary"
        case .set: "set"
        case .uid: "uid"
        case .object: "object"
        case .reference: "reference"
        }
    }

    /// What the value is, with an article, for a sentence.
    public var typePhrase: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .set: "a set"
        case .uid: "a UID"
        case .object(let object): "an instance of \(object.className)"
        case .reference: "a reference to itself"
        }
    }
}
