import MigrationEngine
import StoreFormats

extension SpecReader {
    /// The kinds of step, each with the key that tells it.
    static let kinds: [(tell: String, section: KeySection)] = [
        ("document", .document), ("remove", .removal), ("leave", .note), ("from", .row),
    ]

    /// The keys of each kind, with those of every step, by the key that tells it.
    private static let keys = Dictionary(
        kinds.map { ($0.tell, $0.section.names + KeySection.step.names) }, uniquingKeysWith: { first, _ in first })

    /// The keys of which a step has one.
    private static let tells = ["from", "value", "document", "remove", "leave"]

    /// What a step with these members is.
    private static func kind(of members: [SpecNode.Member]) -> (tell: String, section: KeySection)? {
        func has(_ key: String) -> Bool { members.contains { $0.key == key } }
        return kinds.first { has($0.tell) } ?? (has("value") ? kinds.last : nil)
    }

    /// A step, as one profile has it.
    mutating func step(_ node: SpecNode, number: Int) -> SpecStep? {
        guard var all = mapping(node, of: "a step") else { return nil }
        var kind = Self.kind(of: all)
        if kind == nil {
            let near = all.indices.lazy.compactMap { index in
                Nearest.word(to: all[index].key, among: Self.tells).map { (index, $0) }
            }.first
            report(
                .key, at: node.place, "a step has one of \(Self.tells.joined(separator: ", ")), and this has none",
                fix: near.map { "Did you mean \($0.1) by \(all[$0.0].key)?" } ?? "Say what the step reads with from:.")
            // The rest is read as what was likely meant.
            if let near { all[near.0].key = near.1 }
            kind = Self.kind(of: all) ?? Self.kinds.last
        }
        guard let kind,
            let members = members(
                SpecNode(content: .mapping(all), place: node.place), of: kind.section.name,
                keys: Self.keys[kind.tell] ?? [])
        else { return nil }
        var step = SpecStep(place: node.place)
        step.givenTitle = text(members["title"], of: "title") ?? ""
        step.rule = text(members["rule"], of: "rule")
        step.differs = text(members["differs"], of: "differs")
        step.after = texts(members["after"], of: "after")
        _ = texts(members["see"], of: "see")
        for item in items(members["notes"]) {
            guard case .mapping = item.content else {
                if let sentence = text(item, of: "notes") { step.notes.append((nil, sentence)) }
                continue
            }
            guard let parts = self.members(item, of: "a note", keys: ["if", "say"], required: ["if", "say"]),
                let sentence = text(parts["say"], of: "say")
            else { continue }
            for condition in conditions(parts["if"], of: "if") { step.notes.append((condition, sentence)) }
        }
        let id = text(members["id"], of: "id")
        switch kind.tell {
        case "document": step.work = document(members, at: node.place).map(SpecStep.Work.document) ?? step.work
        case "remove": step.work = removal(members).map(SpecStep.Work.removal) ?? step.work
        case "leave":
            step.work = .note(
                items(members["leave"]).compactMap { text($0, of: "leave") == nil ? nil : address(of: $0) },
                because: text(members["because"], of: "because") ?? "the rules leave it")
        default: step.work = .row(row(members, at: node.place))
        }
        checkUsed(step)
        step.isNamed = id != nil
        step.id = id ?? step.madeID ?? "step-\(number + 1)"
        if !FactName(rawValue: step.id).isPlainWord {
            report(
                .wrongType, at: node.place, "“\(step.id)” is no name of a step", fix: "Use letters, digits and hyphens."
            )
        }
        return step
    }

    /// Checks that what a row asks whether it was used is a source of it.
    private mutating func checkUsed(_ step: SpecStep) {
        var sources: [String] = [], conditions = step.notes.compactMap(\.condition)
        if case .row(let row) = step.work {
            sources = row.origins
            conditions += row.conditions + row.checks
        }
        // Of an address that is written out only the run knows whether it is that of an alias.
        for used in conditions.flatMap(\.used) where !sources.contains(used) && !used.contains("://") {
            report(
                .comparison, at: step.place, "\(used) is no source of this step, and so is never used",
                fix: sources.isEmpty ? "The step has none." : "Its sources are \(sources.joined(separator: ", ")).")
        }
    }

    private mutating func address(of node: SpecNode) -> SpecAddress? {
        text(node, of: "an address").flatMap { address($0, at: node.place) }
    }

