/// Changes JSON text in place, byte by byte as little as it can.
///
/// The text must have been read before: the editor checks what it is asked, not what it is given.
struct JSONEditor {
    /// The text.
    private(set) var bytes: [UInt8]

    /// How the text was laid out at first; finding out may take a look at all of it.
    private var layout: JSONLayout
    /// The containers on the way to what was edited last: the next edit mostly goes to the same place.
    private var known: [KnownJSONContainer] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        layout = JSONLayout(of: bytes)
    }

    // MARK: Edits

    /// Replaces, adds (at the end) or, with `nil`, removes values, each on what the ones before it have left.
    ///
    /// What does not depend on one another is done in one pass over the text.
    ///
    /// - Returns: Whether anything is changed.
    @discardableResult
    mutating func replace(_ edits: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) -> Bool {
        if let deep = edits.first(where: { $0.pointer.tokens.count > Self.depthLimit }) {
            throw failure(.outOfBounds("a pointer of \(deep.pointer.tokens.count) steps"), at: 0)
        }
        var rest = edits[...], isChanged = false
        while !rest.isEmpty {
            var together = JSONEdits()
            while let first = rest.first, together.add(first.pointer, first.value, shape: shape) { rest.removeFirst() }
            var patches: [Patch] = []
            try patch(together, at: root.lowerBound, JSONPointer(), &patches)
            apply(patches)
            isChanged = isChanged || !patches.isEmpty
        }
        return isChanged
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

    // MARK: One edit after the other

    /// Replaces, adds or, with `nil`, removes one value, as ``replace(_:)`` does, where others follow: what is found on the way is
    /// kept for them, so that an edit takes a look at little more than what it changes.
    ///
    /// - Returns: Whether anything is changed.
    mutating func replaceNext(_ pointer: JSONPointer, with value: Value?) throws(FormatError) -> Bool {
        if let isChanged = try replaceKnown(pointer, with: value) { return isChanged }
        (layout, known) = (JSONLayout(of: bytes), [])
        return try replace([(pointer, value)])
    }

    /// How many containers are kept, and how deep one may lie.
    private static let knownLimit = 16

    /// - Returns: `nil` for an edit of a kind that needs a look at the whole.
    private mutating func replaceKnown(_ pointer: JSONPointer, with value: Value?) throws(FormatError) -> Bool? {
        guard let token = pointer.tokens.last, let place = way(to: pointer) else { return nil }
        // The container itself is looked at where it is: a copy would have all of its items copied by the edit.
        let isObject = known[place].container.isObject, count = known[place].container.items.count
        let positions = known[place].positions(of: token)
        switch (positions.first, value) {
        case (let position?, let value?) where positions.count == 1:
            // What a scalar is has no layout.
            if value.isContainer { layout = JSONLayout(of: bytes) }
            let range = known[place].container.items[position].value
            guard let text = try replacement(of: range, with: value) else { return false }
            known.removeAll { $0.path.isWithin(pointer) }
            put(text, at: range)
        case (let position?, nil) where positions.count == 1 && count > 1:
            let range = known[place].container.rangeToRemove(at: position)
            known[place].remove(token, at: position)
            // The elements behind it have other numbers then.
            let moved = isObject ? pointer : known[place].path
            known.removeAll { $0.path.isWithin(moved) && $0.path.tokens.count >= pointer.tokens.count }
            put([], at: range)
        case (nil, let value?) where isObject && count > 0:
            if value.isContainer || !isSpaced(known[place].container) { layout = JSONLayout(of: bytes) }
            let end = known[place].container.items[count - 1].end
            let text = try text(of: [(token, value)], in: known[place].container, after: (0..<count).suffix(2))
            put(text, at: end..<end)
            let start = JSONText.skippingSpace(in: bytes, from: JSONText.skippingSpace(in: bytes, from: end) + 1)
            known[place].append(item(at: start, isMember: true), token)
        case (nil, nil) where isObject: return false
        default: return nil
        }
        return true
    }

    /// Whether what comes behind the last item of a container is laid out as that is, whatever stands elsewhere.
    private func isSpaced(_ container: JSONContainer) -> Bool {
        guard container.items.count > 1, let range = container.items.last?.key else { return false }
        let colon = JSONText.skippingSpace(in: bytes, from: range.upperBound)
        return JSONLayout.spaced(":", in: bytes, at: colon) != nil
    }

    private mutating func put(_ text: [UInt8], at range: Range<Int>) {
        bytes.replaceSubrange(range, with: text)
        for index in known.indices { known[index].move(behind: range, by: text.count - range.count) }
    }

    /// The number of the container that a pointer leads into; `nil` where the way is not plain.
    private mutating func way(to pointer: JSONPointer) -> Int? {
        guard pointer.tokens.count <= Self.knownLimit else { return nil }
        if known.count > Self.knownLimit { known = [] }
        var place: Int?
        for depth in pointer.tokens.indices {
            let path = JSONPointer(Array(pointer.tokens[..<depth]))
            if let index = known.firstIndex(where: { $0.path == path }) {
                place = index
                continue
            }
            var start = JSONText.skippingSpace(in: bytes, from: bytes.holds("\u{FEFF}", at: 0) ? 3 : 0)
            if let place {
                let positions = known[place].positions(of: pointer.tokens[depth - 1])
                guard positions.count == 1 else { return nil }
                start = known[place].container.items[positions[0]].value.lowerBound
            }
            guard let container = container(at: start) else { return nil }
            let keys = container.isObject ? container.items.map { key(of: $0) ?? "" } : []
            known.append(KnownJSONContainer(container, at: path, keys: keys))
            place = known.count - 1
        }
        return place
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
        of added: [(key: Name?, value: Value)], in container: JSONContainer,
        after kept: some BidirectionalCollection<Int>
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
    private func container(of pointer: JSONPointer) throws(FormatError) -> JSONContainer {
        var start = root.lowerBound
        var path = JSONPointer()
        for token in pointer.tokens.dropLast() {
            path = path.appending(token)
            let container = container(at: start)
            let item: JSONContainer.Item?
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
    private func holds(_ key: Name, _ item: JSONContainer.Item) -> Bool { self.key(of: item) == key }

    private func key(of item: JSONContainer.Item) -> Name? {
        guard let range = item.key else { return nil }
        return (try? JSONText.string(in: bytes, at: range.lowerBound)).map { Name($0.text) }
    }

    /// The container that begins at an offset, or `nil` for a scalar.
    private func container(at opening: Int) -> JSONContainer? {
        let isObject = bytes[opening] == UInt8(ascii: "{")
        guard isObject || bytes[opening] == UInt8(ascii: "[") else { return nil }
        var items: [JSONContainer.Item] = []
        var position = JSONText.skippingSpace(in: bytes, from: opening + 1)
        while bytes[position] != UInt8(ascii: "}"), bytes[position] != UInt8(ascii: "]") {
            let item = item(at: position, isMember: isObject)
            items.append(item)
            position = JSONText.skippingSpace(in: bytes, from: item.end)
            if bytes[position] == UInt8(ascii: ",") {
                position = JSONText.skippingSpace(in: bytes, from: position + 1)
            }
        }
        return JSONContainer(isObject: isObject, items: items, opening: opening, closing: position)
    }

    /// The member or the element that begins at an offset.
    private func item(at start: Int, isMember: Bool) -> JSONContainer.Item {
        guard isMember else { return JSONContainer.Item(value: start..<valueEnd(start)) }
        let end = JSONText.stringEnd(in: bytes, at: start)
        let colon = JSONText.skippingSpace(in: bytes, from: end)
        let value = JSONText.skippingSpace(in: bytes, from: colon + 1)
        return JSONContainer.Item(key: start..<end, value: value..<valueEnd(value))
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
