/// What a value holds in another format.
public struct DecodedValue: Hashable, Sendable {
    /// The formats that were read, the outermost first, such as base64 and then JSON.
    public var formats: [StoreFormat]
    /// What they hold.
    public var value: Value

    /// Makes a result.
    public init(formats: [StoreFormat], value: Value) {
        self.formats = formats
        self.value = value
    }
}

/// What is found in a value that looks as if it held another format.
public struct Recognition: Hashable, Sendable {
    /// What could be read.
    ///
    /// A property list that looks like a keyed archive and is a broken one is here as the property list.
    public var decoded: DecodedValue?
    /// Why something could not be read that looks like a format.
    public var problem: FormatError?

    /// Whether it was left out because of the budget: nothing is known of what it holds.
    public var isOverBudget: Bool { problem?.problem == .overBudget }
}
