import MigrationEngine
import StoreFormats

// MARK: Dictionaries

extension OperationTable {
    static let fields = [pick, remove, add, rename, move, copy, wrap, `in`]

    private static let pick = OperationDefinition(
        "pick", "One member of a dictionary, or a dictionary of some of them.",
        arguments: "a field, or a list of fields",
        takes: .dictionary, gives: .any, "complement: the other members are set aside", errors: ["field-missing"],
        example: .init(written: "pick: a", before: #"{"a":1,"b":2}"#, after: "1")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let node = reader.required() else { return nil }
        if case .list = node.content {
            let names = reader.reader.texts(node, of: "pick").map { Name($0) }, picked = Set(names)
            return reader.edits("only \(names.list)", .complement) { draft, pointer, _ throws(StepStop) in
                let keys = draft.value[pointer]?.members?.map(\.key) ?? [], present = Set(keys)
                if let missing = names.first(where: { !present.contains($0) }) {
                    throw .missingField(pointer.appending(missing))
                }
                try draft.remove(keys.filter { !picked.contains($0) }, of: pointer)
            }
        }
        guard let path = reader.reader.field(node, of: "pick") else { return nil }
        return reader.edits("the member \(path.fieldText)", .complement) { draft, pointer, _ throws(StepStop) in
            let inner = JSONPointer(pointer.tokens + path.tokens)
            guard let part = draft.value[inner] else { throw .missingField(inner) }
            let kept = draft.placeholders.filter { $0.isWithin(inner) }.map {
                JSONPointer(pointer.tokens + $0.tokens.dropFirst(inner.tokens.count))
            }
            try draft.put(pointer, part, from: draft.origins.root.at(inner))
            draft.placeholders += kept
        }
    }

    private static let remove = OperationDefinition(
        "remove", "A dictionary without some members; one that is not there is no error.",
        arguments: "a list of fields", takes: .dictionary, gives: .dictionary, "complement: they are set aside",
        example: .init(written: "remove: [age]", before: #"{"name":"Ada","age":36}"#, after: #"{"name":"Ada"}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let node = reader.required() else { return nil }
        let paths = reader.reader.items(node).compactMap { reader.reader.field($0, of: "remove") }
        let rule = paths.map { DocumentEdit.remove($0).rule }.joined(separator: "; ")
        let names = paths.allSatisfy { $0.tokens.count == 1 } ? paths.flatMap(\.tokens) : nil
        return reader.edits(rule, .complement) { draft, pointer, _ throws(StepStop) in
            if let names, draft.value[pointer]?.members != nil { return try draft.remove(names, of: pointer) }
            // An item that goes moves those behind it.
            for path in paths.sorted(by: { $1.comesBefore($0) }) {
                try draft.make(.remove(JSONPointer(pointer.tokens + path.tokens)))
            }
        }
    }

    private static let add = OperationDefinition(
        "add", "A dictionary with further members, which are placeholders: nobody entered them.",
        arguments: "fields with their values; exists: keep or replace a field that is there", takes: .dictionary,
        gives: .dictionary, "exact; with exists complement", errors: ["field-exists"],
        example: .init(
            written: #"add: {email: "---"}"#, before: #"{"name":"Ada"}"#, after: #"{"name":"Ada","email":"---"}"#),
        besides: ["exists"]
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let members = reader.fields() else { return nil }
        enum Existing: String, CaseIterable { case keep, replace }
        let policy = reader.reader.word(reader.besides["exists"], of: "exists", Existing.self)
        let existing: DocumentEdit.ExistingField = policy.map { $0 == .keep ? .keep : .replace } ?? .refuse
        let added = members.compactMap { member in
            reader.reader.path(member.key, at: member.keyPlace).map { (path: $0, value: SpecLiteral(member.value)) }
        }
        let rule = added.map { path, value in
            "adds \(path) as \(value.phrase)\(value.isFact ? "" : ", a placeholder")"
        }.joined(separator: "; ")
        let names = added.compactMap(\.path.tokens.first)
        var operation = reader.edits(
            rule, existing == .refuse ? .exact : .complement, facts: added.flatMap(\.value.facts).uniqued,
            back: { value in
                guard var members = value.members else { return nil }
                for name in names { members[name] = nil }
                return .dictionary(members)
            }
        ) { draft, pointer, facts throws(StepStop) in
            for (path, literal) in added {
                let value = try literal.value(facts), place = JSONPointer(pointer.tokens + path.tokens)
                let known = draft.notes
                try draft.make(.add(place, .value(value), existing: existing))
                // What somebody has said is nobody's invention.
                guard literal.isFact, literal.isSaid(facts), draft.placeholders.contains(place) else { continue }
                draft.placeholders.removeAll { $0 == place }
                draft.notes = known
            }
        }
        operation.inventsParts = added.contains { !$0.value.isFact }
        operation.drops = existing == .replace
        return operation
    }

    private static let rename = OperationDefinition(
        "rename", "Members under other keys, each at its place.", arguments: "fields with their new names",
        takes: .dictionary, gives: .dictionary, "exact", errors: ["field-missing", "edit-impossible"],
        example: .init(written: "rename: {name: alias}", before: #"{"name":"Ada"}"#, after: #"{"alias":"Ada"}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let members = reader.fields() else { return nil }
        let renamed = members.compactMap { member in
            reader.reader.text(member.value, of: "rename").map { (from: Name(member.key), to: Name($0)) }
        }
        reader.checkDiffer(renamed.map(\.to.text))
        let keys = Dictionary(renamed.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
        let rule = renamed.map { DocumentEdit.rename(JSONPointer([$0.from]), to: $0.to).rule }
        return reader.edits(
            rule.joined(separator: "; "), .exact,
            back: { value in
                let names = Dictionary(renamed.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
                return value.members.map { members in
                    .dictionary(Members(members.map { Member(key: names[$0.key] ?? $0.key, value: $0.value) }))
                }
            }
        ) { draft, pointer, _ throws(StepStop) in
            let present = Set(draft.value[pointer]?.members?.map(\.key) ?? [])
            let pairs = renamed.map { (from: pointer.appending($0.from), to: pointer.appending($0.to)) }
            // Where no name comes to be another's they are given at once.
            if keys.count == renamed.count, keys.keys.allSatisfy(present.contains),
                !keys.values.contains(where: present.contains)
            {
                return try draft.rename(keys, in: pointer)
            }
            try takeTogether(pairs, &draft, in: pointer) { draft, from, to throws(StepStop) in
                try draft.make(.rename(from, to: to.tokens.last ?? ""))
            }
        }
    }

    private static let move = OperationDefinition(
        "move", "Members at other places of the dictionary, which are made where they are not there.",
        arguments: "fields with their new places, such as style/color", takes: .dictionary, gives: .dictionary,
        "complement: the order is set aside", errors: ["field-missing", "field-exists"],
        example: .init(
            written: "move: {color: style/color}", before: #"{"color":"red"}"#, after: #"{"style":{"color":"red"}}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let pairs = reader.places() else { return nil }
        let rule = pairs.map { DocumentEdit.move($0.from, to: $0.to).rule }.joined(separator: "; ")
        return reader.edits(rule, .complement) { draft, pointer, _ throws(StepStop) in
            try takeTogether(pairs.within(pointer), &draft, in: pointer) { draft, from, to throws(StepStop) in
                if draft.value[from] != nil { try draft.makeParents(of: to) }
                try draft.make(.move(from, to: to))
            }
        }
    }

    private static let copy = OperationDefinition(
        "copy", "Members at second places of the dictionary too.", arguments: "fields with their second places",
        takes: .dictionary, gives: .dictionary, "exact where the place is beside it, otherwise complement",
        errors: ["field-missing", "field-exists"],
        example: .init(written: "copy: {a: b}", before: #"{"a":1}"#, after: #"{"a":1,"b":1}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let pairs = reader.places() else { return nil }
        let isFlat = pairs.allSatisfy { $0.to.tokens.count == 1 }
        let back: @Sendable (Value) -> Value? = { value in
            guard var members = value.members else { return nil }
            for pair in pairs { members[pair.to.tokens[0]] = nil }
            return .dictionary(members)
        }
        return reader.edits(
            pairs.map { "copies \($0.from) to \($0.to)" }.joined(separator: "; "), isFlat ? .exact : .complement,
            back: isFlat ? back : nil
        ) { draft, pointer, _ throws(StepStop) in
            let old = draft.value, origins = draft.origins.root
            for (from, to) in pairs.within(pointer) {
                guard let value = old[from] else { throw .missingField(from) }
                guard draft.value[to] == nil else {
                    throw .failed("field-exists", "\(to) is there already, so \(from) cannot be copied to it")
                }
                try draft.makeParents(of: to)
                try draft.put(to, value, from: origins.at(from))
            }
        }
    }

    private static let wrap = OperationDefinition(
        "wrap", "A dictionary with the value as its only member.", arguments: "a field", takes: .any,
        gives: .dictionary,
        "exact", example: .init(written: "wrap: value", before: "5", after: #"{"value":5}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let name = reader.text().map({ Name($0) }) else { return nil }
        return reader.edits(
            DocumentEdit.wrap(JSONPointer(), under: name).rule.replacing("the value of ", with: "the value"), .exact,
            back: { $0.members?[name] }
        ) { draft, pointer, _ throws(StepStop) in try draft.make(.wrap(pointer, under: name)) }
    }

    private static let `in` = OperationDefinition(
        "in", "Operations on a member of a dictionary.", arguments: "fields with their operations", takes: .dictionary,
        gives: .dictionary, "that of its operations", errors: ["field-missing"],
        example: .init(written: "in: {name: [{case: lower}]}", before: #"{"name":"Ada"}"#, after: #"{"name":"ada"}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let members = reader.fields() else { return nil }
        let parts = members.compactMap { member in
            reader.reader.path(member.key, at: member.keyPlace).map { path in
                let operations = reader.reader.operations(member.value, of: "in \(member.key)")
                _ = reader.reader.checkTypes(operations, from: .any, at: member.keyPlace)
                return (path: path, operations: operations)
            }
        }
        let all = parts.flatMap(\.operations)
        var operation = reader.edits(
            parts.map { "in \($0.path): \($0.operations.rule)" }.joined(separator: "; "), all.inverse, facts: all.facts,
            back: { value in
                parts.reversed().reduce(Optional(value)) { value, part in
                    guard let old = value?[part.path], let new = part.operations.back(old) else { return nil }
                    return try? value?.replacing(part.path, with: new)
                }
            }
        ) { draft, pointer, facts throws(StepStop) in
            for (path, operations) in parts {
                try operations.apply(to: &draft, at: JSONPointer(pointer.tokens + path.tokens), facts)
            }
        }
        operation.inner = all
        return operation
    }
}

extension [SpecOperation] {
    /// What gives the value back, where every operation is exact.
    func back(_ value: Value) -> Value? {
        reversed().reduce(Optional(value)) { value, operation in
            value.flatMap { value in operation.inverse == .exact ? operation.back?(value) : nil }
        }
    }
}

extension Array where Element == (from: JSONPointer, to: JSONPointer) {
    /// The same places in a part of a value.
    fileprivate func within(_ pointer: JSONPointer) -> Self {
        map { (JSONPointer(pointer.tokens + $0.from.tokens), JSONPointer(pointer.tokens + $0.to.tokens)) }
    }
}

extension OperationTable {
    /// Takes members to other places, all of them as they were: one that lies where another goes is put aside first.
    fileprivate static func takeTogether(
        _ pairs: [(from: JSONPointer, to: JSONPointer)], _ draft: inout any Draft, in pointer: JSONPointer,
        _ take: (inout any Draft, JSONPointer, JSONPointer) throws(StepStop) -> Void
    ) throws(StepStop) {
        let old = draft.value, origins = draft.origins.root
        if let missing = pairs.first(where: { old[$0.from] == nil }) { throw .missingField(missing.from) }
        let targets = Set(pairs.map(\.to)), holders = Set(targets.flatMap(\.prefixes))
        // An item that goes moves those behind it.
        let hasItems = pairs.contains { old[JSONPointer(Array($0.from.tokens.dropLast()))]?.isArray ?? false }
        if hasItems, Set(pairs.map(\.from)) == targets,
            !pairs.contains(where: { $0.from.prefixes.dropLast().contains(where: targets.contains) })
        {
            // They only change places, and none goes.
            let placeholders = draft.placeholders.map { made in
                pairs.first { made.isWithin($0.from) }.map { from, to in
                    JSONPointer(to.tokens + made.tokens.dropFirst(from.tokens.count))
                } ?? made
            }
            for (from, to) in pairs { if let value = old[from] { try draft.put(to, value, from: origins.at(from)) } }
            draft.placeholders = placeholders
            return
        }
        var pairs = hasItems ? pairs.sorted { $1.from.comesBefore($0.from) } : pairs, aside = pointer.appending("aside")
        for (number, pair) in pairs.enumerated()
        where pair.from != pair.to
            && (holders.contains(pair.from) || pair.from.prefixes.contains(where: targets.contains))
        {
            while draft.value[aside] != nil || targets.contains(aside) {
                aside = pointer.appending(Name("\(aside.tokens.last ?? "")_"))
            }
            try take(&draft, pair.from, aside)
            pairs[number].from = aside
        }
        for (from, to) in pairs { try take(&draft, from, to) }
    }
}

extension JSONPointer {
    /// The places on the way to it, and it itself.
    fileprivate var prefixes: [JSONPointer] { (1..<tokens.count + 1).map { JSONPointer(Array(tokens.prefix($0))) } }
}

extension OperationReader {
    /// Fields with places of the dictionary.
    fileprivate mutating func places() -> [(from: JSONPointer, to: JSONPointer)]? {
        let pairs = fields()?.compactMap { member -> (from: JSONPointer, to: JSONPointer)? in
            guard let from = reader.path(member.key, at: member.keyPlace),
                let to = reader.field(member.value, of: definition.name)
            else { return nil }
            return (from, to)
        }
        checkDiffer((pairs ?? []).map(\.to.fieldText))
        return pairs
    }

    /// Checks that no two fields go to one place.
    fileprivate mutating func checkDiffer(_ targets: [String]) {
        // Names are compared by their bytes.
        var seen: Set<Name> = []
        guard let twice = targets.first(where: { !seen.insert(Name($0)).inserted }) else { return }
        reader.report(
            .duplicateKey, at: argument?.place ?? place, "two fields go to \(twice), which holds one",
            fix: "Give one of them another place.")
    }
}

extension SpecReader {
    /// A field, or a path of fields with slashes between them.
    mutating func field(_ node: SpecNode, of what: String) -> JSONPointer? {
        text(node, of: what).flatMap { path($0, at: node.place) }
    }

    mutating func path(_ text: String, at place: SpecProblem.Place) -> JSONPointer? {
        guard let pointer = JSONPointer(parsing: "/" + text) else {
            report(
                .wrongType, at: place, "\(text) is no field", fix: "Write ~ in the name of a field as ~0, and / as ~1.")
            return nil
        }
        guard pointer.tokens.count <= SpecText.Limit.path else {
            report(
                .overLimit, at: place,
                "this leads through \(pointer.tokens.count) fields, and may through \(SpecText.Limit.path)",
                fix: "Name a field that is less deep; a slash in the name of one is ~1.")
            return nil
        }
        return pointer
    }
}

extension Draft {
    /// Makes the dictionaries that lead to a place and are not there.
    mutating func makeParents(of pointer: JSONPointer) throws(StepStop) {
        for count in 1..<max(1, pointer.tokens.count) {
            let parent = JSONPointer(Array(pointer.tokens.prefix(count)))
            if value[parent] == nil { try put(parent, .dictionary(Members())) }
        }
    }
}

extension [Name] {
    /// The names as a list in words.
    var list: String { map(\.text).joined(separator: ", ") }
}

extension JSONPointer {
    /// The field as a spec writes it.
    var fieldText: String { String(description.dropFirst()) }
}

// MARK: Lists

extension OperationTable {
    static let collections = [each, list, first, keys, split, join]

    private static let each = OperationDefinition(
        "each", "Operations on every item of an array, or every member of a dictionary.",
        arguments: "a list of operations",
        takes: [.array, .dictionary], gives: [.array, .dictionary], "that of its operations",
        example: .init(written: "each: [text]", before: "[1,2]", after: #"["1","2"]"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        let operations = reader.reader.operations(reader.required(), of: "each")
        // Of the items nothing is known but what the operations make of them.
        _ = reader.reader.checkTypes(operations, from: .any, at: reader.place)
        var operation = reader.edits(
            "each: \(operations.rule)", operations.inverse, facts: operations.facts,
            back: { value in
                switch value {
                case .array(let items):
                    let all = items.compactMap(operations.back)
                    return all.count == items.count ? .array(all) : nil
                case .dictionary(let members):
                    let all = members.compactMap { member in
                        operations.back(member.value).map { Member(key: member.key, value: $0) }
                    }
                    return all.count == members.count ? .dictionary(Members(all)) : nil
                default: return nil
                }
            }
        ) { draft, pointer, facts throws(StepStop) in
            // The parts are made beside the value and put there at once: one by one each would cost the whole.
            var parts: [(token: Name, value: Value)] = []
            switch draft.value[pointer] {
            case .array(let items)?: parts = items.enumerated().map { (Name("\($0)"), $1) }
            case .dictionary(let members)?: parts = members.map { ($0.key, $0.value) }
            default: break
            }
            var changed: [(pointer: JSONPointer, value: Value?)] = []
            var made: [JSONPointer] = [], origins = draft.origins
            for (token, value) in parts {
                var part: any Draft = ValueDraft(value, facts: draft.facts)
                let place = pointer.appending(token)
                part.allowance = draft.allowance
                part.origins = origins.part(at: place)
                defer { draft.allowance = part.allowance }
                do throws(StepStop) { try operations.apply(to: &part, facts) } catch { throw error.at(place) }
                made += part.placeholders.map { JSONPointer(place.tokens + $0.tokens) }
                origins.take(part.origins, at: place)
                draft.replacesValues = draft.replacesValues || part.replacesValues
                draft.losesPart = draft.losesPart || part.losesPart
                for note in part.notes where draft.notes.count < 20 {
                    draft.notes.append("\(place)\(note.hasPrefix("/") ? "" : ": ")\(note)")
                }
                if part.value != value { changed.append((place, part.value)) }
            }
            let kept = draft.placeholders
            do throws(FormatError) {
                try draft.replaceParts(changed)
            } catch {
                throw .failed("edit-impossible", "\(pointer) cannot be set: \(error.problem)")
            }
            draft.placeholders = kept + made
            draft.origins = origins
        }
        operation.inner = operations
        return operation
    }

    private static let list = OperationDefinition(
        "list", "An array with the value as its only item.", takes: .any, gives: .array, "exact",
        example: .init(written: "list", before: "5", after: "[5]")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        reader.value(
            "as a list of one",
            back: { value in
                guard case .array(let items) = value, items.count == 1 else { return nil }
                return items[0]
            }, within: "0"
        ) { value, _ throws(StepStop) in .array([value]) }
    }

    private static let first = OperationDefinition(
        "first", "The first item of an array.", takes: .array, gives: .any, "complement: the others are set aside",
        errors: ["empty-list"], example: .init(written: "first", before: "[5,6]", after: "5")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        reader.value(
            "the first item", .complement,
            loses: { old, _ in
                guard case .array(let items) = old, items.count > 1 else { return nil }
                return items.count == 2 ? "the other item is dropped" : "the other \(items.count - 1) items are dropped"
            }
        ) { value, _ throws(StepStop) in
            guard case .array(let items) = value, let first = items.first else {
                throw .failed("empty-list", "the list is empty")
            }
            return first
        }
    }

    private static let keys = OperationDefinition(
        "keys", "The keys of a dictionary, in its order.", takes: .dictionary, gives: .array,
        "complement: the values are set aside",
        example: .init(written: "keys", before: #"{"a":1,"b":2}"#, after: #"["a","b"]"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        reader.value(
            "its keys", .complement, loses: { old, _ in old.isEmptyValue ? nil : "the values are dropped" }
        ) { value, _ throws(StepStop) in
            .array((value.members ?? Members()).map { .string($0.key.text) })
        }
    }

    private static let split = OperationDefinition(
        "split", "A text taken apart: an array, or with into a dictionary, whose last field takes the rest.",
        arguments: "a text; or at: a text or several, into: fields, missing: a value for fields that get none",
        takes: .string, gives: [.array, .dictionary], "exact for an array, otherwise complement",
        errors: ["too-few-parts"],
        example: .init(
            written: #"split: {at: " ", into: [first, last], missing: ""}"#, before: #""Ada King Lovelace""#,
            after: #"{"first":"Ada","last":"King Lovelace"}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let node = reader.required() else { return nil }
        if case .scalar = node.content {
            guard let separator = reader.text(), !separator.isEmpty else { return nil }
            return reader.value(
                "split at “\(separator)”", gives: .array,
                back: { value in
                    guard case .array(let items) = value else { return nil }
                    return .string(items.compactMap(\.string).joined(separator: separator))
                }
            ) { value, _ throws(StepStop) in
                let most = Allowance.mostValues, parts = Texts.split(value.string ?? "", at: [separator], limit: most)
                if parts.count == most { try Allowance.check(.max) }
                return .array(parts.map { .string($0) })
            }
        }
        guard let members = reader.members(["at", "into", "missing"], required: ["at", "into"]) else { return nil }
        let separators = reader.reader.texts(members["at"], of: "at")
        let names = reader.reader.texts(members["into"], of: "into").map { Name($0) }
        let missing = members["missing"].map { SpecLiteral($0) }
        guard !separators.isEmpty, separators.allSatisfy({ !$0.isEmpty }), let into = members["into"], !names.isEmpty
        else { return nil }
        var seen: Set<Name> = []
        if let twice = names.first(where: { !seen.insert($0).inserted }) {
            reader.reader.report(
                .duplicateKey, at: into.place, "the field \(twice) stands twice in into, and would have two values",
                fix: "Give each part a field of its own.")
            return nil
        }
        var operation = reader.edits(
            "split at \(separators.map { "“\($0)”" }.joined(separator: " or ")) into \(names.list)", .complement,
            facts: missing?.facts ?? []
        ) { draft, pointer, facts throws(StepStop) in
            let parts = Texts.split(draft.value[pointer]?.string ?? "", at: separators, limit: names.count)
            var result = Members(), madeUp: [JSONPointer] = []
            for (index, name) in names.enumerated() {
                guard let part = index < parts.count ? .string(parts[index]) : try missing?.value(facts) else {
                    throw .failed("too-few-parts", "the text has \(parts.count) of \(names.count) parts")
                }
                // An empty text says that nothing is there, and invents nothing.
                if index >= parts.count, !part.isEmptyValue,
                    !(missing.map { $0.isFact && $0.isSaid(facts) } ?? false)
                {
                    madeUp.append(JSONPointer([name]))
                    draft.notes.append("\(name) is a placeholder: nobody entered \(part.jsonText)")
                }
                result.all.append(Member(key: name, value: part))
            }
            try draft.make(.dictionary(result), at: pointer, madeUp: madeUp)
            draft.placeholders += madeUp.map { JSONPointer(pointer.tokens + $0.tokens) }
        }
        // Which of them stood there is not kept.
        operation.drops = Set(separators).count > 1
        operation.inventsParts = missing.map { !$0.isFact && !($0.plain?.isEmptyValue ?? false) } ?? false
        return operation
    }

    private static let join = OperationDefinition(
        "join", "The texts of an array as one.", arguments: "the text between them", takes: .array, gives: .string,
        "complement: where one ends is set aside",
        example: .init(written: #"join: ",""#, before: #"["a","b"]"#, after: #""a,b""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let separator = reader.text() else { return nil }
        return reader.value(
            "joined with “\(separator)”", .complement,
            loses: { old, _ in
                guard case .array(let items) = old else { return nil }
                // What splitting gives again is not lost.
                let isClear = !separator.isEmpty && !items.contains { $0.string?.contains(separator) ?? false }
                return isClear && !items.isEmpty ? nil : "where one of its texts ends and the next begins is dropped"
            }
        ) { value, _ throws(StepStop) in
            guard case .array(let items) = value else { return value }
            let texts = items.compactMap(\.string)
            guard texts.count == items.count else {
                throw .failed("wrong-type", "join takes an array of strings, and not every item is one")
            }
            try Allowance.check(texts.reduce(0) { $0 + $1.utf8.count + separator.utf8.count })
            return .string(texts.joined(separator: separator))
        }
    }
}

/// Texts taken apart by their bytes.
enum Texts {
    /// The pieces between separators, at most so many; of two separators at one place the first named counts.
    static func split(_ text: String, at separators: [String], limit: Int = .max) -> [String] {
        let bytes = Array(text.utf8), marks = separators.map { Array($0.utf8) }
        var pieces: [String] = [], start = 0, index = 0
        while index < bytes.count, pieces.count + 1 < limit {
            guard let mark = marks.first(where: { bytes[index...].starts(with: $0) }) else {
                index += 1
                continue
            }
            pieces.append(String(decoding: bytes[start..<index], as: UTF8.self))
            index += mark.count
            start = index
        }
        return pieces + [String(decoding: bytes[start...], as: UTF8.self)]
    }
}
