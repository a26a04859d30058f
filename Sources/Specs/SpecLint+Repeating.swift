import MigrationEngine
import StoreFormats

/// Why a row changes its own result once more, or fails on it, and what keeps it from that.
struct EndlessRow {
    let sentence: String, fix: String
}

/// Tells which rows of a profile have something to do the second time.
///
/// A row that writes what it reads is tried on made-up values, through the engine, twice; and so is what is advised for it,
/// before it is. Of values that change places, and of stars, the addresses tell.
struct RepeatingRows {
    /// How many plans may still be made.
    private(set) var room: Int
    private let spec: Spec, profile: SpecProfile
    private let facts: Facts
    private lazy var changes = ChangedEntries(profile)

    init(_ spec: Spec, _ profile: SpecProfile, room: Int) {
        (self.spec, self.profile, self.room) = (spec, profile, room)
        var facts = Facts()
        for fact in spec.facts.values { facts[fact.name] = Fact(fact.example, from: "an example") }
        self.facts = facts
    }

    /// Why a row has something to do the second time; `nil` where nothing tells that it has.
    mutating func endless(_ row: SpecRow, at index: Int) -> EndlessRow? {
        // Most rows are none of these, and a file may have thousands.
        let isInPlace = if case .inPlace = row.to { true } else { false }
        let overwrites = row.exists == .overwrite || row.exists == .larger
        guard isInPlace || overwrites || row.addresses.contains(where: { $0.stars > 0 }) else { return nil }
        var row = row
        // What another step changes may be something else the second time.
        let asked = row.conditions.flatMap(\.addresses)
        if !asked.isEmpty, changes.contain(asked, by: { $0 != index }) { return nil }
        if row.conditions.contains(where: \.isOfStores), profile.steps.contains(where: \.takesAway) { return nil }
        if !row.conditions.isEmpty {
            // What nothing changes tells nothing.
            var own: [Condition] = []
            for condition in row.conditions
            where condition.isOfValue || changes.contain(condition.addresses, by: { $0 == index }) {
                own.append(condition)
            }
            row.conditions = own
        }
        if case .first = row.from, isInPlace || overwrites && row.writesWhatItReads {
            return tried(row, profile.steps[index].id)
        }
        let id = profile.steps[index].id
        if let star = row.endlessStar, row.conditions.isEmpty || isTakenAgain(row, id) { return star }
        guard overwrites, row.conditions.isEmpty, row.isExchange else { return nil }
        return EndlessRow(
            sentence: "the row overwrites what it reads, so that the second time it changes its own result",
            fix: mark(for: row, id)?.fix ?? Self.elsewhere)
    }

    /// Whether a row has something to do the second time on one of the values that are tried.
    private mutating func isTakenAgain(_ row: SpecRow, _ id: String) -> Bool {
        for sample in RowSamples(of: row).stored {
            switch second(of: row, id, on: sample) {
            case .unread, .ends: continue
            case .changes, .fails: return true
            }
        }
        return false
    }

    // MARK: Marks

    private static let elsewhere =
        "Put the result elsewhere with to:, as nothing tells it from what is still to be changed."

    /// What tells that a row has done its work where nothing of the values does: an entry beside its source, which the row asks
    /// for and a row behind it writes; `nil` where no such entry can be named.
    private func mark(for row: SpecRow, _ id: String) -> (row: SpecRow, behind: SpecStep, fix: String)? {
        guard let source = row.addresses.first?.text.prefix(while: { $0 != "#" }),
            let folder = source.lastIndex(of: "/").map({ source[...$0] }), !folder.contains("*")
        else { return nil }
        var reader = SpecReader()
        (reader.stores, reader.facts) = (spec.stores, spec.facts)
        let text = "\(folder)\(id)-done"
        guard let address = reader.address(text, at: .init(line: 1, column: 1)), reader.problems.isEmpty,
            !profile.steps.contains(where: { $0.id == "\(id)-done" })
        else { return nil }
        var asking = row, marking = SpecRow()
        let sentence = "\(text) is absent"
        asking.conditions.append(.test(.address(address), .isAbsent, sentence: sentence, say: nil))
        (marking.from, marking.to) = (.literal(SpecLiteral(.string("done"))), .one(SpecRow.Target(address: address)))
        var behind = SpecStep(id: "\(id)-done", work: .row(marking))
        behind.after = [id]
        return (
            asking, behind,
            "Nothing tells the result from what is still to be changed: put it elsewhere with to:, or ask for a mark, if: "
                + "[\(sentence)], and let a row behind it leave that: {id: \(behind.id), value: done, to: \(text), after: "
                + "[\(id)]}."
        )
    }

    // MARK: Trying

