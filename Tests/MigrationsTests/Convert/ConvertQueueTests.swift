import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("Convert: the event queue and its mark")
struct ConvertQueueTests {
    typealias Fixture = ConvertFixture
    static let key = Fixture.folder + "event-queue.json"

    static func queue(_ events: String) -> String {
        #"[{"accountId":"1","projectId":"2","enrichData":false,"source":"ios-sdk","visitors":[{"visitorId":"v","#
            + #""segments":{"country":"DE"},"events":[\#(events)]}]}]"#
    }

    static let bucketing = #"{"eventType":"bucketing","data":{"experienceId":"e","variationId":"w"}}"#

    @Test("V1: the paths of the queue, its mark and the configuration")
    func paths() {
        #expect("\(ConvertLocation.eventQueue)" == "file://AppSupport/com.convertexperiments.sdk/event-queue.json")
        #expect(
            "\(ConvertLocation.uploadMarker)" == "file://AppSupport/com.convertexperiments.sdk/event-queue.uploading")
    }

    @Test("what is written is read back: an array of payloads, nil left out, numbers with their text")
    func roundTrip() async throws {
        let events: [ConvertTrackedEvent] = [
            .bucketing(experienceID: "e", variationID: "w"), .conversion(goalID: "g"),
            .conversion(
                goalID: "g",
                goalData: [
                    ConvertGoalDatum(.amount, .real(Real(10.5, form: .literal("10.50")))),
                    ConvertGoalDatum(.productsCount, .integer(9_007_199_254_740_993)),
                    ConvertGoalDatum(.transactionId, .string("t")),
                    ConvertGoalDatum(.customDimension5, .strings(["a", "b"])),
                ], bucketingData: ["e2": "w", "e1": "w"]),
        ]
        let visitor = ConvertEventPayload.Visitor(visitorID: "v", segments: ["country": "DE"], events: events)
        let payload = ConvertEventPayload(accountID: "1", projectID: "2", visitors: [visitor])
        let store = Fixture().store
        try await store.persistQueue([payload])
        #expect(try await store.loadQueue() == [payload])
        #expect(
            await store.stores.text(ConvertLocation.eventQueue)
                == Self.queue(
                    Self.bucketing + #",{"eventType":"conversion","data":{"goalId":"g"}},"#
                        + #"{"eventType":"conversion","data":{"goalId":"g","goalData":[{"key":"amount","value":10.50},"#
                        + #"{"key":"productsCount","value":9007199254740993},{"key":"transactionId","value":"t"},"#
                        + #"{"key":"customDimension5","value":["a","b"]}],"bucketingData":{"e1":"w","e2":"w"}}}"#))
    }

    @Test("the keys of goal data are exactly these eight")
    func keys() {
        #expect(
            ConvertGoalDatum.Key.allCases.map(\.rawValue) == [
                "amount", "productsCount", "transactionId", "customDimension1", "customDimension2", "customDimension3",
                "customDimension4", "customDimension5",
            ])
    }

    @Test("enrichData and source are forced on read, extra keys are ignored, null is absent")
    func forced() async throws {
        let store = Fixture.file(
            Self.key,
            #"[{"accountId":"1","projectId":"2","enrichData":true,"source":"web","later":[],"visitors":[{"visitorId":"v","#
                + #""segments":{},"x":1,"events":[{"eventType":"conversion","data":{"goalId":"g","goalData":null}}]}]}]"#
        ).store
        let queue = try await store.loadQueue()
        #expect(queue.map(\.enrichData) == [false])
        #expect(queue.map(\.source) == ["ios-sdk"])
        #expect(queue.first?.visitors.first?.events == [.conversion(goalID: "g")])
        #expect(await store.log == [])
    }

    @Test("no file is an empty queue, silently")
    func missing() async throws {
        let store = Fixture().store
        #expect(try await store.loadQueue() == [])
        #expect(await store.log == [])
    }

    @Test("a file that is there and cannot be read is no empty queue: it is an error, and is not deleted")
    func unreadable() async throws {
        var fixture = Fixture.file(Self.key, Self.queue(Self.bucketing))
        fixture.lockedFile = ConvertLocation.eventQueue
        let store = fixture.store
        await #expect(throws: StepStop.self) { try await store.recoverQueue() }
        #expect(await store.stores.written == [])
    }

    @Test("a mark of an upload that cannot be read is neither there nor absent")
    func unreadableMark() {
        let fixture = ConvertFixture(lockedFile: ConvertLocation.uploadMarker)
        #expect(fixture.plan().outcome("queue-upload") == "blocked unreadable-locked")
    }

    @Test("an empty queue is no file")
    func empty() async throws {
        let store = Fixture.file(Self.key, Self.queue(Self.bucketing)).store
        try await store.persistQueue([])
        #expect(await store.stores.state(at: ConvertLocation.eventQueue) == .absent)
    }

    static let corrupt = [
        "not valid json", "", "{}", "[{}]", queue(#"{"eventType":"view","data":{}}"#),
        queue(bucketing + #",{"eventType":"conversion","data":{"goalId":"g","goalData":[{"key":"price","value":1}]}}"#),
        queue(#"{"eventType":"conversion","data":{"goalId":"g","goalData":[{"key":"amount","value":true}]}}"#),
        queue(#"{"eventType":"conversion","data":{"goalId":"g","goalData":[{"key":"amount","value":1e999}]}}"#),
        queue(#"{"eventType":"bucketing","data":{"experienceId":"e"}}"#),
        queue(#"{"eventType":"bucketing"}"#), #"[{"accountId":1,"projectId":"2","visitors":[]}]"#,
        #"[{"accountId":"1","projectId":"2","visitors":[{"visitorId":"v","events":[]}]}]"#,
        String(repeating: "[", count: 50),
    ]

    @Test("V11: a corrupt queue is a WARN, its file is deleted, and saving and loading work again", arguments: corrupt)
    func corruptQueue(text: String) async throws {
        let store = Fixture.file(Self.key, text).store
        #expect(try await store.loadQueue() == [])
        #expect(await store.stores.state(at: ConvertLocation.eventQueue) == .absent)
        let log = await store.log.map(\.description)
        #expect(log.count == 1)
        #expect(log.first?.hasPrefix("[WARN] event queue file corrupt, discarding and re-initializing") ?? false)
        let payload = ConvertEventPayload(accountID: "1", projectID: "2", visitors: [])
        try await store.persistQueue([payload])
        #expect(try await store.loadQueue() == [payload])
        #expect(await store.log.count == 1)
    }

    @Test("the error of a corrupt queue says where")
    func place() {
        let text = Self.queue(Self.bucketing + #",{"eventType":"view","data":{}}"#)
        #expect {
            try ConvertEventPayload.queue(Data(text.utf8))
        } throws: { error in
            "\(error)" == "“view” stands where bucketing or conversion belongs at #/0/visitors/0/events/1/eventType"
        }
    }

    @Test("recovery takes the events of the last launch out of the file; while an upload goes on it leaves them")
    func recovery() async throws {
        let store = Fixture.file(Self.key, Self.queue(Self.bucketing)).store
        try await store.setUploadInFlight(true)
        #expect(await store.stores.state(at: ConvertLocation.uploadMarker).value == .data(Data([1])))
        #expect(await store.isUploadInFlight)
        #expect(try await store.recoverQueue() == [])
        #expect(await store.stores.state(at: ConvertLocation.eventQueue) != .absent)
        try await store.setUploadInFlight(false)
        #expect(await store.stores.state(at: ConvertLocation.uploadMarker) == .absent)
        #expect(try await store.recoverQueue().count == 1)
        #expect(await store.stores.state(at: ConvertLocation.eventQueue) == .absent)
        #expect(try await store.recoverQueue() == [])
    }
}
