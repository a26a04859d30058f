import MigrationEngine
import Reports
import StoreFormats

/// The lines of the facts: what the steps are planned with, where it came from, and which steps ask for it.
enum FactsPage {
    static func lines(_ model: Model) -> [PageLine] {
        guard let opened = model.opened, let plan = opened.plan, let migration = opened.migration else { return [] }
        let definitions = migration.facts
        func prose(_ text: String, _ indent: String = "  ", _ role: Role = .dim) -> [PageLine] {
            model.glyphs.proseLines(text, width: max(10, model.size.width - indent.count - 2)).map {
                PageLine([Run(indent), Run($0, role)])
            }
        }
        guard !definitions.isEmpty else { return prose("\(migration.id) asks for no fact.", "", .text) }
        let steps = Dictionary(
            plan.ownSteps.flatMap { step in Set(step.step.facts).map { ($0, [step.step.title]) } }, uniquingKeysWith: +)
        let columns = min(28, (definitions.map { model.glyphs.columns($0.name.rawValue) }.max() ?? 0) + 2)
        let head = prose(
            "\(model.key(.goIn)) changes the fact under the cursor; a given one whose line is emptied is taken back.",
            "")
        return definitions.reduce(into: head + [PageLine([])]) { lines, definition in
            let name = definition.name, fact = plan.facts[name], rivals = plan.facts.rivals[name] ?? []
            func words(_ fact: Fact) -> String {
                model.masking.fact(name, fact, as: definition.words(for: fact.value))
            }
            let value =
                fact.map { Run(words($0), $0.source.isGuess ? .warning : .text) }
                ?? Run(rivals.isEmpty ? "not known" : "the dump tells several", .warning)
            let label = model.glyphs.padded(name.rawValue, to: columns)
            lines.append(PageLine([Run(label, .key), value], to: .fact(name)))
            lines += prose(definition.meaning)
            if name == .uptime { lines += prose(start(fact, plan.facts)) }
            if let fact { lines += prose(model.masking.sentence(fact.source.phrase)) }
            for rival in rivals { lines += prose("\(words(rival)), \(model.masking.sentence(rival.source.phrase))") }
            if let titles = steps[name] {
                lines += prose(
                    titles.count == plan.ownSteps.count ? "for every step" : "for: \(titles.joined(separator: ", "))")
            }
            lines.append(PageLine([]))
        }
    }

    /// When the device was started by an uptime: what a person knows is that, or how long ago it was.
    private static func start(_ uptime: Fact?, _ facts: Facts) -> String {
        guard let seconds = uptime.flatMap({ Double($0.value) }) else {
            return "3h 20min, say, or when the device was rebooted: since 2024-08-30 06:00"
        }
        guard let now = facts[.now].flatMap({ Double($0.value) }),
            let start = Timestamp(secondsSinceEpoch: (now - seconds).rounded(.down)).iso8601
        else { return "when the device was rebooted is not known, as now is not" }
        return "rebooted at \(start)"
    }
}
