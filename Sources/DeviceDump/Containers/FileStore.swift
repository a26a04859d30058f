/// The folders of a container whose files are entries, each a store of its own.
enum FileStore: String, CaseIterable, Sendable {
    case appSupport = "AppSupport"
    case documents = "Documents"
    case caches = "Caches"
    case temporary = "tmp"
    case library = "Library"

    /// The folder, relative to the container.
    var folder: String {
        switch self {
        case .appSupport: "Library/Application Support"
        case .documents: "Documents"
        case .caches: "Library/Caches"
        case .temporary: "tmp"
        case .library: "Library"
        }
    }

    /// Folders in it that belong to other stores.
    var excluded: Set<String> {
        self == .library ? ["Library/Application Support", "Library/Caches"] : []
    }

    /// Whether a path in the folder is an entry of this store and not of another one.
    func owns(_ key: String) -> Bool {
        guard let path = RelativePath(key), let first = path.parts.first else { return false }
        guard self == .library else { return true }
        switch first {
        case "Application Support", "Caches": return false
        case "Preferences": return path.parts.count > 1 && Domain(file: key) == nil
        default: return true
        }
    }
}

/// The name of a UserDefaults domain; it may have slashes, as some live in folders of their own.
struct Domain {
    /// The name.
    let name: String

    /// The folder of a container that domains are in.
    static let folder = "Library/Preferences"
    private static let ending = ".plist"

    /// The domain of a file of `Library`, as in `Preferences/com.acme.notes.plist`; `nil` for any other file.
    init?(file: String) {
        let start = "Preferences/"
        guard file.hasPrefix(start), file.hasSuffix(Self.ending) else { return nil }
        let name = String(file.dropFirst(start.count).dropLast(Self.ending.count))
        guard !name.isEmpty, !name.hasSuffix("/") else { return nil }
        self.name = name
    }

    /// The file of a domain, relative to the container; `nil` where the name can be no file's.
    static func file(of name: String) -> String? {
        guard !name.isEmpty, RelativePath(name) != nil else { return nil }
        return folder + "/" + name + ending
    }
}
