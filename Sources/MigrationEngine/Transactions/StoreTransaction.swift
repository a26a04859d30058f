import OrderedCollections
import StoreFormats

/// What a step runs on: it reads through to what is there, and records what the step would write.
///
/// Its record *is* the plan of the step. Nothing is written anywhere until somebody commits the changes, so any step can
/// be previewed, also one that is plain Swift code. Each read and write takes constant time.
public struct StoreTransaction: Sendable {
    private var records: OrderedDictionary<Address, EntryRecord> = [:]
    private var readAddresses: OrderedSet<Address> = []
    /// Where names were looked for by a pattern, with ``NamePattern/star`` in the address.
    private(set) var listings: OrderedSet<Address> = []
    /// The stores among whose keys some were looked for by a pattern, now or in what was there before.
    var searched: Set<StoreID> { searchedNow.union(original.searched) }
    private var searchedNow: Set<StoreID> = []
    /// What would have been written where something else is kept.
    public var conflict: Change? { conflicting?.change(in: stores) }
    private var conflicting: Conflict?

    private struct Conflict {
        let address: Address, write: EntryRecord.Write
        /// What is there and would have been; `nil` where that is only a member's, which is put in when somebody asks.
        var whole: (before: EntryState, value: Value)?
        var member: Value?

        func change(in stores: Overlay) -> Change {
            let entry = address.entry
            if let (before, value) = whole { return write.change(of: entry, from: before, to: value) }
            var stores = stores
            let before = stores.state(at: entry)
            _ = stores.set(address, toMember: member)
            return write.change(of: entry, from: before, to: stores.state(at: entry).value)
        }
    }

    /// What the step's rules leave as it stands, as far as it is known what they would make of it.
    private(set) var kept: [Change] = []

    /// What became of what the step reads and writes.
    package private(set) var events: [PartEvent] = []
    /// What became of it in the steps before, where the step has asked for that and somebody has kept an account of it.
    package var account: StepAccount.Told?

    /// Why the step stops although it went on: it removed what is not an entry, or is several.
    private(set) var misuse: StepStop?

    /// What there is to say of the step though it does what it does: what it has left.
    package var remark: Reason?

    /// What was known when the part that runs now began; what it has written since.
    private var part: (written: [(address: Address, before: EntryRecord.Mark)], conflict: Conflict?, events: Int)?

    /// How much the operations of this step and of those after it may still make.
    package var allowance: Allowance

    /// The removals whose effect is told by whether anything takes on the value.
    private var undecidedRemovals: Set<Address> = []
    private var stores: Overlay
    private let original: NotedStores
    /// What was there before the migration's first step; what is asked of it is among ``reads``.
    package var origin: any StoreReader { original }

    /// Makes a transaction on stores.
    ///
    /// - Parameters:
    ///   - stores: What is there now.
    ///   - origin: What was there before the migration's first step; the same as `stores` unless told otherwise.
    public init(on stores: any StoreReader, origin: (any StoreReader)? = nil) {
        self.init(on: stores, origin: origin, .migration)
    }

    init(on stores: any StoreReader, origin: (any StoreReader)?, _ allowance: Allowance) {
        self.stores = Overlay(stores)
        original = NotedStores(origin ?? stores)
        self.allowance = allowance
    }

    /// The changes so far, one for each entry, in the order in which entries were first written.
    public var changes: [Change] { records.compactMap { $1.change(of: $0, in: stores) } }

    /// The change of an entry so far.
    package func change(of address: Address) -> Change? { records[address]?.change(of: address, in: stores) }

    /// What would have been written, in entries that stay as they are, where just that stands already.
    var found: [Change] { records.flatMap { $1.found(in: $0, stores) } }

    /// The entries that were read, or found to be as the step would make them, each once, in that order; then those that were
    /// asked for in what was there before the migration's first step.
    public var reads: [Address] {
        let others = original.entries
        return others.isEmpty ? readAddresses.elements : Array(readAddresses.union(others))
    }

    /// What is known of an entry, with the changes so far.
    public mutating func read(_ address: Address) -> EntryState {
        readAddresses.append(address)
        return stores.state(at: address)
    }

    /// The same of what is about to be written: that nothing is there, the change says.
    package mutating func look(at address: Address) -> EntryState {
        let state = stores.state(at: address)
        if state != .absent || !address.pointer.isRoot { readAddresses.append(address) }
        return state
    }

    /// Whether a store held anything before the migration's first step, whatever its own steps have made since.
    ///
    /// A rule such as "do nothing where the target exists" would otherwise stop a migration after its first step.
    public func heldAnythingBefore(_ store: StoreID) -> Bool {
        origin.keys(in: store).count > 0 || origin.problem(with: store) != nil
    }

