import MigrationEngine
import Reports

/// Moving along the timeline, and what differs between its points.
extension Model {
    /// Why nothing can be done at another point than now.
    static let notNow = "this is not what is now"

    var reasonNotNow: String? { opened?.moment == .now ? nil : "\(Self.notNow); \(key(.out)) comes back to that" }

    /// Why no other point can be gone to: what covers the list is of the dump as it is, or of what is proposed now.
    var reasonNotTravelling: String? {
        if let reason = reasonNotPlanned { return reason }
        switch page?.subject {
        case nil, .history: return nil
        case .difference:
            if case .moments? = difference?.sides { return nil }
            return reasonCovered
        default: return reasonCovered
        }
    }

    /// The point under the cursor of the timeline's page.
    private var listedMoment: Moment? {
        guard let page, page.subject == .history, let cursor = page.cursor,
            case .moment(let moment)? = PageView.text(page, self)[cursor].target
        else { return nil }
        return moment
    }

    /// Shows the stores at the point so many points later, or earlier; on the timeline's page its cursor goes there.
    mutating func travel(by distance: Int) -> [any Effect] {
        guard let opened else { return [] }
        // The last point stands first there.
        if page?.subject == .history { return move(.rows(-distance)) }
        let timeline = opened.timeline, here = timeline.position(of: opened.moment) ?? timeline.present
        let there = min(max(0, here + distance * (count ?? 1)), timeline.points.count - 1)
        self.opened?.showsTimeline = true
        guard there != here else {
            message = .done(
                timeline.points.count == 1
                    ? "nothing has been applied, and no step has anything to do"
                    : distance > 0 ? "this is the last point" : "this is the first point, the dump as it is")
            return []
        }
        return travel(to: timeline.points[there].moment)
    }

    /// Shows the stores at the point that a person names.
    mutating func travel(toPoint name: String) -> [any Effect] {
        guard let opened else { return [] }
        guard let moment = opened.timeline.moment(named: name) else {
            message = noPoint(name, opened)
            return []
        }
        self.opened?.showsTimeline = true
        return travel(to: moment)
    }

    /// That no point has a name: the one that is like it, else what points are called.
    private func noPoint(_ name: String, _ opened: OpenContainer) -> Message {
        let names = opened.timeline.names + opened.timeline.points.compactMap(\.step)
        let near = Nearest.word(to: name, among: names).map { "did you mean \($0)?" }
        let words = "points are called dump, now, end, #3 for the entry of that number, or as steps are"
        return .refused("there is no point “\(name)”; \(near ?? words)")
    }

    /// Shows the stores at a point, the cursor on the step that led there.
    mutating func travel(to moment: Moment) -> [any Effect] {
        guard let opened else { return [] }
        self.opened?.showsTimeline = true
        guard moment != opened.moment else { return [] }
        let timeline = opened.timeline
        let step = timeline.position(of: moment).flatMap { timeline.points[$0].step }
        return [
            Planning(opened.request(at: moment), label: "looking at that point") { _, model in
                if let step { model.opened?.moveCursor(toStep: step) }
            }
        ]
    }

    /// Comes back to now and leaves the timeline; `nil` where it is not looked at.
    mutating func leaveTimeline() -> [any Effect]? {
        guard let opened, opened.showsTimeline else { return nil }
        self.opened?.showsTimeline = false
        return opened.moment == .now ? [] : [Planning(opened.request, label: "coming back to now")]
    }

    /// Marks the point in view, or takes the mark away that is there.
    mutating func markPoint() -> [any Effect] {
        guard let opened else { return [] }
        let point = opened.timeline.lasting(listedMoment ?? opened.moment), isThere = opened.mark == point
        self.opened?.mark = isThere ? nil : point
        self.opened?.showsTimeline = true
        message = .done(
            isThere
                ? "the mark is taken away" : "marked; go to another point, and \(key(.difference)) shows what differs")
        return []
    }

    /// Shows what differs between a point and the one in view: the one named, else the marked one, else the dump.
    mutating func showDifference(from name: String) -> [any Effect] {
        guard let opened else { return [] }
        let timeline = opened.timeline
        guard let from = name.isEmpty ? opened.mark ?? timeline.points[0].moment : timeline.moment(named: name) else {
            message = noPoint(name, opened)
            return []
        }
        self.opened?.showsTimeline = true
        let to = listedMoment ?? opened.moment
        guard timeline.position(of: from) != timeline.position(of: to) else {
            message = .refused("this is that point; \(key(.earlier)) and \(key(.later)) go to another")
            return []
        }
        differ(.moments(from: from, to: to))
        return travel(to: to)
    }

