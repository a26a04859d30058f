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
            let counts = AppListView.counts(apps, model)
            return model.size.height < Layout.tall ? [counts] : [title, counts]
        }
        let filter = filter(opened, model)
        guard model.size.height < Layout.tall else {
            return [fitting(notices(opened, model), opened, model), within(model, filter, opened, named: true)]
        }
        // On a screen of few lines the counts are worth more than the dump.
        return [within(model, filter, opened, named: false) + [Run("  "), Run(opened.snapshot.heading.title, .key)]]
    }

    /// What else is the matter than what becomes of the values.
    private struct Notice {
        let words: String
        /// The same where there is little room.
        let short: String
        let role: Role

        init(_ words: String, short: String? = nil, _ role: Role) {
            (self.words, self.short, self.role) = (words, short ?? words, role)
        }
    }

    private static func notices(_ opened: OpenContainer, _ model: Model) -> [Notice] {
        let help = "(\(model.key(.warnings)))"
        var notices: [Notice] = []
        let warnings = opened.allWarnings
        if !warnings.isEmpty { notices.append(Notice("\(warnings.count.counted("warning")) \(help)", .warning)) }
        if !opened.drift.isEmpty {
            notices.append(
                opened.drift.isOfKeychain
                    ? Notice("the steps' keychain is not given \(help)", short: "keychain not given \(help)", .problem)
                    : Notice("the dump has changed \(help)", short: "dump changed \(help)", .problem))
        }
        if let badge = opened.plan?.badge {
            notices.append(Notice("\(badge.words) \(help)", short: "\(badge.short) \(help)", .warning))
        }
        if opened.isPlanned, !opened.foreign.isEmpty {
            let count = opened.foreign.values.reduce(0, +).counted("step")
            notices.append(
                Notice(
                    "\(count) applied by a spec that is not given \(help)", short: "spec not given \(help)", .problem))
        }
        if opened.moment != .now {
            notices.append(Notice("not now", .badge))
        } else if opened.snapshot.readOnlyReason != nil {
            notices.append(Notice("read-only", .warning))
        }
        if model.masking.isRevealing { notices.append(Notice("secrets shown", .warning)) }
        return notices
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

    /// The first line: what becomes of the values behind the app's name, what failed or waits first, then what else is the
    /// matter, and what is known of the dump; what is needed least is left out where there is no room.
    private static func fitting(_ notices: [Notice], _ opened: OpenContainer, _ model: Model) -> [Run] {
        let glyphs = model.glyphs, most = model.size.width
        func runs(_ words: (Notice) -> String) -> [Run] { notices.flatMap { [Run(" · "), Run(words($0), $0.role)] } }
        let state = runs(\.words), shortState = runs(\.short)
        let program = [Run("Vestige", .title), Run("  ")], (title, details) = opened.snapshot.heading
        func line(
            _ start: [Run], _ isInWords: Bool, _ details: some Sequence<String>, _ title: String, _ state: [Run] = state
        ) -> [Run] {
            start + [Run(title, .key)]
                + values(opened, model, ValueCounts.stopped + ValueCounts.others, isInWords: isInWords) + state
                + details.map { Run(" · \($0)", .dim) }
        }
        let forms: [Bool] = model.size.width >= wide ? [true, false] : [false]
        var lines = forms.flatMap { isInWords in
            (0...details.count).reversed().map { line(program, isInWords, details.prefix($0), title) }
                // Words say more than the program's own name.
                + (isInWords ? [line([], true, [], title)] : [])
        }
        var short = title
        for state in [state, shortState] {
            let bare = line([], false, [], title, state)
            let over = glyphs.columns(bare.map(\.text).joined(), limit: most + 4096) - most
            short = glyphs.withoutMiddle(title, to: max(12, glyphs.columns(title) - over))
            lines += [bare, line([], false, [], short, state)]
        }
        if let whole = lines.first(where: { glyphs.columns($0.map(\.text).joined(), limit: most + 1) <= most }) {
            return whole
        }
        // What goes well is told last where not all is told.
        let grave = ValueCounts.stopped + ValueCounts.losses
        let first = values(opened, model, grave, isInWords: false)
        let others = values(
            opened, model, ValueCounts.others.filter { !grave.contains($0) }, isInWords: false,
            after: first.isEmpty ? valuesHeading : " · ")
        return [Run(short, .key)] + first + shortState + others
    }

    private static let valuesHeading = " · values: "

    /// What becomes of the user's values, in words or by signs; the line below counts steps.
    private static func values(
        _ opened: OpenContainer, _ model: Model, _ fates: [ValueCounts.Fate], isInWords: Bool,
        after heading: String = valuesHeading
    ) -> [Run] {
        guard opened.plan != nil else { return [] }
        return opened.view.values.runs(fates, model.glyphs, isInWords: isInWords, after: heading)
    }

    /// The migration, which rows are shown, then the counts: by words where there is room, else by the signs of the rows.
    private static func within(_ model: Model, _ filter: [Run], _ opened: OpenContainer, named: Bool) -> [Run] {
        let glyphs = model.glyphs, most = model.size.width
        func columns(_ runs: [Run]) -> Int { glyphs.columns(runs.map(\.text).joined(), limit: most + 4096) }
        let name = named ? opened.plan.map { "\($0.migration):\($0.profile.id)" } : nil
        func line(_ name: String?, _ counts: [Run], _ place: [Run]) -> [Run] {
            (name.map { [Run($0, .heading), Run("  ")] } ?? []) + filter + counts + place
        }
        let words = counts(opened, model), signs = counts(opened, model, by: glyphs)
        let long = place(opened, model, isShort: false), short = place(opened, model, isShort: true)
        let forms = [(words, long), (words, short), (signs, short), (signs, [])].map { line(name, $0, $1) }
        if let fitting = forms.first(where: { columns($0) <= most }) { return fitting }
        let bare = line(name, signs, [])
        guard let name else { return bare }
        let room = glyphs.columns(name) - (columns(bare) - most)
        return line(glyphs.withoutMiddle(name, to: max(12, room)), signs, [])
    }

    /// Which of the migrations that apply it is, where there are several, or that it does not apply here.
    private static func place(_ opened: OpenContainer, _ model: Model, isShort: Bool) -> [Run] {
        guard let plan = opened.plan else { return [] }
        let key = model.key(.migration), number = opened.applicable
        if let index = opened.migrations.prefix(number).firstIndex(where: { $0.id == plan.migration }) {
            guard number > 1 else { return [] }
            let long = "\(index + 1) of \(number) migrations, \(key): next"
            return [Run("  (\(isShort ? "\(key): \(number) migrations" : long))", .dim)]
        }
        if opened.view.unknown.isEmpty {
            return [Run("  (does not apply\(isShort ? "" : " here, \(key): next"))", .dim)]
        }
        // What nobody could look into may be what it reads.
        let why = model.key(.warnings), long = "unknown whether it applies: \(why) says why, \(key): next"
        return [Run("  (\(isShort ? "may not apply: \(why)" : long))", .warning)]
    }

    /// - Parameter glyphs: With them signs stand for the words.
    private static func counts(_ opened: OpenContainer, _ model: Model, by glyphs: Glyphs? = nil) -> [Run] {
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
                ? "unknown whether one applies: " : "unknown whether a migration applies here: "
            return opened.view.unknown.isEmpty
                ? [Run("no migration applies here: " + next, .dim)]
                : [Run(unknown + why, .warning), Run(next, .dim)]
        }
        var runs = [
            Run("\(plan.appliedCount) of \(plan.ownSteps.count) steps applied", plan.appliedCount > 0 ? .done : .text)
        ]
        runs += plan.appliedOtherwise.map { Run(" · \($0)", .warning) }
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

extension ValueCounts {
    /// How many meet which fate, in words or by signs; nothing where none does.
    func runs(_ fates: [Fate], _ glyphs: Glyphs, isInWords: Bool, after start: String) -> [Run] {
        var line: [Run] = []
        for fate in fates where self[fate] > 0 {
            let sign = fate.sign(glyphs), isSign = !isInWords && sign != nil
            let separator = line.isEmpty ? start : isSign ? " " : " · "
            let count = "\(self[fate])\(isSign ? sign?.text ?? "" : " \(fate.word)")"
            line += [Run(separator), Run(count, sign?.role ?? .dim)]
        }
        return line
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
