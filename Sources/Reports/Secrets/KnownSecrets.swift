import Foundation
import StoreFormats

/// Secrets of entries, by which they are known again where a step has put them, as a whole or in part, in capitals or not,
/// and in hexadecimal or base64 digits.
struct KnownSecrets: Sendable {
    /// Whether there may be others: parts cannot be looked into, or there are too many to keep.
    private var isIncomplete = false
    /// The secrets that are looked for as words, in small letters.
    private var words: Set<[UInt8]> = []
    /// Those of three and four bytes, and every run of so many bytes in the longer ones, in small letters.
    private var runs: [Set<UInt64>] = [[], [], []]
    /// Whether one is a number, which a step may calculate with.
    private var hasNumber = false
    /// The short secret that was kept last: a step may join a list of them.
    private var last: [UInt8] = []
    /// The parts that are no secret: what is the same as one of them, and as no secret, is none.
    private var open: Set<[UInt8]> = []
    private var wholes: Set<[UInt8]> = []

    /// The shortest secret that is looked for within other texts, and the longest run of one.
    private static let lengths = 3...5
    /// How many runs, and open parts, are kept.
    private static let limit = 1 << 18
    /// The longest secret of which digits are kept, in bytes; longer ones are known by digits that stand alone.
    private static let digitLimit = 1024
    /// How often digits of digits are read.
    private static let depthLimit = 3

    /// None.
    init() {}

    /// How much there is of them, which grows with each one that was not known.
    var size: Int {
        words.count + wholes.count + runs.reduce(0) { $0 + $1.count } + (isIncomplete ? 1 : 0) + (hasNumber ? 1 : 0)
    }

    /// Those of what nobody can look into any more: all that was made of it.
    static let unknown: KnownSecrets = {
        var secrets = KnownSecrets()
        secrets.isIncomplete = true
        return secrets
    }()

    /// Those in a value: in its parts, also in other formats, and in texts that say so.
    ///
    /// What the place of the whole value says of it is known by its address.
    init(in value: Value, _ context: SecretContext, within budget: SearchBudget) {
        add(value, context, depth: 0, within: budget)
        if isEmpty { open = [] }
    }

    private mutating func add(_ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget) {
        _ = Secrets.search(value, context, depth: depth, within: budget) { found, context, depth, isSecret in
            if isSecret {
                if !isIncomplete { take(found, context, depth, budget) }
            } else if open.count < Self.limit, let bytes = found.secretBytes {
                open.insert(bytes)
            }
            return isIncomplete && open.count >= Self.limit
        }
    }

    /// Keeps the secrets in a value, and nothing of what else is in it.
    mutating func keepParts(of value: Value, within budget: SearchBudget) {
        var own = KnownSecrets()
        own.add(value, SecretContext(), depth: 0, within: budget)
        words.formUnion(own.words)
        wholes.formUnion(own.wholes)
        // What could not be looked into may hold any.
        if own.isIncomplete { isIncomplete = true }
        if own.hasNumber { hasNumber = true }
        for index in runs.indices { runs[index].formUnion(own.runs[index]) }
    }

    /// Takes in what is masked as a whole.
    private mutating func take(_ found: Value, _ context: SecretContext, _ depth: Int, _ budget: SearchBudget) {
        guard depth < Secrets.depthLimit, let bytes = found.secretBytes else {
            if !found.isWithoutText { isIncomplete = true }
            return
        }
        // Of a text that says so, the parts that do; data that is damaged or closed goes on as a whole.
        let isWhole = found.isNumber || context.makesSecret(found)
        let ranges = isWhole ? [] : found.string.map { SecretTexts.ranges(in: $0, isValue: true) } ?? []
        for range in ranges.isEmpty ? [0..<bytes.count] : ranges { keep(Array(bytes[range])) }
        guard isWhole, let recognition = found.recognition(within: budget.decoding) else { return }
        // A step may take out a part of it.
        if let decoded = recognition.decoded?.value {
            add(decoded, context, depth: depth + 1, within: budget.inner)
        } else if recognition.isOverBudget {
            isIncomplete = true
        }
    }

    /// Keeps a secret, in whichever way it may be written.
    ///
    /// - Parameter isForCalculating: Whether a number may be one that was calculated with it.
    mutating func keep(_ secret: [UInt8], isForCalculating: Bool = true) {
        let isLong = secret.count > Self.digitLimit
        guard runs.reduce(0, { $0 + $1.count }) + secret.count * (isLong ? 2 : 8) <= Self.limit else {
            return isIncomplete = true
        }
        if isForCalculating, Self.isNumber(secret) { hasNumber = true }
        wholes.insert(secret)
        // How an address begins is no secret of it.
        let start = secret.firstRange(of: "://".utf8)?.upperBound ?? 0
        var forms = [Self.small(start < 16 ? Array(secret[start...]) : secret)]
        forms += Self.readings(of: secret).map(Self.small)
        if !isLong, secret.count >= Self.lengths.lowerBound {
            forms.append(Array(Hexadecimal.text(secret).utf8))
            // Base64 has other digits for each place in a group of three bytes; those of the edges are of what is beside.
            for shift in 0..<3 {
                let digits = Data(repeating: 0, count: shift) + Data(secret)
                let text = Array(digits.base64EncodedString().utf8).prefix { $0 != UInt8(ascii: "=") }
                forms.append(Self.small(Array(text.dropFirst(shift == 0 ? 0 : shift + 1).dropLast(1))))
            }
        }
        if secret.count < Self.lengths.upperBound {
            if !last.isEmpty { forms.append(Self.small(last + secret)) }
            last = secret
        }
        for form in forms {
            if form.count < Self.lengths.lowerBound {
                words.insert(form)
            } else {
                let length = min(form.count, Self.lengths.upperBound)
                Self.runs(of: form, length) { runs[length - Self.lengths.lowerBound].insert($0) }
            }
        }
    }

