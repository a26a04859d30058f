import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Reports

@Suite("Before and after, side by side")
struct ComparisonTests {
    private func rows(_ left: Value?, _ right: Value?) -> [String] {
        Comparison(left, right).rows.map { row in
            "\(row.mark.sign)\(row.depth) \(row.key ?? ".") \(row.left ?? "/") | \(row.right ?? "/")"
        }
    }

    @Test(
        "each pair has its mark",
        arguments: [
            (Value.integer(1), Value.integer(1), " 0 . 1 | 1"), (.integer(1), .string("1"), "~0 . 1 | \"1\""),
            (.integer(1), nil, "-0 . 1 | /"), (nil, .integer(1), "+0 . / | 1"),
            (.bool(true), .bool(false), "~0 . true | false"),
        ] as [(Value?, Value?, String)])
    func plain(left: Value?, right: Value?, row: String) {
        #expect(rows(left, right) == [row])
    }

    @Test("parts are paired by key: those of the left in its order, then those of the right alone")
    func parts() {
        let left = Value.dictionary([("a", .integer(1)), ("b", .integer(2)), ("c", .array([.null, .null]))])
        let right = Value.dictionary([("d", .integer(4)), ("c", .array([.null])), ("a", .integer(1))])
        #expect(
            rows(left, right) == [
                "~0 . {a, b, c} | {d, c, a}", " 1 a 1 | 1", "-1 b 2 | /", "~1 c [2 items] | [1 item]",
                " 2 0 null | null",
                "-2 1 null | /", "+1 d / | 4",
            ])
    }

    @Test("Of a key that stands more than once each part is beside the one that stands there as often before")
    func repeated() {
        let twice = Value.dictionary([("x", .integer(1)), ("x", .integer(2))])
        let more = Value.dictionary([("x", .integer(1)), ("x", .integer(2)), ("y", .integer(3))])
        #expect(rows(twice, more) == ["~0 . {x, x} | {x, x, y}", " 1 x 1 | 1", " 1 x 2 | 2", "+1 y / | 3"])
        #expect(
            rows(more, .dictionary([("x", .integer(1))])) == [
                "~0 . {x, x, y} | {x}", " 1 x 1 | 1", "-1 x 2 | /", "-1 y 3 | /",
            ])
    }

    @Test("parts of names that look alike and are of other bytes are not one")
    func twins() {
        let left = Value.dictionary([("caf\u{E9}", .integer(1)), ("cafe\u{301}", .integer(2))])
        let right = Value.dictionary([("caf\u{E9}", .integer(3)), ("cafe\u{301}", .integer(4))])
        let pairs = Comparison(left, right).rows.dropFirst().map { [$0.left, $0.right] }
        #expect(pairs == [["1", "3"], ["2", "4"]])
        let gone = Comparison(left, .dictionary([("cafe\u{301}", .integer(2))])).rows.dropFirst().map(\.mark)
        #expect(gone == [.removed, .same])
    }

    @Test("letters that are drawn alike are told by their codes where nothing else differs in a word, and only there")
    func lookalikes() {
        // Cyrillic а, Greek ο, a hyphen that does not break, and a blank that does not.
        for (left, right, shown) in [
            ("paypal x", "p\u{430}ypal x", "~0 . \"paypal x\" | \"p‹0430›ypal x\""),
            ("\u{3BF}ne", "\u{43E}ne", "~0 . \"‹03BF›ne\" | \"‹043E›ne\""),
            ("a-b", "a\u{2011}b", "~0 . \"a-b\" | \"a‹2011›b\""),
            ("\u{43C}\u{430}\u{43C}\u{430}", "mama", "~0 . \"\u{43C}\u{430}\u{43C}\u{430}\" | \"mama\""),
            ("\u{430} 1", "\u{430} 2", "~0 . \"\u{430} 1\" | \"\u{430} 2\""),
        ] {
            #expect(rows(.string(left), .string(right)) == [shown])
        }
        let blanks = rows(.string("a b"), .string("a\u{A0}b")).map(Glyphs.unicode.displayText)
        #expect(blanks == ["~0 . \"a b\" | \"a‹00A0›b\""])
    }

    @Test("a control or an invisible character and a text of the signs that stand for it never look alike")
    func spelledForms() {
        func shown(_ left: Value, _ right: Value) -> [String] { rows(left, right).map(Glyphs.unicode.displayText) }
        #expect(shown(.string("‹200B›"), .string("\u{200B}")) == ["~0 . \"‹2039›200B›\" | \"‹200B›\""])
        #expect(shown(.string("a␛b"), .string("a\u{1B}b")) == ["~0 . \"a‹241B›b\" | \"a␛b\""])
        let keys = ["‹200B›", "\u{200B}"].map { Value.dictionary([(Name($0), .integer(1))]) }
        #expect(
            shown(keys[0], keys[1])
                == ["~0 . {‹2039›200B›} | {‹200B›}", "-1 ‹2039›200B› 1 | /", "+1 ‹200B› / | 1"])
        let long = String(repeating: "word ", count: 40)
        #expect(
            shown(.string(long + "‹200B›"), .string(long + "\u{200B}")).allSatisfy {
                $0.contains("‹2039›200B›\" |") && $0.hasSuffix("‹200B›\"")
            })
        for value in [Value.string("␊"), .string(#"["␊"]"#)] {
            #expect(!value.treeLines().map(\.text).joined().contains("␊"))
        }
    }

    @Test("an archive or a dictionary and the JSON made of it are compared by what they mean")
    func formats() {
        let left = Value.dictionary([("email", .string("x")), ("age", .integer(30)), ("id", .string("9"))])
        #expect(
            rows(left, .string(#"{"email":"x","age":31}"#)) == [
                "~0 . {email, age, id} | JSON {email, age}", " 1 email \"x\" | \"x\"", "~1 age 30 | 31",
                "-1 id \"9\" | /",
            ])
    }

    @Test("many rows are cut, and the last one says so")
    func bounds() {
        let many = Value.array(Array(repeating: .null, count: 5000))
        let others = Value.array(Array(repeating: .bool(true), count: 5000))
        let rows = Comparison(many, others, limit: 100).rows
        #expect(rows.count == 101)
        #expect(rows.last?.left == "… cut after 100 rows")
        #expect(Comparison(.null, .null, limit: 1).rows.count == 1)
    }

    @Test("what differs behind very many parts that are the same, each with parts of its own, is shown")
    func behindMany() {
        func value(_ place: String) -> Value {
            let rows = (0..<1900).map { Value.dictionary([("id", .integer(Int128($0))), ("name", .string("row"))]) }
            return .dictionary([("rows", .array(rows)), ("place", .string(place))])
        }
        let rows = Comparison(value("Europe"), value("Asia")).rows
        #expect(rows.last { $0.mark != .same }?.right == "\"Asia\"")
        #expect(rows.last?.left?.hasSuffix("more that are the same") == true)
    }

    @Test("a part that differs is shown, or it is said that there may be others, wherever it stands")
    func behindTwo() {
        func value(_ last: Int) -> Value {
            let same = (0..<1100).map { _ in Value.integer(1) }
            let keys = (0..<1500).map { Member(key: Name("m\($0)"), value: .integer($0 == 1499 ? Int128(last) : 1)) }
            return .dictionary([("a", .array(same)), ("b", .dictionary(Members(keys)))])
        }
        let rows = Comparison(value(1), value(2)).rows
        #expect(rows.last { $0.mark == .changed }?.key == "m1499")
    }

    @Test("of more parts than can be shown those that differ are, wherever they stand and in whatever order")
    func manyParts() {
        let keys = (0..<2600).map { Name("k\($0)") }
        func value(_ keys: [Name], last: Int) -> Value {
            .dictionary(Members(keys.map { Member(key: $0, value: .integer($0 == "k2599" ? Int128(last) : 1)) }))
        }
        let rows = Comparison(value(keys, last: 1), value(keys.reversed(), last: 2)).rows
        #expect(rows.map(\.mark) == [.changed, .same, .changed] && rows.last?.key == "k2599")
        #expect(rows.dropFirst().first?.left == "… 2599 that are the same")
    }

    @Test("Where only differences are listed they are those of the whole list, also of keys that stand more than once")
    func differences() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            func value() -> Value {
                .dictionary(
                    Members(
                        (0..<Int.random(in: 0..<7, using: &generator)).map { _ in
                            Member(
                                key: Name("k\(Int.random(in: 0..<3, using: &generator))"),
                                value: .integer(Int128(Int.random(in: 0..<2, using: &generator))))
                        }))
            }
            let left = value(), right = value(), plain = (SecretContext(), SecretContext())
            let whole = Comparison(left, right).rows.filter { $0.mark != .same }
            let rows = Comparison(left, right, in: plain, Masking(isRevealing: true), isWhole: false) { _, _, _, _ in
                nil
            }
            .rows.filter { $0.mark != .same }
            #expect(rows.map(\.pointer) == whole.map(\.pointer) && rows.map(\.left) == whole.map(\.left))
            #expect(rows.map(\.right) == whole.map(\.right))
        }
    }
}
