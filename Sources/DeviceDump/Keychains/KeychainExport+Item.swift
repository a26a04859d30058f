import Foundation
import MigrationEngine
import StoreFormats

extension KeychainExport {
    /// An item of an export.
    package struct Item: Hashable, Sendable {
        /// The classes of items, by the names of their tables.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A generic password.
            case generic = "genp"
            /// An internet password.
            case internet = "inet"
            /// A certificate.
            case certificate = "cert"
            /// A cryptographic key.
            case key = "keys"
        }

        /// The class.
        package var kind: Kind
        /// The service, or an internet password's server; empty where the item has none.
        package var service: String
        /// The account; empty where the item has none.
        package var account: String
        /// The other attributes under Apple's short names; text is text in every form, and `pdmn` its short code.
        package var attributes: Members
        /// The secret, or why it is not there.
        package var secret: Result<Data, Unreadable>
        /// Whether nothing is known of the item but its class and its place, as all of it is locked.
        package var isNameless = false

        /// Makes an item.
        init(
            kind: Kind, service: String, account: String, attributes: Members = Members(),
            secret: Result<Data, Unreadable> = .success(Data())
        ) {
            self.kind = kind
            self.service = service
            self.account = account
            self.attributes = attributes
            self.secret = secret
        }

        /// The access group; empty where the export does not say it.
        package var group: String { attributes["agrp"]?.string ?? "" }

        /// Whether it was deleted on the device: such items are kept for iCloud's keychain, and no app finds them (Security's
        /// attribute `tomb`).
        var isDeleted: Bool {
            switch attributes["tomb"] {
            case .integer(1), .bool(true), .string("1"): true
            default: false
            }
        }

        /// What is known of the entry that the item is.
        package var state: EntryState {
            switch secret {
            case .success(let data): .present(KeychainItem(data: data, attributes: attributes).value)
            case .failure(let reason): .unreadable(reason)
            }
        }

        /// The name of the store that the item is in: a generic password's service; of others, and without a service,
        /// the class comes before it, as in `inet:api.example.com`.
        package var storeName: String {
            kind == .generic && !service.isEmpty ? service : "\(kind.rawValue):\(service)"
        }

        /// The class and the service of a store's name.
        static func parts(ofStore name: Name) -> (kind: Kind, service: Name) {
            for kind in Kind.allCases where name.hasPrefix(kind.rawValue + ":") {
                return (kind, Name(String(decoding: name.utf8.dropFirst(kind.rawValue.utf8.count + 1), as: UTF8.self)))
            }
            return (.generic, name)
        }

        /// The item with another secret and other attributes; those that are not named stay.
        func becoming(_ value: KeychainItem, without dropped: Set<Name>) -> Item {
            var item = self
            item.secret = .success(value.data)
            for member in value.attributes where !dropped.contains(member.key) {
                item.attributes[member.key] = member.value
            }
            return item
        }

        /// Whether another item is this one; where not in full, it may have attributes besides.
        func agrees(with other: Item, inFull: Bool) -> Bool {
            guard kind == other.kind, Name(service) == Name(other.service), Name(account) == Name(other.account),
                secret == other.secret || (try? secret.get()) == nil && (try? other.secret.get()) == nil
            else { return false }
            if inFull { return attributes == other.attributes }
            return attributes.allSatisfy { member in
                let found = other.attributes[member.key]
                // What a form shows as nothing may be said or left out.
                return found == member.value || found == nil && member.value == .string("")
                    || found?.text == member.value.text && found?.text != nil
            }
        }
    }

    /// The items' accessibilities: the code in a keychain, and what follows `kSecAttrAccessible` in its name.
    static let accessibilities = [
        (code: "ak", name: "WhenUnlocked"), (code: "ck", name: "AfterFirstUnlock"), (code: "dk", name: "Always"),
        (code: "aku", name: "WhenUnlockedThisDeviceOnly"), (code: "cku", name: "AfterFirstUnlockThisDeviceOnly"),
        (code: "dku", name: "AlwaysThisDeviceOnly"), (code: "akpu", name: "WhenPasscodeSetThisDeviceOnly"),
    ]
    private static let accessiblePrefix = "kSecAttrAccessible"

    /// The code of an accessibility, or the name where it is not a known one.
    static func accessibilityCode(_ name: String) -> String {
        accessibilities.first { accessiblePrefix + $0.name == name }?.code ?? name
    }

    /// The name of an accessibility, or the code where it is not a known one.
    static func accessibilityName(_ code: String) -> String {
        accessibilities.first { $0.code == code }.map { accessiblePrefix + $0.name } ?? code
    }

    /// The reason of an item that has no data.
    static let locked = Unreadable(
        .locked, "the export has no data for this item: it was locked when the export was made")

    /// The reason of an item that has a field twice, or that another item of one service, account and group rivals.
    static func ambiguous(_ what: String) -> Unreadable {
        Unreadable(.ambiguous, "\(what), and programs differ on which one counts; no step reads or changes it")
    }

    /// The field of an item that stands more than once; one that names the item comes first.
    static func repeatedField(of members: Members, naming: Set<Name>) -> (name: Name, isOfName: Bool)? {
        let twice = members.duplicateKeys
        guard let name = twice.first(where: naming.contains) ?? twice.first else { return nil }
        return (name, naming.contains(name))
    }

    /// The reason of an item whose data is broken.
    static func corrupt(_ reason: String) -> Unreadable {
        Unreadable(.corrupt, "the item's data in the export cannot be read: \(reason)")
    }
}

extension Value {
    /// An attribute as text: text, data that is UTF-8, a whole number; `nil` for others.
    var text: String? {
        switch self {
        case .string(let text): text
        case .data(let data): String(validating: data, as: UTF8.self)
        case .integer(let number): String(number)
        case .bool(let truth): truth ? "1" : "0"
        default: nil
        }
    }
}
