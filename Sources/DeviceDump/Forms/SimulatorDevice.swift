import MigrationEngine
import StoreFormats

extension Dump.Kind {
    /// The folder of one device of the simulator.
    package static let simulator = Dump.Kind(rawValue: "simulator")
}

/// The folder of one device of CoreSimulator: `device.plist` beside `data`, with a container for each app.
struct SimulatorDevice: DumpForm {
    let words: String? = "the folder of one simulator device"
    let innerFolders: [DumpPath] = [
        "data", "data/Containers", "data/Containers/Data", "data/Containers/Data/Application",
        "data/Containers/Shared", "data/Containers/Shared/AppGroup", "data/Applications",
    ]
    private static let device: DumpPath = "device.plist"

    /// Where containers are.
    typealias Place = (folder: DumpPath, kind: Container.Kind)

    /// Where a device has containers, what belongs to apps first; the last is where iOS 7 has them.
    static func places(_ containers: DumpPath, old: DumpPath) -> [Place] {
        [
            (containers / "Shared/AppGroup", .group), (containers / "Data/PluginKitPlugin", .plugin),
            (containers / "Data/Application", .app), (old, .app),
        ]
    }

    private static let places = places("data/Containers", old: "data/Applications")

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        let files = source.files
        guard files.hasFolder("data"),
            files.hasFile(Self.device) || Self.places.contains(where: { files.hasFolder($0.folder) })
        else { return nil }
        return .open(.simulator) { (source, control) throws(DumpError) in
            try Self.contents(of: source.files, control)
        }
    }

    private static func contents(
        of files: any DumpFiles, _ control: OpeningControl
    ) throws(DumpError) -> DumpContents {
        var device = ContainerMetadata()
        if let list = device.list(at: Self.device, in: files) {
            for (name, key, prefix) in Self.deviceKeys {
                guard let text = ContainerMetadata.text(key, in: list) else { continue }
                let value = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
                device.note(name, value, from: Self.device.text, at: Self.device)
            }
        }
        var found = try containers(in: files, at: places, facts: device.facts, control)
        found.warnings = device.warnings + found.warnings
        return found
    }

    /// The containers in a device's folders.
    static func containers(
        in files: any DumpFiles, at places: [Place], facts: Facts, _ control: OpeningControl
    ) throws(DumpError) -> DumpContents {
        var found = DumpContents(containers: [])
        var groups: [ContainerPlaces.Group] = [], extensions: [ContainerPlaces.Group] = []
        for (folder, kind) in places {
            let sharedGroups = kind == .group ? SharedContainers.none : SharedContainers(groups)
            let ownExtensions = kind == .app ? SharedContainers(extensions) : SharedContainers.none
            let shared = kind == .app ? SharedContainers(groups + extensions) : sharedGroups
            let items: [DumpItem]
            do throws(DumpError) {
                items = try files.children(of: folder)
            } catch {
                if error.problem != .notFound { found.warnings.append(DumpWarning(folder, .init(error))) }
                continue
            }
            for (position, item) in items.enumerated() {
                try control.reach(.listing, position, of: items.count)
                switch item.kind {
                case .folder where item.path.isUTF8:
                    var metadata = ContainerMetadata()
                    metadata.readContainer(at: item.path, kind: kind, in: files)
                    let container = Container(
                        metadata, kind, at: item.path, of: files, facts: facts, otherwiseNamed: item.name,
                        shared: shared,
                        // An extension's identifier begins with that of its app.
                        claimed: sharedGroups.claimed(by: metadata)
                            + (metadata.identifier.map { ownExtensions.beginning(with: $0 + ".") } ?? []),
                        unheld: .nothing)
                    found.containers.append(container)
                    let place = ContainerPlaces.Group(identifier: container.identifier, path: item.path)
                    if kind == .group { groups.append(place) }
                    if kind == .plugin { extensions.append(place) }
                case .folder: found.warnings.append(DumpWarning(item.path, .nameNotUTF8))
                case .symbolicLink(let target):
                    found.warnings.append(
                        DumpWarning(item.path, .symbolicLink(target: String(decoding: target, as: UTF8.self))))
                case .file, .other: break
                }
            }
        }
        return found
    }

    private static let deviceKeys: [(FactName, key: String, prefix: String)] = [
        (.deviceName, "name", ""), (.deviceType, "deviceType", "com.apple.CoreSimulator.SimDeviceType."),
        (.systemVersion, "runtime", "com.apple.CoreSimulator.SimRuntime."),
    ]
}
