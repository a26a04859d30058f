import MigrationEngine
import StoreFormats

/// What every step of a profile knows: the spec, the profile, and the facts.
struct SpecContext: Sendable {
    let spec: Spec
    let profile: SpecProfile
    let facts: SpecFacts
    /// The rows of the profile with the steps that they are.
    let rows: [(step: SpecStep, row: SpecRow)]

    init(_ spec: Spec, _ profile: SpecProfile, _ facts: Facts) {
        self.spec = spec
        self.profile = profile
        self.facts = SpecFacts(definitions: spec.facts, facts: facts)
        rows = profile.steps.compactMap { step in
            if case .row(let row) = step.work { (step, row) } else { nil }
        }
    }

    /// The facts that must be given for these.
    func base(_ names: [FactName]) -> [FactName] { names.flatMap(facts.base).uniqued }

    /// The entries of an address that can be named without looking: none where a fact is missing, or a `*` stands in it.
    func entries(_ addresses: [SpecAddress]) -> [Address] {
        addresses.flatMap(\.templates).compactMap { template in
            guard template.stars == 0, let pattern = try? template.pattern(facts) else { return nil }
            return pattern.address.readable
        }.uniqued
    }
}

extension SpecContext {
    /// The entries that a row of several targets, or with stars, may write, as far as facts name them, and whether it leaves
    /// those that are there; `nil` where there are none.
    func openTargets(of step: SpecStep) -> (entries: [AddressPattern], areLeft: Bool)? {
        guard case .row(let row) = step.work, row.to.isElsewhere else { return nil }
        let templates = row.to.targets.flatMap(\.address.templates)
        guard templates.count > 1 || templates.contains(where: { $0.stars > 0 }) else { return nil }
        let addresses = templates.compactMap { try? $0.pattern(facts).address }
        return addresses.isEmpty
            ? nil
            : (
                addresses.map { AddressPattern(address: $0.entry) },
                row.leavesWhatStands && addresses.allSatisfy(\.pointer.isRoot)
            )
    }

    /// The addresses that cannot be named without looking, as the spec has them with its aliases written out.
    func patterns(_ addresses: [SpecAddress]) -> [String] {
        addresses.flatMap(\.templates).filter { template in
            template.stars > 0 || (try? template.pattern(facts)) == nil
        }.map(\.text).uniqued
    }
}

extension Address {
    /// Where a part of an item of the keychain is: in its secret.
    var readable: Address {
        guard store.kind == .keychain, let first = pointer.tokens.first, first != KeychainItem.dataKey else {
            return self
        }
        return Address(store: store, key: key, pointer: JSONPointer([KeychainItem.dataKey] + pointer.tokens))
    }
}

/// A step of a spec while it runs: the transaction, and what has been read.
struct SpecRun: ConditionGround {
    var transaction: StoreTransaction
    let context: SpecContext
    private var places: ChosenPlaces
    /// What the `*` of the addresses stand for now.
    var match: [Name] = []
    /// The value as the row read it, and where from.
    var value: Value?
    var used: [Address] = []
    var usedFacts: [FactName] = []
    /// The entry that the row writes.
    var target: Address?
    /// The access groups of the keychain, once they have been asked for.
    var knownGroups: Set<String>?
    /// Whether what was there before the migration's first step is looked at.
    var looksAtOrigin = false
    /// What was there when a row began that takes more than one match; `nil` while none does.
    var start: Overlay?

    var facts: SpecFacts { context.facts }

    init(_ transaction: StoreTransaction, _ context: SpecContext) {
        self.transaction = transaction
        self.context = context
        places = ChosenPlaces(context.spec.stores, in: transaction.origin, facts: context.facts)
    }

    mutating func pattern(_ address: SpecAddress) throws(StepStop) -> AddressPattern {
        try places.template(of: address).pattern(facts)
    }

    /// What the `*` of a pattern stand for in what is there; a file that comes to fit it later is one that was not seen.
    mutating func matches(of pattern: AddressPattern, except: [AddressPattern] = []) throws(StepStop) -> [[Name]] {
        let store = pattern.address.store
        transaction.note(searching: store)
        if let listing = pattern.listing(except: except) { transaction.note(listing, in: store) }
        if store.kind == .defaults, NamePattern(store.name).hasStars {
            transaction.noteDomains(like: store.name)
            // Those that have no such key have been looked into, too.
            for (found, _) in pattern.candidates(in: transaction.seen) {
                _ = transaction.read(Address(store: found, key: pattern.address.key))
                transaction.note(searching: found)
            }
        }
        return try pattern.matches(in: transaction.seen)
    }

