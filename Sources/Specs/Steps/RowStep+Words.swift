import MigrationEngine
import StoreFormats

extension StepStop {
    /// Whether it is the same whatever a row matches: a fact that is missing, or nothing more that may be made.
    var concernsAll: Bool {
        outcome.reason?.code == Allowance.code || !(outcome.reason?.missingFacts.isEmpty ?? true)
    }
}

extension Condition {
    /// That a row is left because of it.
    var notMet: StepStop {
        .skipped("condition-not-met", say ?? "it is left, as it does not hold that \(sentence)")
    }
}

extension [Address] {
    /// What is said of folders that a pattern fits too; `nil` where there are none.
    var noFiles: String? {
        guard let first else { return nil }
        let more = count == 1 ? " is" : " and \(count - 1) other\(count == 2 ? "" : "s") are"
        return "\(first)\(more) no file, and left"
    }
}

extension Sequence<Address> {
    /// The same, with the items of lists behind the others, the last ones first: each still has its number when it goes.
    var lastItemsFirst: [Address] {
        func number(_ token: Name) -> Int? { Int(token.text).flatMap { $0 < 0 ? nil : $0 } }
        func isBefore(_ left: Address, _ right: Address) -> Bool {
            if left.entry != right.entry { return left.entry.description < right.entry.description }
            return left.pointer.comesBefore(right.pointer)
        }
        let items = filter { $0.pointer.tokens.contains { number($0) != nil } }
        guard items.count > 1 else { return Array(self) }
        return filter { !$0.pointer.tokens.contains { number($0) != nil } } + items.sorted(by: isBefore).reversed()
    }
}

extension JSONPointer {
    /// Whether what it points to stands before what another one does: items by their numbers, what is in a part behind the part.
    func comesBefore(_ other: JSONPointer) -> Bool {
        for (one, other) in zip(tokens, other.tokens) where one != other {
            if let one = Int(one.text), let other = Int(other.text), one != other { return one < other }
            return one < other
        }
        return tokens.count < other.tokens.count
    }
}

extension StoreTransaction {
    /// An entry or a part of one that is taken away, and what there is to say of it.
    struct Discarded {
        let address: Address, notes: [String], effect: ValueEffect?
        /// What of it is lost, where that is not told by what was made from it.
        var dropped: [Address] = []
    }

    /// Takes entries away, or of parts only those: members of one dictionary at once.
    mutating func discard(_ all: [Discarded], rule: String) throws(StepStop) {
        guard all.count > 1, let entry = all.first?.address.entry, case .present(let before) = read(entry),
            let after = entry.store.kind == .defaults ? before.without(all.map(\.address.pointer)) : nil
        else {
            for one in all {
                try discard(one.address, rule: rule, notes: one.notes, effect: one.effect, dropped: one.dropped)
            }
            return
        }
        let lost = all.filter { $0.effect != .carried }.map(\.address)
        try edit(entry, to: after, at: all[0].address.pointer, rule: rule, notes: all.flatMap(\.notes), dropped: lost)
        for one in all.dropFirst() { note(.changed(one.address, from: nil, to: nil)) }
    }

    /// Takes an entry away, or of a part only that.
    ///
    /// - Parameter dropped: What of it nothing takes on, where that is not told by what was made from it.
    mutating func discard(
        _ address: Address, rule: String, notes: [String] = [], effect: ValueEffect?, dropped: [Address] = []
    ) throws(StepStop) {
        guard !address.pointer.isRoot else {
            return try takeAway(address, rule: rule, notes: notes, effect: effect, dropped: dropped)
        }
        let lost = dropped + (effect == .carried ? [] : [address])
        if takesMember(at: address) {
            return try write(
                nil, toMember: address, seeing: read(address), from: [address.entry], rule: rule, notes: notes,
                effect: .carried, dropped: lost)
        }
        guard case .present(let before) = read(address.entry) else { return }
        let after = try replacing(address, of: before, with: nil)
        // What goes out of a list moves what is behind it.
        let holder = JSONPointer(Array(address.pointer.tokens.dropLast()))
        let isItem =
            address.pointer.tokens.last.flatMap(JSONPointer.arrayIndex) != nil
            && before.standing(at: holder)?.isArray ?? false
        try edit(
            address.entry, to: after, at: isItem ? holder : address.pointer, rule: rule, notes: notes, dropped: lost)
    }

    private mutating func edit(
        _ entry: Address, to after: Value, at part: JSONPointer, rule: String, notes: [String], dropped: [Address]
    ) throws(StepStop) {
        try write(
            after, to: entry, part: part, from: [entry], rule: rule, notes: notes, placeholders: [], effect: .carried,
            dropped: dropped, policy: .replaceExisting)
    }
}

extension Value {
    /// A dictionary in it without some members; `nil` where they are of several, or of none that is read as it stands.
    fileprivate func without(_ members: [JSONPointer]) -> Value? {
        guard let first = members.first, !first.isRoot else { return nil }
        let holder = first.tokens.dropLast()
        guard members.allSatisfy({ $0.tokens.dropLast() == holder }) else { return nil }
        for depth in 0...holder.count {
            // One with a $ may be read as the archive that it is.
            let keys = self[JSONPointer(Array(holder.prefix(depth)))]?.members?.map(\.key)
            guard let keys, Set(keys).count == keys.count, !keys.contains(where: { $0.hasPrefix("$") }) else {
                return nil
            }
        }
        return try? replacing(members.map { ($0, nil) })
    }
}

