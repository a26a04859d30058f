import Reports

/// What a terminal, or a script in its place, tells the program.
public enum TerminalEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(Key)
    /// A text was pasted.
    case paste(String)
    /// The screen has this size now. It also comes after the program was suspended, with or without a change.
    case resize(Size)
    /// Another thread asked for attention: there is something to take from its queue.
    case woken
    /// The terminal has gone away; nothing can be shown or read any more.
    case closed
}
