import MigrationEngine
import StoreFormats

extension SpecReader {
    static let common = ["id", "title", "rule", "notes", "differs", "see", "after", "only", "in-profile"]
    static let versionKeys = ["field", "beside", "in-name", "missing", "doubt"]
    static let kinds: [(name: String, tell: String, keys: [String])] = [
        ("a document", "document", ["document", "step-id", "at", "version", "versions", "source"]),
        ("a removal", "remove", ["remove", "unmigrated"]),
        ("a note", "leave", ["leave", "because"]),
        (
            "a row", "from",
            [
                "from", "value", "optional", "type", "if", "check", "do", "default", "to", "empty", "exists", "source",
                "error",
                "say", "secret", "except",
            ]
        ),
    ]

    /// A step, as one profile has it.
    mutating func step(_ node: SpecNode, number: Int) -> SpecStep? {
        guard let all = mapping(node, of: "a step") else { return nil }
        let keys = all.map(\.key)
        guard
            let kind = Self.kinds.first(where: { keys.contains($0.tell) })
                ?? (keys.contains("value") ? Self.kinds.last : nil)
        else {
            let tells = ["from", "value", "document", "remove", "leave"]
            let near = keys.lazy.compactMap { key in Nearest.word(to: key, among: tells).map { (key, $0) } }.first
            report(
                .key, at: node.place, "a step has one of \(tells.joined(separator: ", ")), and this has none",
                fix: near.map { "Did you mean \($0.1) by \($0.0)?" } ?? "Say what the step reads with from:.")
            return nil
        }
        guard let members = members(node, of: kind.name, keys: kind.keys + Self.common) else { return nil }
        var step = SpecStep(place: node.place)
        step.title = text(members["title"], of: "title") ?? ""
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
        default: step.work = row(members, at: node.place).map(SpecStep.Work.row) ?? step.work
        }
        step.isNamed = id != nil
        step.id = id ?? step.madeID ?? "step-\(number + 1)"
        if !FactName(rawValue: step.id).isPlainWord {
            report(
                .wrongType, at: node.place, "“\(step.id)” is no name of a step", fix: "Use letters, digits and hyphens."
            )
        }
        if step.title.isEmpty { step.title = step.id.titleWords }
        return step
    }

    private mutating func address(of node: SpecNode) -> SpecAddress? {
        text(node, of: "an address").flatMap { address($0, at: node.place) }
    }

    // MARK: Rows

    private mutating func row(_ members: [String: SpecNode], at place: SpecProblem.Place) -> SpecRow? {
        var row = SpecRow()
        if let node = members["value"] {
            if members["from"] != nil {
                report(.key, at: node.place, "a row has from or value, and this has both", fix: "Remove one of them.")
            }
            let literal = SpecLiteral(node)
            for name in literal.facts { _ = factName(name.rawValue, at: node.place) }
            row.from = .literal(literal)
        } else if let node = members["from"] {
            guard let from = from(node, optional: texts(members["optional"], of: "optional")) else { return nil }
            row.from = from
        }
        row.types = types(members["type"] ?? (members["value"] == nil ? defaults["type"] : nil))
        row.conditions = conditions(members["if"], of: "if")
        row.checks = conditions(members["check"], of: "check")
        row.operations = operations(members["do"], of: "do")
        for name in row.operations.facts { _ = factName(name.rawValue, at: place) }
        row.placeholder = members["default"].map { SpecLiteral($0) }
        for name in row.placeholder?.facts ?? [] { _ = factName(name.rawValue, at: place) }
        if let node = members["to"] {
            guard let to = to(node) else { return nil }
            row.to = to
        } else if !row.operations.isEmpty {
            row.to = .inPlace
        }
        row.empty = word(members["empty"], of: "empty") ?? .write
        row.exists = word(members["exists"] ?? defaults["exists"], of: "exists") ?? .conflict
        if case .inPlace = row.to { row.exists = .overwrite }
        row.source = word(members["source"] ?? defaults["source"], of: "source") ?? .keep
        readErrors(members["error"] ?? defaults["error"], &row)
        for member in members["say"].flatMap({ mapping($0, of: "say") }) ?? [] {
            row.say[member.key] = text(member.value, of: "say")
        }
        row.isSecret = flag(members["secret"], of: "secret")
        row.except = items(members["except"]).compactMap { address(of: $0) }
        check(row, at: place)
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
            return sources.isEmpty ? nil : .first(sources)
        }
    }

    private mutating func source(_ node: SpecNode) -> SpecRow.Source? {
        guard case .mapping = node.content else {
            return text(node, of: "from").flatMap { origin($0, at: node.place) }.map { SpecRow.Source(origin: $0) }
        }
        guard let members = members(node, of: "a source", keys: ["at", "ignore"], required: ["at"]),
            let at = members["at"], let text = text(at, of: "at"), let origin = origin(text, at: at.place)
        else { return nil }
        return SpecRow.Source(origin: origin, ignored: ignored(members["ignore"]))
    }

    private mutating func origin(_ text: String, at place: SpecProblem.Place) -> SpecRow.Source.Origin? {
        if text.hasPrefix("fact/") { return factName(String(text.dropFirst(5)), at: place).map { .fact($0) } }
        guard let address = address(text, at: place) else { return nil }
        guard names(address, anEntryAt: place) else { return nil }
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
        return .members(members)
    }

    private mutating func target(_ node: SpecNode) -> SpecRow.Target? {
        guard case .mapping = node.content else {
            guard let address = address(of: node), names(address, anEntryAt: node.place) else { return nil }
            return SpecRow.Target(address: address)
        }
        let keys = ["at", "ignore", "accessible", "device-only", "group"]
        guard let members = members(node, of: "a target", keys: keys, required: ["at"]), let at = members["at"],
            let address = address(of: at), names(address, anEntryAt: at.place)
        else { return nil }
        var target = SpecRow.Target(address: address, ignored: ignored(members["ignore"]))
        let isDeviceOnly = flag(members["device-only"], of: "device-only") ?? false
        let isKeychain = address.templates.allSatisfy { template in
            if case .text(let text)? = template.pieces.first { text.hasPrefix("keychain://") } else { false }
        }
        for name in ["accessible", "device-only", "group"] {
            guard let node = members[name], !isKeychain else { continue }
            report(.key, at: node.place, "only an item of the keychain has \(name)", fix: "Remove it.")
        }
        if let accessible = word(members["accessible"], of: "accessible", Accessible.self) {
            target.attributes["pdmn"] = .string(
                accessible.code + (isDeviceOnly && accessible != .whenPasscodeSet ? "u" : ""))
        } else if isDeviceOnly, let node = members["device-only"] {
            report(.key, at: node.place, "device-only stands without accessible", fix: "Add accessible: when-unlocked.")
        }
        if let group = text(members["group"], of: "group") { target.attributes["agrp"] = .string(group) }
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
    }

    /// What must hold of a row by itself: its types and its wildcards.
    private mutating func check(_ row: SpecRow, at place: SpecProblem.Place) {
        var kinds: ValueKinds = row.types.isEmpty ? .any : row.types.reduce(into: []) { $0.formUnion($1.kinds) }
        switch row.from {
        case .all: kinds = .dictionary
        case .literal(let literal): kinds = literal.plain.map { ValueKinds(of: $0) } ?? .any
        case .first(let sources):
            if row.types.isEmpty, sources.allSatisfy({ $0.address == nil }) {
                kinds = [.string, .integer, .real, .bool]
            }
        }
        kinds = checkTypes(row.operations, from: kinds, at: place)
        if case .members = row.to, kinds.isDisjoint(with: .dictionary) {
            report(
                .operand, at: place, "several targets take the members of a dictionary, and this is \(kinds.phrase)",
                fix: "Make one with split: {at: …, into: […]}, or read several sources.")
        }
        let fromStars = Set(row.addresses.map(\.stars).filter { $0 > 0 })
        let stars = fromStars.max() ?? 0
        for target in row.to.targets where target.address.stars != stars || fromStars.count > 1 {
            report(
                .wildcards, at: place,
                "\(target.address.text) has \(target.address.stars) *, and its source \(stars)",
                fix: "Each * in the target stands for one of the source.")
        }
    }

    // MARK: Removals

    private mutating func removal(_ members: [String: SpecNode]) -> SpecRemoval? {
        enum Unmigrated: String, CaseIterable { case keep, remove }
        var removal = SpecRemoval()
        removal.removesUnmigrated = word(members["unmigrated"], of: "unmigrated", Unmigrated.self) == .remove
        guard let node = members["remove"] else { return nil }
        if case .scalar(.string("every source")) = node.content { return removal }
        removal.addresses = items(node).compactMap { item in
            guard let address = address(of: item) else { return nil }
            let isWhole = address.templates.contains { template in
                let plain = template.pieces.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
                return (try? Address(parsing: plain))?.key == nil
            }
            guard isWhole else { return address }
            report(
                .wholeStore, at: item.place, "\(address.text) is a whole store, with what nobody knows in it",
                fix: "Name its entries, or write every source.")
            return nil
        }
        return removal
    }

    // MARK: Documents

    private mutating func document(_ members: [String: SpecNode], at place: SpecProblem.Place) -> SpecDocument? {
        var document = SpecDocument(name: text(members["document"], of: "document") ?? "")
        if let stepID = text(members["step-id"], of: "step-id") { document.stepID = stepID }
        readVersion(members["version"], at: place, &document)
        for node in items(members["at"]) {
            guard let place = self.place(of: document, at: node) else { continue }
            document.places.append(place)
        }
        guard !document.places.isEmpty else {
            if members["at"] == nil {
                report(.key, at: place, "a document has no at", fix: "Say where it is with at:.")
            }
            return nil
        }
        guard let versions = members["versions"], let all = mapping(versions, of: "versions") else {
            report(
                .key, at: place, "a document has no versions",
                fix: "Add versions: {1: {has: …}, 2: {has: …, made-by: …}}.")
            return nil
        }
        if let node = members["source"] {
            enum Older: String, CaseIterable { case keep, remove }
            document.removesOlder = word(node, of: "source", Older.self) == .remove
            if case .inName = document.version {
            } else {
                report(
                    .key, at: node.place, "a document is edited where it is, and has no source that could go",
                    fix: "Remove source, or say with in-name: that each version has an entry of its own.")
            }
        }
        for member in all {
            guard let number = Int(member.key), number >= 0, number < 1_000_000 else {
                report(
                    .versions, at: member.keyPlace, "\(member.key) is no version",
                    fix: "Versions are numbers from 0 on.")
                continue
            }
            let parts = self.members(member.value, of: "a version", keys: ["has", "without", "made-by"]) ?? [:]
            var fields: [DocumentShape.Field] = []
            if let has = parts["has"] { readShape(has, under: JSONPointer(), &fields) }
            let without = items(parts["without"]).compactMap { field($0, of: "without") }
            let operations = operations(parts["made-by"], of: "made-by")
            for name in operations.facts { _ = factName(name.rawValue, at: member.keyPlace) }
            _ = checkTypes(operations, from: .dictionary, at: member.keyPlace)
            if let last = document.editions.last {
                if number != last.number + 1 {
                    report(
                        .versions, at: member.keyPlace, "version \(number) follows version \(last.number)",
                        fix: "Write every version, in order.")
                } else if parts["made-by"] == nil {
                    report(
                        .versions, at: member.keyPlace,
                        "nothing says how version \(number) is made of version \(last.number)",
                        fix: "Add made-by with operations; [] where nothing changes.")
                }
            } else if parts["made-by"] != nil {
                report(
                    .versions, at: member.keyPlace, "version \(number) is the first, and is made of nothing",
                    fix: "Remove its made-by, or add the version before it.")
            }
            let shape = DocumentShape(version: number, fields: fields, without: without)
            if case .shape = document.version,
                let same = document.editions.first(where: {
                    Set($0.shape.fields) == Set(fields) && Set($0.shape.without) == Set(without)
                })
            {
                report(
                    .versions, at: member.keyPlace, "versions \(same.number) and \(number) look the same",
                    fix: "Say with has or without in what they differ.")
            }
            document.editions.append(SpecDocument.Edition(number: number, shape: shape, operations: operations))
        }
        return document
    }

    /// Where a document is: the entry, or, where its name says its version, the entries that have such names in a store or a
    /// folder.
    private mutating func place(of document: SpecDocument, at node: SpecNode) -> SpecAddress? {
        guard let text = text(node, of: "at") else { return nil }
        guard case .inName(let name) = document.version else {
            guard let place = address(text, at: node.place) else { return nil }
            if place.stars > 0 {
                report(.wildcards, at: node.place, "\(place.text) has a *", fix: "Name it.")
            }
            return place
        }
        let folder = text.hasSuffix("/") && !text.hasSuffix(":/") ? String(text.dropLast()) : text
        guard let place = address(folder + "/" + name, at: node.place) else { return nil }
        let isPart = place.templates.contains { template in
            template.pieces.contains { if case .text(let text) = $0 { text.contains("#") } else { false } }
        }
        if isPart || place.stars != 1 {
            report(
                .address, at: node.place, "\(text) is no store and no folder that has entries called \(name)",
                fix: "Write at: as a store, such as file://Documents, or a folder in it.")
        }
        return place
    }

    private mutating func readVersion(_ node: SpecNode?, at place: SpecProblem.Place, _ document: inout SpecDocument) {
        guard let node else {
            report(
                .key, at: place, "a document has no version", fix: "Write version: shape, or {field: schemaVersion}.")
            return
        }
        if case .scalar(.string("shape")) = node.content { return }
        guard let members = members(node, of: "version", keys: Self.versionKeys) else { return }
        if let second = ["field", "beside", "in-name"].compactMap({ members[$0] }).dropFirst().first {
            report(.key, at: second.place, "the version is told in two ways", fix: "Keep one of them.")
        }
        var missing: Int?
        if let node = members["missing"] {
            if case .scalar(.integer(let number)) = node.content, let number = Int(exactly: number) {
                missing = number
            } else {
                let _: Int? = refuse(node, "missing is the number of a version", "Write missing: 1.")
            }
        }
        enum Doubt: String, CaseIterable { case fail, ask }
        document.asks = word(members["doubt"], of: "doubt", Doubt.self) == .ask
        if let field = members["field"].flatMap({ self.field($0, of: "field") }) {
            document.version = .field(field, missing: missing)
        } else if let beside = members["beside"], let text = text(beside, of: "beside") {
            guard text.hasPrefix("{key}"), !text.dropFirst(5).contains("/"), text.count > 5 else {
                report(
                    .address, at: beside.place, "\(text) is no name beside the key",
                    fix: "Write it as \"{key}_version\".")
                return
            }
            document.version = .beside(suffix: String(text.dropFirst(5)), missing: missing)
        } else if let node = members["in-name"], let name = text(node, of: "in-name") {
            guard AddressTemplate(name)?.stars == 1, !name.contains(where: { "/#".contains($0) }) else {
                report(
                    .wildcards, at: node.place, "\(name) is no name in which one * stands for the version",
                    fix: "Write it as in-name: \"profile-v*.json\".")
                return
            }
            if let missing = members["missing"] {
                report(
                    .key, at: missing.place, "a document whose name says its version is never without one",
                    fix: "Remove missing.")
            }
            document.version = .inName(name)
        } else if ["field", "in-name"].allSatisfy({ members[$0] == nil }) {
            report(
                .key, at: node.place, "version has none of field, beside and in-name",
                fix: "Write {field: schemaVersion}.")
        }
    }

    private mutating func readShape(_ node: SpecNode, under parent: JSONPointer, _ fields: inout [DocumentShape.Field])
    {
        for member in mapping(node, of: "has") ?? [] {
            let pointer = parent.appending(Name(member.key))
            guard case .mapping = member.value.content else {
                let types = ["string", "integer", "number", "bool", "array", "dictionary"]
                guard let text = text(member.value, of: "has") else { continue }
                guard types.contains(text) else {
                    let _: String? = unknown(
                        text, at: member.value.place, of: "type of a field", among: types, .wrongType)
                    continue
                }
                let type = text == "dictionary" ? .object : DocumentShape.FieldType(rawValue: text) ?? .string
                fields.append(DocumentShape.Field(pointer, type))
                continue
            }
            fields.append(DocumentShape.Field(pointer, .object))
            readShape(member.value, under: pointer, &fields)
        }
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

extension String {
    /// A name with hyphens as words: `sort-order` is `Sort order`.
    fileprivate var titleWords: String {
        let words = replacing("-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
