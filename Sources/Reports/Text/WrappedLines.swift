/// The lines of a text at a width, made on demand: taking ten lines of a large text reads ten lines of it.
public struct WrappedLines: Sequence, IteratorProtocol, Sendable {
    private let width: Int
    private let glyphs: Glyphs
    private var pieces: DisplayPieces
    private var pending: [DisplayPiece] = []
    private var isFinished = false
    private var hasLines = false

    init(_ text: String, width: Int, glyphs: Glyphs) {
        self.width = width
        self.glyphs = glyphs
        pieces = DisplayPieces(text, glyphs: glyphs)
    }

    /// The next line, of at most the width's columns.
    public mutating func next() -> String? {
        guard !isFinished else { return nil }
        var line = "", used = 0
        while let piece = nextPiece() {
            guard piece.columns <= width - used else {
                pending.append(piece)
                hasLines = true
                return line
            }
            line += piece.text
            used += piece.columns
        }
        isFinished = true
        return line.isEmpty && hasLines ? nil : line
    }

    /// The next piece, made to fit a line: a visible form may be longer than a narrow line, a wide character wider.
    private mutating func nextPiece() -> DisplayPiece? {
        guard let piece = pending.popLast() ?? pieces.next() else { return nil }
        guard piece.columns > width else { return piece }
        guard piece.isForm else { return DisplayPiece(text: glyphs.ellipsis, columns: 1, isForm: false) }
        pending.append(contentsOf: piece.text.reversed().map { .init(text: String($0), columns: 1, isForm: true) })
        return pending.popLast()
    }
}
