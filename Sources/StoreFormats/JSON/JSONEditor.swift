/// Changes JSON text in place, byte by byte as little as it can.
///
/// The text must have been read before: the editor checks what it is asked, not what it is given.
struct JSONEditor {
    /// The text.
    private(set) var bytes: [UInt8]

    /// How the text was laid out at first; finding out may take a look at all of it.
    private let layout: JSONLayout

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        layout = JSONLayout(of: bytes)
    }

    /// A member or an element as it stands in the text.
    private struct Item {
        /// Its key in quotes; `nil` in an array.
        var key: Range<Int>?
        var value: Range<Int>
        /// Where the member begins.
        var start: Int { key?.lowerBound ?? value.lowerBound }
        var end: Int { value.upperBound }
    }

    /// A container with its parts.
    private struct Container {
        var isObject: Bool
        var items: [Item]
        /// The offsets of its opening and its closing bracket.
        var opening: Int
        var closing: Int
    }

    // MARK: Edits

    /// Replaces, adds (at the end) or, with `nil`, removes the value at a pointer.
    mutating func replace(_ pointer: JSONPointer, with value: Value?) throws(FormatError) {
        guard let last = pointer.tokens.last else {
            guard let value else { throw failure(.invalid("the whole text cannot be removed"), at: 0) }
            return try overwrite(root, with: value)
        }
        var container = try self.container(of: pointer)
        if container.isObject {
            let matches = container.items.indices.filter { holds(last, container.items[$0]) }
            switch (matches.first, value) {
            case (let index?, let value?): try overwrite(container.items[index].value, with: value)
            case (nil, let value?): try append(value, key: last, to: &container)
            case (_, nil): remove(Set(matches), from: container)
            }
        } else {
            let index = last == "-" ? container.items.count : JSONPointer.arrayIndex(last)
            switch (index, value) {
            case (let index?, let value?) where index < container.items.count:
                try overwrite(container.items[index].value, with: value)
            case (container.items.count, let value?): try append(value, key: nil, to: &container)
            case (let index?, nil) where index < container.items.count: remove([index], from: container)
            default: throw failure(.outOfBounds("the position \(last)"), at: container.opening)
            }
        }
    }

    /// Replaces, adds or removes values of one object or array, each key named once; those of an object in one pass.
    mutating func replaceMembers(at parent: JSONPointer, _ edits: [(key: Name, value: Value?)]) throws(FormatError) {
        var container = try self.container(of: parent.appending(""))
        guard container.isObject else {
            for edit in edits { try replace(parent.appending(edit.key), with: edit.value) }
            return
        }
        let indices = Dictionary(zip(edits.map(\.key), edits.indices)) { $1 }
        var found: Set<Int> = [], removed: Set<Int> = []
        var text: [UInt8] = [], copied = 0
        for (position, item) in container.items.enumerated() {
            guard let key = key(of: item), let index = indices[key] else { continue }
            let isFirst = found.insert(index).inserted
            guard let value = edits[index].value else {
                removed.insert(position)
                continue
            }
            guard isFirst, let new = try replacement(of: item.value, with: value) else { continue }
            text += bytes[copied..<item.value.lowerBound] + new
            copied = item.value.upperBound
        }
        if copied > 0 {
            bytes = text + bytes[copied...]
            container = self.container(at: container.opening) ?? container
        }
        if !removed.isEmpty {
            remove(removed, from: container)
            container = self.container(at: container.opening) ?? container
        }
        for (index, edit) in edits.enumerated() where !found.contains(index) {
            if let value = edit.value { try append(value, key: edit.key, to: &container) }
        }
    }

    /// Gives every member at a pointer another key.
    mutating func rename(_ pointer: JSONPointer, to key: Name) throws(FormatError) {
        guard let last = pointer.tokens.last else { throw failure(.invalid("the whole text has no key"), at: 0) }
        let container = try self.container(of: pointer)
        let matches = container.items.filter { holds(last, $0) }
        guard container.isObject, !matches.isEmpty else {
            throw failure(.invalid("there is no key \(pointer)"), at: container.opening)
        }
        guard key != last else { return }
        guard !container.items.contains(where: { holds(key, $0) }) else {
            throw failure(.invalid("the key “\(key)” is there already"), at: container.opening)
        }
        for item in matches.reversed() {
            if let range = item.key { bytes.replaceSubrange(range, with: JSONWriter.quoted(key.text)) }
        }
    }

    private mutating func overwrite(_ range: Range<Int>, with value: Value) throws(FormatError) {
        if let new = try replacement(of: range, with: value) { bytes.replaceSubrange(range, with: new) }
    }

    /// The text of a value in the place of another; `nil` where the same value stands there, which stays in its words.
    private func replacement(of range: Range<Int>, with value: Value) throws(FormatError) -> [UInt8]? {
        let new = try JSONWriter.bytes(value)
        var parser = JSONParser(Array(bytes[range]), limits: Limits(depth: .max, nodes: .max, bytes: .max))
        if let old = try? parser.parse(), try JSONWriter.bytes(old) == new { return nil }
        var layout = layout
        let old = bytes[range]
        let isContainer = old.first == UInt8(ascii: "{") || old.first == UInt8(ascii: "[")
        // A container that stands on one line stays on one.
        if isContainer, old.count > 2, !old.contains(0x0A) { layout.lines = nil }
        layout.lines?.base = indentation(at: range.lowerBound)
        return try JSONWriter.bytes(value, layout: layout)
    }

    /// Adds a member or an element at the end, and to the container as it is known.
    private mutating func append(_ value: Value, key: Name?, to container: inout Container) throws(FormatError) {
        var layout = layout
        var before: String, after = "", place: Int
        if let last = container.items.last {
            let previous = container.items.dropLast().last.map(\.end) ?? container.opening
            let gap = bytes[previous + 1..<last.start].filter(JSONText.isSpace)
            let space = String(decoding: gap, as: UTF8.self)
            if space.newline != nil {
                layout.lines?.base = space.afterLastNewline
                before = "," + space
            } else {
                layout.lines = nil
                before = container.items.count == 1 ? layout.comma : "," + space
            }
            if let range = last.key {
                let colon = JSONText.skippingSpace(in: bytes, from: range.upperBound)
                layout.colon = JSONLayout.spaced(":", in: bytes, at: colon) ?? layout.colon
            }
            place = last.end
        } else {
            place = container.opening + 1
            before = ""
            if var lines = layout.lines {
                lines.base = indentation(at: container.opening)
                before = lines.start(1)
                // White space that is there already ends the line.
                after = container.closing == place ? lines.start(0) : ""
                lines.base += lines.unit
                layout.lines = lines
            }
        }
        var text = Array(before.utf8)
        var item = Item(value: place..<place)
        if let key {
            let quoted = JSONWriter.quoted(key.text)
            item.key = place + text.count..<place + text.count + quoted.count
            text += quoted + Array(layout.colon.utf8)
        }
        let start = place + text.count
        text += try JSONWriter.bytes(value, layout: layout)
        item.value = start..<place + text.count
        text += Array(after.utf8)
        bytes.insert(contentsOf: text, at: place)
        container.items.append(item)
        container.closing += text.count
    }

    private mutating func remove(_ positions: Set<Int>, from container: Container) {
        let items = container.items
        guard !positions.isEmpty else { return }
        guard let lastKept = items.indices.last(where: { !positions.contains($0) }), let end = items.last?.end else {
            return bytes.removeSubrange(container.opening + 1..<container.closing)
        }
        // A member goes with the comma after it; those at the end go with the comma before them.
        var kept = Array(bytes[..<items[0].start])
        for index in 0...lastKept where !positions.contains(index) {
            kept += bytes[items[index].start..<(index == lastKept ? items[index].end : items[index + 1].start)]
        }
        bytes = kept + bytes[end...]
    }

    // MARK: Finding

    /// Where the whole value stands.
    private var root: Range<Int> {
        let start = JSONText.skippingSpace(in: bytes, from: bytes.holds("\u{FEFF}", at: 0) ? 3 : 0)
        return start..<valueEnd(start)
    }

    /// The container that holds the last step of a pointer; of a key that stands twice, the first.
    private func container(of pointer: JSONPointer) throws(FormatError) -> Container {
        var start = root.lowerBound
        var path = JSONPointer()
        for token in pointer.tokens.dropLast() {
            path = path.appending(token)
            let container = container(at: start)
            let item: Item?
            if container?.isObject == true {
                item = container?.items.first { holds(token, $0) }
            } else {
                let index = JSONPointer.arrayIndex(token)
                item = container.flatMap { found in index.flatMap { $0 < found.items.count ? found.items[$0] : nil } }
            }
            guard let item else { throw failure(.invalid("there is nothing at \(path)"), at: start) }
            start = item.value.lowerBound
        }
        guard let container = container(at: start) else {
            throw failure(
                .invalid("\(path.isRoot ? "the whole value" : path.description) holds no other values"), at: start)
        }
        return container
    }

    /// Whether a member has this key, compared code unit by code unit.
    private func holds(_ key: Name, _ item: Item) -> Bool { self.key(of: item) == key }

    private func key(of item: Item) -> Name? {
        guard let range = item.key else { return nil }
        return (try? JSONText.string(in: bytes, at: range.lowerBound)).map { Name($0.text) }
    }

    /// The container that begins at an offset, or `nil` for a scalar.
    private func container(at opening: Int) -> Container? {
        let isObject = bytes[opening] == UInt8(ascii: "{")
        guard isObject || bytes[opening] == UInt8(ascii: "[") else { return nil }
        var items: [Item] = []
        var position = JSONText.skippingSpace(in: bytes, from: opening + 1)
        while bytes[position] != UInt8(ascii: "}"), bytes[position] != UInt8(ascii: "]") {
            var key: Range<Int>?
            if isObject {
                let end = JSONText.stringEnd(in: bytes, at: position)
                key = position..<end
                let colon = JSONText.skippingSpace(in: bytes, from: end)
                position = JSONText.skippingSpace(in: bytes, from: colon + 1)
            }
            let end = valueEnd(position)
            items.append(Item(key: key, value: position..<end))
            position = JSONText.skippingSpace(in: bytes, from: end)
            if bytes[position] == UInt8(ascii: ",") {
                position = JSONText.skippingSpace(in: bytes, from: position + 1)
            }
        }
        return Container(isObject: isObject, items: items, opening: opening, closing: position)
    }

    /// The offset after the value that begins at an offset.
    private func valueEnd(_ start: Int) -> Int {
        var position = start, depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): position = JSONText.stringEnd(in: bytes, at: position)
            case UInt8(ascii: "{"), UInt8(ascii: "["): (position, depth) = (position + 1, depth + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): (position, depth) = (position + 1, depth - 1)
            case _ where depth == 0:
                // A number or a word ends where something else begins.
                while position < bytes.count, !JSONText.isSpace(bytes[position]),
                    ![UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(bytes[position])
                { position += 1 }
            default:
                position += 1
                continue
            }
            if depth == 0 { return position }
        }
        return position
    }

    /// The white space that begins the line of an offset.
    private func indentation(at offset: Int) -> String {
        let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = min(JSONText.skippingSpace(in: bytes, from: start), offset)
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private func failure(_ problem: FormatError.Problem, at offset: Int) -> FormatError {
        FormatError(.json, in: bytes, at: offset, problem)
    }
}
