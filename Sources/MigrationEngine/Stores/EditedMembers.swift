import OrderedCollections
import StoreFormats
import Synchronization

/// A dictionary whose members are written one after the other.
///
/// A write takes about the same time however many members there are: what they are together is put together only where somebody
/// asks for it, and the dictionary that was there stays as it is.
struct EditedMembers: Sendable {
    fileprivate enum Part: Sendable {
        case value(Value)
        case members(EditedMembers)

        var value: Value {
            switch self {
            case .value(let value): value
            case .members(let members): members.value
            }
        }
    }

    /// What was known of what a write has replaced.
    struct Undo: Sendable {
        fileprivate let path: ArraySlice<Name>
        fileprivate let slot: Slot

        fileprivate enum Slot: Sendable {
            /// Of a member that was there from the first, what it had become; no part where it was gone.
            case other(Int, Part??)
            /// A member that came, and at which place among those that did.
            case added(Int, Part)
            /// There was none.
            case none
        }
    }

    private let original: Original
    /// The members that are others now, by their positions; those that are gone have no part.
    private var others: [Int: Part?] = [:]
    /// Those that came, in that order.
    private var added: OrderedDictionary<Name, Part> = [:]
    private var whole = Whole()

    /// Begins with a value; `nil` where it is no dictionary, or one that may be read as an archive.
    init?(_ value: Value) {
        guard let original = Original(value) else { return nil }
        self.original = original
    }

    /// What was there before the first write.
    var before: Value { original.value }

    /// Whether nothing is another.
    var isUnedited: Bool { others.isEmpty && added.isEmpty }

    /// The dictionary as it is now.
    var value: Value {
        if isUnedited { return before }
        return whole.value {
            var all = original.members.all
            for case (let position, let part?) in others { all[position].value = part.value }
            let gone = Set(others.lazy.filter { $0.value == nil }.map(\.key))
            if !gone.isEmpty { all = all.indices.lazy.filter { !gone.contains($0) }.map { all[$0] } }
            all += added.lazy.map { Member(key: $0, value: $1.value) }
            return .dictionary(Members(all))
        }
    }

    /// The value in which the rest of a path leads to what stands there, and how many of its steps lead to that value; `nil` where
    /// nothing stands there.
    func holder(of path: ArraySlice<Name>) -> (value: Value, depth: Int)? {
        guard let name = path.first else { return (value, 0) }
        if original.isRepeated(name) { return (before, 0) }
        switch part(at: name) {
        case nil: return nil
        case .value(let value): return (value, 1)
        case .members(let members): return members.holder(of: path.dropFirst()).map { ($0.value, $0.depth + 1) }
        }
    }

    private func part(at name: Name) -> Part? {
        guard let position = kept(name) else { return added[name] }
        return others[position] ?? .value(original.members[position].value)
    }

    /// Where a member stands that was there from the first and has not gone since.
    private func kept(_ name: Name) -> Int? {
        original.position(of: name).flatMap { position in
            if case .some(.none) = others[position] { nil } else { position }
        }
    }

    /// Whether a path leads through nothing but dictionaries of which members can be written one by one.
    func takes(_ path: ArraySlice<Name>) -> Bool {
        guard let name = path.first, !name.hasPrefix("$"), !original.isRepeated(name) else { return false }
        let rest = path.dropFirst()
        return rest.isEmpty || Self.opened(part(at: name))?.takes(rest) ?? false
    }

    /// Gives what a path leads to a value, or with `nil` takes it away; a new member goes to the end.
    ///
    /// - Returns: What takes that back, as long as what came after it is taken back before; `nil` where ``takes(_:)`` says no.
    mutating func set(_ path: ArraySlice<Name>, to value: Value?) -> Undo? {
        guard let name = path.first, takes(path) else { return nil }
        whole = Whole()
        guard path.count > 1 else { return Undo(path: path, slot: replace(name, with: value)) }
        return editInner(name) { $0.set(path.dropFirst(), to: value) }.map { Undo(path: path, slot: $0.slot) }
    }

    /// Takes back a write.
    mutating func take(back undo: Undo) {
        whole = Whole()
        guard let name = undo.path.first else { return }
        guard undo.path.count == 1 else {
            _ = editInner(name) { inner -> Undo? in
                inner.take(back: Undo(path: undo.path.dropFirst(), slot: undo.slot))
                return nil
            }
            return
        }
        switch undo.slot {
        case .other(let position, let part): others[position] = part
        case .added(let index, let part): added.updateValue(part, forKey: name, insertingAt: index)
        case .none: added.removeValue(forKey: name)
        }
    }

    private mutating func replace(_ name: Name, with value: Value?) -> Undo.Slot {
        if let position = kept(name) {
            let earlier = others[position]
            let isAsBefore = value.map { $0 == original.members[position].value } ?? false
            others[position] = isAsBefore ? nil : .some(value.map(Part.value))
            return .other(position, earlier)
        }
        let index = added.index(forKey: name)
        if let value {
            let earlier = added.updateValue(.value(value), forKey: name)
            return index.flatMap { index in earlier.map { .added(index, $0) } } ?? .none
        }
        return index.map { .added($0, added.remove(at: $0).value) } ?? .none
    }

    /// Edits a dictionary further in, which nothing else holds meanwhile: it would be copied.
    private mutating func editInner(_ name: Name, _ edit: (inout EditedMembers) -> Undo?) -> Undo? {
        if let position = kept(name) {
            let before = original.members[position].value
            guard var inner = Self.opened(others[position] ?? .value(before)) else { return nil }
            others[position] = .some(nil)
            let undo = edit(&inner)
            others[position] = inner.isUnedited && inner.before == before ? nil : .some(.members(inner))
            return undo
        }
        guard let index = added.index(forKey: name), var inner = Self.opened(added.values[index]) else { return nil }
        added.values[index] = .value(.null)
        let undo = edit(&inner)
        added.values[index] = .members(inner)
        return undo
    }

    private static func opened(_ part: Part?) -> EditedMembers? {
        switch part {
        case nil: nil
        case .value(let value): EditedMembers(value)
        case .members(let members): members
        }
    }
}

extension EditedMembers {
    /// What was there before the first write, with where its keys stand once many were asked for.
    private final class Original: Sendable {
        let value: Value, members: Members
        private let keys = Mutex<(asked: Int, positions: KeyPositions?)>((0, nil))
        /// How often a key is looked for before all are looked through.
        private static let indexing = 8

        init?(_ value: Value) {
            guard case .dictionary(let members) = value, !members.contains(where: { $0.key.hasPrefix("$") }) else {
                return nil
            }
            (self.value, self.members) = (value, members)
        }

        func position(of name: Name) -> Int? { place(of: name).first }
        func isRepeated(_ name: Name) -> Bool { place(of: name).isRepeated }

        private func place(of name: Name) -> (first: Int?, isRepeated: Bool) {
            let positions = keys.withLock { keys in
                keys.asked += 1
                if keys.positions == nil, keys.asked > Self.indexing {
                    keys.positions = KeyPositions(members.all.map(\.key))
                }
                return keys.positions
            }
            if let positions { return (positions.first(of: name), positions.isRepeated(name)) }
            guard let first = members.firstIndex(where: { $0.key == name }) else { return (nil, false) }
            return (first, members[(first + 1)...].contains { $0.key == name })
        }
    }

    /// The dictionary as it is, once it was put together.
    private final class Whole: Sendable {
        private let known = Mutex<Value?>(nil)

        func value(_ make: () -> Value) -> Value {
            known.withLock { known in
                let value = known ?? make()
                known = value
                return value
            }
        }
    }
}
