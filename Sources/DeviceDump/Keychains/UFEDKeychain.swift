import Crypto
import Foundation
import MigrationEngine
import StoreFormats

/// What UFED writes (`backup_keychain_v2.plist`): each item as the device has it encrypted, with the keys that open it.
///
/// The key of its class opens the key of its attributes, that opens the attributes; the key of the secret is there by
/// itself. Each piece is an archive with the encrypted bytes, their tag and the first vector of AES-GCM.
struct UFEDKeychain: KeychainForm {
    static let name = "UFED keychain backup"
    static let isNeverEmpty = true
    static let words = "UFED's backup_keychain_v2.plist"
    static let refusal: String? =
        "UFED's keychain backup is read and not written; roll back the steps that change it, or give "
        + "another export of the keychain that they are applied with"
    static let attributes: Set<Name>? = nil

    private(set) var items: [KeychainExport.Item] = []
    private(set) var problems: [KeychainExport.Problem] = []

    static func isWritten(in format: SniffedFormat?) -> Bool { PropertyListKeychain.isWritten(in: format) }

    /// A property list may have its marks anywhere.
    static func isMarked(_ head: Data) -> Bool { true }

    init(_ data: Data) throws(KeychainError) {
        var entries: [Value]?, keys = Members()
        do throws(FormatError) {
            let list = try PropertyListFile(data)
            if let place = list.position(of: "keychainEntries"), case .array(let found) = try list.value(at: place) {
                entries = found
            }
            if let place = list.position(of: "classKeyIdxToUnwrappedMetadataClassKey") {
                keys = try list.value(at: place).members ?? keys
            }
        } catch {
            throw KeychainError(.malformed(error))
        }
        guard let entries else { throw KeychainError(.notAnExport) }
        guard entries.count <= KeychainExport.itemLimit else {
            throw KeychainError(.tooManyItems(limit: KeychainExport.itemLimit))
        }
        for (position, entry) in entries.enumerated() {
            guard let members = entry.members else {
                problems.append(.init(place: "entry \(position + 1)", reason: "it is not a dictionary"))
                continue
            }
            if members["rawData"] != nil, members["data"] == nil {
                let reason = "the tool that made the export could not open it"
                problems.append(.init(place: "entry \(position + 1)", reason: reason))
                continue
            }
            do throws(Failure) {
                items.append(try Self.item(members, keys))
            } catch {
                problems.append(.init(place: "entry \(position + 1)", reason: error.words))
            }
        }
    }

    private struct Failure: Error { let words: String }

    private static func item(_ entry: Members, _ keys: Members) throws(Failure) -> KeychainExport.Item {
        guard let metadata = entry["metadata"]?.members, let data = entry["data"]?.members else {
            throw Failure(words: "it lacks its attributes or its secret")
        }
        guard case .integer(let index)? = entry["classKeyIdx"], let key = keys[Name("\(index)")]?.data else {
            throw Failure(words: "the key of its class is not in the export")
        }
        guard let metadataKey = open(metadata["wrappedKey"], with: key),
            let attributes = open(metadata["ciphertext"], with: metadataKey)
        else { throw Failure(words: "its attributes are not opened by its keys") }
        var members = try self.members(attributes)
        let kind =
            entry["table"]?.string.flatMap(KeychainExport.Item.Kind.init(rawValue:))
            ?? (members["srvr"] != nil ? .internet : .generic)
        var item = PropertyListKeychain.item(of: kind, members)
        guard let secretKey = data["unwrappedKey"]?.data else {
            item.secret = .failure(KeychainExport.locked)
            return item
        }
        guard let secret = open(data["ciphertext"], with: secretKey) else {
            item.secret = .failure(KeychainExport.corrupt("it is not opened by its key"))
            return item
        }
        members = try self.members(secret)
        switch members[KeychainItem.dataKey] {
        case .data(let data)?: item.secret = .success(data)
        case .string(let text)?: item.secret = .success(Data(text.utf8))
        default: item.secret = .success(Data())
        }
        return item
    }

    private static func members(_ data: Data) throws(Failure) -> Members {
        do throws(KeychainAttributes.Damage) { return try KeychainAttributes.read(data) } catch {
            throw Failure(words: error.words)
        }
    }

    /// What an archived `_SFAuthenticatedCiphertext` holds, opened.
    private static func open(_ value: Value?, with key: Data) -> Data? {
        guard let data = value?.data, key.count == 32, let archive = try? BinaryPropertyList(data).value(),
            case .object(let object)? = try? KeyedArchive.decode(archive),
            let cipher = object.fields["SFCiphertext"]?.data, let tag = object.fields["SFAuthenticationCode"]?.data,
            let vector = object.fields["SFInitializationVector"]?.data
        else { return nil }
        return GCM.open(cipher, tag: tag, key: SymmetricKey(data: key), vector: vector)
    }
}
