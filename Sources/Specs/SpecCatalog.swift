import Foundation
import StoreFormats

/// The specs of the package: what the storage of other SDKs becomes, as their sources say.
package enum SpecCatalog {
    /// Their files, by name, and their profiles; the names are asked for at every start, when nothing is read yet.
    static let files: [(name: String, profiles: [String], bytes: [UInt8])] = [
        ("amplitude-prefix", ["default"], PackageResources.amplitude_prefix_yaml),
        ("amplitude-sqlite", ["default", "named"], PackageResources.amplitude_sqlite_yaml),
        ("localdata-demo", ["default"], PackageResources.localdata_demo_yaml),
        ("mixpanel", ["default"], PackageResources.mixpanel_yaml),
        ("posthog", ["app", "app-group", "extension"], PackageResources.posthog_yaml),
        ("rudderstack-v1", ["sdk-1.2", "sdk-1.1"], PackageResources.rudderstack_v1_yaml),
        ("segment", ["default"], PackageResources.segment_yaml),
        ("statsig", ["default"], PackageResources.statsig_yaml),
    ]

    /// The name of each with its profiles, without reading it.
    package static var names: [(migration: String, profiles: [String])] { files.map { ($0.name, $0.profiles) } }

    /// Begins to read them, while the program opens a dump.
    package static func readAhead() { beside { _ = migrations } }

    /// All of them, read on all cores, as every start waits for them; a test reads each, so that none is left out.
    package static let migrations: [SpecMigration] = concurrently(files.count) {
        (try? Spec(Data(files[$0].bytes))).map(SpecMigration.init)
    }.compactMap(\.self)
}
