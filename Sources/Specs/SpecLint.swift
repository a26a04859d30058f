import Foundation
import MigrationEngine
import StoreFormats

extension Spec {
    /// What is wrong with a file, or doubtful in it, in the order of the file: every problem that keeps it from being used,
    /// or else what the linter says of it.
    ///
    /// - Parameters:
    ///   - isSecret: Whether a value that the file writes out, under the names that it goes by, looks like a secret.
    ///   - stores: The stores of a dump that it is meant for, and the facts of that.
    ///   - tell: The reason of a step on the dump as it may be shown.
    ///   - namesake: Which other file, of those that are looked at with it, has a spec of the same name.
    package static func lint(
        _ data: Data, isSecret: @Sendable (Address, Value) -> Bool = { _, _ in false },
        on stores: (any StoreReader, Facts)? = nil,
        telling tell: (Reason, PlannedStep) -> String = { reason, _ in reason.sentence },
        beside namesake: (String) -> String? = { _ in nil }
    ) -> [SpecProblem] {
        do throws(SpecProblems) {
            let text = SpecText(data), spec = try Spec(text)
            guard let root = text.root else { return [] }
            let parts = concurrently(2) { $0 == 0 ? spec.lint() : LiteralSecrets.all(in: root, isSecret) }
            var found = parts.flatMap(\.self) + (stores.map { spec.unmet($0.0, $0.1, tell) } ?? [])
            if let other = namesake(spec.id), let place = root.members.first(where: { $0.key == "id" })?.value.place {
                found.append(
                    SpecProblem(
                        .sameName, at: place, "\(other) is called \(spec.id) too: nothing takes both at once",
                        fix: "Give one of them another id, unless it is to take the place of the other."))
            }
            return SpecProblems(found).all
        } catch {
            return error.all
        }
    }

    /// What the rows of a spec ask for that stores do not have.
    private func unmet(
        _ stores: any StoreReader, _ facts: Facts, _ tell: (Reason, PlannedStep) -> String
    ) -> [SpecProblem] {
        let migration = SpecMigration(self)
        var found: [SpecProblem] = []
        for (profile, own) in zip(migration.profiles, profiles) {
            let places = Dictionary(own.steps.map { ($0.id, $0.place) }, uniquingKeysWith: { first, _ in first })
            let plan = Plan(
                of: migration, profile: profile, facts: facts, stores: stores, history: History(), check: {})
            for step in plan.steps {
                // Of a form it is said that the value is not in it.
                let forms = Form.allCases.map { "not-\($0.rawValue)" }
                guard let reason = step.outcome.reason, (["absent", "wrong-type"] + forms).contains(reason.code),
                    let place = places[step.id]
                else { continue }
                found.append(
                    SpecProblem(
                        .notInDump, at: place, "\(step.id), on the dump: \(tell(reason, step))",
                        fix: reason.code == "absent"
                            ? "Check the address; nothing, where other dumps have it." : "Check the type."))
            }
        }
        return found
    }

