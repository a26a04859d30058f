import Foundation

/// Property lists of other projects, which are not part of this repository.
enum PropertyListSamples {
    /// The binary ones by their paths in the folder, sorted.
    static let binary: [(path: String, file: URL, data: Data)] = {
        let folder = Samples.folder.appendingPathComponent("plists")
        guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder.path) else { return [] }
        return paths.sorted().compactMap { path in
            let file = folder.appendingPathComponent(path)
            guard let data = try? Data(contentsOf: file), data.starts(with: "bplist".utf8) else { return nil }
            return (path, file, data)
        }
    }()
}
