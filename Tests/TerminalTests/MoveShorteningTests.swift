import Testing

@testable import Terminal

@Suite("Moves of the cursor in fewer bytes")
struct MoveShorteningTests {
    private let abilities = MoveShortening.Abilities(goesDownAndAcross: true, height: 8)

    private func shortened(_ text: String) -> String {
        let bytes = Array(text.replacing("␛", with: "\u{1B}").utf8)
        return String(decoding: MoveShortening.shortened(bytes, abilities), as: UTF8.self)
            .replacing("\u{1B}", with: "␛")
    }

    @Test(
        "a row below is a line feed away, and a column in the same row has a sequence of its own",
        arguments: [
            ("␛[3;1Ha\r␛[4db", "␛[3;1Ha\r\nb"), ("␛[3;1Ha\r␛[6db", "␛[3;1Ha\r\n\n\nb"),
            ("␛[3;1Ha␛[4;1Hb", "␛[3;1Ha\r\nb".replacing("\r\n", with: "\n\r")),
            ("␛[3;1Ha␛[3;25Hb", "␛[3;1Ha␛[25Gb"), ("␛[3;1Ha␛[4;25Hb", "␛[3;1Ha\n␛[25Gb"),
            // Up, far down, and from where nobody knows, curses is right.
            ("␛[3;1Ha\r␛[2db", "␛[3;1Ha\r␛[2db"), ("␛[1;1Ha\r␛[7db", "␛[1;1Ha\r␛[7db"), ("a\r␛[4db", "a\r␛[4db"),
            ("␛[3;1H␛Ma\r␛[4db", "␛[3;1H␛Ma\r␛[4db"),
            // Behind a character that may stand in the last column.
            ("␛[3;1Ha␛[4db", "␛[3;1Ha␛[4db"),
            // A line feed at the end of some rows that scroll would scroll them.
            ("␛[2;4r␛[4;1H\r␛[5da␛[1;8r␛[5;1H\r␛[6db", "␛[2;4r␛[4;1H\r␛[5da␛[1;8r␛[5;1H\r\nb"),
        ])
    func sent(_ written: String, _ sent: String) {
        #expect(shortened(written) == sent)
        let bytes = Array(written.utf8)
        let none = MoveShortening.Abilities(goesDownAndAcross: false, height: 8)
        #expect(MoveShortening.shortened(bytes, none) == bytes)
    }

    /// What a terminal of 8 rows and 30 columns shows of bytes.
    private func screen(_ bytes: [UInt8]) -> [[UInt8]] {
        var rows = [[UInt8]](repeating: [UInt8](repeating: 0x20, count: 30), count: 8), (x, y) = (0, 0)
        var rest = bytes[...]
        while let byte = rest.first {
            let sequence = TerminalSequence(rest)
            rest = rest.dropFirst(sequence?.length ?? 1)
            let numbers = (sequence?.numbers ?? []).map { max(1, $0) }
            switch sequence?.final {
            case UInt8(ascii: "\r"): x = 0
            case UInt8(ascii: "H"): (y, x) = (numbers[0] - 1, numbers[1] - 1)
            case UInt8(ascii: "d"): y = numbers[0] - 1
            case UInt8(ascii: "G"): x = numbers[0] - 1
            case UInt8(ascii: "K"): for column in x..<30 { rows[y][column] = 0x20 }
            case nil where byte == UInt8(ascii: "\n"): y += 1
            case nil:
                rows[y][min(29, x)] = byte
                x = min(29, x + 1)
            default: break
            }
        }
        return rows
    }

    @Test("a terminal shows the same of fewer bytes as of what curses wrote")
    func same() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let text = (0..<20).map { _ in
                let row = Int.random(in: 1...8, using: &random), column = Int.random(in: 1...28, using: &random)
                return ["\(column)", "\r", "␛[\(row);\(column)H", "␛[\(row)d", "␛[\(column)G", "␛[K", "␛[1m"]
                    .randomElement(using: &random) ?? ""
            }.joined()
            let written = Array("␛[1;1H\(text)".replacing("␛", with: "\u{1B}").utf8)
            let sent = MoveShortening.shortened(written, abilities)
            #expect(sent.count <= written.count && screen(sent) == screen(written), "\(text)")
        }
    }
}
