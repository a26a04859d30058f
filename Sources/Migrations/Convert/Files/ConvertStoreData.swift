import StoreFormats

/// What the SDK keeps of one visitor: decisions, goals, segments and locations.
public struct ConvertStoreData: Hashable, Sendable {
    /// The names of the members, in the order in which they are written.
    static let names = ["bucketing", "goalTriggered", "segments", "locations"]

    /// The variation by experience.
    public var bucketing: [String: String]
    /// Whether a goal has been reached, by goal.
    public var goalTriggered: [String: Bool]
    /// The segments that the visitor is in.
    public var segments: ConvertSegments
    /// The locations of the visitor.
    public var locations: [String: String]

    /// Reads a member of the decision file; each of the four parts may be missing, as older versions leave it.
    init(_ value: Value, at pointer: JSONPointer) throws(ConvertFormatError) {
        let fields = try JSONFields(value, at: pointer)
        bucketing = try fields.optionalTexts("bucketing") ?? [:]
        goalTriggered = try fields.optionalFlags("goalTriggered") ?? [:]
        let segments = try fields.optional("segments")
        self.segments =
            try segments.map { part throws(ConvertFormatError) in
                try ConvertSegments(part.value, at: part.pointer)
            } ?? ConvertSegments()
        locations = try fields.optionalTexts("locations") ?? [:]
    }
}

/// The segments of a visitor; what is not known is `nil`.
public struct ConvertSegments: Hashable, Sendable {
    /// The text segments, in the order in which they are written.
    public enum Segment: String, Hashable, Sendable, CaseIterable {
        /// The country.
        case country
        /// The browser.
        case browser
        /// The devices.
        case devices
        /// The source of the visit.
        case source
        /// The campaign.
        case campaign
        /// Whether the visitor is new or returning.
        case visitorType
    }

    /// The segments that are texts.
    public var texts: [Segment: String]
    /// The ids of segments of one's own.
    public var customSegments: [String]?

    /// Makes segments.
    public init(_ texts: [Segment: String] = [:], customSegments: [String]? = nil) {
        self.texts = texts
        self.customSegments = customSegments
    }

    init(_ value: Value, at pointer: JSONPointer) throws(ConvertFormatError) {
        let fields = try JSONFields(value, at: pointer)
        texts = [:]
        for name in Segment.allCases { texts[name] = try fields.optionalString(Name(name.rawValue)) }
        customSegments = nil
        if let elements = try fields.optionalElements("customSegments") {
            var custom: [String] = []
            for element in elements { custom.append(try JSONFields.string(element)) }
            customSegments = custom
        }
    }

    /// The members that these segments set.
    package var members: Members {
        var members = Members(
            Segment.allCases.compactMap { name in
                texts[name].map { Member(key: Name(name.rawValue), value: .string($0)) }
            })
        members["customSegments"] = customSegments.map { .array($0.map(Value.string)) }
        return members
    }
}
