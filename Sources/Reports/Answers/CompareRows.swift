import MigrationEngine

/// A comparison as rows of a list, of which one is looked at in full.
extension CompareReport {
    /// An entry in one of the columns: its key and what is there, in a few words.
    package struct Cell: Hashable, Sendable {
        package let key: String
        package let words: String
        /// Whether there is nothing.
        package let isAbsent: Bool
    }

    /// What a list says of an entry, or of something that is no entry.
    package enum Row: Sendable {
        /// What was there, what the migration would have made, by which effect, what is there now, and what differs.
        ///
        /// `shorter` says what `note` does by signs, with less and less else.
        case entry(
            before: Cell?, effect: ValueEffect?, planned: Cell?, after: Cell?, note: String?, shorter: [String])
        /// A store that is not compared, a step that would do nothing, or what else there is to say of a step.
        case line(String)
    }

    /// The words of two cells that differ and have something in common, in stretches, with what differs marked; else none.
    package static func difference(_ left: Cell?, _ right: Cell?) -> (left: [Run], right: [Run]) {
        guard let left, let right, !left.isAbsent, !right.isAbsent, left.words != right.words,
            max(left.words.utf8.count, right.words.utf8.count) <= markedLimit
        else { return ([], []) }
        var budget = TextDifference.Budget()
        let difference = TextDifference(left.words, right.words, within: &budget)
        let isLike = difference.pieces.contains { piece in
            if case .same(let text) = piece { text.contains { $0.isLetter || $0.isNumber } } else { false }
        }
        func runs(_ side: Comparison.Side, _ role: Role) -> [Run] {
            difference.stretches(of: side).map { Run($0.text, $0.isChanged ? role : .text) }
        }
        return isLike ? (runs(.left, .removed), runs(.right, .added)) : ([], [])
    }

    /// How many bytes of words are looked through for what differs, while a row is drawn.
    private static let markedLimit = 200

    /// How many rows there are.
    package var rowCount: Int { entries.count + stores.count + idle.count + remarks.count }

    /// Whether there is a migration, so that there are three columns.
    package var isPlanned: Bool { migration != nil }

    /// A row, the entries first.
    package func row(at position: Int, _ glyphs: Glyphs) -> Row? {
        switch item(at: position) {
        case .entry(let entry)?:
            return .entry(
                before: entry.beforeCell, effect: entry.effect,
                planned: entry.isPlanned
                    ? Cell(key: entry.key, words: entry.plannedWords, isAbsent: entry.planned == nil)
                    : nil,
                after: entry.afterCell, note: entry.note, shorter: entry.shorterNotes(glyphs))
        case .store(let store)?: return .line(store.sentence)
        case .idle(let step)?:
            return .line("the step \(step.step) is \(step.outcome)" + (step.reason.map { ": \($0.sentence)" } ?? ""))
        case .remark(let remark)?: return .line(remark.words)
        case nil: return nil
        }
    }

    /// One character for what became of a row.
    package func sign(at position: Int, _ glyphs: Glyphs) -> Run? {
        switch item(at: position) {
        case .entry(let entry)?: entry.sign(glyphs)
        case .store?: Run("?", .warning)
        case .idle(let step)?: Outcome.Kind(rawValue: step.outcome)?.sign(glyphs)
        case .remark(let remark)?: remark.loss?.sign(glyphs) ?? remark.kind.sign(glyphs)
        case nil: nil
        }
    }

    /// The address, or what else a row is of.
    package func title(at position: Int) -> String? {
        switch item(at: position) {
        case .entry(let entry)?: entry.address
        case .store(let store)?: store.address
        case .idle(let step)?: step.step
        case .remark(let remark)?: remark.step
        case nil: nil
        }
    }

    /// Whether a row needs a person: something else came than was planned, or nothing did, or cannot be told; without a
    /// migration, whatever differs.
    package func isProblem(at position: Int) -> Bool {
        guard case .entry(let entry)? = item(at: position) else { return true }
        guard isPlanned else { return entry.mark != StoreComparison.Mark.same.rawValue }
        let verdicts: [StoreComparison.Verdict] = [.differs, .missing, .unknown]
        return verdicts.contains { $0.rawValue == entry.verdict }
    }

