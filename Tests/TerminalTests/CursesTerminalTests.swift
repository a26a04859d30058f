import Foundation
import Inspector
import Reports
import TestSupport
import Testing

@testable import Terminal

/// The terminal on a pseudo-terminal of the tests; one at a time: curses has one screen in a process.
@Suite("Curses", .serialized)
struct CursesTerminalTests {
    private func frame(_ size: Size, _ text: String) -> Frame {
        var frame = Frame(size)
        frame.box(frame.bounds, title: "作 title")
        frame.draw(text, at: 2, 2, width: 20, role: .key)
        return frame
    }

    @Test("a frame that is shown already costs not one byte")
    func unchanged() throws {
        let pty = try PseudoTerminal()
        var terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
        let size = terminal.size
        #expect(size == Size(width: 80, height: 24))
        let first = frame(size, "one"), second = frame(size, "two")
        terminal.present(first)
        #expect(!pty.written().isEmpty)
        terminal.present(first)
        #expect(pty.written() == [])
        terminal.present(second)
        let change = pty.written()
        #expect(change.count > 0 && change.count < 56)
        terminal.present(second)
        #expect(pty.written() == [])
    }

    @Test("what a frame changes is shown by the terminal as one picture, and on a console without a word about it")
    func together() throws {
        for (type, isTold) in [("xterm-256color", true), ("linux", false)] {
            let pty = try PseudoTerminal()
            var terminal = try CursesTerminal(device: pty.device, type: type)
            _ = pty.written()
            for text in ["one", "two"] {
                terminal.present(frame(terminal.size, text))
                let written = String(decoding: pty.written(), as: UTF8.self)
                #expect(written.contains(text.suffix(1)))
                #expect(written.hasPrefix("\u{1B}[?2026h") == isTold && written.hasSuffix("\u{1B}[?2026l") == isTold)
                #expect(written.components(separatedBy: "2026h").count == (isTold ? 2 : 1))
            }
        }
    }

    @Test("a frame of another size than the screen's is cut at the edges")
    func sizes() throws {
        let pty = try PseudoTerminal()
        var terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
        for size in [Size(width: 200, height: 50), Size(width: 1, height: 1), Size(width: 0, height: 0)] {
            var frame = Frame(size)
            frame.fill(frame.bounds, with: "x")
            frame.cursor = Position(x: 199, y: 49)
            terminal.present(frame)
        }
        #expect(!pty.written().isEmpty)
    }

