import MigrationEngine
import StoreFormats

/// A removal while it runs: what other rows have taken on goes, and what did not arrive stays, unless the spec says so.
struct RemovalRun {
    let step: SpecStep
    let removal: SpecRemoval
    var run: SpecRun

    mutating func take() throws(StepStop) {
        try run.checkRequirements()
        let rule = step.rule ?? "removed, as other steps have taken it on"
        // Before the first removal: a row may read more than one entry.
        let before = run
        var found: [Address] = [], seen: Set<Address> = [], folders: [Address] = [], starred: Set<Address> = []
        for address in removal.addresses ?? run.context.rows.flatMap(\.row.addresses) {
            let pattern = try run.pattern(address)
            if removal.addresses != nil { folders += pattern.folders(in: run.transaction.seen) }
            for match in try run.matches(of: pattern) {
                // Of what lies in a document only its fields go where that was asked for by an alias.
                let whole = pattern.filled(match)
                let address = removal.addresses == nil && !address.isField ? whole.entry : whole
                if pattern.hasStars { starred.insert(address) }
                if seen.insert(address).inserted { found.append(address) }
            }
        }
        var present: [Address] = [], stays: [Staying] = [], obstacle: StepStop?
        for address in found {
            switch run.transaction.read(address) {
            case .absent: break
            case .present: present.append(address)
            case .unreadable(let reason):
                let stop = StepStop.unreadable(address, reason)
                // One of several that a star fits does not keep the others.
                guard starred.contains(address) else { throw stop }
                obstacle = obstacle ?? stop
                stays.append(Staying("\(address) stays, as it cannot be read"))
            }
        }
        if let obstacle, present.isEmpty { throw obstacle }
        guard !present.isEmpty else {
            let nothing = "there is nothing left to remove"
            throw .skipped("absent", nothing + (folders.noFiles.map { ", but \($0)" } ?? ""))
        }
        let (behind, later) = try self.later()
        let unknown = run.transaction.account?.unknown ?? []
        var told = run.transaction.account?.parts, looked: PartAccount?
        func account(of entry: Address) -> PartAccount {
            if let told, !unknown.contains(entry) { return told }
            let account = looked ?? self.account(before, without: behind)
            looked = account
            return account
        }
        var held: StepStop?
        // What goes out of one container goes at once: one by one each would cost the whole.
        var together: [StoreTransaction.Discarded] = []
        // What was lost of entries: where one then goes as a whole, its change says that too.
        var lost: [Address: [StoreTransaction.Discarded]] = [:]
        func discardTogether() throws(StepStop) {
            let all = together
            together = []
            do throws(StepStop) {
                try run.transaction.discard(all, rule: rule)
                for one in all where one.effect != .carried { lost[one.address.entry, default: []].append(one) }
            } catch {
                guard all.allSatisfy({ starred.contains($0.address) }),
                    error.outcome.reason?.code == StoreTransaction.held
                else { throw error }
                held = held ?? error
                stays += all.map { Staying("\($0.address) stays, as another app's step has left it so") }
            }
        }
        for address in present.lastItemsFirst {
            if let last = together.last, !address.isBeside(last.address) { try discardTogether() }
            let account = account(of: address.entry)
            // What a row has made in place, or elsewhere in the entry, is no source any more.
            if removal.addresses == nil, account.isMade(address) {
                stays.append(Staying("\(address) stays, as a step has written it"))
                continue
            }
            if let reader = later[address.entry]?.first(where: { $0.address.overlaps(address) })?.step {
                stays.append(Staying("\(address) stays, as \(reader) reads it behind this step"))
                continue
            }
            let value = run.transaction.seen.state(at: address).value, left = account.left(in: address.entry)
            let stops = left.filter { $0.part == address || address.pointer.isRoot }.map(\.why)
            // One that is left for a condition may have been meant for another row.
            let isHeld = stops.contains { $0.outcome.kind != .skipped }
            let place = address.secret(of: value),
                standing = place == address ? value : value?.standing(at: place.pointer)
            let hasArrived = account.hasArrived(place, holding: standing) && !isHeld
            let reasons = stops.map { $0.words(on: address.entry) }.uniqued
            // A part that a row reads and that has not arrived keeps the entry: it would go with it.
            let missing = left.first { part, why in
                address.pointer.isRoot && !why.isOfNothing
                    && !account.hasArrivedFully(part, holding: run.transaction.seen.state(at: part).value)
            }
            if hasArrived, let missing, !removal.removesUnmigrated {
                let why = missing.why.outcome.reason
                stays.append(Staying("\(address) stays, as \(missing.part) of it has not arrived", why))
                continue
            }
            guard hasArrived || removal.removesUnmigrated else {
                let why =
                    wasRead(address)
                    ? "\(Self.readElsewhere(address)), and it may not have arrived" : "nothing has taken it on"
                stays.append(Staying("\(address) stays, as \(why)", stops.first?.outcome.reason))
                continue
            }
            // A row of the whole has said that nothing is left that would be taken on.
            let isEmptied = stops.contains(where: \.isOfNothing)
            let rest =
                hasArrived && !isEmptied ? words(for: account.rest(of: place, holding: standing), in: value) : nil
            let isWhole = isEmptied || account.isWhole(place, holding: standing)
            // Of what all was taken out before nothing is lost.
            let isEmpty = !(standing?.hasLeaves ?? true) && run.transaction.original(address).value != value
            // What has arrived there is nowhere now.
            let going = [[PartEvent.changed(address, from: standing, to: nil)]]
            told?.note(going)
            looked?.note(going)
            let parts = address.pointer.isRoot ? lost[address] ?? [] : []
            together.append(
                StoreTransaction.Discarded(
                    address: address,
                    notes: (run.notes(of: step) + reasons.map { "it was not migrated and would be lost: \($0)" }
                        + [
                            rest.map { "\($0) of it is taken on by nothing, and goes with it" },
                            hasArrived || isEmpty || !reasons.isEmpty
                                ? nil
                                : wasRead(address)
                                    ? "\(Self.readElsewhere(address)): what of it has not arrived would be lost"
                                    : "nothing has taken it on, and it would be lost",
                        ].compactMap(\.self) + parts.flatMap(\.notes)).uniqued,
                    // What rows have taken only a part of is lost with the rest.
                    effect: hasArrived && isWhole && rest == nil || isEmpty ? .carried : .dropped,
                    dropped: parts.map(\.address)))
        }
        try discardTogether()
        stays += [folders.noFiles].compactMap(\.self).map { Staying($0) }
        guard !stays.isEmpty else { return }
        guard run.transaction.hasChanges else {
            if let held { throw held }
            let (sentences, more) = (stays.prefix(5).map(\.sentence), stays.count - 5)
            var stop = StepStop.skipped(
                "not-migrated", sentences.joined(separator: "; ") + (more > 0 ? "; and \(more) more stay" : ""))
            stop.outcome.reason?.quoted = stays.prefix(5).flatMap { $0.why?.quoted ?? [] }.uniqued
            throw stop
        }
        // Why one stays may quote what it holds, and the note stands at another.
        let named = stays.prefix(5).map(\.what).joined(separator: "; ")
        run.transaction.add(note: named + (stays.count > 5 ? "; and \(stays.count - 5) more stay" : ""))
    }
}