    // MARK: Rows

    private mutating func row(_ members: SpecMembers, at place: SpecProblem.Place) -> SpecRow {
        var row = SpecRow()
        // Of a source that is wrong nobody knows what the row would do with it.
        var isKnown = true
        if let node = members["value"] {
            if members["from"] != nil {
                report(.key, at: node.place, "a row has from or value, and this has both", fix: "Remove one of them.")
            }
            let literal = SpecLiteral(node)
            for name in literal.facts { _ = factName(name.rawValue, at: node.place) }
            row.from = .literal(literal)
            isKnown = !unread.contains(node.place)
        } else if let from = members["from"].flatMap({
            from($0, optional: texts(members["optional"], of: "optional"))
        }) {
            row.from = from
        } else {
            isKnown = false
        }
        row.types = types(members["type"] ?? (members["value"] == nil ? defaults["type"] : nil))
        row.placeholder = members["default"].map { SpecLiteral($0) }
        valueKinds = row.readKinds
        defer { valueKinds = nil }
        row.conditions = conditions(members["if"], of: "if")
        row.checks = conditions(members["check"], of: "check")
        row.operations = operations(members["do"], of: "do")
        for name in row.operations.facts { _ = factName(name.rawValue, at: place) }
        for name in row.placeholder?.facts ?? [] { _ = factName(name.rawValue, at: place) }
        if let node = members["to"] {
            row.to = to(node) ?? .nowhere
        } else if !row.operations.isEmpty {
            row.to = .inPlace
        }
        row.empty = word(members["empty"], of: "empty") ?? .write
        row.exists = word(members["exists"] ?? defaults["exists"], of: "exists") ?? .conflict
        // Nothing of anybody else's stands in what the row itself has read.
        if row.mayBeInPlace, row.from.sources.count == 1 { row.to = .inPlace }
        if case .inPlace = row.to { row.exists = .overwrite }
        row.source = word(members["source"] ?? defaults["source"], of: "source") ?? .keep
        if case .nowhere = row.to, row.source != .keep {
            // What is only looked at has arrived nowhere.
            row.source = .keep
            if let node = members["source"], members["to"] == nil {
                report(
                    .key, at: node.place, "the row puts its value nowhere, so that it would be lost with its source",
                    fix: "Say with to: where it goes, or take it away in a step of its own: remove: [ADDRESS].")
            }
        }
        readErrors(members["error"] ?? defaults["error"], &row)
        for member in members["say"].flatMap({ mapping($0, of: "say") }) ?? [] {
            guard KeySection.reasonCodes.contains(member.key) else {
                let _: String? = unknown(
                    member.key, at: member.keyPlace, of: "reason", among: KeySection.reasonCodes.sorted())
                continue
            }
            row.say[member.key] = text(member.value, of: "say")
        }
        row.isSecret = flag(members["secret"], of: "secret")
        row.except = items(members["except"]).compactMap { address(of: $0) }
        check(row, isSourceKnown: isKnown, at: place)
        return row
    }

    private mutating func readErrors(_ node: SpecNode?, _ row: inout SpecRow) {
        guard let node else { return }
        guard case .mapping(let all) = node.content else {
            row.onError = word(node, of: "error") ?? .fail
            return
        }
        let codes = OperationTable.all.flatMap(\.errors) + ["wrong-type", "check-failed"]
        for member in all {
            guard codes.contains(member.key) else {
                let _: String? = unknown(member.key, at: member.keyPlace, of: "error", among: codes.uniqued)
                continue
            }
            row.onCode[member.key] = word(member.value, of: "error")
        }
    }

    private mutating func from(_ node: SpecNode, optional: [String]) -> SpecRow.From? {
        switch node.content {
        case .mapping(let members) where !members.contains(where: { $0.key == "at" }):
            var all: [(name: Name, source: SpecRow.Source)] = []
            for member in members { if let source = source(member.value) { all.append((Name(member.key), source)) } }
            for name in optional where !all.contains(where: { $0.name == Name(name) }) {
                let _: String? = unknown(name, at: node.place, of: "source", among: members.map(\.key), .unknownName)
            }
            return .all(all, optional: Set(optional.map { Name($0) }))
        default:
            let sources = items(node).compactMap { source($0) }
            if case .list([]) = node.content {
                report(.key, at: node.place, "from names no source", fix: "Write it as from: ADDRESS.")
            }
            if let name = optional.first {
                report(
                    .key, at: node.place, "optional names \(name), and from is no mapping",
                    fix: "Of a list the first that is there is taken: remove optional.")
            }
            return sources.isEmpty ? nil : .first(sources)
        }
    }

