import OrderedCollections
import StoreFormats

/// The smallest thing that is applied or rolled back: a pure function of stores and facts.
public struct Step: Identifiable, Sendable {
    /// From what a step can be undone.
    public enum Reversibility: String, Hashable, Sendable {
        /// From its result alone.
        case exact
        /// From what it set aside beside its result.
        case complement
        /// Only from the image of what was there before, which the ledger keeps.
        case beforeImage = "before-image"
    }

    /// The name within its migration, in lower case with hyphens.
    public let id: String
    /// The name for people.
    public let title: String
    /// Where the old version left what the step reads.
    public let sources: [Address]
    /// The same by the parts of them that it reads, where it says which.
    package var places: [Address]
    /// The same of those that only the stores or the facts can name: addresses in which a `*` stands for what is there, and a name
    /// in braces for a fact.
    package var patterns: [String] = []
    /// Which other entries than its target it may write, also of those that only the stores can name; `nil` where there are none.
    package var others: (@Sendable (Address) -> Bool)?
    /// Whether it leaves alone those of them that are there when it comes to them.
    package var leavesOthers = false
    /// Whether it takes its sources away once what they hold is elsewhere.
    package var takesSources = false
    /// What it reads and writes together with its target, such as the version beside a document.
    package var beside: [Address] = []
    /// The key that the step writes, shown also while its store is not known yet.
    public let targetKey: Name?
    /// Where the step writes, or `nil` where it writes nothing or a fact is missing to name it.
    public let target: Address?
    /// What the step does and why, in words.
    public let rule: String
    /// Where the documentation and the software disagree about this step, in words.
    public let disagreement: String?
    /// The facts that the step may ask for.
    public let facts: [FactName]
    /// Those of them that its value is made of where it is made of nothing in a store; the last one unless told otherwise.
    package var factsOfValue: [FactName]
    /// Of several targets those that each is made of, as far as that is known before it runs.
    package var factsOfTargets: [Address: [FactName]] = [:]
    /// From what the step can be undone.
    public let reversibility: Reversibility
    /// Whether the step may only be taken after every earlier step that has something to do.
    public let followsAll: Bool
    /// The steps that it waits for, by their names; with ``followsAll`` only these of the earlier ones, unless `nil`.
    package var waitsFor: Set<String>?
    /// The steps that must be done before it, by their names: also one that fails keeps it from being taken.
    package var comesAfter: Set<String> = []
    /// Whether it asks what became of what it reads in the steps before.
    package var asksAccount = false
    /// The function itself.
    public let run: @Sendable (inout StoreTransaction, Facts) throws(StepStop) -> Void

    /// Makes a step.
    public init(
        id: String, title: String, sources: [Address], targetKey: Name? = nil, target: Address? = nil,
        rule: String, disagreement: String? = nil, facts: [FactName] = [],
        reversibility: Reversibility = .exact, followsAll: Bool = false,
        run: @escaping @Sendable (inout StoreTransaction, Facts) throws(StepStop) -> Void
    ) {
        self.id = id
        self.title = title
        self.sources = sources
        places = sources
        self.targetKey = targetKey
        self.target = target
        self.rule = rule
        self.disagreement = disagreement
        self.facts = facts
        factsOfValue = facts.suffix(1)
        self.reversibility = reversibility
        self.followsAll = followsAll
        self.run = run
    }
}

extension Step {
    /// The facts that its value is made of, in words; `nil` where there are none.
    package var factWords: String? { factWords(of: nil) }

    /// The same of the value of one target, where that is known.
    package func factWords(of target: Address?) -> String? {
        let facts = target.flatMap { factsOfTargets[$0] } ?? factsOfValue
        return facts.isEmpty
            ? nil : (facts.count == 1 ? "fact " : "facts ") + facts.map { "\($0)" }.joined(separator: ", ")
    }

