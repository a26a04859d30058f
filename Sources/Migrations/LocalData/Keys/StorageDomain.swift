/// Where the value of a key is kept.
public enum StorageDomain: Hashable, Sendable {
    /// A UserDefaults domain: a suite, or the app's own.
    case userDefaults(suite: String?)
    /// The UserDefaults domain of an app group, or of the configuration's.
    case appGroupUserDefaults(group: String? = nil)
    /// The items of a keychain service, or of the configuration's, with the name as the account.
    case keychain(service: String?)
    /// A file in a directory.
    case fileSystem(directory: FileDirectory)
    /// A sealed file in a directory.
    case encryptedFileSystem(directory: FileDirectory)
    /// A file in a directory of an app group, or of the configuration's.
    case appGroupFileSystem(group: String? = nil, directory: FileDirectory)
}

/// A directory of a container.
public enum FileDirectory: Hashable, Sendable {
    /// `Documents`.
    case documents
    /// `Library/Caches`.
    case caches
    /// `Library/Application Support`.
    case applicationSupport

    /// The name of the store.
    var store: String {
        switch self {
        case .documents: "Documents"
        case .caches: "Caches"
        case .applicationSupport: "AppSupport"
        }
    }
}
