import MigrationEngine

/// A document as a page to send on.
extension Document {
    /// The document as Markdown (CommonMark): headings, lists of fields and rows, values as blocks of code.
    package func markdown(_ words: AdviceWords = .plain) -> String {
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
            if let lines = Self.codeLines(block) {
                code += lines
                continue
            }
            endCode()
            switch block {
            case .heading(let text, let indent):
                parts.append(
                    "\n" + String(repeating: "#", count: min(2 + indent / 2, 6)) + " " + Self.markdown(text) + "\n")
            case .line(let runs, _): parts.append("\n" + Self.markdown(runs.map(\.text).joined()) + "\n")
            case .field(let label, _, let run, _):
                parts.append("- *\(Self.markdown(label))* \(Self.markdown(run.text))")
            case .row: parts.append("- " + Self.cells(block).map(Self.markdown).joined(separator: " · "))
            case .step(let planned): parts.append("\n" + Self.markdown(planned.wordAndStatus) + "\n")
            case .advice(_, let advice, _): parts.append("- " + Self.markdown(words(advice)))
            case .value, .comparison, .blank: break
            }
        }
        endCode()
        return parts.joined(separator: "\n") + "\n"
    }

    /// The document as a page of HTML that loads nothing and runs nothing.
    package func html(title: String, _ words: AdviceWords = .plain) -> String {
        let body = blocks.map { block in
            if let lines = Self.codeLines(block) { return "<pre>\(lines.map(Self.html).joined(separator: "\n"))</pre>" }
            switch block {
            case .heading(let text, let indent):
                let level = min(2 + indent / 2, 6)
                return "<h\(level)>\(Self.html(text))</h\(level)>"
            case .line(let runs, _): return "<p>\(Self.html(runs.map(\.text).joined()))</p>"
            case .field(let label, _, let run, _): return "<p><b>\(Self.html(label))</b> \(Self.html(run.text))</p>"
            case .row:
                let cells = Self.cells(block)
                return "<p>" + cells.map { "<span>\(Self.html($0))</span>" }.joined(separator: " · ") + "</p>"
            case .step(let planned): return "<p>\(Self.html(planned.wordAndStatus))</p>"
            case .advice(_, let advice, _): return "<p>\(Self.html(words(advice)))</p>"
            case .value, .comparison, .blank: return ""
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

    /// The cells of a row that hold anything; a sign by itself, which would begin a list, is none.
    private static func cells(_ block: Block) -> [String] {
        guard case .row(let columns, let last, _) = block else { return [] }
        let signs = Outcome.Kind.allCases.map { $0.sign(.unicode).text } + [Outcome.Kind.appliedSign(.unicode).text]
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
