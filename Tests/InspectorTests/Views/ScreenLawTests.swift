import MigrationEngine
import Reports
import TestSupport
import Testing

@testable import Inspector

/// What holds of every screen, whatever is opened, pressed and typed, at any size.
@Suite("Laws of the screens")
struct ScreenLawTests {
    private static let sizes = [
        (0, 0), (1, 1), (10, 4), (40, 10), (40, 12), (71, 14), (80, 24), (149, 30), (150, 30), (200, 50),
    ]

    private static let keys: [Key] =
        Action.all.flatMap(\.keys).filter { ![.character("q"), .control("c")].contains($0) }
        + "0123456789 xyz作é\u{301}\u{202E}\u{200D}👩:=".map(Key.character)
        + [.enter, .enter, .escape, .tab, .backspace, .delete, .up, .function(5), .control("w"), .control("u")]

    private static let commands = [
        "apply all", "apply selected", "rollback to traits", "profile sdk-1.1", "profile", "fact writeKey=wk",
        "fact now=\u{202E}", "search e", "search \u{1B}[2J", "\u{1B}\u{9B}\n", "app", "help", "bottom",
        "apply \u{202E}",
        "export \u{1B}]0;x\u{7}", "migration \u{200B}", "reveal",
    ]

    @Test("for any keys", arguments: Start.allCases)
    func law(start: Start) throws {
        var random = SeededGenerator(seed: UInt64(start.rawValue.utf8.reduce(0) { $0 * 31 % 65_521 + Int($1) }))
        for round in 0..<Self.sizes.count {
            let (width, height) = Self.sizes[round]
            var inspected = try start.inspected(
                size: Size(width: width, height: height), glyphs: round % 3 == 2 ? .ascii : .unicode)
            inspected.performs = round % 4 != 3
            for _ in 0..<12 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    let (width, height) = Self.sizes.randomElement(using: &random) ?? (80, 24)
                    inspected.resize(width, height)
                case 1: inspected.command(Self.commands.randomElement(using: &random) ?? "")
                default: inspected.press(Self.keys.randomElement(using: &random) ?? .enter)
                }
                inspected.model.masking.isRevealing = false
                check(inspected.model)
            }
        }
    }

    private func check(_ model: Model, _ location: SourceLocation = #_sourceLocation) {
        let frame = model.render()
        #expect(frame.size == model.size, sourceLocation: location)
        for y in 0..<frame.size.height {
            let cells = (0..<frame.size.width).compactMap { frame[$0, y] }
            #expect(cells.reduce(0) { $0 + Int($1.columns) } == frame.size.width, sourceLocation: location)
            #expect(
                frame.glyphs.columns(cells.map(\.text).joined()) == frame.size.width, sourceLocation: location)
        }
        let text = frame.text
        let isHarmless = text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || (frame.glyphs == .ascii ? (" "..."~").contains(scalar) : scalar.isHarmless)
        }
        #expect(isHarmless, "\(text.debugDescription)", sourceLocation: location)
        for needle in Start.needles { #expect(!text.contains(needle), "\(text)", sourceLocation: location) }
        if let cursor = frame.cursor {
            #expect(frame[cursor.x, cursor.y] != nil, "\(cursor)", sourceLocation: location)
        }
        checkCursor(model, frame, location)
    }

    /// The row under the cursor is on the screen, and the terminal's cursor on it, unless it is where the person types.
    private func checkCursor(_ model: Model, _ frame: Frame, _ location: SourceLocation) {
        guard let layout = Layout(model), model.page == nil else { return }
        if let opened = model.opened, !opened.isZoomed, opened.sheet.count > 0 {
            let row = opened.cursor - opened.top
            #expect((0..<layout.sheetRows).contains(row), sourceLocation: location)
            guard model.prompt == nil else { return }
            #expect(frame.cursor != nil, sourceLocation: location)
            if opened.focus == .sheet {
                #expect(
                    frame.cursor?.y == layout.lines(of: opened.cursor).lowerBound, sourceLocation: location)
            }
        } else if model.opened == nil, let apps = model.apps, model.prompt == nil {
            let y = frame.cursor?.y ?? 0
            #expect(frame.rows[y].contains("com.acme.\(apps.cursor)"), sourceLocation: location)
        }
        if let prompt = model.prompt {
            let last = layout.status.origin.y + layout.status.size.height - 1
            #expect(frame.cursor?.y == last, "\(prompt)", sourceLocation: location)
        }
    }

    @Test("no secret of a dump is on any screen of it, row by row, unless it is revealed")
    func secrets() throws {
        var seen = ""
        for glyphs in Glyphs.allCases {
            var inspected = try Start.secrets.inspected(size: Size(width: 160, height: 40), glyphs: glyphs)
            for keys in ["", "a a a a", "A u", "p", "p", "G <Enter> k k <Enter>"] {
                inspected.press(keys)
                inspected.press("g")
                for _ in 0..<(inspected.opened?.sheet.count ?? 0) {
                    let screen = inspected.screen
                    for needle in Start.needles { #expect(!screen.contains(needle), "\(screen)") }
                    if keys.isEmpty { seen += screen }
                    inspected.press("j")
                }
            }
            #expect(seen.contains(glyphs == .ascii ? "masked string" : "‹masked string"))
        }
        var inspected = try Start.secrets.inspected(size: Size(width: 200, height: 50))
        inspected.press("v")
        var revealed = ""
        for key in 0..<(inspected.opened?.sheet.count ?? 0) {
            inspected.type("\(key + 1)g")
            revealed += inspected.screen
        }
        #expect(revealed.contains("jane.roe") && revealed.contains("hunter2") && revealed.contains("s3cr3t"))
        #expect(inspected.screen.contains("secrets shown"))
    }

    @Test("a message that quotes a secret masks it, also beside what the person types")
    func messages() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.writeKey, .uptime))
        inspected.go(to: "last-activity-time")
        inspected.press("f")
        inspected.type("jane.roe@example.com")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.purpose == .fact(.uptime))
        #expect(!(inspected.screen.split(separator: "\n").dropLast().last ?? "").contains("jane.roe"))
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is seen as itself, and moves and hides nothing around it.
    fileprivate var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: !properties.isDefaultIgnorableCodePoint && !properties.isBidiControl
        }
    }
}
