import Foundation
import MigrationEngine
import StoreFormats

/// How a row puts its result where it belongs.
extension RowRun {
    /// Puts the result where it belongs; says whether it is there then.
    mutating func put(_ draft: any Draft, _ taken: Taken) throws(StepStop) -> Bool {
        switch row.to {
        case .nowhere: return true
        case .inPlace:
            guard let place = try placeOfSource() else { return true }
            run.target = place
            return try put(draft.value, at: place, SpecRow.Target?.none, draft, taken)
        case .one(let target):
            guard let address = run.target else { return false }
            return try put(draft.value, at: address, target, draft, taken)
        case .members(let members):
            var hasArrived = true, stop: StepStop?, isAnyPut = false
            let parts = draft.value.members?.firstValues ?? [:]
            for (name, target, address) in try outermostFirst(members) {
                guard let part = parts[name] else {
                    throw .failed("field-missing", "the result has no \(name), which goes to \(target.address.text)")
                }
                do throws(StepStop) {
                    let isThere = try put(part, at: address, target, draft, taken, member: name)
                    if !isThere { kept.append(JSONPointer([name])) }
                    hasArrived = isThere && hasArrived
                    isAnyPut = true
                } catch {
                    // One target that keeps what it has does not keep the others from theirs.
                    guard error.outcome.kind == .skipped else { throw error }
                    kept.append(JSONPointer([name]))
                    (stop, hasArrived) = (stop ?? error, false)
                }
            }
            if let stop, !isAnyPut { throw stop }
            if let reason = stop?.outcome.reason, row.addresses.allSatisfy({ $0.stars == 0 }) {
                run.transaction.add(note: reason.sentence)
            }
            return hasArrived
        }
    }

    /// Where the source stands, or would: a default is put there.
    private mutating func placeOfSource() throws(StepStop) -> Address? {
        if let source = run.used.first { return source }
        guard let address = row.addresses.first else { return nil }
        return try run.resolved(address)
    }

    /// The targets with where they are; what lies in another one behind that, as it would be replaced with it.
    private mutating func outermostFirst(
        _ members: [(name: Name, target: SpecRow.Target)]
    ) throws(StepStop) -> [(name: Name, target: SpecRow.Target, address: Address)] {
        var placed: [(name: Name, target: SpecRow.Target, address: Address)] = []
        for (name, target) in members { placed.append((name, target, try run.resolved(target.address))) }
        func depth(_ index: Int) -> Int { placed[index].address.pointer.tokens.count }
        return placed.indices.sorted { (depth($0), $0) < (depth($1), $1) }.map { placed[$0] }
    }

