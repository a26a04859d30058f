import MigrationEngine
import StoreFormats

extension Row {
    /// The rows in the order of the guide's table.
    static let all = [
        anonymousID, userID, traits, sessionID, manualSession, lastActivityTime, externalID, appVersion, appBuild,
    ]

    static let anonymousID = Row(
        id: "anonymous-id", title: "Anonymous ID", keys: [], targetKey: "anonymous_id", facts: [.identifierForVendor],
        rule: { _ in
            """
            the old SDK stored no anonymous ID but sent the device's identifierForVendor in lower case; that text goes on \
            being the anonymous ID
            """
        },
        convert: { _, _, facts, _ throws(StepStop) in
            Result(value: .string(try facts.text(.identifierForVendor).lowercased()))
        })

    static let userID = Row(
        id: "user-id", title: "User ID", keys: [Keys.userID, Keys.traits], targetKey: "user_id",
        disagreement: """
            The guide takes the userId among the traits; the SDK takes rs_user_id first, and the old SDK itself never \
            puts a userId among the traits.
            """,
        rule: { variant in
            variant == .documented
                ? "the userId among the traits (the guide's mapping table), else rs_user_id"
                : "rs_user_id, else the userId among the traits"
        },
        convert: { legacy, transaction, _, variant throws(StepStop) in
            var notes: [String] = []
            var fromTraits: String?
            do throws(StepStop) {
                fromTraits = try Traits.read(from: legacy, in: &transaction, variant: variant)?.userID
            } catch {
                notes.append("the traits could not be read for a userId")
            }
            var stored: String?
            do throws(StepStop) {
                stored = try legacy.string(Keys.userID, in: &transaction)
            } catch {
                guard fromTraits != nil else { throw error }
                notes.append(error.outcome.reason?.sentence ?? "\(Keys.userID) could not be read")
            }
            if let fromTraits, let stored, fromTraits != stored {
                notes.append("rs_user_id is “\(stored)” and the traits' userId is “\(fromTraits)”: they differ")
            }
            let traitsFirst = variant == .documented
            let traitsAddress = Address(
                store: legacy.domain, key: Keys.traits, pointer: JSONPointer(["userId"]))
            if let fromTraits, traitsFirst || stored == nil {
                return Result(value: .string(fromTraits), from: [traitsAddress], notes: notes)
            }
            if let stored {
                return Result(value: .string(stored), from: [legacy.address(Keys.userID)], notes: notes)
            }
            throw .skipped(
                "never-identified",
                """
                there is no user ID: the user was never identified; user_id stays empty until the app identifies the user
                """)
        })

    static let traits = Row(
        id: "traits", title: "Traits", keys: [Keys.traits], targetKey: "traits",
        disagreement: "The guide calls the legacy value a JSON string; the old SDK stores a keyed archive.",
        rule: { _ in "the traits as a JSON string, without anonymousId, id and userId" },
        convert: { legacy, transaction, _, variant throws(StepStop) in
            guard let traits = try Traits.read(from: legacy, in: &transaction, variant: variant) else {
                throw .skipped("absent", "\(Keys.traits) is not there: the user had no traits")
            }
            guard let json = try traits.json() else {
                throw .skipped("no-traits-left", "nothing is left of \(Keys.traits) without the identities in it")
            }
            let duplicates = traits.members.duplicateKeys
            return Result(
                value: .string(json), from: [legacy.address(Keys.traits)],
                notes: duplicates.isEmpty
                    ? [] : ["keys that stand twice: \(duplicates.map(\.text).joined(separator: ", "))"])
        })

    static let externalID = Row(
        id: "external-id", title: "External ID", keys: [Keys.externalID, "rs_external_id"], targetKey: nil,
        disagreement: "rl_external_id is the key of SDK v1; v2 has rs_external_id, which it never writes.",
        rule: { _ in "not migrated: the Swift SDK does not persist external IDs" },
        convert: { _, _, _, _ throws(StepStop) in
            throw .skipped(
                "not-persisted", "the Swift SDK does not persist external IDs, so there is nothing to migrate")
        })
}
