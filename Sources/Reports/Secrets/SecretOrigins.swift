import Foundation
import MigrationEngine
import StoreFormats

/// What entries were made from, over however many steps, and the secrets that the dump has there.
///
/// A value is as secret as what it was made from: all of it where the place of that is secret, and else what is like one of
/// the secrets there, whatever a step calls it now and however it writes it.
package struct SecretOrigins: Sendable {
    /// What the changes that an answer tells of, of steps that stand, were taken back or are planned, make entries from.
    private var sources: [Address: Set<Address>] = [:]
    /// What the dump has in the entries that others are made from.
    private var secrets: [Address: KnownSecrets] = [:]
    /// Secrets that may stand anywhere, as nothing says what became of them.
    private var everywhere = KnownSecrets()

    /// Nothing was made from anything.
    package init() {}

    /// What the steps of a history made.
    ///
    /// - Parameters:
    ///   - stores: The stores as the dump has them.
    ///   - masking: Which entries are no secret, and what may be looked through.
    package init(of history: History, in stores: any StoreReader, _ masking: Masking) {
        follow(history.entries.lazy.flatMap(\.changes), in: stores, masking)
    }

    /// Takes in what changes make, each on what the ones before it leave, and what steps read, whatever comes of it.
    package mutating func follow(
        _ changes: some Sequence<Change>, reading read: [Address] = [], in stores: any StoreReader, _ masking: Masking
    ) {
        guard !masking.isRevealing else { return }
        let budget = (masking.budget ?? AnswerBudget()).search
        func note(_ source: Address) {
            guard secrets[source.entry] == nil else { return }
            let context = SecretContext([source.entry], publicEntries: masking.publicEntries)
            let value = stores.state(at: source.entry).value
            secrets[source.entry] = value.map { KnownSecrets(in: $0, context, within: budget) } ?? KnownSecrets()
        }
        read.forEach(note)
        for change in changes {
            if change.after != nil {
                let earlier = change.from.flatMap { Array(sources[$0.entry] ?? []) }
                sources[change.address, default: []].formUnion(change.from + earlier)
            }
            change.from.forEach(note)
        }
    }

    /// Takes in values whose secrets may stand anywhere, as nothing says what became of them.
    mutating func lookEverywhere(for values: [(value: Value, address: Address)], _ masking: Masking) {
        guard !masking.isRevealing else { return }
        let budget = (masking.budget ?? AnswerBudget()).search
        for (value, address) in values {
            everywhere.keep(value, SecretContext([address], publicEntries: masking.publicEntries), within: budget)
        }
    }

    /// What a value was made from: the sources that are named, what they were made from, and what its entry was made from.
    func origins(of address: Address, from named: [Address]) -> [Address] {
        guard !sources.isEmpty else { return named }
        return named + ([address] + named).flatMap { Array(sources[$0.entry] ?? []) }
    }

    /// The secrets that the dump has in entries.
    func secrets(in origins: [Address]) -> [KnownSecrets] {
        guard !secrets.isEmpty || !everywhere.isEmpty else { return [] }
        let found = Set(origins.map(\.entry)).compactMap { secrets[$0] } + [everywhere]
        return found.filter { !$0.isEmpty }
    }
}

/// Secrets of entries, by which they are known again where a step has put them, as a whole or in part, in capitals or not,
/// and in hexadecimal or base64 digits.
struct KnownSecrets: Sendable {
    /// Whether there may be others: parts cannot be looked into, or there are too many to keep.
    private var isIncomplete = false
    /// The secrets as they are, as far as they are short, or looked for as a whole alone.
    private var whole: Set<[UInt8]> = []
    /// Every run of so many bytes in the others, in small letters.
    private var runs: Set<UInt64> = []
    /// Whether one is a number, which a step may calculate with.
    private var hasNumber = false
    /// The short secret that was kept last: a step may join a list of them.
    private var last: [UInt8] = []
    /// The parts that are no secret: what is the same as one of them is none.
    private var open: Set<[UInt8]> = []

    /// The length of a run, in bytes; secrets of fewer are looked for between what is neither a letter nor a digit.
    private static let run = 5
    /// How many runs, and open parts, are kept.
    private static let limit = 1 << 18

    /// None.
    init() {}

    /// Those in a value: in its parts, also in other formats, and in texts that say so.
    ///
    /// What the place of the whole value says of it is known by its address.
    init(in value: Value, _ context: SecretContext, within budget: SearchBudget) {
        add(value, context, depth: 0, within: budget)
        if whole.isEmpty, runs.isEmpty { open = [] }
    }

