import Foundation
import MigrationEngine
import StoreFormats

/// What stands in place of a secret.
extension Secrets {
    /// What every placeholder begins with.
    static let mark = "‹masked "
    private static let otherMark = "‹another masked "
    /// What a text of a dump may begin with that stands in place of no secret.
    static let marks = [mark, otherMark]

    /// What is shown in place of data that is masked for its format alone, as a secret may lie in it: what it is.
    static func closedPlaceholder(_ value: Value) -> String? {
        guard case .data(let data) = value, let format = closedFormat(of: data) else { return nil }
        return "\(format), \(data.count.counted("byte"))"
    }

    /// Whether a value is likely to be a secret by itself: what is masked for its format alone is not.
    package static func isLikelySecret(_ value: Value, at address: Address) -> Bool {
        isSecret(value, at: address)
            && !(SecretContext(address).isPlain(value) && closedPlaceholder(value) != nil)
    }

    /// What is shown in place of a secret: its type and length.
    package static func placeholder(_ value: Value) -> String {
        guard let length = length(of: value) else { return "\(mark)\(value.typeName)›" }
        let unit = if case .data = value { "byte" } else { "character" }
        return "\(mark)\(value.typeName), \(length.counted(unit))›"
    }

    /// What is shown in place of a secret beside another one of the same type and length that it differs from.
    static func another(_ placeholder: String) -> String {
        if placeholder.hasPrefix(mark) { return otherMark + placeholder.dropFirst(mark.count) }
        return closed.contains { placeholder.hasPrefix($0.name + ", ") } ? "another " + placeholder : placeholder
    }

    /// What is shown in place of two secrets that differ, so that one sees that they do, and not by how many characters.
    static func toldApart(_ left: String, _ right: String) -> (left: String, right: String) {
        func withoutLength(_ text: String) -> String {
            guard text.hasPrefix(mark), text.hasSuffix("›") else { return text }
            return text.prefix { $0 != "," && $0 != ";" && $0 != "›" } + "›"
        }
        if left == right { return (left, another(right)) }
        let (left, right) = (withoutLength(left), withoutLength(right))
        return (left, left == right ? another(right) : right)
    }

    /// What is shown in place of what was not looked into, as the answer has looked into so much already.
    static func unsearched(_ value: Value) -> String {
        placeholder(value).replacing("›", with: "; not looked into, as this answer is over its limit›")
    }

    /// How long a secret is: bytes of data, characters of text; `nil` for other types.
    static func length(of value: Value) -> Int? {
        switch value {
        case .string(let text): text.count
        case .data(let data): data.count
        default: nil
        }
    }

    /// What the format of data is called that nothing looks into here, so that a secret may lie anywhere: a database, whose rows
    /// are stores of their own, a log of one, or what is compressed (zip, gzip, Zstandard, xz, bzip2).
    static func closedFormat(of data: Data) -> String? {
        closed.first { data.starts(with: $0.beginning) }?.name
    }

    private static let closed: [(beginning: Data, name: String)] =
        [(SQLiteMagic.database, "SQLite database"), (SQLiteMagic.journal, "SQLite journal")]
        + SQLiteMagic.logs.map { ($0, "SQLite log") }
        + [
            (Data([0x50, 0x4B, 0x03, 0x04]), "zip archive"), (Data([0x1F, 0x8B, 0x08]), "gzip"),
            (Data([0x28, 0xB5, 0x2F, 0xFD]), "Zstandard"), (Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), "xz"),
            (Data("BZh".utf8), "bzip2"),
        ]
}
