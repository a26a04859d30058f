/// A data container by itself, as `simctl get_app_container` names it or AFC copies it.
struct BareContainer: DumpForm {
    let kind = Dump.Kind.container
    let innerFolders = [
        "Library", "Library/Preferences", "Documents", "Library/Application Support", "Library/Caches", "tmp",
    ]

    func matches(_ folder: DumpFolder) -> Bool {
        if folder.hasFile(ContainerMetadata.managerFile) { return true }
        return folder.hasFolder("Library")
            && ["Library/Preferences", "Documents", "tmp"].contains(where: folder.hasFolder)
    }

    func contents(of root: DumpFolder) -> (containers: [Container], warnings: [DumpWarning]) {
        var metadata = ContainerMetadata()
        metadata.readContainer(at: "", kind: .app, in: root)
        let isGroup = metadata.identifier?.hasPrefix("group.") ?? false
        let container = Container(metadata, isGroup ? .group : .app, in: root, at: "", otherwiseNamed: root.name)
        return ([container], [])
    }
}
