import Foundation
import MigrationEngine
import StoreFormats

extension Spec {
    /// The one canonical form of a spec file.
    ///
    /// Its keys stand in the order of the reference, two spaces a level, and on one line what fits into 100 columns. Remarks are kept, beside or above what they were.
    ///
    /// - Throws: ``SpecProblems`` where the file cannot be used as a spec.
    package static func formatted(_ data: Data) throws(SpecProblems) -> String {
        _ = try Spec(data)
        guard let root = SpecText(data).root, let text = SpecText.text(of: data) else { throw SpecProblems([]) }
        let remarks = SpecRemark.all(in: text)
        var printer = SpecPrinter(root, remarks)
        let formatted = printer.text()
        // Nothing is written that does not read as the same file with the same remarks.
        let again = SpecText(Data(formatted.utf8)).root
        let kept = SpecRemark.all(in: formatted).map(\.text).sorted()
        guard let again, again.isSame(as: root), kept == remarks.map(\.text).sorted() else {
            throw SpecProblems([
                SpecProblem(
                    .overLimit, at: .init(line: 1, column: 1),
                    "the file is written in a way that cannot be put in order",
                    fix: "Put remarks on lines of their own, and texts of several lines in double quotes.")
            ])
        }
        return formatted
    }
}

extension SpecNode {
    /// Whether two parts mean the same, wherever they stand; the keys of the language in any order.
    fileprivate func isSame(as other: SpecNode) -> Bool {
        SpecPrinter.ordered(self).bare == SpecPrinter.ordered(other).bare
    }

    /// The part without places; a key without quotes is one in quotes where it is text either way.
    private var bare: SpecNode {
        switch content {
        case .scalar(.real(let real)): .made(.scalar(.real(real.value)))
        case .scalar: .made(content)
        case .list(let items): .list(items.map(\.bare))
        case .mapping(let members):
            .made(
                .mapping(
                    members.map { member in
                        let isText =
                            if case .value(.string) = SpecScalar(member.key, isPlain: true) { true } else { false }
                        return Member(
                            key: member.key, keyPlace: .init(line: 1, column: 1), value: member.value.bare,
                            isPlainKey: member.isPlainKey || isText)
                    }))
        }
    }
}

/// Prints the parts of a spec with the remarks among them.
struct SpecPrinter {
    private static let width = 100
    private let root: SpecNode
    /// The remarks above a part and beside it, by where it begins and how deep it lies; those at the end.
    private var above: [Key: [String]] = [:], beside: [Key: [String]] = [:], last: [String] = []
    private var lines: [String] = []

    /// A member or an item: where it begins, and how many lie around it.
    private struct Key: Hashable {
        var place: SpecProblem.Place
        var depth: Int
    }

