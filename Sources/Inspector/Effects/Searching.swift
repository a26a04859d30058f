import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// A search through the rows of a container, and through the entries of the stores that are folded.
struct RowSearch: Effect {
    /// What to look for; a capital letter in it makes the search heed case.
    let text: String
    /// Whether to look downwards.
    let isForward: Bool
    /// Whether it is still being typed.
    let isTyped: Bool
    var lane: Lane { isTyped ? .search : .main }
    private let container: OpenContainer
    private let masking: Masking

    /// - Parameter masking: What is not shown, and so is not found either; without one, that of the container.
    init(_ text: String, isForward: Bool, in container: OpenContainer, _ masking: Masking? = nil, isTyped: Bool = false)
    {
        self.isTyped = isTyped
        self.text = text
        self.isForward = isForward
        self.container = container
        self.masking = masking ?? container.view.masking
    }

    /// Where the text is.
    enum Place: Hashable, Sendable {
        case row(Int)
        /// An entry of a store that is folded.
        case folded(StoreID, key: Name)
        /// Nowhere; or nowhere in what can be read, and one search may look into.
        case nowhere(isComplete: Bool)
    }

    var label: String { "looking for “\(text)”" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Place {
        let place = run(isCancelled: control.isCancelled)
        try control.goOn()
        return place
    }

    func finish(_ place: Place, in model: inout Model) -> [any Effect] {
        guard model.isStillTyped(text, isTyped) else { return [] }
        switch place {
        case .row(let row):
            show(row, in: &model)
            return []
        case .folded(let store, let key):
            guard let opened = model.opened else { return [] }
            if isTyped {
                // Unfolded it is once it was meant.
                if let row = opened.position(inFrontOf: key, in: store) { show(row, in: &model) }
                return []
            }
            return [
                Planning(opened.showing(key, in: store), label: "unfolding") { [self] _, model in
                    if let row = model.opened?.sheet.position(of: .entry(store, key: key)) { show(row, in: &model) }
                }
            ]
        case .nowhere(let isComplete):
            if isTyped { model.comeBack() }
            model.message = .refused(
                "“\(text)” is nowhere in keys, titles or values"
                    + (container.filtering == nil ? "" : " of the rows that the filter shows")
                    + (isComplete ? "" : " that could be looked into; not all can be read"))
            return []
        }
    }

    private func show(_ row: Int, in model: inout Model) {
        model.opened?.moveCursor(to: row)
        model.message = .done("“\(text)”")
        model.message?.search = text
    }

    /// The next row that holds the text in its key, its title or its value, at any depth, the rows taken as a ring.
    ///
    /// - Parameter isCancelled: Asked now and then; the search ends where it says so.
    ///
    /// Where none does, the next one of which that is said: in its detail, or behind its value.
    func run(isCancelled: @escaping () -> Bool = { false }) -> Place {
        var place = Place.nowhere(isComplete: true)
        for depth in Look.Depth.allCases {
            let found = run(depth, isCancelled)
            guard case .nowhere(let isComplete) = found.place else { return found.place }
            if depth == .rows { place = .nowhere(isComplete: isComplete) }
            if found.hasStopped { break }
        }
        return place
    }

    private func run(
        _ depth: Look.Depth, _ isCancelled: @escaping () -> Bool
    ) -> (place: Place, hasStopped: Bool) {
        let sheet = container.sheet, count = sheet.count
        var look = Look(Matcher(text), masking, isCancelled, depth)
        guard count > 0, !text.isEmpty else { return (.nowhere(isComplete: true), false) }
        for distance in 0...count {
            if look.isStopped() { break }
            let position = (container.cursor + (isForward ? distance : count - distance % count)) % count
            guard let row = sheet[position] else { continue }
            // The entries of a folded store come after its row: those of the one under the cursor first on the way down, and
            // last on the way up. The row under the cursor itself is always last.
            let isInside = depth == .rows && (isForward ? distance < count : distance > 0)
            let inside = isInside ? folded(row, &look) : nil
            if let inside, !isForward { return (inside, false) }
            if distance > 0, container.finds(row, &look) { return (.row(position), false) }
            if let inside { return (inside, false) }
        }
        return (.nowhere(isComplete: look.isComplete(in: container)), look.hasStopped)
    }

    /// The first entry of a folded store that holds the text, or the last one where the search goes upwards.
    private func folded(_ row: SheetRow, _ look: inout Look) -> Place? {
        // A filter shows what is unfolded in part: what it hides is not gone to.
        guard container.filtering == nil, let (store, keys) = container.folded(behind: row) else { return nil }
        var found: Name?
        container.find(in: store, keys, upwards: !isForward, &look) { key in
            found = key
            return false
        }
        return found.map { .folded(store, key: $0) }
    }
}

extension OpenContainer {
    /// Whether a row holds the text in its key, its title or its value, at any depth.
    func finds(_ row: SheetRow, _ look: inout Look) -> Bool {
        if look.depth == .said { return said(of: row, look.masking).contains(where: look.matcher.matches) }
        switch row {
        case .step(let index):
            guard let planned = plan?.steps[index] else { return false }
            let step = planned.step
            let keys = step.sources.compactMap(\.key) + [step.targetKey].compactMap(\.self)
            // What the row says of facts: which one stands for a legacy entry, and which are missing.
            let facts =
                (keys.isEmpty || step.sources.isEmpty ? step.facts.suffix(1) : [])
                + (planned.outcome.reason?.missingFacts ?? [])
            let names = keys.map(look.masking.name) + facts.map(\.rawValue)
            let texts = [step.title, planned.outcome.kind.rawValue] + names
            return texts.contains(where: look.matcher.matches) || planned.claims.contains(where: look.names)
                || planned.changes.contains { look.finds(in: EntryState($0.after), at: $0.address, from: $0.from) }
                || step.sources.contains { look.finds(in: stores.state(at: $0), at: $0) }
        case .unmapped(let store, _), .store(let store): return look.matcher.matches(look.masking.name(store))
        case .noise: return false
        case .entry(let store, let key):
            let address = Address(store: store, key: key)
            return look.finds(in: key) || look.names(address)
                || look.finds(in: stores.state(of: key, in: store), at: address)
        }
    }

