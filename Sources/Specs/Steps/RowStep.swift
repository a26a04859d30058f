import MigrationEngine
import StoreFormats

/// A row while it runs: take from, as type, if, do, put to.
struct RowRun {
    let step: SpecStep
    let row: SpecRow
    let rule: String
    var run: SpecRun

    /// What the row has written for what it matches now, and for what it matched before.
    var written = EntryParts()
    private(set) var writtenBefore = EntryParts()
    /// The sources that it has taken away for what it matches now, and for those, where some are the same for every match.
    private var taken: [Address] = []
    private var takenBefore: Set<Address> = []
    /// Whether what it matches now would be written over what it is still to read for another match.
    private(set) var isTooEarly = false
    /// What of the result is kept from where it should go.
    var kept: [JSONPointer] = []
    /// What of what was taken the result has somewhere.
    private var arrived: [JSONPointer] = []
    /// What of the sources the row does not take on.
    private var losses: [Address] = []
    /// That, and what else goes, until a change has said so.
    var dropped: [Address] = []
    /// What of it was told of a target that was found as the row would make it.
    var foundLost: [Address] = []
    /// The same in words.
    var foundNotes: [String] = []
    /// The sources without a place in the result, which stay where they are.
    private(set) var staying: [Address] = []
    /// What the result is made of.
    var makers = Makers()

    /// The folders that its patterns fit, though none need be in place of a file.
    private var folders: [Address] = []
    /// What it matches and does not take, with the codes: what has failed, what `error: skip` passes over, and what the row
    /// leaves as it says.
    private var failed: [Untaken] = [], skipped: [Untaken] = [], passed: [Untaken] = []
    /// In what items of the keychain that hold the value already are otherwise than the row would make them.
    var held: [String] = []

    init(_ step: SpecStep, _ row: SpecRow, _ run: SpecRun) {
        self.step = step
        self.row = row
        self.run = run
        rule = step.rule ?? row.rule
    }

    /// Runs the row on everything that it matches.
    mutating func take() throws(StepStop) {
        try run.checkRequirements()
        let matches = try self.matches()
        guard !matches.isEmpty else {
            // The names that a spec gives to stores are its own.
            let places = row.addresses.flatMap(\.templates).map { $0.text(knowing: run.facts) }.uniqued
            let nothing = "there is nothing at \(places.joined(separator: " or "))"
            throw said(.skipped("absent", nothing + (folders.noFiles.map { ", but \($0)" } ?? "")))
        }
        var failure: StepStop?, skip: StepStop?, isDone = false
        var order = self.order(of: matches)
        let sharesSources = matches.count > 1 && row.addresses.contains { $0.stars == 0 }
        let mayMeet = matches.count > 1 && mayMeetItself()
        if matches.count > 1 {
            run.start = run.transaction.seen
            run.transaction.reserve(matches.count)
        }
        for index in order.indices {
            run.match = matches[index]
            isTooEarly = order.isTooEarly(index)
            (run.value, run.used, run.usedFacts, run.target) = (nil, [], [], nil)
            (written, makers) = (EntryParts(), Makers())
            (kept, losses, dropped, foundLost) = ([], [], [], [])
            (foundNotes, staying, taken) = ([], [], [])
            let known = skipped.count, knownHeld = held.count
            if matches.count > 1 { run.transaction.beginPart() }
            do throws(StepStop) {
                try takeOne()
                isDone = true
                guard matches.count > 1 else { continue }
                if mayMeet { writtenBefore.formUnion(written) }
                if sharesSources { takenBefore.formUnion(taken) }
                order.close(index)
            } catch {
                var error = said(error)
                error.outcome.reason?.quoted = run.used
                held.removeLast(held.count - knownHeld)
                // One of several that is left does not keep the others from being taken; nothing of it is.
                guard matches.count > 1, !error.concernsAll else {
                    noteLeft(error)
                    if error.concernsAll { look(at: matches) }
                    throw error
                }
                run.transaction.takePartBack()
                noteLeft(error)
                if error.outcome.kind == .skipped {
                    skip = skip ?? error
                    order.close(index)
                    let code = error.outcome.reason?.code ?? ""
                    // What `error: skip` passes over is told by itself.
                    if skipped.count == known { passed.append((place, code)) }
                } else {
                    failure = failure ?? error
                    failed.append((place, error.outcome.reason?.code ?? error.outcome.kind.rawValue))
                }
            }
        }
        // Where nothing else is changed, that is what there is to say.
        if var failure, !run.transaction.hasChanges {
            if failed.count > 1 { failure.outcome.reason?.sentence += "; \(failed.count - 1) more of \(matches.count)" }
            throw failure
        }
        if let skip, !isDone {
            throw skipped.count > 1 ? .skipped(skipped[0].code, Self.passedOver(skipped, of: matches.count)) : skip
        }
        tell(of: matches.count)
    }

