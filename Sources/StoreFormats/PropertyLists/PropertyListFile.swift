import Foundation

/// A file that holds a dictionary, such as a UserDefaults domain, in whichever format it is.
///
/// A binary property list is read as far as it is asked for; XML and JSON are read at once. Positions are those of the
/// file, from 0 up to `count`; a key that stands twice has two of them.
public struct PropertyListFile: Sendable {
    /// The format of the file.
    public let format: StoreFormat
    let content: Content

    enum Content: Sendable {
        case binary(BinaryPropertyList, BinaryPropertyListDictionary)
        case xml(Table)
        case json(JSONDocument, Table)
    }

    /// A dictionary that is read already, with the positions of each key.
    struct Table: Sendable {
        let members: Members
        let positions: KeyPositions

        init(_ members: Members) { (self.members, positions) = (members, KeyPositions(members.all.map(\.key))) }
    }

    /// Opens a file; throws where its format is unknown or unsupported, it is broken, or its root is no dictionary.
    public init(_ data: Data, limits: Limits = .standard) throws(FormatError) {
        switch StoreFormat.sniff(data) {
        case .unsupported(let name)?: throw FormatError(.binaryPropertyList, at: .offset(0), .unsupported(name))
        case nil:
            let problem: FormatError.Problem = data.count < 8 ? .tooShort(bytes: data.count) : .badMagic
            throw FormatError(.binaryPropertyList, at: .offset(0), problem)
        case .readable(.xmlPropertyList)?:
            format = .xmlPropertyList
            content = .xml(try Self.table(XMLPropertyList.parse(data, limits: limits), format))
        case .readable(.json)?:
            format = .json
            let document = try JSONDocument(data, limits: limits)
            content = .json(document, try Self.table(document.value, format))
        case .readable(.base64)?, .readable(.text)?, .readable(.terminatedText)?:
            throw FormatError(.binaryPropertyList, at: .offset(0), .badMagic)
        case .readable(.binaryPropertyList)?, .readable(.keyedArchive)?:
            format = .binaryPropertyList
            let list = try BinaryPropertyList(data, limits: limits)
            guard let dictionary = list.topDictionary else {
                throw Self.noDictionary(try list.value(), format)
            }
            content = .binary(list, dictionary)
        }
    }

    private static func table(_ value: Value, _ format: StoreFormat) throws(FormatError) -> Table {
        guard let members = value.members else { throw noDictionary(value, format) }
        return Table(members)
    }

    private static func noDictionary(_ root: Value, _ format: StoreFormat) -> FormatError {
        FormatError(format, at: .offset(0), .notADictionary(root.typePhrase))
    }

    /// The number of entries.
    public var count: Int {
        switch content {
        case .binary(_, let dictionary): dictionary.count
        case .xml(let table), .json(_, let table): table.members.count
        }
    }

    /// The key at a position.
    public func key(at position: Int) -> Name {
        switch content {
        case .binary(_, let dictionary): dictionary.key(at: position)
        case .xml(let table), .json(_, let table): table.members[position].key
        }
    }

    /// The positions of a key in ascending order; in constant time from the third key on.
    public func positions(of key: Name) -> [Int] {
        switch content {
        case .binary(_, let dictionary): dictionary.positions(of: key)
        case .xml(let table), .json(_, let table): table.positions.all(of: key)
        }
    }

    /// The first position of a key, or `nil`.
    public func position(of key: Name) -> Int? { positions(of: key).first }

    /// The keys that stand more than once, each named once; reads every key.
    public var repeatedKeys: [Name] {
        switch content {
        case .binary(_, let dictionary): dictionary.repeatedKeys
        case .xml(let table), .json(_, let table): table.positions.repeatedKeys
        }
    }

    /// The value at a position; throws where that one value is broken.
    public func value(at position: Int) throws(FormatError) -> Value {
        switch content {
        case .binary(_, let dictionary): try dictionary.value(at: position)
        case .xml(let table), .json(_, let table): table.members[position].value
        }
    }

    /// The file with values replaced, added or, with `nil`, removed, in the format that it has.
    ///
    /// JSON changes only where it must; XML is written anew in Apple's layout, or as a binary property list, as UserDefaults
    /// write themselves, where XML cannot hold a value: a control character, a date far away. Throws for a value that the
    /// format cannot hold, and where something that is kept cannot be written again.
    public func rewriting(_ edits: [(key: Name, value: Value?)]) throws(FormatError) -> Data {
        switch content {
        case .binary(let list, _): return try list.rewriting(edits)
        case .xml(let table):
            let value = Value.dictionary(table.members.edited(edits))
            do {
                return try XMLPropertyList.write(value)
            } catch {
                guard case .unwritable = error.problem, value.isOfPropertyLists else { throw error }
                return try BinaryPropertyList.write(value)
            }
        case .json(let document, _):
            let pointers = edits.map { (pointer: JSONPointer([$0.key]), value: $0.value) }
            return try document.replacing(pointers).data
        }
    }
}

extension Value {
    /// Whether it is made of nothing but what every property list may hold: of no null, set or object of an archive.
    fileprivate var isOfPropertyLists: Bool {
        var rest = [self]
        while let value = rest.popLast() {
            switch value {
            case .null, .set, .object, .reference: return false
            case .array(let items): rest += items
            case .dictionary(let members): rest += members.map(\.value)
            case .bool, .integer, .real, .string, .data, .date, .uid: break
            }
        }
        return true
    }
}

extension Members {
    /// The members after edits, in one pass.
    ///
    /// The first of a key is replaced, a new key goes to the end, and with `nil` every one is removed. Of two edits of one
    /// key the later counts.
    package func edited(_ edits: [(key: Name, value: Value?)]) -> Members {
        var last: [Name: Int] = [:]
        for (index, edit) in edits.enumerated() { last[edit.key] = index }
        var isDone = [Bool](repeating: false, count: edits.count)
        var members: [Member] = []
        members.reserveCapacity(count + edits.count)
        for member in self {
            guard let index = last[member.key] else {
                members.append(member)
                continue
            }
            guard let value = edits[index].value else { continue }
            members.append(isDone[index] ? member : Member(key: member.key, value: value))
            isDone[index] = true
        }
        for index in last.values.sorted() where !isDone[index] {
            if let value = edits[index].value { members.append(Member(key: edits[index].key, value: value)) }
        }
        return Members(members)
    }
}
