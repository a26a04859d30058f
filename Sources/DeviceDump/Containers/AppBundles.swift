import MigrationEngine
import StoreFormats

/// What the apps of a device say of themselves, where its dump has them: `Info.plist` in the bundle, and what the store says
/// beside it.
struct AppBundles {
    /// What a bundle says of its app.
    private struct Saying {
        let name: FactName
        let text: String
        /// The file that says it.
        let file: DumpPath
    }

    /// By the apps' identifiers, what counts first before the rest.
    private var sayings: [Name: [Saying]] = [:]
    private(set) var identifiers: Set<Name> = []
    /// Whether there is an app that does not say what it is.
    private var hasUnknown = false
    /// What of them cannot be read.
    private(set) var warnings: [DumpWarning] = []

    /// Reads the bundles in folders that have a folder for each app.
    init(in files: any DumpFiles, at folders: [DumpPath], _ control: OpeningControl) throws(DumpError) {
        var metadata = ContainerMetadata()
        for folder in folders {
            let apps = Self.folders(in: folder, of: files, &warnings)
            for (position, app) in apps.enumerated() {
                try control.reach(.listing, position, of: apps.count)
                let store = app / "iTunesMetadata.plist"
                for bundle in Self.folders(in: app, of: files, &warnings) where bundle.name.hasSuffix(".app") {
                    let file = bundle / "Info.plist"
                    guard let list = metadata.list(at: file, in: files),
                        let identifier = ContainerMetadata.text("CFBundleIdentifier", in: list)
                    else {
                        hasUnknown = true
                        continue
                    }
                    identifiers.insert(Name(identifier))
                    func take(_ name: FactName, _ keys: String..., of list: PropertyListFile, at file: DumpPath) {
                        guard let text = keys.lazy.compactMap({ ContainerMetadata.text($0, in: list) }).first else {
                            return
                        }
                        sayings[Name(identifier), default: []].append(Saying(name: name, text: text, file: file))
                    }
                    take(.appName, "CFBundleDisplayName", "CFBundleName", of: list, at: file)
                    take(.appVersion, "CFBundleShortVersionString", "CFBundleVersion", of: list, at: file)
                    // Of an app that lacks either, what the store says.
                    if let list = metadata.list(at: store, in: files) {
                        take(.appName, "itemName", of: list, at: store)
                        take(.appVersion, "bundleShortVersionString", of: list, at: store)
                    }
                }
            }
        }
        warnings += metadata.warnings
    }

    /// Whether there is an app, other than iOS's own, that is none of these, or may be.
    func hasApps(besides identifiers: [String]) -> Bool {
        let known = Set(identifiers.lazy.map(Name.init))
        return hasUnknown
            || self.identifiers.contains { !known.contains($0) && !Noise.isApples($0.text) }
    }

    /// Says what the app of a container is called, where its own files do not.
    func note(in metadata: inout ContainerMetadata) {
        guard let identifier = metadata.identifier else { return }
        for saying in sayings[Name(identifier)] ?? [] where metadata.facts[saying.name] == nil {
            metadata.note(saying.name, saying.text, from: saying.file.text, at: saying.file)
        }
    }

    /// The folders in a folder; none where it is not there.
    private static func folders(
        in folder: DumpPath, of files: any DumpFiles, _ warnings: inout [DumpWarning]
    ) -> [DumpPath] {
        do throws(DumpError) {
            return try files.children(of: folder).filter { $0.kind == .folder && $0.path.isUTF8 }.map(\.path)
        } catch {
            if error.problem != .notFound { warnings.append(DumpWarning(folder, .init(error))) }
            return []
        }
    }
}