    /// Looks at all that its stars fit, which is the step's own though nothing of it is taken.
    private mutating func look(at matches: [[Name]]) {
        for match in matches {
            run.match = match
            for address in row.addresses where address.stars > 0 {
                if let source = try? run.resolved(address) { _ = run.transaction.read(source) }
            }
        }
    }

    /// Notes why what it matches now stays where it is.
    private mutating func noteLeft(_ error: StepStop) {
        // What only the stores can name says its step by nothing else.
        let targets = row.addresses.contains { $0.stars > 0 } ? row.to.targets.map(\.address) : []
        let aims = targets.compactMap { try? run.resolved($0) }
        for source in run.used { run.transaction.note(.left(source, error, for: aims)) }
    }

    /// Where what it matches now stands.
    private var place: Address? {
        mutating get { run.used.first ?? row.addresses.first { $0.stars > 0 }.flatMap { try? run.resolved($0) } }
    }

    private typealias Untaken = (address: Address?, code: String)

    /// What of so many matches is left, by their addresses: what they hold may be secret.
    private static func list(_ all: [Untaken], of count: Int, _ why: String) -> String {
        let named = all.prefix(5).map { "\($0.address.map { "\($0)" } ?? "one") (\($0.code))" }
        let more = all.count > 5 ? " and \(all.count - 5) more" : ""
        return "\(all.count) of \(count) \(all.count == 1 ? "is" : "are") left, \(why): "
            + named.joined(separator: ", ") + more
    }

    private static func passedOver(_ skipped: [Untaken], of count: Int) -> String {
        list(skipped, of: count, "as error: skip says")
    }

    /// Says what of so many matches is left, though the others are taken.
    private mutating func tell(of count: Int) {
        var notes = [folders.noFiles].compactMap(\.self)
        if !skipped.isEmpty { notes.append(Self.passedOver(skipped, of: count)) }
        if !passed.isEmpty, run.transaction.hasChanges {
            notes.append(Self.list(passed, of: count, "as the row says"))
        }
        if !failed.isEmpty {
            let sentence = Self.list(failed, of: count, "and the others are taken")
            run.transaction.remark = Reason(Outcome.partial, sentence)
            notes.append(sentence)
        } else if !notes.isEmpty, !run.transaction.hasChanges {
            run.transaction.remark = Reason("left", notes.joined(separator: "; "))
        }
        if !held.isEmpty {
            let sentence = held.prefix(3).joined(separator: "; ") + (held.count > 3 ? "; \(held.count - 3) more" : "")
            notes.append(sentence)
            if run.transaction.remark == nil, !run.transaction.hasChanges {
                run.transaction.remark = Reason("held-otherwise", sentence)
            }
        }
        for note in notes { run.transaction.add(note: note) }
    }

    /// What the `*` stand for: every entry that one of the sources fits, in the order of the sources.
    private mutating func matches() throws(StepStop) -> [[Name]] {
        var excepted: [AddressPattern] = []
        for address in row.except { excepted.append(try run.pattern(address)) }
        let apart = ExceptedAddresses(excepted), isExcepted = apart.contain
        var found: [[Name]] = [], first: AddressPattern?
        for address in row.addresses where address.stars > 0 {
            let pattern = try run.pattern(address)
            first = first ?? pattern
            found += try run.matches(of: pattern, except: excepted)
            folders += pattern.folders(in: run.transaction.seen).filter { !isExcepted($0) }
        }
        guard let first else { return [[]] }
        // What the row itself has set aside is no match of it, where its star fits that too.
        func isAside(_ address: Address) -> Bool {
            guard row.setsAside, let key = address.key, key.hasSuffix(Self.aside) else { return false }
            let stem = Name(key.text.dropLast(Self.aside.count))
            return first.match(Address(store: address.store, key: stem, pointer: address.pointer)) != nil
        }
        // Several sources may be fitted by the same names.
        if row.addresses.count(where: { $0.stars > 0 }) > 1 { found = found.uniqued }
        guard !excepted.isEmpty || row.setsAside else { return found }
        return found.filter { match in
            let source = first.filled(match)
            return !isExcepted(source) && !isAside(source)
        }
    }

