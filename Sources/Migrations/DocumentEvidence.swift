import MigrationEngine
import StoreFormats

/// What tells that an entry of a common name holds the document that a migration is for, and not any app's own value.
///
/// An entry that cannot be read may be it. A text that is not JSON, such as one that was cut short, is it where it begins
/// as an object does and names two of the fields.
struct DocumentEvidence: Sendable {
    private let fields: [String]

    /// Makes evidence of the fields that versions of the document have; two of them are enough.
    init(_ fields: [String]) { self.fields = fields }

    /// Whether an entry holds the document, or may hold it and cannot be read.
    func isMet(by state: EntryState) -> Bool {
        switch state {
        case .absent: return false
        case .unreadable(let reason): return reason.cause != .missing
        case .present(let value):
            guard let bytes = DocumentContainer.open(value)?.bytes else { return false }
            do throws(FormatError) {
                let document = try JSONDocument(bytes)
                return fields.count { document.value[JSONPointer([Name($0)])] != nil } >= 2
            } catch {
                if error.isOverLimit { return true }
            }
            let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
            return text.first { !$0.isWhitespace } == "{" && fields.count { text.contains("\"\($0)\"") } >= 2
        }
    }
}
