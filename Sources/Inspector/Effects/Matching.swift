import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// Where a text is among the rows of a container, to say which of how many one is at.
struct Matches: Sendable {
    /// What they were looked for: a text, in a view with a filter.
    struct Purpose: Hashable, Sendable {
        let text: String
        let revision: Int
        let filter: Int
        let isRevealing: Bool
    }

    let purpose: Purpose
    private var rows = RowRanges()
    /// How many entries of each folded store have it, by the place of the store's row.
    private var folded: [(row: Int, count: Int)] = []
    /// Whether everything could be looked into.
    private(set) var isComplete = true

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// How many there are.
    var count: Int { rows.count + folded.reduce(0) { $0 + $1.count } }

    /// Which of them stands in a row, or is the first one after it.
    func number(at row: Int) -> Int {
        let before = rows.count(before: row) + folded.filter { $0.row < row }.reduce(0) { $0 + $1.count }
        return min(before + 1, max(1, count))
    }

    /// Looks through all rows, and the entries of the stores that are folded.
    mutating func find(
        in container: OpenContainer, _ masking: Masking, _ depth: Look.Depth, _ isCancelled: @escaping () -> Bool
    ) {
        var look = Look(Matcher(purpose.text), masking, isCancelled, depth)
        let sheet = container.sheet
        for position in 0..<sheet.count {
            if look.isStopped() { return }
            guard let row = sheet[position] else { continue }
            if container.finds(row, &look) { rows.append(position..<position + 1) }
            guard depth == .rows, container.filtering == nil, let (store, keys) = container.folded(behind: row)
            else { continue }
            var count = 0
            container.find(in: store, keys, &look) { _ in
                count += 1
                return true
            }
            if count > 0 { folded.append((position, count)) }
        }
        isComplete = look.isComplete(in: container)
    }
}

/// Counts where a text is, beside what the person does.
struct MatchCounting: Effect {
    let purpose: Matches.Purpose
    let container: OpenContainer
    let masking: Masking
    var lane: Lane { .search }
    var label: String { "counting" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Matches {
        for depth in Look.Depth.allCases {
            var matches = Matches(purpose)
            matches.find(in: container, masking, depth, control.isCancelled)
            try control.goOn()
            if matches.count > 0 { return matches }
        }
        return Matches(purpose)
    }

    func finish(_ matches: Matches, in model: inout Model) -> [any Effect] {
        guard model.opened?.awaitedMatches == matches.purpose else { return [] }
        model.opened?.awaitedMatches = nil
        model.opened?.matches = matches
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
    var lane: Lane { isTyped ? .search : .main }
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
        guard let next = lines.next(from: start, forward: isForward) else {
            if isTyped { model.comeBack() }
            model.message = .refused(
                "“\(text)” is nowhere in this detail; \(model.key(.out)), then \(model.key(.nextMatch)), looks through the rows"
            )
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

    /// Which of how many matches one is at.
    static func found(_ text: String, _ number: Int, of count: Int, isComplete: Bool = true) -> Message {
        .done("“\(text)”, \(number) of \(isComplete ? "" : "at least ")\(count)")
    }
}
