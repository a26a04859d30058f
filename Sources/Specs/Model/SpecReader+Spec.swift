import Foundation
import MigrationEngine
import StoreFormats

extension SpecReader {
    /// A whole spec.
    mutating func spec(_ root: SpecNode) -> Spec {
        var spec = Spec()
        guard case .mapping(let all) = root.content else {
            report(.format, at: root.place, "a spec is a mapping", fix: "Begin with vestige: \(Spec.format).")
            return spec
        }
        if let first = all.first(where: { $0.key == "vestige" }) {
            guard case .scalar(.string(Spec.format)) = first.value.content else {
                report(
                    .format, at: first.value.place, "this program does not read that format",
                    fix: "It reads \(Spec.format); a later version may read others.")
                return spec
            }
        } else {
            report(.format, at: root.place, "the format is not named", fix: "Begin with vestige: \(Spec.format).")
        }
        let section = KeySection.spec
        guard let members = members(root, of: section.name, keys: section.names, required: ["id", "steps"]) else {
            return spec
        }
        if let id = text(members["id"], of: "id") {
            if !FactName(rawValue: id).isPlainWord, let place = members["id"]?.place {
                report(
                    .wrongType, at: place, "“\(id)” is no name of a migration", fix: "Use letters, digits and hyphens.")
            }
            spec.id = id
        }
        spec.title = text(members["title"], of: "title") ?? spec.id
        spec.about = text(members["about"], of: "about") ?? ""
        spec.see = texts(members["see"], of: "see")
        spec.apps = texts(members["apps"], of: "apps")
        for fact in SpecFact.builtIn { facts[fact.name] = fact }
        for name in ["facts", "stores"] {
            guard case .mapping(let own)? = members[name]?.content else { continue }
            for member in own { spec.places["\(name)/\(member.key)"] = member.keyPlace }
        }
        if let node = members["facts"] { spec.factNames = readFacts(node) }
        spec.facts = facts
        if let node = members["stores"] { readStores(node) }
        spec.stores = stores
        spec.applies = conditions(members["applies"], of: "applies")
        if let node = members["defaults"] {
            defaults = self.members(node, of: .defaults) ?? SpecMembers()
        }
        let requires = conditions(members["requires"], of: "requires")
        let profiles = readProfiles(members["profiles"])
        spec.profiles = profiles.map { profile in
            SpecProfile(
                id: profile.id, summary: profile.summary,
                requires: requires + chain(profile.id, profiles).flatMap(\.requires), steps: [])
        }
        if let node = members["steps"] { readSteps(node, profiles, &spec) }
        for profile in spec.profiles {
            for case .document(let document) in profile.steps.map(\.work) where document.asks {
                facts[document.versionFact] = SpecFact(
                    name: document.versionFact, kind: .integer, about: "the version of \(document.name)", example: "1")
            }
        }
        spec.expectations = items(members["expect"]).compactMap { expectation($0, spec) }
        return spec
    }

    // MARK: Facts and stores

    /// Whether a spec may have so many parts of a kind; one that may not is told.
    private mutating func isWithin(_ limit: Int, _ count: Int, _ what: String, at place: SpecProblem.Place) -> Bool {
        guard count > limit else { return true }
        report(
            .overLimit, at: place, "there are \(count) \(what), and a spec may have \(limit)",
            fix: "Split it into several specs.")
        return false
    }

