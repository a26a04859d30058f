import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// `vestige.compare/1`: two dumps of one app, before and after something happened to it.
///
/// `entries` are those that differ, and those that a step of the migration changes, first; `same` are the addresses of all
/// others. `addressAfter` is where a keychain item is after, where that is another place; else it is null. `mark` is same, changed, added, removed or unknown; `forms` is null, or what each side is where both hold the same
/// value in different forms. With a `migration`, `verdict` is as-planned, differs, missing, not-planned or unknown, or null where there is nothing to say of the plan, `planned`
/// what should be there (null where nothing), `dropped` what of its sources was to be dropped, `steps` the steps that would have made it and `from` what they would have made
/// it of. `found` are the steps that find something lost, or changed in meaning, with that as in `vestige.plan/1`. `idle` are the steps that wait, are in conflict or have failed, each with its `target` or null. `stores` are those that cannot be read on one side; their entries are not compared, and those of which not all entries can be listed. `summary`
/// counts entries by their marks, `verdicts` by what came of them; `assumption` is what the plan takes for granted of what did not come
/// with the dump before, or null; with `lacksKeychain` neither dump has a keychain, so that none is compared.
package struct CompareReport: Report {
    package static let name = "compare"
    /// How many entries are listed as text.
    private static let shownLimit = 1000

    let before, after: DumpPart
    @OrNull var migration: MigrationPart?
    var entries: [Entry]
    let found: [FoundPart]
    let idle: [IdlePart]
    let stores: [StorePart]
    let same: [String]
    let summary: Named<Int>
    @OrNull var verdicts: Named<Int>?
    package let status: ExitStatus
    /// What there is to say of steps besides: what they find lost, and where moments or sets of facts are compared, how they end.
    var remarks: [Remark] = []
    /// What the remarks are, where the report lists them.
    var remarksHeading = "Steps that find something lost, or changed in meaning, on what was there before:"
    /// What there is to say where neither side has anything: of one app's own sides that is all that is asked.
    var nothing = "nothing to compare"
    /// What is compared, for a sentence that is read elsewhere; `nil` where the dumps say it.
    var told: String?
    /// What becomes of how many values on each side of what is only proposed.
    package internal(set) var valueCounts: [(side: String, words: String, counts: ValueCounts)] = []
    /// What the sides are called in a column.
    package internal(set) var titles = (before: "before", after: "after")
    private let plan: Plan?
    /// What the plan takes for granted of what did not come with the dump before.
    @OrNull private var assumption: String?
    /// Whether neither dump has a keychain, and nothing is known of one.
    private var lacksKeychain = false

    private enum CodingKeys: String, CodingKey {
        case before, after, migration, entries, found, idle, stores, same, summary, verdicts, assumption, lacksKeychain
    }

    /// The migration that was to make the one of the other.
    struct MigrationPart: Encodable {
        let id, profile: String
        let facts: Named<FactPart>
    }

    /// An entry on both sides.
    struct Entry: Encodable {
        /// The facts that it would be made from, in words, where that is no entry.
        fileprivate(set) var factWords: String?
        var address: String
        @OrNull var addressAfter: String?
        let mark: String
        @OrNull var forms: FormsPart?
        @OrNull var verdict: String?
        let steps: [String]
        let from: [SourcePart]
        let before: StatePart
        @OrNull var planned: ShownValue?
        let after: StatePart
        /// The parts of what it is made of that the plan does not take on.
        let dropped: [DroppedPart]
        /// What differs, in a few words.
        @OrNull var sentence: String?
        let isPlanned: Bool
        /// The key on each side as a list shows it.
        let key, keyAfter: String
        /// What the migration's last change of it does to the value.
        let effect: ValueEffect?
        /// What became of it in a word, where its mark would say of what is only proposed that it was done.
        var word: String?
        /// What becomes of it on each side of what is only proposed.
        var fates: (before: CompareReport.Fate?, after: CompareReport.Fate?) = (nil, nil)
        let place: Address
        var titles = (before: "before", after: "after")
        /// Whether nothing says that it is the app's.
        fileprivate let isUnassigned: Bool
        /// Whether a keychain item differs in its attributes alone.
        fileprivate let isSameSecret: Bool
        /// What differs inside of a value: planned and after where something was planned, else before and after.
        fileprivate let inside: ShownComparison?
        /// The same of what has no parts too, where both sides are there and differ.
        fileprivate let beside: ShownComparison?

        private enum CodingKeys: String, CodingKey {
            case address, addressAfter, mark, forms, verdict, steps, from, before, planned, after, dropped, sentence
        }
    }

    /// What each side is where both hold the same value.
    struct FormsPart: Encodable { let before, after: String }

    /// An entry that a value would be made from, with what was there.
    struct SourcePart: Encodable {
        let address: String
        let before: StatePart
        let key: String

        private enum CodingKeys: String, CodingKey { case address, before }

        fileprivate init(_ address: Address, _ before: StatePart, _ masking: Masking) {
            (self.address, self.before, key) = (masking.place(address), before, masking.label(address))
        }
    }

    /// A step that finds something lost, or changed in meaning.
    struct FoundPart: Encodable {
        let step: String
        let changes: ChangeParts
    }

    /// A step that does nothing, why, and where it would write.
    struct IdlePart: Encodable {
        let step, outcome: String
        @OrNull var target: String?
        @OrNull var reason: ReasonPart?
        let kind: Outcome.Kind

        private enum CodingKeys: String, CodingKey { case step, outcome, target, reason }

        init(_ planned: PlannedStep, _ showing: Showing) {
            (step, kind, outcome) = (planned.id, planned.outcome.kind, planned.outcome.kind.rawValue)
            _target = OrNull(wrappedValue: planned.target.map(showing.masking.place))
            _reason = OrNull(
                wrappedValue: planned.outcome.reason.map { ReasonPart($0, of: planned.quoted, showing) })
        }
    }

    /// A store that cannot be read on one side.
    struct StorePart: Encodable {
        let address: String
        @OrNull var before: UnreadablePart?
        @OrNull var after: UnreadablePart?
        /// Whether what can be listed of it is compared.
        let isInPart: Bool
        let isOfKeychain: Bool

        private enum CodingKeys: String, CodingKey { case address, before, after }
    }

    package init(_ comparison: StoreComparison, of pair: DumpPair, _ showing: Showing) {
        self.init(
            comparison, (DumpPart(pair.before.dump, pair.before.container), pair.before.container),
            (DumpPart(pair.after.dump, pair.after.container), pair.after.container), showing,
            assumption: pair.before.container.assumption(reading:))
        lacksKeychain = pair.before.container.keychain == .none && pair.after.container.keychain == .none
    }

    /// - Parameters:
    ///   - left: What is called before, and what was made into what is after.
    ///   - right: What is called after.
    ///   - assumption: What steps that look into these stores take for granted of what did not come with the dump before.
    init(
        _ comparison: StoreComparison, _ left: (part: DumpPart, stores: any StoreReader),
        _ right: (part: DumpPart, stores: any StoreReader), _ showing: Showing,
        assumption: (Set<StoreID>) -> String? = { _ in nil }
    ) {
        // What is there now may have been made of what stood there, also where no migration says so.
        let made = comparison.entries.map {
            Change(address: $0.addressAfter, before: $0.before, after: $0.after.value, from: [$0.address], rule: "")
        }
        let values = comparison.entries.flatMap { entry in
            [(entry.before, entry.address), (entry.after, entry.addressAfter)].compactMap { state, address in
                state.value.map { (value: $0, address: address) }
            }
        }
        let facts = [comparison.plan?.facts].compactMap(\.self), read = comparison.plan?.sources ?? []
        // A fact may be known from the new dump alone.
        let showing = showing.following([comparison.plan].compactMap(\.self), in: left.stores).following(
            made, given: facts, reading: read, in: left.stores
        )
        .following([Change](), given: facts, reading: read, in: right.stores)
        .lookingEverywhere(for: values)
        // A copy of what stayed as it was is as secret as that.
        .lookingEverywhere(
            for: (comparison.entries.isEmpty ? [] : comparison.same).lazy.compactMap { address in
                left.stores.state(at: address).value.map { (value: $0, address: address) }
            }, isApart: true
        )
        .comparing(
            comparison.entries.lazy.map { entry in
                [
                    (entry.before.value, entry.address), (entry.planned?.value, entry.address),
                    (entry.after.value, entry.addressAfter),
                ].compactMap { value, address in value.map { (value: $0, address: address) } }
            })
        (before, after) = (left.part, right.part)
        plan = comparison.plan
        _assumption = OrNull(wrappedValue: comparison.plan.flatMap { assumption($0.storesRead) })
        _migration = OrNull(
            wrappedValue: comparison.plan.map {
                MigrationPart(id: $0.migration, profile: $0.profile.id, facts: FactPart.all($0.facts, showing))
            })
        let effects = Dictionary((comparison.plan?.changes ?? []).map { ($0.address, $0.effect) }) { $1 }
        let filled = Set(comparison.entries.filter { $0.after.value != nil }.map(\.addressAfter.store))
        let lost = Dictionary(
            (comparison.plan?.changes ?? []).lazy.filter { !$0.dropped.isEmpty }.map { ($0.address, $0.dropped) },
            uniquingKeysWith: +)
        entries = comparison.entries.map { entry in
            Entry(
                entry, comparison.plan, effects[entry.address], lost: lost[entry.address] ?? [], filled, showing)
        }
        idle = (comparison.plan?.steps ?? []).filter {
            [.blocked, .failed, .conflict].contains($0.outcome.kind)
        }.map { IdlePart($0, showing) }
        let row = RowSentence.ofLosses(now: left.stores, found: left.stores, showing.masking)
        let losing = (comparison.plan?.steps ?? []).filter { !$0.foundLosses.isEmpty }
        found = losing.map {
            FoundPart(step: $0.id, changes: ChangeParts($0.foundLosses, in: [left.stores], showing))
        }
        remarks = losing.compactMap { planned in
            row.foundLoss(planned.foundLosses, isKept: planned.outcome.kind == .skipped).map {
                Remark(planned.step.title, $0.sentence, planned.outcome.kind, loss: $0.effect)
            }
        }
        stores = comparison.unreadableStores.map { unreadable in
            StorePart(
                address: showing.masking.place(unreadable.store),
                before: unreadable.before.map { UnreadablePart($0, showing) },
                after: unreadable.after.map { UnreadablePart($0, showing) }, isInPart: unreadable.isInPart,
                isOfKeychain: unreadable.store.kind == .keychain)
        }
        same = comparison.same.map(showing.masking.place)
        let marks = comparison.marks
        summary = Named(StoreComparison.Mark.allCases.map { ($0.rawValue, marks[$0] ?? 0) })
        let verdicts = comparison.verdicts
        _verdicts = OrNull(
            wrappedValue: comparison.plan.map { _ in
                Named(StoreComparison.Verdict.allCases.map { ($0.rawValue, verdicts[$0] ?? 0) })
            })
        status = Self.status(comparison)
    }

    /// What did not come as planned before what cannot be read, before steps that fail or wait.
    ///
    /// What is not planned is no failure: an app writes more than a migration does. What a dump never had keeps no answer
    /// from being whole, unless something was planned there.
    private static func status(_ comparison: StoreComparison) -> ExitStatus {
        let verdicts = comparison.verdicts
        if [.differs, .missing].contains(where: { verdicts[$0] ?? 0 > 0 }) { return .checkFailed }
        func isDamage(_ state: EntryState) -> Bool {
            if case .unreadable(let reason) = state {
                reason.cause != .missing && reason.cause != .locked
            } else {
                false
            }
        }
        let isUnread = comparison.entries.contains { entry in
            entry.mark == .unknown && entry.verdict != .asPlanned
                && (entry.planned != nil || isDamage(entry.before) || isDamage(entry.after))
                || entry.verdict == .unknown && entry.planned != nil
        }
        let isStoreUnread = comparison.unreadableStores.contains { store in
            [store.before, store.after].compactMap(\.self).contains { isDamage(.unreadable($0)) }
        }
        if isUnread || isStoreUnread { return .unreadable }
        // Steps that have something to do are what is compared.
        let waiting = comparison.plan?.steps.filter { $0.outcome.kind != .migrates || $0.outcome.isPartial } ?? []
        return .worst(of: waiting.map { ExitStatus($0.outcome) })
    }

    package func write(to document: inout Document) {
        // What stands in no dump is read where nobody knows of which app, and by what, it would be.
        document.heading(told ?? subject)
        if told == nil {
            for (side, dump) in [("before", before), ("after", after)] {
                document.field(side, dump.origin, width: 8, indent: 2)
            }
        }
        let counts = [Self.counts(summary), storeCounts].compactMap(\.self)
        document.line(
            wordCounts == nil ? counts.isEmpty ? nothing : counts.joined(separator: ", ") : self.counts)
        if let verdicts, let counts = Self.counts(verdicts) { document.line("of the plan: \(counts)") }
        if let assumption { document.line(assumption) }
        if lacksKeychain {
            document.line("Neither dump has a keychain: what the app kept there is not compared.")
            document.advice("do", .giveKeychain, indent: 2)
        }
        for counts in valueCounts { document.line("\(counts.side): \(counts.words)") }
        for dump in [before, after] { dump.write(to: &document) }
        if !entries.isEmpty { document.blank() }
        for entry in entries.prefix(Self.shownLimit) { entry.write(to: &document) }
        let more = entries.count - Self.shownLimit
        if more > 0 { document.line("… and \(more) more; --json has all") }
        for store in stores {
            document.blank()
            store.write(to: &document)
        }
        if entries.contains(where: { $0.advice.contains(.tellKeychainGroup) }) {
            document.blank()
            document.line("Of some items nothing says that they are this app's:")
            document.advice("do", .tellKeychainGroup, indent: 2)
        }
        if !remarks.isEmpty {
            document.blank()
            document.line(remarksHeading)
        }
        for remark in remarks {
            document.line(
                [
                    Run((remark.loss?.sign(.unicode) ?? remark.kind.sign(.unicode)).text),
                    Run(" \(remark.words)"),
                ])
        }
        guard let plan, let migration else { return }
        if !idle.isEmpty {
            document.blank()
            document.line("Steps that would do nothing on what was there before:")
        }
        for step in idle {
            step.write(to: &document)
        }
        let guesses = plan.guesses.map(\.rawValue)
        if !guesses.isEmpty {
            document.blank()
            document.line("The plan rests on facts that are only assumed; --fact NAME=VALUE gives another:")
        }
        for fact in migration.facts.all where guesses.contains(fact.name) {
            document.line("\(fact.name) is \(fact.value.words)   \(fact.value.from)", indent: 2)
        }
    }

    /// The report to be handed on: with what made it, and when.
    package func document(madeWith toolVersion: String, at time: Timestamp) -> Document {
        var document = document
        document.blank()
        document.heading("Made with")
        document.line([toolVersion, time.iso8601].compactMap(\.self).joined(separator: ", "), indent: 2)
        return document
    }

    static func counts(_ counts: Named<Int>) -> String? {
        let some = counts.all.filter { $0.value > 0 }.map { name, count in
            let words = ["same": "the same", "differs": count == 1 ? "differs" : "differ"]
            return "\(count) \(words[name] ?? name.replacing("-", with: " "))"
        }
        return some.isEmpty ? nil : some.joined(separator: ", ")
    }
}