    /// What was known of an entry before the migration's first step, whatever its own steps have made since.
    public func original(_ address: Address) -> EntryState { origin.state(at: address) }

    /// The stores with the changes so far; what is looked up here is not among ``reads``.
    public var seen: Overlay { stores }

    /// The keys of a store, with the changes so far.
    public func keys(in store: StoreID) -> any KeyList { stores.keys(in: store) }

    /// Whether anything has been changed so far.
    package var hasChanges: Bool { records.contains { $1.isChanged($0, in: stores) } }

    /// Makes room for entries, where the step knows of how many more it will read one and write another.
    package mutating func reserve(_ count: Int) {
        records.reserveCapacity(records.count + 2 * count)
        readAddresses.reserveCapacity(readAddresses.count + count)
        events.reserveCapacity(events.count + 2 * count)
    }

    /// Begins a part of the step that may be taken back by itself.
    package mutating func beginPart() {
        guard part != nil else { return part = ([], conflicting, events.count) }
        // One begins behind another, and many may.
        part?.written.removeAll(keepingCapacity: true)
        part?.conflict = conflicting
        part?.events = events.count
    }

    /// Takes back what the part has done since it began; what it has read stays.
    package mutating func takePartBack() {
        guard let part else { return }
        for (address, before) in part.written.reversed() {
            records[address]?.takeBack(to: before, of: address, in: &stores)
        }
        events.removeLast(events.count - part.events)
        conflicting = part.conflict
        self.part = nil
    }

    /// Notes what became of something that the step reads or writes.
    package mutating func note(_ event: PartEvent) { events.append(event) }

    /// What became of what a step reads that did not end well: what it has written is not, what it need not write is there.
    package func events(stoppedBy stop: StepStop) -> [PartEvent] {
        guard hasChanges else { return events }
        return events.compactMap { event in
            switch event {
            case .arrived(let source, _, _): .left(source, stop)
            case .copied, .changed, .made: nil
            case .left: event
            }
        }
    }

    /// Adds a note to the first change, where there is one: it is about the step as a whole.
    package mutating func add(note: String) {
        guard let first = records.elements.firstIndex(where: { $0.value.isChanged($0.key, in: stores) }) else { return }
        records.values[first].remarks.append(note)
    }

    /// Notes that names of a store of files are looked for, so that one that comes later is not taken for one that was seen.
    package mutating func note(_ listing: NameListing, in store: StoreID) {
        listings.append(Address(store: store, key: listing.name))
    }

    /// Notes that keys of a store are looked for by a pattern.
    package mutating func note(searching store: StoreID) { searchedNow.insert(store) }

    /// The same of domains that are looked for by a name with ``NamePattern/star`` in it.
    package mutating func noteDomains(like name: Name) { listings.append(Address(store: .defaults(name), key: "")) }

    /// Why a store cannot be read.
    public func problem(with store: StoreID) -> Unreadable? { stores.problem(with: store) }

    /// The code of a step that would change what another app's step has left.
    package static let held = "changed-elsewhere"

    /// What to do where an entry that is to be written holds something else.
    public enum WritePolicy: Hashable, Sendable {
        /// Leave it, and stop with a conflict.
        case keepExisting
        /// Replace it.
        case replaceExisting
    }

    /// Gives an entry a value; where it has exactly that value already that is no change, and only noted.
    ///
    /// - Parameters:
    ///   - effect: What this does to the user's value; `nil` has it told from the values: `carried` where a source holds
    ///     exactly the new value, `made-up` where there is no source, else `converted`.
    ///   - dropped: The parts of the sources that the new value does not take on.
    /// - Throws: ``StepStop`` where the entry holds something else and the policy is to keep it, cannot be read, or is not
    ///   to be changed (`changed-elsewhere`).
    public mutating func write(
        _ value: Value, to address: Address, from: [Address] = [], rule: String, notes: [String] = [],
        placeholders: [JSONPointer] = [], effect: ValueEffect? = nil, dropped: [Address] = [],
        policy: WritePolicy = .keepExisting
    ) throws(StepStop) {
        try write(
            value, to: address, part: JSONPointer(), from: from, rule: rule, notes: notes, placeholders: placeholders,
            effect: effect, dropped: dropped, policy: policy)
        noteArrival(of: from, at: address, without: dropped)
    }

