import Reports

/// How every role looks: the one table that the terminal and the pictures share.
///
/// Colours are the terminal's own, on its own background, so that light and dark both work; none carries a meaning that
/// a sign or a word beside it does not carry too. Where there are 256 each is a shade that is read on light and on dark ground (at
/// least 3 : 1), and those of changes are told apart by who does not see red or green, too.
package enum Theme {
    /// One of the terminal's eight basic colours.
    package enum Colour: Int16, Hashable, Sendable, CaseIterable {
        case black, red, green, yellow, blue, magenta, cyan, white
    }

    /// The appearance of a style; a colour that is absent is the terminal's own.
    package struct Look: Hashable, Sendable {
        /// The colours of the characters and of the ground under them.
        package var foreground: Colour?, background: Colour?
        /// The same where there are 256, by their numbers.
        package var shades = Shades()
        /// The attributes.
        package var isBold = false, isDim = false, isUnderlined = false, isReversed = false

        /// The look where there are no colours: a ground of its own becomes reverse video, and what is changed bold, so that the
        /// changed words of a line are seen.
        package var monochrome: Look {
            var look = self
            if let foreground, [.red, .green, .magenta].contains(foreground) { look.isBold = true }
            (look.foreground, look.background, look.shades) = (nil, nil, Shades())
            if background != nil { look.isReversed.toggle() }
            return look
        }
    }

    /// Colours of a terminal that has 256, by their numbers; one that is absent is that of the eight.
    package struct Shades: Hashable, Sendable {
        package var foreground: Int16?, background: Int16?
    }

    /// The look of a style, with the looks that a person has set for roles: selected is reverse video, in a pane without the keys dim.
    package static func look(of style: Style, _ set: [Role: Look] = [:]) -> Look {
        var look = set[style.role] ?? look(of: style.role)
        switch style.selection {
        case .none: break
        // One ground for the whole row: the colours of its parts would cut it to pieces.
        // A match is what is not reversed in it.
        case .selected:
            look = style.role == .match ? Look(isBold: true) : Look(isBold: look.isBold, isReversed: true)
        // An underline would hide those of identifiers.
        case .inactive where style.role != .match: look = Look(isBold: look.isBold, isDim: true, isReversed: true)
        case .inactive: break
        }
        return look
    }

    private static func look(of role: Role) -> Look {
        switch role {
        case .text: Look()
        case .dim: Look(isDim: true)
        case .title: Look(isBold: true)
        case .heading: Look(isBold: true)
        case .key: Look(foreground: .cyan, shades: Shades(foreground: 31))
        case .added: Look(foreground: .green, shades: Shades(foreground: 29))
        case .removed: Look(foreground: .red, shades: Shades(foreground: 166))
        case .changed: Look(foreground: .magenta, shades: Shades(foreground: 133))
        case .done: Look(foreground: .green, shades: Shades(foreground: 29), isBold: true)
        case .warning: Look(foreground: .yellow, shades: Shades(foreground: 136), isBold: true)
        case .problem: Look(foreground: .red, shades: Shades(foreground: 160), isBold: true)
        case .match: Look(foreground: .black, background: .yellow, shades: Shades(foreground: 16, background: 220))
        case .masked: Look(isDim: true)
        case .badge: Look(foreground: .black, background: .cyan, shades: Shades(foreground: 231, background: 25))
        case .border: Look(isDim: true)
        case .borderFocused: Look(foreground: .cyan, shades: Shades(foreground: 31), isBold: true)
        case .footer: Look(isDim: true)
        case .footerKey: Look(isBold: true)
        case .prompt: Look(isBold: true)
        }
    }
}

/// Whether a piece of a screen is selected.
package enum Selection: String, Hashable, Sendable, CaseIterable {
    case none
    /// Selected, in the pane that has the keys.
    case selected
    /// Selected, in another pane.
    case inactive = "selected-inactive"
}

/// How a cell is to look: its role, and whether it is selected.
package struct Style: Hashable, Sendable {
    /// What it is for.
    package var role: Role
    /// Whether it is selected.
    package var selection: Selection

    /// Makes a style.
    package init(_ role: Role = .text, selection: Selection = .none) {
        self.role = role
        self.selection = selection
    }

    /// Whether a name, as `expect-style` writes it, is that of the role or of the selection.
    package func isNamed(_ name: String) -> Bool {
        role.rawValue == name || (selection != .none && selection.rawValue == name)
    }

    /// Whether any style has the name.
    package static func isName(_ name: String) -> Bool {
        Role(rawValue: name) != nil || (Selection(rawValue: name).map { $0 != .none } ?? false)
    }
}

extension Style: CustomStringConvertible {
    /// The names of the style, such as `key` or `selected key`.
    package var description: String {
        selection == .none ? role.rawValue : "\(selection.rawValue) \(role.rawValue)"
    }
}