    /// In what order it takes what it matches.
    private mutating func order(of matches: [[Name]]) -> MatchOrder {
        let sources = row.addresses.filter { $0.stars > 0 }
        let targets = row.to.isElsewhere ? row.to.targets.map(\.address) : []
        if matches.count < 2 || isApart(sources, targets) { return MatchOrder(of: matches.count) }
        return MatchOrder(of: matches.count) { index in
            run.match = matches[index]
            return (sources.compactMap { try? run.resolved($0) }, targets.compactMap { try? run.resolved($0) })
        }
    }

    /// Whether what is written lies elsewhere than where the row looks, and so is written over nothing that it reads.
    private mutating func isApart(_ sources: [SpecAddress], _ targets: [SpecAddress]) -> Bool {
        let read = sources.compactMap { try? run.pattern($0) }
        return !targets.compactMap { try? run.pattern($0) }.contains { read.contains(where: $0.mayMeet) }
    }

    /// Whether what it writes for one match may lie where it reads or writes for another.
    private mutating func mayMeetItself() -> Bool {
        guard row.to.isElsewhere, case .one(let target) = row.to, !row.setsAside else { return true }
        // With one star each name makes a place of its own.
        let isOneForEach = target.address.stars == 1 && row.addresses.allSatisfy { $0.stars < 2 }
        return !isOneForEach || !isApart(row.addresses, [target.address])
    }

    /// What the name of a source ends in that could not be read and was moved.
    private static let aside = ".corrupt"

    private mutating func takeOne() throws(StepStop) {
        do throws(StepStop) {
            try takeAsIs()
        } catch {
            guard error.outcome.kind == .failed, let reason = error.outcome.reason, !error.isOfUnknown else {
                throw error
            }
            switch row.onCode[reason.code] ?? row.onError {
            case .fail: throw error
            case .skip:
                skipped.append((place, reason.code))
                throw .skipped(reason.code, reason.sentence)
            case .aside: if try !setAside(because: reason.sentence) { throw error }
            }
        }
    }

    private mutating func takeAsIs() throws(StepStop) {
        if case .one(let target) = row.to { run.target = try run.resolved(target.address) }
        let taken = try read()
        run.value = taken.value
        for condition in row.conditions where try !condition.holds(on: &run) { throw condition.notMet }
        for condition in row.checks where try !condition.holds(on: &run) {
            throw .failed("check-failed", condition.say ?? "it does not hold that \(condition.sentence)")
        }
        var draft: any Draft = ValueDraft(taken.value, facts: run.facts.facts)
        do throws(StepStop) {
            draft.allowance = run.transaction.allowance.ofValue
            let allowed = draft.allowance
            defer { run.transaction.allowance.use(allowed.left - draft.allowance.left) }
            try row.operations.apply(to: &draft, run.facts)
        } catch {
            guard let reason = error.outcome.reason, let source = run.used.first, error.outcome.kind == .failed else {
                throw error
            }
            // Also what was not finished took its time.
            if reason.code == Allowance.code { run.transaction.allowance.use(Allowance.value.left) }
            throw .failed(reason.code, "\(source): \(reason.sentence)")
        }
        if let pointer = draft.value.repeatedMember { throw .repeatedKey(pointer, of: run.used.first) }
        // Also where the format of the target is written around nothing, as {} is.
        if row.empty == .skip, draft.value.isEmptyValue || draft.value.decoded()?.value.isEmptyValue ?? false {
            throw .skipped("empty", "nothing is left of it that would be taken on")
        }
        noteLosses(&draft, taken)
        losses = dropped
        // Of several sources one that has no place in the result stays where it is.
        if row.source == .keep, !dropped.isEmpty {
            let places = Set(taken.places.values)
            staying = dropped.filter(places.contains)
            dropped.removeAll(where: places.contains)
        }
        makers = Makers(run.used, taken, without: losses, staying: staying, draft.origins, to: row.to)
        let hasArrived = try put(draft, taken)
        noteArrival(of: draft, taken, hasArrived)
        guard row.source == .discard || row.source == .remove && hasArrived else { return }
        // What was written is never taken away, nor what holds it; and nothing twice, as another item of a list may stand there then.
        let lost = Set(losses), found = Dictionary(grouping: foundLost, by: \.entry)
        for source in run.used.lastItemsFirst
        where !written.overlaps(source) && !writtenBefore.overlaps(source) && !takenBefore.contains(source) {
            let isCarried = hasArrived && !draft.losesPart && !lost.contains(source)
            let parts = (found[source.entry] ?? []).filter { $0 != source && $0.isWithin(source) }
            try run.transaction.discard(
                source, rule: rule, notes: foundNotes, effect: isCarried ? .carried : .dropped, dropped: parts)
            self.taken.append(source)
        }
    }

