import Reports

/// The apps of a dump that holds several: a row for each, and the one under the cursor in full.
enum AppListView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let apps = model.apps else { return drawLocked(model, in: layout, on: &frame) }
        let rect = layout.sheet, shown = layout.sheetRows
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .borderFocused)
        let rows = apps.window(of: shown)
        let columns = Columns(rows.compactMap { apps[$0] }, apps, width: rect.size.width, frame.glyphs)
        columns.drawHead(at: rect.origin.y, on: &frame)
        for (line, row) in rows.enumerated() {
            guard let app = apps[row] else { continue }
            let y = rect.origin.y + 1 + line
            columns.draw(app, apps.finding(of: app), apps, model, at: y, on: &frame)
            if row == apps.cursor {
                frame.select(y..<y + 1, name: columns.names(of: app))
            }
        }
        if rows.isEmpty {
            let text =
                apps.filter.isEmpty
                ? "There is nothing in this dump."
                : "No app has that in its name or in what is said of it. \(model.key(.out)) shows all."
            frame.draw(text, at: 3, rect.origin.y + 1, width: rect.size.width - 3, role: .dim)
        }
        drawSelected(apps, model, in: layout.detail, on: &frame)
    }

    /// How many apps there are and how urgent they are, or how far that is known.
    static func counts(_ apps: AppList, _ model: Model) -> [Run] {
        let found = apps.found
        let own = apps.appCount, others = apps.total - own
        var runs = [Run(own.counted("app") + (others > 0 ? " and \(others.counted("other"))" : ""))]
        // A spec that was left out may be of any of them.
        let warnings = apps.allWarnings.count
        if warnings > 0 {
            runs += [Run(" · "), Run("\(warnings.counted("warning")) (\(model.key(.warnings)))", .warning)]
        }
        if !apps.filter.isEmpty { runs += [Run(" · "), Run("\(apps.count) with “\(apps.filter)”", .key)] }
        let needs: [(AppFinding.Need, String, Role)] = [
            (.problem, "with problems", .problem), (.loss, "with losses", .problem), (.migration, "to migrate", .added),
            (.done, "migrated", .done),
        ]
        for (need, words, role) in needs {
            guard let number = found.needs[need] else { continue }
            runs += [Run(" · "), Run("\(number) \(words)", role)]
        }
        if let keychain = apps.keychain { runs += [Run(" · "), Run(keychain, .warning)] }
        if apps.isExamining {
            runs.append(Run(" · looking: \(found.count) of \(apps.total)\(model.glyphs.ellipsis)", .dim))
        } else if found.count < apps.total {
            runs.append(Run(" · \(apps.total - found.count) not looked at", .warning))
        }
        return runs
    }

    /// The app under the cursor in full.
    private static func drawSelected(_ apps: AppList, _ model: Model, in rect: Rect, on frame: inout Frame) {
        guard rect.size.height > 1 else { return }
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .border)
        guard let app = apps.selected else { return }
        let title = " \(app.name ?? apps.name(of: app)) "
        let width = min(frame.glyphs.columns(title, limit: rect.size.width), rect.size.width - 2)
        frame.draw(title, at: 1, rect.origin.y, width: width, role: .title)
        let finding = apps.finding(of: app)
        let document = AppAnswer(fields(of: app, finding, apps), finding?.answer, model.masking).document
        let lines = document.lines(width: max(1, rect.size.width - 1), frame.glyphs, .keys(model.settings))
        if lines.count > rect.size.height - 1 {
            let shown = " \(rect.size.height - 1)/\(lines.count); \(model.key(.goIn)) opens it "
            let columns = frame.glyphs.columns(shown)
            frame.draw(shown, at: rect.columns.upperBound - columns - 1, rect.origin.y, width: columns, role: .dim)
        }
        for (index, line) in lines.prefix(rect.size.height - 1).enumerated() {
            line.draw(at: 1, rect.origin.y + 1 + index, width: rect.size.width - 1, on: &frame)
        }
    }

    private static func fields(
        of app: AppList.App, _ finding: AppList.Finding?, _ apps: AppList
    ) -> [(label: String, text: String)] {
        let version = app.version.map { " \($0)" } ?? ""
        var fields = [(app.kind, app.identifier + version)]
        if apps.name(of: app) != app.identifier { fields.append(("path", app.path)) }
        if !app.companions.isEmpty {
            fields.append(("with", app.companions.map { "\($0.kind) \($0.identifier)" }.joined(separator: ", ")))
        }
        if let finding, let measure = finding.measure {
            let least = measure.isWhole ? "" : "at least "
            fields.append(
                (
                    "size",
                    "\(least)\(measure.bytes.asBytes) in \(measure.files.counted("file")), "
                        + finding.answer.stores.counted("store")
                ))
        }
        return fields
    }

    /// The columns of a row: what does not fit goes in the order of what is missed least.
    private struct Columns {
        private let name: (x: Int, width: Int)
        private let identifier: (x: Int, width: Int)
        private let version: (x: Int, width: Int)
        private let containers: (x: Int, width: Int)
        private let size: (x: Int, width: Int)
        private let state: (x: Int, width: Int)

        /// Those of what an app is called: its name, or where it has none its identifier.
        func names(of app: AppList.App) -> Range<Int> {
            let column = app.name == nil || name.width == 0 ? identifier : name
            return column.x..<column.x + column.width
        }

        init(_ rows: [AppList.App], _ apps: AppList, width: Int, _ glyphs: Glyphs) {
            func longest(_ most: Int, _ text: (AppList.App) -> String?) -> Int {
                rows.lazy.compactMap(text).map { glyphs.columns($0, limit: most) }.max() ?? 0
            }
            var x = 3
            func column(_ wanted: Int, if isThere: Bool = true) -> (x: Int, width: Int) {
                guard isThere, wanted > 0 else { return (x, 0) }
                defer { x += wanted + 2 }
                return (x, wanted)
            }
            let most = max(8, width >= 100 ? width / 4 : (width - 6) / 3)
            name = column(longest(min(most, 26), \.name))
            let identifiers = longest(max(most, 34)) { apps.name(of: $0) }
            identifier = column(min(identifiers, max(8, name.width == 0 ? width / 2 : width - x - 30)))
            let versions = longest(10, \.version)
            version = column(max(7, versions), if: width >= 96 && versions > 0)
            containers = column(12, if: width >= 116)
            size = column(8, if: width >= 96)
            state = (x, max(0, width - x))
        }

        func drawHead(at y: Int, on frame: inout Frame) {
            for (column, title) in [
                (name, "App"), (identifier, name.width > 0 ? "Identifier" : "App"), (version, "Version"),
                (containers, "Containers"), (size, "Size"), (state, "State"),
            ] where column.width > 1 {
                frame.draw(
                    " \(title) ", at: column.x - 1, y, width: min(title.count + 2, column.width + 2), role: .title)
            }
        }

        func draw(
            _ app: AppList.App, _ finding: AppList.Finding?, _ apps: AppList, _ model: Model, at y: Int,
            on frame: inout Frame
        ) {
            let glyphs = frame.glyphs
            let sign = finding?.answer.sign(glyphs) ?? Run(glyphs.choose("…", ascii: "~"), .dim)
            frame.draw([sign], at: 1, y, width: 1)
            frame.draw(app.name ?? "", at: name.x, y, width: name.width, role: .key)
            let title = glyphs.withoutMiddle(apps.name(of: app), to: identifier.width)
            frame.draw(title, at: identifier.x, y, width: identifier.width, role: app.name == nil ? .key : .text)
            frame.draw(app.version ?? "", at: version.x, y, width: version.width)
            let count = 1 + app.companions.count
            frame.draw(count.counted("container"), at: containers.x, y, width: containers.width, role: .dim)
            let bytes = finding?.measure.map { ($0.isWhole ? "" : ">") + $0.bytes.asBytes } ?? ""
            frame.draw(glyphs.padded(bytes, to: size.width, .trailing), at: size.x, y, width: size.width, role: .dim)
            var text = finding.map { model.masking.sentence($0.answer.summary) } ?? "not looked at yet"
            let role: Role = finding.map { $0.answer.need < .done ? sign.role : .dim } ?? .dim
            let isApp = app.kind == "app"
            // That no migration of an app finds anything in what is none says nothing.
            if !isApp, let answer = finding?.answer, answer.need > .done { text = answer.stores.counted("store") }
            frame.draw(
                (isApp ? [] : [Run("\(app.kind) · ", .dim)]) + [Run(text, role)], at: state.x, y, width: state.width)
        }
    }

    /// What a dump is that a password opens.
    private static func drawLocked(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let locked = model.unopened?.locked else { return }
        let rect = layout.body
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" Locked ", at: 2, rect.origin.y, role: .title)
        let line =
            model.prompt != nil
            ? "Type it below, and press Enter."
            : model.busy == nil ? "The line for it is closed, and what was typed is gone: Enter opens it again." : ""
        let sentence = """
            \(locked.place ?? "This dump") (\(locked.kind)) is encrypted. The password that was chosen when it was made opens it; it is kept \
            nowhere. \(line)
            """
        let width = max(1, rect.size.width - 4)
        // Beside the line that is typed there is little room for why the last password did not do.
        let message = model.prompt == nil ? nil : model.message
        let lines =
            frame.glyphs.proseLines(sentence, width: width).map { ($0, Role.text) }
            + (message.map { StatusView.lines(of: $0, model, width: width) } ?? []).map { ($0, Role.warning) }
        for (index, line) in lines.prefix(rect.size.height - 1).enumerated() {
            frame.draw(line.0, at: 2, rect.origin.y + 1 + index, width: width, role: line.1)
        }
    }
}

extension AppList {
    /// The rows that are seen where there is room for so many.
    func window(of number: Int) -> Range<Int> {
        let top = max(0, min(cursor - number / 2, count - number))
        return (top..<top + number).clamped(to: 0..<count)
    }
}
