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

    /// A part of the file, of which each key says what it is for.
    private static func mapping(
        _ section: KeySection, besides: KeySection? = nil, _ own: (String) -> Value? = { _ in nil }
    ) -> Value {
        mapping(
            (section.keys + (besides?.keys ?? [])).map { key in
                let value = own(key.name) ?? property(key.name)
                return (
                    key.name,
                    object(
                        [("description", .string(key.summary))]
                            + (value.members ?? Members()).filter { $0.key != "description" }
                            .map { ($0.key, $0.value) })
                )
            }, required: section.required, about: section.summary)
    }

    /// An outcome with its reason.
    private static var outcomeWithReason: Value {
        let reason = words(KeySection.reasonCodes.sorted())
        let one = mapping(KeySection.outcomes.names.map { ($0, reason) }).members ?? Members()
        return object(
            one.map { ($0.key, $0.value) } + [("minProperties", .integer(1)), ("maxProperties", .integer(1))])
    }

    private static func mapping(of value: Value) -> Value {
        object([("type", .string("object")), ("additionalProperties", value)])
    }

    private static func list(of value: Value) -> Value {
        object([("type", .string("array")), ("items", value)])
    }

    private static var root: [(Name, Value)] {
        guard case .dictionary(let members) = mapping(.spec) else { return [] }
        return [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("A spec of Vestige: a migration as data")),
        ] + members.map { ($0.key, $0.value) } + [("$defs", object(definitions))]
    }

    /// What stands behind a key of a spec, or of a step.
    private static func property(_ key: String) -> Value {
        switch key {
        case "vestige": object([("const", .string(Spec.format))])
        case "id", "title", "about", "rule", "differs", "because", "document", "step-id", "example", "infer", "assume",
            "like",
            "group", "field", "beside", "in-name", "name", "profile", "fixture":
            text
        case "see", "apps", "leave", "after", "only", "optional", "except": texts
        case "applies", "requires", "if", "check": reference("conditions")
        case "facts": mapping(of: reference("fact"))
        case "stores": mapping(of: texts)
        case "profiles": mapping(of: either(text, reference("profile")))
        case "defaults": mapping(.defaults)
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
        case "secret", "fresh", "device-only": flag
        case "ignore":
            either(words(SpecRow.Source.Ignored.self), list(of: words(SpecRow.Source.Ignored.self)))
        case "in-profile": mapping(of: object([("type", .string("object"))]))
        case "notes":
            list(of: either(text, mapping([("if", reference("conditions")), ("say", text)], required: ["if", "say"])))
        case "remove": texts
        case "unmigrated": words(SpecReader.Unmigrated.self)
        case "accessible": words(SpecReader.Accessible.self)
        case "missing": object([("type", .string("integer"))])
        case "doubt": words(["fail", "ask"])
        case "has": object([("type", .string("object"))])
        case "without": texts
        case "made-by": reference("operations")
        case "given", "gives": mapping(of: anything)
        case "outcomes": mapping(of: either(words(Outcome.Kind.self), outcomeWithReason))
        case "version": either(object([("const", .string("shape"))]), reference("version"))
        case "versions": mapping(of: reference("edition"))
        default: anything
        }
    }

    private static var definitions: [(Name, Value)] {
        let steps = SpecReader.kinds.map { kind -> Value in
            let step = mapping(kind.section, besides: .step) { key in
                // A document of which each version has an entry.
                kind.tell == "document" && key == "source" ? words(["keep", "remove"]) : nil
            }
            guard kind.tell == "from", let members = step.members else { return step }
            let tells = ["from", "value"].map { object([("required", .array([.string($0)]))]) }
            return object(members.map { ($0.key, $0.value) } + [("anyOf", .array(tells))])
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
                    mapping(.condition) { key in key == "any" ? list(of: anything) : text })
            ),
            (
                "fact",
                mapping(.fact) { key in key == "type" ? words(SpecFact.Kind.self) : key == "from" ? text : nil }
            ),
            ("profile", mapping(.profile)), ("source", mapping(.source) { key in key == "at" ? text : nil }),
            ("target", mapping(.target) { key in key == "at" ? text : nil }), ("version", mapping(.version)),
            ("edition", mapping(.edition)),
            ("expectation", mapping(.expectation) { key in key == "facts" ? mapping(of: anything) : nil }),
        ]
    }
}
