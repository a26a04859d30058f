import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Systems
import Testing

@Suite("Klivvr: the safe executor")
struct SafeMigrationExecutorTests {
    typealias Executor = SafeMigrationExecutor<MemoryStores, MemoryStores>

    private func executor(
        _ json: String?, version: String?, assumed: Int? = nil, pipeline: MigrationPipeline = .userProfile(),
        backups: MemoryStores = MemoryStores()
    ) throws -> Executor {
        Executor(
            storage: KeychainStore(StoredProfile.stores(json, version: version), service: "com.klivvr.storage"),
            pipeline: pipeline, backupStore: EncryptedFileStore(backups, sealer: try StoredProfile.sealer()),
            assumedVersion: assumed)
    }

    private func run(_ executor: inout Executor) throws(MigrationError) -> UserProfile? {
        try executor.executeMigration(for: UserProfile.self, key: StoredProfile.key)
    }

    private func value(_ executor: Executor) -> String? { StoredProfile.text(executor.storage.stores) }
    private func version(_ executor: Executor) -> String? {
        StoredProfile.text(executor.storage.stores, StoredProfile.versionAddress)
    }

    @Test("value and version become current, the backup goes, and other items and attributes stay")
    func migrates() throws {
        var executor = try executor(StoredProfile.v1, version: "1")
        #expect(try run(&executor)?.preferences.theme == "system")
        #expect(value(executor) == StoredProfile.v1AsV3 && version(executor) == "3")
        #expect(executor.backupStore.stores.stores.isEmpty)
        let members = try #require(executor.storage.stores[StoredProfile.service])
        #expect(members["other"].flatMap { KeychainItem($0) }?.text == "kept" && members.count == 3)
        #expect(members[Name(StoredProfile.key)].flatMap { KeychainItem($0) }?.attributes == StoredProfile.attributes)
        let after = executor.storage.stores
        #expect(try run(&executor) != nil)
        #expect(executor.storage.stores[StoredProfile.service] == after[StoredProfile.service], "once more is nothing")
    }

    @Test("without a version a value is of version 1, and the version is written with it")
    func assumedOne() throws {
        var executor = try executor(StoredProfile.v1, version: nil)
        #expect(try run(&executor) != nil)
        #expect(value(executor) == StoredProfile.v1AsV3 && version(executor) == "3")
    }

    @Test("a fresh install has nothing to do")
    func fresh() throws {
        var executor = try executor(nil, version: nil)
        #expect(try run(&executor) == nil)
        #expect(executor.backupStore.stores.stores.isEmpty && version(executor) == nil)
    }

    @Test(
        "a value that looks newer than its version is not overwritten: somebody has to say",
        arguments: [
            (StoredProfile.v3, String?.none), (StoredProfile.v2, nil), (StoredProfile.v3, "1"),
            (StoredProfile.v3, "2"), (StoredProfile.v2, "1"),
        ])
    func unclear(json: String, stored: String?) throws {
        var executor = try executor(json, version: stored)
        let error = #expect(throws: MigrationError.self) { try run(&executor) }
        guard
            case .versionUnclear("user_profile", stored.flatMap { Int($0) }, json == StoredProfile.v3 ? 3 : 2)? = error
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(value(executor) == json && version(executor) == stored && executor.backupStore.stores.stores.isEmpty)
    }

    @Test("told that it is current, only the version is written; told that it is old, it is migrated")
    func told() throws {
        var current = try executor(StoredProfile.v3, version: nil, assumed: 3)
        #expect(try run(&current)?.preferences == UserProfile.sara)
        #expect(value(current) == StoredProfile.v3 && version(current) == "3")
        var old = try executor(StoredProfile.v3, version: "1", assumed: 1)
        #expect(try run(&old)?.preferences.theme == "system")
        #expect(version(old) == "3")
        var sure = try executor(StoredProfile.v2, version: "2", assumed: 1)
        #expect(try run(&sure)?.preferences == UserProfile.sara, "what is not in doubt is not asked")
    }

    @Test("a newer version is refused by name and left")
    func newer() throws {
        var executor = try executor(StoredProfile.v3, version: "4")
        let error = #expect(throws: MigrationError.self) { try run(&executor) }
        guard case .newerVersion("user_profile", 4, 3)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(value(executor) == StoredProfile.v3 && version(executor) == "4")
    }