    /// What comes of a row on one value.
    private enum Second {
        /// The row is not for the value, or its place is none that can be made up.
        case unread
        case ends
        /// It changes its result once more.
        case changes(result: Value, Value?)
        case fails(result: Value, code: String)
    }

    private mutating func tried(_ row: SpecRow, _ id: String) -> EndlessRow? {
        guard !row.operations.isEmpty else { return nil }
        // What is long to write is long to run.
        let isLong = row.operations.contains { $0.argument?.isLonger(than: 4096) ?? false }
        let samples = RowSamples(of: row).stored.prefix(isLong ? 2 : RowSamples.most)
        var taken: [Value] = [], found: (sample: Value, second: Second)?
        for sample in samples {
            switch second(of: row, id, on: sample) {
            case .unread: continue
            case .ends: taken.append(sample)
            case let second:
                taken.append(sample)
                // A value that is changed once more tells more than one that fails.
                if case .changes? = found?.second { continue }
                if found == nil { found = (sample, second) }
                if case .changes = second { found = (sample, second) }
            }
        }
        guard let found else { return nil }
        let names = row.operations.map(\.name).uniqued.prefix(4).joined(separator: ", ")
        let sentence: String, result: Value, code: String?
        switch found.second {
        case .changes(let first, let second):
            (result, code) = (first, nil)
            let seen = "of \(found.sample.brief) it makes \(first.brief), and of that \(second?.brief ?? "nothing")"
            sentence = "\(names) changes the row's own result once more: \(seen)"
        case .fails(let first, let reason):
            (result, code) = (first, reason)
            sentence =
                "the row fails on its own result: \(names) makes \(first.brief) of \(found.sample.brief), and then it fails "
                + "(\(reason))"
        case .unread, .ends: return nil
        }
        for (mended, fix) in row.mends(of: found.sample, result, code) {
            let isMended = taken.allSatisfy { sample in
                if case .ends = second(of: mended, id, on: sample) { true } else { false }
            }
            if isMended { return EndlessRow(sentence: sentence, fix: fix) }
        }
        let mark = mark(for: row, id).flatMap { mark in
            let isMended = taken.allSatisfy { sample in
                if case .ends = second(of: mark.row, id, and: mark.behind, on: sample) { true } else { false }
            }
            return isMended ? mark.fix : nil
        }
        return EndlessRow(sentence: sentence, fix: mark ?? Self.elsewhere)
    }

    /// Runs a row on a value, and on what it makes of that; with a step that stands behind it.
    private mutating func second(
        of row: SpecRow, _ id: String, and behind: SpecStep? = nil, on sample: Value
    ) -> Second {
        guard room > 0 else { return .unread }
        room -= 2
        var alone = spec
        (alone.applies, alone.factNames, alone.expectations) = ([], [], [])
        let step = SpecStep(id: id, work: .row(row))
        alone.profiles = [
            SpecProfile(id: profile.id, summary: "", requires: [], steps: [step] + (behind.map { [$0] } ?? []))
        ]
        let migration = SpecMigration(alone), known = SpecFacts(definitions: spec.facts, facts: facts)
        guard let template = row.tried?.templates.first, let pattern = try? template.pattern(known) else {
            return .unread
        }
        let address = pattern.filled(Array(repeating: "x", count: template.stars)).readable
        guard let key = address.key, let entry = sample.entry(at: address) else { return .unread }
        let stores = MemoryStores([(address.store, Members([Member(key: key, value: entry)]))])
        func planned(on stores: any StoreReader) -> [PlannedStep] {
            Plan(
                of: migration, profile: migration.profiles[0], facts: facts, stores: stores, history: History(),
                check: {}
            ).steps
        }
        let first = planned(on: stores)
        guard first.first?.outcome.kind == .migrates else { return .unread }
        var seen = Overlay(stores)
        for change in first.flatMap(\.changes) { seen.apply(change) }
        func value() -> Value? {
            seen.state(at: address.entry).value?.held(in: address.entry).part(at: address)
        }
        guard let second = planned(on: seen).first(where: { ![.unchanged, .skipped].contains($0.outcome.kind) }) else {
            return .ends
        }
        let result = value() ?? .null
        guard second.outcome.kind == .migrates else {
            return .fails(result: result, code: second.outcome.reason?.code ?? second.outcome.kind.rawValue)
        }
        for change in second.changes { seen.apply(change) }
        return .changes(result: result, value())
    }
}

// MARK: Advice

