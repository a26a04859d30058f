import StoreFormats

/// The fields of one version of a document.
///
/// They are those that it must have, with their types, and those of other versions, which it must not have; any further
/// field is allowed.
public struct DocumentShape: Hashable, Sendable {
    /// The type of a field.
    public enum FieldType: String, Hashable, Sendable {
        case string, integer, number, bool, array, object

        /// Whether a value is of the type.
        public func holds(_ value: Value) -> Bool {
            switch (self, value) {
            case (.string, .string), (.integer, .integer), (.number, .integer), (.number, .real), (.bool, .bool),
                (.array, .array), (.object, .dictionary):
                true
            default: false
            }
        }

        /// The type with an article.
        var phrase: String {
            switch self {
            case .integer: "an integer"
            case .array: "an array"
            case .object: "an object"
            case .string, .number, .bool: "a \(rawValue)"
            }
        }
    }

    /// A field that must be there.
    public struct Field: Hashable, Sendable {
        /// Where it is.
        public var pointer: JSONPointer
        /// What it must be.
        public var type: FieldType

        /// Makes a field.
        public init(_ pointer: JSONPointer, _ type: FieldType) {
            self.pointer = pointer
            self.type = type
        }
    }

    /// The version.
    public let version: Int
    /// The fields that must be there.
    public let fields: [Field]
    /// The fields of other versions, which must not be there.
    public let without: [JSONPointer]

    /// Makes a shape.
    public init(version: Int, fields: [Field], without: [JSONPointer] = []) {
        self.version = version
        self.fields = fields
        self.without = without
    }

    /// Makes a shape of fields of the outermost object, by their keys.
    public init(version: Int, _ fields: KeyValuePairs<Name, FieldType>, without: [Name] = []) {
        self.init(
            version: version, fields: fields.map { Field(JSONPointer([$0.key]), $0.value) },
            without: without.map { JSONPointer([$0]) })
    }

    /// Whether a reader of this version finds all that it needs: it ignores fields that it does not know.
    public func decodes(_ document: Value) -> Bool { firstMismatch(in: document) == nil }

    /// Whether a document is of this version and not of another one.
    public func fits(_ document: Value) -> Bool {
        decodes(document) && without.allSatisfy { document[$0] == nil }
    }

    /// The first field that keeps a reader of this version from reading a document, with its path, in words.
    public func firstMismatch(in document: Value) -> String? {
        guard case .dictionary = document else { return "it is \(document.typePhrase), where an object belongs" }
        for field in fields {
            guard let value = document[field.pointer] else { return "\(field.pointer) is missing" }
            guard field.type.holds(value) else {
                return "\(field.pointer) is \(value.typePhrase), where \(field.type.phrase) belongs"
            }
        }
        return nil
    }

    /// How far a document is from this version: how many fields it lacks or has wrong or has in excess.
    func distance(of document: Value) -> Int {
        let lacking = fields.count { field in document[field.pointer].map { !field.type.holds($0) } ?? true }
        return lacking + without.count { document[$0] != nil }
    }

    /// The fields in words: `name (string), age (string)`.
    public var phrase: String {
        fields.map { "\($0.pointer.tokens.map(\.text).joined(separator: ".")) (\($0.type.rawValue))" }.joined(
            separator: ", ")
    }
}
