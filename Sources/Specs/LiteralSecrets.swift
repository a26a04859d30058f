import MigrationEngine
import StoreFormats

/// The values that a spec file writes out; those that look like secrets are told, as a spec is reviewed, sent around and kept.
///
/// A value is looked at under the name that it goes by: the key that it is written to or stands at, and the members on the
/// way to it. Names, addresses and sentences are no values.
struct LiteralSecrets {
    private var found: [(place: SpecProblem.Place, value: WrittenValue)] = []
    /// Whether the row says of what it writes that it is secret.
    private var isSaid = false

    /// - Parameter isSecret: Whether a value looks like a secret, under the names of an address in some store.
    static func all(in root: SpecNode, _ isSecret: (Address, Value) -> Bool) -> [SpecProblem] {
        var literals = LiteralSecrets()
        literals.look(in: root)
        return literals.found.filter { $0.value.looksSecret(isSecret) }.map { place, _ in
            SpecProblem(
                .literalSecret, at: place, "this looks like a secret, and a spec is sent around",
                fix: "Take it from a fact or an entry, or write an invented one that says so, such as example-1.")
        }
    }

    /// All of them, under the names that they go by.
    static func values(in root: SpecNode) -> [WrittenValue] {
        var literals = LiteralSecrets()
        literals.look(in: root)
        return literals.found.map(\.value)
    }

    private mutating func look(in root: SpecNode) {
        for member in root.members {
            switch member.key {
            case "facts":
                for fact in member.value.members {
                    for part in fact.value.members where ["example", "assume"].contains(part.key) {
                        literal(part.value, at: Self.named(fact.key))
                    }
                }
            case "steps":
                for step in member.value.items { look(in: step.members, target: "") }
                isSaid = false
            case "expect":
                for part in member.value.items.flatMap(\.members) where ["facts", "given", "gives"].contains(part.key) {
                    for entry in part.value.members { literal(entry.value, at: Self.named(entry.key)) }
                }
            default: break
            }
        }
    }

    /// - Parameter target: Where the row writes, unless these members say it.
    private mutating func look(in step: [SpecNode.Member], target outer: String) {
        func member(_ key: String) -> SpecNode? { step.first { $0.key == key }?.value }
        // What the row itself says of secrets goes before what its names say.
        let said = member("secret")?.content
        if case .scalar(.bool(false))? = said { return }
        if case .scalar(.bool(true))? = said { isSaid = true } else { isSaid = false }
        let read = (member("from") ?? member("at"))?.firstText, written = member("to")?.firstText ?? read ?? outer
        // Most rows write no value out, and then need no address.
        lazy var target = Self.named(written)
        lazy var source = Self.named(read ?? written)
        for part in step {
            switch part.key {
            case "value", "default": literal(part.value, at: target)
            case "if", "check": for item in part.value.items { condition(item, target, source) }
            case "do", "made-by":
                guard part.value.items.contains(where: { !$0.members.isEmpty }) else { break }
                operations(part.value, at: target, from: source)
            case "in-profile":
                // A profile replaces keys whole.
                for profile in part.value.members {
                    let own = profile.value.members, keys = Set(own.map(\.key) + ["in-profile"])
                    look(in: own + step.filter { !keys.contains($0.key) }, target: written)
                }
            case "versions": for version in part.value.members { look(in: version.value.members, target: written) }
            default: break
            }
        }
    }

    private mutating func operations(_ node: SpecNode, at target: Address, from source: Address) {
        for member in node.items.flatMap(\.members) {
            switch member.key {
            case "table":
                for pair in member.value.members {
                    // A short number stands in other sentences too.
                    if !pair.isPlainKey || Int128(pair.key) == nil || isSaid && pair.key.utf8.count > 3 {
                        scalar(.string(pair.key), at: source, pair.keyPlace)
                    }
                    literal(pair.value, at: target)
                }
            case "add", "else", "fill", "strip": literal(member.value, at: target)
            case "split":
                for part in member.value.members where part.key == "missing" { literal(part.value, at: target) }
            case "each": operations(member.value, at: target, from: source)
            case "in":
                for field in member.value.members {
                    let pointer = JSONPointer(field.key.split(separator: "/").map { Name(String($0)) })
                    operations(field.value, at: target.appending(pointer), from: source.appending(pointer))
                }
            default: break
            }
        }
    }

