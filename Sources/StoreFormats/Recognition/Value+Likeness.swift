/// How alike two values are to whoever reads them.
public enum Likeness: Hashable, Sendable {
    /// The same value in the same form; the order of keys, white space and the kind of a property list do not matter.
    case same
    /// The same value, which other formats hold: what each of them is, in words.
    case otherForm(String, String)
    /// Another value.
    case different
    /// Their bytes differ, and nothing is known of what they hold, as it is over the limits of one answer.
    case unknown
}

extension Value {
    /// How alike two values are, by what they mean and not by their bytes: what other formats hold is compared as values.
    public func likeness(to other: Value, within budget: DecodingBudget = DecodingBudget()) -> Likeness {
        if self == other { return .same }
        let left = Layers(self, within: budget), right = Layers(other, within: budget)
        if left.isOverBudget || right.isOverBudget { return .unknown }
        // Text and data that hold nothing else are what their bytes are.
        if left.form.count == 1, right.form.count == 1, left.form != [""], right.form != [""] {
            return .different
        }
        let isSameForm = left.form == right.form
        // JSON has numbers, and neither integers nor reals.
        let isStrict = isSameForm && left.form.last != StoreFormat.json.rawValue
        guard let isSame = left.value.means(right.value, isStrict: isStrict, within: budget.inner) else {
            return .unknown
        }
        guard isSame else { return .different }
        return isSameForm ? .same : .otherForm(left.phrase, right.phrase)
    }

    /// How each of two values is written where JSON in them has an integer in one and a real number in the other: `1` and `1.0` are
    /// two values, although to JSON they are one number; `nil` where that is nowhere so.
    public func numberForms(
        beside other: Value, within budget: DecodingBudget = DecodingBudget()
    ) -> Likeness? {
        guard self != other, let isInteger = hasInteger(beside: other, within: budget) else { return nil }
        let (one, another) = isInteger ? ("an integer", "a real number") : ("a real number", "an integer")
        let phrases = [self, other].map { Layers($0, within: budget).phrase }
        return .otherForm("\(phrases[0]) with \(one)", "\(phrases[1]) with \(another)")
    }

    /// Whether the first number that is an integer in one and real in the other is the integer in this one.
    ///
    /// Each part is looked at once: what is the same as a whole is not asked again at every depth.
    private func hasInteger(beside other: Value, within budget: DecodingBudget) -> Bool? {
        switch (self, other) {
        case (.integer, .real): return true
        case (.real, .integer): return false
        case (.array(let left), .array(let right)):
            return zip(left, right).firstResult { $0.hasInteger(beside: $1, within: budget) }
        case (.dictionary(let left), .dictionary(let right)):
            let values = right.firstValues
            return left.firstResult { member in
                values[member.key].flatMap { member.value.hasInteger(beside: $0, within: budget) }
            }
        case (.string, .string), (.data, .data):
            guard self != other else { return nil }
            let left = Layers(self, within: budget), right = Layers(other, within: budget)
            guard left.form == right.form, left.form.last == StoreFormat.json.rawValue else { return nil }
            return left.value.hasInteger(beside: right.value, within: budget.inner)
        default: return nil
        }
    }

    /// A value without the formats around it.
    private struct Layers {
        var value: Value
        /// What the outermost value is, and the formats in it, the outermost first.
        var form: [String]
        var isOverBudget = false

        init(_ outer: Value, within budget: DecodingBudget) {
            (value, form) = (outer, [outer.holder])
            var budget = budget
            while form.count < 8, let recognition = value.recognition(within: budget) {
                isOverBudget = isOverBudget || recognition.isOverBudget
                guard let decoded = recognition.decoded, decoded.value != value else { return }
                let isArchive = decoded.formats.last == .keyedArchive
                form += decoded.formats.filter { !isArchive || $0 == .keyedArchive || $0 == .base64 }.map(\.family)
                (value, budget) = (decoded.value, budget.inner)
            }
        }

        var phrase: String {
            let formats = form.dropFirst().filter { !$0.isEmpty }
            let holder = form.first == "" ? value.typeName : form.first ?? ""
            return formats.isEmpty ? holder : "\(formats.joined(separator: " of ")) in \(holder)"
        }
    }

    /// What a value is as something that may hold another; nothing of the others, whose types are compared themselves.
    private var holder: String {
        switch self {
        case .string, .data: typeName
        case .dictionary where KeyedArchive.isKeyedArchive(self): typeName
        default: ""
        }
    }

    /// Whether two values are the same but for the order of keys; what is within them in another format by its value.
    ///
    /// It is `nil` where that is over the limits of the answer, and nothing else differs.
    ///
    /// - Parameter isStrict: Whether `1` and `1.0` are two values; a format may not tell them apart that another does.
    fileprivate func means(_ other: Value, isStrict: Bool, within budget: DecodingBudget) -> Bool? {
        switch (self, other) {
        case (.dictionary(let left), .dictionary(let right)):
            return left.means(right, isStrict: isStrict, within: budget)
        case (.object(let left), .object(let right)):
            guard left.className.utf8.elementsEqual(right.className.utf8) else { return false }
            return left.fields.means(right.fields, isStrict: isStrict, within: budget)
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            return zip(left, right).holds { $0.means($1, isStrict: isStrict, within: budget) }
        case (.set(let left), .set(let right)) where !left.isOrdered && !right.isOrdered:
            return left.elements.count == right.elements.count && Set(left.elements) == Set(right.elements)
        case (.real(let left), .real(let right)) where left.value.bitPattern == right.value.bitPattern:
            // The width of a number, or how JSON wrote it; a literal may say more than 64 bits do.
            return self.isEquivalentJSON(to: other, tellingIntegersFromReals: isStrict)
                || (left.form != right.form && [left.form, right.form].contains(.single))
        case (.string, .string), (.data, .data):
            if self == other { return true }
            return switch likeness(to: other, within: budget) {
            case .same: true
            case .different, .otherForm: false
            case .unknown: nil
            }
        default: return isEquivalentJSON(to: other, tellingIntegersFromReals: isStrict)
        }
    }
}

extension Members {
    fileprivate func means(_ other: Members, isStrict: Bool, within budget: DecodingBudget) -> Bool? {
        // Of a key that stands twice nobody knows which value counts.
        guard count == other.count, duplicateKeys.isEmpty else { return false }
        let values = other.firstValues
        return holds { member in
            guard let other = values[member.key] else { return false }
            return member.value.means(other, isStrict: isStrict, within: budget)
        }
    }
}

extension Sequence {
    /// Whether something holds of every element; one of which it does not decides, else one of which nothing is known.
    fileprivate func holds(_ test: (Element) -> Bool?) -> Bool? {
        var holds: Bool? = true
        for element in self {
            guard let one = test(element) else {
                holds = nil
                continue
            }
            if !one { return false }
        }
        return holds
    }
}

extension StoreFormat {
    /// What a format is to a reader of values; nothing for text, which data is by itself.
    fileprivate var family: String {
        switch self {
        case .binaryPropertyList, .xmlPropertyList: "property list"
        case .text, .terminatedText: ""
        default: rawValue
        }
    }
}
