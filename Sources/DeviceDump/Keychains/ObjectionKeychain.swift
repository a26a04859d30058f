import Foundation
import MigrationEngine
import StoreFormats

/// What `ios keychain dump --json` of objection writes: an array of objects whose 22 fields are all text.
///
/// `dataHex` is the secret; `data` is text made of it, and lossy. The form says neither that an item was locked nor which
/// server an internet password is for.
struct ObjectionKeychain: KeychainForm {
    static let name = "objection JSON"
    static let words = "objection's JSON"

    static func isWritten(in format: SniffedFormat?) -> Bool { format == .readable(.json) }

    static func isMarked(_ head: Data) -> Bool {
        ["\"dataHex\"", "\"entitlement_group\"", "\"item_class\""].contains { head.range(of: Data($0.utf8)) != nil }
    }

    static let tellsEmptySecrets = false

    private let document: JSONDocument
    private(set) var items: [KeychainExport.Item] = []
    private(set) var problems: [KeychainExport.Problem] = []
    /// The position in the array of each item; broken ones are not among the items.
    private var positions: [Int] = []

    /// The fields that are attributes, with Apple's short names of these.
    static let attributes: Set<Name>? = Set(fieldsOfAttributes.map(\.attribute))
    private static let fieldsOfAttributes: [(field: Name, attribute: Name)] = [
        ("entitlement_group", "agrp"), ("label", "labl"), ("description", "desc"), ("comment", "icmt"),
        ("generic", "gena"), ("accessible_attribute", "pdmn"), ("create_date", "cdat"), ("modification_date", "mdat"),
        ("access_control", "accc"), ("alias", "alis"), ("creator", "crtr"), ("custom_icon", "cusi"),
        ("invisible", "invi"), ("negative", "nega"), ("protected", "prot"), ("script_code", "scrp"), ("type", "type"),
    ]
    private static let classes: [(name: String, kind: KeychainExport.Item.Kind)] = [
        ("kSecClassGenericPassword", .generic), ("kSecClassInternetPassword", .internet),
        ("kSecClassCertificate", .certificate), ("kSecClassKey", .key),
    ]
    private static let fields =
        (fieldsOfAttributes.map(\.field) + ["account", "data", "dataHex", "item_class", "service"])
        .sorted()

    init(_ data: Data) throws(KeychainError) {
        do { document = try JSONDocument(data) } catch { throw KeychainError(.malformed(error)) }
        guard case .array(let elements) = document.value else { throw KeychainError(.notAnExport) }
        let marks: [Name] = ["dataHex", "data", "entitlement_group", "item_class"]
        let isExport = elements.contains { element in
            element.members.map { members in members["account"] != nil && marks.contains { members[$0] != nil } }
                ?? false
        }
        guard isExport || elements.isEmpty else { throw KeychainError(.notAnExport) }
        for (position, element) in elements.enumerated() {
            let place = "item \(position + 1)"
            guard let members = element.members else {
                problems.append(.init(place: place, reason: "it is not an object"))
                continue
            }
            read(members, at: position, place)
        }
    }

    private mutating func read(_ members: Members, at position: Int, _ place: String) {
        let twice = KeychainExport.repeatedField(
            of: members, naming: ["account", "service", "server", "item_class", "entitlement_group"])
        if let twice, twice.isOfName {
            return problems.append(.init(place: place, reason: "its field \(twice.name) stands more than once"))
        }
        func text(_ field: Name) -> String? {
            switch members[field] {
            case nil, .null?: ""
            case .string(let text)?: text
            default: nil
            }
        }
        guard let account = text("account"), let service = text("service"), let server = text("server") else {
            return problems.append(.init(place: place, reason: "its account or its service is not text"))
        }
        let className = text("item_class") ?? ""
        let kind = Self.classes.first { $0.name == className || $0.kind.rawValue == className }?.kind
        if kind == nil, !className.isEmpty {
            let reason = "its class is unknown, and taken for a generic password's"
            problems.append(.init(place: place, reason: reason, hidesItems: false))
        }
        var item = KeychainExport.Item(
            kind: kind ?? .generic, service: kind == .internet && service.isEmpty ? server : service, account: account)
        for (field, attribute) in Self.fieldsOfAttributes {
            guard let text = text(field), !text.isEmpty else { continue }
            item.attributes.all.append(Member(key: attribute, value: Self.value(of: attribute, text)))
        }
        item.secret =
            twice.map { .failure(KeychainExport.ambiguous("the item's field \($0.name) stands more than once")) }
            ?? Self.secret(of: members)
        if case .failure(let reason) = item.secret, reason.cause == .corrupt {
            problems.append(.init(place: place, reason: reason.explanation, hidesItems: false))
        }
        items.append(item)
        positions.append(position)
    }

