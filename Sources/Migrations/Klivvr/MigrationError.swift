import Foundation

/// Why a stored model could not be migrated; nothing has changed unless it says otherwise.
public enum MigrationError: Error, Sendable {
    /// No step leads from a version to the next.
    case missingMigration(model: String, from: Int, to: Int)
    /// A value is missing, or is not what its version says.
    case corruptedData(model: String, version: Int, reason: MigrationFailure)
    /// A step, or a store, failed.
    case migrationFailed(model: String, from: Int, reason: MigrationFailure)
    /// The stored version is newer than the newest one known.
    case newerVersion(model: String, stored: Int, known: Int)
    /// The value looks newer than its version says, or no version is stored: which one it is must be said.
    case versionUnclear(model: String, stored: Int?, looksLike: Int)
}

/// The reason of a failure: in words, with the place in the value, and the error itself.
public struct MigrationFailure: Error, Sendable, CustomStringConvertible {
    /// What happened and where, in words.
    public let description: String
    /// The keys that lead to the place in the value; empty where there is none.
    public let codingPath: [String]
    /// The error that was thrown.
    public let underlying: any Error

    /// Keeps an error.
    public init(_ error: any Error) {
        underlying = error
        if case .migrationFailed(_, let from, let reason)? = error as? MigrationError {
            // The model is named by whoever keeps this; only the step is new.
            codingPath = reason.codingPath
            description = "the step from version \(from) to \(from + 1) failed: \(reason)"
            return
        }
        guard let decoding = error as? DecodingError else {
            codingPath = []
            description = Self.text(of: error)
            return
        }
        var path: [any CodingKey] = [], what = "\(decoding)"
        switch decoding {
        case .keyNotFound(let key, let context): (path, what) = (context.codingPath + [key], "it is missing")
        case .valueNotFound(_, let context): (path, what) = (context.codingPath, "it is null")
        case .typeMismatch(let type, let context): (path, what) = (context.codingPath, "it is not of the type \(type)")
        case .dataCorrupted(let context): (path, what) = (context.codingPath, context.debugDescription)
        @unknown default: break
        }
        codingPath = path.map(\.stringValue)
        description = (codingPath.isEmpty ? "the value" : codingPath.joined(separator: ".")) + ": \(what)"
    }

    /// An error in words: its own, or what Foundation says of one of its errors.
    private static func text(of error: any Error) -> String {
        guard type(of: error) is NSError.Type || error is CocoaError else { return "\(error)" }
        let details = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        return error.localizedDescription + (details.map { " (\($0))" } ?? "")
    }

    /// Keeps a sentence.
    package init(_ sentence: String) {
        struct Sentence: Error, CustomStringConvertible { let description: String }
        self.init(Sentence(description: sentence))
    }
}

extension MigrationError: CustomStringConvertible {
    /// What happened, why, and what the person can do.
    public var description: String {
        switch self {
        case .missingMigration(let model, let from, let to):
            "no migration of \(model) leads from version \(from) to \(to)"
        case .corruptedData(let model, let version, let reason):
            "the stored \(model) of version \(version) is corrupt: \(reason)"
        case .migrationFailed(let model, let from, let reason):
            "the stored \(model) could not be migrated from version \(from): \(reason)"
        case .newerVersion(let model, let stored, let known):
            "the stored \(model) is of version \(stored), and \(known) is the newest known: a newer app wrote it"
        case .versionUnclear(let model, let stored, let looksLike):
            """
            the stored \(model) looks like version \(looksLike), but \(VersionClaim.phrase(stored)); migrating it from \
            there would replace what it holds: say which version it is of
            """
        }
    }
}
