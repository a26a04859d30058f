extension Value {
    /// Whether both are the same JSON to a reader: keys in any order, and numbers by value rather than by text.
    ///
    /// Takes time in proportion to the square of the number of keys in one object.
    public func isEquivalentJSON(to other: Value) -> Bool {
        switch (self, other) {
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count && left.duplicateKeys.isEmpty
                && left.allSatisfy { member in
                    right[member.key].map { member.value.isEquivalentJSON(to: $0) } ?? false
                }
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalentJSON(to: $1) }
        case (.integer, .real), (.real, .integer), (.real, .real):
            number == other.number
        default: self == other
        }
    }

    /// The number as 64 bits, where this is one.
    private var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real.value
        default: nil
        }
    }
}
