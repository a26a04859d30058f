import Crypto
import Foundation
import MigrationEngine
import StoreFormats

/// The keychain of a backup: `keychain-backup.plist`, whose items are each encrypted as a whole.
///
/// An item is a version, a class, the length of a wrapped key, that key, the attributes encrypted with it, and a tag. The
/// keys of the classes 6 to 8 come with the backup's password; those of 9 to 11 never leave the device, so that of such
/// an item nothing is known but that it is there.
struct BackupKeychain: KeychainContent {
    static let name = "keychain of a backup"
    static let isOfDevice = true
    static let attributes: Set<Name>? = nil
    static let refusal: String? =
        "the items of an encrypted backup's keychain are not encrypted anew; roll back the steps that change them, or give "
        + "an export of the keychain that they are applied with"
    /// Why a copy of it without the backup is of no use.
    static let useOutside =
        "its items are encrypted with keys that only the backup itself has; they are read there, or in an export of the keychain"
    static let file: DumpPath = "KeychainDomain/keychain-backup.plist"

    private(set) var items: [KeychainExport.Item] = []
    private(set) var problems: [KeychainExport.Problem] = []

    /// The keychain of a backup's files, where they have one.
    static func find(in files: any DumpFiles, keys: BackupKeys?) -> FoundKeychain? {
        // Whether there is one may be unknown, as behind the cut of a manifest.
        do throws(DumpError) { guard try files.item(at: file) != nil else { return nil } } catch {
            return .unreadable(file, Unreadable(error))
        }
        guard let keys else {
            let reason =
                "\(file) is locked (device key): only the device itself opens it, or the encrypted backup that it was "
                + "unpacked from; ask for an encrypted backup, or give an export of the keychain"
            return .unreadable(file, Unreadable(.locked, reason))
        }
        let data: Data
        do throws(DumpError) { data = try files.bytes(at: file, limit: KeychainExport.byteLimit) } catch {
            return .unreadable(file, Unreadable(error))
        }
        do throws(KeychainError) {
            let export = KeychainExport(try BackupKeychain(data, keys))
            return .read(KeychainFile(.inDump(file), isGiven: false, export: export, file: file, of: files))
        } catch {
            return .unreadable(file, Unreadable(error, in: file.text))
        }
    }

    /// Opens the items as far as the keys do.
    init(_ data: Data, _ keys: BackupKeys) throws(KeychainError) {
        let list: PropertyListFile
        do throws(FormatError) { list = try PropertyListFile(data) } catch { throw KeychainError(.malformed(error)) }
        var locked: [UInt32: Int] = [:]
        for kind in PropertyListKeychain.kinds {
            guard let position = list.position(of: Name(kind.rawValue)) else { continue }
            guard case .array(let elements)? = try? list.value(at: position) else {
                problems.append(.init(place: kind.rawValue, reason: "it is not an array"))
                continue
            }
            guard items.count + elements.count <= KeychainExport.itemLimit else {
                throw KeychainError(.tooManyItems(limit: KeychainExport.itemLimit))
            }
            for (index, element) in elements.enumerated() {
                let place = "\(kind.rawValue) item \(index + 1)"
                guard let sealed = element.members?[KeychainItem.dataKey]?.data else {
                    problems.append(.init(place: place, reason: "it has no data"))
                    continue
                }
                items.append(read(sealed, kind, place, keys, &locked))
            }
        }
        for (number, count) in locked.sorted(by: { $0.key < $1.key }) {
            problems.append(
                .init(
                    place: "\(count) item\(count == 1 ? "" : "s") of class \(number)",
                    reason:
                        "locked (device key): only the device that was backed up opens \(count == 1 ? "it" : "them")",
                    hidesItems: false))
        }
    }

    private mutating func read(
        _ sealed: Data, _ kind: KeychainExport.Item.Kind, _ place: String, _ keys: BackupKeys,
        _ locked: inout [UInt32: Int]
    ) -> KeychainExport.Item {
        var nameless = KeychainExport.Item(kind: kind, service: "", account: "item \(items.count + 1)")
        nameless.isNameless = true
        do throws(Failure) {
            let members = try Self.attributes(of: sealed, keys)
            var item = PropertyListKeychain.item(of: kind, members)
            switch members[KeychainItem.dataKey] {
            case .data(let data)?: item.secret = .success(data)
            case .string(let text)?: item.secret = .success(Data(text.utf8))
            // An item may have attributes alone.
            default: item.secret = .success(Data())
            }
            return item
        } catch {
            switch error {
            case .lockedToDevice(let number):
                locked[number, default: 0] += 1
                nameless.account += ", locked"
                nameless.secret = .failure(
                    Unreadable(
                        .locked,
                        "locked (device key): the item is of class \(number), which only the device that was backed up opens"
                    ))
            case .unsupported(let version):
                let reason = "version \(version) of encrypted items is not read"
                nameless.account += ", not read"
                problems.append(.init(place: place, reason: reason, hidesItems: false))
                nameless.secret = .failure(Unreadable(.unsupported, reason))
            case .corrupt(let reason):
                nameless.account += ", damaged"
                problems.append(.init(place: place, reason: reason, hidesItems: false))
                nameless.secret = .failure(KeychainExport.corrupt(reason))
            }
            return nameless
        }
    }

    private enum Failure: Error {
        case lockedToDevice(UInt32)
        case unsupported(String)
        case corrupt(String)
    }

    private static func attributes(of sealed: Data, _ keys: BackupKeys) throws(Failure) -> Members {
        func number(_ offset: Int) -> UInt32? {
            guard sealed.count >= offset + 4 else { return nil }
            return sealed.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard let version = number(0), let itemClass = number(4) else { throw .corrupt("it is too short") }
        guard version == 3 else { throw .unsupported(words(version)) }
        guard let length = number(8).map(Int.init), sealed.count >= 12 + length + 16 else {
            throw .corrupt("its key is longer than the item")
        }
        let wrapped = Data(sealed.dropFirst(12).prefix(length)), key: SymmetricKey
        do throws(BackupKeys.Failure) {
            key = try keys.unwrap(wrapped, class: itemClass)
        } catch {
            switch error {
            case .lockedToDevice: throw .lockedToDevice(itemClass)
            case .noClass: throw .corrupt("the backup has no key of its class, \(itemClass)")
            case .damaged: throw .corrupt("its key is damaged")
            }
        }
        let cipher = Data(sealed.dropFirst(12 + length).dropLast(16))
        guard let plain = GCM.open(cipher, tag: Data(sealed.suffix(16)), key: key, vector: Data()) else {
            throw .corrupt("it is not what was encrypted")
        }
        do throws(KeychainAttributes.Damage) { return try KeychainAttributes.read(plain) } catch {
            throw .corrupt(error.words)
        }
    }

    /// A version with what is known of it.
    private static func words(_ version: UInt32) -> String {
        switch version {
        case 0: "0 (iOS 4 and before)"
        case 2: "2 (iOS 5)"
        case 4...6: "\(version) (with access control)"
        default: version >> 31 == 1 ? "\(version & 0x7FFF_FFFF) with a fixed vector" : "\(version)"
        }
    }
}
