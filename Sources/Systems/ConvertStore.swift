import Foundation
import MigrationEngine
import Migrations
import StoreFormats

/// The persistent store of Convert's iOS SDK over stores that the caller brings.
///
/// ```swift
/// let store = ConvertStore(stores: stores, bundleIdentifier: "com.acme.shop") { UUID().uuidString }
/// let bucketing = await store.on(.bucketing)
/// let visitor = try await store.visitorID()
/// let key = ConvertVisitorKey(accountID: "1001", projectID: "2002", visitorID: visitor)
/// try await store.saveDecision("variation", for: "experience", of: key)
/// ```
///
/// Each call makes all its changes at once or none, so a file is only ever seen whole. Every method throws what the
/// stores throw where they cannot be written, and ``StepStop`` where a file is there and cannot be read.
public actor ConvertStore<Stores: StoreWriter> {
    /// The stores, with what was changed.
    public private(set) var stores: Stores
    /// What was met so far.
    public private(set) var log: [ConvertLog] = []

    private let mirror: Address
    private let freshVisitorID: @Sendable () -> String
    private let decisionLimit: Int
    private var decisions: ConvertDecisions?
    private var listeners: [ConvertEvent.Name: [UUID: AsyncStream<ConvertEvent>.Continuation]] = [:]

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - stores: Where everything is kept.
    ///   - bundleIdentifier: The app's, which names the UserDefaults that the mirror is in.
    ///   - decisionLimit: How many visitors the decision file keeps; 1 or more.
    ///   - freshVisitorID: Makes an id for a visitor who has none; an uppercase UUID in the SDK.
    public init(
        stores: Stores, bundleIdentifier: String, decisionLimit: Int = ConvertDecisions.limit,
        freshVisitorID: @escaping @Sendable () -> String
    ) {
        self.stores = stores
        self.freshVisitorID = freshVisitorID
        self.decisionLimit = max(1, decisionLimit)
        mirror = ConvertLocation.mirror(bundleIdentifier: bundleIdentifier)
    }

    // MARK: Visitor

    /// The visitor's id: the caller's own; else the keychain's; else the mirror's, which the keychain then gets too; else a
    /// fresh one for both.
    ///
    /// The empty text counts as none, everywhere. An id in the keychain never changes the mirror. Where the keychain
    /// cannot be read the mirror stands in for it: its id, or a fresh one that it then keeps; what the keychain holds is
    /// not known, so it is not written, and its id is the visitor's again as soon as it can be read.
    ///
    /// - Throws: ``StepStop`` where the mirror is asked and cannot be read.
    public func visitorID(explicit: String? = nil) throws -> String {
        if let explicit, !explicit.isEmpty { return explicit }
        var transaction = StoreTransaction(on: stores)
        let rule = "the visitor id that the SDK resolves"
        let held = transaction.read(ConvertLocation.visitorID)
        var isKeychainKnown = true
        if ConvertVisitorIdentity.isKeychainDamaged(held) { log.append(.keychainNotText) }
        switch ConvertVisitorIdentity.lookUp(in: &transaction, mirror: mirror) {
        case .keychain(let id): return id
        case .mirror(let id):
            try transaction.write(
                ConvertVisitorIdentity.item(id, in: held), to: ConvertLocation.visitorID, from: [mirror], rule: rule,
                policy: .replaceExisting)
            try stores.commit(transaction.changes)
            return id
        case .unreadable(ConvertLocation.visitorID, let reason):
            log.append(.keychainUnreadable(reason))
            let mirrored = transaction.read(mirror)
            if case .unreadable(let reason) = mirrored { throw StepStop.unreadable(mirror, reason) }
            if let id = ConvertVisitorIdentity.text(ofMirror: mirrored) { return id }
            isKeychainKnown = false
        case .unreadable(let address, let reason): throw StepStop.unreadable(address, reason)
        case .none: break
        }
        log.append(.freshVisitorID)
        let id = freshVisitorID()
        if isKeychainKnown {
            try transaction.write(
                ConvertVisitorIdentity.item(id, in: held), to: ConvertLocation.visitorID, rule: rule,
                policy: .replaceExisting)
        }
        try transaction.write(.string(id), to: mirror, rule: rule, policy: .replaceExisting)
        try stores.commit(transaction.changes)
        return id
    }

    // MARK: Decisions

    /// The decisions, read from the first of the places of ``ConvertLocation/decisions`` that holds a file, once.
    ///
    /// A missing or corrupt file is a warning and no decisions; it stays until the next decision is saved. One that cannot
    /// be read is a warning too, and is asked for again the next time.
    public func loadDecisions() -> ConvertDecisions {
        (try? readDecisions()) ?? ConvertDecisions()
    }

    /// The same, where a file that cannot be read is an error: nothing may be written over it.
    private func readDecisions() throws(StepStop) -> ConvertDecisions {
        if let decisions { return decisions }
        var loaded = ConvertDecisions()
        do throws(StepStop) {
            let address = decisionAddress, data = try data(at: address)
            do throws(ConvertFormatError) {
                guard let data else { throw ConvertFormatError("there is no file") }
                loaded = try ConvertDecisions(data)
            } catch {
                try error.checkIsKnown(at: address)
                log.append(.decisionsUnusable("\(error)"))
            }
        } catch {
            log.append(.decisionsUnusable("\(error)"))
            throw error
        }
        decisions = loaded
        return loaded
    }

    /// The variation that a visitor is in, who becomes the one used last.
    public func decision(for experience: String, of visitor: ConvertVisitorKey) -> String? {
        var loaded = loadDecisions()
        guard let variation = loaded.visitors[visitor.description]?.bucketing[experience] else { return nil }
        loaded.touch(visitor.description)
        decisions = loaded
        return variation
    }

    /// Saves the variation that a visitor is in.
    public func saveDecision(_ variation: String, for experience: String, of visitor: ConvertVisitorKey) throws {
        try change(visitor) { $0.set(.string(variation), experience, in: "bucketing") }
        send(.bucketing(experienceID: experience, variationID: variation, visitorID: visitor.visitorID))
    }

    /// Marks a goal as reached by a visitor.
    ///
    /// - Returns: Whether this was the first time; only then anything changes.
    @discardableResult
    public func markGoal(_ goal: String, of visitor: ConvertVisitorKey) throws -> Bool {
        if loadDecisions().visitors[visitor.description]?.goalTriggered[goal] == true {
            log.append(.goalReachedBefore(goal))
            return false
        }
        try change(visitor) { $0.set(.bool(true), goal, in: "goalTriggered") }
        send(.conversion(goalID: goal, visitorID: visitor.visitorID))
        return true
    }

    /// Sets those segments of a visitor that are known, and leaves the others.
    public func mergeSegments(_ segments: ConvertSegments, of visitor: ConvertVisitorKey) throws {
        try change(visitor) { members in
            for member in segments.members { members.set(member.value, member.key.text, in: "segments") }
        }
    }

    private func change(_ visitor: ConvertVisitorKey, _ body: (inout Members) -> Void) throws {
        var loaded = try readDecisions()
        try loaded.change(visitor.description, limit: decisionLimit, body)
        if let document = loaded.document {
            try write(document.data, to: decisionAddress, rule: "the decisions as saved")
        }
        decisions = loaded
    }

    private var decisionAddress: Address {
        ConvertLocation.decisions.first { stores.state(at: $0) != .absent } ?? ConvertLocation.decisions[0]
    }

    // MARK: Configuration

    /// The cached configuration of an SDK key; with a debug token the cache is not touched.
    ///
    /// A corrupt one is a warning, and its file is deleted; one that is over a limit is an error, and stays.
    public func config(for sdkKey: String, debugToken: String? = nil) throws -> ConvertConfig? {
        let address = ConvertLocation.config(sdkKey: sdkKey)
        guard debugToken == nil, let data = try data(at: address) else { return nil }
        do throws(ConvertFormatError) {
            return try ConvertConfig(data)
        } catch {
            try error.checkIsKnown(at: address)
            log.append(.configCorrupt(error.description))
            try remove(address, rule: "a corrupt cache is discarded")
            return nil
        }
    }

    /// Caches a configuration, verbatim; with a debug token the cache is not touched.
    public func saveConfig(_ data: Data, for sdkKey: String, debugToken: String? = nil) throws {
        guard debugToken == nil else { return }
        try write(data, to: ConvertLocation.config(sdkKey: sdkKey), rule: "the configuration as fetched")
    }

    // MARK: Event queue

    /// The events that have not been sent; none where there is no file.
    ///
    /// A corrupt file is a warning, and is deleted; one that is over a limit is an error, and stays.
    public func loadQueue() throws -> [ConvertEventPayload] {
        guard let data = try data(at: ConvertLocation.eventQueue) else { return [] }
        do throws(ConvertFormatError) {
            return try ConvertEventPayload.queue(data)
        } catch {
            try error.checkIsKnown(at: ConvertLocation.eventQueue)
            log.append(.queueCorrupt(error.description))
            try clearQueue()
            return []
        }
    }

    /// Stores the events that have not been sent in place of those stored; of none, the file is deleted.
    public func persistQueue(_ queue: [ConvertEventPayload]) throws {
        if queue.isEmpty { return try clearQueue() }
        try write(ConvertEventPayload.data(queue), to: ConvertLocation.eventQueue, rule: "the events not sent")
    }

    /// Deletes the events that have not been sent.
    public func clearQueue() throws { try remove(ConvertLocation.eventQueue, rule: "the events are not to be sent") }

    /// Takes the events of an earlier launch out of the file, to be sent.
    ///
    /// While an upload goes on in the background they are left to it, and there are none.
    public func recoverQueue() throws -> [ConvertEventPayload] {
        if isUploadInFlight { return [] }
        let queue = try loadQueue()
        if !queue.isEmpty { try clearQueue() }
        return queue
    }

    /// Whether the mark says that an upload goes on.
    public var isUploadInFlight: Bool { stores.state(at: ConvertLocation.uploadMarker) != .absent }

    /// Sets or takes away the mark of an upload that goes on.
    public func setUploadInFlight(_ isInFlight: Bool) throws {
        if isInFlight {
            try write(Data([1]), to: ConvertLocation.uploadMarker, rule: "an upload goes on")
        } else {
            try remove(ConvertLocation.uploadMarker, rule: "the upload is over")
        }
    }

    // MARK: Events

    /// What happens from now on, of one kind; it ends when nobody listens any more.
    public func on(_ name: ConvertEvent.Name) -> AsyncStream<ConvertEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ConvertEvent.self)
        let id = UUID()
        listeners[name, default: [:]][id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id, name) }
        }
        return stream
    }

    private func forget(_ id: UUID, _ name: ConvertEvent.Name) { listeners[name]?[id] = nil }

    private func send(_ event: ConvertEvent) {
        for listener in (listeners[event.name] ?? [:]).values { listener.yield(event) }
    }

    // MARK: Files

    /// The bytes of a file; `nil` where there is none.
    private func data(at address: Address) throws(StepStop) -> Data? {
        var transaction = StoreTransaction(on: stores)
        return try transaction.file(address)
    }

    private func write(_ data: Data, to address: Address, rule: String) throws {
        var transaction = StoreTransaction(on: stores)
        try transaction.write(.data(data), to: address, rule: rule, policy: .replaceExisting)
        try stores.commit(transaction.changes)
    }

    private func remove(_ address: Address, rule: String) throws {
        var transaction = StoreTransaction(on: stores)
        transaction.remove(address, rule: rule)
        try stores.commit(transaction.changes)
    }
}

extension Members {
    /// Sets a member of a member that is an object.
    fileprivate mutating func set(_ value: Value, _ key: String, in part: String) {
        var members = self[Name(part)]?.members ?? Members()
        members[Name(key)] = value
        self[Name(part)] = .dictionary(members)
    }
}