    /// Notes what rules would give an entry that leave it as it stands: where it holds something else the value means something
    /// else now, and where it holds nothing the value is lost.
    ///
    /// - Parameter stop: Why the rules make nothing of the sources, where the value is only what stands there.
    package mutating func keep(
        _ value: Value, at address: Address, from: [Address], rule: String, notes: [String] = [],
        effect: ValueEffect? = nil, dropped: [Address] = [], stop: StepStop? = nil
    ) {
        let why = stop.map { "the rule makes nothing of it: \($0)" }
        let before = read(address), effect = effect ?? self.effect(of: value, from: from)
        func note(_ after: Value?, _ notes: [String], _ effect: ValueEffect, _ dropped: [Address] = []) {
            kept.append(
                Change(
                    address: address, before: before, after: after, from: from, rule: rule, notes: notes,
                    effect: effect, dropped: dropped))
        }
        if before == .present(value) { return note(value, notes + [why].compactMap(\.self), effect, dropped) }
        // What nobody entered is no loss.
        guard effect != .madeUp else { return }
        switch before {
        case .present(let other): note(other, [why ?? "the rule would make something else of it"], .changed, dropped)
        case .absent:
            // What a source goes with is no loss beside it.
            let others = dropped.filter { part in
                !from.contains { $0.entry == part.entry && part.pointer.isWithin($0.pointer) }
            }
            note(nil, [why].compactMap(\.self), .dropped, others)
        case .unreadable: break
        }
    }

    /// Notes that what an entry was made from has arrived in it: what is changed where it stands has not.
    package mutating func noteArrival(
        of sources: [Address], at target: Address, without parts: [Address] = [], isWhole: Bool = true
    ) {
        for source in sources where source.entry != target.entry {
            let others = parts.filter { $0.entry == source.entry }
            guard !others.contains(where: { source.pointer.isWithin($0.pointer) }) else { continue }
            events.append(.arrived(source, without: others, isWhole: isWhole))
        }
    }

    /// The same for a step that says itself what has arrived.
    ///
    /// - Parameters:
    ///   - part: What of the entry is another then.
    ///   - known: What is seen there, where whoever asks has just looked.
    package mutating func write(
        _ value: Value, to address: Address, part: JSONPointer, seeing known: EntryState? = nil, from: [Address],
        rule: String, notes: [String], placeholders: [JSONPointer], effect: ValueEffect?, dropped: [Address],
        policy: WritePolicy
    ) throws(StepStop) {
        try Self.checkIsEntry(address)
        let before = known ?? stores.state(at: address)
        // A value of JSON that is none of JSON any more is kept as entries are.
        let value = value.asPropertyList
        if case .unreadable(let reason) = before { throw .unreadable(address, reason) }
        var write = EntryRecord.Write(
            part: part, from: from, rule: rule, notes: notes, placeholders: placeholders,
            effect: effect ?? self.effect(of: value, from: from), dropped: dropped)
        if before == .present(value) {
            // That it is there already is what the step goes by.
            readAddresses.append(address)
            write.find(in: address)
            return record(write, of: address, from: before, to: value)
        }
        if policy == .keepExisting, before != .absent {
            conflicting = Conflict(address: address, write: write, whole: (before, value))
            throw .conflict(at: Address(store: address.store, key: address.key, pointer: part))
        }
        if let reason = stores.hold(on: address) { throw .blocked(Self.held, reason) }
        record(write, of: address, from: before, to: value)
        noteChange(of: address, part, from: before, to: value)
    }

    /// Whether a part of an entry is written by itself, by `write(_:toMember:)`, which reads the entry.
    package mutating func takesMember(at address: Address) -> Bool {
        guard stores.takesMember(at: address) else { return false }
        readAddresses.append(address.entry)
        return true
    }

    /// Gives a member of an entry a value or, with `nil`, takes it away, in about the same time however many there are.
    ///
    /// - Parameters:
    ///   - state: What is seen there, where whoever asks has just looked.
    ///   - from: The entry and what else the value is made from.
    /// - Throws: As the write of the whole entry that it is.
    package mutating func write(
        _ value: Value?, toMember address: Address, seeing state: EntryState, from: [Address], rule: String,
        notes: [String], placeholders: [JSONPointer] = [], effect: ValueEffect?, dropped: [Address],
        policy: WritePolicy = .replaceExisting
    ) throws(StepStop) {
        let entry = address.entry, value = value?.asPropertyList, isFound = state == EntryState(value)
        var write = EntryRecord.Write(
            part: address.pointer, from: from, rule: rule, notes: notes, placeholders: placeholders,
            effect: effect ?? (isFound ? .carried : .converted), dropped: dropped)
        if isFound {
            write.find(in: entry)
            return record(of: entry, from: nil) { $0.add(found: write) }
        }
        if policy == .keepExisting {
            conflicting = Conflict(address: address, write: write, member: value)
            throw .conflict(at: address)
        }
        if let reason = stores.hold(on: entry) { throw .blocked(Self.held, reason) }
        let before = records[entry] == nil ? stores.state(at: entry) : nil
        guard let undo = stores.set(address, toMember: value) else { return }
        record(of: entry, from: before) { $0.add(write, undo) }
        events.append(.changed(address, from: nil, to: nil))
    }

