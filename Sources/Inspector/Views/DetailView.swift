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
        frame.draw(" \(title(model, opened)) ", at: rect.origin.x + 2, rect.origin.y, role: .title)
        guard let detail = written(model, width: max(1, text.size.width)) else {
            let waiting = opened.row == nil ? "" : frame.glyphs.ellipsis
            frame.draw(waiting, at: text.origin.x, text.origin.y, role: .dim)
            if opened.focus == .detail { frame.cursor = text.origin }
            return
        }
        let room = layout.detailLines.shown
        if detail.total > room {
            let shown = " \(min(detail.total, opened.detailTop + room))/\(detail.total) "
            let width = frame.glyphs.columns(shown)
            frame.draw(shown, at: rect.columns.upperBound - width - 1, rect.origin.y, width: width, role: .dim)
        }
        var y = text.origin.y
        for line in [detail.head].compactMap(\.self)
            + (0..<room).map({ line in
                let position = opened.detailTop + line
                // What is being written while one scrolls has a mark.
                return position < detail.total
                    ? detail.line(at: position) ?? .runs([Run(frame.glyphs.ellipsis, .dim)]) : .runs([])
            })
        {
            line.draw(at: text.origin.x, y, width: text.size.width, on: &frame)
            y += 1
        }
        if opened.focus == .detail { frame.cursor = text.origin }
        let isTree = detail.pages.form == .tree, first = text.origin.y + (detail.head == nil ? 0 : 1)
        guard room > 0, let chosen = isTree ? opened.treeLine : opened.detailMatch,
            isTree || (0..<room).contains(chosen - opened.detailTop)
        else { return }
        let place = Position(x: text.origin.x, y: first + chosen - opened.detailTop)
        let line = Rect(x: place.x, y: place.y, width: text.size.width, height: 1)
        frame.select(line, opened.focus == .detail ? .selected : .inactive)
        if opened.focus == .detail { frame.cursor = place }
    }

    private static func title(_ model: Model, _ opened: OpenContainer) -> String {
        guard let pages = opened.detail?.pages, pages.form != .details else { return name(model, opened) }
        // Of a step it is one of the entries that it reads or writes.
        let side = opened.detail.flatMap { $0.viewed.hasBoth ? "\($0.viewed.side.rawValue) " : nil } ?? ""
        return side + "\(pages.key.map(model.masking.name) ?? name(model, opened)) · \(pages.form.rawValue)"
    }

    private static func name(_ model: Model, _ opened: OpenContainer) -> String {
        switch opened.row {
        case .step(let index): opened.plan?.steps[index].step.title ?? ""
        case .unmapped(let store, _), .store(let store): model.masking.place(store)
        case .noise(let store, _): "\(model.masking.place(store)): of the system and of SDKs"
        case .entry(let store, let key): model.masking.listed(key, in: store, of: opened.stores)
        case nil: "nothing here"
        }
    }

    /// The detail at a width as it was last written; `nil` while it is being written anew.
    static func written(_ model: Model, width: Int) -> WrittenDetail? {
        guard let opened = model.opened, let detail = opened.detail else { return nil }
        return detail.purpose == WrittenDetail.Purpose(opened, model.masking, width: width) ? detail : nil
    }

    /// The detail in the form that it is looked at in; large values take long, so it is made off the thread that draws.
    static func pages(_ model: Model, _ opened: OpenContainer, _ options: ValuePages.Options) -> ValuePages {
        let written = opened.lookUpSides().side == .migrated ? opened.written : nil
        return ValuePages(
            of: written?.address ?? opened.address ?? Address(store: .defaults("")),
            made: written.flatMap { written in written.state.value.map { .init($0, from: written.from) } },
            in: opened.stores, options, model.masking,
            model.glyphs,
            hint: "\(model.key(.reveal)) shows secrets"
        ) {
            document(model, opened)?.lines(width: options.width, model.glyphs, .keys(model.settings)) ?? []
        }
    }

    /// What there is to say of the row under the cursor.
    private static func document(_ model: Model, _ opened: OpenContainer) -> Document? {
        let now = opened.stores, found = opened.snapshot.stores
        switch opened.row {
        case .step(let index):
            guard let plan = opened.plan else { return nil }
            return StepAnswer(
                plan.steps[index], facts: plan.facts, definitions: opened.migration?.facts ?? [], now: now,
                found: found, assumption: opened.assumption(of: plan.steps[index]), model.masking
            ).document
        case .unmapped(let store, _), .store(let store):
            return StoreAnswer(store, in: now, found: found, model.masking).document
        case .noise(let store, _):
            return opened.view.sheet.noise(in: store).map { NoiseAnswer($0, model.masking).document }
        case .entry(let store, let key):
            let address = Address(store: store, key: key)
            return EntryAnswer(address, in: now, is: opened.annotation(of: address), model.masking).document
        case nil:
            guard opened.filtering == nil, opened.isPlanned else { return nil }
            // Where there is nothing to look at, that is what needs words: what is known, why, and what to do.
            let (warnings, unknown, help) = PageView.matters(model)
            return Document(sentences: warnings.map(\.text) + unknown + help)
        }
    }
}

extension Document.Line {
    func draw(at x: Int, _ y: Int, width: Int, on frame: inout Frame) {
        switch self {
        case .runs(let runs): frame.draw(runs, at: x, y, width: width)
        case .pair(let left, let mark, let right):
            // The sign stands at the edge, where it is seen from both sides however far they are apart.
            let half = (width - 3) / 2
            frame.draw(mark.sign, at: x, y, width: 1, role: mark.role)
            frame.draw(left, at: x + 2, y, width: half)
            frame.draw(right, at: x + half + 3, y, width: width - half - 3)
        }
    }
}
