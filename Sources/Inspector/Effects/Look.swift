import MigrationEngine
import Reports
import StoreFormats
import Synchronization

/// A look through the values of one search.
struct Look {
    /// What is looked into: the keys and values of the rows, and, where none has the text, what is said of them.
    enum Depth: Hashable, CaseIterable {
        case rows, said
    }

    let matcher: Matcher
    let depth: Depth
    /// What may be decoded.
    let budget: DecodingBudget
    private let isCancelled: () -> Bool
    let masking: Masking
    /// Whether something could not be read.
    var hasGaps = false
    private var looks = 0
    private let large: LargeValues
    private static let interval = 1024
    /// How much of texts is looked at before it is asked whether the search is to end, in bytes.
    private static let share = 64 << 10
    private(set) var hasStopped = false

    init(
        _ matcher: Matcher, _ masking: Masking, _ isCancelled: @escaping () -> Bool, _ depth: Depth = .rows,
        within budget: DecodingBudget = DecodingBudget(), _ large: LargeValues = LargeValues()
    ) {
        (self.depth, self.budget, self.large) = (depth, budget, large)
        (self.matcher, self.masking, self.isCancelled) = (matcher, masking, isCancelled)
    }

    /// Whether everything in a container could be looked into.
    func isComplete(in container: OpenContainer) -> Bool {
        !budget.isExceeded && !hasGaps && container.stores.problem == nil
    }

    /// Whether the search is to end, which is asked for now and then.
    mutating func isStopped() -> Bool {
        looks += 1
        if looks >= Self.interval, !hasStopped { (hasStopped, looks) = (isCancelled(), 0) }
        return hasStopped
    }

    /// Whether a name has the text, as it is shown.
    func finds(in name: Name) -> Bool {
        // Most names have it not, so that nobody has to know what of them is shown.
        (matcher.isOfMasked || matcher.matches(name.text))
            && (matcher.matches(masking.name(name)) || matcher.matches(masking.written(name)))
    }

    /// Whether an address has the text, as it is shown.
    func names(_ address: Address) -> Bool {
        // Most texts are of no address, and most addresses have not what is typed.
        matcher.isOfAddress && (matcher.isOfMasked || matcher.matches("\(address)"))
            && matcher.matches(masking.place(address))
    }

    /// Whether an entry holds the text; of one that cannot be read it is not known.
    ///
    /// What is masked is not found: it could be guessed letter by letter.
    mutating func finds(in state: EntryState, at address: Address, from sources: [Address] = []) -> Bool {
        if case .unreadable = state { hasGaps = true }
        guard let value = state.value, finds(in: value) else { return false }
        guard masking.hidesAnything(in: value, at: address, from: sources) else { return true }
        let lines = masking.treeLines(of: value, at: address, from: sources, inFull: true, withBytes: false)
        return lines.contains { [$0.text, $0.key ?? ""].contains(where: matcher.matches) }
    }

    /// Whether a value holds the text, as it is shown in a row, or in a part of it.
    private mutating func finds(in value: Value) -> Bool {
        if value.isLarge, let found = large[value] { return found }
        var isOver = false
        let found = value.isShown(within: budget) { [matcher] text in
            looks += text.utf8.count / (Self.share / Self.interval)
            isOver = isOver || isStopped()
            return isOver || matcher.matches(text)
        }
        if value.isLarge, !isOver { large[value] = found }
        return found && !isOver
    }
}

/// What one search found of large values: many keys may share one.
final class LargeValues: Sendable {
    private let known = Mutex<[Value: Bool]>([:])

    subscript(value: Value) -> Bool? {
        get { known.withLock { $0[value] } }
        set { known.withLock { $0[value] = newValue } }
    }
}

/// A text to look for, with smart case: a capital letter in it makes case matter.
struct Matcher: Sendable {
    let text: String
    let heedsCase: Bool
    /// The bytes of a text in ASCII.
    private let bytes: [UInt8]?
    /// Whether it may be part of an address besides a name, and of one in which something is masked.
    let isOfAddress, isOfMasked: Bool

    init(_ text: String) {
        (isOfAddress, isOfMasked) = (text.contains("/"), text.contains("‹"))
        heedsCase = text.contains(where: \.isUppercase)
        self.text = heedsCase ? text : text.lowercased()
        bytes = self.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? Array(self.text.utf8) : nil
    }

    /// Whether whatever holds another text holds this one too.
    func isWider(than other: Matcher) -> Bool {
        guard isOfAddress == other.isOfAddress, isOfMasked == other.isOfMasked, !heedsCase || other.heedsCase else {
            return false
        }
        return (heedsCase ? other.text : other.text.lowercased()).hasPrefix(text)
    }

    func matches(_ other: String) -> Bool {
        // A store may have a million entries, nearly all in ASCII.
        if let bytes, let found = other.utf8.withContiguousStorageIfAvailable({ holds(bytes, $0) }) ?? nil {
            return found
        }
        return heedsCase ? other.contains(text) : other.lowercased().contains(text)
    }

    /// Whether bytes hold others; `nil` where they are not ASCII alone, as letters of others may be one of these in small.
    private func holds(_ sought: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard let first = sought.first else { return true }
        func small(_ byte: UInt8) -> UInt8 { !heedsCase && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        var found = false
        for index in bytes.indices {
            guard bytes[index] < 0x80 else { return nil }
            guard !found, small(bytes[index]) == first, bytes.count - index >= sought.count else { continue }
            found = sought.indices.allSatisfy { small(bytes[index + $0]) == sought[$0] }
        }
        return found
    }

    /// Where the text stands in a line that is given in pieces, such as cells.
    func ranges(in pieces: [String]) -> [Range<Int>] {
        let sought = text.map(String.init)
        guard !sought.isEmpty, sought.count <= pieces.count else { return [] }
        let pieces = heedsCase ? pieces : pieces.map { $0.lowercased() }
        var ranges: [Range<Int>] = [], start = 0
        while start + sought.count <= pieces.count {
            if sought.indices.allSatisfy({ pieces[start + $0] == sought[$0] }) {
                ranges.append(start..<start + sought.count)
                start += sought.count
            } else {
                start += 1
            }
        }
        return ranges
    }
}
