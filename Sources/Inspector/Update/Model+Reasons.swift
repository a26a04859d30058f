import MigrationEngine
import Reports
import Workspace

/// Why an action cannot be done now; `nil` where it can.
extension Model {
    /// Whether there is nothing but a locked dump, of which the person is shown that it is one.
    var isLocked: Bool { unopened?.locked != nil && page == nil }

    /// What is said of a locked dump while no password is typed.
    static let lineIsClosed = "the dump is locked; Enter asks for its password, Ctrl-C leaves"

    /// What is said of a file behind `:spec`.
    static let specAtStart = "spec takes no file; quit, and start again with --spec FILE"

    /// What is said of a key while it is not known yet whether the dump is locked.
    static let isOpening = "the dump is not open yet; Ctrl-C leaves"

    var reasonNothingOpen: String? {
        if let unopened { return unopened.locked == nil ? Self.isOpening : Self.lineIsClosed }
        return opened == nil ? "no app is open; \(key(.goIn)) opens one" : nil
    }

    /// Why a page keeps from what is below it.
    var reasonCovered: String { "\(key(.out)) closes this page first" }

    private var reasonReadOnly: String? { opened == nil ? nil : reasonNotNow ?? opened?.snapshot.readOnlyReason }

    /// Why a page has no problems to go through.
    var reasonNoProblems: String? { page == nil || isComparing || page?.subject == .warnings ? nil : reasonCovered }

    /// That a filter hides all, or nothing.
    var noRow: String { "no row matches; \(key(.filter)) with nothing shows all rows" }
    var allRowsAreShown: String { "all rows are shown; \(key(.filter)) with a word or a text filters them" }

    /// Why there is no comparison, in a sentence that may quote what a dump holds.
    func sentence(_ failure: ComparedDump.Failure) -> String {
        failure.error == .cancelled ? "Stopped; \(key(.reload)) compares anew." : failure.error.description
    }

    var reasonNoPanes: String? {
        reasonNothingOpen ?? (page == nil ? nil : reasonCovered)
            ?? (opened?.isZoomed ?? false ? "the detail fills the screen; \(key(.out)) shows the list" : nil)
    }

    var reasonNotPlanned: String? {
        if let reason = reasonNothingOpen { return reason }
        if opened?.isPlanned ?? false { return nil }
        return busy.map { "still \($0.label)" } ?? "nothing is planned yet; :reload plans"
    }

    var reasonNothingSought: String? {
        (page == nil ? reasonNothingOpen : nil)
            ?? (searchText == nil ? "nothing has been searched for; \(key(.search)) searches" : nil)
    }

    var reasonNothingToCopy: String? {
        if question != nil { return "the question is to be answered first" }
        if isComparing { return comparison?.count ?? 0 > 0 ? nil : "there is no row" }
        if page?.subject == .report { return ":report FILE writes what is on this page to a file" }
        return reasonNotPlanned ?? (page == nil ? nil : reasonCovered)
            ?? (opened?.row == nil ? "there is no row" : nil)
    }

    var reasonNoTree: String? {
        reasonNotPlanned
            ?? (opened?.detail?.pages.form == .tree
                ? nil : "no tree is shown; \(key(.view)) shows one where there is one")
    }

    var reasonNoSides: String? {
        reasonNotPlanned
            ?? (opened?.detail?.viewed.hasBoth != true
                ? "there is no value on another side"
                : opened?.form == .details ? "the details have both sides; \(key(.view)) looks at one value" : nil)
    }

    var reasonNoTable: String? {
        reasonNotPlanned
            ?? (opened?.detail?.pages.form == .table
                ? nil : "no table is shown; \(key(.view)) shows the rows of a database")
    }

    var reasonNoMigration: String? {
        reasonNotPlanned ?? (opened?.plan == nil ? "no migration is in view; \(key(.migration)) looks at one" : nil)
    }

    var reasonNotApplicable: String? {
        if let reason = reasonNoMigration ?? reasonReadOnly { return reason }
        guard let plan = opened?.plan, plan.pending.isEmpty else { return nil }
        if plan.summary[.blocked] == nil { return "no step has anything to do" }
        return opened?.missingFact == nil
            ? "every step left waits; its row says for what"
            : "every step left waits for a fact; \(key(.fact)) gives it"
    }

    /// Why the step under the cursor is not chosen to be applied; one that is chosen can always be left out.
    var reasonNotSelectable: String? {
        if let reason = reasonNotNow { return reason }
        guard let opened, case .step(let index)? = opened.row, let step = opened.plan?.steps[index] else {
            return "there is no step in this row"
        }
        if opened.selected.contains(step.id) { return nil }
        switch step.outcome.kind {
        case .migrates: return nil
        case .unchanged: return step.status == .applied ? "the step is applied" : "what it would write is there already"
        case .skipped, .blocked, .conflict, .failed:
            let why = step.outcome.kind == .skipped ? nil : step.attention
            return "the step \(why ?? "is skipped"), so that it cannot be applied; its detail says why"
        }
    }

    var reasonNothingApplied: String? {
        if let reason = reasonNothingOpen ?? reasonReadOnly { return reason }
        return opened?.snapshot.history.standing.isEmpty ?? true ? "nothing is applied" : nil
    }
}

extension AdviceWords {
    /// How the inspector words advice: as the person's keys and its commands, and where it has none, as how to start it.
    static func keys(_ settings: Settings) -> AdviceWords {
        AdviceWords { advice in
            switch advice {
            case .giveFact(let name, _, let meaning): "\(name): \(meaning); \(settings.words(for: .fact)) gives it"
            case .startWithFact(let name, let value): "quit, and start again with --fact \(name)=\(value)"
            case .giveKeychain:
                "quit, and start again with --keychain FILE, an export of the keychain that has this app's items"
            case .giveNewKeychain:
                "quit, and start again with --new-keychain FILE, an export of the new dump's keychain that has this app's items"
            case .takeWhole:
                "quit, and start again with a dump that has it; of a folder that was empty on the device, one that has it empty"
            case .giveKeychainAgain:
                "quit, and start again with --keychain FILE, as steps were applied with it; or \(settings.words(for: .accept)) goes on without it"
            case .tellKeychainGroup:
                "quit, and start again with --keychain-group GROUP, if they are this app's, or with its own identifier, if not"
            case .givePassword, .giveArchivePassword: "the line below takes it"
            case .startWithPassword: "quit, and start again with --password-file FILE"
            case .giveSpec: "quit, and start again with --spec FILE, the spec that the steps were applied with"
            case .writeSpec:
                "`vestige specs new DUMP` drafts a spec, --spec FILE reads one; :compare DUMP sets a dump from after an update "
                    + "beside this one, and `vestige specs infer OLD NEW` drafts the spec from both"
            case .verify: "\(settings.words(for: .verify)) checks the applied steps"
            case .chooseContainer: ":app NAME opens another"
            case .chooseGroup: "start again with --app-group PATH"
            case .nameWorkspace: "quit, and start again with --workspace FILE"
            case .showSteps(let migration): ":migration \(migration) shows its steps"
            case .replaceTarget: ":export! FOLDER replaces it"
            case .exportUnpacked: ":export --unpacked FOLDER does that"
            case .raiseLimit(let name, let value):
                "quit, and start again with --limit \(name.rawValue)=\(value)"
            case .acceptDrift: "\(settings.words(for: .accept)) goes on all the same"
            }
        }
    }
}

extension WorkspaceError {
    /// What happened, and what the person can do about it here.
    func told(_ settings: Settings) -> String {
        description + (advice.map { " (\(AdviceWords.keys(settings)($0)))" } ?? "")
    }
}
