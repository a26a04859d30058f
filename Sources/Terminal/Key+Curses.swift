import CNcurses
import Inspector

extension Key {
    /// The key that curses names with a code, or `nil` where the program has no use for it.
    init?(curses code: Int32) {
        switch code {
        case KEY_ENTER: self = .enter
        case KEY_BTAB: self = .backTab
        case KEY_BACKSPACE: self = .backspace
        case KEY_DC: self = .delete
        case KEY_IC: self = .insert
        case KEY_UP: self = .up
        case KEY_DOWN: self = .down
        case KEY_LEFT: self = .left
        case KEY_RIGHT: self = .right
        case KEY_HOME: self = .home
        case KEY_END: self = .end
        case KEY_PPAGE: self = .pageUp
        case KEY_NPAGE: self = .pageDown
        default:
            let number = Int(code) - Int(CN_KEY_F0)
            guard (1...12).contains(number) else { return nil }
            self = .function(number)
        }
    }
}
