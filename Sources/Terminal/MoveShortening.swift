/// Has the cursor go where curses wants it in fewer bytes.
///
/// Curses addresses most rows and columns by their numbers; a row below the last one is a line feed away, and within a row the
/// column alone says it. Of what a terminal repeats, only what every terminal of its name does is used: REP (ECMA-48, 8.3.103) is
/// named for xterm, and many that call themselves so have it not, as curses itself does not use it for Unicode.
enum MoveShortening {
    /// What a terminal's description says that it does.
    struct Abilities: Hashable {
        /// Whether a line feed goes down in the same column, and a column has a sequence of its own.
        let goesDownAndAcross: Bool
        /// How many rows there are.
        let height: Int
    }

    /// The same picture in no more bytes.
    static func shortened(_ bytes: [UInt8], _ abilities: Abilities) -> [UInt8] {
        guard abilities.goesDownAndAcross else { return bytes }
        var cursor = Cursor(), output: [UInt8] = [], rest = bytes[...]
        output.reserveCapacity(bytes.count)
        while !rest.isEmpty {
            let text = rest.prefix { !TerminalSequence.mayBegin(with: $0) }
            if !text.isEmpty {
                cursor.isAtStart = false
                output += text
                rest = rest[text.endIndex...]
                continue
            }
            let sequence = TerminalSequence(rest), part = rest.prefix(sequence?.length ?? 1)
            output += cursor.follow(sequence, part, abilities)
            rest = rest[part.endIndex...]
        }
        return output
    }

    /// What is known of where the cursor is.
    private struct Cursor {
        private static let mostFeeds = 3

        /// From 1 on; `nil` where it is not known.
        private var row: Int?
        /// Whether it is in the first column.
        var isAtStart = false
        /// Whether a line feed in the last row of some may scroll them.
        private var isConfined = false

        /// The bytes that do the same.
        mutating func follow(
            _ sequence: TerminalSequence?, _ part: ArraySlice<UInt8>, _ abilities: Abilities
        ) -> [UInt8] {
            let bytes = Array(part)
            guard let sequence else {
                (row, isAtStart) = (nil, false)
                return bytes
            }
            switch (sequence.final, sequence.numbers) {
            case (UInt8(ascii: "\r"), _): isAtStart = true
            case (UInt8(ascii: "H"), let numbers?) where numbers.count <= 2:
                let target = (row: max(1, numbers.first ?? 1), column: max(1, numbers.dropFirst().first ?? 1))
                defer { (row, isAtStart) = (target.row, target.column == 1) }
                let across = target.column == 1 ? [UInt8(ascii: "\r")] : Array("\u{1B}[\(target.column)G".utf8)
                return [down(to: target.row).map { $0 + across }, bytes].compactMap(\.self).min { $0.count < $1.count }
                    ?? bytes
            case (UInt8(ascii: "d"), let numbers?) where numbers.count <= 1:
                let target = max(1, numbers.first ?? 1)
                defer { row = target }
                // A character in the last column may have left the cursor beyond it.
                return isAtStart ? down(to: target) ?? bytes : bytes
            case (UInt8(ascii: "G"), let numbers?): isAtStart = numbers == [1]
            case (UInt8(ascii: "C"), _), (UInt8(ascii: "D"), _): isAtStart = false
            // Looks, and what erases, moves nothing; what scrolls neither.
            case (UInt8(ascii: "m"), _), (UInt8(ascii: "K"), _), (UInt8(ascii: "X"), _), (UInt8(ascii: "S"), _),
                (UInt8(ascii: "T"), _), (UInt8(ascii: "("), _), (UInt8(ascii: "P"), _), (UInt8(ascii: "@"), _):
                break
            case (UInt8(ascii: "r"), let numbers):
                isConfined = numbers != [1, abilities.height]
                (row, isAtStart) = (nil, false)
            default: (row, isAtStart) = (nil, false)
            }
            return bytes
        }

        /// Some line feeds to a row below, or none to the same one.
        private func down(to target: Int) -> [UInt8]? {
            guard !isConfined, let row, (0...Self.mostFeeds).contains(target - row) else { return nil }
            return Array(repeating: UInt8(ascii: "\n"), count: target - row)
        }
    }
}