    init(_ root: SpecNode, _ remarks: [SpecRemark]) {
        self.root = Self.ordered(root)
        var entries: [(key: Key, end: Int)] = []
        func collect(_ node: SpecNode, depth: Int) -> Int {
            var end = node.place.line
            func enter(_ place: SpecProblem.Place, _ value: SpecNode) {
                let number = entries.count
                entries.append((Key(place: place, depth: depth), place.line))
                entries[number].end = max(place.line, collect(value, depth: depth + 1))
                end = max(end, entries[number].end)
            }
            switch node.content {
            case .scalar: break
            case .list(let items): for item in items { enter(item.place, item) }
            case .mapping(let members): for member in members { enter(member.keyPlace, member.value) }
            }
            return end
        }
        _ = collect(root, depth: 0)
        entries.sort { ($0.key.place, $0.key.depth) < ($1.key.place, $1.key.depth) }
        /// The number of the first entry behind a place.
        func following(_ place: SpecProblem.Place) -> Int {
            var low = 0, high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].key.place > place { high = middle } else { low = middle + 1 }
            }
            return low
        }
        for remark in remarks {
            let next = following(remark.place)
            if remark.isAlone {
                if next < entries.count {
                    above[entries[next].key, default: []].append(remark.text)
                } else {
                    last.append(remark.text)
                }
                continue
            }
            let line = entries[following(.init(line: remark.place.line, column: 0))..<next]
            // The outermost one that ends here; of a line that only goes on, what it goes on with.
            let entry =
                line.first { $0.end == remark.place.line } ?? line.last ?? (next > 0 ? entries[next - 1] : nil)
            if let entry { beside[entry.key, default: []].append(remark.text) } else { last.append(remark.text) }
        }
    }

    mutating func text() -> String {
        guard case .mapping(let members) = root.content else { return "" }
        var isFirst = true
        for member in members {
            let isSection = Self.sections.contains(member.key) && !member.value.isEmptyNode
            if isSection, !isFirst { lines.append("") }
            print(member, indent: 0, depth: 0, isSection: isSection, lead: "")
            isFirst = false
        }
        if !last.isEmpty { lines += last }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What stands line by line even where it would fit into one.
    private static let sections: Set<String> = ["facts", "stores", "profiles", "steps", "expect"]

    // MARK: Order

    /// The keys of the language in the order of the reference; keys of a person's own keep theirs.
    static func ordered(_ root: SpecNode) -> SpecNode {
        guard case .mapping(let members) = root.content else { return root }
        var sorted = sort(members, KeySection.spec.names)
        for index in sorted.indices {
            let value = sorted[index].value
            switch sorted[index].key {
            case "steps": sorted[index].value = value.mappingItems { step($0) }
            case "facts": sorted[index].value = value.mappingMembers { sort($0, KeySection.fact.names) }
            case "profiles": sorted[index].value = value.mappingMembers { sort($0, KeySection.profile.names) }
            case "defaults": sorted[index].value = value.reordered { sort($0, KeySection.defaults.names) }
            case "expect":
                sorted[index].value = value.mappingItems { sort($0, KeySection.expectation.names) }
            default: break
            }
        }
        return SpecNode(content: .mapping(sorted), place: root.place)
    }

    /// A row reads as a sentence; what is said about it comes after it.
    private static let stepKeys =
        ["id", "title", "only"] + SpecReader.kinds.flatMap(\.section.names)
        + ["after", "rule", "notes", "differs", "see", "in-profile"]

    private static func step(_ members: [SpecNode.Member]) -> [SpecNode.Member] {
        var sorted = sort(members, stepKeys)
        for index in sorted.indices {
            switch sorted[index].key {
            case "in-profile": sorted[index].value = sorted[index].value.mappingMembers(step)
            case "version": sorted[index].value = sorted[index].value.reordered { sort($0, KeySection.version.names) }
            case "versions":
                sorted[index].value = sorted[index].value.mappingMembers { sort($0, KeySection.edition.names) }
            default: break
            }
        }
        return sorted
    }

    private static func sort(_ members: [SpecNode.Member], _ keys: [String]) -> [SpecNode.Member] {
        // A key that two kinds of step have stands where the later one has it.
        let ranks = Dictionary(keys.enumerated().map { ($1, $0) }) { $1 }
        return members.enumerated().sorted {
            (ranks[$0.element.key] ?? keys.count, $0.offset) < (ranks[$1.element.key] ?? keys.count, $1.offset)
        }.map(\.element)
    }

    // MARK: Printing

    /// Prints a member; `lead` is what stands before it on its line, such as the dash of an item.
    private mutating func print(
        _ member: SpecNode.Member, indent: Int, depth: Int, isSection: Bool, lead: String
    ) {
        let key = Key(place: member.keyPlace, depth: depth)
        let name = lead + SpecWriting.key(member.key, isPlain: member.isPlainKey) + ":"
        let pad = String(repeating: " ", count: indent - lead.unicodeScalars.count)
        // Above an item's first member a remark would stand behind its dash: it stands above the item.
        if lead.isEmpty { lines += (above[key] ?? []).map { pad + $0 } }
        let aside = (beside[key] ?? []).map { "  " + $0 }
        if !isSection, !hasRemarks(member.value, depth: depth + 1) {
            let flow = flow(member.value)
            if member.value.isEmptyNode || pad.count + name.count + 1 + flow.unicodeScalars.count <= Self.width
                || member.value.isShortScalar
            {
                return append(pad + name + " " + flow, aside, pad)
            }
        }
        switch member.value.content {
        case .scalar(.string(let text)):
            if let folded = Self.folded(text, width: Self.width - indent - 2) {
                lines.append(pad + name + " >-")
                // Behind the mark of a folded text a remark may stand, above it it is clearer.
                if !aside.isEmpty { lines.insert(contentsOf: aside.map { pad + $0.dropFirst(2) }, at: lines.count - 1) }
                let under = String(repeating: " ", count: indent + 2)
                lines += folded.map { under + $0 }
            } else {
                append(pad + name + " " + SpecWriting.quoted(text, isWithinBrackets: false), aside, pad)
            }
        case .scalar(let value): append(pad + name + " " + SpecWriting.scalar(value), aside, pad)
        case .mapping(let members):
            append(pad + name, aside, pad)
            for inner in members { print(inner, indent: indent + 2, depth: depth + 1, isSection: false, lead: "") }
        case .list(let items):
            append(pad + name, aside, pad)
            for item in items { print(item, indent: indent + 2, depth: depth + 1) }
        }
    }

    /// Prints an item of a list.
    private mutating func print(_ item: SpecNode, indent: Int, depth: Int) {
        let key = Key(place: item.place, depth: depth), pad = String(repeating: " ", count: indent)
        // Above its first member a remark would stand behind the dash.
        if case .mapping(let members) = item.content, let first = members.first {
            let inner = Key(place: first.keyPlace, depth: depth + 1)
            above[key, default: []] += above.removeValue(forKey: inner) ?? []
        }
        lines += (above[key] ?? []).map { pad + $0 }
        let aside = beside[key] ?? []
        if !hasRemarks(item, depth: depth + 1) {
            let flow = flow(item)
            if pad.count + 2 + flow.unicodeScalars.count <= Self.width || item.isShortScalar || item.isEmptyNode {
                return append(pad + "- " + flow, aside.map { "  " + $0 }, pad)
            }
        }
        lines += aside.map { pad + $0 }
        switch item.content {
        case .mapping(let members):
            for (number, member) in members.enumerated() {
                print(
                    member, indent: indent + 2, depth: depth + 1, isSection: false, lead: number == 0 ? "- " : "")
            }
        case .scalar(.string(let text)): lines.append(pad + "- " + SpecWriting.quoted(text, isWithinBrackets: false))
        default: lines.append(pad + "- " + flow(item))
        }
    }

    /// A line with what stands beside it: more than one remark stands above it.
    private mutating func append(_ line: String, _ aside: [String], _ pad: String) {
        if aside.count > 1 { lines += aside.dropLast().map { pad + $0.dropFirst(2) } }
        lines.append(line + (aside.last ?? ""))
    }

    private func flow(_ node: SpecNode) -> String {
        if case .scalar(.string(let text)) = node.content { return SpecWriting.quoted(text, isWithinBrackets: false) }
        return SpecWriting.flow(node)
    }

    private func hasRemarks(_ node: SpecNode, depth: Int) -> Bool {
        func has(_ place: SpecProblem.Place, _ value: SpecNode) -> Bool {
            let key = Key(place: place, depth: depth)
            return above[key] != nil || beside[key] != nil || hasRemarks(value, depth: depth + 1)
        }
        switch node.content {
        case .scalar: return false
        case .list(let items): return items.contains { has($0.place, $0) }
        case .mapping(let members): return members.contains { has($0.keyPlace, $0.value) }
        }
    }

    /// A long text in lines that read as one, broken at single spaces; `nil` where it has none, or lines of its own.
    private static func folded(_ text: String, width: Int) -> [String]? {
        guard text.unicodeScalars.count > width, !text.contains("  "), !text.hasPrefix(" "), !text.hasSuffix(" "),
            text.unicodeScalars.allSatisfy({ $0 == " " || !$0.properties.isWhitespace && $0.value >= 0x20 }),
            SpecWriting.isVisible(text)
        else { return nil }
        var lines: [String] = [], line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            if !line.isEmpty, line.unicodeScalars.count + 1 + word.unicodeScalars.count > max(40, width) {
                lines.append(line)
                line = word
            } else {
                line = line.isEmpty ? word : line + " " + word
            }
        }
        return lines + [line]
    }
}

extension SpecNode {
    fileprivate var isEmptyNode: Bool {
        switch content {
        case .scalar: false
        case .list(let items): items.isEmpty
        case .mapping(let members): members.isEmpty
        }
    }

    /// Whether it is a scalar that stands on its line however long the line is.
    fileprivate var isShortScalar: Bool {
        switch content {
        case .scalar(.string): false
        case .scalar: true
        default: false
        }
    }

    fileprivate func reordered(_ order: ([Member]) -> [Member]) -> SpecNode {
        guard case .mapping(let members) = content else { return self }
        return SpecNode(content: .mapping(order(members)), place: place)
    }

    fileprivate func mappingItems(_ order: ([Member]) -> [Member]) -> SpecNode {
        guard case .list(let items) = content else { return reordered(order) }
        return SpecNode(content: .list(items.map { $0.reordered(order) }), place: place)
    }

    fileprivate func mappingMembers(_ order: ([Member]) -> [Member]) -> SpecNode {
        guard case .mapping(let members) = content else { return self }
        return SpecNode(
            content: .mapping(
                members.map { member in
                    var member = member
                    member.value = member.value.reordered(order)
                    return member
                }), place: place)
    }
}