    private mutating func add(_ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget) {
        _ = Secrets.search(value, context, depth: depth, within: budget) { found, context, depth, isSecret in
            if isSecret {
                take(found, context, depth, budget)
            } else if open.count < Self.limit, let bytes = found.secretBytes {
                open.insert(bytes)
            }
            return isIncomplete
        }
    }

    /// Takes in what is masked as a whole.
    private mutating func take(_ found: Value, _ context: SecretContext, _ depth: Int, _ budget: SearchBudget) {
        guard depth < Secrets.depthLimit, let bytes = found.secretBytes else {
            if !found.isWithoutText { isIncomplete = true }
            return
        }
        // Of a text that says so, the parts that do; data that is damaged or closed goes on as a whole.
        let isWhole = found.isNumber || context.makesSecret(found)
        let ranges = isWhole ? [] : found.string.map { SecretTexts.ranges(in: $0) } ?? []
        for range in ranges.isEmpty ? [0..<bytes.count] : ranges { keep(Array(bytes[range])) }
        guard isWhole, let recognition = found.recognition(within: budget.decoding) else { return }
        // A step may take out a part of it.
        if let decoded = recognition.decoded?.value {
            add(decoded, context, depth: depth + 1, within: budget.inner)
        } else if recognition.isOverBudget {
            isIncomplete = true
        }
    }

    private mutating func keep(_ secret: [UInt8]) {
        guard runs.count + secret.count * 8 <= Self.limit else { return isIncomplete = true }
        if Self.isNumber(secret) { hasNumber = true }
        var forms = [secret]
        if secret.count >= Self.run - 1 {
            forms.append(Array(Hexadecimal.text(secret).utf8))
            // Base64 has other digits for each place in a group of three bytes; those of the edges are of what is beside.
            for shift in 0..<3 {
                let digits = Data(repeating: 0, count: shift) + Data(secret)
                let text = Array(digits.base64EncodedString().utf8).prefix { $0 != UInt8(ascii: "=") }
                forms.append(Array(text.dropFirst(shift == 0 ? 0 : shift + 1).dropLast(1)))
            }
            if let data = Data(base64Encoded: Data(secret)) { forms.append(Array(data)) }
            if let data = Hexadecimal.data(secret) { forms.append(Array(data)) }
        }
        if secret.count < Self.run {
            whole.insert(secret)
            forms.append(last + secret)
            last = secret
        }
        for form in forms { Self.runs(of: form) { runs.insert($0) } }
    }

    /// Keeps the secrets in a value that are texts or data, to be looked for as a whole.
    mutating func keep(_ value: Value, _ context: SecretContext, within budget: SearchBudget) {
        _ = Secrets.search(value, context, depth: 0, within: budget) { found, _, _, isSecret in
            guard isSecret, !found.isNumber, let bytes = found.secretBytes, bytes.count >= Self.run else {
                return false
            }
            if whole.count < Self.limit { whole.insert(bytes) }
            return false
        }
    }

    var isEmpty: Bool { whole.isEmpty && runs.isEmpty && !isIncomplete }

    /// Whether a text, data or a number is, or has in it, something of the secrets.
    func holds(_ value: Value) -> Bool {
        guard !isEmpty, let bytes = value.secretBytes, !bytes.isEmpty, !open.contains(bytes) else { return false }
        if isIncomplete || whole.contains(bytes) || hasNumber && Self.isNumber(bytes) { return true }
        var isFound = false
        if !runs.isEmpty { Self.runs(of: bytes) { isFound = isFound || runs.contains($0) } }
        return isFound || !whole.isEmpty && Self.words(of: bytes).contains(where: whole.contains)
    }

    /// Each run of bytes in a text, in small letters.
    private static func runs(of bytes: [UInt8], _ body: (UInt64) -> Void) {
        guard bytes.count >= run else { return }
        var key: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            let small = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            key = (key << 8 | UInt64(small)) & 0xFF_FFFF_FFFF
            if index >= run - 1 { body(key) }
        }
    }

    /// The short words of a text, between what is neither a letter nor a digit.
    private static func words(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        bytes.lazy.split { !SecretShapes.isAlphanumeric($0) && $0 < 0x80 }.filter { $0.count < run }.map(Array.init)
    }

    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) || ".-".utf8.contains($0) }
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