    private mutating func readFacts(_ node: SpecNode) -> [FactName] {
        guard let all = mapping(node, of: "facts") else { return [] }
        guard isWithin(SpecText.Limit.facts, all.count, "facts", at: node.place) else { return [] }
        var bodies: [(name: FactName, members: SpecMembers, place: SpecProblem.Place)] = []
        for member in all {
            let name = FactName(rawValue: member.key)
            guard name.isPlainWord else {
                report(
                    .wrongType, at: member.keyPlace, "“\(member.key)” is no name of a fact",
                    fix: "Use letters, digits and hyphens.")
                continue
            }
            guard name != .boot, !SpecFact.builtIn.contains(where: { $0.name == name }) else {
                report(.duplicateKey, at: member.keyPlace, "the fact \(name) is built in", fix: "Remove it here.")
                continue
            }
            guard let members = members(member.value, of: .fact) else { continue }
            let kind = word(members["type"], of: "type", SpecFact.Kind.self) ?? .string
            facts[name] = SpecFact(
                name: name, kind: kind, about: text(members["about"], of: "about") ?? name.rawValue,
                example: text(members["example"], of: "example") ?? kind.example)
            bodies.append((name, members, member.keyPlace))
        }
        for (name, members, place) in bodies {
            var fact = facts[name]
            if let infer = members["infer"], let text = text(infer, of: "infer"), address(text, at: infer.place) != nil
            {
                fact?.infer = AddressTemplate(text)
                if fact?.infer?.stars ?? 0 > 1 {
                    report(.wildcards, at: infer.place, "infer has more than one *", fix: "Write the other names out.")
                }
            }
            if let assume = members["assume"], let text = text(assume, of: "assume") {
                fact?.assume = AddressTemplate(text)
                for name in fact?.assume?.facts ?? [] { _ = factName(name.rawValue, at: assume.place) }
            }
            fact?.isFresh = flag(members["fresh"], of: "fresh") ?? false
            if fact?.isFresh ?? false, fact?.kind != .uuid {
                report(.wrongType, at: place, "only a fact of the type uuid is fresh", fix: "Write type: uuid.")
            }
            if let from = members["from"], let text = text(from, of: "from") {
                if !text.hasPrefix("fact/") {
                    report(.wrongType, at: from.place, "a fact is made of another", fix: "Write from: fact/NAME.")
                }
                let operations = operations(members["do"], of: "do")
                guard text.hasPrefix("fact/"), let source = factName(String(text.dropFirst(5)), at: from.place) else {
                    continue
                }
                _ = checkTypes(operations, from: source == .now ? .number : .string, at: from.place)
                fact?.computed = (source, operations)
            }
            facts[name] = fact
        }
        for (name, _, place) in bodies {
            // Each is made of one other, so a chain longer than there are facts comes back to itself.
            var seen: Set<FactName> = [], next = Optional(name)
            while let name = next, seen.count <= SpecText.Limit.factChain, seen.insert(name).inserted {
                next = facts[name]?.computed?.from
            }
            if let next {
                let isCycle = seen.contains(next)
                report(
                    isCycle ? .cycle : .overLimit, at: place,
                    isCycle
                        ? "the fact \(name) is made of itself"
                        : "the fact \(name) is made of more than \(SpecText.Limit.factChain) others, one of the other",
                    fix: isCycle ? "Take it from a fact that is given." : "Do in one fact what several do.")
                facts[name]?.computed = nil
            }
        }
        return bodies.map(\.name)
    }

    private mutating func readStores(_ node: SpecNode) {
        for member in mapping(node, of: "stores") ?? [] {
            guard !["value", "target", "store", "any", "fact"].contains(member.key), !member.key.contains("/") else {
                report(
                    .wrongType, at: member.keyPlace, "\(member.key) is a word of the language, or has a slash",
                    fix: "Take another name for the alias.")
                continue
            }
            var places: [AddressTemplate] = []
            for item in items(member.value) {
                guard let text = text(item, of: "the address of a store") else { continue }
                if let place = checkAddress(text, at: item.place) { places.append(place) }
            }
            // An alias that is wrong is known all the same: one problem is enough.
            stores[member.key] =
                places.isEmpty ? [AddressTemplate(Address(store: .defaults("unknown")))] : places
        }
    }

    // MARK: Profiles

    /// A profile as the file writes it.
    struct WrittenProfile {
        var id: String, summary: String
        var like: String?
        var requires: [Condition], place: SpecProblem.Place
    }

