import CText
import Foundation

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
///
/// Of the several ways to write one character Unicode calls one composed (NFC); most texts are written so, and look as they should.
/// Where one is written in another way its marks stand apart, in visible forms, as otherwise two names would look alike: `é` of two
/// scalars is `e‹0301›`, and the sign for kelvin `‹212A›`.
package struct DisplayPieces: Sequence, IteratorProtocol, Sendable {
    /// A curses cell holds a base and four marks (`CCHARW_MAX` is 5); further marks become visible.
    private static let marksLimit = 4
    private let scalars: String.UnicodeScalarView
    private let glyphs: Glyphs
    private var index: String.UnicodeScalarView.Index
    /// Whether the scalar before is a picture, with which a terminal might join a modifier.
    private var isAfterPicture = false
    /// How many of the scalars that follow stand apart, and the one before.
    private var apart = 0
    private var last: Unicode.Scalar?
    private let keepsMarks: Bool

    /// - Parameter keepsMarks: Whether marks stay with their characters however those are written, as in what is copied.
    package init(_ text: String, glyphs: Glyphs, keepsMarks: Bool = false) {
        self.keepsMarks = keepsMarks || glyphs == .ascii
        scalars = text.unicodeScalars
        index = scalars.startIndex
        self.glyphs = glyphs
    }

    package mutating func next() -> DisplayPiece? {
        guard let scalar = take() else { return nil }
        // What changes a picture into another is shown beside it: a terminal that does not join them, or this program that
        // must know the columns, would show two different texts alike.
        let forced = isAfterPicture && scalar.isModifier || apart > 0 || isTwin(scalar)
        isAfterPicture = scalar.isPicture
        (apart, last) = (Swift.max(0, apart - 1), scalar)
        let columns = glyphs == .ascii && !scalar.isASCII ? 0 : Self.columns(of: scalar)
        guard columns > 0, !forced else {
            let text = Self.form(of: scalar, in: glyphs)
            return DisplayPiece(text: text, columns: text.unicodeScalars.count, isForm: true)
        }
        guard glyphs == .unicode, let following = peek(), following.value >= 0x300 else {
            return DisplayPiece(text: String(scalar), columns: columns, isForm: false)
        }
        let start = index
        var text = String(scalar), marks = 0
        for _ in 0..<Self.marksLimit {
            guard let mark = peek(), Self.columns(of: mark) == 0 else { break }
            text.unicodeScalars.append(mark)
            advance()
            marks += 1
        }
        if marks > 0, !keepsMarks, !text.isComposed {
            (index, apart, text) = (start, marks, String(scalar))
        }
        return DisplayPiece(text: text, columns: columns, isForm: false)
    }

    /// Whether a scalar is another way to write something else, by itself or with the one before it.
    private func isTwin(_ scalar: Unicode.Scalar) -> Bool {
        guard !keepsMarks, scalar.value >= 0x340 else { return false }
        if scalar.mayBeTwin, !String(scalar).isComposed { return true }
        // Marks that take a column are pieces of their own.
        guard let last, scalar.value >= 0x900, scalar.properties.generalCategory == .spacingMark else { return false }
        return !(String(last) + String(scalar)).isComposed
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
            return glyphs.choose("‹\(scalar.code)›", ascii: "<\(scalar.code)>")
        }
    }
}

extension String {
    /// A text in which what would look like a form of this program's is itself spelt in such forms: a `‹` before a code or before
    /// the words that stand in place of a secret, and the pictures of controls.
    ///
    /// Displaying a text twice changes nothing, so this is done once: where a name or a value becomes words. As many texts as
    /// there are, as many ways to look there are then, but for ASCII, in which a `‹` is a `<` like any other.
    var spelled: String {
        // All of these are of three bytes that begin with the same one, which most texts have not.
        guard utf8.contains(0xE2) else { return self }
        var spelled = UnicodeScalarView()
        for index in unicodeScalars.indices {
            let scalar = unicodeScalars[index]
            if scalar.isControlPicture || scalar == "‹" && unicodeScalars[index...].beginsForm {
                spelled.append(contentsOf: "‹\(scalar.code)›".unicodeScalars)
            } else {
                spelled.append(scalar)
            }
        }
        return String(spelled)
    }
}

extension Substring.UnicodeScalarView {
    /// Whether it begins with a code as ``Glyphs`` writes one, or with what stands in place of a secret.
    fileprivate var beginsForm: Bool {
        if Secrets.marks.contains(where: { starts(with: $0.unicodeScalars) }) { return true }
        let rest = dropFirst(), digits = rest.prefix(7).prefix { $0.isCodeDigit }.count
        return (4...6).contains(digits) && rest.dropFirst(digits).first == "›"
    }
}

extension Unicode.Scalar {
    /// Whether it is what a control is shown as.
    fileprivate var isControlPicture: Bool { (0x2400..<0x2420).contains(value) || value == 0x2421 }
    fileprivate var isCodeDigit: Bool { ("0"..."9").contains(self) || ("A"..."F").contains(self) }

    /// The number that Unicode gives it, in hexadecimal digits, at least four.
    var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension Unicode.Scalar.Properties {
    /// Whether a reader can see the scalar, and see it the same way everywhere.
    fileprivate var isShowable: Bool {
        switch generalCategory {
        // Of blanks only the one of ASCII can be told from the others, and is asked for elsewhere.
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
            .privateUse:
            false
        default: !isDefaultIgnorableCodePoint
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isModifier: Bool { (0x1F3FB...0x1F3FF).contains(value) }
    /// An emoji other than the digits and signs that have the property too.
    fileprivate var isPicture: Bool { value > 0xFF && properties.isEmoji }

    /// Whether it is among those of which some are never composed; nearly all that people write are not.
    fileprivate var mayBeTwin: Bool {
        switch value {
        case 0x340...0x344, 0x374, 0x37E, 0x387, 0x958...0x9DF, 0xA33...0xA5E, 0xB5C...0xB5D, 0xF43...0xFB9,
            0x1F71...0x1FFD, 0x2000...0x2001, 0x2126...0x212B, 0x2329...0x232A, 0x2ADC, 0xF900...0xFAFF,
            0xFB1D...0xFB4E,
            0x1D15E...0x1D1C0, 0x2F800...0x2FA1D:
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a syllable of Hangul that a further letter may end (The Unicode Standard, 3.12).
    fileprivate var isOpenSyllable: Bool {
        (0xAC00...0xD7A3).contains(value) && (value - 0xAC00).isMultiple(of: 28)
    }
}

extension String {
    /// Whether it is written in the composed form of Unicode (UAX #15, NFC).
    fileprivate var isComposed: Bool {
        // Foundation leaves a syllable of Hangul as it is before the letter that ends it.
        let pairs = zip(unicodeScalars, unicodeScalars.dropFirst())
        if pairs.contains(where: { $0.isOpenSyllable && (0x11A8...0x11C2).contains($1.value) }) { return false }
        return precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(unicodeScalars)
    }
}
