import Foundation

/// A folder for one test, removed with it.
package final class TemporaryFolder: Sendable {
    /// Its absolute path, without symbolic links.
    package let path: String

    package init() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("vestige-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in it.
    package func callAsFunction(_ relativePath: String) -> String { path + "/" + relativePath }

    /// Writes a file, with the folders it is in.
    package func write(_ relativePath: String, _ data: Data) throws {
        let file = URL(fileURLWithPath: self(relativePath))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// Copies a fixture, so that a test may change it.
    package func copy(_ fixture: String, to name: String? = nil) throws -> String {
        let target = self(name ?? fixture)
        try FileManager.default.copyItem(atPath: Places.fixture(fixture), toPath: target)
        return target
    }
}

/// Everything below a folder, and the folder itself: what it is, its mode, its time, its bytes.
package struct Tree: Equatable {
    package struct Item: Equatable {
        package var mode: UInt32
        package var modified: [Int]
        /// The bytes of a file, or where a link points.
        package var content: Data
    }

    package var items: [String: Item]

    package init(_ root: String) throws {
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
    package func differences(from other: Tree) -> [String] {
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