extension Address {
    /// Whether both are members of one container, and none of them an item of a list, which moves those behind it.
    fileprivate func isBeside(_ other: Address) -> Bool {
        guard let last = pointer.tokens.last, let otherLast = other.pointer.tokens.last, entry == other.entry else {
            return false
        }
        return JSONPointer.arrayIndex(last) == nil && JSONPointer.arrayIndex(otherLast) == nil
            && pointer.tokens.dropLast() == other.pointer.tokens.dropLast()
    }
}

extension RemovalRun {
    /// That steps of which this profile has none as they were had to do with an entry.
    private static func readElsewhere(_ address: Address) -> String {
        "steps that this profile does not have had to do with \(address.entry), or with what it became"
    }

    /// Whether nobody knows what of an entry arrived, as others than the steps of this plan had to do with it.
    private func wasRead(_ address: Address) -> Bool {
        run.transaction.account?.unknown.contains(address.entry) ?? false
    }

    /// The rows behind this step, which have taken nothing on yet, and what they read, by the entries.
    private mutating func later() throws(StepStop) -> (
        steps: Set<String>, reads: [Address: [(address: Address, step: String)]]
    ) {
        let steps = run.context.profile.steps
        guard let own = steps.firstIndex(where: { $0.id == step.id }) else { return ([], [:]) }
        var behind: Set<String> = [], found: [Address: [(address: Address, step: String)]] = [:]
        for step in steps[(own + 1)...] {
            guard case .row(let row) = step.work else { continue }
            behind.insert(step.id)
            for address in row.addresses {
                let pattern = try run.pattern(address)
                for match in try pattern.matches(in: run.transaction.seen) {
                    let address = pattern.filled(match)
                    found[address.entry, default: []].append((address, step.id))
                }
            }
        }
        return (behind, found)
    }

