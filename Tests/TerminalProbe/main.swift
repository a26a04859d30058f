// A small program on the terminal, for the tests: it shows a frame and the events that it receives.
// `q` quits, `!` traps, `e` writes to standard error, `w` is woken from another thread.
import Foundation
import Inspector
import Reports
import Terminal

func frame(_ size: Size, _ log: [String]) -> Frame {
    var frame = Frame(size)
    frame.box(frame.bounds, title: "terminal-probe \(size)", role: .borderFocused)
    frame.draw("added", at: 2, 1, role: .added)
    frame.draw("selected", at: 9, 1, role: .key)
    frame.select(Rect(x: 9, y: 1, width: 8, height: 1))
    frame.draw("wide: 作作 x\u{301} |", at: 2, 2)
    frame.draw("13 is: |", at: 2, 3)
    frame.draw("hostile: \u{1B}[31m\n\u{202E}\u{9B}31m", at: 2, 4)
    for (row, line) in log.suffix(max(0, size.height - 7)).enumerated() {
        frame.draw(line, at: 2, 5 + row, width: max(0, size.width - 4))
    }
    frame.draw("q quits", at: 2, size.height - 1, role: .footer)
    if log.last == "cursor" { frame.cursor = Position(x: 3, y: 2) }
    return frame
}

func run() throws(TerminalError) {
    var terminal = try CursesTerminal()
    var log: [String] = []
    while true {
        terminal.present(frame(terminal.size, log))
        let event = terminal.nextEvent()
        switch event {
        case .key(.character("q")), .closed: return
        case .key(.character("!")):
            let none: [Int] = []
            print(none[log.count])
        case .key(.character("e")):
            FileHandle.standardError.write(Data("to standard error\n".utf8))
            log.append("wrote")
        case .key(.character("w")):
            let wakeup = terminal.wakeup
            Thread.detachNewThread { wakeup.wake() }
        case .key(.character("x")): exit(3)
        case .key(.character("c")): log.append("cursor")
        case .key(let key): log.append("key \(key.notation)")
        case .key(.character("m")): terminal.takeMouse(true)
        case .mouse(let action, let position): log.append("\(action.rawValue) \(position.x) \(position.y)")
        case .paste(let text): log.append("paste \(text)")
        case .resize(let size): log.append("resize \(size)")
        case .woken: log.append("woken")
        case .touched: break
        }
    }
}

do {
    try run()
    print("ended")
} catch {
    FileHandle.standardError.write(Data("terminal-probe: \(error)\n".utf8))
    exit(75)
}