    /// Goes through those of some entries of a store that hold the text, as long as it is asked to go on.
    func find(
        in store: StoreID, _ keys: any KeyList, upwards: Bool = false, _ look: inout Look, goesOn: (Name) -> Bool
    ) {
        if keys.unlisted != nil || stores.problem(with: store) != nil { look.hasGaps = true }
        for index in 0..<keys.count {
            if look.isStopped() { return }
            let key = keys.key(at: upwards ? keys.count - 1 - index : index)
            if finds(.entry(store, key: key), &look), !goesOn(key) { return }
        }
    }

    /// What is said of a row besides its keys and values: in the list, by the header's words for it, and in its detail.
    private func said(of row: SheetRow, _ masking: Masking) -> [String] {
        let counted = RowFilter.names.filter { matches(row, $0.filter) }.flatMap { $0.words }
        switch row {
        case .step(let index):
            guard let plan else { return [] }
            let planned = plan.steps[index]
            let answer = StepAnswer(
                planned, facts: plan.facts, definitions: migration?.facts ?? [], now: stores, found: snapshot.stores,
                masking)
            let detail = answer.document.lines(width: Size.limit, .unicode, .keys(.standard)).map(\.text)
            return counted + [planned.listWord] + StepCells(planned, masking, .unicode, view).texts + detail
        case .entry(let store, let key):
            return counted + [annotation(of: Address(store: store, key: key)).map(masking.sentence)].compactMap(\.self)
        case .store(let store):
            return [masking.place(store), line(of: row, masking, .unicode)].compactMap(\.self)
        case .unmapped(let store, _):
            let annotation = annotation(of: Address(store: store)).map(masking.sentence)
            return [masking.place(store), annotation, line(of: row, masking, .unicode)].compactMap(\.self)
        case .noise(_, let count): return [SheetView.noise(count)]
        }
    }
}

/// A look through the values of one search.
struct Look {
    /// What is looked into: the keys and values of the rows, and, where none has the text, what is said of them.
    enum Depth: Hashable, CaseIterable {
        case rows, said
    }

    let matcher: Matcher
    let depth: Depth
    /// What may be decoded.
    let budget = DecodingBudget()
    private let isCancelled: () -> Bool
    let masking: Masking
    /// Whether something could not be read.
    var hasGaps = false
    private var looks = 0
    /// What was found of large values: many keys may share one.
    private var known: [Value: Bool] = [:]
    private static let interval = 1024
    /// How much of texts is looked at before it is asked whether the search is to end, in bytes.
    private static let share = 64 << 10
    private(set) var hasStopped = false

    init(_ matcher: Matcher, _ masking: Masking, _ isCancelled: @escaping () -> Bool, _ depth: Depth = .rows) {
        self.depth = depth
        (self.matcher, self.masking, self.isCancelled) = (matcher, masking, isCancelled)
    }