    /// What became of the sources by what the rows make of them now: those that are done find what they have made.
    private func account(_ before: SpecRun, without behind: Set<String>) -> PartAccount {
        var events: [[PartEvent]] = []
        // What they make is counted anew: nothing of it is kept.
        var allowance = Allowance.migration
        for (step, row) in run.context.rows where !behind.contains(step.id) {
            var row = RowRun(step, row, before)
            row.run.transaction.allowance = allowance
            defer { allowance = row.run.transaction.allowance }
            do throws(StepStop) {
                try row.take()
                events.append(row.run.transaction.events)
            } catch {
                events.append(row.run.transaction.events(stoppedBy: error))
            }
        }
        var account = PartAccount()
        account.note(events)
        return account
    }

    /// What of an entry no row has taken on, by the names of its members; `nil` where nothing is left.
    private func words(for left: [JSONPointer], in value: Value?) -> String? {
        guard !left.isEmpty else { return nil }
        let isItem = value.flatMap { KeychainItem($0) } != nil, isList = value?.isList ?? false
        // A member goes by its name, anything deeper and an item of a list by its pointer.
        let names = left.prefix(5).map { pointer in
            let tokens = Array(pointer.tokens.dropFirst(isItem ? 1 : 0))
            return tokens.isEmpty
                ? "the rest" : tokens.count == 1 && !isList ? tokens[0].text : "\(JSONPointer(tokens))"
        }
        return names.joined(separator: ", ") + (left.count > names.count ? " and \(left.count - names.count) more" : "")
    }
}

/// What a removal leaves, and why.
private struct Staying {
    /// That it stays.
    let what: String
    /// Why what reads it has left it.
    let why: Reason?

    init(_ what: String, _ why: Reason? = nil) { (self.what, self.why) = (what, why) }

    var sentence: String { what + (why.map { ": \($0.sentence)" } ?? "") }
}

extension StepStop {
    /// Why something was left, for a note on an entry, which quotes no other: there nobody would know whether that is secret.
    fileprivate func words(on entry: Address) -> String {
        guard let reason = outcome.reason else { return outcome.kind.rawValue }
        return reason.quoted.allSatisfy { $0.entry == entry } ? reason.sentence : reason.code
    }

    /// Whether a row was left as nothing of its value would be taken on.
    fileprivate var isOfNothing: Bool { outcome.reason?.code == "empty" }
}

extension Address {
    /// Of an item of the keychain the part that is the user's.
    fileprivate func secret(of value: Value?) -> Address {
        guard pointer.isRoot, value.flatMap({ KeychainItem($0) }) != nil else { return self }
        return Address(store: store, key: key, pointer: JSONPointer([KeychainItem.dataKey]))
    }
}

extension Value {
    /// Whether its parts go by their positions.
    fileprivate var isList: Bool {
        switch decoded()?.value ?? self {
        case .array, .set: true
        default: false
        }
    }
}

extension SpecAddress {
    /// Whether it is a field of a document by its alias, where fields act as keys.
    fileprivate var isField: Bool {
        guard alias != nil else { return false }
        return !text.contains("#")
            && templates.contains { template in
                template.pieces.contains { if case .text(let text) = $0 { text.contains("#/") } else { false } }
            }
    }
}
