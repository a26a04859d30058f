import Foundation
import MigrationEngine
import StoreFormats

/// What entries were made from, over however many steps, and the secrets that the dump has there.
///
/// A value is as secret as what it was made from: all of it where the place of that is secret, and else what is like one of
/// the secrets there, whatever a step calls it now and however it writes it.
package struct SecretOrigins: Sendable {
    /// What the changes that an answer tells of, of steps that stand, were taken back or are planned, make entries from.
    private var sources: [Address: Set<Address>] = [:]
    /// What stands beside an entry, or a part of one, as the other side of a step, which would tell what is secret in it.
    private var others: [Address: Set<Address>] = [:]
    /// The parts that something stands beside, by what they are parts of: the entry, and every part on the way.
    private var partsBeside: [Address: Set<JSONPointer>] = [:]
    /// What the dump has in the entries that others are made from.
    private var secrets: [Address: KnownSecrets] = [:]
    /// Secrets that may stand anywhere, as nothing says what became of them.
    private var everywhere = KnownSecrets()
    /// The secrets in facts, of which nothing says which entries were made with them.
    private var ofFacts = KnownSecrets()
    /// The entries of the ledger, by their number, that made what stands at an address.
    private var makers: [Address: Set<Int>] = [:]
    /// The entries of the ledger that read what is not in the dump any more.
    ///
    /// What their sources held nobody knows, so all that they made is secret; `nil` is as if all were such.
    package var outdated: Set<Int>? = []
    /// Whether another app's step has made an entry, of which nothing here says from what: it is as secret as can be.
    private var isOfAnother: @Sendable (Address) -> Bool = { _ in false }

    /// Nothing was made from anything.
    package init() {}

    /// What the steps of a history made.
    ///
    /// - Parameters:
    ///   - outdated: The numbers of the entries that read what is not in the dump any more; `nil` where nobody knows.
    ///   - migrations: Those that are known: where they would have put what their steps have lost says whether that is secret.
    ///   - stores: The stores as the dump has them, with what other apps' steps have left in those that they share.
    ///   - masking: Which entries are no secret, and what may be looked through.
    package init(
        of history: History, outdated: Set<Int>?, among migrations: some Sequence<any Migration>,
        in stores: any StoreReader, _ masking: Masking
    ) {
        self.outdated = outdated
        isOfAnother = { stores.hold(on: $0) != nil }
        // One entry after the other mostly has the same facts, and goes back and forth between the same places.
        var looked = Looked(history.entries.lazy.flatMap(\.changes))
        for entry in history.entries {
            // A copy for nothing would be one of all that a step with a star has changed.
            let all = entry.found.isEmpty ? entry.changes : entry.changes + entry.found
            follow(all, given: entry.facts, in: stores, masking, &looked)
        }
        note(makers: history.standing)
        guard !masking.isRevealing else { return }
        for entry in history.entries where entry.event == .applied {
            let lost = entry.changes.flatMap { change in
                change.dropped + (change.after == nil && change.effect == .dropped ? [change.address] : [])
            }
            guard !lost.isEmpty, let migration = migrations.first(where: { $0.id == entry.migration }),
                let profile = migration.profiles.first(where: { $0.id == entry.profile })
            else { continue }
            let facts = migration.factsKnown(in: stores, given: entry.facts)
            for found in migration.destinations(of: Set(lost), profile: profile, facts: facts) {
                note(found.place, with: found.target)
            }
        }
    }

    /// Takes in that entries of the ledger are told of, whether they stand or not.
    mutating func note(makers entries: some Sequence<LedgerEntry>) {
        for entry in entries {
            let number = if case .rolledBack(let other) = entry.event { other } else { entry.number }
            // Without a source it may be made of facts, which say where they were inferred from.
            let hasInferred = entry.facts.names.contains { entry.facts[$0]?.isInferred ?? false }
            for change in entry.changes where hasInferred || !change.from.isEmpty {
                makers[change.address, default: []].insert(number)
            }
        }
    }

    /// Takes in what changes make, each on what the ones before it leave, and what steps read, whatever comes of it.
    package mutating func follow(
        _ changes: some Sequence<Change>, given facts: Facts = Facts(), reading read: [Address] = [],
        in stores: any StoreReader, _ masking: Masking
    ) {
        var looked = Looked(changes)
        follow(changes, given: facts, reading: read, in: stores, masking, &looked)
    }

    /// Takes in what a plan makes and finds, what its steps read, and that this stands beside what is made of it; of a step that makes
    /// nothing, as it cannot be taken, and of what a star leaves, beside what it is for.
    package mutating func follow(_ plan: Plan, in stores: any StoreReader, _ masking: Masking) {
        guard !masking.isRevealing else { return }
        var all = plan.shownChanges
        for step in plan.steps where !step.found.isEmpty { all += step.found }
        follow(all, given: plan.facts, reading: plan.sources, in: stores, masking)
        for step in plan.steps {
            let changes = step.shownChanges + step.found + [step.conflict].compactMap(\.self)
            note(step.step, making: changes, for: step.target)
            note(step.left)
        }
    }

    /// The same of steps that were applied, here or only to see.
    package mutating func follow(
        _ steps: some Sequence<AppliedStep>, given facts: Facts, in stores: any StoreReader, _ masking: Masking
    ) {
        guard !masking.isRevealing else { return }
        let made = steps.map { ($0.step, changes: ($0.entry?.changes ?? []) + $0.found) }
        follow(made.flatMap(\.changes), given: facts, reading: made.flatMap(\.0.sources), in: stores, masking)
        for (step, changes) in made { note(step, making: changes, for: step.target) }
        for step in steps { note(step.left) }
    }

    /// Takes in that what a step makes stands beside what it is made of and, where it makes nothing, what it reads beside what it is
    /// for.
    private mutating func note(_ step: Step, making changes: [Change], for target: Address?) {
        let made = changes.filter { change in
            change.after != nil && change.from.contains { $0.entry != change.address }
        }
        for change in made { note(change.address, besideSources: change.from) }
        guard made.isEmpty, let target else { return }
        for source in step.places { note(source, with: target) }
    }

    /// Takes in that what a step leaves stands beside what that is for.
    private mutating func note(_ left: [LeftPart]) {
        for part in left {
            for target in part.targets { note(part.place, with: target) }
        }
    }

    /// Takes in that what lies in two entries stands beside each other.
    private mutating func note(_ source: Address, with target: Address) {
        guard source.entry != target.entry else { return }
        note(target, beside: source)
        note(source, beside: target)
    }

    private mutating func note(_ target: Address, besideSources sources: [Address]) {
        for source in sources where source.entry != target.entry { note(target, beside: source) }
    }

    private mutating func note(_ other: Address, beside address: Address) {
        others[address, default: []].insert(other)
        for place in address.around { partsBeside[place, default: []].insert(address.pointer) }
    }

    /// What was looked at in the same stores, and comes to the same.
    private struct Looked {
        struct GivenFact: Hashable { let name: FactName, fact: Fact }
        var entries: Set<Address> = []
        /// As long as no secret of another fact is known.
        var facts: Set<GivenFact> = []
        /// The entries that changes take away: what they held is told, though its value stands elsewhere.
        let removed: Set<Address>

        init(_ changes: some Sequence<Change>) {
            removed = Set(changes.lazy.filter { $0.after == nil }.map(\.address))
        }
    }

    private mutating func follow(
        _ changes: some Sequence<Change>, given facts: Facts, reading read: [Address] = [],
        in stores: any StoreReader, _ masking: Masking, _ looked: inout Looked
    ) {
        guard !masking.isRevealing else { return }
        let budget = (masking.budget ?? AnswerBudget()).search
        func note(_ source: Address) {
            guard secrets[source.entry]?.isEmpty ?? true, looked.entries.insert(source.entry).inserted else { return }
            let context = SecretContext(source.entry, masking.secrecy)
            let value = stores.state(at: source.entry).value
            secrets[source.entry] = value.map { KnownSecrets(in: $0, context, within: budget) } ?? KnownSecrets()
        }
        for name in facts.names {
            guard let fact = facts[name] else { continue }
            let given = Looked.GivenFact(name: name, fact: fact), known = ofFacts.size
            guard !looked.facts.contains(given) else { continue }
            defer {
                if ofFacts.size != known { looked.facts = [] }
                looked.facts.insert(given)
            }
            if let place = fact.place { note(place) }
            if isSecret(name, fact, masking) {
                ofFacts.keep(Array(fact.value.utf8), isForCalculating: false)
            } else {
                ofFacts.keepParts(of: .string(fact.value), within: budget)
            }
        }
        read.forEach(note)
        for change in changes {
            if change.after != nil {
                // Of a document that is made from itself, too, all of that is known.
                let others = change.from.filter { $0.entry != change.address }
                let earlier = others.flatMap { Array(sources[$0.entry] ?? []) }
                sources[change.address, default: []].formUnion(change.from + earlier)
                for other in others where looked.removed.contains(other.entry) {
                    self.note(change.address, beside: other)
                }
            }
            change.from.forEach(note)
            // A note may quote what is replaced.
            if !change.notes.isEmpty { note(change.address) }
        }
    }

    /// Takes in values whose secrets may stand anywhere, as nothing says what became of them.
    mutating func lookEverywhere(for values: some Sequence<(value: Value, address: Address)>, _ masking: Masking) {
        guard !masking.isRevealing else { return }
        let budget = (masking.budget ?? AnswerBudget()).search
        for (value, address) in values {
            everywhere.keepWords(of: value, SecretContext(address, masking.secrecy), within: budget)
        }
    }

    /// Whether the name of a fact, or the entry that it was inferred from, makes it secret, or it was made of one that is.
    ///
    /// The name of one that stores are named after, such as a write key, says nothing, there and where it was inferred from:
    /// addresses show it.
    func isSecret(_ name: FactName, _ fact: Fact, _ masking: Masking) -> Bool {
        if masking.secrecy.isChoice(fact.value, of: name) { return false }
        let value = Value.string(fact.value), isNaming = masking.secrecy.isNaming(name)
        // A word that may mean something else makes an entry secret, and not what a person gave.
        let named = SecretContext(named: name.rawValue)
        if !isNaming, ![.ambiguous, .seed].contains(named.meaning), named.makesSecret(value) { return true }
        switch fact.source.first {
        case .given, .metadata, .drawn, .ledger: return false
        case .inferred, .assumed: break
        }
        // What it was inferred from may be gone, and with it what would say that it is secret.
        if !isNaming, fact.isInferred, case .ledger(let entry, _) = fact.source,
            outdated.map({ $0.contains(entry) }) ?? true
        {
            return true
        }
        let sought = KnownSecrets.Sought(value)
        if let sought, ofFacts.holds(sought) { return true }
        guard let place = fact.place else { return false }
        let key = place.pointer.tokens.last ?? place.key
        if isNaming, let key, Self.letters(key.text).hasSuffix(Self.letters(name.rawValue)) { return false }
        // Of an item it is the secret that a fact is inferred from, which may be public.
        return masking.context(of: place.held).makesSecret(value)
            || sought.map { secrets[place.entry]?.holds($0) ?? false } ?? false
    }

    private static func letters(_ name: String) -> String { name.lowercased().filter(\.isLetter) }

    /// What an entry was made from.
    func sources(of entry: Address) -> Set<Address> { sources[entry] ?? [] }

    /// What an entry, or a part of one, is told beside.
    func others(beside place: Address) -> Set<Address> { others[place] ?? [] }

    /// Whether parts of a value are told beside anything.
    func tellsParts(of address: Address) -> Bool { partsBeside[address] != nil }

    /// What parts of a value are told beside, each with the way to it.
    func besideParts(of address: Address) -> [(way: ArraySlice<Name>, others: Set<Address>)] {
        (partsBeside[address] ?? []).map { pointer in
            (pointer.tokens[address.pointer.tokens.count...], others[address.entry.appending(pointer)] ?? [])
        }
    }

    /// The secrets in facts.
    var secretsOfFacts: [KnownSecrets] { ofFacts.isEmpty ? [] : [ofFacts] }

    /// The secrets that the dump has in an entry; any, where nobody can look into what its steps have read.
    func secrets(in entry: Address) -> [KnownSecrets] {
        (secrets[entry].flatMap { $0.isEmpty ? nil : [$0] } ?? []) + (isUnknown(entry) ? [.unknown] : [])
    }

    /// Those that may be in an entry wherever they come from: those that may be in any and, in what was made, those of facts.
    func secrets(anywhereIn entry: Address) -> [KnownSecrets] {
        // What nothing made holds no fact.
        let all = [everywhere] + (sources[entry] == nil ? [] : [ofFacts])
        return all.filter { !$0.isEmpty } + (isUnknown(entry) ? [.unknown] : [])
    }

    private func isUnknown(_ entry: Address) -> Bool {
        if isOfAnother(entry) { return true }
        guard let makers = makers[entry] else { return false }
        return outdated.map { !$0.isDisjoint(with: makers) } ?? true
    }
}

extension Fact {
    fileprivate var isInferred: Bool { if case .inferred = source.first { true } else { false } }

    /// The entry, or the part of one, that it was inferred from.
    fileprivate var place: Address? {
        guard case .inferred(var place) = source.first else { return nil }
        if place.hasSuffix(StoreComparison.afterUpdate) { place.removeLast(StoreComparison.afterUpdate.count) }
        return try? Address(parsing: place)
    }
}
