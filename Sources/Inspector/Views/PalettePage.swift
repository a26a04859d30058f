import MigrationEngine
import Reports
import StoreFormats

/// The lines of the palette: everything that can be done now or gone to and is like what is typed, the likest first.
enum PalettePage {
    private struct Item {
        let words: String
        let help: String
        let target: PageTarget
        /// What else it is found by, where that has what is typed as it stands.
        var others: [String] = []
        /// Whether it is one of many, before which what else is like what is typed comes.
        var isEntry = false
        /// Whether it cannot be done now, as its help says.
        var isOff = false

        func likeness(_ sought: Likeness.Sought) -> Likeness? {
            // An entry is found by its address too, which is its help.
            let others = isEntry && sought.typed.contains("/") ? others + [help] : others
            let isCalledSo = others.contains { $0.lowercased().contains(sought.typed) }
            guard let likeness = sought.likeness(in: words) ?? (isCalledSo ? Likeness.inOtherWords : nil) else {
                return nil
            }
            return isOff ? likeness.farther.farther : isEntry ? likeness.farther : likeness
        }
    }

    static func lines(_ typed: String, _ model: Model) -> [PageLine] {
        let sought = Likeness.Sought(typed)
        // What cannot be done is found by who looks for it.
        let items = items(model).filter { !$0.isOff || !typed.isEmpty }
        let found = items.enumerated().compactMap { position, item in
            item.likeness(sought).map { (likeness: $0, position: position) }
        }
        .sorted { ($0.likeness, $0.position) < ($1.likeness, $1.position) }
        guard !found.isEmpty else {
            let isLooking = model.opened?.awaitedLikeKeys != nil
            return [PageLine([Run(isLooking ? "Looking through all keys…" : "Nothing is like that.", .dim)])]
        }
        let columns = min(40, max(12, model.size.width / 2))
        return found.map { found in
            let item = items[found.position], words = model.glyphs.truncated(item.words, to: columns)
            return PageLine(
                [Run(model.glyphs.padded(words, to: columns + 2), item.isOff ? .dim : .key), Run(item.help, .dim)],
                to: item.target)
        }
    }

    private static func items(_ model: Model) -> [Item] {
        // What is chosen is done with no page over the list.
        var below = model
        below.page = nil
        let actions = Action.all.filter { !Self.moving.contains($0.name) }.map { action in
            let keys = model.settings.keys(of: action).first.map { "\($0.notation)  " } ?? ""
            let reason = action.disabledReason(below)
            return Item(
                words: action.name, help: keys + (reason.map { "not now: \($0)" } ?? action.help),
                target: .command(action.name), others: [action.brief, action.help], isOff: reason != nil)
        }
        guard let opened = model.opened else { return actions + apps(model) }
        let filters =
            !opened.isPlanned
            ? []
            : RowFilter.names.map { filter in
                Item(
                    words: "filter \(filter.words[0])", help: "show only the rows that are so",
                    target: .command("filter \(filter.words[0])"), others: filter.words)
            }
        let steps = (opened.plan?.steps ?? []).map { step in
            Item(words: "step \(step.step.title)", help: step.id, target: .step(step.id))
        }
        let facts = (opened.plan == nil ? [] : opened.migration?.facts ?? []).map { definition in
            Item(words: "fact \(definition.name)", help: definition.meaning, target: .fact(definition.name))
        }
        let profiles = (opened.migration?.profiles ?? []).filter { $0.id != opened.profile?.id }.map { profile in
            Item(words: "profile \(profile.id)", help: profile.summary, target: .command("profile \(profile.id)"))
        }
        let migrations = opened.migrations.filter { $0.id != opened.migration?.id }
            .map { Item(words: "migration \($0.id)", help: $0.title, target: .command("migration \($0.id)")) }
        return actions + filters + steps + entries(model, opened) + facts + profiles + migrations + apps(model)
    }

    /// What is done with keys alone.
    private static let moving = [
        "command", "palette", "down", "up", "page-down", "page-up", "top", "bottom", "in", "out",
    ]
    /// The most of each kind that are among what can be gone to; ``PaletteSearch`` finds the others.
    private static let most = 2_000