    private mutating func readProfiles(_ node: SpecNode?) -> [WrittenProfile] {
        guard let node, let all = mapping(node, of: "profiles"), !all.isEmpty else {
            let place = SpecProblem.Place(line: 1, column: 1)
            return [WrittenProfile(id: "default", summary: "the only profile", requires: [], place: place)]
        }
        guard isWithin(SpecText.Limit.profiles, all.count, "profiles", at: node.place) else { return [] }
        let names = all.map(\.key)
        var profiles = all.map { member in
            var profile = WrittenProfile(
                id: member.key, summary: member.key, requires: [], place: member.keyPlace)
            if case .scalar(.string(let text)) = member.value.content {
                profile.summary = text
            } else if let members = members(member.value, of: .profile) {
                profile.summary = text(members["about"], of: "about") ?? member.key
                profile.requires = conditions(members["requires"], of: "requires")
                if let like = members["like"], let text = text(like, of: "like") {
                    profile.like =
                        names.contains(text)
                        ? text : unknown(text, at: like.place, of: "profile", among: names, .unknownName)
                }
            }
            return profile
        }
        for index in profiles.indices {
            var seen: Set<String> = [], next = Optional(profiles[index].id)
            while let id = next, seen.insert(id).inserted { next = profiles.first { $0.id == id }?.like }
            if next != nil {
                report(
                    .cycle, at: profiles[index].place, "the profile \(profiles[index].id) is like itself",
                    fix: "Let one of them be like no other.")
                profiles[index].like = nil
            }
        }
        return profiles
    }

    /// A profile after those that it is like.
    private func chain(_ id: String, _ profiles: [WrittenProfile]) -> [WrittenProfile] {
        var chain: [WrittenProfile] = [], next = Optional(id)
        while let id = next, chain.count <= profiles.count, let profile = profiles.first(where: { $0.id == id }) {
            chain.insert(profile, at: 0)
            next = profile.like
        }
        return chain
    }

    // MARK: Steps

    private mutating func readSteps(_ node: SpecNode, _ profiles: [WrittenProfile], _ spec: inout Spec) {
        guard case .list(let nodes) = node.content else {
            report(
                .wrongType, at: node.place, "steps is a list, and this is \(node.kind)", fix: "Begin each step with -.")
            return
        }
        guard isWithin(SpecText.Limit.steps, nodes.count, "steps", at: node.place) else { return }
        let chains = profiles.map { chain($0.id, profiles).map(\.id) }
        // Steps need nothing of one another: those of a long file are read on all cores.
        let begun = withoutProblems
        let parts = concurrently(stretchesOf: nodes.count, atLeast: 256) { numbers in
            var reader = begun, steps = chains.map { _ in [SpecStep]() }
            for number in numbers { reader.readStep(nodes[number], number: number, chains, &steps) }
            return (steps, reader.problems)
        }
        for (steps, problems) in parts {
            for problem in problems { add(problem) }
            for index in spec.profiles.indices { spec.profiles[index].steps += steps[index] }
        }
        for profile in spec.profiles {
            check(profile)
            let removals = profile.steps.filter { if case .removal = $0.work { true } else { false } }
            guard removals.count > SpecText.Limit.removals else { continue }
            report(
                .overLimit, at: removals[SpecText.Limit.removals].place,
                "the profile \(profile.id) has \(removals.count) removals, and may have \(SpecText.Limit.removals)",
                fix: "Let one step remove what several do: remove takes a list.")
        }
    }

