import MigrationEngine
import StoreFormats

/// An answer as blocks for a person to read, from which text, Markdown and HTML are drawn.
///
/// What it says is made from a report, in which secrets are masked already.
package struct Document: Sendable {
    /// A part of an answer.
    package enum Block: Sendable {
        /// What the blocks that follow are about.
        case heading(String, indent: Int)
        /// A sentence, or a line by itself.
        case line(String, indent: Int)
        /// A text with a word for what it is, such as `rule`, filled up to a width.
        case field(String, width: Int, String, indent: Int)
        /// Columns, each but the last filled up to a width; a longer one takes the room that it needs.
        case row([(text: String, width: Int)], String, indent: Int)
        /// A value in full, as deep as it goes.
        case value(ShownValue, indent: Int)
        /// Room between two parts.
        case blank
    }

    package private(set) var blocks: [Block] = []

    package init() {}

    mutating func heading(_ text: String, indent: Int = 0) { blocks.append(.heading(text, indent: indent)) }
    mutating func line(_ text: String, indent: Int = 0) { blocks.append(.line(text, indent: indent)) }
    mutating func field(_ label: String, _ text: String, width: Int = 6, indent: Int = 4) {
        blocks.append(.field(label, width: width, text, indent: indent))
    }
    mutating func row(_ columns: [(String, Int)], _ last: String = "", indent: Int = 0) {
        blocks.append(.row(columns.map { ($0.0, $0.1) }, last, indent: indent))
    }
    mutating func value(_ value: ShownValue, indent: Int = 0) { blocks.append(.value(value, indent: indent)) }
    mutating func blank() { blocks.append(.blank) }
}

/// The ways to draw a document. Every line is displayable: what a dump holds cannot act on a terminal or a page.
extension Document {
    /// The lines of the document as text.
    package func lines(_ glyphs: Glyphs = .unicode) -> [String] {
        blocks.flatMap { block -> [String] in
            switch block {
            case .heading(let text, let indent), .line(let text, let indent): [Self.line(text, indent, glyphs)]
            case .field(let label, let width, let text, let indent):
                [Self.line(glyphs.padded(label, to: max(width, glyphs.columns(label) + 2)) + text, indent, glyphs)]
            case .row(let columns, let last, let indent): [Self.row(columns, last, indent, glyphs)]
            case .value(let value, let indent): value.lines.map { Self.line($0.text, indent + 2 * $0.depth, glyphs) }
            case .blank: [""]
            }
        }
    }

    /// The document as text, ending with a line feed where there is any.
    package func text(_ glyphs: Glyphs = .unicode) -> String { lines(glyphs).map { $0 + "\n" }.joined() }

    /// The document as Markdown (CommonMark): headings, lists of fields and rows, values as blocks of code.
    package var markdown: String {
        var parts: [String] = []
        var code: [String] = []
        func endCode() {
            guard !code.isEmpty else { return }
            // A fence that no line of the value can end.
            let fence = String(repeating: "`", count: max(3, (code.map(Self.ticks).max() ?? 0) + 1))
            parts.append("\n" + ([fence] + code + [fence]).joined(separator: "\n") + "\n")
            code = []
        }
        for block in blocks {
            if case .value = block {} else { endCode() }
            switch block {
            case .heading(let text, let indent):
                parts.append(
                    "\n" + String(repeating: "#", count: min(2 + indent / 2, 6)) + " " + Self.markdown(text) + "\n")
            case .line(let text, _): parts.append("\n" + Self.markdown(text) + "\n")
            case .field(let label, _, let text, _): parts.append("- *\(Self.markdown(label))* \(Self.markdown(text))")
            case .row(let columns, let last, _):
                let cells = (columns.map(\.text) + [last]).filter { !$0.isEmpty }
                parts.append("- " + cells.map(Self.markdown).joined(separator: " · "))
            case .value(let value, _):
                code += value.lines.map { Self.line($0.text, 2 * $0.depth, .unicode) }
            case .blank: break
            }
        }
        endCode()
        return parts.joined(separator: "\n") + "\n"
    }

    /// The document as a page of HTML that loads nothing and runs nothing.
    package func html(title: String) -> String {
        let body = blocks.map { block in
            switch block {
            case .heading(let text, let indent):
                let level = min(2 + indent / 2, 6)
                return "<h\(level)>\(Self.html(text))</h\(level)>"
            case .line(let text, _): return "<p>\(Self.html(text))</p>"
            case .field(let label, _, let text, _): return "<p><b>\(Self.html(label))</b> \(Self.html(text))</p>"
            case .row(let columns, let last, _):
                let cells = (columns.map(\.text) + [last]).filter { !$0.isEmpty }
                return "<p>" + cells.map { "<span>\(Self.html($0))</span>" }.joined(separator: " · ") + "</p>"
            case .value(let value, _):
                let lines = value.lines.map { Self.html(Self.line($0.text, 2 * $0.depth, .unicode)) }
                return "<pre>\(lines.joined(separator: "\n"))</pre>"
            case .blank: return ""
            }
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(Self.html(title))</title>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <style>body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
            pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: 0.6em }
            p, span { overflow-wrap: anywhere }</style></head><body>
            \(body.filter { !$0.isEmpty }.joined(separator: "\n"))
            </body></html>

            """
    }

    private static func line(_ text: String, _ indent: Int, _ glyphs: Glyphs) -> String {
        let shown = glyphs.displayText(text)
        return shown.isEmpty ? "" : String(repeating: " ", count: indent) + shown
    }

    /// The most columns of a cell; what is longer is shown whole by itself.
    private static let cellLimit = 160

    private static func row(
        _ columns: [(text: String, width: Int)], _ last: String, _ indent: Int, _ glyphs: Glyphs
    ) -> String {
        let cells = columns.map { column in
            let width = glyphs.columns(column.text, limit: cellLimit)
            return glyphs.padded(column.text, to: max(column.width, min(width, cellLimit)))
        }
        var text = (cells + [glyphs.truncated(last, to: 2 * cellLimit)]).joined(separator: "  ")[...]
        while text.last == " " { text.removeLast() }
        return String(repeating: " ", count: indent) + text
    }

    private static func markdown(_ text: String) -> String {
        var result = ""
        for character in Glyphs.unicode.displayText(text) {
            if "\\`*_{}[]<>#|&!~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// The most backticks in a row.
    private static func ticks(_ line: String) -> Int {
        line.split { $0 != "`" }.map(\.count).max() ?? 0
    }

    private static func html(_ text: String) -> String {
        var result = ""
        for character in Glyphs.unicode.displayText(text) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}

extension ShownValue {
    /// The value as a tree: a line for each part, a text with lines of its own as these.
    var lines: [(text: String, depth: Int)] {
        showing.masking.treeLines(of: value, at: address, inFull: true).map { line in
            ((line.key.map { "\($0): " } ?? "") + line.text, line.depth)
        }
    }
}
