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
            metadata.readContainer(at: .root, kind: .app, in: source.files)
            let isGroup = metadata.identifier?.hasPrefix("group.") ?? false
            let container = Container(
                metadata, isGroup ? .group : .app, at: .root, of: source.files, otherwiseNamed: source.location.name,
                unheld: .ofContainer)
            return DumpContents(containers: [container])
        }
    }

    private static func matches(_ files: any DumpFiles) -> Bool {
        if files.hasFile(ContainerMetadata.managerFile) { return true }
        return !RefusedForm.isHomeOfMac(files) && files.hasFolder("Library")
            && (["Library/Preferences", "Documents", "tmp"] as [DumpPath]).contains(where: files.hasFolder)
    }
}
