import MigrationEngine
import Migrations

/// What the persistence layer says of what it met.
public enum ConvertLog: Hashable, Sendable {
    /// How much it matters.
    public enum Level: String, Hashable, Sendable {
        /// It is as it should be.
        case info = "INFO"
        /// Something was lost or could not be read.
        case warning = "WARN"
    }

    /// No visitor id was there, so a fresh one was stored.
    case freshVisitorID
    /// The keychain could not be read, so the mirror stood in for it, and the keychain was left as it is.
    case keychainUnreadable(Unreadable)
    /// The keychain holds bytes that are no text, which counts as nothing.
    case keychainNotText
    /// The decision file is missing or corrupt; the decisions are empty, and the file stays until the next one is saved.
    case decisionsUnusable(String)
    /// The event queue was corrupt and is deleted.
    case queueCorrupt(String)
    /// A cached configuration was corrupt and is deleted.
    case configCorrupt(String)
    /// A goal was reached once more, which is not counted.
    case goalReachedBefore(String)

    /// How much it matters.
    public var level: Level { self == .freshVisitorID ? .info : .warning }
}

extension ConvertLog: CustomStringConvertible {
    /// The line, with the SDK's own words where they are known.
    public var description: String {
        let text =
            switch self {
            case .freshVisitorID: "no persisted visitor ID found, generating new UUID"
            case .keychainUnreadable(let reason): "storage error: \(reason.explanation)"
            case .keychainNotText: "stored data is not valid UTF-8"
            case .decisionsUnusable(let why): "decision store missing or corrupt, starting empty: \(why)"
            case .queueCorrupt(let why): "event queue file corrupt, discarding and re-initializing: \(why)"
            case .configCorrupt(let why): "corrupt cache discarded: \(why)"
            case .goalReachedBefore(let goal): "goal \(goal) was reached before and is not counted again"
            }
        return "[\(level.rawValue)] \(text)"
    }
}

/// Something that the persistence layer has done, as a caller may observe it.
public enum ConvertEvent: Hashable, Sendable {
    /// The kinds of events.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// A visitor was put into a variation.
        case bucketing
        /// A visitor reached a goal for the first time.
        case conversion
    }

    /// A decision was saved.
    case bucketing(experienceID: String, variationID: String, visitorID: String)
    /// A goal was marked as reached.
    case conversion(goalID: String, visitorID: String)

    /// The kind.
    public var name: Name {
        switch self {
        case .bucketing: .bucketing
        case .conversion: .conversion
        }
    }
}
