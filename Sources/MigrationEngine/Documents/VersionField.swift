import StoreFormats

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
            return missing.map(StoredVersion.assumed) ?? .unknown("\(pointer), which says the version, is missing")
        }
        guard case .integer(let wide) = value, let version = Int(exactly: wide) else {
            return .unknown("\(pointer) is \(value.typePhrase), where the number of a version belongs")
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