    /// What a row is called: what came of the plan, and how the sides differ.
    package func kinds(at position: Int) -> [String] {
        switch item(at: position) {
        case .entry(let entry)?: [entry.verdict, entry.mark, entry.word].compactMap(\.self)
        case .store(let store)?: [StoreComparison.Verdict.unknown.rawValue, store.kind]
        case .idle(let step)?: [step.outcome]
        case .remark(let remark)?: [remark.kind.rawValue] + [remark.loss?.rawValue].compactMap(\.self)
        case nil: []
        }
    }

    /// What rows can be called.
    package static let kinds =
        StoreComparison.Verdict.allCases.map(\.rawValue)
        + StoreComparison.Mark.allCases.filter { $0 != .same && $0 != .unknown }.map(\.rawValue) + StorePart.kinds

    /// What a person can take along of a row.
    package enum Part: Sendable { case before, after, key, address, sentence }

    /// A part of a row as a text; `nil` where there is none, such as no value.
    package func copied(_ part: Part, at position: Int) -> CopiedText? {
        func text(_ value: ShownValue?) -> CopiedText? {
            value.map { value in
                CopiedText(value.showing.masking) { $0.line(of: value.value, at: value.address, from: value.sources) }
            }
        }
        func plain(_ text: String) -> CopiedText { CopiedText(Masking()) { _ in text } }
        guard case .entry(let entry)? = item(at: position) else {
            guard let title = title(at: position) else { return nil }
            if part == .address { return plain(title) }
            return part == .sentence ? plain("\(sides): \(lines(at: position))") : nil
        }
        switch part {
        case .before: return text(entry.before.value ?? entry.from.lazy.compactMap(\.before.value).first)
        case .after: return text(entry.after.value)
        case .key: return plain(entry.key)
        case .address: return plain(entry.address)
        case .sentence: return plain("\(sides): \(entry.address) \(lines(at: position))")
        }
    }

    /// A row in full as one line.
    private func lines(at position: Int) -> String {
        let text = document(at: position, inFull: false, isProse: true).text()
        // A sentence needs no sign beside its word.
        let sign = sign(at: position, .unicode).map { $0.text + " " } ?? ""
        return text.dropFirst(text.hasPrefix(sign) ? sign.count : 0).split(whereSeparator: \.isNewline).map { line in
            line.split(separator: " ").joined(separator: " ")
        }.joined(separator: "; ")
    }

    /// A row in full, as the report tells it.
    package func document(at position: Int, inFull: Bool = true, isProse: Bool = false) -> Document {
        var document = Document()
        switch item(at: position) {
        case .entry(let entry)?: entry.write(to: &document, isAlone: true, isProse: isProse, inFull: inFull)
        case .store(let store)?: store.write(to: &document)
        case .idle(let step)?: step.write(to: &document)
        case .remark(let remark)?: document.field(remark.step, remark.sentence, indent: 0)
        case nil: break
        }
        return document
    }

    /// How many entries there are of which kind: what came of the plan, or how the sides differ; those that are the same last, as
    /// nobody looks for them.
    package var counts: String {
        let same = StoreComparison.Mark.same.rawValue, marks = summary.all
        let sameCount = marks.first { $0.name == same }?.value ?? 0
        guard let verdicts else {
            let differing =
                wordCounts ?? Self.counts(Named(marks.filter { $0.name != same }.map { ($0.name, $0.value) }))
            let all = [differing, storeCounts, sameCount > 0 ? "\(sameCount) the same" : nil].compactMap(\.self)
            // Steps may end otherwise all the same.
            return all.isEmpty ? rowCount > 0 ? "no value differs" : nothing : all.joined(separator: ", ")
        }
        return [Self.counts(verdicts), storeCounts, "\(sameCount) the same"].compactMap(\.self).joined(separator: ", ")
    }

    /// What a list without rows says.
    package var emptiness: String { summary.all.allSatisfy { $0.value == 0 } ? nothing : "nothing differs" }

