import StoreFormats

/// A UUID that was drawn for a preview, and the one that an update has drawn instead.
struct DrawnText {
    private let drawn: String

    init(_ drawn: String) { self.drawn = drawn }

    /// What stands after an update where a plan would have put the draw, of the first change that tells, and where.
    ///
    /// What stands at a place that has no draw in its own name goes before that.
    func found(
        in changes: [Change], _ before: any StoreReader, _ after: any StoreReader
    ) -> (text: String, address: Address)? {
        for change in changes {
            guard let planned = change.after, let came = after.state(at: change.address).value,
                let text = counterpart(of: planned, in: came, depth: 0)
            else { continue }
            return (text, change.address)
        }
        // Mostly no name has one, and the keys are not gone through.
        for change in changes {
            guard let key = change.address.key, [drawn, drawn.lowercased()].contains(where: key.text.contains) else {
                continue
            }
            let store = change.address.store, keys = after.keys(in: store)
            for position in 0..<keys.count {
                let name = keys.key(at: position)
                guard let text = counterpart(of: key.text, in: name.text), !before.keys(in: store).contains(name) else {
                    continue
                }
                return (text, Address(store: store, key: name))
            }
        }
        return nil
    }

    /// What stands in a value where the draw stands in another.
    private func counterpart(of planned: Value, in came: Value, depth: Int) -> String? {
        guard depth < 16 else { return nil }
        switch (planned, came) {
        case (.dictionary(let members), .dictionary(let others)):
            for member in members {
                if let other = others[member.key],
                    let text = counterpart(of: member.value, in: other, depth: depth + 1)
                {
                    return text
                }
            }
        case (.array(let items), .array(let others)):
            for (item, other) in zip(items, others) {
                if let text = counterpart(of: item, in: other, depth: depth + 1) { return text }
            }
        default:
            if let one = text(planned), let other = text(came), let text = counterpart(of: one, in: other) {
                return text
            }
            // Of JSON and property lists the members may stand in another order.
            guard let one = planned.decoded()?.value, let other = came.decoded()?.value, one != planned || other != came
            else { return nil }
            return counterpart(of: one, in: other, depth: depth + 1)
        }
        return nil
    }

    private func text(_ value: Value) -> String? {
        value.string ?? value.data.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The UUID that stands in a text where the draw stands in another, in capitals or in none.
    private func counterpart(of planned: String, in came: String) -> String? {
        for form in [drawn, drawn.lowercased()] {
            let parts = planned.split(separator: form, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, came.utf8.count == planned.utf8.count, came.hasPrefix(parts[0]) else { continue }
            let text = String(came.dropFirst(parts[0].count).prefix(form.count))
            guard FactDefinition.isUUID(text), came.hasSuffix(parts[1].replacing(form, with: text)) else { continue }
            // What was drawn is in capitals, and so is what it is told by.
            return form == drawn ? text : text == text.lowercased() ? text.uppercased() : nil
        }
        return nil
    }
}
