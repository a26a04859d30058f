/// A generator with a seed, so that a failure can be repeated: SplitMix64, the public-domain one by Sebastiano Vigna.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A text of scalars that are hard in one way or another, with any scalar at all among them.
    package mutating func text(maximum: Int) -> String {
        let hard: [Unicode.Scalar] = [
            "a", "z", " ", "1", "#", "作", "한", "é", "\u{301}", "\u{20E3}", "\u{FE0F}", "\u{FE0E}", "\u{200D}", "👨", "❤",
            "🏽", "🇪", "\u{1F3F4}", "\u{E0067}", "\u{E007F}", "\u{1B}", "\n", "\u{9B}", "\u{202E}", "\u{FEFF}", "─", "…",
            "‹",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...maximum, using: &self) {
            let any = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self))
            let scalar = Int.random(in: 0..<8, using: &self) == 0 ? any : hard.randomElement(using: &self)
            if let scalar { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
