import CNcurses
import CTerminal
import Files
import Foundation
import Inspector
import Reports
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The terminal that the program was started on, from taking it over until this value's end.
///
/// The terminal is given back when the value is gone, and also on a trap, a fault, a fatal signal or `exit`. There is one
/// screen in a process, and one thread uses it: only `wakeup` may be shared. Keys are read from the terminal itself, so
/// that standard input can be data; what is written to standard error meanwhile appears after the screen has closed.
package struct CursesTerminal: ~Copyable {
    /// Interrupts `nextEvent` from another thread.
    package let wakeup: Wakeup

    /// Whether the terminal may have a clipboard; that it has none is known of consoles alone.
    package var takesCopies: Bool { knowsModes }

    /// Whether the terminal has a window system around it, and passes over the modes that it does not know.
    private let knowsModes: Bool

    private let device: Device
    private let screen: OpaquePointer
    private let window: UnsafeMutablePointer<WINDOW>
    private var palette: Palette
    /// What tells that the ledger was written.
    private var ledger: FileWatch?
    /// What the mouse has done that was not asked for yet.
    private var pointed: [TerminalEvent] = []

    /// Takes over the terminal: full screen, keys one by one.
    ///
    /// - Parameter looks: How roles are to look that a person has set.
    package init(looks: [Role: Theme.Look] = [:]) throws(TerminalError) {
        try self.init(
            device: "/dev/tty", type: getenv("TERM").map { String(cString: $0) },
            // no-color.org: set and not empty.
            wantsColours: getenv("NO_COLOR").map { $0.pointee == 0 } ?? true, looks: looks)
    }

    /// Takes over a terminal device as one of a type.
    init(
        device path: String, type: String?, wantsColours: Bool = true, looks: [Role: Theme.Look] = [:]
    ) throws(TerminalError) {
        let parts = try Self.open(device: path, type: type)
        (wakeup, device, screen, window) = (parts.wakeup, parts.device, parts.screen, parts.window)
        palette = Palette(wantsColours: wantsColours, looks)
        knowsModes = !Self.consoles.contains { type?.hasPrefix($0) ?? false }
    }

    /// How the types of terminals begin that have no window system around them.
    private static let consoles = ["linux", "vt1", "vt2", "vt3", "vt4", "vt5", "ansi", "cons25", "sun", "wsvt"]

    deinit {
        device.bracketsPastes(false)
        endwin()
        delscreen(screen)
        ct_disarm()
    }

    /// The size of the screen as of the last event.
    package var size: Size {
        Size(width: Int(getmaxx(window)), height: Int(getmaxy(window)))
    }

    /// Shows a frame.
    ///
    /// Only what differs from what is shown is sent to the terminal, at once, and where the terminal can it shows nothing of it
    /// before it has all.
    package mutating func present(_ frame: Frame) {
        werase(window)
        let size = size
        for y in 0..<min(size.height, frame.size.height) {
            var looks = Looks()
            for x in 0..<min(size.width, frame.size.width) {
                guard let cell = frame[x, y], cell.columns > 0, x + Int(cell.columns) <= size.width else { continue }
                let look = palette.look(of: cell.style)
                guard cell.text == " ", !look.isSeenOnBlanks else {
                    for blank in looks.end(with: look, at: x) { put(" ", looks.ofBlanks, blank, y) }
                    put(cell.text, look, x, y)
                    continue
                }
                // The window is blank and plain by itself.
                looks.blanks += 1
            }
        }
        let cursor = frame.cursor.flatMap { cursor in
            (0..<size.width).contains(cursor.x) && (0..<size.height).contains(cursor.y) ? cursor : nil
        }
        wmove(window, Int32(cursor?.y ?? 0), Int32(cursor?.x ?? 0))
        wnoutrefresh(window)
        let abilities = MoveShortening.Abilities(
            goesDownAndAcross: cn_goes_down_and_across(), height: size.height)
        device.sendTogether(asOnePicture: knowsModes, abilities) {
            curs_set(cursor == nil ? 0 : 1)
            doupdate()
        }
    }

    /// Has the next frame sent whole, whatever the terminal should show already.
    package func repaint() { cn_fit(device.outputDescriptor) }

    /// Hands a text to the terminal for its clipboard, by what is called OSC 52; nothing says whether it takes it.
    package func copy(_ text: String) { device.write("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}") }

    /// Has `nextEvent` tell that a file was written; of one that is watched already nothing begins anew.
    ///
    /// - Returns: Why nothing is told of a file that was not watched before; `nil` where it will be.
    package mutating func watch(_ path: String?) -> String? {
        guard ledger?.path != path else { return nil }
        ledger = path.map { FileWatch($0) }
        return ledger?.problem
    }

    /// Has the terminal tell what the mouse does, or keep it for its own selection.
    package func takeMouse(_ takes: Bool) { cn_take_mouse(takes) }

    /// Waits for a key, the mouse, a new size, a wake-up, or a write to the file that is watched.
    ///
    /// Ctrl-Z, and a signal to stop, suspend the program here; once it goes on, there is a `resize` event.
    package mutating func nextEvent() -> TerminalEvent {
        while true {
            if let event = readEvent() { return event }
            var descriptors = [
                pollfd(fd: device.inputDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.readEnd, events: Int16(POLLIN), revents: 0),
                // A descriptor below zero is passed over.
                pollfd(fd: ledger?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            // A signal that interrupts this is one that curses handles: it is looked at on the way round.
            let count = poll(&descriptors, nfds_t(descriptors.count), ledger?.interval ?? -1)
            guard count > 0 else {
                if count == 0, ledger?.drain() == true { return .touched }
                continue
            }
            if descriptors[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return .closed }
            if descriptors[1].revents != 0 {
                let reasons = wakeup.drain()
                if reasons.contains(.end) { return .closed }
                if reasons.contains(.stop) {
                    suspend()
                    return .resize(size)
                }
                if reasons.contains(.goOn) {
                    restore()
                    return .resize(size)
                }
                if reasons.contains(.wakeUp) { return .woken }
            }
            if descriptors[2].revents != 0, ledger?.drain() == true { return .touched }
        }
    }
}

extension CursesTerminal {
    /// How long the rest of a character may take once its first byte is there, in milliseconds.
    private static let characterDelay: Int32 = 50

    /// What curses has now, without waiting.
    private mutating func readEvent() -> TerminalEvent? {
        if !pointed.isEmpty { return pointed.removeFirst() }
        while true {
            var descriptor = pollfd(fd: device.inputDescriptor, events: Int16(POLLIN), revents: 0)
            let isReadable = poll(&descriptor, 1, 0) > 0 && descriptor.revents == Int16(POLLIN)
            wtimeout(window, isReadable ? Self.characterDelay : 0)
            var code: UInt32 = 0
            switch cn_get(window, &code) {
            case KEY_CODE_YES where Int32(truncatingIfNeeded: code) == KEY_RESIZE:
                cn_fit(device.outputDescriptor)
                return .resize(size)
            case KEY_CODE_YES where Int32(truncatingIfNeeded: code) == Self.pasteBegins: return .paste(readPaste())
            case KEY_CODE_YES where Int32(truncatingIfNeeded: code) == KEY_MOUSE:
                readMouse()
                if !pointed.isEmpty { return pointed.removeFirst() }
            case KEY_CODE_YES:
                if let key = Key(curses: Int32(truncatingIfNeeded: code)) { return .key(key) }
            case OK:
                guard let scalar = Unicode.Scalar(code) else { continue }
                let key = Key(scalar: scalar)
                if key == .escape, passesOverSequence() { continue }
                guard key == .control("z") else { return .key(key) }
                suspend()
                return .resize(size)
            default:
                return nil
            }
        }
    }

    /// Whether the rest of a key's sequence that nobody knows stood behind Escape: as keys of their own its characters would do
    /// something that nobody asked for.
    private func passesOverSequence() -> Bool {
        wtimeout(window, 0)
        var code: UInt32 = 0, result = cn_get(window, &code), count = 0
        func putBack() {
            if result == KEY_CODE_YES { ungetch(Int32(truncatingIfNeeded: code)) }
            if result == OK { unget_wch(wchar_t(truncatingIfNeeded: code)) }
        }
        guard result == OK, code == UInt32(UInt8(ascii: "[")) else {
            putBack()
            return false
        }
        // Numbers and signs, then a letter or a sign that ends it (ECMA-48, 5.4).
        repeat {
            (result, count) = (cn_get(window, &code), count + 1)
        } while result == OK && (0x20...0x3F).contains(code)
        if result == OK, (0x40...0x7E).contains(code) { return true }
        putBack()
        guard count == 1 else { return true }
        unget_wch(wchar_t(UInt8(ascii: "[")))
        return false
    }

    /// Takes what the mouse did: several things, in no order that curses would tell, where it has read them at once.
    private mutating func readMouse() {
        var x: Int32 = 0, y: Int32 = 0
        while let action = MouseAction(curses: cn_mouse(&x, &y)) {
            pointed.append(.mouse(action, Position(x: Int(x), y: Int(y))))
        }
    }

    /// What the terminal sends before and after a text that is pasted, as codes of keys.
    private static let pasteBegins: Int32 = 0o1776, pasteEnds: Int32 = 0o1777
    /// How much of a pasted text is taken, in scalars; a line that is typed takes less.
    private static let pasteLimit = 1 << 16
    /// How long a pasted text may pause, in milliseconds; one that never ends is taken as far as it came.
    private static let pasteDelay: Int32 = 1000

    /// The text up to the end of what is pasted.
    private func readPaste() -> String {
        // How many there are they are not asked: each time they would be counted anew.
        var scalars = String.UnicodeScalarView(), count = 0
        wtimeout(window, Self.pasteDelay)
        while true {
            var code: UInt32 = 0
            switch cn_get(window, &code) {
            case KEY_CODE_YES where Int32(truncatingIfNeeded: code) == Self.pasteEnds: return String(scalars)
            case OK:
                if count < Self.pasteLimit, let scalar = Unicode.Scalar(code) {
                    scalars.append(scalar)
                    count += 1
                }
            case KEY_CODE_YES: break
            default: return String(scalars)
            }
        }
    }

    /// Stops the program as Ctrl-Z does elsewhere, or as another program asks for by a signal, with the terminal given back, until the shell has it go on.
    private func suspend() {
        device.bracketsPastes(false)
        endwin()
        ct_stop()
        // That it goes on is told here, and no other byte is of use: whoever waits for events asks for all of them next.
        _ = wakeup.drain()
        resume()
    }

    /// Takes the terminal over anew, after the program was stopped in a way that no program can prevent.
    private func restore() {
        endwin()
        resume()
    }

    private func resume() {
        device.bracketsPastes(true)
        // The size first: what is painted for another one would wrap.
        cn_fit(device.outputDescriptor)
        doupdate()
    }

    private typealias Parts = (
        wakeup: Wakeup, device: Device, screen: OpaquePointer, window: UnsafeMutablePointer<WINDOW>
    )

    private static func open(device path: String, type: String?) throws(TerminalError) -> Parts {
        guard let type, !type.isEmpty else { throw .noTerminalType }
        useUTF8()
        let wakeup = try Wakeup()
        let device = try Device(path: path)
        // Armed before curses: it then leaves SIGTERM and SIGINT alone, and these settings are the shell's.
        let failure = ct_arm(device.descriptor)
        guard failure == 0 else {
            throw failure == EBUSY ? .alreadyOpen : .noTerminal(device: path, reason: Errno(rawValue: failure).words)
        }
        // The window's own size, also where LINES and COLUMNS say otherwise: those do not follow it.
        use_env(false)
        use_tioctl(true)
        guard let screen = newterm(type, device.output, device.input) else {
            ct_disarm()
            throw .unknownTerminalType(type)
        }
        guard cn_can_position(), let window = cn_stdscr() else {
            endwin()
            delscreen(screen)
            ct_disarm()
            throw .cannotPosition(type)
        }
        prepare(window)
        define_key("\u{1B}[200~", pasteBegins)
        define_key("\u{1B}[201~", pasteEnds)
        for (sequence, key) in commonKeys {
            // Codes above those of curses are of keys that it has no names for.
            let known = key_defined(sequence)
            if known == 0 || known > KEY_MAX { define_key(sequence, key) }
        }
        device.bracketsPastes(true)
        ct_watch_signals(wakeup.writeEnd)
        // Without it messages may disturb the picture, which is no reason not to show one.
        _ = ct_capture_errors()
        return (wakeup, device, screen, window)
    }

    /// What nearly every terminal sends for keys, also where it is called by the name of one that has no such keys.
    private static let commonKeys: [(sequence: String, key: Int32)] =
        ["[", "O"].flatMap { start in
            [("A", KEY_UP), ("B", KEY_DOWN), ("C", KEY_RIGHT), ("D", KEY_LEFT), ("H", KEY_HOME), ("F", KEY_END)]
                .map { ("\u{1B}\(start)\($0)", $1) }
        }
        + [
            ("1~", KEY_HOME), ("2~", KEY_IC), ("3~", KEY_DC), ("4~", KEY_END), ("5~", KEY_PPAGE), ("6~", KEY_NPAGE),
            ("Z", KEY_BTAB),
        ].map { ("\u{1B}[\($0)", $1) }

    private func put(_ text: String, _ look: Palette.Drawn, _ x: Int, _ y: Int) {
        let text = text.unicodeScalars.map { wchar_t($0.value) } + [0]
        _ = cn_put(window, Int32(y), Int32(x), text, look.attributes, look.pair)
    }

    /// How blanks that look like any other are sent with the fewest bytes: a few between words as what stands before them, so
    /// that no attribute is turned off and on again, and more plain, so that the terminal is sent none.
    private struct Looks {
        private static let few = 3

        /// How many blanks there were just now, and the look of what stands before them.
        var blanks = 0
        private(set) var ofBlanks = Palette.Drawn.plain
        private var last = Palette.Drawn.plain

        /// Takes in what stands behind the blanks; the columns of those that are to have a look.
        mutating func end(with look: Palette.Drawn, at x: Int) -> Range<Int> {
            defer { (blanks, last) = (0, look) }
            ofBlanks = last
            return blanks <= Self.few && !last.isSeenOnBlanks ? x - blanks..<x : x..<x
        }
    }

    /// By how much time Escape alone is told from a key that begins with it, in milliseconds; a second, the default of
    /// curses, is felt.
    static let escapeDelay: Int32 = 25

    private static func prepare(_ window: UnsafeMutablePointer<WINDOW>) {
        if getenv("ESCDELAY") == nil { set_escdelay(escapeDelay) }
        raw()
        noecho()
        nonl()
        keypad(window, true)
        // A screen is sent whole also where the next key is there already.
        typeahead(-1)
    }

    /// Has curses count columns and read keys in UTF-8, as everything here does, also where the environment says `C`.
    ///
    /// No other part of the locale is touched: numbers keep their decimal point.
    private static func useUTF8() {
        for name in ["", "C.UTF-8", "UTF-8", "en_US.UTF-8"] {
            guard setlocale(LC_CTYPE, name) != nil, let codes = nl_langinfo(nl_item(CODESET)) else { continue }
            if String(cString: codes).uppercased() == "UTF-8" { return }
        }
    }
}

/// An open terminal device, as the two streams that curses wants.
private final class Device {
    let input: UnsafeMutablePointer<FILE>
    let output: UnsafeMutablePointer<FILE>
    /// The terminal itself, whatever the output leads to while curses writes.
    let descriptor: Int32
    /// A file without a name in which what curses writes is kept until it is whole.
    private let aside: Int32?
    var inputDescriptor: Int32 { fileno(input) }
    var outputDescriptor: Int32 { fileno(output) }

    /// Has the terminal say where a pasted text begins and ends; one that knows no such mode ignores it.
    func bracketsPastes(_ does: Bool) { write("\u{1B}[?2004\(does ? "h" : "l")") }

    /// Sends what does not move the cursor and changes no cell, of which curses need not know.
    func write(_ sequence: String) { send(Array(sequence.utf8)) }

    /// Sends what curses writes meanwhile in one go: by itself it writes a picture in dozens of pieces.
    ///
    /// - Parameter isPicture: Whether the terminal is to show it once it has all (synchronized output, mode 2026).
    func sendTogether(asOnePicture isPicture: Bool, _ abilities: MoveShortening.Abilities, _ draw: () -> Void) {
        guard let aside, dup2(aside, outputDescriptor) >= 0 else { return draw() }
        draw()
        let isBack = dup2(descriptor, outputDescriptor) >= 0
        var bytes = [UInt8](repeating: 0, count: max(0, Int(lseek(aside, 0, SEEK_CUR))))
        let count = bytes.withUnsafeMutableBytes { pread(aside, $0.baseAddress, $0.count, 0) }
        lseek(aside, 0, SEEK_SET)
        guard isBack, count > 0 else { return }
        bytes.removeLast(bytes.count - count)
        let (begin, end) = isPicture ? ("\u{1B}[?2026h", "\u{1B}[?2026l") : ("", "")
        let folded = MoveShortening.shortened(LookFolding.folded(bytes), abilities)
        send(Array(begin.utf8) + folded + Array(end.utf8))
    }

    /// A terminal that is gone is told by the next event.
    private func send(_ bytes: [UInt8]) { _ = try? FileDescriptor(rawValue: descriptor).writeAll(bytes) }

    /// - Throws: ``TerminalError/noTerminal(device:reason:)``.
    init(path: String) throws(TerminalError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0, let input = fopen(path, "r") else {
            let reason = Errno.last.words
            if descriptor >= 0 { close(descriptor) }
            throw .noTerminal(device: path, reason: reason)
        }
        guard let output = fopen(path, "w") else {
            let reason = Errno.last.words
            fclose(input)
            close(descriptor)
            throw .noTerminal(device: path, reason: reason)
        }
        (self.descriptor, self.input, self.output) = (descriptor, input, output)
        // Without it a picture goes in pieces, which is no reason not to show one.
        let file = ct_memory_file()
        aside = file < 0 ? nil : file
    }

    deinit {
        fclose(input)
        fclose(output)
        close(descriptor)
        if let aside { close(aside) }
    }
}

/// Why a terminal cannot be used.
package enum TerminalError: Error, Hashable, Sendable {
    /// There is no terminal: the program runs without one, or its input and output are elsewhere.
    case noTerminal(device: String, reason: String)
    /// TERM is not set.
    case noTerminalType
    /// The system has no description of what TERM names.
    case unknownTerminalType(String)
    /// The terminal that TERM names can only print line after line.
    case cannotPosition(String)
    /// The process has a screen already.
    case alreadyOpen
    /// The system refused something that every system grants.
    case system(reason: String)
}

extension TerminalError: CustomStringConvertible {
    /// What is wrong and what can be done, in one sentence without a full stop.
    package var description: String {
        switch self {
        case .noTerminal(let device, let reason):
            "there is no terminal to show the inspector on (\(device): \(reason)); the other subcommands need none"
        case .noTerminalType:
            "the terminal's type is not known: TERM is not set; try TERM=xterm-256color"
        case .unknownTerminalType(let name):
            "the terminal type TERM=\(name) is not known to this system; try TERM=xterm-256color"
        case .cannotPosition(let name):
            "a terminal of type TERM=\(name) cannot show a screen, only lines; the other subcommands need none"
        case .alreadyOpen: "the screen is open already"
        case .system(let reason): "the screen cannot be opened: \(reason)"
        }
    }
}
