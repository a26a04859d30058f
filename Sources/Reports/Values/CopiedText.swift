import Foundation
import MigrationEngine
import StoreFormats

/// A text that a person takes along, to a ticket or to a command line.
///
/// It is one line without controls, whatever stands in the dump: pasted into a shell, it waits for Enter. What cannot be
/// shown stands in it as on a screen, secrets are masked as there.
package struct CopiedText: Hashable, Sendable {
    /// The most that is taken, in bytes of UTF-8: what a terminal is sent of it, in base64 and with what stands around it, is
    /// then below 100,000 bytes, where terminals begin to refuse it.
    package static let limit = 74_000

    /// The text; where it was cut, its beginning, with the ellipsis.
    package let text: String
    /// Whether there is more than the text has room for.
    package let isCut: Bool
    /// Whether secrets are masked in it.
    package let isMasked: Bool
    /// Whether signs stand in it for what cannot be shown.
    package let hasSigns: Bool

    /// - Parameter text: Makes the text with the masking that it is given.
    package init(_ masking: Masking, _ text: (Masking) -> String) {
        let whole = text(masking.within(AnswerBudget()))
        var open = masking
        open.isRevealing = true
        isMasked = !masking.isRevealing && !text(open.within(AnswerBudget())).utf8.elementsEqual(whole.utf8)
        var shown = "", length = 0, isWhole = true, hasSigns = false
        for piece in DisplayPieces(whole, glyphs: .unicode, keepsMarks: true) {
            length += piece.text.utf8.count
            guard length <= Self.limit - Glyphs.unicode.ellipsis.utf8.count else {
                isWhole = false
                break
            }
            hasSigns = hasSigns || piece.isForm
            shown += piece.text
        }
        self.text = isWhole ? shown : shown + Glyphs.unicode.ellipsis
        self.hasSigns = hasSigns
        isCut = !isWhole
    }
}

extension Masking {
    /// An address, with the keys within the value as they are shown.
    package func line(of address: Address) -> String { place(address) }

    /// A value in one line to its end: a text as it is, other data as its digits, all else with its parts.
    package func line(of value: Value, at address: Address, from sources: [Address] = []) -> String {
        let (value, address) = subject(of: value, at: address)
        let budget = budget ?? AnswerBudget()
        let isOpen =
            isRevealing
            || placeholder(for: value, lookingAt: value, in: context(of: address, from: sources), within: budget) == nil
        if isOpen, let text = value.plainText, value.string != nil || text.isReadable { return text }
        if isOpen, case .data(let data) = value, !data.isEmpty, value.decoded() == nil {
            return Hexadecimal.text(data.prefix(CopiedText.limit))
        }
        // More parts than there is room for are not asked for: each takes some bytes.
        return TreeLine.joined(
            treeLines(of: value, at: address, from: sources, inFull: true, withBytes: true, limit: CopiedText.limit / 3)
        )
    }
}

extension String {
    /// Whether every character can be shown, line breaks and tabs apart: bytes that are no text may be valid UTF-8.
    fileprivate var isReadable: Bool {
        DisplayPieces(self, glyphs: .unicode, keepsMarks: true).allSatisfy {
            !$0.isForm || ["␊", "␍", "␉"].contains($0.text)
        }
    }
}

extension TreeLine {
    /// The lines of a tree as one: `{email: "jane@example.com", tags: ["a", "b"]}`.
    fileprivate static func joined(_ lines: [TreeLine]) -> String {
        var text = "", open: [(depth: Int, isList: Bool)] = [], isFirst = true
        for (index, line) in lines.enumerated() {
            while let last = open.last, line.depth <= last.depth {
                text += last.isList ? "]" : "}"
                open.removeLast()
                isFirst = false
            }
            if !isFirst { text += ", " }
            if open.last?.isList == false, let key = line.key { text += key + ": " }
            let hasParts = index + 1 < lines.count && lines[index + 1].depth > line.depth
            isFirst = hasParts
            guard hasParts else {
                text += line.text
                continue
            }
            // What it is stands before the brace: the format of an archive, the class of an object.
            let brace = line.text.firstIndex { $0 == "{" || $0 == "[" }
            let isList = brace.map { line.text[$0] == "[" } ?? false
            text += line.text[..<(brace ?? line.text.endIndex)] + (brace == nil ? " " : "") + (isList ? "[" : "{")
            open.append((line.depth, isList))
        }
        for last in open.reversed() { text += last.isList ? "]" : "}" }
        return text
    }
}