    /// Of an entry that was not there nothing can have become anything.
    private mutating func noteChange(
        of address: Address, _ part: JSONPointer, from before: EntryState, to value: Value?
    ) {
        guard before != .absent else { return }
        let place = Address(store: address.store, key: address.key, pointer: part)
        events.append(.changed(place, from: part.isRoot ? before.value : nil, to: part.isRoot ? value : nil))
    }

    /// The value of an entry with a part of the document in it replaced or, with `nil`, removed; `nil` where whoever asks must read
    /// it for that.
    package func editing(_ address: Address, holding value: Value, to part: Value?) throws(FormatError) -> Value? {
        try stores.editing(address, holding: value, to: part)
    }

    /// A change is one of a whole entry: a part of one is changed by writing the entry anew.
    private static func checkIsEntry(_ address: Address) throws(StepStop) {
        // A file without a name is none, and its address would be that of the store.
        let isNameless = address.store.kind == .file && address.key?.utf8.isEmpty == true
        guard address.key == nil || !address.pointer.isRoot || isNameless else { return }
        throw .failed("not-an-entry", "\(address) is not an entry of a store, and only entries are written and removed")
    }

    private func effect(of value: Value, from sources: [Address]) -> ValueEffect {
        if sources.isEmpty { return .madeUp }
        return sources.contains { stores.state(at: $0) == .present(value) } ? .carried : .converted
    }

    /// Removes an entry; nothing is recorded where there is none.
    ///
    /// - Parameter effect: What this does to the user's value; `nil` is `carried` where a change of this transaction was
    ///   made from the entry, else `dropped`.
    public mutating func remove(_ address: Address, rule: String, notes: [String] = [], effect: ValueEffect? = nil) {
        do throws(StepStop) {
            try takeAway(address, rule: rule, notes: notes, effect: effect)
        } catch {
            misuse = misuse ?? error
        }
    }

    /// The same for a step that goes on where an entry cannot be removed.
    ///
    /// - Parameter dropped: The parts of it that nothing takes on, where that is not told by what was made from it.
    /// - Throws: ``StepStop`` where it is not an entry, is several, or is not to be changed (`changed-elsewhere`).
    package mutating func takeAway(
        _ address: Address, rule: String, notes: [String] = [], effect: ValueEffect?, dropped: [Address] = []
    ) throws(StepStop) {
        try Self.checkIsEntry(address)
        let before = stores.state(at: address)
        if before == .absent {
            readAddresses.append(address)
            return
        }
        if case .unreadable(let reason) = before, reason.cause == .ambiguous { throw .unreadable(address, reason) }
        if let reason = stores.hold(on: address) { throw .blocked(Self.held, reason) }
        record(
            EntryRecord.Write(rule: rule, notes: notes, effect: effect ?? .dropped, dropped: dropped),
            of: address, from: before, to: nil)
        noteChange(of: address, JSONPointer(), from: before, to: nil)
        if effect == nil {
            undecidedRemovals.insert(address)
        } else if !undecidedRemovals.isEmpty {
            undecidedRemovals.remove(address)
        }
    }

    /// The changes so far; a removed entry that something takes on loses nothing.
    ///
    /// - Parameter others: The entries that others have taken on.
    func changes(takenOn others: Set<Address>) -> [Change] {
        var changes = changes
        if undecidedRemovals.isEmpty { return changes }
        var carried = undecidedRemovals.intersection(others)
        for change in changes {
            for source in change.takenOn where undecidedRemovals.contains(source) { carried.insert(source) }
        }
        for index in changes.indices where changes[index].after == nil && carried.contains(changes[index].address) {
            changes[index].effect = .carried
        }
        return changes
    }

    private mutating func record(
        _ write: EntryRecord.Write, of address: Address, from before: EntryState, to value: Value?
    ) {
        guard !write.isFound else { return record(of: address, from: before) { $0.add(found: write) } }
        let opened = stores.openedEntry(address)
        stores.set(address, seeing: before, to: value)
        record(of: address, from: before) { $0.add(write, leaving: value, after: opened) }
    }

    /// - Parameter before: What was there, where whoever asks knows it; only the first record of an entry has it.
    private mutating func record(
        of address: Address, from before: EntryState?, _ add: (inout EntryRecord) -> EntryRecord.Mark
    ) {
        let known = before ?? (records[address] == nil ? stores.state(at: address) : .absent)
        let mark = add(&records[address, default: EntryRecord(known)])
        part?.written.append((address, mark))
    }
}
