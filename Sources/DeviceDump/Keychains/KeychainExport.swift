import Foundation
import MigrationEngine
import StoreFormats

/// The items of a keychain as a tool has exported them, in one file.
///
/// Three forms are read, recognised by their content: what objection, GrayKey and Keychain-Dumper write. An item that is
/// broken is a ``Problem`` and everything else goes on; where it can be told which item it is, it is also in ``items``,
/// unreadable.
public struct KeychainExport: Sendable {
    /// The forms of exports.
    public enum Form: String, Hashable, Sendable, CaseIterable {
        /// What `ios keychain dump --json` of objection writes: an array of objects whose fields are all text.
        case objection = "objection JSON"
        /// What GrayKey writes: a property list with the arrays `genp`, `inet`, `cert` and `keys`.
        case propertyList = "keychain property list"
        /// What Keychain-Dumper prints: blocks of text.
        case keychainDumper = "Keychain-Dumper text"
    }

    /// A part of an export that is not as it should be.
    public struct Problem: Hashable, Sendable {
        /// Where it is, such as `item 3` or `line 12`; items and lines count from 1.
        public var place: String
        /// What is the matter with it, in words.
        public var reason: String
    }

    /// The most bytes that an export may have.
    public static let byteLimit = 64 << 20
    /// The most items that an export may have.
    public static let itemLimit = 200_000

    /// The form.
    public let form: Form
    /// The items in stored order.
    public let items: [Item]
    /// What is not as it should be.
    public let problems: [Problem]
    let content: Content

    /// What edits are made to.
    enum Content: Sendable {
        case objection(ObjectionKeychain)
        case propertyList(PropertyListKeychain)
        case keychainDumper(KeychainDumperText)
    }

    /// Reads an export, whichever form it has.
    ///
    /// - Throws: ``KeychainError`` where it is none, is of a form that is not read, is broken as a whole, or exceeds a
    ///   limit.
    public init(_ data: Data) throws(KeychainError) {
        guard data.count <= Self.byteLimit else {
            throw KeychainError(.tooLarge(bytes: data.count, limit: Self.byteLimit))
        }
        switch StoreFormat.sniff(data) {
        case .readable(.json)?:
            let file = try ObjectionKeychain(data)
            (form, items, problems, content) = (.objection, file.items, file.problems, .objection(file))
        case .readable?:
            let file = try PropertyListKeychain(data)
            (form, items, problems, content) = (.propertyList, file.items, file.problems, .propertyList(file))
        case .unsupported(let name)?: throw KeychainError(.unsupported(name))
        case nil:
            let file = try KeychainDumperText(data)
            (form, items, problems, content) = (.keychainDumper, file.items, file.problems, .keychainDumper(file))
        }
        guard items.count <= Self.itemLimit else { throw KeychainError(.tooManyItems(limit: Self.itemLimit)) }
    }

    /// Whether bytes begin as an export may; cheap, and says yes to some that are none.
    static func mayBe(_ data: Data) -> Bool {
        let head = data.prefix(1 << 16)
        switch StoreFormat.sniff(head) {
        case .readable(.json)?:
            return ["\"dataHex\"", "\"entitlement_group\"", "\"item_class\""].contains {
                head.range(of: Data($0.utf8)) != nil
            }
        case .readable?: return true
        case .unsupported?: return false
        case nil: return KeychainDumperText.isBegun(in: [UInt8](head))
        }
    }
}

extension KeychainExport {
    /// One change to an export.
    public struct Edit: Hashable, Sendable {
        /// What is changed.
        public enum Target: Hashable, Sendable {
            /// The item at a position of ``KeychainExport/items``.
            case item(Int)
            /// An item that is to be there besides.
            case new(kind: Item.Kind, service: String, account: String)
        }

        /// What is changed.
        public var target: Target
        /// The secret and the attributes, or `nil` to remove the item.
        ///
        /// Attributes that are not named stay as they are.
        public var value: KeychainItem?