    /// Shows what differs between two sides, in place of what another difference shows.
    mutating func differ(_ sides: ComparedDump.Sides) {
        if difference == nil || difference?.sides.isLike(sides) == false { difference = ComparedDump(named: "") }
        difference?.sides = sides
        show(.difference)
    }

    /// Asks for the difference on the page, where it is of something else than what is in view now.
    mutating func differAnew(_ opened: OpenContainer) -> [any Effect] {
        guard busy == nil, let difference else { return [] }
        var sides = difference.sides
        if case .moments(let from, _) = sides {
            // What comes later stands behind, whichever of them was marked.
            let here = opened.moment, timeline = opened.timeline
            let isBackwards = timeline.position(of: from) ?? 0 > timeline.position(of: here) ?? 0
            sides = isBackwards ? .moments(from: here, to: from) : .moments(from: from, to: here)
        }
        let purpose = ComparedDump.Purpose(
            container: opened.snapshot.path, revision: opened.revision, isRevealing: masking.isRevealing, sides: sides)
        guard difference.purpose != purpose else { return [] }
        let names = names(of: sides, opened)
        // What is proposed stands beside what is, which need not be named.
        let isProposal = if case .proposal = sides { true } else { false }
        let name = isProposal ? names.after : "\(names.before) \(glyphs.choose("→", ascii: "->")) \(names.after)"
        self.difference?.begin(purpose)
        self.difference?.name = name
        return [Differing(purpose: purpose, names: names, request: opened.request, masking: masking)]
    }

    /// What the sides of a difference are, in phrases.
    private func names(of sides: ComparedDump.Sides, _ opened: OpenContainer) -> (before: String, after: String) {
        switch sides {
        case .dumps: return ("before", "after")
        case .moments(let from, let to):
            let timeline = opened.timeline
            func phrase(_ moment: Moment) -> String {
                timeline.position(of: moment).map { TimelineView.phrase(timeline.points[$0], opened) } ?? "now"
            }
            return (phrase(from), phrase(to))
        case .proposal(let proposal): return ("as it is", "with \(words(for: proposal, opened))")
        }
    }

    /// Other facts or another profile, in words.
    func words(for proposal: Proposal, _ opened: OpenContainer) -> String {
        let facts = proposal.facts.sorted { $0.key.rawValue < $1.key.rawValue }.map { name, text in
            if text.isEmpty { return "\(name) taken back" }
            let definition = opened.migration?.facts.first { $0.name == name }
            let reading = definition?.reading(of: text, from: opened.anchors)
            let value = if case .value(let value)? = reading { value } else { text }
            let fact = Fact(value, from: .given("the inspector"))
            return "\(name) \(masking.fact(name, fact, as: definition?.words(for: fact.value) ?? text))"
        }
        return ([proposal.profile.map { "the profile \($0)" }].compactMap(\.self) + facts).joined(separator: ", ")
    }
}

/// Other facts, or another profile, before they are taken.
struct Proposal: Hashable, Sendable {
    /// The name of the profile; `nil` is the one in view.
    var profile: String?
    /// The facts that are others, as they are typed; nothing typed takes one back.
    var facts: [FactName: String] = [:]

    /// The names of the facts that are taken back.
    var takenBack: [FactName] { facts.filter { $0.value.isEmpty }.map(\.key) }
}

/// What would change with other facts or another profile.
extension Model {
    /// What is proposed on the page.
    var proposal: Proposal? {
        guard page?.subject == .difference, case .proposal(let proposal)? = difference?.sides else { return nil }
        return proposal
    }

    var reasonNothingProposed: String? {
        proposal == nil ? "nothing is proposed; \(key(.whatIf)) shows another profile" : nil
    }

