import Foundation
import MigrationEngine
import StoreFormats

/// The operations that make one value of another that holds much the same.
struct InferredDifference {
    private(set) var operations: [SpecNode] = []
    /// Conditions that hold of the old value alone, without which the operations would be tried on their own result.
    private(set) var conditions: [String] = []
    private(set) var cost = 0.0
    /// How many members are the same, or only have another name or place, and how many of these prove something.
    private(set) var kept = 0, proofs = 0
    /// Whether a value is added that is only known from these two.
    private(set) var hasLiteral = false
    /// Whether a flag or its like has only got another name, as nothing but its value tells.
    private(set) var isGuess = false

    /// Tells what both differ in.
    struct Solver {
        let facts: SpecFacts
        /// Whether a part of the new value may be written into a file.
        let isPublic: (Value, JSONPointer) -> Bool
    }

    /// `nil` where nothing is found, or where less than half of the members is the same.
    init?(
        from old: Value, to new: Value, at pointer: JSONPointer = JSONPointer(), by solver: Solver, depth: Int = 0,
        isRepeated: Bool = false
    ) {
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            guard old.duplicateKeys.isEmpty, new.duplicateKeys.isEmpty, !new.isEmpty else { return nil }
            self.init(members: old, new, pointer, solver, depth, isRepeated)
        case (.array(let old), .array(let new)):
            guard old.count == new.count, (1...200).contains(old.count) else { return nil }
            self.init(items: old, new, pointer, solver, depth)
        default: return nil
        }
    }

    // MARK: Dictionaries

    private init?(
        members old: Members, _ wanted: Members, _ pointer: JSONPointer, _ solver: Solver, _ depth: Int,
        _ isRepeated: Bool
    ) {
        let before = Dictionary(old.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let after = Set(wanted.map(\.key))
        var gone = GoneMembers(old.filter { !after.contains($0.key) })
        var renamed: [(String, SpecNode)] = [], moved: [(String, SpecNode)] = []
        var added: [(String, SpecNode)] = [], inside: [(String, SpecNode)] = []
        func place(_ key: Name) -> String { "value#\(pointer.appending(key))" }
        for member in wanted {
            if let before = before[member.key] {
                if before.canonical == member.value.canonical {
                    kept += 1
                    if !before.provesNothing { proofs += 1 }
                } else if let operation = InferenceIndex.single(from: before, to: member.value, solver.facts) {
                    inside.append((member.key.text, .list([operation])))
                    conditions.append("\(place(member.key)) is \(before.languageType ?? "string")")
                } else {
                    guard depth < 4,
                        let inner = InferredDifference(
                            from: before, to: member.value, at: pointer.appending(member.key), by: solver,
                            depth: depth + 1)
                    else { return nil }
                    inside.append((member.key.text, .list(inner.operations)))
                    conditions += inner.conditions
                    cost += inner.cost
                    proofs += inner.proofs
                    hasLiteral = hasLiteral || inner.hasLiteral
                    isGuess = isGuess || inner.isGuess
                }
            } else if let match = (isRepeated || !member.value.provesNothing ? gone.same(as: member.value) : nil)
                ?? gone.namesake(of: member)
            {
                gone.take(match)
                renamed.append((match.text, .text(member.key.text)))
                conditions.append("\(place(match)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let parts = Self.gathered(member, &gone, isRepeated) {
                for (from, to) in parts {
                    gone.take(from)
                    moved.append((from.text, .text("\(member.key.text)/\(to.text)")))
                    conditions.append("\(place(from)) exists")
                }
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let holder = gone.holder(of: member), Self.isPlain(holder), Self.isPlain(member.key) {
                moved.append(("\(holder.text)/\(member.key.text)", .text(member.key.text)))
                conditions.append("\(place(holder)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let match = gone.same(as: member.value) {
                // Rather than to write down what one customer has, for all.
                gone.take(match)
                renamed.append((match.text, .text(member.key.text)))
                conditions.append("\(place(match)) exists")
                kept += 1
                isGuess = true
            } else {
                guard solver.isPublic(member.value, pointer.appending(member.key)) else { return nil }
                added.append((member.key.text, SpecNode(literal: member.value)))
                hasLiteral = true
            }
        }
        let lost = gone.left
        let isChanged = !(lost.isEmpty && renamed.isEmpty && moved.isEmpty && added.isEmpty && inside.isEmpty)
        guard kept + inside.count > 0, isChanged, (kept + inside.count) * 2 >= wanted.count else { return nil }
        if !renamed.isEmpty { operations.append(.mapping([("rename", .mapping(renamed))])) }
        if !moved.isEmpty { operations.append(.mapping([("move", .mapping(moved))])) }
        if !lost.isEmpty { operations.append(.mapping([("remove", .list(lost.map { .text($0.text) }))])) }
        if !inside.isEmpty { operations.append(.mapping([("in", .mapping(inside))])) }
        if !added.isEmpty { operations.append(.mapping([("add", .mapping(added)), ("exists", .text("keep"))])) }
        cost += Double(operations.count) + 0.2 * Double(lost.count) + 0.5 * Double(added.count)
    }

    /// The members that are gone which a new dictionary gathers, with their places in it; `nil` where it holds anything else.
    private static func gathered(
        _ member: Member, _ gone: inout GoneMembers, _ isRepeated: Bool
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
    private static func isPlain(_ name: Name) -> Bool { !name.text.contains { "/~*{}".contains($0) } }

    // MARK: Arrays

    private init?(items old: [Value], _ new: [Value], _ pointer: JSONPointer, _ solver: Solver, _ depth: Int) {
        guard depth < 4, let first = zip(old, new).first(where: { $0.canonical != $1.canonical }) else { return nil }
        let inside: [SpecNode]
        let item = pointer.appending(Name("0"))
        if let operation = InferenceIndex.single(from: first.0, to: first.1, solver.facts) {
            inside = [operation]
            if let type = old[0].languageType { conditions = ["value#\(item) is \(type)"] }
        } else {
            guard
                let inner = InferredDifference(
                    from: first.0, to: first.1, at: item, by: solver, depth: depth + 1,
                    isRepeated: Set(new.map(\.canonical)).count > 1)
            else { return nil }
            (inside, conditions, cost, hasLiteral) = (inner.operations, inner.conditions, inner.cost, inner.hasLiteral)
            isGuess = inner.isGuess
        }
        let each = SpecNode.mapping([("each", .list(inside))])
        let made = InferredChain(operations: [each]).applied(to: .array(old), solver.facts)
        guard made?.canonical == Value.array(new).canonical else { return nil }
        operations = [each]
        cost += 1
        // One operation that makes many different values is no chance.
        (kept, proofs) = (new.count, Set(new.map(\.canonical)).count > 1 ? new.count : 0)
    }
}

/// The members of a dictionary that another one has not, by what they hold: each is taken for one new member at most.
private struct GoneMembers {
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

    /// The first dictionary that has a member.
    func holder(of member: Member) -> Name? { holders[Member(key: member.key, value: member.value.canonical)] }
}
