import MigrationEngine
import StoreFormats
import Testing

@Suite("A transaction records and never writes")
struct TransactionTests {
    private let domain = StoreID.defaults("a")
    private func address(_ key: String) -> Address { Address(store: domain, key: Name(key)) }

    @Test("writing what is there already records nothing")
    func equalWrite() throws {
        var transaction = StoreTransaction(on: MemoryStores([(domain, ["k": .integer(1)])]))
        try transaction.write(.integer(1), to: address("k"), rule: "")
        #expect(transaction.changes.isEmpty)
    }

    @Test("1, 1.0, true and \"1\" are four different values", arguments: [Value.real(1), .bool(true), .string("1")])
    func fourValues(value: Value) {
        var transaction = StoreTransaction(on: MemoryStores([(domain, ["k": .integer(1)])]))
        #expect(throws: StepStop.conflict(at: address("k"))) {
            try transaction.write(value, to: address("k"), rule: "")
        }
    }

    @Test("a differing target is kept unless the step says to replace it")
    func policies() throws {
        var transaction = StoreTransaction(on: MemoryStores([(domain, ["k": .integer(1)])]))
        #expect(throws: StepStop.self) { try transaction.write(.integer(2), to: address("k"), rule: "") }
        try transaction.write(.integer(2), to: address("k"), rule: "", policy: .replaceExisting)
        #expect(transaction.changes.map(\.action) == [.replace])
        #expect(transaction.read(address("k")) == .present(.integer(2)))
    }

    @Test("only whole entries are written and removed: a part of one would take the place of the entry")
    func parts() {
        let stores = MemoryStores([(domain, ["k": .dictionary(["a": .integer(1)])])])
        // A file without a name has the address of its store.
        let nameless = Address(store: .files("Documents"), key: "")
        for place in [
            Address(store: domain, key: "k", pointer: JSONPointer(["a"])), Address(store: domain), nameless,
        ] {
            for isRemoval in [true, false] {
                let step = Step(id: "s", title: "s", sources: [], rule: "") { transaction, _ throws(StepStop) in
                    if isRemoval {
                        transaction.remove(place, rule: "")
                    } else {
                        try transaction.write(.integer(2), to: place, rule: "", policy: .replaceExisting)
                    }
                }
                let preview = step.preview(on: stores, origin: stores, facts: Facts())
                #expect(preview.outcome.reason?.code == "not-an-entry", "\(place)")
                #expect(preview.changes.isEmpty)
            }
        }
    }

    @Test("values of facts are compared by their bytes: normalization twins name two stores")
    func factTwins() {
        let composed = Fact("caf\u{E9}", from: "test"), decomposed = Fact("cafe\u{301}", from: "test")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test("an entry that is changed twice has one change, from first to last")
    func merging() throws {
        var transaction = StoreTransaction(on: MemoryStores([(domain, ["k": .integer(1)])]))
        transaction.remove(address("k"), rule: "")
        try transaction.write(.integer(3), to: address("k"), rule: "last")
        #expect(transaction.changes.count == 1)
        #expect(transaction.changes.first?.before == .present(.integer(1)))
        #expect(transaction.changes.first?.after == .integer(3))
        try transaction.write(.integer(1), to: address("k"), rule: "", policy: .replaceExisting)
        #expect(transaction.changes.isEmpty, "back to where it was is no change")
    }

    @Test("A part that is taken back leaves an entry as it was, whether it wrote members of it or the whole")
    func membersTakenBack() throws {
        let entry = address("k"), value = Value.dictionary([("a", .integer(1)), ("b", .integer(2))])
        var transaction = StoreTransaction(on: MemoryStores([(domain, ["k": value])]))
        func write(_ name: Name, _ number: Int128) throws {
            let place = entry.appending(JSONPointer([name])), state = transaction.read(place)
            let isTaken = transaction.takesMember(at: place)
            #expect(isTaken)
            try transaction.write(
                .integer(number), toMember: place, seeing: state, from: [entry], rule: "", notes: [], effect: nil,
                dropped: [])
        }
        transaction.beginPart()
        try write("a", 3)
        transaction.takePartBack()
        #expect(transaction.changes.isEmpty && transaction.seen.edits(in: domain).isEmpty)
        try write("a", 5)
        let before = transaction.read(entry)
        transaction.beginPart()
        try write("b", 6)
        try transaction.write(.string("x"), to: entry, rule: "", policy: .replaceExisting)
        #expect(transaction.read(entry) == .present(.string("x")))
        transaction.takePartBack()
        #expect(transaction.read(entry) == before)
        #expect(transaction.change(of: entry)?.after == before.value)
        try write("b", 7)
        #expect(transaction.read(entry) == .present(.dictionary([("a", .integer(5)), ("b", .integer(7))])))
        try transaction.write(value, to: entry, rule: "", policy: .replaceExisting)
        try transaction.write(.dictionary([("a", .integer(8))]), to: entry, rule: "", policy: .replaceExisting)
        transaction.beginPart()
        try write("a", 9)
        transaction.takePartBack()
        #expect(transaction.read(entry) == .present(.dictionary([("a", .integer(8))])))
    }

    @Test("an unreadable target is neither written nor taken for absent")
    func unreadable() {
        var transaction = StoreTransaction(on: Locked())
        #expect {
            try transaction.write(.integer(1), to: address("k"), rule: "")
        } throws: { error in
            (error as? StepStop)?.outcome.reason?.code == "unreadable-locked"
        }
    }

    /// Stores that cannot be read.
    private struct Locked: StoreReader {
        let stores: [StoreID] = [.defaults("a")]
        func problem(with store: StoreID) -> Unreadable? { nil }
        func keys(in store: StoreID) -> any KeyList { Keys() }
        func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(Unreadable(.locked, "no key")) }
    }

    @Test("a part of a value whose key stands twice is ambiguous, also in another format, and one beside it is not")
    func ambiguousPart() {
        let stores = MemoryStores([
            (
                domain,
                [
                    "text": .string(#"{"o":{"a":1,"a":2,"b":3}}"#),
                    "list": .dictionary([("a", .integer(1)), ("a", .integer(2)), ("b", .integer(3))]),
                ]
            )
        ])
        func state(_ key: Name, _ tokens: Name...) -> EntryState {
            stores.state(at: Address(store: domain, key: key, pointer: JSONPointer(tokens)))
        }
        for found in [state("text", "o", "a"), state("list", "a")] {
            guard case .unreadable(let reason) = found, reason.cause == .ambiguous else {
                Issue.record("\\(found)")
                continue
            }
        }
        #expect(state("text", "o", "b") == .present(.integer(3)) && state("list", "b") == .present(.integer(3)))
    }

    @Test(
        "an entry whose key stands twice is neither written nor removed: the step is blocked", arguments: [true, false])
    func ambiguous(writes: Bool) {
        let entry = address("k")
        let step = Step(id: "s", title: "S", sources: [entry], rule: "r") { transaction, _ throws(StepStop) in
            if writes {
                try transaction.write(.null, to: entry, rule: "r", policy: .replaceExisting)
            } else {
                transaction.remove(entry, rule: "r")
            }
        }
        let stores = Twice()
        let preview = step.preview(on: stores, origin: stores, facts: Facts())
        #expect(preview.outcome.kind == .blocked && preview.changes.isEmpty)
        #expect(preview.outcome.reason?.code == "unreadable-ambiguous")
        #expect(preview.outcome.reason?.sentence.contains("stands 2 times") == true)
    }

    /// Stores in which every key stands twice.
    private struct Twice: StoreReader {
        let stores: [StoreID] = [.defaults("a")]
        func problem(with store: StoreID) -> Unreadable? { nil }
        func keys(in store: StoreID) -> any KeyList { Keys() }
        func state(of key: Name, in store: StoreID) -> EntryState {
            let file = try? PropertyListFile(
                XMLPropertyList.write(.dictionary([(key, .integer(1)), (key, .bool(true))])))
            return file?.state(of: key, in: "a.plist") ?? .absent
        }
    }

    @Test("a step may read a table and fails where it would change one", arguments: [true, false])
    func tables(writes: Bool) {
        let row = Address(store: SQLiteTable("t", of: "n.db", in: "Documents").store, key: "1")
        let stores = MemoryStores([(row.store, Members([Member(key: "1", value: .integer(1))]))])
        let step = Step(id: "s", title: "S", sources: [row], rule: "r") { transaction, _ throws(StepStop) in
            #expect(transaction.read(row) == .present(.integer(1)))
            if writes {
                try transaction.write(.null, to: row, rule: "r", policy: .replaceExisting)
            } else {
                transaction.remove(row, rule: "r")
            }
        }
        let preview = step.preview(on: stores, origin: stores, facts: Facts())
        #expect(preview.outcome.kind == .failed && preview.changes.isEmpty && preview.reads == [row])
        #expect(preview.outcome.reason?.sentence == "\(row) cannot be changed: \(SQLiteTable.refusal)")
    }
}
