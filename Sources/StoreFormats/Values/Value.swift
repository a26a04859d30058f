import Foundation

/// A value as a store holds it, with every distinction that the store makes.
///
/// `1`, `1.0`, `true` and `"1"` are four different values here, and so are a number of 32 and one of 64 bits.
/// Equality is exact: two values are equal when a writer would write the same bytes for them.
public indirect enum Value: Hashable, Sendable {
    /// The null of JSON, of a keyed archive, or of a binary property list.
    case null
    /// A Boolean, never a number.
    case bool(Bool)
    /// A whole number; property lists hold up to 128 bits.
    case integer(Int128)
    /// A floating-point number, with its width or its JSON text.
    case real(Real)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Timestamp)
    /// Values in order.
    case array([Value])
    /// Keys with their values, in stored order.
    case dictionary(Members)
    /// A set of a binary property list or a keyed archive, in stored order.
    case set(SetElements)
    /// A reference of a keyed archive that has not been resolved: the `UID` of a property list.
    case uid(UInt64)
    /// An instance of a class that has no natural value here; only a decoded keyed archive holds one.
    case object(ArchivedObject)
    /// A place where a decoded keyed archive would enter an object that it is already in: the number of that object.
    case reference(Int)
}

extension Value {
    /// Whether a writer would write the same bytes for both.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        case (.set(let left), .set(let right)): left == right
        case (.uid(let left), .uid(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        default: false
        }
    }
}

extension Value {
    /// A number of 64 bits.
    public static func real(_ value: Double) -> Value { .real(Real(value)) }

    /// A dictionary with these members in this order.
    public static func dictionary(_ members: [(Name, Value)]) -> Value {
        .dictionary(Members(members.map { Member(key: $0.0, value: $0.1) }))
    }

    /// The text, where this is a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number in 64 bits, where this is one.
    package var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real.value
        default: nil
        }
    }

    /// The bytes, where this is data.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// The members, where this is a dictionary.
    public var members: Members? {
        if case .dictionary(let members) = self { members } else { nil }
    }
}

extension Value {
    /// The value as a property list keeps it: a number that JSON writes in another form than the shortest is its 64 bits.
    ///
    /// One that is beyond 64 bits stays as it is: no property list has it.
    public var asPropertyList: Value { hasLiterals ? withoutLiterals : self }

    /// Whether a number is in it in another form than a property list keeps: most have none, and are not copied.
    private var hasLiterals: Bool {
        switch self {
        case .real(let real): if case .literal = real.form { real.value.isFinite } else { false }
        case .array(let elements): elements.contains(where: \.hasLiterals)
        case .dictionary(let members): members.all.contains(where: \.value.hasLiterals)
        default: false
        }
    }

    private var withoutLiterals: Value {
        switch self {
        case .real(let real): hasLiterals ? .real(Real(real.value)) : self
        case .array(let elements): .array(elements.map(\.withoutLiterals))
        case .dictionary(let members):
            .dictionary(Members(members.map { Member(key: $0.key, value: $0.value.withoutLiterals) }))
        default: self
        }
    }
}

extension Real {
    /// Whether the text of a JSON number says more than the 64 bits do: `9007199254740993.0`, thirty digits, `1e-400`.
    package var losesDigits: Bool {
        guard case .literal(let text) = form else { return false }
        guard value.isFinite else { return true }
        let mantissa = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        let digits = mantissa.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
        let significant = digits.reversed().drop { $0 == 0x30 }.reversed()
        guard !significant.isEmpty else { return false }
        // More digits than any 64 bits have when they are written out.
        guard value != 0, significant.count <= 800 else { return true }
        let written = String(format: "%.*e", significant.count - 1, value).utf8
        return !written.prefix { $0 != UInt8(ascii: "e") }.filter { (0x30...0x39).contains($0) }
            .elementsEqual(significant)
    }
}

/// A floating-point number with what its store says of it.
///
/// Equality compares bits, so a NaN equals itself and `-0.0` differs from `0.0`.
public struct Real: Hashable, Sendable {
    /// How the store holds the number.
    public enum Form: Hashable, Sendable {
        /// 32 bits of IEEE 754.
        case single
        /// 64 bits of IEEE 754.
        case double
        /// The text of a JSON number that no other form keeps, such as `1e2`, `3.10` or an integer of 50 digits.
        case literal(String)
    }

    /// The number; infinite where a literal is beyond 64 bits.
    public let value: Double
    /// How the store holds it.
    public let form: Form

    /// Makes a number in the given form.
    public init(_ value: Double, form: Form = .double) {
        self.value = value
        self.form = form
    }

    /// Whether both have the same bits in the same form.
    public static func == (left: Real, right: Real) -> Bool {
        left.value.bitPattern == right.value.bitPattern && left.form == right.form
    }

    /// Feeds the bits and the form to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(value.bitPattern)
        hasher.combine(form)
    }
}

/// The elements of a set, in stored order.
public struct SetElements: Hashable, Sendable {
    /// The elements as stored.
    public var elements: [Value]
    /// Whether the store says that the order matters (an ordered set).
    public var isOrdered: Bool

