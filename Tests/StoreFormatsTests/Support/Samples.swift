import Foundation

/// The collection of files from elsewhere, which is not part of the repository.
enum Samples {
    /// The folder: `VESTIGE_SAMPLES`, or `../shared/samples` beside the package.
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["VESTIGE_SAMPLES"] { return URL(fileURLWithPath: path) }
        let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { folder, _ in folder.deletingLastPathComponent()
        }
        return package.deletingLastPathComponent().appendingPathComponent("shared/samples")
    }()

    /// Whether the collection is there.
    static let areThere = FileManager.default.fileExists(atPath: folder.path)

    /// The bytes of a file.
    static func data(_ path: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(path))
    }

    /// The paths of the files of a folder, in order.
    static func files(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(path).path).sorted()
            .map { "\(path)/\($0)" }
    }
}
