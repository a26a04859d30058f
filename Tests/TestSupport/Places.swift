import Foundation

/// Where the tests find what they need.
package enum Places {
    private final class Marker {}

    /// The root of the package.
    package static let package = (0..<3).reduce(URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()) { url, _ in
        url.deletingLastPathComponent()
    }.path

    /// What `Fixtures/build.py` has written.
    package static func fixture(_ name: String) -> String { package + "/Fixtures/" + name }

    /// The dumps among the fixtures.
    package static let fixtures: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: fixture(""))) ?? []
        return names.filter { $0.hasSuffix(".xcappdata") || $0 == "simulator" }.sorted()
    }()

    /// Values for every fact.
    package static let facts = fixture("facts.json")

    /// Real dumps, which are not in the repository.
    package static let samples =
        ProcessInfo.processInfo.environment["VESTIGE_SAMPLES"]
        ?? URL(fileURLWithPath: package).deletingLastPathComponent().appendingPathComponent("shared/samples").path

    /// A file or a folder among them.
    package static func sample(_ path: String) -> String { samples + "/" + path }

    /// Whether they are here.
    package static let hasSamples = FileManager.default.fileExists(atPath: samples)

    /// Says that the samples are not here, and how to get the suite to run.
    package static let samplesHint =
        "the samples of real dumps are not in the repository; VESTIGE_SAMPLES=FOLDER names them"

    /// A program that was built with the tests, which lies beside their bundle, whatever the build folder is; `nil` where
    /// it was not built.
    package static func product(_ name: String) -> String? {
        var folder = Bundle(for: Marker.self).bundleURL
        for _ in 0..<4 {
            let file = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: file) { return file }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// A program of the host, for a second opinion.
    package static func tool(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
