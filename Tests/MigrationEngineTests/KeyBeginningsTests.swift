import StoreFormats
import Testing

@testable import MigrationEngine

@Suite("Keys by what they begin with")
struct KeyBeginningsTests {
    /// A list of keys that puts them into an order once it was asked often.
    private struct Ordered: KeyList {
        let keys: Keys
        let beginnings = KeyBeginnings()

        var count: Int { keys.count }
        func key(at position: Int) -> Name { keys.key(at: position) }
        func positions(of key: Name) -> [Int] { keys.positions(of: key) }
        func positions(beginning prefix: Name) -> [Int] { beginnings.positions(beginning: prefix, of: self) }
    }

    @Test("They are the same in any order of asking, by bytes, with keys that stand twice, were taken away or added")
    func positions() {
        var state: UInt64 = 7
        let parts = ["a", "b", "é", "e\u{301}", ".", "\u{FFFF}", "\0", ""]
        func part() -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return parts[Int(state >> 33) % parts.count]
        }
        func name() -> Name { Name((0..<4).map { _ in part() }.joined()) }
        let all = (0..<600).map { _ in name() }, removed = Array(all.prefix(40)), added = (0..<50).map { _ in name() }
        let ordered = Ordered(keys: Keys(all))
        let edited = EditedKeys(of: ordered, without: removed, adding: added)
        for _ in 0..<40 {
            let prefix = Name(String(name().text.unicodeScalars.prefix(2)))
            for list in [ordered, edited] as [any KeyList] {
                let wanted = (0..<list.count).filter { list.key(at: $0).hasPrefix(prefix.text) }
                #expect(list.positions(beginning: prefix) == wanted, "\(prefix.text.debugDescription)")
            }
        }
    }
}
