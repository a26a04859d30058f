import DeviceDump
import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// Where a text is among the rows of a container, as far as they have been looked through: to go to the next one, and to say
/// which of how many one is at.
struct Matches: Sendable {
    /// What they were looked for: a text, in a view with a filter.
    struct Purpose: Hashable, Sendable {
        let text: String
        let revision: Int
        let filter: Int
        let isRevealing: Bool
    }

    /// Places that were looked through, and those among them that have the text.
    fileprivate struct Part {
        var places: Range<Int>
        var found: RowRanges
    }

    let purpose: Purpose
    let space: SearchSpace
    fileprivate let depth: Look.Depth
    private let matcher: Matcher
    /// In ascending order.
    fileprivate var parts: [Part] = []
    /// What was found of another view or of a shorter text, and holds here too.
    private let known: Known?
    /// How many there are.
    private(set) var count = 0
    private var looked = 0
    /// Whether everything could be looked into.
    private(set) var isComplete: Bool

    init(_ purpose: Purpose, of container: OpenContainer) {
        let former = container.matches
        let isSameView = former.map { $0.purpose.revision == purpose.revision && $0.purpose.filter == purpose.filter }
        let space = isSameView == true ? former?.space : nil
        self.init(purpose, of: container, space ?? SearchSpace(of: container), .rows)
    }

    private init(
        _ purpose: Purpose, of container: OpenContainer, _ space: SearchSpace, _ depth: Look.Depth,
        isComplete: Bool = true
    ) {
        (self.purpose, self.space, self.depth) = (purpose, space, depth)
        matcher = Matcher(purpose.text)
        self.isComplete = isComplete && !space.hasGaps && container.stores.problem == nil
        known = container.matches.flatMap { [matcher] in Known($0, in: space, depth, purpose, matcher) }
    }

    /// The same one depth further, where there is one, and nothing was found here.
    func deeper(in container: OpenContainer) -> Matches? {
        guard count == 0, isDone, depth == .rows else { return nil }
        return Matches(purpose, of: container, space, .said, isComplete: isComplete)
    }

    /// Whether they are of the rows that are shown now.
    func isOf(_ opened: OpenContainer) -> Bool {
        opened.revision == purpose.revision && opened.filterNumber == purpose.filter
    }

    /// Whether every place was looked through.
    var isDone: Bool { looked == space.count }

    /// How much was looked through.
    var percent: Int { space.count == 0 ? 100 : looked * 100 / space.count }

    /// Which of them stands in a row, or is the first one after it.
    func number(at row: Int) -> Int {
        let place = space.place(ofRow: row)
        let before = parts.reduce(0) { $0 + $1.found.count(before: place) }
        return min(before + 1, max(1, count))
    }

    /// The next match behind a row, or the last before it, the rows taken as a ring; `nil` where there is none, or something
    /// on the way was not looked through.
    func next(from row: Int, isForward: Bool) -> Int? {
        guard space.count > 0 else { return nil }
        var place = min(space.count, space.place(ofRow: row) + (isForward ? 1 : 0)), left = space.count
        while left > 0 {
            if place == (isForward ? space.count : 0) { place = space.count - place }
            guard
                let part = parts.lastPosition(where: { $0.places.lowerBound <= (isForward ? place : place - 1) }).map({
                    parts[$0]
                }), part.places.contains(isForward ? place : place - 1)
            else { return nil }
            let before = part.found.count(before: place)
            if let found = part.found[isForward ? before : before - 1] { return found }
            let end = isForward ? part.places.upperBound : part.places.lowerBound
            (left, place) = (left - abs(end - place), end)
        }
        return nil
    }

    /// How long it is looked before it is asked what is found.
    private static let pause = (
        shortest: Duration.milliseconds(15), longest: Duration.milliseconds(60), shown: Duration.milliseconds(150)
    )

    /// Looks through the places that were not looked through, from a row on and as a ring, on all cores.
    ///
    /// - Parameters:
    ///   - isCancelled: Asked now and then; nothing more is looked at where it says so.
    ///   - show: Called now and then with what was found so far.
    ///   - isEnough: Whether no more is to be looked through.
    mutating func look(
        from row: Int, isForward: Bool, in container: OpenContainer, _ masking: Masking,
        _ isCancelled: @escaping @Sendable () -> Bool, show: (Matches) -> Void, until isEnough: (Matches) -> Bool
    ) {
        guard !purpose.text.isEmpty, space.count > 0 else { return }
        var shown = ContinuousClock.now, size = 32
        let start = min(space.count, space.place(ofRow: row) + (isForward ? 1 : 0)), budget = DecodingBudget(),
            large = LargeValues()
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        for half in isForward ? [start..<space.count, 0..<start] : [0..<start, start..<space.count] {
            while let all = unlooked(in: half, isForward: isForward, most: size * cores), !isEnough(self) {
                if isCancelled() { return }
                let begun = ContinuousClock.now, share = (all.count + cores - 1) / cores
                let looks = OpeningControl.current.concurrently((all.count + share - 1) / share) { [self] number in
                    var look = Look(matcher, masking, isCancelled, depth, within: budget, large)
                    let first = all.lowerBound + number * share
                    let found = find(first..<min(all.upperBound, first + share), in: container, &look)
                    return (found: found, hasStopped: look.hasStopped, hasGaps: look.hasGaps)
                }
                if looks.contains(where: \.hasStopped) { return }
                for look in looks {
                    isComplete = isComplete && !look.hasGaps && !budget.isExceeded
                    take(look.found)
                }
                let now = ContinuousClock.now
                if begun.duration(to: now) < Self.pause.shortest { size = min(size * 2, 1 << 16) }
                if begun.duration(to: now) > Self.pause.longest { size = max(1, size / 2) }
                guard shown.duration(to: now) > Self.pause.shown, !isEnough(self) else { continue }
                show(self)
                shown = now
            }
        }
    }

