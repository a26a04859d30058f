import MigrationEngine
import Sealing

/// Why a value cannot be read, written or migrated; nothing has changed.
public enum StorageError: Error, Hashable, Sendable {
    /// There is no value, here or where it was before; and what there is to say of its migration.
    case notFound(key: String, advice: String?)
    /// The key is in no registered catalog.
    case unregisteredKey(String)
    /// A registered key has this name already.
    case duplicateKey(String)
    /// A key has no description.
    case missingDescription(String)
    /// The security does not fit the domain.
    case securityDoesNotFit(key: String, reason: String)
    /// The name names no entry.
    case invalidName(String)
    /// A process-wide default is not given.
    case notConfigured(key: String, fact: FactName)
    /// The source and the destination are the same entry.
    case sourceIsDestination(key: String, Address)
    /// A key is of another type than is wanted.
    case typesDiffer(key: String, is: String, wanted: String)
    /// There is, or may be, a value, and it cannot be read.
    case unreadable(Address, Unreadable)
    /// The value was not written by LocalData: it is not data.
    case nativeValue(Address, is: String)
    /// The value is sealed and cannot be opened, or cannot be sealed.
    case sealed(Address, SealError)
    /// The key material is not there.
    case keyMaterialMissing(String)
    /// The value cannot be turned into bytes.
    case cannotEncode(key: String, reason: String)
    /// The bytes are no value of the key's type.
    case cannotDecode(Address, reason: String)
    /// A source that is needed is not there, while others are.
    case sourceMissing(String)
    /// The sources do not make a value.
    case transformationFailed(String)
    /// The old and the new place hold different values.
    case copiesDiffer(key: String, new: Address, old: [Address])
    /// A migration of one's own failed.
    case migrationFailed(key: String, reason: String)
    /// A migration needs to know something that nobody gave.
    case factMissing(FactName)
    /// The stores refused the changes.
    case storeFailed(String)
}

extension StorageError: CustomStringConvertible {
    /// What happened, why, and what the person can do.
    public var description: String {
        switch self {
        case .notFound(let key, let advice): "\(key) is not stored" + (advice.map { "; \($0)" } ?? "")
        case .unregisteredKey(let key): "\(key) is in no registered catalog: add it to one"
        case .duplicateKey(let key): "\(key) is registered already: a name may stand once in all catalogs"
        case .missingDescription(let key): "\(key) has no description: say what it is"
        case .securityDoesNotFit(let key, let reason): "the security of \(key) does not fit its domain: \(reason)"
        case .invalidName(let name): "“\(name)” cannot be the name of an entry"
        case .notConfigured(let key, let fact): "\(key) needs \(fact), which is not known"
        case .sourceIsDestination(let key, let address):
            "\(key) would be moved from \(address) to the same place, and be lost"
        case .typesDiffer(let key, let type, let wanted): "\(key) is of the type \(type), where \(wanted) is wanted"
        case .unreadable(let address, let reason): "\(address) cannot be read: \(reason.explanation)"
        case .nativeValue(let address, let type):
            "\(address) is \(type), where LocalData writes data: other code wrote it, and it is left as it is"
        case .sealed(let address, let error): "\(address): \(error)"
        case .keyMaterialMissing(let source): "the key material is not there: \(source)"
        case .cannotEncode(let key, let reason): "\(key) cannot be written: \(reason)"
        case .cannotDecode(let address, let reason): "\(address) does not hold what its key says: \(reason)"
        case .sourceMissing(let key): "\(key) is not stored, and the new value cannot be made without it"
        case .transformationFailed(let reason): "the old value does not make a new one: \(reason)"
        case .copiesDiffer(let key, let new, let old):
            """
            \(key) is at its new place, \(new), and still at the old one, \
            \(old.map(\.description).joined(separator: " and ")), and they differ; both are left as they are
            """
        case .migrationFailed(let key, let reason): "the migration of \(key) failed: \(reason)"
        case .factMissing(let fact): "\(fact) is not known"
        case .storeFailed(let reason): "the stores refused: \(reason)"
        }
    }
}
