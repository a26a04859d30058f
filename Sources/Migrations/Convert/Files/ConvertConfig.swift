import Foundation
import StoreFormats

/// A cached configuration: the bytes that were fetched, as they are.
public struct ConvertConfig: Hashable, Sendable {
    /// The parts of a configuration.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// The account.
        case accountID = "account_id"
        /// The project.
        case project
        /// The experiences.
        case experiences
        /// The audiences.
        case audiences
        /// The segments.
        case segments
        /// The goals.
        case goals
        /// The locations.
        case locations
        /// The features.
        case features
        /// The experiences that have ended.
        case archivedExperiences = "archived_experiences"
    }

    /// The text, verbatim.
    public let document: JSONDocument

    /// Reads a configuration: any JSON object is one, the empty one too.
    public init(_ data: Data) throws(ConvertFormatError) {
        document = try JSONDocument(convertFile: data)
        _ = try JSONFields(document.value, at: JSONPointer())
    }

    /// A part, or `nil` where it is missing or of another type than it should be: one bad part spoils no other.
    public subscript(part: Part) -> Value? {
        guard let value = document.value.members?[Name(part.rawValue)] else { return nil }
        switch (part, value) {
        case (.accountID, .string), (.project, .dictionary): return value
        case (.accountID, _), (.project, _): return nil
        case (_, .array): return value
        default: return nil
        }
    }

    /// The account, where it is a string.
    public var accountID: String? { self[.accountID]?.string }

    /// The id of the project, where it is a string.
    public var projectID: String? { self[.project]?.members?["id"]?.string }
}
