import MigrationEngine
import StoreFormats

/// A part of a spec file with its place.
struct SpecNode: Hashable, Sendable {
    /// A key of a mapping, and what stands behind it.
    struct Member: Hashable, Sendable {
        var key: String
        var keyPlace: SpecProblem.Place
        var value: SpecNode
        /// Whether the key stands without quotes: a table tells 1 from "1".
        var isPlainKey = true
    }

    /// What a part is.
    enum Content: Hashable, Sendable {
        /// A scalar as the language reads it: null, a Boolean, an integer, a real number or text.
        case scalar(Value)
        case list([SpecNode])
        case mapping([Member])
    }

    var content: Content
    var place: SpecProblem.Place

    /// The members of a mapping; none of anything else.
    var members: [Member] { if case .mapping(let members) = content { members } else { [] } }

    /// What the part is, in a word with its article.
    var kind: String {
        switch content {
        case .scalar(.null): "null"
        case .scalar(.bool): "a truth value"
        case .scalar(.integer): "an integer"
        case .scalar(.real): "a number"
        case .scalar: "text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}
