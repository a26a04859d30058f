import MigrationEngine
import StoreFormats

/// The old SDK's entries, read one by one through a transaction.
struct LegacyStore {
    let domain: StoreID

    /// The address of a key.
    func address(_ key: Name) -> Address { Address(store: domain, key: key) }

    /// Stops a step where the new SDK's own migrator would not begin, or where there is nothing to begin with.
    func checkPresence(
        in transaction: inout StoreTransaction, variant: Variant, suite: StoreID?
    ) throws(StepStop) {
        if let problem = transaction.problem(with: domain) { throw .unreadable(Address(store: domain), problem) }
        if variant != .documented, let suite, transaction.heldAnythingBefore(suite) {
            throw .skipped(
                "target-exists", "\(suite) holds values already, so the SDK's migrator does nothing at all")
        }
        for key in Keys.migrated where transaction.read(address(key)) != .absent { return }
        throw .skipped(
            "legacy-not-found",
            """
            nothing of the old SDK is in \(domain): the app was removed before the update, or the old SDK never ran; \
            the new SDK will make new values
            """)
    }

    /// A value, or `nil` where the key is absent.
    func value(_ key: Name, in transaction: inout StoreTransaction) throws(StepStop) -> Value? {
        switch transaction.read(address(key)) {
        case .absent: return nil
        case .present(let value): return value
        case .unreadable(let reason): throw .unreadable(address(key), reason)
        }
    }

    /// A string, or `nil` where the key is absent.
    func string(_ key: Name, in transaction: inout StoreTransaction) throws(StepStop) -> String? {
        guard let value = try value(key, in: &transaction) else { return nil }
        guard case .string(let text) = value else { throw wrongType(key, value, expected: "a string") }
        return text
    }

    /// A number, or `nil` where the key is absent.
    func number(_ key: Name, in transaction: inout StoreTransaction) throws(StepStop) -> Value? {
        guard let value = try value(key, in: &transaction) else { return nil }
        switch value {
        case .integer, .real: return value
        default: throw wrongType(key, value, expected: "a number")
        }
    }

    /// A Boolean, also one stored as the number 0 or 1, or `nil` where the key is absent.
    func flag(_ key: Name, in transaction: inout StoreTransaction) throws(StepStop) -> Bool? {
        guard let value = try value(key, in: &transaction) else { return nil }
        switch value {
        case .bool(let flag): return flag
        case .integer(0): return false
        case .integer(1): return true
        default: throw wrongType(key, value, expected: "a Boolean")
        }
    }

    private func wrongType(_ key: Name, _ value: Value, expected: String) -> StepStop {
        .failed("wrong-type", "\(key) is \(value.typePhrase), where \(expected) belongs")
    }
}
