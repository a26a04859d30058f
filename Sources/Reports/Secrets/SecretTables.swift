import MigrationEngine

/// The cells of a table in a text, below a name that says that they are secret: values with commas, tabs or the like between
/// them (RFC 4180), and the rows that SQL inserts.
enum SecretTables {
    /// The longest name of a column, in bytes, and how many columns there are at most.
    private static let nameLength = 64, columnLimit = 4096

    /// The secret cells, as ranges of the text's bytes, without their quotes.
    ///
    /// The names stand in the first line but for remarks and Excel's `sep=`, and another line has as many cells as it; or
    /// they stand in a line further on, below a title or another table, and the next line has as many. Lines below that have
    /// more or fewer cells are parts of the table all the same.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] { separated(in: bytes) + inserted(in: bytes) }

    private static func separated(in bytes: [UInt8]) -> [Range<Int>] {
        guard bytes.contains(where: isLineBreak), let start = header(in: bytes) else { return [] }
        for separator in ",\t;|".utf8 where bytes.contains(separator) {
            let ranges = cells(below: start, in: bytes, separator)
            if !ranges.isEmpty { return ranges }
        }
        return []
    }

    /// Which columns of a table are secret.
    private struct Header {
        let count: Int
        let columns: [Int]
        /// The columns that have the names of what the rows hold, and the values.
        let keys, values: Int?
        /// Whether each cell may be a name, as none of a sentence or of a program is.
        let hasOnlyNames: Bool

        /// `nil` where a line has not the names of a table with a secret.
        init?(_ cells: [Range<Int>], in bytes: [UInt8]) {
            guard (2...columnLimit).contains(cells.count), cells.allSatisfy({ $0.count <= nameLength }) else {
                return nil
            }
            let names = cells.map { String(decoding: bytes[$0], as: UTF8.self) }
            columns = names.indices.filter {
                isName(bytes[cells[$0]]) && SecretWords.meaning(of: names[$0]) == .secret
            }
            (keys, values) = (
                names.firstIndex(where: SecretParts.isOfNames), names.firstIndex(where: SecretWords.isOfValues)
            )
            guard !columns.isEmpty || keys != nil && values != nil else { return nil }
            count = cells.count
            hasOnlyNames = cells.allSatisfy { cell in
                !cell.isEmpty && bytes[cell].count { $0 == 0x20 } < 4
                    && !bytes[cell].contains { "=:{}<>;?!\"".utf8.contains($0) }
            }
        }

        func secretCells(of row: [Range<Int>], in bytes: [UInt8]) -> [Range<Int>] {
            var secret = columns.filter { $0 < row.count }.map { row[$0] }
            if let keys, let values, max(keys, values) < row.count,
                SecretWords.meaning(of: String(decoding: bytes[row[keys]], as: UTF8.self)) == .secret
            {
                secret.append(row[values])
            }
            return secret.filter { !$0.isEmpty }
        }
    }

    /// The secret cells below the lines of names, where such a character parts the cells.
    private static func cells(below start: Int, in bytes: [UInt8], _ separator: UInt8) -> [Range<Int>] {
        var ranges: [Range<Int>] = [], tables: [Table] = [], index = start, isRow = false
        func end(_ table: Table) { if table.isTable { ranges += table.cells } }
        while index < bytes.count {
            guard !isLineBreak(bytes[index]) else {
                let breaks = bytes[index...].prefix(while: isLineBreak)
                // Below an empty line another table may begin.
                isRow = isRow && breaks.count { $0 == 0x0A } < 2 && breaks.count { $0 == 0x0D } < 2
                index = breaks.endIndex
                continue
            }
            let (row, next) = line(at: index, in: bytes, separator)
            // What has as many cells as the row before it is a row too, whatever it says.
            isRow = isRow && row.count == tables.last?.header.count
            let header = isRow ? nil : Header(row, in: bytes)
            for place in tables.indices { tables[place].take(row, in: bytes) }
            if let header, index == start || header.hasOnlyNames && isFollowed(header, next) {
                if tables.count == tableLimit { end(tables.removeFirst()) }
                tables.append(Table(header: header))
                isRow = true
            }
            index = next
        }
        tables.forEach(end)
        return ranges

        /// Whether the next line has as many cells.
        func isFollowed(_ header: Header, _ end: Int) -> Bool {
            guard let next = bytes[end...].firstIndex(where: { !isLineBreak($0) }) else { return false }
            return line(at: next, in: bytes, separator).cells.count == header.count
        }
    }

    /// Lines below names: of one that looks like names itself nobody knows whether it ends them.
    private struct Table {
        let header: Header
        var cells: [Range<Int>] = []
        /// Whether a line has as many cells as there are names.
        var isTable = false

        mutating func take(_ row: [Range<Int>], in bytes: [UInt8]) {
            isTable = isTable || row.count == header.count
            cells += header.secretCells(of: row, in: bytes)
        }
    }

