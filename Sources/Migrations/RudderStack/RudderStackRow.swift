import MigrationEngine
import StoreFormats

/// One row of the guide's mapping table: what is read, what is written, and how one becomes the other.
struct RudderStackRow: Sendable {
    /// What a row makes of the legacy values.
    struct Result {
        var value: Value
        var from: [Address] = []
        var notes: [String] = []
        /// What it does to the user's value, where the values alone do not tell.
        var effect: ValueEffect?
        /// The parts of the legacy values that the new one does not take on.
        var dropped: [Address] = []
        /// The parts that another row takes on, or drops.
        var others: [Address] = []
    }

    /// What is there of the legacy values.
    struct Held {
        /// What can be read of it.
        var value: Value?
        var from: [Address]
        /// The parts that are no part of the value.
        var dropped: [Address] = []
    }

    let id: String
    let title: String
    /// The legacy keys that the row reads.
    let keys: [Name]
    /// The key in the new SDK's suite; `nil` where the row writes nothing.
    let targetKey: Name?
    let facts: [FactName]
    /// Where the guide and the SDK disagree.
    let disagreement: String?
    let rule: @Sendable (RudderStackRules) -> String
    /// The new value, or the reason why there is none.
    let convert:
        @Sendable (RudderStackLegacy, inout StoreTransaction, Facts, RudderStackRules) throws(StepStop) -> Result
    /// What the legacy values hold in the form of the new one, or as they are, whatever the rules make of them.
    private let held: @Sendable (RudderStackLegacy, inout StoreTransaction, RudderStackRules) -> Held?

    init(
        id: String, title: String, keys: [Name], targetKey: Name?, facts: [FactName] = [],
        disagreement: String? = nil, rule: @escaping @Sendable (RudderStackRules) -> String,
        convert:
            @escaping @Sendable (RudderStackLegacy, inout StoreTransaction, Facts, RudderStackRules) throws(StepStop) ->
            Result,
        held: (@Sendable (RudderStackLegacy, inout StoreTransaction, RudderStackRules) -> Held?)? = nil
    ) {
        self.id = id
        self.title = title
        self.keys = keys
        self.targetKey = targetKey
        self.facts = facts
        self.disagreement = disagreement
        self.rule = rule
        self.convert = convert
        self.held = held ?? { legacy, transaction, _ in keys.first.flatMap { legacy.held($0, in: &transaction) } }
    }

    /// The step that the row is on given stores.
    func step(rules: RudderStackRules, legacy domain: StoreID?, suite: StoreID?) -> Step {
        let rule = rule(rules)
        let target = suite.flatMap { suite in targetKey.map { Address(store: suite, key: $0) } }
        return Step(
            id: id, title: title, sources: domain.map { domain in keys.map { Address(store: domain, key: $0) } } ?? [],
            targetKey: targetKey, target: target, rule: rule, disagreement: disagreement,
            facts: [.bundleIdentifier, .writeKey] + facts
        ) { transaction, facts throws(StepStop) in
            try facts.require(.bundleIdentifier)
            guard let domain else { return }
            let legacy = RudderStackLegacy(domain: domain)
            try legacy.checkPresence(in: &transaction, rules: rules, suite: suite) { transaction in
                target.flatMap { keep(legacy, at: $0, in: &transaction, facts, rules) }
            }
            var result = try converted(legacy, &transaction, facts, rules)
            Self.keepWhatStands(in: &result, suite: suite, transaction)
            guard let target else { throw StepStop.missing([.writeKey], in: facts) }
            try transaction.write(
                Self.standing(result.value, at: target, in: &transaction), to: target, part: JSONPointer(),
                from: result.from, rule: rule, notes: result.notes, placeholders: [],
                effect: result.effect, dropped: result.dropped, policy: .keepExisting)
            Self.noteArrival(of: result, at: target, in: &transaction)
        }
    }

