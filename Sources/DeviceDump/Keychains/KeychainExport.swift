import Foundation
import MigrationEngine
import StoreFormats

/// A form of exports of a keychain.
///
/// A new form is one file with such a type, and an entry in ``KeychainExport/forms``.
protocol KeychainForm: KeychainContent {
    /// What it is in a list of the forms that are read.
    static var words: String { get }
    /// Whether it is written in a format; `nil` is one that is not known.
    static func isWritten(in format: SniffedFormat?) -> Bool
    /// Whether the beginning of a file in that format has the marks of the form; says yes to some that are none.
    static func isMarked(_ head: Data) -> Bool

    /// Reads an export.
    ///
    /// - Throws: ``KeychainError``; `notAnExport` where it is of another form.
    init(_ data: Data) throws(KeychainError)
}

/// The items of a keychain in one file, and how they are written there.
protocol KeychainContent: Sendable {
    /// The name of the form.
    static var name: String { get }
    /// The attributes that it has a place for; `nil` where it takes any.
    static var attributes: Set<Name>? { get }
    /// Whether an item with an empty secret is another than one that was locked.
    static var tellsEmptySecrets: Bool { get }
    /// The items in stored order.
    var items: [KeychainExport.Item] { get }
    /// What is not as it should be.
    var problems: [KeychainExport.Problem] { get }
    /// Whether it has the items of all apps of a device, whatever it holds; an export may be of one app's.
    static var isOfDevice: Bool { get }
    /// Whether one without any item is not whole: tools write it of all of a device, which has items of its own.
    static var isNeverEmpty: Bool { get }
    /// Why its items are never written, and what to do; `nil` where they are.
    static var refusal: String? { get }
    /// The export with changes, each of another item.
    func rewriting(_ edits: [KeychainExport.Edit]) throws(FormatError) -> Data
    /// Where a new item comes to stand among others, of which the old ones are in stored order.
    static func inStoredOrder<Element>(
        _ items: [Element], kind: (Element) -> KeychainExport.Item.Kind
    ) -> [Element]
}

extension KeychainContent {
    static var tellsEmptySecrets: Bool { true }
    static var isOfDevice: Bool { false }
    static var isNeverEmpty: Bool { false }
    static var refusal: String? { nil }

    /// What is refused is refused before it comes to this.
    func rewriting(_ edits: [KeychainExport.Edit]) throws(FormatError) -> Data {
        throw FormatError(.binaryPropertyList, at: .offset(0), .unsupported("a change to a \(Self.name)"))
    }

    /// New items come last.
    static func inStoredOrder<Element>(
        _ items: [Element], kind: (Element) -> KeychainExport.Item.Kind
    ) -> [Element] { items }
}

