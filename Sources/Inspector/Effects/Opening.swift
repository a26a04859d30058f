import DeviceDump
import MigrationEngine
import Reports
import Workspace

/// Opens a container of the dump, by its path.
struct Opening: Effect {
    let path: String
    let name: String
    var label: String { "opening \(name)" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> OpenContainer {
        var opened = try inspection.open(path)
        try control.goOn()
        opened.show(try inspection.view(opened.request, control))
        return opened
    }

    func finish(_ opened: OpenContainer, in model: inout Model) -> [any Effect] {
        model.opened = opened
        return [Examination(path: opened.snapshot.path)]
    }
}

/// Looks for files that have changed since steps were applied, then through every store for what cannot be read.
struct Examination: Effect {
    /// The container's.
    let path: String
    var lane: Lane { .examination }
    var label: String { "looking for what has changed and what cannot be read" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> [String] {
        let workspace = try inspection.current()
        let drift = try workspace.findDrift(isCancelled: control.isCancelled)
        control.show { [path] model in
            if model.opened?.snapshot.path == path { model.opened?.drift = drift }
        }
        try control.goOn()
        return workspace.warnings()
    }

    func finish(_ warnings: [String], in model: inout Model) -> [any Effect] {
        if model.opened?.snapshot.path == path { model.opened?.warnings = warnings }
        return []
    }
}

/// Finds out what there is to do in each app, and shows it as it comes.
struct AppSurvey: Effect {
    var lane: Lane { .apps }
    var label: String { "looking at every app" }
    /// How many apps are shown at once.
    private static let batch = 50

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) {
        var known: [String: AppList.Finding] = [:]
        let containers = inspection.containers
        for (index, container) in containers.enumerated() {
            try control.goOn()
            let facts = inspection.options.facts.completed(by: container.facts)
            let found = ApplicableMigrations(among: inspection.options.migrations, in: container, facts: facts)
            known[container.path] = AppList.Finding(
                stores: container.stores.count, migrations: found.applying.map(\.id))
            guard known.count == Self.batch || index == containers.count - 1 else { continue }
            control.show { [known] model in model.apps?.findings.merge(known) { $1 } }
            known = [:]
        }
    }

    /// The apps in which there is something to do, or to see, go first, unless the person has begun to look around.
    func finish(_ answer: Void, in model: inout Model) -> [any Effect] {
        model.apps?.sort()
        return []
    }
}