    /// Notes what the result does not take on: by its address, or in words what was no part of a source, such as a word of a text
    /// that was split.
    private mutating func noteLosses(_ draft: inout any Draft, _ taken: Taken) {
        var arrival = draft.origins.arrival()
        if arrival.isPartial { draft.lose("a part of the value is dropped") }
        if case .members(let targets) = row.to, let members = draft.value.members {
            let names = Set(targets.map(\.name)), placeholders = Set(draft.placeholders), whole = draft.origins.root
            arrival = draft.origins.arrival(in: names.map { whole[$0] })
            // What is told by no place is told by its name.
            let others = members.map(\.key).filter { name in
                !names.contains(name) && !placeholders.contains(JSONPointer([name]))
            }
            let untold = zip(others, draft.origins.arrivals(in: others.map { whole[$0] }))
                .filter { _, own in own.parts == PartSet() || own.isPartial && arrival.isPartial }.map(\.0)
            if !untold.isEmpty { draft.lose("\(untold.list) has no target, and is dropped") }
        }
        let given = given(taken)
        arrived = arrival.parts.parts
        let lost = arrival.parts.missing(of: taken.value).flatMap { part in
            part.isRoot && !given.names.isEmpty ? given.names.map { JSONPointer([$0]) } : [part]
        }
        dropped = lost.compactMap(given.place).uniqued
        if given.names.count > 1 { dropped.removeAll(where: Self.carried(lost, given).contains) }
        if draft.value.losesDigits {
            // Only a document in a text or in data keeps how JSON wrote a number.
            let places = row.to.isElsewhere ? row.to.targets.map(\.address) : row.addresses
            if places.contains(where: { !$0.templates.contains(where: \.isPart) }) { draft.lose(OperationTable.lost53) }
        }
    }

    /// What of several sources one member of the result has lost and another, which was read from around it, has not.
    private static func carried(_ lost: [JSONPointer], _ given: GivenPlaces) -> Set<Address> {
        let losses = lost.compactMap { part in
            part.tokens.first.flatMap { name in given.place(of: part).map { (name: name, place: $0) } }
        }
        let lostOf = Dictionary(grouping: losses, by: \.name),
            readers = Dictionary(grouping: given.names) { given[$0]?.entry }
        return Set(
            losses.lazy.filter { name, place in
                (readers[place.entry] ?? []).contains { other in
                    other != name && given[other].map(place.isWithin) ?? false
                        && !(lostOf[other] ?? []).contains { $0.place.overlaps(place) }
                }
            }.map(\.place))
    }

    /// Where what was taken stands.
    func given(_ taken: Taken) -> GivenPlaces { GivenPlaces(run.used, members: taken.places) }

