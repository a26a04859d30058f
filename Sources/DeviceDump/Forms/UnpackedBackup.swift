import MigrationEngine

extension Dump.Kind {
    /// A backup that a tool has unpacked: a folder for each domain.
    package static let unpackedBackup = Dump.Kind(rawValue: "unpacked-backup")
}

/// A backup whose files have their own names again, in a folder for each domain, as `idevicebackup2 unback` and others
/// write it.
struct UnpackedBackup: DumpForm {
    let words: String? = "an unpacked backup"
    let innerFolders: [DumpPath] = []

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard source.loneFile == nil else { return nil }
        let names = ((try? source.files.children(of: .root, limit: 50_000)) ?? []).filter { $0.kind == .folder }.map(
            \.name)
        guard names.contains(where: { BackupContents.isDomain($0) || $0 == "HomeDomain" }) else { return nil }
        return .open(.unpackedBackup) { (source, control) throws(DumpError) in
            // Tools keep the lists of the backup, or do not.
            try BackupContents(of: source, BackupInfo(source.files, isExpected: false), control).contents
        }
    }
}
