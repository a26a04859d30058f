import Foundation
import MigrationEngine
import StoreFormats

/// What Keychain-Dumper prints: a block of text an item, a line a field.
///
/// A value may go on over further lines: a line begins a field only where its label comes after that of the field before
/// it in the order of the form, so that a value with `Account: x` in it stays one value. Text that holds a whole heading
/// with its first field after an empty line cannot be told from a block. `(null)` is nothing. A shell that keeps what is
/// printed may write it in an encoding of its own, as ``ShellText`` has it.
struct KeychainDumperText: KeychainForm {
    static let name = "Keychain-Dumper text"
    static let words = "Keychain-Dumper's text"
    static let attributes: Set<Name>? = Set(attributesOfFields.values)

    static func isWritten(in format: SniffedFormat?) -> Bool { format == nil }

    /// The attributes that fields hold.
    private static let attributesOfFields: [String: Name] = [
        "Entitlement Group": "agrp", "Label": "labl", "Accessible Attribute": "pdmn", "Description": "desc",
        "Comment": "icmt", "Synchronizable": "sync", "Generic Field": "gena",
    ]
    /// The fields in the order in which they stand.
    private static let labels = [
        "Service", "Server", "Account", "Entitlement Group", "Label", "Accessible Attribute", "Description", "Comment",
        "Synchronizable", "Generic Field", dataLabel, hexLabel,
    ].map { (name: $0, start: Array("\($0):".utf8)) }
    private static let dataLabel = "Keychain Data", hexLabel = "Keychain Data (Hex)"
    private static let headings: [(start: [UInt8], kind: KeychainExport.Item.Kind?)] = [
        (Array("Generic Password".utf8), .generic), (Array("Internet Password".utf8), .internet),
        (Array("Certificate".utf8), nil), (Array("Key".utf8), nil), (Array("Identity".utf8), nil),
    ]
    private static let none = "(null)"

    private let bytes: [UInt8]
    private let encoding: ShellText
    private(set) var items: [KeychainExport.Item] = []
    private(set) var problems: [KeychainExport.Problem] = []
    private var blocks: [Block] = []

    /// Where an item stands in the text.
    private struct Block {
        var range: Range<Int>
        var fields: [Field] = []
    }

    private struct Field {
        var name: String
        /// The label, the value, and not what ends the line.
        var range: Range<Int>
        var value: Range<Int>
    }

    /// Whether bytes have the heading of a block.
    static func isMarked(_ head: Data) -> Bool {
        guard let bytes = ShellText(head).plain(head) else { return false }
        let lines = Lines(bytes)
        return lines.all.indices.contains { heading(at: $0, in: lines, bytes) != nil }
    }

    init(_ data: Data) throws(KeychainError) {
        encoding = ShellText(data)
        guard let bytes = encoding.plain(data) else { throw KeychainError(.notAnExport) }
        self.bytes = bytes
        let lines = Lines(bytes)
        let starts = lines.all.indices.compactMap { index in
            Self.heading(at: index, in: lines, bytes).map { (line: index, kind: $0) }
        }
        guard !starts.isEmpty else { throw KeychainError(.notAnExport) }
        var others = 0
        for (position, start) in starts.enumerated() {
            let end = position + 1 < starts.count ? starts[position + 1].line : lines.all.count
            if let kind = start.kind {
                read(lines, from: start.line, to: end, kind)
            } else {
                others += 1
            }
        }
        if others > 0 {
            problems.append(
                .init(
                    place: "\(others) block\(others == 1 ? "" : "s")",
                    reason: "certificates, keys and identities have no data in this form, and are not shown",
                    hidesItems: false))
        }
    }

    /// The heading that a line is: of which class, or of none that is read; `nil` where it is no heading.
    private static func heading(
        at line: Int, in lines: Lines, _ bytes: [UInt8]
    ) -> KeychainExport.Item.Kind?? {
        guard line + 1 < lines.all.count else { return nil }
        let rule = bytes[lines.all[line + 1]]
        guard rule.count >= 3, rule.allSatisfy({ $0 == UInt8(ascii: "-") }) else { return nil }
        let text = bytes[lines.all[line]]
        guard let heading = headings.first(where: { text.elementsEqual($0.start) }) else { return nil }
        // The tool's own messages, which may come first, begin with a bracket.
        guard line == 0 || lines.all[line - 1].isEmpty || bytes[lines.all[line - 1]].first == UInt8(ascii: "[")
        else { return nil }
        guard heading.kind != nil else { return .some(nil) }
        guard line + 2 < lines.all.count, label(at: lines.all[line + 2], after: -1, bytes) != nil else { return nil }
        return .some(heading.kind)
    }

    /// The label that a line begins with, if it is one that comes after another.
    private static func label(at line: Range<Int>, after last: Int, _ bytes: [UInt8]) -> Int? {
        labels.indices.first { $0 > last && bytes[line].starts(with: labels[$0].start) }
    }

