import Foundation
import Synchronization

/// Bounds on what a reader does for one value, so that a hostile file gets an error and never a hang or a crash.
public struct Limits: Hashable, Sendable {
    /// How many containers may lie inside one another.
    public var depth: Int
    /// How many values a value may have once every shared part is written out where it is used.
    public var nodes: Int
    /// How many bytes an input may have where all of it must be read at once (XML, JSON).
    public var bytes: Int

    /// Makes bounds.
    public init(depth: Int = 256, nodes: Int = 4_000_000, bytes: Int = 256 << 20) {
        self.depth = depth
        self.nodes = nodes
        self.bytes = bytes
    }

    /// The bounds that every reader has unless told otherwise.
    public static let standard = Limits()
}

/// What one answer may still decode, shared by all the formats inside formats that it comes upon.
///
/// Every reader has ``Limits`` of its own, but formats inside formats multiply: twelve property lists in one another, each
/// of two hundred references to the next, fit in 3 kB. So an answer has one budget, and whatever it decodes draws from
/// it. A level of formats further in may have a quarter of what the level around it may, so that about ten levels are read.
///
/// What is over the budget is refused as a whole, with ``FormatError/Problem/overBudget``, and never cut.
public struct DecodingBudget: Sendable {
    /// What has been spent, in the values and bytes of the outermost level.
    private final class Account: Sendable {
        let values = Atomic(0)
        let bytes = Atomic(0)
        let refusals = Atomic(0)
        /// The documents that were read last: one that many changes edit is looked at before and after each of them.
        let documents = Mutex<[(format: StoreFormat, data: Data, value: Value, count: Int)]>([])
    }

    /// How many documents are kept, and of how many bytes: a smaller one is soon read again.
    private static let documentCount = 4, documentSize = 512...1 << 20

    private let account = Account()
    private let limits: Limits
    /// How many formats lie around the values that this budget is for.
    private var level = 0

    /// Makes the budget of one answer: how deep each format may go, and how many values and bytes all of them may have.
    public init(_ limits: Limits = .standard) {
        self.limits = limits
    }

    /// The budget of an answer that has a document already, of so many bytes and values.
    init(having bytes: Int, _ values: Int) {
        self.init()
        account.bytes.add(bytes, ordering: .relaxed)
        account.values.add(values, ordering: .relaxed)
    }

    /// The same budget for what lies within a value that was decoded from it, one level of formats further in.
    public var inner: DecodingBudget {
        var inner = self
        inner.level += 1
        return inner
    }

    /// Whether something was refused, and the answer thus is not complete.
    public var isExceeded: Bool { refusals > 0 }

    /// How often something was refused.
    package var refusals: Int { account.refusals.load(ordering: .relaxed) }

    /// Pays for a look through a text that is in no format, or through bytes; `false` where they are over the budget.
    package func allows(bytes: Int) -> Bool {
        guard bytes <= limits.bytes - account.bytes.load(ordering: .relaxed) else {
            account.refusals.add(1, ordering: .relaxed)
            return false
        }
        account.bytes.add(bytes, ordering: .relaxed)
        return true
    }

    /// Pays for a look at so many bytes; throws where they are over the budget.
    func pay(for bytes: Int, of format: StoreFormat) throws(FormatError) {
        guard bytes <= limits.bytes else {
            throw FormatError(format, at: .offset(0), .tooLarge(bytes: bytes, limit: limits.bytes))
        }
        guard bytes <= share(of: limits.bytes, less: account.bytes) else { throw refusal(of: format) }
        account.bytes.add(bytes << (2 * level), ordering: .relaxed)
    }

    /// Reads one format, and pays for the values in it; also where it was read before.
    ///
    /// - Parameter data: What is read; `nil` where that is no data.
    func read(
        _ format: StoreFormat, of data: Data? = nil, _ read: (Limits) throws(FormatError) -> Value
    ) throws(FormatError) -> Value {
        var left = limits
        left.nodes = share(of: limits.nodes, less: account.values)
        guard left.nodes > 0 else { throw refusal(of: format) }
        let document = data.flatMap { Self.documentSize.contains($0.count) ? $0 : nil }
        if let document {
            let known = account.documents.withLock { $0.first { $0.format == format && $0.data == document } }
            if let known, known.count <= left.nodes {
                account.values.add(known.count << (2 * level), ordering: .relaxed)
                return known.value
            }
        }
        do throws(FormatError) {
            let value = try read(left), count = value.expandedCount
            account.values.add(count << (2 * level), ordering: .relaxed)
            if let document {
                account.documents.withLock { documents in
                    if documents.count == Self.documentCount { documents.removeFirst() }
                    documents.append((format, document, value, count))
                }
            }
            return value
        } catch {
            guard case .tooManyNodes(left.nodes) = error.problem, left.nodes < limits.nodes else { throw error }
            account.values.add(left.nodes << (2 * level), ordering: .relaxed)
            throw refusal(of: format)
        }
    }

    private func share(of limit: Int, less spent: borrowing Atomic<Int>) -> Int {
        max(0, limit - spent.load(ordering: .relaxed)) >> (2 * level)
    }

    private func refusal(of format: StoreFormat) -> FormatError {
        account.refusals.add(1, ordering: .relaxed)
        return FormatError(format, at: .offset(0), .overBudget)
    }
}

extension Value {
    /// How many values there are once every shared part is written out where it is used.
    ///
    /// Takes time in proportion to it, so only of what was read within limits.
    var expandedCount: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.expandedCount }
        case .set(let set): set.elements.reduce(1) { $0 + $1.expandedCount }
        case .dictionary(let members): members.reduce(1) { $0 + $1.value.expandedCount }
        case .object(let object): object.fields.reduce(1) { $0 + $1.value.expandedCount }
        default: 1
        }
    }
}
