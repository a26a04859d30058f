import MigrationEngine
import StoreFormats

/// What migrations say of entries, and of parts of them: that they are secret, or that they are not, whatever their keys say.
///
/// What one migration calls secret is secret, whatever another one says.
package struct EntrySecrecy: Sendable {
    /// What is said of a part.
    struct Mark: Sendable {
        /// The way to it, from where one stands.
        var way: ArraySlice<Name>
        var isSecret: Bool
    }

    /// Entries by what stands for their names, and what is said of them.
    private struct Pattern: Hashable {
        let kind: StoreID.Kind
        let store: NamePattern, key: NamePattern
        let way: [Name]
        let isSecret: Bool

        /// `nil` where every name is written out.
        init?(_ place: Address, isSecret: Bool) {
            let names = [place.store.name] + [place.key].compactMap(\.self) + place.pointer.tokens
            guard names.contains(where: NamePattern.mayHaveStars),
                names.contains(where: { NamePattern($0).hasStars }), let key = place.key
            else { return nil }
            (kind, store, self.key) = (place.store.kind, NamePattern(place.store.name), NamePattern(key))
            // What is in any part of a value is as if it were in all of what holds them.
            way = Array(place.pointer.tokens.prefix { !NamePattern($0).hasStars })
            self.isSecret = isSecret
        }

        func fits(_ entry: Address) -> Bool {
            guard entry.store.kind == kind, let name = entry.key else { return false }
            return store.match(entry.store.name) != nil && key.match(name) != nil
        }
    }

    private var marks: [Address: [Mark]] = [:]
    /// What is said of entries that fit a pattern, by what their keys begin with, and how many bytes that has.
    private var patterns: [[UInt8]: Set<Pattern>] = [:], beginnings: Set<Int> = []
    /// The facts that stores and files are named after: the names of these say nothing of their values.
    private var naming: Set<FactName> = []
    /// The facts that are something else, to some migration.
    private var others: Set<FactName> = []
    /// The words that facts choose from: none is a value of the user's.
    private var words: [FactName: Set<String>] = [:]
    /// The values that their rules write out.
    private(set) var written = WrittenSecrets()

    /// Nothing is said, but of places that they are no secret.
    package init(open places: [Address] = []) { note(places, isSecret: false) }

    /// Takes in entries, and parts of them.
    package mutating func note(_ places: [Address], isSecret: Bool) {
        for place in places {
            if let pattern = Pattern(place, isSecret: isSecret) {
                let beginning = Array(pattern.key.beginning.utf8)
                patterns[beginning, default: []].insert(pattern)
                beginnings.insert(beginning.count)
                continue
            }
            marks[place.entry, default: []].append(Mark(way: place.pointer.tokens[...], isSecret: isSecret))
        }
    }

    /// Takes in what migrations say of what steps have made with the facts of then, whatever is given now; and of what steps have put
    /// into a keychain whose migration nobody has given, so that its rules say nothing of it, that it is secret.
    ///
    /// - Parameter migrations: Those that are given.
    package mutating func note(_ history: History, among migrations: [any Migration], in stores: any StoreReader) {
        let given = Dictionary(migrations.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var facts: [String: [Facts]] = [:]
        for entry in history.entries {
            guard given[entry.migration] != nil else {
                for change in entry.changes where change.address.store.kind == .keychain {
                    note(change.from.filter { $0.store.kind != .keychain }, isSecret: true)
                }
                continue
            }
            // A step keeps only those that it asks for.
            var known = facts[entry.migration] ?? []
            if let index = known.firstIndex(where: { $0.agrees(with: entry.facts) }) {
                known[index] = known[index].completed(by: entry.facts)
            } else {
                known.append(entry.facts)
            }
            facts[entry.migration] = known
        }
        for (id, all) in facts {
            guard let migration = given[id] else { continue }
            for facts in all { note(migration, given: migration.factsKnown(in: stores, given: facts)) }
        }
    }

    /// Takes in values that rules write out.
    mutating func note(written values: some Sequence<WrittenValue>) { written.note(values) }

    /// Takes in facts of which some may be part of the name of a store.
    package mutating func note(naming facts: [FactDefinition]) {
        for fact in facts {
            if fact.form == .name { naming.insert(fact.name) } else { others.insert(fact.name) }
            if let choices = fact.form.words { words[fact.name, default: []].formUnion(choices) }
        }
    }

    /// Takes in what is said elsewhere.
    package mutating func note(_ other: EntrySecrecy) {
        marks.merge(other.marks) { $0 + $1 }
        patterns.merge(other.patterns) { $0.union($1) }
        beginnings.formUnion(other.beginnings)
        written.formUnion(other.written)
        naming.formUnion(other.naming)
        others.formUnion(other.others)
        words.merge(other.words) { $0.union($1) }
    }

    /// Whether a fact is part of the name of a store, to every migration that has one of its name.
    func isNaming(_ fact: FactName) -> Bool { naming.contains(fact) && !others.contains(fact) }

    /// Whether the value of a fact is one of the words that a migration lets one choose from.
    func isChoice(_ value: String, of fact: FactName) -> Bool { words[fact]?.contains(value) ?? false }

    /// What is said of an entry and of its parts.
    func marks(of entry: Address) -> [Mark] {
        let said = marks[entry] ?? []
        guard !patterns.isEmpty, let key = entry.key.map({ Array($0.utf8) }) else { return said }
        let open = beginnings.lazy.filter { $0 <= key.count }
            .flatMap { patterns[Array(key[..<$0])] ?? [] }.filter { $0.fits(entry) }
        return said + open.map { Mark(way: $0.way[...], isSecret: $0.isSecret) }
    }

    /// What is said of where one stands: whether it is secret; `nil` where nothing is.
    static func verdict(of marks: [Mark]) -> Bool? {
        marks.reduce(nil) { known, mark in mark.way.isEmpty ? (known ?? false) || mark.isSecret : known }
    }

    /// What is said of a part and of what is below it.
    static func marks(below key: Name, of marks: [Mark]) -> [Mark] {
        marks.compactMap { $0.way.first == key ? Mark(way: $0.way.dropFirst(), isSecret: $0.isSecret) : nil }
    }
}

extension Facts {
    /// Whether no fact has another value there.
    fileprivate func agrees(with other: Facts) -> Bool {
        other.names.allSatisfy { name in
            guard let own = self[name], let fact = other[name] else { return true }
            return own.hasSameValue(as: fact)
        }
    }
}
