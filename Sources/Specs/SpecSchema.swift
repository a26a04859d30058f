import Foundation
import MigrationEngine
import StoreFormats

/// The JSON Schema (draft 2020-12) of spec files, made from the tables that the reader reads by.
package enum SpecSchema {
    /// The schema as text.
    package static func schema() throws(FormatError) -> String {
        String(decoding: try JSONDocument.write(.dictionary(root)), as: UTF8.self)
    }

    private static let text = object([("type", .string("string"))])
    private static let texts = either(text, object([("type", .string("array")), ("items", text)]))
    private static let flag = object([("type", .string("boolean"))])
    private static let anything = object([])

    private static func object(_ members: [(Name, Value)]) -> Value { .dictionary(members) }
    private static func either(_ all: Value...) -> Value { object([("anyOf", .array(all))]) }
    private static func reference(_ name: String) -> Value { object([("$ref", .string("#/$defs/\(name)"))]) }
    private static func words(_ all: [String]) -> Value { object([("enum", .array(all.map(Value.string)))]) }
    private static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> Value {
        words(Word.allCases.map(\.rawValue))
    }

    private static func mapping(
        _ members: [(String, Value)], required: [String] = [], about: String? = nil
    ) -> Value {
        var all: [(Name, Value)] = about.map { [("description", .string($0))] } ?? []
        all += [
            ("type", .string("object")), ("properties", object(members.map { (Name($0.0), $0.1) })),
            ("additionalProperties", .bool(false)),
        ]
        if !required.isEmpty { all.append(("required", .array(required.map(Value.string)))) }
        return object(all)
    }

    private static func mapping(of value: Value) -> Value {
        object([("type", .string("object")), ("additionalProperties", value)])
    }

    private static func list(of value: Value) -> Value {
        object([("type", .string("array")), ("items", value)])
    }

    private static var root: [(Name, Value)] {
        let properties: [(String, Value)] = SpecReader.keys.map { ($0, property($0)) }
        guard case .dictionary(let members) = mapping(properties, required: ["vestige", "id", "steps"]) else {
            return []
        }
        return [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("A spec of Vestige: a migration as data")),
        ] + members.map { ($0.key, $0.value) } + [("$defs", object(definitions))]
    }

    /// What stands behind a key of a spec, or of a step.
    private static func property(_ key: String) -> Value {
        switch key {
        case "vestige": object([("const", .string(Spec.format))])
        case "id", "title", "about", "rule", "differs", "because", "document", "step-id": text
        case "see", "apps", "leave", "after", "only", "optional", "except": texts
        case "applies", "requires", "if", "check": reference("conditions")
        case "facts": mapping(of: reference("fact"))
        case "stores": mapping(of: texts)
        case "profiles": mapping(of: either(text, reference("profile")))
        case "defaults": mapping(["type", "exists", "source", "error"].map { ($0, property($0)) })
        case "steps":
            object([
                ("type", .string("array")), ("maxItems", .integer(Int128(SpecText.Limit.steps))),
                ("items", reference("step")),
            ])
        case "expect": either(reference("expectation"), list(of: reference("expectation")))
        case "type": texts
        case "from":
            either(text, reference("source"), list(of: either(text, reference("source"))), mapping(of: anything))
        case "to": either(text, reference("target"), mapping(of: anything))
        case "at": texts
        case "do": reference("operations")
        case "empty": words(SpecRow.Empty.self)
        case "exists": words(SpecRow.Existing.self)
        case "source": words(SpecRow.Keeping.self)
        case "error": either(words(SpecRow.OnError.self), mapping(of: words(SpecRow.OnError.self)))
        case "say": mapping(of: text)
        case "secret": flag
        case "in-profile": mapping(of: object([("type", .string("object"))]))
        case "notes":
            list(of: either(text, mapping([("if", reference("conditions")), ("say", text)], required: ["if", "say"])))
        case "remove": texts
        case "unmigrated": words(["keep", "remove"])
        case "version": either(object([("const", .string("shape"))]), reference("version"))
        case "versions": mapping(of: reference("edition"))
        default: anything
        }
    }

    private static var definitions: [(Name, Value)] {
        let steps = SpecReader.kinds.map { kind in
            mapping(
                (kind.keys + SpecReader.common).map { key in
                    // A document of which each version has an entry.
                    (key, kind.tell == "document" && key == "source" ? words(["keep", "remove"]) : property(key))
                }, about: kind.name)
        }
        let operations = OperationTable.all.map { definition in
            mapping(
                ([definition.name] + definition.besides).map { ($0, anything) }, required: [definition.name],
                about: "\(definition.summary) Example: \(definition.example.written)")
        }
        let names = OperationTable.all.filter { $0.arguments == "none" || $0.name == "number" }.map(\.name)
        return [
            ("step", object([("anyOf", .array(steps))])),
            (
                "operations",
                object([
                    ("type", .string("array")), ("maxItems", .integer(Int128(SpecText.Limit.operations))),
                    ("items", object([("anyOf", .array([words(names)] + operations))])),
                ])
            ),
            (
                "conditions",
                either(reference("condition"), list(of: reference("condition")))
            ),
            (
                "condition",
                either(
                    text,
                    mapping([("any", list(of: anything)), ("test", text), ("say", text)]))
            ),
            (
                "fact",
                mapping(
                    [
                        ("type", words(SpecFact.Kind.self)), ("about", text), ("example", text), ("infer", text),
                        ("assume", text),
                        ("from", text), ("do", reference("operations")), ("fresh", flag),
                    ], required: ["type"])
            ),
            ("profile", mapping([("about", text), ("like", text), ("requires", reference("conditions"))])),
            (
                "source",
                mapping(
                    [("at", text), ("ignore", list(of: words(SpecRow.Source.Ignored.self)))], required: ["at"])
            ),
            (
                "target",
                mapping(
                    [
                        ("at", text), ("ignore", list(of: words(SpecRow.Source.Ignored.self))),
                        ("accessible", words(SpecReader.Accessible.self)), ("device-only", flag), ("group", text),
                    ], required: ["at"])
            ),
            (
                "version",
                mapping([
                    ("field", text), ("beside", text), ("in-name", text),
                    ("missing", object([("type", .string("integer"))])),
                    ("doubt", words(["fail", "ask"])),
                ])
            ),
            (
                "edition",
                mapping([
                    ("has", object([("type", .string("object"))])), ("without", texts),
                    ("made-by", reference("operations")),
                ])
            ),
            (
                "expectation",
                mapping(
                    [
                        ("name", text), ("profile", text), ("facts", mapping(of: anything)), ("fixture", text),
                        ("given", mapping(of: anything)),
                        ("gives", mapping(of: anything)), ("outcomes", mapping(of: words(Outcome.Kind.self))),
                    ], required: ["name"])
            ),
        ]
    }
}
