import Foundation
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

    /// What is known of an entry.
    enum Verdict {
        /// It is absent, or any app's own value.
        case other
        /// It is damaged, so that nobody knows what it held.
        case unknown
        /// It holds the document, or may hold it and cannot be read.
        case met
    }

    /// Whether an entry holds the document, or may hold it and cannot be read.
    func isMet(by state: EntryState) -> Bool { verdict(on: state) == .met }

    /// The same; whoever asks whether a migration applies is told of an entry that is damaged.
    func isMet(at address: Address, in stores: any StoreReader) -> Bool {
        let verdict = verdict(on: stores.state(at: address))
        if verdict == .unknown, let field = fields.first {
            let way = (address.store.kind == .keychain ? [KeychainItem.dataKey] : []) + [Name(field)]
            _ = stores.state(at: address.appending(JSONPointer(way)))
        }
        return verdict == .met
    }

    func verdict(on state: EntryState) -> Verdict {
        switch state {
        case .absent: return .other
        case .unreadable(let reason): return reason.cause == .missing ? .other : .met
        case .present(let value):
            guard let bytes = DocumentContainer.open(value)?.bytes else { return .other }
            do throws(FormatError) {
                let document = try JSONDocument(bytes)
                return fields.count { document.value[JSONPointer([Name($0)])] != nil } >= 2 ? .met : .other
            } catch {
                if error.isOverLimit { return .met }
            }
            let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
            let signs = text.lazy.filter { !$0.isWhitespace }.prefix(2)
            let isObject = signs.first == "{", isCut = isObject && signs.dropFirst().allSatisfy { $0 == "\"" }
            if isObject, fields.count(where: { text.contains("\"\($0)\"") }) >= 2 { return .met }
            // A text of an app is a text, but for one that is cut; bytes that are none, or in a broken format, are damage.
            if case .string = value { return isCut ? .unknown : .other }
            let isText = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0) && !bytes.isEmpty
            let recognition = value.recognition()
            let isDamaged = recognition?.problem != nil || !isText && recognition?.decoded == nil
            return isObject || isDamaged ? .unknown : .other
        }
    }
}