    private mutating func read(_ lines: Lines, from first: Int, to end: Int, _ kind: KeychainExport.Item.Kind) {
        let stop = end < lines.all.count ? lines.all[end].lowerBound : bytes.count
        var block = Block(range: lines.all[first].lowerBound..<stop), last = -1
        for line in lines.all[min(first + 2, end)..<end] {
            guard let label = Self.label(at: line, after: last, bytes) else {
                guard let field = block.fields.indices.last else { continue }
                block.fields[field].range = block.fields[field].range.lowerBound..<line.upperBound
                block.fields[field].value = block.fields[field].value.lowerBound..<line.upperBound
                continue
            }
            // `Keychain Data:` and `Keychain Data (Hex):` stand for one another.
            last = Self.labels[label].name == Self.dataLabel ? Self.labels.count : label
            var start = line.lowerBound + Self.labels[label].start.count
            if start < line.upperBound, bytes[start] == UInt8(ascii: " ") { start += 1 }
            block.fields.append(
                Field(
                    name: Self.labels[label].name, range: line.lowerBound..<line.upperBound,
                    value: start..<line.upperBound))
        }
        if let index = block.fields.indices.last, [Self.dataLabel, Self.hexLabel].contains(block.fields[index].name) {
            let data = secretEnd(block.fields[index].value, before: stop)
            block.fields[index].range = block.fields[index].range.lowerBound..<data
            block.fields[index].value = block.fields[index].value.lowerBound..<data
        }
        add(block, kind, place: "line \(first + 1)", isLast: end == lines.all.count)
    }

    /// Where a secret ends: the tool ends it with a line feed, and the block with another.
    private func secretEnd(_ value: Range<Int>, before stop: Int) -> Int {
        var end = stop
        for _ in 0..<2 where end > value.lowerBound && bytes[end - 1] == UInt8(ascii: "\n") {
            end -= 1
            if end > value.lowerBound, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        }
        return end
    }

    private mutating func add(_ block: Block, _ kind: KeychainExport.Item.Kind, place: String, isLast: Bool) {
        var names: [String: String] = [:]
        var item = KeychainExport.Item(
            kind: kind, service: "", account: "", secret: .failure(KeychainExport.locked))
        var hasData = false
        for field in block.fields {
            if field.name == Self.dataLabel || field.name == Self.hexLabel {
                hasData = true
                item.secret = secret(field)
                continue
            }
            guard let text = String(validating: bytes[field.value], as: UTF8.self) else {
                problems.append(.init(place: place, reason: "its \(field.name) is not UTF-8"))
                if Self.attributesOfFields[field.name] == nil { return }
                continue
            }
            let value = text.hasSuffix("\r") ? String(text.dropLast()) : text
            if Name(value) == Name(Self.none) || value.isEmpty { continue }
            guard let attribute = Self.attributesOfFields[field.name] else {
                names[field.name] = value
                continue
            }
            item.attributes.all.append(Member(key: attribute, value: Self.value(of: attribute, value)))
        }
        if !hasData {
            let reason = KeychainExport.corrupt("its block ends without it")
            item.secret = .failure(reason)
            // The last of all was cut, and whatever came after it.
            if isLast { problems.append(.init(place: place, reason: "the text ends in the middle of this item")) }
        }
        // The tool ends every line, so that a text without the last line end is a part of one, or was copied by hand.
        if hasData, isLast, bytes.last != UInt8(ascii: "\n") {
            problems.append(
                .init(
                    place: place,
                    reason:
                        "the text ends without a line end: it may have been cut within this item's data, and what came "
                        + "after it"))
        }
        if case .failure(let reason) = item.secret, reason.cause == .corrupt {
            problems.append(.init(place: place, reason: reason.explanation, hidesItems: false))
        }
        item.service = names[kind == .internet ? "Server" : "Service"] ?? names["Service"] ?? names["Server"] ?? ""
        item.account = names["Account"] ?? ""
        items.append(item)
        blocks.append(block)
    }

    private func secret(_ field: Field) -> Result<Data, Unreadable> {
        var value = bytes[field.value]
        guard field.name == Self.hexLabel else {
            return value.elementsEqual(Self.none.utf8) ? .failure(KeychainExport.locked) : .success(Data(value))
        }
        value = value.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }[...]
        if value.elementsEqual(Self.none.utf8) { return .failure(KeychainExport.locked) }
        if value.starts(with: "0x".utf8) { value = value.dropFirst(2) }
        guard let data = Hexadecimal.data(value) else {
            return .failure(KeychainExport.corrupt("it is not hexadecimal"))
        }
        return .success(data)
    }

    private static func value(of attribute: Name, _ text: String) -> Value {
        switch attribute {
        case "pdmn":
            let name = text.split(separator: ",", omittingEmptySubsequences: false).first.map(String.init) ?? text
            return .string(KeychainExport.accessibilityCode(name))
        case "sync": return Int128(text).map(Value.integer) ?? .string(text)
        default: return .string(text)
        }
    }
}

