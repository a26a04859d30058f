import MigrationEngine
import Reports

/// The top of the screen: what is open, and the migration with the count of what it does.
enum HeaderView {
    /// From this width on there is room for words.
    private static let wide = 110

    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        let lines = lines(model)
        for (index, runs) in lines.prefix(layout.header.size.height).enumerated() {
            frame.draw(runs, at: 0, layout.header.origin.y + index, width: layout.header.size.width)
        }
    }

    private static func lines(_ model: Model) -> [[Run]] {
        guard let opened = model.opened else {
            let title = [Run("Vestige", .title), Run("  "), Run(model.apps?.title ?? model.unopened?.name ?? "")]
            guard let apps = model.apps else { return [title] }
            let counts = AppListView.counts(apps, model.glyphs)
            return model.size.height < Layout.tall ? [counts] : [title, counts]
        }
        let snapshot = opened.snapshot, help = model.key(.warnings)
        var first: [Run] = []
        if !opened.warnings.isEmpty {
            first += [Run(" · "), Run("\(opened.warnings.count.counted("warning")) (\(help))", .warning)]
        }
        if !opened.drift.isEmpty {
            let what = opened.drift.isOfKeychain ? "the steps' keychain is not given" : "the dump has changed"
            first += [Run(" · "), Run("\(what) (\(help))", .problem)]
        }
        if let badge = opened.plan?.badge { first += [Run(" · "), Run("\(badge) (\(help))", .warning)] }
        if opened.isPlanned, !opened.foreign.isEmpty {
            let count = opened.foreign.values.reduce(0, +)
            let what = "\(count.counted("step")) applied by a spec that is not given (\(help))"
            first += [Run(" · "), Run(what, .problem)]
        }
        if opened.moment != .now {
            first += [Run(" · "), Run("not now", .badge)]
        } else if snapshot.readOnlyReason != nil {
            first += [Run(" · "), Run("read-only", .warning)]
        }
        if model.masking.isRevealing { first += [Run(" · "), Run("secrets shown", .warning)] }
        let filter = filter(opened, model)
        guard model.size.height < Layout.tall else {
            return [fitting(first, opened, model), within(model, migration(opened) + filter, opened)]
        }
        // On a screen of few lines the counts are worth more than the dump.
        return [within(model, filter, opened) + [Run("  "), Run(snapshot.heading.title, .key)]]
    }

    /// That not all rows are shown: which, how many of how many, and how many selected steps are not among them.
    private static func filter(_ opened: OpenContainer, _ model: Model) -> [Run] {
        guard let filtering = opened.filtering else { return [] }
        let words = model.glyphs.truncated(model.masking.sentence(filtering.filter.words), to: 24)
        let far = filtering.isComplete ? "" : " so far"
        let sheet = opened.sheet, steps = opened.selected.isEmpty ? [] : opened.plan?.steps ?? []
        let hidden = steps.indices.count {
            opened.selected.contains(steps[$0].id) && sheet.position(of: .step($0)) == nil
        }
        let selected = hidden > 0 && filtering.isComplete ? ", \(hidden) selected hidden" : ""
        return [Run("& \(words): \(sheet.count) of \(opened.allRows) rows\(far)\(selected)", .badge), Run("  ")]
    }

    /// The first line: what failed or waits behind the app's name, then what else is the matter, what becomes of the values,
    /// and what is known of the dump; what is needed least is left out where there is no room.
    private static func fitting(_ state: [Run], _ opened: OpenContainer, _ model: Model) -> [Run] {
        let glyphs = model.glyphs, most = model.size.width
        let program = [Run("Vestige", .title), Run("  ")], (title, details) = opened.snapshot.heading
        func line(_ start: [Run], _ isInWords: Bool, _ details: some Sequence<String>, _ title: String) -> [Run] {
            let values = values(opened, model, isInWords: isInWords)
            return start + [Run(title, .key)] + values.stopped + state + values.others
                + details.map { Run(" · \($0)", .dim) }
        }
        let forms: [Bool] = model.size.width >= wide ? [true, false] : [false]
        var lines = forms.flatMap { isInWords in
            (0...details.count).reversed().map { line(program, isInWords, details.prefix($0), title) }
                // Words say more than the program's own name.
                + (isInWords ? [line([], true, [], title)] : [])
        }
        let bare = line([], false, [], title)
        let over = glyphs.columns(bare.map(\.text).joined(), limit: most + 4096) - most
        lines += [bare, line([], false, [], glyphs.withoutMiddle(title, to: max(12, glyphs.columns(title) - over)))]
        return lines.first { glyphs.columns($0.map(\.text).joined(), limit: most + 1) <= most }
            ?? lines[lines.count - 1]
    }

    /// What becomes of the user's values, in words or by signs: of those that no step could take on, and of the others.
    private static func values(
        _ opened: OpenContainer, _ model: Model, isInWords: Bool
    ) -> (stopped: [Run], others: [Run]) {
        guard opened.plan != nil else { return ([], []) }
        let counts = opened.view.values
        func runs(_ fates: [ValueCounts.Fate]) -> [Run] {
            let runs = fates.filter { counts[$0] > 0 }.map { fate in
                let sign = fate.sign(model.glyphs)
                let isSign = !isInWords && sign != nil
                return Run("\(counts[fate])\(isSign ? sign?.text ?? "" : " \(fate.word)")", sign?.role ?? .dim)
            }
            return runs.isEmpty
                ? [] : [Run(" · ")] + Array(runs.map { [$0] }.joined(separator: [Run(isInWords ? " · " : " ")]))
        }
        return (
            runs(ValueCounts.stopped),
            runs(ValueCounts.others.dropLast())
                + (counts[.untouched] > 0 ? [Run(" · \(counts[.untouched]) untouched", .dim)] : [])
        )
    }

    private static func migration(_ opened: OpenContainer) -> [Run] {
        guard let plan = opened.plan else { return [] }
        return [Run("\(plan.migration):\(plan.profile.id)", .heading), Run("  ")]
    }

    /// What stands first, then the counts: by words where there is room, else by the signs of the rows.
    private static func within(_ model: Model, _ first: [Run], _ opened: OpenContainer) -> [Run] {
        let glyphs = model.glyphs, most = model.size.width
        func fits(_ runs: [Run]) -> Bool { glyphs.columns(runs.map(\.text).joined(), limit: most + 1) <= most }
        let others = opened.plan != nil && opened.applicable > 1
        let key = model.key(.migration), number = opened.applicable
        let short = others ? [Run("  (\(key): \(number) migrations)", .dim)] : []
        let long = others ? [Run("  (1 of \(number) migrations, \(key): next)", .dim)] : []
        let forms = [
            first + counts(opened, model, of: " steps") + long, first + counts(opened, model, of: " steps") + short,
            first + counts(opened, model) + short,
            first + counts(opened, model, by: glyphs) + short,
        ]
        return forms.first(where: fits) ?? first + counts(opened, model, by: glyphs)
    }

    /// - Parameters:
    ///   - word: What is counted; the line above counts values.
    ///   - glyphs: With them signs stand for the words.
    private static func counts(
        _ opened: OpenContainer, _ model: Model, of word: String = "", by glyphs: Glyphs? = nil
    ) -> [Run] {
        guard opened.isPlanned else { return [Run("not planned yet", .dim)] }
        guard let plan = opened.plan else {
            let isShort = glyphs != nil
            let why = "\(model.key(.warnings)) says why; "
            let next =
                model.key(.spec)
                + (isShort
                    ? " says what to do" : " says how to write one, :compare DUMP sets another beside it")
                + "; \(model.key(.migration)) looks at one"
            let unknown =
                model.size.width < wide
                ? "not known whether one applies: " : "not known whether a migration applies here: "
            return opened.view.unknown.isEmpty
                ? [Run("no migration applies here: " + next, .dim)]
                : [Run(unknown + why, .warning), Run(next, .dim)]
        }
        let all = "\(plan.steps.count)\(word)"
        var runs = [Run("\(plan.appliedCount) of \(all) applied", plan.appliedCount > 0 ? .done : .text)]
        runs += plan.appliedOtherwise.map { Run(" · \($0.count) with \($0.profile)", .warning) }
        let kinds: [(Outcome.Kind, Role)] = [
            (.failed, .problem), (.conflict, .problem), (.blocked, .warning), (.migrates, .added), (.unchanged, .dim),
            (.skipped, .dim),
        ]
        let left = plan.pendingCounts
        for (index, (kind, role)) in kinds.filter({ left[$0.0] != nil }).enumerated() {
            let number = left[kind] ?? 0
            if let glyphs {
                runs += [Run(index == 0 ? " · " : " "), Run("\(number)\(kind.sign(glyphs).text)", role)]
            } else {
                runs += [Run(" · "), Run("\(number) \(kind.phrase)", role)]
            }
        }
        return runs
    }
}

extension ValueCounts.Fate {
    /// The sign that stands for the word.
    fileprivate func sign(_ glyphs: Glyphs) -> Run? {
        switch self {
        case .held(let kind): kind.sign(glyphs)
        case .effect(let effect): effect.sign(glyphs)
        case .untouched: nil
        }
    }
}