    /// What the reason of an outcome may quote: what the step reads, what the reason names and, of what only the stores can name,
    /// the first that is left of each kind.
    func quoted(by outcome: Outcome, leaving left: [LeftPart]) -> [Address] {
        var counts: [Outcome.Kind: Int] = [:], quoted = places + (outcome.reason?.quoted ?? [])
        guard !patterns.isEmpty else { return quoted }
        for part in left {
            // One value may be made of several sources.
            guard counts[part.kind, default: 0] < 32 else { continue }
            counts[part.kind, default: 0] += 1
            quoted.append(part.place)
        }
        return quoted
    }
}

/// What a step does on given stores.
public struct StepPreview: Sendable {
    /// What it does.
    public var outcome: Outcome
    /// The changes it makes.
    public var changes: [Change] = []
    /// What it would write where something else is kept: the other side of a conflict.
    public var conflict: Change?
    /// The entries it reads.
    public var reads: [Address] = []
    /// Where it looked for names by a pattern, as ``NameListing`` has them.
    package var listings: [Address] = []
    /// The stores among whose keys it looked for some by a pattern.
    package var searched: Set<StoreID> = []
    /// What tells that the steps that must come before it are done, or have nothing to do.
    package var awaited: [Asked] = []
    /// What it would write where just that stands already, or where its rules leave what stands.
    package var found: [Change] = []
    /// What became of what it reads.
    var events: [PartEvent] = []
    /// What of that it leaves where it is.
    var left: [LeftPart] { (events + eventsBefore).left }
    /// What became of what a step that stands has read when it was applied.
    fileprivate(set) var eventsBefore: [PartEvent] = []
    /// The entries that it changes or makes values from, or would but for what keeps it from that; of a step whose sources only the
    /// stores can name, all that it has read.
    package private(set) var claims: [Address] = []
}

/// What a step leaves where it is, though it may take others.
package struct LeftPart: Sendable {
    /// Where it is.
    package let place: Address
    /// The kind of outcome that it has come to.
    package let kind: Outcome.Kind
    /// Where it would have gone, where what the step reads alone does not say it.
    package let targets: [Address]
}

extension StepPreview {
    /// What was asked of the stores.
    package struct Asked: Sendable {
        /// The entries that were read.
        package let reads: [Address]
        /// The stores among whose keys some were looked for.
        package let searched: Set<StoreID>
    }

    /// What was asked for it.
    package var asked: Asked { Asked(reads: reads, searched: searched) }

    /// The same of a step that stands, as it has made just that: what it has left is left still, and what it has looked into is its own.
    func asStanding(finding found: [Change]) -> StepPreview {
        var standing = StepPreview(
            outcome: Outcome(.unchanged, outcome.isPartial ? outcome.reason : nil), found: found)
        (standing.claims, standing.eventsBefore) = (claims, events)
        return standing
    }

    /// The same of a step that is kept from making its changes.
    func stopped(by stop: StepStop) -> StepPreview {
        var stopped = StepPreview(outcome: stop.outcome, reads: reads)
        (stopped.claims, stopped.events) = (claims, events)
        return stopped
    }

    fileprivate mutating func claim(_ changes: [Change], readsAll: Bool) {
        claims = []
        claims.reserveCapacity(2 * changes.count + (readsAll ? reads.count : 0))
        for change in changes {
            claims.append(change.address)
            claims += change.from
        }
        if readsAll { claims += reads }
    }
}

extension Step {
    /// What the step does on stores, and the changes it makes there.
    ///
    /// - Parameters:
    ///   - stores: What is there now.
    ///   - origin: What was there before the migration's first step.
    ///   - facts: The inputs that are not in a store.
    ///   - takenOn: The entries whose values earlier steps have taken on, so that removing them loses nothing.
    public func preview(
        on stores: any StoreReader, origin: any StoreReader, facts: Facts, takenOn: Set<Address> = []
    ) -> StepPreview {
        var allowance = Allowance.migration
        return preview(on: stores, origin: origin, facts: facts, takenOn: takenOn, &allowance)
    }

