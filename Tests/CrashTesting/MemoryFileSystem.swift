import Foundation
import LiveStores
import Synchronization

/// A disk in memory that knows what would survive a loss of power.
///
/// Of a file it holds the content and what of it was flushed; of a folder the names, and those changes to them that were
/// not flushed, each of which may or may not have reached the disk. A rename within a folder is one such change; across
/// folders it is two. It is stricter than any real file system, as POSIX allows.
public final class MemoryFileSystem: FileSystem {
    /// What goes wrong, and when; operations are counted from 0.
    public enum Fault: Hashable, Sendable {
        /// Nothing.
        case none
        /// The power goes off before this changing operation: it and all later ones fail.
        case powerOff(before: Int)
        /// This operation, reading or changing, fails with an error number, and, where it lasts, all later ones do.
        case error(at: Int, number: Int32, lasting: Bool)
    }

    struct Node {
        var isFolder: Bool
        var mode: UInt16
        var content: [UInt8] = []
        var flushed: [UInt8] = []
        var names: [String: Int] = [:]
        var flushedNames: [String: Int] = [:]
        var pending: [NameChange] = []
    }

    /// A change of the names in a folder that is not flushed.
    struct NameChange {
        var set: (name: String, node: Int)?
        var unset: String?
    }

    struct State {
        var nodes = [Node(isFolder: true, mode: 0o700)]
        var fault = Fault.none
        var operations = 0
        var changes = 0
        var locked: Set<String> = []
    }

    let state: Mutex<State>

    /// Makes an empty disk.
    public init() { state = Mutex(State()) }

    init(nodes: [Node]) { state = Mutex(State(nodes: nodes)) }

    /// How many operations there were since the fault was last set.
    public var operations: Int { state.withLock { $0.operations } }
    /// How many of them change something.
    public var changes: Int { state.withLock { $0.changes } }

    /// Sets what goes wrong, and counts anew.
    public func set(_ fault: Fault) {
        state.withLock { ($0.fault, $0.operations, $0.changes) = (fault, 0, 0) }
    }

    // MARK: Operations

    /// What lies at a path.
    public func status(of path: String) throws(FileError) -> FileStatus? {
        try perform("look at", path, changing: false) { state throws(FileError) in
            state.node(at: path).map { number in
                FileStatus(state.nodes[number].isFolder ? .folder : .file, mode: state.nodes[number].mode)
            }
        }
    }

    /// The content of a file.
    public func contents(of path: String) throws(FileError) -> Data? {
        try perform("read", path, changing: false) { state throws(FileError) in
            guard let number = state.node(at: path) else { return nil }
            guard !state.nodes[number].isFolder else { throw FileError("read", path, number: EISDIR) }
            return Data(state.nodes[number].content)
        }
    }

    /// The names in a folder.
    public func names(in folder: String) throws(FileError) -> [String] {
        try perform("list", folder, changing: false) { state throws(FileError) in
            state.node(at: folder).map { Array(state.nodes[$0].names.keys).sorted() } ?? []
        }
    }

    /// Makes a folder.
    public func makeFolder(_ path: String) throws(FileError) {
        try perform("make the folder", path, changing: true) { state throws(FileError) in
            if state.node(at: path) == nil {
                try state.link(state.add(Node(isFolder: true, mode: 0o700)), as: path)
            }
        }
    }

    /// Opens a file for writing, empty.
    public func create(_ path: String, mode: UInt16) throws(FileError) -> any OutputFile {
        try perform("write", path, changing: true) { state throws(FileError) in
            if let number = state.node(at: path) {
                state.nodes[number].content = []
                return Output(files: self, node: number, path: path)
            }
            let number = state.add(Node(isFolder: false, mode: mode))
            try state.link(number, as: path)
            return Output(files: self, node: number, path: path)
        }
    }

