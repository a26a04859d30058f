import StoreFormats

/// What became of an entry, or of a part of one, in a step.
package enum PartEvent: Sendable {
    /// Its value stands elsewhere now, without some parts of it; whether nothing else of it is lost.
    case arrived(Address, without: [Address], isWhole: Bool)
    /// The same of what stands elsewhere in its own entry: it goes with that.
    case copied(Address, without: [Address], isWhole: Bool)
    /// Something else stands there now than before, or nothing.
    case changed(Address, from: Value?, to: Value?)
    /// A step has made what stands there, or has found it as it would make it, and of what; `nil` is that nobody has said.
    case made(Address, from: MadeParts?)
    /// It stays where it is, why, and where it would have gone.
    case left(Address, StepStop, for: [Address] = [])
}

/// The account of what steps read: for each part of an entry whether it has arrived elsewhere, was dropped, or is left where it is.
///
/// What a removal may take goes by it, and what of that is lost.
package struct PartAccount: Sendable {
    /// What became of one entry.
    private struct Fate {
        /// What stands elsewhere, and of that what stands there as a whole.
        var arrived = PartSet(), whole = PartSet()
        /// What steps do not take on that took on what it stood in: they have said so.
        var dropped = PartSet()
        /// What steps have made of it.
        var made = PartSet()
        var left: [(part: Address, why: StepStop)] = []
    }
    private var fates: [Address: Fate] = [:]

    /// Where what was made of entries stands.
    private var homes = PartHomes()

    /// Nothing has happened.
    package init() {}

    /// What changes say themselves, whatever steps made them.
    package init(of changes: some Sequence<Change>) {
        note([changes.flatMap { $0.arrivals + [.made($0.address, from: nil)] }])
    }

    /// Notes what steps did, each in its order.
    package mutating func note(_ steps: some Sequence<[PartEvent]>) {
        for events in steps {
            homes.beginStep()
            events.forEach { note($0) }
        }
        for (entry, lost) in homes.takeLosses() {
            fates[entry]?.arrived.subtract(lost.parts)
            fates[entry]?.whole.subtract(lost.parts)
            fates[entry]?.whole.subtract(lost.inPart)
        }
    }

    private mutating func note(_ event: PartEvent) {
        switch event {
        case .arrived(let source, let others, let isWhole):
            let part = PartSet(source.pointer, without: others.lazy.map(\.pointer))
            fates[source.entry, default: Fate()].arrived.formUnion(part)
            if isWhole { fates[source.entry]?.whole.formUnion(part) }
            for other in others { fates[source.entry]?.dropped.formUnion(PartSet(other.pointer)) }
        case .changed(let place, _, _):
            guard fates[place.entry] != nil else { return }
            for part in event.changedParts {
                homes.change(part, in: place.entry)
                fates[place.entry]?.arrived.subtract(part)
                fates[place.entry]?.whole.subtract(part)
                fates[place.entry]?.dropped.subtract(part)
            }
        case .made(let place, let from):
            fates[place.entry, default: Fate()].made.formUnion(PartSet(place.pointer))
            if let from { homes.make(place, from: from) }
        case .copied: break
        case .left(let source, let why, _):
            fates[source.entry, default: Fate()].left.append((source, why))
            // What stays nobody has dropped.
            fates[source.entry]?.dropped.subtract(source.pointer)
        }
    }

    /// Whether anything of a part that holds something stands elsewhere.
    package func hasArrived(_ place: Address, holding value: Value?) -> Bool {
        var index = MemberIndex()
        return fates[place.entry]?.arrived.at(place.pointer).coverage(of: value, &index).isAny ?? false
    }

    /// Whether all of a part stands elsewhere that is anything.
    package func hasArrivedFully(_ place: Address, holding value: @autoclosure () -> Value?) -> Bool {
        fates[place.entry]?.arrived.rest(of: place.pointer, holding: value()).isEmpty ?? false
    }

    /// What of a part no step has taken on, nor said that it drops it.
    package func rest(of place: Address, holding value: @autoclosure () -> Value?) -> [JSONPointer] {
        guard let fate = fates[place.entry] else { return [place.pointer] }
        var known = fate.arrived
        known.formUnion(fate.dropped)
        return known.rest(of: place.pointer, holding: value())
    }

    /// Whether what stands elsewhere of a part stands there with nothing lost but what steps have said.
    package func isWhole(_ place: Address, holding value: @autoclosure () -> Value?) -> Bool {
        guard let fate = fates[place.entry] else { return false }
        var known = fate.whole
        known.formUnion(fate.dropped)
        return known.rest(of: place.pointer, holding: value()).isEmpty
    }

    /// Whether a step has made a part, or something in it.
    package func isMade(_ place: Address) -> Bool { fates[place.entry]?.made.overlaps(place.pointer) ?? false }

    /// What of an entry steps have left, and why.
    package func left(in entry: Address) -> [(part: Address, why: StepStop)] { fates[entry]?.left ?? [] }
}

