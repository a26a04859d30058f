import StoreFormats

/// How much operations may still make, in bytes: a text, data or a key counts with its bytes, and each value with 32 more.
///
/// Operations double what they are given, so a few lines of a spec could ask for more than any machine has. What is counted
/// depends on nothing but the values, so that a plan is the same wherever it is made.
package struct Allowance: Hashable, Sendable {
    /// What the operations of a step make of one value.
    package static let value = Allowance(64 << 20)
    /// What all steps of a migration make.
    package static let migration = Allowance(256 << 20)
    /// What is made of a fact, which stands in addresses and texts.
    package static let fact = Allowance(64 << 10)
    /// How deep a value may be that is made; readers of the formats stop there too.
    package static let depth = 512

    /// What all of it is, and what is left.
    package private(set) var whole: Int, left: Int

    private init(_ bytes: Int) { (whole, left) = (bytes, bytes) }

    /// Counts a value.
    ///
    /// - Parameter level: How deep it lies in what is made.
    /// - Throws: ``StepStop`` `failed` where it is larger than what is left, or too deep.
    package mutating func take(_ value: Value, at level: Int = 0) throws(StepStop) {
        guard let weight = value.weight(upTo: left, Self.depth - level) else {
            throw .failed(Self.code, "what the operations make is nested deeper than \(Self.depth) levels")
        }
        try take(weight)
    }

    /// Counts bytes.
    package mutating func take(_ bytes: Int) throws(StepStop) {
        guard bytes <= left else {
            left = 0
            throw .failed(Self.code, "what the operations make is larger than \(words), the limit of \(subject)")
        }
        left -= bytes
    }

    /// Counts bytes that one value is about to take, before it is made.
    package static func check(_ bytes: Int) throws(StepStop) {
        var allowance = value
        try allowance.take(bytes)
    }

    /// More values than one value may hold.
    package static let mostValues = value.whole / 32

    /// Counts what was made already.
    package mutating func use(_ bytes: Int) { left -= bytes }

    /// What may be made of one value, where so much is left for all of them.
    package var ofValue: Allowance { left < Self.value.whole ? self : .value }

    /// The code of the error.
    package static let code = "over-limit"

    private var words: String { whole >= 1 << 20 ? "\(whole >> 20) MiB" : "\(whole >> 10) KiB" }

    private var subject: String {
        switch whole {
        case Self.migration.whole: "all steps together"
        case Self.fact.whole: "a fact"
        default: "one value"
        }
    }
}

extension Value {
    /// What it weighs in bytes, counted until it is more than so much; `nil` where it has more levels than these.
    fileprivate func weight(upTo limit: Int, _ levels: Int) -> Int? {
        var sum = 32
        func add(_ part: Value) -> Bool {
            guard let weight = part.weight(upTo: limit - sum, levels - 1) else { return false }
            sum += weight
            return true
        }
        switch self {
        case .string(let text): sum += text.utf8.count
        case .data(let data): sum += data.count
        case .real(let real): if case .literal(let text) = real.form { sum += text.utf8.count }
        case .array(let items):
            guard levels > 0 else { return nil }
            for item in items where sum <= limit { guard add(item) else { return nil } }
        case .set(let elements):
            guard levels > 0 else { return nil }
            for element in elements.elements where sum <= limit { guard add(element) else { return nil } }
        case .dictionary(let members):
            guard levels > 0 else { return nil }
            for member in members where sum <= limit {
                sum += member.key.utf8.count
                guard add(member.value) else { return nil }
            }
        case .object(let object):
            guard levels > 0 else { return nil }
            for member in object.fields where sum <= limit {
                sum += member.key.utf8.count
                guard add(member.value) else { return nil }
            }
        case .null, .bool, .integer, .date, .uid, .reference: break
        }
        return sum
    }
}
