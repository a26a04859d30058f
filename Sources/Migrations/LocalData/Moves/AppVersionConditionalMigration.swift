import MigrationEngine

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
