import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import Workspace

extension ApplicableMigrations {
    /// What migrations say of the entries: which are secret, and, of those that apply, which are not.
    ///
    /// A spec that does not apply, or of which that is unknown, says nevertheless what a person holds to be secret.
    package func secrecy(in stores: any StoreReader, given facts: Facts) -> EntrySecrecy {
        var secrecy = EntrySecrecy()
        for migration in applying { secrecy.note(migration, given: migration.factsKnown(in: stores, given: facts)) }
        for migration in unknown.map(\.migration) + others where migration.isEdited {
            secrecy.note(secretsOf: migration, given: migration.factsKnown(in: stores, given: facts))
        }
        return secrecy
    }
}

extension EntrySecrecy {
    /// Takes in what a migration says of the entries.
    package mutating func note(_ migration: any Migration, given known: Facts) {
        note(migration.publicEntries(facts: migration.sketching(known)), isSecret: false)
        note(secretsOf: migration, given: known)
        if let writing = migration as? any WritingMigration { note(written: writing.written) }
    }

    /// Takes in what a migration says is secret.
    mutating func note(secretsOf migration: any Migration, given known: Facts) {
        let sketched = migration.sketching(known)
        note(migration.secretEntries(facts: sketched), isSecret: true)
        // Where nobody knows a name, a secret may be wherever that may lead, and not in a sketch alone.
        if sketched != known { note(migration.secretEntries(facts: known), isSecret: true) }
    }

    /// What migrations say of the entries of containers to which they apply, and of facts.
    package init(
        of migrations: [any Migration], in containers: [Container], given facts: Facts,
        isCancelled: () -> Bool = { false }
    ) {
        self.init()
        note(naming: migrations.flatMap(\.facts))
        for container in containers {
            let facts = facts.completed(by: container.facts)
            let found = ApplicableMigrations(
                among: migrations, in: container, facts: facts, isCancelled: isCancelled)
            note(found.secrecy(in: container, given: facts))
        }
    }
}

/// What the places say that entries were made from, shared by the copies of a masking that say the same of them.
private final class KnownContexts: Sendable {
    /// Places that say together what they say of one.
    struct Places: Hashable {
        enum Role { case sources, beside, besideParts }
        let place: Address
        /// What they are to it: what it was made from, what it is told beside, or what its parts are.
        let role: Role
    }

    private let contexts = Mutex<[Places: SecretContext]>([:])
    /// How many are kept.
    private static let limit = 1 << 14

    func context(of places: Places, _ make: () -> SecretContext) -> SecretContext {
        if let known = contexts.withLock({ $0[places] }) { return known }
        let made = make()
        contexts.withLock { if $0.count < Self.limit { $0[places] = made } }
        return made
    }
}

