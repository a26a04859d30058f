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

    @Test("two texts that differ never look alike, unless one spells out the visible form of the other")
    func injective() {
        var random = SeededGenerator(seed: .random(in: 0...UInt64.max)),
            seen: [[Unicode.Scalar]: [Unicode.Scalar]] = [:]
        for _ in 0..<20_000 {
            let text = random.text(maximum: 4)
            // What begins a visible form, and the pictures of controls, stand for themselves too.
            guard !text.unicodeScalars.contains(where: { $0 == "‹" || (0x2400...0x2421).contains($0.value) }) else {
                continue
            }
            let shown = scalars(Glyphs.unicode.displayText(text))
            #expect(seen[shown, default: scalars(text)] == scalars(text), "\(text.debugDescription)")
            seen[shown] = scalars(text)
        }
    }

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}