    /// The same of a step that was applied, run again: by what the steps before it did or, as one that had nothing to do left no
    /// entry, by what it finds itself.
    ///
    /// - Parameter isSame: Whether that is what it was when it was applied.
    package func rerun(
        on stores: any StoreReader, origin: any StoreReader, facts: Facts, after account: inout StepAccount,
        _ allowance: inout Allowance, isSame: (StepPreview) -> Bool
    ) -> StepPreview {
        let told = account.told(self)
        let again = preview(on: stores, origin: origin, facts: facts, takenOn: [], account: told, &allowance)
        guard told != nil, !isSame(again) else { return again }
        return preview(on: stores, origin: origin, facts: facts, takenOn: [], &allowance)
    }

    /// The same, as one of several steps that share what may be made.
    func preview(
        on stores: any StoreReader, origin: any StoreReader, facts: Facts, takenOn: Set<Address>,
        account: StepAccount.Told? = nil, _ allowance: inout Allowance
    ) -> StepPreview {
        var transaction = StoreTransaction(on: stores, origin: origin, allowance)
        transaction.account = account
        defer { allowance = transaction.allowance }
        do throws(StepStop) {
            try run(&transaction, facts)
            if let misuse = transaction.misuse { throw misuse }
        } catch {
            var preview = StepPreview(
                outcome: error.outcome, conflict: transaction.conflict, reads: transaction.reads)
            preview.events = transaction.events(stoppedBy: error)
            preview.searched = transaction.searched
            // Of much that only the stores can name some may be there though nothing else is taken.
            preview.found =
                (patterns.isEmpty ? [] : transaction.found) + (error.outcome.kind == .skipped ? transaction.kept : [])
            preview.claim([transaction.conflict].compactMap(\.self) + preview.found, readsAll: !patterns.isEmpty)
            return preview
        }
        // What was read decides, too, of conditions and of what else stands beside a source.
        let reads = transaction.reads
        for store in reads.stores {
            guard let reason = stores.doubt(about: store) else { continue }
            transaction.add(note: "what \(store) has may be older than what the app left: \(reason)")
        }
        var changes = transaction.changes(takenOn: takenOn)
        for index in changes.indices {
            let entry = changes[index].address, kind = entry.store.kind
            guard kind == .keychain || kind == .file else { continue }
            guard let after = changes[index].after, let loss = stores.loss(of: after, at: entry) else { continue }
            guard entry.store.kind == .keychain else {
                // What it would take away elsewhere would be nowhere then.
                var failed = StepPreview(outcome: StepStop.noFile(loss).outcome, reads: reads)
                failed.events = transaction.events(stoppedBy: .noFile(loss))
                return failed
            }
            changes[index].notes.append("an export of this dump cannot say it: \(loss)")
        }
        if let change = changes.first(where: { $0.address.store.kind == .sqlite }) {
            let stop = StepStop.failed("read-only-store", "\(change.address) cannot be changed: \(SQLiteTable.refusal)")
            return StepPreview(outcome: stop.outcome, reads: reads)
        }
        var preview = StepPreview(
            outcome: Outcome(changes.isEmpty ? .unchanged : .migrates, transaction.remark), changes: changes,
            reads: reads,
            listings: Array(transaction.listings), searched: transaction.searched,
            found: transaction.found, events: transaction.events)
        preview.claim(changes + preview.found, readsAll: !patterns.isEmpty)
        return preview
    }
}

extension [PartEvent] {
    /// What steps leave where it is.
    fileprivate var left: [LeftPart] {
        compactMap { event in
            guard case .left(let place, let why, let targets) = event else { return nil }
            return LeftPart(place: place, kind: why.outcome.kind, targets: targets)
        }
    }
}

extension [Address] {
    /// The stores that they are in, each once, in that order; one after the other mostly is in the same.
    var stores: OrderedSet<StoreID> {
        var stores: OrderedSet<StoreID> = [], last: StoreID?
        for address in self where address.store != last {
            stores.append(address.store)
            last = address.store
        }
        return stores
    }
}
