import Foundation

/// Turns a value into bytes and back; the name says which to people.
public struct StorageSerializer<Value: Sendable>: Sendable {
    /// The name, such as `json`.
    public let name: String
    let encode: @Sendable (Value) throws -> Data
    let decode: @Sendable (Data) throws -> Value

    /// A serializer of one's own under a name.
    ///
    /// Encoding the same value must give the same bytes: a step may not differ from its preview.
    public static func custom(
        name: String, encode: @escaping @Sendable (Value) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) -> StorageSerializer {
        StorageSerializer(name: name, encode: encode, decode: decode)
    }
}

extension StorageSerializer where Value: Codable {
    /// JSON with its keys in alphabetical order.
    public static var json: StorageSerializer {
        StorageSerializer(name: "json") { value in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(value)
        } decode: {
            try JSONDecoder().decode(Value.self, from: $0)
        }
    }

    /// A binary property list; a single text or number is no property list and cannot be encoded.
    public static var propertyList: StorageSerializer {
        StorageSerializer(name: "property list") { value in
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode(value)
        } decode: {
            try PropertyListDecoder().decode(Value.self, from: $0)
        }
    }
}

extension StorageSerializer where Value == Data {
    /// The bytes as they are.
    public static var data: StorageSerializer { StorageSerializer(name: "data", encode: { $0 }, decode: { $0 }) }
}