extension CompareReport.StorePart {
    /// What stores that are not compared as a whole are called, and so counted and filtered.
    static let kinds = ["not-compared", "compared-in-part"]
    var kind: String { Self.kinds[isInPart ? 1 : 0] }

    /// That not all of it is compared.
    var sentence: String {
        "\(address) is \(isInPart ? "compared only as far as its entries can be listed" : "not compared")"
    }

    /// What lets it be compared: of a keychain an export of it, of all else a dump that has what one lacks.
    private var advice: Advice? {
        guard isOfKeychain else {
            return [before, after].contains { $0?.isMissing ?? false } ? .takeWhole : nil
        }
        if before?.isHelpedByExport ?? false { return .giveKeychain }
        return after?.isHelpedByExport ?? false ? .giveNewKeychain : nil
    }

    func write(to document: inout Document) {
        document.line("? \(sentence)", role: .problem)
        for (label, reason) in [("before", before), ("after", after)] {
            if let reason { document.field(label, reason.explanation, width: 9, indent: 4) }
        }
        if let advice { document.advice("do", advice, indent: 4) }
        for reason in [before, after].compactMap(\.self) { document.advice(on: reason, indent: 4) }
    }
}

extension CompareReport.IdlePart {
    func write(to document: inout Document) {
        document.row([(kind.sign(.unicode).text, 1), (step, 20)], outcome)
        if let reason { document.field("why", reason.sentence) }
    }
}

