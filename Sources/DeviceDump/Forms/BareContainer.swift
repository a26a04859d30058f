import MigrationEngine

extension Dump.Kind {
    /// An app's data container by itself: `Library`, `Documents`, `tmp`.
    package static let container = Dump.Kind(rawValue: "container")
}

/// A data container by itself, as `simctl get_app_container` names it or AFC copies it.
struct BareContainer: DumpForm {
    let words: String? = "an app's data container"
    let innerFolders: [DumpPath] = [
        "Library", "Library/Preferences", "Documents", "Library/Application Support", "Library/Caches", "tmp",
    ]

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard Self.matches(source.files) else { return nil }
        return .open(.container) { (source, _) throws(DumpError) in
            var metadata = ContainerMetadata()
            let domain = BackupContents.domain(source.location.name)
            let isGroup = source.location.name.hasPrefix("group.") || Self.hasGroupsListAlone(source.files)
            var kind =
                ContainerMetadata.kind(ofContainerAt: .root, in: source.files) ?? domain?.kind
                ?? (isGroup ? .group : .app)
            metadata.readNotes(at: .root, kind: kind, in: source.files)
            if metadata.identifier == nil, let domain {
                let fact: FactName = domain.kind == .group ? .groupIdentifier : .bundleIdentifier
                metadata.note(fact, domain.identifier, from: "the name of the backup's domain", at: .root)
            }
            metadata.readLists(at: .root, kind: kind, in: source.files)
            if metadata.identifier?.hasPrefix("group.") ?? false { kind = .group }
            let container = Container(
                metadata, kind, at: .root, of: source.files, otherwiseNamed: source.location.name,
                unheld: domain == nil ? .ofContainer : .ofDomain)
            return DumpContents(containers: [container])
        }
    }

    /// Whether nothing but the list of a group says whose the container is; an app's has `Documents`.
    private static func hasGroupsListAlone(_ files: any DumpFiles) -> Bool {
        let lists = PreferenceLists(of: .root, in: files)
        return !files.hasFile(ContainerMetadata.managerFile) && !files.hasFolder("Documents")
            && lists.naming(.app) == nil && lists.naming(.group) != nil
    }

    private static func matches(_ files: any DumpFiles) -> Bool {
        if files.hasFile(ContainerMetadata.managerFile) { return true }
        return !RefusedForm.isHomeOfMac(files) && files.hasFolder("Library")
            && (["Library/Preferences", "Documents", "tmp"] as [DumpPath]).contains(where: files.hasFolder)
    }
}
