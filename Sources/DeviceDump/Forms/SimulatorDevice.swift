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
        var identifier: [String] = []
        if let list = device.list(at: Self.device, in: files) {
            identifier = ContainerMetadata.text("UDID", in: list).map(NameLikeness.devices) ?? []
            for (name, key, prefix) in Self.deviceKeys {
                guard let text = ContainerMetadata.text(key, in: list) else { continue }
                let value = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
                device.note(name, value, from: Self.device.text, at: Self.device)
            }
        }
        var found = try containers(
            in: files, at: places, bundles: ["data/Containers/Bundle/Application"], facts: device.facts, control)
        found.warnings = device.warnings + found.warnings
        found.devices = identifier
        return found
    }

    /// The containers in a device's folders.
    ///
    /// - Parameters:
    ///   - bundles: Where the device has the apps themselves, which say what they are called.
    ///   - isPart: Whether folders of containers may be left out of what was copied.
    static func containers(
        in files: any DumpFiles, at places: [Place], bundles: [DumpPath], facts: Facts, isPart: Bool = false,
        _ control: OpeningControl
    ) throws(DumpError) -> DumpContents {
        let bundles = try AppBundles(in: files, at: bundles, control)
        var found = DumpContents(containers: [], warnings: bundles.warnings)
        var all: [(item: DumpItem, kind: Container.Kind, metadata: ContainerMetadata)] = []
        var unknown = SharedContainers.Unknown()
        for (folder, kind) in places {
            let items: [DumpItem]
            do throws(DumpError) {
                items = try files.children(of: folder)
            } catch {
                if error.problem != .notFound { found.warnings.append(DumpWarning(folder, .init(error))) }
                if isPart || error.problem != .notFound { unknown.note(kind, "the dump lacks \(folder)") }
                continue
            }
            for (position, item) in items.enumerated() {
                try control.reach(.listing, position, of: items.count)
                switch item.kind {
                case .folder where item.path.isUTF8:
                    var metadata = ContainerMetadata()
                    metadata.readContainer(at: item.path, kind: kind, in: files)
                    if kind == .app { bundles.note(in: &metadata) }
                    if metadata.identifier == nil {
                        unknown.note(kind, "the container \(item.path) does not say whose it is")
                        if kind == .group { unknown.hasNamelessGroups = true }
                        if kind == .plugin { unknown.domains.formUnion(Self.domains(of: item.path, in: files)) }
                    }
                    all.append((item, kind, metadata))
                case .folder: found.warnings.append(DumpWarning(item.path, .nameNotUTF8))
                case .symbolicLink(let target):
                    found.warnings.append(
                        DumpWarning(item.path, .symbolicLink(target: String(decoding: target, as: UTF8.self))))
                case .file, .other: break
                }
            }
        }
        // What apps share is known once all were read.
        let identifiers = all.filter { $0.kind == .app }.compactMap(\.metadata.identifier),
            apps = AppIdentifiers(identifiers)
        found.hasFurtherApps = bundles.hasApps(besides: identifiers)
        func listed(_ kind: Container.Kind) -> [ContainerPlaces.Group] {
            all.filter { $0.kind == kind }.map {
                .init(identifier: $0.metadata.identifier ?? $0.item.name, path: $0.item.path)
            }
        }
        let groups = SharedContainers(listed(.group), unknown: unknown), extensions = SharedContainers(listed(.plugin))
        for (item, kind, metadata) in all {
            var claimed = kind == .group ? [] : groups.claimed(by: metadata, among: apps)
            if kind == .app, let app = metadata.identifier {
                claimed += extensions.named(after: app, among: apps)
            }
            found.containers.append(
                Container(
                    metadata, kind, at: item.path, of: files, facts: facts, otherwiseNamed: item.name,
                    shared: kind == .group ? SharedContainers.none : groups, claimed: claimed, apps: apps,
                    unheld: .nothing))
        }
        return found
    }

    /// The domains that a container has.
    private static func domains(of container: DumpPath, in files: any DumpFiles) -> [[UInt8]] {
        let folder = container / ContainerPlaces.preferencesFolder
        return ((try? files.children(of: folder)) ?? []).compactMap { item in
            ContainerPlaces.domain(ofFile: item.path, in: folder).map { Array($0) }
        }
    }

    private static let deviceKeys: [(FactName, key: String, prefix: String)] = [
        (.deviceName, "name", ""), (.deviceType, "deviceType", "com.apple.CoreSimulator.SimDeviceType."),
        (.systemVersion, "runtime", "com.apple.CoreSimulator.SimRuntime."),
    ]
}

extension SharedContainers.Unknown {
    /// Keeps the first reason why there may be others of a kind.
    mutating func note(_ kind: Container.Kind, _ reason: String) {
        switch kind {
        case .group: groups = groups ?? reason
        case .plugin: extensions = extensions ?? reason
        default: break
        }
    }
}
