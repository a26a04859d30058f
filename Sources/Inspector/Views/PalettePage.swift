import MigrationEngine
import Reports

/// The lines of the palette: everything that can be done now or gone to and is like what is typed, the likest first.
enum PalettePage {
    private struct Item {
        let words: String
        let help: String
        let target: PageTarget
        /// Whether it is one of many, before which what else is like what is typed comes.
        var isEntry = false
    }

    static func lines(_ typed: String, _ model: Model) -> [PageLine] {
        let items = items(model)
        let found = items.enumerated().compactMap { position, item in
            Likeness(of: typed, in: item.words).map { likeness in
                (likeness: item.isEntry ? likeness.farther : likeness, position: position)
            }
        }
        .sorted { ($0.likeness, $0.position) < ($1.likeness, $1.position) }
        guard !found.isEmpty else { return [PageLine([Run("Nothing is like that.", .dim)])] }
        let columns = min(40, max(12, model.size.width / 2))
        return found.map { found in
            let item = items[found.position], words = model.glyphs.truncated(item.words, to: columns)
            return PageLine(
                [Run(model.glyphs.padded(words, to: columns + 2), .key), Run(item.help, .dim)], to: item.target)
        }
    }

    private static func items(_ model: Model) -> [Item] {
        let actions = Action.all.filter { action in
            !Self.moving.contains(action.name) && action.disabledReason(model) == nil
        }.map { action in
            let keys = model.settings.keys(of: action).first.map { "\($0.notation)  " } ?? ""
            return Item(words: action.name, help: keys + action.help, target: .command(action.name))
        }
        guard let opened = model.opened else { return actions + apps(model) }
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
        return actions + steps + entries(opened) + facts + profiles + migrations + apps(model)
    }

    /// What is done with keys alone.
    private static let moving = [
        "command", "palette", "down", "up", "page-down", "page-up", "top", "bottom", "in", "out",
    ]
    /// The most of each kind that are among what can be gone to; a search finds the others.
    private static let most = 2_000

    /// The keys that steps read and write, the entries that are in the list, and the stores.
    private static func entries(_ opened: OpenContainer) -> [Item] {
        let steps = (opened.plan?.steps.prefix(most) ?? []).lazy.flatMap { step in
            (step.step.sources + [step.target].compactMap(\.self)).lazy.compactMap { address in
                address.key.map {
                    Item(words: "key \($0.text)", help: "\(address)", target: .step(step.id), isEntry: true)
                }
            }
        }
        let sheet = opened.sheet, first = 0..<min(sheet.count, most)
        // Stores may stand behind more entries than are looked at.
        let heads = opened.filtering == nil ? sheet.parts.map(\.rows.lowerBound).filter { $0 >= most } : []
        let rows = (Array(first) + heads.prefix(most)).compactMap { position -> Item? in
            guard let row = sheet[position] else { return nil }
            switch row {
            case .entry(let store, let key):
                let address = Address(store: store, key: key)
                return Item(words: "key \(key.text)", help: "\(address)", target: .row(row), isEntry: true)
            case .store(let store):
                return Item(words: "store \(store.name.text)", help: "\(store)", target: .row(row), isEntry: true)
            case .step, .unmapped, .noise: return nil
            }
        }
        return steps.prefix(most) + rows
    }

    private static func apps(_ model: Model) -> [Item] {
        (model.apps?.names ?? []).map { Item(words: "app \($0)", help: "", target: .command("app \($0)")) }
    }
}

/// How like a text is to what is typed: its characters stand in it in their order, whatever their case; the fewer others
/// between them, and the more of them where words begin, the likelier.
struct Likeness: Comparable {
    private var cost: Int

    /// A little less of it.
    var farther: Likeness {
        var other = self
        other.cost += 128
        return other
    }

    /// `nil` where they do not stand in it.
    init?(of typed: String, in text: String) {
        let sought = Array(typed.lowercased().filter { $0 != " " }), characters = Array(text.lowercased())
        guard !sought.isEmpty else {
            cost = 0
            return
        }
        // The cheapest way to have read so many characters that ends here.
        var best = [Int?](repeating: nil, count: characters.count)
        for (index, wanted) in sought.enumerated() {
            var next = [Int?](repeating: nil, count: characters.count), before: Int? = nil
            for (position, character) in characters.enumerated() {
                if index == 0 { before = position == 0 ? 0 : 1 }
                if character == wanted, let before {
                    let isFirst =
                        position == 0 || !(characters[position - 1].isLetter || characters[position - 1].isNumber)
                    next[position] = before + (isFirst ? 0 : 1)
                }
                // What is passed over costs, so that letters side by side are likest.
                before = [before.map { $0 + 1 }, best[position]].compactMap(\.self).min()
            }
            best = next
        }
        guard let least = best.compactMap(\.self).min() else { return nil }
        cost = least * 64 + min(63, characters.count)
    }

    static func < (left: Likeness, right: Likeness) -> Bool { left.cost < right.cost }
}