extension CompareReport.Entry {
    fileprivate init(
        _ entry: StoreComparison.Entry, _ plan: Plan?, _ effect: ValueEffect?, lost: [Address],
        _ stores: Set<StoreID>, _ showing: Showing
    ) {
        let at = entry.address, place = entry.addressAfter
        let sources = (entry.planned?.sources.map(\.address) ?? []) + (at == place ? [at] : [at, place])
        let masking = showing.masking
        (address, key, keyAfter) = (masking.place(at), masking.label(at), masking.label(place))
        self.effect = lost.isEmpty ? effect : .dropped
        _addressAfter = OrNull(wrappedValue: at == place ? nil : masking.place(place))
        self.place = at
        isUnassigned = at.store.isUnassigned || place.store.isUnassigned
        mark = entry.mark.rawValue
        steps = entry.planned?.steps ?? []
        from = (entry.planned?.sources ?? []).map { source in
            CompareReport.SourcePart(
                source.address, StatePart(source.state, at: source.address, from: [at], showing), masking)
        }
        // A secret on one side would be told by the others.
        before = StatePart(entry.before, at: at, from: sources, showing)
        after = StatePart(entry.after, at: place, from: sources, showing)
        dropped = lost.map { DroppedPart(address: masking.place($0)) }
        if let planned = entry.planned, planned.sources.isEmpty {
            factWords = plan?.steps.first { $0.id == planned.steps.last }?.step.factWords(of: at)
        }
        _planned = OrNull(wrappedValue: entry.planned?.value.map { showing($0, at: at, from: sources) })
        isPlanned = entry.planned != nil
        _verdict = OrNull(wrappedValue: entry.verdict?.rawValue)
        _forms = OrNull(wrappedValue: nil)
        if case .otherForm(let before, let after)? = entry.forms {
            _forms = OrNull(wrappedValue: CompareReport.FormsPart(before: before, after: after))
        }
        let quoted = sources + (entry.idle?.quoted ?? [])
        _sentence = OrNull(wrappedValue: entry.sentence(plan, stores).map { masking.sentence($0, of: quoted) })
        let left = isPlanned ? entry.planned?.value : entry.before.value
        let secrets = [left, entry.after.value].map { $0.flatMap(KeychainItem.init)?.data }
        isSameSecret = secrets[0] != nil && secrets[0] == secrets[1]
        let right = entry.after.value
        // What came or went as a whole came or went with its parts.
        let hasParts =
            [left, right].compactMap(\.self).allSatisfy { $0.hasParts(within: DecodingBudget()) }
            && (left ?? right) != nil
        let areBoth = left != nil && right != nil
        let comparison = ShownComparison(
            before: (left, at), after: (right, place), sources: sources,
            titles: (isPlanned ? "planned" : "before", "after"),
            placeholders: [], showing: showing)
        inside = hasParts && entry.verdict != .asPlanned && (areBoth || entry.mark != .unknown) ? comparison : nil
        beside = areBoth && left != right && entry.verdict != .asPlanned ? comparison : nil
    }

