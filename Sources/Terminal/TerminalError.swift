/// Why a terminal cannot be used.
public enum TerminalError: Error, Hashable, Sendable {
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
    public var description: String {
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
