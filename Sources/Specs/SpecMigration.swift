import MigrationEngine
import StoreFormats
import Synchronization

/// The migration that a spec is: one like any other, through the one engine.
package struct SpecMigration: WritingMigration {
    /// The spec.
    package let spec: Spec
    /// Its own facts, and those of the language that it uses.
    package let facts: [FactDefinition]
    package let unusedFacts: [FactName]

    private let memo = WrittenMemo()

    /// Makes the migration.
    package init(_ spec: Spec) {
        (self.spec, facts) = (spec, Self.facts(of: spec))
        let used = Set(facts.map(\.name))
        // One that is computed nobody gives.
        unusedFacts = spec.factNames.filter { !used.contains($0) && spec.facts[$0]?.computed == nil }
    }

    /// The values that the file writes out.
    package var written: [WrittenValue] { memo.values { spec.root.map(LiteralSecrets.values) ?? [] } }

    package var apps: [String] { spec.apps }
    package func names(_ app: String) -> Bool { spec.apps.isEmpty || spec.names(app) }

    package var id: String { spec.id }
    package var title: String { spec.title }
    package var isEdited: Bool { true }
    package var summary: String { spec.about.isEmpty ? spec.title : spec.about }
    package var profiles: [Profile] { spec.profiles.map { Profile(id: $0.id, summary: $0.summary) } }

    private static func facts(of spec: Spec) -> [FactDefinition] {
        let steps = spec.profiles.flatMap { profile in
            profile.steps.flatMap(\.facts) + profile.requires.flatMap(\.facts)
        }
        let named = spec.stores.values.flatMap { $0 }.flatMap(\.facts) + spec.applies.flatMap(\.facts)
        let own = spec.factNames.flatMap { name in
            (spec.facts[name]?.infer?.facts ?? []) + (spec.facts[name]?.assume?.facts ?? [])
        }
        let used = (steps + named + own).flatMap { SpecFacts.base(of: $0, spec.facts) }.uniqued
        let documents = spec.profiles.flatMap(\.steps).compactMap { step -> SpecDocument? in
            if case .document(let document) = step.work, document.asks { document } else { nil }
        }
        var asked: [FactDefinition] = []
        for document in documents where !asked.contains(where: { $0.name == document.versionFact }) {
            asked.append(
                FactDefinition(
                    document.versionFact,
                    "the version to take the \(document.name) for where its own is missing or in doubt", form: .integer,
                    example: "\(document.editions.last?.number ?? 1)"))
        }
        return used.compactMap { spec.facts[$0]?.definition } + asked
    }

    /// What the spec infers from the stores, and what it assumes otherwise.
    package var clues: [FactClue] {
        orderedFacts.compactMap { name in
            guard let fact = spec.facts[name], fact.infer != nil || fact.assume != nil else { return nil }
            let place = fact.infer == nil ? "what the migration assumes" : "the stores that are there"
            return FactClue(name, in: place) { [spec] stores, known in
                let facts = SpecFacts(definitions: spec.facts, facts: known)
                let found = fact.infer.map { Self.inferred($0, in: stores, facts) } ?? []
                guard found.isEmpty, let assumed = fact.assume else { return found }
                var text = ""
                for piece in assumed.pieces {
                    switch piece {
                    case .text(let plain): text += plain
                    case .star: text += "*"
                    case .fact(let name):
                        // One that is assumed of others that are could be longer with each of them.
                        guard let value = try? facts.text(name), text.utf8.count < Allowance.fact.left else {
                            return []
                        }
                        text += value
                    }
                }
                return [Fact(text, from: .assumed("the migration \(spec.id) takes it where nobody says otherwise"))]
            }
        }
    }

    /// Its own facts, each after those that say where to look for it.
    private var orderedFacts: [FactName] {
        var ordered: [FactName] = [], visiting: Set<FactName> = []
        let own = Set(spec.factNames)
        func add(_ name: FactName) {
            guard own.contains(name), visiting.insert(name).inserted else { return }
            for other in (spec.facts[name]?.infer?.facts ?? []) + (spec.facts[name]?.assume?.facts ?? []) { add(other) }
            ordered.append(name)
        }
        spec.factNames.forEach(add)
        return ordered
    }

    /// What an address tells of a fact: what its `*` stands for, or the text that stands there.
    private static func inferred(_ template: AddressTemplate, in stores: any StoreReader, _ facts: SpecFacts) -> [Fact]
    {
        guard let pattern = try? template.pattern(facts) else { return [] }
        guard pattern.hasStars else {
            guard let text = stores.state(at: pattern.address.readable).value?.held(in: pattern.address) else {
                return []
            }
            return (ValueType.read(text, as: .text)?.string).map { [Fact($0, inferredFrom: pattern.address)] } ?? []
        }
        guard pattern.address.key != nil else {
            return pattern.candidates(in: stores).compactMap { store, match in
                match.first.map { Fact($0.text, inferredFrom: Address(store: store)) }
            }
        }
        return ((try? pattern.matches(in: stores)) ?? []).compactMap { match in
            match.first.map { Fact($0.text, inferredFrom: pattern.filled(match)) }
        }
    }

    /// Whether it is for the app, and finds what it reads or writes.
    package func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        let known = factsKnown(in: stores, given: facts)
        if let bundle = known[.bundleIdentifier]?.value, !names(bundle) { return false }
        return applies(to: stores, known)
            // Whose they are, somebody must say: what lies in a domain may be the app's own.
            || known[.bundleIdentifier] == nil
                && stores.stores.contains { store in
                    guard store.kind == .defaults else { return false }
                    var supposed = known
                    supposed[.bundleIdentifier] = Fact(store.name.text, from: .assumed("its UserDefaults are there"))
                    return applies(to: stores, supposed)
                }
    }

    private func applies(to stores: any StoreReader, _ known: Facts) -> Bool {
        // Profiles share most of their rows.
        var absent: Set<Address> = []
        return spec.profiles.contains { profile in
            let context = SpecContext(spec, profile, known)
            var run = SpecRun(StoreTransaction(on: stores), context)
            if !spec.applies.isEmpty {
                return spec.applies.allSatisfy { (try? $0.holds(on: &run)) ?? false }
            }
            return Self.findsAnything(context, stores, &run, &absent)
        }
    }

    /// - Parameter absent: What was looked for and is not there.
    private static func findsAnything(
        _ context: SpecContext, _ stores: any StoreReader, _ run: inout SpecRun, _ absent: inout Set<Address>
    ) -> Bool {
        func isThere(_ address: SpecAddress) -> Bool {
            guard let pattern = try? run.pattern(address) else { return false }
            if pattern.hasStars { return !((try? pattern.matches(in: stores)) ?? []).isEmpty }
            let address = pattern.address.readable
            return absent.insert(address).inserted && stores.state(at: address) != .absent
        }
        return context.profile.steps.contains { step in
            switch step.work {
            case .row(let row):
                return row.addresses.contains(where: isThere)
                    || row.to.targets.contains { target in
                        // A folder of files, or the app's own defaults, is there in any case.
                        guard let address = try? run.pattern(target.address).address else { return false }
                        let isOwn = row.addresses.contains { (try? run.pattern($0).address.store) == address.store }
                        guard !isOwn, address.store.kind != .file,
                            !address.store.name.text.contains(AddressTemplate.star)
                        else {
                            return !target.address.templates.contains { $0.stars > 0 }
                                && stores.state(at: address) != .absent
                        }
                        return stores.keys(in: address.store).count(upTo: 1) > 0
                    }
            case .document(let document): return document.places.contains(where: isThere)
            case .note(let addresses, _): return addresses.contains(where: isThere)
            case .removal(let removal): return removal.addresses?.contains(where: isThere) ?? false
            }
        }
    }

    /// The stores that are read, and those that are written.
    package func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        var read: [StoreID] = [], written: [StoreID] = []
        for profile in spec.profiles {
            let context = SpecContext(spec, profile, facts)
            func stores(_ addresses: [SpecAddress]) -> [StoreID] {
                addresses.flatMap(\.templates).compactMap { template in
                    guard let store = try? template.pattern(context.facts).address.store,
                        !store.name.text.contains(AddressTemplate.star)
                    else { return nil }
                    return store
                }
            }
            for step in profile.steps {
                switch step.work {
                case .row(let row):
                    read += stores(row.addresses)
                    written += stores(row.to.targets.map(\.address))
                case .document(let document): read += stores(document.places)
                case .note(let addresses, _): read += stores(addresses)
                case .removal(let removal): read += stores(removal.addresses ?? [])
                }
            }
        }
        return (read.uniqued, written.uniqued)
    }

    /// The steps of a profile; another profile has none.
    package func steps(profile: Profile, facts: Facts) -> [Step] {
        guard let profile = spec.profiles.first(where: { $0.id == profile.id }) else { return [] }
        let context = SpecContext(spec, profile, facts)
        return profile.steps.flatMap { step in
            step.steps(in: context).map { made in
                var made = made
                made.comesAfter = Set(step.after)
                made.patterns = context.patterns(step.sources)
                made.takesSources = step.takesSources
                if let (targets, areLeft) = context.openTargets(of: step) {
                    made.others = { address in targets.contains { $0.match(address) != nil } }
                    made.leavesOthers = areLeft
                }
                return made
            }
        }
    }

    /// Where rows would put what is there, by what their stars stand for.
    package func destinations(of places: Set<Address>, profile: Profile, facts: Facts) -> [Destination] {
        guard let own = spec.profiles.first(where: { $0.id == profile.id }) else { return [] }
        let context = SpecContext(spec, own, facts), entries = Set(places.map(\.entry))
        func patterns(_ addresses: [SpecAddress]) -> [AddressPattern] {
            addresses.flatMap(\.templates).compactMap { try? $0.pattern(context.facts) }
        }
        return context.rows.flatMap { _, row -> [Destination] in
            let targets = row.to.isElsewhere ? patterns(row.to.targets.map(\.address)) : []
            guard !targets.isEmpty else { return [] }
            return patterns(row.addresses).flatMap { pattern -> [Destination] in
                let pointer = pattern.address.pointer
                let found: [[Name]] =
                    pattern.hasStars
                    ? entries.compactMap { pattern.match($0.appending(pointer)) }
                    : entries.contains(pattern.address.entry) ? [[]] : []
                return found.flatMap { match in
                    targets.map { Destination(of: pattern.filled(match).readable, $0.filled(match).readable) }
                }
            }
        }
    }

    /// The version of a document, beside its entry.
    package func annotation(of address: Address, in stores: any StoreReader) -> String? {
        guard address.pointer.isRoot else { return nil }
        for profile in spec.profiles {
            for case .document(let document) in profile.steps.map(\.work) {
                if let known = document.annotation(of: address, in: stores, spec.facts) { return known }
            }
        }
        return nil
    }

    /// What the spec says is no secret; the number of a version says nothing of anybody.
    package func publicEntries(facts: Facts) -> [Address] {
        let versions = spec.profiles.flatMap { profile in
            let context = SpecContext(spec, profile, facts)
            return profile.steps.flatMap { step -> [Address] in
                guard case .document(let document) = step.work else { return [] }
                return document.sides(of: context.entries(document.places))
            }
        }
        let open = spec.profiles.flatMap { profile in
            let context = SpecContext(spec, profile, facts)
            return Self.templates(ofSecrets: false, context).compactMap { template -> Address? in
                // Beside a field that any name fits there are others.
                let address = (try? template.pattern(context.facts))?.address.readable
                return template.stars > 0 && !template.hasStarInField ? address : nil
            }
        }
        return (places(ofSecrets: false, facts) + versions + open).uniqued
    }

    /// The addresses of the rows that say that they hold secrets, or that they hold none; of such a row that leaves some out it is
    /// not known which these are.
    private static func templates(ofSecrets isSecret: Bool, _ context: SpecContext) -> [AddressTemplate] {
        let rows = context.rows.filter { $0.row.holdsSecret == isSecret && (isSecret || $0.row.except.isEmpty) }
        return rows.flatMap { _, row in
            (row.addresses + row.to.targets.map(\.address)).flatMap(\.templates)
        }
    }

    /// What the spec says is one, also in rows with stars, and where a fact is not known.
    package func secretEntries(facts: Facts) -> [Address] {
        let open = spec.profiles.flatMap { profile in
            let context = SpecContext(spec, profile, facts)
            return Self.templates(ofSecrets: true, context).compactMap { $0.anywhere(context.facts)?.readable }
        }
        return (places(ofSecrets: true, facts) + open).uniqued
    }

    private func places(ofSecrets isSecret: Bool, _ facts: Facts) -> [Address] {
        spec.profiles.flatMap { profile in
            let context = SpecContext(spec, profile, facts)
            return context.rows.filter { $0.row.holdsSecret == isSecret }.flatMap { _, row in
                context.entries(row.addresses + row.to.targets.map(\.address))
            }
        }.uniqued
    }

    /// What each step reads and writes, and the rule.
    package func tables(profile: Profile) -> [RuleTable] {
        guard let own = spec.profiles.first(where: { $0.id == profile.id }) else { return [] }
        let rows = own.steps.flatMap { step in
            switch step.work {
            case .row(let row):
                return [
                    [
                        step.title, row.addresses.map(\.text).joined(separator: ", "),
                        row.to.targets.map(\.address.text).joined(separator: ", "), step.rule ?? row.rule,
                    ]
                ]
            case .document(let document):
                return document.editions.dropFirst().map { edition in
                    [
                        "\(document.name) \(edition.number - 1) → \(edition.number)",
                        document.places.map(\.text).joined(separator: ", "), document.writes, edition.operations.rule,
                    ]
                }
            case .removal(let removal):
                return [
                    [
                        step.title, removal.addresses?.map(\.text).joined(separator: ", ") ?? "every source", "",
                        "removed",
                    ]
                ]
            case .note(let addresses, let because):
                return [[step.title, addresses.map(\.text).joined(separator: ", "), "", "left: \(because)"]]
            }
        }.map { row in row.map { $0.isEmpty ? "-" : $0 } }
        return [RuleTable("\(id):\(profile.id)", columns: ["step", "reads", "writes", "rule"], rows: rows)]
    }
}

