/// Why something sealed cannot be opened, or something cannot be sealed.
public enum SealError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes do not begin as something sealed does.
    case notSealed
    /// The layout is of a version that is not known; a damaged version number reads like this too.
    case unknownVersion(UInt8)
    /// The bytes are not those that were written.
    case damaged(String)
    /// The bytes are whole, and another key sealed them.
    case wrongKey
    /// The key is right, and the content was sealed for another place, or was forged.
    case notAuthentic
    /// Opening it would take too long.
    case overLimit(String)
    /// It cannot be sealed like this.
    case invalidParameters(String)

    /// What happened, in a clause.
    public var description: String {
        switch self {
        case .notSealed: "it is not sealed: it does not begin with \(SealHeader.magicText)"
        case .unknownVersion(let version): "it is sealed in version \(version), and versions 1 and 2 are known"
        case .damaged(let what): "it is damaged: \(what)"
        case .wrongKey: "it is sealed with another key"
        case .notAuthentic: "it was sealed for another place, or forged"
        case .overLimit(let what): "opening it would take too long: \(what)"
        case .invalidParameters(let what): "it cannot be sealed: \(what)"
        }
    }
}
