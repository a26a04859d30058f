import MigrationEngine

/// What Xcode's “Download Container” writes: `AppDataInfo.plist` beside a data container named `AppData`.
///
/// Real ones lack any part but `AppData`, which facts gathered from published ones show.
struct XcodeContainer: DumpForm {
    let kind = Dump.Kind.xcappdata
    let innerFolders = [
        "AppData", "AppData/Library", "AppData/Library/Preferences", "AppData/Documents",
        "AppData/Library/Application Support",
    ]
    private static let info = "AppDataInfo.plist"
    private static let data = "AppData"

    func matches(_ folder: DumpFolder) -> Bool {
        folder.hasFolder(Self.data) && (folder.hasFile(Self.info) || folder.name.hasSuffix(".xcappdata"))
    }

    func contents(of root: DumpFolder) -> (containers: [Container], warnings: [DumpWarning]) {
        var metadata = ContainerMetadata()
        metadata.readDownloadInfo(at: Self.info, in: root)
        metadata.readContainer(at: Self.data, kind: .app, in: root)
        let container = Container(metadata, .app, in: root, at: Self.data, otherwiseNamed: root.name)
        let missing = [Self.info, Self.data + "/" + Domain.folder].filter { (try? root.status(of: $0)) == .some(nil) }
        return ([container], missing.map { DumpWarning($0, .missing) })
    }
}

extension Container {
    /// Makes a container that metadata describes; without an identifier it goes by the other name, with a warning.
    init(
        _ metadata: ContainerMetadata, _ kind: Kind, in root: DumpFolder, at path: String, facts: Facts = Facts(),
        otherwiseNamed name: String
    ) {
        let unknown = metadata.identifier == nil ? [DumpWarning(path, .unknownApp)] : []
        self.init(
            metadata.identifier ?? name, kind, in: root, at: path, facts: metadata.facts.completed(by: facts),
            warnings: metadata.warnings + unknown)
    }
}
