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
    /// - Parameter size: How many bytes the document has; `nil` for one that is none.
    init(_ document: EditedDocument, of size: Int?, at place: JSONPointer) {
        let budget = size.map { DecodingBudget(having: $0, document.count).inner } ?? DecodingBudget()
        stops.withLock { stops in
            for (path, value, keys) in document.containers {
                let formats = path.isRoot ? [document.format].compactMap(\.self) : []
                stops[JSONPointer(place.tokens + path.tokens)] = (PartStop(value, keys, in: formats, budget), 0)
            }
        }
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
        if let kept, kept.place == place {
            // Else what it holds would be held twice, and copied by the edit.
            stops.withLock { $0 = $0.filter { !$0.key.isWithin(place) } }
            return kept.document
        }
        guard let stop = stops.withLock({ $0[place] })?.stop, stop.problem == nil, stop.formats.count <= 1 else {
            return nil
        }
        return EditedDocument(data(), holding: stop.value, in: stop.formats.first)
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
    /// Where the keys of its members stand, once many parts were asked for.
    private var keys: KeyPositions?

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

    /// A container that is read already.
    init(_ value: Value, _ keys: KeyPositions, in formats: [StoreFormat], _ budget: DecodingBudget) {
        (self.value, self.keys, self.formats, self.budget, problem) = (value, keys, formats, budget, nil)
    }

    var isIndexed: Bool { keys != nil }

    /// The same, to be asked for many parts.
    var indexed: PartStop {
        var other = self
        other.keys = KeyPositions((value.members ?? Members()).all.map(\.key))
        return other
    }

    /// The part at a step, and whether others stand at the same step.
    func part(at token: Name) -> (value: Value?, isRepeated: Bool) {
        guard let members = value.members else { return (value[JSONPointer([token])], false) }
        if let keys { return (keys.first(of: token).map { members[$0].value }, keys.isRepeated(token)) }
        guard let first = members.firstIndex(where: { $0.key == token }) else { return (nil, false) }
        return (members[first].value, members[(first + 1)...].contains { $0.key == token })
    }
}
