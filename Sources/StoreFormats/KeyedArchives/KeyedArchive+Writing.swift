import Foundation

extension KeyedArchive {
    /// A value as an archive of `NSKeyedArchiver`, under the name `root`: dictionaries, arrays, dates, data, text, numbers.
    ///
    /// Throws for what no such archive of Foundation's classes holds.
    package static func write(_ value: Value) throws(FormatError) -> Data {
        var archiver = Archiver()
        let root = try archiver.add(value)
        return try BinaryPropertyList.write(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(archiver.objects)),
            ]))
    }

    private struct Archiver {
        var objects: [Value] = [.string("$null")]
        private var texts: [Name: UInt64] = [:]
        private var classes: [String: UInt64] = [:]

        mutating func add(_ value: Value) throws(FormatError) -> UInt64 {
            switch value {
            case .string(let text):
                if let known = texts[Name(text)] { return known }
                texts[Name(text)] = UInt64(objects.count)
                return append(value)
            case .bool, .integer, .real, .data: return append(value)
            case .null: return add([], of: "NSNull")
            case .date(let date): return add([("NS.time", .real(date.secondsSinceReference))], of: "NSDate")
            case .array(let items):
                let place = append(.null)
                var all: [Value] = []
                for item in items { all.append(.uid(try add(item))) }
                objects[Int(place)] = object([("NS.objects", .array(all))], of: "NSArray")
                return place
            case .dictionary(let members):
                let place = append(.null)
                var keys: [Value] = [], values: [Value] = []
                for member in members {
                    keys.append(.uid(try add(.string(member.key.text))))
                    values.append(.uid(try add(member.value)))
                }
                objects[Int(place)] = object(
                    [("NS.keys", .array(keys)), ("NS.objects", .array(values))], of: "NSDictionary")
                return place
            case .set, .uid, .object, .reference:
                throw FormatError(.keyedArchive, at: .offset(0), .unwritable(value.typePhrase))
            }
        }

        private mutating func append(_ value: Value) -> UInt64 {
            objects.append(value)
            return UInt64(objects.count - 1)
        }

        private mutating func add(_ fields: [(Name, Value)], of className: String) -> UInt64 {
            let place = append(.null)
            objects[Int(place)] = object(fields, of: className)
            return place
        }

        private mutating func object(_ fields: [(Name, Value)], of className: String) -> Value {
            let known =
                classes[className]
                ?? append(
                    .dictionary([
                        ("$classname", .string(className)),
                        ("$classes", .array([.string(className), .string("NSObject")])),
                    ]))
            classes[className] = known
            return .dictionary(fields + [("$class", .uid(known))])
        }
    }
}
