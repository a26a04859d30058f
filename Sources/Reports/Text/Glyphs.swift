/// Which characters may reach a screen or an output: all that are displayable, or printable ASCII alone.
///
/// Text from a dump is hostile: it passes through the methods of this type before it is shown, measured or cut, on every
/// screen and in all headless output. Measuring and cutting act on the displayed form, so any text may be given to them;
/// displaying text twice changes nothing.
package enum Glyphs: String, Hashable, Sendable, CaseIterable {
    /// Everything that Unicode calls visible, as it is; the rest in visible forms such as `␛` and `‹202E›`.
    case unicode
    /// Printable ASCII as it is, typographic marks as what looks alike (`"`, `...`), the rest in visible forms such as
    /// `^[`, `\n` and `<00E9>`.
    case ascii
}

extension Glyphs {
    /// What marks text that was cut: `…`, or `...` in ASCII.
    package var ellipsis: String { choose("…", ascii: "...") }

    /// One of two spellings of the program's own text; neither passes through the display forms here.
    package func choose(_ unicode: String, ascii: String) -> String {
        self == .unicode ? unicode : ascii
    }
}

extension Glyphs {
    /// A text in a form that is safe to show: one line, no control, nothing invisible, nothing that reorders.
    package func displayText(_ text: String) -> String {
        if Self.isPlain(text) { return text }
        var result = ""
        for piece in DisplayPieces(text, glyphs: self) { result += piece.text }
        return result
    }

    /// The beginning of a displayed text that fits a number of columns, without a mark of what was cut.
    ///
    /// Reads no more of the text than it returns.
    package func displayText(_ text: String, prefixColumns limit: Int) -> String {
        if Self.isPlain(text, upTo: limit) { return String(text.unicodeScalars.prefix(max(0, limit))) }
        var result = "", used = 0
        for piece in DisplayPieces(text, glyphs: self) {
            guard piece.columns <= limit - used else { break }
            result += piece.text
            used += piece.columns
        }
        return result
    }

    /// The columns that a displayed text takes on a terminal: the sum of libc's `wcwidth`, which is what curses believes.
    ///
    /// With a limit, counting stops at the first count above it; the result then only says that the text does not fit.
    package func columns(_ text: String, limit: Int = .max) -> Int {
        if Self.isPlain(text, upTo: limit) { return limit < text.utf8.count ? limit + 1 : text.utf8.count }
        var used = 0
        for piece in DisplayPieces(text, glyphs: self) {
            used += piece.columns
            if used > limit { break }
        }
        return used
    }

    /// A displayed text of at most a number of columns, ending in the ellipsis where it was cut.
    ///
    /// Reads no more of the text than is needed to fill the columns. A negative width counts as zero.
    package func truncated(_ text: String, to width: Int) -> String {
        guard width > 0 else { return "" }
        let mark = String(ellipsis.prefix(width))
        if Self.isPlain(text, upTo: width) {
            return text.utf8.count <= width ? text : String(text.unicodeScalars.prefix(width - mark.count)) + mark
        }
        var result = "", used = 0, kept = 0
        for piece in DisplayPieces(text, glyphs: self) {
            guard piece.columns <= width - used else { return String(result.unicodeScalars.prefix(kept)) + mark }
            result += piece.text
            used += piece.columns
            if used <= width - mark.count { kept += piece.text.unicodeScalars.count }
        }
        return result
    }

    /// A displayed text of exactly a number of columns: cut where it is longer, with blanks where it is shorter.
    package func padded(_ text: String, to width: Int, _ alignment: Alignment = .leading) -> String {
        let text = truncated(text, to: width)
        let missing = max(0, width - columns(text))
        switch alignment {
        case .leading: return text + String(repeating: " ", count: missing)
        case .trailing: return String(repeating: " ", count: missing) + text
        }
    }

    /// The lines of a displayed text at a width, one after the other on demand; at least one, which may be empty.
    ///
    /// Lines break at columns, not at words. A control, a newline too, is shown and breaks nothing. A width below one
    /// counts as one.
    package func wrapped(_ text: String, to width: Int) -> WrappedLines {
        WrappedLines(text, width: max(1, width), glyphs: self)
    }

    /// Whether a text is printable ASCII alone, of which each byte is a column, as far as the first byte behind so many columns.
    private static func isPlain(_ text: String, upTo columns: Int = .max) -> Bool {
        let count = columns < .max ? max(0, columns) + 1 : .max
        return text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.prefix(count).allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        } ?? text.utf8.prefix(count).allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}

/// The side of a field at which a text stands.
package enum Alignment: Hashable, Sendable {
    /// At the start: names and text.
    case leading
    /// At the end: numbers.
    case trailing
}
