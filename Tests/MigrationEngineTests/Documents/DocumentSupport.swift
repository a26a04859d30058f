import Foundation
import MigrationEngine
import StoreFormats

extension JSONDocument {
    /// The document of a text.
    static func of(_ text: String) throws -> JSONDocument { try JSONDocument(Data(text.utf8)) }

    /// The text.
    var text: String { String(decoding: data, as: UTF8.self) }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// A pointer, or a single key where the text is none.
    public init(stringLiteral value: String) { self = JSONPointer(parsing: value) ?? JSONPointer([Name(value)]) }
}

extension Outcome {
    /// The kind with the reason's code, such as `skipped absent`.
    var code: String { [kind.rawValue, reason?.code].compactMap(\.self).joined(separator: " ") }
}

extension Step {
    /// What the step does on stores.
    func preview(on stores: any StoreReader, facts: Facts = Facts()) -> StepPreview {
        preview(on: stores, origin: stores, facts: facts)
    }
}