/// Whether secrets are shown, and what stands in their place where they are not.
package struct Masking: Sendable {
    /// Whether secrets are shown.
    package var isRevealing: Bool
    /// What migrations say of entries, whatever their keys say.
    package var secrecy: EntrySecrecy { didSet { contexts = KnownContexts() } }
    /// What entries were made from: they are as secret as that.
    package var origins: SecretOrigins { didSet { contexts = KnownContexts() } }
    /// What is known already of what entries were made from.
    private var contexts = KnownContexts()
    /// What may be decoded and looked through; `nil` is a budget for each value.
    package private(set) var budget: AnswerBudget?

    /// Makes a choice.
    package init(
        isRevealing: Bool = false, secrecy: EntrySecrecy = EntrySecrecy(), origins: SecretOrigins = SecretOrigins()
    ) {
        self.isRevealing = isRevealing
        self.secrecy = secrecy
        self.origins = origins
    }

    /// What an answer on an app may show: what the migrations that apply say of the entries, and what those were made from.
    ///
    /// - Parameter found: Those that apply, where that is known.
    package init(
        of snapshot: WorkspaceSnapshot, among migrations: [any Migration], found: ApplicableMigrations? = nil,
        isRevealing: Bool = false, isCancelled: () -> Bool = { false }
    ) {
        let found = found ?? snapshot.applicableMigrations(among: migrations, isCancelled: isCancelled)
        self.init(
            isRevealing: isRevealing, secrecy: found.secrecy(in: snapshot.container, given: snapshot.facts))
        secrecy.note(naming: migrations.flatMap(\.facts))
        secrecy.note(snapshot.history, among: migrations, in: snapshot.stores)
        origins = SecretOrigins(
            of: snapshot.history, outdated: snapshot.outdated, among: migrations, in: snapshot.stores, self)
    }

    /// The same for one answer, whose values share a budget.
    package func within(_ budget: AnswerBudget) -> Masking {
        var other = self
        other.budget = budget
        return other
    }

    /// What stands in place of a secret, or `nil` where the value may be shown.
    ///
    /// A container is shown: in a few words it is its keys, and its parts are asked for one by one. A value is as secret as
    /// the entries that it was made from.
    ///
    /// Of a large text its beginning is looked into, and of large data its size is shown: no more of them is.
    package func placeholder(for value: Value, at address: Address, from sources: [Address] = []) -> String? {
        placeholder(for: value, at: address, from: sources, within: budget ?? AnswerBudget())
    }

    private func placeholder(
        for value: Value, at address: Address, from sources: [Address], within budget: AnswerBudget
    ) -> String? {
        guard !isRevealing, !value.isShownInParts(within: budget.show) else { return nil }
        return placeholder(
            for: value, lookingAt: value.isLarge ? value.beginning : value,
            in: context(of: address, from: sources), within: budget)
    }

    /// What stands in place of a value that is, or holds, a secret.
    ///
    /// - Parameter looked: What is looked at of it.
    func placeholder(
        for value: Value, lookingAt looked: Value, in context: SecretContext, within budget: AnswerBudget
    ) -> String? {
        let before = budget.search.refusals
        guard Secrets.holdsSecret(looked, context, depth: 0, within: budget.search) else { return nil }
        if budget.search.refusals > before { return Secrets.unsearched(value) }
        return (context.isPlain(value) ? Secrets.closedPlaceholder(value) : nil) ?? Secrets.placeholder(value)
    }

    /// What stands in place of a part of a value that is shown part by part, or `nil` where it may be shown.
    ///
    /// - Parameter context: What the place of the part says of it.
    private func placeholder(
        for part: Value, in context: SecretContext, within budget: AnswerBudget
    ) -> String? {
        guard !isRevealing, !part.hasParts(within: budget.show) else { return nil }
        return placeholder(for: part, lookingAt: part, in: context, within: budget)
    }

    /// What the place of a value says of it; a value is as secret as the entries that it was made from: those that are named, what
    /// these were made from, and what its own entry was made from, or is told beside.
    func context(of address: Address, from sources: [Address] = []) -> SecretContext {
        // What stands beside a part may say that it is secret, as a name beside its value does.
        let named = sources + (address.pointer.isRoot ? [] : [address.entry])
        var context = SecretContext(address, secrecy)
        context.know(origins.secrets(anywhereIn: address.entry))
        // Of what the entry was made from most is named, and joined already.
        let own = origins.sources(of: address.entry)
        context.join(joined(named.lazy.filter { !own.contains($0) }))
        for entry in Set(named.lazy.map(\.entry)).union([address.entry]) {
            context.join(joined(origins.sources(of: entry), as: .init(place: entry, role: .sources)))
        }
        for place in address.around + [address] {
            context.join(joined(origins.others(beside: place), as: .init(place: place, role: .beside)))
        }
        context.join(besideParts(of: address))
        return context
    }

    /// What places say together of what is made from them.
    private func joined(_ places: some Sequence<Address>) -> SecretContext {
        var context = SecretContext(), entries: Set<Address> = []
        for place in places {
            context.join(SecretContext(place, secrecy))
            entries.insert(place.entry)
        }
        context.know(entries.flatMap(origins.secrets(in:)))
        return context
    }

    /// The same of those of which a document may have many, and each of its parts is asked for by itself.
    private func joined(_ places: Set<Address>, as known: KnownContexts.Places) -> SecretContext {
        places.isEmpty ? SecretContext() : contexts.context(of: known) { joined(places) }
    }

    /// What is said of the parts of a value by what those are told beside.
    private func besideParts(of address: Address) -> SecretContext {
        guard origins.tellsParts(of: address) else { return SecretContext() }
        return contexts.context(of: .init(place: address, role: .besideParts)) {
            SecretContext(of: PartContexts(origins.besideParts(of: address), joined))
        }
    }

    /// A value in a few words.
    package func summary(of value: Value, at address: Address, from sources: [Address] = []) -> String {
        shown(value, at: address, from: sources).text
    }

    /// A value in a few words, of a keychain item what it holds, and whether that is masked.
    func shown(_ value: Value, at address: Address, from sources: [Address] = []) -> (text: String, isMasked: Bool) {
        if KeychainWords.isItem(value, at: address), let secret = value.members?[KeychainItem.dataKey] {
            return shown(secret, at: address.appending(JSONPointer([KeychainItem.dataKey])), from: sources)
        }
        let budget = budget ?? AnswerBudget()
        if let placeholder = placeholder(for: value, at: address, from: sources, within: budget) {
            return (placeholder, true)
        }
        return (row(value, at: address, from: sources) ?? value.summary(key: key, within: budget.show), false)
    }

    /// A row of a table by what its columns hold, as its columns are those of all rows; without those that its key tells
    /// already, that hold nothing, or that Core Data keeps for itself, unless nothing else is there.
    private func row(_ value: Value, at address: Address, from sources: [Address]) -> String? {
        guard address.store.kind == .sqlite, address.pointer.isRoot, value.members != nil else { return nil }
        // What lies in a column takes no line, and no room from the others.
        let lines = treeLines(
            of: value, at: address, from: sources, withBytes: false, limit: Self.shownColumns + 1, levels: 1)
        let own: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"], columns = lines.filter { $0.depth == 1 }
        // Of two columns that hold the same nothing says here which is the key, nor whether a number is that of the row.
        let key = address.key.flatMap { Int64($0.text) == nil ? "\"\($0.text.spelled)\"" : nil }
        let isTold = columns.count { $0.text == key } == 1
        let others = columns.filter { $0.key.map(own.contains) == false && !(isTold && $0.text == key) }
        let told = others.filter { $0.text != "null" }
        guard let shown = [told, others, columns].first(where: { !$0.isEmpty }) else { return nil }
        let more = lines.count > Self.shownColumns + 1 ? ", …" : ""
        return "{" + shown.map { "\($0.key ?? ""): \($0.text)" }.joined(separator: ", ") + more + "}"
    }

    /// How many columns of a row are looked at for a line.
    private static let shownColumns = 64

    /// A key of a dictionary within a value.
    func key(_ key: Name) -> String {
        isRevealing ? key.text.spelled : Secrets.masked(key: key.text, \.spelled)
    }

    /// The same as it is written, for JSON.
    func written(key: Name) -> String { isRevealing ? key.text : Secrets.masked(key: key.text) }

    /// A pointer, with its keys as they are shown.
    package func place(_ pointer: JSONPointer) -> String {
        JSONPointer(pointer.tokens.map { Name(key($0)) }).description
    }

    /// An address, with what is secret in its names and in the keys on the way to a part masked: it cannot be opened by them.
    package func place(_ address: Address) -> String {
        guard !isRevealing else { return "\(address)" }
        let shown = JSONPointer(address.pointer.tokens.map { Name(written(key: $0)) }).description
        if shown == address.pointer.description { return addresses(in: "\(address)") }
        return "\(addresses(in: "\(address.entry)"))#\(shown)"
    }

    /// The same of one in which a name in braces may stand for a fact that nobody has given.
    func place(_ address: Address, isSketch: Bool) -> String {
        let place = place(address)
        return isSketch ? place.replacing("%7B", with: "{").replacing("%7D", with: "}") : place
    }

    /// Whether something stands in a text in place of a secret.
    package static func isMasked(_ text: String) -> Bool {
        // Most texts are ASCII, which is told at once.
        !text.utf8.allSatisfy { $0 < 0x80 } && text.contains(Secrets.mark)
    }

    /// What is shown of a value beside another one: where both look alike, end in what stands in place of a secret, and differ, it
    /// says so.
    package static func toldApart(_ text: String, of value: Value, from other: String, of others: Value) -> String {
        guard other.hasPrefix(Secrets.mark), text.hasSuffix(other) else { return text }
        // Of an item of the keychain what it holds is told.
        let values = [value, others].map { value in KeychainItem(value).map { .data($0.data) } ?? value }
        return values[0] == values[1] ? text : "\(text.dropLast(other.count))\(Secrets.another(other))"
    }

    /// A text that ends in what stands in place of a secret, whole and with less and less of what is said of that.
    package static func shorterForms(of text: String) -> [String] {
        guard text.hasSuffix("›"), let start = text.range(of: "‹", options: .backwards)?.lowerBound else {
            return [text]
        }
        let before = text[..<start], mask = text[start...].dropFirst().dropLast()
        guard Secrets.marks.contains(where: text[start...].hasPrefix) else { return [text] }
        let plain = mask.prefix { $0 != "," && $0 != ";" }
        let word = mask.hasPrefix("another ") ? "another" : "masked"
        return [text, "\(before)‹\(plain)›", "\(before)‹\(word)›"]
    }

    /// A text that holds addresses and no values.
    func addresses(in text: String) -> String { isRevealing ? text : Secrets.masked(addressesIn: text) }

    /// A store, as its address is shown.
    package func place(_ store: StoreID) -> String { place(Address(store: store)) }

    /// The entries, and stores, that are shown as an address with something masked in it; none of one that has nothing.
    ///
    /// A part of a value is not told from others whose keys are masked.
    package func addresses(shownAs text: String, in stores: any StoreReader) -> [Address] {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.contains(Secrets.mark), let entry = parts.first.map(String.init),
            let pointer = parts.count == 1
                ? JSONPointer() : PercentEncoding.decode(parts[1]).flatMap({ JSONPointer(parsing: $0) })
        else { return [] }
        return stores.stores.lazy.filter { entry.hasPrefix(place($0)) }.flatMap { store -> [Address] in
            if entry == place(store) { return [Address(store: store, pointer: pointer)] }
            let keys = stores.keys(in: store)
            return (0..<keys.count).lazy.map { Address(store: store, key: keys.key(at: $0), pointer: pointer) }
                .filter { place($0.entry) == entry }
        }
    }

    /// The name of a store or an entry, such as a key or an account.
    package func name(_ name: Name) -> String { self.name(name.text) }

    /// The name of a store; the parts of a table's name are percent-encoded.
    package func name(_ store: StoreID) -> String {
        store.kind == .sqlite ? addresses(in: store.name.text) : name(store.name)
    }

    /// The same of a name with words beside it.
    package func name(_ text: String) -> String {
        isRevealing ? text.spelled : Secrets.masked(name: text, \.spelled)
    }

    /// The same as it is written, for JSON and for what a person takes along.
    package func written(_ name: Name) -> String { isRevealing ? name.text : Secrets.masked(name: name.text) }

    /// The key of an entry and the part of its value, or the name of a store, where others stand in the same list.
    func label(_ address: Address) -> String {
        name(address.key ?? address.store.name) + (address.pointer.isRoot ? "" : "#" + place(address.pointer))
    }

    /// Whether a value that a default made up is not shown: it looks like a secret, which somebody may have written into a spec, or
    /// has one in it of what its entry was made from, or of a fact.
    func hides(madeUp value: Value, at address: Address, from sources: [Address]) -> Bool {
        hides(madeUp: value, at: address, context(of: address, from: sources))
    }

    /// - Parameter context: What the place of the value says of it.
    private func hides(madeUp value: Value, at address: Address, _ context: SecretContext) -> Bool {
        if WrittenValue.all(in: value, at: address).contains(where: Secrets.isWritten) { return true }
        let budget = (budget ?? AnswerBudget()).search
        return Secrets.search(value, context.withoutPlace, depth: 0, within: budget) { part, context, _, _ in
            context.knows(part)
        }
    }

    /// The value of a fact.
    ///
    /// - Parameter words: How it is written; `nil` is how people write it.
    package func fact(_ name: FactName, _ fact: Fact, as words: String? = nil) -> String {
        isSecret(name, fact)
            ? Secrets.placeholder(.string(fact.value)) : sentence(words ?? name.words(for: fact.value))
    }

    /// What went wrong, in a sentence in which nothing is left to mask: the facts that it quotes are masked by their names.
    package func told(_ error: WorkspaceError) -> String {
        guard error.quotesFacts, case .fact(let problem) = error else {
            return sentence("\(error)", except: error.dumpPath)
        }
        return problem.sentence(shown)
    }

    /// The value of a fact as it was given.
    package func shown(_ given: GivenFact) -> String {
        fact(given.name, Fact(given.value, from: .given("")), as: given.value)
    }

    /// Whether the value of a fact is not shown.
    package func isSecret(_ name: FactName, _ fact: Fact) -> Bool { !isRevealing && origins.isSecret(name, fact, self) }

    /// A sentence that may quote values.
    package func sentence(_ text: String) -> String {
        isRevealing ? text : secrecy.written.masked(text, Secrets.masked(text:))
    }

    /// A rule, or a note on changes, which may quote what they make up.
    func sentence(_ text: String, on changes: some Sequence<Change>) -> String {
        guard !isRevealing else { return text }
        var written = secrecy.written
        for change in changes { written.note(change) }
        return written.masked(text, Secrets.masked(text:))
    }

    /// A rule, or the words of one, in which what an entry may hold is as secret as what is there.
    ///
    /// - Parameter places: The entries, and parts of them, that it is about.
    func rule(_ text: String, on changes: some Sequence<Change> = [Change](), at places: [Address]) -> String {
        guard !isRevealing else { return text }
        let bytes = Array(text.utf8), values = RuleValue.all(in: bytes)
        guard !values.isEmpty else { return sentence(text, on: changes) }
        let search = (budget ?? AnswerBudget()).search
        let all = Set(places.map(\.held)), isTooMany = all.count > Self.placesOfRule
        let contexts = isTooMany ? [] : all.map { context(of: $0).ofAnyPart }
        var shown = "", position = 0
        for named in values {
            let plain = Secrets.holdsSecret(named.value, SecretContext(), depth: 0, within: search)
            // Of more than can be asked one may be secret.
            guard !plain,
                isTooMany
                    || contexts.contains(where: { Secrets.holdsSecret(named.value, $0, depth: 0, within: search) })
            else { continue }
            shown += String(decoding: bytes[position..<named.range.lowerBound], as: UTF8.self)
            shown += Secrets.placeholder(named.value)
            position = named.range.upperBound
        }
        return sentence(shown + String(decoding: bytes[position...], as: UTF8.self), on: changes)
    }

    /// Of how many places it is asked at most.
    private static let placesOfRule = 10_000

    /// A sentence about a dump, the path of which is none of its secrets.
    package func sentence(_ text: String, except path: String?) -> String {
        guard let path, !path.isEmpty, !isRevealing else { return sentence(text) }
        return text.components(separatedBy: path).map { sentence($0) }.joined(separator: path)
    }

    /// A sentence that may quote values of entries: “…” is masked where one of their places makes it secret, and else spelt.
    ///
    /// - Parameter isOfFacts: Whether it asks about facts, of whose words nothing else is masked.
    package func sentence(_ text: String, of sources: [Address], isOfFacts: Bool = false) -> String {
        // Whether a fact is secret says the fact, wherever it was inferred from.
        let places = isOfFacts ? [] : sources
        // Nothing says which part of it is quoted.
        let contexts =
            isRevealing
            ? []
            : places.map { context(of: $0, from: [$0]).ofAnyPart }
                + [SecretContext(knowing: origins.secretsOfFacts)]
        let bytes = Array(text.utf8), mark = "“".utf8.count
        var shown = "", position = 0
        for quote in SecretTexts.quotes(in: bytes) {
            let words = String(decoding: bytes[quote], as: UTF8.self), quoted = Value.string(words)
            guard contexts.contains(where: { $0.makesSecret(quoted) }) else {
                let spelled = words.spelled
                // What stands in place of a secret is none of the value's.
                if spelled != words, isOfFacts || sentence(words) == words {
                    shown += String(decoding: bytes[position..<quote.lowerBound], as: UTF8.self) + spelled
                    position = quote.upperBound
                }
                continue
            }
            shown += String(decoding: bytes[position..<(quote.lowerBound - mark)], as: UTF8.self)
            shown += Secrets.placeholder(quoted)
            position = min(bytes.count, quote.upperBound + mark)
        }
        shown += String(decoding: bytes[position...], as: UTF8.self)
        return isOfFacts || isRevealing ? shown : sentence(shown)
    }

    /// Whether there is anything in a value that is not shown.
    package func hidesAnything(in value: Value, at address: Address, from sources: [Address] = []) -> Bool {
        guard !isRevealing else { return false }
        let budget = (budget ?? AnswerBudget()).search
        return Secrets.holdsSecret(value, context(of: address, from: sources), depth: 0, within: budget)
    }

    /// A value as lines.
    ///
    /// - Parameters:
    ///   - inFull: Whether texts are shown to their ends.
    ///   - withBytes: Whether data is then shown as its bytes in hexadecimal.
    ///   - limit: How many lines at most.
    ///   - levels: How deep.
    package func treeLines(
        of value: Value, at address: Address, from sources: [Address] = [], inFull: Bool = false,
        withBytes: Bool = true, limit: Int = 2000, levels: Int = .max
    ) -> [TreeLine] {
        let isItem = KeychainWords.isItem(value, at: address), budget = budget ?? AnswerBudget()
        var lines = KeychainWords.ordered(value, at: address).treeLines(
            limit: limit, levels: levels, in: context(of: address, from: sources), within: budget,
            isSearched: !isRevealing, key: key
        ) { pointer, part, context in
            placeholder(for: part, in: context, within: budget)
                ?? (isItem ? KeychainWords.words(for: part, at: pointer) : nil)
                ?? (inFull ? part.fullText(withBytes: withBytes, within: budget.show) : nil)
        }
        guard isItem else { return lines }
        // The item itself is its parts; what it is called stands in its address.
        lines[0].text = "\(name(address.store.name)), account \(name(address.key ?? ""))"
        for index in lines.indices where lines[index].depth == 1 {
            lines[index].key = lines[index].key.map { KeychainWords.label(of: Name($0)) ?? $0 }
        }
        return lines
    }

    /// The parts, where they differ, that are masked in one of two values and shown in the other.
    ///
    /// Of keychains nothing is looked at: whether an item is secret says its place alone.
    func oneSided(_ one: (value: Value, address: Address), _ other: (value: Value, address: Address)) -> [JSONPointer] {
        guard !isRevealing, one.address.store.kind != .keychain, other.address.store.kind != .keychain else {
            return []
        }
        let budget = budget ?? AnswerBudget()
        var found: [JSONPointer] = []
        var stack = [
            (
                pointer: JSONPointer(),
                one: ValuePart(key: nil, value: one.value, context: context(of: one.address, from: [other.address])),
                other: ValuePart(key: nil, value: other.value, context: context(of: other.address, from: [one.address]))
            )
        ]
        while let (pointer, one, other) = stack.popLast() {
            guard one.value != other.value else { continue }
            let hidden = [one, other].map { placeholder(for: $0.value, in: $0.context, within: budget) != nil }
            if hidden[0] != hidden[1] { found.append(pointer) }
            guard !hidden[0], !hidden[1] else { continue }
            let parts = other.parts(within: budget, isSearched: true)
            let byKey = Dictionary(parts.map { ($0.key, $0) }) { first, _ in first }
            for part in one.parts(within: budget, isSearched: true) {
                guard let key = part.key, let beside = byKey[key] else { continue }
                stack.append((pointer.appending(key), part, beside))
            }
        }
        return found
    }

    /// Two values side by side; a part that is secret on one side is masked on both.
    ///
    /// - Parameters:
    ///   - placeholders: The parts of the new value that a default made up; one is nobody's secret, whatever its key, unless it looks
    ///     like one, as ``hides(madeUp:at:_:)`` says. All of an entry is as secret as its place, as it is wherever else it is shown.
    ///   - isWhole: Whether the parts that are the same are listed, too.
    package func comparison(
        _ before: (value: Value?, address: Address), _ after: (value: Value?, address: Address),
        from sources: [Address] = [], placeholders: [JSONPointer] = [], isWhole: Bool = true
    ) -> Comparison {
        let items = [before, after].map { side in
            side.value.map { KeychainWords.isItem($0, at: side.address) } ?? false
        }
        let masking = within(budget ?? AnswerBudget()), budget = masking.budget ?? AnswerBudget()
        var comparison = Comparison(
            before.value.map { KeychainWords.ordered($0, at: before.address) },
            after.value.map { KeychainWords.ordered($0, at: after.address) },
            in: (
                context(of: before.address, from: [after.address]),
                context(of: after.address, from: [before.address] + sources)
            ),
            masking, isWhole: isWhole
        ) { side, pointer, part, context in
            let isMadeUp = side == .right && placeholders.contains { !$0.isRoot && pointer.isWithin($0) }
            if isMadeUp, !masking.hides(madeUp: part, at: after.address.appending(pointer), context) {
                return placeholder(for: part, in: SecretContext(), within: budget)
            }
            return placeholder(for: part, in: context, within: budget)
                ?? (items[side == .left ? 0 : 1] ? KeychainWords.words(for: part, at: pointer) : nil)
        }
        if items.contains(true) { comparison.rename(items) { KeychainWords.label(of: $0) } }
        return comparison
    }
}