    /// Keeps the secrets in a value, to be looked for as words.
    mutating func keepWords(of value: Value, _ context: SecretContext, within budget: SearchBudget) {
        _ = Secrets.search(value, context, depth: 0, within: budget) { found, _, _, isSecret in
            guard isSecret, let bytes = found.secretBytes, bytes.count > Self.lengths.lowerBound else { return false }
            guard words.count < Self.limit else { return true }
            let small = Self.small(bytes), parts = Array(Self.words(of: small))
            words.insert(small)
            // In a text a sign at its edge is no part of a word; a word of a language says nothing.
            if parts.count == 1, let word = parts.first, word.count > 5, word.contains(where: SecretShapes.isDigit) {
                words.insert(word)
            }
            return false
        }
    }

    var isEmpty: Bool { words.isEmpty && runs.allSatisfy(\.isEmpty) && !isIncomplete }

    /// A text, data or a number as it is looked for in secrets of several entries.
    struct Sought {
        fileprivate let bytes: [UInt8]
        /// It, and what its digits stand for, in small letters.
        fileprivate let forms: [[UInt8]]

        /// `nil` of what no secret can be known in.
        init?(_ value: Value) {
            guard let bytes = value.secretBytes, !bytes.isEmpty else { return nil }
            self.bytes = bytes
            var forms = [bytes] + KnownSecrets.readings(of: bytes)
            // As JSON writes it in a text.
            if bytes.contains(UInt8(ascii: "\\")) { forms.append(bytes.filter { $0 != UInt8(ascii: "\\") }) }
            self.forms = forms.map(KnownSecrets.small)
        }
    }

    /// Whether a text, data or a number is, or has in it, something of the secrets.
    func holds(_ sought: Sought) -> Bool {
        guard !isEmpty, !open.contains(sought.bytes) || wholes.contains(sought.bytes) else { return false }
        if isIncomplete || hasNumber && Self.isNumber(sought.bytes) { return true }
        return sought.forms.contains(where: holds(small:))
    }

    private func holds(small bytes: [UInt8]) -> Bool {
        if words.contains(bytes) { return true }
        for (index, runs) in runs.enumerated() where !runs.isEmpty {
            var isFound = false
            Self.runs(of: bytes, index + Self.lengths.lowerBound) { isFound = isFound || runs.contains($0) }
            if isFound { return true }
        }
        return !words.isEmpty && Self.words(of: bytes).contains(where: words.contains)
    }

    /// A text in small letters; of data, the bytes that are ASCII.
    private static func small(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.contains(where: { $0 >= 0x80 }), let text = String(validating: bytes, as: UTF8.self) {
            return Array(text.lowercased().utf8)
        }
        return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// What the digits in a text stand for, in base64 of either alphabet or hexadecimal, and what is in that, and so on.
    private static func readings(of bytes: [UInt8], depth: Int = 0) -> [[UInt8]] {
        guard depth < depthLimit else { return [] }
        let parts = bytes.split(maxSplits: 32) { !SecretShapes.isAlphanumeric($0) && !"+/-_=".utf8.contains($0) }
        return parts.filter { $0.count >= 2 * lengths.lowerBound }.flatMap { part -> [[UInt8]] in
            let plain: [UInt8] = part.map {
                switch $0 {
                case UInt8(ascii: "-"): UInt8(ascii: "+")
                case UInt8(ascii: "_"): UInt8(ascii: "/")
                default: $0
                }
            }
            let digits = plain.filter { $0 != UInt8(ascii: "=") }
            let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
            let hexadecimal = part.starts(with: "0x".utf8) || part.starts(with: "0X".utf8) ? part.dropFirst(2) : part
            let read = [Data(base64Encoded: Data(digits + padding)), Hexadecimal.data(Array(hexadecimal))]
            return read.compactMap { $0.map(Array.init) }.flatMap { [$0] + readings(of: $0, depth: depth + 1) }
        }
    }

    /// Each run of so many bytes in a text.
    private static func runs(of bytes: [UInt8], _ length: Int, _ body: (UInt64) -> Void) {
        guard bytes.count >= length else { return }
        let mask: UInt64 = (1 << UInt64(8 * length)) - 1
        var key: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            key = (key << 8 | UInt64(byte)) & mask
            if index >= length - 1 { body(key) }
        }
    }

    /// The words of a text, between what is neither a letter nor a digit.
    private static func words(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        bytes.lazy.split { !SecretShapes.isAlphanumeric($0) && $0 < 0x80 }.map(Array.init)
    }

    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        return digits.contains(where: SecretShapes.isDigit) && digits.count { $0 == UInt8(ascii: ".") } < 2
            && digits.allSatisfy { SecretShapes.isDigit($0) || $0 == UInt8(ascii: ".") }
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