    /// Shows what would change: with the facts and the profile that are named, or else with the next profile.
    mutating func propose(_ argument: String) -> [any Effect] {
        guard let opened, let migration = opened.migration, let current = opened.profile else { return [] }
        if argument.isEmpty {
            let profiles = migration.profiles, shown = proposal?.profile ?? current.id
            let index = profiles.firstIndex { $0.id == shown } ?? 0, next = profiles[(index + 1) % profiles.count]
            guard profiles.count > 1 else {
                message = .refused("\(migration.id) has one profile; :what-if NAME=VALUE shows what a fact changes")
                return []
            }
            if next.id == current.id, profiles.count > 2 || proposal?.profile != nil {
                let second = profiles[(index + 2) % profiles.count]
                return propose(Proposal(profile: second.id == current.id ? next.id : second.id))
            }
            return propose(Proposal(profile: next.id))
        }
        var proposal = Proposal()
        for part in Self.assignments(in: argument, of: migration.facts.map(\.name.rawValue) + ["profile"]) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0).unquoted
            }
            guard sides.count == 2, !sides[1].isEmpty || sides[0] != "profile" else {
                message = .refused("what-if takes NAME=VALUE for each fact, NAME= without it, and profile=NAME")
                return []
            }
            if let definition = migration.facts.first(where: { $0.name.rawValue == sides[0] }) {
                let reason =
                    sides[1].isEmpty
                    ? opened.refusalToTakeBack(definition.name) : refusal(of: sides[1], for: definition, opened)
                if let reason {
                    message = .refused(reason)
                    return []
                }
                proposal.facts[definition.name] = sides[1]
            } else if sides[0] == "profile" {
                let known = migration.profiles.map(\.id)
                guard known.contains(sides[1]) else {
                    message = .unknown("profile", sides[1], among: known)
                    return []
                }
                proposal.profile = sides[1]
            } else {
                message =
                    migration.unusedFacts.contains(FactName(rawValue: sides[0]))
                    ? noFact(sides[0])
                    : .unknown("fact", sides[0], among: migration.facts.map(\.name.rawValue) + ["profile"])
                return []
            }
        }
        return propose(proposal)
    }

    private mutating func propose(_ proposal: Proposal) -> [any Effect] {
        differ(.proposal(proposal))
        if prompt == nil { message = .done("\(key(.take)) takes it, \(key(.out)) leaves it as it is") }
        return []
    }

    /// What is typed, cut before each name with its sign of equality: values may have blanks.
    private static func assignments(in text: String, of names: [String]) -> [String] {
        text.split(separator: " ", omittingEmptySubsequences: false).reduce(into: [String]()) { parts, word in
            let isNamed = names.contains { word.hasPrefix($0 + "=") }
            if isNamed || parts.isEmpty {
                parts.append(String(word))
            } else {
                parts[parts.count - 1] += " " + word
            }
        }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Takes the facts or the profile that are proposed on the page.
    mutating func takeProposal() -> [any Effect] {
        guard let proposal, let opened, let migration = opened.migration else { return [] }
        closePage()
        var request = opened.request
        if let profile = proposal.profile { request.choice = Choice(migration.id, profile: profile) }
        let facts = proposal.facts.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { name, text in
            migration.facts.first { $0.name == name }.map { (definition: $0, text: text.isEmpty ? nil : text) }
        }
        return atNow(
            GivingFacts(
                facts: facts, profile: proposal.profile, isAsked: false, isBack: opened.moment != .now, request: request
            ))
    }

    /// Lists the rows that a fact would change, while its value is typed.
    mutating func proposeTyped() {
        guard let prompt, case .fact(let name) = prompt.purpose else { return endProposing() }
        let definition = opened?.migration?.facts.first { $0.name == name }
        if prompt.text.isEmpty, takesBack(name) {
            differ(.proposal(Proposal(facts: [name: ""])))
            return isProposingTyped = true
        }
        switch definition?.reading(of: prompt.text, from: opened?.anchors ?? TimeAnchors()) {
        case .value(let value) where value != opened?.plan?.facts[name]?.value: break
        case .waits(.clock): break
        default: return endProposing()
        }
        differ(.proposal(Proposal(facts: [name: prompt.text])))
        isProposingTyped = true
    }

    /// Whether nothing typed for a fact takes it back: on the page of facts, where its value stood in the line.
    func takesBack(_ name: FactName) -> Bool {
        let page = isProposingTyped ? page?.below.last : page
        guard page?.subject == .facts, let opened, let fact = opened.plan?.facts[name], !masking.isSecret(name, fact)
        else { return false }
        return opened.refusalToTakeBack(name) == nil
    }

    /// Lists no rows any more for what is typed.
    mutating func endProposing() {
        if isProposingTyped { closePage() }
        isProposingTyped = false
    }
}