extension Value {
    /// Whether the value is shown part by part, also where another format holds the parts.
    fileprivate func isShownInParts(within budget: DecodingBudget) -> Bool {
        switch self {
        case .array, .dictionary, .set, .object: true
        case .string, .data: !isLarge && (decoded(within: budget)?.value.isShownInParts(within: budget.inner) ?? false)
        default: false
        }
    }

    /// The beginning of a large text or data, as far as a row looks.
    fileprivate var beginning: Value {
        switch self {
        case .string(let text): .string(String(text.prefix(Self.glanceLimit / 4)))
        case .data(let data): .data(data.prefix(Self.glanceLimit))
        default: self
        }
    }
}

extension JSONPointer {
    /// Whether this is a part, or a part of it.
    fileprivate func isWithin(_ other: JSONPointer) -> Bool { tokens.starts(with: other.tokens) }
}

extension Value {
    /// How many bytes of data are shown.
    private static let hexadecimalLimit = 4096

    /// A text or data, which have no parts, to its end; `nil` of all else, as what has parts is shown, and masked, by them.
    fileprivate func fullText(withBytes: Bool, within budget: DecodingBudget) -> String? {
        guard !hasParts(within: budget) else { return nil }
        let decoded = decoded(within: budget), value = decoded?.value ?? self
        switch value {
        case .string(let text): return (decoded.map { $0.formatName + " " } ?? "") + "\"\(text.spelled)\""
        case .data(let data) where withBytes:
            let digits = Hexadecimal.text(data.prefix(Self.hexadecimalLimit), separator: " ")
            let more = data.count > Self.hexadecimalLimit ? " …" : ""
            return data.isEmpty ? nil : summary + ": " + digits + more
        default: return nil
        }
    }
}
