import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats

/// Sealed files in a folder of a store of files, over any stores.
///
/// A value lies in `‹folder›/‹key›.sealed` in the layout of ``SealHeader``, sealed for its key: a file under another name
/// does not open.
public struct EncryptedFileStore<Stores: StoreWriter>: Sendable {
    /// What the name of a file ends with, after its key.
    public static var ending: String { UserProfileDocument.backupEnding }

    /// The stores that the files are in.
    public private(set) var stores: Stores
    private let store: StoreID
    private let folder: String
    private let sealer: Sealer

    /// Makes a store of sealed files.
    ///
    /// - Parameters:
    ///   - stores: The stores that the files are in.
    ///   - store: The name of the store of files.
    ///   - folder: The folder in it.
    ///   - sealer: What seals and opens them.
    public init(_ stores: Stores, store: String = "AppSupport", folder: String = "KlivvrStorageKit", sealer: Sealer) {
        self.stores = stores
        self.store = .files(Name(store))
        self.folder = folder
        self.sealer = sealer
    }

    /// The address of the file of a key.
    public func address(_ key: String) -> Address {
        Address(store: store, key: "\(folder)/\(key)\(Self.ending)")
    }

    /// The value under a key, or `nil` where there is none.
    ///
    /// - Throws: ``Unreadable`` where the file cannot be read, ``SealError`` where it cannot be opened.
    public func read(forKey key: String) throws -> Data? {
        switch stores.state(at: address(key)) {
        case .absent: return nil
        case .unreadable(let reason): throw reason
        case .present(let value):
            guard let sealed = value.data else {
                throw Unreadable(.corrupt, "\(address(key)) is \(value.typePhrase), where a file belongs")
            }
            return try sealer.open(sealed, context: key)
        }
    }

    /// Seals a value under a key, in place of what is there.
    public mutating func write(_ data: Data, forKey key: String) throws {
        let sealed = try sealer.seal(data, context: key)
        var transaction = StoreTransaction(on: stores)
        try transaction.write(.data(sealed), to: address(key), rule: "sealed", policy: .replaceExisting)
        try commit(transaction)
    }

    /// Takes the value under a key away; nothing happens where there is none.
    public mutating func delete(forKey key: String) throws {
        var transaction = StoreTransaction(on: stores)
        transaction.remove(address(key), rule: "deleted")
        try commit(transaction)
    }

    private mutating func commit(_ transaction: StoreTransaction) throws {
        guard !transaction.changes.isEmpty else { return }
        try stores.commit(transaction.changes)
    }
}
