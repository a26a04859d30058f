/// What a piece of a screen is for; the theme says how that looks.
public enum Role: String, Hashable, Sendable, CaseIterable {
    /// Ordinary text.
    case text
    /// What matters less: counts, hints, unchanged values, a reason why something is off.
    case dim
    /// The name of the program and of what is open, at the top of the screen or of a box.
    case title
    /// A heading within a pane.
    case heading
    /// The name of an entry.
    case key
    /// A change that adds, removes, or replaces.
    case added, removed, changed
    /// What has been done, what deserves attention, what is wrong.
    case done, warning, problem
    /// What a search found.
    case match
    /// A secret that is not shown.
    case masked
    /// A short word on a coloured ground.
    case badge
    /// Lines around panes, and around the pane that has the keys.
    case border
    case borderFocused = "border-focused"
    /// The last row, and the keys in it.
    case footer
    case footerKey = "footer-key"
    /// Where the person types.
    case prompt
}

/// Whether a piece of a screen is selected.
public enum Selection: String, Hashable, Sendable, CaseIterable {
    case none
    /// Selected, in the pane that has the keys.
    case selected
    /// Selected, in another pane.
    case inactive = "selected-inactive"
}

/// How a cell is to look: its role, and whether it is selected.
public struct Style: Hashable, Sendable {
    /// What it is for.
    public var role: Role
    /// Whether it is selected.
    public var selection: Selection

    /// Makes a style.
    public init(_ role: Role = .text, selection: Selection = .none) {
        self.role = role
        self.selection = selection
    }

    /// Whether a name, as `expect-style` writes it, is that of the role or of the selection.
    public func isNamed(_ name: String) -> Bool {
        role.rawValue == name || (selection != .none && selection.rawValue == name)
    }

    /// Whether any style has the name.
    public static func isName(_ name: String) -> Bool {
        Role(rawValue: name) != nil || (Selection(rawValue: name).map { $0 != .none } ?? false)
    }
}

extension Style: CustomStringConvertible {
    /// The names of the style, such as `key` or `selected key`.
    public var description: String {
        selection == .none ? role.rawValue : "\(selection.rawValue) \(role.rawValue)"
    }
}
