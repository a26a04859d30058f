import OrderedCollections
import StoreFormats
import Synchronization

/// A dictionary whose members are written one after the other, also those of dictionaries further in and in the items of lists.
///
/// A write takes about the same time however many members there are: what they are together is put together only where somebody
/// asks for it, and the dictionary that was there stays as it is.
struct EditedMembers: Sendable {
    fileprivate enum Part: Sendable {
        case value(Value)
        case members(EditedMembers)

        /// A dictionary is opened at once: members of it may be asked for one by one.
        init(_ value: Value) {
            if case .dictionary = value { self.init(opening: value) } else { self = .value(value) }
        }

        init(opening value: Value) { self = EditedMembers(value).map(Part.members) ?? .value(value) }

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

    /// Begins with a value; `nil` where it is no dictionary or list, or one that may be read as an archive.
    init?(_ value: Value) {
        guard let original = Original(value) else { return nil }
        self.original = original
    }

    /// What was there before the first write.
    var before: Value { original.value }

    /// Whether nothing is another.
    var isUnedited: Bool { others.isEmpty && added.isEmpty }

    /// The dictionary, or the list, as it is now.
    var value: Value {
        if isUnedited { return before }
        return whole.value {
            var all = original.members.all
            for case (let position, let part?) in others { all[position].value = part.value }
            if original.isList { return .array(all.map(\.value)) }
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
        switch part(at: name, opening: path.count > 1) {
        // What a list has at other places than its own, it says itself.
        case nil: return original.isList ? (value, 0) : nil
        case .value(let value): return (value, 1)
        case .members(let members): return members.holder(of: path.dropFirst()).map { ($0.value, $0.depth + 1) }
        }
    }

    /// - Parameter isOpening: Whether what is in it is asked for.
    private func part(at name: Name, opening isOpening: Bool) -> Part? {
        guard let position = kept(name) else { return added[name] }
        if let other = others[position] { return other }
        return isOpening ? original.opened(position) : .value(original.members[position].value)
    }

    /// Where a member stands that was there from the first and has not gone since.
    private func kept(_ name: Name) -> Int? {
        original.position(of: name).flatMap { position in
            if case .some(.none) = others[position] { nil } else { position }
        }
    }

    /// Whether a path leads to a member through nothing but dictionaries of which members can be written one by one, and lists of
    /// which the items stay where they are.
    func takes(_ path: ArraySlice<Name>) -> Bool {
        guard let name = path.first, !Original.isMark(name), !original.isRepeated(name) else { return false }
        let rest = path.dropFirst()
        if rest.isEmpty { return !original.isList }
        // A list is not opened for one of its items itself.
        if rest.count == 1, case .value(.array)? = part(at: name, opening: false) { return false }
        return Self.opened(part(at: name, opening: true))?.takes(rest) ?? false
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
            others[position] = isAsBefore ? nil : .some(value.map { Part($0) })
            return .other(position, earlier)
        }
        let index = added.index(forKey: name)
        if let value {
            let earlier = added.updateValue(Part(value), forKey: name)
            return index.flatMap { index in earlier.map { .added(index, $0) } } ?? .none
        }
        return index.map { .added($0, added.remove(at: $0).value) } ?? .none
    }

    /// Edits a dictionary further in, which nothing else holds meanwhile: it would be copied.
    private mutating func editInner(_ name: Name, _ edit: (inout EditedMembers) -> Undo?) -> Undo? {
        if let position = kept(name) {
            let before = original.members[position].value
            guard var inner = Self.opened(others[position] ?? original.opened(position)) else { return nil }
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
    /// What was there before the first write, with where its keys stand once many were asked for; the items of a list are members
    /// under their positions.
    private final class Original: Sendable {
        let value: Value, members: Members, isList: Bool
        private typealias Place = (first: Int?, isRepeated: Bool)
        private typealias Keys = (asked: Int, last: (name: Name, place: Place)?, positions: KeyPositions?)
        private let keys = Mutex<Keys>((0, nil, nil))
        /// Those that were opened, by their positions: each is looked through once.
        private let parts = Mutex<[Int: Part]>([:])
        /// How often a key is looked for before all are looked through.
        private static let indexing = 8

        init?(_ value: Value) {
            switch value {
            case .dictionary(let members) where !members.all.contains(where: { Self.isMark($0.key) }):
                (self.members, isList) = (members, false)
            case .array(let items):
                members = Members(items.enumerated().map { Member(key: Name(String($0)), value: $1) })
                isList = true
            default: return nil
            }
            self.value = value
        }

        /// Whether a key is one of those by which a dictionary is told to be a keyed archive.
        static func isMark(_ name: Name) -> Bool {
            name.utf8.first == UInt8(ascii: "$") && ["$archiver", "$objects", "$top"].contains(name)
        }

        func opened(_ position: Int) -> Part {
            parts.withLock { parts in
                if let part = parts[position] { return part }
                let part = Part(opening: members[position].value)
                parts[position] = part
                return part
            }
        }

        func position(of name: Name) -> Int? { place(of: name).first }
        func isRepeated(_ name: Name) -> Bool { place(of: name).isRepeated }

        private func place(of name: Name) -> Place {
            keys.withLock { keys in
                // One write asks for the same name several times.
                if let last = keys.last, last.name == name { return last.place }
                keys.asked += 1
                if keys.positions == nil, keys.asked > Self.indexing {
                    keys.positions = KeyPositions(members.all.map(\.key))
                }
                let place = keys.positions.map { ($0.first(of: name), $0.isRepeated(name)) } ?? search(name)
                keys.last = (name, place)
                return place
            }
        }

        private func search(_ name: Name) -> Place {
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
