import MigrationEngine
import StoreFormats

extension StoreComparison.Entry {
    /// What differs, where the values alone do not say it.
    ///
    /// - Parameter stores: Those that have an entry after.
    func sentence(_ plan: Plan?, _ stores: Set<StoreID>) -> String? {
        var parts: [String] = []
        if address != addressAfter {
            let groups = [before, after].map { $0.value.flatMap(KeychainItem.init)?.attributes["agrp"] }
            let isSame = groups[0] == groups[1]
            parts.append("in another \(isSame ? "place" : "access group") now: \(addressAfter)")
        }
        if let planned {
            switch (planned.value, after.value, likeness) {
            case (nil, .some, _): parts.append("it should be gone, and is there")
            case (_, _, .otherForm(let wanted, let found)):
                parts.append("the same value in another form: \(found), not \(wanted)")
            case (let wanted?, let found?, .different) where wanted.typeName != found.typeName:
                parts.append("\(found.typePhrase), not \(wanted.typePhrase)")
            default: break
            }
            let guesses = planned.guesses.filter { !isSettled($0, plan, stores) }
            if verdict == .differs || verdict == .missing, !guesses.isEmpty {
                let names = guesses.map(\.rawValue).joined(separator: " and ")
                parts.append("the plan only assumes \(names)")
            }
        } else if case .otherForm(let old, let new)? = forms {
            parts.append("the same value in another form: \(old) before, \(new) after")
        }
        if mark == .changed, let left = before.repetitions, let right = after.repetitions {
            let place = zip(left, right).map { $0 == $1 }.firstIndex(of: false)
            parts.append(
                left.count == right.count
                    ? "of the \(left.count) values under its key the one at \((place ?? 0) + 1) differs"
                    : "its key stands \(left.count) times before, and \(right.count) times after")
        }
        if let idle {
            let why = idle.outcome.reason.map { ": \($0.sentence)" } ?? ""
            parts.append("the step \(idle.id), which would write here, is \(idle.outcome.kind.rawValue)\(why)")
        }
        if isPresumed {
            parts.append("not known: the plan takes to be absent what the dump before lacks")
        } else if [before, after].allSatisfy({ $0.value != nil }), mark == .unknown || likeness == .unknown {
            parts.append("the bytes differ, and what they hold is over the limits of one answer")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Whether a fact that nobody has said is right all the same: it says only which store the entry is in, and what came
    /// is there.
    private func isSettled(_ fact: FactName, _ plan: Plan?, _ stores: Set<StoreID>) -> Bool {
        guard let value = plan?.facts[fact]?.value, !value.isEmpty, stores.contains(address.store),
            address.store.name.text.contains(value)
        else { return false }
        return !(planned?.value.map { "\($0)".contains(value) } ?? false)
    }
}