    private static func secret(of members: Members) -> Result<Data, Unreadable> {
        switch members["dataHex"] {
        case .string(let digits)? where !digits.isEmpty:
            guard let data = Hexadecimal.data(digits.utf8) else {
                return .failure(KeychainExport.corrupt("dataHex is not hexadecimal"))
            }
            return .success(data)
        case nil, .null?, .string?:
            // Old versions have the text alone.
            if case .string(let text)? = members["data"], !text.isEmpty {
                return members["dataHex"] == nil
                    ? .success(Data(text.utf8))
                    : .failure(KeychainExport.corrupt("dataHex is empty, and data, which is lossy, is not"))
            }
            // The form does not tell an empty secret from one that was locked.
            return .failure(
                Unreadable(
                    .missing, "the export has no data for this item: it is empty, or was locked when it was made"))
        default: return .failure(KeychainExport.corrupt("dataHex is not text"))
        }
    }

    private static func value(of attribute: Name, _ text: String) -> Value {
        switch attribute {
        case "pdmn": .string(KeychainExport.accessibilityCode(text))
        case "cdat", "mdat": Timestamp(objection: text).map(Value.date) ?? .string(text)
        default: .string(text)
        }
    }

    private static func text(of attribute: Name, _ value: Value) -> String {
        if case .date(let date) = value { return date.objectionText ?? "" }
        let text = value.text ?? ""
        return attribute == "pdmn" ? KeychainExport.accessibilityName(text) : text
    }

    // MARK: Writing

    func rewriting(_ edits: [KeychainExport.Edit]) throws(FormatError) -> Data {
        var fields = Self.fields
        if case .array(let elements) = document.value, let first = elements.lazy.compactMap(\.members).first {
            fields = first.map(\.key)
        }
        var changes: [(pointer: JSONPointer, value: Value?)] = [], removed: [Int] = []
        for edit in edits {
            switch (edit.target, edit.value) {
            case (.item(let index), let value?): changes += Self.changes(of: items[index], positions[index], to: value)
            case (.item(let index), nil): removed.append(positions[index])
            case (.new(let kind, let service, let account, _), let value?):
                changes.append((JSONPointer(["-"]), newItem(kind, service.text, account.text, value, in: fields)))
            case (.new, nil): break
            }
        }
        // From the back, so that no position moves before its turn.
        changes += removed.sorted(by: >).map { (JSONPointer(["\($0)"]), nil) }
        return try document.replacing(changes).data
    }

    private static func changes(
        of item: KeychainExport.Item, _ position: Int, to value: KeychainItem
    ) -> [(pointer: JSONPointer, value: Value?)] {
        let place = JSONPointer(["\(position)"])
        var changes: [(pointer: JSONPointer, value: Value?)] = []
        if (try? item.secret.get()) != value.data {
            changes.append((place.appending("dataHex"), .string(Hexadecimal.text(value.data))))
            changes.append((place.appending("data"), .string(value.text ?? "")))
        }
        for (field, attribute) in fieldsOfAttributes {
            guard let new = value.attributes[attribute], new != item.attributes[attribute] else { continue }
            changes.append((place.appending(field), .string(text(of: attribute, new))))
        }
        return changes
    }

    /// The fields of a new item, in the order of those that are there.
    private func newItem(
        _ kind: KeychainExport.Item.Kind, _ service: String, _ account: String, _ value: KeychainItem,
        in fields: [Name]
    ) -> Value {
        var known: [Name: String] = [
            "account": account, "data": value.text ?? "", "dataHex": Hexadecimal.text(value.data),
            "item_class": Self.classes.first { $0.kind == kind }?.name ?? "",
            kind == .internet ? "server" : "service": service,
        ]
        for (field, attribute) in Self.fieldsOfAttributes {
            if let new = value.attributes[attribute] { known[field] = Self.text(of: attribute, new) }
        }
        let fields =
            fields + known.keys.filter { field in !fields.contains(field) }.sorted()
        return .dictionary(Members(fields.map { Member(key: $0, value: .string(known[$0] ?? "")) }))
    }
}

extension Timestamp {
    /// Reads a date as objection writes it: `2023-04-05 06:07:08 +0000`; `nil` for any other text.
    init?(objection text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].elementsEqual("+0000".utf8) else { return nil }
        func numbers(_ part: Substring.UTF8View, _ separator: Character) -> [Int] {
            Substring(part).split(separator: separator).compactMap { $0.count <= 4 ? Int($0) : nil }
        }
        let day = numbers(parts[0], "-"), time = numbers(parts[1], ":")
        guard day.count == 3, time.count == 3 else { return nil }
        self.init(year: day[0], month: day[1], day: day[2], hour: time[0], minute: time[1], second: time[2])
    }

    /// The date as objection writes it, to the second; `nil` outside of the years 1 to 9999.
    var objectionText: String? {
        iso8601.map { text in String(text.prefix(10)) + " " + text.dropFirst(11).prefix(8) + " +0000" }
    }
}
