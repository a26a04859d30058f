import Foundation
import MigrationEngine
import StoreFormats

/// The operations that make one value of another that holds much the same.
struct InferredDifference {
    private(set) var operations: [SpecNode] = []
    /// Conditions of which each holds of an old value alone: a sign that something is still to be done, so that where any is
    /// there and the rest is not, the operations fail and it is told.
    private var signs: [String] = []
    /// Conditions on what has the same type afterwards.
    private var types: [String] = []
    /// The conditions without which the operations would be tried on their own result.
    var conditions: [String] { (signs.isEmpty ? types : signs).uniqued }
    private(set) var cost = 0.0
    /// How many members are the same, or only have another name or place, and how many of these prove something.
    private(set) var kept = 0, proofs = 0
    /// The new members of which no old value tells what they hold: what one customer has is a rule for nobody else.
    private(set) var undecided: [(place: JSONPointer, value: Value)] = []
    /// Whether a flag or its like has only got another name, as nothing but its value tells.
    private(set) var isGuess = false

    /// `nil` where nothing is found, or where less than half of the members is the same.
    init?(
        from old: Value, to new: Value, at pointer: JSONPointer = JSONPointer(), facts: SpecFacts, depth: Int = 0,
        isRepeated: Bool = false
    ) {
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            guard old.duplicateKeys.isEmpty, new.duplicateKeys.isEmpty, !new.isEmpty else { return nil }
            self.init(members: old, new, pointer, facts, depth, isRepeated)
        case (.array(let old), .array(let new)):
            guard old.count == new.count, (1...200).contains(old.count) else { return nil }
            self.init(items: old, new, pointer, facts, depth)
        default: return nil
        }
    }

    // MARK: Dictionaries

    private init?(
        members old: Members, _ wanted: Members, _ pointer: JSONPointer, _ facts: SpecFacts, _ depth: Int,
        _ isRepeated: Bool
    ) {
        let before = old.firstValues
        let after = Set(wanted.map(\.key))
        var gone = OldMembers(old.filter { !after.contains($0.key) }), all = OldMembers(Array(old))
        var copied: [(String, SpecNode)] = [], renamed: [(String, SpecNode)] = [], moved: [(String, SpecNode)] = []
        var added: [(String, SpecNode)] = [], inside: [(String, SpecNode)] = []
        func place(_ key: Name) -> String { "value#\(pointer.appending(key))" }
        for member in wanted {
            let isProof = isRepeated || !member.value.provesNothing
            if let before = before[member.key] {
                if before.canonical == member.value.canonical {
                    kept += 1
                    if !before.provesNothing { proofs += 1 }
                } else if let operation = InferenceIndex.single(from: before, to: member.value, facts) {
                    inside.append((member.key.text, .list([operation])))
                    add(typeOf: before, ifNot: member.value, at: pointer.appending(member.key))
                } else {
                    guard depth < 4,
                        let inner = InferredDifference(
                            from: before, to: member.value, at: pointer.appending(member.key), facts: facts,
                            depth: depth + 1)
                    else { return nil }
                    inside.append((member.key.text, .list(inner.operations)))
                    signs += inner.signs
                    types += inner.types
                    cost += inner.cost
                    proofs += inner.proofs
                    undecided += inner.undecided
                    isGuess = isGuess || inner.isGuess
                }
            } else if let match = (isProof ? gone.same(as: member.value) : nil) ?? gone.namesake(of: member) {
                gone.take(match)
                renamed.append((match.text, .text(member.key.text)))
                signs.append("\(place(match)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let parts = Self.gathered(member, &gone, isRepeated) {
                for (from, to) in parts {
                    gone.take(from)
                    moved.append((from.text, .text("\(member.key.text)/\(to.text)")))
                    signs.append("\(place(from)) exists")
                }
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let holder = gone.holder(of: member), Self.isPlain(holder), Self.isPlain(member.key) {
                moved.append(("\(holder.text)/\(member.key.text)", .text(member.key.text)))
                signs.append("\(place(holder)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let match = gone.same(as: member.value) {
                // Rather than to write down what one customer has, for all.
                gone.take(match)
                renamed.append((match.text, .text(member.key.text)))
                signs.append("\(place(match)) exists")
                kept += 1
                isGuess = true
            } else if let match = (isProof ? all.same(as: member.value) : nil) ?? all.namesake(of: member),
                Self.isPlain(match), Self.isPlain(member.key)
            {
                copied.append((match.text, .text(member.key.text)))
                // Where it stays, that there is no copy yet tells that there is one to make.
                signs.append(after.contains(match) ? "\(place(member.key)) is absent" : "\(place(match)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let (match, operation) = gone.converted(into: member, isProof: isProof, facts) {
                gone.take(match)
                renamed.append((match.text, .text(member.key.text)))
                inside.append((member.key.text, .list([operation])))
                signs.append("\(place(match)) exists")
                proofs += isProof ? 1 : 0
                if case .bool = member.value { isGuess = true }
            } else if member.value.isEverybodys(as: NameWords(member.key.text)) {
                added.append((member.key.text, SpecNode(literal: member.value)))
            } else {
                undecided.append((pointer.appending(member.key), member.value))
            }
        }
        let splits = gone.splits(
            into: wanted.filter { member in
                undecided.contains { $0.place == pointer.appending(member.key) }
            })
        let parts = Set(splits.flatMap { [$0.first, $0.rest] }.map { pointer.appending($0) })
        undecided.removeAll { parts.contains($0.place) }
        signs += splits.map { "\(place($0.from)) exists" }
        proofs += parts.count
        let lost = gone.left
        let isSame =
            [copied, renamed, moved, added, inside].allSatisfy(\.isEmpty) && splits.isEmpty && lost.isEmpty
            && undecided.isEmpty
        let known = kept + inside.count + parts.count
        guard known > 0, !isSame, known * 2 >= wanted.count - undecided.count else { return nil }
        // The second part stays where the text was, and gets its name: nothing is left over.
        if !splits.isEmpty {
            operations += [
                .mapping([("in", .mapping(splits.map { ($0.from.text, .list([$0.operation])) }))]),
                .mapping([("move", .mapping(splits.map { ("\($0.from.text)/\($0.first.text)", .text($0.first.text)) }))]
                ),
                .mapping([
                    ("in", .mapping(splits.map { ($0.from.text, .list([.mapping([("pick", .text($0.rest.text))])])) }))
                ]),
            ]
            renamed += splits.map { ($0.from.text, .text($0.rest.text)) }
        }
        if !copied.isEmpty { operations.append(.mapping([("copy", .mapping(copied))])) }
        if !renamed.isEmpty { operations.append(.mapping([("rename", .mapping(renamed))])) }
        if !moved.isEmpty { operations.append(.mapping([("move", .mapping(moved))])) }
        if !lost.isEmpty { operations.append(.mapping([("remove", .list(lost.map { .text($0.text) }))])) }
        if !inside.isEmpty { operations.append(.mapping([("in", .mapping(inside))])) }
        if !added.isEmpty { operations.append(.mapping([("add", .mapping(added)), ("exists", .text("keep"))])) }
        cost += Double(operations.count) + 0.2 * Double(lost.count) + 0.5 * Double(added.count + undecided.count)
    }

    /// The members that are gone which a new dictionary gathers, with their places in it; `nil` where it holds anything else.
    private static func gathered(
        _ member: Member, _ gone: inout OldMembers, _ isRepeated: Bool
    ) -> [(from: Name, to: Name)]? {
        guard case .dictionary(let parts) = member.value, !parts.isEmpty, isPlain(member.key) else { return nil }
        var found: [(from: Name, to: Name)] = [], used: Set<Name> = []
        for part in parts {
            let named = gone.has(part) ? part.key : nil
            let isProof = isRepeated || !part.value.provesNothing
            guard let from = named ?? (isProof ? gone.same(as: part.value) : nil), isPlain(from), isPlain(part.key),
                used.insert(from).inserted
            else { return nil }
            found.append((from, part.key))
        }
        return found
    }

    /// Whether a name stands for itself in a path.
    fileprivate static func isPlain(_ name: Name) -> Bool { !name.text.contains { "/~*{}".contains($0) } }

    /// Notes the type of an old value, which is a sign where the new one has another.
    private mutating func add(typeOf old: Value, ifNot new: Value, at place: JSONPointer) {
        guard let type = old.languageType else { return }
        let condition = "value#\(place) is \(type)"
        if type == new.languageType { types.append(condition) } else { signs.append(condition) }
    }

    // MARK: Arrays

    private init?(items old: [Value], _ new: [Value], _ pointer: JSONPointer, _ facts: SpecFacts, _ depth: Int) {
        guard depth < 4, let first = zip(old, new).first(where: { $0.canonical != $1.canonical }) else { return nil }
        let inside: [SpecNode]
        let item = pointer.appending(Name("0"))
        if let operation = InferenceIndex.single(from: first.0, to: first.1, facts) {
            inside = [operation]
            add(typeOf: old[0], ifNot: first.1, at: item)
        } else {
            guard
                let inner = InferredDifference(
                    from: first.0, to: first.1, at: item, facts: facts, depth: depth + 1,
                    isRepeated: Set(new.map(\.canonical)).count > 1)
            else { return nil }
            // What one item has and no old one tells, no operation on each makes.
            guard inner.undecided.isEmpty else { return nil }
            (inside, signs, types, cost) = (inner.operations, inner.signs, inner.types, inner.cost)
            isGuess = inner.isGuess
        }
        let each = SpecNode.mapping([("each", .list(inside))])
        let made = InferredChain(operations: [each]).applied(to: .array(old), facts)
        guard made?.canonical == Value.array(new).canonical else { return nil }
        operations = [each]
        cost += 1
        // One operation that makes many different values is no chance.
        (kept, proofs) = (new.count, Set(new.map(\.canonical)).count > 1 ? new.count : 0)
    }
}

/// Members of the old dictionary by what they hold; one that is taken is not found again.
private struct OldMembers {
    private let members: [Member]
    private var taken: Set<Name> = []
    /// Their values in the one form, by their keys, and their keys by those, the first last.
    private var values: [Name: Value] = [:], keys: [Value: [Name]] = [:]
    /// The first of the dictionaries that has a member, by its key and its value.
    private var holders: [Member: Name] = [:]
    private var names = NameIndex()
    private let words: [NameWords]

    init(_ members: [Member]) {
        self.members = members
        words = members.map { NameWords($0.key.text) }
        for (position, member) in members.enumerated() {
            values[member.key] = member.value.canonical
            names.add(position, words[position])
            for part in member.value.members ?? Members() {
                let part = Member(key: part.key, value: part.value.canonical)
                if holders[part] == nil { holders[part] = member.key }
            }
        }
        for member in members.reversed() { keys[values[member.key] ?? .null, default: []].append(member.key) }
    }

    /// Those that were not taken.
    var left: [Name] { members.map(\.key).filter { !taken.contains($0) } }

    mutating func take(_ key: Name) { taken.insert(key) }

    /// Whether a member is among those that are left.
    func has(_ member: Member) -> Bool { !taken.contains(member.key) && values[member.key] == member.value.canonical }

    /// The first that is left of a value.
    mutating func same(as value: Value) -> Name? {
        let value = value.canonical
        while let last = keys[value]?.last {
            if !taken.contains(last) { return last }
            keys[value]?.removeLast()
        }
        return nil
    }

    /// The likest name of the same value: a flag by itself tells nothing.
    func namesake(of member: Member) -> Name? {
        let wanted = NameWords(member.key.text), value = member.value.canonical
        var best: (key: Name, likeness: Double)?
        for position in names.positions(like: wanted, upTo: 64) {
            let key = members[position].key, likeness = wanted.likeness(to: words[position])
            guard likeness >= 0.3, likeness >= best?.likeness ?? 0, !taken.contains(key), values[key] == value else {
                continue
            }
            best = (key, likeness)
        }
        return best?.key
    }

    /// The likest name of which one operation makes a member, or any where that is no chance.
    func converted(into member: Member, isProof: Bool, _ facts: SpecFacts) -> (key: Name, operation: SpecNode)? {
        let wanted = NameWords(member.key.text)
        let like = names.positions(like: wanted, upTo: 64).filter { wanted.likeness(to: words[$0]) >= 0.3 }
            .sorted { (wanted.likeness(to: words[$1]), $0) < (wanted.likeness(to: words[$0]), $1) }
        for position in like + (isProof ? Array(members.indices.prefix(64)) : [])
        where !taken.contains(members[position].key) {
            let old = members[position]
            guard let operation = InferenceIndex.single(from: old.value, to: member.value, facts) else { continue }
            return (old.key, operation)
        }
        return nil
    }

    /// A text that was split into two new members.
    struct Split {
        let from: Name, first: Name, rest: Name, operation: SpecNode
    }

    /// Takes the texts of which the parts before and behind a separator are new members, each of them once.
    mutating func splits(into wanted: [Member]) -> [Split] {
        var open = wanted.filter { $0.value.string != nil && InferredDifference.isPlain($0.key) }
        var found: [Split] = []
        for member in members.prefix(64) where !taken.contains(member.key) && InferredDifference.isPlain(member.key) {
            guard open.count > 1, let text = member.value.string, text.utf8.count <= 200 else { continue }
            for separator in [", ", " ", ",", "/", ":", ";", "-", "_", ".", "|", "@"] {
                let pieces = Texts.split(text, at: [separator], limit: 2)
                guard pieces.count == 2, !pieces.contains(""), !pieces.allSatisfy({ Value.string($0).provesNothing }),
                    let first = open.first(where: { $0.value.string == pieces[0] })?.key,
                    let rest = open.first(where: { $0.value.string == pieces[1] && $0.key != first })?.key
                else { continue }
                let arguments: [(String, SpecNode)] = [
                    ("at", .text(separator)), ("into", .list([.text(first.text), .text(rest.text)])),
                ]
                take(member.key)
                open.removeAll { [first, rest].contains($0.key) }
                found.append(
                    Split(
                        from: member.key, first: first, rest: rest,
                        operation: .mapping([("split", .mapping(arguments))])))
                break
            }
        }
        return found
    }

    /// The first dictionary that has a member.
    func holder(of member: Member) -> Name? { holders[Member(key: member.key, value: member.value.canonical)] }
}

extension Value {
    /// Whether a new member may hold this for everybody, as far as one dump tells: what is empty, zero or off, a text such as
    /// `---`, and the number of a version.
    fileprivate func isEverybodys(as name: NameWords) -> Bool {
        switch self {
        case .null, .bool(false): true
        case .integer(let number): number == 0 || !name.words.isDisjoint(with: ["version", "schema", "v"])
        case .real(let real): real.value == 0
        case .string(let text): !text.contains { $0.isLetter || $0.isNumber || "{}".contains($0) }
        case .array(let items): items.isEmpty
        case .dictionary(let members): members.allSatisfy { $0.value.isEverybodys(as: NameWords($0.key.text)) }
        default: false
        }
    }
}