    @Test(
        "corrupt stores are told, and left",
        arguments: [
            (String?.none, "1"), (StoredProfile.v1, "one"), (StoredProfile.v1, "0"), (StoredProfile.v1, "3"),
            (StoredProfile.v1, "99999999999999999999"),
        ])
    func corrupt(json: String?, stored: String) throws {
        var executor = try executor(json, version: stored)
        let error = #expect(throws: MigrationError.self) { try run(&executor) }
        guard case .corruptedData("user_profile", _, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(value(executor) == json && version(executor) == stored)
    }

    @Test(
        "a failure keeps value, version and backup, and says why and where",
        arguments: [
            (#"{"userId":"u","email":"e"}"#, ["displayName"], "missing"),
            (#"{"userId":"u","displayName":null,"email":"e"}"#, ["displayName"], "null"),
            (#"{"userId":7,"displayName":"d","email":"e"}"#, ["userId"], "type String"),
            ("[]", [], "preferences"),
        ])
    func failure(json: String, path: [String], word: String) throws {
        var executor = try executor(json, version: "1")
        for _ in 1...2 {
            let error = #expect(throws: MigrationError.self) { try run(&executor) }
            guard case .migrationFailed("user_profile", 1, let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.codingPath == path && reason.description.contains(word), "\(reason)")
        }
        #expect(value(executor) == json && version(executor) == "1")
        #expect(try executor.backupStore.read(forKey: "user_profile_backup_v1") == Data(json.utf8))
        #expect(executor.backupStore.stores.keys(in: .files("AppSupport")).count == 1, "the second attempt found it")
    }

    /// A model of one's own, which says nothing of its looks.
    private struct Wallet: VersionedModel {
        static let schemaVersion = 2
        static let modelIdentifier = "wallet"
        let currency: String
        let balance: Int
    }

    /// The same, whose older values decode too.
    private struct Counter: VersionedModel {
        static let schemaVersion = 2
        static let modelIdentifier = "wallet"
        static let isToldByDecoding = false
        let balance: Int
    }

    private func wallet(_ json: String, _ pipeline: MigrationPipeline) throws -> Executor {
        var members = Members()
        members["w"] = KeychainItem(text: json).value
        members["w_schema_version"] = KeychainItem(text: "1").value
        return Executor(
            storage: KeychainStore(MemoryStores([(.keychain("s"), members)]), service: "s"), pipeline: pipeline,
            backupStore: EncryptedFileStore(MemoryStores(), sealer: try StoredProfile.sealer()))
    }

    private func adding(_ key: Name, _ value: Value) -> MigrationPipeline {
        let pipeline = MigrationPipeline()
        pipeline.register(model: "wallet", fromVersion: 1) { data in
            try JSONDocument(data).replacing(JSONPointer([key]), with: value).data
        }
        return pipeline
    }

    @Test("a model of one's own that was migrated already, with the old version stored, is not overwritten")
    func halfDone() throws {
        var executor = try wallet(#"{"balance":5,"currency":"EGP"}"#, adding("currency", .string("USD")))
        let error = #expect(throws: MigrationError.self) {
            try executor.executeMigration(for: Wallet.self, key: "w")
        }
        guard case .versionUnclear("wallet", 1, 2)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try executor.storage.readRaw(forKey: "w") == Data(#"{"balance":5,"currency":"EGP"}"#.utf8))
        #expect(executor.backupStore.stores.stores.isEmpty)
    }

    @Test("a model of one's own migrates where that overwrites nothing, or the model says that looks tell nothing")
    func ownModel() throws {
        var old = try wallet(#"{"balance":5}"#, adding("currency", .string("USD")))
        #expect(try old.executeMigration(for: Wallet.self, key: "w")?.currency == "USD")
        var same = try wallet(#"{"balance":5,"currency":"EGP"}"#, adding("note", .string("")))
        #expect(try same.executeMigration(for: Wallet.self, key: "w")?.currency == "EGP")
        var counter = try wallet(#"{"balance":5}"#, adding("balance", .integer(500)))
        #expect(try counter.executeMigration(for: Counter.self, key: "w")?.balance == 500)
    }

    @Test("the text of a failure says each thing once, in words")
    func words() throws {
        var executor = try executor("[]", version: "1")
        let error = #expect(throws: MigrationError.self) { try run(&executor) }
        let text = try #require(error).description
        #expect(text.ranges(of: "could not be migrated").count == 1, "\(text)")
        #expect(text.contains("the step from version 1 to 2 failed: "), "\(text)")
        #expect(!text.contains("StepStop") && !text.contains("Outcome("), "\(text)")
        let pipeline = MigrationPipeline()
        pipeline.register(model: "user_profile", fromVersion: 1) { data in
            try JSONSerialization.data(withJSONObject: JSONSerialization.jsonObject(with: data + Data("x".utf8)))
        }
        var foundation = try self.executor(StoredProfile.v1, version: "1", pipeline: pipeline)
        let second = #expect(throws: MigrationError.self) { try run(&foundation) }
        #expect(!(second?.description.contains("Error Domain") ?? true), "\(String(describing: second))")
    }

    @Test("a missing step is the reason that is kept, with the version that was stored")
    func missingStep() throws {
        let pipeline = MigrationPipeline()
        pipeline.register(model: "user_profile", fromVersion: 1) { $0 }
        var executor = try executor(StoredProfile.v1, version: "1", pipeline: pipeline)
        let error = #expect(throws: MigrationError.self) { try run(&executor) }
        guard case .migrationFailed("user_profile", 1, let reason)? = error,
            case .missingMigration("user_profile", 2, 3)? = reason.underlying as? MigrationError
        else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a second attempt never overwrites a different backup, nor one that it cannot open")
    func otherBackups() throws {
        var mine = EncryptedFileStore(MemoryStores(), sealer: try StoredProfile.sealer())
        try mine.write(Data("another old value".utf8), forKey: "user_profile_backup_v1")
        var theirs = EncryptedFileStore(mine.stores, sealer: try StoredProfile.sealer(9))
        try theirs.write(Data("sealed by another key".utf8), forKey: "user_profile_backup_v1-2")
        let before = theirs.stores[.files("AppSupport")]
        var failing = try executor("[]", version: "1", backups: theirs.stores)
        #expect(throws: MigrationError.self) { try run(&failing) }
        #expect(try failing.backupStore.read(forKey: "user_profile_backup_v1-3") == Data("[]".utf8))
        var working = try executor(StoredProfile.v1, version: "1", backups: theirs.stores)
        #expect(try run(&working) != nil)
        #expect(working.backupStore.stores[.files("AppSupport")] == before, "only its own backup is removed")
    }

    @Test("a backup that cannot be written stops before anything changes, with its reason")
    func backupFails() throws {
        var executor = SafeMigrationExecutor(
            storage: KeychainStore(StoredProfile.stores(StoredProfile.v1, version: "1"), service: "com.klivvr.storage"),
            pipeline: .userProfile(),
            backupStore: EncryptedFileStore(BadStores(commits: 0), sealer: try StoredProfile.sealer()))
        let error = #expect(throws: MigrationError.self) {
            try executor.executeMigration(for: UserProfile.self, key: StoredProfile.key)
        }
        guard case .migrationFailed("user_profile", 1, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.underlying is BadStores.Refusal)
        #expect(StoredProfile.text(executor.storage.stores) == StoredProfile.v1)
    }

    @Test("stores that broke their promise and wrote by half get the old value and version back")
    func restores() throws {
        let stores = BadStores(StoredProfile.stores(StoredProfile.v1, version: "1"), tearing: true)
        var executor = SafeMigrationExecutor(
            storage: KeychainStore(stores, service: "com.klivvr.storage"), pipeline: .userProfile(),
            backupStore: EncryptedFileStore(MemoryStores(), sealer: try StoredProfile.sealer()))
        #expect(throws: MigrationError.self) {
            try executor.executeMigration(for: UserProfile.self, key: StoredProfile.key)
        }
        #expect(StoredProfile.text(executor.storage.stores) == StoredProfile.v1)
        #expect(StoredProfile.text(executor.storage.stores, StoredProfile.versionAddress) == "1")
    }

    @Test("backups are sealed: what is in the file does not show the value, and another name does not open it")
    func sealed() throws {
        var store = EncryptedFileStore(MemoryStores(), sealer: try StoredProfile.sealer())
        try store.write(Data(StoredProfile.v1.utf8), forKey: "a")
        let file = try #require(store.stores.state(at: store.address("a")).value?.data)
        #expect(file.range(of: Data("Ahmed".utf8)) == nil)
        #expect(store.address("a").description == "file://AppSupport/KlivvrStorageKit/a.sealed")
        var stores = store.stores
        stores.commit([
            Change(address: store.address("b"), before: .absent, after: .data(file), rule: "a copy under another name")
        ])
        let other = EncryptedFileStore(stores, sealer: try StoredProfile.sealer())
        #expect(throws: SealError.notAuthentic) { try other.read(forKey: "b") }
        #expect(try other.read(forKey: "c") == nil)
    }
}

/// Stores that refuse to write, or write by half.
struct BadStores: StoreWriter {
    struct Refusal: Error {}

    private var base: MemoryStores
    private var commits: Int
    private let isTearing: Bool

    init(_ base: MemoryStores = MemoryStores(), commits: Int = 0, tearing: Bool = false) {
        (self.base, self.commits, isTearing) = (base, commits, tearing)
    }

    var stores: [StoreID] { base.stores }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState { base.state(of: key, in: store) }

    mutating func commit(_ changes: [Change]) throws {
        commits += 1
        guard isTearing else { throw Refusal() }
        // The first commit is torn, the next ones are whole.
        base.commit(commits == 1 ? Array(changes.prefix(1)) : changes)
        if commits == 1 { throw Refusal() }
    }
}