    /// Reads a step into each profile that has it.
    ///
    /// - Parameter chains: The profiles, each as its name with the names of those that it begins with.
    private mutating func readStep(
        _ node: SpecNode, number: Int, _ chains: [[String]], _ steps: inout [[SpecStep]]
    ) {
        guard case .mapping(let all) = node.content else {
            report(
                .wrongType, at: node.place, "a step is a mapping, and this is \(node.kind)",
                fix: "Write from: and to:.")
            return
        }
        let overrides = all.first { $0.key == "in-profile" }.flatMap { mapping($0.value, of: "in-profile") } ?? []
        let only = all.first { $0.key == "only" }.map { texts($0.value, of: "only") }
        if let node = all.first(where: { $0.key == "only" })?.value, items(node).isEmpty {
            report(.key, at: node.place, "only names no profile, so that none has the step", fix: "Remove it.")
        }
        let names = chains.compactMap(\.last)
        for (name, place) in overrides.map({ ($0.key, $0.keyPlace) }) + (only ?? []).map({ ($0, node.place) })
        where !names.contains(name) {
            let _: String? = unknown(name, at: place, of: "profile", among: names, .unknownName)
        }
        let plain = all.filter { $0.key != "in-profile" && $0.key != "only" }
        var same: [SpecStep]?
        for (index, chain) in chains.enumerated() {
            guard only.map({ only in chain.contains(where: only.contains) }) ?? true else { continue }
            var members = plain, isChanged = false
            for id in chain {
                for override in overrides where override.key == id {
                    for member in mapping(override.value, of: "a profile of a step") ?? [] {
                        isChanged = true
                        members.removeAll { $0.key == member.key }
                        members.append(member)
                    }
                }
            }
            let read: [SpecStep]
            if !isChanged, let same {
                read = same
            } else {
                read = step(SpecNode(content: .mapping(members), place: node.place), number: number).map { [$0] } ?? []
                if !isChanged { same = read }
            }
            steps[index] += read
        }
    }

    /// Whether a step waits for one of others, by itself or by those that it waits for, as far as a short way leads.
    private func waits(_ id: String, for others: some Collection<String>, after: [String: [String]]) -> Bool {
        var found: Set<String> = [], open = [id], left = 100
        while left > 0, let next = open.popLast() {
            let all = (after[next] ?? []).prefix(left)
            left -= max(1, all.count)
            for id in all where found.insert(id).inserted { open.append(id) }
        }
        return others.contains(where: found.contains)
    }

    /// What must hold of the steps of a profile together.
    private mutating func check(_ profile: SpecProfile) {
        let count = profile.steps.count
        var seen: [String: SpecProblem.Place] = .init(minimumCapacity: count)
        var writers: [[SpecTarget]: [(id: String, index: Int, row: SpecRow)]] = .init(minimumCapacity: count)
        // Few rows have one target.
        lazy var changes = ChangedEntries(profile)
        // Asked for by few steps.
        lazy var all = profile.steps.flatMap(\.ids)
        lazy var known = Set(all)
        lazy var after = Dictionary(profile.steps.flatMap { step in step.ids.map { ($0, step.after) } }) { $1 }
        for (index, step) in profile.steps.enumerated() {
            let ids = step.ids
            for id in ids {
                if let first = seen[id], first != step.place {
                    report(
                        .duplicateKey, at: step.place, "two steps are called \(id), the other in line \(first.line)",
                        fix: "Give one of them another id.")
                }
                seen[id] = step.place
            }
            for id in step.after where seen[id] == nil || ids.contains(id) {
                if known.contains(id) {
                    let isCycle = ids.contains(id) || waits(id, for: ids, after: after)
                    report(
                        .cycle, at: step.place,
                        "\(step.id) waits for \(id), which "
                            + (ids.contains(id)
                                ? "it is itself"
                                : isCycle ? "waits for it in turn: a cycle" : "does not come before it"),
                        fix: isCycle
                            ? "Take \(id) out of its after:, or break the cycle elsewhere." : "Write \(id) before it.")
                } else {
                    let _: String? = unknown(id, at: step.place, of: "step", among: all, .unknownName)
                }
            }
            guard case .row(let row) = step.work else { continue }
            for target in row.to.targets {
                let written = target.address.templates.map(SpecTarget.init)
                // Taken out and put back, as each look asks for the hash of all of it.
                var earlier = writers.removeValue(forKey: written) ?? []
                let other = earlier.last { other in
                    guard other.id != step.id else { return false }
                    // What a step between them changes, or the first of them, may be one thing for that and the other then.
                    return !row.conditions.exclude(other.row.conditions, of: row.source(sharedWith: other.row)) {
                        changes.contain($0) { other.index..<index ~= $0 }
                    }
                }
                if let other {
                    let isBetween = row.conditions.exclude(
                        other.row.conditions, of: row.source(sharedWith: other.row)
                    ) { _ in false }
                    report(
                        .twoWriters, at: step.place, "\(step.id) and \(other.id) both write \(target.address.text)",
                        fix: isBetween
                            ? "Put the step that changes what their ifs ask for behind both of them."
                            : "Make one row of them, whose from is a list, or let their ifs exclude one another: app/KEY "
                                + "is 1, app/KEY is 2.")
                }
                earlier.append((step.id, index, row))
                // Of more than a few with one target not each is compared with each.
                if earlier.count > 20 { earlier.removeFirst() }
                writers[written] = earlier
            }
        }
        checkStars(profile)
        for cycle in profile.cyclesOfWrites() {
            let names = cycle.prefix(8).map(\.id).joined(separator: ", ") + (cycle.count > 8 ? ", …" : "")
            report(
                .cycle, at: cycle[0].place,
                "each of these rows overwrites what the next one reads, and the last what the first does: \(names); in no order "
                    + "does each get the old value",
                fix:
                    "Make one row of them, with exists: overwrite, from: {a: …, b: …} and to: {a: …, b: …}; what the linter says of "
                    + "that keeps it from exchanging them again.")
        }
    }