    /// What is doubtful in a spec that can be used, in no order.
    private func lint() -> [SpecProblem] {
        var found = unusedNames(), room = SpecText.Limit.trials
        for profile in profiles {
            var repeating = RepeatingRows(self, profile, room: room)
            defer { room = repeating.room }
            let removed = profile.removed, order = profile.orderFindings()
            let early = order.early, moved = order.moved
            found += order.problems
            for (index, step) in profile.steps.enumerated() {
                func say(_ code: SpecProblem.Code, _ sentence: String, fix: String) {
                    found.append(SpecProblem(code, at: step.place, sentence, fix: fix))
                }
                func warn(of operations: [SpecOperation], passes isPassedOver: Bool = false) {
                    for case let warning? in operations.flattened.map(\.warning)
                    where warning.code != .openTable || !isPassedOver {
                        say(warning.code, warning.sentence, fix: warning.fix)
                    }
                }
                let readers = early[index].map { readers in readers.map { profile.steps[$0].id } }
                if let reader = moved[index].map({ profile.steps[$0].id }) {
                    say(
                        .removedEarly,
                        "\(reader) reads an item behind the one that this step takes away, and gets the one after it",
                        fix: "Take the items away in one step behind \(reader): remove: [ADDRESS, …].")
                }
                switch step.work {
                case .row(let row):
                    if !step.isNamed {
                        say(
                            .unnamed, "the name \(step.id) is made of the target, and ledgers keep it",
                            fix: "Write id: \(step.id), so that another target does not rename it.")
                    }
                    warn(
                        of: row.operations,
                        passes: (row.onCode["not-in-table"] ?? row.onError) != .fail)
                    lint(row, isRemoved: removed.map { row.addresses.contains(where: $0) } ?? false, say)
                    if let endless = repeating.endless(row, at: index) {
                        say(.endless, endless.sentence, fix: endless.fix)
                    }
                    if let readers {
                        say(
                            .removedEarly,
                            "\(readers.few) \(readers.count == 1 ? "reads the source" : "read sources") that this row takes away",
                            fix: "Remove it in a step of its own at the end: "
                                + "remove: [\(row.addresses.map { "\"\($0.text)\"" }.joined(separator: ", "))].")
                    }
                case .removal(let removal):
                    if let readers {
                        let isOne = readers.count == 1
                        say(
                            .removedEarly,
                            "\(readers.few) \(isOne ? "stands" : "stand") behind this step and \(isOne ? "reads" : "read") what it "
                                + "would take away",
                            fix: "Put \(isOne ? "it" : "them") before this step.")
                    }
                    if let (whole, parts) = profile.takenWithParts(removal, before: index) {
                        say(
                            .lossy,
                            "\(parts.joined(separator: " and ")) \(parts.count == 1 ? "is" : "are") all that any row takes of "
                                + "\(whole), and the rest of it goes too",
                            fix:
                                "Write remove: [\(parts.map { "\"\($0)\"" }.joined(separator: ", "))], unless nobody needs "
                                + "the rest.")
                    }
                    if removal.removesUnmigrated {
                        say(
                            .losesUnmigrated, "what did not arrive is removed too, and is lost outside of the ledger",
                            fix: "Leave unmigrated: remove out, unless the software does the same.")
                    }
                case .document(let document):
                    warn(of: document.editions.flatMap(\.operations))
                    for edition in document.editions {
                        guard let operation = edition.operations.flattened.first(where: \.takesParts) else { continue }
                        say(
                            .lossy,
                            "version \(edition.number) of \(document.name): what \(operation.name) drops is nowhere else",
                            fix: "Nothing, where nobody needs it; else put it elsewhere in a row before.")
                    }
                    for edition in document.editions where edition.operations.flattened.contains(where: \.inventsParts)
                    {
                        say(
                            .placeholder,
                            "version \(edition.number) of \(document.name) has values that nobody entered",
                            fix: "Nothing: every plan marks them as placeholders.")
                    }
                case .note: break
                }
            }
            if !expectations.contains(where: { ($0.profile ?? profiles.first?.id) == profile.id }) {
                found.append(
                    SpecProblem(
                        .unproven, at: .init(line: 1, column: 1), "no expectation shows the profile \(profile.id)",
                        fix: "Add one under expect: with given and gives."))
            }
        }
        return found
    }

    /// - Parameter isRemoved: Whether a removal takes its source.
    private func lint(_ row: SpecRow, isRemoved: Bool, _ say: (SpecProblem.Code, String, String) -> Void) {
        if row.source == .discard {
            say(
                .lossy, "the source is removed also where the target keeps what it has",
                "Write source: remove, which waits for that.")
        }
        if row.exists == .overwrite, !row.to.targets.isEmpty {
            say(
                .lossy, "what the target holds is overwritten", "Write exists: keep, unless the software does the same."
            )
        }
        if row.setsAside {
            say(
                .lossy, "a source that cannot be read is moved to a name that nothing reads",
                "Write error: skip, unless the software does the same.")
        }
        if row.source != .keep || isRemoved, let operation = row.operations.flattened.first(where: \.dropsParts) {
            say(
                .lossy, "what \(operation.name) drops goes with the source",
                row.source == .keep
                    ? "Leave the source out of the removal, unless nobody needs it."
                    : "Write source: keep, unless nobody needs it.")
        } else if case .inPlace = row.to, let operation = row.operations.flattened.first(where: \.takesParts) {
            say(
                .lossy, "what \(operation.name) drops is nowhere else",
                "Put the result elsewhere with to:, unless nobody needs it.")
        }
        if row.source != .keep || isRemoved, let left = row.membersLeft {
            say(
                .lossy, "\(left) has no target, and goes with the source",
                row.source == .keep
                    ? "Give it a target, or leave the source out of the removal."
                    : "Give it a target, or write source: keep, unless nobody needs it.")
        }
        if let operation = row.narrowing {
            say(
                .narrowing, "\(operation.name) makes a real of an integer, of which it keeps 53 bits",
                "Nothing, where no number is above 9007199254740992.")
        }
        if row.to.targets.contains(where: { $0.attributes["pdmn"] == .string(SpecReader.Accessible.always.code) }) {
            say(
                .weakerPlace, "an item that is always accessible can be read while the device is locked",
                "Write accessible: after-first-unlock.")
        }
        if let operation = row.operations.flattened.first(where: \.inventsParts) {
            say(
                .placeholder, "\(operation.name) makes fields that nobody entered",
                "Nothing: every plan marks them as placeholders.")
        }
        if row.placeholder != nil {
            say(
                .placeholder, "a value is made up where the source is missing",
                "Nothing: every plan marks it as a placeholder.")
        }
        if let form = row.formLeft {
            say(
                .lossy,
                "\(form.rawValue) is read in place, and its value written as it is: what reads text or data there finds none",
                "End with {encode: \(form.rawValue)}, unless the software does the same.")
        }
        if row.isSecret != false, row.isSecret == true || row.addresses.contains(where: \.isInKeychain) {
            for target in row.to.targets where !target.address.isInKeychain {
                say(
                    .weakerPlace,
                    "a secret goes to \(target.address.text), which everybody reads who has the device's files",
                    "Put it in the keychain, or write secret: false.")
            }
        }
    }

    /// The aliases and facts that nothing names.
    private func unusedNames() -> [SpecProblem] {
        // Those that nothing has named so far; mostly the first steps name all of them.
        var aliases = Set(stores.keys), names = Set(factNames)
        func use(_ addresses: [SpecAddress]) {
            for address in addresses {
                if let alias = address.alias { aliases.remove(alias) }
                if !names.isEmpty { names.subtract(address.facts) }
            }
        }
        func use(_ conditions: [Condition]) {
            for condition in conditions {
                use(condition.addresses)
                aliases.subtract(condition.stores)
                names.subtract(condition.facts)
            }
        }
        use(applies)
        for profile in profiles {
            use(profile.requires)
            for step in profile.steps {
                guard !aliases.isEmpty || !names.isEmpty else { return [] }
                if !names.isEmpty { names.subtract(step.facts) }
                use(step.notes.compactMap(\.condition))
                switch step.work {
                case .row(let row):
                    use(row.addresses + row.to.targets.map(\.address) + row.except)
                    use(row.conditions + row.checks)
                case .document(let document): use(document.places)
                case .removal(let removal): use(removal.addresses ?? [])
                case .note(let addresses, _): use(addresses)
                }
            }
        }
        for expectation in expectations { use(expectation.given.map(\.address) + expectation.gives.map(\.address)) }
        for name in factNames {
            let fact = facts[name]
            names.subtract(
                (fact?.infer?.facts ?? []) + (fact?.assume?.facts ?? []) + (fact?.computed.map { [$0.from] } ?? []))
        }
        let unusedStores = aliases.map { ("stores/\($0)", "the alias \($0)") }
        let unusedFacts = names.map { ("facts/\($0)", "the fact \($0)") }
        return (unusedStores + unusedFacts).compactMap { key, what in
            places[key].map { SpecProblem(.unused, at: $0, "nothing names \(what)", fix: "Remove it.") }
        }
    }
}