    /// How many stores are not compared, and how many only as far as their entries can be listed; `nil` where all are compared.
    var storeCounts: String? {
        let counts = StorePart.kinds.map { kind in (count: stores.count { $0.kind == kind }, kind: kind) }
        let parts = counts.filter { $0.count > 0 }.map {
            "\($0.count.counted("store")) \($0.kind.replacing("-", with: " "))"
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// What is compared, in a line.
    package var subject: String {
        let with = migration.map { ", with \($0.id):\($0.profile)" } ?? ""
        return "\(before.bundleIdentifier) before (\(before.kind)) and after (\(after.kind))\(with)"
    }

    /// The same for who does not see the dumps: which they are, and when they were made.
    private var sides: String {
        if let told { return told }
        let with = migration.map { ", with \($0.id):\($0.profile)" } ?? ""
        return "\(before.bundleIdentifier) before (\(before.origin)) and after (\(after.origin))\(with)"
    }

    private enum Item {
        case entry(Entry)
        case store(StorePart)
        case idle(IdlePart)
        case remark(Remark)
    }

    private func item(at position: Int) -> Item? {
        guard position >= 0, position < rowCount else { return nil }
        if position < entries.count { return .entry(entries[position]) }
        let rest = position - entries.count
        if rest < stores.count { return .store(stores[rest]) }
        let last = rest - stores.count
        return last < idle.count ? .idle(idle[last]) : .remark(remarks[last - idle.count])
    }
}

extension CompareReport {
    /// Words the entries as of two ways that nobody has gone yet: what is there now can be kept or removed, what is not can
    /// be made or not made; and what becomes of values on each side.
    mutating func propose(
        on now: any StoreReader, _ titles: (before: String, after: String), _ fates: (before: Fates, after: Fates),
        _ masking: Masking
    ) {
        self.titles = titles
        let words = [fates.before, fates.after].map { EffectsPart($0.counts).sentence ?? "values: none" }
        valueCounts =
            words[0] == words[1]
            ? [("either way", words[0], fates.before.counts)]
            : [(titles.before, words[0], fates.before.counts), (titles.after, words[1], fates.after.counts)]
        for index in entries.indices {
            let entry = entries[index], isThere = now.state(at: entry.place) != .absent
            entries[index].titles = titles
            entries[index].fates = (
                fates.before.fate(of: entry.place, masking), fates.after.fate(of: entry.place, masking)
            )
            switch StoreComparison.Mark(rawValue: entry.mark) {
            case .added: entries[index].word = isThere ? "kept" : "made"
            case .removed: entries[index].word = isThere ? "removed" : "not made"
            default: break
            }
        }
    }

    /// How many entries there are of each word.
    var wordCounts: String? {
        guard entries.contains(where: { $0.word != nil }) else { return nil }
        let words = entries.map { $0.word ?? $0.mark }
        let all = ["changed", "kept", "made", "removed", "not made", "unknown"]
        let counts = Named(all.map { word in (word, words.count { $0 == word }) })
        return Self.counts(counts)
    }
}

/// What is compared that is no two dumps.
extension CompareReport {
    /// Compares one app's stores at two moments, or as two sets of facts would make them.
    ///
    /// - Parameters:
    ///   - names: What each side is, in a phrase.
    ///   - told: Which app it is, when the dump was made, and what the sides are, for a sentence that is read elsewhere.
    ///   - proposed: What is there now, and what becomes of values on each side, where the sides are what would be.
    ///   - remarks: What there is to say of steps besides, and what a report calls that.
    package init(
        _ comparison: StoreComparison, of app: String, _ names: (before: String, after: String),
        _ stores: (before: any StoreReader, after: any StoreReader),
        as told: String, proposed: (now: any StoreReader, fates: (before: Fates, after: Fates))? = nil,
        remarks: (heading: String, all: [Remark]), _ showing: Showing
    ) {
        self.init(
            comparison, (DumpPart(names.before, of: app), stores.before),
            (DumpPart(names.after, of: app), stores.after),
            showing)
        (remarksHeading, self.remarks) = remarks
        nothing = "nothing differs"
        self.told = told
        if let proposed {
            // A name that neither side tells stands in braces.
            for index in entries.indices where entries[index].place.store.name.text.contains("{") {
                entries[index].address = showing.masking.place(entries[index].place, isSketch: true)
            }
            propose(on: proposed.now, ("as it is", "with it"), proposed.fates, showing.masking)
        }
    }

    /// What becomes of values on one side of what is only proposed.
    package struct Fates: Sendable {
        private let changes: [Address: [Change]]
        fileprivate let counts: ValueCounts
        private static let most = 8

        /// - Parameters:
        ///   - changes: What is done there.
        ///   - counts: What becomes of how many values.
        package init(_ changes: [Change], _ counts: ValueCounts) {
            self.changes = Dictionary(grouping: changes, by: \.address)
            self.counts = counts
        }

        /// What is done to an entry; `nil` where that is nothing.
        fileprivate func fate(of address: Address, _ masking: Masking) -> Fate? {
            guard let own = changes[address], let effect = own.last?.effect else { return nil }
            var seen: Set<Address> = []
            let dropped = own.flatMap(\.dropped).filter { seen.insert($0).inserted }
            func told(_ most: Int, _ words: (Address) -> String) -> String {
                if dropped.isEmpty { return effect.word }
                let more = dropped.count > most ? " and \(dropped.count - most) more" : ""
                return "\(effect.word), drops \(dropped.prefix(most).map(words).joined(separator: " and "))\(more)"
            }
            return Fate(
                effect: effect, dropped: dropped.map(masking.label), note: told(1, masking.label),
                full: told(Self.most, masking.place),
                isLoss: effect == .dropped || effect == .changed || !dropped.isEmpty)
        }
    }

    /// What becomes of a value, in a few words and in full.
    struct Fate: Hashable {
        fileprivate let effect: ValueEffect
        /// What is dropped, as a list shows it.
        fileprivate let dropped: [String]
        let note, full: String
        /// Whether something is not taken on, or means something else.
        let isLoss: Bool

        /// The same as `note` by signs, with what is dropped or only that something is.
        fileprivate func signs(_ glyphs: Glyphs, withNames: Bool) -> String {
            let sign = effect.sign(glyphs).text, lost = ValueEffect.dropped.sign(glyphs).text
            guard let first = dropped.first else { return sign }
            let start = effect == .dropped ? sign : withNames ? "\(sign) \(lost)" : sign + lost
            let more = dropped.count > 1 ? " and \(dropped.count - 1) more" : ""
            return withNames ? "\(start) \(first)\(more)" : start
        }
    }

    /// What there is to say of a step where moments or sets of facts are compared.
    package struct Remark: Sendable {
        let step, sentence: String
        let kind: Outcome.Kind
        /// What it finds lost, or changed in meaning, where that is what there is to say.
        let loss: ValueEffect?

        /// - Parameter sentence: It, masked as the screen is.
        package init(_ step: String, _ sentence: String, _ kind: Outcome.Kind, loss: ValueEffect? = nil) {
            (self.step, self.sentence, self.kind, self.loss) = (step, sentence, kind, loss)
        }

        /// It as one line.
        var words: String { "\(step): \(sentence)" }
    }
}

extension CompareReport.Entry {
    /// What was there: of what is made of other entries, the first of those that was.
    fileprivate var beforeCell: CompareReport.Cell? {
        if let source = from.first(where: { $0.before.name != "absent" }) {
            let others = from.count { $0.before.name != "absent" } - 1
            let more = others > 0 ? " and \(others) more" : ""
            return .init(key: source.key, words: source.before.words + more, isAbsent: false)
        }
        if isPlanned, before.name == "absent" {
            return factWords.map { .init(key: $0, words: "", isAbsent: false) }
        }
        return .init(key: key, words: beforeWords, isAbsent: before.name == "absent")
    }

    /// What differs, or else what became of it where the columns alone do not say it.
    fileprivate var note: String? {
        let words: [StoreComparison.Verdict] = [.missing, .notPlanned, .unknown]
        return sentence ?? fateNote ?? words.map(\.rawValue).first { $0 == verdict }?.replacing("-", with: " ")
    }

    /// What becomes of it on each side, where that differs or loses something.
    private var fateNote: String? { fateNote(":", \.note) }

    private func fateNote(_ colon: String, _ words: (CompareReport.Fate) -> String) -> String? {
        if let before = fates.before, before == fates.after { return before.isLoss ? words(before) : nil }
        let sides = [(titles.before, fates.before), (titles.after, fates.after)].compactMap { title, fate in
            fate.map { "\(title)\(colon) \(words($0))" }
        }
        return sides.isEmpty ? nil : sides.joined(separator: "; ")
    }

    /// The same by signs, the longest first; none where no fate is the note.
    fileprivate func shorterNotes(_ glyphs: Glyphs) -> [String] {
        guard sentence == nil else { return [] }
        return [true, false].compactMap { withNames in
            fateNote("") { $0.signs(glyphs, withNames: withNames) }
        }
    }

    /// What is there now.
    fileprivate var afterCell: CompareReport.Cell {
        .init(key: keyAfter, words: afterWords, isAbsent: after.name == "absent")
    }
}
