import Foundation
import TestSupport
import Testing

/// A folder for one test, removed with the last reference to it.
final class TemporaryTree: Sendable {
    private let root: TemporaryFolder

    init() throws { root = try TemporaryFolder() }

    var path: String { root.path }

    /// The absolute path of a relative one.
    func at(_ relativePath: String) -> String { path + "/" + relativePath }

    func folder(_ relativePath: String) throws {
        try FileManager.default.createDirectory(atPath: at(relativePath), withIntermediateDirectories: true)
    }

    func file(_ relativePath: String, _ content: Data) throws {
        try folder((relativePath as NSString).deletingLastPathComponent)
        try content.write(to: URL(fileURLWithPath: at(relativePath)))
    }

    func file(_ relativePath: String, _ content: String = "") throws {
        try file(relativePath, Data(content.utf8))
    }

    /// A property list written by Foundation, so that our own writer takes no part.
    func list(
        _ relativePath: String, _ members: [String: Any] = ["key": "value"],
        format: PropertyListSerialization.PropertyListFormat = .binary
    ) throws {
        try file(
            relativePath, try PropertyListSerialization.data(fromPropertyList: members, format: format, options: 0))
    }

    func link(_ relativePath: String, to target: String) throws {
        try folder((relativePath as NSString).deletingLastPathComponent)
        try #require(symlink(target, at(relativePath)) == 0)
    }

    func pipe(_ relativePath: String) throws {
        try folder((relativePath as NSString).deletingLastPathComponent)
        try #require(mkfifo(at(relativePath), 0o600) == 0)
    }

    /// An app's container with one domain.
    func container(_ relativePath: String = "", app: String = "com.acme.notes") throws {
        let prefix = relativePath.isEmpty ? "" : relativePath + "/"
        try list(prefix + ".com.apple.mobile_container_manager.metadata.plist", ["MCMMetadataIdentifier": app])
        try list(prefix + "Library/Preferences/\(app).plist")
    }

    /// An `.xcappdata` with one domain.
    func xcappdata(_ name: String = "notes.xcappdata", app: String = "com.acme.notes") throws {
        try list(name + "/AppDataInfo.plist", ["CFBundleIdentifier": app])
        try container(name + "/AppData", app: app)
    }

    /// A simulator's device with the containers of these apps.
    func simulator(_ name: String, apps: [String]) throws {
        try list(
            name + "/device.plist",
            ["name": "iPhone 15", "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-17-5"], format: .xml)
        for (number, app) in apps.enumerated() {
            try container(name + "/data/Containers/Data/Application/UUID-\(number)", app: app)
        }
    }

    /// Every item with its kind, mode, time of modification and content, in one text.
    func inventory() throws -> String { try Self.inventory(of: path) }

    static func inventory(of path: String) throws -> String {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        return try names.map { name in
            var status = stat()
            try #require(lstat(path + "/" + name, &status) == 0)
            let isFile = status.st_mode & S_IFMT == S_IFREG
            let content =
                isFile ? try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)).base64EncodedString() : ""
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            return "\(name) \(status.st_mode) \(time.tv_sec).\(time.tv_nsec) \(status.st_size) \(content)"
        }.joined(separator: "\n")
    }
}
