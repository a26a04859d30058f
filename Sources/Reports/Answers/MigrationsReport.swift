import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// `vestige.migrations/1`: what is built in; with a single one, its steps too.
///
/// Under `profiles`, with `steps`: what each step reads (with a `*` for what only a dump can say, and the name of a fact in braces)
/// and writes (`target` is null where a fact must name it), and
/// `tables`: what the rules amount to, `rows` being arrays of texts.
package struct MigrationsReport: Report {
    package static let name = "migrations"
    let migrations: [Part]
    private let sources: [any Migration]
    /// Rules may quote what they write.
    private let masking: Masking
    private let withSteps: Bool
    private let only: Profile?
    package var status: ExitStatus { .done }

    private enum CodingKeys: String, CodingKey { case migrations }

    /// A migration.
    struct Part: Encodable {
        let id, title, summary: String
        let profiles: [ProfilePart]
        let facts: [FactDefinitionPart]
    }

    /// A profile; `steps` and `tables` are there where they were asked for.
    struct ProfilePart: Encodable {
        let id, summary: String
        let steps: [StepPart]?
        let tables: [TablePart]?
    }

    struct StepPart: Encodable {
        let id, title: String
        let sources: [String]
        @OrNull var target: String?
        @OrNull var targetKey: String?
        let rule: String
        @OrNull var disagreement: String?
        let facts: [String]
        let reversible: String
        let followsAll: Bool
    }

    struct TablePart: Encodable {
        let title: String
        let columns: [String]
        let rows: [[String]]
    }

    struct FactDefinitionPart: Encodable {
        let name, meaning, form, example: String
        /// Where the stores may tell it.
        let clues: [String]
    }

    /// - Parameter only: The only profile to list; all of them unless told otherwise.
    package init(_ migrations: [any Migration], withSteps: Bool = false, only: Profile? = nil) {
        sources = migrations
        var secrecy = EntrySecrecy()
        for migration in migrations { secrecy.note(migration, given: Facts()) }
        let masking = Masking(secrecy: secrecy)
        self.masking = masking
        self.withSteps = withSteps
        self.only = only
        self.migrations = migrations.map { migration in
            Part(
                id: migration.id, title: migration.title, summary: masking.sentence(migration.summary),
                profiles: migration.profiles.filter { only == nil || $0 == only }.map { profile in
                    ProfilePart(
                        id: profile.id, summary: profile.summary,
                        steps: withSteps ? Self.steps(migration, profile, masking) : nil,
                        tables: withSteps
                            ? migration.tables(profile: profile).map {
                                TablePart(
                                    title: $0.title, columns: $0.columns,
                                    rows: masking.cells(of: $0, in: migration, profile))
                            } : nil)
                },
                facts: migration.facts.map {
                    FactDefinitionPart(
                        name: $0.name.rawValue, meaning: $0.meaning, form: $0.form.name,
                        example: masking.sentence($0.example),
                        clues: migration.places(of: $0))
                })
        }
    }

    private static func steps(
        _ migration: any Migration, _ profile: Profile, _ masking: Masking
    ) -> [StepPart] {
        migration.steps(profile: profile, facts: Facts()).map { step in
            StepPart(
                id: step.id, title: step.title, sources: step.sources.map(\.description) + step.patterns,
                target: step.target.map(\.description), targetKey: step.targetKey.map { "\($0)" },
                rule: masking.rule(of: step), disagreement: step.disagreement.map(masking.sentence),
                facts: step.facts.map(\.rawValue),
                reversible: step.reversibility.rawValue, followsAll: step.followsAll)
        }
    }

    package func write(to document: inout Document) {
        for migration in sources {
            document.heading("\(migration.id)  \(migration.title)")
            if withSteps {
                describe(migration, in: &document)
            } else {
                for profile in migration.profiles { document.row([(profile.id, 12)], profile.summary, indent: 2) }
            }
        }
    }

    private func describe(_ migration: any Migration, in document: inout Document) {
        document.line(masking.sentence(migration.summary))
        document.blank()
        document.heading("Facts")
        for fact in migration.facts {
            let clues = migration.places(of: fact).map { "; else from \($0)" }
            document.row(
                [(fact.name.rawValue, 20), (fact.form.description, 20)], fact.meaning + clues.joined(), indent: 2)
        }
        var shown: [RuleTable] = []
        for profile in migration.profiles where only == nil || profile == only {
            document.blank()
            document.heading("\(profile.id)  \(profile.summary)")
            let tables = migration.tables(profile: profile)
            if tables != shown { tables.forEach { document.table($0, masking.cells(of: $0, in: migration, profile)) } }
            shown = tables
            for step in migration.describedSteps(profile: profile) {
                document.blank()
                document.row([(step.id, 20)], step.title, indent: 2)
                for source in step.sources {
                    document.field("reads", source.key.map { "\($0)" } ?? "\(source)", width: 8)
                }
                for pattern in step.patterns { document.field("reads", pattern, width: 8) }
                if let key = step.targetKey { document.field("writes", "\(key)", width: 8) }
                document.field("rule", masking.rule(of: step), width: 8)
                if let disagreement = step.disagreement {
                    document.field("note", masking.sentence(disagreement), width: 8)
                }
            }
        }
    }
}

