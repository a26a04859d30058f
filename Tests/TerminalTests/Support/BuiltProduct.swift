import Foundation

/// A program that was built with the tests.
enum BuiltProduct {
    private final class Marker {}

    /// The path of an executable, which lies beside the bundle of the tests, whatever the build folder is.
    static func path(_ name: String) throws -> String {
        var folder = Bundle(for: Marker.self).bundleURL
        for _ in 0..<4 {
            let file = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: file) { return file }
            folder.deleteLastPathComponent()
        }
        throw TmuxSession.Failure(
            description: "\(name) was not built beside \(Bundle(for: Marker.self).bundleURL.path)")
    }
}
