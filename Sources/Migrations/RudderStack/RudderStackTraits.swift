import MigrationEngine
import StoreFormats

/// The traits as the old SDK left them: a keyed archive, or the JSON string that the guide speaks of.
struct RudderStackTraits {
    /// The keys that are identities rather than traits, which the new SDK keeps apart.
    static let identityKeys = Set(standIns.keys)
    /// Where the new SDK keeps each of them.
    static let standIns: [Name: Name] = ["anonymousId": "anonymous_id", "id": "user_id", "userId": "user_id"]

    /// The traits with the identities.
    let members: Members

    /// Reads the traits, or `nil` where there are none.
    ///
    /// The SDK takes only a keyed archive of a dictionary, under `root`, with nothing in it but texts, numbers, nulls,
    /// arrays and dictionaries; one date anywhere and its reader refuses all of it.
    static func read(
        from legacy: RudderStackLegacy, in transaction: inout StoreTransaction, rules: RudderStackRules
    ) throws(StepStop) -> RudderStackTraits? {
        let key = RudderStackKeys.traits
        guard let value = try legacy.value(key, in: &transaction) else { return nil }
        let recognition = value.recognition()
        if let problem = recognition?.problem {
            if problem.isOverLimit { throw .overLimit(legacy.address(key), problem) }
            throw .failed("wrong-type", "\(key) is damaged: \(problem)")
        }
        let decoded = recognition?.decoded
        let isArchive = decoded?.formats.contains(.keyedArchive) ?? false
        if rules != .documented, value.data == nil || decoded?.formats.count != 2 || !isArchive {
            throw .failed(
                "not-keyed-archive", "\(key) is \(value.typePhrase); the SDK reads only a keyed archive there")
        }
        let top = isArchive ? value.archivedTop : nil
        if isArchive, top?["root"] == nil {
            throw .failed(
                "not-keyed-archive",
                "\(key) is a keyed archive with nothing under root, so no reader finds traits in it")
        }
        // What stands beside the root no reader looks at.
        let found = top.map { $0.count > 1 } ?? false ? decoded?.value.members?["root"] : decoded?.value ?? value
        guard let members = found?.members else {
            throw .failed(
                "wrong-type",
                "\(key) is \(value.typePhrase) that holds neither a keyed archive nor JSON of a dictionary")
        }
        if let twice = members.duplicateKeys.first {
            throw .repeatedKey(JSONPointer([twice]), of: legacy.address(key))
        }
        let traits = Value.dictionary(members).withDecimals
        if rules != .documented, let (pointer, what) = traits.firstPart(where: \.isRefusedBySDK) {
            throw .failed(
                "not-json",
                """
                \(key)#\(pointer) is \(what), for which the SDK's reader refuses the traits as a whole
                """)
        }
        return RudderStackTraits(members: traits.members ?? members)
    }

    /// The user ID among the traits, where it is a string.
    var userID: String? { members["userId"]?.string }

    /// What stands in place of the user ID, in words, where something does that is not a string.
    var misplacedUserID: String? {
        guard let value = members["userId"], value.string == nil, value != .null else { return nil }
        return "\(RudderStackKeys.traits)#/userId is \(value.typePhrase), where a string belongs"
    }

    /// The traits without the identities.
    var kept: Members { Members(members.filter { !Self.identityKeys.contains($0.key) }) }

    /// The identities among them, each with its place.
    func identities(in legacy: RudderStackLegacy) -> [(key: Name, part: Address)] {
        members.map(\.key).filter(Self.identityKeys.contains).map {
            ($0, Address(store: legacy.domain, key: RudderStackKeys.traits, pointer: JSONPointer([$0])))
        }
    }

    /// The traits without the identities as JSON in stored order, or `nil` where nothing is left.
    func json() throws(StepStop) -> String? {
        let kept = kept
        guard !kept.isEmpty else { return nil }
        let value = Value.dictionary(kept)
        if let (pointer, what) = value.firstPart(where: \.isBeyondJSON) {
            throw .failed(
                "not-json",
                "\(RudderStackKeys.traits)#\(pointer) is \(what), which JSON cannot hold")
        }
        do {
            return String(decoding: try JSONDocument.write(value), as: UTF8.self)
        } catch {
            throw .failed("not-json", "\(RudderStackKeys.traits): \(error)")
        }
    }
}

