import StoreFormats

/// Whether an export of a keychain tells when its items can be read, as not every form of one does.
///
/// Items are read for it only once two differ in nothing else.
private final class AccessTelling {
    private let stores: any StoreReader
    /// How many items of each service are looked at.
    private static let most = 100

    init(_ stores: any StoreReader) { self.stores = stores }

    private(set) lazy var isTold = stores.stores.lazy.filter { $0.kind == .keychain }.contains { store in
        let keys = stores.keys(in: store)
        return (0..<keys.count(upTo: Self.most)).contains { position in
            let state = stores.state(of: keys.key(at: position), in: store)
            return state.value.flatMap { KeychainItem($0) }?.attributes["pdmn"] != nil
        }
    }
}

/// Both sides while they are read, with one budget for all that is decoded.
struct ComparisonReading {
    let before: any StoreReader
    let after: any StoreReader
    let pairing: KeychainPairing
    let budget = DecodingBudget()
    /// Whether each side tells when its items can be read.
    private let tellsAccess: (before: AccessTelling, after: AccessTelling)

    init(before: any StoreReader, after: any StoreReader, pairing: KeychainPairing) {
        (self.before, self.after, self.pairing) = (before, after, pairing)
        tellsAccess = (AccessTelling(before), AccessTelling(after))
    }

    /// An entry on both sides; `nil` where it is on neither and nothing was planned.
    ///
    /// - Parameter isAdded: Whether it is the address of an entry that only the stores after have.
    func entry(
        _ address: Address, _ planned: StoreComparison.Planned?, isAdded: Bool = false
    ) -> StoreComparison.Entry? {
        let (old, new, place) = sides(of: address, isPlanned: planned != nil, isAdded: isAdded)
        guard planned != nil || old != .absent || new != .absent else { return nil }
        let likeness = self.likeness(old, new)
        var entry = StoreComparison.Entry(
            address: address, addressAfter: place, before: old, after: new,
            mark: markOfRepetitions(old, new, in: address.store) ?? mark(old, new, likeness),
            forms: forms(old, new, likeness))
        guard let planned else { return entry }
        entry.planned = planned
        entry.likeness = self.likeness(EntryState(planned.value), new, isPlanned: true)
        entry.verdict =
            switch (planned.value, new) {
            case (_, .unreadable): .unknown
            case (nil, .absent): .asPlanned
            case (nil, .present): .differs
            case (.some, .absent): .missing
            case (.some, .present):
                switch entry.likeness {
                case .same: .asPlanned
                case .unknown: .unknown
                default: .differs
                }
            }
        return entry
    }

    /// How two states hold the same value in different forms; `nil` where they do not.
    private func forms(_ old: EntryState, _ new: EntryState, _ likeness: Likeness?) -> Likeness? {
        switch likeness {
        case .otherForm: return likeness
        case .same:
            let held = [old, new].map { state in
                state.value.flatMap { KeychainItem($0).map { .data($0.data) } ?? $0 } ?? .null
            }
            return held[0].numberForms(beside: held[1], within: budget)
        case .different, .unknown, nil: return nil
        }
    }

    /// What is known of an entry before and after, and where it is after.
    private func sides(
        of address: Address, isPlanned: Bool, isAdded: Bool
    ) -> (before: EntryState, after: EntryState, place: Address) {
        guard let key = address.key, address.store.kind == .keychain else {
            return (before.state(at: address), after.state(at: address), address)
        }
        func unlisted(_ stores: any StoreReader, isTaken: Bool) -> EntryState {
            isTaken ? stores.stateOfUnlisted(beside: key, in: address.store) : stores.state(at: address)
        }
        if isAdded {
            let old = unlisted(before, isTaken: pairing.isTaken(before: address))
            return (old, after.state(at: address).ofItemAlone, address)
        }
        // What a step reads, and what an app finds, is one of several items of one name, and not known which.
        let old = isPlanned ? before.state(at: address) : before.state(at: address).ofItemAlone
        guard let place = pairing.place(after: address) else {
            return (old, unlisted(after, isTaken: pairing.isTaken(after: address)), address)
        }
        if isPlanned { return (old, after.state(at: pairing.firstRival(of: place) ?? place), place) }
        return (old, after.state(at: place).ofItemAlone, place)
    }

    /// How the values differ that stand under one key of a property list on both sides, one by one in their order; `nil`
    /// where not both sides have several.
    private func markOfRepetitions(_ old: EntryState, _ new: EntryState, in store: StoreID) -> StoreComparison.Mark? {
        guard store.kind == .defaults, let left = old.repetitions, let right = new.repetitions else { return nil }
        guard left.count == right.count else { return .changed }
        let marks = zip(left, right).map { mark($0, $1, likeness($0, $1)) }
        if let changed = marks.first(where: { $0 != .same && $0 != .unknown }) { return changed }
        return marks.contains(.unknown) || left.count == Unreadable.candidateLimit ? .unknown : .same
    }

    private func mark(_ old: EntryState, _ new: EntryState, _ likeness: Likeness?) -> StoreComparison.Mark {
        // Of a link its target is all that there is.
        if let left = old.link, let right = new.link { return left == right ? .same : .changed }
        switch (old, new) {
        case (.absent, .absent): return .same
        case (.absent, .present): return .added
        case (.present, .absent): return .removed
        case (.absent, _) where new.link != nil: return .added
        case (_, .absent) where old.link != nil: return .removed
        case (.present, _) where new.link != nil: return .changed
        case (_, .present) where old.link != nil: return .changed
        case (.unreadable, _), (_, .unreadable): return .unknown
        case (.present, .present):
            return switch likeness {
            case .same, .otherForm, nil: .same
            case .different: .changed
            case .unknown: .unknown
            }
        }
    }

    /// How alike two states are; `nil` where one has no value.
    ///
    /// - Parameter isPlanned: Whether the first is what a step makes: when its item can be read is left open where it does not say.
    private func likeness(_ left: EntryState, _ right: EntryState, isPlanned: Bool = false) -> Likeness? {
        guard let left = left.value, let right = right.value else { return nil }
        guard let old = KeychainItem(left), let new = KeychainItem(right) else {
            return left.likeness(to: right, within: budget)
        }
        // Exports differ in which attributes they have; these say who may read an item, and when.
        for name: Name in ["pdmn", "agrp"] {
            switch (old.attributes[name], new.attributes[name]) {
            case (let one?, let other?): if one != other { return .different }
            case (nil, _?): if name == "pdmn", !isPlanned, tellsAccess.before.isTold { return .different }
            case (_?, nil): if name == "pdmn", tellsAccess.after.isTold { return .different }
            case (nil, nil): break
            }
        }
        return Value.data(old.data).likeness(to: .data(new.data), within: budget)
    }
}
