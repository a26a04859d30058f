import MigrationEngine
import StoreFormats

/// What entries were made from, over however many steps, and the secrets that the dump has there.
///
/// A value is as secret as what it was made from: all of it where the place of that is secret, and else the parts that are
/// secrets there, whatever a step calls them now.
package struct SecretOrigins: Sendable {
    /// What standing steps made entries from.
    private var standing: [Address: Set<Address>] = [:]
    /// The same of all changes that an answer tells of, also of steps that are not applied.
    private var told: [Address: Set<Address>] = [:]
    /// What the dump has in the entries that others are made from.
    private var secrets: [Address: KnownSecrets] = [:]

    /// Nothing was made from anything.
    package init() {}

    /// What the steps of a history made.
    ///
    /// - Parameters:
    ///   - stores: The stores as the dump has them.
    ///   - masking: Which entries are no secret, and what may be looked through.
    package init(of history: History, in stores: any StoreReader, _ masking: Masking) {
        for change in history.standing.lazy.flatMap(\.changes) { Self.note(change, in: &standing) }
        follow(history.entries.lazy.flatMap(\.changes), in: stores, masking)
    }

    /// Takes in what changes make, each on what the ones before it leave.
    package mutating func follow(
        _ changes: some Sequence<Change>, in stores: any StoreReader, _ masking: Masking
    ) {
        guard !masking.isRevealing else { return }
        let budget = (masking.budget ?? AnswerBudget()).search
        for change in changes {
            Self.note(change, in: &told)
            for source in change.from where secrets[source.entry] == nil {
                let context = SecretContext([source.entry], publicEntries: masking.publicEntries)
                let value = stores.state(at: source.entry).value
                secrets[source.entry] = value.map { KnownSecrets(in: $0, context, within: budget) } ?? KnownSecrets()
            }
        }
    }

    private static func note(_ change: Change, in origins: inout [Address: Set<Address>]) {
        guard change.after != nil else { return }
        let all = change.from.flatMap { [$0] + (origins[$0.entry] ?? []) }
        origins[change.address, default: []].formUnion(all)
    }

    /// What a value was made from: the sources that are named, what they were made from, and what stands in its entry now.
    func origins(of address: Address, from sources: [Address]) -> [Address] {
        guard !standing.isEmpty || !told.isEmpty else { return sources }
        let earlier = sources.flatMap { Array(standing[$0.entry] ?? []) + Array(told[$0.entry] ?? []) }
        return sources + earlier + (standing[address.entry] ?? [])
    }

    /// The secrets that the dump has in entries.
    func secrets(in origins: [Address]) -> [KnownSecrets] {
        guard !secrets.isEmpty else { return [] }
        return Set(origins.map(\.entry)).compactMap { secrets[$0] }.filter { !$0.isEmpty }
    }
}

/// Secrets of one entry, by which they are known again where a step has put them.
struct KnownSecrets: Sendable {
    /// Whether there may be others: parts cannot be looked into, or there are too many secrets to keep.
    private var isIncomplete = false
    private var secrets: Set<[UInt8]> = []

    /// How many secrets of one entry are kept.
    private static let limit = 256
    /// The shortest secret, in bytes, that is looked for within longer texts; others are whole values.
    private static let shortest = 6
    /// How many bytes are compared for one value; what takes more is taken for a secret.
    private static let effort = 64 << 20

    /// None.
    init() {}

    /// Those in a value: in its parts, also in other formats, and in texts that say so.
    ///
    /// A value without parts is none: what it says of itself it says wherever it goes, and what its place says of it is
    /// known by the address.
    init(in value: Value, _ context: SecretContext, within budget: SearchBudget) {
        switch value {
        case .array, .dictionary, .set, .object: break
        case .string, .data: guard value.recognition(within: budget.decoding)?.decoded != nil else { return }
        default: return
        }
        add(value, context, depth: 0, within: budget)
    }

    private mutating func add(_ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget) {
        _ = Secrets.search(value, context, depth: depth, within: budget) { found, context, depth in
            take(found, context, depth, budget)
            return isIncomplete
        }
    }

    /// Takes in what is masked as a whole.
    private mutating func take(_ found: Value, _ context: SecretContext, _ depth: Int, _ budget: SearchBudget) {
        guard secrets.count < Self.limit, depth < Secrets.depthLimit, let bytes = found.secretBytes else {
            if !found.isWithoutText { isIncomplete = true }
            return
        }
        if context.makesSecret(found) || found.isNumber {
            secrets.insert(bytes)
            // A step may take out a part of it.
            let recognition = found.recognition(within: budget.decoding)
            if let decoded = recognition?.decoded?.value {
                add(decoded, context, depth: depth + 1, within: budget.inner)
            } else if recognition?.isOverBudget == true {
                isIncomplete = true
            }
            return
        }
        // Of a text the parts that say so; data that is damaged or closed goes on as a whole.
        let ranges = found.string.map { SecretTexts.ranges(in: $0) } ?? []
        for range in ranges.isEmpty ? [0..<bytes.count] : ranges { secrets.insert(Array(bytes[range])) }
    }

    var isEmpty: Bool { secrets.isEmpty && !isIncomplete }

    /// Whether a text, data or a number is, or has in it, one of the secrets.
    func holds(_ value: Value) -> Bool {
        guard !isEmpty, let bytes = value.secretBytes, !bytes.isEmpty else { return false }
        if isIncomplete || secrets.contains(bytes) { return true }
        if bytes.count > Self.effort / max(1, secrets.count) { return true }
        return secrets.contains { $0.count >= Self.shortest && $0.count < bytes.count && bytes.contains($0) }
    }
}

extension Value {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .real: true
        default: false
        }
    }

    /// Whether it is nothing that a secret can be told by.
    fileprivate var isWithoutText: Bool {
        switch self {
        case .null, .bool, .date, .uid, .reference: true
        default: false
        }
    }

    /// What a secret is known by, as a text, as data or as a number.
    fileprivate var secretBytes: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let data): Array(data)
        case .integer(let number): Array("\(number)".utf8)
        case .real(let real): Array((Int64(exactly: real.value).map { "\($0)" } ?? "\(real.value)").utf8)
        default: nil
        }
    }
}
