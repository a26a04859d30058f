import LiveStores

/// An operation on live stores that is interrupted, with what it finds and how its result is judged.
///
/// The bodies run on the main actor, so that the system calls of a program that does nothing else come from one thread.
public struct CrashScenario: Sendable {
    /// When something was interrupted.
    public enum Moment: Hashable, Sendable {
        /// In the middle: the old or the new state is right.
        case interrupted
        /// After it had returned: only the new state is right.
        case completed
    }

    /// Something that a check found wrong.
    public struct Wrong: Error, CustomStringConvertible {
        /// What is wrong.
        public let description: String

        /// Makes a finding.
        public init(_ description: String) { self.description = description }
    }

    /// Does something with stores at a path of a file system; it opens them and lets go of them.
    public typealias Body = @MainActor @Sendable (any FileSystem, String) async throws -> Void
    /// Judges stores at a path of a file system.
    public typealias Check = @MainActor @Sendable (any FileSystem, String, Moment) async throws -> Void

    /// The name by which `crash-probe` knows it.
    public let name: String
    /// Makes what the operation finds.
    public let prepare: Body
    /// What is interrupted.
    public let operation: Body
    /// Throws where the state is not right, then tries the operation again and throws where that does not complete.
    public let check: Check

    /// Makes a scenario.
    public init(name: String, prepare: @escaping Body, operation: @escaping Body, check: @escaping Check) {
        self.name = name
        self.prepare = prepare
        self.operation = operation
        self.check = check
    }

    /// Those on live stores, which a file system in memory can play too.
    public static let all = [severalFiles, safeMigration, routerMove]
    /// Those on the ledger of a dump, which SQLite writes.
    public static let ledgers = [firstEntry, nextEntry]
}