extension Change {
    /// What has arrived in the entry by it, as far as it says that itself.
    var arrivals: [PartEvent] {
        guard after != nil else {
            return action == .missing ? from.map { .arrived($0, without: [$0], isWhole: false) } : []
        }
        let lost = Dictionary(grouping: dropped, by: \.entry)
        return from.lazy.filter { $0.entry != address }.map { source in
            let others = (lost[source.entry] ?? []).filter { $0 != source }
            return .arrived(source, without: others, isWhole: true)
        }
    }
}

extension PartEvent {
    /// The entry that it is about.
    var entry: Address {
        switch self {
        case .arrived(let place, _, _), .copied(let place, _, _), .changed(let place, _, _), .made(let place, _),
            .left(let place, _, _):
            place.entry
        }
    }

    /// What parts of the entry hold something else now.
    var changedParts: [JSONPointer] {
        guard case .changed(let place, let old, let new) = self else { return [] }
        guard let old, let new else { return [place.pointer] }
        return old.changes(to: new).map { JSONPointer(place.pointer.tokens + $0.tokens) }
    }
}

/// What steps say that they drop, of which only that is dropped which no other step puts elsewhere.
///
/// What has arrived before a step counts where that was done and nothing has changed the place since; and so does what a step behind
/// it finds there still, and puts elsewhere. What stands elsewhere already counts as the former.
struct DroppedParts {
    /// What a step did, and whether the steps behind it run on that.
    private struct Record {
        let index: Int, isDone: Bool, events: [PartEvent]
        /// What may drop anything; `nil` where that is not asked.
        let changes: [Change]?
    }
    private var records: [Record] = []
    /// The entries of which something may be dropped.
    private var asked: Set<Address> = []

    /// Whether anything may be dropped.
    var isEmpty: Bool { asked.isEmpty }

    /// Notes what a step does, in their order.
    ///
    /// - Parameters:
    ///   - isDone: Whether the steps behind it run on that.
    ///   - isAsked: Whether what it drops is to be told.
    mutating func note(_ result: StepPreview, of index: Int, isDone: Bool, isAsked: Bool) {
        // What is lost with what it finds is asked in the same way.
        let changes = result.changes + result.found
        guard !changes.isEmpty || !result.events.isEmpty else { return }
        records.append(Record(index: index, isDone: isDone, events: result.events, changes: isAsked ? changes : nil))
        guard isAsked else { return }
        for change in changes {
            asked.formUnion(change.dropped.lazy.map(\.entry))
            if change.isLoss { asked.insert(change.address) }
        }
    }

