import Foundation
import MigrationEngine
import StoreFormats

/// How a row is looked at.
package enum ValueForm: String, Hashable, Sendable, CaseIterable {
    /// What there is to say of it, as any answer says it.
    case details
    /// The parts of its value with their types, as deep as it goes.
    case tree
    /// Its text, in which line breaks are lines.
    case text
    /// Its bytes: where they are, in hexadecimal, and as ASCII.
    case hex
    /// The rows of a table in columns.
    case table
}

/// What of a tree is shown.
package struct TreeFolds: Hashable, Sendable {
    /// How deep; `nil` is all of it.
    package var depth: Int?
    /// The parts that are folded although they would be open, or open although they would be folded, by their places among
    /// all of them.
    package var toggled: Set<Int> = []

    package init(depth: Int? = nil) { self.depth = depth }
}

/// A value in one form as lines, of which no more are made than are looked at; its secrets are masked.
package struct ValuePages: Sendable {
    private enum Content: Sendable {
        case lines([Document.Line])
        case bytes(Data)
        case rows(TableRows)
    }

    /// The key of the entry that is shown; `nil` where that is a store.
    package let key: Name?
    /// The form that it is in: the one that was asked for, or details where the value has no such form.
    package let form: ValueForm
    /// The forms that there are.
    package let forms: [ValueForm]
    /// How many lines there are.
    package let count: Int
    /// How deep the tree goes.
    package private(set) var depth = 0
    /// Of the lines of a tree, the places of their parts among all of them, of those that have parts themselves.
    private var parts: [Int?] = []
    private let content: Content
    /// The most bytes of a text that are shown as lines; hexadecimal has all.
    private static let textLimit = 1 << 20
    private static let treeLimit = 20_000
    /// The most lines of one part of a tree; its text has all of them.
    private static let partLimit = 200

    /// What a value is shown with.
    package struct Options: Hashable, Sendable {
        package var form: ValueForm
        /// The columns of a line.
        package var width: Int
        /// What of a tree is shown.
        package var tree: TreeFolds

        package init(_ form: ValueForm, width: Int, tree: TreeFolds = TreeFolds()) {
            (self.form, self.width, self.tree) = (form, width, tree)
        }
    }

    /// A value that is looked at where another one lies, or none: what a step makes.
    package struct Made: Sendable {
        let value: Value
        let sources: [Address]

        /// - Parameter sources: What it is made from, as secret as which it is.
        package init(_ value: Value, from sources: [Address]) { (self.value, self.sources) = (value, sources) }
    }

    /// - Parameters:
    ///   - made: What a step makes there; without it, what lies there is shown.
    ///   - hint: How secrets are shown, which stands behind what stands in place of one.
    ///   - details: What there is to say of it, as lines.
    package init(
        of address: Address, made: Made? = nil, in stores: any StoreReader, _ options: Options, _ masking: Masking,
        _ glyphs: Glyphs,
        hint: String? = nil, details: () -> [Document.Line]
    ) {
        var subject: (value: Value, address: Address)?
        let sources = made?.sources ?? []
        if address.key != nil, let value = made?.value ?? stores.state(at: address).value {
            subject = masking.subject(of: value, at: address)
        }
        key = address.key
        forms = Self.forms(of: subject?.value, at: address, in: stores)
        form = forms.contains(options.form) ? options.form : .details
        switch (form, subject) {
        case (.table, _):
            let rows = TableRows(of: address.store, in: stores, masking)
            (content, count) = (.rows(rows), rows.count)
        case (.tree, let subject?):
            let lines = masking.treeLines(
                of: subject.value, at: subject.address, from: sources, inFull: true, withBytes: false,
                limit: Self.treeLimit)
            depth = lines.map(\.depth).max() ?? 0
            let shown = Self.tree(lines, options, glyphs)
            (content, count) = (.lines(shown.map(\.line)), shown.count)
            parts = shown.map(\.part)
        case (.text, let subject?), (.hex, let subject?):
            if let placeholder = masking.placeholderOfWhole(subject.value, at: subject.address, from: sources) {
                (content, count) = (
                    .lines([.runs([Run([placeholder, hint].compactMap(\.self).joined(separator: "; "), .dim)])]), 1
                )
            } else if form == .text, let text = subject.value.plainText {
                let lines = Self.text(text, options, glyphs)
                (content, count) = (.lines(lines), lines.count)
            } else {
                let bytes = subject.value.plainBytes ?? Data()
                content = .bytes(bytes)
                count = max(1, (bytes.count + Self.bytesPerLine(options) - 1) / Self.bytesPerLine(options))
            }
        default:
            let lines = details()
            (content, count) = (.lines(lines), lines.count)
        }
    }

    private static func forms(of value: Value?, at address: Address, in stores: any StoreReader) -> [ValueForm] {
        guard address.key != nil else {
            // Of what cannot be read no table is drawn, which would look like an empty one.
            let isTable = address.store.kind == .sqlite && !stores.isUnreadable(address.store)
            return isTable ? [.details, .table] : [.details]
        }
        guard let value else { return [.details] }
        return [.details] + (value.hasParts(within: DecodingBudget()) ? [.tree] : [])
            + (value.plainText == nil ? [] : [.text])
            + (value.plainBytes == nil ? [] : [.hex])
    }

    /// The part in a line of a tree, by its place among all of them, where it has parts that can be folded.
    package func part(at line: Int) -> Int? { parts.indices.contains(line) ? parts[line] : nil }

    /// Whether all lines are there already.
    package var isWritten: Bool { if case .lines = content { true } else { false } }

    /// Some of the lines, and one that stands over them however far one has scrolled.
    ///
    /// - Parameter left: The first column of a table that is shown.
    package func lines(
        _ range: Range<Int>, _ options: Options, _ glyphs: Glyphs, left: Int = 0
    ) -> (head: Document.Line?, lines: [Document.Line]) {
        let range = range.clamped(to: 0..<count)
        switch content {
        case .lines(let lines): return (nil, Array(lines[range]))
        case .bytes(let bytes):
            let size = Self.bytesPerLine(options)
            return (nil, range.map { Self.hex(bytes, $0 * size, size, glyphs) })
        case .rows(let rows): return rows.lines(range, glyphs, left: left)
        }
    }

    // MARK: Forms

    /// What fits: a place, three columns for each byte, and one for each as ASCII.
    private static func bytesPerLine(_ options: Options) -> Int {
        options.width >= 77 ? 16 : options.width >= 45 ? 8 : 4
    }

    private static func hex(_ bytes: Data, _ start: Int, _ size: Int, _ glyphs: Glyphs) -> Document.Line {
        let part = bytes.dropFirst(start).prefix(size)
        let place = String(start, radix: 16)
        let digits = part.enumerated().map { index, byte in
            (index > 0 && index.isMultiple(of: 8) ? " " : "") + Hexadecimal.text([byte])
        }.joined(separator: " ")
        let width = size * 3 - 1 + (size - 1) / 8
        let letters = part.map {
            (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : glyphs.choose("·", ascii: ".")
        }
        return .runs([
            Run(String(repeating: "0", count: max(0, 8 - place.count)) + place + "  ", .dim),
            Run(glyphs.padded(digits, to: width)), Run("  " + letters.joined(), .key),
        ])
    }

    /// A text line by line; what goes on from the line above has a sign before it.
    private static func text(_ text: String, _ options: Options, _ glyphs: Glyphs) -> [Document.Line] {
        let bytes = text.utf8, isCut = bytes.count > textLimit
        let shown = isCut ? String(decoding: bytes.prefix(textLimit), as: UTF8.self) : text
        var lines: [Document.Line] = []
        for line in shown.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let text = String(decoding: line, as: UTF8.self).spelled
            for (index, piece) in glyphs.wrapped(text, to: max(1, options.width - 2)).enumerated() {
                lines.append(.runs([Run(index == 0 ? "  " : glyphs.goesOn, .dim), Run(piece)]))
            }
        }
        if isCut {
            let rest = (bytes.count - textLimit).asBytes
            lines.append(.runs([Run("\(glyphs.ellipsis) \(rest) more; hexadecimal has all of it", .dim)]))
        }
        return lines
    }

    /// A line for each part that is shown, with its type; a part whose parts are folded says so.
    private static func tree(
        _ lines: [TreeLine], _ options: Options, _ glyphs: Glyphs
    ) -> [(line: Document.Line, part: Int?)] {
        let most = options.tree.depth ?? .max
        var shown: [(Document.Line, Int?)] = []
        /// How deep the part is that is folded, of whose parts none is shown.
        var folded: Int?
        for (index, line) in lines.enumerated() {
            if let depth = folded, line.depth > depth { continue }
            let hasParts = index + 1 < lines.count && lines[index + 1].depth > line.depth
            let isOpen = (line.depth < most) != options.tree.toggled.contains(index)
            folded = hasParts && !isOpen ? line.depth : nil
            let sign = isOpen ? glyphs.choose("▾ ", ascii: "v ") : glyphs.choose("▸ ", ascii: "> ")
            let lead = [Run(String(repeating: "  ", count: line.depth) + (hasParts ? sign : "  "), .dim)]
            let key = line.key.map { [Run($0 + ": ", .key)] } ?? []
            let head = (lead + key).map { Run(glyphs.truncated($0.text, to: options.width), $0.role) }
            let indent = min(options.width / 2, head.reduce(0) { $0 + glyphs.columns($1.text) })
            let room = options.width - indent
            var pieces = glyphs.broken([Run(line.text)], to: room, most: partLimit)
            let left = room - (pieces.last ?? []).reduce(0) { $0 + glyphs.columns($1.text) }
            pieces[pieces.count - 1].append(Run(glyphs.truncated("  " + line.type, to: left), .dim))
            for (number, piece) in pieces.enumerated() {
                let before = number == 0 ? head : [Run(String(repeating: " ", count: indent))]
                shown.append((.runs(before + piece), number == 0 && hasParts ? index : nil))
            }
        }
        return shown
    }
}

