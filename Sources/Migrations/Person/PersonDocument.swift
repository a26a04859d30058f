import MigrationEngine
import StoreFormats

/// The person document: its versions, how they are told apart, and what leads from each to the next (seed 002).
///
/// The app stores no version: its `version` is a computed property, which `Codable` leaves out.
public enum PersonDocument {
    /// The key in UserDefaults, and the account in the keychain.
    public static let key: Name = "person"
    /// The e-mail address that version 1 makes up for a person of version 0.
    public static let unknownEmail = "---"

    /// What each version looks like, oldest first.
    ///
    /// The fields of other versions are excluded: a version 2 document decodes as version 3 too, with its age ignored,
    /// and is not one for that.
    public static let shapes = [
        DocumentShape(version: 0, ["name": .string, "age": .string], without: ["email", "alias"]),
        DocumentShape(version: 1, ["name": .string, "age": .string, "email": .string], without: ["alias"]),
        DocumentShape(version: 2, ["alias": .string, "age": .string, "email": .string], without: ["name"]),
        DocumentShape(version: 3, ["alias": .string, "email": .string], without: ["name", "age"]),
    ]

    /// What leads from each version to the next.
    public static let steps = [
        DocumentStep(from: 0, [.add(JSONPointer(["email"]), .value(.string(unknownEmail)))]),
        DocumentStep(from: 1, [.rename(JSONPointer(["name"]), to: "alias")]),
        DocumentStep(from: 2, [.remove(JSONPointer(["age"]))]),
    ]

    /// What tells that an entry named `person` holds one.
    static let evidence = DocumentEvidence(["name", "alias", "age", "email"])

    /// The document at an entry; in UserDefaults the app reads it only from a string.
    ///
    /// - Parameter others: The other places that may hold one.
    public static func document(at address: Address, besides others: [Address] = []) -> VersionedDocument {
        VersionedDocument(
            name: "person", at: address, detector: ShapeVersion(shapes), steps: steps, shapes: shapes,
            strayFields: [JSONPointer(["version"])], others: others, readsOnlyText: address.store.kind == .defaults)
    }
}

/// Where a person document is kept.
public enum PersonLocation: String, Hashable, Sendable, CaseIterable {
    /// A string of the app's own UserDefaults, as in the seed.
    case defaults
    /// The file `person.json` in `Documents`.
    case file
    /// The keychain item of the account `person` in the service that has the bundle identifier's name.
    case keychain

    /// The entry of an app.
    public func address(bundleIdentifier: String) -> Address {
        switch self {
        case .defaults: .defaults(Name(bundleIdentifier), PersonDocument.key)
        case .file: Address(store: .files("Documents"), key: "person.json")
        case .keychain: Address(store: .keychain(Name(bundleIdentifier)), key: PersonDocument.key)
        }
    }
}

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