    /// What a condition compares with: `value is hunter2`.
    private mutating func condition(_ node: SpecNode, _ target: Address, _ source: Address) {
        guard case .scalar(.string(let text)) = node.content else {
            for member in node.members where ["any", "test"].contains(member.key) {
                for item in member.value.items { condition(item, target, source) }
            }
            return
        }
        let words = text.split(separator: " ").map(String.init)
        guard words.count > 2, words[1] == "is" else { return }
        let rest = words.dropFirst(words[2] == "not" ? 3 : 2),
            isWord = rest.count == 1 && Self.tests.contains(rest[rest.startIndex])
        guard !rest.isEmpty, !isWord, !Self.comparisons.contains(rest[rest.startIndex]) else { return }
        let parts = words[0].split(separator: "#", maxSplits: 1).map(String.init)
        let entry = parts[0] == "value" ? source : parts[0] == "target" ? target : Self.named(words[0])
        let pointer = ["value", "target"].contains(parts[0]) && parts.count > 1 ? JSONPointer(parsing: parts[1]) : nil
        scalar(.string(rest.joined(separator: " ")), at: pointer.map(entry.appending) ?? entry, node.place)
    }

    /// What a condition may say instead of a literal.
    private static let tests = Set(
        ValueType.Kind.allCases.map(\.rawValue) + ["absent", "empty", "true", "false", "null"])
    private static let comparisons: Set<String> = ["above", "below", "at"]

    private mutating func literal(_ node: SpecNode, at address: Address) {
        switch node.content {
        case .scalar(let value): scalar(value, at: address, node.place)
        case .list(let items): for item in items { literal(item, at: address) }
        case .mapping(let members):
            // A value with its type, as the program's JSON writes it, goes by the name around it.
            let isTyped = Set(members.map(\.key)) == ["type", "value"]
            for member in members where !isTyped || member.key == "value" {
                literal(member.value, at: isTyped ? address : address.appending(JSONPointer([Name(member.key)])))
            }
        }
    }

    private mutating func scalar(_ value: Value, at address: Address, _ place: SpecProblem.Place) {
        switch value {
        case .null, .bool: return
        case .string(let text):
            // Of a text with facts in it, what is written out; nothing of one that says that nothing is there.
            let pieces = AddressTemplate(text)?.pieces ?? [.text(text)]
            let written = pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
            guard text != "absent", written.contains(where: { !$0.isEmpty }) else { return }
            found.append((place, WrittenValue(.string(written.joined()), at: address, parts: written, isSaid: isSaid)))
        default: found.append((place, WrittenValue(value, at: address, isSaid: isSaid)))
        }
    }

    /// The key and the field of an address, or a name by itself, in a store that says nothing of secrets.
    private static func named(_ text: String) -> Address {
        let pieces = AddressTemplate(text)?.pieces ?? [.text(text)]
        let plain = pieces.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
        // Behind the kind of store, if it is said, and the name of the store.
        let kind = plain.utf8.firstIndex(of: UInt8(ascii: ":")).flatMap { end in
            plain.utf8[end...].starts(with: "://".utf8) ? plain.utf8.index(end, offsetBy: 3) : nil
        }
        let path = plain[(kind ?? plain.startIndex)...], key = path.parts(at: "/", most: 2).last ?? path
        let store = StoreID.defaults("spec")
        return (try? Address(parsing: "\(store)/\(key)")) ?? Address(store: store, key: Name(String(key)))
    }
}

extension SpecNode {
    /// The items of a list; one that stands by itself is a list of one.
    fileprivate var items: [SpecNode] { if case .list(let items) = content { items } else { [self] } }

    /// The first text in it, which of a source or a target is its address.
    fileprivate var firstText: String? {
        switch content {
        case .scalar(let value): value.string
        case .list(let items): items.firstResult(of: \.firstText)
        case .mapping(let members):
            members.first { $0.key == "at" }?.value.firstText ?? members.firstResult(of: \.value.firstText)
        }
    }
}
