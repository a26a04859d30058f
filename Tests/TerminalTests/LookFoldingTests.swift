import Testing

@testable import Terminal

@Suite("Looks told in fewer bytes")
struct LookFoldingTests {
    private func folded(_ text: String) -> String {
        String(decoding: LookFolding.folded(Array(text.replacing("␛", with: "\u{1B}").utf8)), as: UTF8.self)
            .replacing("\u{1B}", with: "␛")
    }

    @Test(
        "of looks without a character between them only the last is told, in the shortest way",
        arguments: [
            ("␛[39m␛(B␛[mx", "␛(B␛[mx"),
            ("␛[m a␛[0;1m␛[31mb␛[39m␛(B␛[mc", "␛[m a␛[1;31mb␛(B␛[mc"),
            // It is so already.
            ("␛[0;1ma␛[m␛[1mb", "␛[0;1ma" + "b"),
            // Nothing is taken to be known before the first that says all.
            ("␛[1ma␛[31m␛[0;2mb", "␛[1ma␛[0;2mb"),
            // Only what is turned off by a number of its own is.
            ("␛[0;1;31ma␛[39mb␛[0;31mc", "␛[0;1;31ma␛[39mb␛[0;31mc"),
            // The cursor may move before the look is told; what is erased has its ground, on which no colour of text shows.
            ("␛[0;7ma␛[m␛[4;7H\r␛[31mb␛[m␛[Kc", "␛[0;7ma␛[4;7H\r␛[0;31mb␛[K␛[mc"),
            ("␛[0;7ma␛[m␛[K", "␛[0;7ma␛[m␛[K"), ("␛[m␛[42ma␛[m␛[3Xb", "␛[0;42ma␛[m␛[3Xb"),
            ("␛[0;1ma␛[m  ␛[36mb", "␛[0;1ma  ␛[0;36mb"), ("␛[0;4ma␛[m  b", "␛[0;4ma␛[m  b"),
            // A character set that was chosen already is not chosen again, another one is.
            ("␛(Ba␛(Bb␛(0c␛(Bd", "␛(Bab␛(0c␛(Bd"),
            ("␛[m\u{0F}a␛[1m␛[m\u{0F}b", "\u{0F}␛[mab"),
            // What is not known is left as it is, and nothing is known after it.
            ("␛[0;1ma␛[38;2;9;9;9mb␛[1mc␛[m", "␛[0;1ma␛[38;2;9;9;9mb␛[1mc␛[m"), ("␛[m␛[38;5m", "␛[m␛[38;5m"),
            // One of 256 colours.
            ("␛[0;1ma␛[38;5;9mb␛[39m␛[48;5;220mc␛[m d", "␛[0;1ma␛[38;5;9mb␛[39;48;5;220mc␛[m d"),
            ("␛[m␛[38;5;31ma␛[m␛[38;5;31mb", "␛[0;38;5;31mab"),
            ("␛[?25l␛]0;t\u{7}␛[>4;1mé␛[", "␛[?25l␛]0;t\u{7}␛[>4;1mé␛["),
            ("", ""),
        ])
    func told(_ written: String, _ sent: String) { #expect(folded(written) == sent) }

    /// What a terminal makes of bytes: each character with its look.
    private func shown(_ bytes: [UInt8]) -> [String] {
        var shown: [String] = [], look: Set<Int> = [], text = String(decoding: bytes, as: UTF8.self)[...]
        while let character = text.first {
            text.removeFirst()
            // Of the look of a blank only its ground is seen.
            let ground = look.filter { [4, 7].contains($0) }.sorted()
            guard character == "\u{1B}" else {
                shown.append("\(character)\(character == " " ? ground : look.sorted())")
                continue
            }
            let end = text.firstIndex { $0.isLetter } ?? text.endIndex
            let parts = text.dropFirst().prefix(upTo: end).split(separator: ";", omittingEmptySubsequences: false)
            let final = end == text.endIndex ? " " : text[end]
            text = text[end...].dropFirst()
            guard final == "m" else {
                shown.append("\(final)\(parts)\("XK".contains(final) ? ground : [])")
                continue
            }
            for number in parts.map({ Int($0) ?? 0 }) {
                switch number {
                case 0: look = []
                case 39: look = look.filter { !(30...37).contains($0) }
                case 30...37: look = look.filter { !(30...37).contains($0) }.union([number])
                default: look.insert(number)
                }
            }
        }
        return shown
    }

    @Test("a terminal shows the same of what is folded as of what curses wrote, in no more bytes")
    func same() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "␛[m", "␛[0;1m", "␛[0;2;7m", "␛[31m", "␛[36m", "␛[39m", "␛[1m", "a", "bc", "é", "␛[3;4H", "␛[5X", " ",
            "␛[K", "␛[0;4m",
        ]
        for _ in 0..<500 {
            let text = (0..<30).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let written = Array("␛[m\(text)".replacing("␛", with: "\u{1B}").utf8)
            let sent = LookFolding.folded(written)
            #expect(sent.count <= written.count, "\(text)")
            let (before, after) = (shown(written), shown(sent))
            // Moves may come before the look of what follows them; that is not seen.
            #expect(before == after, "\(text)")
        }
    }
}
