import Foundation

/// A document of which one part after the other is replaced: it is read once, and what is found in it is kept for the next.
///
/// Its bytes and its value are those of a document that is read anew for each edit. Besides copying the bytes, an edit takes a look
/// at little more than what it changes.
struct EditedDocument: Sendable {
    /// What its bytes hold.
    private(set) var value: Value
    /// How many values are in it, at most.
    private(set) var count: Int
    /// The format; `nil` for a dictionary that is the document itself.
    let format: StoreFormat?
    /// Its bytes, of JSON and of a binary property list, and what edits them.
    private var data = Data()
    private var text: JSONEditor?
    /// Made once the list was written here and something is added to it.
    private var list: BinaryPropertyListEditor?
    private var isListWritten = false
    /// Made by the first edit.
    private var xml: XMLDictionaryEditor?
    /// Where the keys of the containers on the ways to what was edited last stand.
    private var known: [JSONPointer: KeyPositions] = [:]
    /// The container in which something was edited last.
    private var place = JSONPointer()

    /// What has more values than this is read anew each time: whether that is within the limits is seen there.
    private static let countLimit = 1 << 20
    /// How many containers are kept.
    private static let knownLimit = 16

    /// - Parameters:
    ///   - value: What the bytes hold.
    ///   - format: In what format; `nil` where the value is no bytes.
    /// - Returns: `nil` for what no part of can be replaced.
    init?(_ data: @autoclosure () -> Data, holding value: Value, in format: StoreFormat?) {
        switch (format, value) {
        case (nil, .dictionary), (.xmlPropertyList, .dictionary): break
        case (.binaryPropertyList, .dictionary): self.data = data()
        case (.json, .dictionary), (.json, .array):
            self.data = data()
            text = JSONEditor([UInt8](self.data))
        default: return nil
        }
        count = value.expandedCount
        (self.value, self.format) = (value, format)
    }

    /// Replaces a part, adds it or, with `nil`, takes it away; after anything but a success it is not to be used again.
    ///
    /// - Returns: The document then, its bytes as data; `nil` where it is to be read anew for this edit.
    /// - Throws: What is thrown there.
    mutating func replace(_ pointer: JSONPointer, with part: Value?) throws(FormatError) -> Value? {
        // A name with a $ may make an archive of it.
        guard let key = pointer.tokens.first, !key.hasPrefix("$"), count < Self.countLimit,
            let positions = way(to: pointer)
        else { return nil }
        let kept = part.flatMap { readBack($0, below: pointer.tokens.count) }
        guard part == nil || kept != nil else { return nil }
        guard let data = try rewrite(pointer, with: part, at: positions) else { return nil }
        try value.replace(pointer, with: kept) { _, depth in positions[depth].map { [$0] } ?? [] }
        note(pointer, isKnown: positions.last != .some(nil), isRemoved: part == nil)
        count += kept?.expandedCount ?? 0
        guard let format else { return value }
        // What it is goes by its beginning.
        return StoreFormat.sniff(data) == .readable(format) ? .data(data) : nil
    }

    /// The bytes with a part replaced; none of what is no bytes.
    private mutating func rewrite(
        _ pointer: JSONPointer, with part: Value?, at positions: [Int?]
    ) throws(FormatError) -> Data? {
        guard let format else { return Data() }
        if format == .json {
            if try text?.replaceNext(pointer, with: part) ?? false { data = Data(text?.bytes ?? []) }
            return data
        }
        guard let key = pointer.tokens.first else { return nil }
        var member = part
        let rest = JSONPointer(Array(pointer.tokens.dropFirst()))
        if !rest.isRoot {
            guard let position = positions[0], let old = value.members?[position].value else { return nil }
            member = try old.replacing(rest, with: part)
        }
        if format == .xmlPropertyList {
            if xml == nil {
                xml = try value.members.map { members throws(FormatError) in try XMLDictionaryEditor(members) }
            }
            return try xml?.replace(at: positions[0], with: member.map { Member(key: key, value: $0) })
        }
        if positions[0] == nil, let member, isListWritten {
            if list == nil { list = BinaryPropertyListEditor(data) }
            if let grown = try list?.add(key, member) {
                data = grown
                return grown
            }
        }
        (list, isListWritten) = (nil, true)
        data = try PropertyListFile(data).rewriting([(key, member)])
        return data
    }

