import DeviceDump
import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// Opens a container of the dump, by its path.
struct Opening: Effect {
    let path: String
    let name: String
    var label: String { "opening \(name)" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> OpenContainer {
        try inspection.open(path, control)
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

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> [Warning] {
        let workspace = try inspection.workspace(of: path)
        let drift = try workspace.findDrift(isCancelled: control.isCancelled), outdated = workspace.snapshot.outdated
        control.show { [path] model in
            guard model.opened.map({ Name($0.snapshot.path) }) == Name(path) else { return }
            model.opened?.settle(drift: drift, outdated: outdated)
        }
        try control.goOn()
        return workspace.warnings()
    }

    func finish(_ warnings: [Warning], in model: inout Model) -> [any Effect] {
        guard let opened = model.opened, Name(opened.snapshot.path) == Name(path) else { return [] }
        model.opened?.warnings = warnings
        // Whether the dump or the rules are others is known now.
        return opened.plan?.departuresAreUndecided == true ? [Planning(opened.request)] : []
    }
}

/// Finds out what there is to do in some apps; the others are asked for when it has ended.
///
/// It does as many as it can in a moment, so that what the person looks at meanwhile can go first.
struct AppExamination: Effect {
    let paths: [String]
    /// What of the list it is for.
    let generation: Int
    var lane: Lane { .apps }
    var label: String { "looking at every app" }
    private static let moment = Duration.milliseconds(100)

    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> [(path: String, finding: AppList.Finding)] {
        var found: [(path: String, finding: AppList.Finding)] = []
        let start = ContinuousClock.now
        for path in paths where found.isEmpty || start.duration(to: .now) < Self.moment {
            let finding: AppList.Finding
            do throws(WorkspaceError) {
                finding = try inspection.examine(path, control)
            } catch {
                if error == .cancelled { throw error }
                finding = AppList.Finding(answer: AppFinding(failure: "cannot be looked at: \(error)"), measure: nil)
            }
            try control.goOn()
            found.append((path, finding))
        }
        return found
    }

    func finish(_ found: [(path: String, finding: AppList.Finding)], in model: inout Model) -> [any Effect] {
        model.apps?.take(found, of: generation)
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        model.apps?.take([], of: generation)
        return []
    }
}
