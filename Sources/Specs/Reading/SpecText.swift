import Foundation
import StoreFormats
import Yams

/// The text of a spec file as a tree of parts, each with its place.
///
/// The subset of YAML 1.2 that `SPECS` describes: no anchors, aliases, merge keys, tags, directives, or second document, and
/// no plain scalar that readers of YAML take for different things. JSON is within it. What a plain scalar is, is decided
/// here and not by the library: `true`, `false`, `null`, decimal integers of up to 128 bits, decimals such as `1.5`, else
/// text.
struct SpecText {
    /// Bounds of what a spec may have.
    enum Limit {
        static let bytes = 4 << 20
        static let nodes = 1_000_000
        static let depth = 32
        static let steps = 10_000
        /// In one chain.
        static let operations = 64
        /// Characters that may begin a part: asked before anything is made of the text.
        static let separators = 1_000_000
        static let profiles = 64
        static let facts = 1000
        /// Each of them runs every row once more.
        static let removals = 64
        /// Facts that are made of one another.
        static let factChain = 32
        /// Addresses that are compared with those that have a star.
        static let comparisons = 500_000
        /// Plans of rows that are tried on made-up values.
        static let trials = 4000
        /// Names in a path of fields.
        static let path = 64
    }

    /// How a scalar is written that is not plain.
    enum Writing: Hashable {
        /// In quotes of either kind.
        case quoted
        /// As a block of lines, which are indented by more than so much.
        case block(parent: Int)
    }

    /// The whole, where it could be taken apart; what could not be read of it is null, at the places of ``problems``.
    private(set) var root: SpecNode?
    /// Where the scalars begin that are not plain: in them a number sign begins no remark.
    private(set) var writings: [SpecProblem.Place: Writing] = [:]
    private(set) var problems: [SpecProblem] = []
    private var nodes = 0
    /// Whether there is more than a spec may have, so that the rest was not looked at.
    private var isOverLimit = false
    /// In which lines a remark begins with `#/`, as a pointer does: where the blanks before it begin, and the remark.
    private var pointers: [Int: (column: Int, remark: Substring)] = [:]
    /// Whether there may be tags, which nothing has without an exclamation mark, and anchors, without an ampersand.
    private let mayHaveTags: Bool, mayHaveAnchors: Bool
    /// Whether the library has told keys in quotes from others, and so let the same one stand twice.
    private var tellsQuotesApart = false
    /// The keys that the library takes for another of their mapping, by their places; it reads other names there.
    private var twins: [SpecProblem.Place: String] = [:]
    /// How many lines stand before what is read now.
    private var linesBefore = 0

    /// Where texts in quotes begin with a byte order mark that is written as an escape: the library drops it.
    private var marks: Set<SpecProblem.Place> = []
    /// Whether it is JSON, in which a number may have an exponent.
    private let isJSON: Bool

    /// Reads a text; what is wrong with it is in ``problems``, all of it that does not hide the rest.
    init(_ data: Data) {
        (mayHaveTags, mayHaveAnchors) = data.withUnsafeBytes {
            ($0.contains(UInt8(ascii: "!")), $0.contains(UInt8(ascii: "&")))
        }
        let body = data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
        let first = body.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        isJSON = first == UInt8(ascii: "{") && data.count <= Limit.bytes && (try? JSONDocument(body)) != nil
        do { root = try compose(data) } catch { problems = error.all }
        if isOverLimit { root = nil }
    }

    /// What the library takes a scalar for that says nothing of its type: what it is, is decided here.
    fileprivate static let untagged: Tag.Name = "untagged"
    private static let resolver = (try? Resolver.basic.appending(untagged, ".*")) ?? .basic

