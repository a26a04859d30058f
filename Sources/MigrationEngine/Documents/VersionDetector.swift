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

    /// How it tells, in a phrase.
    var rule: String { get }
}

extension VersionDetector {
    /// Nothing: the document says no version.
    public func stamp(_ version: Int, on draft: inout DocumentDraft) throws(StepStop) {}

    /// Nothing: the document says no version.
    public func restore(from before: Value, on draft: inout DocumentDraft) throws(StepStop) {}

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
