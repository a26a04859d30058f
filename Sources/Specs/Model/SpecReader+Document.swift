import MigrationEngine
import StoreFormats

/// Reads documents: their places, their versions, and the shapes of those.
extension SpecReader {
    mutating func document(_ members: SpecMembers, at place: SpecProblem.Place) -> SpecDocument? {
        var document = SpecDocument(name: text(members["document"], of: "document") ?? "")
        if let stepID = text(members["step-id"], of: "step-id") { document.stepID = stepID }
        let id = document.id(from: 1)
        if !FactName(rawValue: id).isPlainWord, let place = (members["step-id"] ?? members["document"])?.place {
            report(
                .wrongType, at: place, "“\(id)” is no name of a step",
                fix: "Use letters, digits and hyphens, beside {document}, {from} and {to}.")
        }
        readVersion(members["version"], at: place, &document)
        for node in items(members["at"]) {
            guard let place = self.place(of: document, at: node) else { continue }
            document.places.append(place)
        }
        if members["at"] == nil {
            report(.key, at: place, "a document has no at", fix: "Say where it is with at:.")
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
        struct Look: Hashable {
            let has: Set<DocumentShape.Field>, without: Set<JSONPointer>
        }
        var looks: [Look: Int] = [:]
        for member in all {
            guard let number = Int(member.key), number >= 0, number < 1_000_000 else {
                report(
                    .versions, at: member.keyPlace, "\(member.key) is no version",
                    fix: "Versions are numbers from 0 to 999999.")
                continue
            }
            let parts = self.members(member.value, of: .edition) ?? SpecMembers()
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
                } else if let missing = operations.missing(in: last.shape) {
                    report(
                        .versions, at: member.keyPlace,
                        "version \(number) is made of a field that version \(last.number) has not: \(missing)",
                        fix: "Name a field of version \(last.number), or add it to has there.")
                }
            } else if parts["made-by"] != nil {
                report(
                    .versions, at: member.keyPlace, "version \(number) is the first, and is made of nothing",
                    fix: "Remove its made-by, or add the version before it.")
            }
            let shape = DocumentShape(version: number, fields: fields, without: without)
            if case .shape = document.version {
                let look = Look(has: Set(fields), without: Set(without))
                if let same = looks[look] {
                    report(
                        .versions, at: member.keyPlace, "versions \(same) and \(number) look the same",
                        fix: "Say with has or without in what they differ.")
                } else {
                    looks[look] = number
                }
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
        guard let members = members(node, of: .version) else { return }
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

extension [SpecOperation] {
    /// What a document of a shape does not have though they need it, in words.
    fileprivate func missing(in shape: DocumentShape) -> String? {
        var sample = Value.dictionary(Members())
        for field in shape.fields.sorted(by: { $0.pointer.tokens.count < $1.pointer.tokens.count }) {
            let value: Value =
                switch field.type {
                case .string: .string("")
                case .integer, .number: .integer(0)
                case .bool: .bool(false)
                case .array: .array([])
                case .object: .dictionary(Members())
                }
            sample = (try? sample.replacing(field.pointer, with: value)) ?? sample
        }
        var draft: any Draft = ValueDraft(sample)
        do throws(StepStop) {
            try apply(to: &draft, SpecFacts(definitions: [:], facts: Facts()))
        } catch {
            guard let reason = error.outcome.reason, reason.code == "field-missing" else { return nil }
            return reason.sentence
        }
        return nil
    }
}