    /// Tells of what the old SDK left for the row whether the new store has it, has something else or has nothing, where the
    /// SDK's migrator does not even begin; what its rule makes nothing of stood there all the same.
    ///
    /// - Returns: Why that cannot be told.
    private func keep(
        _ legacy: RudderStackLegacy, at target: Address, in transaction: inout StoreTransaction, _ facts: Facts,
        _ rules: RudderStackRules
    ) -> String? {
        var result: Result, stop: StepStop?
        let standing = transaction.read(target)
        do throws(StepStop) {
            result = try convert(legacy, &transaction, facts, rules)
        } catch {
            guard let held = held(legacy, &transaction, rules) else { return nil }
            // What another reader finds there nobody can compare, nor what facts would make of it.
            if error.outcome.kind == .blocked || error.isOfUnknown || held.value == nil, standing != .absent {
                return "\(error)"
            }
            (result, stop) = (Result(value: held.value ?? .null, from: held.from, dropped: held.dropped), error)
        }
        if case .unreadable(let reason) = standing { return "\(StepStop.unreadable(target, reason))" }
        Self.keepWhatStands(in: &result, suite: target.store, transaction)
        if standing == .absent, result.value.members?.isEmpty ?? false {
            // Where nothing would be written, only what goes with that can be lost.
            guard !result.dropped.isEmpty else { return nil }
            (result.from, result.dropped) = (result.dropped, [])
        }
        if let existing = standing.value {
            let (lacks, isOther) = Self.difference(result.value, from: existing, asText: stop != nil)
            if !isOther { result.value = existing }
            // What differs has its own parts as its sources have them.
            for source in result.from.prefix(1) { result.dropped += lacks.map(source.appending) }
            if !isOther { Self.noteArrival(of: result, at: target, in: &transaction) }
        }
        transaction.keep(
            result.value, at: target, from: result.from, rule: rule(rules), notes: result.notes, effect: result.effect,
            dropped: result.dropped, stop: stop)
        return nil
    }

    /// What of a value another one lacks that stands in its place, and whether it has any of it otherwise.
    ///
    /// - Parameter asText: Whether a number may stand there as its text: no rule tells its type.
    private static func difference(
        _ value: Value, from standing: Value, asText: Bool, at pointer: JSONPointer = JSONPointer()
    ) -> (lacks: [JSONPointer], isOther: Bool) {
        let isTop = pointer.isRoot
        guard let members = (isTop ? value.decodedMembers : value.members) else {
            let text = asText ? value.textInUserDefaults : nil
            return ([], !isSame(standing, value) && (text == nil || text != standing.textInUserDefaults))
        }
        let others = (isTop ? standing.decodedMembers : standing.members)?.firstValues
        return members.reduce(into: ([], others == nil)) { found, member in
            let part = pointer.appending(member.key)
            guard let other = others?[member.key] else { return found.lacks.append(part) }
            let (lacks, isOther) = difference(member.value, from: other, asText: false, at: part)
            found.lacks += lacks
            found.isOther = found.isOther || isOther
        }
    }

    /// An identity among the traits that is the very one that the new SDK has is not lost with them.
    private static func keepWhatStands(in result: inout Result, suite: StoreID?, _ transaction: StoreTransaction) {
        guard let suite else { return }
        result.dropped.removeAll { part in
            guard let name = part.pointer.tokens.first, let key = RudderStackTraits.standIns[name],
                let value = transaction.seen.state(at: part).value
            else { return false }
            return transaction.seen.state(at: Address(store: suite, key: key)) == .present(value)
        }
    }

    /// What stands at a target, where that is the same to the reader as what the row makes; else that.
    private static func standing(
        _ value: Value, at target: Address, in transaction: inout StoreTransaction
    ) -> Value {
        guard let existing = transaction.read(target).value, isSame(existing, value) else { return value }
        return existing
    }

    private static func noteArrival(of result: Result, at target: Address, in transaction: inout StoreTransaction) {
        transaction.noteArrival(of: result.from, at: target, without: result.dropped + result.others)
    }

    /// What the row makes of the legacy values; where facts are missing, all of them are named at once.
    private func converted(
        _ legacy: RudderStackLegacy, _ transaction: inout StoreTransaction, _ facts: Facts, _ rules: RudderStackRules
    ) throws(StepStop) -> Result {
        do throws(StepStop) {
            return try convert(legacy, &transaction, facts, rules)
        } catch {
            let missing = error.outcome.reason?.missingFacts ?? []
            guard !missing.isEmpty, facts[.writeKey] == nil else { throw error }
            throw .missing([.writeKey] + missing, in: facts)
        }
    }

