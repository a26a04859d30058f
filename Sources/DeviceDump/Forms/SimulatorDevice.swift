import MigrationEngine
import StoreFormats

/// The folder of one device of CoreSimulator: `device.plist` beside `data`, with a container for each app.
struct SimulatorDevice: DumpForm {
    let kind = Dump.Kind.simulator
    let innerFolders = [
        "data", "data/Containers", "data/Containers/Data", "data/Containers/Data/Application",
        "data/Containers/Shared", "data/Containers/Shared/AppGroup", "data/Applications",
    ]
    private static let device = "device.plist"

    /// Where containers are; the last is where iOS 7 has them.
    private static let places: [(folder: String, kind: Container.Kind)] = [
        ("data/Containers/Data/Application", .app), ("data/Containers/Data/PluginKitPlugin", .plugin),
        ("data/Containers/Shared/AppGroup", .group), ("data/Applications", .app),
    ]

    func matches(_ folder: DumpFolder) -> Bool {
        guard folder.hasFolder("data") else { return false }
        return folder.hasFile(Self.device) || Self.places.contains { folder.hasFolder($0.folder) }
    }

    func contents(of root: DumpFolder) -> (containers: [Container], warnings: [DumpWarning]) {
        var device = ContainerMetadata(), warnings: [DumpWarning] = []
        if let list = device.list(at: Self.device, in: root) {
            for (name, key, prefix) in Self.deviceKeys {
                guard let text = ContainerMetadata.text(key, in: list) else { continue }
                let value = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
                device.note(name, value, from: Self.device, at: Self.device)
            }
        }
        warnings += device.warnings
        var containers: [Container] = []
        for (folder, kind) in Self.places {
            let items: [DumpItem]
            do {
                items = try root.children(of: folder)
            } catch {
                if error.problem != .notFound { warnings.append(DumpWarning(folder, .init(error, in: root))) }
                continue
            }
            for item in items {
                switch item.kind {
                case .folder where item.isNameExact:
                    var metadata = ContainerMetadata()
                    metadata.readContainer(at: item.path, kind: kind, in: root)
                    containers.append(
                        Container(
                            metadata, kind, in: root, at: item.path, facts: device.facts, otherwiseNamed: item.name))
                case .folder: warnings.append(DumpWarning(item.path, .nameNotUTF8))
                case .symbolicLink(let target): warnings.append(DumpWarning(item.path, .symbolicLink(target: target)))
                case .file, .other: break
                }
            }
        }
        return (containers, warnings)
    }

    private static let deviceKeys: [(FactName, key: String, prefix: String)] = [
        (.deviceName, "name", ""), (.deviceType, "deviceType", "com.apple.CoreSimulator.SimDeviceType."),
        (.systemVersion, "runtime", "com.apple.CoreSimulator.SimRuntime."),
    ]
}