/// The items of a keychain as a tool has exported them, in one file.
///
/// The form is recognised by the content. An item that is broken is a ``Problem`` and everything else goes on; where it
/// can be told which item it is, it is also in ``items``, unreadable.
package struct KeychainExport: Sendable {
    /// The forms that are read.
    static let forms: [any KeychainForm.Type] = [
        ObjectionKeychain.self, UFEDKeychain.self, PropertyListKeychain.self, KeychainDumperText.self,
    ]

    /// The forms that are read, in a sentence.
    package static var formsInWords: String { forms.map { $0.words }.joined(separator: ", ") }

    /// A part of an export that is not as it should be.
    package struct Problem: Hashable, Sendable {
        /// Where it is, such as `item 3` or `line 12`; items and lines count from 1.
        package var place: String
        /// What is the matter with it, in words.
        package var reason: String
        /// Whether an item may be lost with it; not where the item is among those that are read.
        package var hidesItems = true
    }

    /// The most bytes that an export may have.
    package static let byteLimit = 64 << 20
    /// The most items that an export may have.
    package static let itemLimit = 200_000

    private let content: any KeychainContent

    /// The name of the form.
    package var form: String { type(of: content).name }
    /// Whether it has the items of all apps of a device, whatever it holds.
    var isOfDevice: Bool { type(of: content).isOfDevice }
    /// Whether it has no item, and none of its form has none.
    var isNotWhole: Bool { items.isEmpty && type(of: content).isNeverEmpty }
    /// Whether it is a device's own, of which no item can be read.
    var isLocked: Bool { content is DeviceKeychain }
    /// The items in stored order, without those that were deleted.
    package let items: [Item]
    /// What is not as it should be.
    package let problems: [Problem]

    /// Why an item that is not found may be there all the same; `nil` where every item was read, at least by its name.
    var incompleteness: Unreadable? {
        let count = problems.count(where: \.hidesItems)
        guard count > 0 else { return nil }
        return Unreadable(
            .corrupt,
            "no item that can be read is this one, and \(count) \(count == 1 ? "part" : "parts") of the export cannot be "
                + "read: it may be there")
    }

    /// Reads an export, whichever form it has.
    ///
    /// - Throws: ``KeychainError`` where it is none, is of a form that is not read, is broken as a whole, or exceeds a
    ///   limit.
    package init(_ data: Data) throws(KeychainError) {
        guard data.count <= Self.byteLimit else {
            throw KeychainError(.tooLarge(bytes: data.count, limit: Self.byteLimit))
        }
        let format = StoreFormat.sniff(data)
        if case .unsupported(let name)? = format { throw KeychainError(.unsupported(name)) }
        self.init(try Self.read(data, format))
        guard items.count <= Self.itemLimit else { throw KeychainError(.tooManyItems(limit: Self.itemLimit)) }
    }

    /// Takes over the items of a form that only a dump's own reader knows.
    init(_ content: any KeychainContent) {
        self.content = content
        let all = content.items
        items = all.filter { !$0.isDeleted }
        let count = all.count - items.count
        problems =
            content.problems
            + (count == 0
                ? []
                : [
                    Problem(
                        place: "\(count) item\(count == 1 ? "" : "s")",
                        reason: "\(count == 1 ? "it was" : "they were") deleted on the device: what is kept of "
                            + "\(count == 1 ? "it" : "them") for iCloud's keychain no app finds", hidesItems: false)
                ])
    }

    private static func read(_ data: Data, _ format: SniffedFormat?) throws(KeychainError) -> any KeychainForm {
        var failure = KeychainError(.notAnExport)
        for form in forms where form.isWritten(in: format) {
            do throws(KeychainError) {
                return try form.init(data)
            } catch {
                // Another form may know what this one does not; what is wrong in detail is said rather than nothing.
                if error.problem != .notAnExport { failure = error }
            }
        }
        throw failure
    }

    /// Whether bytes begin as an export may; cheap, and says yes to some that are none.
    static func mayBe(_ data: Data) -> Bool {
        let head = data.prefix(1 << 16), format = StoreFormat.sniff(head)
        return forms.contains { $0.isWritten(in: format) && $0.isMarked(head) }
    }
}

extension KeychainExport {
    /// One change to an export.
    package struct Edit: Hashable, Sendable {
        /// What is changed.
        package enum Target: Hashable, Sendable {
            /// The item at a position of ``KeychainExport/items``.
            case item(Int)
            /// An item that is to be there besides, in an access group.
            case new(kind: Item.Kind, service: Name, account: Name, group: Name = "")
        }

        /// What is changed.
        package var target: Target
        /// The secret and the attributes, or `nil` to remove the item.
        ///
        /// Attributes that are not named stay as they are.
        package var value: KeychainItem?

        /// Makes a change.
        package init(_ target: Target, to value: KeychainItem?) {
            self.target = target
            self.value = value
        }
    }

    /// The export with changes, in the form it has; JSON and text change only where they must, a property list in XML is
    /// written anew in Apple's layout.
    ///
    /// New items come last, with the attributes they are given. Attributes that the form has no place for are left out;
    /// ``attributesWithoutPlace(in:)`` names them.
    package func rewriting(_ edits: [Edit]) throws(FormatError) -> Data {
        try content.rewriting(Self.merged(edits))
    }

    /// Why its items are never written, and what to do; `nil` where they are.
    package var refusal: String? { type(of: content).refusal }