    /// Whether an existing value is the same to the reader: JSON text may have its keys in any order, and a Boolean is a number
    /// to UserDefaults.
    private static func isSame(_ existing: Value, _ value: Value) -> Bool {
        if existing == value { return true }
        if existing.string == nil, value.string == nil, let text = existing.textInUserDefaults {
            return text == value.textInUserDefaults
        }
        guard case .string = existing, case .string = value, let left = existing.decoded()?.value,
            let right = value.decoded()?.value
        else { return false }
        return left.isEquivalentJSON(to: right)
    }

    /// The last step of the SDK's own migrator: it removes the legacy keys, also those that could not be converted.
    static func removal(rules: RudderStackRules, legacy domain: StoreID?, suite: StoreID?) -> Step {
        let rule = "the SDK's migrator removes the seven keys that it reads, whether or not each could be converted"
        return Step(
            id: "remove-legacy", title: "Remove legacy keys",
            sources: domain.map { domain in RudderStackKeys.migrated.map { Address(store: domain, key: $0) } } ?? [],
            rule: rule,
            disagreement: "The guide says nothing of a removal; the SDK does it.",
            facts: [.bundleIdentifier, .writeKey], reversibility: .beforeImage, followsAll: true
        ) { transaction, facts throws(StepStop) in
            try facts.require(.bundleIdentifier)
            guard let domain else { return }
            let legacy = RudderStackLegacy(domain: domain)
            // As of the rows, where there is nothing of the old SDK, no fact is asked for.
            try legacy.checkPresence(in: &transaction, rules: rules, suite: suite)
            try facts.require(.writeKey)
            // Before the first removal: a row may read more than its own key.
            let before = transaction
            for key in RudderStackKeys.migrated {
                let losses = RudderStackRow.all.filter { $0.keys.first == key }.compactMap { row in
                    row.loss(legacy, before, facts, rules)
                }
                let notes = losses.map { "it was not migrated and would be lost: \($0)" }
                transaction.remove(legacy.address(key), rule: rule, notes: notes)
            }
        }
    }

    /// Why the row's value does not reach the new store, or `nil` where it does.
    private func loss(
        _ legacy: RudderStackLegacy, _ transaction: StoreTransaction, _ facts: Facts, _ rules: RudderStackRules
    ) -> String? {
        var copy = transaction
        do throws(StepStop) {
            _ = try convert(legacy, &copy, facts, rules)
            return nil
        } catch {
            return error.outcome.reason?.sentence ?? error.outcome.kind.rawValue
        }
    }
}

extension RudderStackRow {
    static let appVersion = RudderStackRow(
        id: "app-version", title: "App version", keys: [RudderStackKeys.appVersion], targetKey: "rudder.app_version",
        rule: { _ in "the CFBundleShortVersionString as it is" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            guard let version = try legacy.string(RudderStackKeys.appVersion, in: &transaction) else {
                throw .skipped(
                    "absent",
                    "\(RudderStackKeys.appVersion) is not there: the old SDK did not track the app's life cycle")
            }
            return Result(value: .string(version), from: [legacy.address(RudderStackKeys.appVersion)])
        })

    static let appBuild = RudderStackRow(
        id: "app-build", title: "App build", keys: [RudderStackKeys.appBuild], targetKey: "rudder.app_build",
        rule: { _ in "the CFBundleVersion as an integer" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            guard let build = try legacy.string(RudderStackKeys.appBuild, in: &transaction) else {
                throw .skipped(
                    "absent",
                    "\(RudderStackKeys.appBuild) is not there: the old SDK did not track the app's life cycle")
            }
            guard let number = Int(build) else {
                throw .failed(
                    "not-a-number",
                    """
                    \(RudderStackKeys.appBuild) is “\(build)”, which is not an integer; the new SDK will treat the build \
                    as unknown
                    """)
            }
            return Result(value: .integer(Int128(number)), from: [legacy.address(RudderStackKeys.appBuild)])
        })
}
