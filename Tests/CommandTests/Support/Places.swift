import Foundation

/// Where the tests find what they need.
enum Places {
    /// The root of the package.
    static let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static let facts = package + "/Fixtures/facts.json"

    static func fixture(_ name: String) -> String { package + "/Fixtures/" + name }

    /// The dumps among the fixtures.
    static let fixtures: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: package + "/Fixtures")) ?? []
        return names.filter { $0.hasSuffix(".xcappdata") || $0 == "simulator" }.sorted()
    }()

    /// Real dumps, which are not in the repository.
    static let samples =
        ProcessInfo.processInfo.environment["VESTIGE_SAMPLES"]
        ?? URL(fileURLWithPath: package).deletingLastPathComponent().appendingPathComponent("shared/samples").path

    static let hasSamples = FileManager.default.fileExists(atPath: samples)

    /// A program of the host, for a second opinion.
    static func tool(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension Places {
    /// The exit codes of the contract; 1 is for a bug alone.
    static let exitCodes: Set<Int32> = [0, 2, 3, 4, 5, 6, 64, 75]
}
