import StoreFormats

/// Some of the parts of one value, at any depth: a tree of names, in which each place says whether what is not named below it is in.
///
/// Putting parts in and taking them out costs their number and depth, however many there are.
package struct PartSet: Hashable, Sendable {
    /// Whether what is not named in `inner` is in.
    private var holds: Bool
    private var inner: [Name: PartSet] = [:]

    /// Nothing, or everything.
    package init(_ holds: Bool = false) { self.holds = holds }

    /// One part, without some that lie in it.
    package init(_ part: JSONPointer, without others: some Sequence<JSONPointer> = []) {
        var whole = PartSet(true)
        for other in others where other.isWithin(part) {
            whole.subtract(other.tokens.dropFirst(part.tokens.count)[...])
        }
        self.init()
        insert(whole, at: part.tokens[...])
    }

    private func isUniform(_ holds: Bool) -> Bool { self.holds == holds && inner.isEmpty }

    /// Takes in what another set has.
    package mutating func formUnion(_ other: PartSet) {
        if isUniform(true) || other.isUniform(false) { return }
        if isUniform(false) || other.isUniform(true) { return self = other }
        let all = holds || other.holds
        if other.holds {
            for name in Array(inner.keys) where other.inner[name] == nil { inner[name] = nil }
        }
        for (name, part) in other.inner {
            inner[name, default: PartSet(holds)].formUnion(part)
            if inner[name]?.isUniform(all) ?? false { inner[name] = nil }
        }
        holds = all
    }

    /// Takes in what a set has of a part.
    mutating func formUnion(_ other: PartSet, at part: JSONPointer) { insert(other, at: part.tokens[...]) }

    private mutating func insert(_ set: PartSet, at tokens: ArraySlice<Name>) {
        guard let token = tokens.first else { return formUnion(set) }
        if isUniform(true) { return }
        inner[token, default: PartSet(holds)].insert(set, at: tokens.dropFirst())
        if inner[token]?.isUniform(holds) ?? false { inner[token] = nil }
    }

    /// Leaves a part out.
    package mutating func subtract(_ part: JSONPointer) { subtract(part.tokens[...]) }

    private mutating func subtract(_ tokens: ArraySlice<Name>) {
        if isUniform(false) { return }
        guard let token = tokens.first else { return self = PartSet() }
        inner[token, default: PartSet(holds)].subtract(tokens.dropFirst())
        if inner[token]?.isUniform(holds) ?? false { inner[token] = nil }
    }

    /// Leaves out what another set has.
    mutating func subtract(_ other: PartSet) {
        if isUniform(false) || other.isUniform(false) { return }
        if other.isUniform(true) { return self = PartSet() }
        let all = holds && !other.holds
        for name in holds ? Array(other.inner.keys) + inner.keys : Array(inner.keys) {
            var rest = inner[name] ?? PartSet(holds)
            rest.subtract(other.inner[name] ?? PartSet(other.holds))
            inner[name] = rest.isUniform(all) ? nil : rest
        }
        holds = all
    }

    /// What it has of a part.
    func at(_ part: JSONPointer) -> PartSet {
        part.tokens.reduce(self) { set, token in set.inner.isEmpty ? set : set.inner[token] ?? PartSet(set.holds) }
    }

    /// Whether it has all of a part, as far as that is told by its place.
    package func holds(_ part: JSONPointer) -> Bool { at(part).isUniform(true) }

    /// The parts that it has, each as a whole.
    package var parts: [JSONPointer] {
        var found: [JSONPointer] = []
        func find(_ set: PartSet, _ place: JSONPointer) {
            if set.holds { return found.append(place) }
            for (name, inner) in set.inner.sorted(by: { $0.key < $1.key }) { find(inner, place.appending(name)) }
        }
        find(self, JSONPointer())
        return found
    }

    /// Those of them that lie in a part, or are it.
    func parts(in part: JSONPointer) -> [JSONPointer] {
        var set = self
        for token in part.tokens {
            guard !set.holds, let inner = set.inner[token] else { return [] }
            set = inner
        }
        return set.parts.map { JSONPointer(part.tokens + $0.tokens) }
    }

    /// Whether it has a part, or anything in it.
    package func overlaps(_ part: JSONPointer) -> Bool { at(part).hasAny }

    private var hasAny: Bool { holds || inner.values.contains(where: \.hasAny) }

    /// What of a part it does not have, each as a whole, and nothing that holds only empty containers.
    ///
    /// - Parameter value: What stands at the part.
    package func rest(of part: JSONPointer, holding value: @autoclosure () -> Value?) -> [JSONPointer] {
        let set = at(part)
        if set.inner.isEmpty { return set.holds ? [] : [part] }
        var left: [JSONPointer] = []
        set.findRest(in: value(), at: part, &left)
        return left
    }

    private func findRest(in value: Value?, at place: JSONPointer, _ left: inout [JSONPointer]) {
        guard !inner.isEmpty else {
            if !holds, value?.hasLeaves ?? true { left.append(place) }
            return
        }
        let children = value?.opened.children
        if holds || children == nil {
            if !holds { return left.append(place) }
            let values = Dictionary(
                (children ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            // What is not there any more is not left either.
            for (name, part) in inner.sorted(by: { $0.key < $1.key }) where children == nil || values[name] != nil {
                part.findRest(in: values[name], at: place.appending(name), &left)
            }
        } else {
            for (name, child) in children ?? [] {
                (inner[name] ?? PartSet()).findRest(in: child, at: place.appending(name), &left)
            }
        }
    }
}

extension PartSet {
    /// Whether it has anything of a value, and everything: that costs what is named in the set, not what the value has.
    ///
    /// - Parameter place: Where the value stands, for the index.
    func coverage(
        of value: Value?, at place: JSONPointer = JSONPointer(), _ index: inout MemberIndex
    ) -> (isAny: Bool, isAll: Bool) {
        guard !inner.isEmpty, let members = index.members(of: value, at: place), !members.isEmpty else {
            return (holds, holds)
        }
        var isAny = false, isAll = true, named = 0
        for (name, set) in inner {
            guard let member = members[name] else { continue }
            named += 1
            let covered = set.coverage(of: member, at: place.appending(name), &index)
            (isAny, isAll) = (isAny || covered.isAny, isAll && covered.isAll)
        }
        return named < members.count ? (isAny || holds, isAll && holds) : (isAny, isAll)
    }

    /// What of a value it does not have, each as a whole.
    package func missing(of value: Value) -> [JSONPointer] {
        var found: [JSONPointer] = []
        func find(_ set: PartSet, _ value: Value, _ place: JSONPointer) {
            guard !set.inner.isEmpty, let children = value.children else {
                if !set.holds { found.append(place) }
                return
            }
            for (name, child) in children { find(set.inner[name] ?? PartSet(set.holds), child, place.appending(name)) }
        }
        find(self, value, JSONPointer())
        return found
    }
}

/// What is in the containers of one value by its names: each is looked through once.
struct MemberIndex {
    private var known: [JSONPointer: [Name: Value]] = [:]

    mutating func members(of value: Value?, at place: JSONPointer) -> [Name: Value]? {
        if let members = known[place] { return members }
        guard let children = value?.opened.children else { return nil }
        let members = Dictionary(children.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        known[place] = members
        return members
    }
}

extension Value {
    /// Whether anything is in it but empty containers.
    package var hasLeaves: Bool { children?.contains { $0.value.hasLeaves } ?? true }

    /// What stands at a part of it; `nil` where there is nothing, or nothing that can be read.
    package func standing(at part: JSONPointer) -> Value? { part.isRoot ? self : (try? self.part(at: part)) ?? nil }

    /// The names of what is in it, as pointers have them, also where it holds that in another format.
    package var memberNames: [Name] { opened.children?.map(\.name) ?? [] }

    /// What it holds in other formats, as deep as there are any.
    fileprivate var opened: Value {
        var value = self, budget = DecodingBudget()
        while let decoded = value.decoded(within: budget) { (value, budget) = (decoded.value, budget.inner) }
        return value
    }

    /// What is in it by the names that pointers have; `nil` where it is no container.
    var children: [(name: Name, value: Value)]? {
        switch self {
        case .dictionary(let members): members.map { ($0.key, $0.value) }
        case .object(let object): object.fields.map { ($0.key, $0.value) }
        case .array(let items): items.enumerated().map { (Name("\($0)"), $1) }
        case .set(let set): set.elements.enumerated().map { (Name("\($0)"), $1) }
        default: nil
        }
    }

    /// Where another value is not the same, each place as deep as can be told.
    func changes(to other: Value) -> [JSONPointer] {
        var found: [JSONPointer] = []
        findChanges(to: other, at: JSONPointer(), &found)
        return found
    }

    private func findChanges(to other: Value, at place: JSONPointer, _ found: inout [JSONPointer]) {
        if self == other { return }
        let one = opened, other = other.opened
        if let old = one.members, let new = other.members, old.duplicateKeys.isEmpty, new.duplicateKeys.isEmpty {
            let values = new.firstValues
            var known: Set<Name> = []
            for member in old {
                known.insert(member.key)
                guard let value = values[member.key] else {
                    found.append(place.appending(member.key))
                    continue
                }
                member.value.findChanges(to: value, at: place.appending(member.key), &found)
            }
            for member in new where !known.contains(member.key) { found.append(place.appending(member.key)) }
        } else if case .array(let old) = one, case .array(let new) = other, old.count == new.count {
            for (index, (old, new)) in zip(old, new).enumerated() {
                old.findChanges(to: new, at: place.appending(Name("\(index)")), &found)
            }
        } else {
            found.append(place)
        }
    }
}