    /// The next places in a range, or the last, that were not looked through.
    private func unlooked(in range: Range<Int>, isForward: Bool, most: Int) -> Range<Int>? {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        for part in isForward ? parts : parts.reversed() {
            if isForward {
                if part.places.lowerBound > lower { upper = min(upper, part.places.lowerBound) }
                if part.places.contains(lower) { lower = part.places.upperBound }
            } else {
                if part.places.upperBound < upper { lower = max(lower, part.places.upperBound) }
                if part.places.contains(upper - 1) { upper = part.places.lowerBound }
            }
        }
        guard lower < upper else { return nil }
        return isForward ? lower..<min(upper, lower + most) : max(lower, upper - most)..<upper
    }

    /// Looks at some places.
    private func find(_ places: Range<Int>, in container: OpenContainer, _ look: inout Look) -> Part {
        var part = Part(places: places, found: RowRanges())
        for place in places {
            if look.isStopped() { break }
            if let isFound = known?.has(place) {
                if isFound { part.found.append(place..<place + 1) }
                continue
            }
            let row: SheetRow? =
                switch space.at(place) {
                case .row(let row): container.sheet[row]
                case .folded(let folded, let position):
                    // What is said of entries stands with those that are shown.
                    depth == .rows ? .entry(folded.store, key: folded.keys.key(at: position)) : nil
                }
            if let row, container.finds(row, &look) { part.found.append(place..<place + 1) }
        }
        return part
    }

    /// Takes in what was found in places that come before all others, after them, or between.
    private mutating func take(_ part: Part) {
        (count, looked) = (count + part.found.count, looked + part.places.count)
        let next = (parts.lastPosition { $0.places.lowerBound < part.places.lowerBound } ?? -1) + 1
        if next > 0, parts[next - 1].places.upperBound == part.places.lowerBound {
            parts[next - 1].places = parts[next - 1].places.lowerBound..<part.places.upperBound
            parts[next - 1].found.append(part.found)
        } else {
            parts.insert(part, at: next)
        }
    }
}

extension [Matches.Part] {
    /// What is known of a place; `nil` where it was not looked at.
    fileprivate func has(_ place: Int) -> Bool? {
        guard let part = lastPosition(where: { $0.places.lowerBound <= place }).map({ self[$0] }),
            part.places.contains(place)
        else { return nil }
        return part.found.index(of: place) != nil
    }
}

/// What is known of the places of a view from what was looked for before: in the same stores, folded in another way, or a text
/// of which the new one is more.
private struct Known: Sendable {
    private let parts: [Matches.Part]
    private let isSameText: Bool
    /// Whether no row had the text.
    private let isNowhere: Bool
    /// Where places stood then.
    private let shifts: [(places: Range<Int>, by: Int)]

    init?(
        _ matches: Matches, in space: SearchSpace, _ depth: Look.Depth, _ purpose: Matches.Purpose, _ matcher: Matcher
    ) {
        let former = Matcher(matches.purpose.text)
        isSameText = former.text == matcher.text && former.heedsCase == matcher.heedsCase
        // What could not be looked into may hold the longer text.
        guard matches.purpose.isRevealing == purpose.isRevealing,
            isSameText || former.isWider(than: matcher) && matches.isComplete
        else { return nil }
        let isSameView = matches.purpose.revision == purpose.revision && matches.purpose.filter == purpose.filter
        // What is said is said of what is shown alone; it was looked for as no row had the text.
        switch (matches.depth, depth) {
        case (.said, .rows): isNowhere = true
        case (.rows, .rows): isNowhere = false
        case (.said, .said) where isSameView: isNowhere = false
        default: return nil
        }
        shifts = isSameView ? [(0..<space.count, 0)] : space.shifts(to: matches.space)
        parts = matches.parts
    }