    /// Names the attributes of edits that the export's form has no place for, sorted.
    package func attributesWithoutPlace(in edits: [Edit]) -> [String] {
        guard let places = type(of: content).attributes else { return [] }
        var names: Set<Name> = []
        for edit in Self.merged(edits) {
            guard let value = edit.value else { continue }
            let old = if case .item(let index) = edit.target { items[index].attributes } else { Members() }
            for member in value.attributes where old[member.key] != member.value { names.insert(member.key) }
        }
        return names.subtracting(places).sorted().map(\.text)
    }

    /// That an item's secret is empty where the export's form does not tell that from one that was locked; else `nil`.
    package func loss(of item: KeychainItem) -> String? {
        guard !type(of: content).tellsEmptySecrets, item.data.isEmpty else { return nil }
        return "\(form) does not tell an empty secret from one that was locked"
    }

    /// What is wrong with bytes that ``rewriting(_:)`` should have made; `nil` where they are as they should be.
    ///
    /// Reads them by themselves, so that a fault of the writing shows.
    package func difference(after edits: [Edit], and written: Data) -> String? {
        let edits = Self.merged(edits), found: KeychainExport
        do { found = try KeychainExport(written) } catch { return "\(error)" }
        let dropped = Set(attributesWithoutPlace(in: edits).map { Name($0) })
        var expected = items.map(Optional.some), edited: Set<Int> = [], added: [Item] = []
        for edit in edits {
            switch edit.target {
            case .item(let index):
                expected[index] = edit.value.map { items[index].becoming($0, without: dropped) }
                edited.insert(index)
            case .new(let kind, let service, let account, _):
                guard let value = edit.value else { continue }
                let item = Item(kind: kind, service: service.text, account: account.text)
                added.append(item.becoming(value, without: dropped))
            }
        }
        // Read back it may be one that was locked.
        func agree(_ item: Item, _ other: Item, isEdited: Bool) -> Bool {
            var item = item
            let isUntold = isEdited && !type(of: content).tellsEmptySecrets
            if isUntold, item.secret == .success(Data()), (try? other.secret.get()) == nil {
                item.secret = other.secret
            }
            return item.agrees(with: other, inFull: !isEdited)
        }
        let kept = expected.enumerated().compactMap { index, item in item.map { ($0, edited.contains(index)) } }
        let wanted = type(of: content).inStoredOrder(kept + added.map { ($0, true) }) { $0.0.kind }
        guard wanted.count == found.items.count else {
            return "it has \(found.items.count) items and should have \(wanted.count)"
        }
        for ((item, isEdited), other) in zip(wanted, found.items) where !agree(item, other, isEdited: isEdited) {
            return "the item “\(item.account)” of “\(item.service)” differs"
        }
        return nil
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

/// Why a file is not read as the export of a keychain.
package struct KeychainError: Error, Hashable, Sendable {
    /// What can be wrong.
    package enum Problem: Hashable, Sendable {
        /// It is no export of a form that is known.
        case notAnExport
        /// It is a form that is recognised and not read: which, in words.
        case unsupported(String)
        /// It is broken as a whole, with where.
        case malformed(FormatError)
        /// It has more bytes than the limit.
        case tooLarge(bytes: Int, limit: Int)
        /// It has more items than the limit.
        case tooManyItems(limit: Int)
    }

    /// What is wrong.
    package var problem: Problem

    /// Makes an error.
    package init(_ problem: Problem) { self.problem = problem }
}

extension KeychainError: CustomStringConvertible {
    /// What is wrong, in one sentence without a full stop.
    package var description: String {
        switch problem {
        case .notAnExport:
            "it is not a keychain export that Vestige knows (\(KeychainExport.formsInWords))"
        case .unsupported(let form): "it is \(form), which is not read"
        case .malformed(let error): "\(error)"
        case .tooLarge(let bytes, let limit): "it has \(bytes) bytes, more than the \(limit) that are read"
        case .tooManyItems(let limit): "it has more than the \(limit) items that are read"
        }
    }
}
