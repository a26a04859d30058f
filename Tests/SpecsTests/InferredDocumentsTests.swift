import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Drafts of what becomes of a document")
struct InferredDocumentsTests {
    private static let place = "file://Documents/p.json"

    private static func infer(_ old: String, _ new: String) throws -> SpecInference {
        try InferenceTests.infer([(place, .data(Data(old.utf8)))], [(place, .data(Data(new.utf8)))])
    }

    /// How the one step of a draft ends on another document.
    private static func outcome(of draft: SpecInference, on document: String) throws -> Outcome? {
        try Tried(try Spec(Data(draft.text.utf8)), [(place, .data(Data(document.utf8)))]).plan().steps.first?.outcome
    }

    @Test(
        "Names, numbers and texts that are split change together",
        arguments: [
            (
                #"{"fullName":"Anna Berg","age":"41","plan":"premium-yearly","id":"u-889123"}"#,
                #"{"first":"Anna","last":"Berg","age":41,"tier":"premium-yearly","id":"u-889123"}"#,
                #"{"fullName":"Bob Stone","age":"7","plan":"free","id":"u-1"}"#
            ),
            // A number that is called otherwise, too, and a text whose parts stand deeper.
            (
                #"{"id":"u-889123","height_cm":"1805","at":{"place":"Uppsala/Sweden","zip":"75310"}}"#,
                #"{"id":"u-889123","heightCM":1805,"at":{"town":"Uppsala","land":"Sweden","zip":"75310"}}"#,
                #"{"id":"u-1","height_cm":"1600","at":{"place":"Leeds/England","zip":"LS1"}}"#
            ),
        ])
    func together(old: String, new: String, other: String) throws {
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 1 && draft.unexplained == 0, "\(draft.text)")
        #expect(draft.text.contains("the steps turn the one entry that differs into what it is in the new one"))
        // Of another customer's document everything goes to its place, and nothing is dropped.
        var tried = try Tried(try Spec(Data(draft.text.utf8)), [(Self.place, .data(Data(other.utf8)))])
        #expect(try tried.plan().steps[0].changes.allSatisfy { $0.dropped.isEmpty }, "\(draft.text)")
        try tried.applyAll()
        let made = try #require(tried[Self.place]?.decoded()?.value)
        let shape = try #require(Value.string(new).decoded()?.value)
        #expect(made.members.map { Set($0.map(\.key)) } == shape.members.map { Set($0.map(\.key)) }, "\(made)")
        #expect(try Self.outcome(of: draft, on: made.jsonText)?.reason?.code == "condition-not-met")
    }

    @Test(
        "A document of which only a part is there is no success that says nothing: the step fails, and says what is missing"
    )
    func halfFilled() throws {
        let draft = try Self.infer(
            #"{"name":"Anna Berg","mail":"anna@berg.se","city":"Uppsala"}"#,
            #"{"alias":"Anna Berg","email":"anna@berg.se","town":"Uppsala"}"#)
        #expect(draft.explained == 1, "\(draft.text)")
        for half in [
            #"{"name":"Bob Stone","mail":"bob@stone.uk"}"#,
            #"{"alias":"Bob Stone","mail":"bob@stone.uk","town":"Leeds"}"#,
        ] {
            let outcome = try Self.outcome(of: draft, on: half)
            #expect(outcome?.kind == .failed && outcome?.reason?.code == "field-missing", "\(half): \(draft.text)")
        }
        // What is done has nothing of the old.
        let done = #"{"alias":"Bob Stone","email":"bob@stone.uk","town":"Leeds"}"#
        #expect(try Self.outcome(of: draft, on: done)?.reason?.code == "condition-not-met", "\(draft.text)")
    }

    @Test("A flag that is turned round under a like name is no step: it may be another")
    func flags() throws {
        let draft = try Self.infer(
            #"{"id":"u-889123","syncOn":true}"#, #"{"id":"u-889123","syncOff":false}"#)
        #expect(draft.explained == 0 && draft.doubtful == 1, "\(draft.text)")
    }
}