    /// One character for what became of the entry.
    func sign(_ glyphs: Glyphs) -> Run {
        switch verdict ?? "" {
        case StoreComparison.Verdict.asPlanned.rawValue: return Outcome.Kind.appliedSign(glyphs)
        case StoreComparison.Verdict.differs.rawValue, StoreComparison.Verdict.missing.rawValue:
            return Outcome.Kind.failed.sign(glyphs)
        case StoreComparison.Verdict.unknown.rawValue: return Run("?", .warning)
        default:
            let mark: Comparison.Mark
            switch StoreComparison.Mark(rawValue: self.mark) {
            case .added: mark = .added
            case .removed: mark = .removed
            case .changed: mark = .changed
            case .same: return Run("=", .dim)
            case .unknown, nil: return Run("?", .warning)
            }
            return Run(mark.sign, mark.role)
        }
    }

    /// - Parameters:
    ///   - isAlone: Whether its address stands over it, and all is told.
    ///   - isProse: Whether it is to be read as a sentence, which has no signs.
    ///   - inFull: Whether also what is more than a few words.
    func write(
        to document: inout Document, isAlone: Bool = false, isProse: Bool = false, inFull: Bool = false
    ) {
        let isAsPlanned = verdict == StoreComparison.Verdict.asPlanned.rawValue
        let word = self.word ?? (verdict ?? mark).replacing("-", with: " ")
        if isAlone {
            document.line([sign(.unicode), Run(" " + word)])
        } else {
            let value = isAsPlanned ? "  " + (planned.map(\.summary) ?? "gone") : ""
            document.row([(sign(.unicode).text, 1), (word, 11)], address + value)
            if isAsPlanned { return writeDropped(to: &document) }
        }
        for source in from { document.field("from", "\(source.address)  \(source.before.words)", width: 9, indent: 4) }
        if let compared = isAlone && !isProse ? words(of: beside) : nil {
            if isPlanned, before.name != "absent" { document.field(titles.before, beforeWords, width: 9, indent: 4) }
            document.comparison(compared)
        } else if isTold(once: before.words) {
            document.field("both", before.words, width: 9, indent: 4)
        } else {
            if !isPlanned || before.name != "absent" { document.field(titles.before, beforeWords, width: 9, indent: 4) }
            if isPlanned { document.field("planned", plannedWords, width: 9, indent: 4) }
            document.field(titles.after, afterWords, width: 9, indent: 4)
        }
        writeDropped(to: &document)
        writeFates(to: &document)
        for advice in advice where isAlone || advice != .tellKeychainGroup {
            document.advice("do", advice, indent: 4)
        }
        if let sentence { document.field("why", sentence, width: 9, indent: 4) }
        if isAlone, !steps.isEmpty { document.field("by", steps.joined(separator: ", "), width: 9, indent: 4) }
        if inFull {
            writeInFull(to: &document)
        } else {
            document.parts(inside, inWords: isProse ? isPlanned ? ("planned", "after") : titles : nil)
        }
    }

