import Foundation
import StoreFormats

/// A way to tell which version a document is of, and to keep that right where the document changes.
public protocol VersionDetector: Sendable {
    /// The version of a document that is there and readable.
    func version(
        of document: Value, at address: Address, newest: Int, in transaction: inout StoreTransaction, facts: Facts
    ) throws(StepStop) -> StoredVersion

    /// Makes a document say its version, where it is the document that does.
    func stamp(_ version: Int, on draft: inout DocumentDraft) throws(StepStop)

    /// Makes an older document that steps were undone for say its version as it did before them.
    func restore(from before: Value, on draft: inout DocumentDraft) throws(StepStop)

    /// Records the version of the document at an address, where it is kept beside it.
    func record(
        _ version: Int, of address: Address, like container: DocumentContainer,
        in transaction: inout StoreTransaction
    ) throws(StepStop)

    /// Where a document of a version goes that is made of one at an address.
    func address(of version: Int, from address: Address) -> Address

    /// Whether the entry that it was made of is removed, where it goes to another one.
    var removesOlder: Bool { get }

    /// The entries besides a document that say its version, and change with it.
    func entries(beside address: Address) -> [Address]

    /// How it tells, in a phrase.
    var rule: String { get }
}

extension VersionDetector {
    /// Nothing: the document says no version.
    public func stamp(_ version: Int, on draft: inout DocumentDraft) throws(StepStop) {}

    /// Nothing: the document says no version.
    public func restore(from before: Value, on draft: inout DocumentDraft) throws(StepStop) {}

    /// The same: the document is edited where it is.
    public func address(of version: Int, from address: Address) -> Address { address }

    /// No: there is no other entry.
    public var removesOlder: Bool { false }

    /// None.
    public func entries(beside address: Address) -> [Address] { [] }

    /// Nothing: no version is kept beside the document.
    public func record(
        _ version: Int, of address: Address, like container: DocumentContainer,
        in transaction: inout StoreTransaction
    ) throws(StepStop) {}
}

extension StoredVersion {
    /// A version that the store says, which may be newer than any known.
    static func known(_ version: Int, newest: Int) -> StoredVersion {
        if version < 0 { return .unknown("the stored version is \(version)") }
        return version > newest ? .newer(version, newestKnown: newest) : .stored(version)
    }
}

/// The version in a field of the document itself, which each step sets.
public struct VersionField: VersionDetector {
    /// Where it is.
    public let pointer: JSONPointer
    /// The version of a document without it; `nil` where that is unknown.
    public let missing: Int?

    /// Makes a detector.
    public init(_ pointer: JSONPointer, missing: Int? = nil) {
        self.pointer = pointer
        self.missing = missing
    }

    /// How it tells.
    public var rule: String { "by \(pointer)" + (missing.map { ", version \($0) where it is missing" } ?? "") }

    /// The version of a document.
    public func version(
        of document: Value, at address: Address, newest: Int, in transaction: inout StoreTransaction, facts: Facts
    ) -> StoredVersion {
        guard let value = document[pointer] else {
            return missing.map(StoredVersion.assumed)
                ?? .unknown("its field \(pointer), which says the version, is missing")
        }
        guard case .integer(let wide) = value, let version = Int(exactly: wide) else {
            return .unknown("its field \(pointer) is \(value.typePhrase), where the number of a version belongs")
        }
        return .known(version, newest: newest)
    }

    /// Sets the field.
    public func stamp(_ version: Int, on draft: inout DocumentDraft) throws(StepStop) {
        try draft.set(pointer, to: .integer(Int128(version)))
    }

    /// Sets the field to what it was, or takes it away where it was not there.
    public func restore(from before: Value, on draft: inout DocumentDraft) throws(StepStop) {
        if before[pointer] != draft[pointer] { try draft.set(pointer, to: before[pointer]) }
    }
}

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
        case .given(let version, nil): "version \(version), as the facts have it; none is stored"
        case .given(let version, let stored?):
            "version \(version), as it is taken to be, though version \(stored) is stored"
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

/// The version in an entry of its own beside the document, such as `user_schema_version` beside `user`.
///
/// A step writes both in one transaction, so they change together or not at all.
public struct SideKeyVersion: VersionDetector {
    /// What the key of the version ends with, after the key of the document.
    public let suffix: String
    /// The store of the version, where it is another one than the document's.
    public let store: StoreID?
    /// The version where there is no such entry; `nil` where that is unknown.
    public let missing: Int?

    /// Makes a detector.
    public init(suffix: String, in store: StoreID? = nil, missing: Int? = nil) {
        self.suffix = suffix
        self.store = store
        self.missing = missing
    }

    /// How it tells.
    public var rule: String {
        "by the entry ‹key›\(suffix)" + (missing.map { ", version \($0) where it is missing" } ?? "")
    }

