import MigrationEngine

/// Makes a value of one of another type.
public struct DefaultTransformingMigration<Source: Codable & Sendable, Value: Codable & Sendable>: ValueMigration {
    /// The key to write.
    public let destinationKey: StorageKey<Value>
    /// The key to read.
    public let sourceKey: StorageKey<Source>
    private let transform: @Sendable (Source) throws -> Value

    /// Makes a migration; what the closure throws is why the old value makes no new one.
    public init(
        destinationKey: StorageKey<Value>, sourceKey: StorageKey<Source>,
        transform: @escaping @Sendable (Source) throws -> Value
    ) {
        self.destinationKey = destinationKey
        self.sourceKey = sourceKey
        self.transform = transform
    }

    /// The one key.
    public var sources: [AnyStorageKey] { [.key(sourceKey)] }
    /// From which type to which.
    public var rule: String { "\(sourceKey.name) → \(destinationKey.name), \(Source.self) → \(Value.self)" }

    /// The value made of that of the source.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value? {
        guard let old = try transaction.stored(sourceKey) else { return nil }
        return try StorageError.transforming { try transform(old) }
    }
}

extension StorageError {
    /// An error of somebody else's code in words: its own, where it has any; those of Foundation are not written for people.
    static func words(of error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "" : " at \(path.map(\.stringValue).joined(separator: "."))"
        }
        return switch error {
        case let error as StorageError: error.description
        case DecodingError.keyNotFound(let key, let context):
            "\(key.stringValue) is missing\(place(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            "there is no \(type)\(place(context.codingPath))"
        case DecodingError.dataCorrupted(let context): "what is stored is damaged\(place(context.codingPath))"
        case EncodingError.invalidValue(let value, let context):
            "\(type(of: value)) has no form there\(place(context.codingPath))"
        case _ where String(reflecting: type(of: error)).hasPrefix("Foundation"): "it ended with a \(type(of: error))"
        default: "\(error)"
        }
    }

    /// Runs a closure of a migration's author.
    static func transforming<Value>(_ body: () throws -> Value) throws(StorageError) -> Value {
        do {
            return try body()
        } catch let error as StorageError {
            throw error
        } catch {
            throw .transformationFailed(words(of: error))
        }
    }
}

/// Makes one value of several.
public struct DefaultAggregatingMigration<Value: Codable & Sendable>: ValueMigration {
    /// The key to write.
    public let destinationKey: StorageKey<Value>
    /// The keys to read.
    public let sources: [AnyStorageKey]
    private let aggregate: @Sendable (AggregatedSources) throws -> Value

    /// Makes a migration; what the closure throws is why the old values make no new one.
    public init(
        destinationKey: StorageKey<Value>, sourceKeys: [AnyStorageKey],
        aggregate: @escaping @Sendable (AggregatedSources) throws -> Value
    ) {
        self.destinationKey = destinationKey
        sources = sourceKeys
        self.aggregate = aggregate
    }

    /// Which keys become which.
    public var rule: String { "\(sources.map(\.name).joined(separator: " + ")) → \(destinationKey.name)" }

    /// The value made of those of the sources that are there, where any is.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value? {
        var found = AggregatedSources()
        for source in sources {
            if let value = try source.stored(in: &transaction) { found.values[source.identity] = value }
        }
        guard !found.values.isEmpty else { return nil }
        return try StorageError.transforming { try aggregate(found) }
    }
}

/// The values of several keys, as far as they are there.
public struct AggregatedSources: Sendable {
    var values: [StorageKeyIdentity: any Sendable] = [:]

    /// The value of a key, or `nil` where it is not there.
    ///
    /// - Throws: ``StorageError/typesDiffer(key:is:wanted:)``: a value of another type is never dropped.
    public func value<Value>(of key: StorageKey<Value>) throws(StorageError) -> Value? {
        guard let value = values[key.identity] else { return nil }
        guard let typed = value as? Value else {
            throw .typesDiffer(key: key.name, is: "\(type(of: value))", wanted: "\(Value.self)")
        }
        return typed
    }

    /// The value of a key that the result cannot be made without.
    ///
    /// - Throws: ``StorageError/sourceMissing(_:)``, ``StorageError/typesDiffer(key:is:wanted:)``.
    public func require<Value>(_ key: StorageKey<Value>) throws(StorageError) -> Value {
        guard let value = try value(of: key) else { throw .sourceMissing(key.name) }
        return value
    }
}

/// A migration that applies to some versions of the app only.
public struct AppVersionConditionalMigration<Base: ValueMigration>: ValueMigration {
    private let base: Base
    private let first: String?
    private let end: String?

    /// Makes a migration conditional.
    ///
    /// - Parameters:
    ///   - first: The first version that it applies to; `nil` is every earlier one.
    ///   - end: The first version that it no longer applies to; `nil` is none.
    public init(_ base: Base, from first: String? = nil, before end: String? = nil) {
        self.base = base
        self.first = first
        self.end = end
    }

    /// The key that it writes.
    public var destinationKey: StorageKey<Base.Value> { base.destinationKey }
    /// The keys that it reads.
    public var sources: [AnyStorageKey] { base.sources }
    /// What it does, and for which versions.
    public var rule: String { "\(base.rule), for version\(range)" }

    private var range: String { (first.map { " \($0) or later" } ?? "s") + (end.map { " before \($0)" } ?? "") }

    /// The value that the other migration makes.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Base.Value? {
        try base.value(in: &transaction)
    }

    /// That the version is another one.
    ///
    /// - Throws: ``StorageError/factMissing(_:)`` where the version is not known.
    public func refusal(in context: MigrationContext) throws(StorageError) -> String? {
        guard let version = context.appVersion else { throw .factMissing(.appVersion) }
        let tooOld = first.map { Self.isLess(version, $0) } ?? false
        let tooNew = end.map { !Self.isLess(version, $0) } ?? false
        guard !tooOld, !tooNew else { return "it is for version\(range), and the app is \(version)" }
        return try base.refusal(in: context)
    }

    /// Compares number by number, so that 1.9 is before 1.10, and 1.0 is the same as 1.
    static func isLess(_ left: String, _ right: String) -> Bool {
        let lists = [left, right].map { $0.split(separator: ".").map { Int($0) ?? 0 } }
        for index in 0..<max(lists[0].count, lists[1].count) {
            let pair = lists.map { index < $0.count ? $0[index] : 0 }
            if pair[0] != pair[1] { return pair[0] < pair[1] }
        }
        return false
    }
}

/// Moves a value from one key to another as it is.
public struct SimpleLegacyMigration<Value: Codable & Sendable>: ValueMigration {
    /// The key to move to.
    public let destinationKey: StorageKey<Value>
    /// The key to move from.
    public let sourceKey: AnyStorageKey

    /// Makes a migration; the keys must be of the same type, which is checked at registration.
    public init(destinationKey: StorageKey<Value>, sourceKey: AnyStorageKey) {
        self.destinationKey = destinationKey
        self.sourceKey = sourceKey
    }

    /// The one key.
    public var sources: [AnyStorageKey] { [sourceKey] }
    /// That it moves the value.
    public var rule: String { "\(sourceKey.name) → \(destinationKey.name), the same value" }

    /// The value of the source.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value? {
        try transaction.stored(sourceKey.typed(Value.self))
    }
}
