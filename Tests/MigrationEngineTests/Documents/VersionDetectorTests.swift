import Foundation
import MigrationEngine
import StoreFormats
import Testing

@Suite("The version of a stored document: every answer is an answer of its own")
struct VersionDetectorTests {
    static let store = StoreID.defaults("com.acme.app")
    static let address = Address(store: store, key: "user")

    private func version(
        _ detector: any VersionDetector, _ value: Value?, beside: Members = Members(), newest: Int = 3
    ) throws -> StoredVersion {
        var members = beside
        members["user"] = value
        var transaction = StoreTransaction(on: MemoryStores([(Self.store, members)]))
        let steps = (0..<newest).map { DocumentStep(from: $0, []) }
        return try VersionedDocument(name: "user", at: Self.address, detector: detector, steps: steps)
            .read(in: &transaction).version
    }

    @Test(
        "by a field of the document",
        arguments: [
            (#"{"v":2}"#, StoredVersion.stored(2)), (#"{"v":3}"#, .stored(3)), ("{}", .assumed(1)),
            (#"{"v":4}"#, .newer(4, newestKnown: 3)),
            (#"{"v":"2"}"#, .unknown("its field /v is a string, where the number of a version belongs")),
            (#"{"v":2.0}"#, .unknown("its field /v is a real number, where the number of a version belongs")),
            (#"{"v":-1}"#, .unknown("the stored version is -1")),
            (
                #"{"v":99999999999999999999999}"#,
                .unknown("its field /v is an integer, where the number of a version belongs")
            ),
            ("[]", .assumed(1)),
        ])
    func field(json: String, expected: StoredVersion) throws {
        #expect(try version(VersionField("/v", missing: 1), .string(json)) == expected)
    }

    @Test("without a rule for a missing version it is unknown, not assumed")
    func missing() throws {
        for detector in [VersionField("/v"), SideKeyVersion(suffix: "_v")] as [any VersionDetector] {
            guard case .unknown = try version(detector, .string("{}")) else {
                Issue.record("assumed")
                continue
            }
        }
    }

    @Test(
        "by an entry beside it, in any form that holds a number",
        arguments: [
            (Value.integer(2), StoredVersion.stored(2)), (.string("2"), .stored(2)),
            (.data(Data("3".utf8)), .stored(3)),
            (KeychainItem(text: "1").value, .stored(1)), (.integer(9), .newer(9, newestKnown: 3)),
            (.string("two"), .unknown("\(address)_v is a string that is not the number of a version")),
            (.integer(.max), .unknown("\(address)_v is an integer that is not the number of a version")),
            (
                .string(String(repeating: "1", count: 400)),
                .unknown("\(address)_v is a string that is not the number of a version")
            ),
        ])
    func side(value: Value, expected: StoredVersion) throws {
        let detector = SideKeyVersion(suffix: "_v", missing: 1)
        #expect(try version(detector, .string("{}"), beside: ["user_v": value]) == expected)
    }

    @Test("a missing entry beside it is an assumption")
    func sideMissing() throws {
        #expect(try version(SideKeyVersion(suffix: "_v", missing: 1), .string("{}")) == .assumed(1))
    }

    @Test(
        "absent, corrupt and unreadable are no versions, whichever way versions are told",
        arguments: [
            VersionField("/v", missing: 1), SideKeyVersion(suffix: "_v", missing: 1), ShapeVersion([]),
        ] as [any VersionDetector])
    func noVersion(detector: any VersionDetector) throws {
        #expect(try version(detector, nil, beside: ["user_v": .integer(2)]) == .absent)
        for value in [
            Value.string(""), .string("{"), .data(Data([0xFF])), .integer(5), .string("{\"a\":1,}"), .array([]),
            .string(String(repeating: "[", count: 100)),
        ] {
            guard case .corrupt = try version(detector, value) else {
                Issue.record("\(value) is corrupt")
                continue
            }
        }
        var transaction = StoreTransaction(on: LockedStores())
        let document = VersionedDocument(name: "user", at: Self.address, detector: detector, steps: [])
        #expect(try document.read(in: &transaction).version == .unreadable(LockedStores.reason))
    }

    @Test("by shape: the newest that fits without fields of another version; all that could read it are listed")
    func shape() {
        let detector = ShapeVersion([
            DocumentShape(version: 1, ["a": .string]), DocumentShape(version: 2, ["a": .string, "b": .integer]),
        ])
        #expect(detector.shapes.map(\.version) == [2, 1])
        #expect(detector.version(of: .dictionary([("a", .string(""))])) == .inferred(1, decodesAs: [1]))
        let both = Value.dictionary([("a", .string("")), ("b", .integer(1))])
        #expect(detector.version(of: both) == .ambiguous([2, 1], "it has the fields of each"))
        #expect(detector.version(of: .dictionary([("c", .null)])) == .unknown("it has the fields of no version"))
    }

    @Test("a phrase says how a version is known")
    func phrases() {
        #expect(StoredVersion.assumed(1).phrase == "version 1, assumed, as none is stored")
        #expect(
            StoredVersion.inferred(2, decodesAs: [3, 2]).phrase
                == "version 2, by its shape; its fields are also those of version 3")
        #expect(StoredVersion.newer(9, newestKnown: 3).phrase == "version 9, newer than 3, the newest one known")
    }
}

/// Stores of which nothing can be read.
struct LockedStores: StoreReader {
    static let reason = Unreadable(.locked, "the keychain is locked")
    var stores: [StoreID] { [VersionDetectorTests.store] }
    func problem(with store: StoreID) -> Unreadable? { Self.reason }
    func keys(in store: StoreID) -> any KeyList { Keys() }
    func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(Self.reason) }
}
