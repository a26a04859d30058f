/// The cells of a table in a text, below a name that says that they are secret: values with commas, tabs or the like between
/// them (RFC 4180), and the rows that SQL inserts.
enum SecretTables {
    /// The longest name of a column, in bytes, and how many columns there are at most.
    private static let nameLength = 64, columnLimit = 4096

    /// The secret cells, as ranges of the text's bytes, without their quotes.
    ///
    /// The first line, but for remarks and Excel's `sep=`, has to be names, and another line as many cells as it: else it is
    /// no table. Lines that have more or fewer cells are parts of it all the same.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] { separated(in: bytes) + inserted(in: bytes) }

    private static func separated(in bytes: [UInt8]) -> [Range<Int>] {
        guard bytes.contains(where: isLineBreak), let start = header(in: bytes),
            let end = bytes[start...].firstIndex(where: isLineBreak)
        else { return [] }
        for separator in ",\t;|".utf8 where bytes[start..<end].contains(separator) {
            let header = line(at: start, in: bytes, separator).cells
            guard (2...columnLimit).contains(header.count), header.allSatisfy({ $0.count <= nameLength }) else {
                continue
            }
            let names = header.map { String(decoding: bytes[$0], as: UTF8.self) }
            let columns = names.indices.filter {
                isName(bytes[header[$0]]) && SecretWords.meaning(of: names[$0]) == .secret
            }
            let keys = names.firstIndex(where: SecretParts.isOfNames)
            let values = names.firstIndex(where: SecretParts.isOfValues)
            guard !columns.isEmpty || keys != nil && values != nil else { continue }
            var ranges: [Range<Int>] = [], index = end, isTable = false
            while index < bytes.count {
                guard !isLineBreak(bytes[index]) else {
                    index += 1
                    continue
                }
                let (cells, next) = line(at: index, in: bytes, separator)
                isTable = isTable || cells.count == header.count
                ranges += columns.filter { $0 < cells.count }.map { cells[$0] }
                if let keys, let values, max(keys, values) < cells.count,
                    SecretWords.meaning(of: String(decoding: bytes[cells[keys]], as: UTF8.self)) == .secret
                {
                    ranges.append(cells[values])
                }
                index = next
            }
            if isTable { return ranges.filter { !$0.isEmpty } }
        }
        return []
    }

    /// Where the first line begins that is no remark.
    private static func header(in bytes: [UInt8]) -> Int? {
        var index = 0
        while let start = bytes[index...].firstIndex(where: { $0 > 0x20 }) {
            guard bytes[start] == UInt8(ascii: "#") || bytes[start...].starts(with: "sep=".utf8) else { return start }
            index = bytes[start...].firstIndex(where: isLineBreak) ?? bytes.count
        }
        return nil
    }

    /// The cells of the line that begins at a place, and where it ends.
    private static func line(at start: Int, in bytes: [UInt8], _ separator: UInt8) -> (cells: [Range<Int>], end: Int) {
        var cells: [Range<Int>] = [], index = start
        let quote = UInt8(ascii: "\"")
        while true {
            while index < bytes.count, bytes[index] == 0x20 { index += 1 }
            var cell = index..<index
            if index < bytes.count, bytes[index] == quote {
                index += 1
                let first = index
                // Two quotes in a quoted cell are one of its characters.
                while index < bytes.count,
                    bytes[index] != quote || index + 1 < bytes.count && bytes[index + 1] == quote
                {
                    index += bytes[index] == quote ? 2 : 1
                }
                cell = first..<min(index, bytes.count)
                index = min(index + 1, bytes.count)
            }
            let rest = index
            while index < bytes.count, bytes[index] != separator, !isLineBreak(bytes[index]) { index += 1 }
            if cell.isEmpty { cell = rest..<index }
            cells.append(cell)
            guard index < bytes.count, bytes[index] == separator, cells.count <= columnLimit else { break }
            index += 1
        }
        return (cells, index)
    }

    private static func isName(_ cell: ArraySlice<UInt8>) -> Bool {
        cell.count <= nameLength && cell.count(where: { $0 == 0x20 }) < 3
            && cell.allSatisfy { SecretShapes.isAlphanumeric($0) || $0 >= 0x80 || " _-.()#".utf8.contains($0) }
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    // MARK: SQL

    /// What `INSERT INTO users (name, password) VALUES ('ann', …), …` puts into such columns.
    private static func inserted(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = [], index = 0
        while let start = bytes[index...].firstIndex(where: { $0 | 0x20 == UInt8(ascii: "i") }) {
            index = start + 1
            guard isWord("insert into ", at: start, in: bytes),
                let open = bytes[start...].prefix(256).firstIndex(of: UInt8(ascii: "("))
            else { continue }
            let (names, end) = list(at: open, in: bytes), word = skippingSpace(from: end, in: bytes)
            let columns = names.indices.filter {
                SecretWords.meaning(of: String(decoding: bytes[names[$0]], as: UTF8.self)) == .secret
            }
            guard !columns.isEmpty, isWord("values", at: word, in: bytes) else { continue }
            index = skippingSpace(from: word + 6, in: bytes)
            while index < bytes.count, bytes[index] == UInt8(ascii: "(") {
                let (row, end) = list(at: index, in: bytes)
                ranges += columns.filter { $0 < row.count && !row[$0].isEmpty }.map { row[$0] }
                index = skippingSpace(from: end, in: bytes)
                guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { break }
                index = skippingSpace(from: index + 1, in: bytes)
            }
        }
        return ranges
    }

    /// What stands between commas in the brackets that open at a place, without its quotes, and where they end.
    private static func list(at open: Int, in bytes: [UInt8]) -> (cells: [Range<Int>], end: Int) {
        func end(from index: Int) -> Int { bytes[index...].firstIndex { ",)".utf8.contains($0) } ?? bytes.count }
        var cells: [Range<Int>] = [], index = open + 1
        while index < bytes.count {
            let start = skippingSpace(from: index, in: bytes)
            guard start < bytes.count else { break }
            var cell = start..<end(from: start)
            if "'\"`".utf8.contains(bytes[start]) {
                // Two quotes in quotes are one.
                var close = start + 1
                while close < bytes.count,
                    bytes[close] != bytes[start] || close + 1 < bytes.count && bytes[close + 1] == bytes[start]
                {
                    close += bytes[close] == bytes[start] ? 2 : 1
                }
                cell = (start + 1)..<min(close, bytes.count)
            }
            cells.append(cell)
            index = end(from: cell.upperBound)
            guard index < bytes.count, bytes[index] == UInt8(ascii: ","), cells.count < columnLimit else { break }
            index += 1
        }
        return (cells, min(index + 1, bytes.count))
    }

    private static func isWord(_ word: String, at index: Int, in bytes: [UInt8]) -> Bool {
        bytes[index...].prefix(word.utf8.count).lazy.map { $0 | 0x20 }.elementsEqual(word.utf8)
    }

    private static func skippingSpace(from index: Int, in bytes: [UInt8]) -> Int {
        bytes[min(index, bytes.count)...].firstIndex { $0 > 0x20 } ?? bytes.count
    }
}