    /// Whether everything in a container could be looked into.
    func isComplete(in container: OpenContainer) -> Bool {
        !budget.isExceeded && !hasGaps && container.stores.problem == nil
    }

    /// Whether the search is to end, which is asked for now and then.
    mutating func isStopped() -> Bool {
        looks += 1
        if looks >= Self.interval, !hasStopped { (hasStopped, looks) = (isCancelled(), 0) }
        return hasStopped
    }

    /// Whether a name has the text, as it is shown.
    func finds(in name: Name) -> Bool {
        // Most names have it not, so that nobody has to know what of them is shown.
        (matcher.isOfMasked || matcher.matches(name.text)) && matcher.matches(masking.name(name))
    }

    /// Whether an address has the text, as it is shown.
    func names(_ address: Address) -> Bool {
        // Most texts are of no address, and most addresses have not what is typed.
        matcher.isOfAddress && (matcher.isOfMasked || matcher.matches("\(address)"))
            && matcher.matches(masking.place(address))
    }

    /// Whether an entry holds the text; of one that cannot be read it is not known.
    ///
    /// What is masked is not found: it could be guessed letter by letter.
    mutating func finds(in state: EntryState, at address: Address, from sources: [Address] = []) -> Bool {
        if case .unreadable = state { hasGaps = true }
        guard let value = state.value, finds(in: value) else { return false }
        guard masking.hidesAnything(in: value, at: address, from: sources) else { return true }
        let lines = masking.treeLines(of: value, at: address, from: sources, inFull: true, withBytes: false)
        return lines.contains { [$0.text, $0.key ?? ""].contains(where: matcher.matches) }
    }

    /// Whether a value holds the text, as it is shown in a row, or in a part of it.
    private mutating func finds(in value: Value) -> Bool {
        if value.isLarge, let found = known[value] { return found }
        var isOver = false
        let found = value.isShown(within: budget) { [matcher] text in
            looks += text.utf8.count / (Self.share / Self.interval)
            isOver = isOver || isStopped()
            return isOver || matcher.matches(text)
        }
        if value.isLarge, !isOver { known[value] = found }
        return found && !isOver
    }
}

/// A text to look for, with smart case: a capital letter in it makes case matter.
struct Matcher: Sendable {
    private let text: String
    private let heedsCase: Bool
    /// The bytes of a text in ASCII.
    private let bytes: [UInt8]?
    /// Whether it may be part of an address besides a name, and of one in which something is masked.
    let isOfAddress, isOfMasked: Bool

    init(_ text: String) {
        (isOfAddress, isOfMasked) = (text.contains("/"), text.contains("‹"))
        heedsCase = text.contains(where: \.isUppercase)
        self.text = heedsCase ? text : text.lowercased()
        bytes = self.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? Array(self.text.utf8) : nil
    }

    func matches(_ other: String) -> Bool {
        // A store may have a million entries, nearly all in ASCII.
        if let bytes, let found = other.utf8.withContiguousStorageIfAvailable({ holds(bytes, $0) }) ?? nil {
            return found
        }
        return heedsCase ? other.contains(text) : other.lowercased().contains(text)
    }

    /// Whether bytes hold others; `nil` where they are not ASCII alone, as letters of others may be one of these in small.
    private func holds(_ sought: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard let first = sought.first else { return true }
        func small(_ byte: UInt8) -> UInt8 { !heedsCase && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        var found = false
        for index in bytes.indices {
            guard bytes[index] < 0x80 else { return nil }
            guard !found, small(bytes[index]) == first, bytes.count - index >= sought.count else { continue }
            found = sought.indices.allSatisfy { small(bytes[index + $0]) == sought[$0] }
        }
        return found
    }

    /// Where the text stands in a line that is given in pieces, such as cells.
    func ranges(in pieces: [String]) -> [Range<Int>] {
        let sought = text.map(String.init)
        guard !sought.isEmpty, sought.count <= pieces.count else { return [] }
        let pieces = heedsCase ? pieces : pieces.map { $0.lowercased() }
        var ranges: [Range<Int>] = [], start = 0
        while start + sought.count <= pieces.count {
            if sought.indices.allSatisfy({ pieces[start + $0] == sought[$0] }) {
                ranges.append(start..<start + sought.count)
                start += sought.count
            } else {
                start += 1
            }
        }
        return ranges
    }
}
