import StoreFormats

/// What is known of the version of a stored document; these answers are never merged into one another.
public enum StoredVersion: Hashable, Sendable {
    /// The store says so.
    case stored(Int)
    /// The store does not say, and the rules take this one where it does not.
    case assumed(Int)
    /// Somebody says so, where the store says nothing or another version, which somebody doubts.
    case given(Int, stored: Int?)
    /// The store does not say, and the document has the shape of this version and of no other; the versions whose
    /// fields it all has, this one among them, newest first.
    case inferred(Int, decodesAs: [Int])
    /// The document may be of any of these versions, newest first: why.
    case ambiguous([Int], String)
    /// The store says a version that is newer than the newest one known.
    case newer(Int, newestKnown: Int)
    /// It is of none of the known versions: why.
    case unknown(String)
    /// It is no JSON: where and why.
    case corrupt(String)
    /// It cannot be read.
    case unreadable(Unreadable)
    /// There is no document.
    case absent

    /// The version to go on with, where there is exactly one.
    public var number: Int? {
        switch self {
        case .stored(let version), .assumed(let version), .given(let version, _), .inferred(let version, _): version
        default: nil
        }
    }

    /// How the version is known, as a person reads it: `version 1, by its shape`.
    public var phrase: String {
        switch self {
        case .stored(let version): "version \(version), as stored"
        case .assumed(let version): "version \(version), assumed, as none is stored"
        case .given(let version, nil): "version \(version), assumed as given; none is stored"
        case .given(let version, let stored?):
            "version \(version), assumed as given, though version \(stored) is stored"
        case .inferred(let version, let all) where all.count > 1:
            "version \(version), by its shape; its fields are also those of \(Self.list(all.filter { $0 != version }))"
        case .inferred(let version, _): "version \(version), by its shape"
        case .ambiguous(let versions, let why): "of more than one version (\(Self.list(versions))): \(why)"
        case .newer(let version, let newest): "version \(version), newer than \(newest), the newest one known"
        case .unknown(let why): "of no known version: \(why)"
        case .corrupt(let why): "corrupt: \(why)"
        case .unreadable(let reason): "unreadable: \(reason.explanation)"
        case .absent: "absent"
        }
    }

    private static func list(_ versions: [Int]) -> String {
        (versions.count == 1 ? "version " : "versions ") + versions.map(String.init).joined(separator: ", ")
    }
}
