import Foundation
import MigrationEngine
import StoreFormats

/// What the files around a container's stores say of it.
struct ContainerMetadata {
    /// The name of the property list that iOS puts at the top of a container.
    static let managerFile: DumpPath = ".com.apple.mobile_container_manager.metadata.plist"

    /// The facts, each with the file that says it; the first file to name a fact wins.
    private(set) var facts = Facts()
    /// Files that are unreadable, and files that disagree.
    private(set) var warnings: [DumpWarning] = []
    /// The identifier, if anything names it: a bundle's, or an app group's.
    private(set) var identifier: String?
    /// The app groups that the app may use, where iOS has noted them.
    private(set) var groups: [String]?

    /// Reads what `AppDataInfo.plist` says of the download and the app.
    mutating func readDownloadInfo(at file: DumpPath, in files: any DumpFiles) {
        guard let list = list(at: file, in: files) else { return }
        let source = "AppDataInfo.plist"
        if let identifier = Self.text("CFBundleIdentifier", in: list) {
            note(.bundleIdentifier, identifier, from: source, at: file)
        }
        if let version = Self.text("XCExecutableVersion", in: list) {
            note(.appVersion, version, from: source, at: file)
        }
        if let name = Self.text("XCApplicationName", in: list) { note(.appName, name, from: source, at: file) }
        if let date = Self.text("XCDownloadDate", in: list) { note(.downloadDate, date, from: source, at: file) }
    }

    /// Reads what iOS says of the container, and what its app says of itself where iOS 7 keeps the app there; where neither says whose
    /// it is, the names of its lists do.
    mutating func readContainer(at path: DumpPath, kind: Container.Kind, in files: any DumpFiles) {
        readNotes(at: path, kind: kind, in: files)
        readLists(at: path, kind: kind, in: files)
    }

    /// Has the names of a container's lists say whose it is, where nothing else does.
    mutating func readLists(at path: DumpPath, kind: Container.Kind, in files: any DumpFiles) {
        if identifier == nil, let list = PreferenceLists(of: path, in: files).naming(kind) {
            take(list, at: path, kind)
        }
    }

    /// Whose a container is by the class that iOS has noted for it; `nil` where it has noted none that is known.
    static func kind(ofContainerAt path: DumpPath, in files: any DumpFiles) -> Container.Kind? {
        var metadata = ContainerMetadata()
        guard let list = metadata.list(at: path / managerFile, in: files),
            let position = list.position(of: "MCMMetadataContentClass"),
            case .integer(let number)? = try? list.value(at: position)
        else { return nil }
        return [2: .app, 4: .plugin, 7: .group][number]
    }

    /// Takes the name of a container from that of a list.
    mutating func take(_ list: PreferenceLists.Named, at path: DumpPath, _ kind: Container.Kind) {
        let place = list.file.relative(to: path) ?? list.file
        note(
            kind == .group ? .groupIdentifier : .bundleIdentifier, list.name, from: "the file name \(place)",
            at: list.file)
    }

    /// Reads what iOS says of the container, and what its app says of itself where iOS 7 keeps the app there.
    mutating func readNotes(at path: DumpPath, kind: Container.Kind, in files: any DumpFiles) {
        let managerFile = path / Self.managerFile
        if let list = list(at: managerFile, in: files) {
            if let name = Self.text("MCMMetadataIdentifier", in: list) {
                let fact: FactName = kind == .group ? .groupIdentifier : .bundleIdentifier
                note(fact, name, from: "container metadata", at: managerFile)
            }
            groups = Self.groups(in: list)
        }
        noteOtherCases(at: path, in: files)
        if kind == .app { readBundle(at: path, in: files) }
    }

    /// Reads what an app that lies in its own container says of itself.
    private mutating func readBundle(at path: DumpPath, in files: any DumpFiles) {
        let bundles = ((try? files.children(of: path)) ?? []).filter { $0.kind == .folder && $0.name.hasSuffix(".app") }
        if let bundle = bundles.first, bundles.count == 1 {
            let file = bundle.path / "Info.plist"
            if let list = list(at: file, in: files) {
                let source = "\(bundle.name)/Info.plist"
                for (name, key) in Self.bundleKeys {
                    if let text = Self.text(key, in: list) { note(name, text, from: source, at: file) }
                }
            }
        }
    }

    /// Names folders whose names have lost their case, as what is in them would be missing without a word.
    private mutating func noteOtherCases(at path: DumpPath, in files: any DumpFiles) {
        for name in ["Library", "Library/Preferences"] as [DumpPath] where !files.hasFolder(path / name) {
            let folder = (path / name).parent ?? .root, wanted = name.name.lowercased()
            let other = ((try? files.children(of: folder)) ?? []).first {
                $0.kind == .folder && $0.name.lowercased() == wanted
            }
            if let other { warnings.append(DumpWarning(other.path, .otherCase(name.name))) }
        }
    }

    private static let bundleKeys: [(FactName, String)] = [
        (.bundleIdentifier, "CFBundleIdentifier"), (.appVersion, "CFBundleShortVersionString"),
        (.appName, "CFBundleName"),
    ]

    /// Takes a fact over from a file; where another file has said something else before, that stands, with a warning.
    mutating func note(_ name: FactName, _ value: String, from source: String, at file: DumpPath) {
        let fact = Fact(value, from: .metadata(source))
        if let known = facts[name] {
            if known.value != value {
                warnings.append(DumpWarning(file, .contradiction(name, used: known, other: fact)))
            }
            return
        }
        facts[name] = fact
        if name == .bundleIdentifier || name == .groupIdentifier { identifier = identifier ?? value }
    }

    /// The metadata files are small; a larger one is not what it claims to be.
    private static let limit = 16 << 20

    /// A property list, or `nil` where it is not there; unreadable is a warning.
    mutating func list(at file: DumpPath, in files: any DumpFiles) -> PropertyListFile? {
        do throws(DumpError) {
            let data = try files.bytes(at: file, limit: Self.limit)
            do throws(FormatError) {
                return try PropertyListFile(data)
            } catch {
                warnings.append(DumpWarning(file, .unreadable(Unreadable(error, in: file.text))))
            }
        } catch {
            if error.problem != .notFound { warnings.append(DumpWarning(file, .init(error))) }
        }
        return nil
    }

    /// The text under a key, where it is text and not empty.
    static func text(_ key: String, in list: PropertyListFile) -> String? {
        guard let position = list.position(of: Name(key)), let text = try? list.value(at: position).string,
            !text.isEmpty
        else { return nil }
        return text
    }

    /// The app groups that the metadata of a container lists; `nil` where it says nothing of them.
    private static func groups(in list: PropertyListFile) -> [String]? {
        guard let position = list.position(of: "MCMMetadataInfo"), let info = try? list.value(at: position).members
        else { return nil }
        let key: Name = "com.apple.MobileInstallation.GroupContainerIDs"
        switch info[key] {
        case .array(let names)?: return names.compactMap(\.string)
        // A map of the groups to the paths of their containers.
        case .dictionary(let places)?: return places.map(\.key.text)
        default: return nil
        }
    }
}

extension FactName {
    /// The app's name as its developer wrote it.
    package static let appName: FactName = "appName"
    /// The app group's identifier, in an app group's container.
    package static let groupIdentifier: FactName = "groupIdentifier"
    /// When the dump was made, in the form that its metadata has.
    package static let downloadDate: FactName = "downloadDate"
    /// The simulator's name.
    package static let deviceName: FactName = "deviceName"
    /// The simulator's model.
    package static let deviceType: FactName = "deviceType"
}