    /// Two rows that write one target by a star.
    private mutating func checkStars(_ profile: SpecProfile) {
        let hasStars = profile.steps.contains { step in
            guard case .row(let row) = step.work else { return false }
            return row.to.targets.contains { $0.address.stars > 0 }
        }
        guard hasStars else { return }
        let rows = profile.steps.compactMap { step -> (step: SpecStep, row: SpecRow)? in
            if case .row(let row) = step.work { (step, row) } else { nil }
        }
        let plain = rows.flatMap { step, row in
            row.to.targets.flatMap(\.address.templates).compactMap { $0.address.map { (step: step, address: $0) } }
        }
        var compared = 0
        for (step, row) in rows {
            let sources = row.addresses.flatMap(\.templates)
            let excepted = ExceptedAddresses(row.except.flatMap(\.templates).compactMap(\.constant))
            for pattern in row.to.targets.flatMap(\.address.templates).compactMap(\.starred) {
                // Rows with and without a star in thousands would be compared for long; few have one.
                compared += plain.count
                guard compared < SpecText.Limit.comparisons else { return }
                for other in plain where other.step.id != step.id {
                    guard let match = pattern.match(other.address) else { continue }
                    let read = sources.compactMap { $0.starred?.filled(match) }
                    guard !read.contains(where: excepted.contain) else { continue }
                    report(
                        .twoWriters, at: other.step.place,
                        "\(other.step.id) and \(step.id) both write \(other.address)",
                        fix: "Leave its source out of \(step.id) with except:.")
                }
            }
        }
    }

    // MARK: Expectations