    private func writeFates(to document: inout Document) {
        func write(_ words: String, _ isLoss: Bool) {
            document.field("effect", words, role: isLoss ? .problem : .text, width: 9, indent: 4)
        }
        if let before = fates.before, before == fates.after {
            return write("\(before.full), either way", before.isLoss)
        }
        for (title, fate) in [(titles.before, fates.before), (titles.after, fates.after)] {
            if let fate { write("\(title) \(fate.full)", fate.isLoss) }
        }
    }

    private func writeDropped(to document: inout Document) {
        for part in dropped { document.field("drops", part.address, role: .problem, width: 9, indent: 4) }
    }

    /// The values of more than a few words, to their ends; two that differ stand beside each other, and what both have is counted.
    private func writeInFull(to document: inout Document) {
        let isAsPlanned = verdict == StoreComparison.Verdict.asPlanned.rawValue
        let isUnchanged = mark == StoreComparison.Mark.same.rawValue && forms == nil && before.value != nil
        var sides: [(String, ShownValue?)] = [
            (titles.before, before.value), ("planned", isAsPlanned ? nil : planned),
            (titles.after, isUnchanged ? nil : after.value),
        ]
        let left = isPlanned ? planned : before.value
        if words(of: beside) == nil, var beside,
            [left, after.value].contains(where: { $0?.isMoreThanSummary ?? false })
        {
            document.blank()
            if !isPlanned { beside.titles = titles }
            document.comparison(beside)
            sides = isPlanned ? [(titles.before, before.value)] : []
        }
        for case (let title, let value?) in sides where value.isMoreThanSummary {
            document.blank()
            document.heading(title)
            document.value(value)
        }
    }

