import Foundation
import MigrationEngine
import StoreFormats

/// What one answer may show: whether secrets are among it, and how much it may decode.
package struct Showing: Sendable {
    /// Whether secrets are shown.
    package private(set) var masking: Masking
    /// What may be decoded and looked through.
    let budget: AnswerBudget

    /// - Parameter budget: What the answer may decode; where neither it nor the masking has one, it is a new one.
    package init(_ masking: Masking = Masking(), within budget: AnswerBudget? = nil) {
        self.budget = budget ?? masking.budget ?? AnswerBudget()
        self.masking = masking.within(self.budget)
    }

    /// The same of an app of whose entries migrations know which are secret, within the same budget.
    func knowing(_ secrecy: EntrySecrecy) -> Showing {
        var other = self
        other.masking.secrecy.note(secrecy)
        return other
    }

    /// The same of an answer that tells of changes, each on what the ones before it leave.
    ///
    /// - Parameters:
    ///   - facts: What they are given.
    ///   - read: What steps read, whatever comes of it.
    ///   - stores: The stores as the dump has them.
    func following(
        _ changes: some Sequence<Change>, given facts: [Facts], reading read: [Address], in stores: any StoreReader
    ) -> Showing {
        var other = self
        for facts in facts { other.masking.origins.follow([Change](), given: facts, in: stores, masking) }
        other.masking.origins.follow(changes, reading: read, in: stores, masking)
        return other
    }

    /// The same of an answer that tells of plans.
    ///
    /// - Parameter stores: The stores as the dump has them.
    func following(_ plans: some Sequence<Plan>, in stores: any StoreReader) -> Showing {
        var other = self
        for plan in plans { other.masking.origins.follow(plan, in: stores, masking) }
        return other
    }

    /// The same of an answer that tells of steps that were applied.
    func following(_ steps: [AppliedStep], given facts: [Facts], in stores: any StoreReader) -> Showing {
        var other = following([Change](), given: facts, reading: [], in: stores)
        other.masking.origins.follow(steps, given: Facts(), in: stores, masking)
        return other
    }

    /// The same of an answer that tells of entries of the ledger, whether they stand or not.
    func telling(of entries: some Sequence<LedgerEntry>) -> Showing {
        var other = self
        other.masking.origins.note(makers: entries)
        return other
    }

    /// The same of an answer in which the secrets in some values may stand anywhere.
    ///
    /// - Parameter isApart: Whether that is not of what the answer may look into.
    func lookingEverywhere(
        for values: some Sequence<(value: Value, address: Address)>, isApart: Bool = false
    ) -> Showing {
        var other = self
        other.masking.origins.lookEverywhere(for: values, isApart ? masking.within(AnswerBudget()) : masking)
        return other
    }

    /// The same of an answer in which values stand beside one another: what is masked in one of them is in all, and in copies.
    func comparing(_ groups: some Sequence<[(value: Value, address: Address)]>) -> Showing {
        var other = self, changed: [(value: Value, address: Address)] = []
        for group in groups {
            var places: [JSONPointer] = []
            for (index, one) in group.enumerated() {
                for beside in group[(index + 1)...] { places += masking.oneSided(one, beside) }
            }
            guard !places.isEmpty else { continue }
            for (_, address) in group {
                other.masking.secrecy.note(places.map(address.appending), isSecret: true)
            }
            changed += group
        }
        return changed.isEmpty ? self : other.lookingEverywhere(for: changed)
    }

    func callAsFunction(_ value: Value, at address: Address, from sources: [Address] = []) -> ShownValue {
        // A keychain item tells what it holds first, whatever the order in its export.
        ShownValue(value: KeychainWords.ordered(value, at: address), address: address, sources: sources, showing: self)
    }

    /// A sentence, which may quote values.
    func sentence(_ text: String) -> String { masking.sentence(text) }

    /// The rule of a step: that of a spec may quote what it writes.
    func rule(of planned: PlannedStep) -> String {
        let changes = planned.shownChanges + planned.found + [planned.conflict].compactMap(\.self)
        return masking.rule(
            planned.rule, on: planned.shownChanges.prefix(10),
            at: planned.quoted + [planned.step.target].compactMap(\.self) + changes.flatMap { [$0.address] + $0.from })
    }

    /// Why a step does what it does.
    ///
    /// A fact that one is asked to say, or to agree to, is shown unless it is known to be secret: masked, nobody could
    /// answer.
    ///
    /// - Parameter sources: What the step reads: a quoted value is as secret as the entry that it may be of.
    package func sentence(_ reason: Reason, of sources: [Address]) -> String {
        masking.sentence(reason.sentence, of: sources, isOfFacts: reason.isOfFacts)
    }

    /// A note on a change; what it quotes is as secret as the entry and what that was made from, but for what a default
    /// made up.
    package func note(_ text: String, on change: Change) -> String {
        guard !masking.isRevealing else { return masking.sentence(text, of: []) }
        let places = [change.address] + change.from
        func told(_ text: String) -> String {
            let isKeychain = change.address.store.kind == .keychain
            return masking.sentence(isKeychain ? Secrets.masked(quotesIn: text) : text, of: places)
        }
        for pointer in change.placeholders {
            guard let made = try? change.after?.part(at: pointer) else { continue }
            let phrase = made.jsonText
            guard text.utf8.count > phrase.utf8.count, text.hasSuffix(phrase) else { continue }
            let isHidden = masking.hides(madeUp: made, at: change.address.appending(pointer), from: change.from)
            return told(String(text.dropLast(phrase.count))) + (isHidden ? Secrets.placeholder(made) : phrase)
        }
        return told(text)
    }
}

