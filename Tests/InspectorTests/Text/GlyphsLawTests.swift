import CText
import Testing

@testable import Inspector

/// A generator with a seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A text of scalars that are hard in one way or another, with any scalar at all among them.
    mutating func text(maximum: Int) -> String {
        let hard: [Unicode.Scalar] = [
            "a", "z", " ", "1", "#", "作", "한", "é", "\u{301}", "\u{20E3}", "\u{FE0F}", "\u{FE0E}", "\u{200D}", "👨", "❤",
            "🏽", "🇪", "\u{1F3F4}", "\u{E0067}", "\u{E007F}", "\u{1B}", "\n", "\u{9B}", "\u{202E}", "\u{FEFF}", "─", "…",
            "‹",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...maximum, using: &self) {
            let any = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self))
            let scalar = Int.random(in: 0..<8, using: &self) == 0 ? any : hard.randomElement(using: &self)
            if let scalar { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

@Suite("Laws of displayed text")
struct GlyphsLawTests {
    @Test("for any text", arguments: Glyphs.allCases)
    func laws(glyphs: Glyphs) {
        var random = SeededGenerator(seed: 42)
        for _ in 0..<3000 {
            let text = random.text(maximum: 24), width = Int.random(in: 0...30, using: &random)
            let shown = glyphs.displayText(text), columns = glyphs.columns(text)
            // Displaying twice changes nothing.
            #expect(scalars(glyphs.displayText(shown)) == scalars(shown))
            // Measuring is the sum of wcwidth.
            #expect(columns == shown.unicodeScalars.reduce(0) { $0 + Int(ctext_width($1.value)) })
            #expect(columns == glyphs.columns(shown))
            // Nothing that is shown is a control or reorders; ASCII is ASCII.
            #expect(
                shown.unicodeScalars.allSatisfy {
                    ctext_width($0.value) >= 0 && $0.properties.generalCategory != .format
                })
            #expect(glyphs == .unicode || shown.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            // Cut, filled and wrapped text has the columns that it is to have.
            let cut = glyphs.truncated(text, to: width)
            #expect(glyphs.columns(cut) <= width)
            #expect(columns > width || scalars(cut) == scalars(shown))
            #expect(glyphs.columns(glyphs.padded(text, to: width)) == width)
            #expect(glyphs.columns(glyphs.displayText(text, prefixColumns: width)) <= width)
            let lines = Array(glyphs.wrapped(text, to: max(2, width)))
            #expect(lines.allSatisfy { glyphs.columns($0) <= max(2, width) })
            #expect(scalars(lines.joined()) == scalars(shown))
            #expect((glyphs.columns(text, limit: width) <= width) == (columns <= width))
        }
    }

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}
