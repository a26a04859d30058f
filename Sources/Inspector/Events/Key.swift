import Reports

/// A key press.
package enum Key: Hashable, Sendable {
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
    package init(scalar: Unicode.Scalar) {
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

extension Key {
    /// Reads a key as scripts and help write it: `j`, `<Enter>`, `<S-Tab>`, `<C-d>`, `<F1>`; `nil` where it is none.
    ///
    /// Names may have any case. `<LT>` is `<`, `<Space>` the space bar, `<U+202E>` a character that cannot be shown.
    package init?(notation: String) {
        guard notation.hasPrefix("<"), notation.count > 1 else {
            guard notation.count == 1, let character = notation.first, notation.isShowable else { return nil }
            self = .character(character)
            return
        }
        guard notation.hasSuffix(">") else { return nil }
        let name = notation.dropFirst().dropLast().lowercased()
        if let key = Self.named[name] {
            self = key
        } else if name.hasPrefix("f"), let number = Int(name.dropFirst()), (1...12).contains(number) {
            self = .function(number)
        } else if name.hasPrefix("c-"), let key = Self.control(named: name.dropFirst(2)) {
            self = key
        } else if name.hasPrefix("u+"), let value = UInt32(name.dropFirst(2), radix: 16),
            let scalar = Unicode.Scalar(value)
        {
            self.init(scalar: scalar)
        } else {
            return nil
        }
    }

    /// The key as scripts and help write it.
    package var notation: String {
        switch self {
        case .character(let character):
            let text = String(character)
            if let name = Self.names[self] { return "<\(name)>" }
            if text.isShowable { return text }
            return text.unicodeScalars.map { "<U+\(String($0.value, radix: 16, uppercase: true))>" }.joined()
        case .control(let letter): return "<C-\(letter)>"
        case .function(let number): return "<F\(number)>"
        default: return "<\(Self.names[self] ?? "?")>"
        }
    }

    /// The key as sentences name it: `Enter`, `Ctrl-R`.
    package var words: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character).isShowable ? String(character) : notation
        case .control(let letter): "Ctrl-\(letter.uppercased())"
        case .function(let number): "F\(number)"
        default: Self.names[self] ?? "?"
        }
    }

    /// The name that is written first, then others that are read too.
    private static let spellings: [(Key, [String])] = [
        (.enter, ["Enter", "Return", "CR"]), (.escape, ["Esc", "Escape"]), (.tab, ["Tab"]),
        (.backTab, ["S-Tab", "BackTab"]), (.backspace, ["Backspace", "BS"]), (.delete, ["Delete", "Del"]),
        (.insert, ["Insert", "Ins"]), (.up, ["Up"]), (.down, ["Down"]), (.left, ["Left"]), (.right, ["Right"]),
        (.home, ["Home"]), (.end, ["End"]), (.pageUp, ["PageUp", "PgUp"]), (.pageDown, ["PageDown", "PgDn"]),
        (.character(" "), ["Space"]), (.character("<"), ["LT"]),
    ]

    private static let named = Dictionary(
        uniqueKeysWithValues: spellings.flatMap { key, names in names.map { ($0.lowercased(), key) } })

    private static let names = Dictionary(uniqueKeysWithValues: spellings.map { ($0, $1.first ?? "") })

    /// The key that Ctrl with a character sends: some are other keys under another name.
    private static func control(named name: Substring) -> Key? {
        guard let value = name.utf8.first, name.utf8.count == 1 else { return nil }
        switch value {
        case 0x61...0x7A: return Key(scalar: Unicode.Scalar(value - 0x60))
        case 0x40, 0x5B...0x5F: return Key(scalar: Unicode.Scalar(value - 0x40))
        default: return nil
        }
    }
}

extension String {
    /// Whether the text is shown as it is.
    fileprivate var isShowable: Bool { Glyphs.unicode.displayText(self) == self }
}

/// What a terminal, or a script in its place, tells the program.
package enum TerminalEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(Key)
    /// A text was pasted.
    case paste(String)
    /// The mouse did something at a cell.
    case mouse(MouseAction, Position)
    /// The screen has this size now. It also comes after the program was suspended, with or without a change.
    case resize(Size)
    /// Another thread asked for attention: there is something to take from its queue.
    case woken
    /// The ledger of the app in view was written, by this program or another.
    case touched
    /// The terminal has gone away; nothing can be shown or read any more.
    case closed
}

/// What the mouse can do.
package enum MouseAction: String, Hashable, Sendable, CaseIterable {
    /// The first button went down.
    case press = "click"
    /// The first button was let go of.
    case release
    case wheelUp = "wheel-up"
    case wheelDown = "wheel-down"
}