    /// Gives a file another name.
    public func rename(_ path: String, to newPath: String) throws(FileError) {
        try perform("rename", path, changing: true) { state throws(FileError) in
            guard let number = state.node(at: path) else { throw FileError("rename", path, number: ENOENT) }
            let (old, new) = (Self.split(path), Self.split(newPath))
            if old.folder == new.folder {
                try state.change(old.folder, NameChange(set: (new.name, number), unset: old.name))
            } else {
                try state.change(new.folder, NameChange(set: (new.name, number)))
                try state.change(old.folder, NameChange(unset: old.name))
            }
        }
    }

    /// Takes a file away.
    public func remove(_ path: String) throws(FileError) {
        try perform("remove", path, changing: true) { state throws(FileError) in
            guard state.node(at: path) != nil else { throw FileError("remove", path, number: ENOENT) }
            try state.change(Self.split(path).folder, NameChange(unset: Self.split(path).name))
        }
    }

    /// Flushes the names in a folder.
    public func synchronizeFolder(_ path: String) throws(FileError) {
        try perform("flush", path, changing: true) { state throws(FileError) in
            guard let number = state.node(at: path) else { throw FileError("flush", path, number: ENOENT) }
            state.nodes[number].flushedNames = state.nodes[number].names
            state.nodes[number].pending = []
        }
    }

    /// Takes the exclusive right to a file.
    public func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        try perform("lock", path, changing: true) { state throws(FileError) -> (any FileLock)? in
            if state.node(at: path) == nil {
                try state.link(state.add(Node(isFolder: false, mode: 0o600)), as: path)
            }
            return state.locked.insert(path).inserted ? Lock(files: self, path: path) : nil
        }
    }

    private struct Output: OutputFile {
        let files: MemoryFileSystem
        let node: Int
        let path: String

        func write(_ data: Data) throws(FileError) {
            try files.perform("write", path, changing: true) { $0.nodes[node].content += data }
        }

        func synchronize() throws(FileError) {
            try files.perform("flush", path, changing: true) { $0.nodes[node].flushed = $0.nodes[node].content }
        }
    }

    private final class Lock: FileLock {
        let files: MemoryFileSystem
        let path: String

        init(files: MemoryFileSystem, path: String) { (self.files, self.path) = (files, path) }

        deinit { files.state.withLock { _ = $0.locked.remove(path) } }
    }

    /// Counts an operation and does it, unless it fails.
    private func perform<Result: Sendable>(
        _ operation: String, _ path: String, changing: Bool, _ body: (inout State) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let result = state.withLock { state -> Swift.Result<Result, FileError> in
            let (number, change) = (state.operations, state.changes)
            state.operations += 1
            if changing { state.changes += 1 }
            switch state.fault {
            case .powerOff(let limit) where change >= limit:
                return .failure(FileError(operation, path, number: EIO))
            case .error(let at, let error, let lasting) where number == at || (lasting && number > at):
                return .failure(FileError(operation, path, number: error))
            default: break
            }
            do throws(FileError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    static func split(_ path: String) -> (folder: String, name: String) {
        let parts = path.split(separator: "/").map(String.init)
        return (parts.dropLast().joined(separator: "/"), parts.last ?? "")
    }
}

extension MemoryFileSystem.State {
    func node(at path: String) -> Int? {
        path.split(separator: "/").reduce(Optional(0)) { node, name in
            node.flatMap { nodes[$0].names[String(name)] }
        }
    }

    mutating func add(_ node: MemoryFileSystem.Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    mutating func link(_ node: Int, as path: String) throws(FileError) {
        let (folder, name) = MemoryFileSystem.split(path)
        try change(folder, MemoryFileSystem.NameChange(set: (name, node)))
    }

    mutating func change(_ folder: String, _ change: MemoryFileSystem.NameChange) throws(FileError) {
        guard let number = node(at: folder), nodes[number].isFolder else {
            throw FileError("change", folder, number: ENOENT)
        }
        nodes[number].pending.append(change)
        change.apply(to: &nodes[number].names)
    }
}

extension MemoryFileSystem.NameChange {
    func apply(to names: inout [String: Int]) {
        if let unset { names[unset] = nil }
        if let set { names[set.name] = set.node }
    }
}