    /// The address with what its `*` stand for now.
    mutating func resolved(_ address: SpecAddress) throws(StepStop) -> Address {
        try pattern(address).filled(match).readable
    }

    /// What is at a place: where that is the same for every match of a row, what was there before the first of them.
    mutating func state(of address: SpecAddress, at place: Address) -> EntryState {
        let now = transaction.read(place)
        return address.stars == 0 ? start?.state(at: place) ?? now : now
    }

    // MARK: Conditions

    /// Stops the step where one of the spec's requirements is not met.
    mutating func checkRequirements() throws(StepStop) {
        looksAtOrigin = true
        defer { looksAtOrigin = false }
        for condition in context.profile.requires where try !condition.holds(on: &self) {
            throw .skipped("requirement-not-met", condition.say ?? "it is required that \(condition.sentence)")
        }
    }

    mutating func value(at address: SpecAddress) throws(StepStop) -> Value? {
        let place = try resolved(address)
        let state = looksAtOrigin ? transaction.original(place) : self.state(of: address, at: place)
        switch state {
        case .absent: return nil
        case .unreadable(let reason): throw .unreadable(place, reason)
        case .present(let value): return value.held(in: place)
        }
    }

    mutating func subject(_ subject: Condition.Subject) throws(StepStop) -> Value? {
        switch subject {
        case .value(let pointer): return value?[pointer]
        case .address(let address): return try value(at: address)
        case .fact(let name): return try facts.value(name)
        case .target:
            guard let target else { return nil }
            switch transaction.read(target) {
            case .absent: return nil
            case .unreadable(let reason): throw .unreadable(target, reason)
            case .present(let value): return value.held(in: target)
            }
        case .store, .anySource: return nil
        }
    }

    mutating func storeIsEmpty(_ alias: String) throws(StepStop) -> Bool {
        let stores = transaction.origin
        for template in context.spec.stores[alias] ?? [] {
            let address = try template.pattern(facts).address
            let state: Unreadable?
            if address.key != nil {
                switch stores.state(at: address) {
                case .present(let value) where !value.isEmptyValue: return false
                case .unreadable(let reason): state = reason
                default: state = nil
                }
            } else {
                if stores.keys(in: address.store).count(upTo: 1) > 0 { return false }
                state = stores.problem(with: address.store)
            }
            if let state { throw .unreadable(address, state) }
        }
        return true
    }

    mutating func anySourceExists() throws(StepStop) -> Bool {
        let stores = transaction.origin
        var obstacle: StepStop?
        for address in context.rows.flatMap(\.row.addresses) {
            do throws(StepStop) {
                let pattern = try pattern(address)
                if pattern.hasStars {
                    if try !pattern.matches(in: stores).isEmpty { return true }
                } else {
                    switch stores.state(at: pattern.address.readable) {
                    case .present: return true
                    case .absent: break
                    case .unreadable(let reason): throw .unreadable(pattern.address, reason)
                    }
                }
            } catch {
                obstacle = obstacle ?? error
            }
        }
        if let obstacle { throw obstacle }
        return false
    }

    mutating func wasUsed(_ subject: Condition.Subject) -> Bool {
        switch subject {
        case .fact(let name): usedFacts.contains(name)
        case .address(let address): (try? resolved(address)).map(used.contains) ?? false
        default: false
        }
    }

    /// The notes of a step that hold.
    mutating func notes(of step: SpecStep) -> [String] {
        var notes: [String] = []
        for (condition, sentence) in step.notes {
            guard let condition else {
                notes.append(sentence)
                continue
            }
            do throws(StepStop) {
                if try condition.holds(on: &self) { notes.append(sentence) }
            } catch {
                notes.append("whether this holds is not known: \(sentence)")
            }
        }
        return notes
    }
}

extension Value {
    /// What an entry holds for the language: of an item of the keychain its secret.
    func held(in address: Address) -> Value {
        guard address.store.kind == .keychain, address.pointer.isRoot, let item = KeychainItem(self) else {
            return self
        }
        return .data(item.textData ?? item.data)
    }
}
