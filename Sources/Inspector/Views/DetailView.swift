import MigrationEngine
import Reports
import StoreFormats

/// The row under the cursor in full.
enum DetailView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let opened = model.opened, layout.detail.size.height > 0 else { return }
        let rect = layout.detail
        let beside = layout.isDetailBeside
        let border = SheetView.border(opened, .detail)
        frame.horizontalLine(at: rect.origin.x, rect.origin.y, width: rect.size.width, role: border)
        if beside { frame.verticalLine(at: rect.origin.x, rect.origin.y, height: rect.size.height, role: border) }
        let text = layout.detailText(beside: beside)
        frame.draw(" \(title(opened)) ", at: text.origin.x + (beside ? 0 : 1), rect.origin.y, role: .title)
        guard let lines = lines(model, width: max(1, text.size.width)) else {
            let waiting = opened.row == nil ? "" : frame.glyphs.ellipsis
            frame.draw(waiting, at: text.origin.x, text.origin.y, role: .dim)
            if opened.focus == .detail { frame.cursor = text.origin }
            return
        }
        if lines.count > text.size.height {
            let shown = " \(min(lines.count, opened.detailTop + text.size.height))/\(lines.count) "
            let width = frame.glyphs.columns(shown)
            frame.draw(shown, at: rect.columns.upperBound - width - 1, rect.origin.y, width: width, role: .dim)
        }
        for (index, line) in lines.dropFirst(opened.detailTop).prefix(text.size.height).enumerated() {
            line.draw(at: text.origin.x, text.origin.y + index, width: text.size.width, on: &frame)
        }
        if opened.focus == .detail { frame.cursor = text.origin }
    }

    private static func title(_ opened: OpenContainer) -> String {
        switch opened.row {
        case .step(let index): opened.plan?.steps[index].step.title ?? ""
        case .unmapped(let store, _), .store(let store): store.description
        case .entry(_, let key): key
        case nil: "nothing here"
        }
    }

    /// The lines of the detail at a width as they were last written; `nil` while they are being written anew.
    static func lines(_ model: Model, width: Int) -> [DetailLine]? {
        guard let opened = model.opened, let detail = opened.detail else { return nil }
        return detail.purpose == WrittenDetail.Purpose(opened, model.masking, width: width) ? detail.lines : nil
    }

    /// Writes the lines of the detail; large values take long, so it is done off the thread that draws.
    static func write(_ model: Model, _ opened: OpenContainer, width: Int) -> [DetailLine] {
        var writer = DetailWriter(model: model, opened: opened, width: width)
        switch opened.row {
        case .step(let index):
            if let planned = opened.plan?.steps[index] { writer.write(planned) }
        case .unmapped(let store, _), .store(let store): writer.write(store)
        case .entry(let store, let key): writer.write(Address(store: store, key: Name(key)))
        case nil: break
        }
        return writer.lines
    }
}

/// A line of the detail: runs of text, or two sides with a sign between them.
enum DetailLine: Hashable, Sendable {
    case runs([Run])
    case pair(left: [Run], mark: Comparison.Mark, right: [Run])

    func draw(at x: Int, _ y: Int, width: Int, on frame: inout Frame) {
        switch self {
        case .runs(let runs): frame.draw(runs, at: x, y, width: width)
        case .pair(let left, let mark, let right):
            let half = (width - 3) / 2
            frame.draw(left, at: x, y, width: half)
            frame.draw(mark.sign, at: x + half + 1, y, width: 1, role: mark.role)
            frame.draw(right, at: x + half + 3, y, width: width - half - 3)
        }
    }
}

extension Comparison.Mark {
    /// How the sign and what differs look.
    var role: Role {
        switch self {
        case .same: .dim
        case .changed: .changed
        case .removed: .removed
        case .added: .added
        }
    }
}