    /// Notes that the sources have arrived, but for what is dropped and what a target keeps out.
    private mutating func noteArrival(of draft: any Draft, _ taken: Taken, _ hasArrived: Bool) {
        // What is only looked at, or changed where it stands, has arrived nowhere.
        guard row.to.isElsewhere, hasArrived || !kept.isEmpty else { return }
        var others = losses, left: [(Address, StepStop)] = []
        let given = given(taken)
        for part in kept {
            let arrival = draft.origins.arrival(in: [draft.origins.root.at(part)])
            let parts = arrival.parts.parts, places = parts.compactMap(given.place)
            // What is made of a fact has stood nowhere; where anything else stood that cannot be told is not known.
            if !parts.isEmpty, parts.allSatisfy(given.isNowhere) { continue }
            guard !places.isEmpty else { return }
            others += places
            if row.source != .discard {
                left += places.map { ($0, .skipped("target-kept", "its target keeps what it has")) }
            }
        }
        left += staying.map { ($0, .skipped("left", "it has no place in what the row makes")) }
        let apart = EntryParts(others), byEntry = Dictionary(grouping: others, by: \.entry)
        for source in run.used where !apart.holds(source) {
            func parts(of place: Address) -> [Address] { byEntry[place.entry] ?? [] }
            guard written.overlaps(source) else {
                run.transaction.note(.arrived(source, without: parts(of: source), isWhole: !draft.losesPart))
                continue
            }
            // Of what the row has put into it, what stands beside that stands there too.
            for place in kept.isEmpty ? copied(from: source, given, taken) : []
            where !apart.holds(place) {
                run.transaction.note(.copied(place, without: parts(of: place), isWhole: !draft.losesPart))
            }
        }
        for (place, why) in left { run.transaction.note(.left(place, why)) }
    }

    /// What of a source stands in what the row has made, and is not what that was put into.
    private func copied(from source: Address, _ given: GivenPlaces, _ taken: Taken) -> [Address] {
        func beside(_ part: JSONPointer) -> [Address] {
            guard let place = given.place(of: part), place.isWithin(source) else { return [] }
            if !written.overlaps(place) { return [place] }
            if written.holds(place) { return [] }
            return taken.value.standing(at: part)?.memberNames.flatMap { beside(part.appending($0)) } ?? []
        }
        return arrived.flatMap(beside)
    }

    // MARK: Reading

    /// A value that was taken, and whether something else than it stood there: a form that was decoded.
    struct Taken {
        var value: Value
        var isDecoded = false
        /// Whether nobody entered it.
        var isMadeUp = false
        /// Whether it is the device's, or somebody has said it, though no store held the value.
        var isSaid = false
        /// Where it stands, where it is of one source that is in a store.
        var place: Address?
        /// The same of each member, where several sources were read.
        var members: [Name: Taken] = [:]

        /// Where each of these is from that is in a store.
        var places: [Name: Address] { members.compactMapValues(\.place) }
    }

    private mutating func read() throws(StepStop) -> Taken {
        switch row.from {
        case .literal(let literal):
            let value = try literal.value(run.facts)
            try run.transaction.allowance.take(value)
            let isSaid = literal.isSaid(run.facts)
            return Taken(value: value, isMadeUp: !isSaid, isSaid: isSaid)
        case .first(let sources):
            for source in sources { if let taken = try read(source) { return taken } }
            if let placeholder = row.placeholder {
                return Taken(value: try placeholder.value(run.facts), isMadeUp: true)
            }
            var names: [String] = []
            for source in sources {
                switch source.origin {
                case .address(let address): names.append("\(try run.resolved(address))")
                case .fact(let name): names.append("the fact \(name)")
                }
            }
            throw .skipped("absent", "there is nothing at \(names.joined(separator: " or "))")
        case .all(let members, let optional):
            var all = Members(), result = Taken(value: .null), used: [Address] = []
            for (name, source) in members {
                // Nobody is to be told of one missing fact after the other.
                if case .fact(let fact) = source.origin, !run.facts.missing([fact]).isEmpty {
                    let needed = members.compactMap { name, source -> FactName? in
                        guard case .fact(let other) = source.origin else { return nil }
                        return other == fact || !optional.contains(name) ? other : nil
                    }
                    throw .missing(run.facts.missing(needed), in: run.facts.facts)
                }
                guard let taken = try read(source) else {
                    if optional.contains(name) { continue }
                    // The others are there, and left.
                    run.used = used
                    throw .skipped("absent", "\(source.address?.text ?? name.text), one of its sources, is not there")
                }
                all.all.append(Member(key: name, value: taken.value))
                result.isDecoded = true
                result.members[name] = taken
                used += run.used
            }
            run.used = used
            result.value = .dictionary(all)
            return result
        }
    }

