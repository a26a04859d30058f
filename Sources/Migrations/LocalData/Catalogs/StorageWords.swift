import MigrationEngine
import Sealing

extension StorageError {
    /// How a step ends with this error.
    var stop: StepStop {
        switch self {
        case .copiesDiffer: .conflict("target-differs", description)
        case .unreadable(let address, let reason): .unreadable(address, reason)
        case .notConfigured(_, let fact), .factMissing(let fact): .missing([fact])
        case .keyMaterialMissing: .blocked("key-material-missing", description)
        case .nativeValue: .failed("wrong-type", description)
        case .sealed(_, let error): .failed("sealed-\(error.code)", description)
        case .cannotDecode: .failed("cannot-decode", description)
        case .cannotEncode: .failed("cannot-encode", description)
        case .transformationFailed: .failed("transformation-failed", description)
        case .sourceMissing: .failed("field-missing", description)
        case .sourceIsDestination: .failed("source-is-destination", description)
        case .typesDiffer: .failed("wrong-type", description)
        case .notFound: .skipped("absent", description)
        case .migrationFailed: .failed("migration-failed", description)
        case .storeFailed: .failed("store-failed", description)
        case .unregisteredKey, .duplicateKey, .missingDescription, .securityDoesNotFit, .invalidName:
            .failed("catalog-invalid", description)
        }
    }
}

extension SealError {
    /// A stable code in lower case with hyphens.
    fileprivate var code: String {
        switch self {
        case .notSealed: "not"
        case .unknownVersion: "unknown-version"
        case .damaged: "damaged"
        case .wrongKey: "wrong-key"
        case .notAuthentic: "not-authentic"
        case .overLimit: "over-limit"
        case .invalidParameters: "invalid-parameters"
        }
    }
}

extension MigrationResult {
    /// How a step ends with this result where nothing changes.
    func stop(of key: String) -> StepStop {
        let said = message.map { "\(key): \($0)" } ?? "the migration of \(key) has nothing to do"
        return switch kind {
        case .nothingToMigrate: .skipped("absent", "\(key) is neither at its new place nor at an old one")
        case .alreadyMigrated: .skipped("absent", "\(key) is at its new place, and there is no old copy")
        case .declined: .skipped("condition-not-met", said)
        case .noMigration: .skipped("no-migration", said)
        case .migrated, .copiesEqual, .unspecified: .skipped("nothing-to-do", said)
        }
    }
}

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