extension KeychainDumperText {
    func rewriting(_ edits: [KeychainExport.Edit]) -> Data {
        var changes: [(range: Range<Int>, text: [UInt8])] = [], added: [[UInt8]] = []
        for edit in edits {
            switch (edit.target, edit.value) {
            case (.item(let index), let value?): changes += self.changes(of: index, to: value)
            case (.item(let index), nil): changes.append((blocks[index].range, []))
            case (.new(let kind, let service, let account, _), let value?):
                added.append(Self.block(kind, service.text, account.text, value))
            case (.new, nil): break
            }
        }
        var text = bytes
        // From the back, so that no place moves before its turn.
        let ordered = changes.enumerated().sorted { left, right in
            let (left, right) = ((left.element.range, left.offset), (right.element.range, right.offset))
            // At one place, what is replaced comes before what is put in front of it.
            return (left.0.lowerBound, left.0.upperBound, left.1) > (right.0.lowerBound, right.0.upperBound, right.1)
        }
        for (_, change) in ordered {
            text.replaceSubrange(change.range, with: change.text)
        }
        for block in added {
            // The block before ends with an empty line.
            while !text.isEmpty, !text.suffix(2).elementsEqual("\n\n".utf8) { text.append(UInt8(ascii: "\n")) }
            text += block
        }
        return encoding.marked(text)
    }

    private func changes(of index: Int, to value: KeychainItem) -> [(range: Range<Int>, text: [UInt8])] {
        let item = items[index], fields = blocks[index].fields
        let replaced: [(range: Range<Int>, text: [UInt8])] = fields.compactMap { field in
            if field.name == Self.dataLabel || field.name == Self.hexLabel {
                return (try? item.secret.get()) == value.data ? nil : (field.range, Self.secretLine(value.data))
            }
            guard let attribute = Self.attributesOfFields[field.name], let new = value.attributes[attribute],
                new != item.attributes[attribute]
            else { return nil }
            return (field.range, Array("\(field.name): \(Self.text(of: attribute, new))".utf8))
        }
        // Not every class of items, and not every version of the tool, has every field.
        let order = Self.labels.map(\.name)
        let added = Self.labels.enumerated().compactMap { position, label -> (range: Range<Int>, text: [UInt8])? in
            guard let attribute = Self.attributesOfFields[label.name], let new = value.attributes[attribute],
                !fields.contains(where: { $0.name == label.name }),
                let next = fields.first(where: { (order.firstIndex(of: $0.name) ?? 0) > position })
            else { return nil }
            let place = next.range.lowerBound
            return (place..<place, Array("\(label.name): \(Self.text(of: attribute, new))\n".utf8))
        }
        return replaced + added
    }

    private static func block(
        _ kind: KeychainExport.Item.Kind, _ service: String, _ account: String, _ value: KeychainItem
    ) -> [UInt8] {
        let heading = headings.first { $0.kind == kind }?.start ?? headings[0].start
        func line(_ label: String, _ text: String) -> [UInt8] {
            Array("\(label): \(text.isEmpty ? none : text)\n".utf8)
        }
        var block = heading + [0x0A] + [UInt8](repeating: UInt8(ascii: "-"), count: heading.count) + [0x0A]
        block += line(kind == .internet ? "Server" : "Service", service) + line("Account", account)
        for (label, _) in labels {
            guard let attribute = attributesOfFields[label] else { continue }
            block += line(label, value.attributes[attribute].map { text(of: attribute, $0) } ?? "")
        }
        return block + secretLine(value.data) + [0x0A, 0x0A]
    }

    /// The line of a secret: as text where it reads back as the same bytes, otherwise in hexadecimal.
    private static func secretLine(_ data: Data) -> [UInt8] {
        let isPlain =
            data.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: data, as: UTF8.self) != nil
            && !data.elementsEqual(none.utf8) && !data.isEmpty
        return isPlain
            ? Array("\(dataLabel): ".utf8) + data : Array("\(hexLabel): 0x\(Hexadecimal.text(data))".utf8)
    }

    private static func text(of attribute: Name, _ value: Value) -> String {
        let text = value.text ?? ""
        return attribute == "pdmn" ? KeychainExport.accessibilityName(text) : text
    }
}

/// The lines of a text, without what ends them: a line feed, or a carriage return before it.
private struct Lines {
    var all: [Range<Int>] = []

    init(_ bytes: [UInt8]) {
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            all.append(start..<(index > start && bytes[index - 1] == UInt8(ascii: "\r") ? index - 1 : index))
            start = index + 1
        }
        if start < bytes.count { all.append(start..<bytes.count) }
    }
}
