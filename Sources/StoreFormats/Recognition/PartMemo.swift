import Synchronization

/// What was found on the ways to parts of one value, so that whoever asks for many has what lies on the way decoded, and its
/// keys looked through, once.
public final class PartMemo: Sendable {
    private let stops = Mutex<[JSONPointer: PartStop]>([:])
    /// How many places are kept.
    private static let limit = 1 << 10

    /// Nothing is found yet.
    public init() {}

    /// How many places on the way to parts were looked at.
    package var count: Int { stops.withLock(\.count) }

    /// What is at a place.
    func stop(at place: JSONPointer, _ find: () -> PartStop) -> PartStop {
        guard let known = stops.withLock({ $0[place] }) else {
            let found = find()
            stops.withLock { if $0.count < Self.limit { $0[place] = found } }
            return found
        }
        guard !known.isIndexed else { return known }
        // Of what is asked for once the keys are looked through once.
        let indexed = known.indexed
        stops.withLock { $0[place] = indexed }
        return indexed
    }
}

/// A value on the way to a part, with what other formats in it hold.
struct PartStop: Sendable {
    /// What is in it, in the innermost format.
    let value: Value
    /// What may be decoded further in.
    let budget: DecodingBudget
    /// Why what it holds could not be read.
    let problem: FormatError?
    /// The first value under each key, and whether the key stands more than once.
    private var members: [Name: (value: Value, isRepeated: Bool)]?

    init(_ value: Value, within budget: DecodingBudget) {
        var value = value, budget = budget, problem: FormatError?
        while let recognition = value.recognition(within: budget) {
            problem = recognition.problem
            guard let decoded = recognition.decoded else { break }
            (value, budget) = (decoded.value, budget.inner)
        }
        (self.value, self.budget, self.problem) = (value, budget, problem)
    }

    var isIndexed: Bool { members != nil }

    /// The same, to be asked for many parts.
    var indexed: PartStop {
        var other = self, members: [Name: (value: Value, isRepeated: Bool)] = [:]
        for member in value.members ?? Members() {
            members[member.key] = (members[member.key]?.value ?? member.value, members[member.key] != nil)
        }
        other.members = members
        return other
    }

    /// The part at a step, and whether others stand at the same step.
    func part(at token: Name) -> (value: Value?, isRepeated: Bool) {
        if let members, value.members != nil {
            return (members[token]?.value, members[token]?.isRepeated ?? false)
        }
        let step = JSONPointer([token])
        return (value[step], value.repeatedKey(on: step) != nil)
    }
}
