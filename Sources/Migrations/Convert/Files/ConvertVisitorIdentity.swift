import MigrationEngine
import StoreFormats

/// What the keychain and its mirror say of the visitor's id, looked up in the SDK's order.
package enum ConvertVisitorIdentity {
    /// The keychain holds it; the mirror does not matter.
    case keychain(String)
    /// Only the mirror holds it.
    case mirror(String)
    /// Neither holds one; the empty text counts as none.
    case none
    /// One of them, which decides, cannot be read: what it holds is not known, and it is not nothing.
    case unreadable(Address, Unreadable)

    /// Looks the id up.
    package static func lookUp(in transaction: inout StoreTransaction, mirror: Address) -> ConvertVisitorIdentity {
        switch transaction.read(ConvertLocation.visitorID) {
        case .unreadable(let reason): return .unreadable(ConvertLocation.visitorID, reason)
        case .present(let value):
            if let id = KeychainItem(value)?.text, !id.isEmpty { return .keychain(id) }
        case .absent: break
        }
        let held = transaction.read(mirror)
        if case .unreadable(let reason) = held { return .unreadable(mirror, reason) }
        return text(ofMirror: held).map(ConvertVisitorIdentity.mirror) ?? .none
    }

    /// The id in the mirror as UserDefaults gives it as a string; `nil` where there is none or it is empty.
    package static func text(ofMirror state: EntryState) -> String? {
        state.value?.textInUserDefaults.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the keychain holds bytes that are no text.
    package static func isKeychainDamaged(_ state: EntryState) -> Bool {
        guard let value = state.value else { return false }
        return KeychainItem(value)?.text == nil
    }

    /// The keychain's entry with an id in it: the attributes that it has, or those that the SDK gives a new one.
    package static func item(_ id: String, in state: EntryState) -> Value {
        let attributes = state.value.flatMap { KeychainItem($0)?.attributes }
        return KeychainItem(text: id, attributes: attributes ?? ["pdmn": .string("cku")]).value
    }
}

/// The key of a visitor in the decision file: account, project and visitor, joined by hyphens; what is missing is empty.
public struct ConvertVisitorKey: Hashable, Sendable, CustomStringConvertible {
    /// The account.
    public var accountID: String
    /// The project.
    public var projectID: String
    /// The visitor.
    public var visitorID: String

    /// Makes a key.
    public init(accountID: String?, projectID: String?, visitorID: String) {
        self.accountID = accountID ?? ""
        self.projectID = projectID ?? ""
        self.visitorID = visitorID
    }

    /// The key as it stands in the file.
    public var description: String { "\(accountID)-\(projectID)-\(visitorID)" }

    /// Whether a text has the parts of a key.
    static func mayBe(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: "-") } >= 2 }
}