    private mutating func source(_ node: SpecNode) -> SpecRow.Source? {
        guard case .mapping = node.content else {
            return text(node, of: "from").flatMap { origin($0, at: node.place) }.map { SpecRow.Source(origin: $0) }
        }
        guard let members = members(node, of: .source) else { return nil }
        let ignored = ignored(members["ignore"])
        guard let at = members["at"], let text = text(at, of: "at"), let origin = origin(text, at: at.place) else {
            return nil
        }
        return SpecRow.Source(origin: origin, ignored: ignored)
    }

    private mutating func origin(_ text: String, at place: SpecProblem.Place) -> SpecRow.Source.Origin? {
        if text.hasPrefix("fact/") { return factName(String(text.dropFirst(5)), at: place).map { .fact($0) } }
        guard let address = address(text, at: place) else { return nil }
        guard names(address, anEntryAt: place) else { return nil }
        if address.templates.contains(where: \.hasStarInField) {
            report(
                .wildcards, at: place, "a * in \(text) would stand for a field, and it stands only for entries",
                fix: "Read the document as a whole, and take its fields with pick, each or in.")
            return nil
        }
        return .address(address)
    }

    /// Whether an address names an entry and not a whole store.
    mutating func names(_ address: SpecAddress, anEntryAt place: SpecProblem.Place) -> Bool {
        let isEntry = address.templates.allSatisfy { template in
            if let address = template.address { return address.key != nil }
            let plain = template.pieces.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
            return (try? Address(parsing: plain))?.key != nil
        }
        if !isEntry {
            report(.address, at: place, "\(address.text) is a whole store", fix: "Name an entry of it, such as …/key.")
        }
        return isEntry
    }

    private mutating func ignored(_ node: SpecNode?) -> Set<SpecRow.Source.Ignored> {
        Set(items(node).compactMap { word($0, of: "ignore", SpecRow.Source.Ignored.self) })
    }

    private mutating func to(_ node: SpecNode) -> SpecRow.To? {
        guard case .mapping(let all) = node.content, !all.contains(where: { $0.key == "at" }) else {
            return target(node).map(SpecRow.To.one)
        }
        var members: [(name: Name, target: SpecRow.Target)] = []
        for member in all { if let target = target(member.value) { members.append((Name(member.key), target)) } }
        var seen: Set<[AddressTemplate]> = []
        for (_, target) in members where !seen.insert(target.address.templates).inserted {
            report(
                .twoWriters, at: node.place, "\(target.address.text) stands twice in one to",
                fix: "Give one of the fields another target.")
        }
        return .members(members)
    }

    private mutating func target(_ node: SpecNode) -> SpecRow.Target? {
        guard let target = writtenTarget(node) else { return nil }
        if target.address.isInDatabase {
            report(
                .address, at: node.place, "\(target.address.text) lies in a database, which is only read",
                fix: "Write to a file, the defaults or the keychain.")
        }
        return target
    }

    private mutating func writtenTarget(_ node: SpecNode) -> SpecRow.Target? {
        guard case .mapping = node.content else {
            guard let address = address(of: node), names(address, anEntryAt: node.place) else { return nil }
            return SpecRow.Target(address: address)
        }
        guard let members = members(node, of: .target) else { return nil }
        let ignored = ignored(members["ignore"])
        let isDeviceOnly = flag(members["device-only"], of: "device-only") ?? false
        let accessible = word(members["accessible"], of: "accessible", Accessible.self)
        let group = text(members["group"], of: "group")
        guard let at = members["at"], let address = address(of: at), names(address, anEntryAt: at.place) else {
            return nil
        }
        var target = SpecRow.Target(address: address, ignored: ignored)
        let isKeychain = address.templates.allSatisfy { template in
            if case .text(let text)? = template.pieces.first { text.hasPrefix("keychain://") } else { false }
        }
        for name in ["accessible", "device-only", "group"] {
            guard let node = members[name], !isKeychain else { continue }
            report(.key, at: node.place, "only an item of the keychain has \(name)", fix: "Remove it.")
        }
        if let accessible {
            target.attributes["pdmn"] = .string(
                accessible.code + (isDeviceOnly && accessible != .whenPasscodeSet ? "u" : ""))
        } else if isDeviceOnly, members["accessible"] == nil, let node = members["device-only"] {
            report(.key, at: node.place, "device-only stands without accessible", fix: "Add accessible: when-unlocked.")
        }
        if let group { target.attributes["agrp"] = .string(group) }
        return target
    }

