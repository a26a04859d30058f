import Foundation
import MigrationEngine
import StoreFormats

extension Dump.Kind {
    /// The file system of a device, as a tool has copied it.
    package static let fileSystem = Dump.Kind(rawValue: "file-system")
}

/// The file system of a device, or the part of it that has the containers of apps, groups or extensions.
///
/// Tools name what is above differently, and some leave parts of it out, so the folder is known by what is below it.
struct FileSystem: DumpForm {
    var words: String? { isSearching ? nil : "a device's full file system" }
    /// Whether the folder is looked for, where it is at no place that is known; last of all, as others have such folders.
    var isSearching = false
    let innerFolders: [DumpPath] = known.flatMap { home in
        (["", "/Data", "/Data/Application", "/Shared", "/Shared/AppGroup"]).compactMap { DumpPath("Containers" + $0) }
            .map { home / $0 }
    }
    /// What tools put above the root of a disk, where they copy several.
    private static let roots: [DumpPath] = ["", "filesystem1", "filesystem2"]
    /// Where the folder is below that; others are looked for.
    private static let homes: [DumpPath] = ["private/var/mobile", "var/mobile", "mobile", ""]
    private static let known: [DumpPath] = roots.flatMap { root in homes.map { root / $0 } }
    private static let apps: DumpPath = "Data/Application"
    private static let applications = "Containers" / apps

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard source.loneFile == nil else { return nil }
        let folders = folders(in: source.files)
        guard !folders.isEmpty else { return nil }
        // Found at places that no tool has, they are several devices.
        if isSearching, folders.count > 1 {
            throw source.several(folders.map { source.location.path + "/" + Self.home(of: $0).text })
        }
        return .open(.fileSystem) { (source, control) throws(DumpError) in
            var device = ContainerMetadata()
            let containers = self.folders(in: source.files), homes = containers.map(Self.home)
            for folder in Self.roots {
                let file = folder / "System/Library/CoreServices/SystemVersion.plist"
                if let list = device.list(at: file, in: source.files),
                    let version = ContainerMetadata.text("ProductVersion", in: list)
                {
                    device.note(.systemVersion, version, from: file.text, at: file)
                }
            }
            // A tool that copies several disks may have the apps on one and their groups on the other.
            var contents = try SimulatorDevice.containers(
                in: source.files,
                at: containers.flatMap { SimulatorDevice.places($0, old: Self.home(of: $0) / "Applications") },
                // Since iOS 9 beside the home, before in it.
                bundles: (Self.known + homes.filter { !Self.known.contains($0) }).flatMap { home in
                    [(home.parent ?? .root) / "containers/Bundle/Application", home / "Containers/Bundle/Application"]
                }, facts: device.facts, isPart: true, control)
            for home in homes where contents.keychain == nil {
                contents.keychain = try Self.keychain(near: home, in: source.files, control)
            }
            contents.warnings += device.warnings
            let others = Self.others(besides: homes, in: source.files).map { source.location.path + "/" + $0.text }
            if !others.isEmpty { contents.warnings.append(DumpWarning("", .passedOver(others.sorted()))) }
            return contents
        }
    }

    /// The folders beside those that are read, under names that no tool gives, in which there is one too.
    private static func others(besides homes: [DumpPath], in files: any DumpFiles) -> [DumpPath] {
        let beside = ((try? files.children(of: .root, limit: 100)) ?? []).filter { $0.kind == .folder }
        return (beside.map(\.path) + ["System/Volumes/Data"]).filter { folder in
            Self.homes.contains { home in
                !homes.contains(folder / home) && files.hasFolder(folder / home / applications)
            }
        }
    }

    /// What the folder of containers is in; a tool may have put its own name in place of its.
    private static func home(of containers: DumpPath) -> DumpPath {
        containers.name == "Containers" ? containers.parent ?? .root : containers
    }

    /// The folders of containers.
    private func folders(in files: any DumpFiles) -> [DumpPath] {
        let places = Self.known.map { $0 / "Containers" }
        func hasShared(_ folder: DumpPath) -> Bool {
            files.hasFolder(folder / "Shared/AppGroup") || files.hasFolder(folder / "Data/PluginKitPlugin")
        }
        let found = places.filter { files.hasFolder($0 / Self.apps) || hasShared($0) }
        guard found.isEmpty, isSearching else { return found }
        // Breadth first, as it lies near the top; a folder of something else is not searched through.
        var level: [DumpPath] = [.root], looked = 0
        for _ in 0..<6 {
            var next: [DumpPath] = [], found: [DumpPath] = []
            for folder in level {
                guard looked < 500 else { return found }
                looked += 1
                let below = ((try? files.children(of: folder, limit: 1000)) ?? []).filter { $0.kind == .folder }
                if below.contains(where: { $0.name == "Containers" }), files.hasFolder(folder / Self.applications) {
                    found.append(folder / "Containers")
                } else if below.contains(where: { $0.name == "Data" }), files.hasFolder(folder / Self.apps),
                    hasShared(folder)
                {
                    found.append(folder)
                }
                next += below.map(\.path)
            }
            if !found.isEmpty { return found }
            level = next
        }
        return []
    }

    /// The device's own keychain, which only the device opens.
    private static func keychain(
        near home: DumpPath, in files: any DumpFiles, _ control: OpeningControl
    ) throws(DumpError) -> FoundKeychain? {
        let name: DumpPath = "Keychains/keychain-2.db"
        guard let above = home.parent ?? (home.isRoot ? .root : nil) else { return nil }
        for file in [above / name, home / name] where files.hasFile(file) {
            do throws(DumpError) {
                let export = KeychainExport(try DeviceKeychain(file, in: files, control))
                return .locked(KeychainFile(.inDump(file), isGiven: false, export: export, file: file, of: files))
            } catch {
                if error.problem == .cancelled { throw error }
                switch error.problem {
                // What is none, or could not be looked at, says nothing of the device.
                case .brokenDatabase(DatabaseFile.isNone), .inaccessible, .tooManyRows, .noCopy:
                    return .unreadable(file, Unreadable(error, ofDatabase: file.text))
                default: break
                }
            }
            let reason =
                "\(file) is the device's own keychain, which only the device opens; an export of it tells what is in it"
            return .unreadable(file, Unreadable(.locked, reason))
        }
        return nil
    }
}