    private mutating func compose(_ data: Data) throws(SpecProblems) -> SpecNode? {
        func refused(_ code: SpecProblem.Code, _ sentence: String, fix: String) -> SpecProblems {
            SpecProblems([SpecProblem(code, at: .init(line: 1, column: 1), sentence, fix: fix)])
        }
        guard data.count <= Limit.bytes else {
            throw refused(
                .overLimit, "the file has \(data.count) bytes, and a spec may have \(Limit.bytes)",
                fix: "Split it into several specs.")
        }
        guard let text = Self.text(of: data).map(Self.yaml) else {
            throw refused(.notYAML, "the file is not text in UTF-8", fix: "Save it as UTF-8.")
        }
        let stray = Self.strayCharacters(in: text) + [Self.directive(in: text)].compactMap(\.self)
        guard stray.isEmpty else { throw SpecProblems(stray) }
        let separators = text.withBytes { bytes in
            bytes.count { byte in
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\n"):
                    true
                default: false
                }
            }
        }
        guard separators <= Limit.separators else {
            throw refused(
                .overLimit, "the file has more than \(Limit.separators) parts", fix: "Split it into several specs.")
        }
        if text.contains(bytes: "#/") { pointers = Self.pointers(in: text) }
        if text.contains(bytes: "\\u") || text.contains(bytes: "\\U") { marks = Self.marks(in: text) }
        if let alias = Self.alias(in: text) { throw SpecProblems([alias]) }
        do {
            if let whole = inStretches(text) { return whole }
            // A part knows its anchor only as long as the parser is there.
            if let (node, parser) = try parsed(text) {
                return withExtendedLifetime(parser) { read(Part(node, in: self), depth: 0) }
            }
        } catch let error as YamlError {
            throw SpecProblems([Self.problem(error, in: text)])
        } catch {
            throw refused(.notYAML, "this is not YAML", fix: "Check its syntax.")
        }
        throw refused(.notYAML, "the file is empty", fix: "Begin with vestige: migration/1.")
    }

    /// The text as the library's parts, which know their anchors only as long as the parser is there.
    private mutating func parsed(_ text: String) throws -> (Node, Parser)? {
        func parsed(_ text: String, _ resolver: Resolver) throws -> (Node, Parser)? {
            let parser = try Parser(yaml: text, resolver: resolver, encoding: .utf8)
            return try parser.singleRoot().map { ($0, parser) }
        }
        do {
            // To compile the library's expressions takes longer than most texts.
            if !mayHaveTags { return try parsed(text, .basic) }
        } catch YamlError.duplicatedKeysInMapping {
            // A table tells 1 from "1".
        }
        tellsQuotesApart = true
        var renamed = text
        while true {
            do {
                return try parsed(renamed, Self.resolver)
            } catch let error as YamlError {
                // The library stops at a key that stands twice, and takes normalization twins for one: it is given another
                // name there, and what stands twice is found with all else that is wrong.
                guard let twin = Self.twin(error, in: renamed, number: twins.count) else { throw error }
                twins[twin.place] = twin.key
                renamed = twin.text
            }
        }
    }

    // MARK: Characters

    /// The text of a file, without the byte order mark that YAML lets stand first (1.2.2, 5.2), and with its lines ended as
    /// YAML reads them (5.4); `nil` where it is not UTF-8.
    static func text(of data: Data) -> String? {
        guard var text = String(validating: data, as: UTF8.self) else { return nil }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        // To Swift a return and a line feed are one character, and no line feed.
        guard text.utf8.contains(0x0D) else { return text }
        let bytes = Array(text.utf8)
        return String(
            decoding: bytes.indices.lazy.filter { index in
                bytes[index] != 0x0D || index + 1 == bytes.count || bytes[index + 1] != 0x0A
            }.map { bytes[$0] }, as: UTF8.self)
    }

    /// Characters that a reader does not see, or that YAML forbids where people write them.
    private static func strayCharacters(in text: String) -> [SpecProblem] {
        // Most texts have none but these.
        if text.withBytes({ $0.allSatisfy { (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\n") } }) { return [] }
        var problems: [SpecProblem] = []
        var place = SpecProblem.Place(line: 1, column: 1)
        for scalar in text.unicodeScalars {
            if (0x20..<0x7F).contains(scalar.value) {
                place.column += 1
                continue
            }
            let name = "U+" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4)
            switch scalar {
            case "\n": place = SpecProblem.Place(line: place.line + 1, column: 0)
            case "\r": break
            case "\t":
                problems.append(
                    SpecProblem(.notYAML, at: place, "there is a tab", fix: "Use spaces, or \\t within double quotes."))
            case _ where scalar.properties.generalCategory == .control || scalar.isInvisible:
                problems.append(
                    SpecProblem(
                        .notYAML, at: place, "there is the invisible character \(name)",
                        fix: "Remove it, or write it as \(escape(scalar)) within double quotes."))
            default: break
            }
            place.column += 1
            if problems.count == 100 { break }
        }
        return problems
    }

    /// The remarks that look like the pointer of an address.
    private static func pointers(in text: String) -> [Int: (column: Int, remark: Substring)] {
        var found: [Int: (column: Int, remark: Substring)] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let mark = line.range(of: " #/") else { continue }
            var before = line[..<mark.lowerBound]
            while before.last == " " { before.removeLast() }
            let remark = line[mark.lowerBound...].drop { $0 == " " }.prefix { !" ,]}\r".contains($0) }
            found[number + 1] = (before.unicodeScalars.count + 1, remark.prefix(60))
        }
        return found
    }

    /// The quotes with an escaped byte order mark behind them.
    private static func marks(in text: String) -> Set<SpecProblem.Place> {
        var found: Set<SpecProblem.Place> = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            for match in line.matches(of: /"\\(?:u|U0000)[fF][eE][fF][fF]/) {
                let column = line[..<match.range.lowerBound].unicodeScalars.count + 1
                found.insert(SpecProblem.Place(line: number + 1, column: column))
            }
        }
        return found
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return digits.count > 4 ? "\\U" + digits.leftPadded(to: 8) : "\\u" + digits.leftPadded(to: 4)
    }

    /// A line such as `%YAML 1.1`, which changes what all the rest means.
    private static func directive(in text: String) -> SpecProblem? {
        var rest = text.utf8[...], number = 1
        while let first = rest.first {
            switch first {
            case UInt8(ascii: "%"):
                return SpecProblem(
                    .notInTheLanguage, at: .init(line: number, column: 1), "there is a directive of YAML",
                    fix: "Remove the line.")
            case UInt8(ascii: "#"), UInt8(ascii: "\n"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                rest = rest[rest.index(after: end)...]
                number += 1
            case UInt8(ascii: "\r"), UInt8(ascii: " "): rest.removeFirst()
            default: return nil
            }
        }
        return nil
    }

    /// An alias, found without following any: the library compares keys part by part, so a few lines of aliases of
    /// aliases would keep it busy for ever.
    ///
    /// Where a text has what looks like an anchor and like an alias, it is composed with tags in place of anchors: a true
    /// alias then leads nowhere, and what merely looks like one (in quotes, in a remark) does no harm.
    private static func alias(in text: String) -> SpecProblem? {
        guard text.contains(bytes: "&"), text.contains(bytes: "*") else { return nil }
        var bytes = Array(text.utf8), first: Int?, isAliasLike = false
        let separators = Array(" \n\r[]{},:-?".utf8), ampersand = UInt8(ascii: "&"), star = UInt8(ascii: "*")
        // Names are of these; a quote behind one ends the text that it only looks like an anchor in.
        func isOfName(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte >= 0x80
        }
        for index in bytes.indices where bytes[index] == ampersand || bytes[index] == star {
            guard index == 0 || separators.contains(bytes[index - 1]), index + 1 < bytes.count,
                isOfName(bytes[index + 1])
            else { continue }
            if bytes[index] == star {
                isAliasLike = true
            } else {
                first = first ?? index
                // A tag may stand wherever an anchor may, and moves nothing.
                bytes[index] = UInt8(ascii: "!")
            }
        }
        guard let first, isAliasLike else { return nil }
        func problem(at place: SpecProblem.Place) -> SpecProblem {
            SpecProblem(
                .notInTheLanguage, at: place, "there is an anchor or an alias",
                fix: "Write the part out where it is needed; put a text that begins with * or & in quotes.")
        }
        do {
            _ = try Parser(yaml: String(decoding: bytes, as: UTF8.self), resolver: .basic, encoding: .utf8)
                .singleRoot()
            return nil
        } catch YamlError.composer(_, "found undefined alias", let mark, _) {
            return problem(at: .init(line: mark.line, column: mark.column))
        } catch {
            let before = text.utf8.prefix(first), line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map(before.index(after:)) ?? before.startIndex
            return problem(
                at: .init(
                    line: line, column: String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1))
        }
    }

    // MARK: Stretches

    /// The whole, where it has many steps: stretches of them are taken apart and read on all cores.
    ///
    /// `nil` where they are few, or where a stretch is none by itself: then the text is taken apart as a whole, which finds the same
    /// or says what is wrong.
    mutating func inStretches(_ text: String) -> SpecNode? {
        guard !mayHaveTags, !mayHaveAnchors, let list = LongList(in: text, of: "steps") else { return nil }
        var begun = self
        (begun.writings, begun.problems) = ([:], [])
        let parts = concurrently(stretchesOf: list.items.count, atLeast: 128) { [begun] numbers in
            var text = begun
            text.linesBefore = list.items[numbers.lowerBound].line - 1
            // What all texts share of the library would be counted by all cores at once.
            let resolver = Resolver.basic.removing(.bool)
            guard let parser = try? Parser(yaml: list[numbers], resolver: resolver, encoding: .utf8),
                case .sequence(let sequence)? = try? parser.singleRoot()
            else { return ([SpecNode]?.none, text) }
            return (text.items(sequence, depth: 2, within: list.place.column - 1), text)
        }
        guard parts.allSatisfy({ $0.0 != nil }), parts.reduce(0, { $0 + $1.1.nodes }) <= Limit.nodes,
            case let parser? = try? Parser(yaml: list.rest, resolver: .basic, encoding: .utf8),
            let node = try? parser.singleRoot(), var whole = begun.read(Part(node, in: begun), depth: 0),
            case .mapping(var members) = whole.content,
            let index = members.firstIndex(where: { $0.key == "steps" && $0.value.place == list.placeInRest }),
            members[index].value.content == .list([])
        else { return nil }
        members[index].value = SpecNode(content: .list(parts.compactMap(\.0).flatMap(\.self)), place: list.place)
        whole.content = .mapping(members)
        for text in [begun] + parts.map(\.1) {
            nodes += text.nodes
            problems += text.problems
            writings.merge(text.writings) { first, _ in first }
            isOverLimit = isOverLimit || text.isOverLimit
        }
        return whole
    }

    // MARK: Parts

    /// A part as the library gives it, with what is asked of it: each look into one of the library's copies it.
    private struct Part {
        enum Content {
            case scalar(String, style: Node.Scalar.Style)
            case list(Node.Sequence)
            case mapping(Node.Mapping)
            case alias
        }

        let content: Content, place: SpecProblem.Place
        let hasAnchor: Bool, hasTag: Bool

        init(_ node: Node, in text: borrowing SpecText) {
            let mark: Mark?
            switch node {
            case .scalar(let scalar): (content, mark) = (.scalar(scalar.string, style: scalar.style), scalar.mark)
            case .sequence(let sequence): (content, mark) = (.list(sequence), sequence.mark)
            case .mapping(let mapping): (content, mark) = (.mapping(mapping), mapping.mark)
            case .alias(let alias): (content, mark) = (.alias, alias.mark)
            }
            place = SpecProblem.Place(line: text.linesBefore + (mark?.line ?? 1), column: mark?.column ?? 1)
            hasAnchor = text.mayHaveAnchors && node.anchor != nil
            hasTag = text.mayHaveTags && !node.hasNoTag
        }

        /// What it is as one word or text without quotes.
        var plain: String? {
            guard case .scalar(let text, .plain) = content else { return nil }
            return text
        }
    }

    /// - Parameters:
    ///   - indent: The indentation of the mapping or list around it; -1 of the whole.
    ///   - isTable: Whether it is a table, which tells 1 from "1".
    private mutating func read(_ part: Part, depth: Int, within indent: Int = -1, isTable: Bool = false) -> SpecNode? {
        let place = part.place
        func refuse(_ code: SpecProblem.Code, _ sentence: String, _ fix: String) -> SpecNode? {
            problems.append(SpecProblem(code, at: place, sentence, fix: fix))
            isOverLimit = isOverLimit || code == .overLimit
            return SpecNode(content: .scalar(.null), place: place)
        }
        func refuseMore() -> SpecNode? {
            refuse(.overLimit, "the file has more than \(Limit.nodes) parts", "Split it into several specs.")
        }
        nodes += 1
        guard nodes <= Limit.nodes else {
            // Said once.
            return nodes == Limit.nodes + 1 ? refuseMore() : nil
        }
        guard depth < Limit.depth else {
            return refuse(.overLimit, "parts lie more than \(Limit.depth) deep in one another", "Flatten them.")
        }
        if part.hasAnchor {
            return refuse(.notInTheLanguage, "there is an anchor", "Write the part out where it is needed.")
        }
        guard !part.hasTag else { return refuse(.notInTheLanguage, "there is a tag", "Remove it.") }
        switch part.content {
        case .scalar(let written, let style):
            switch style {
            case .singleQuoted, .doubleQuoted: writings[place] = .quoted
            case .literal, .folded: writings[place] = .block(parent: indent)
            case .plain, .any: break
            }
            var text = written
            if style == .doubleQuoted, marks.contains(place), text.unicodeScalars.first != "\u{FEFF}" {
                text = "\u{FEFF}" + text
            }
            switch SpecScalar(text, isPlain: style == .plain || style == .any) {
            case .value(let value):
                if let pointer = pointers[place.line],
                    pointer.column == place.column + written.unicodeScalars.count,
                    style == .plain
                {
                    return refuse(
                        .doubtfulScalar,
                        "\(pointer.remark) is a remark, as a blank stands before it, and no part of the address",
                        "Write \(written)\(pointer.remark) without the blank.")
                }
                return SpecNode(content: .scalar(value), place: place)
            case .doubtful(let why, let fix):
                guard isJSON, text.contains(where: ".eE".contains), let number = Double(text), number.isFinite else {
                    return refuse(.doubtfulScalar, why, fix)
                }
                return SpecNode(content: .scalar(.real(Real(number))), place: place)
            }
        case .list(let sequence):
            let items = items(sequence, depth: depth + 1, within: place.column - 1)
            guard nodes <= Limit.nodes || isOverLimit else { return refuseMore() }
            return SpecNode(content: .list(items), place: place)
        case .mapping(let mapping):
            var pairs: [(key: Part, value: Part)] = []
            pairs.reserveCapacity(mapping.count)
            for (key, value) in mapping { pairs.append((Part(key, in: self), Part(value, in: self))) }
            let lone = lone(in: pairs), known = problems.count
            problems += lone.map(\.problem)
            // Braces with nothing but a text were meant as that.
            if !lone.isEmpty, lone.count == pairs.count, lone.allSatisfy({ $0.meant == nil }) {
                return SpecNode(content: .scalar(.null), place: lone[0].problem.place)
            }
            let isLone = Set(lone.map(\.problem.place))
            var members: [SpecNode.Member] = []
            members.reserveCapacity(pairs.count)
            for (key, value) in pairs where isLone.isEmpty || !isLone.contains(key.place) {
                if let member = member(key, value, depth) { members.append(member) }
            }
            members += lone.compactMap(\.meant)
            // One of whose keys none can be read is not taken for an empty one.
            if members.isEmpty, problems.count > known {
                return SpecNode(content: .scalar(.null), place: problems[known].place)
            }
            if tellsQuotesApart { refuseTwins(among: members, isTable: isTable) }
            return SpecNode(content: .mapping(members), place: place)
        case .alias: return refuse(.notInTheLanguage, "there is an alias", "Write the part out where it is needed.")
        }
    }

    private mutating func items(_ sequence: Node.Sequence, depth: Int, within indent: Int) -> [SpecNode] {
        var items: [SpecNode] = []
        items.reserveCapacity(sequence.count)
        for node in sequence {
            if let item = read(Part(node, in: self), depth: depth, within: indent) { items.append(item) }
        }
        return items
    }

    /// The keys within braces that have no value: what stands behind a comma in a text, behind a colon without a blank, or a
    /// fact; with the member that was meant, where that is known.
    private func lone(in pairs: [(key: Part, value: Part)]) -> [(problem: SpecProblem, meant: SpecNode.Member?)] {
        var found: [(problem: SpecProblem, meant: SpecNode.Member?)] = []
        for (index, (key, value)) in pairs.enumerated() {
            guard value.plain?.isEmpty ?? false, let word = key.plain,
                // Nothing stands between them, not even a colon: so it is within braces.
                value.place.line == key.place.line,
                value.place.column == key.place.column + word.unicodeScalars.count
            else { continue }
            func add(_ sentence: String, _ fix: String, meant: SpecNode.Member? = nil) {
                found.append((SpecProblem(.doubtfulScalar, at: key.place, sentence, fix: fix), meant))
            }
            let text = word.prefix(60), parts = text.parts(at: ":", most: 2)
            if parts.count == 2, !parts[1].hasPrefix("/") {
                let behind = SpecProblem.Place(
                    line: key.place.line, column: key.place.column + parts[0].unicodeScalars.count + 1)
                let value: Value =
                    if case .value(let value) = SpecScalar(String(parts[1]), isPlain: true) { value } else { .null }
                add(
                    "the colon behind \(parts[0]) has no blank behind it, so that this is a key without a value",
                    "Write \(parts[0]): \(parts[1]).",
                    meant: word.utf8.count == text.utf8.count
                        ? SpecNode.Member(
                            key: String(parts[0]), keyPlace: key.place,
                            value: SpecNode(content: .scalar(value), place: behind)) : nil)
                continue
            }
            guard index > 0, let before = pairs[index - 1].value.plain,
                case .scalar(let name, _) = pairs[index - 1].key.content
            else {
                add(
                    "“\(text)” has no value: braces are a mapping",
                    "Write \(text): and its value, or a text in quotes: \"{\(text)}\".")
                continue
            }
            add(
                "“\(text)” has no value: within braces a comma ends a text",
                "Put the text in quotes: \(name): \"\(before.prefix(60)), \(text)\".")
        }
        return found
    }

    private mutating func member(_ key: Part, _ value: Part, _ depth: Int) -> SpecNode.Member? {
        let isPlain = key.plain != nil
        let isTable = if case .scalar("table", _) = key.content { true } else { false }
        let value = read(value, depth: depth + 1, within: key.place.column - 1, isTable: isTable)
        if key.plain == "<<" {
            problems.append(
                SpecProblem(.notInTheLanguage, at: key.place, "there is a merge key", fix: "Write the members out."))
            return nil
        }
        let known = problems.count
        guard let key = read(key, depth: depth + 1), problems.count == known else { return nil }
        let text: String
        switch key.content {
        case .scalar(.string(let string)): text = twins[key.place] ?? string
        // The versions of a document are numbers, and so may be the keys of a table.
        case .scalar(.integer(let number)): text = "\(number)"
        case .scalar(.bool(let bool)): text = "\(bool)"
        case .scalar(.real(let real)):
            problems.append(
                SpecProblem(
                    .wrongType, at: key.place, "a key is \(key.kind)",
                    fix: "A key is text; put it in quotes, or write a table as pairs: [[1.5, one]]."))
            // It is kept, so that nothing is said to be empty for want of it.
            text = Value.real(real).numberText
        default:
            problems.append(
                SpecProblem(.wrongType, at: key.place, "a key is \(key.kind)", fix: "A key is text; put it in quotes."))
            return nil
        }
        return value.map { SpecNode.Member(key: text, keyPlace: key.place, value: $0, isPlainKey: isPlain) }
    }

    private mutating func refuseTwins(among members: [SpecNode.Member], isTable: Bool) {
        struct Key: Hashable {
            let name: Name
            let isText: Bool
        }
        var seen: [Key: SpecProblem.Place] = [:]
        for member in members {
            let isText = Int128(member.key) == nil && !["true", "false"].contains(member.key)
            let key = Key(name: Name(member.key), isText: !isTable || !member.isPlainKey || isText)
            if let first = seen.updateValue(member.keyPlace, forKey: key) {
                let lines =
                    first.line == member.keyPlace.line ? "" : ", in the lines \(first.line) and \(member.keyPlace.line)"
                problems.append(
                    SpecProblem(
                        .duplicateKey, at: first, "the key \(member.key) stands twice\(lines)",
                        fix: "Keep one of them."))
            }
        }
    }
}

extension Node {
    /// Whether the part says nothing of its type; `!` and `!!str` do.
    ///
    /// The library resolves some tags, and gives text in quotes that of text.
    fileprivate var hasNoTag: Bool {
        // By name: to make a tag compiles the library's expressions for what it might be.
        func isNamed(_ tag: Tag, _ name: Tag.Name) -> Bool {
            tag.description == name.rawValue || tag.description == Tag.Name.implicit.rawValue
        }
        return switch self {
        case .scalar(let scalar):
            isNamed(scalar.tag, SpecText.untagged) || scalar.style != .plain && isNamed(scalar.tag, .str)
        case .mapping(let mapping): isNamed(mapping.tag, .map)
        case .sequence(let sequence): isNamed(sequence.tag, .seq)
        case .alias: true
        }
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}

extension Unicode.Scalar {
    /// Whether it is not seen, or changes the direction or the order of what is.
    fileprivate var isInvisible: Bool {
        properties.generalCategory == .format
            || [.lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
            || properties.isNoncharacterCodePoint
    }
}
