import Foundation
import Testing

/// A JSON answer, read by another reader than the program's own.
struct Answer {
    let content: [String: Any]

    init(_ data: Data) throws {
        content = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    var format: String? { content["format"] as? String }

    /// The objects of an array.
    func objects(_ key: String) -> [[String: Any]] { content[key] as? [[String: Any]] ?? [] }

    /// A part as JSON text in a form of its own, for comparing.
    static func text(_ part: Any?) throws -> String {
        guard let part else { return "absent" }
        let data = try JSONSerialization.data(withJSONObject: part, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }
}
