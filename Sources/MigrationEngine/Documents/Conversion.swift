import StoreFormats

/// How a value becomes another, and back where that can be said.
public struct Conversion: Sendable {
    /// What it does, in words.
    public let rule: String
    let forward: @Sendable (Value) -> Value?
    let backward: (@Sendable (Value) -> Value?)?

    /// Whether the new value alone says what the old one was.
    public var isInvertible: Bool { backward != nil }

    /// Makes a conversion.
    ///
    /// - Parameters:
    ///   - rule: What it does, in words.
    ///   - forward: The new value, or `nil` for a value that it does not take.
    ///   - backward: The old value of a new one, exactly; leave it out where two old values become one.
    public init(
        _ rule: String, forward: @escaping @Sendable (Value) -> Value?,
        backward: (@Sendable (Value) -> Value?)? = nil
    ) {
        self.rule = rule
        self.forward = forward
        self.backward = backward
    }

    /// Each of these values becomes the one beside it, and no other value is taken.
    public static func table(_ rows: [(from: Value, to: Value)]) -> Conversion {
        let words = rows.map { "\(DefaultValue.value($0.from).phrase) to \(DefaultValue.value($0.to).phrase)" }
        let isInjective = Set(rows.map(\.to)).count == rows.count
        let forward: @Sendable (Value) -> Value? = { value in rows.first { $0.from == value }?.to }
        let backward: @Sendable (Value) -> Value? = { value in rows.first { $0.to == value }?.from }
        return Conversion(
            words.joined(separator: ", "), forward: forward, backward: isInjective ? backward : nil)
    }
}