    /// Makes a set of these elements.
    public init(_ elements: [Value], isOrdered: Bool = false) {
        self.elements = elements
        self.isOrdered = isOrdered
    }
}

/// An instance in a keyed archive whose class has no natural value: its class name and its fields.
public struct ArchivedObject: Hashable, Sendable {
    /// The class name as archived, for example `Module.Type`.
    public var className: String
    /// The fields as archived, without `$class`.
    public var fields: Members

    /// Makes an instance.
    public init(className: String, fields: Members) {
        self.className = className
        self.fields = fields
    }
}

extension Value {
    /// The name of the type, as reports and screens write it.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "integer"
        case .real: "real"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .array: "array"
        case .dictionary: "dictionary"
        case .set: "set"
        case .uid: "uid"
        case .object: "object"
        case .reference: "reference"
        }
    }

    /// What the value is, with an article, for a sentence.
    public var typePhrase: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .set: "a set"
        case .uid: "a UID"
        case .object(let object): "an instance of \(object.className)"
        case .reference: "a reference to itself"
        }
    }

    /// The value as JSON, or what it is where JSON has no form for it.
    package var jsonText: String {
        (try? JSONDocument.write(self)).map { String(decoding: $0, as: UTF8.self) } ?? typePhrase
    }

    /// The value for a sentence, between the marks by which what is secret of it is known; data as its text where it is one.
    package var quoted: String {
        let text = string ?? data.flatMap { String(validating: $0, as: UTF8.self) }
        return "“\(text ?? jsonText)”"
    }
}

extension Value {
    /// Whether both are the same JSON to a reader: keys in any order, and numbers by value rather than by text.
    ///
    /// - Parameter tellingIntegersFromReals: Whether `1` and `1.0` are two values, as they are in a store.
    public func isEquivalentJSON(to other: Value, tellingIntegersFromReals isStrict: Bool = false) -> Bool {
        switch (self, other) {
        case (.dictionary(let left), .dictionary(let right)):
            guard left.count == right.count, left.duplicateKeys.isEmpty else { return false }
            let values = right.firstValues
            return left.allSatisfy { member in
                values[member.key].map { member.value.isEquivalentJSON(to: $0, tellingIntegersFromReals: isStrict) }
                    ?? false
            }
        case (.array(let left), .array(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isEquivalentJSON(to: $1, tellingIntegersFromReals: isStrict) }
        case (.integer, .real), (.real, .integer):
            return !isStrict && number != nil && number == other.number
        case (.real, .real):
            return self == other || (number != nil && number == other.number)
        default: return self == other
        }
    }

    /// The number, where this is one that is finite.
    private var number: ExactNumber? {
        switch self {
        case .integer(let integer): ExactNumber(String(integer))
        case .real(let real):
            if case .literal(let text) = real.form { ExactNumber(text) } else { ExactNumber("\(real.value)") }
        default: nil
        }
    }

    /// A number as its text says it, of any size: 64 bits would make one of two that differ.
    private struct ExactNumber: Equatable {
        private var isNegative: Bool
        /// Without zeros before or behind.
        private var digits: [UInt8]
        /// The power of ten that the digits are multiplied by.
        private var exponent: Int

        /// Reads a number of JSON; `nil` where the text is none, or its exponent is beyond 64 bits.
        init?(_ text: String) {
            let zero = UInt8(ascii: "0"),
                parts = text.utf8.split(omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
            guard (1...2).contains(parts.count), var mantissa = parts.first.map({ Array($0) }) else { return nil }
            isNegative = mantissa.first == UInt8(ascii: "-")
            if isNegative { mantissa.removeFirst() }
            let halves = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            digits = Array(halves.joined())
            guard (1...2).contains(halves.count), !digits.isEmpty,
                digits.allSatisfy((zero...UInt8(ascii: "9")).contains),
                let power = parts.count == 1 ? 0 : Int(String(decoding: parts[1], as: UTF8.self))
            else { return nil }
            let shifted = power.subtractingReportingOverflow(halves.count == 1 ? 0 : halves[1].count)
            guard !shifted.overflow else { return nil }
            digits = Array(digits.drop { $0 == zero })
            let trailing = digits.reversed().prefix { $0 == zero }.count
            digits.removeLast(trailing)
            let sum = shifted.partialValue.addingReportingOverflow(trailing)
            guard !sum.overflow else { return nil }
            exponent = digits.isEmpty ? 0 : sum.partialValue
            if digits.isEmpty { isNegative = false }
        }
    }
}

extension Value {
    /// How many bytes it takes where it is written, about.
    package var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let values): values.reduce(16) { $0 + $1.size }
        case .dictionary(let members): members.all.reduce(16) { $0 + $1.key.text.utf8.count + $1.value.size }
        case .set(let elements): elements.elements.reduce(16) { $0 + $1.size }
        case .null, .bool, .integer, .real, .date, .uid, .object, .reference: 16
        }
    }
}
