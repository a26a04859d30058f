import MigrationEngine

/// A document as a page to send on.
extension Document {
    /// The document as Markdown (CommonMark, with GitHub's tables): headings, lists of fields and rows, values as blocks of code.
    package func markdown(_ words: AdviceWords = .plain) -> String {
        var page = MarkdownPage()
        for block in blocks {
            if let lines = Self.codeLines(block) {
                page.code += lines
                continue
            }
            switch block {
            case .heading(let text, let indent):
                page.paragraph(String(repeating: "#", count: min(2 + indent / 2, 6)) + " " + Self.markdown(text))
            case .line(let runs, let indent): page.text(Self.markdown(runs.map(\.text).joined()), indent)
            case .field(let label, _, let run, let indent):
                page.item("*\(Self.markdown(label))* \(Self.markdown(run.text))", indent)
            case .facets(let label, let runs):
                page.item("*\(Self.markdown(label))* \(Self.markdown(runs.map(\.text).joined()))", 0)
            case .row(_, _, let indent):
                page.item(Self.cells(block).map(Self.markdown).joined(separator: " · "), indent)
            case .table(let titles, let rows):
                let lines = [titles, titles.map { _ in "---" }] + rows
                page.paragraph(
                    lines.enumerated().map { number, cells in
                        "| " + cells.map { number == 1 ? $0 : Self.markdown($0) }.joined(separator: " | ") + " |"
                    }.joined(separator: "\n"))
            case .step(let planned): page.paragraph(Self.markdown(planned.headline))
            case .advice(_, let advice, let indent): page.item(Self.markdown(words(advice)), indent)
            case .blank: page.endList()
            case .value, .comparison: break
            }
        }
        return page.finished
    }

    /// The document as a page of HTML that loads nothing and runs nothing.
    package func html(title: String, _ words: AdviceWords = .plain) -> String {
        let body = blocks.map { block in
            if let lines = Self.codeLines(block) { return "<pre>\(lines.map(Self.html).joined(separator: "\n"))</pre>" }
            switch block {
            case .heading(let text, let indent):
                let level = min(2 + indent / 2, 6)
                return "<h\(level)>\(Self.html(text))</h\(level)>"
            case .line(let runs, let indent): return Self.open(indent) + Self.html(runs.map(\.text).joined()) + "</p>"
            case .field(let label, _, let run, let indent):
                return Self.open(indent) + "<b>\(Self.html(label))</b> \(Self.html(run.text))</p>"
            case .facets(let label, let runs):
                return Self.open(0) + "<b>\(Self.html(label))</b> \(Self.html(runs.map(\.text).joined()))</p>"
            case .row(_, _, let indent):
                let cells = Self.cells(block)
                return Self.open(indent) + cells.map { "<span>\(Self.html($0))</span>" }.joined(separator: " · ")
                    + "</p>"
            case .table(let titles, let rows):
                let lines =
                    [titles.map { "<th>\(Self.html($0))</th>" }]
                    + rows.map { $0.map { "<td>\(Self.html($0))</td>" } }
                return "<table>" + lines.map { "<tr>\($0.joined())</tr>" }.joined(separator: "\n") + "</table>"
            case .step(let planned): return "<p>\(Self.html(planned.headline))</p>"
            case .advice(_, let advice, let indent): return Self.open(indent) + Self.html(words(advice)) + "</p>"
            case .value, .comparison, .blank: return ""
            }
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(Self.html(title))</title>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <style>body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
            pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: 0.6em }
            p, span, td { overflow-wrap: anywhere }
            table { border-collapse: collapse } th { text-align: left } td, th { padding: 0.2em 1em 0.2em 0;
            border-bottom: 1px solid #8884; vertical-align: top }</style></head><body>
            \(body.filter { !$0.isEmpty }.joined(separator: "\n"))
            </body></html>

            """
    }

    /// Begins a paragraph, as far in as it stands in text.
    private static func open(_ indent: Int) -> String {
        indent == 0 ? "<p>" : "<p style=\"margin-left: \(indent / 2)em\">"
    }

    /// The cells of a row that hold anything; a sign by itself, which would begin a list, is none.
    private static func cells(_ block: Block) -> [String] {
        guard case .row(let columns, let last, _) = block else { return [] }
        return (columns.map(\.text) + [last]).filter { !$0.isEmpty && !signs.contains($0) }
    }

    /// The lines of a value or a comparison, in which columns matter.
    private static func codeLines(_ block: Block) -> [String]? {
        switch block {
        case .value(let value, let role, _): lines(of: .value(value, role: role, indent: 0))
        case .comparison: lines(of: block)
        default: nil
        }
    }

    private static func lines(of block: Block) -> [String] {
        var document = Document()
        document.append(block)
        return document.lines(width: nil).map(\.text)
    }

    private static func markdown(_ text: String) -> String {
        var result = "", last: Character = " "
        for character in Glyphs.unicode.displayText(text) {
            // Where a page is shown, a name or a number behind such a sign is somebody's, or another page's; no escape keeps
            // it from being one, but a remark between them does.
            if "@#".contains(last), character.isLetter || character.isNumber { result += "<!-- -->" }
            if "\\`*_{}[]<>#|&!~$".contains(character) { result.append("\\") }
            result.append(character)
            last = character
        }
        return result
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

/// Puts paragraphs, lists in one another and code together, with one empty line between them.
private struct MarkdownPage {
    private var parts: [(text: String, isItem: Bool)] = []
    /// How far in the items are that the next one may belong to.
    private var indents: [Int] = []
    /// The lines of the code that is being put together.
    var code: [String] = []

    mutating func paragraph(_ text: String) {
        endList()
        parts.append((text, false))
    }

    /// A sentence by itself, or, where it stands further in than an item, one of its own.
    mutating func text(_ text: String, _ indent: Int) {
        endCode()
        if indent > 0, !indents.isEmpty { item(text, indent) } else { paragraph(text) }
    }

    mutating func item(_ text: String, _ indent: Int) {
        endCode()
        while let last = indents.last, last >= indent { indents.removeLast() }
        parts.append((String(repeating: "  ", count: indents.count) + "- " + text, true))
        indents.append(indent)
    }

    mutating func endList() {
        endCode()
        indents = []
    }

    private mutating func endCode() {
        guard !code.isEmpty else { return }
        // A fence that no line of the value can end.
        let fence = String(repeating: "`", count: max(3, (code.map(Self.ticks).max() ?? 0) + 1))
        indents = []
        parts.append((([fence] + code + [fence]).joined(separator: "\n"), false))
        code = []
    }

    var finished: String {
        var page = self
        page.endList()
        var text = "", isInList = false
        for part in page.parts {
            text += (text.isEmpty ? "" : isInList && part.isItem ? "\n" : "\n\n") + part.text
            isInList = part.isItem
        }
        return text + "\n"
    }

    /// The most backticks in a row.
    private static func ticks(_ line: String) -> Int {
        line.split { $0 != "`" }.map(\.count).max() ?? 0
    }
}