extension SpecRow {
    /// What may keep a row from working on its own result, with the row that it would be then.
    ///
    /// - Parameters:
    ///   - old: A value that it takes, as it is stored, and what it makes of that.
    ///   - code: With what it fails on the result; `nil` where it does not.
    fileprivate func mends(of old: Value, _ new: Value, _ code: String?) -> [(row: SpecRow, fix: String)] {
        var found: [(row: SpecRow, fix: String)] = []
        func say(_ subject: String, _ pointer: JSONPointer, _ test: Condition.Test, _ words: String) {
            var row = self
            let sentence = "\(subject) \(words)"
            row.conditions.append(.test(.value(pointer), test, sentence: sentence, say: nil))
            found.append((row, "Say with if what is still to be changed: if: [\(sentence)]."))
        }
        let asked = operations.first.flatMap { $0.takes ?? OperationTable[$0.name]?.takes }?.typeKind
        /// The types as which one value is taken and the other is not.
        func kinds(_ old: Value, _ new: Value, _ likely: [ValueType.Kind?]) -> [ValueType.Kind] {
            let all = likely.compactMap(\.self) + [.number] + ValueType.Kind.allCases
            return all.uniqued.filter { kind in
                ValueType.read(old, as: kind) != nil && ValueType.read(new, as: kind) == nil
                    && ![.flag, .text, .uuid].contains(kind)
            }
        }
        // Where a type decodes, the value that conditions are asked of is not what is stored.
        let readOld = read(old), readNew = read(new), form = types.lazy.compactMap(\.form).first
        if let form, readNew == nil {
            for kind in kinds(old, new, []).prefix(2) {
                var reader = SpecReader()
                let decode = reader.operations(
                    .list([.mapping([("decode", .text(form.rawValue))])]), of: "do")
                var row = self
                (row.types, row.operations) = ([], decode + operations)
                let sentence = "value is \(kind.rawValue)"
                row.conditions.append(.test(.value(JSONPointer()), .isType(kind, true), sentence: sentence, say: nil))
                found.append(
                    (
                        row,
                        "Leave type out, and say with if what is still to be changed: if: [\(sentence)], "
                            + "do: [{decode: \(form.rawValue)}, …]."
                    ))
            }
        } else if form == nil {
            for kind in kinds(old, new, [types.first?.kind, asked]).prefix(3) {
                say("value", JSONPointer(), .isType(kind, true), "is \(kind.rawValue)")
            }
        }
        if let readOld, let readNew {
            for (pointer, one, other) in readOld.differing(from: readNew).prefix(6) {
                let subject = "value#\(pointer)"
                switch (one, other) {
                case (.some, nil): say(subject, pointer, .exists, "exists")
                case (nil, .some): say(subject, pointer, .isAbsent, "is absent")
                case (let one?, let other?):
                    for kind in kinds(one, other, []).prefix(2) {
                        say(subject, pointer, .isType(kind, true), "is \(kind.rawValue)")
                    }
                case (nil, nil): break
                }
            }
        }
        if let code, !["wrong-type", "check-failed"].contains(code) {
            var row = self
            row.onCode[code] = .skip
            found.append((row, "Pass over what is changed already: error: {\(code): skip}."))
        }
        return found
    }

    /// The value as the first type that fits reads it.
    private func read(_ stored: Value) -> Value? {
        types.isEmpty ? stored : types.lazy.compactMap { try? $0.read(stored) }.first
    }

    // MARK: Elsewhere

    /// Whether it writes a source of its own.
    fileprivate var writesWhatItReads: Bool {
        let written = Set(to.targets.flatMap(\.address.templates))
        return addresses.contains { !written.isDisjoint(with: $0.templates) }
    }

    /// The source on which it is tried: the one that it writes, where that is not each.
    fileprivate var tried: SpecAddress? {
        let written = Set(to.targets.flatMap(\.address.templates))
        return addresses.first { !written.isDisjoint(with: $0.templates) } ?? addresses.first
    }

    /// A target that a source with a star fits too.
    fileprivate var endlessStar: EndlessRow? {
        let sources = addresses.flatMap(\.templates).filter { $0.stars > 0 }.map(\.signs)
        guard !sources.isEmpty else { return nil }
        let left = except.flatMap(\.templates).map(\.signs)
        for target in self.to.targets {
            for signs in target.address.templates.map(\.signs)
            where sources.contains(where: { $0 != signs && $0.overlaps(signs) })
                && !left.contains(where: signs.isWithin)
            {
                return EndlessRow(
                    sentence:
                        "what \(target.address.text) stands for may fit the row's own source, so that the second time it is "
                        + "taken once more",
                    fix: "Leave it out with except: [\(target.address.text)].")
            }
        }
        return nil
    }

    /// Whether its values take each other's places, or one is written over what it is made of.
    fileprivate var isExchange: Bool {
        switch (from, to) {
        case (.all(let members, _), .members(let targets)):
            return targets.contains { target in
                let written = Set(target.target.address.templates)
                return members.contains { name, source in
                    guard let read = source.address?.templates, !written.isDisjoint(with: read) else { return false }
                    return !operations.isEmpty || name != target.name
                }
            }
        default:
            let written = Set(to.targets.flatMap(\.address.templates))
            return !operations.isEmpty && addresses.contains { !written.isDisjoint(with: $0.templates) }
        }
    }
}

