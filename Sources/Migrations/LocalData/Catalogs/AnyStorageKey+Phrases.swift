extension StorageDomain {
    /// The domain in a phrase.
    var phrase: String {
        switch self {
        case .userDefaults(let suite): "UserDefaults (\(suite ?? "the app’s own"))"
        case .appGroupUserDefaults(let group): "UserDefaults of app group (\(group ?? "the configured one"))"
        case .keychain(let service): "keychain (\(service ?? "the configured service"))"
        case .fileSystem(let directory): "file (\(directory.store))"
        case .encryptedFileSystem(let directory): "encrypted file (\(directory.store))"
        case .appGroupFileSystem(let group, let directory):
            "file of app group (\(group ?? "the configured one"), \(directory.store))"
        }
    }
}

extension StorageSecurity {
    /// The security in a phrase.
    var phrase: String {
        switch self {
        case .none: "none"
        case .keychain(let accessibility, let control):
            "\(accessibility)" + (control.map { ", \($0)" } ?? "")
        case .encrypted(let policy): "\(policy.cipher), \(policy.derivation)"
        }
    }
}

extension AnyStorageKey {
    /// The form of its value in a phrase.
    var form: String { "\(valueType) as \(serializer), security: \(security.phrase)" }
}
