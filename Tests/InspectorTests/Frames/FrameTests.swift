import Reports
import TestSupport
import Testing

@testable import Inspector

@Suite("Frames")
struct FrameTests {
    private func frame(_ width: Int, _ height: Int, _ glyphs: Glyphs = .unicode, _ draw: (inout Frame) -> Void) -> Frame
    {
        var frame = Frame(Size(width: width, height: height), glyphs: glyphs)
        draw(&frame)
        return frame
    }

    @Test("every row is exactly as wide as the frame, whatever is drawn wherever")
    func law() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<1500 {
            let size = Size(width: .random(in: 0...12, using: &random), height: .random(in: 0...5, using: &random))
            let glyphs = Glyphs.allCases.randomElement(using: &random) ?? .unicode
            var frame = Frame(size, glyphs: glyphs)
            for _ in 0..<6 {
                let x = Int.random(in: -4...14, using: &random), y = Int.random(in: -2...6, using: &random)
                let length = Int.random(in: -1...14, using: &random)
                let rect = Rect(x: x, y: y, width: length, height: .random(in: -1...6, using: &random))
                switch Int.random(in: 0..<8, using: &random) {
                case 0: frame.fill(rect, with: ["x", " ", "作", "\n"].randomElement(using: &random) ?? " ")
                case 1: frame.box(rect, title: random.text(maximum: 6))
                case 2: frame.select(rect)
                case 3: frame.paint(rect, role: .match)
                case 4: frame.place(self.frame(6, 3, glyphs) { $0.draw("作作作", at: 0, 1) }, at: x, y)
                case 5: frame.draw(random.text(maximum: 12), at: x, y, width: length)
                default: frame.draw(random.text(maximum: 12), at: x, y)
                }
            }
            for y in 0..<size.height {
                let row = (0..<size.width).compactMap { frame[$0, y] }
                #expect(row.reduce(0) { $0 + Int($1.columns) } == size.width)
                #expect(glyphs.columns(row.map(\.text).joined()) == size.width)
                for (x, cell) in row.enumerated() {
                    #expect((cell.columns == 0) == (x > 0 && row[x - 1].columns == 2))
                    #expect(cell.text.isEmpty == (cell.columns == 0))
                }
                #expect(frame.spans(y).reduce(0) { $0 + $1.columns } == size.width)
            }
            #expect(frame.rows.count == size.height)
        }
    }

    @Test("extreme places and sizes draw nothing and do no harm")
    func extremes() {
        let drawn = frame(4, 2) { frame in
            for place in [Int.min, Int.max, -1, 4] {
                frame.draw("x", at: 4, place)
                frame.draw("", at: place, place, width: place)
                frame.fill(Rect(x: place, y: place, width: place, height: place))
                frame.box(Rect(x: place, y: place, width: place, height: place), title: "x")
                frame.place(Frame(Size(width: 1, height: 1)), at: place, place)
                frame.horizontalLine(at: place, 4, width: place)
                frame.verticalLine(at: 4, place, height: place)
            }
        }
        #expect(drawn == Frame(Size(width: 4, height: 2)))
        #expect(Frame(Size(width: 0, height: 0)).text == "")
        #expect(Frame(Size(width: 1, height: 1)).svg().contains("</svg>"))
        #expect(Size(width: .max, height: .min) == Size(width: Size.limit, height: 0))
    }

    @Test("text is clipped at the edges and never goes to the next row")
    func clipping() {
        let drawn = frame(6, 3) {
            $0.draw("abcdefgh", at: 0, 0)
            $0.draw("abcdefgh", at: -2, 1, width: 8)
            $0.draw("作作作", at: -1, 2)
        }
        #expect(drawn.rows == ["abcde…", "cdefgh", " 作作"])
    }

    @Test("a width cuts and fills, and what follows begins behind it")
    func fields() {
        let drawn = frame(12, 2) {
            let next = $0.draw("name", at: 0, 0, width: 6)
            #expect(next == 6)
            $0.draw("12", at: next, 0, width: 4, .trailing)
            $0.draw("#", at: $0.draw("作", at: 0, 1), 1)
        }
        #expect(drawn.rows == ["name    12", "作#"])
    }

    @Test("drawing over half of a wide character leaves no half of it")
    func wideOverwritten() {
        #expect(
            frame(4, 1) {
                $0.draw("作作", at: 0, 0); $0.draw("x", at: 0, 0, width: 1)
            }.rows == ["x 作"])
        #expect(
            frame(4, 1) {
                $0.draw("作作", at: 0, 0); $0.draw("x", at: 1, 0, width: 1)
            }.rows == [" x作"])
        #expect(
            frame(4, 1) {
                $0.draw("作作", at: 0, 0); $0.draw("作", at: 1, 0, width: 2)
            }.rows == [" 作"])
    }

    @Test("lines that meet are joined; ASCII has its own")
    func lines() {
        let draw: (inout Frame) -> Void = {
            $0.box($0.bounds)
            $0.verticalLine(at: 3, 0, height: 4)
            $0.horizontalLine(at: 0, 2, width: 7)
        }
        #expect(frame(7, 4, .unicode, draw).rows == ["┌──┬──┐", "│  │  │", "├──┼──┤", "└──┴──┘"])
        #expect(frame(7, 4, .ascii, draw).rows == ["+--+--+", "|  |  |", "+--+--+", "+--+--+"])
    }

    @Test("a box has its title in the upper line, cut where it is too long")
    func titles() {
        #expect(frame(12, 2) { $0.box($0.bounds, title: "Stores") }.rows[0] == "┌ Stores ──┐")
        #expect(frame(8, 2) { $0.box($0.bounds, title: "Stores") }.rows[0] == "┌ Sto… ┐")
        #expect(frame(4, 2) { $0.box($0.bounds, title: "Stores") }.rows[0] == "┌──┐")
    }

    @Test("panes: a rectangle is divided without a gap, and a frame placed in another")
    func panes() {
        let (left, right) = Rect(x: 0, y: 1, width: 10, height: 4).split(columns: 3)
        #expect(left == Rect(x: 0, y: 1, width: 3, height: 4) && right == Rect(x: 3, y: 1, width: 7, height: 4))
        let (top, bottom) = Rect(x: 0, y: 1, width: 10, height: 4).split(rows: 99)
        #expect(top.size.height == 4 && bottom.isEmpty)
        var pane = frame(3, 1) { $0.draw("abc", at: 0, 0, role: .key) }
        pane.cursor = Position(x: 1, y: 0)
        let whole = frame(4, 2) { $0.place(pane, at: 2, 1) }
        #expect(whole.rows == ["", "  ab"])
        #expect(whole.cursor == Position(x: 3, y: 1))
        #expect(whole[2, 1]?.style == Style(.key))
    }

    @Test("roles and selection are a second layer that can be read and asked for")
    func roles() {
        let drawn = frame(20, 3) {
            $0.draw("Stores", at: 0, 0, role: .heading)
            $0.draw("3", at: $0.draw(" traits ", at: 1, 1, role: .key), 1, role: .dim)
            $0.select(Rect(x: 0, y: 1, width: 20, height: 1))
            $0.cursor = Position(x: 4, y: 2)
        }
        #expect(
            drawn.roles == """
                1:1 heading "Stores"
                2:1 selected text ""
                2:3 selected key "traits"
                2:10 selected dim "3"
                2:11 selected text ""
                3:5 cursor
                """)
        #expect(drawn.shows("traits 3", styled: "selected"))
        #expect(drawn.shows("traits", styled: "key"))
        #expect(!drawn.shows("traits 3", styled: "key"))
        #expect(!drawn.shows("Stores", styled: "selected"))
        #expect(
            Style.isName("selected") && Style.isName("footer-key") && !Style.isName("none") && !Style.isName("blue"))
    }

    @Test("the theme tells roles of change apart without colours as far as attributes go, and selection always")
    func theme() {
        for role in Role.allCases {
            let plain = Theme.look(of: Style(role)).monochrome
            #expect(plain.foreground == nil && plain.background == nil)
            #expect(Theme.look(of: Style(role, selection: .selected)) != Theme.look(of: Style(role)))
        }
        #expect(Theme.look(of: Style(.match)).monochrome.isReversed)
        // The changed words of a line are seen in it.
        for role in [Role.added, .removed, .changed] { #expect(Theme.look(of: Style(role)).monochrome.isBold) }
    }

    @Test("sizes are read as they are written", arguments: ["80x24", "1x1", "2000x2000"])
    func sizes(text: String) {
        #expect(Size(parsing: text)?.description == text)
    }

    @Test(
        "what is no size is none",
        arguments: ["", "x", "80", "80x", "0x24", "-1x5", "2001x1", "80x24x1", "99999999999999999999x1"])
    func noSizes(text: String) {
        #expect(Size(parsing: text) == nil)
    }
}
