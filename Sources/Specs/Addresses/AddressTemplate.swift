import MigrationEngine
import StoreFormats

/// An address as a spec writes it: with facts in braces and with `*` for what is not a slash.
struct AddressTemplate: Hashable, Sendable {
    /// A part of the text.
    enum Piece: Hashable, Sendable {
        case text(String)
        case fact(FactName)
        case star

        /// Names are compared by their bytes.
        static func == (left: Piece, right: Piece) -> Bool {
            switch (left, right) {
            case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
            case (.fact(let one), .fact(let other)): one == other
            case (.star, .star): true
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .text(let text): hasher.combine(Name(text))
            case .fact(let name): hasher.combine(name)
            case .star: hasher.combine(0)
            }
        }
    }

    /// What stands for a `*` while an address is parsed; no spec and no fact may hold it.
    ///
    /// U+FDD0, which is no character.
    static let star = Character(String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self))

    let pieces: [Piece]
    /// What it stands for where it has no facts: each app of a dump is asked for the same.
    private let constant: AddressPattern?

    init(pieces: [Piece]) {
        self.pieces = pieces
        let texts = pieces.map { piece -> String? in
            switch piece {
            case .text(let plain): plain
            case .star: String(Self.star)
            case .fact: nil
            }
        }
        let isConstant = texts.allSatisfy { $0 != nil }
        constant = isConstant ? try? Self.pattern(of: texts.compactMap(\.self).joined()) : nil
    }

    /// Its stars, where nothing but those is left open.
    var starred: AddressPattern? { constant.flatMap { $0.hasStars ? $0 : nil } }

    /// The address, where nothing in it is left open and it stays in its store.
    var address: Address? { constant.flatMap { $0.hasStars ? nil : $0.address } }

    static func == (left: Self, right: Self) -> Bool { left.pieces == right.pieces }

    func hash(into hasher: inout Hasher) { hasher.combine(pieces) }

    /// The facts in it.
    var facts: [FactName] {
        pieces.compactMap { if case .fact(let name) = $0 { name } else { nil } }
    }

    /// Whether a `*` stands in a field of what an entry holds.
    var hasStarInField: Bool {
        guard let last = pieces.lastIndex(of: .star) else { return false }
        return pieces[..<last].contains { if case .text(let text) = $0 { text.contains("#") } else { false } }
    }

    /// How many `*` it has.
    var stars: Int { pieces.count { $0 == .star } }

    /// Takes a text apart; `nil` where a brace is left open or empty.
    init?(_ text: String) {
        // Most are as they are; the bytes are those of braces and stars, and what ``star`` begins with.
        guard text.utf8.contains(where: { [0x7B, 0x7D, 0x2A, 0xEF].contains($0) }) else {
            self.init(pieces: text.isEmpty ? [] : [.text(text)])
            return
        }
        var pieces: [Piece] = [], plain = "".unicodeScalars, rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{", "*":
                if !plain.isEmpty { pieces.append(.text(String(plain))) }
                plain = "".unicodeScalars
                if scalar == "*" {
                    pieces.append(.star)
                } else {
                    guard let end = rest.firstIndex(of: "}"), end > rest.startIndex else { return nil }
                    pieces.append(.fact(FactName(rawValue: String(rest[..<end]))))
                    rest = rest[rest.index(after: end)...]
                }
            case "}": return nil
            case _ where Character(scalar) == Self.star: return nil
            default: plain.append(scalar)
            }
        }
        if !plain.isEmpty { pieces.append(.text(String(plain))) }
        self.init(pieces: pieces)
    }

    /// The address with the facts in it, and with what stands for each `*`.
    func pattern(_ facts: SpecFacts) throws(StepStop) -> AddressPattern {
        if let constant { return constant }
        var text = "", missing: [FactName] = []
        for piece in pieces {
            switch piece {
            case .text(let plain): text += plain
            case .star: text.append(Self.star)
            case .fact(let name):
                do throws(StepStop) {
                    text += Self.encoded(try facts.name(name))
                } catch {
                    guard let names = error.outcome.reason?.missingFacts, !names.isEmpty else { throw error }
                    missing += names
                }
            }
        }
        if !missing.isEmpty { throw .missing(missing.uniqued, in: facts.facts) }
        return try Self.pattern(of: text)
    }

    private static func pattern(of text: String) throws(StepStop) -> AddressPattern {
        let address: Address
        do throws(AddressError) { address = try Address(parsing: text) } catch {
            throw .failed("not-an-address", "\(error)")
        }
        if let why = address.departure { throw .failed("address-outside", "\(address) \(why)") }
        return AddressPattern(address: address)
    }

    private static func encoded(_ text: String) -> String {
        PercentEncoding.encode(text)
    }
}

