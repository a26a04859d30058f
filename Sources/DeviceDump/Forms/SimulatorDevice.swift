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
        var all: [Found] = []
        var unknown = SharedContainers.Unknown()
        var present: Set<Container.Kind> = [], lacking: [Container.Kind: DumpPath] = [:]
        for (folder, kind) in places {
            let items: [DumpItem]
            do throws(DumpError) {
                items = try files.children(of: folder)
            } catch {
                if error.problem != .notFound { found.warnings.append(DumpWarning(folder, .init(error))) }
                if error.problem != .notFound { unknown.note(kind, "the dump lacks \(folder)") }
                lacking[kind] = lacking[kind] ?? folder
                continue
            }
            present.insert(kind)
            for (position, item) in items.enumerated() {
                try control.reach(.listing, position, of: items.count)
                switch item.kind {
                case .folder where item.path.isUTF8:
                    var metadata = ContainerMetadata()
                    metadata.readNotes(at: item.path, kind: kind, in: files)
                    all.append(Found(item: item, kind: kind, metadata: metadata))
                case .folder: found.warnings.append(DumpWarning(item.path, .nameNotUTF8))
                case .symbolicLink(let target):
                    found.warnings.append(
                        DumpWarning(item.path, .symbolicLink(target: String(decoding: target, as: UTF8.self))))
                case .file, .other: break
                }
            }
        }
        for (kind, folder) in lacking where isPart && !present.contains(kind) {
            unknown.note(kind, "the dump lacks \(folder)")
        }
        let apps = Self.name(&all, bundles, &found, &unknown, in: files)
        func listed(_ kind: Container.Kind) -> [ContainerPlaces.Group] {
            all.filter { $0.kind == kind }.map {
                .init(identifier: $0.metadata.identifier ?? $0.item.name, path: $0.item.path)
            }
        }
        let groups = SharedContainers(listed(.group), unknown: unknown), extensions = SharedContainers(listed(.plugin))
        let hasApps = all.contains { $0.kind == .app }
        for container in all {
            let (item, kind, metadata) = (container.item, container.kind, container.metadata)
            var claimed = kind == .group ? [] : groups.claimed(by: metadata, at: item.path, among: apps)
            if kind == .app, let app = metadata.identifier {
                claimed += extensions.named(after: app, at: item.path, among: apps)
            }
            found.containers.append(
                Container(
                    metadata, kind, at: item.path, of: files, facts: facts, otherwiseNamed: item.name,
                    shared: kind != .group ? groups : hasApps ? SharedContainers.none : nil, claimed: claimed,
                    apps: apps,
                    unheld: .nothing))
        }
        return found
    }

    /// A container, and what is known of it before all are read.
    private struct Found {
        let item: DumpItem
        let kind: Container.Kind
        var metadata: ContainerMetadata
    }

    /// Says of those that do not say it themselves whose they are, as far as the names of their lists tell; the apps that the device has,
    /// or may have.
    private static func name(
        _ all: inout [Found], _ bundles: AppBundles, _ found: inout DumpContents,
        _ unknown: inout SharedContainers.Unknown, in files: any DumpFiles
    ) -> AppIdentifiers {
        var known: [String] = [], likely = bundles.identifiers.map(\.text), nameless: [DumpPath] = []
        var related = Set(likely.map { Array($0.utf8) })
        for container in all where container.kind != .app {
            container.metadata.identifier.map { related.formUnion(AppIdentifiers.beginnings(of: $0)) }
        }
        for position in all.indices where all[position].kind == .app {
            let path = all[position].item.path
            if all[position].metadata.identifier == nil {
                let lists = PreferenceLists(of: path, in: files)
                if let list = lists.naming(.app) {
                    all[position].metadata.take(list, at: path, .app)
                    // Another's list may lie anywhere.
                    if !related.contains(Array(list.name.utf8)) { nameless.append(path) }
                } else {
                    likely += lists.likelyApps
                    if !lists.likelyApps.contains(where: { related.contains(Array($0.utf8)) }) { nameless.append(path) }
                }
            }
            bundles.note(in: &all[position].metadata)
            if let identifier = all[position].metadata.identifier { known.append(identifier) }
        }
        found.hasFurtherApps = bundles.hasApps(besides: known)
        let apps = AppIdentifiers(
            known, further: likely,
            others: nameless.map {
                .init(container: $0, words: "the app whose container is \($0), which does not say whose it is")
            })
        found.apps = apps
        for position in all.indices where all[position].metadata.identifier == nil && all[position].kind != .app {
            let path = all[position].item.path, kind = all[position].kind
            let lists = PreferenceLists(of: path, in: files), list = lists.naming(kind)
            // An extension is called after its app, and most groups are.
            let isRelated = list.map { apps.haveRelative(of: $0.name, kind) } ?? false
            if let list, kind == .group || isRelated { all[position].metadata.take(list, at: path, kind) }
            guard !isRelated else { continue }
            let doubt = SharedContainers.Unknown.Doubt(
                kind: kind, path: path,
                reason:
                    "the container \(path) does not say whose it is\(list == nil ? "" : ", but for the name of a list") "
                    + "(--app-group \(GroupClaims.claim(of: "GROUP", at: path)) does)")
            unknown.nameless.append(doubt)
            if kind == .plugin { for domain in lists.domains { unknown.domains[domain] = doubt } }
        }
        for container in all where container.kind == .plugin {
            guard let name = container.metadata.identifier else { continue }
            unknown.noteExtension(name, at: container.item.path, among: apps)
        }
        return apps
    }

    private static let deviceKeys: [(FactName, key: String, prefix: String)] = [
        (.deviceName, "name", ""), (.deviceType, "deviceType", "com.apple.CoreSimulator.SimDeviceType."),
        (.systemVersion, "runtime", "com.apple.CoreSimulator.SimRuntime."),
    ]
}
