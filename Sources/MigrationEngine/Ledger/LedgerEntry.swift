import Foundation
import StoreFormats

/// One line of a ledger: a step that was applied or rolled back.
public struct LedgerEntry: Hashable, Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The step was taken.
        case applied
        /// The step of an earlier entry was taken back: the number of that entry.
        case rolledBack(Int)
    }

    /// The place in the ledger, from 1.
    public var number: Int
    /// What happened.
    public var event: Event
    /// When, by the clock of the machine it happened on.
    public var date: Date
    /// Who did it.
    public var author: String
    /// The version of the program.
    public var toolVersion: String
    /// The migration.
    public var migration: String
    /// Its profile.
    public var profile: String
    /// The step.
    public var step: String
    /// The changes made; of a roll-back, their inverse.
    public var changes: [Change]
    /// What the step would have written where just that stood already; entries of earlier versions do not have it.
    public var found: [Change]
    /// The facts that the step was given.
    public var facts: Facts
    /// The SHA-256 digests of the files that were read, in hexadecimal, by their path in the dump.
    public var digests: [Name: String]
    /// The entries of other ledgers beside it on whose results the step rests, by their places among all of them, from 1.
    public var restsOn: Set<Int>

    /// Makes an entry.
    public init(
        number: Int, event: Event, stamp: Stamp, migration: String, profile: String, step: String, changes: [Change],
        found: [Change] = [], facts: Facts, digests: [Name: String] = [:], restsOn: Set<Int> = []
    ) {
        self.number = number
        self.event = event
        self.date = stamp.date
        self.author = stamp.author
        self.toolVersion = stamp.toolVersion
        self.migration = migration
        self.profile = profile
        self.step = step
        self.changes = changes
        self.found = found
        self.facts = facts
        self.digests = digests
        self.restsOn = restsOn
    }

    /// Who did it, when, and with what.
    var stamp: Stamp { Stamp(date: date, author: author, toolVersion: toolVersion) }

    /// Who does something, when, and with what.
    public struct Stamp: Hashable, Sendable {
        /// When.
        public var date: Date
        /// Who.
        public var author: String
        /// The version of the program.
        public var toolVersion: String

        /// Makes a stamp.
        public init(date: Date, author: String, toolVersion: String) {
            self.date = date
            self.author = author
            self.toolVersion = toolVersion
        }
    }
}

/// What has been applied and rolled back, in order; it only ever grows.
public protocol Ledger: Sendable {
    /// Every entry, in order.
    func entries() throws -> [LedgerEntry]
    /// Adds an entry as a whole or not at all.
    mutating func append(_ entry: LedgerEntry) throws
}

/// A ledger in memory.
public struct MemoryLedger: LiveLedger {
    private var all: [LedgerEntry]
    private var lastSettled: Int

    /// Makes a ledger with these entries.
    ///
    /// - Parameter settled: The number of the last one whose changes are in the stores; `nil` is the last of all.
    public init(_ entries: [LedgerEntry] = [], settled: Int? = nil) {
        all = entries
        lastSettled = settled ?? entries.last?.number ?? 0
    }

    /// Every entry, in order.
    public func entries() -> [LedgerEntry] { all }

    /// Adds an entry.
    public mutating func append(_ entry: LedgerEntry) { all.append(entry) }

    /// The number of the last entry whose changes are in the stores.
    public func settled() -> Int { lastSettled }

    /// Notes that the changes of every entry up to a number are in the stores.
    public mutating func settle(_ number: Int) { lastSettled = number }
}
