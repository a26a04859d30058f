import MigrationEngine
import StoreFormats

/// What a ticket says of one row of the inspector, in a sentence or two that stand by themselves.
package struct RowSentence {
    /// The app and the dump, as a reader of the ticket knows them.
    private let app: String
    private let masking: Masking
    private let showing: Showing
    private let now, found: any StoreReader
    /// How many changes of a step are told.
    private static let most = 3

    /// - Parameters:
    ///   - now: The stores with what has been applied.
    ///   - found: The stores as the dump has them.
    package init(of app: String, now: any StoreReader, found: any StoreReader, _ masking: Masking) {
        (self.app, self.masking, self.now, self.found) = (app, masking, now, found)
        showing = Showing(masking)
    }

    /// What steps find lost, for a list that says itself of which app it is.
    package static func ofLosses(
        now: any StoreReader, found: any StoreReader, _ masking: Masking
    ) -> RowSentence { RowSentence(of: "", now: now, found: found, masking) }

    /// What a step does: what becomes of the values, and why.
    package func sentence(of planned: PlannedStep, in plan: Plan) -> String {
        let name = "\(planned.step.title) (\(plan.migration):\(planned.profile(in: plan)), step \(planned.step.id))"
        var sentences = ["\(app): \(name): \(planned.wordAndStatus)"]
        let own = planned.changes + planned.foundLosses
        let changes = own.isEmpty ? [planned.conflict].compactMap(\.self) : own
        let verb = own.isEmpty ? "would become" : "becomes"
        let stores = [planned.storesBefore(now), found]
        sentences += changes.prefix(Self.most).map {
            told($0, verb, isKept: planned.outcome.kind == .skipped, in: stores)
        }
        if changes.count > Self.most { sentences.append("\(changes.count - Self.most) more changes") }
        if let reason = planned.outcome.reason, !planned.outcome.isPartial {
            sentences.append(showing.sentence(reason, of: planned.quoted))
        }
        return joined(sentences)
    }

    /// What a step finds lost, or changed in meaning: the gravest of that, and all in a phrase with the places; `nil` where that is
    /// nothing.
    ///
    /// - Parameters:
    ///   - isKept: Whether the step leaves by its rules what stands there.
    ///   - isDone: Whether that is so, and not only would be.
    package func foundLoss(
        _ lost: [Change], isKept: Bool = false, isDone: Bool = true
    ) -> (effect: ValueEffect, sentence: String)? {
        guard let effect = lost.loss, let phrase = lost.lossPhrase(isDone: isDone) else { return nil }
        let more = lost.count - Self.most
        let told = lost.prefix(Self.most).map {
            self.told($0, isDone ? "is" : "becomes", isKept: isKept, in: [now, found])
        }
        return (effect, "\(phrase): \((told + (more > 0 ? ["\(more) more changes"] : [])).joined(separator: ". "))")
    }

    private func told(_ change: Change, _ verb: String, isKept: Bool, in stores: [any StoreReader]) -> String {
        let place = masking.place(change.address), before = change.before.value
        let sources = change.from.filter { $0 != change.address }.map { source($0, of: change, in: stores) }
        if change.action == .missing {
            let made = sources.isEmpty ? "" : ", and nothing takes on \(sources.joined(separator: " and "))"
            return "\(place) is not there (\(change.effect.word))\(made)"
        }
        guard let after = change.after else {
            let value = before.map { " \(masking.summary(of: $0, at: change.address, from: change.from))" } ?? ""
            return "\(place)\(value) is removed (\(change.effect.word))"
        }
        let new = showing(after, at: change.address, from: change.from)
        let isFound = change.action == .found, verb = isFound ? "is" : verb
        let old = isFound ? nil : before.map { showing($0, at: change.address, from: change.from) }
        let told = old.map { ShownValue.told($0, new) }, value = told?.right ?? new.summary
        let replaced = told.map { " " + $0.left } ?? ""
        // What rules leave as it stands nobody has made of that.
        let isInPlace = isKept && change.action == .found && change.effect == .changed
        let link = isInPlace ? "in place of" : "made from"
        let made = sources.isEmpty ? "" : ", \(link) \(sources.joined(separator: " and "))"
        let notes = change.notes.prefix(1).map { "; " + showing.note($0, on: change) }.joined()
        let dropped = change.dropped.prefix(Self.most).map(masking.place)
        let more = change.dropped.count > dropped.count ? " and \(change.dropped.count - dropped.count) more" : ""
        let lost = dropped.isEmpty ? "" : "; drops \(dropped.joined(separator: ", "))\(more)"
        return "\(place)\(replaced) \(verb) \(value) (\(change.effect.word))\(made)\(lost)\(notes)"
    }

    /// A source of a change; where the new value means something else, with what it was.
    private func source(_ source: Address, of change: Change, in stores: [any StoreReader]) -> String {
        let place = masking.place(source)
        guard let value = change.value(of: source, in: stores) else { return place }
        let old = showing(value, at: source, from: [change.address])
        let new = change.after.map { showing($0, at: change.address, from: change.from) }
        return "\(place), which was \(new.map { ShownValue.toldIfMasked($0, old).right } ?? old.summary)"
    }

    /// What stands at an address.
    package func sentence(of address: Address, is annotation: String?) -> String {
        let place = masking.place(address)
        let known = annotation?.split(separator: "\n").first.map { [showing.sentence(String($0)).asSentence] } ?? []
        switch now.state(at: address) {
        case .absent: return joined(["\(app): \(place) is absent"])
        case .present(let value):
            let shown = showing(value, at: address)
            return joined(["\(app): \(place) is \(shown.summary) (\(shown.typeName))"] + known)
        case .unreadable(let reason):
            return joined(["\(app): \(place) cannot be read: \(showing.sentence(reason.explanation))"] + known)
        }
    }

    /// How much a store holds.
    package func sentence(of store: StoreID) -> String {
        if let problem = now.problem(with: store) {
            return joined(["\(app): \(masking.place(store)) cannot be read: \(showing.sentence(problem.explanation))"])
        }
        let keys = now.keys(in: store)
        return joined(
            ["\(app): \(masking.place(store)) holds \(keys.countWords)"]
                + [keys.unlisted.map(showing.sentence)].compactMap(\.self))
    }

    private func joined(_ sentences: [String]) -> String {
        sentences.map { $0.hasSuffix(".") ? $0 : $0 + "." }.joined(separator: " ")
    }
}

extension String {
    /// A phrase with a capital letter, as a sentence begins.
    package var asSentence: String { prefix(1).uppercased() + dropFirst() }
}
