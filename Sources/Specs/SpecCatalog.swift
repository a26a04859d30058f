import Foundation
import Synchronization

/// The specs of the package: what the storage of other SDKs becomes, as their sources say.
package enum SpecCatalog {
    /// Their files, by name, and their profiles; the names are asked for at every start, when nothing is read yet.
    static let files: [(name: String, profiles: [String], bytes: [UInt8])] = [
        ("amplitude-prefix", ["default"], PackageResources.amplitude_prefix_yaml),
        ("amplitude-sqlite", ["default"], PackageResources.amplitude_sqlite_yaml),
        ("mixpanel", ["default"], PackageResources.mixpanel_yaml),
        ("posthog", ["app", "app-group", "extension"], PackageResources.posthog_yaml),
        ("rudderstack-v1", ["sdk-1.2", "sdk-1.1"], PackageResources.rudderstack_v1_yaml),
        ("segment", ["default"], PackageResources.segment_yaml),
        ("statsig", ["default"], PackageResources.statsig_yaml),
    ]

    /// The name of each with its profiles, without reading it.
    package static var names: [(migration: String, profiles: [String])] { files.map { ($0.name, $0.profiles) } }

    /// All of them, read on all cores, as every start waits for them; a test reads each, so that none is left out.
    package static let migrations: [SpecMigration] = {
        let read = Mutex<[Int: Spec]>([:])
        DispatchQueue.concurrentPerform(iterations: files.count) { number in
            guard let spec = try? Spec(Data(files[number].bytes)) else { return }
            read.withLock { $0[number] = spec }
        }
        return read.withLock { read in files.indices.compactMap { read[$0] } }.map(SpecMigration.init)
    }()
}
