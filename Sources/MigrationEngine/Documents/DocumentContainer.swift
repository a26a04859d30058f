import Foundation
import StoreFormats

/// How an entry holds the bytes of a document; a migrated document goes back in the form that it was found in.
public enum DocumentContainer: Hashable, Sendable {
    /// As text: a string of UserDefaults.
    case string
    /// As bytes: data of UserDefaults, or a file.
    case data
    /// As the secret of a keychain item with these attributes.
    case keychainItem(attributes: Members)

    /// The form of an entry's value with the bytes in it; `nil` where the value can hold no document.
    public static func open(_ value: Value) -> (container: DocumentContainer, bytes: Data)? {
        switch value {
        case .string(let text): return (.string, Data(text.utf8))
        case .data(let data): return (.data, data)
        default:
            return KeychainItem(value).map { (.keychainItem(attributes: $0.attributes), $0.textData ?? $0.data) }
        }
    }

    /// The value of an entry that holds bytes in this form; `nil` for a string of bytes that are not UTF-8.
    public func value(holding bytes: Data) -> Value? {
        switch self {
        case .string: String(validating: bytes, as: UTF8.self).map(Value.string)
        case .data: .data(bytes)
        case .keychainItem(let attributes): KeychainItem(data: bytes, attributes: attributes).value
        }
    }

    /// Where the document begins in the value: nowhere deeper than the value itself, but for a keychain item.
    public var prefix: JSONPointer {
        if case .keychainItem = self { JSONPointer([KeychainItem.dataKey]) } else { JSONPointer() }
    }
}
