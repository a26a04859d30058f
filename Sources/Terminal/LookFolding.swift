/// Takes out of what curses writes whatever the terminal would not show.
///
/// Curses turns every part of a look on and off by itself: the colour, then all attributes, then the character set, then the next
/// ones, also where no character stands between. Of such a row only what it comes to is sent, in one sequence, and nothing where
/// that is so already (ECMA-48, 8.3.117, "SGR"). What is no such sequence is sent as it is.
enum LookFolding {
    /// The same picture in fewer bytes, whatever look and character set the terminal has before it.
    static func folded(_ bytes: [UInt8]) -> [UInt8] {
        var folding = Writer(), rest = bytes[...]
        while !rest.isEmpty {
            let text = rest.prefix { !TerminalSequence.mayBegin(with: $0) }
            if !text.isEmpty {
                let blanks = text.prefix { $0 == UInt8(ascii: " ") }
                folding.leaveGround(blanks)
                if blanks.count < text.count { folding.write(text[blanks.endIndex...]) }
                rest = rest[text.endIndex...]
                continue
            }
            let sequence = TerminalSequence(rest), part = rest.prefix(sequence?.length ?? 1)
            switch sequence.map({ (final: $0.final, numbers: $0.numbers) }) {
            case (UInt8(ascii: "m"), let numbers)?:
                if let look = numbers.flatMap(Look.parts) {
                    folding.take(look, part)
                } else {
                    folding.write(part)
                    folding.forget()
                }
            case (UInt8(ascii: "("), _)?, (TerminalSequence.shiftIn, _)?, (TerminalSequence.shiftOut, _)?:
                folding.choose(part)
            case (TerminalSequence.carriageReturn, _)?: folding.output += part
            case (UInt8(ascii: "A")...UInt8(ascii: "D"), .some)?, (UInt8(ascii: "G"), .some)?,
                (UInt8(ascii: "H"), .some)?, (UInt8(ascii: "d"), .some)?:
                folding.output += part
            case (UInt8(ascii: "K"), .some)?, (UInt8(ascii: "X"), .some)?: folding.leaveGround(part)
            default: folding.write(part)
            }
            rest = rest[part.endIndex...]
        }
        folding.settle()
        return folding.output
    }

    /// How characters look, as the numbers that say so.
    private struct Look: Equatable {
        /// Those of the attributes: bold, dim, underlined, reversed.
        var attributes: Set<Int> = []
        /// Those of the colours, but for the terminal's own: one, or of a terminal that has 256 three.
        var foreground: [Int]?, background: [Int]?

        /// What the numbers of a sequence say, one after the other; `nil` where one of them is not known.
        static func parts(_ numbers: [Int]) -> [[Int]]? {
            var parts: [[Int]] = [], rest = numbers[...]
            while let number = rest.first {
                switch number {
                case 0, 1, 2, 4, 7, 30...37, 39, 40...47, 49, 90...97, 100...107: parts.append([number])
                case 38, 48:
                    guard rest.count >= 3, rest[rest.startIndex + 1] == 5 else { return nil }
                    parts.append(Array(rest.prefix(3)))
                default: return nil
                }
                rest = rest.dropFirst(parts[parts.count - 1].count)
            }
            return parts
        }

        /// Whether a blank in it is like a blank in another one: bold and the colour of what is written do not show there.
        func hasGround(of other: Look) -> Bool {
            background == other.background && attributes.isSubset(of: [1, 2]) && other.attributes.isSubset(of: [1, 2])
        }

        mutating func take(_ part: [Int]) {
            switch part.first {
            case 0?: self = Look()
            case 39?: foreground = nil
            case 49?: background = nil
            case (30...38)?, (90...97)?: foreground = part
            case (40...48)?, (100...107)?: background = part
            case let number?: attributes.insert(number)
            case nil: break
            }
        }

        /// The shortest sequence that makes it of another, or of nothing that is known.
        func sequence(after other: Look?) -> [UInt8] {
            let all = attributes.sorted() + (foreground ?? []) + (background ?? [])
            let anew = Self.sequence(all.isEmpty ? [] : [0] + all)
            // No terminal has to know how one attribute alone is turned off.
            guard let other, other.attributes.isSubset(of: attributes) else { return anew }
            let changed =
                attributes.subtracting(other.attributes).sorted()
                + (foreground == other.foreground ? [] : foreground ?? [39])
                + (background == other.background ? [] : background ?? [49])
            let added = Self.sequence(changed)
            return added.count < anew.count ? added : anew
        }

        private static func sequence(_ numbers: [Int]) -> [UInt8] {
            Array("\u{1B}[\(numbers.map(String.init).joined(separator: ";"))m".utf8)
        }
    }

    /// What was sent, and what is to be so before the next character.
    private struct Writer {
        var output: [UInt8] = []
        /// The looks; `nil` where the sequences before do not tell.
        private var sent: Look?, wanted: Look?
        /// What was not sent yet, as it came.
        private var waiting: [UInt8] = []
        private var characterSet: [UInt8] = []

        mutating func take(_ parts: [[Int]], _ bytes: ArraySlice<UInt8>) {
            waiting += bytes
            for part in parts {
                if part == [0] { wanted = Look() } else { wanted?.take(part) }
            }
        }

        /// Chooses a character set; the same one again says nothing.
        mutating func choose(_ bytes: ArraySlice<UInt8>) {
            guard !characterSet.elementsEqual(bytes) else { return }
            characterSet = Array(bytes)
            output += bytes
        }

        /// Writes what is seen, or what nobody here knows, such as what erases.
        mutating func write(_ bytes: ArraySlice<UInt8>) {
            settle()
            output += bytes
        }

        /// Writes blanks, or what erases, in the look that is told already where they are the same in it.
        mutating func leaveGround(_ bytes: ArraySlice<UInt8>) {
            if let sent, let wanted, sent.hasGround(of: wanted) { output += bytes } else { write(bytes) }
        }

        /// Takes the look to be one that is not known.
        mutating func forget() { (sent, wanted) = (nil, nil) }

        /// Has the terminal know the look that is wanted now.
        mutating func settle() {
            guard !waiting.isEmpty else { return }
            if let wanted {
                if wanted != sent { output += wanted.sequence(after: sent) }
            } else {
                output += waiting
            }
            (sent, waiting) = (wanted, [])
        }
    }
}
