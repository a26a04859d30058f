import MigrationEngine
import Reports

extension Model {
    mutating func toggleSelection() -> [Effect] {
        guard let step = opened?.step else { return [] }
        if opened?.selected.contains(step.id) ?? false {
            opened?.selected.remove(step.id)
        } else {
            opened?.selected.insert(step.id)
        }
        return move(.rows(1))
    }

    mutating func apply(_ argument: String) -> [Effect] {
        guard let opened, let migration = opened.migration, let profile = opened.profile else { return [] }
        let selection: StepSelection
        switch argument {
        case "", "next": selection = .next
        case "all": selection = .all
        case "selected" where opened.selected.isEmpty:
            message = .refused("no step is selected; Space selects one")
            return []
        case "selected": selection = .steps(opened.selected)
        default:
            let names = argument.split(separator: " ").map(String.init)
            let known = opened.plan?.steps.map(\.id) ?? []
            if let unknown = names.first(where: { !known.contains($0) }) {
                message = .refused("there is no step “\(unknown)”; the steps are \(known.joined(separator: ", "))")
                return []
            }
            selection = .steps(Set(names))
        }
        return [
            .apply(
                selection, migration: migration, profile: profile, facts: opened.snapshot.facts,
                acceptingDrift: opened.acceptsDrift)
        ]
    }

    mutating func rollBack(_ argument: String) -> [Effect] {
        let words = argument.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case (nil, _), ("last", 1): return [.rollback(.last)]
        case ("all", 1): return [.rollback(.all)]
        case ("to", 2): return [.rollback(.step(words[1]))]
        default:
            message = .refused("rollback takes “last”, “all” or “to STEP”")
            return []
        }
    }

    /// Sets a fact, or asks for the one that the step under the cursor lacks.
    mutating func giveFact(_ argument: String) -> [Effect] {
        if !argument.isEmpty {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                message = .refused("fact takes NAME=VALUE")
                return []
            }
            return setFact(FactName(rawValue: parts[0]), to: parts[1])
        }
        guard let name = opened?.missingFact else {
            message = .done("every fact is known; :fact NAME=VALUE changes one")
            return []
        }
        prompt = Prompt(.fact(name))
        return []
    }

    /// Takes a fact in; the preview changes at once.
    ///
    /// Another fact that the same step lacks is asked for next.
    mutating func setFact(_ name: FactName, to value: String) -> [Effect] {
        guard let definition = opened?.migration?.facts.first(where: { $0.name == name }) else {
            let names = opened?.migration?.facts.map(\.name.rawValue).joined(separator: ", ") ?? ""
            message = .refused("this migration asks for no fact “\(name)”; it asks for \(names)")
            return []
        }
        guard definition.accepts(value) else {
            message = .refused("\(name) is \(definition.form.description), for example \(definition.example)")
            return []
        }
        prompt = nil
        opened?.snapshot.facts[name] = Fact(value, from: "the inspector")
        message = .done("\(name) is \(value)")
        if let next = opened?.step?.outcome.reason?.missingFacts.first { prompt = Prompt(.fact(next)) }
        return []
    }

    mutating func chooseProfile(_ name: String) -> [Effect] {
        guard let opened, let migration = opened.migration, let current = opened.profile else { return [] }
        let profiles = migration.profiles
        let next: Profile?
        if name.isEmpty {
            let index = profiles.firstIndex(of: current) ?? 0
            next = profiles[(index + 1) % profiles.count]
        } else {
            next = profiles.first { $0.id == name }
        }
        guard let next else {
            message = .refused("there is no variant “\(name)”; there are \(profiles.map(\.id).joined(separator: ", "))")
            return []
        }
        let before = opened.plan
        self.opened?.choose(migration, next)
        message = .done("\(next.id): \(Self.difference(from: before, to: self.opened?.plan))")
        return []
    }

    /// Which steps two plans differ in, in words.
    private static func difference(from before: Plan?, to after: Plan?) -> String {
        let old = Dictionary((before?.steps ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let steps = after?.steps ?? []
        let differing = steps.filter { step in
            guard let other = old[step.id] else { return true }
            return other.outcome.kind != step.outcome.kind || other.changes.map(\.after) != step.changes.map(\.after)
        }
        let gone = (before?.steps ?? []).filter { step in !steps.contains { $0.id == step.id } }
        let titles = (differing + gone).map(\.step.title)
        return titles.isEmpty ? "every step does the same" : "differs in \(titles.joined(separator: ", "))"
    }

    mutating func chooseMigration(_ name: String) -> [Effect] {
        guard let opened, !opened.migrations.isEmpty else { return [] }
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        let index = opened.migrations.firstIndex { $0.id == opened.migration?.id }
        let next =
            parts.isEmpty
            ? opened.migrations[((index ?? -1) + 1) % opened.migrations.count]
            : opened.migrations.first { $0.id == parts[0] }
        guard let next else {
            let names = opened.migrations.map(\.id).joined(separator: ", ")
            message = .refused("there is no migration “\(parts[0])”; there are \(names)")
            return []
        }
        guard let profile = parts.count > 1 ? next.profiles.first(where: { $0.id == parts[1] }) : next.profiles.first
        else {
            message = .refused("\(next.id) has no variant “\(parts[1])”")
            return []
        }
        self.opened?.choose(next, profile)
        message = .done("\(next.id): \(next.title)")
        return []
    }

    mutating func chooseApp(_ identifier: String) -> [Effect] {
        guard let apps else {
            message = .refused("this dump holds one app")
            return []
        }
        if identifier.isEmpty {
            opened = nil
            return []
        }
        guard apps.apps.contains(where: { $0.identifier == identifier }) else {
            message = .refused("there is no app “\(identifier)” in this dump")
            return []
        }
        return [.open(identifier)]
    }

    mutating func search(_ text: String, forward: Bool) -> [Effect] {
        guard let opened else { return [] }
        self.opened?.searchText = text
        return [.search(RowSearch(text, isForward: forward, in: opened))]
    }
}

extension OpenContainer {
    /// A fact that is missing: for the step under the cursor, else for any.
    var missingFact: FactName? {
        step?.outcome.reason?.missingFacts.first
            ?? plan?.steps.lazy.compactMap { $0.outcome.reason?.missingFacts.first }.first
    }
}