    /// How many lines of names count at a time.
    private static let tableLimit = 8

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

    /// What `INSERT INTO users (name, password) VALUES ('ann', …), …` puts into such columns, and into all of a table whose
    /// name says so.
    private static func inserted(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = [], index = 0
        while let start = bytes[index...].firstIndex(where: { $0 | 0x20 == UInt8(ascii: "i") }) {
            index = start + 1
            guard start > 0, bytes[start - 1] <= 0x20, isWord("into", at: start, in: bytes) else { continue }
            var place = skippingSpace(from: start + 4, in: bytes)
            let name = bytes[place...].prefix(statementLength).prefix { $0 > 0x20 && $0 != UInt8(ascii: "(") }
            place = skippingSpace(from: name.endIndex, in: bytes)
            let table = name.split(separator: UInt8(ascii: ".")).last ?? []
            var columns: [Int]?
            if SecretWords.meaning(of: String(decoding: table, as: UTF8.self)) != .secret {
                guard place < bytes.count, bytes[place] == UInt8(ascii: "("),
                    case let (names?, end) = list(at: place, in: bytes, within: statementLength)
                else { continue }
                let secret = names.indices.filter {
                    SecretWords.meaning(of: String(decoding: bytes[names[$0]], as: UTF8.self)) == .secret
                }
                guard !secret.isEmpty else { continue }
                (columns, place) = (secret, skippingSpace(from: end, in: bytes))
            } else if let end = bytes[place...].prefix(statementLength).firstIndex(of: UInt8(ascii: ")")),
                !isWord("values", at: place, in: bytes)
            {
                place = skippingSpace(from: end + 1, in: bytes)
            }
            func take(_ row: [Range<Int>]) {
                ranges += row.indices.filter { columns?.contains($0) ?? true }.map { row[$0] }.filter { !$0.isEmpty }
            }
            // What has been read of a row is not read again, also where it does not end.
            if isWord("select", at: place, in: bytes) {
                let (row, end) = list(at: place + 6, in: bytes, within: rowLength)
                take(row ?? [])
                index = end
            } else if isWord("values", at: place, in: bytes) {
                index = skippingSpace(from: place + 6, in: bytes)
                while index < bytes.count, bytes[index] == UInt8(ascii: "(") {
                    let (row, end) = list(at: index, in: bytes, within: rowLength)
                    take(row ?? [])
                    index = skippingSpace(from: end, in: bytes)
                    guard row != nil, index < bytes.count, bytes[index] == UInt8(ascii: ",") else { break }
                    index = skippingSpace(from: index + 1, in: bytes)
                }
            }
        }
        return ranges
    }

    /// How far the names of a statement, and a row of it, are read, in bytes.
    private static let statementLength = 512, rowLength = 1 << 20

    /// What stands between commas in the brackets that open at a place, or after the space there, without its quotes, `nil`
    /// where they do not end within so many bytes; and how far was read.
    private static func list(
        at open: Int, in bytes: [UInt8], within length: Int
    ) -> (cells: [Range<Int>]?, end: Int) {
        let limit = min(bytes.count, open + length)
        var cells: [Range<Int>] = [], index = open + 1, depth = 0, first = index
        func cell(to end: Int) -> Range<Int> {
            var range = first..<max(first, end)
            while let byte = bytes[range].first, byte <= 0x20 { range = range.lowerBound + 1..<range.upperBound }
            while let byte = bytes[range].last, byte <= 0x20 { range = range.lowerBound..<range.upperBound - 1 }
            let isQuoted =
                range.count > 1 && "'\"`".utf8.contains(bytes[range.lowerBound])
                && bytes[range.upperBound - 1] == bytes[range.lowerBound]
            return isQuoted ? range.lowerBound + 1..<range.upperBound - 1 : range
        }
        while index < limit {
            switch bytes[index] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                // Two quotes in quotes are one, and so read as two texts side by side.
                guard let close = bytes[(index + 1)..<limit].firstIndex(of: bytes[index]) else { return (nil, limit) }
                index = close
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")") where depth > 0: depth -= 1
            case UInt8(ascii: ","):
                guard depth == 0 else { break }
                cells.append(cell(to: index))
                first = index + 1
                guard cells.count < columnLimit else { return (nil, index) }
            case UInt8(ascii: ")"), UInt8(ascii: ";"): return (cells + [cell(to: index)], index + 1)
            default: break
            }
            index += 1
        }
        return (limit == bytes.count && first < limit ? cells + [cell(to: limit)] : nil, limit)
    }

    private static func isWord(_ word: String, at index: Int, in bytes: [UInt8]) -> Bool {
        bytes[index...].prefix(word.utf8.count).lazy.map { $0 | 0x20 }.elementsEqual(word.utf8)
    }

    private static func skippingSpace(from index: Int, in bytes: [UInt8]) -> Int {
        bytes[min(index, bytes.count)...].firstIndex { $0 > 0x20 } ?? bytes.count
    }
}
