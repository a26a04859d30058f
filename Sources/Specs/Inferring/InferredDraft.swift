import Foundation
import MigrationEngine
import StoreFormats

/// A step of a draft, which was tried.
struct InferredRow: Sendable {
    var id: String
    let way: InferredWay
    let target: Address
    let isInPlace: Bool
    let replaces: Bool
    /// When the item of the keychain that it makes can be read, by the code of exports; `nil` where none says it.
    let accessible: String?
    /// The type of what the target holds then, as a row asks for it.
    let newType: String?
    /// What is told with it.
    var remarks: [String]
    var removesSource = false
    /// The addresses of a row that stands for several, and those rows.
    var star: (source: String, target: String)?
    var parts: [InferredRow] = []
    /// The entries that it reads, and those that it writes: of one with a star all of them.
    var sources: Set<Address>
    var targets: [Address]
    /// Whether it leaves a target that is there: a later step overwrites what it reads, so that the second time it would
    /// take something else.
    var keepsTarget = false
    /// What must still be there for it, for the same reason.
    var condition: String?
}

/// Writes steps as a spec.
struct InferredDraft: Sendable {
    /// The name of the step that takes away what several rows read.
    static let removalID = "remove-sources"

    private let bundleIdentifier: String
    private let names: [StoreID: String]
    /// The stores by their order.
    private let order: [StoreID: Int]

