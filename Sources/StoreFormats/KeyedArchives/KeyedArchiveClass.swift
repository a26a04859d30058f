import Foundation

/// The classes of Foundation that have a natural value, with the fields that they are archived in.
///
/// The fields are those that Apple's and Swift's Foundation write; where an instance has others it stays an object.
enum KeyedArchiveClass {
    private static let readers: [String: @Sendable (ArchivedObject) -> Value?] = [
        "NSArray": { elements($0.fields).map(Value.array) },
        "NSSet": { elements($0.fields).map { .set(SetElements($0)) } },
        "NSOrderedSet": { elements($0.fields).map { .set(SetElements($0, isOrdered: true)) } },
        "NSDictionary": { dictionary($0.fields) },
        "NSString": { text($0.fields).map(Value.string) },
        "NSData": { ($0.fields["NS.data"]?.data ?? $0.fields["NS.bytes"]?.data).map(Value.data) },
        "NSDate": { number($0.fields["NS.time"]).map { .date(Timestamp(secondsSinceReference: $0)) } },
        "NSNull": { _ in .null },
        "NSDecimalNumber": { .object($0) },
        "NSNumber": { $0.fields["NS.boolval"] ?? $0.fields["NS.intval"] ?? $0.fields["NS.dblval"] },
        "NSUUID": { uuid($0) },
        "NSURL": { url($0) },
    ]
    private static let mutable: Set = [
        "NSMutableArray", "NSMutableSet", "NSMutableOrderedSet", "NSMutableDictionary",
        "NSMutableString", "NSMutableData",
    ]

    /// The first of the names of a class and its superclasses that is one of these, without `Mutable`.
    static func plain(among names: [String]) -> String? {
        for name in names {
            let plain = mutable.contains(name) ? "NS" + name.dropFirst("NSMutable".count) : name
            if readers[plain] != nil { return plain }
        }
        return nil
    }

    /// The value of an instance of a class here or of a subclass; the instance itself where its fields are others.
    static func value(of object: ArchivedObject, as plain: String?) -> Value {
        plain.flatMap { readers[$0]?(object) } ?? .object(object)
    }

    /// The elements in `NS.objects`, or in `NS.object.0` and so on.
    private static func elements(_ fields: Members) -> [Value]? {
        list("NS.objects", "NS.object.", in: fields) ?? (fields.isEmpty ? [] : nil)
    }

    /// The values in one field or, numbered from 0 on, in one field each.
    private static func list(_ whole: Name, _ prefix: String, in fields: Members) -> [Value]? {
        if case .array(let values)? = fields[whole] { return values }
        var numbered: [Int: Value] = [:]
        for field in fields where field.key.hasPrefix(prefix) {
            guard let number = JSONPointer.arrayIndex(Name(field.key.text.dropFirst(prefix.count))) else { return nil }
            numbered[number] = field.value
        }
        let values = (0..<numbered.count).compactMap { numbered[$0] }
        return values.isEmpty || values.count < numbered.count ? nil : values
    }

    private static func dictionary(_ fields: Members) -> Value? {
        if fields.isEmpty { return .dictionary(Members()) }
        guard let keys = list("NS.keys", "NS.key.", in: fields), let values = elements(fields),
            keys.count == values.count
        else { return nil }
        let texts = keys.compactMap(\.string)
        guard texts.count == keys.count else {
            return .object(
                ArchivedObject(
                    className: "NSDictionary", fields: ["NS.keys": .array(keys), "NS.objects": .array(values)]))
        }
        return .dictionary(Members(zip(texts, values).map { Member(key: Name($0), value: $1) }))
    }

    private static func text(_ fields: Members) -> String? {
        if let text = fields["NS.string"]?.string { return text }
        return fields["NS.bytes"]?.data.flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func number(_ value: Value?) -> Double? {
        switch value {
        case .real(let real): real.value
        case .integer(let integer): Double(integer)
        default: nil
        }
    }

    private static func uuid(_ object: ArchivedObject) -> Value? {
        guard let bytes = object.fields["NS.uuidbytes"]?.data, bytes.count == 16 else { return nil }
        let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        return .object(object.with("UUIDString", .string(uuid.uuidString)))
    }

    private static func url(_ object: ArchivedObject) -> Value? {
        guard let relative = object.fields["NS.relative"]?.string else { return nil }
        switch object.fields["NS.base"] {
        case nil, .null?: return .object(object.with("absoluteString", .string(relative)))
        case .object(let base)?:
            guard let text = base.fields["absoluteString"]?.string, let base = URL(string: text),
                let url = URL(string: relative, relativeTo: base)
            else { return nil }
            return .object(object.with("absoluteString", .string(url.absoluteString)))
        default: return nil
        }
    }
}

extension ArchivedObject {
    /// The object with one more field, before the others.
    fileprivate func with(_ key: Name, _ value: Value) -> ArchivedObject {
        ArchivedObject(className: className, fields: Members([Member(key: key, value: value)] + fields.all))
    }
}
