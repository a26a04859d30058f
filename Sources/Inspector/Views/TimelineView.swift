import Foundation
import MigrationEngine
import Reports
import StoreFormats

/// The timeline over the panes: a sign for each point, and the one in view in words.
enum TimelineView {
    /// The columns of a point.
    private static let pointColumns = 3

    static func draw(_ model: Model, in rect: Rect, on frame: inout Frame) {
        guard let opened = model.opened, rect.size.height > 0 else { return }
        let timeline = opened.timeline, here = timeline.position(of: opened.moment) ?? timeline.present
        if rect.size.height > 1 {
            let room = max(1, (rect.size.width - 3) / pointColumns)
            let first = max(0, min(here - room / 2, timeline.points.count - room))
            let shown = first..<min(timeline.points.count, first + room)
            var runs: [Run] = [Run(first > 0 ? frame.glyphs.ellipsis : " ", .dim)]
            for position in shown { runs += point(position, here, opened, frame.glyphs) }
            if shown.upperBound < timeline.points.count { runs.append(Run(frame.glyphs.ellipsis, .dim)) }
            frame.draw(runs, at: 0, rect.origin.y, width: rect.size.width)
        }
        let point = timeline.points[here]
        let place = "\(here + 1) of \(timeline.points.count)"
        let words = [Run(place + " ", .badge), Run(" "), Run(phrase(point, opened), .key)] + more(point, model, opened)
        frame.draw(words, at: 1, rect.origin.y + rect.size.height - 1, width: max(0, rect.size.width - 1))
    }

    /// A point: in brackets where it is in view, in round ones where it is marked; behind the one that is now, a line.
    private static func point(_ position: Int, _ here: Int, _ opened: OpenContainer, _ glyphs: Glyphs) -> [Run] {
        let point = opened.timeline.points[position]
        let line = glyphs.choose("─", ascii: "-")
        let isMarked = opened.mark == opened.timeline.lasting(point.moment)
        let ends = position == here ? ("[", "]") : isMarked ? ("(", ")") : (line, line)
        let role: Role = position == here ? .badge : isMarked ? .warning : .dim
        let now = position == opened.timeline.present ? [Run(glyphs.choose("│", ascii: "|"), .border)] : []
        return [Run(ends.0, role), sign(point, glyphs), Run(ends.1, role)] + now
    }

    /// What led to a point, in one character.
    static func sign(_ point: Timeline.Point, _ glyphs: Glyphs) -> Run {
        switch point.cause {
        case .found: Run(glyphs.choose("□", ascii: "o"), .text)
        case .entry(let entry, let isStanding):
            if case .rolledBack = entry.event {
                Run("<", .warning)
            } else {
                Run(Outcome.Kind.appliedSign(glyphs).text, isStanding ? .done : .dim)
            }
        case .step(let planned): planned.outcome.kind.sign(glyphs)
        }
    }

    /// A point in a phrase.
    static func phrase(_ point: Timeline.Point, _ opened: OpenContainer) -> String {
        let now = point.moment == .now ? "now, " : ""
        switch point.cause {
        case .found: return now + "the dump as it is"
        case .entry(let entry, _):
            let title = HistoryPage.title(of: entry, opened)
            if case .rolledBack = entry.event { return "\(now)after #\(entry.number), \(title) rolled back" }
            return "\(now)after #\(entry.number) \(title)"
        case .step(let planned):
            return planned.outcome.kind == .migrates ? "once \(planned.step.title) is applied" : planned.step.title
        }
    }

    /// When and by whom it was done, or why it is not known what would be there.
    private static func more(_ point: Timeline.Point, _ model: Model, _ opened: OpenContainer) -> [Run] {
        switch point.cause {
        case .found: return []
        case .entry(let entry, let isStanding):
            let date = Timestamp(secondsSinceReference: entry.date.timeIntervalSinceReferenceDate).iso8601 ?? ""
            let back = if case .applied = entry.event, !isStanding { " · taken back since" } else { "" }
            return [
                Run(" · \(LogReport.toTheSecond(date)) by \(model.masking.sentence(entry.author))\(back)", .dim)
            ]
        case .step(let planned):
            guard planned.outcome.kind != .migrates else {
                return [Run(" · with the facts as they are", .dim)]
            }
            let told = planned.outcome.told(of: planned.quoted, model.masking)
            return [Run(" \(planned.outcome.kind.phrase), \(told)", .warning)]
        }
    }

}

extension Outcome {
    /// That nobody knows what a step would write which does nothing, and why.
    ///
    /// - Parameter quoted: What that may quote.
    func told(of quoted: [Address], _ masking: Masking) -> String {
        let why = reason.map { masking.sentence($0.sentence, of: quoted) } ?? kind.rawValue
        return (kind == .conflict ? "it writes nothing: " : "what it would write is not known: ") + why
    }
}
