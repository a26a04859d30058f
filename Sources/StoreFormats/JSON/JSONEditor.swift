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

    /// Replaces, adds (at the end) or, with `nil`, removes values, each on what the ones before it have left.
    ///
    /// What does not depend on one another is done in one pass over the text.
    mutating func replace(_ edits: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) {
        if let deep = edits.first(where: { $0.pointer.tokens.count > Self.depthLimit }) {
            throw failure(.outOfBounds("a pointer of \(deep.pointer.tokens.count) steps"), at: 0)
        }
        var rest = edits[...]
        while !rest.isEmpty {
            var together = JSONEdits()
            while let first = rest.first, together.add(first.pointer, first.value, shape: shape) { rest.removeFirst() }
            var patches: [Patch] = []
            try patch(together, at: root.lowerBound, JSONPointer(), &patches)
            apply(patches)
        }
    }

    /// How many steps a pointer may have; no text that is read lies as deep.
    private static let depthLimit = 10_000

    /// A part of the text and what comes in its place.
    private typealias Patch = (range: Range<Int>, text: [UInt8])

    private mutating func apply(_ patches: [Patch]) {
        guard !patches.isEmpty else { return }
        var text: [UInt8] = [], copied = 0
        text.reserveCapacity(bytes.count + patches.reduce(0) { $0 + $1.text.count })
        for patch in patches {
            text += bytes[copied..<patch.range.lowerBound]
            text += patch.text
            copied = patch.range.upperBound
        }
        bytes = text + bytes[copied...]
    }

    /// What edits make of the value that begins at an offset, from its beginning to its end.
    private func patch(
        _ edits: JSONEdits, at start: Int, _ path: JSONPointer, _ patches: inout [Patch]
    ) throws(FormatError) {
        if edits.isRemoved { throw failure(.invalid("the whole text cannot be removed"), at: 0) }
        if let value = edits.written.last { return try overwrite(start..<valueEnd(start), with: value, &patches) }
        guard let container = container(at: start) else {
            throw failure(
                .invalid("\(path.isRoot ? "the whole value" : path.description) holds no other values"), at: start)
        }
        var added: [(key: Name?, value: Value)] = []
        var chosen: [Int: JSONEdits] = [:], removed: Set<Int> = [], found: Set<Name> = []
        for (position, item) in container.items.enumerated() where container.isObject {
            guard let key = key(of: item), let edits = edits[key] else { continue }
            // Of a key that stands twice the first is changed, and all are removed.
            if edits.isRemoved { removed.insert(position) }
            if found.insert(key).inserted { chosen[position] = edits }
        }
        for inner in edits.inner where !found.contains(inner.token) {
            let (token, edits) = (inner.token, inner.edits)
            let index = container.isObject ? nil : JSONPointer.arrayIndex(token)
            let end = container.items.count + added.count
            if let index, container.items.indices.contains(index) {
                if edits.isRemoved { removed.insert(index) }
                chosen[index] = edits
            } else if container.isObject {
                added += edits.written.suffix(1).map { (token, $0) }
            } else if !edits.written.isEmpty, token == "-" || index == end {
                added += edits.written.map { (nil, $0) }
            } else if edits.inner.isEmpty {
                throw failure(.outOfBounds("the position \(token)"), at: container.opening)
            }
            guard edits.inner.isEmpty || chosen[index ?? -1] != nil else {
                throw failure(.invalid("there is nothing at \(path.appending(token))"), at: start)
            }
        }
        let kept = container.items.indices.filter { !removed.contains($0) }
        for position in container.items.indices {
            let item = container.items[position]
            if !removed.contains(position) {
                guard let edits = chosen[position] else { continue }
                let token = key(of: item) ?? Name("\(position)")
                try patch(edits, at: item.value.lowerBound, path.appending(token), &patches)
            } else if let last = kept.last, position < last {
                // A member goes with the comma after it; those at the end go with the comma before them.
                patches.append((item.start..<container.items[position + 1].start, []))
            }
        }
        guard !added.isEmpty || !removed.isEmpty else { return }
        let end = container.items.last?.end ?? container.opening + 1
        let place = kept.last.map { container.items[$0].end } ?? container.opening + 1
        let isEmptied = kept.isEmpty && !removed.isEmpty
        patches.append((place..<(isEmptied ? container.closing : end), try text(of: added, in: container, after: kept)))
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

    private func overwrite(
        _ range: Range<Int>, with value: Value, _ patches: inout [Patch]
    ) throws(FormatError) {
        if let new = try replacement(of: range, with: value) { patches.append((range, new)) }
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
        // What a scalar is has no lines of its own, and a long line would be looked through for each.
        if value.isContainer { layout.lines?.base = indentation(at: range.lowerBound) }
        return try JSONWriter.bytes(value, layout: layout)
    }

    /// The text of new members or elements behind those of a container that are kept.
    private func text(
        of added: [(key: Name?, value: Value)], in container: Container, after kept: [Int]
    ) throws(FormatError) -> [UInt8] {
        guard !added.isEmpty else { return [] }
        var layout = layout
        var first = "", separator: String, after = ""
        if let last = kept.last.map({ container.items[$0] }) {
            // What stands before an item is what follows the one that is kept before it.
            let previous = kept.dropLast().last
            let start = (previous.map { container.items[$0].end } ?? container.opening) + 1
            let end = container.items[previous.map { $0 + 1 } ?? 0].start
            let space = String(decoding: bytes[start..<end].filter(JSONText.isSpace), as: UTF8.self)
            if space.newline != nil {
                layout.lines?.base = space.afterLastNewline
                separator = "," + space
            } else {
                layout.lines = nil
                separator = kept.count == 1 ? layout.comma : "," + space
            }
            if let range = last.key {
                let colon = JSONText.skippingSpace(in: bytes, from: range.upperBound)
                layout.colon = JSONLayout.spaced(":", in: bytes, at: colon) ?? layout.colon
            }
            first = separator
        } else if var lines = layout.lines {
            lines.base = indentation(at: container.opening)
            first = lines.start(1)
            separator = "," + first
            // White space that is there already ends the line.
            let isEmpty = !container.items.isEmpty || container.closing == container.opening + 1
            after = isEmpty ? lines.start(0) : ""
            lines.base += lines.unit
            layout.lines = lines
        } else {
            separator = layout.comma
        }
        var text: [UInt8] = []
        for (number, item) in added.enumerated() {
            text += Array((number == 0 ? first : separator).utf8)
            if let key = item.key { text += JSONWriter.quoted(key.text) + Array(layout.colon.utf8) }
            text += try JSONWriter.bytes(item.value, layout: layout)
        }
        return text + Array(after.utf8)
    }

    // MARK: Finding

    /// What the text holds at a pointer.
    private func shape(_ pointer: JSONPointer) -> JSONEdits.Shape {
        guard let container = try? container(of: pointer.appending("")) else { return .other }
        return container.isObject ? .object : .array(container.items.count)
    }

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

extension Value {
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }
}
