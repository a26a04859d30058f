import MigrationEngine
import StoreFormats

/// Reads the parts of a spec into what they mean, and collects what is wrong with them.
///
/// A problem never hides another one: what cannot be read is left out, and the rest is read on.
struct SpecReader {
    private(set) var problems: [SpecProblem] = []
    /// Where the text itself could not be read, which is told already.
    var unread: Set<SpecProblem.Place> = []
    /// What the file has said so far that later parts name: the facts, the addresses of each alias, the defaults of rows.
    var facts: [FactName: SpecFact] = [:]
    var stores: [String: [AddressTemplate]] = [:]
    var defaults = SpecMembers()
    /// The types of the value that the row may have which is read now; `nil` where nobody knows.
    var valueKinds: ValueKinds?

    /// The same, with all that it knows so far and nothing found yet.
    var withoutProblems: SpecReader {
        var reader = self
        reader.problems = []
        return reader
    }

    mutating func add(_ problem: SpecProblem) {
        // A profile may tell the same again, so more are kept than are told.
        guard problems.count < 100 * SpecProblems.most, !unread.contains(problem.place) else { return }
        problems.append(problem)
    }

    /// Takes back what was found at a place since so many problems were known.
    mutating func withdrawProblems(at place: SpecProblem.Place, from known: Int) {
        problems = problems[..<known] + problems[known...].filter { $0.place != place }
    }

    mutating func report(_ code: SpecProblem.Code, at place: SpecProblem.Place, _ sentence: String, fix: String) {
        add(SpecProblem(code, at: place, sentence, fix: fix))
    }

    /// The members of a mapping by their keys, each of which must be one of those that are known.
    mutating func members(
        _ node: SpecNode, of what: String, keys: [String], required names: [String] = []
    ) -> SpecMembers? {
        guard let all = mapping(node, of: what) else { return nil }
        var members = SpecMembers()
        for member in all {
            guard keys.contains(member.key) else {
                let nearest = nearest(to: member.key, among: keys)
                report(
                    .key, at: member.keyPlace, "\(what) has no key \(member.key)",
                    fix: nearest.map { "Did you mean \($0)?" } ?? "The keys are \(keys.joined(separator: ", ")).")
                continue
            }
            members[member.key] = member.value
        }
        for name in names where members[name] == nil && !all.contains(where: { $0.key == name }) {
            report(.key, at: node.place, "\(what) has no \(name)", fix: "Add \(name).")
        }
        return members
    }

    /// The members of a part of the file.
    mutating func members(_ node: SpecNode, of section: KeySection) -> SpecMembers? {
        members(node, of: section.name, keys: section.names, required: section.required)
    }

    /// The members of a mapping whose keys are free.
    mutating func mapping(_ node: SpecNode, of what: String) -> [SpecNode.Member]? {
        guard case .mapping(let members) = node.content else {
            return refuse(node, "\(what) is a mapping", "Write it as key: value.")
        }
        return members
    }

    mutating func text(_ node: SpecNode?, of what: String) -> String? {
        guard let node else { return nil }
        guard case .scalar(.string(let text)) = node.content else {
            let isNull = node.content == .scalar(.null)
            return refuse(
                node, "\(what) is text", isNull ? "Write the text, or leave \(what) out." : "Put it in quotes.")
        }
        return text
    }

    mutating func flag(_ node: SpecNode?, of what: String) -> Bool? {
        guard let node else { return nil }
        guard case .scalar(.bool(let flag)) = node.content else {
            return refuse(node, "\(what) is true or false", "Write true or false.")
        }
        return flag
    }

    /// One of the words that a key may have.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ node: SpecNode?, of what: String, _ type: Word.Type = Word.self
    ) -> Word? {
        guard let node, let text = text(node, of: what) else { return nil }
        let words = Word.allCases.map(\.rawValue)
        if let word = Word(rawValue: text) { return word }
        let nearest = nearest(to: text, among: words)
        return refuse(
            node, "\(what) is one of \(words.joined(separator: ", "))",
            nearest.map { "Did you mean \($0)?" } ?? "Choose one of them.")
    }

    /// Reports a word that is none of those that are known, and gives nothing.
    mutating func unknown<Read>(
        _ word: String, at place: SpecProblem.Place, of what: String, among words: [String],
        _ code: SpecProblem.Code = .key
    ) -> Read? {
        report(
            code, at: place, "there is no \(what) \(word)",
            fix: nearest(to: word, among: words).map { "Did you mean \($0)?" } ?? Self.list(words))
        return nil
    }

    /// The words that there are, the first of many.
    private static func list(_ words: [String]) -> String {
        if words.isEmpty { return "There is none." }
        let more = words.count > 50 ? ", and \(words.count - 50) more" : ""
        return "There \(words.count == 1 ? "is" : "are") \(words.prefix(50).joined(separator: ", "))\(more)."
    }

    /// What a mistyped word is likely meant to be; of a file that is all mistakes only the first ones are looked up.
    private func nearest(to word: String, among words: [String]) -> String? {
        problems.count < 200 ? Nearest.word(to: word, among: words) : nil
    }

    /// The items of a list; one that stands by itself is a list of one.
    func items(_ node: SpecNode?) -> [SpecNode] {
        guard let node else { return [] }
        if case .list(let items) = node.content { return items }
        return [node]
    }

    mutating func texts(_ node: SpecNode?, of what: String) -> [String] {
        items(node).compactMap { text($0, of: what) }
    }

    /// Reports a part that is of another type, and gives nothing.
    mutating func refuse<Read>(_ node: SpecNode, _ sentence: String, _ fix: String) -> Read? {
        report(.wrongType, at: node.place, "\(sentence), and this is \(node.kind)", fix: fix)
        return nil
    }
}