    /// When an item of the keychain can be read.
    enum Accessible: String, CaseIterable {
        case whenUnlocked = "when-unlocked"
        case afterFirstUnlock = "after-first-unlock"
        case whenPasscodeSet = "when-passcode-set"
        case always

        var code: String {
            switch self {
            case .whenUnlocked: "ak"
            case .afterFirstUnlock: "ck"
            case .whenPasscodeSet: "akpu"
            case .always: "dk"
            }
        }

        /// What a code says, as a row says it; a code of which the language has no word as it is.
        static func words(for code: String) -> String {
            if let known = allCases.first(where: { $0.code == code }) { return known.rawValue }
            guard let known = allCases.first(where: { $0.code + "u" == code }) else { return code }
            return known.rawValue + ", device-only"
        }
    }

    /// What must hold of a row by itself: its types and its wildcards.
    private mutating func check(_ row: SpecRow, isSourceKnown: Bool, at place: SpecProblem.Place) {
        var kinds: ValueKinds = row.types.isEmpty ? .any : row.types.reduce(into: []) { $0.formUnion($1.kinds) }
        switch row.from {
        case .all: kinds = .dictionary
        case .literal(let literal): kinds = literal.plain.map { ValueKinds(of: $0) } ?? .any
        case .first(let sources):
            if row.types.isEmpty, !sources.isEmpty, sources.allSatisfy({ $0.address == nil }) {
                kinds = [.string, .integer, .real, .bool]
            }
        }
        kinds = checkTypes(row.operations, from: kinds, at: place)
        if case .members = row.to, kinds.isDisjoint(with: .dictionary) {
            report(
                .operand, at: place, "several targets take the members of a dictionary, and this is \(kinds.phrase)",
                fix: "Make one with split: {at: …, into: […]}, or read several sources.")
        }
        if row.exists == .larger, case .one = row.to, kinds.isDisjoint(with: .number) {
            report(
                .comparison, at: place, "exists: larger compares numbers, and the result is \(kinds.phrase)",
                fix: "Write exists: keep or overwrite, or make it a number.")
        }
        for target in kinds.isDisjoint(with: [.string, .data]) ? row.bytesTargets : [] {
            report(
                .operand, at: place, "\(target.text) holds bytes, and the result is \(kinds.phrase)",
                fix: "End with encode, such as {encode: json}.")
        }
        guard isSourceKnown else { return }
        checkSense(row, at: place)
        let fromStars = Set(row.addresses.map(\.stars).filter { $0 > 0 })
        let stars = fromStars.max() ?? 0
        for target in row.to.targets where target.address.stars != stars || fromStars.count > 1 {
            report(
                .wildcards, at: place,
                "\(target.address.text) has \(target.address.stars) *, and its source \(stars)",
                fix: "Each * in the target stands for one of the source.")
        }
        for address in (row.conditions + row.checks).flatMap(\.addresses) where address.stars > stars {
            report(
                .wildcards, at: place,
                "the condition on \(address.text) has \(address.stars) *, and the source \(stars)",
                fix: "Each * in a condition stands for one of the source; name the entry that is asked for.")
        }
    }

    /// What a row says that nothing comes of.
    private mutating func checkSense(_ row: SpecRow, at place: SpecProblem.Place) {
        let isInPlace = if case .inPlace = row.to { true } else { false }
        if row.source != .keep || row.setsAside || isInPlace, let address = row.addresses.first(where: \.isInDatabase) {
            report(
                .address, at: place, "\(address.text) lies in a database, which is only read",
                fix: "Leave it where it is, with source: keep and a target of its own.")
        }
        if case .members(let targets) = row.to, targets.isEmpty {
            report(.key, at: place, "to names no target", fix: "Write it as to: ADDRESS, or leave it out.")
        }
        if case .literal = row.from, case .nowhere = row.to {
            report(.key, at: place, "a value without to goes nowhere", fix: "Add to: with an address.")
        }
        if row.placeholder != nil, case .nowhere = row.to, row.checks.isEmpty, case .first(let sources) = row.from {
            let own = sources.compactMap(\.address?.text).first
            report(
                .key, at: place, "a default without to is put nowhere",
                fix: "Say with to: where it goes"
                    + (own.map { "; to: \($0) puts it where the value is missed." } ?? "."))
        }
        if !row.except.isEmpty, !row.addresses.contains(where: { $0.stars > 0 }) {
            report(.key, at: place, "except leaves out what a * stands for, and the source has none", fix: "Remove it.")
        }
    }

