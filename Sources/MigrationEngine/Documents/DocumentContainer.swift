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

/// A document as it was found.
public struct DocumentReading: Sendable {
    /// A document and the form of its entry.
    public struct Content: Sendable {
        /// The form of the entry.
        public var container: DocumentContainer
        /// The document.
        public var document: JSONDocument

        /// Makes a content.
        public init(container: DocumentContainer, document: JSONDocument) {
            self.container = container
            self.document = document
        }
    }

    /// What is known of its version.
    public var version: StoredVersion
    /// What is there, where it could be read.
    public var content: Content?

    /// Makes a reading.
    public init(version: StoredVersion, content: Content? = nil) {
        self.version = version
        self.content = content
    }
}

/// What a step took from a document, from which, with its result, the step can be undone.
///
/// It need not be stored: a step is pure, so the image of the document before it, which a ledger keeps, gives it again.
public struct DocumentComplement: Hashable, Sendable {
    /// What one edit took away.
    enum Part: Hashable, Sendable {
        /// The result says it all.
        case nothing
        /// The field was there and was left.
        case kept
        /// What was there before, and what was put in its place; `nil` is nothing.
        case taken(Value?, made: Value?)
    }

    /// A part for each edit, in order.
    var setAside: [Part] = []
}