    /// Two texts of several words, of which those that differ are to be seen.
    private func words(of comparison: ShownComparison?) -> ShownComparison? {
        guard var comparison, case .string(let one)? = comparison.before.value,
            case .string(let other)? = comparison.after.value, inside == nil
        else { return nil }
        let counts = [one, other].map { $0.split { !$0.isLetter && !$0.isNumber }.count }
        if !isPlanned { comparison.titles = titles }
        return counts.allSatisfy { $0 > 1 } ? comparison : nil
    }

    /// Whether both sides say the same: what neither can tell, and an item that is in another place only.
    private func isTold(once words: String) -> Bool {
        let isSame = mark == StoreComparison.Mark.same.rawValue && forms == nil
        return !isPlanned && (isSame || before.name == "unreadable") && words == after.words
    }

    /// What lets it be read, or says whose it is.
    fileprivate var advice: [Advice] {
        var all = [before, after].compactMap { state in
            if case .unreadable(let reason) = state { reason.advice } else { nil }
        }
        if isUnassigned { all.append(.tellKeychainGroup) }
        return all.count == 2 && all[0] == all[1] ? [all[0]] : all
    }

    /// What was there, and what should have come: where something was planned, that is what differs from what came.
    var beforeWords: String { isPlanned ? before.words : words.left }
    var plannedWords: String { words.left }

    /// What is there now; of two secrets that look alike and differ, that it is another one.
    var afterWords: String { words.right }

    /// What should be there, or was, and what is, each so that it does not look like the other where it is another.
    private var words: (left: String, right: String) {
        let left = isPlanned ? planned : before.value
        let isAlike =
            isSameSecret
            || (isPlanned
                ? verdict == StoreComparison.Verdict.asPlanned.rawValue : mark == StoreComparison.Mark.same.rawValue)
        guard let left, let right = after.value, !isAlike else {
            return (isPlanned ? left?.summary ?? "nothing" : before.words, after.words)
        }
        return ShownValue.told(left, right)
    }
}

extension StatePart {
    /// What stands there, where that is known.
    var value: ShownValue? { if case .present(let value) = self { value } else { nil } }

    /// What is known of the entry, in a few words.
    var words: String {
        switch self {
        case .absent: "nothing"
        case .present(let value): value.summary
        case .unreadable(let reason):
            "cannot be read: \(reason.explanation)"
                + (reason.candidates.map { ": " + $0.map(\.words).joined(separator: " | ") } ?? "")
        }
    }
}
