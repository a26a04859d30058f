import Foundation
import MigrationEngine
import StoreFormats

/// What GrayKey and tools like it write: a property list with an array of dictionaries for each class of items.
///
/// Old versions write every value as data, text often with a NUL at its end; it is read as text and written as it was.
struct PropertyListKeychain: KeychainForm {
    static let name = "keychain property list"
    static let isNeverEmpty = true
    static let words = "a GrayKey-style property list"
    static let attributes: Set<Name>? = nil

    static func isWritten(in format: SniffedFormat?) -> Bool {
        format == .readable(.binaryPropertyList) || format == .readable(.xmlPropertyList)
    }

    /// A property list may have its marks anywhere.
    static func isMarked(_ head: Data) -> Bool { true }

    /// There is a list for each kind, so a new item comes last among its kind only.
    static func inStoredOrder<Element>(
        _ items: [Element], kind: (Element) -> KeychainExport.Item.Kind
    ) -> [Element] { kinds.flatMap { wanted in items.filter { kind($0) == wanted } } }

    static let kinds: [KeychainExport.Item.Kind] = [.generic, .internet, .certificate, .key]
    /// Attributes that are text, and may be stored as data.
    private static let texts: Set<Name> = [
        "acct", "svce", "agrp", "labl", "desc", "icmt", "pdmn", "srvr", "ptcl", "path", "sdmn", "atyp", "vwht",
    ]

    private let file: PropertyListFile
    private(set) var items: [KeychainExport.Item] = []
    private(set) var problems: [KeychainExport.Problem] = []
    private var lists: [KeychainExport.Item.Kind: [Value]] = [:]
    /// The position in its list of each item.
    private var positions: [Int] = []