    // MARK: Where keys stand

    /// Where each step of a pointer is among the members of its container, `nil` where it is not or leads into a list; `nil` as a
    /// whole where one stands more than once.
    private mutating func way(to pointer: JSONPointer) -> [Int?]? {
        if known.count > Self.knownLimit { known = [:] }
        var value: Value? = value, found: [Int?] = []
        for (depth, token) in pointer.tokens.enumerated() {
            guard case .dictionary(let members)? = value else {
                found.append(nil)
                value = value?[JSONPointer([token])]
                continue
            }
            let path = JSONPointer(Array(pointer.tokens[..<depth]))
            let keys = known[path] ?? KeyPositions(members.all.map(\.key))
            if known[path] == nil { known[path] = keys }
            if keys.isRepeated(token) { return nil }
            let position = keys.first(of: token)
            found.append(position)
            value = position.map { members[$0].value }
        }
        return found
    }

    /// Notes what an edit has done to where keys stand.
    private mutating func note(_ pointer: JSONPointer, isKnown: Bool, isRemoved: Bool) {
        let parent = JSONPointer(Array(pointer.tokens.dropLast()))
        place = parent
        // The elements of a list that stand behind one that is removed have other numbers then.
        let isShifted = isRemoved && known[parent] == nil
        for path in known.keys.filter({ path in
            path.isWithin(pointer) || isShifted && path != parent && path.isWithin(parent)
        }) { known[path] = nil }
        guard let key = pointer.tokens.last, isKnown == isRemoved else { return }
        if isRemoved { known[parent]?.removeFirst(of: key) } else { known[parent]?.append(key) }
    }

    /// The containers on the way to what was edited last, with where their keys stand.
    var containers: [(path: JSONPointer, value: Value, keys: KeyPositions)] {
        var found: [(path: JSONPointer, value: Value, keys: KeyPositions)] = [], value = value, path = JSONPointer()
        for depth in 0...place.tokens.count {
            guard let keys = known[path], let members = value.members else { break }
            // It would be read as what it holds.
            if depth > 0, keys.first(of: "$archiver") ?? keys.first(of: "$objects") != nil { break }
            found.append((path, value, keys))
            guard depth < place.tokens.count, let position = keys.first(of: place.tokens[depth]) else { break }
            path = path.appending(place.tokens[depth])
            value = members[position].value
        }
        return found
    }

    /// A value as it is read once it is written; `nil` where it cannot be, or lies too deep.
    private func readBack(_ part: Value, below depth: Int) -> Value? {
        var limits = Limits.standard
        limits.depth = max(0, limits.depth - depth)
        do throws(FormatError) {
            switch format {
            case nil: return part
            case .json: return try JSONDocument(JSONDocument.write(part), limits: limits).value
            case .xmlPropertyList: return try XMLPropertyList.parse(XMLPropertyList.write(part), limits: limits)
            case .binaryPropertyList:
                return try BinaryPropertyList(BinaryPropertyList.write(part), limits: limits).value()
            case .keyedArchive, .base64, .text, .terminatedText: return nil
            }
        } catch {
            return nil
        }
    }
}

extension PartMemo {
    /// Replaces a part of the document that the value holds, or is, where it has been looked into; for an edit that others follow.
    ///
    /// - Parameters:
    ///   - place: Where in the value the document is.
    ///   - data: Its bytes.
    ///   - pointer: The part, from there.
    /// - Returns: The document then, its bytes as data, and where what lies on the ways to its parts is kept; `nil` where it is to be
    ///   read anew for this edit.
    package func editing(
        _ data: () -> Data, at place: JSONPointer, _ pointer: JSONPointer, with part: Value?
    ) throws(FormatError) -> (value: Value, memo: PartMemo)? {
        guard var document = takeDocument(at: place, data), let edited = try document.replace(pointer, with: part)
        else {
            return nil
        }
        return (edited, PartMemo(document, of: edited.data?.count, at: place))
    }
}
