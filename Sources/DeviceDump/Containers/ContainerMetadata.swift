import Foundation
import MigrationEngine
import StoreFormats

/// What the files around a container's stores say of it.
struct ContainerMetadata {
    /// The name of the property list that iOS puts at the top of a container.
    static let managerFile = ".com.apple.mobile_container_manager.metadata.plist"

    /// The facts, each with the file that says it; the first file to name a fact wins.
    private(set) var facts = Facts()
    /// Files that are unreadable, and files that disagree.
    private(set) var warnings: [DumpWarning] = []
    /// The identifier, if anything names it: a bundle's, or an app group's.
    private(set) var identifier: String?

    /// Reads what `AppDataInfo.plist` says of the download and the app.
    mutating func readDownloadInfo(at file: String, in root: DumpFolder) {
        guard let list = list(at: file, in: root) else { return }
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

    /// Reads what iOS says of the container, and what its app says of itself where iOS 7 keeps the app there.
    mutating func readContainer(at path: String, kind: Container.Kind, in root: DumpFolder) {
        let managerFile = RelativePath.join(path, Self.managerFile)
        if let list = list(at: managerFile, in: root), let name = Self.text("MCMMetadataIdentifier", in: list) {
            note(
                kind == .group ? .groupIdentifier : .bundleIdentifier, name, from: "container metadata", at: managerFile
            )
        }
        guard kind == .app else { return }
        let bundles = ((try? root.children(of: path)) ?? []).filter { $0.kind == .folder && $0.name.hasSuffix(".app") }
        if let bundle = bundles.first, bundles.count == 1 {
            let file = bundle.path + "/Info.plist"
            if let list = list(at: file, in: root) {
                let source = "\(bundle.name)/Info.plist"
                for (name, key) in Self.bundleKeys {
                    if let text = Self.text(key, in: list) { note(name, text, from: source, at: file) }
                }
            }
        }
        guard facts[.bundleIdentifier] == nil else { return }
        if let (identifier, file) = Self.identifierOfPreferences(in: root, at: path) {
            note(.bundleIdentifier, identifier, from: "the file name \(file)", at: RelativePath.join(path, file))
        }
    }

    private static let bundleKeys: [(FactName, String)] = [
        (.bundleIdentifier, "CFBundleIdentifier"), (.appVersion, "CFBundleShortVersionString"),
        (.appName, "CFBundleName"),
    ]

    /// Takes a fact over from a file; where another file has said something else before, that stands, with a warning.
    mutating func note(_ name: FactName, _ value: String, from source: String, at file: String) {
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
    mutating func list(at file: String, in root: DumpFolder) -> PropertyListFile? {
        do {
            let data = try root.read(file, limit: Self.limit)
            do {
                return try PropertyListFile(data)
            } catch {
                warnings.append(DumpWarning(file, .unreadable(Unreadable(error, in: file))))
            }
        } catch {
            if error.problem != .notFound { warnings.append(DumpWarning(file, .init(error, in: root))) }
        }
        return nil
    }

    /// The text under a key, where it is text and not empty.
    static func text(_ key: String, in list: PropertyListFile) -> String? {
        guard let position = list.position(of: Name(key)), let text = try? list.value(at: position).string, !text.isEmpty
        else { return nil }
        return text
    }

    /// The bundle identifier that the file names of the preferences suggest, with the file: the only one that is not
    /// Apple's, or the one that all others extend, as suites do.
    private static func identifierOfPreferences(in root: DumpFolder, at path: String) -> (String, file: String)? {
        let items = (try? root.children(of: RelativePath.join(path, Domain.folder))) ?? []
        let names = items.compactMap { $0.kind == .file ? Domain(file: "Preferences/" + $0.name)?.name : nil }
            .filter { isReverseDomainName($0) && !$0.hasPrefix("com.apple.") }
        guard let shortest = names.min(by: { $0.utf8.count < $1.utf8.count }),
            names.allSatisfy({ $0 == shortest || $0.hasPrefix(shortest + ".") }), let file = Domain.file(of: shortest)
        else { return nil }
        return (shortest, file)
    }

    /// Whether a name has the form of a bundle identifier: two or more parts of letters, digits, `-` and `_`.
    static func isReverseDomainName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
                    }
            }
    }
}

extension FactName {
    /// The app's name as its developer wrote it.
    public static let appName: FactName = "appName"
    /// The app group's identifier, in an app group's container.
    public static let groupIdentifier: FactName = "groupIdentifier"
    /// When the dump was made, in the form that its metadata has.
    public static let downloadDate: FactName = "downloadDate"
    /// The simulator's name.
    public static let deviceName: FactName = "deviceName"
    /// The simulator's model.
    public static let deviceType: FactName = "deviceType"
    /// The operating system and its version.
    public static let systemVersion: FactName = "systemVersion"
}
