import Foundation
import MigrationEngine
import StoreFormats

extension Step {
    /// The decision file moves to where the SDK reads it.
    static let convertDecisionsPlace = decisions(
        id: "decisions-place", title: "Decision file",
        rule: "a decision file in any other place moves to where the SDK reads it",
        disagreement: """
            The guide puts the decision file into the folder com.convertexperiments.sdk; the SDK reads it beside that \
            folder, and in Caches or tmp only where there is no Application Support folder.
            """
    ) { transaction, rule throws(StepStop) in
        var found: [(address: Address, data: Data)] = [], unknown: [String] = []
        for place in ConvertLocation.decisions {
            do throws(StepStop) {
                if let data = try transaction.file(place) { found.append((place, data)) }
            } catch {
                // The SDK reads what is found first, whatever a place has that no dump of this form holds.
                guard !found.isEmpty, error.outcome.reason?.unreadable?.reason.cause == .missing else { throw error }
                unknown.append("whether \(place) holds decisions too is not known")
            }
        }
        let target = ConvertLocation.decisions[0]
        guard let first = found.first else { throw .noDecisions }
        if first.address != target {
            let others = found.dropFirst().map { "\($0.address) holds decisions too, which nobody reads" }
            try transaction.write(
                .data(first.data), to: target, from: [first.address], rule: rule,
                notes: ["until it moves, the SDK does not find these decisions"] + others + unknown)
            transaction.remove(first.address, rule: rule)
        } else if let other = found.dropFirst().first {
            if other.data == first.data {
                throw .skipped(
                    "second-file", "\(other.address) holds the same decisions a second time, which nobody reads")
            }
            throw .conflict(
                at: target, "two-decision-files",
                "\(target) and \(other.address) hold different decisions; the SDK reads the first, and both are left")
        }
    }

    /// A flat map of visitors becomes `{"store": …, "order": …}`.
    static let convertDecisionsFlat = decisions(
        id: "decisions-flat", title: "Flat decisions",
        rule: """
            a flat map of visitors, as written before the first release, becomes “store”, and its keys in stored order \
            become “order”
            """,
        disagreement: "The guide does not speak of this form; the SDK takes it for corrupt and starts empty."
    ) { transaction, rule throws(StepStop) in
        let file = try transaction.decisionFile()
        guard case .flat(let members) = file.form else { return }
        let keys = members.map { Value.string($0.key.text) }
        let value = Value.dictionary([("store", .dictionary(members)), ("order", .array(keys))])
        try transaction.write(
            .data(.json(value)), to: file.address, from: [file.address], rule: rule,
            notes: ["which visitor was used last is not known; the order is that of the file"],
            policy: .replaceExisting)
    }

    /// A corrupt decision file is set aside.
    static let convertDecisionsCorrupt = decisions(
        id: "decisions-corrupt", title: "Corrupt decisions",
        rule: "a corrupt decision file moves aside, before the SDK writes over it",
        disagreement: """
            The guide speaks of corruption only for the event queue; of a corrupt decision file the SDK warns, starts \
            empty and leaves the file until its next save.
            """
    ) { transaction, rule throws(StepStop) in
        let file = try transaction.decisionFile()
        switch file.form {
        case .current: return
        case .flat:
            throw .skipped(
                "condition-not-met", "the file is an older form, not corrupt: decisions-flat takes it on")
        case .corrupt(let error):
            try transaction.setAside(file.address, file.data, because: error, rule: rule)
        }
    }

    /// Visitors of older versions get the parts that they lack.
    static let convertDecisionsParts = decisions(
        id: "decisions-parts", title: "Parts of decisions",
        rule:
            "each visitor gets the parts that older versions left out: \(ConvertStoreData.names.joined(separator: ", "))",
        disagreement: nil
    ) { transaction, rule throws(StepStop) in
        let (file, decisions) = try transaction.currentDecisions()
        let stored = decisions.stored
        let completed = Members(
            stored.map { member in
                Member(
                    key: member.key,
                    value: .dictionary(ConvertDecisions.completed(member.value.members ?? Members())))
            })
        let count = zip(stored, completed).count { $0.value != $1.value }
        if count == 0 { return }
        try transaction.write(
            .data(decisions.replacing("store", with: .dictionary(completed))), to: file.address, from: [file.address],
            rule: rule, notes: ["\(count) of \(stored.count) visitors lack parts"], policy: .replaceExisting)
    }

    /// The order names every visitor once.
    static let convertDecisionsOrder = decisions(
        id: "decisions-order", title: "Order of decisions",
        rule: "the order keeps the visitors that are there, once each, gets those that it lacks, and loses the others",
        disagreement: nil
    ) { transaction, rule throws(StepStop) in
        let (file, decisions) = try transaction.currentDecisions()
        if decisions.order == decisions.storedOrder { return }
        try transaction.write(
            .data(decisions.replacing("order", with: .array(decisions.order.map(Value.string)))), to: file.address,
            from: [file.address], rule: rule, policy: .replaceExisting)
    }

    private static func decisions(
        id: String, title: String, rule: String, disagreement: String?,
        _ body: @escaping @Sendable (inout StoreTransaction, String) throws(StepStop) -> Void
    ) -> Step {
        let isMove = id == "decisions-place"
        return Step(
            id: id, title: title,
            sources: isMove ? ConvertLocation.decisions : [ConvertLocation.decisions[0]],
            targetKey: ConvertLocation.decisions[0].key, target: ConvertLocation.decisions[0], rule: rule,
            disagreement: disagreement, reversibility: .beforeImage
        ) { transaction, _ throws(StepStop) in try body(&transaction, rule) }
    }
}

extension StepStop {
    fileprivate static let noDecisions = StepStop.skipped("absent", "there is no decision file")
}

extension StoreTransaction {
    fileprivate struct DecisionFile {
        let address: Address
        let data: Data
        let form: ConvertDecisions.Form
    }

    /// The decision file in the first place that has one.
    fileprivate mutating func decisionFile() throws(StepStop) -> DecisionFile {
        for place in ConvertLocation.decisions {
            if let data = try file(place) {
                let form = ConvertDecisions.Form(data)
                if case .corrupt(let error) = form { try error.checkIsKnown(at: place) }
                return DecisionFile(address: place, data: data, form: form)
            }
        }
        throw .noDecisions
    }

    /// The decisions in the form that the SDK reads.
    fileprivate mutating func currentDecisions() throws(StepStop) -> (DecisionFile, ConvertDecisions) {
        let file = try decisionFile()
        switch file.form {
        case .current(let decisions): return (file, decisions)
        case .flat: throw .blocked("earlier-steps-first", "the file is a flat map; take the step decisions-flat first")
        case .corrupt(let error):
            throw .skipped(
                "condition-not-met", "the decision file is corrupt (\(error)); decisions-corrupt moves it aside")
        }
    }
}

extension ConvertDecisions {
    /// The text with one of its two parts replaced.
    fileprivate func replacing(_ part: String, with value: Value) throws(StepStop) -> Data {
        do throws(FormatError) {
            return try document?.replacing(JSONPointer([Name(part)]), with: value).data ?? Data()
        } catch {
            throw .failed("edit-impossible", "the decision file cannot be changed: \(error)")
        }
    }
}

extension Data {
    /// The JSON text of a value that was read from JSON.
    fileprivate static func json(_ value: Value) throws(StepStop) -> Data {
        do throws(FormatError) {
            return try JSONDocument.write(value)
        } catch {
            throw .failed("edit-impossible", "the decision file cannot be written: \(error)")
        }
    }
}
