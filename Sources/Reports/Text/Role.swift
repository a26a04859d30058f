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
