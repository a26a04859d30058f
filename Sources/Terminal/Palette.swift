import CNcurses
import Inspector
import Reports

/// The theme's looks as curses attributes and colour pairs.
///
/// Without colours, because the terminal has none or `NO_COLOR` is set (no-color.org), attributes alone tell roles apart.
struct Palette {
    private let hasColours: Bool
    /// Whether there are 256 of them.
    private let hasShades: Bool
    /// The looks that a person has set.
    private let set: [Role: Theme.Look]
    private var pairs: [Colours: Int16] = [:]
    private var looks: [Style: Drawn] = [:]

    /// A look as curses takes it.
    struct Drawn {
        let attributes: UInt32
        let pair: Int16
        /// Whether a blank looks so otherwise than plain.
        let isSeenOnBlanks: Bool

        static let plain = Drawn(attributes: 0, pair: 0, isSeenOnBlanks: false)
    }

    /// By their numbers; what is absent is the terminal's own.
    private struct Colours: Hashable {
        let foreground: Int16?, background: Int16?
    }

    /// Starts colours where they are wanted; call it once, after `newterm`.
    init(wantsColours: Bool, _ set: [Role: Theme.Look] = [:]) {
        self.set = set
        hasColours =
            wantsColours && has_colors() && start_color() == OK && cn_colors() >= 8 && use_default_colors() == OK
        hasShades = hasColours && cn_colors() >= 256
    }

    /// The attributes and the colour pair of a style.
    mutating func look(of style: Style) -> Drawn {
        if let known = looks[style] { return known }
        let wanted = Theme.look(of: style, set), look = hasColours ? wanted : wanted.monochrome
        var attributes = 0
        if look.isBold { attributes |= Int(CN_A_BOLD) }
        if look.isDim { attributes |= Int(CN_A_DIM) }
        if look.isUnderlined { attributes |= Int(CN_A_UNDERLINE) }
        if look.isReversed { attributes |= Int(CN_A_REVERSE) }
        let result = Drawn(
            attributes: UInt32(truncatingIfNeeded: attributes),
            pair: pair(
                of: Colours(
                    foreground: hasShades
                        ? look.shades.foreground ?? look.foreground?.rawValue : look.foreground?.rawValue,
                    background: hasShades
                        ? look.shades.background ?? look.background?.rawValue : look.background?.rawValue)
            ),
            isSeenOnBlanks: look.isReversed || look.isUnderlined || look.background != nil)
        looks[style] = result
        return result
    }

    private mutating func pair(of colours: Colours) -> Int16 {
        guard colours != Colours(foreground: nil, background: nil) else { return 0 }
        if let known = pairs[colours] { return known }
        let number = Int16(clamping: pairs.count + 1)
        guard init_pair(number, colours.foreground ?? -1, colours.background ?? -1) == OK else {
            return 0
        }
        pairs[colours] = number
        return number
    }
}