extension Condition {
    /// The aliases that it names as a whole.
    fileprivate var stores: [String] {
        switch self {
        case .any(let all, _): all.flatMap(\.stores)
        case .test(.store(let alias), _, _, _): [alias]
        case .test: []
        }
    }
}

extension SpecProfile {
    /// Whether a removal takes an address; `nil` where there is no removal.
    fileprivate var removed: ((SpecAddress) -> Bool)? {
        var templates: Set<AddressTemplate> = [], takesAll = false, isAny = false
        for case .removal(let removal) in steps.map(\.work) {
            isAny = true
            takesAll = takesAll || removal.addresses == nil
            templates.formUnion((removal.addresses ?? []).flatMap(\.templates))
        }
        guard isAny else { return nil }
        return { [takesAll] address in takesAll || address.templates.contains(where: templates.contains) }
    }
}

extension SpecProfile {
    /// What a removal takes as a whole though the rows before it read parts of it alone, with those parts, as the spec names
    /// them.
    fileprivate func takenWithParts(_ removal: SpecRemoval, before index: Int) -> (whole: String, parts: [String])? {
        let rows = steps[..<index].flatMap { step -> [SpecAddress] in
            // What a row only checks, or changes where it stands, is taken nowhere.
            if case .row(let row) = step.work, row.to.isElsewhere { row.addresses } else { [] }
        }
        // Of an alias that ends in #/ the fields are entries.
        var parts: [AddressTemplate: [String]] = [:]
        for address in rows where address.text.contains("#") {
            for entry in address.templates.compactMap(\.entry) { parts[entry, default: []].append(address.text) }
        }
        // Where rows read fields of it so, each goes by itself.
        let fields = rows.lazy.filter { !$0.text.contains("#") }.flatMap(\.templates).filter(\.isPart)
        for entry in fields.compactMap(\.entry) { parts[entry] = nil }
        guard !parts.isEmpty else { return nil }
        let whole = Set(rows.flatMap(\.templates).filter { !$0.isPart }), patterns = whole.compactMap(\.starred)
        let starred = parts.keys.count { $0.stars > 0 }
        var left = SpecText.Limit.comparisons
        let taken =
            removal.addresses?.map { ($0.text, $0.templates) }
            ?? rows.map { (String($0.text.prefix { $0 != "#" }), $0.templates.compactMap(\.entry)) }
        for (text, templates) in taken {
            for template in templates where !template.isPart && !whole.contains(template) {
                if let star = template.starred {
                    if let own = parts[template] { return (text, own.uniqued) }
                    // What the star stands for is not known, but some of it is named by other rows.
                    left -= parts.count + starred * 25
                    guard left > 0 else { return nil }
                    // Of two names with stars it is enough that something may fit both, unless a row reads all that fits this.
                    let signs = template.signs
                    let isRead = whole.contains { $0.stars > 0 && signs.isWithin($0.signs) }
                    let named = parts.filter { entry, _ in
                        guard !whole.contains(entry) else { return false }
                        if let address = entry.address {
                            return star.match(address) != nil && !patterns.contains { $0.match(address) != nil }
                        }
                        return entry.stars > 0 && !isRead && entry.signs.overlaps(signs)
                    }
                    .min { ($0.value.first ?? "") < ($1.value.first ?? "") }
                    if let named {
                        if named.key.stars > 0 { return (text, named.value.uniqued) }
                        return (named.value.first.map { String($0.prefix { $0 != "#" }) } ?? text, named.value.uniqued)
                    }
                    continue
                }
                guard let parts = parts[template] else { continue }
                left -= patterns.count
                guard left > 0 else { return nil }
                let isRead = template.address.map { address in patterns.contains { $0.match(address) != nil } } ?? false
                if !isRead { return (text, parts.uniqued) }
            }
        }
        return nil
    }
}