    private mutating func expectation(_ node: SpecNode, _ spec: Spec) -> SpecExpectation? {
        guard let members = members(node, of: .expectation) else { return nil }
        var expected = SpecExpectation(name: text(members["name"], of: "name") ?? "", place: node.place)
        if let profile = members["profile"], let text = text(profile, of: "profile") {
            let names = spec.profiles.map(\.id)
            expected.profile =
                names.contains(text)
                ? text : unknown(text, at: profile.place, of: "profile", among: names, .unknownName)
        }
        if let node = members["fixture"], let written = text(node, of: "fixture") {
            // A folder may be written with a slash at its end.
            let path = written.hasSuffix("/") ? String(written.dropLast()) : written
            // What others send reads nothing but what lies beside it.
            let isBeside =
                !path.isEmpty
                && !path.split(separator: "/", omittingEmptySubsequences: false).contains {
                    $0 == ".." || $0.isEmpty
                }
            if path.split(separator: "/").allSatisfy({ $0 == "." }), !path.isEmpty {
                report(
                    .address, at: node.place, "\(written) is the folder of the file itself",
                    fix: "Put the dump in a folder beside the file, and name that.")
            } else if !isBeside {
                report(
                    .address, at: node.place, "\(path) leads out of the folder of the file",
                    fix: "Put the dump beside the file, and name it from there.")
            } else if members["given"] != nil {
                report(
                    .key, at: node.place, "an expectation has fixture or given, and this has both",
                    fix: "Remove one of them.")
            }
            expected.fixture = (path, node.place)
        }
        for member in members["facts"].flatMap({ mapping($0, of: "facts") }) ?? [] {
            guard let name = factName(member.key, at: member.keyPlace), case .scalar(let value) = member.value.content
            else {
                continue
            }
            expected.facts.append((name, value.string ?? value.numberText))
        }
        for member in members["given"].flatMap({ mapping($0, of: "given") }) ?? [] {
            guard let address = address(member.key, at: member.keyPlace), names(address, anEntryAt: member.keyPlace),
                isOneEntry(address, at: member.keyPlace, orPart: false)
            else { continue }
            checkFacts(of: address, in: expected, spec, at: member.keyPlace)
            // What is not there need not be given.
            if case .scalar(.string("absent")) = member.value.content { continue }
            if let value = expectedValue(member.value) { expected.given.append((address, value)) }
        }
        for member in members["gives"].flatMap({ mapping($0, of: "gives") }) ?? [] {
            guard let address = address(member.key, at: member.keyPlace), names(address, anEntryAt: member.keyPlace),
                isOneEntry(address, at: member.keyPlace, orPart: true)
            else { continue }
            checkFacts(of: address, in: expected, spec, at: member.keyPlace)
            if case .scalar(.string("absent")) = member.value.content {
                expected.gives.append((address, nil))
            } else if let value = expectedValue(member.value) {
                expected.gives.append((address, value))
            }
        }
        let ids = members["outcomes"] == nil ? [] : spec.profiles.flatMap(\.steps).flatMap(\.ids), known = Set(ids)
        for member in members["outcomes"].flatMap({ mapping($0, of: "outcomes") }) ?? [] {
            guard let (outcome, code) = outcome(member.value) else { continue }
            guard known.contains(member.key) else {
                let _: String? = unknown(member.key, at: member.keyPlace, of: "step", among: ids, .unknownName)
                continue
            }
            expected.outcomes.append((member.key, outcome, code))
        }
        return expected
    }

    /// How a step ends: an outcome, or one with its reason, `{failed: not-json}`.
    private mutating func outcome(_ node: SpecNode) -> (kind: Outcome.Kind, code: String?)? {
        guard case .mapping(let members) = node.content else {
            if case .scalar(.string(let code)) = node.content, KeySection.reasonCodes.contains(code) {
                let kind = KeySection.reasons.keys.first { $0.name == code }?.values.phrase ?? "failed"
                return refuse(node, "\(code) is a reason and no outcome", "Write {\(kind): \(code)}.")
            }
            return word(node, of: "an outcome", Outcome.Kind.self).map { ($0, nil) }
        }
        guard members.count == 1, let member = members.first else {
            return refuse(node, "an outcome has one reason", "Write it as {failed: not-json}.")
        }
        guard let kind = Outcome.Kind(rawValue: member.key) else {
            return unknown(member.key, at: member.keyPlace, of: "outcome", among: KeySection.outcomes.names)
        }
        guard let code = text(member.value, of: "a reason") else { return nil }
        guard KeySection.reasonCodes.contains(code) else {
            return unknown(code, at: member.value.place, of: "reason", among: KeySection.reasonCodes.sorted())
        }
        return (kind, code)
    }

