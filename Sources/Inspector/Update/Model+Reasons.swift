import MigrationEngine
import Reports

/// Why an action cannot be done now; `nil` where it can.
extension Model {
    var reasonNothingOpen: String? { opened == nil ? "no app is open; Enter opens one" : nil }

    var reasonNothingSought: String? {
        reasonNothingOpen ?? (opened?.searchText == nil ? "nothing has been looked for; / looks for a text" : nil)
    }

    var reasonNoMigration: String? {
        reasonNothingOpen ?? (opened?.plan == nil ? "no migration is in view; m brings one" : nil)
    }

    var reasonNotApplicable: String? {
        if let reason = reasonNoMigration ?? opened?.snapshot.readOnlyReason { return reason }
        if let opened, let first = opened.snapshot.drift.first, !opened.acceptsDrift {
            return "the dump has changed since steps were applied: \(first); :accept-drift goes on all the same"
        }
        guard let plan = opened?.plan, plan.pending.isEmpty else { return nil }
        return plan.summary[.blocked] == nil
            ? "no step has anything to do" : "every step left waits for a fact; f gives it"
    }

    var reasonNothingApplied: String? {
        if let reason = reasonNothingOpen ?? opened?.snapshot.readOnlyReason { return reason }
        return opened?.snapshot.history.standing.isEmpty ?? true ? "nothing is applied" : nil
    }
}
