import Foundation

/// A folder for one test, removed with it.
final class Scratch {
    let path: String

    init() throws {
        let base = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("vestige-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        path = base.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ relativePath: String) -> String { path + "/" + relativePath }

    func write(_ relativePath: String, _ data: Data) throws {
        let file = URL(fileURLWithPath: self(relativePath))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// Copies a fixture, so that a test may change it.
    func copy(_ fixture: String) throws -> String {
        let target = self(fixture)
        try FileManager.default.copyItem(atPath: Places.fixture(fixture), toPath: target)
        return target
    }
}

/// Everything below a folder, and the folder itself: what it is, its mode, its time, its bytes.
struct Tree: Equatable {
    struct Item: Equatable {
        var mode: UInt32
        var modified: [Int]
        /// The bytes of a file, or where a link points.
        var content: Data
    }

    var items: [String: Item]

    init(_ root: String) throws {
        items = [:]
        for path in [""] + (try FileManager.default.subpathsOfDirectory(atPath: root)) {
            let file = path.isEmpty ? root : root + "/" + path
            var status = stat()
            guard lstat(file, &status) == 0 else { continue }
            let content: Data =
                switch status.st_mode & S_IFMT {
                case S_IFREG: try Data(contentsOf: URL(fileURLWithPath: file))
                case S_IFLNK: Data(try FileManager.default.destinationOfSymbolicLink(atPath: file).utf8)
                default: Data()
                }
            items[path] = Item(mode: UInt32(status.st_mode), modified: Self.modified(status), content: content)
        }
    }

    /// The items that are not the same in another tree.
    func differences(from other: Tree) -> [String] {
        Set(items.keys).union(other.items.keys).filter { items[$0] != other.items[$0] }.sorted()
    }

    private static func modified(_ status: stat) -> [Int] {
        #if canImport(Darwin)
        [status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
        #else
        [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        #endif
    }
}
