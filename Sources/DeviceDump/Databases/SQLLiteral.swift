import Foundation
import GRDB
import StoreFormats

/// A value of a column as SQL writes it: what a key of several columns is made of, and what a row is found by.
enum SQLLiteral: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// A text, with its bytes as they are stored.
    case text(Data)
    case blob(Data)

    /// Whether it can be told from any other by how it is written, as a text can that is UTF-8.
    var isReadable: Bool {
        if case .text(let bytes) = self { String(validating: bytes, as: UTF8.self) != nil } else { true }
    }

    /// A number as a key has it; `nil` where the text is none, or is not written as one.
    init?(number text: String) {
        if let number = Int64(text) {
            self = .integer(number)
        } else if let number = Double(text), text.utf8.first.map({ $0 == 0x2D || (0x30...0x39).contains($0) }) == true {
            self = .real(number)
        } else {
            return nil
        }
        guard self.text == text else { return nil }
    }

    /// The value without quotation marks, with replacement characters where it is not UTF-8.
    var text: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        // As SQLite writes what no number reaches.
        case .real(let number) where number.isInfinite: number < 0 ? "-9.0e+999" : "9.0e+999"
        case .real(let number): "\(number)"
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .blob(let bytes): "X'\(Hexadecimal.text(bytes).uppercased())'"
        }
    }

    // MARK: In a query

    /// What stands for the value in a query.
    var sql: String {
        if case .text(let bytes) = self, Self.plain(bytes) == nil { "CAST(? AS TEXT)" } else { "?" }
    }

    /// A text as it can be bound; `nil` where it is not UTF-8, or has a NUL, which would end it.
    private static func plain(_ bytes: Data) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// What is bound to it.
    var value: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .integer(let number): number
        case .real(let number): number
        case .text(let bytes): Self.plain(bytes) ?? bytes
        case .blob(let bytes): bytes
        }
    }

    // MARK: In a key

    /// The literals of a list with commas between them; `nil` where it is no such list.
    static func list(_ text: String) -> [SQLLiteral]? {
        var rest = Array(text.utf8)[...], literals: [SQLLiteral] = []
        repeat {
            guard let literal = next(&rest) else { return nil }
            literals.append(literal)
            guard let comma = rest.popFirst() else { return literals }
            guard comma == UInt8(ascii: ",") else { return nil }
        } while true
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> SQLLiteral? {
        let mark = UInt8(ascii: "'")
        func quoted() -> Data? {
            guard rest.popFirst() == mark else { return nil }
            var bytes = Data()
            while let byte = rest.popFirst() {
                if byte == mark {
                    guard rest.first == mark else { return bytes }
                    rest.removeFirst()
                }
                bytes.append(byte)
            }
            return nil
        }
        if rest.first == mark { return quoted().map(SQLLiteral.text) }
        if rest.first == UInt8(ascii: "X") {
            rest.removeFirst()
            return quoted().flatMap { Hexadecimal.data($0) }.map(SQLLiteral.blob)
        }
        let word = String(decoding: rest.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)
        rest.removeFirst(word.utf8.count)
        return word == "NULL" ? .null : SQLLiteral(number: word)
    }
}

extension SQLLiteral: CustomStringConvertible {
    /// The value as SQL writes it.
    var description: String {
        switch self {
        case .null: "NULL"
        // By bytes: to Swift a quotation mark with an accent is no quotation mark.
        case .text(let bytes):
            "'\(String(decoding: bytes.flatMap { $0 == 0x27 ? [$0, $0] : [$0] }, as: UTF8.self))'"
        case .integer, .real, .blob: text
        }
    }
}
