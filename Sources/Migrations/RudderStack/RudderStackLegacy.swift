import MigrationEngine
import StoreFormats

/// The old SDK's entries, read one by one through a transaction.
struct RudderStackLegacy {
    let domain: StoreID

    /// The address of a key.
    func address(_ key: Name) -> Address { Address(store: domain, key: key) }

    /// Stops a step where the new SDK's own migrator would not begin, or where there is nothing to begin with.
    ///
    /// - Parameter keep: Called where it would not begin although there is something to begin with; it tells what becomes of that,
    ///   or why nobody can.
    func checkPresence(
        in transaction: inout StoreTransaction, rules: RudderStackRules, suite: StoreID?,
        keep: (inout StoreTransaction) -> String? = { _ in nil }
    ) throws(StepStop) {
        if let problem = transaction.problem(with: domain) { throw .unreadable(Address(store: domain), problem) }
        if rules != .documented, let suite {
            if let problem = transaction.problem(with: suite) { throw .unreadable(Address(store: suite), problem) }
            if transaction.heldAnythingBefore(suite) {
                let isAnyThere = (try? checkPresence(in: &transaction, rules: .documented, suite: nil)) != nil
                let why = (isAnyThere ? keep(&transaction) : nil).map {
                    "; whether what is there means the same cannot be told: \($0)"
                }
                throw .skipped(
                    "requirement-not-met",
                    "\(suite) holds values already, so the SDK's migrator does nothing at all\(why ?? "")")
            }
        }
        let left = RudderStackLeftovers(in: domain, transaction.seen)
        let isAnyThere = RudderStackKeys.migrated.contains { transaction.read(address($0)) != .absent }
        if left.areOnlyFirstVersion { throw left.isFirstVersion(of: domain) }
        if isAnyThere { return }
        if RudderStackKeys.migrated.contains(where: { transaction.original(address($0)) != .absent }) {
            throw .skipped(
                "absent", "a step of this migration has removed what the old SDK left in \(domain)")
        }
        if let other = left.elsewhere { throw .legacyElsewhere(other, instead: domain) }
        throw .skipped(
            "absent",
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

    /// What is there under a key, also where that cannot be read.
    func held(_ key: Name, in transaction: inout StoreTransaction) -> RudderStackRow.Held? {
        let state = transaction.read(address(key))
        return state == .absent ? nil : RudderStackRow.Held(value: state.value, from: [address(key)])
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

    func wrongType(_ key: Name, _ value: Value, expected: String) -> StepStop {
        .failed("wrong-type", "\(key) is \(value.typePhrase), where \(expected) belongs")
    }
}

/// Which versions of RudderStack's SDK left values, told apart by the keys that only one of them writes.
///
/// Both write `rl_session_id` and `rl_last_event_time_stamp`, so these tell nothing. Version 2 writes the mark of an
/// automatic session only beside that of a manual one.
///
/// Each step asks this, and mostly the first key tells: nothing is looked for that is not asked.
struct RudderStackLeftovers {
    private let domain: StoreID
    private let stores: any StoreReader

    /// Looks into the app's own UserDefaults, and beside them.
    init(in domain: StoreID, _ stores: any StoreReader) { (self.domain, self.stores) = (domain, stores) }

    /// The keys that only version 1 (Objective-C) writes, and the file in which later releases of it keep them.
    var firstVersion: [Name] {
        let marks = Self.held([RudderStackKeys.autoSession, RudderStackKeys.manualSession], in: domain, stores)
        return Self.held(RudderStackKeys.firstVersion, in: domain, stores)
            + (marks == [RudderStackKeys.autoSession] ? marks : [])
            + Self.held([RudderStackKeys.firstVersionFile], in: .files("Library"), stores)
    }

    /// Whether a key is there that only version 2 writes.
    var isSecondVersion: Bool {
        let all = stores.keys(in: domain)
        return RudderStackKeys.secondVersion.contains { all.position(of: $0) != nil }
    }

    /// Another domain that holds the old SDK's keys, where the app's own is not in the dump at all.
    var elsewhere: StoreID? { stores.contains(domain) ? nil : Self.domains(in: stores).first }

    /// The UserDefaults in which version 2 has left more than one value; one alone may be anybody's.
    static func domains(in stores: any StoreReader) -> [StoreID] {
        stores.stores.filter { $0.kind == .defaults && held(RudderStackKeys.secondVersion, in: $0, stores).count > 1 }
    }

    private static func held(_ keys: [Name], in store: StoreID, _ stores: any StoreReader) -> [Name] {
        let all = stores.keys(in: store)
        return keys.filter { all.position(of: $0) != nil }
    }

    /// Whether all that is there is version 1's.
    var areOnlyFirstVersion: Bool { !isSecondVersion && !firstVersion.isEmpty }

    /// What a reader should know of a value whose key both versions write.
    var notes: [String] {
        let left = firstVersion.map(\.text).joined(separator: ", ")
        return left.isEmpty ? [] : ["SDK v1 left values too (\(left)); both versions write this key"]
    }

    /// How a step ends where all that is there is version 1's.
    func isFirstVersion(of domain: StoreID) -> StepStop {
        .skipped(
            "sdk-v1",
            """
            the SDK that ran was RudderStack's v1 (Objective-C), not v2: \(firstVersion.map(\.text).joined(separator: ", ")); some \
            keys of both are the same and mean something else, so nothing is migrated by the rules of v2
            """)
    }
}

extension StepStop {
    /// The domain that facts name is not in the dump, and another one holds what was looked for.
    static func legacyElsewhere(_ other: StoreID, instead domain: StoreID) -> StepStop {
        .blocked(
            "legacy-elsewhere",
            """
            \(domain) is not in the dump, and \(other) holds the old values: if that is the same app under another \
            name, rename the file to \(domain.name).plist or give \(FactName.bundleIdentifier) its name
            """)
    }
}

extension Value {
    /// The text that UserDefaults gives for the value as a string: text as it is, a number as its text; `nil` for others.
    var textInUserDefaults: String? {
        switch self {
        case .string(let text): text
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let number): String(number)
        case .real(let real): Int64(exactly: real.value).map(String.init) ?? String(real.value)
        default: nil
        }
    }

    /// The members of the dictionary that it is, or holds as JSON.
    var decodedMembers: Members? { members ?? decoded()?.value.members }
}
