import Foundation
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
    /// The remarks of a text that reads as a spec; of one that does not, none.
    ///
    /// The library gives none. A number sign begins one at the start of a line or after a space, unless it is within quotes
    /// or in a block of text. Where those begin the library does say; an apostrophe elsewhere is one.
    static func all(in text: String) -> [SpecRemark] {
        // The library ends a line at either of both characters, too.
        let text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let read = SpecText(Data(text.utf8))
        guard read.root != nil, let text = SpecText.text(of: Data(text.utf8)) else { return [] }
        var scan = Scan(writings: read.writings)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            scan.take(Array(line.unicodeScalars), number + 1)
        }
        return scan.remarks
    }

    /// A look through a text, a line at a time.
    private struct Scan {
        let writings: [SpecProblem.Place: SpecText.Writing]
        var remarks: [SpecRemark] = []
        /// The quotes that are open.
        private var quote: Unicode.Scalar?
        /// The block of text that is open: how far its lines are indented, 0 until the first tells, and what they exceed.
        private var block: (indent: Int, parent: Int)?

        init(writings: [SpecProblem.Place: SpecText.Writing]) { self.writings = writings }

        mutating func take(_ line: [Unicode.Scalar], _ number: Int) {
            let indent = line.prefix { $0 == " " }.count
            if let open = block {
                if indent == line.count { return }
                if open.indent == 0, indent > open.parent { block?.indent = indent }
                if let now = block?.indent, now > 0, indent >= now { return }
                block = nil
            }
            var index = 0
            while index < line.count {
                if let mark = quote {
                    let next = index + 1 < line.count ? line[index + 1] : " "
                    // A backslash lets the next one stand for itself between double quotes, a second one between single ones.
                    if mark == "\"" && line[index] == "\\" || mark == "'" && line[index] == "'" && next == "'" {
                        index += 1
                    } else if line[index] == mark {
                        quote = nil
                    }
                    index += 1
                    continue
                }
                switch line[index] {
                case "\"", "'":
                    if writings[.init(line: number, column: index + 1)] == .quoted { quote = line[index] }
                case "|", ">":
                    guard case .block(let parent)? = writings[.init(line: number, column: index + 1)] else { break }
                    let digit = line[(index + 1)...].prefix { "+-0123456789".unicodeScalars.contains($0) }
                        .first { $0 != "+" && $0 != "-" }
                    let given = digit.map { Int($0.value) - 0x30 } ?? 0
                    block = (given > 0 ? max(0, parent) + given : 0, parent)
                case "#" where index == 0 || line[index - 1] == " ":
                    var words = String(String.UnicodeScalarView(line[index...]))
                    while words.last?.isWhitespace ?? false { words.removeLast() }
                    remarks.append(
                        SpecRemark(
                            place: .init(line: number, column: index + 1), text: words, isAlone: index == indent))
                    return
                default: break
                }
                index += 1
            }
        }
    }
}
