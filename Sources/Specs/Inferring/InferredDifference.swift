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
    /// Whether a flag or its like is added, and one of the same value is gone under another name: it may be that one.
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
        var gone = old.map(\.key).filter { !after.contains($0) }
        // What is gone, by its value, the first last: it may have got another name or place.
        var nameless: [Value: [Name]] = [:]
        for key in gone.reversed() {
            if let value = before[key], isRepeated || !value.provesNothing {
                nameless[value.canonical, default: []].append(key)
            }
        }
        var taken: Set<Name> = [], renamed: [(String, SpecNode)] = [], moved: [(String, SpecNode)] = []
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
            } else if let match = nameless[member.value.canonical]?.last(where: { !taken.contains($0) })
                ?? Self.namesake(of: member, before, gone.filter { !taken.contains($0) })
            {
                taken.insert(match)
                renamed.append((match.text, .text(member.key.text)))
                conditions.append("\(place(match)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let parts = Self.gathered(member, before, gone.filter { !taken.contains($0) }, nameless) {
                for (from, to) in parts {
                    taken.insert(from)
                    moved.append((from.text, .text("\(member.key.text)/\(to.text)")))
                    conditions.append("\(place(from)) exists")
                }
                (kept, proofs) = (kept + 1, proofs + 1)
            } else if let holder = gone.first(where: { Self.holds(before[$0], member) }),
                Self.isPlain(holder), Self.isPlain(member.key)
            {
                moved.append(("\(holder.text)/\(member.key.text)", .text(member.key.text)))
                conditions.append("\(place(holder)) exists")
                (kept, proofs) = (kept + 1, proofs + 1)
            } else {
                guard solver.isPublic(member.value, pointer.appending(member.key)) else { return nil }
                let rivals = gone.filter { !taken.contains($0) && before[$0]?.canonical == member.value.canonical }
                isGuess = isGuess || !rivals.isEmpty
                added.append((member.key.text, SpecNode(literal: member.value)))
                hasLiteral = true
            }
        }
        gone.removeAll { taken.contains($0) }
        let isChanged = !(gone.isEmpty && renamed.isEmpty && moved.isEmpty && added.isEmpty && inside.isEmpty)
        guard kept + inside.count > 0, isChanged, (kept + inside.count) * 2 >= wanted.count else { return nil }
        if !renamed.isEmpty { operations.append(.mapping([("rename", .mapping(renamed))])) }
        if !moved.isEmpty { operations.append(.mapping([("move", .mapping(moved))])) }
        if !gone.isEmpty { operations.append(.mapping([("remove", .list(gone.map { .text($0.text) }))])) }
        if !inside.isEmpty { operations.append(.mapping([("in", .mapping(inside))])) }
        if !added.isEmpty { operations.append(.mapping([("add", .mapping(added)), ("exists", .text("keep"))])) }
        cost += Double(operations.count) + 0.2 * Double(gone.count) + 0.5 * Double(added.count)
    }

    /// The members that are gone which a new dictionary gathers, with their places in it; `nil` where it holds anything else.
    private static func gathered(
        _ member: Member, _ before: [Name: Value], _ gone: [Name], _ nameless: [Value: [Name]]
    ) -> [(from: Name, to: Name)]? {
        guard case .dictionary(let parts) = member.value, !parts.isEmpty, isPlain(member.key) else { return nil }
        var found: [(from: Name, to: Name)] = []
        for part in parts {
            let isSame = gone.contains(part.key) && before[part.key]?.canonical == part.value.canonical
            guard let from = isSame ? part.key : nameless[part.value.canonical]?.last(where: gone.contains),
                isPlain(from), isPlain(part.key), !found.contains(where: { $0.from == from })
            else { return nil }
            found.append((from, part.key))
        }
        return found
    }

    /// The member that is gone which has the same value and a like name: a flag by itself tells nothing.
    private static func namesake(of member: Member, _ before: [Name: Value], _ gone: [Name]) -> Name? {
        let words = NameWords(member.key.text)
        return gone.filter { before[$0]?.canonical == member.value.canonical }.map { ($0, NameWords($0.text)) }
            .filter { words.likeness(to: $0.1) >= 0.3 }.max { words.likeness(to: $0.1) < words.likeness(to: $1.1) }?.0
    }

    private static func holds(_ holder: Value?, _ member: Member) -> Bool {
        guard case .dictionary(let parts)? = holder, let part = parts[member.key] else { return false }
        return part.canonical == member.value.canonical
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
