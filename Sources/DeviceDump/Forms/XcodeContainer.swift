import MigrationEngine

extension Dump.Kind {
    /// What Xcode downloads from a device: `AppDataInfo.plist` beside `AppData`.
    package static let xcappdata = Dump.Kind(rawValue: "xcappdata")
}

/// What Xcode's “Download Container” writes: `AppDataInfo.plist` beside a data container named `AppData`.
///
/// Real ones lack any part but `AppData`, which facts gathered from published ones show.
struct XcodeContainer: DumpForm {
    let words: String? = "an .xcappdata folder"
    let innerFolders: [DumpPath] = [data] + BareContainer().innerFolders.map { data / $0 }
    private static let info: DumpPath = "AppDataInfo.plist"
    private static let data: DumpPath = "AppData"

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        let hasInfo = source.files.hasFile(Self.info)
        // Something in place of the container is not looked past: nothing else here is the app's.
        if hasInfo, let data = try source.files.item(at: Self.data), data.kind != .folder {
            throw data.refusal ?? DumpError(Self.data, .notAFolder)
        }
        guard source.files.hasFolder(Self.data), hasInfo || source.location.name.hasSuffix(".xcappdata") else {
            return nil
        }
        return .open(.xcappdata) { (source, _) throws(DumpError) in Self.contents(of: source) }
    }

    private static func contents(of source: DumpSource) -> DumpContents {
        let files = source.files
        var metadata = ContainerMetadata()
        metadata.readDownloadInfo(at: info, in: files)
        metadata.readContainer(at: data, kind: .app, in: files)
        let container = Container(
            metadata, .app, at: data, of: files, otherwiseNamed: source.location.name, unheld: .ofXcodeContainer)
        let missing = [info, data / ContainerPlaces.preferencesFolder].filter { !files.isThere($0) }
        return DumpContents(containers: [container], warnings: missing.map { DumpWarning($0, .missing) })
    }
}

extension Container {
    /// Makes a container that metadata describes; without an identifier it goes by the other name, with a warning.
    init(
        _ metadata: ContainerMetadata, _ kind: Kind, at path: DumpPath, of files: any DumpFiles, facts: Facts = Facts(),
        otherwiseNamed name: String, shared: SharedContainers? = nil, claimed: [ContainerPlaces.Group] = [],
        apps: AppIdentifiers = AppIdentifiers([]), unheld: Unheld
    ) {
        let unknown = metadata.identifier == nil ? [DumpWarning(path, .unknownApp)] : []
        let identifier = metadata.identifier ?? name
        self.init(
            identifier, kind, at: path, of: files, facts: metadata.facts.completed(by: facts),
            warnings: metadata.warnings + unknown,
            places: ContainerPlaces(
                containerOf: identifier, kind, at: path, shared: shared, claimed: claimed, appGroups: metadata.groups,
                apps: apps, unheld: unheld))
    }
}
