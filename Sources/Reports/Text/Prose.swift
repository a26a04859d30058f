extension Glyphs {
    /// The lines of a sentence at a width, broken between words where that is possible.
    package func proseLines(_ text: String, width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = [], line = "", used = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            let word = displayText(String(word)), length = columns(word)
            if used > 0, used + 1 + length <= width {
                line += " " + word
                used += 1 + length
                continue
            }
            if used > 0 { lines.append(line) }
            var pieces = length <= width ? [word] : Array(wrapped(word, to: width))
            line = pieces.popLast() ?? ""
            lines += pieces
            used = columns(line)
        }
        return used > 0 || lines.isEmpty ? lines + [line] : lines
    }
}

extension Int {
    /// The number with its noun: `1 byte`, `2 bytes`, `3 entries`.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
