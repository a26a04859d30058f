import Reports

/// A key press.
public enum Key: Hashable, Sendable {
    /// A key that types a character, the space bar too.
    case character(Character)
    /// Ctrl with a lower-case letter or one of `@ \ ] ^ _`. Terminals cannot tell some of these from other keys:
    /// Ctrl-I, J, M, H and [ are `tab`, `enter`, `enter`, `backspace` and `escape`.
    case control(Character)
    /// A function key, 1 to 12.
    case function(Int)
    case enter, escape, tab, backTab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
}

extension Key {
    /// The key that sends a scalar, control characters included.
    public init(scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x08, 0x7F: self = .backspace
        case 0x09: self = .tab
        case 0x0A, 0x0D: self = .enter
        case 0x1B: self = .escape
        case 0x01...0x1A: self = .control(Self.letter(scalar.value + 0x60))
        case 0x00, 0x1C...0x1F: self = .control(Self.letter(scalar.value + 0x40))
        default: self = .character(Character(scalar))
        }
    }

    private static func letter(_ value: UInt32) -> Character {
        Unicode.Scalar(value).map { Character($0) } ?? " "
    }
}
