import StoreFormats

/// Where an entry is, or a part of its value: `defaults://com.acme.notes/rs_traits#/email`.
///
/// An address is a URL (RFC 3986) whose fragment is a JSON Pointer (RFC 6901) into the value. Keys are
/// percent-encoded; in an address of a file the slashes of its path stand as they are. Without a key it is the whole
/// store. The name of a table has several parts; see ``SQLiteTable``.
public struct Address: Hashable, Sendable {
    /// The store.
    public var store: StoreID
    /// The key in the store, or `nil` for the whole store.
    public var key: Name?
    /// The part of the value.
    public var pointer: JSONPointer

    /// Makes an address.
    public init(store: StoreID, key: Name? = nil, pointer: JSONPointer = JSONPointer()) {
        self.store = store
        self.key = key
        self.pointer = pointer
    }

    /// The address of a key of a UserDefaults domain.
    public static func defaults(_ domain: Name, _ key: Name) -> Address {
        Address(store: .defaults(domain), key: key)
    }

    /// Whether both are the same place; keys, which differ most often, are compared first.
    public static func == (left: Address, right: Address) -> Bool {
        left.key == right.key && left.store == right.store && left.pointer == right.pointer
    }

    /// The address of the whole entry: this one without its pointer.
    public var entry: Address { Address(store: store, key: key) }
}

extension Address: CustomStringConvertible {
    /// The address as a URL.
    public var description: String {
        // The parts of a table's name are encoded already.
        let name = store.kind == .sqlite ? store.name.text : PercentEncoding.encode(store.name.text)
        var text = "\(store.kind.rawValue)://\(name)"
        if let key { text += "/" + PercentEncoding.encode(key.text, keepingSlashes: store.kind == .file) }
        if !pointer.isRoot { text += "#" + PercentEncoding.encode(pointer.description, keepingSlashes: true) }
        return text
    }
}

extension Address {
    /// Reads an address.
    ///
    /// - Throws: ``AddressError``, which says what is wrong.
    public init(parsing text: String) throws(AddressError) {
        let mark = "://"
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[end...].starts(with: mark.utf8),
            let kind = StoreID.Kind(rawValue: String(text[..<end]))
        else { throw AddressError(text: text, problem: .scheme) }
        let parts = text[text.utf8.index(end, offsetBy: mark.utf8.count)...].parts(at: "#", most: 2)
        if kind == .sqlite {
            try self.init(ofRow: parts[0], in: text)
        } else {
            try self.init(kind, parts[0].parts(at: "/", most: 2), in: text)
        }
        if parts.count > 1 {
            guard let fragment = PercentEncoding.decode(parts[1]), let pointer = JSONPointer(parsing: fragment)
            else { throw AddressError(text: text, problem: .pointer) }
            self.pointer = pointer
        }
    }

    /// Reads the address of a table or a row: the parts of the table's name, and the key.
    private init(ofRow path: Substring, in text: String) throws(AddressError) {
        let parts = path.parts(at: "/")
        guard (2...4).contains(parts.count), let table = SQLiteTable(parts: Array(parts.prefix(3))) else {
            throw AddressError(text: text, problem: .table)
        }
        self.init(store: table.store)
        if parts.count == 4 {
            guard let key = PercentEncoding.decode(parts[3]) else { throw AddressError(text: text, problem: .encoding) }
            self.key = Name(key)
        }
    }

    private init(_ kind: StoreID.Kind, _ path: [Substring], in text: String) throws(AddressError) {
        guard let name = PercentEncoding.decode(path[0]) else { throw AddressError(text: text, problem: .encoding) }
        guard !name.isEmpty else { throw AddressError(text: text, problem: .store) }
        self.init(store: StoreID(kind, Name(name)))
        // An account may be empty, and so may a key of UserDefaults; a file always has a name.
        if path.count > 1, !path[1].isEmpty || kind != .file {
            guard let key = PercentEncoding.decode(path[1]) else { throw AddressError(text: text, problem: .encoding) }
            self.key = Name(key)
        }
    }
}

/// Why a text is not an address.
public struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What can be wrong.
    public enum Problem: Hashable, Sendable {
        /// It does not begin with a known kind of store.
        case scheme
        /// The store has no name.
        case store
        /// A percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
        case encoding
        /// It does not name a table of a SQLite file.
        case table
        /// The fragment is not a JSON Pointer.
        case pointer
    }

    /// The text.
    public let text: String
    /// What is wrong with it.
    public let problem: Problem

    /// The problem in words, with an example of what is right.
    public var description: String {
        let reason =
            switch problem {
            case .scheme: "it must begin with defaults://, keychain://, file:// or sqlite://"
            case .store: "it names no store"
            case .encoding: "its percent-encoding is not valid UTF-8"
            case .table: "a table is sqlite://FOLDER/FILE/TABLE, with %2F for the slashes in each of them"
            case .pointer: "the part after # is not a JSON Pointer such as #/email"
            }
        return "“\(text)” is not an address: \(reason) (example: defaults://com.acme.notes/rs_traits#/email)"
    }
}

/// Percent-encoding of RFC 3986, section 2, over UTF-8.
package enum PercentEncoding {
    /// The text with all but unreserved characters, and slashes where they are kept, encoded.
    package static func encode(_ text: String, keepingSlashes: Bool = false) -> String {
        func isKept(_ byte: UInt8) -> Bool { isUnreserved(byte) || byte == UInt8(ascii: "/") && keepingSlashes }
        // Most are as they are.
        if text.utf8.allSatisfy(isKept) { return text }
        var encoded = ""
        for byte in text.utf8 {
            if isKept(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    /// Whether a byte stands as it is wherever it stands (RFC 3986, section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The text with every `%XX` decoded, or `nil` where one is malformed or the bytes are not UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

extension Address {
    /// The address of a part of this value.
    package func appending(_ pointer: JSONPointer) -> Address {
        var address = self
        address.pointer.tokens += pointer.tokens
        return address
    }

    /// Of an item of the keychain the part that is what it holds; any other address is that itself.
    package var held: Address {
        guard store.kind == .keychain, pointer.isRoot else { return self }
        return appending(JSONPointer([KeychainItem.dataKey]))
    }

    /// Whether one of the two holds the other, or both are the same.
    package func overlaps(_ other: Address) -> Bool {
        entry == other.entry && (pointer.isWithin(other.pointer) || other.pointer.isWithin(pointer))
    }

    /// Whether it is another address, or leads further in from it.
    package func isWithin(_ other: Address) -> Bool { entry == other.entry && pointer.isWithin(other.pointer) }
}
