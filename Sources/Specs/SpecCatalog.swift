import Foundation

/// The specs of the package: what the storage of other SDKs becomes, as their sources say.
package enum SpecCatalog {
    /// Their files, by name.
    static let files: [(name: String, bytes: [UInt8])] = [
        ("amplitude-prefix", PackageResources.amplitude_prefix_yaml),
        ("amplitude-sqlite", PackageResources.amplitude_sqlite_yaml), ("mixpanel", PackageResources.mixpanel_yaml),
        ("posthog", PackageResources.posthog_yaml), ("rudderstack-v1", PackageResources.rudderstack_v1_yaml),
        ("segment", PackageResources.segment_yaml), ("statsig", PackageResources.statsig_yaml),
    ]

    /// All of them; a test reads each, so that none is left out.
    package static let migrations: [SpecMigration] = files.compactMap { try? Spec(Data($0.bytes)) }.map(
        SpecMigration.init)
}
