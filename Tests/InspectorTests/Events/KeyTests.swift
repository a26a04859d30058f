import Testing

@testable import Inspector

@Suite("Keys in scripts and help")
struct KeyTests {
    @Test(
        "a key is written and read the same way",
        arguments: [
            (Key.character("j"), "j"), (.character("G"), "G"), (.character("é"), "é"), (.character("作"), "作"),
            (.character(" "), "<Space>"), (.character("<"), "<LT>"), (.character(">"), ">"),
            (.character("\u{202E}"), "<U+202E>"),
            (.enter, "<Enter>"), (.escape, "<Esc>"), (.tab, "<Tab>"), (.backTab, "<S-Tab>"),
            (.backspace, "<Backspace>"),
            (.delete, "<Delete>"), (.insert, "<Insert>"), (.up, "<Up>"), (.down, "<Down>"), (.left, "<Left>"),
            (.right, "<Right>"), (.home, "<Home>"), (.end, "<End>"), (.pageUp, "<PageUp>"), (.pageDown, "<PageDown>"),
            (.function(1), "<F1>"), (.function(12), "<F12>"), (.control("d"), "<C-d>"), (.control("@"), "<C-@>"),
            (.control("]"), "<C-]>"),
        ])
    func notation(key: Key, notation: String) {
        #expect(key.notation == notation)
        #expect(Key(notation: notation) == key)
    }

    @Test(
        "other spellings, any case, and the second names of keys are read too",
        arguments: [
            ("<", Key.character("<")), (" ", .character(" ")), ("<CR>", .enter), ("<return>", .enter),
            ("<ESC>", .escape),
            ("<escape>", .escape), ("<bs>", .backspace), ("<del>", .delete), ("<pgdn>", .pageDown),
            ("<c-D>", .control("d")),
            ("<C-i>", .tab), ("<C-m>", .enter), ("<C-[>", .escape), ("<C-h>", .backspace), ("<f5>", .function(5)),
            ("<U+41>", .character("A")),
        ])
    func spellings(notation: String, key: Key) {
        #expect(Key(notation: notation) == key)
    }

    @Test(
        "what is no key is none",
        arguments: [
            "", "jj", "<>", "<Nope>", "<F0>", "<F13>", "<C->", "<C-dd>", "<C-é>", "<Enter", "<U+D800>", "<U+110000>",
            "<U+>",
            "\n", "\u{1B}", "\u{202E}",
        ])
    func none(notation: String) {
        #expect(Key(notation: notation) == nil)
    }

    @Test("every control byte is a key that has a notation")
    func controls() {
        for value in UInt8(0)..<0x20 {
            let key = Key(scalar: Unicode.Scalar(value))
            #expect(Key(notation: key.notation) == key)
        }
        #expect(Key(scalar: "\u{7F}") == .backspace)
        #expect(Key(scalar: "\u{1A}") == .control("z"))
    }
}
