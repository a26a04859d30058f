import Foundation
import MigrationEngine
import StoreFormats
import Testing

@Suite("A versioned document")
struct VersionedDocumentTests {
    static let store = StoreID.defaults("com.acme.app")
    static let address = Address(store: store, key: "user")
    static let steps = [
        DocumentStep(from: 1, [.add("/theme", .value(.string("system")))]),
        DocumentStep(from: 2, rule: "counts") { draft in try draft.set("/count", to: .integer(0)) },
    ]

    private func document(_ detector: any VersionDetector, at address: Address = address) -> VersionedDocument {
        VersionedDocument(name: "user", at: address, detector: detector, steps: Self.steps)
    }

    private func preview(
        _ detector: any VersionDetector, _ members: Members, step: Int = 0
    ) -> StepPreview {
        document(detector).migrationSteps()[step].preview(on: MemoryStores([(Self.store, members)]))
    }

    @Test(
        "goes back in the form that it was found in: a string, data, a keychain item with its attributes",
        arguments: [
            (Value.string(#"{"v":1}"#), Value.string(#"{"v":2,"theme":"system"}"#), JSONPointer("/theme")),
            (.data(Data(#"{"v":1}"#.utf8)), .data(Data(#"{"v":2,"theme":"system"}"#.utf8)), "/theme"),
            (
                KeychainItem(text: #"{"v":1}"#, attributes: ["pdmn": .string("ck"), "labl": .string("User")]).value,
                KeychainItem(
                    text: #"{"v":2,"theme":"system"}"#, attributes: ["pdmn": .string("ck"), "labl": .string("User")]
                ).value, "/v_Data/theme"
            ),
        ] as [(Value, Value, JSONPointer)])
    func forms(before: Value, after: Value, placeholder: JSONPointer) throws {
        let result = preview(VersionField("/v"), ["user": before])
        #expect(result.outcome == .migrates)
        let change = try #require(result.changes.first)
        #expect(result.changes.count == 1)
        #expect(change.after == after)
        #expect(change.placeholders == [placeholder])
        #expect(change.notes.contains { $0.contains("placeholder") })
    }

    @Test("A document over a limit is not corrupt: it cannot be read, and its steps say why")
    func overLimit() {
        let deep = #"{"v":1,"a":"# + String(repeating: "[", count: 300) + String(repeating: "]", count: 300) + "}"
        let result = preview(VersionField("/v"), ["user": .string(deep)])
        #expect(result.outcome.kind == .failed)
        #expect(result.outcome.reason?.code == "unreadable-over-limit")
    }

    @Test("the version beside it changes in the same step, in the form that it has")
    func sideKey() throws {
        let detector = SideKeyVersion(suffix: "_schema_version", missing: 1)
        for (version, expected) in [
            (Value.integer(1), Value.integer(2)), (.string("1"), .string("2")),
            (.data(Data("1".utf8)), .data(Data("2".utf8))), (nil, .integer(2)),
        ] as [(Value?, Value)] {
            var members: Members = ["user": .string("{}")]
            members["user_schema_version"] = version
            let result = preview(detector, members)
            #expect(result.changes.map(\.address.key) == ["user", "user_schema_version"])
            #expect(result.changes.last?.after == expected)
            let assumed = result.changes.first?.notes.contains { $0.contains("assumed") }
            #expect(assumed == (version == nil), "an assumption is said")
        }
    }

    @Test(
        "a step that does not start from the version that is there says so",
        arguments: [
            (1, #"{"v":3}"#, "skipped already-newer"), (0, #"{"v":2}"#, "skipped already-newer"),
            (1, #"{"v":1}"#, "blocked earlier-steps-first"), (0, #"{"v":7}"#, "failed version-newer"),
            (0, "{}", "failed version-unknown"), (0, "no", "failed document-corrupt"),
        ])
    func otherVersion(step: Int, json: String, code: String) {
        let result = preview(VersionField("/v"), ["user": .string(json)], step: step)
        #expect(result.outcome.code == code)
        #expect(result.changes.isEmpty)
    }

    @Test("nothing there is nothing to do, also where a version is")
    func fresh() {
        let result = preview(SideKeyVersion(suffix: "_v", missing: 1), ["user_v": .integer(1)])
        #expect(result.outcome.code == "skipped absent")
    }

    @Test("a missing step between two versions is named, and nothing is written")
    func missingStep() throws {
        let gap = VersionedDocument(
            name: "user", at: Self.address, detector: VersionField("/v"),
            steps: [Self.steps[0], DocumentStep(from: 3, [.remove("/a")])])
        let document = try JSONDocument.of(#"{"v":1}"#)
        let stop = #expect(throws: StepStop.self) { try gap.migrate(document, from: 1, to: 4) }
        #expect(stop?.outcome.reason?.code == "missing-step")
        #expect(stop?.outcome.reason?.sentence.contains("version 2 to 3") ?? false)
        var transaction = StoreTransaction(on: MemoryStores([(Self.store, ["user": .string(#"{"v":1}"#)])]))
        #expect(throws: StepStop.self) { try gap.takeAll(in: &transaction, facts: Facts()) }
        #expect(transaction.changes.isEmpty)
    }

    @Test("a result that does not have the shape of its version is refused with the path")
    func invalidResult() throws {
        let document = VersionedDocument(
            name: "user", at: Self.address, detector: VersionField("/v"), steps: Self.steps,
            shapes: [DocumentShape(version: 2, ["id": .string])])
        let stop = #expect(throws: StepStop.self) { try document.migrate(.of(#"{"v":1}"#), from: 1, to: 2) }
        #expect(stop?.outcome.reason?.code == "result-invalid")
        #expect(stop?.outcome.reason?.sentence.contains("/id is missing") ?? false)
    }

    @Test("an error of a closure is the reason, with its coding path; text that is no JSON is refused")
    func closureErrors() throws {
        struct Old: Decodable { let id: String }
        let decoding = DocumentStep(from: 1, rule: "") { draft in
            _ = try JSONDecoder().decode(Old.self, from: draft.document.data)
        }
        let garbage = DocumentStep(from: 1, rule: "") { draft in try draft.replaceAll(with: Data("{".utf8)) }
        let document = try JSONDocument.of(#"{"id":5}"#)
        let first = #expect(throws: StepStop.self) { try decoding.apply(to: document) }
        #expect(first?.outcome.reason?.sentence.contains("/id") ?? false)
        let second = #expect(throws: StepStop.self) { try garbage.apply(to: document) }
        #expect(second?.outcome.reason?.code == "result-corrupt")
    }

    @Test("a document of its own may stop an assumption")
    func confirmation() {
        let asking = VersionedDocument(
            name: "user", at: Self.address, detector: SideKeyVersion(suffix: "_v", missing: 1), steps: Self.steps,
            confirm: { version, document, facts throws(StepStop) in
                guard case .assumed = version, document.value["/theme"] != nil else { return version }
                throw .blocked("version-assumed", "it looks newer than it says")
            })
        let step = asking.migrationSteps()[0]
        let newer = MemoryStores([(Self.store, ["user": .string(#"{"theme":"dark"}"#)])])
        #expect(step.preview(on: newer).outcome.code == "blocked version-assumed")
        let older = MemoryStores([(Self.store, ["user": .string("{}")])])
        #expect(step.preview(on: older).outcome == .migrates)
    }

    @Test("law: several versions are undone as each by itself, and the version field comes back as it was")
    func undoChain() throws {
        let document = VersionedDocument(
            name: "user", at: Self.address, detector: VersionField("/v", missing: 0),
            steps: [
                DocumentStep(from: 0, [.add("/email", .value(.string("---")))]),
                DocumentStep(from: 1, [.rename("/name", to: "alias")]), DocumentStep(from: 2, [.remove("/age")]),
            ])
        let before = try JSONDocument.of(#"{"name":"P","age":"5","other":[1.0]}"#)
        let after = try document.migrate(before, from: 0, to: 3).document
        #expect(after.text == #"{"alias":"P","other":[1.0],"email":"---","v":3}"#)
        let undone = try document.undo(after, from: 3, to: 0, before: before)
        #expect(undone.document.value.isEquivalentJSON(to: before.value))
        #expect(undone.lost.isEmpty)
        let edited = try after.replacing([("/alias", .string("Q")), ("/email", .string("q@e"))])
        let kept = try document.undo(edited, from: 3, to: 0, before: before)
        #expect(kept.document.value["/name"] == .string("Q"))
        #expect(kept.lost.map(\.pointer) == ["/email"])
        #expect(kept.document.value["/v"] == nil)
    }

    @Test("keys that stand twice are noted wherever they are, and both are kept")
    func duplicates() throws {
        let result = preview(VersionField("/v"), ["user": .string(#"{"v":1,"a":1,"a":2,"o":[{"b":1,"b":1}]}"#)])
        let change = try #require(result.changes.first)
        #expect(change.notes.count { $0.contains("stands more than once") } == 2)
        #expect(change.notes.contains { $0.contains("/o/0/b") })
        #expect(change.after == .string(#"{"v":2,"a":1,"a":2,"o":[{"b":1,"b":1}],"theme":"system"}"#))
    }
}
