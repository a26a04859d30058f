import MigrationEngine
import StoreFormats

/// An address as a spec writes it: with facts in braces and with `*` for what is not a slash.
struct AddressTemplate: Hashable, Sendable {
    /// As a spec writes it.
    var text: String { text { _ in nil } }

    /// As a spec writes it, with what is known of its facts.
    func text(knowing facts: SpecFacts) -> String {
        text { name in (try? facts.name(name)).map(Self.encoded) }
    }

    private func text(_ value: (FactName) -> String?) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let plain): plain
            case .fact(let name): value(name) ?? "{\(name)}"
            case .star: "*"
            }
        }.joined()
    }

    /// A part of the text.
    enum Piece: Hashable, Sendable {
        case text(String)
        case fact(FactName)
        case star

        var isFact: Bool { if case .fact = self { true } else { false } }

        /// Names are compared by their bytes.
        static func == (left: Piece, right: Piece) -> Bool {
            switch (left, right) {
            case (.text(let one), .text(let other)): Name(one) == Name(other)
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
    static let star = NamePattern.star

    /// Whether a text of an address has what stands for a `*`, also percent-encoded.
    static func holdsStar(_ text: String) -> Bool {
        (PercentEncoding.decode(text) ?? text).contains(bytes: String(star))
    }

    private static let marks = ["{", "}", "*", String(star)]

    let pieces: [Piece]
    /// What it stands for where it has no facts: each app of a dump is asked for the same.
    let constant: AddressPattern?

    init(pieces: [Piece]) {
        self.pieces = pieces
        // Most are one text.
        if pieces.count == 1, case .text(let text) = pieces[0] {
            constant = try? Self.pattern(of: text)
            return
        }
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

    init(_ address: Address) { self.init(pieces: [.text("\(address)")], constant: AddressPattern(address: address)) }

    private init(pieces: [Piece], constant: AddressPattern?) { (self.pieces, self.constant) = (pieces, constant) }

    /// A key of the store that this is; `nil` where its text must be read first, as it may say more than a name.
    ///
    /// A domain and a keychain take any name, which a file does not.
    func key(_ name: Substring) -> AddressTemplate? {
        guard isStoreOfAnyName, let last = pieces.last, name.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            return nil
        }
        let constant = address.map {
            AddressPattern(address: Address(store: $0.store, key: Name(String(name))))
        }
        guard case .text(let text) = last else {
            return AddressTemplate(pieces: pieces + [.text("/\(name)")], constant: constant)
        }
        return AddressTemplate(pieces: pieces.dropLast() + [.text("\(text)/\(name)")], constant: constant)
    }

    /// Whether it is a whole domain or keychain, in whose name facts may stand.
    private var isStoreOfAnyName: Bool {
        if let address {
            return address.key == nil && address.pointer.isRoot && [.defaults, .keychain].contains(address.store.kind)
        }
        guard case .text(let first)? = pieces.first, pieces.contains(where: \.isFact),
            let kind = ["defaults://", "keychain://"].first(where: first.hasPrefix)
        else { return false }
        return pieces.enumerated().allSatisfy { number, piece in
            switch piece {
            case .text(let text):
                (number == 0 ? text.dropFirst(kind.count) : text[...]).utf8.allSatisfy(PercentEncoding.isUnreserved)
            case .fact: true
            case .star: false
            }
        }
    }

    /// Its stars, where nothing but those is left open.
    var starred: AddressPattern? { constant.flatMap { $0.hasStars ? $0 : nil } }

    /// The address, where nothing in it is left open and it stays in its store.
    var address: Address? { constant.flatMap { $0.hasStars ? nil : $0.address } }

    static func == (left: Self, right: Self) -> Bool { left.pieces == right.pieces }

    func hash(into hasher: inout Hasher) { hasher.combine(pieces) }

    /// Whether it is known to name no part of what an entry holds.
    var isWholeEntry: Bool {
        guard constant?.address.pointer.isRoot ?? false, case .text(let text)? = pieces.last else { return false }
        return text.utf8.last != UInt8(ascii: "#")
    }

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
        // Most are as they are.
        guard Self.marks.contains(where: text.contains(bytes:)) else {
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

    /// The address with ``star`` for each `*` and for each fact that is not known; `nil` where it has none of these.
    func anywhere(_ facts: SpecFacts) -> Address? {
        let open = pieces.map { piece -> Piece in
            if case .fact(let name) = piece, (try? facts.name(name)) == nil { .star } else { piece }
        }
        guard open.contains(.star) else { return nil }
        return try? AddressTemplate(pieces: open).pattern(facts).address
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
    /// Why nothing can be at an address, in words: it leads out of its store, or there is no such store; `nil` where something can.
    ///
    /// The name of a domain may have slashes, as nested ones do, and a key any character that a store may hold; neither may lead
    /// to another folder.
    var departure: String? {
        func leaves(_ name: Name) -> Bool {
            // Most names have one part.
            guard name.utf8.contains(UInt8(ascii: "/")) else {
                return (1...2).contains(name.utf8.count) && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
            }
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
            guard StoreID.isOfFiles(store.name) || store.name.text.contains(NamePattern.star) else {
                return "is in no store of files that a dump has"
            }
            if key?.utf8.contains(0) ?? false { return "has a NUL in the name of a file, which ends there" }
            guard let key else { return nil }
            if leaves(key) { return "leads out of its store" }
            return StoreID.otherPlace(of: key, in: store.name).map {
                "is never there: what lies in that folder is in \($0)"
            }
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
    /// Its names as patterns; `nil` where none has a star, as of most.
    private let names: Names?

    private struct Names: Hashable {
        let store: NamePattern, key: NamePattern?, tokens: [NamePattern]
    }

    init(address: Address) {
        self.address = address
        let mayHave = NamePattern.mayHaveStars
        guard
            mayHave(address.store.name) || address.key.map(mayHave) ?? false
                || address.pointer.tokens.contains(where: mayHave)
        else {
            names = nil
            return
        }
        names = Names(
            store: NamePattern(address.store.name), key: address.key.map(NamePattern.init),
            tokens: address.pointer.tokens.map(NamePattern.init))
    }

    var hasStars: Bool { names.map { $0.store.hasStars || $0.key?.hasStars ?? false } ?? false }

    /// Whether an entry may fit both, as far as their stores and what their keys begin with say it.
    func mayMeet(_ other: AddressPattern) -> Bool {
        let store = address.store, otherStore = other.address.store
        guard store == otherStore || [store, otherStore].contains(where: { NamePattern($0.name).hasStars }) else {
            return false
        }
        let (one, another) = (beginning.utf8, other.beginning.utf8)
        return one.starts(with: another) || another.starts(with: one)
    }

    private var beginning: Name { names?.key?.beginning ?? address.key ?? "" }

    /// The address with these texts in place of the stars.
    func filled(_ matches: [Name]) -> Address {
        guard let names, hasStars || names.tokens.contains(where: \.hasStars) else { return address }
        var rest = matches[...]
        return Address(
            store: names.store.hasStars ? StoreID(address.store.kind, names.store.filled(&rest)) : address.store,
            key: names.key?.filled(&rest), pointer: JSONPointer(names.tokens.map { $0.filled(&rest) }))
    }

    /// What the stars stand for in an address; `nil` where it does not fit.
    func match(_ other: Address) -> [Name]? {
        guard let names else { return address.key != nil && other == address ? [] : nil }
        guard other.store.kind == address.store.kind, other.pointer == address.pointer, let key = names.key,
            let name = other.key, let captured = names.store.match(other.store.name), let parts = key.match(name)
        else { return nil }
        return captured + parts
    }

    /// What the stars stand for in each entry that is there, in the order of the entries.
    ///
    /// - Throws: ``StepStop`` where entries may be there that cannot be listed.
    func matches(in stores: some StoreReader) throws(StepStop) -> [[Name]] {
        guard let name = address.key else { return [] }
        guard hasStars, let key = names?.key else { return [[]] }
        var found: [[Name]] = []
        for (store, captured) in candidates(in: stores) {
            let keys = stores.keys(in: store)
            if let problem = stores.problem(with: store) ?? keys.problem(under: key.beginning) {
                throw .unreadable(Address(store: store), problem)
            }
            guard key.hasStars else {
                if keys.contains(name) { found.append(captured) }
                continue
            }
            for position in keys.positions(beginning: key.beginning) {
                if let parts = key.match(keys.key(at: position)) { found.append(captured + parts) }
            }
            // A folder in place of a file is not a file that is absent; where a name may end in anything, it may be one.
            guard !key.endsInStar else { continue }
            found += keys.folders.compactMap(key.match).map { captured + $0 }
        }
        return found
    }

    /// The folders that it fits where its names may end in anything, so that none need be in place of a file.
    func folders(in stores: some StoreReader) -> [Address] {
        guard address.store.kind == .file, let key = names?.key, key.endsInStar else { return [] }
        return candidates(in: stores).flatMap { store, _ in
            stores.keys(in: store).folders.filter { key.match($0) != nil }.map { Address(store: store, key: $0) }
        }
    }

    /// The names that it looks for, where they are of files in one store.
    func listing(except excepted: [AddressPattern]) -> NameListing? {
        guard address.store.kind == .file, let names, !names.store.hasStars, let name = address.key,
            names.key?.hasStars ?? false
        else { return nil }
        let others = excepted.filter { $0.address.store == address.store }
        return NameListing(name, except: others.compactMap(\.address.key))
    }

    /// The stores whose names match, with what the stars in them stand for.
    func candidates(in stores: some StoreReader) -> [(store: StoreID, matches: [Name])] {
        guard let store = names?.store, store.hasStars else { return [(address.store, [])] }
        // An item that may be another app's is no migration's to take.
        return stores.stores(of: address.store.kind).filter { !$0.isUnassigned }.compactMap { found in
            store.match(found.name).map { (found, $0) }
        }
    }
}

/// The entries that a row leaves out: most are written out, and may be thousands.
struct ExceptedAddresses {
    private var plain: Set<Address> = []
    private var starred: [AddressPattern] = []

    init(_ patterns: some Sequence<AddressPattern>) {
        for pattern in patterns {
            if pattern.hasStars { starred.append(pattern) } else { plain.insert(pattern.address.entry) }
        }
    }

    func contain(_ address: Address) -> Bool {
        plain.contains(address.entry)
            || starred.contains { except in
                except.address.store == address.store
                    && NamePattern(except.address.key ?? "").match(address.key ?? "") != nil
            }
    }
}

extension Array where Element: Hashable {
    /// The elements, each once.
    var uniqued: [Element] {
        if count < 2 { return self }
        var seen = Set<Element>(minimumCapacity: count)
        return filter { seen.insert($0).inserted }
    }
}