    /// Whether an address can be given something: a part of what is not there cannot, nor many entries at once.
    private mutating func isOneEntry(_ address: SpecAddress, at place: SpecProblem.Place, orPart: Bool) -> Bool {
        let isMany = address.stars > 0
        guard isMany || !orPart && address.templates.contains(where: \.isPart) else { return true }
        report(
            isMany ? .wildcards : .address, at: place, "\(address.text) is not one \(orPart ? "" : "whole ")entry",
            fix: isMany
                ? "Name each entry by itself."
                : "Give the entry as a whole, such as {file://Documents/a.json: '{\"size\": 5}'}.")
        return false
    }

    /// Checks that an expectation that begins with nothing but what it gives says the facts in an address.
    private mutating func checkFacts(
        of address: SpecAddress, in expected: SpecExpectation, _ spec: Spec, at place: SpecProblem.Place
    ) {
        guard expected.fixture == nil else { return }
        for name in address.facts where name != .bundleIdentifier && !expected.facts.contains(where: { $0.0 == name }) {
            let fact = facts[name], isFound = fact?.infer != nil || fact?.assume != nil || fact?.computed != nil
            guard !isFound, fact?.isFresh != true else { continue }
            report(
                .unknownName, at: place, "\(address.text) needs the fact \(name), which this expectation does not say",
                fix: "Add facts: {\(name): \(fact?.example ?? "value")} to it.")
        }
    }

    /// A literal, or a value as the program's JSON writes it: `{type: date, value: 2024-08-30T06:40:00Z}`.
    private mutating func expectedValue(_ node: SpecNode) -> Value? {
        guard case .mapping(let all) = node.content, all.count == 2, let type = all.first(where: { $0.key == "type" }),
            let value = all.first(where: { $0.key == "value" }), let kind = text(type.value, of: "type")
        else { return SpecLiteral(node).plain }
        guard let plain = SpecLiteral(value.value).plain else { return nil }
        switch (kind, plain) {
        case ("data", .string(let text)):
            if let data = Data(base64Encoded: text) { return .data(data) }
        case ("date", .string):
            let seconds = OperationTable.seconds(ofISO8601: plain)
            if let seconds { return .date(Timestamp(secondsSinceEpoch: seconds)) }
        case ("real", _): if let double = plain.double { return .real(double) }
        case ("string", .string), ("integer", .integer), ("bool", .bool), ("null", .null), ("array", .array),
            ("dictionary", .dictionary):
            return plain
        default: break
        }
        let types = ["string", "integer", "real", "bool", "date", "data", "array", "dictionary", "null"]
        guard types.contains(kind) else {
            return unknown(kind, at: type.value.place, of: "type of a value", among: types)
        }
        let examples = [
            "date": "\"2024-08-30T06:40:00Z\"", "data": "aGVsbG8=", "real": "1.5", "integer": "1", "bool": "true",
        ]
        return refuse(
            node, "this is no value of the type \(kind)",
            examples[kind].map { "Write it as {type: \(kind), value: \($0)}." } ?? "Write what is meant as it is.")
    }
}

/// Where a row writes, however it is spelt.
private enum SpecTarget: Hashable {
    case address(Address)
    case template(AddressTemplate)

    init(_ template: AddressTemplate) { self = template.address.map(Self.address) ?? .template(template) }
}

extension SpecStep {
    /// The names of the steps that it is: one, or one for each version of a document.
    var ids: [String] {
        guard case .document(let document) = work else { return [id] }
        return document.editions.dropFirst().map { document.id(from: $0.number - 1) }
    }
}

extension SpecDocument {
    /// The name of the step from a version to the next.
    func id(from version: Int) -> String {
        stepID.replacing("{document}", with: name).replacing("{from}", with: "\(version)")
            .replacing("{to}", with: "\(version + 1)")
    }
}
