import CText
import TestSupport
import Testing

@testable import Reports

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

    @Test("two texts that differ never look alike, also where one spells out the visible form of the other")
    func injective() {
        var random = SeededGenerator(seed: .random(in: 0...UInt64.max)),
            seen: [[Unicode.Scalar]: [Unicode.Scalar]] = [:]
        func look(at text: String) {
            let shown = scalars(Glyphs.unicode.displayText(text.spelled))
            #expect(seen[shown, default: scalars(text)] == scalars(text), "\(text.debugDescription)")
            seen[shown] = scalars(text)
        }
        for _ in 0..<20_000 { look(at: random.text(maximum: 4)) }
        let parts = [
            "", "a", "‹", "›", "200B", "2039", "241B", "\u{200B}", "\u{1B}", "␛", "‹200B›", "‹2039›", "‹241B›",
            "\u{301}",
        ]
        for one in parts {
            for two in parts {
                for three in parts { look(at: one + two + three) }
            }
        }
    }

    @Test(
        "only what would be taken for a visible form, or for what stands in place of a secret, is spelt",
        arguments: [
            ("‹200B›", "‹2039›200B›"), ("a␛b", "a‹241B›b"), ("␊␡", "‹240A›‹2421›"), ("‹2039›", "‹2039›2039›"),
            ("‹‹10FFFF››", "‹‹2039›10FFFF››"), ("‹masked data, 2 bytes›", "‹2039›masked data, 2 bytes›"),
            ("‹another masked data›", "‹2039›another masked data›"), ("‹so›", "‹so›"), ("‹20›", "‹20›"),
            ("‹200b›", "‹200b›"), ("‹200B", "‹200B"), ("‹1234567›", "‹1234567›"), ("␠␣ → “x”…", "␠␣ → “x”…"), ("", ""),
        ])
    func spelled(text: String, spelled: String) {
        #expect(scalars(text.spelled) == scalars(spelled))
    }

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}
