import StoreFormats

/// The items of a list that stands below a key of the whole, one below the other, and the text around them.
///
/// What it takes for an item may be within a text in quotes: a stretch of the list that ends there cannot be taken apart by itself.
struct LongList: Sendable {
    private let bytes: [UInt8]
    /// Where each item begins, and in which line.
    let items: [(start: Int, line: Int)]
    private let end: Int
    /// Where the list stands.
    let place: SpecProblem.Place

    /// The list of a key; `nil` where it is written otherwise, or where it is no long one.
    init?(in text: String, of key: String) {
        // A return by itself ends a line too (YAML 1.2.2, 5.4), and so it is one for the places of problems.
        guard !text.utf8.contains(UInt8(ascii: "\r")) else { return nil }
        let bytes = Array(text.utf8), head = Array("\(key):".utf8)
        let blank = UInt8(ascii: " "), lineFeed = UInt8(ascii: "\n")
        var items: [(start: Int, line: Int)] = [], indent: Int?, isBelow = false
        var start = 0, end = bytes.count, number = 0
        while start < bytes.count {
            let line = bytes[start...].prefix { $0 != lineFeed }
            defer { start = line.endIndex + 1 }
            number += 1
            guard isBelow else {
                isBelow = line.elementsEqual(head)
                continue
            }
            let written = line.drop { $0 == blank }
            guard let first = written.first, first != UInt8(ascii: "#") else { continue }
            let own = line.count - written.count
            let isItem = first == UInt8(ascii: "-") && (written.count == 1 || written[written.startIndex + 1] == blank)
            if isItem, own == indent ?? own {
                indent = own
                items.append((start, number))
            } else if own <= indent ?? .max {
                end = start
                break
            }
        }
        guard let indent, let first = items.first, items.count >= 512 else { return nil }
        (self.bytes, self.items, self.end) = (bytes, items, end)
        place = SpecProblem.Place(line: first.line, column: indent + 1)
    }

    /// The text of some items.
    subscript(numbers: Range<Int>) -> String {
        let last = numbers.upperBound < items.count ? items[numbers.upperBound].start : end
        return String(decoding: bytes[items[numbers.lowerBound].start..<last], as: UTF8.self)
    }

    /// The text with an empty list in place of the items, and all else in the lines where it was.
    var rest: String {
        let before = bytes[..<items[0].start], own = bytes[before.endIndex..<end]
        let blanks = String(repeating: " ", count: place.column)
        let lines = String(repeating: "\n", count: own.count { $0 == UInt8(ascii: "\n") })
        return String(decoding: before, as: UTF8.self) + blanks + "[]" + lines
            + String(decoding: bytes[end...], as: UTF8.self)
    }

    /// Where that list stands.
    var placeInRest: SpecProblem.Place { .init(line: place.line, column: place.column + 1) }
}
