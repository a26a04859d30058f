import Foundation
import Testing

@testable import Reports

@Suite("Text from a dump is made displayable")
struct GlyphsTests {
    @Test("what stands in place of a secret is broken between its words, and a value wherever the line ends")
    func brokenMask() {
        func lines(_ glyphs: Glyphs, _ text: String, _ width: Int) -> [String] {
            glyphs.broken([Run("secret: "), Run(text, .masked)], to: width, most: 99).map { line in
                line.map(\.text).joined()
            }
        }
        let mask = "‹another masked data, 23 bytes›"
        #expect(lines(.unicode, mask, 36) == ["secret: ‹another masked data, 23 ", "↪ bytes›"])
        #expect(lines(.ascii, mask, 36) == ["secret: <another masked data, 23 ", "> bytes>"])
        #expect(lines(.unicode, mask, 39) == ["secret: ‹another masked data, 23 bytes›"])
        #expect(lines(.unicode, "another masked data", 16) == ["secret: another ", "↪ masked data"])
        #expect(lines(.unicode, "another masked data", 18) == ["secret: another ma", "↪ sked data"])
        for width in 4...40 {
            for line in lines(.unicode, mask, width) { #expect(line.count <= width, "\(width): \(line)") }
            let whole = lines(.unicode, mask, width).map { $0.replacing("↪ ", with: "") }.joined()
            #expect(whole == "secret: " + mask, "\(width)")
        }
    }

    @Test(
        "what cannot be seen has a visible form",
        arguments: [
            // C0 and DEL
            ("\u{1B}", "␛", "^["), ("\n", "␊", "\\n"), ("\t", "␉", "\\t"), ("\r", "␍", "\\r"), ("\0", "␀", "^@"),
            ("\u{7}", "␇", "^G"), ("\u{1F}", "␟", "^_"), ("\u{7F}", "␡", "^?"), ("\r\n", "␍␊", "\\r\\n"),
            // C1
            ("\u{9B}", "‹009B›", "<009B>"), ("\u{85}", "‹0085›", "<0085>"), ("\u{80}", "‹0080›", "<0080>"),
            // Bidirectional controls
            ("\u{202A}", "‹202A›", "<202A>"), ("\u{202E}", "‹202E›", "<202E>"), ("\u{2066}", "‹2066›", "<2066>"),
            ("\u{2069}", "‹2069›", "<2069>"), ("\u{200E}", "‹200E›", "<200E>"), ("\u{200F}", "‹200F›", "<200F>"),
            ("\u{61C}", "‹061C›", "<061C>"),
            // Zero width
            ("\u{200B}", "‹200B›", "<200B>"), ("\u{200C}", "‹200C›", "<200C>"), ("a\u{200D}b", "a‹200D›b", "a<200D>b"),
            ("\u{2060}", "‹2060›", "<2060>"), ("\u{FEFF}", "‹FEFF›", "<FEFF>"), ("\u{AD}", "‹00AD›", "<00AD>"),
            ("\u{180E}", "‹180E›", "<180E>"), ("\u{3164}", "‹3164›", "<3164>"), ("\u{115F}", "‹115F›", "<115F>"),
            ("a\u{FE0F}", "a‹FE0F›", "a<FE0F>"), ("a\u{34F}", "a‹034F›", "a<034F>"),
            // Blanks that are not the one of ASCII
            ("a b", "a b", "a b"), ("a\u{A0}b", "a‹00A0›b", "a<00A0>b"), ("\u{2009}", "‹2009›", "<2009>"),
            ("\u{202F}", "‹202F›", "<202F>"), ("\u{3000}", "‹3000›", "<3000>"),
            // Line and paragraph separators
            ("\u{2028}", "‹2028›", "<2028>"), ("\u{2029}", "‹2029›", "<2029>"),
            // Unassigned, noncharacters, private use, lone tags
            ("\u{378}", "‹0378›", "<0378>"), ("\u{FFFE}", "‹FFFE›", "<FFFE>"), ("\u{10FFFF}", "‹10FFFF›", "<10FFFF>"),
            ("\u{F8FF}", "‹F8FF›", "<F8FF>"), ("\u{E0041}", "‹E0041›", "<E0041>"),
            // A mark without a letter, and more marks than a cell holds
            ("\u{301}", "‹0301›", "<0301>"), ("\n\u{301}", "␊‹0301›", "\\n<0301>"),
            (
                "x\u{301}\u{301}\u{301}\u{301}\u{301}", "x\u{301}\u{301}\u{301}\u{301}‹0301›",
                "x<0301><0301><0301><0301><0301>"
            ),
            // What is seen stays
            ("", "", ""), ("plain ~", "plain ~", "plain ~"), ("é", "é", "<00E9>"), ("x\u{301}", "x\u{301}", "x<0301>"),
            ("作", "作", "<4F5C>"), ("\u{FFFD}", "\u{FFFD}", "<FFFD>"), ("‹202E›", "‹202E›", "<202E>"),
        ])
    func forms(text: String, unicode: String, ascii: String) {
        #expect(Array(Glyphs.unicode.displayText(text).unicodeScalars) == Array(unicode.unicodeScalars))
        #expect(Array(Glyphs.ascii.displayText(text).unicodeScalars) == Array(ascii.unicodeScalars))
    }

    @Test(
        "of the ways to write a character the composed one is shown as it is, and of any other its marks stand apart",
        arguments: [
            ("e\u{301}", "e‹0301›"), ("ae\u{301}b", "ae‹0301›b"), ("\u{E9}", "\u{E9}"),
            // Vietnamese: composed, in part, and not.
            ("Tiế\u{1EC7}t", "Tiế\u{1EC7}t"), ("\u{EA}\u{301}", "\u{EA}‹0301›"), ("e\u{302}\u{301}", "e‹0302›‹0301›"),
            // Marks in another order.
            ("x\u{323}\u{301}", "x\u{323}\u{301}"), ("x\u{301}\u{323}", "x‹0301›‹0323›"),
            // Korean: syllables, and the letters that they are made of.
            ("\u{D55C}\u{AE00}", "\u{D55C}\u{AE00}"), ("\u{1112}\u{1161}\u{11AB}", "\u{1112}‹1161›‹11AB›"),
            ("\u{D558}\u{11AB}", "\u{D558}‹11AB›"),
            // Devanagari as it is written; the letter of its own is never composed. A sign of Bengali in two parts.
            ("\u{915}\u{93C}\u{93F}", "\u{915}\u{93C}\u{93F}"), ("\u{958}", "‹0958›"),
            ("\u{995}\u{9CB}", "\u{995}\u{9CB}"), ("\u{995}\u{9C7}\u{9BE}", "\u{995}\u{9C7}‹09BE›"),
            // Signs that are another one.
            ("\u{212A}", "‹212A›"), ("\u{2126}", "‹2126›"), ("\u{F900}", "‹F900›"), ("豈", "豈"), ("が", "が"),
            ("か\u{3099}", "か‹3099›"),
        ])
    func twins(text: String, shown: String) {
        #expect(Array(Glyphs.unicode.displayText(text).unicodeScalars) == Array(shown.unicodeScalars), "\(text)")
    }

    @Test("two texts that Unicode takes to be one are shown differently, unless they are the same")
    func twinsDiffer() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "e", "E", "x", "\u{301}", "\u{302}", "\u{323}", "é", "ê", "ế", "ẹ", "\u{1112}", "\u{1161}", "\u{11AB}", "하",
            "한",
            "\u{212B}", "Å", "A", "\u{30A}", "\u{9C7}", "\u{9BE}", "\u{9CB}",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }.joined()
            for twin in [text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping] {
                let isSame = twin.unicodeScalars.elementsEqual(text.unicodeScalars)
                let shown = [text, twin].map { Glyphs.unicode.displayText($0).unicodeScalars }
                #expect(shown[0].elementsEqual(shown[1]) == isSame, "\(text.unicodeScalars.map(\.value)))")
            }
        }
    }

    @Test("a hostile key is harmless and can be read")
    func hostile() {
        #expect(Glyphs.unicode.displayText("a\u{1B}[2J\n\u{202E}\u{9B}31m") == "a␛[2J␊‹202E›‹009B›31m")
        #expect(Glyphs.ascii.displayText("a\u{1B}[2J\n\u{202E}\u{9B}31m") == "a^[[2J\\n<202E><009B>31m")
    }

    @Test(
        "a sequence of emoji is each of its parts, and its columns are what curses counts",
        arguments: [
            ("👨\u{200D}👩", "👨‹200D›👩", 10), ("👍\u{1F3FD}", "👍‹1F3FD›", 9), ("❤\u{FE0F}", "❤‹FE0F›", 7),
            ("1\u{FE0F}\u{20E3}", "1‹FE0F›‹20E3›", 13), ("🇪🇬", "🇪🇬", 2),
            ("🏴\u{E0067}\u{E007F}", "🏴‹E0067›‹E007F›", 16), ("🙂🙂", "🙂🙂", 4), ("🏽", "🏽", 2),
            ("👍\u{1F3FD}\u{1F3FD}", "👍‹1F3FD›‹1F3FD›", 16),
        ])
    func emoji(text: String, shown: String, columns: Int) {
        #expect(Glyphs.unicode.displayText(text) == shown)
        #expect(Glyphs.unicode.columns(text) == columns)
    }

    @Test(
        "columns are those of the displayed form",
        arguments: [
            ("", 0), ("abc", 3), ("作", 2), ("x\u{301}", 1), ("e\u{301}", 7), ("\n", 1), ("\u{202E}", 6), ("ｶﾞ", 2),
            ("한", 2),
            ("\u{3000}", 6),
        ])
    func columns(text: String, columns: Int) {
        #expect(Glyphs.unicode.columns(text) == columns)
        #expect(Glyphs.unicode.columns(Glyphs.unicode.displayText(text)) == columns)
    }

    @Test(
        "text is cut with an ellipsis, at whole characters and forms",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("abcdef", -1, ""),
            ("作作作", 6, "作作作"), ("作作作", 5, "作作…"), ("作作作", 4, "作…"), ("作", 1, "…"), ("a\u{202E}b", 7, "a…"),
            ("x\u{301}x\u{301}x\u{301}", 2, "x\u{301}…"),
        ])
    func truncation(text: String, width: Int, expected: String) {
        #expect(Glyphs.unicode.truncated(text, to: width) == expected)
    }

    @Test(
        "ASCII cuts with dots, as many as there is room for",
        arguments: [(2, ".."), (3, "..."), (4, "a..."), (6, "abcdef")])
    func asciiTruncation(width: Int, expected: String) {
        #expect(Glyphs.ascii.truncated("abcdef", to: width) == expected)
    }

    @Test("text is filled up to exactly its columns")
    func padding() {
        #expect(Glyphs.unicode.padded("ab", to: 4) == "ab  ")
        #expect(Glyphs.unicode.padded("ab", to: 4, .trailing) == "  ab")
        #expect(Glyphs.unicode.padded("作作作", to: 4) == "作… ")
        #expect(Glyphs.unicode.padded("", to: 0) == "")
    }

    @Test(
        "lines break at columns",
        arguments: [
            ("abcdef", 4, ["abcd", "ef"]), ("abcd", 4, ["abcd"]), ("", 4, [""]), ("作作作", 5, ["作作", "作"]),
            ("作", 1, ["…"]), ("\u{202E}", 4, ["‹202", "E›"]), ("ab\u{202E}", 6, ["ab", "‹202E›"]),
            ("ab", 0, ["a", "b"]),
            ("a\nb", 9, ["a␊b"]),
        ])
    func wrapping(text: String, width: Int, expected: [String]) {
        #expect(Array(Glyphs.unicode.wrapped(text, to: width)) == expected)
    }

    @Test(
        "a beginning of N columns reads no more than it needs of a large text", arguments: ["a", "\u{301}", "👨‍", "\n"])
    func bounded(unit: String) {
        let text = String(repeating: unit, count: 10_000_000 / unit.utf8.count)
        let clock = ContinuousClock()
        let time = clock.measure {
            for glyphs in Glyphs.allCases {
                #expect(glyphs.columns(glyphs.displayText(text, prefixColumns: 80)) <= 80)
                #expect(glyphs.columns(glyphs.truncated(text, to: 80)) <= 80)
                #expect(glyphs.columns(text, limit: 80) > 80)
                #expect(Array(glyphs.wrapped(text, to: 80).prefix(24)).count == 24)
            }
        }
        // Reading all of it takes some seconds in a debug build; a screenful takes milliseconds.
        #expect(time < .milliseconds(500))
    }
}