    @Test("keys are read one by one, a character of several bytes as one, and one that is incomplete not at all")
    func keys() throws {
        let pty = try PseudoTerminal()
        var terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
        pty.type(Array("jé作\u{1B}OA\u{4}\r".utf8))
        var events: [TerminalEvent] = []
        for _ in 0..<6 { events.append(terminal.nextEvent()) }
        #expect(
            events == [
                .key(.character("j")), .key(.character("é")), .key(.character("作")), .key(.up), .key(.control("d")),
                .key(.enter),
            ])
        pty.type([0xE4, 0xBD])
        terminal.wakeup.wake()
        #expect(terminal.nextEvent() == .woken)
    }

    @Test("keys that the terminal's type does not name are taken all the same, and those that nobody knows do nothing")
    func otherKeys() throws {
        for type in ["vt100", "linux", "screen", "xterm-256color"] {
            let pty = try PseudoTerminal()
            var terminal = try CursesTerminal(device: pty.device, type: type)
            pty.type(Array("\u{1B}[6~\u{1B}[A\u{1B}OB\u{1B}[H\u{1B}[Z\u{1B}[1;5Aj\u{1B}[57428;1uk".utf8))
            var events: [TerminalEvent] = []
            for _ in 0..<7 { events.append(terminal.nextEvent()) }
            #expect(
                events == [.pageDown, .up, .down, .home, .backTab, .character("j"), .character("k")].map { .key($0) },
                "\(type)")
            pty.type(Array("\u{1B}[".utf8))
            #expect([terminal.nextEvent(), terminal.nextEvent()] == [.key(.escape), .key(.character("["))])
            pty.type(Array("\u{1B}x".utf8))
            #expect([terminal.nextEvent(), terminal.nextEvent()] == [.key(.escape), .key(.character("x"))])
        }
    }

    @Test("a frame is sent whole once more where somebody has written over it")
    func repaint() throws {
        let pty = try PseudoTerminal()
        var terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
        let shown = frame(terminal.size, "one")
        terminal.present(shown)
        _ = pty.written()
        terminal.repaint()
        terminal.present(shown)
        let written = String(decoding: pty.written(), as: UTF8.self)
        #expect(written.contains("one") && written.contains("title"))
        terminal.present(shown)
        #expect(pty.written() == [])
    }

    @Test("a wake-up before the wait is not lost, and many are one")
    func wakeup() throws {
        let pty = try PseudoTerminal()
        var terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
        // More than a pipe holds: waking never waits.
        for _ in 0..<100_000 { terminal.wakeup.wake() }
        #expect(terminal.nextEvent() == .woken)
        pty.type([UInt8(ascii: "j")])
        #expect(terminal.nextEvent() == .key(.character("j")))
    }

    @Test("there is one screen at a time, and the next one when it has closed")
    func once() throws {
        let pty = try PseudoTerminal()
        do {
            let terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
            #expect(throws: TerminalError.alreadyOpen) { try open(pty.device, "xterm-256color") }
            #expect(terminal.size.width == 80)
        }
        try open(pty.device, "xterm-256color")
    }

    @Test("a copied text is sent whole, and nothing on the screen moves for it; a console is known to take none")
    func copies() throws {
        let pty = try PseudoTerminal()
        do {
            var terminal = try CursesTerminal(device: pty.device, type: "xterm-256color")
            let takesCopies = terminal.takesCopies
            #expect(takesCopies)
            let shown = frame(terminal.size, "one")
            terminal.present(shown)
            _ = pty.written()
            terminal.copy("u-42 作")
            #expect(String(decoding: pty.written(), as: UTF8.self) == "\u{1B}]52;c;dS00MiDkvZw=\u{7}")
            terminal.present(shown)
            #expect(pty.written() == [])
        }
        for (type, takes) in [("linux", false), ("vt100", false), ("screen-256color", true)] {
            let takesCopies = try CursesTerminal(device: pty.device, type: type).takesCopies
            #expect(takesCopies == takes)
        }
    }

    @Test(
        "a press, where it ends and the wheel are told with their cell, while the mouse is the program's, in either notation"
    )
    func mouse() throws {
        let press = TerminalEvent.mouse(.press, Position(x: 5, y: 3))
        let turns: [TerminalEvent] = [
            .mouse(.wheelUp, Position(x: 119, y: 0)), .mouse(.wheelDown, Position(x: 0, y: 29)),
        ]
        let cases: [(String, [String], [TerminalEvent])] = [
            (
                "xterm-256color", ["\u{1B}[<0;6;4M\u{1B}[<0;6;4m", "\u{1B}[<64;120;1M", "\u{1B}[<65;1;30M"],
                [press] + turns
            ),
            ("tmux-256color", ["\u{1B}[M &$"], [press]),
            (
                "xterm-256color", ["\u{1B}[<0;6;4M", "\u{1B}[<0;6;9m"],
                [press, .mouse(.release, Position(x: 5, y: 8))]
            ),
        ]
        for (type, sequences, expected) in cases {
            let pty = try PseudoTerminal()
            var terminal = try CursesTerminal(device: pty.device, type: type)
            _ = pty.written()
            terminal.takeMouse(true)
            terminal.present(frame(terminal.size, "one"))
            #expect(String(decoding: pty.written(), as: UTF8.self).contains("1000h"))
            for (sequence, event) in zip(sequences, expected) {
                pty.type(Array(sequence.utf8))
                #expect(terminal.nextEvent() == event)
            }
            terminal.takeMouse(false)
            terminal.present(frame(terminal.size, "two"))
            #expect(String(decoding: pty.written(), as: UTF8.self).contains("1000l"))
        }
    }

    @Test("what is not a terminal, or not of a known type, is an error that says so")
    func errors() throws {
        let pty = try PseudoTerminal()
        #expect(throws: TerminalError.noTerminalType) { try open(pty.device, nil) }
        #expect(throws: TerminalError.noTerminalType) { try open(pty.device, "") }
        #expect(throws: TerminalError.unknownTerminalType("no-such")) { try open(pty.device, "no-such") }
        #expect(throws: TerminalError.cannotPosition("dumb")) { try open(pty.device, "dumb") }
        #expect { try open("/no/such/device", "xterm") } throws: { "\($0)".contains("/no/such/device") }
        #expect { try open("/dev/null", "xterm") } throws: { "\($0)".contains("/dev/null") }
        // None of them leaves the terminal taken.
        try open(pty.device, "xterm-256color")
    }

    @Test("every style can be shown, in colour and without")
    func styles() throws {
        for type in ["xterm-256color", "vt100", "linux"] {
            let pty = try PseudoTerminal()
            var terminal = try CursesTerminal(device: pty.device, type: type)
            var frame = Frame(terminal.size)
            for (row, role) in Role.allCases.enumerated() {
                frame.draw(role.rawValue, at: 0, row, role: role)
            }
            terminal.present(frame)
            let text = String(decoding: pty.written(), as: UTF8.self)
            for role in Role.allCases { #expect(text.contains(role.rawValue), "\(type)") }
            // One of the eight, of 256 a shade, or none.
            #expect((text.firstMatch(of: /\x1B\[[0-9;]*32m/) != nil) == (type == "linux"), "\(type)")
            #expect((text.firstMatch(of: /\x1B\[[0-9;]*38;5;29m/) != nil) == (type == "xterm-256color"), "\(type)")
        }
    }

    private func open(_ device: String, _ type: String?) throws {
        _ = try CursesTerminal(device: device, type: type)
    }

    @Test("where the system tells nothing of a file, looking at it now and then does")
    func lookingAtFiles() throws {
        let folder = try TemporaryFolder(), path = folder("state/ledger")
        let watches = [FileWatch(path, isLooking: true), FileWatch(path)]
        #expect(watches[0].descriptor < 0 && watches[0].interval > 0)
        func touched() -> [Bool] { watches.map { $0.drain() } }
        #expect(touched() == [false, false])
        try folder.write("state/ledger", Data("a".utf8))
        #expect(touched() == [true, true] && touched() == [false, false])
        try folder.write("state/ledger-wal", Data("b".utf8))
        #expect(touched() == [true, true])
        try folder.write("state/other", Data("c".utf8))
        #expect(touched() == [false, false])
        try FileManager.default.removeItem(atPath: folder("state"))
        #expect(touched() == [true, true])
        try folder.write("state/ledger", Data("d".utf8))
        #expect(touched() == [true, true] && touched() == [false, false])
    }

    @Test("a file that may be there, though nobody can tell, is not taken for one that is not")
    func unwatched() throws {
        let folder = try TemporaryFolder(), path = folder("loop")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let watch = FileWatch(path + "/ledger")
        #expect(watch.descriptor < 0 && watch.interval > 0 && watch.problem != nil)
        try FileManager.default.removeItem(atPath: path)
        try folder.write("loop/ledger", Data("a".utf8))
        #expect(watch.drain() && watch.problem == nil)
        #expect(FileWatch(folder("nowhere/ledger")).problem == nil)
    }
}
