import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Reports

@Suite("Two texts word by word")
struct TextDifferenceTests {
    private func difference(_ left: String, _ right: String) -> TextDifference {
        var budget = TextDifference.Budget()
        return TextDifference(left, right, within: &budget)
    }

    @Test(
        "words that differ are told, and not parts of them",
        arguments: [
            ("", "", []), ("a b", "a b", [.same("a b")]), ("a", "", [.changed(left: "a", right: "")]),
            (
                "the slow fox", "the slower fox",
                [.same("the "), .changed(left: "slow", right: "slower"), .same(" fox")]
            ),
            (
                "a=1&b=2&c=3", "a=1&b=4&c=5",
                [.same("a=1&b="), .changed(left: "2", right: "4"), .same("&c="), .changed(left: "3", right: "5")]
            ),
            ("one two", "two", [.changed(left: "one ", right: ""), .same("two")]),
            ("caf\u{E9}", "cafe\u{301}", [.changed(left: "caf\u{E9}", right: "cafe\u{301}")]),
        ] as [(String, String, [TextDifference.Piece])])
    func words(left: String, right: String, pieces: [TextDifference.Piece]) {
        let found = difference(left, right).pieces
        #expect(found.count == pieces.count && found.map { "\($0)" } == pieces.map { "\($0)" }, "\(found)")
    }

    @Test("for any two texts the sides are the texts, and what is the same is the same")
    func law() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<2000 {
            let (left, right) = (random.text(maximum: 12), random.text(maximum: 12))
            let found = difference(left, right)
            let sides = [Comparison.Side.left, .right].map { found.stretches(of: $0).map(\.text).joined() }
            #expect(sides[0].utf8.elementsEqual(left.utf8) && sides[1].utf8.elementsEqual(right.utf8))
            let isSame = found.pieces.allSatisfy { if case .same = $0 { true } else { false } }
            #expect(isSame == left.utf8.elementsEqual(right.utf8))
        }
    }

    @Test("texts of which too much differs are one change")
    func budget() {
        func text(_ word: String) -> String { (0..<4000).map { "\(word)\($0)" }.joined(separator: " ") }
        let found = difference("same " + text("a") + " end", "same " + text("b") + " end")
        #expect(found.pieces.count == 3 && found.pieces.first == .same("same ") && found.pieces.last == .same(" end"))
    }

    @Test("what stands around a difference stays, and how much is left out is told")
    func folded() {
        let words = String(repeating: "quick brown fox ", count: 40)
        let found = difference(words + "slow " + words, words + "fast " + words)
        var budget = TextDifference.Budget()
        let (left, right) = found.folded(context: 16, within: &budget)
        #expect(left == "… 624 the same …quick brown fox slow quick brown fox… 625 the same …")
        #expect(right == left.replacing("slow", with: "fast"))
    }

    @Test("of long texts every change is marked however far they are apart, and nothing else")
    func farApart() {
        let words = String(repeating: "long words here ", count: 600)
        let found = difference("line two\n" + words, "line 2 two\n" + words + "more")
        let changes = found.pieces.compactMap { piece -> String? in
            if case .changed(let left, let right) = piece { "\(left)|\(right)" } else { nil }
        }
        #expect(changes == ["|2 ", "|more"], "\(changes)")
    }

    @Test("of texts that are cut nothing is marked that both have, and both say that there is more")
    func cut() {
        func text(_ word: String) -> String {
            (0..<4000).map { "\(word)\($0) and then" }.joined(separator: " ")
        }
        var budget = TextDifference.Budget()
        let (left, right) = difference("one " + text("a"), text("bb")).folded(context: 8, limit: 800, within: &budget)
        for side in [left, right] { #expect(side.hasSuffix("… and more, which is not compared here"), "\(side)") }
        guard case .same(let end)? = difference(left, right).pieces.last else { return #expect(Bool(false), "\(left)") }
        #expect(end.contains("and"), "\(end)")
    }

    @Test("of two long texts a row shows the words that differ with what stands around them")
    func rows() throws {
        let words = String(repeating: "quick brown fox ", count: 60)
        let row = try #require(Comparison(.string(words + "slow"), .string(words + "fast")).rows.first)
        #expect(row.left?.hasSuffix("fox slow\"") == true && row.right?.hasSuffix("fox fast\"") == true, "\(row)")
        #expect(row.left.map { $0.count < 80 } == true)
    }

    private func lines(_ before: Value, _ after: Value, width: Int) -> [Document.Line] {
        var document = Document()
        let place = Address.defaults("d", "k")
        document.comparison(
            ShownComparison(
                before: (before, place), after: (after, place), sources: [], titles: ("before", "after"),
                placeholders: [], showing: Showing(Masking())))
        return document.lines(width: width)
    }

    @Test("in a pane the lines of a text are lines, long ones go on behind a sign, and words that differ are marked")
    func pane() {
        let wide = lines(.string("one\ntwo old\nthree"), .string("one\ntwo new\nthree"), width: 80)
        #expect(wide.count == 4, "\(wide.map(\.text))")
        guard case .pair(let left, .same, let right) = wide[2] else { return #expect(Bool(false), "\(wide[2])") }
        #expect(left == [Run("two "), Run("old", .removed), Run("␊")])
        #expect(right == [Run("two "), Run("new", .added), Run("␊")])
        let narrow = lines(.string(String(repeating: "a ", count: 30)), .string("b"), width: 40).map(\.text)
        #expect(narrow.count == 4 && narrow[1].hasPrefix("- ") && narrow[2].hasPrefix("  ↪ "), "\(narrow)")
        #expect(narrow.allSatisfy { Glyphs.unicode.columns($0) <= 40 })
    }

    @Test("in a pane many parts that are the same on both sides are counted")
    func same() {
        func list(_ last: Int) -> Value { .array((0..<100).map { .integer($0 == 50 ? Int128(last) : 1) }) }
        let shown = lines(list(2), list(3), width: 80).map(\.text)
        #expect(shown.count == 14 && shown.count { $0.contains("that are the same") } == 2, "\(shown)")
        #expect(shown.contains { $0.contains("50: 2") && $0.contains("50: 3") }, "\(shown)")
    }
}
