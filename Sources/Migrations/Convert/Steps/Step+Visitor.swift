import MigrationEngine
import StoreFormats

extension Step {
    /// The keychain gets the visitor's id, where it has none.
    static func convertKeychain(mirror: Address?) -> Step {
        let rule = """
            the keychain's id stays; else the mirror's goes into the keychain, so that both stores converge; else both get \
            a fresh one
            """
        return Step(
            id: "visitor-keychain", title: "Visitor ID", sources: mirror.map { [$0] } ?? [],
            targetKey: ConvertLocation.visitorID.key, target: ConvertLocation.visitorID, rule: rule,
            disagreement: """
                The guide names neither the keychain account nor the mirror's key, and does not say that an empty text \
                counts as none; both are as the SDK has them. Where the keychain cannot be read, the SDK takes the mirror's \
                id; here the step waits instead.
                """,
            facts: [.bundleIdentifier, .freshVisitorID], reversibility: .beforeImage
        ) { transaction, facts throws(StepStop) in
            guard let mirror else { throw .missing([.bundleIdentifier]) }
            let held = transaction.read(ConvertLocation.visitorID)
            let found = try ConvertVisitorIdentity.lookUp(in: &transaction, mirror: mirror)
                .readable(or: "an id in the mirror is not taken for the visitor's while the keychain may hold another")
            var notes: [String] = []
            if held != .absent {
                notes.append(
                    ConvertVisitorIdentity.isKeychainDamaged(held)
                        ? "the keychain's item is not a text, which the SDK takes for none; the new id takes its place"
                        : "the keychain's item is empty, which the SDK takes for none")
            }
            switch found {
            case .keychain, .unreadable: return
            case .mirror(let id):
                try transaction.write(
                    ConvertVisitorIdentity.item(id, in: held), to: ConvertLocation.visitorID, from: [mirror],
                    rule: rule,
                    notes: notes, effect: .carried, policy: .replaceExisting)
            case .none:
                let id = try facts.freshVisitorID()
                notes.append("neither store holds an id: the visitor is a new one, and earlier decisions are not found")
                try transaction.write(
                    ConvertVisitorIdentity.item(id, in: held), to: ConvertLocation.visitorID, rule: rule, notes: notes,
                    policy: .replaceExisting)
            }
        }
    }

    /// The mirror gets the visitor's id, where it has none or, if asked, another one.
    static func convertMirror(_ mirror: Address?, repairs: Bool) -> Step {
        let rule =
            repairs
            ? "the mirror gets the id that the keychain holds, also in place of another one"
            : "the mirror gets the id that the keychain holds, where it has none; another one is left"
        return Step(
            id: "visitor-mirror", title: "Visitor ID mirror", sources: [ConvertLocation.visitorID],
            targetKey: ConvertLocation.mirror(bundleIdentifier: "").key, target: mirror, rule: rule,
            disagreement: """
                The guide lets both stores converge; the SDK itself only ever fills the keychain from the mirror, and an id \
                in the keychain never repairs a missing or stale mirror.
                """,
            facts: [.bundleIdentifier, .freshVisitorID], reversibility: .beforeImage
        ) { transaction, facts throws(StepStop) in
            guard let mirror else { throw .missing([.bundleIdentifier]) }
            let found = try ConvertVisitorIdentity.lookUp(in: &transaction, mirror: mirror)
                .readable(or: "whether the mirror agrees with the keychain cannot be known")
            let held = transaction.read(mirror)
            let id: String
            switch found {
            case .mirror, .unreadable: return
            case .none: id = try facts.freshVisitorID()
            case .keychain(let text): id = text
            }
            let existing = ConvertVisitorIdentity.text(ofMirror: held)
            if existing == id { return }
            let from = if case .keychain = found { [ConvertLocation.visitorID] } else { [Address]() }
            do throws(StepStop) {
                try transaction.write(
                    .string(id), to: mirror, from: from, rule: rule,
                    // Where it is left as it is, the step's reason says so.
                    notes: existing != nil
                        ? (repairs ? ["the mirror holds another id than the keychain; the keychain's wins"] : [])
                        : held.value.map { ["the mirror is \($0.typePhrase), which the SDK takes for none"] } ?? [],
                    effect: from.isEmpty ? .madeUp : existing == nil ? .carried : .changed,
                    policy: repairs || existing == nil ? .replaceExisting : .keepExisting)
            } catch {
                guard error.outcome.kind == .conflict else { throw error }
                throw .conflict(
                    at: mirror, "target-differs",
                    """
                    keychain and mirror hold different ids; the keychain's wins, as the SDK reads it first, and the mirror \
                    is left; the profile repair-mirror replaces it
                    """)
            }
        }
    }
}

extension ConvertVisitorIdentity {
    /// The identity, unless what decides it cannot be read.
    fileprivate func readable(or consequence: String) throws(StepStop) -> ConvertVisitorIdentity {
        guard case .unreadable(let address, let reason) = self else { return self }
        throw .unreadable(address, reason, consequence)
    }
}

extension Facts {
    /// The fresh id, written as the SDK writes one.
    fileprivate func freshVisitorID() throws(StepStop) -> String { try text(.freshVisitorID).uppercased() }
}

extension StepStop {
    /// The target exists and differs, for a reason of its own.
    static func conflict(at address: Address, _ code: String, _ sentence: String) -> StepStop {
        var stop = StepStop.conflict(at: address)
        stop.outcome.reason = Reason(code, sentence)
        return stop
    }
}