    // MARK: Removals

    /// What of a source that did not arrive.
    enum Unmigrated: String, CaseIterable { case keep, remove }

    private mutating func removal(_ members: SpecMembers) -> SpecRemoval? {
        var removal = SpecRemoval()
        removal.removesUnmigrated = word(members["unmigrated"], of: "unmigrated", Unmigrated.self) == .remove
        guard let node = members["remove"] else { return nil }
        if case .scalar(.string("every source")) = node.content { return removal }
        removal.addresses = items(node).compactMap { item in
            guard let address = address(of: item) else { return nil }
            guard !address.isInDatabase else {
                report(
                    .address, at: item.place, "\(address.text) lies in a database, which is only read",
                    fix: "Write a note for it: leave: [\(address.text)].")
                return nil
            }
            let isWhole = address.templates.contains { template in
                let plain = template.pieces.map { piece in
                    switch piece {
                    case .text(let text): text
                    case .star: String(AddressTemplate.star)
                    case .fact: "x"
                    }
                }.joined()
                guard let found = try? Address(parsing: plain), let key = found.key else { return true }
                // Of a file only its own name counts: all files of a folder are as many as nobody knows.
                let name = found.store.kind == .file ? key.text.split(separator: "/").last ?? "" : key.text[...]
                return found.pointer.isRoot && name.allSatisfy { $0 == AddressTemplate.star }
            }
            guard isWhole else { return address }
            report(
                .wholeStore, at: item.place, "\(address.text) is a whole store or folder, with what nobody knows in it",
                fix: "Name its entries, or write every source.")
            return nil
        }
        return removal
    }
}

extension SpecRow {
    /// Where its result goes as a whole, as far as that is a file or an item of the keychain, which hold bytes.
    fileprivate var bytesTargets: [SpecAddress] {
        let all: [SpecAddress] =
            switch to {
            case .one(let target): [target.address]
            case .inPlace: addresses
            case .members, .nowhere: []
            }
        return all.filter { address in
            address.templates.allSatisfy { template in
                guard case .text(let text)? = template.pieces.first else { return false }
                return !template.isPart && (text.hasPrefix("file://") || text.hasPrefix("keychain://"))
            }
        }
    }
}

extension SpecRow {
    /// Its sources as the spec names them.
    fileprivate var origins: [String] {
        let sources: [Source] =
            switch from {
            case .first(let sources): sources
            case .all(let members, _): members.map(\.source)
            case .literal: []
            }
        return sources.map { source in
            switch source.origin {
            case .address(let address): address.text
            case .fact(let name): "fact/\(name)"
            }
        }
    }
}

extension SpecAddress {
    /// Whether it is a row of a database in any of its places.
    fileprivate var isInDatabase: Bool {
        templates.contains { if case .text(let text)? = $0.pieces.first { text.hasPrefix("sqlite://") } else { false } }
    }
}

extension AddressTemplate {
    /// Whether it is a part of what an entry holds.
    var isPart: Bool {
        pieces.contains { if case .text(let text) = $0 { text.utf8.contains(UInt8(ascii: "#")) } else { false } }
    }
}

extension SpecStep {
    /// A name made of what the step writes.
    fileprivate var madeID: String? {
        let text: String? =
            switch work {
            case .row(let row): row.to.targets.first?.address.text ?? row.addresses.first?.text
            case .document(let document): document.name
            case .removal: "remove"
            case .note(let addresses, _): addresses.first.map { "leave-\($0.text)" }
            }
        guard let name = text?.split(separator: "/").last(where: { !$0.isEmpty }) else { return nil }
        let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.isEmpty ? nil : words.joined(separator: "-").lowercased()
    }
}
