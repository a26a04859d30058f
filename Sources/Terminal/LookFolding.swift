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
            let text = rest.prefix { !Token.mayBegin(with: $0) }
            if !text.isEmpty {
                folding.write(text)
                rest = rest[text.endIndex...]
                continue
            }
            let token = Token(rest), part = rest.prefix(token?.length ?? 1)
            switch token?.meaning {
            case .look(let numbers): folding.take(numbers, part)
            case .otherLook:
                folding.write(part)
                folding.forget()
            case .characterSet: folding.choose(part)
            case .move: folding.output += part
            // What is erased has the ground of the look.
            case .other, nil: folding.write(part)
            }
            rest = rest[part.endIndex...]
        }
        folding.settle()
        return folding.output
    }

    /// A sequence of bytes that is no text.
    private struct Token {
        enum Meaning {
            case look([UInt8]), otherLook, characterSet, move, other
        }
        let meaning: Meaning
        let length: Int

        private static let escape: UInt8 = 0x1B, shiftOut: UInt8 = 0x0E, shiftIn: UInt8 = 0x0F

        static func mayBegin(with byte: UInt8) -> Bool { byte < 0x20 }

        /// The sequence at the beginning of bytes; `nil` where there is none that is whole.
        init?(_ bytes: ArraySlice<UInt8>) {
            switch bytes.first {
            case Self.shiftOut, Self.shiftIn:
                (meaning, length) = (.characterSet, 1)
                return
            case UInt8(ascii: "\r"):
                (meaning, length) = (.move, 1)
                return
            default: break
            }
            guard bytes.first == Self.escape, bytes.count > 2 else { return nil }
            let second = bytes[bytes.startIndex + 1]
            if second == UInt8(ascii: "(") {
                (meaning, length) = (.characterSet, 3)
                return
            }
            let inner = bytes.dropFirst(2)
            guard second == UInt8(ascii: "["), let end = inner.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
                return nil
            }
            length = end + 1 - bytes.startIndex
            let parameters = inner[..<end]
            let isPlain = parameters.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
            switch bytes[end] {
            case UInt8(ascii: "m") where isPlain:
                let parts = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                let numbers = parts.map { $0.isEmpty ? 0 : UInt8(String(decoding: $0, as: UTF8.self)) }
                let known = numbers.compactMap(\.self)
                meaning = known.count == numbers.count && known.allSatisfy(Look.knows) ? .look(known) : .otherLook
            case UInt8(ascii: "m"): meaning = .otherLook
            case UInt8(ascii: "A")...UInt8(ascii: "D"), UInt8(ascii: "G"), UInt8(ascii: "H"), UInt8(ascii: "d"):
                meaning = isPlain ? .move : .other
            default: meaning = .other
            }
        }
    }

    /// How characters look, as the numbers that say so.
    private struct Look: Equatable {
        /// Those of the attributes: bold, dim, underlined, reversed.
        var attributes: Set<UInt8> = []
        /// Those of the colours, but for the terminal's own.
        var foreground: UInt8?, background: UInt8?

        static func knows(_ number: UInt8) -> Bool {
            switch number {
            case 0, 1, 2, 4, 7, 30...37, 39, 40...47, 49, 90...97, 100...107: true
            default: false
            }
        }

        mutating func take(_ number: UInt8) {
            switch number {
            case 0: self = Look()
            case 39: foreground = nil
            case 49: background = nil
            case 30...37, 90...97: foreground = number
            case 40...47, 100...107: background = number
            default: attributes.insert(number)
            }
        }

        /// The shortest sequence that makes it of another, or of nothing that is known.
        func sequence(after other: Look?) -> [UInt8] {
            let all = attributes.sorted() + [foreground, background].compactMap(\.self)
            let anew = Self.sequence(all.isEmpty ? [] : [0] + all)
            // No terminal has to know how one attribute alone is turned off.
            guard let other, other.attributes.isSubset(of: attributes) else { return anew }
            let changed =
                attributes.subtracting(other.attributes).sorted()
                + (foreground == other.foreground ? [] : [foreground ?? 39])
                + (background == other.background ? [] : [background ?? 49])
            let added = Self.sequence(changed)
            return added.count < anew.count ? added : anew
        }

        private static func sequence(_ numbers: [UInt8]) -> [UInt8] {
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

        mutating func take(_ numbers: [UInt8], _ bytes: ArraySlice<UInt8>) {
            waiting += bytes
            for number in numbers {
                if number == 0 { wanted = Look() } else { wanted?.take(number) }
            }
        }

        /// Chooses a character set; the same one again says nothing.
        mutating func choose(_ bytes: ArraySlice<UInt8>) {
            guard !characterSet.elementsEqual(bytes) else { return }
            characterSet = Array(bytes)
            output += bytes
        }

        /// Writes what is seen, or what nobody here knows.
        mutating func write(_ bytes: ArraySlice<UInt8>) {
            settle()
            output += bytes
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
