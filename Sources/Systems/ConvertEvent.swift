/// Something that the persistence layer has done, as a caller may observe it.
public enum ConvertEvent: Hashable, Sendable {
    /// The kinds of events.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// A visitor was put into a variation.
        case bucketing
        /// A visitor reached a goal for the first time.
        case conversion
    }

    /// A decision was saved.
    case bucketing(experienceID: String, variationID: String, visitorID: String)
    /// A goal was marked as reached.
    case conversion(goalID: String, visitorID: String)

    /// The kind.
    public var name: Name {
        switch self {
        case .bucketing: .bucketing
        case .conversion: .conversion
        }
    }
}
