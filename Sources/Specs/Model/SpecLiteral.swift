import MigrationEngine
import StoreFormats

/// A value that a spec writes out, in whose texts facts may stand in braces.
struct SpecLiteral: Hashable, Sendable {
    private indirect enum Part: Hashable, Sendable {
        case plain(Value)
        /// A fact alone keeps its type.
        case fact(FactName)
        case text(AddressTemplate)
        case array([Part])
        case dictionary([(Name, Part)])

        static func == (left: Part, right: Part) -> Bool {
            switch (left, right) {
            case (.plain(let left), .plain(let right)): left == right
            case (.fact(let left), .fact(let right)): left == right
            case (.text(let left), .text(let right)): left == right
            case (.array(let left), .array(let right)): left == right
            case (.dictionary(let left), .dictionary(let right)):
                left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            // Most are plain values; whatever has facts is rare.
            if case .plain(let value) = self { hasher.combine(value) }
        }
    }

    private let root: Part
    /// The facts in it.
    let facts: [FactName]

    init(_ value: Value) { (root, facts) = (.plain(value), []) }

    init(_ node: SpecNode) {
        var facts: [FactName] = []
        root = Self.part(node, &facts)
        self.facts = facts.uniqued
    }

    private static func part(_ node: SpecNode, _ facts: inout [FactName]) -> Part {
        switch node.content {
        case .list(let items): return .array(items.map { part($0, &facts) })
        case .mapping(let members): return .dictionary(members.map { (Name($0.key), part($0.value, &facts)) })
        case .scalar(.string(let text)) where text.contains("{"):
            // A brace that names no fact is text, such as JSON.
            guard let template = AddressTemplate(text), !template.facts.isEmpty,
                template.facts.allSatisfy(\.isPlainWord)
            else { return .plain(.string(text)) }
            facts += template.facts
            if case .fact(let name)? = template.pieces.first, template.pieces.count == 1 { return .fact(name) }
            return .text(template)
        case .scalar(let value): return .plain(value)
        }
    }

    /// The value, with the facts in it.
    func value(_ facts: SpecFacts) throws(StepStop) -> Value { try Self.value(root, facts) }

    /// The value where no fact stands in it.
    var plain: Value? { try? value(SpecFacts(definitions: [:], facts: Facts())) }

    private static func value(_ part: Part, _ facts: SpecFacts) throws(StepStop) -> Value {
        switch part {
        case .plain(let value): return value
        case .fact(let name): return try facts.value(name)
        case .text(let template):
            var text = ""
            for piece in template.pieces {
                switch piece {
                case .text(let plain): text += plain
                case .star: text += "*"
                case .fact(let name): text += try facts.text(name)
                }
                try Allowance.check(text.utf8.count)
            }
            return .string(text)
        case .array(let parts):
            var elements: [Value] = []
            for part in parts { elements.append(try value(part, facts)) }
            return .array(elements)
        case .dictionary(let members):
            var all: [Member] = []
            for (key, part) in members { all.append(Member(key: key, value: try value(part, facts))) }
            return .dictionary(Members(all))
        }
    }

    /// Whether its facts are what somebody has said, or a store tells.
    func isSaid(_ known: SpecFacts) -> Bool { !facts.isEmpty && facts.allSatisfy(known.isSaid) }

    /// Whether a fact is all of it, and nothing the file writes out.
    var isFact: Bool { if case .fact = root { true } else { false } }

    /// The value in words, with the names of facts in it.
    var phrase: String { Self.phrase(root) }

    private static func phrase(_ part: Part) -> String {
        switch part {
        case .plain(let value): value.jsonText
        case .fact(let name): "‹\(name)›"
        case .text(let template):
            "\""
                + template.pieces.map { piece in
                    switch piece {
                    case .text(let plain): String(Value.string(plain).jsonText.dropFirst().dropLast())
                    case .star: "*"
                    case .fact(let name): "‹\(name)›"
                    }
                }.joined() + "\""
        case .array(let parts): "[" + parts.map(phrase).joined(separator: ",") + "]"
        case .dictionary(let members): "{" + members.map { "\"\($0)\":\(phrase($1))" }.joined(separator: ",") + "}"
        }
    }
}

extension FactName {
    /// Whether it is letters, digits and hyphens: what a fact is called.
    var isPlainWord: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
