import Reports

extension Frame {
    /// The frame as a picture: a window with the frame in it, on a dark ground, as an SVG document.
    ///
    /// Each piece of text has its own place and length, so that columns stay aligned whatever monospaced font the viewer
    /// has. Lines are drawn as lines. There are no scripts and no fonts or images from elsewhere.
    package func svg(title: String = "") -> String {
        let margin = 14.0, bar = 34.0
        let width = Double(size.width) * Picture.column + 2 * margin
        let height = Double(size.height) * Picture.row + bar + margin
        var picture = Picture()
        for y in 0..<size.height {
            for span in spans(y) {
                picture.add(span, (0..<span.columns).compactMap { self[span.position.x + $0, y] }, glyphs)
            }
        }
        if let cursor, let cell = self[cursor.x, cursor.y] { picture.addCursor(cursor, columns: Int(cell.columns)) }
        let name = Glyphs.unicode.truncated(title, to: max(0, size.width - 14))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Picture.number(width))" \
            height="\(Picture.number(height))" viewBox="0 0 \(Picture.number(width)) \(Picture.number(height))">
            <title>\(Picture.escaped(name))</title>
            <style>
            text { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", Consolas, monospace; \
            font-size: 14px; white-space: pre; }
            </style>
            <rect width="100%" height="100%" rx="9" fill="#1b1e26"/>
            <circle cx="20" cy="17" r="5.5" fill="#f2645a"/><circle cx="39" cy="17" r="5.5" fill="#f0bf4c"/>\
            <circle cx="58" cy="17" r="5.5" fill="#5cc05c"/>
            <text x="\(Picture.number(width / 2))" y="22" text-anchor="middle" fill="#8b93a5">\(Picture.escaped(name))</text>
            <g transform="translate(\(Picture.number(margin)) \(Picture.number(bar)))">
            \(picture.grounds.joined(separator: "\n"))
            \(picture.texts.joined(separator: "\n"))
            </g>
            </svg>

            """
    }
}

/// The elements of a picture of a frame, as they are collected.
private struct Picture {
    /// The size of a cell in user units.
    static let column = 8.4, row = 19.0

    var grounds: [String] = []
    var texts: [String] = []

    /// Colours of a style as hexadecimal numbers, and the attributes that a picture shows otherwise.
    private struct Paint {
        var foreground: String, background: String?
        let look: Theme.Look

        init(_ style: Style) {
            look = Theme.look(of: style)
            foreground = Self.colour(look.foreground) ?? "#d5dae5"
            background = Self.colour(look.background)
            if look.isDim { foreground = "#7f8799" }
            if style.selection == .inactive { background = "#2d3342" }
            if look.isReversed { (foreground, background) = (background ?? "#1b1e26", foreground) }
        }

        static func colour(_ colour: Theme.Colour?) -> String? {
            switch colour {
            case nil: nil
            case .black: "#1b1e26"
            case .red: "#f47a77"
            case .green: "#8fd07f"
            case .yellow: "#ecc468"
            case .blue: "#74aaf7"
            case .magenta: "#d49af0"
            case .cyan: "#6fd0d6"
            case .white: "#d5dae5"
            }
        }
    }

    mutating func add(_ span: Span, _ cells: [Cell], _ glyphs: Glyphs) {
        let paint = Paint(span.style)
        let left = Double(span.position.x) * Self.column, top = Double(span.position.y) * Self.row
        if let ground = paint.background {
            let width = Self.number(Double(span.columns) * Self.column)
            grounds.append(
                "<rect shape-rendering=\"crispEdges\" x=\"\(Self.number(left))\" y=\"\(Self.number(top))\" "
                    + "width=\"\(width)\" height=\"\(Self.number(Self.row))\" fill=\"\(ground)\"/>")
        }
        var attributes = " fill=\"\(paint.foreground)\""
        if paint.look.isBold { attributes += " font-weight=\"bold\"" }
        if paint.look.isUnderlined, span.style.selection == .none { attributes += " text-decoration=\"underline\"" }
        // Wide characters stand alone, and wider gaps divide, so that a font of another pitch cannot shift what follows.
        var column = span.position.x, chunk = "", start = column, blanks = 0
        func flush(_ picture: inout Picture) {
            let text = String(chunk.dropLast(blanks))
            let columns = column - start - blanks
            if columns > 0 { picture.addText(text, start, span.position.y, columns, attributes) }
            (chunk, start, blanks) = ("", column, 0)
        }
        for cell in cells where cell.columns > 0 {
            let isLine = !cell.line.isEmpty && glyphs == .unicode
            if cell.columns == 2 || isLine || (cell.text != " " && (blanks > 1 || chunk.count == blanks)) {
                flush(&self)
            }
            if isLine {
                addLine(cell, column, span.position.y)
                column += 1
                start = column
                continue
            }
            chunk += cell.text
            column += Int(cell.columns)
            blanks = cell.text == " " ? blanks + 1 : 0
            if cell.columns == 2 { flush(&self) }
        }
        flush(&self)
    }

    private mutating func addText(_ text: String, _ x: Int, _ y: Int, _ columns: Int, _ attributes: String) {
        texts.append(
            "<text x=\"\(Self.number(Double(x) * Self.column))\" y=\"\(Self.number(Double(y) * Self.row + 14))\" "
                + "textLength=\"\(Self.number(Double(columns) * Self.column))\" lengthAdjust=\"spacingAndGlyphs\""
                + "\(attributes)>\(Self.escaped(text))</text>")
    }

    /// A cell of a line, as strokes from its middle.
    private mutating func addLine(_ cell: Cell, _ x: Int, _ y: Int) {
        let left = Double(x) * Self.column, top = Double(y) * Self.row
        let middle = (x: left + Self.column / 2, y: top + Self.row / 2)
        var path = ""
        func stroke(_ x: Double, _ y: Double) {
            path += "M\(Self.number(middle.x)) \(Self.number(middle.y))L\(Self.number(x)) \(Self.number(y))"
        }
        if cell.line.contains(.up) { stroke(middle.x, top) }
        if cell.line.contains(.down) { stroke(middle.x, top + Self.row) }
        if cell.line.contains(.left) { stroke(left, middle.y) }
        if cell.line.contains(.right) { stroke(left + Self.column, middle.y) }
        texts.append("<path d=\"\(path)\" stroke=\"\(Paint(cell.style).foreground)\" fill=\"none\"/>")
    }

    mutating func addCursor(_ cursor: Position, columns: Int) {
        grounds.append(
            "<rect x=\"\(Self.number(Double(cursor.x) * Self.column))\" y=\"\(Self.number(Double(cursor.y) * Self.row))\" "
                + "width=\"\(Self.number(Double(max(1, columns)) * Self.column))\" height=\"\(Self.number(Self.row))\" "
                + "fill=\"#6b7488\"/>")
    }

    /// A number with at most one decimal, without the environment's locale.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
