import StoreFormats

/// A remark in a file.
struct SpecRemark: Hashable, Sendable {
    var place: SpecProblem.Place
    /// The text with its number sign, without white space at its end.
    var text: String
    /// Whether nothing but white space stands before it in its line.
    var isAlone: Bool
}

extension SpecRemark {
    /// The remarks of a text that reads as a spec.
    ///
    /// The library gives none. A number sign begins one at the start of a line or after a space, unless it is within quotes
    /// or in a block of text; so those are followed. Whoever uses this compares what comes of it with the text.
    static func all(in text: String) -> [SpecRemark] {
        var remarks: [SpecRemark] = [], quote: Unicode.Scalar?, depth = 0
        /// The indentation of a block of text, and of the line that begins it; 0 until its first line tells.
        var block: (indent: Int, parent: Int)?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let scalars = Array(line.unicodeScalars), indent = scalars.prefix { $0 == " " }.count
            let isBlank = indent == scalars.count || scalars[indent] == "\r"
            if let open = block {
                if isBlank { continue }
                if open.indent == 0, indent > open.parent { block?.indent = indent }
                if let now = block?.indent, now > 0, indent >= now { continue }
                block = nil
            }
            var index = indent, isStart = true, content = ""
            while index < scalars.count {
                let scalar = scalars[index]
                if let mark = quote {
                    if mark == "\"", scalar == "\\" {
                        index += 2
                        continue
                    }
                    if scalar == mark {
                        // Twice it stands for itself between single ones.
                        if mark == "'", index + 1 < scalars.count, scalars[index + 1] == "'" {
                            index += 2
                            continue
                        }
                        quote = nil
                    }
                    (isStart, index) = (false, index + 1)
                    continue
                }
                if scalar == "#", index == 0 || scalars[index - 1] == " " || scalars[index - 1] == "\t" {
                    var words = String(String.UnicodeScalarView(scalars[index...]))
                    while words.last?.isWhitespace ?? false { words.removeLast() }
                    remarks.append(
                        SpecRemark(
                            place: .init(line: number + 1, column: index + 1), text: words,
                            isAlone: scalars[..<index].allSatisfy { $0 == " " }))
                    break
                }
                content.unicodeScalars.append(scalar)
                let next = index + 1 < scalars.count ? scalars[index + 1] : " "
                switch scalar {
                case " ": break
                case "\"" where isStart, "'" where isStart: (quote, isStart) = (scalar, false)
                case "[" where isStart || depth > 0, "{" where isStart || depth > 0:
                    (depth, isStart) = (depth + 1, true)
                case "]" where depth > 0, "}" where depth > 0: (depth, isStart) = (depth - 1, false)
                case "," where depth > 0: isStart = true
                case ":" where next == " " || next == "\r" || depth > 0 && "\"'[{".unicodeScalars.contains(next):
                    isStart = true
                case "-" where isStart && next == " ": break
                default: isStart = false
                }
                index += 1
            }
            while content.last?.isWhitespace ?? false { content.removeLast() }
            if depth == 0, quote == nil, let mark = content.split(separator: " ").last, let first = mark.first,
                "|>".contains(first), mark.dropFirst().allSatisfy({ "+-0123456789".contains($0) }),
                content.dropLast(mark.count).hasSuffix(": ") || content.dropLast(mark.count).hasSuffix("- ")
            {
                block = (0, indent)
            }
        }
        return remarks
    }
}
