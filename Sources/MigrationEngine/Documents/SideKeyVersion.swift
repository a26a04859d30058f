import Foundation
import StoreFormats

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
        let value: Value?
        switch transaction.read(side) {
        case .present(.integer): value = .integer(Int128(version))
        case .present(let old): value = DocumentContainer.open(old)?.container.value(holding: digits)
        case .absent, .unreadable:
            value = container == .string ? .integer(Int128(version)) : container.value(holding: digits)
        }
        try transaction.write(
            value ?? .integer(Int128(version)), to: side, from: [address],
            rule: "the version of \(address.key ?? "the document")", policy: .replaceExisting)
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
