import MigrationEngine
import Reports
import StoreFormats

/// A key and what there is to say of its value, in one cell of the sheet.
struct EntryCell: Sendable {
    /// What stands before the key: of the store's name what a fact still has to say.
    var place: Run?
    var key: Run
    var value: Run?
    /// The value in stretches that look otherwise than each other, where there are some.
    var stretches: [Run] = []
    /// What the entry is to a migration.
    var note: Run?
    /// What says the same as the note in fewer columns, the longest first: one of them is shown, whatever that takes of the value.
    var shorterNotes: [String] = []
    /// What is told in the value.
    var told: Value?

    init(_ key: String, _ role: Role = .key, value: Run? = nil) {
        self.key = Run(key, role)
        self.value = value
    }

    /// An entry as it is seen.
    init(_ key: Name, in store: StoreID, _ masking: Masking, _ glyphs: Glyphs, _ opened: OpenContainer) {
        let address = Address(store: store, key: key)
        let state = opened.stores.state(at: address)
        self.init(masking.listed(key, in: store, of: opened.stores), state: state, at: address, masking, glyphs)
        guard let line = opened.annotation(of: address)?.split(separator: "\n").first else { return }
        let note = Run(masking.sentence(String(line)), .dim)
        // Of a file it says more than its format does.
        if case .data = state.value { value = note } else { self.note = note }
    }

    /// A key with what is known of its entry.
    ///
    /// - Parameter others: The entries that it is compared with: what is secret in one of them is masked here too.
    init(
        _ key: String, state: EntryState, at address: Address, with others: [Address] = [], _ masking: Masking,
        _ glyphs: Glyphs
    ) {
        switch state {
        case .absent: self.init(key, .dim, value: Run(glyphs.choose("—", ascii: "-"), .dim))
        case .present(let value):
            self.init(key, value: Run(value, at: address, from: others, masking))
            told = value
        case .unreadable(let reason):
            let candidates = reason.candidates.isEmpty ? "" : ": " + reason.candidateSummary(at: address, masking)
            self.init(key, value: Run(reason.cause.word + candidates, .problem))
        }
    }

    /// What stands in it.
    var texts: [String] { [(place?.text ?? "") + key.text] + [value, note].compactMap { $0?.text } }

    /// Says of a masked value that it is another one, where that of another cell looks alike and is not the same.
    mutating func tellApart(from other: EntryCell) {
        guard let text = value?.text, let left = other.value?.text, let told, let others = other.told else { return }
        value?.text = Masking.toldApart(text, of: told, from: left, of: others)
    }

    /// The longest note that fits into some columns; where none does, the shortest.
    private func fittingNote(_ room: Int, _ glyphs: Glyphs) -> Run? {
        guard let note else { return nil }
        let all = [note.text] + shorterNotes
        let fitting = all.first { glyphs.columns($0, limit: max(0, room) + 1) <= room } ?? all.last
        return fitting.map { Run($0, note.role) }
    }

    /// How many columns it needs to be shown whole.
    func columns(_ glyphs: Glyphs, limit: Int) -> Int {
        texts.reduce(2 * (texts.count - 1)) { $0 + glyphs.columns($1, limit: limit) }
    }

    /// Draws both within a width; where there is too little, the key loses its middle before the value loses its end.
    ///
    /// - Returns: The columns of the key.
    @discardableResult
    func draw(at x: Int, _ y: Int, width: Int, on frame: inout Frame) -> Range<Int> {
        let glyphs = frame.glyphs
        let before = [place].compactMap(\.self)
        guard let whole = value, width > 0 else {
            return frame.drawNamed(before + [key], before.count + 1, at: x, y, width: width)
        }
        let keyColumns = glyphs.columns((place?.text ?? "") + key.text, limit: width)
        let note =
            shorterNotes.isEmpty
            ? note : fittingNote(width - keyColumns - glyphs.columns(whole.text, limit: width) - 4, glyphs)
        let kept = shorterNotes.isEmpty ? 0 : note.map { glyphs.columns($0.text, limit: width) + 2 } ?? 0
        let most = max(width / 2, width - keyColumns - 2) - min(kept, width / 3)
        let value = whole.shortened(to: most, glyphs)
        let valueColumns = min(glyphs.columns(value.text, limit: width), most)
        let placeColumns = glyphs.columns(place?.text ?? "", limit: width)
        let room = max(0, width - valueColumns - 2 - placeColumns)
        let shortened = placeColumns + room >= keyColumns ? key.text : glyphs.withoutMiddle(key.text, to: room)
        let more = note.map { [Run("  "), $0] } ?? []
        let values =
            kept > 0 && glyphs.columns(value.text, limit: most + 1) > most
            ? [Run(glyphs.truncated(value.text, to: most), value.role)]
            : stretches.isEmpty || value != whole ? [value] : stretches
        return frame.drawNamed(
            before + [Run(shortened, key.role), Run("  ")] + values + more, before.count + 1, at: x, y, width: width)
    }
}

extension Run {
    /// The same, where what stands in place of a secret is too long, with less of what is said of the secret.
    fileprivate func shortened(to width: Int, _ glyphs: Glyphs) -> Run {
        let fitting = Masking.shorterForms(of: text).first { glyphs.columns($0, limit: width + 1) <= width }
        return fitting.map { Run($0, role) } ?? self
    }
}

extension Glyphs {
    /// A text of at most a number of columns, with an ellipsis in place of its middle where it is longer.
    ///
    /// Keys of one program differ most at their ends.
    func withoutMiddle(_ text: String, to width: Int) -> String {
        let text = displayText(text, prefixColumns: 4096)
        guard columns(text, limit: width) > width else { return text }
        let kept = max(0, width - ellipsis.count)
        let head = displayText(text, prefixColumns: kept - kept / 2)
        var tail = "", used = 0
        for character in text.reversed() {
            let columns = columns(String(character))
            guard used + columns <= kept / 2 else { break }
            tail = String(character) + tail
            used += columns
        }
        return head + ellipsis + tail
    }
}
