import StoreFormats

/// A value for a field that the old version did not have.
public struct DefaultValue: Sendable {
    /// What it is, in words.
    public let phrase: String
    /// The facts that it is made of.
    public let facts: [FactName]
    let make: @Sendable (Facts) throws(StepStop) -> Value

    /// Always the same value.
    public static func value(_ value: Value) -> DefaultValue {
        let text = (try? JSONDocument.write(value)).map { String(decoding: $0, as: UTF8.self) }
        return DefaultValue(phrase: text ?? value.typePhrase, facts: []) { _ throws(StepStop) in value }
    }

    /// A value that is made of facts.
    public static func facts(
        _ names: FactName..., phrase: String, make: @escaping @Sendable (Facts) throws(StepStop) -> Value
    ) -> DefaultValue {
        DefaultValue(phrase: phrase, facts: names, make: make)
    }
}