    /// Where the version of a document is.
    public func address(for document: Address) -> Address {
        Address(store: store ?? document.store, key: (document.key ?? "") + suffix)
    }

    /// The entry of the version.
    public func entries(beside address: Address) -> [Address] { [self.address(for: address)] }

    /// The version of the document at an address: a number, or its digits as text, data or the secret of a keychain item.
    public func version(
        of document: Value, at address: Address, newest: Int, in transaction: inout StoreTransaction, facts: Facts
    ) throws(StepStop) -> StoredVersion {
        let side = self.address(for: address)
        switch transaction.read(side) {
        case .absent:
            return missing.map(StoredVersion.assumed) ?? .unknown("\(side), which says the version, is missing")
        case .unreadable(let reason): throw .unreadable(side, reason)
        case .present(let value):
            guard let version = Self.number(value) else {
                return .unknown("\(side) \(Self.phrase(value)) that is not the number of a version")
            }
            return .known(version, newest: newest)
        }
    }

    /// Writes the version in the form that it has, or else in that of the document; a string of UserDefaults takes a number.
    public func record(
        _ version: Int, of address: Address, like container: DocumentContainer,
        in transaction: inout StoreTransaction
    ) throws(StepStop) {
        let side = self.address(for: address), digits = Data(String(version).utf8)
        let value: Value?, found = transaction.read(side)
        switch found {
        case .present(.integer): value = .integer(Int128(version))
        case .present(let old): value = DocumentContainer.open(old)?.container.value(holding: digits)
        case .absent, .unreadable:
            value = container == .string ? .integer(Int128(version)) : container.value(holding: digits)
        }
        // Nothing of the document itself arrives there.
        try transaction.write(
            value ?? .integer(Int128(version)), to: side, part: JSONPointer(),
            from: [found.value == nil ? address : side], rule: "the version of \(address.key ?? "the document")",
            notes: [],
            placeholders: [], effect: nil, dropped: [], policy: .replaceExisting)
    }

    /// What an entry is or holds, in words; of a keychain item its secret, which is not quoted.
    private static func phrase(_ value: Value) -> String {
        guard case .dictionary = value, let item = KeychainItem(value) else { return "is \(value.typePhrase)" }
        return item.text == nil ? "holds data" : "holds a text"
    }

    private static func number(_ value: Value) -> Int? {
        if case .integer(let wide) = value { return Int(exactly: wide) }
        guard let bytes = DocumentContainer.open(value)?.bytes, bytes.count <= 20 else { return nil }
        return String(validating: bytes, as: UTF8.self).flatMap { Int($0) }
    }
}

/// The version by what the document looks like: all shapes are tried, the newest first.
///
/// A document whose fields suffice for several versions is of the one that it fits without fields of another; where it
/// fits none of those, it is ambiguous. Nothing says its version, so none is ever stored.
public struct ShapeVersion: VersionDetector {
    /// The shapes, newest first.
    public let shapes: [DocumentShape]

    /// Makes a detector of these shapes.
    public init(_ shapes: [DocumentShape]) {
        self.shapes = shapes.sorted { $0.version > $1.version }
    }

    /// How it tells.
    public var rule: String { "by its fields, newest version first" }

    /// The versions whose readers could read a document, newest first.
    public func decodable(_ document: Value) -> [Int] { shapes.filter { $0.decodes(document) }.map(\.version) }

    /// The version of a document.
    public func version(of document: Value) -> StoredVersion {
        let fitting = shapes.filter { $0.fits(document) }.map(\.version), decodable = decodable(document)
        if let only = fitting.first, fitting.count == 1 { return .inferred(only, decodesAs: decodable) }
        if fitting.count > 1 { return .ambiguous(fitting, "it has the fields of each") }
        if decodable.count > 1 {
            return .ambiguous(decodable, "it has the fields of each, and fields of the others besides")
        }
        guard case .dictionary = document else {
            return .unknown("it is \(document.typePhrase), where an object belongs")
        }
        guard let nearest = shapes.min(by: { $0.distance(of: document) < $1.distance(of: document) }),
            nearest.distance(of: document) < nearest.fields.count
        else { return .unknown("it has the fields of no version") }
        if let mismatch = nearest.firstMismatch(in: document) {
            return .unknown("it is nearest to version \(nearest.version), but \(mismatch)")
        }
        let excess = nearest.without.filter { document[$0] != nil }.map(\.description).joined(separator: ", ")
        return .unknown("it is nearest to version \(nearest.version), but has \(excess) of another version")
    }

    /// The version of a document, whatever lies beside it.
    public func version(
        of document: Value, at address: Address, newest: Int, in transaction: inout StoreTransaction, facts: Facts
    ) -> StoredVersion {
        version(of: document)
    }
}
