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
}
