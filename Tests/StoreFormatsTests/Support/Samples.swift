import Foundation
import TestSupport

/// The collection of files from elsewhere, which is not part of the repository.
enum Samples {
    /// The folder.
    static let folder = URL(fileURLWithPath: Places.samples)

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
