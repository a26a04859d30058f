import Foundation
import MigrationEngine
import Sealing
import StoreFormats

/// The defaults of a process, which keys fall back on: the same key names different bytes under different ones.
public struct StorageConfiguration: Sendable {
    /// The UserDefaults domain of a key without a suite: the app's bundle identifier.
    public var suite: String?
    /// The keychain service of a key without one.
    public var service: String?
    /// The app group of a key without one.
    public var group: String?
    /// The folder that files are in within their directory.
    public var subdirectory: String?
    /// Key material by name, for ``KeyMaterialSource/given(_:)``.
    public var keyMaterial: [String: Data]

    /// Makes a configuration.
    public init(
        suite: String? = nil, service: String? = nil, group: String? = nil, subdirectory: String? = nil,
        keyMaterial: [String: Data] = [:]
    ) {
        self.suite = suite
        self.service = service
        self.group = group
        self.subdirectory = subdirectory
        self.keyMaterial = keyMaterial
    }

    /// The configuration that facts give.
    public init(facts: Facts, keyMaterial: [String: Data] = [:]) {
        self.init(
            suite: facts[.bundleIdentifier]?.value, service: facts[.keychainService]?.value,
            group: facts[.appGroup]?.value, subdirectory: facts[.storageDirectory]?.value, keyMaterial: keyMaterial)
    }
}

extension StorageConfiguration {
    /// Where the value of a key lies. The layout is this library's own, version 1:
    ///
    /// | domain | entry | content |
    /// |---|---|---|
    /// | UserDefaults | the key's name | Data: the serialized bytes |
    /// | keychain | service, the name as account | the serialized bytes, with `pdmn` and, where named, `accc` |
    /// | files | `‹sub-directory›/‹name›` | the serialized bytes |
    /// | sealed files | `‹sub-directory›/‹name›.sealed` | the serialized bytes, sealed |
    /// | app group files | the same in the store `‹group›/‹directory›` | the serialized bytes |
    ///
    /// Sealed bytes are in the layout of `SealHeader`, with the algorithm, the salt and a digest; they are sealed for
    /// their address, and open at no other.
    ///
    /// - Throws: ``StorageError/notConfigured(key:fact:)``, ``StorageError/invalidName(_:)``.
    func address(of key: StorageKeyIdentity) throws(StorageError) -> Address {
        let (name, domain) = (key.name, key.domain)
        guard !name.isEmpty, !name.contains("\0") else { throw .invalidName(name) }
        switch domain {
        case .userDefaults(let suite):
            return .defaults(try Name(given(suite ?? self.suite, name, .bundleIdentifier)), Name(name))
        case .appGroupUserDefaults(let group):
            return .defaults(try Name(given(group ?? self.group, name, .appGroup)), Name(name))
        case .keychain(let service):
            return Address(
                store: .keychain(try Name(given(service ?? self.service, name, .keychainService))), key: Name(name))
        case .fileSystem(let directory):
            return Address(store: .files(Name(directory.store)), key: try Name(path(name)))
        case .encryptedFileSystem(let directory):
            return Address(store: .files(Name(directory.store)), key: try Name(path(name) + ".sealed"))
        case .appGroupFileSystem(let group, let directory):
            let group = try given(group ?? self.group, name, .appGroup)
            return Address(store: .files("\(group)/\(directory.store)"), key: try Name(path(name)))
        }
    }

    private func given(_ value: String?, _ key: String, _ fact: FactName) throws(StorageError) -> String {
        guard let value, !value.isEmpty else { throw .notConfigured(key: key, fact: fact) }
        return value
    }

    /// The path of a file; no name leads out of its directory.
    private func path(_ name: String) throws(StorageError) -> String {
        let path = [subdirectory, name].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "/")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else { throw .invalidName(path) }
        return path
    }
}

extension FactName {
    /// The app group that keys fall back on.
    public static let appGroup: FactName = "appGroup"
    /// The folder that LocalData's files are in within their directory.
    public static let storageDirectory: FactName = "storageDirectory"
    /// The device's model, such as `iPhone15,2`.
    public static let deviceModel: FactName = "deviceModel"
}
