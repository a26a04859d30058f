/// A person as the current version of the app has it.
public struct Person: Codable, Hashable, Sendable {
    /// The version; computed, so that it is never stored.
    public var version: Int { 3 }
    /// What the person is called.
    public let alias: String
    /// The e-mail address, or ``PersonDocument/unknownEmail``.
    public let email: String

    /// Makes a person.
    public init(alias: String, email: String) {
        self.alias = alias
        self.email = email
    }

    /// Whether the e-mail address was made up where an older version had none.
    public var hasPlaceholderEmail: Bool { email == PersonDocument.unknownEmail }
}
