import Reports

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
