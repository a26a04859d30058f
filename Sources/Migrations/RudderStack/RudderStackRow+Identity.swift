import MigrationEngine
import StoreFormats

extension RudderStackRow {
    /// The rows in the order of the guide's table.
    static let all = [
        anonymousID, userID, traits, sessionID, manualSession, lastActivityTime, externalID, appVersion, appBuild,
    ]

    static let anonymousID = RudderStackRow(
        id: "anonymous-id", title: "Anonymous ID", keys: [], targetKey: "anonymous_id", facts: [.identifierForVendor],
        rule: { _ in
            """
            the old SDK stored no anonymous ID but sent the device's identifierForVendor in lower case; that text goes on \
            being the anonymous ID
            """
        },
        convert: { _, _, facts, _ throws(StepStop) in
            // The old SDK's ID goes on being the user's, though no store of it held the text.
            Result(value: .string(try facts.text(.identifierForVendor).lowercased()), effect: .carried)
        })

    static let userID = RudderStackRow(
        id: "user-id", title: "User ID", keys: [RudderStackKeys.userID, RudderStackKeys.traits], targetKey: "user_id",
        disagreement: """
            The guide takes the userId among the traits; the SDK takes rs_user_id first, and the old SDK itself never \
            puts a userId among the traits.
            """,
        rule: { rules in
            rules == .documented
                ? "the userId among the traits (the guide's mapping table), else rs_user_id"
                : "rs_user_id, else the userId among the traits"
        },
        convert: { legacy, transaction, _, rules throws(StepStop) in
            var notes: [String] = []
            var traits: RudderStackTraits?
            var problem: StepStop?
            do throws(StepStop) {
                traits = try RudderStackTraits.read(from: legacy, in: &transaction, rules: rules)
            } catch {
                // Both SDKs read on where this reader has stopped: the guide's rules then know no user.
                if error.isOfUnknown, rules == .documented { throw error }
                problem = error
                notes.append("the traits could not be read for a userId")
            }
            var stored: String?
            do throws(StepStop) {
                stored = try legacy.userID(in: &transaction, rules: rules, notes: &notes)
            } catch {
                guard traits?.userID != nil else { throw error }
                notes.append(error.outcome.reason?.sentence ?? "\(RudderStackKeys.userID) could not be read")
            }
            let traitsAddress = Address(
                store: legacy.domain, key: RudderStackKeys.traits, pointer: JSONPointer(["userId"]))
            var isOther = false
            if let fromTraits = traits?.userID, let stored, Name(fromTraits) != Name(stored) {
                isOther = true
                notes.append("rs_user_id is “\(stored)” and the traits' userId is “\(fromTraits)”: they differ")
            }
            if let fromTraits = traits?.userID, rules == .documented || stored == nil {
                return Result(
                    value: .string(fromTraits), from: [traitsAddress], notes: notes, effect: isOther ? .changed : nil,
                    dropped: isOther ? [legacy.address(RudderStackKeys.userID)] : [])
            }
            if let misplaced = traits?.misplacedUserID {
                guard stored != nil else { throw .failed("wrong-type", misplaced) }
                notes.append(misplaced)
            }
            if let stored {
                return Result(
                    value: .string(stored), from: [legacy.address(RudderStackKeys.userID)], notes: notes,
                    dropped: isOther ? [traitsAddress] : [])
            }
            if let reason = problem?.outcome.reason {
                throw .failed(
                    reason.code,
                    """
                    \(RudderStackKeys.userID) is not there, and whether the traits name the user cannot be told: \
                    \(reason.sentence)
                    """)
            }
            throw .skipped(
                "absent",
                """
                there is no user ID: the user was never identified; user_id stays empty until the app identifies the user
                """)
        },
        held: { legacy, transaction, _ in
            if let held = legacy.held(RudderStackKeys.userID, in: &transaction) { return held }
            // The traits say themselves what cannot be read of them.
            guard let traits = try? RudderStackTraits.read(from: legacy, in: &transaction, rules: .documented),
                let value = traits.members["userId"], value != .null
            else { return nil }
            return Held(value: value, from: [legacy.address(RudderStackKeys.traits).appending(JSONPointer(["userId"]))])
        })

    static let traits = RudderStackRow(
        id: "traits", title: "Traits", keys: [RudderStackKeys.traits], targetKey: "traits",
        disagreement: "The guide calls the legacy value a JSON string; the old SDK stores a keyed archive.",
        rule: { _ in "the traits as a JSON string, without anonymousId, id and userId" },
        convert: { legacy, transaction, _, rules throws(StepStop) in
            guard let traits = try RudderStackTraits.read(from: legacy, in: &transaction, rules: rules) else {
                throw .skipped("absent", "\(RudderStackKeys.traits) is not there: the user had no traits")
            }
            guard let json = try traits.json() else {
                throw .skipped(
                    "empty", "nothing is left of \(RudderStackKeys.traits) without the identities in it")
            }
            // The userId among the traits is the user ID's to take on, or to drop.
            let left = traits.identities(in: legacy)
            return Result(
                value: .string(json), from: [legacy.address(RudderStackKeys.traits)],
                dropped: left.filter { $0.key != "userId" }.map(\.part),
                others: left.filter { $0.key == "userId" }.map(\.part))
        },
        held: { legacy, transaction, rules in
            guard let traits = try? RudderStackTraits.read(from: legacy, in: &transaction, rules: .documented) else {
                return legacy.held(RudderStackKeys.traits, in: &transaction)
            }
            // No other row has read a userId in what the rules refuse.
            let isRead = (try? RudderStackTraits.read(from: legacy, in: &transaction, rules: rules)) != nil
            return Held(
                value: .dictionary(traits.kept), from: [legacy.address(RudderStackKeys.traits)],
                dropped: traits.identities(in: legacy).filter { !isRead || $0.key != "userId" }.map(\.part))
        })

    static let externalID = RudderStackRow(
        id: "external-id", title: "External ID", keys: [RudderStackKeys.externalID, "rs_external_id"], targetKey: nil,
        disagreement: "rl_external_id is the key of SDK v1; v2 has rs_external_id, which it never writes.",
        rule: { _ in "not migrated: the Swift SDK does not persist external IDs" },
        convert: { _, _, _, _ throws(StepStop) in
            throw .skipped(
                "left", "the Swift SDK does not persist external IDs, so there is nothing to migrate")
        })
}

extension RudderStackLegacy {
    /// The stored user ID; the SDK takes a number for its text there, and anything else for none.
    fileprivate func userID(
        in transaction: inout StoreTransaction, rules: RudderStackRules, notes: inout [String]
    ) throws(StepStop) -> String? {
        let key = RudderStackKeys.userID
        guard rules != .documented else { return try string(key, in: &transaction) }
        guard let value = try value(key, in: &transaction) else { return nil }
        if case .string(let text) = value { return text }
        guard let text = value.textInUserDefaults else {
            notes.append("\(key) is \(value.typePhrase), which the SDK takes for none")
            return nil
        }
        notes.append("\(key) is \(value.typePhrase); the SDK takes its text")
        return text
    }
}