extension Address {
    /// Why an address leads out of its store, in words; `nil` where it does not.
    ///
    /// The name of a domain may have slashes, as nested ones do, and a key any character that a store may hold; neither may lead
    /// to another folder.
    var departure: String? {
        func leaves(_ name: Name) -> Bool {
            let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            return parts.contains { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }
                || parts.count > 1 && parts.contains(where: \.isEmpty)
        }
        if store.name.text.unicodeScalars.contains(where: \.isControl) {
            return "has a control character in the name of its store"
        }
        switch store.kind {
        case .keychain:
            return store.isUnassigned
                ? "names an item of which nobody knows whose it is: it may be another app's" : nil
        case .defaults:
            return leaves(store.name) ? "has a slash or dots in the name of its store that lead out of it" : nil
        case .file:
            if store.name.utf8.contains(UInt8(ascii: "/")) || leaves(store.name) {
                return "has a slash or dots in the name of its store"
            }
            if key?.utf8.contains(0) ?? false { return "has a NUL in the name of a file, which ends there" }
            return key.map(leaves) ?? false ? "leads out of its store" : nil
        case .sqlite:
            guard let table = SQLiteTable(store) else { return nil }
            return leaves(table.folder) || leaves(table.file) ? "leads out of its store" : nil
        }
    }
}

/// An address in which something may stand for what is not known: an address itself where nothing does.
struct AddressPattern: Hashable, Sendable {
    /// The address, with ``AddressTemplate/star`` in its names.
    let address: Address
    private let store: NamePattern, key: NamePattern?, tokens: [NamePattern]

    init(address: Address) {
        self.address = address
        (store, key) = (NamePattern(address.store.name), address.key.map(NamePattern.init))
        tokens = address.pointer.tokens.map(NamePattern.init)
    }

    var hasStars: Bool { store.hasStars || key?.hasStars ?? false }

    /// The address with these texts in place of the stars.
    func filled(_ matches: [String]) -> Address {
        guard hasStars || tokens.contains(where: \.hasStars) else { return address }
        var rest = matches[...]
        return Address(
            store: store.hasStars ? StoreID(address.store.kind, store.filled(&rest)) : address.store,
            key: key?.filled(&rest), pointer: JSONPointer(tokens.map { $0.filled(&rest) }))
    }

    /// What the stars stand for in an address; `nil` where it does not fit.
    func match(_ other: Address) -> [String]? {
        guard other.store.kind == address.store.kind, other.pointer == address.pointer, let key, let name = other.key,
            let captured = store.match(other.store.name), let parts = key.match(name)
        else { return nil }
        return captured + parts
    }

    /// What the stars stand for in each entry that is there, in the order of the entries.
    ///
    /// - Throws: ``StepStop`` where entries may be there that cannot be listed.
    func matches(in stores: some StoreReader) throws(StepStop) -> [[String]] {
        guard let key, let name = address.key else { return [] }
        guard hasStars else { return [[]] }
        var found: [[String]] = []
        for (store, captured) in candidates(in: stores) {
            let keys = stores.keys(in: store)
            if let problem = stores.problem(with: store) ?? keys.problem(under: key.beginning) {
                throw .unreadable(Address(store: store), problem)
            }
            guard key.hasStars else {
                if keys.contains(name) { found.append(captured) }
                continue
            }
            for position in 0..<keys.count {
                if let parts = key.match(keys.key(at: position)) { found.append(captured + parts) }
            }
        }
        return found
    }

    /// The stores whose names match, with what the stars in them stand for.
    func candidates(in stores: some StoreReader) -> [(store: StoreID, matches: [String])] {
        guard store.hasStars else { return [(address.store, [])] }
        // An item that may be another app's is no migration's to take.
        return stores.stores(of: address.store.kind).filter { !$0.isUnassigned }.compactMap { found in
            store.match(found.name).map { (found, $0) }
        }
    }
}

/// A name in which stars stand for what is not known, as the bytes between them.
struct NamePattern: Hashable, Sendable {
    /// One more than there are stars.
    private let parts: [[UInt8]]

    init(_ name: Name) {
        let star = AddressTemplate.star.unicodeScalars.first
        parts = name.text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == star }.map {
            Array(String($0).utf8)
        }
    }

    var hasStars: Bool { parts.count > 1 }

    /// What stands before the first star.
    var beginning: Name { Name(String(decoding: parts.first ?? [], as: UTF8.self)) }

    /// The name with the first of these texts in place of the stars, which are taken.
    func filled(_ rest: inout ArraySlice<String>) -> Name {
        var bytes = parts.first ?? []
        for part in parts.dropFirst() {
            bytes += rest.popFirst().map { Array($0.utf8) } ?? []
            bytes += part
        }
        return Name(String(decoding: bytes, as: UTF8.self))
    }

    /// What the stars stand for in a name, each as little as possible but something; `nil` where it does not fit.
    func match(_ name: Name) -> [String]? {
        // Most names of a large store fit no pattern: they are not copied.
        guard let first = parts.first, let last = parts.last, name.utf8.starts(with: first) else { return nil }
        let bytes = Array(name.utf8)
        guard parts.count > 1 else { return bytes == first ? [] : nil }
        var position = first.count, found: [String] = []
        for (number, part) in parts.enumerated().dropFirst() {
            let isLast = number == parts.count - 1
            // A star stands for one byte at least.
            var end = isLast ? bytes.count - last.count : position + 1
            while !isLast, end + part.count <= bytes.count, !bytes[end...].starts(with: part) { end += 1 }
            guard end > position, end + part.count <= bytes.count, bytes[end...].starts(with: part),
                !bytes[position..<end].contains(UInt8(ascii: "/")),
                let text = String(validating: bytes[position..<end], as: UTF8.self)
            else { return nil }
            found.append(text)
            position = end + part.count
        }
        return found
    }
}

extension Array where Element: Hashable {
    /// The elements, each once.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