    /// The changes of steps and then what they find, with only that as dropped which is.
    ///
    /// - Parameters:
    ///   - standing: What the steps did that are applied, by the steps.
    ///   - stores: What is there before the steps.
    func settled(after standing: [[PartEvent]], on stores: any StoreReader) -> [Int: [Change]] {
        // What is left of each part that is said to be dropped, by the steps and their changes.
        var rests: [Int: [[(part: Address, left: [JSONPointer], entry: Value?)]]] = [:]
        var arrived: [Address: PartSet] = [:], whole: [Address: PartSet] = [:], values: [Address: Value?] = [:]
        func add(_ event: Worked, to sets: inout [Address: PartSet], onlyWhole: Bool = false) {
            guard let part = event.arrived, event.isWhole || !onlyWhole else { return }
            sets[event.entry, default: PartSet()].formUnion(part)
        }
        func take(_ event: Worked, from sets: inout [Address: PartSet]) {
            guard !event.changed.isEmpty, sets[event.entry] != nil else { return }
            for part in event.changed { sets[event.entry]?.subtract(part) }
        }
        func value(of entry: Address) -> Value? {
            if let known = values[entry] { return known }
            let value = stores.state(at: entry).value
            values[entry] = .some(value)
            return value
        }
        var made = PlacedParts(of: asked, in: standing + records.map(\.events)), homes = PartHomes()
        /// Follows where what has arrived stands.
        func follow(_ events: [PartEvent]) {
            homes.beginStep()
            for event in events {
                switch event {
                case .changed where homes.isHome(event.entry):
                    for part in event.changedParts { homes.change(part, in: event.entry) }
                case .made(let place, let from?)
                where from.given.sources.contains { asked.contains($0.entry) || homes.isHome($0.entry) }:
                    homes.make(place, from: from)
                case .arrived, .copied, .changed, .made, .left: break
                }
            }
        }
        var arriving: Set<Address> = []
        for event in [standing.joined(), records.map(\.events).joined()].joined() where asked.contains(event.entry) {
            switch event {
            case .arrived, .copied: arriving.insert(event.entry)
            case .changed, .made, .left: break
            }
        }
        func worked(_ events: [PartEvent]) -> [Worked] {
            events.compactMap { event in
                let entry = event.entry, isAsked = asked.contains(entry)
                switch event {
                case .arrived where isAsked, .copied where isAsked, .made where isAsked: return Worked(event)
                case .changed where arriving.contains(entry) || made.asks(for: entry): return Worked(event)
                case .arrived, .copied, .made, .changed, .left: return nil
                }
            }
        }
        let before = standing.flatMap(worked), steps = records.map { worked($0.events) }
        for event in before {
            add(event, to: &arrived)
            add(event, to: &whole, onlyWhole: true)
            take(event, from: &arrived)
            take(event, from: &whole)
        }
        made.note(before)
        standing.forEach(follow)
        for (record, events) in zip(records, steps) where record.isDone {
            // Of two that rely on each other's copy the second one loses it.
            for (entry, lost) in record.changes == nil ? [] : homes.takeLosses() {
                arrived[entry]?.subtract(lost.parts)
                whole[entry]?.subtract(lost.parts)
                whole[entry]?.subtract(lost.inPart)
            }
            for event in events {
                add(event, to: &arrived)
                add(event, to: &whole, onlyWhole: true)
            }
            rests[record.index] = record.changes?.map { change in
                // A source that goes though not all of it has arrived is one too.
                let removed = change.isLoss ? [change.address] : []
                return (change.dropped + removed).map { part in
                    let set = change.isLoss ? whole[part.entry] : arrived[part.entry]
                    let entry = value(of: part.entry)
                    var left = (set ?? PartSet()).rest(
                        of: part.pointer, holding: entry?.standing(at: part.pointer))
                    // What a step has put there is not lost as long as it stands where that took it from.
                    if part.entry == change.address, !change.isLoss {
                        left = left.flatMap { made.lost(of: $0, in: part.entry, with: part.pointer) }
                    }
                    return (part, left, entry)
                }
            }
            for event in events {
                take(event, from: &arrived)
                take(event, from: &whole)
            }
            made.note(events)
            follow(record.events)
            for change in record.changes ?? [] where asked.contains(change.address) {
                values.updateValue(change.after, forKey: change.address)
            }
        }
        var later: [Address: PartSet] = [:], settled: [Int: [Change]] = [:]
        for (record, events) in zip(records, steps).reversed() {
            for event in events.reversed() { take(event, from: &later) }
            if let changes = record.changes, let rests = rests[record.index] {
                settled[record.index] = zip(changes, rests).map { change, rests in
                    var change = change
                    let left = rests.map { part, left, entry in
                        let set = later[part.entry] ?? PartSet()
                        return left.flatMap { set.rest(of: $0, holding: entry?.standing(at: $0)) }
                    }
                    let parts = zip(rests, left).prefix(change.dropped.count).flatMap { rest, left in
                        left.map { Address(store: rest.part.store, key: rest.part.key, pointer: $0) }
                    }
                    if change.isLoss, left.last?.isEmpty ?? false { change.effect = .carried }
                    change.dropped = parts
                    return change
                }
            }
            for event in events { add(event, to: &later) }
        }
        return settled
    }

