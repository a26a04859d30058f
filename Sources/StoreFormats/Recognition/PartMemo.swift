import Foundation
import Synchronization

/// What was found on the ways to parts of one value, so that whoever asks for many has what lies on the way decoded, and its
/// keys looked through, once.
public final class PartMemo: Sendable {
    private let stops = Mutex<[JSONPointer: (stop: PartStop, asked: Int)]>([:])
    /// The document that was edited last, and where it is in the value, for the next edit.
    private let edited = Mutex<(place: JSONPointer, document: EditedDocument)?>(nil)
    /// How many places are kept.
    private static let limit = 1 << 10
    /// How often a place is asked for before its keys are looked through: of a document that steps edit each is asked a few times.
    private static let indexing = 4

    /// Nothing is found yet.
    public init() {}

    /// What is found already in a value that has just been edited.
    ///
    /// - Parameter size: How many bytes the document has.
    init(_ document: EditedDocument, of size: Int, at place: JSONPointer) {
        let stop = PartStop(document, of: size)
        stops.withLock { $0[place] = (stop, 0) }
        edited.withLock { $0 = (place, document) }
    }

    /// How many places on the way to parts were looked at.
    package var count: Int { stops.withLock(\.count) }

    /// What is at a place.
    func stop(at place: JSONPointer, _ find: () -> PartStop) -> PartStop {
        let known = stops.withLock { stops in
            stops[place]?.asked += 1
            return stops[place]
        }
        guard let known else {
            let found = find()
            stops.withLock { if $0.count < Self.limit { $0[place] = (found, 1) } }
            return found
        }
        guard !known.stop.isIndexed, known.asked >= Self.indexing else { return known.stop }
        let indexed = known.stop.indexed
        stops.withLock { $0[place] = (indexed, known.asked) }
        return indexed
    }

    /// The document at a place that has been looked into, for one edit; whoever comes next has it from there.
    func takeDocument(at place: JSONPointer, _ data: () -> Data) -> EditedDocument? {
        let kept = edited.withLock { edited in
            defer { edited = nil }
            return edited
        }
        if let kept, kept.place == place { return kept.document }
        guard let stop = stops.withLock({ $0[place] })?.stop, stop.problem == nil, let format = stop.formats.first,
            stop.formats.count == 1
        else { return nil }
        return EditedDocument(data(), holding: stop.value, in: format)
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
    /// The formats around it, the outermost first.
    let formats: [StoreFormat]
    /// The first value under each key, and whether the key stands more than once.
    private var members: [Name: (value: Value, isRepeated: Bool)]?

    init(_ value: Value, within budget: DecodingBudget) {
        var value = value, budget = budget, problem: FormatError?, formats: [StoreFormat] = []
        while let recognition = value.recognition(within: budget) {
            problem = recognition.problem
            guard let decoded = recognition.decoded else { break }
            (value, budget) = (decoded.value, budget.inner)
            formats += decoded.formats
        }
        (self.value, self.budget, self.problem, self.formats) = (value, budget, problem, formats)
    }

    init(_ document: EditedDocument, of size: Int) {
        (value, problem, formats) = (document.value, nil, [document.format])
        budget = DecodingBudget(having: size, document.count).inner
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
