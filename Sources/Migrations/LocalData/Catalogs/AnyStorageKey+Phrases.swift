import MigrationEngine

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

    /// Whether an address is where this key would be under some configuration.
    func mayBe(at address: Address) -> Bool {
        guard let path = address.key else { return false }
        let name = address.store.name
        switch domain {
        case .userDefaults(let given), .appGroupUserDefaults(let given):
            return address.store.kind == .defaults && path == self.name && given ?? name == name
        case .keychain(let service):
            return address.store.kind == .keychain && path == self.name && service ?? name == name
        case .fileSystem(let directory), .appGroupFileSystem(_, let directory):
            return isFile(path, of: address.store, in: directory, ending: "")
        case .encryptedFileSystem(let directory):
            return isFile(path, of: address.store, in: directory, ending: ".sealed")
        }
    }

    private func isFile(_ path: String, of store: StoreID, in directory: FileDirectory, ending: String) -> Bool {
        guard store.kind == .file, store.name == directory.store || store.name.hasSuffix("/\(directory.store)") else {
            return false
        }
        return path == name + ending || path.hasSuffix("/\(name)\(ending)")
    }
}
