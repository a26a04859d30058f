import Foundation

/// A program that was built with the tests.
public enum BuiltProduct {
    private final class Marker {}

    /// The path of an executable, which lies beside the bundle of the tests; `nil` where it was not built.
    public static func path(_ name: String) -> String? {
        var folder = Bundle(for: Marker.self).bundleURL
        for _ in 0..<4 {
            let file = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: file) { return file }
            folder.deleteLastPathComponent()
        }
        return nil
    }
}
