import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// Stores in a folder of this machine, changed as a whole or not at all.
///
/// The layout is this library's own:
/// - `Preferences/<domain>.plist`: a UserDefaults domain, as a property list.
/// - `Keychain/<service>.plist`: the items of a keychain service, as a property list with accounts as keys and items in
///   the form of ``KeychainItem`` as values. It stands in for a keychain where there is none, and **protects nothing**
///   beyond the permissions of the folder: what must be secret is sealed first (`Sealer` of the module `Sealing`).
/// - `Files/<store>/<path>`: the files of a store of files.
///
/// Names are percent-encoded as in an ``Address``. One process has a folder open at a time. A change that was interrupted,
/// by an error, a kill or the power, is found finished or not begun by whoever opens the folder next; this needs nobody's
/// help. Copies are the same stores.
public struct DirectoryStores: StoreWriter {
    private let contents: DirectoryContents

    /// Opens a folder, made where it is not there, and finishes a change that was interrupted.
    ///
    /// - Parameters:
    ///   - path: The folder, as an absolute path.
    ///   - fileSystem: Where it is.
    /// - Throws: ``LiveStoreError`` where another process has the folder open, the system refuses, or an interrupted
    ///   change cannot be finished.
    public init(at path: String, fileSystem: any FileSystem = POSIXFileSystem()) throws(LiveStoreError) {
        contents = try DirectoryContents(root: path, files: fileSystem)
    }

    /// The stores that are there: domains, services, then stores of files, each in alphabetical order.
    ///
    /// Where a folder cannot be listed, what is in it is not among them, and ``problem`` says so.
    public var stores: [StoreID] { contents.stores().found }

    /// Why there may be stores that are not listed: the first folder that the system refuses to list.
    public var problem: Unreadable? { contents.stores().problem }

    /// Whether a store is there; also where that cannot be known, and ``problem(with:)`` says why.
    public func contains(_ store: StoreID) -> Bool {
        problem(with: store) != nil || contents.stores().found.contains(store)
    }

    /// Why a store cannot be read.
    public func problem(with store: StoreID) -> Unreadable? { contents.problem(with: store) }

    /// The keys of a store: of a property list in stored order, of files in alphabetical order.
    public func keys(in store: StoreID) -> any KeyList { contents.keys(in: store) }

    /// What is known of the entry under a key.
    public func state(of key: Name, in store: StoreID) -> EntryState { contents.state(of: key, in: store) }

    /// Makes these changes, all of them or none.
    ///
    /// - Throws: ``LiveStoreError``. After ``LiveStoreError/unfinished(_:)`` the changes are finished, or dropped as a
    ///   whole, when the stores are next used, and until then nothing can be read. After any other error nothing has
    ///   changed.
    public mutating func commit(_ changes: [Change]) throws(LiveStoreError) { try contents.commit(changes) }
}

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