    private mutating func put(
        _ value: Value, at address: Address, _ target: SpecRow.Target?, _ draft: any Draft, _ taken: Taken,
        member: Name? = nil
    ) throws(StepStop) -> Bool {
        // What stands for a star may make of it what no dump can hold.
        if let why = address.departure { throw .failed("address-outside", "\(address) \(why)") }
        let state = run.transaction.look(at: address)
        if case .unreadable(let reason) = state { throw .unreadable(address, reason) }
        if let why = run.transaction.seen.obstacle(to: value, at: address.entry) { throw .noFile(why) }
        // A member of a dictionary is written by itself: all that stand beside it would be looked through and copied each time.
        let isMember = run.transaction.takesMember(at: address), entry = address.entry
        let before = address.pointer.isRoot || isMember ? state : run.transaction.read(entry)
        if case .unreadable(let reason) = before { throw .unreadable(entry, reason) }
        // Only a document in a text or in data keeps how JSON wrote a number.
        let isInDocument =
            !address.pointer.isRoot && !isMember && (before.value?.string != nil || before.value?.data != nil)
        let value = isInDocument ? value : value.asPropertyList
        let existing = state.value?.held(in: address)
        let counts = existing.map { !(target?.ignored.ignore($0) ?? false) } ?? false
        var lost: [Address] = [], isFound = false
        if counts, let existing {
            // Where the form is what the row makes, the same in another form is not there yet.
            let isOtherForm = row.replacesForm && value.hasOtherForm(than: existing, in: address)
            // So may an item be read at other times.
            let isOtherItem = row.exists == .overwrite && lacks(target?.attributes ?? Members(), state.value)
            let isSame = value.isSame(as: existing, in: address)
            isFound = isSame && !isOtherForm && !isOtherItem
            if isFound {
                if let item = state.value.flatMap({ KeychainItem($0) }) {
                    held += run.differences(of: item, at: address, target?.attributes ?? Members())
                }
            } else if row.exists == .keep {
                return try keep(address, "holds something else, which is kept")
            } else if row.exists == .larger, existing.isAtLeast(value) == true {
                return try keep(address, "holds a larger number, which is kept")
            }
            if !isSame { lost = overwritten(existing, at: address) }
        }
        let after: Value
        if isFound, let found = before.value {
            after = found
        } else if isMember {
            try Self.checkHolds(value, address)
            after = value
        } else {
            after = try Self.stored(
                value, at: address, target?.attributes ?? Members(), before: before.value, in: &run.transaction)
        }
        var sources = makers.sources(of: member) ?? run.used
        if !staying.isEmpty { sources.removeAll(where: staying.contains) }
        sources += makers.takeUnplaced()
        if !address.pointer.isRoot, !sources.contains(entry) { sources.append(entry) }
        let prefix = address.held.pointer.tokens
        // Of a member of the result only what is made up in it.
        let madeUp = draft.placeholders.compactMap { place in
            guard let member else { return place }
            return place.tokens.first == member ? JSONPointer(Array(place.tokens.dropFirst())) : nil
        }
        // Nothing of anybody else's stands in what the row itself has read.
        let isOwn = run.used.count == 1 && run.used[0] == address && row.mayBeInPlace
        let isKept =
            counts && !isOwn && row.mayNotReplace(existing, by: value)
            || existing != nil && (isTooEarly || writtenBefore.overlaps(address))
        // Of several things that were taken only what this target is made of.
        let own = makers.taken(for: member), parts = own.isEmpty ? [taken] : own
        let all = own.isEmpty && !taken.members.isEmpty ? Array(taken.members.values) : parts
        let isMadeUp = all.allSatisfy(\.isMadeUp) || madeUp.contains { $0.isRoot }
        // Where nothing was done with one of them it is what it was, whatever stands there by now, and whatever became of others.
        let isUntouched = own.count == 1 && own[0].value == value
        let changesMeaning =
            draft.replacesValues || draft.losesPart || row.operations.contains(where: \.changesMeaning)
        let effect: ValueEffect? =
            if isMadeUp {
                .madeUp
            } else if all.allSatisfy({ $0.isSaid || $0.isMadeUp }) {
                .carried
            } else if changesMeaning, !isUntouched {
                .changed
            } else if isUntouched || row.operations.isEmpty, !parts.contains(where: \.isDecoded) {
                .carried
            } else {
                nil
            }
        let ownNotes = isUntouched ? [] : draft.notes
        let notes =
            run.notes(of: step) + ownNotes + run.lostAttributes(in: after, of: entry)
            + run.unknownGroup(target?.attributes ?? Members())
        let placeholders = (isMadeUp ? [JSONPointer()] : madeUp).map { JSONPointer(prefix + $0.tokens) }
        let policy = isKept ? StoreTransaction.WritePolicy.keepExisting : .replaceExisting
        lost = (dropped + lost).uniqued
        if isMember {
            try run.transaction.write(
                after, toMember: address, seeing: before, from: sources, rule: rule, notes: notes,
                placeholders: placeholders, effect: effect, dropped: lost, policy: policy)
        } else {
            try run.transaction.write(
                after, to: entry, part: address.pointer, seeing: before, from: sources, rule: rule, notes: notes,
                placeholders: placeholders, effect: effect, dropped: lost, policy: policy)
        }
        // Of several targets the first one tells what none has; a removal tells again what was lost before.
        if isFound {
            foundLost += dropped
            foundNotes += draft.notes
            if effect == .changed, draft.notes.isEmpty {
                foundNotes.append("what stands at \(address) means something else")
            }
        }
        dropped = []
        noteMade(address, of: draft, member)
        return true
    }

