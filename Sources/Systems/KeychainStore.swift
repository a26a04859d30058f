import Foundation
import MigrationEngine
import StoreFormats

/// The items of one keychain service, over any stores.
public struct KeychainStore<Stores: StoreWriter>: Sendable {
    /// The stores that the service is in.
    public internal(set) var stores: Stores
    /// The service.
    public let service: String
    private let attributes: Members

    /// Makes a store of items.
    ///
    /// - Parameter attributes: The attributes of new items, such as `pdmn`; an item that is there keeps its own.
    public init(_ stores: Stores, service: String, attributes: Members = Members()) {
        self.stores = stores
        self.service = service
        self.attributes = attributes
    }

    /// The address of an item.
    public func address(_ key: String) -> Address { Address(store: .keychain(Name(service)), key: Name(key)) }

    /// The secret of an item, or `nil` where there is none.
    ///
    /// - Throws: ``Unreadable`` where it cannot be read, which is not the same as absent.
    public func readRaw(forKey key: String) throws(Unreadable) -> Data? { try item(key)?.data }

    /// A value that was stored as JSON, or `nil` where there is none.
    public func retrieve<T: Decodable>(_ type: T.Type, forKey key: String) throws -> T? {
        try readRaw(forKey: key).map { try JSONDecoder().decode(type, from: $0) }
    }

    /// Keeps a secret as it is.
    public mutating func saveRaw(_ data: Data, forKey key: String) throws { try save([(key, data)]) }

    /// Keeps a value as JSON.
    public mutating func store(_ value: some Encodable, forKey key: String) throws {
        try saveRaw(try JSONEncoder().encode(value), forKey: key)
    }

    /// Takes an item away; nothing happens where there is none.
    public mutating func delete(forKey key: String) throws { try save([(key, nil)]) }

    /// Keeps or takes away several items, all of them or none.
    public mutating func save(_ items: [(key: String, data: Data?)]) throws {
        var transaction = StoreTransaction(on: stores)
        for (key, data) in items { try write(data, forKey: key, in: &transaction) }
        guard !transaction.changes.isEmpty else { return }
        try stores.commit(transaction.changes)
    }

    /// Keeps or takes away an item in a transaction.
    func write(_ data: Data?, forKey key: String, in transaction: inout StoreTransaction) throws(StepStop) {
        let address = address(key)
        guard let data else { return transaction.remove(address, rule: "deleted") }
        let attributes: Members
        do { attributes = try item(key)?.attributes ?? self.attributes } catch { throw .unreadable(address, error) }
        try transaction.write(
            KeychainItem(data: data, attributes: attributes).value, to: address, rule: "saved", policy: .replaceExisting
        )
    }

    private func item(_ key: String) throws(Unreadable) -> KeychainItem? {
        switch stores.state(at: address(key)) {
        case .absent: return nil
        case .unreadable(let reason): throw reason
        case .present(let value):
            guard let item = KeychainItem(value) else {
                throw Unreadable(.corrupt, "\(address(key)) is \(value.typePhrase), where a keychain item belongs")
            }
            return item
        }
    }
}
