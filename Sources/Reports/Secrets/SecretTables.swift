/// The cells of a table in a text, of values with commas, tabs or the like between them, below a name that says that they are
/// secret (RFC 4180).
enum SecretTables {
    /// The longest name of a column, in bytes, and how many columns there are at most.
    private static let nameLength = 64, columnLimit = 4096

    /// The secret cells, as ranges of the text's bytes, without their quotes.
    ///
    /// The first line, but for remarks and Excel's `sep=`, has to be names, and another line as many cells as it: else it is
    /// no table. Lines that have more or fewer cells are parts of it all the same.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
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
}
