/// The key of a visitor in the decision file: account, project and visitor, joined by hyphens; what is missing is empty.
public struct ConvertVisitorKey: Hashable, Sendable, CustomStringConvertible {
    /// The account.
    public var accountID: String
    /// The project.
    public var projectID: String
    /// The visitor.
    public var visitorID: String

    /// Makes a key.
    public init(accountID: String?, projectID: String?, visitorID: String) {
        self.accountID = accountID ?? ""
        self.projectID = projectID ?? ""
        self.visitorID = visitorID
    }

    /// The key as it stands in the file.
    public var description: String { "\(accountID)-\(projectID)-\(visitorID)" }

    /// Whether a text has the parts of a key.
    static func mayBe(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: "-") } >= 2 }
}
