import MigrationEngine
import Reports

extension Model {
    /// Takes in what became of an effect.
    mutating func finish(_ result: EffectResult) {
        switch result {
        case .opened(let container): opened = container
        case .applied(let steps, let snapshot):
            take(snapshot)
            let taken = steps.filter { $0.entry != nil }
            opened?.selected.subtract(taken.map(\.step.id))
            message = appliedMessage(taken: taken, all: steps)
            if let last = taken.last, let index = opened?.plan?.steps.firstIndex(where: { $0.id == last.step.id }) {
                opened?.moveCursor(to: index)
            }
        case .rolledBack(let steps, let snapshot):
            let titles = steps.map { step in opened?.plan?.steps.first { $0.id == step }?.step.title ?? step }
            take(snapshot)
            message =
                titles.isEmpty
                ? .refused("nothing was applied after it") : .done("rolled back \(Self.named(titles))")
            if let last = steps.last, let index = opened?.plan?.steps.firstIndex(where: { $0.id == last }) {
                opened?.moveCursor(to: index)
            }
        case .exported(let path, let notes):
            let text = (["exported to \(path), read back and compared"] + notes).joined(separator: "; ")
            message = Message(kind: .done, text: text, quotesDump: false)
        case .found(let position?, let search):
            opened?.moveCursor(to: position)
            message = .done("“\(search.text)”, row \(position + 1) of \(opened?.sheet.count ?? 0)")
        case .found(nil, let search): message = .refused("“\(search.text)” is nowhere in keys, titles or values")
        case .failed(let reason, let snapshot):
            if let snapshot { take(snapshot) }
            message = .refused(reason)
        case .cancelled: message = .refused("stopped")
        case .examined: break
        }
    }

    /// Takes over what is known now, but for the facts: the person may have given some meanwhile.
    private mutating func take(_ snapshot: ContainerSnapshot) {
        guard let facts = opened?.snapshot.facts else { return }
        var snapshot = snapshot
        snapshot.facts = facts
        opened?.snapshot = snapshot
    }

    /// A few steps by their titles, many by their number: what follows must still fit the line.
    private static func named(_ titles: [String]) -> String {
        titles.count > 3 ? titles.count.counted("step") : titles.joined(separator: ", ")
    }

    private func appliedMessage(taken: [AppliedStep], all: [AppliedStep]) -> Message {
        let held = all.filter { [.blocked, .conflict, .failed].contains($0.outcome.kind) }
        guard !taken.isEmpty else {
            let reasons = all.compactMap { $0.outcome.reason?.sentence }
            return .refused(reasons.first ?? "nothing to apply")
        }
        var text = "applied \(Self.named(taken.map(\.step.title)))"
        if !held.isEmpty {
            text += "; not: " + held.map { "\($0.step.title) (\($0.outcome.kind.rawValue))" }.joined(separator: ", ")
        }
        return .done(text)
    }
}
