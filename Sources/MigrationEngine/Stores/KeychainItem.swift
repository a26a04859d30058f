import Foundation
import StoreFormats

/// An item of a keychain as an entry holds it: its secret and its attributes under Apple's short names.
///
/// The entry's store is the item's service, its key the account; its value is a dictionary with `v_Data` and the
/// attributes, such as `pdmn` (accessibility: `ak`, `ck`, `dk`, `aku`, `cku`, `dku`, `akpu`), `agrp` (access group), `labl`.
public struct KeychainItem: Hashable, Sendable {
    /// The key of the secret among the members.
    public static let dataKey: Name = "v_Data"

    /// The secret.
    public var data: Data
    /// The attributes, without the secret.
    public var attributes: Members

    /// Makes an item.
    public init(data: Data, attributes: Members = Members()) {
        self.data = data
        self.attributes = attributes
    }

    /// Makes an item of a text, as UTF-8.
    public init(text: String, attributes: Members = Members()) {
        self.init(data: Data(text.utf8), attributes: attributes)
    }

    /// Reads the value of an entry; `nil` where it is no item.
    public init?(_ value: Value) {
        guard case .dictionary(var members) = value, let data = members[Self.dataKey]?.data else { return nil }
        members[Self.dataKey] = nil
        self.init(data: data, attributes: members)
    }

    /// The secret as text, where it is UTF-8; without the NULs that some exports put at its end.
    public var text: String? { String(validating: data[..<textEnd], as: UTF8.self) }

    /// The bytes of ``text``.
    public var textData: Data? { text.map { Data($0.utf8) } }

    private var textEnd: Data.Index { data.lastIndex { $0 != 0 }.map { $0 + 1 } ?? data.startIndex }

    /// The value of the entry.
    public var value: Value {
        .dictionary(Members([Member(key: Self.dataKey, value: .data(data))] + attributes.all))
    }
}