extension SpecOperation {
    /// Whether its result has less than it was given.
    fileprivate var dropsParts: Bool {
        switch name {
        case "case", "trim", "join", "number": true
        // Of a single value nothing is left out.
        case "fill": takes == .dictionary
        // Where else stands for the value.
        case "table": inverse == .complement && warning == nil
        default: takesParts || drops || warning?.code == .narrowing
        }
    }

    /// The same, where that is parts of what it was given and no mere writing.
    fileprivate var takesParts: Bool {
        switch name {
        case "first", "keys", "round", "pick", "remove": true
        default: false
        }
    }
}

extension [String] {
    /// The first of them in words, and how many more there are.
    fileprivate var few: String {
        if count > 4 { return prefix(3).joined(separator: ", ") + " and \(count - 3) more" }
        return count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + (last ?? "")
    }
}

extension SpecRow {
    /// What of a dictionary has no target, in words; `nil` where all of it has one, or an operation has said what it drops.
    fileprivate var membersLeft: String? {
        guard case .members(let targets) = to, !operations.flattened.contains(where: \.dropsParts) else { return nil }
        let names = Set(targets.map(\.name))
        var known: [Name]?
        if case .all(let members, _) = from, operations.isEmpty { known = members.map(\.name) }
        if operations.last?.name == "split", case .mapping(let members)? = operations.last?.argument?.content,
            case .list(let into)? = members.first(where: { $0.key == "into" })?.value.content
        {
            known = into.compactMap { if case .scalar(.string(let name)) = $0.content { Name(name) } else { nil } }
        }
        guard let known else { return "what else is in the dictionary" }
        let left = known.filter { !names.contains($0) }
        return left.isEmpty ? nil : left.list
    }

    /// The operation that makes a real number of an integer.
    fileprivate var narrowing: SpecOperation? {
        guard !types.isEmpty, types.allSatisfy({ $0.kind == .integer }) else { return nil }
        // As long as it is a whole number, or the text of one.
        for operation in operations {
            if operation.narrows { return operation }
            guard ["text", "scale", "number"].contains(operation.name) else { return nil }
        }
        return nil
    }
}

extension [SpecOperation] {
    /// The operations, each with those within it.
    fileprivate var flattened: [SpecOperation] {
        contains { !$0.inner.isEmpty } ? flatMap { [$0] + $0.inner.flattened } : self
    }
}