    init(of stores: [StoreID], bundleIdentifier: String) {
        self.bundleIdentifier = bundleIdentifier
        names = SpecDraft.aliases(of: stores, bundleIdentifier: bundleIdentifier)
        order = Dictionary(stores.uniqued.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// An address as a row names it.
    func name(_ address: Address) -> String {
        let alias = names[address.store] ?? ""
        return alias + "/" + "\(address)".dropFirst("\(address.store)/".count)
    }

    /// An address as it is without an alias; a fact as it is.
    private func unaliased(_ text: String) -> String {
        let alias = String(text.prefix { $0 != "/" })
        return names.first { $0.value == alias }.map { "\($0.key)" + text.dropFirst(alias.count) } ?? text
    }

    /// The steps as a spec that reads, without a word about them.
    func spec(_ rows: [InferredRow], removing gone: [String]) -> String {
        (head(rows) + rows.map { "- " + line($0) } + removal(gone)).joined(separator: "\n") + "\n"
    }

    /// The steps with what is told of them, and with what is not a step.
    ///
    /// - Parameters:
    ///   - remarks: What is not explained, or only perhaps.
    ///   - unread: What cannot be read on both sides.
    ///   - left: What is gone, and what no step takes away.
    ///   - cuts: What was left out.
    func text(
        _ rows: [InferredRow], removing gone: [String], remarks: [String], unread: [String], left: [Address],
        cuts: [String]
    ) -> String {
        var lines = head(rows)
        for row in rows { lines += row.remarks + ["- " + line(row)] }
        lines += removal(gone)
        if rows.isEmpty {
            let differs = !(gone.isEmpty && remarks.isEmpty && unread.isEmpty && left.isEmpty && cuts.isEmpty)
            let why = differs ? "no new value is explained by an old one" : "nothing differs"
            lines.append("- {id: nothing, leave: [], because: \(why)}")
        }
        if !remarks.isEmpty { lines += ["# not explained, or only perhaps:"] + remarks }
        if !left.isEmpty {
            lines.append("# gone, and no step takes it away:")
            lines += left.prefix(200).map { "#   \(SpecWriting.remark(name($0)))" }
            if left.count > 200 { lines.append("#   and \(left.count - 200) more") }
        }
        if !unread.isEmpty {
            lines += ["# cannot be read on both sides:"] + unread.prefix(200).map { "#   " + $0 }
            if unread.count > 200 { lines.append("#   and \(unread.count - 200) more") }
        }
        lines += cuts.map { "# " + SpecWriting.remark($0) }
        lines += undeclared(in: lines)
        let text = lines.joined(separator: "\n") + "\n"
        // A draft that reads, as it was tried, is in the one form; one that does not is shown all the same.
        return (try? Spec.formatted(Data(text.utf8))) ?? text
    }

    /// Which stores the aliases stand for that only remarks name.
    private func undeclared(in lines: [String]) -> [String] {
        let named = Set(lines.lazy.filter { $0.hasPrefix("#   ") }.map { $0.dropFirst(4).prefix { $0 != "/" } })
        let declared = Set(lines.prefix { $0 != "steps:" }.map { $0.drop { $0 == " " }.prefix { $0 != ":" } })
        let stores = names.filter { named.contains($0.value[...]) && !declared.contains($0.value[...]) }
        return stores.sorted { order[$0.key] ?? 0 < order[$1.key] ?? 0 }.map {
            "# \($0.value) is \(SpecWriting.remark("\($0.key)"))"
        }
    }

    private func removal(_ gone: [String]) -> [String] {
        gone.isEmpty
            ? []
            : [
                "- {id: \(Self.removalID), remove: [\(gone.map { SpecWriting.quoted($0) }.joined(separator: ", "))]}"
            ]
    }

    private func head(_ rows: [InferredRow]) -> [String] {
        let used = rows.flatMap { row in
            (row.isInPlace ? [] : [row.target.store]) + row.way.sources.compactMap(\.source.entry?.store)
        }
        let listed = Set(used).sorted { order[$0] ?? 0 < order[$1] ?? 0 }
        var lines = [
            "vestige: migration/1",
            "id: \(SpecDraft.word(bundleIdentifier.replacing(".", with: "-"), else: "app"))-inferred",
            "title: \(SpecWriting.quoted("What an update of \(bundleIdentifier) did, as two dumps tell"))",
            "apps: [\(SpecWriting.quoted(bundleIdentifier))]",
        ]
        if !listed.isEmpty { lines.append("stores:") }
        for store in listed { lines.append("  \(names[store] ?? ""): \(SpecWriting.quoted("\(store)"))") }
        return lines + ["steps:"]
    }

    /// A row as a spec writes it.
    ///
    /// - Parameter isAlone: Whether it names no alias.
    func line(_ row: InferredRow, isAlone: Bool = false) -> String {
        func place(_ text: String) -> SpecNode { .text(isAlone ? unaliased(text) : text) }
        var members: [(String, SpecNode)] = [("id", .text(row.id))], operations = row.way.chain.operations
        // As another type alone it is put where it was: without an operation a row in place writes nothing.
        let isInPlace = row.isInPlace && !(operations.isEmpty && row.way.only?.type == "flag")
        if let only = row.way.only {
            members.append(("from", place(row.star?.source ?? only.text)))
            if isInPlace {
                members += inPlace(row, only, &operations)
            } else if let type = only.type {
                members.append(("type", .text(type)))
            }
        } else {
            members.append(("from", .mapping(row.way.sources.map { ($0.name, place($0.source.text)) })))
            let types = row.way.sources.compactMap(\.source.type).uniqued
            if !types.isEmpty {
                members.append(("type", types.count == 1 ? .text(types[0]) : .list(types.map(SpecNode.text))))
            }
        }
        if let condition = row.condition { members.append(("if", .list([.text(condition)]))) }
        if !operations.isEmpty { members.append(("do", .list(operations))) }
        if !isInPlace {
            let target = place(row.star?.target ?? name(row.target))
            members.append(("to", row.accessible.flatMap { Self.target(target, accessible: $0) } ?? target))
        }
        if !isInPlace, row.replaces || row.keepsTarget {
            members.append(("exists", .text(row.replaces ? "overwrite" : "keep")))
        }
        if row.removesSource { members.append(("source", .text("remove"))) }
        if isInPlace, let code = Self.codeOfSecond(row) {
            members.append(("error", .mapping([(code, .text("skip"))])))
        }
        return SpecWriting.flow(.mapping(members))
    }

    /// A target with when it can be read; `nil` of a code of which the language has no word.
    private static func target(_ address: SpecNode, accessible code: String) -> SpecNode? {
        let words = SpecReader.Accessible.words(for: code), isDeviceOnly = words.hasSuffix(", device-only")
        guard let known = SpecReader.Accessible(rawValue: isDeviceOnly ? String(words.dropLast(13)) : words) else {
            return nil
        }
        return .mapping(
            [("at", address), ("accessible", .text(known.rawValue))]
                + (isDeviceOnly ? [("device-only", .made(.scalar(.bool(true))))] : []))
    }

    /// What a row in place says of what it reads, so that it leaves its own result as it is.
    ///
    /// A type is asked before a condition is, and refuses a result of another type: there the condition alone tells what is
    /// still to be changed, and an operation decodes what the type would have.
    private func inPlace(
        _ row: InferredRow, _ only: InferenceSource, _ operations: inout [SpecNode]
    ) -> [(String, SpecNode)] {
        guard let type = only.type else { return [] }
        let form = type.split(separator: " ").count == 2 ? type.prefix { $0 != " " } : type == "text" ? "utf8" : nil
        if let stored = only.storedType, stored != row.newType {
            if let form { operations.insert(.mapping([("decode", .text(String(form)))]), at: 0) }
            return [("if", .list([.text("value is \(stored)")]))]
        }
        let asked = form == nil && !row.way.conditions.isEmpty ? [] : [("type", SpecNode.text(type))]
        let conditions = row.way.conditions.map(SpecNode.text)
        // Whatever of the old is there is to be changed; where the rest is missing, that is told as a failure.
        let one = conditions.count > 1 ? .mapping([("any", .list(conditions))]) : conditions.first
        return asked + (one.map { [("if", .list([$0]))] } ?? [])
    }

    /// The code with which the first operation of a row in place refuses its own result, where that is of the same type and
    /// no condition tells it from what is still to be changed.
    private static func codeOfSecond(_ row: InferredRow) -> String? {
        guard row.way.conditions.isEmpty, row.way.only?.storedType == row.newType,
            case .mapping(let members)? = row.way.chain.operations.first?.content, let operation = members.first
        else { return nil }
        switch (operation.key, operation.value.content) {
        case ("strip", .mapping(let affix)): return affix.first.map { "no-\($0.key)" }
        case ("split", .mapping): return "too-few-parts"
        case ("table", _): return "not-in-table"
        default: return nil
        }
    }
}