        /// Makes a change.
        public init(_ target: Target, to value: KeychainItem?) {
            self.target = target
            self.value = value
        }
    }

    /// The export with changes, in the form it has; JSON and text change only where they must, a property list in XML is
    /// written anew in Apple's layout.
    ///
    /// New items come last, with the attributes they are given. Attributes that the form has no place for are left out;
    /// ``attributesWithoutPlace(in:)`` names them.
    public func rewriting(_ edits: [Edit]) throws(FormatError) -> Data {
        let edits = Self.merged(edits)
        switch content {
        case .objection(let file): return try file.rewriting(edits)
        case .propertyList(let file): return try file.rewriting(edits)
        case .keychainDumper(let file): return file.rewriting(edits)
        }
    }

    /// Names the attributes of edits that the export's form has no place for, sorted.
    public func attributesWithoutPlace(in edits: [Edit]) -> [String] {
        let places: Set<Name>
        switch form {
        case .propertyList: return []
        case .objection: places = Set(ObjectionKeychain.attributes.map(\.attribute))
        case .keychainDumper: places = Set(KeychainDumperText.attributes.values)
        }
        var names: Set<Name> = []
        for edit in Self.merged(edits) {
            guard let value = edit.value else { continue }
            let old = if case .item(let index) = edit.target { items[index].attributes } else { Members() }
            for member in value.attributes where old[member.key] != member.value { names.insert(member.key) }
        }
        return names.subtracting(places).sorted().map(\.text)
    }

    /// What is wrong with bytes that ``rewriting(_:)`` should have made; `nil` where they are as they should be.
    ///
    /// Reads them by themselves, so that a fault of the writing shows.
    public func difference(after edits: [Edit], and written: Data) -> String? {
        let edits = Self.merged(edits), found: KeychainExport
        do { found = try KeychainExport(written) } catch { return "\(error)" }
        let dropped = Set(attributesWithoutPlace(in: edits).map { Name($0) })
        var expected = items.map(Optional.some), edited: Set<Int> = [], added: [Item] = []
        for edit in edits {
            switch edit.target {
            case .item(let index):
                expected[index] = edit.value.map { items[index].becoming($0, without: dropped) }
                edited.insert(index)
            case .new(let kind, let service, let account):
                guard let value = edit.value else { continue }
                let item = Item(kind: kind, service: service, account: account)
                added.append(item.becoming(value, without: dropped))
            }
        }
        let kept = expected.enumerated().compactMap { index, item in item.map { ($0, edited.contains(index)) } }
        let wanted = inStoredOrder(kept + added.map { ($0, true) })
        guard wanted.count == found.items.count else {
            return "it has \(found.items.count) items and should have \(wanted.count)"
        }
        for ((item, isEdited), other) in zip(wanted, found.items) where !item.agrees(with: other, inFull: !isEdited) {
            return "the item “\(item.account)” of “\(item.service)” differs"
        }
        return nil
    }

    /// A property list has a list for each kind, so a new item comes last among its kind only.
    private func inStoredOrder(_ items: [(Item, Bool)]) -> [(Item, Bool)] {
        guard form == .propertyList else { return items }
        return PropertyListKeychain.kinds.flatMap { kind in items.filter { $0.0.kind == kind } }
    }

    /// What says which item it is, and no attribute of it.
    private static let names = ["acct", "svce", "srvr", KeychainItem.dataKey]

    /// One edit for each target: the last one.
    private static func merged(_ edits: [Edit]) -> [Edit] {
        var merged: [Edit] = [], positions: [Edit.Target: Int] = [:]
        for var edit in edits {
            edit.value?.attributes.all.removeAll { names.contains($0.key) }
            if let position = positions[edit.target] {
                merged[position] = edit
            } else {
                positions[edit.target] = merged.count
                merged.append(edit)
            }
        }
        return merged
    }
}