    func has(_ place: Int) -> Bool? {
        guard let shift = shifts.lastPosition(where: { $0.places.lowerBound <= place }).map({ shifts[$0] }),
            shift.places.contains(place)
        else { return nil }
        if isNowhere { return false }
        guard let isFound = parts.has(place + shift.by) else { return nil }
        return isFound && !isSameText ? nil : isFound
    }
}

/// Counts where a text is, beside what the person does, from what a search has found so far.
struct MatchCounting: Effect {
    let purpose: Matches.Purpose
    let container: OpenContainer
    let masking: Masking
    var lane: Lane { .search }
    var label: String { "counting" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Matches {
        let former = container.matches.flatMap { $0.purpose == purpose ? $0 : nil }
        var matches = former ?? Matches(purpose, of: container)
        while true {
            matches.look(from: container.cursor, isForward: true, in: container, masking, control.isCancelled) {
                found in
                control.show { model in model.take(found) }
            } until: { _ in
                false
            }
            try control.goOn()
            guard let deeper = matches.deeper(in: container) else { return matches }
            matches = deeper
        }
    }

    func finish(_ matches: Matches, in model: inout Model) -> [any Effect] {
        guard model.opened?.awaitedMatches == matches.purpose else { return [] }
        model.take(matches)
        model.opened?.awaitedMatches = nil
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        // Another one may be awaited by now.
        if model.opened?.awaitedMatches == purpose { model.opened?.awaitedMatches = nil }
        return []
    }
}

/// A search through the lines of the detail.
struct DetailSearch: Effect {
    let text: String
    let isForward: Bool
    /// Whether it is still being typed.
    let isTyped: Bool
    let detail: WrittenDetail
    /// The line to go on from.
    let start: Int
    let glyphs: Glyphs
    /// Where a search through the rows has come to the row: how many lines are seen, so that it goes to a line further down.
    var landsBelow: Int?
    var lane: Lane { landsBelow != nil ? .detail : isTyped ? .search : .main }
    var label: String { "looking for “\(text)”" }
    /// How many lines are written at once.
    private static let share = 512

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> [Int] {
        let matcher = Matcher(text)
        var found: [Int] = []
        for first in stride(from: 0, to: detail.total, by: Self.share) {
            try control.goOn()
            let range = first..<min(detail.total, first + Self.share)
            let lines = detail.pages.lines(range, detail.purpose.options, glyphs, left: detail.purpose.left).lines
            found += lines.indices.filter { matcher.matches(lines[$0].text) }.map { first + $0 }
        }
        return found
    }

    func finish(_ lines: [Int], in model: inout Model) -> [any Effect] {
        guard model.isStillTyped(text, isTyped), model.opened?.detail?.purpose == detail.purpose else { return [] }
        if let landsBelow {
            if let first = lines.first, first >= landsBelow { model.opened?.goToDetail(line: first) }
            return []
        }
        guard let next = lines.next(from: start, forward: isForward) else {
            if isTyped { model.comeBack() }
            // What another view shows, this one may cut.
            let hasOthers = detail.pages.forms.count > 1
            model.message = .refused(
                "“\(text)” is nowhere in this " + (hasOthers ? "view; \(model.key(.view)) shows others; " : "detail; ")
                    + "\(model.key(.out)), then \(model.key(.nextMatch)), looks through the rows")
            return []
        }
        model.opened?.goToDetail(line: next)
        model.message = .found(text, (lines.firstIndex(of: next) ?? 0) + 1, of: lines.count)
        return []
    }
}

extension Document.Line {
    /// Its runs, both sides one after the other.
    var runs: [Run] {
        switch self {
        case .runs(let runs): runs
        case .pair(let left, let mark, let right): left + [Run(" \(mark.sign) ", mark.role)] + right
        }
    }

    /// What stands in it.
    var text: String { runs.map(\.text).joined() }
}

extension Message {
    /// That there is nothing of a name: the one that is like it, else all that there are.
    static func unknown(_ kind: String, _ name: String, among known: [String]) -> Message {
        let near = Nearest.word(to: name, among: known).map { "did you mean \($0)?" }
        let all = "\(kind == "step" ? "the steps" : "there") are \(known.joined(separator: ", "))"
        return .refused("there is no \(kind) “\(name)”; \(near ?? all)")
    }

    /// Which of how many matches one is at, once all have been looked for.
    static func found(_ text: String, at row: Int, _ matches: Matches) -> Message {
        guard matches.isDone else {
            var message = Message.done("“\(text)”, \(matches.count) so far, \(matches.percent) % looked through")
            message.search = text
            return message
        }
        return found(text, matches.number(at: row), of: matches.count, isComplete: matches.isComplete)
    }

    /// Which of how many matches one is at.
    static func found(_ text: String, _ number: Int, of count: Int, isComplete: Bool = true) -> Message {
        .done("“\(text)”, \(number) of \(isComplete ? "" : "at least ")\(count)")
    }
}
