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
            guard let value = document[field.pointer] else { return "its field \(field.pointer) is missing" }
            guard field.type.holds(value) else {
                return "its field \(field.pointer) is \(value.typePhrase), where \(field.type.phrase) belongs"
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

/// How a value becomes another, and back where that can be said.
public struct Conversion: Sendable {
    /// What it does, in words.
    public let rule: String
    let forward: @Sendable (Value) -> Value?
    let backward: (@Sendable (Value) -> Value?)?

    /// Whether the new value alone says what the old one was.
    public var isInvertible: Bool { backward != nil }

    /// Makes a conversion.
    ///
    /// - Parameters:
    ///   - rule: What it does, in words.
    ///   - forward: The new value, or `nil` for a value that it does not take.
    ///   - backward: The old value of a new one, exactly; leave it out where two old values become one.
    public init(
        _ rule: String, forward: @escaping @Sendable (Value) -> Value?,
        backward: (@Sendable (Value) -> Value?)? = nil
    ) {
        self.rule = rule
        self.forward = forward
        self.backward = backward
    }

    /// Each of these values becomes the one beside it, and no other value is taken.
    public static func table(_ rows: [(from: Value, to: Value)]) -> Conversion {
        let words = rows.map { "\($0.from.jsonText) to \($0.to.jsonText)" }
        let isInjective = Set(rows.map(\.to)).count == rows.count
        let forward: @Sendable (Value) -> Value? = { value in rows.first { $0.from == value }?.to }
        let backward: @Sendable (Value) -> Value? = { value in rows.first { $0.to == value }?.from }
        return Conversion(
            words.joined(separator: ", "), forward: forward, backward: isInjective ? backward : nil)
    }
}

/// A value for a field that the old version did not have.
public struct DefaultValue: Sendable {
    /// What it is, in words.
    public let phrase: String
    /// The facts that it is made of.
    public let facts: [FactName]
    let make: @Sendable (Facts) throws(StepStop) -> Value

    /// Always the same value.
    public static func value(_ value: Value) -> DefaultValue {
        DefaultValue(phrase: value.jsonText, facts: []) { _ throws(StepStop) in value }
    }

    /// A value that is made of facts.
    public static func facts(
        _ names: FactName..., phrase: String, make: @escaping @Sendable (Facts) throws(StepStop) -> Value
    ) -> DefaultValue {
        DefaultValue(phrase: phrase, facts: names, make: make)
    }
}
