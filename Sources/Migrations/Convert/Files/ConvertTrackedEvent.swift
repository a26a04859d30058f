import StoreFormats

/// An event of a visitor.
public enum ConvertTrackedEvent: Hashable, Sendable {
    /// The visitor was put into a variation of an experience.
    case bucketing(experienceID: String, variationID: String)
    /// The visitor reached a goal; with what belongs to it, and the variations that the visitor was in.
    case conversion(goalID: String, goalData: [ConvertGoalDatum]? = nil, bucketingData: [String: String]? = nil)

    init(_ value: Value, at pointer: JSONPointer) throws(ConvertFormatError) {
        let fields = try JSONFields(value, at: pointer)
        let type = try fields.string("eventType")
        guard ["bucketing", "conversion"].contains(type) else {
            throw ConvertFormatError(
                "“\(type)” stands where bucketing or conversion belongs", at: pointer.appending("eventType"))
        }
        let part = try fields.required("data")
        let data = try JSONFields(part.value, at: part.pointer)
        if type == "bucketing" {
            self = .bucketing(
                experienceID: try data.string("experienceId"), variationID: try data.string("variationId"))
            return
        }
        var goalData: [ConvertGoalDatum]?
        if let elements = try data.optionalElements("goalData") {
            var list: [ConvertGoalDatum] = []
            for element in elements { list.append(try ConvertGoalDatum(element.value, at: element.pointer)) }
            goalData = list
        }
        self = .conversion(
            goalID: try data.string("goalId"), goalData: goalData,
            bucketingData: try data.optionalTexts("bucketingData"))
    }

    var value: Value {
        switch self {
        case .bucketing(let experience, let variation):
            return .dictionary([
                ("eventType", .string("bucketing")),
                ("data", .dictionary([("experienceId", .string(experience)), ("variationId", .string(variation))])),
            ])
        case .conversion(let goal, let goalData, let bucketing):
            var data: Members = ["goalId": .string(goal)]
            data["goalData"] = goalData.map { .array($0.map(\.json)) }
            data["bucketingData"] = bucketing.map(Value.texts)
            return .dictionary([("eventType", .string("conversion")), ("data", .dictionary(data))])
        }
    }
}

/// One thing that belongs to a conversion.
public struct ConvertGoalDatum: Hashable, Sendable {
    /// What it can be.
    public enum Key: String, Hashable, Sendable, CaseIterable {
        /// An amount of money.
        case amount
        /// How many products.
        case productsCount
        /// The id of a transaction.
        case transactionId
        /// A dimension of one's own.
        case customDimension1, customDimension2, customDimension3, customDimension4, customDimension5
    }

    /// Its value; numbers keep their text.
    public enum Content: Hashable, Sendable {
        /// A whole number.
        case integer(Int128)
        /// Any other number.
        case real(Real)
        /// A text.
        case string(String)
        /// Several texts.
        case strings([String])
    }

    /// What it is.
    public var key: Key
    /// Its value.
    public var content: Content

    /// Makes a datum.
    public init(_ key: Key, _ content: Content) {
        self.key = key
        self.content = content
    }

    init(_ value: Value, at pointer: JSONPointer) throws(ConvertFormatError) {
        let fields = try JSONFields(value, at: pointer)
        let name = try fields.string("key")
        guard let key = Key(rawValue: name) else {
            throw ConvertFormatError("“\(name)” is not a key of goal data", at: pointer.appending("key"))
        }
        self.key = key
        let part = try fields.required("value")
        switch part.value {
        case .integer(let integer): content = .integer(integer)
        case .real(let real) where real.value.isFinite: content = .real(real)
        case .string(let text): content = .string(text)
        case .array:
            var texts: [String] = []
            for element in try JSONFields.elements(part) { texts.append(try JSONFields.string(element)) }
            content = .strings(texts)
        default:
            throw ConvertFormatError(
                "\(part.value.typePhrase) stands where a number, a string or strings belong", at: part.pointer)
        }
    }

    fileprivate var json: Value {
        let value: Value =
            switch content {
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .string(let text): .string(text)
            case .strings(let texts): .array(texts.map(Value.string))
            }
        return .dictionary([("key", .string(key.rawValue)), (Name("value"), value)])
    }
}
