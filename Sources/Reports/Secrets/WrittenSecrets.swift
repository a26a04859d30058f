import MigrationEngine
import StoreFormats

/// The values that rules write out, as they stand in rules, notes and reasons: which of them are shown there and which are not.
///
/// What looks like a secret in the file is one wherever it is quoted, whatever stands around it; and what does not is none, though
/// the words before it may say so, as in `adds /email as "---"`.
struct WrittenSecrets: Sendable {
    /// How secrets are written, and how other values are.
    private var secrets: Set<String> = [], open: Set<String> = []
    /// How many secrets are kept; of more, everything in quotes is masked.
    private static let limit = 1000
    /// How many bytes one has at least: a shorter one stands in other words, too, as of every secret a part so short is shown.
    private static let shortest = 5

    var isEmpty: Bool { secrets.isEmpty && open.isEmpty }

    /// Takes in values that rules write out.
    mutating func note(_ values: some Sequence<WrittenValue>) {
        for written in values {
            let isSecret = Secrets.isWritten(written)
            switch written.value {
            case .string:
                if isSecret {
                    let texts = written.parts + [String(written.value.jsonText.dropFirst().dropLast())]
                    secrets.formUnion(texts.filter { $0.utf8.count >= Self.shortest })
                } else {
                    open.insert(written.value.jsonText)
                }
            default:
                let text = written.value.jsonText
                if isSecret, text.utf8.count >= Self.shortest { secrets.insert(text) }
            }
        }
    }

    /// Takes in what a change makes up, and, of one that takes that back, what goes.
    mutating func note(_ change: Change) {
        note(change.written)
        guard change.after == nil, let gone = change.before.value else { return }
        note(WrittenValue.all(in: gone, at: change.address).filter(Secrets.isWritten))
    }

    mutating func formUnion(_ other: WrittenSecrets) {
        secrets.formUnion(other.secrets)
        open.formUnion(other.open)
    }

    /// A text with the secrets masked in it.
    ///
    /// - Parameter masked: What is masked of what stands between the values.
    func masked(_ text: String, _ masked: (String) -> String) -> String {
        guard !isEmpty else { return masked(text) }
        if secrets.count > Self.limit { return Secrets.masked(quotesIn: masked(text)) }
        let bytes = Array(text.utf8), places = self.places(in: bytes)
        guard !places.isEmpty else { return masked(text) }
        var shown = "", position = 0
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        for (place, isSecret) in places {
            let range = isSecret ? Self.withMarks(place, in: bytes) : place
            if position < range.lowerBound { shown += masked(part(position..<range.lowerBound)) }
            shown += isSecret ? Secrets.placeholder(.string(part(place))) : part(place)
            position = range.upperBound
        }
        return position < bytes.count ? shown + masked(part(position..<bytes.count)) : shown
    }

    /// Where the values stand; of two at one place the longer one, and a secret before what is none.
    private func places(in bytes: [UInt8]) -> [(range: Range<Int>, isSecret: Bool)] {
        func all(_ words: Set<String>, _ isSecret: Bool) -> [(range: Range<Int>, isSecret: Bool)] {
            words.flatMap { word in
                let word = Array(word.utf8)
                var found: [(range: Range<Int>, isSecret: Bool)] = [], start = 0
                while let range = bytes[start...].firstRange(of: word) {
                    if Self.standsAlone(range, in: bytes) { found.append((range, isSecret)) }
                    start = range.upperBound
                }
                return found
            }
        }
        var last = 0
        let found = (all(secrets, true) + all(open, false)).sorted { left, right in
            if left.isSecret != right.isSecret, left.range.overlaps(right.range) { return left.isSecret }
            return (left.range.lowerBound, -left.range.count) < (right.range.lowerBound, -right.range.count)
        }
        let secret = found.filter(\.isSecret).map(\.range)
        return found.filter { place in
            guard place.range.lowerBound >= last, place.isSecret || !secret.contains(where: place.range.overlaps) else {
                return false
            }
            last = place.range.upperBound
            return true
        }
    }

    /// What stands there with the marks of a sentence around it: alone, what is left of these would be taken for a value.
    private static func withMarks(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        let (opening, closing) = (Array("“".utf8), Array("”".utf8))
        guard bytes[..<range.lowerBound].reversed().starts(with: opening.reversed()),
            bytes[range.upperBound...].starts(with: closing)
        else { return range }
        return range.lowerBound - opening.count..<range.upperBound + closing.count
    }

    /// Whether what stands there is not a part of a longer word or number, nor, where it is a word itself, of an address.
    private static func standsAlone(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        let isWord = bytes[range].allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        func joins(_ inner: Int, _ outer: Int) -> Bool {
            func isAlphanumeric(_ index: Int) -> Bool {
                bytes.indices.contains(index) && SecretShapes.isAlphanumeric(bytes[index])
            }
            guard isAlphanumeric(inner) else { return false }
            return isAlphanumeric(outer)
                || isWord && bytes.indices.contains(outer) && "._-/#".utf8.contains(bytes[outer])
                    && isAlphanumeric(2 * outer - inner)
        }
        guard !range.isEmpty else { return false }
        return !joins(range.lowerBound, range.lowerBound - 1) && !joins(range.upperBound - 1, range.upperBound)
    }
}

extension Secrets {
    /// Whether a value that a rule writes out is not shown.
    static func isWritten(_ written: WrittenValue) -> Bool { written.looksSecret { isSecret($1, at: $0) } }
}

extension Change {
    /// What nobody entered of its new value: a rule has written it out.
    var written: [WrittenValue] {
        let pointers = effect == .madeUp && from.isEmpty ? [JSONPointer()] : placeholders
        return pointers.prefix(100).flatMap { pointer -> [WrittenValue] in
            guard let made = try? after?.part(at: pointer) else { return [] }
            return WrittenValue.all(in: made, at: address.appending(pointer))
        }
    }
}