/// The rows of a table in columns.
private struct TableRows: Sendable {
    private let store: StoreID
    private let stores: any StoreReader
    private let keys: any KeyList
    private let masking: Masking
    private static let widest = 32

    init(of store: StoreID, in stores: any StoreReader, _ masking: Masking) {
        (self.store, self.stores, self.masking) = (store, stores, masking)
        keys = stores.keys(in: store)
    }

    var count: Int { keys.count }

    func lines(_ range: Range<Int>, _ glyphs: Glyphs, left: Int) -> (Document.Line?, [Document.Line]) {
        // The rows of a window are one look.
        let masking = masking.within(AnswerBudget())
        let rows = range.map { position -> (key: Name, state: EntryState) in
            let key = keys.key(at: position)
            return (key, stores.state(of: key, in: store))
        }
        let names = rows.lazy.compactMap { $0.state.value?.members?.map(\.key) }.first ?? []
        let shown = names.dropFirst(min(left, max(0, names.count - 1)))
        let cells = rows.map { row in
            let address = Address(store: store, key: row.key)
            return shown.map { name -> Run in
                guard let value = row.state.value?.members?[name] else { return Run("") }
                let text = masking.summary(of: value, at: address.appending(JSONPointer([name])))
                return Run(text, value == .null ? .dim : .text)
            }
        }
        func width(_ texts: [String]) -> Int {
            texts.map { glyphs.columns($0, limit: Self.widest) }.map { min($0, Self.widest) }.max() ?? 0
        }
        let head = "row" + (left > 0 ? glyphs.choose("‹", ascii: "<") : "")
        let keyWidth = width([head] + rows.map { masking.name($0.key) })
        let widths = shown.enumerated().map { index, name in width([masking.key(name)] + cells.map { $0[index].text }) }
        func line(_ key: String, _ keyRole: Role, _ runs: [Run]) -> Document.Line {
            let padded = zip(runs, widths).flatMap { [Run("  "), Run(glyphs.padded($0.text, to: $1), $0.role)] }
            return .runs([Run(glyphs.padded(key, to: keyWidth), keyRole)] + padded)
        }
        let lines = zip(rows, cells).map { row, cells in
            if case .unreadable(let reason) = row.state {
                return Document.Line.runs([
                    Run(glyphs.padded(masking.name(row.key), to: keyWidth), .key), Run("  "),
                    Run("cannot be read: \(glyphs.displayText(masking.sentence(reason.explanation)))", .problem),
                ])
            }
            return line(masking.name(row.key), .key, cells)
        }
        return (line(head, .heading, shown.map { Run(masking.key($0), .heading) }), lines)
    }
}

extension Value {
    /// A text, or data that is one; `nil` of all else.
    var plainText: String? {
        switch self {
        case .string(let text): text
        case .data(let data) where !data.isEmpty: String(validating: data, as: UTF8.self) ?? decoded()?.value.string
        default: nil
        }
    }

    /// The bytes of data or of a text; `nil` of what has none of its own.
    fileprivate var plainBytes: Data? {
        switch self {
        case .string(let text): Data(text.utf8)
        case .data(let data): data
        default: nil
        }
    }
}

extension Masking {
    /// What is looked at of an entry: of a keychain item, what it holds.
    func subject(of value: Value, at address: Address) -> (value: Value, address: Address) {
        guard KeychainWords.isItem(value, at: address), let secret = value.members?[KeychainItem.dataKey] else {
            return (value, address)
        }
        return (secret, address.appending(JSONPointer([KeychainItem.dataKey])))
    }

    /// What stands in place of all of a value, where any of it is secret.
    fileprivate func placeholderOfWhole(_ value: Value, at address: Address, from sources: [Address]) -> String? {
        guard !isRevealing else { return nil }
        return placeholder(
            for: value, lookingAt: value, in: context(of: address, from: sources), within: budget ?? AnswerBudget())
    }
}