    /// The keys that steps read and write, the entries that are in the list, and the stores.
    private static func entries(_ model: Model, _ opened: OpenContainer) -> [Item] {
        let steps = (opened.plan?.steps.prefix(most) ?? []).lazy.flatMap { step in
            step.claims.lazy.compactMap { address in
                address.key.map { item(address, $0, to: .step(step.id), model.masking) }
            }
        }.prefix(most)
        let sheet = opened.sheet, first = 0..<min(sheet.count, most)
        // Stores may stand behind more entries than are looked at.
        let heads = opened.filtering == nil ? sheet.parts.map(\.rows.lowerBound).filter { $0 >= most } : []
        let rows = (Array(first) + heads.prefix(most)).compactMap { position -> Item? in
            guard let row = sheet[position] else { return nil }
            switch row {
            case .entry(let store, let key):
                return item(Address(store: store, key: key), key, to: .row(row), model.masking)
            case .store(let store):
                return Item(
                    words: "store \(model.masking.name(store))", help: model.masking.place(store),
                    target: .row(row),
                    isEntry: true)
            case .step, .unmapped, .noise: return nil
            }
        }
        let items = Array(steps) + rows
        guard let others = opened.likeKeys, others.purpose.revision == opened.revision else { return items }
        let known = Set(items.map(\.help))
        return items
            + others.addresses.compactMap { address in
                address.key.map { item(address, $0, to: .subject(.address(address)), model.masking) }
            }.filter { !known.contains($0.help) }
    }

    private static func item(_ address: Address, _ key: Name, to target: PageTarget, _ masking: Masking) -> Item {
        Item(words: words(for: masking.name(key)), help: masking.place(address), target: target, isEntry: true)
    }

    /// What a key is found by.
    static func words(for key: String) -> String { "key \(key)" }

    private static func apps(_ model: Model) -> [Item] {
        (model.apps?.names ?? []).map { Item(words: "app \($0)", help: "", target: .command("app \($0)")) }
    }
}

/// How like a text is to what is typed: its characters stand in it in their order, whatever their case; the fewer others
/// between them, and the more of them where words begin, the likelier.
struct Likeness: Comparable {
    private var cost: Int

    /// That of what has the text in other words than its name.
    static let inOtherWords = Likeness(cost: 64)

    /// A little less of it.
    var farther: Likeness {
        var other = self
        other.cost += 128
        return other
    }

    /// What is typed, to be looked for in many texts.
    struct Sought {
        /// It, in lower case.
        let typed: String
        private let characters: [Character]

        init(_ typed: String) {
            self.typed = typed.lowercased()
            characters = Array(self.typed.filter { $0 != " " })
        }

        /// How like a text is; `nil` where the characters do not stand in it.
        func likeness(in text: String) -> Likeness? {
            guard !characters.isEmpty else { return Likeness(cost: 0) }
            let text = Array(text.lowercased())
            // Most texts have not all of them.
            var left = characters[...]
            for character in text where character == left.first { left.removeFirst() }
            guard left.isEmpty else { return nil }
            // The cheapest way to have read so many characters that ends here.
            var best = [Int?](repeating: nil, count: text.count)
            for (index, wanted) in characters.enumerated() {
                var next = [Int?](repeating: nil, count: text.count), before: Int? = nil
                for (position, character) in text.enumerated() {
                    if index == 0 { before = position == 0 ? 0 : 1 }
                    if character == wanted, let before {
                        let isFirst = position == 0 || !(text[position - 1].isLetter || text[position - 1].isNumber)
                        next[position] = before + (isFirst ? 0 : 1)
                    }
                    // What is passed over costs, so that letters side by side are likest.
                    before = [before.map { $0 + 1 }, best[position]].compactMap(\.self).min()
                }
                best = next
            }
            guard let least = best.compactMap(\.self).min() else { return nil }
            return Likeness(cost: least * 64 + min(63, text.count))
        }
    }

    private init(cost: Int) { self.cost = cost }

    static func < (left: Likeness, right: Likeness) -> Bool { left.cost < right.cost }
}
