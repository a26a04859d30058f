import Foundation
import StoreFormats

/// Events of one account and project that have not been sent.
public struct ConvertEventPayload: Hashable, Sendable {
    /// A visitor with events.
    public struct Visitor: Hashable, Sendable {
        /// The visitor.
        public var visitorID: String
        /// The visitor's segments.
        public var segments: [String: String]
        /// The events, the oldest first.
        public var events: [ConvertTrackedEvent]

        /// Makes a visitor.
        public init(visitorID: String, segments: [String: String] = [:], events: [ConvertTrackedEvent]) {
            self.visitorID = visitorID
            self.segments = segments
            self.events = events
        }
    }

    /// The account.
    public var accountID: String
    /// The project.
    public var projectID: String
    /// Whether the server is to add to the events: never, whatever a file says.
    public let enrichData = false
    /// What sends the events: always this, whatever a file says.
    public let source = "ios-sdk"
    /// The visitors.
    public var visitors: [Visitor]

    /// Makes a payload.
    public init(accountID: String, projectID: String, visitors: [Visitor]) {
        self.accountID = accountID
        self.projectID = projectID
        self.visitors = visitors
    }
}

extension ConvertEventPayload {
    /// Reads an event queue: an array of payloads.
    ///
    /// One unknown event type or key of goal data fails all of it.
    public static func queue(_ data: Data) throws(ConvertFormatError) -> [ConvertEventPayload] {
        let document = try JSONDocument(convertFile: data)
        var payloads: [ConvertEventPayload] = []
        for part in try JSONFields.elements((document.value, JSONPointer())) {
            payloads.append(try ConvertEventPayload(part.value, at: part.pointer))
        }
        return payloads
    }

    /// The bytes of an event queue.
    public static func data(_ queue: [ConvertEventPayload]) throws(FormatError) -> Data {
        try JSONDocument.write(.array(queue.map(\.value)))
    }

    private init(_ value: Value, at pointer: JSONPointer) throws(ConvertFormatError) {
        let fields = try JSONFields(value, at: pointer)
        accountID = try fields.string("accountId")
        projectID = try fields.string("projectId")
        visitors = []
        for part in try fields.elements("visitors") {
            let visitor = try JSONFields(part.value, at: part.pointer)
            var events: [ConvertTrackedEvent] = []
            let visitorID = try visitor.string("visitorId")
            _ = try visitor.required("segments")
            for event in try visitor.elements("events") {
                events.append(try ConvertTrackedEvent(event.value, at: event.pointer))
            }
            visitors.append(
                Visitor(
                    visitorID: visitorID, segments: try visitor.optionalTexts("segments") ?? [:], events: events))
        }
    }

    private var value: Value {
        .dictionary([
            ("accountId", .string(accountID)), ("projectId", .string(projectID)), ("enrichData", .bool(enrichData)),
            ("source", .string(source)),
            (
                "visitors",
                .array(
                    visitors.map { visitor in
                        .dictionary([
                            ("visitorId", .string(visitor.visitorID)), ("segments", .texts(visitor.segments)),
                            ("events", .array(visitor.events.map(\.value))),
                        ])
                    })
            ),
        ])
    }
}

extension Value {
    /// An object of texts, in the order of its keys.
    static func texts(_ texts: [String: String]) -> Value {
        .dictionary(texts.sorted { $0.key < $1.key }.map { (Name($0.key), .string($0.value)) })
    }
}