/// The values that a file writes out, looked for once: a spec may have many rows, and each answer asks.
private final class WrittenMemo: Sendable {
    private let known = Mutex<[WrittenValue]?>(nil)

    func values(_ find: () -> [WrittenValue]) -> [WrittenValue] {
        known.withLock { known in
            let values = known ?? find()
            known = values
            return values
        }
    }
}

extension AddressTemplate {
    /// What the facts and the stars stand for in an entry's address, of those in the key; `nil` where the template cannot
    /// stand for it.
    func match(_ address: Address) -> [Name]? {
        let starred = pieces.map { piece -> Piece in if case .fact = piece { .star } else { piece } }
        guard
            let pattern = try? AddressTemplate(pieces: starred).pattern(
                SpecFacts(definitions: [:], facts: Facts())
            ).address,
            pattern.store.kind == address.store.kind, let key = address.key, let wanted = pattern.key,
            NamePattern(pattern.store.name).match(address.store.name) != nil
        else { return nil }
        return NamePattern(wanted).match(key)
    }
}

extension SpecDocument {
    /// Where a version is written, in words.
    fileprivate var writes: String {
        guard case .inName = version else { return "in place" }
        return "under the name of the version" + (removesOlder ? ", in place of the older one" : "")
    }
}

extension SpecStep {
    /// The addresses that it reads.
    fileprivate var sources: [SpecAddress] {
        switch work {
        case .row(let row): row.addresses
        case .document(let document): document.places
        case .removal(let removal): removal.addresses ?? []
        case .note(let addresses, _): addresses
        }
    }

