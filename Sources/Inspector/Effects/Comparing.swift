import MigrationEngine
import Reports
import Workspace

/// Compares the app that is open with the other dump, which is opened for the first comparison.
struct Comparing: Effect {
    let purpose: ComparedDump.Purpose
    let name: String
    let masking: Masking
    /// The migration in view; `nil` where none is.
    let choice: (migration: any Migration, profile: Profile)?
    var label: String { "comparing with \(name)" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> CompareReport {
        try inspection.compare(purpose.container, with: choice, masking, control)
    }

    func finish(_ report: CompareReport, in model: inout Model) -> [any Effect] {
        if model.otherDump?.purpose == purpose { model.otherDump?.end(.success(report)) }
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        let advice: Advice? =
            switch error.advice {
            // No key asks for the password of the other dump.
            case .givePassword, .giveArchivePassword: .startWithPassword
            case let other: other
            }
        let failure = ComparedDump.Failure(
            error: error, advice: advice.map { "(\(AdviceWords.keys(model.settings)($0)))" })
        if model.otherDump?.purpose == purpose { model.otherDump?.end(.failure(failure)) }
        // A script must not go on as if there were a comparison.
        if error != .cancelled { model.message = .refused("\(name) could not be compared; the page says why") }
        return []
    }
}

/// Writes the row under the cursor of the comparison in full; large values take long.
struct ComparisonWriting: Effect {
    let purpose: ComparedDump.Detail.Purpose
    let report: CompareReport
    let glyphs: Glyphs
    let settings: Settings
    var lane: Lane { .comparison }
    var label: String { "looking at the row" }

    func perform(on inspection: Inspection, _ control: EffectControl) -> ComparedDump.Detail {
        let lines = report.document(at: purpose.row).lines(width: purpose.width, glyphs, .keys(settings))
        return ComparedDump.Detail(purpose: purpose, lines: lines)
    }

    func finish(_ detail: ComparedDump.Detail, in model: inout Model) -> [any Effect] {
        guard model.comparison?.awaited == detail.purpose else { return [] }
        model.comparison?.awaited = nil
        model.comparison?.detail = detail
        return []
    }
}

/// Names the dump to compare with.
struct NamingOther: Effect {
    let path: String
    var label: String { "comparing" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> String? {
        inspection.nameOther(path)
    }

    func finish(_ name: String?, in model: inout Model) -> [any Effect] {
        guard let name else {
            model.message = .refused("--compare DUMP names another dump when the inspector is started")
            return []
        }
        model.otherDump = ComparedDump(named: name)
        model.otherDump?.isOffered = true
        model.page = nil
        model.show(.comparison)
        return []
    }
}