extension Masking {
    /// The cells of a table of rules: of addresses only what rules write out is masked.
    fileprivate func cells(of table: RuleTable, in migration: any Migration, _ profile: Profile) -> [[String]] {
        let steps = Dictionary(grouping: migration.describedSteps(profile: profile), by: \.rule)
        return table.rows.map { row in
            zip(row, table.columns).map { cell, column in
                column == "rule"
                    ? rule(cell, at: steps[cell]?.flatMap(\.named) ?? []) : secrecy.written.masked(cell, \.self)
            }
        }
    }

    /// The rule of a step of which nobody knows what it finds.
    fileprivate func rule(of step: Step) -> String { rule(step.rule, at: step.named) }
}

extension Step {
    /// What it reads and writes, as far as it can be named without looking.
    fileprivate var named: [Address] {
        places + [target].compactMap(\.self) + patterns.compactMap { try? Address(parsing: $0) }
    }
}

extension Document {
    /// A table with a width for each column that its cells fit, but for the last.
    fileprivate mutating func table(_ table: RuleTable, _ cells: [[String]]) {
        blank()
        line(table.title, indent: 2)
        let rows = [table.columns] + cells
        let widths = table.columns.indices.map { column in
            rows.map { column < $0.count ? Glyphs.unicode.columns($0[column]) : 0 }.max() ?? 0
        }
        for cells in rows { row(Array(zip(cells, widths).dropLast()), cells.last ?? "", indent: 4) }
    }

    /// What would let steps go on that wait, each once.
    ///
    /// - Parameter chosen: The steps in question; all of them unless told otherwise.
    mutating func advice(on plan: Plan, of migration: any Migration, steps chosen: Set<String>? = nil) {
        var known: Set<Advice> = []
        let advice = plan.steps.filter { chosen?.contains($0.id) ?? true }.flatMap { $0.advice(migration.facts) }.filter
        { known.insert($0).inserted }
        guard !advice.isEmpty else { return }
        blank()
        line("What is missing:")
        advice.forEach { self.advice("do", $0, indent: 2) }
    }

    /// The facts that steps rest on and that nobody has said, with where they are from.
    mutating func guesses(_ plan: Plan, _ facts: Named<FactPart>, of chosen: Set<String>? = nil) {
        let asked = plan.steps.filter { chosen?.contains($0.id) ?? true }.flatMap(plan.guesses(of:))
        let names = plan.guesses.filter(asked.contains).map(\.rawValue)
        guard !names.isEmpty else { return }
        blank()
        line("Facts that are only assumed; apply takes them with --assume, or --fact NAME=VALUE gives another:")
        for fact in facts.all where names.contains(fact.name) {
            line("\(fact.name) is \(fact.value.words)   \(fact.value.from)", indent: 2)
        }
    }

    /// The files that have changed since steps were applied.
    mutating func drift(_ drift: [Drift], indent: Int = 2) {
        for drift in drift { line(drift.sentence, indent: indent) }
        if drift.contains(where: { $0.kind == .keychainNotGiven }) { advice("do", .giveKeychain, indent: indent + 2) }
    }
}

extension Migration {
    /// Where the stores may tell a fact, the best place first.
    fileprivate func places(of fact: FactDefinition) -> [String] { clues.filter { $0.name == fact.name }.map(\.place) }
}
