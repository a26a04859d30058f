import MigrationEngine
import Reports

/// Why an action cannot be done now; `nil` where it can.
extension Model {
    var reasonNothingOpen: String? {
        if let unopened {
            return unopened.locked == nil
                ? "the dump is not open yet" : "the dump is locked; Enter asks for its password"
        }
        return opened == nil ? "no app is open; Enter opens one" : nil
    }

    var reasonNotPlanned: String? {
        reasonNothingOpen ?? (opened?.isPlanned ?? false ? nil : "nothing is planned yet; :reload plans")
    }

    var reasonNothingSought: String? {
        (page == nil ? reasonNothingOpen : nil)
            ?? (searchText == nil ? "nothing has been searched for; / searches" : nil)
    }

    var reasonNoMigration: String? {
        reasonNotPlanned ?? (opened?.plan == nil ? "no migration is in view; m looks at one" : nil)
    }

    var reasonNotApplicable: String? {
        if let reason = reasonNoMigration ?? opened?.snapshot.readOnlyReason { return reason }
        guard let plan = opened?.plan, plan.pending.isEmpty else { return nil }
        return plan.summary[.blocked] == nil
            ? "no step has anything to do" : "every step left waits for a fact; f gives it"
    }

    var reasonNothingApplied: String? {
        if let reason = reasonNothingOpen ?? opened?.snapshot.readOnlyReason { return reason }
        return opened?.snapshot.history.standing.isEmpty ?? true ? "nothing is applied" : nil
    }
}