    /// The facts that it asks for, as the spec names them.
    var facts: [FactName] {
        let own: [FactName] =
            switch work {
            case .row(let row): row.facts
            case .document(let document):
                document.places.flatMap(\.facts) + document.editions.flatMap(\.operations.facts)
            case .removal(let removal): (removal.addresses ?? []).flatMap(\.facts)
            case .note(let addresses, _): addresses.flatMap(\.facts)
            }
        return (own + notes.compactMap(\.condition).flatMap(\.facts)).uniqued
    }

    /// The steps of the engine that it is.
    fileprivate func steps(in context: SpecContext) -> [Step] {
        let required = context.profile.requires.flatMap(\.facts)
        switch work {
        case .document(let document): return document.steps(of: self, in: context)
        case .row(let row):
            let sources = context.entries(row.addresses), first = row.to.targets.first
            let target: Address? =
                if case .inPlace = row.to { sources.first } else {
                    first.flatMap { context.entries([$0.address]).first }
                }
            var step = Step(
                id: id, title: title, sources: sources.map(\.entry).uniqued,
                targetKey: target?.key ?? first?.address.text.lastKey, target: target?.entry,
                rule: rule ?? row.rule, disagreement: differs, facts: context.base(facts + required),
                reversibility: row.reversibility
            ) { transaction, _ throws(StepStop) in
                var row = RowRun(self, row, SpecRun(transaction, context))
                defer { transaction = row.run.transaction }
                try row.take()
            }
            step.factsOfValue = row.factsOfValue
            for (target, facts) in row.factsOfTargets {
                for address in context.entries([target]) { step.factsOfTargets[address] = facts }
            }
            step.places = sources
            return [step]
        case .removal(let removal):
            let rows = context.rows, addresses = removal.addresses ?? rows.flatMap(\.row.addresses)
            let read = rows.flatMap(\.row.facts)
            var step = Step(
                id: id, title: title, sources: context.entries(addresses).map(\.entry).uniqued,
                rule: rule ?? "removes what other steps have taken on", disagreement: differs,
                facts: context.base(facts + required + read), reversibility: .beforeImage, followsAll: true
            ) { transaction, _ throws(StepStop) in
                var removal = RemovalRun(step: self, removal: removal, run: SpecRun(transaction, context))
                defer { transaction = removal.run.transaction }
                try removal.take()
            }
            step.asksAccount = true
            let stores = Set(addresses.flatMap(\.templates))
            let entries = Set(context.entries(addresses).map(\.entry))
            step.waitsFor = Set(
                rows.filter { _, row in
                    row.addresses.contains { address in
                        address.stars > 0 || address.templates.contains(where: stores.contains)
                            || context.entries([address]).contains { entries.contains($0.entry) }
                    }
                }.map(\.step.id))
            return [step]
        case .note(let addresses, let because):
            return [
                Step(
                    id: id, title: title, sources: context.entries(addresses).map(\.entry).uniqued,
                    rule: rule ?? "left: \(because)", disagreement: differs
                ) { transaction, _ throws(StepStop) in
                    let found = SpecRun(transaction, context).files(of: addresses)
                    throw .skipped("left", because + (found.map { " (\($0))" } ?? ""))
                }
            ]
        }
    }
}

extension String {
    /// The key at the end of an address as a spec writes it, for people.
    fileprivate var lastKey: Name? { split(separator: "/").last.map { Name($0) } }
}