    /// A value in which no key stands more than once: of which of them a part would be is not known.
    private func whole(_ value: Value, at address: Address) throws(StepStop) -> Value {
        if let pointer = value.repeatedMember { throw .repeatedKey(pointer, of: address) }
        return value
    }

    /// The value of one source; `nil` where there is none, or one that counts as none.
    private mutating func read(_ source: SpecRow.Source) throws(StepStop) -> Taken? {
        run.used = []
        let address: Address, state: EntryState
        switch source.origin {
        case .fact(let name):
            let value = try run.facts.value(name)
            run.usedFacts.append(name)
            let isSaid = run.facts.isSaid(name)
            return Taken(value: value, isMadeUp: !isSaid, isSaid: isSaid)
        case .address(let named):
            address = try run.resolved(named)
            state = run.state(of: named, at: address)
        }
        let stored: Value
        switch state {
        case .absent: return nil
        case .unreadable(let reason):
            if reason.cause == .corrupt, source.ignored.contains(.damaged) { return nil }
            throw .unreadable(address, reason)
        case .present(let value): stored = value.held(in: address)
        }
        run.used = [address]
        if source.ignored.ignore(stored) { return nil }
        guard !row.types.isEmpty else { return Taken(value: try whole(stored, at: address), place: address) }
        var failure: StepStop?
        for type in row.types {
            do throws(StepStop) {
                if let value = try type.read(stored) {
                    if source.ignored.ignore(value) { return nil }
                    _ = try whole(value, at: address)
                    // A flag that is stored as a number is converted, too.
                    return Taken(
                        value: value, isDecoded: type.form != nil || type.kind == .flag && value != stored,
                        place: address)
                }
            } catch {
                if error.isOfUnknown { throw error }
                failure = failure ?? error
            }
        }
        if source.ignored.contains(.damaged) { return nil }
        // What else the row asks for says whether it is meant for what is here at all.
        for condition in row.conditions where !condition.asksOfValue {
            if try !condition.holds(on: &run) { throw condition.notMet }
        }
        if let reason = failure?.outcome.reason, row.types.count == 1 {
            throw .failed(reason.code, "\(address): \(reason.sentence)")
        }
        // A condition on the type of the whole is asked of what stands there: a row in place is not meant for its own result.
        if let condition = row.conditions.first(where: { $0.excludes(stored) }) { throw condition.notMet }
        let wanted = row.types.map(\.phrase).joined(separator: " or ")
        // An object of a class of its own is no type of the language; its fields are.
        if let held = row.types.lazy.compactMap({ try? $0.form?.decode(stored) }).first, case .object(let object) = held
        {
            let field = object.fields.all.first.map { address.appending(JSONPointer([$0.key])) }
            throw .failed(
                "wrong-type",
                "\(address) is \(stored.typePhrase) that holds \(held.typePhrase), where \(wanted) belongs"
                    + (field.map { "; each field of it can be read by itself, as \($0)" } ?? ""))
        }
        throw .failed("wrong-type", "\(address) is \(stored.typePhrase), where \(wanted) belongs")
    }

    // MARK: Sources

    /// Moves a source that cannot be read to a name beside it, so that nothing is lost; says whether there is anything that
    /// can be moved.
    private mutating func setAside(because sentence: String) throws(StepStop) -> Bool {
        guard let source = run.used.first?.entry, let key = source.key,
            case .present(let value) = run.transaction.read(source)
        else { return false }
        let aside = Address(store: source.store, key: key + Self.aside)
        try run.transaction.write(
            value, to: aside, from: [source], rule: rule, notes: [sentence], effect: .dropped)
        try run.transaction.takeAway(source, rule: rule, effect: .carried)
        return true
    }

    /// The spec's own sentence for a code.
    private func said(_ stop: StepStop) -> StepStop {
        guard let code = stop.outcome.reason?.code, let sentence = row.say[code] else { return stop }
        var stop = stop
        stop.outcome.reason?.sentence = sentence
        return stop
    }
}