extension Value {
    /// What stands under `$top` of a property list that is a keyed archive, or of the data of one.
    fileprivate var archivedTop: Members? {
        if case .dictionary(let members) = self { return members["$top"]?.members }
        guard let data, case .readable(let format)? = StoreFormat.sniff(data) else { return nil }
        return (try? format.read(data))?.members?["$top"]?.members
    }

    /// Whether JSON has no form for it.
    fileprivate var isBeyondJSON: Bool {
        switch self {
        case .null, .bool, .integer, .string, .array, .dictionary: false
        case .real(let real): !real.value.isFinite
        default: true
        }
    }

    /// Whether it is of a class that the SDK's reader does not let in.
    fileprivate var isRefusedBySDK: Bool {
        switch self {
        case .null, .bool, .integer, .real, .string, .array, .dictionary, .reference: false
        default: true
        }
    }

    /// The first part that is of a kind, and what it is.
    fileprivate func firstPart(
        at pointer: JSONPointer = JSONPointer(), where isMeant: (Value) -> Bool
    ) -> (JSONPointer, String)? {
        if isMeant(self) {
            if case .real(let real) = self { return (pointer, "\(real.value)") }
            return (pointer, typePhrase)
        }
        switch self {
        case .array(let elements):
            return elements.indices.firstResult {
                elements[$0].firstPart(at: pointer.appending("\($0)"), where: isMeant)
            }
        case .dictionary(let members):
            return members.firstResult { $0.value.firstPart(at: pointer.appending($0.key), where: isMeant) }
        default: return nil
        }
    }

    /// The value with every `NSDecimalNumber` in it as the number that it is.
    fileprivate var withDecimals: Value {
        switch self {
        case .object(let object): object.decimal ?? self
        case .array(let elements): .array(elements.map(\.withDecimals))
        case .dictionary(let members):
            .dictionary(Members(members.map { Member(key: $0.key, value: $0.value.withDecimals) }))
        default: self
        }
    }
}

extension ArchivedObject {
    /// The number of an `NSDecimalNumber`: a mantissa of 16-bit words and a power of ten.
    fileprivate var decimal: Value? {
        guard className == "NSDecimalNumber", case .integer(let exponent)? = fields["NS.exponent"],
            case .integer(let length)? = fields["NS.length"], case .bool(let isNegative)? = fields["NS.negative"],
            let mantissa = fields["NS.mantissa"]?.data, (-128...127).contains(exponent), (0...8).contains(length),
            mantissa.count >= 2 * Int(length)
        else { return nil }
        if length == 0 { return isNegative ? .real(.nan) : .integer(0) }
        // CFByteOrderLittleEndian is 1, CFByteOrderBigEndian 2.
        let isBigEndian = fields["NS.mantissa.bo"] == .integer(2)
        let bytes = Array(mantissa)
        var number = UInt128(0)
        for word in (0..<Int(length)).reversed() {
            let pair = [bytes[2 * word], bytes[2 * word + 1]]
            let (high, low) = isBigEndian ? (pair[0], pair[1]) : (pair[1], pair[0])
            number = number << 16 | UInt128(high) << 8 | UInt128(low)
        }
        let sign = isNegative ? "-" : "", places = Int(exponent)
        var digits = String(number)
        if places >= 0 {
            let text = sign + digits + String(repeating: "0", count: places)
            return Int128(text).map(Value.integer) ?? Double(text).map { .real(Real($0, form: .literal(text))) }
        }
        if digits.count <= -places { digits = String(repeating: "0", count: 1 - places - digits.count) + digits }
        let text = sign + digits.dropLast(-places) + "." + digits.suffix(-places)
        return Double(text).map { .real(Real($0, form: .literal(text))) }
    }
}