extension Condition {
    /// Whether it is on the value, or on what the row writes, so that the result may tell.
    fileprivate var isOfValue: Bool {
        switch self {
        case .any(let all, _): all.allSatisfy(\.isOfValue)
        case .test(.value, _, _, _), .test(.target, _, _, _): true
        case .test: false
        }
    }

    /// Whether it asks for more than one entry.
    fileprivate var isOfStores: Bool {
        switch self {
        case .any(let all, _): all.contains(where: \.isOfStores)
        case .test(.store, _, _, _), .test(.anySource, _, _, _): true
        case .test: false
        }
    }
}

extension SpecStep {
    /// Whether it takes entries away.
    fileprivate var takesAway: Bool {
        switch work {
        case .row(let row): row.source != .keep
        case .removal: true
        case .document, .note: false
        }
    }
}

extension SpecNode {
    /// Whether there is more text in it than so many bytes.
    fileprivate func isLonger(than limit: Int) -> Bool {
        var rest = [self], left = limit
        while left >= 0, let node = rest.popLast() {
            switch node.content {
            case .scalar(let value): left -= 1 + (value.string?.utf8.count ?? 8)
            case .list(let items): rest += items
            case .mapping(let members):
                left -= members.count
                rest += members.map(\.value)
            }
        }
        return left < 0
    }
}

extension ValueKinds {
    /// The type as a condition names it; `nil` where no word is for just these.
    fileprivate var typeKind: ValueType.Kind? {
        ValueType.Kind.allCases.first { ![.flag, .text, .uuid].contains($0) && $0.asked == self }
    }
}

extension Value {
    /// The value in a few words: it is made up, and no secret.
    fileprivate var brief: String {
        let text = decoded().map(\.value.quoted) ?? quoted
        return text.count > 60 ? String(text.prefix(60)) + "…" : text
    }

    /// What holds it as a whole at an address; `nil` where nothing of the kind does.
    fileprivate func entry(at address: Address) -> Value? {
        var tokens = address.pointer.tokens, value = self
        let isBytes = address.store.kind == .file || address.store.kind == .keychain
        if address.store.kind == .keychain, tokens.first == KeychainItem.dataKey { tokens.removeFirst() }
        for token in tokens.reversed() { value = .dictionary(Members([Member(key: token, value: value)])) }
        if isBytes, !tokens.isEmpty { value = (try? Form.json.encode(value)) ?? value }
        switch address.store.kind {
        case .defaults: return value
        case .sqlite: return nil
        case .file, .keychain:
            let bytes = value.string.flatMap { try? Form.utf8.encode(.string($0)) }?.data ?? value.data
            guard let bytes else { return nil }
            return address.store.kind == .file ? .data(bytes) : KeychainItem(data: bytes).value
        }
    }

    /// The part of an entry at an address.
    fileprivate func part(at address: Address) -> Value? {
        var tokens = address.pointer.tokens
        if address.store.kind == .keychain, tokens.first == KeychainItem.dataKey { tokens.removeFirst() }
        guard !tokens.isEmpty else { return self }
        return (members == nil ? decoded()?.value ?? self : self)[JSONPointer(tokens)]
    }

    /// The members that are on one side only, or of another type, with where they are.
    fileprivate func differing(from other: Value) -> [(pointer: JSONPointer, old: Value?, new: Value?)] {
        if case .array(let items) = self, case .array(let others) = other, let one = items.first,
            let other = others.first
        {
            let pointer = JSONPointer(["0"])
            return (ValueKinds(of: one) == ValueKinds(of: other) ? [] : [(pointer, one, other)])
                + one.differing(from: other).map { (JSONPointer(pointer.tokens + $0.pointer.tokens), $0.old, $0.new) }
        }
        guard let members, let others = other.members else { return [] }
        var gone: [(pointer: JSONPointer, old: Value?, new: Value?)] = [], come = gone, changed = gone
        for member in members {
            let pointer = JSONPointer([member.key])
            guard let new = others[member.key] else {
                gone.append((pointer, member.value, nil))
                continue
            }
            if ValueKinds(of: new) != ValueKinds(of: member.value) { changed.append((pointer, member.value, new)) }
            changed += member.value.differing(from: new).map {
                (JSONPointer(pointer.tokens + $0.pointer.tokens), $0.old, $0.new)
            }
        }
        for member in others where members[member.key] == nil {
            come.append((JSONPointer([member.key]), nil, member.value))
        }
        return gone + come + changed
    }
}