    /// What became of an entry, with the parts of it that are meant: they are worked out once.
    fileprivate struct Worked {
        let event: PartEvent, entry: Address
        /// What has arrived of it, and whether nothing of that is lost.
        private(set) var arrived: PartSet?, isWhole = false
        /// What holds something else.
        let changed: [JSONPointer]

        init(_ event: PartEvent) {
            (self.event, entry, changed) = (event, event.entry, event.changedParts)
            switch event {
            case .arrived(let source, let others, let isWhole), .copied(let source, let others, let isWhole):
                arrived = PartSet(source.pointer, without: others.lazy.map(\.pointer))
                self.isWhole = isWhole
            case .changed, .made, .left: break
            }
        }
    }
}

extension Change {
    /// Whether it takes an entry away whose value is not all taken on by its own step.
    fileprivate var isLoss: Bool { effect == .dropped && action == .remove }
}

/// What steps have put in entries, as long as it still stands where they took it from, or nobody entered it.
private struct PlacedParts {
    private let entries: Set<Address>
    private var placed: [(place: Address, sources: [Address])] = []
    /// Their numbers, by where it was put and by where it was taken from.
    private var byPlace: [Address: PlaceTree] = [:], bySource: [Address: PlaceTree] = [:]
    /// What was put there and is nowhere else any more.
    private var gone: [Address: PartSet] = [:]
    private let sources: Set<Address>

    /// - Parameters:
    ///   - entries: The entries that are asked for.
    ///   - events: All that happens.
    init(of entries: Set<Address>, in events: [[PartEvent]]) {
        self.entries = entries
        var sources: Set<Address> = []
        for case .made(let place, let from?) in events.lazy.joined() where entries.contains(place.entry) {
            sources.formUnion(from.given.sources.lazy.map(\.entry))
        }
        self.sources = sources
    }

    /// Whether what becomes of an entry is to be noted, as something was put elsewhere from it.
    func asks(for entry: Address) -> Bool { sources.contains(entry) }

    mutating func note(_ events: [DroppedParts.Worked]) {
        for worked in events {
            switch worked.event {
            case .made(let place, let from?) where entries.contains(place.entry) && from.isElsewhere(than: place):
                let number = placed.count
                placed.append((place, from.given.sources))
                byPlace[place.entry, default: PlaceTree()].insert(number, at: place.pointer.tokens[...])
                for source in from.given.sources {
                    bySource[source.entry, default: PlaceTree()].insert(number, at: source.pointer.tokens[...])
                }
            case .changed(let place, _, _) where sources.contains(place.entry):
                for part in worked.changed {
                    bySource[place.entry]?.overlapping(part.tokens[...]).forEach { takeOut($0.place) }
                }
            default: break
            }
        }
    }

    private mutating func takeOut(_ number: Int) {
        let (place, sources) = placed[number]
        gone[place.entry, default: PartSet()].formUnion(PartSet(place.pointer))
        byPlace[place.entry]?.remove(number, at: place.pointer.tokens[...])
        for source in sources { bySource[source.entry]?.remove(number, at: source.pointer.tokens[...]) }
    }

    /// What of a part goes with it: nothing of what was put there and is elsewhere too.
    ///
    /// - Parameter whole: What goes of the entry: what stands elsewhere in that goes, too.
    func lost(of part: JSONPointer, in entry: Address, with whole: JSONPointer) -> [JSONPointer] {
        guard let first = byPlace[entry]?.holding(part.tokens[...]).min(),
            !placed[first].sources.contains(where: { $0.entry == entry && $0.pointer.isWithin(whole) })
        else { return [part] }
        // What is in the set is what is not left of everything else.
        var others = PartSet(true)
        guard let gone = gone[entry] else { return [] }
        for place in gone.parts(in: part) { others.subtract(place) }
        return others.rest(of: part, holding: nil)
    }
}