    init(_ data: Data) throws(KeychainError) {
        do {
            file = try PropertyListFile(data)
            var isExport = false
            for kind in Self.kinds {
                guard let position = file.position(of: Name(kind.rawValue)) else { continue }
                guard case .array(let elements) = try file.value(at: position) else {
                    problems.append(.init(place: kind.rawValue, reason: "it is not an array"))
                    continue
                }
                lists[kind] = elements
                isExport = true
            }
            guard isExport else { throw KeychainError(.notAnExport) }
        } catch let error as FormatError {
            throw KeychainError(.malformed(error))
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.notAnExport)
        }
        let all = lists.values.joined().compactMap(\.members)
        if !all.isEmpty, all.allSatisfy({ $0["acct"] == nil && $0["svce"] == nil && $0["v_PersistentRef"] != nil }) {
            throw KeychainError(.unsupported("the encrypted keychain of an iOS backup"))
        }
        for kind in Self.kinds {
            for (position, element) in (lists[kind] ?? []).enumerated() { read(element, kind, at: position) }
        }
    }

    private mutating func read(_ element: Value, _ kind: KeychainExport.Item.Kind, at position: Int) {
        let place = "\(kind.rawValue) item \(position + 1)"
        guard let members = element.members else {
            return problems.append(.init(place: place, reason: "it is not a dictionary"))
        }
        let twice = KeychainExport.repeatedField(of: members, naming: ["acct", "svce", "srvr", "agrp"])
        if let twice, twice.isOfName {
            return problems.append(.init(place: place, reason: "its field \(twice.name) stands more than once"))
        }
        var item = Self.item(of: kind, members)
        switch members[KeychainItem.dataKey] {
        case .data(let data)?: item.secret = .success(data)
        case .string(let text)?: item.secret = .success(Data(text.utf8))
        case nil: item.secret = .failure(KeychainExport.locked)
        case let other?:
            let reason = KeychainExport.corrupt("v_Data is \(other.typeName), and not data")
            item.secret = .failure(reason)
            problems.append(.init(place: place, reason: reason.explanation, hidesItems: false))
        }
        if let twice {
            item.secret = .failure(KeychainExport.ambiguous("the item's field \(twice.name) stands more than once"))
        }
        items.append(item)
        positions.append(position)
    }

    /// An item with these attributes under Apple's short names, and without its secret.
    static func item(of kind: KeychainExport.Item.Kind, _ members: Members) -> KeychainExport.Item {
        let serviceKey = serviceKey(of: kind)
        var item = KeychainExport.Item(kind: kind, service: name(members[serviceKey]), account: name(members["acct"]))
        if item.account.isEmpty, kind == .certificate || kind == .key { item.account = name(members["labl"]) }
        for member in members where !["acct", serviceKey, KeychainItem.dataKey].contains(member.key) {
            // Of a key that stands twice the first counts.
            guard item.attributes[member.key] == nil else { continue }
            item.attributes.all.append(Member(key: member.key, value: shown(member.value, of: member.key)))
        }
        return item
    }

    private static func serviceKey(of kind: KeychainExport.Item.Kind) -> Name { kind == .internet ? "srvr" : "svce" }

    /// A service or an account as text; data that is no text in hexadecimal.
    private static func name(_ value: Value?) -> String {
        guard let value else { return "" }
        switch shown(value, of: "acct") {
        case .data(let data): return "0x" + Hexadecimal.text(data)
        case let other: return other.text ?? ""
        }
    }

    /// An attribute as it is shown: data that should be text is text, without the NULs at its end.
    private static func shown(_ value: Value, of attribute: Name) -> Value {
        guard case .data(let data) = value, texts.contains(attribute) else { return value }
        let end = data.lastIndex { $0 != 0 }.map { $0 + 1 } ?? data.startIndex
        return String(validating: data[..<end], as: UTF8.self).map(Value.string) ?? value
    }

    // MARK: Writing

    func rewriting(_ edits: [KeychainExport.Edit]) throws(FormatError) -> Data {
        var lists = lists, removed: [KeychainExport.Item.Kind: Set<Int>] = [:]
        for edit in edits {
            switch (edit.target, edit.value) {
            case (.item(let index), let value?):
                let kind = items[index].kind, position = positions[index]
                guard var list = lists[kind], var members = list[position].members else { continue }
                let style = TextStyle(of: members["acct"] ?? members["svce"] ?? members["agrp"])
                for member in value.attributes where member.value != items[index].attributes[member.key] {
                    members[member.key] = style.stored(member.value, isText: Self.texts.contains(member.key))
                }
                members[KeychainItem.dataKey] = .data(value.data)
                list[position] = .dictionary(members)
                lists[kind] = list
            case (.item(let index), nil): removed[items[index].kind, default: []].insert(positions[index])
            case (.new(let kind, let service, let account, _), let value?):
                lists[kind, default: []].append(newItem(kind, service.text, account.text, value))
            case (.new, nil): break
            }
        }
        var entries: [(key: Name, value: Value?)] = []
        for kind in Self.kinds where lists[kind] != self.lists[kind] || removed[kind] != nil {
            let gone = removed[kind] ?? []
            let list = (lists[kind] ?? []).enumerated().filter { !gone.contains($0.offset) }.map(\.element)
            entries.append((Name(kind.rawValue), .array(list)))
        }
        return try file.rewriting(entries)
    }

    private func newItem(
        _ kind: KeychainExport.Item.Kind, _ service: String, _ account: String, _ value: KeychainItem
    ) -> Value {
        let first = lists.values.joined().lazy.compactMap(\.members).compactMap { $0["acct"] ?? $0["svce"] }.first
        let style = TextStyle(of: first)
        var members = Members()
        members["acct"] = style.stored(.string(account), isText: true)
        members[Self.serviceKey(of: kind)] = style.stored(.string(service), isText: true)
        for member in value.attributes {
            members[member.key] = style.stored(member.value, isText: Self.texts.contains(member.key))
        }
        members[KeychainItem.dataKey] = .data(value.data)
        return .dictionary(members)
    }

    /// How a list stores text.
    private struct TextStyle {
        let isData: Bool
        let hasNUL: Bool

        init(of value: Value?) {
            isData = value?.data != nil
            hasNUL = value?.data?.last == 0
        }

        func stored(_ value: Value, isText: Bool) -> Value {
            guard isData, isText, case .string(let text) = value else { return value }
            return .data(Data(text.utf8) + (hasNUL ? [0] : []))
        }
    }
}