extension Set<SpecRow.Source.Ignored> {
    /// Whether a value counts as not there.
    func ignore(_ value: Value) -> Bool {
        // A column without a value is NULL, also where it is one of a text.
        (contains(.empty) && (value.isEmptyValue || value == .null)) || (contains(.zero) && value.double == 0)
            || (contains(.negative) && (value.double ?? 0) < 0)
    }
}

extension SpecRow {
    /// What the row does, in words.
    var rule: String {
        var parts: [String] = []
        if !types.isEmpty, operations.isEmpty, types.contains(where: { $0.form != nil || $0.kind == .flag }) {
            parts.append("read as \(types.map(\.phrase).joined(separator: " or "))")
        }
        if !operations.isEmpty { parts.append(operations.rule) }
        if parts.isEmpty {
            switch (from, to) {
            case (.literal(let literal), _): parts.append("always \(literal.phrase)")
            case (_, .nowhere): parts.append("only checked")
            default: parts.append("the value as it is")
            }
        }
        if !conditions.isEmpty { parts.append("if " + conditions.map(\.sentence).joined(separator: " and ")) }
        if !checks.isEmpty { parts.append("failed unless " + checks.map(\.sentence).joined(separator: " and ")) }
        switch source {
        case .keep: break
        case .remove: parts.append("the source is removed once its value has arrived")
        case .discard: parts.append("the source is removed, also where the target keeps what it has")
        }
        // Each change in a ledger has it.
        let text = parts.joined(separator: "; ")
        return text.utf8.count > 4096 ? text.prefix(2048) + "…" : text
    }
}

extension SpecRun {
    /// When an item of the keychain could be read, where it goes to one that says nothing of it: its class is another then.
    func lostAttributes(in after: Value, of entry: Address) -> [String] {
        guard entry.store.kind == .keychain, let item = KeychainItem(after), item.attributes["pdmn"] == nil else {
            return []
        }
        return used.compactMap { source -> String? in
            guard source.store.kind == .keychain, source.entry != entry,
                let old = transaction.seen.state(at: source.entry).value.flatMap({ KeychainItem($0) }),
                let code = old.attributes["pdmn"]?.string, !code.isEmpty
            else { return nil }
            return "when the item can be read (\(SpecReader.Accessible.words(for: code))) is not taken on: say it with "
                + "accessible"
        }
    }

    /// In what an item that holds the value already is otherwise than the row would make it, or than the source was.
    func differences(of item: KeychainItem, at address: Address, _ wanted: Members) -> [String] {
        func words(_ code: Value?) -> String? {
            code?.string.flatMap { $0.isEmpty ? nil : SpecReader.Accessible.words(for: $0) }
        }
        var found: [String] = []
        let sources = used.filter { $0.store.kind == .keychain && $0.entry != address.entry }.compactMap { source in
            words(transaction.seen.state(at: source.entry).value.flatMap { KeychainItem($0) }?.attributes["pdmn"])
        }
        if let stands = words(item.attributes["pdmn"]) {
            if let wanted = words(wanted["pdmn"]) {
                if wanted != stands {
                    found.append(
                        "\(address) holds it already, and can be read \(stands), not \(wanted): exists: overwrite changes that"
                    )
                }
            } else if let source = sources.first(where: { $0 != stands }) {
                found.append(
                    "\(address) holds it already, and can be read \(stands), where its source can be \(source)")
            }
        }
        if let group = wanted["agrp"]?.string, let other = item.attributes["agrp"]?.string, other != group {
            found.append("\(address) holds it already, in the access group \(other), not \(group)")
        }
        return found
    }

    /// That no item of the dump is in the access group that a new one gets: a name with a slip in it, or one of another team.
    mutating func unknownGroup(_ attributes: Members) -> [String] {
        guard let group = attributes["agrp"]?.string else { return [] }
        if knownGroups == nil {
            let stores = transaction.origin
            knownGroups = stores.stores.filter { $0.kind == .keychain }.reduce(into: []) { groups, store in
                let keys = stores.keys(in: store)
                for position in 0..<keys.count {
                    let state = stores.state(at: Address(store: store, key: keys.key(at: position)))
                    if let group = state.value.flatMap({ KeychainItem($0) })?.attributes["agrp"]?.string {
                        groups.insert(group)
                    }
                }
            }
        }
        guard knownGroups?.contains(group) == false else { return [] }
        return ["no item of the dump is in the access group \(group): check that the app reads it"]
    }

    /// The files that stars of addresses fit, in words; `nil` where no file has one, or where they cannot be listed.
    func files(of addresses: [SpecAddress]) -> String? {
        let patterns = addresses.flatMap(\.templates).compactMap { template -> AddressPattern? in
            guard template.stars > 0, let pattern = try? template.pattern(facts) else { return nil }
            return pattern.address.store.kind == .file ? pattern : nil
        }
        guard !patterns.isEmpty else { return nil }
        var found: [Address] = []
        for pattern in patterns {
            guard let matches = try? pattern.matches(in: transaction.seen) else { return nil }
            found += matches.map(pattern.filled)
        }
        let names = found.uniqued.prefix(3).map { "\($0)" }.joined(separator: ", ")
        return found.isEmpty
            ? "there is none" : "there: " + names + (found.count > 3 ? " and \(found.count - 3) more" : "")
    }
}

extension StoreReader {
    /// Why what a row writes would be in no file of a dump, in a sentence; `nil` where it would be.
    func obstacle(to value: Value, at entry: Address) -> String? {
        switch entry.store.kind {
        case .file: loss(of: value, at: entry)
        // The file of a domain is there for any name that is not too long.
        case .defaults: entry.store.name.utf8.count > 200 ? loss(of: value, at: entry) : nil
        case .keychain, .sqlite: nil
        }
    }
}
