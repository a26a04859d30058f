import CText

/// The smallest part of a displayed text that is not divided: a character with its marks, or a visible form.
package struct DisplayPiece: Hashable, Sendable {
    /// Displayable text.
    package let text: String
    /// The columns of the text, at least one.
    package let columns: Int
    /// Whether this stands for something that cannot be shown: then each of its characters takes one column.
    package let isForm: Bool
}

/// A text as pieces, made on demand.
///
/// It goes scalar by scalar, not by `Character`: a single `Character` may be as long as the whole text. Each piece comes
/// from a bounded number of scalars and takes at least one column, so filling N columns takes a bounded multiple of N.
package struct DisplayPieces: Sequence, IteratorProtocol, Sendable {
    /// A curses cell holds a base and four marks (`CCHARW_MAX` is 5); further marks become visible.
    private static let marksLimit = 4
    private let scalars: String.UnicodeScalarView
    private let glyphs: Glyphs
    private var index: String.UnicodeScalarView.Index
    /// Whether the scalar before is a picture, with which a terminal might join a modifier.
    private var isAfterPicture = false

    package init(_ text: String, glyphs: Glyphs) {
        scalars = text.unicodeScalars
        index = scalars.startIndex
        self.glyphs = glyphs
    }

    package mutating func next() -> DisplayPiece? {
        guard let scalar = take() else { return nil }
        // What changes a picture into another is shown beside it: a terminal that does not join them, or this program that
        // must know the columns, would show two different texts alike.
        let forced = isAfterPicture && scalar.isModifier
        isAfterPicture = scalar.isPicture
        let columns = glyphs == .ascii && !scalar.isASCII ? 0 : Self.columns(of: scalar)
        guard columns > 0, !forced else {
            let text = Self.form(of: scalar, in: glyphs)
            return DisplayPiece(text: text, columns: text.unicodeScalars.count, isForm: true)
        }
        guard glyphs == .unicode, let following = peek(), following.value >= 0x300 else {
            return DisplayPiece(text: String(scalar), columns: columns, isForm: false)
        }
        var text = String(scalar)
        for _ in 0..<Self.marksLimit {
            guard let mark = peek(), Self.columns(of: mark) == 0 else { break }
            text.unicodeScalars.append(mark)
            advance()
        }
        return DisplayPiece(text: text, columns: columns, isForm: false)
    }

    private mutating func take() -> Unicode.Scalar? {
        guard index < scalars.endIndex else { return nil }
        defer { advance() }
        return scalars[index]
    }

    private mutating func advance() {
        scalars.formIndex(after: &index)
    }

    private func peek() -> Unicode.Scalar? { index < scalars.endIndex ? scalars[index] : nil }
}

extension DisplayPieces {
    /// The columns of a scalar that may be shown, 0 of a mark, and -1 of one that has to become a visible form.
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII || scalar.properties.isShowable { return Int(ctext_width(scalar.value)) }
        return -1
    }

    /// What stands in ASCII for the marks of good typography, which sentences are full of.
    private static let typography: [Unicode.Scalar: String] = [
        "“": "\"", "”": "\"", "‘": "'", "’": "'", "‹": "<", "›": ">", "…": "...", "—": "-", "–": "-", "·": "-",
        "→": "->",
        "↺": "@",
    ]

    /// The form that stands for a scalar that is not shown itself.
    private static func form(of scalar: Unicode.Scalar, in glyphs: Glyphs) -> String {
        switch (glyphs, scalar.value) {
        case (.unicode, 0..<0x20): return String(UnicodeScalar(0x2400 + scalar.value) ?? "�")
        case (.unicode, 0x7F): return "␡"
        case (.ascii, 0x09): return "\\t"
        case (.ascii, 0x0A): return "\\n"
        case (.ascii, 0x0D): return "\\r"
        case (.ascii, 0..<0x20), (.ascii, 0x7F):
            return "^" + String(UnicodeScalar(scalar.value ^ 0x40) ?? "?")
        case (.ascii, _):
            if let alike = typography[scalar] { return alike }
            fallthrough
        default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let code = String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
            return glyphs.choose("‹\(code)›", ascii: "<\(code)>")
        }
    }
}

extension Unicode.Scalar.Properties {
    /// Whether a reader can see the scalar, and see it the same way everywhere.
    fileprivate var isShowable: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: !isDefaultIgnorableCodePoint
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isModifier: Bool { (0x1F3FB...0x1F3FF).contains(value) }
    /// An emoji other than the digits and signs that have the property too.
    fileprivate var isPicture: Bool { value > 0xFF && properties.isEmoji }
}