/// A value of a report: what it is, where, and what it was made from, which decide what of it may be shown.
///
/// Its JSON is `{"type", "value"}`. The type is string, integer, real, bool, date, data, array, dictionary, set, null or
/// uid, and of a decoded keyed archive also object (with `"class"`) and reference (with the number of the object that it
/// is in). Data is base64. A date is ISO 8601 in UTC; outside of the years 1 to 9999 its value is null and
/// `"secondsSinceReference"` has its number as text. An integer is a JSON number of up to 128 bits. A real that is not a
/// number is text: `"nan"`, `"inf"`. A dictionary that has a key twice names it in `"duplicateKeys"`. Where the bytes hold
/// another format there is `"decoded": {"format", "value"}`, with `"formats"`, the outermost first, where there are
/// several, or `"notDecoded"`, a sentence, where that is over the limits of one answer. In place of its value a secret has
/// `"masked": true`, and its `"length"` where it has one, and `"notSearched": true` where it is masked only because
/// looking for secrets in it is over those limits; a key that is secret by its shape is masked in its text.
package struct ShownValue: Encodable, Sendable {
    let value: Value
    let address: Address
    let sources: [Address]
    let showing: Showing

    /// The value as a tree: a line for each part, texts to their ends, and data as its bytes.
    var treeLines: [TreeLine] { treeLines(withBytes: true) }

    /// The same; on a pane data is its size, as its bytes would fill it.
    func treeLines(withBytes: Bool) -> [TreeLine] {
        showing.masking.treeLines(of: value, at: address, from: sources, inFull: true, withBytes: withBytes)
    }

    /// Whether a few words do not say all of it.
    var isMoreThanSummary: Bool {
        let lines = treeLines(withBytes: false)
        return lines.count > 1 || lines.first.map { !summary.contains($0.text) } ?? false
    }

    /// What the value is, in a word or two.
    var typeName: String { KeychainWords.isItem(value, at: address) ? "keychain item" : value.typeName }

    /// The value in a few words.
    package var summary: String { showing.masking.summary(of: value, at: address, from: sources) }

    /// Both values in a few words; where they differ and what stands in their place does not, told as different.
    static func toldIfMasked(_ left: ShownValue, _ right: ShownValue) -> (left: String, right: String) {
        let texts = (left: left.summary, right: right.summary)
        return texts.left == texts.right && Masking.isMasked(texts.left) ? told(left, right) : texts
    }

    /// Both values in a few words; where they differ and look alike, with what tells them apart, unless that is masked or their
    /// parts are told.
    static func told(_ left: ShownValue, _ right: ShownValue) -> (left: String, right: String) {
        let texts = [left, right].map { $0.showing.masking.shown($0.value, at: $0.address, from: $0.sources) }
        // Of an item of the keychain what it holds is told.
        let values = [left, right].map { side in
            KeychainItem(side.value).map { Value.data($0.data) } ?? side.value
        }
        guard values[0] != values[1] else { return (texts[0].text, texts[1].text) }
        guard !texts.contains(where: \.isMasked),
            !values.contains(where: { $0.hasParts(within: left.showing.budget.show) })
        else { return Secrets.toldApart(texts[0].text, texts[1].text) }
        var budget = TextDifference.Budget()
        return Value.toldApart((values[0], texts[0].text), (values[1], texts[1].text), context: 8, &budget)
    }

    package func encode(to encoder: any Encoder) throws {
        // Only `ReportEncoder` writes reports, and it asks for `write` itself.
        var container = encoder.singleValueContainer()
        try container.encode(summary)
    }

    /// Writes the value, each part of it once.
    func write(to sink: JSONSink, depth: Int) throws {
        let writer = Writer(sink: sink, masking: showing.masking)
        let context = showing.masking.context(of: address, from: sources)
        try writer.write(value, context, indent: depth, level: 0, showing.budget)
    }

    private struct Writer {
        let sink: JSONSink
        let masking: Masking

        /// Writes a value with its parts.
        ///
        /// - Parameter isPublic: Whether a search through what it lies in has found no secret: then it is not searched again.
        func write(
            _ value: Value, _ context: SecretContext, indent: Int, level: Int, _ budget: AnswerBudget,
            isPublic: Bool = false
        ) throws {
            sink.append("{")
            try sink.next(isFirst: true, depth: indent + 1)
            sink.append("\"type\": \"\(value.typeName)\"")
            func field(_ name: String) throws {
                try sink.next(isFirst: false, depth: indent + 1)
                sink.append("\"\(name)\": ")
            }
            defer { sink.end("}", isEmpty: false, depth: indent) }
            guard level < Secrets.depthLimit else {
                try field("tooDeep")
                return sink.append("true")
            }
            func members(_ members: Members, _ context: SecretContext) throws {
                try field("value")
                sink.append("{")
                let parts = SecretParts(members)
                var hidden: [Name: Int] = [:]
                for (index, member) in members.enumerated() {
                    try sink.next(isFirst: index == 0, depth: indent + 2)
                    var key = masking.written(key: member.key)
                    if key != member.key.text {
                        // Two keys that look alike where they are masked are still two.
                        hidden[Name(key), default: 0] += 1
                        if let count = hidden[Name(key)], count > 1 { key += " no. \(count)" }
                    }
                    sink.quote(key)
                    sink.append(": ")
                    let inner = context.entering(
                        member.key.text, isSecret: parts.isSecret(member.key, member.value))
                    try write(
                        member.value, inner, indent: indent + 2, level: level + 1, budget, isPublic: isPublic)
                }
                sink.end("}", isEmpty: members.isEmpty, depth: indent + 1)
            }
            func elements(_ elements: [Value], isPublic: Bool) throws {
                try field("value")
                sink.append("[")
                let parts = SecretParts(elements)
                for (index, element) in elements.enumerated() {
                    try sink.next(isFirst: index == 0, depth: indent + 2)
                    let inner = context.entering(
                        element: Name("\(index)"), isSecret: parts.isSecret(at: index, element))
                    try write(
                        element, inner, indent: indent + 2, level: level + 1, budget, isPublic: isPublic)
                }
                sink.end("]", isEmpty: elements.isEmpty, depth: indent + 1)
            }
            switch value {
            case .array(let all): try elements(all, isPublic: isPublic)
            // What an element of a set says of another one, a search does not ask.
            case .set(let set): try elements(set.elements, isPublic: false)
            case .dictionary(let all):
                let inner =
                    masking.isRevealing || isPublic
                    ? context : context.entering(archive: value, depth: level, within: budget.search)
                try members(all, inner)
                let twice = all.duplicateKeys
                if !twice.isEmpty {
                    try field("duplicateKeys")
                    try ReportEncoder.write(twice.map(masking.written(key:)), to: sink, depth: indent + 1)
                }
            case .object(let object):
                try field("class")
                sink.quote(object.className)
                try members(object.fields, context)
            case .string, .data:
                let recognition = value.recognition(within: budget.show), before = budget.search.refusals
                let isSecret =
                    !masking.isRevealing && (!isPublic || recognition?.isOverBudget == true)
                    && Secrets.isSecret(
                        scalar: value, context, recognition: recognition, depth: level, within: budget.search)
                if isSecret { try mask(value, field) } else { try scalar(value, field) }
                if isSecret, budget.search.refusals > before {
                    try field("notSearched")
                    sink.append("true")
                }
                guard masking.isRevealing || !context.isKeychain, let recognition else { return }
                if let decoded = recognition.decoded {
                    try field("decoded")
                    sink.append("{")
                    try sink.next(isFirst: true, depth: indent + 2)
                    sink.append("\"format\": ")
                    sink.quote(decoded.formats.last?.rawValue ?? "")
                    if decoded.formats.count > 1 {
                        try sink.next(isFirst: false, depth: indent + 2)
                        sink.append("\"formats\": ")
                        try ReportEncoder.write(decoded.formats.map(\.rawValue), to: sink, depth: indent + 2)
                    }
                    try sink.next(isFirst: false, depth: indent + 2)
                    sink.append("\"value\": ")
                    try write(
                        decoded.value, context, indent: indent + 2, level: level + 1, budget.inner,
                        isPublic: !isSecret)
                    sink.end("}", isEmpty: false, depth: indent + 1)
                } else if recognition.isOverBudget, let problem = recognition.problem {
                    try field("notDecoded")
                    sink.quote("\(problem)")
                }
                return
            default:
                let isSecret =
                    !masking.isRevealing && !isPublic
                    && Secrets.holdsSecret(value, context, depth: level, within: budget.search)
                if isSecret { try mask(value, field) } else { try scalar(value, field) }
            }
        }

        private func mask(_ value: Value, _ field: (String) throws -> Void) throws {
            try field("masked")
            sink.append("true")
            guard let length = Secrets.length(of: value) else { return }
            try field("length")
            sink.append("\(length)")
        }

        private func scalar(_ value: Value, _ field: (String) throws -> Void) throws {
            try field("value")
            switch value {
            case .null: sink.append("null")
            case .bool(let flag): sink.append(flag ? "true" : "false")
            case .integer(let integer): sink.append(String(integer))
            case .real(let real):
                if case .literal(let text) = real.form {
                    sink.append(text)
                } else if real.value.isFinite {
                    sink.append("\(real.value)")
                } else {
                    sink.quote("\(real.value)")
                }
            case .string(let text): sink.quote(text)
            case .data(let data): sink.quote(data.base64EncodedString())
            case .date(let date):
                if let text = date.iso8601 { return sink.quote(text) }
                sink.append("null")
                try field("secondsSinceReference")
                sink.quote("\(date.secondsSinceReference)")
            case .uid(let number): sink.append(String(number))
            case .reference(let number): sink.append(String(number))
            case .array, .dictionary, .set, .object: break
            }
        }
    }
}