    private mutating func noteMade(_ address: Address, of draft: any Draft, _ member: Name?) {
        written.insert(address)
        let part = JSONPointer(member.map { [$0] } ?? [])
        run.transaction.note(.made(address.held, from: MadeParts(part, of: draft.origins, from: makers[member])))
    }

    /// Whether what is there is an item of the keychain that has not all of these attributes.
    private func lacks(_ attributes: Members, _ existing: Value?) -> Bool {
        guard let item = existing.flatMap({ KeychainItem($0) }) else { return false }
        return attributes.contains { item.attributes[$0.key] != $0.value }
    }

    private mutating func keep(_ address: Address, _ why: String) throws(StepStop) -> Bool {
        guard row.source == .discard else { throw .skipped("target-kept", "\(address) \(why)") }
        return false
    }

    /// What of the user's value at the target is gone with it: what the new one is not made of.
    private mutating func overwritten(_ existing: Value, at address: Address) -> [Address] {
        guard row.exists == .overwrite || row.exists == .larger else { return [] }
        let taken = makers.places[address.entry], place = address.held.pointer
        if taken.holds(address.pointer) { return [] }
        if !taken.overlaps(place) { return existing.hasLeaves ? [address] : [] }
        return taken.rest(of: place, holding: existing).map {
            Address(store: address.store, key: address.key, pointer: $0)
        }
    }

    /// The value of an entry that holds a value as a whole, or at a part of what is there.
    ///
    /// - Parameter transaction: Changed by nothing here; the run as a whole would be copied for the call.
    private static func stored(
        _ value: Value, at address: Address, _ attributes: Members, before: Value?,
        in transaction: inout StoreTransaction
    ) throws(StepStop) -> Value {
        if !address.pointer.isRoot {
            guard let before else { throw .failed("no-document", "\(address.entry) is not there, so it has no fields") }
            if before.members != nil || before.isArray { try checkHolds(value, address) }
            return try transaction.replacing(address, of: before, with: value)
        }
        switch address.store.kind {
        case .defaults:
            try checkHolds(value, address)
            return value
        case .file, .keychain, .sqlite:
            // A file and an item of the keychain hold bytes; those of a text are its UTF-8.
            guard let bytes = value.data ?? value.string.map({ Data($0.utf8) }) else {
                throw .failed(
                    "wrong-type", "\(address) holds bytes, and the result is \(value.typePhrase): end with encode")
            }
            guard address.store.kind == .keychain else { return .data(bytes) }
            var kept = before.flatMap { KeychainItem($0) }?.attributes ?? Members()
            for attribute in attributes { kept[attribute.key] = attribute.value }
            return KeychainItem(data: bytes, attributes: kept).value
        }
    }

    /// Stops where a property list, as UserDefaults are, cannot hold a value.
    private static func checkHolds(_ value: Value, _ address: Address) throws(StepStop) {
        guard let what = value.strangerToPropertyLists else { return }
        throw .failed("wrong-type", "\(address) lies in a property list, which cannot hold \(what)")
    }
}

extension SpecRow {
    /// Whether something else in the target is a conflict: by the row, or because of two values that are no numbers none is larger.
    fileprivate func mayNotReplace(_ existing: Value?, by value: Value) -> Bool {
        switch exists {
        case .conflict: true
        case .larger: existing?.isAtLeast(value) == nil
        case .keep, .overwrite: false
        }
    }
}
