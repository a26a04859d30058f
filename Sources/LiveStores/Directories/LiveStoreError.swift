import Foundation
import MigrationEngine

/// Why live stores cannot be opened or changed.
public enum LiveStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process has the stores open.
    case inUse(String)
    /// The system refused an operation; nothing has changed.
    case file(FileError)
    /// The system refused an operation when the change was decided or later: it is finished, or dropped where the decision
    /// itself was lost, as soon as the system lets it; as a whole in either case.
    case unfinished(FileError)
    /// Files that a change was interrupted in were changed by someone else since; none of them is touched.
    case drift([String])
    /// The journal of an interrupted change cannot be read.
    case damagedJournal(String)
    /// An entry is not what it was when the change was made; nothing has changed.
    case changedMeanwhile(Address)
    /// A store cannot hold the change; nothing has changed.
    case unwritable(Address, String)

    /// What happened, why, and what the person can do.
    public var description: String {
        switch self {
        case .inUse(let path): "\(path) is in use by another process; close that one first"
        case .file(let error): "\(error); nothing has changed"
        case .unfinished(let error):
            "\(error); the change is finished, or dropped as a whole, when the stores are next used"
        case .drift(let paths):
            """
            a change was interrupted, and meanwhile something else changed \(paths.joined(separator: ", ")): put back \
            what was there, or remove \(Journal.folder)/\(Journal.intent) to leave everything as it is now
            """
        case .damagedJournal(let reason): "the record of an interrupted change is damaged: \(reason)"
        case .changedMeanwhile(let address):
            "\(address) has changed since the change was planned; nothing has changed, plan it again"
        case .unwritable(let address, let reason): "\(address) cannot be written: \(reason); nothing has changed"
        }
    }
}
