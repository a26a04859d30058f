import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

extension Report {
    /// `vestige.plan/1`: a migration's steps on a dump with their changes.
    ///
    /// Fields: `migration`, `profile`, `dump` (`kind`, `bundleIdentifier`), `facts` (by name: `value`, `from`), `steps`
    /// (`id`, `title`, `status`: pending, applied or rolled-back; `outcome`: migrates, unchanged, skipped, blocked, conflict
    /// or failed; `reason`: null or `code`, `sentence`, `missingFacts`; `reversible`: exact, complement or before-image;
    /// `changes`: `action` (add, replace, remove), `address`, `from`, `before`, `after`, `rule`, `notes`, `placeholders`: JSON
    /// Pointers to the parts of `after` that a default made up), and `summary`, how many steps have each outcome. `conflict` of a step is null, or the change that it would make where its target holds
    /// something else. Values are as ``show(_:in:reveal:)`` has them.
    public static func plan(_ plan: Plan, in snapshot: WorkspaceSnapshot, reveal: Bool = false) -> Report {
        let writer = ReportWriter(reveals: reveal)
        let steps = plan.steps.map { step in
            Value.dictionary([
                ("id", .string(step.id)), ("title", .string(step.step.title)),
                ("status", .string(step.status.rawValue)), ("outcome", .string(step.outcome.kind.rawValue)),
                ("reason", writer.reason(step.outcome.reason)),
                ("reversible", .string(step.step.reversibility.rawValue)),
                ("changes", .array(step.changes.map(writer.change))),
                ("conflict", step.conflict.map(writer.change) ?? .null),
            ])
        }
        return Report(
            "plan",
            [
                ("migration", .string(plan.migration)), ("profile", .string(plan.profile.id)),
                ("dump", writer.dump(snapshot.dump, snapshot.container)), ("facts", writer.facts(plan.facts)),
                ("steps", .array(steps)), ("summary", writer.summary(plan)),
            ])
    }

    /// `vestige.plans/1`: every migration that applies to a dump, with counts.
    ///
    /// Fields: `dump`, and `migrations` (`migration`, `title`, `profile`, `pending`: how many steps have something to do,
    /// `summary`), and `collisions`: the entries that several of them would leave in different states (`address`,
    /// `migrations`).
    public static func plans(
        _ plans: [(migration: any Migration, plan: Plan)], in snapshot: WorkspaceSnapshot
    ) -> Report {
        let writer = ReportWriter(reveals: false)
        let migrations = plans.map { migration, plan in
            Value.dictionary([
                ("migration", .string(plan.migration)), ("title", .string(migration.title)),
                ("profile", .string(plan.profile.id)), ("pending", .count(plan.pending.count)),
                ("summary", writer.summary(plan)),
            ])
        }
        let collisions = Plan.collisions(among: plans.map(\.plan)).map { collision in
            Value.dictionary([
                ("address", .string("\(collision.address)")), ("migrations", .strings(collision.migrations)),
            ])
        }
        return Report(
            "plans",
            [
                ("dump", writer.dump(snapshot.dump, snapshot.container)), ("migrations", .array(migrations)),
                ("collisions", .array(collisions)),
            ])
    }

    /// `vestige.migrations/1`: what is built in; with a single one, its steps too.
    ///
    /// Fields: `migrations` (`id`, `title`, `summary`, `profiles`: `id`, `summary`; `facts`: `name`, `meaning`, `form`,
    /// `example`). With `steps`: for each profile, under `steps` of the profile, `id`, `title`, `sources`, `target` (null
    /// where a fact must name it), `targetKey`, `rule`, `disagreement`, `facts`, `reversible`, `followsAll`; and under
    /// `tables` what its rules amount to: `title`, `columns`, `rows`, each an array of texts.
    ///
    /// - Parameters:
    ///   - migrations: The migrations.
    ///   - withSteps: Whether the steps are listed.
    ///   - profile: The only variant to list; all of them unless told otherwise.
    public static func migrations(
        _ migrations: [any Migration], withSteps: Bool = false, only profile: Profile? = nil
    ) -> Report {
        func steps(_ migration: any Migration, _ profile: Profile) -> Value {
            .array(
                migration.steps(profile: profile, facts: Facts()).map { step in
                    .dictionary([
                        ("id", .string(step.id)), ("title", .string(step.title)),
                        ("sources", .strings(step.sources.map(\.description))),
                        ("target", step.target.map { .string("\($0)") } ?? .null),
                        ("targetKey", step.targetKey.map { .string($0.text) } ?? .null), ("rule", .string(step.rule)),
                        ("disagreement", step.disagreement.map(Value.string) ?? .null),
                        ("facts", .strings(step.facts.map(\.rawValue))),
                        ("reversible", .string(step.reversibility.rawValue)), ("followsAll", .bool(step.followsAll)),
                    ])
                })
        }
        func tables(_ migration: any Migration, _ profile: Profile) -> Value {
            .array(
                migration.tables(profile: profile).map { table in
                    .dictionary([
                        ("title", .string(table.title)), ("columns", .strings(table.columns)),
                        ("rows", .array(table.rows.map(Value.strings))),
                    ])
                })
        }
        let list = migrations.map { migration in
            let profiles = migration.profiles.filter { profile == nil || $0 == profile }.map { profile in
                let rules: [(Name, Value)] = [("steps", steps(migration, profile)), ("tables", tables(migration, profile))]
                return Value.dictionary(
                    [("id", .string(profile.id)), ("summary", .string(profile.summary))] + (withSteps ? rules : []))
            }
            let facts = migration.facts.map { fact in
                Value.dictionary([
                    ("name", .string(fact.name.rawValue)), ("meaning", .string(fact.meaning)),
                    ("form", .string(fact.form.rawValue)), ("example", .string(fact.example)),
                ])
            }
            return Value.dictionary([
                ("id", .string(migration.id)), ("title", .string(migration.title)),
                ("summary", .string(migration.summary)), ("profiles", .array(profiles)), ("facts", .array(facts)),
            ])
        }
        return Report("migrations", [("migrations", .array(list))])
    }
}
