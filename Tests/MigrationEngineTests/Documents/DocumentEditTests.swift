import Foundation
import MigrationEngine
import StoreFormats
import Testing

@Suite("Edits of a document as data")
struct DocumentEditTests {
    /// Spacing, escapes, a number's text, an unknown field: none of which an edit may touch.
    static let text = #"{ "name" : "Pet\u0065r",  "age":"55", "n": 1.50e1 , "deep":{"a":[1 ,2]}, "x":null}"#
    static let digits = Conversion("text to integer") { value in
        value.string.flatMap { Int128($0) }.map(Value.integer)
    }
    static let negated = Conversion(
        "the opposite", forward: { if case .bool(let flag) = $0 { .bool(!flag) } else { nil } },
        backward: { if case .bool(let flag) = $0 { .bool(!flag) } else { nil } })

    @Test(
        "an edit changes the field that it names and leaves every other byte",
        arguments: [
            (
                DocumentEdit.add("/email", .value(.string("---"))),
                #"{ "name" : "Pet\u0065r",  "age":"55", "n": 1.50e1 , "deep":{"a":[1 ,2]}, "x":null, "email":"---"}"#,
                Step.Reversibility.exact
            ),
            (
                .rename("/name", to: "alias"),
                #"{ "alias" : "Pet\u0065r",  "age":"55", "n": 1.50e1 , "deep":{"a":[1 ,2]}, "x":null}"#, .exact
            ),
            (
                .remove("/age"), #"{ "name" : "Pet\u0065r",  "n": 1.50e1 , "deep":{"a":[1 ,2]}, "x":null}"#,
                .complement
            ),
            (.remove("/gone"), Self.text, .complement),
            (
                .convert("/age", Self.digits),
                #"{ "name" : "Pet\u0065r",  "age":55, "n": 1.50e1 , "deep":{"a":[1 ,2]}, "x":null}"#, .complement
            ),
            (
                .move("/age", to: "/deep/age"),
                #"{ "name" : "Pet\u0065r",  "n": 1.50e1 , "deep":{"a":[1 ,2],"age":"55"}, "x":null}"#, .exact
            ),
            (
                .wrap("/age", under: "value"),
                #"{ "name" : "Pet\u0065r",  "age":{"value":"55"}, "n": 1.50e1 , "deep":{"a":[1 ,2]}, "x":null}"#,
                .exact
            ),
        ])
    func bytes(edit: DocumentEdit, expected: String, reversibility: Step.Reversibility) throws {
        let step = DocumentStep(from: 0, [edit])
        let draft = try step.apply(to: JSONDocument.of(Self.text))
        // Spacing inside a field that is written anew is the document's own; compare without blanks there.
        #expect(draft.document.value == (try JSONDocument.of(expected)).value)
        #expect(draft.document.text.contains(#"1.50e1"#) && draft.document.text.contains(#"Pet\u0065r"#))
        #expect(edit.reversibility == reversibility)
        #expect(step.reversibility == reversibility)
        if case .remove = edit { #expect(draft.document.text == expected) }
        if case .rename = edit { #expect(draft.document.text == expected) }
    }

    @Test(
        "what does not fit the document is a reasoned stop",
        arguments: [
            (DocumentEdit.add("/name", .value(.null)), "failed field-exists"),
            (.add("/none/deep", .value(.null)), "failed edit-impossible"),
            (.rename("/none", to: "a"), "failed field-missing"),
            (.rename("/name", to: "age"), "failed edit-impossible"),
            (.convert("/none", Self.digits), "failed field-missing"),
            (.convert("/name", Self.digits), "failed not-convertible"),
            (.move("/none", to: "/a"), "failed field-missing"), (.move("/name", to: "/age"), "failed field-exists"),
            (.move("/deep", to: "/deep/b"), "failed edit-impossible"),
            (.move("/name", to: "/none/b"), "failed edit-impossible"),
            (.wrap("/none", under: "a"), "failed field-missing"),
        ])
    func stops(edit: DocumentEdit, code: String) throws {
        let document = try JSONDocument.of(Self.text)
        let stop = #expect(throws: StepStop.self) { try DocumentStep(from: 0, [edit]).apply(to: document) }
        #expect(stop?.outcome.code == code)
    }

    @Test("an added value is a placeholder, follows its field, and ends to be one where it is set")
    func placeholders() throws {
        var draft = DocumentDraft(try .of(#"{"a":1,"o":{}}"#))
        try draft.apply(.add("/email", .value(.string("---"))))
        #expect(draft.placeholders == ["/email"])
        try draft.apply(.rename("/email", to: "mail"))
        try draft.apply(.move("/mail", to: "/o/mail"))
        try draft.apply(.wrap("/o/mail", under: "value"))
        #expect(draft.placeholders == ["/o/mail/value"])
        #expect(draft.notes.contains { $0.contains("placeholder") })
        try draft.set("/o", to: .null)
        #expect(draft.placeholders.isEmpty)
    }

    @Test("a field that is there is kept or replaced where the edit says so, and a replacement is noted")
    func existing() throws {
        let document = try JSONDocument.of(#"{"theme":"dark"}"#)
        let light = DefaultValue.value(.string("light"))
        let kept = try DocumentStep(from: 1, [.add("/theme", light, existing: .keep)]).apply(to: document)
        #expect(kept.document == document)
        #expect(kept.placeholders.isEmpty)
        let replaced = try DocumentStep(from: 1, [.add("/theme", light, existing: .replace)]).apply(to: document)
        #expect(replaced.document.text == #"{"theme":"light"}"#)
        #expect(replaced.notes.contains { $0.contains("“dark”") })
    }

    @Test("a default that is made of a fact asks for it")
    func factDefault() throws {
        let language = DefaultValue.facts("locale", phrase: "the language of the locale") { facts throws(StepStop) in
            .string(String(try facts.text("locale").prefix(2)))
        }
        let step = DocumentStep(from: 1, [.add("/language", language)])
        #expect(step.facts == ["locale"])
        let document = try JSONDocument.of("{}")
        let stop = #expect(throws: StepStop.self) { try step.apply(to: document) }
        #expect(stop?.outcome.reason?.missingFacts == ["locale"])
        let facts = Facts(["locale": Fact("ar_EG", from: "test")])
        #expect(try step.apply(to: document, facts: facts).document.text == #"{"language":"ar"}"#)
    }

    @Test("a table converts its own values and no other, and is undone from the result where no two become one")
    func table() throws {
        let one = Conversion.table([(.string("m"), .integer(1)), (.string("f"), .integer(2))])
        let two = Conversion.table([(.string("m"), .integer(1)), (.string("f"), .integer(1))])
        #expect(DocumentEdit.convert("/s", one).reversibility == .exact)
        #expect(DocumentEdit.convert("/s", two).reversibility == .complement)
        let step = DocumentStep(from: 0, [.convert("/s", one)])
        #expect(try step.apply(to: .of(#"{"s":"f"}"#)).document.text == #"{"s":2}"#)
        #expect(throws: StepStop.self) { try step.apply(to: .of(#"{"s":"x"}"#)) }
    }

    // MARK: Undoing

    static let reversible: [(String, [DocumentEdit])] = [
        ("add", [.add("/email", .value(.string("---")))]), ("rename", [.rename("/name", to: "alias")]),
        ("remove", [.remove("/age")]), ("remove nothing", [.remove("/gone")]),
        ("convert", [.convert("/age", Self.digits)]), ("move", [.move("/age", to: "/deep/age")]),
        ("wrap", [.wrap("/age", under: "value")]),
        ("add over", [.add("/age", .value(.null), existing: .replace)]),
        ("add beside", [.add("/age", .value(.null), existing: .keep)]),
        (
            "all",
            [
                .add("/email", .value(.string("---"))), .rename("/name", to: "alias"), .remove("/x"),
                .convert("/age", Self.digits), .move("/age", to: "/deep/age"), .wrap("/deep", under: "in"),
            ]
        ),
    ]

    @Test("law: undoing what was just done gives what was there, byte for byte where nothing moved")
    func putGet() throws {
        for (name, edits) in Self.reversible {
            let step = DocumentStep(from: 0, edits), before = try JSONDocument.of(Self.text)
            let draft = try step.apply(to: before)
            let undone = try step.undo(draft.document, complement: draft.complement)
            #expect(undone.document.value.isEquivalentJSON(to: before.value), "\(name)")
            #expect(undone.lost.isEmpty, "\(name)")
            if ["add", "rename"].contains(name) { #expect(undone.document.data == before.data, "\(name)") }
        }
    }

    @Test("law: an edit of a field of both versions is kept, and doing the step again gives the edited document")
    func getPut() throws {
        for (name, edits) in Self.reversible {
            let step = DocumentStep(from: 0, edits), before = try JSONDocument.of(Self.text)
            let draft = try step.apply(to: before)
            let edited = try draft.document.replacing("/n", with: .integer(7))
            let undone = try step.undo(edited, complement: draft.complement)
            #expect(undone.document.value["/n"] == .integer(7), "\(name)")
            let again = try step.apply(to: undone.document)
            #expect(again.document.value.isEquivalentJSON(to: edited.value), "\(name)")
        }
    }

    @Test("an edit of a renamed, moved, wrapped or convertible field is carried back")
    func carried() throws {
        let step = DocumentStep(
            from: 0, [.rename("/name", to: "alias"), .wrap("/flag", under: "v"), .convert("/flag/v", Self.negated)])
        let draft = try step.apply(to: .of(#"{"name":"Peter","flag":true}"#))
        #expect(draft.document.text == #"{"alias":"Peter","flag":{"v":false}}"#)
        let edited = try draft.document.replacing([("/alias", .string("Pit")), ("/flag/v", .bool(true))])
        let undone = try step.undo(edited, complement: draft.complement)
        #expect(undone.document.text == #"{"name":"Pit","flag":false}"#)
        #expect(undone.lost.isEmpty)
    }

    @Test("a step that is undone from its result alone needs nothing that was set aside; another one does")
    func withoutComplement() throws {
        let before = try JSONDocument.of(#"{"name":"Peter","flag":true}"#)
        let exact = DocumentStep(
            from: 0,
            [.add("/email", .value(.string("---"))), .rename("/name", to: "alias"), .convert("/flag", Self.negated)])
        let after = try exact.apply(to: before).document
        #expect(try exact.undo(after).document.data == before.data)
        let edited = try after.replacing("/email", with: .string("p@e"))
        #expect(try exact.undo(edited).lost.map(\.pointer) == ["/email"])
        let removal = DocumentStep(from: 0, [.remove("/flag")])
        let stop = #expect(throws: StepStop.self) { try removal.undo(before) }
        #expect(stop?.outcome.reason?.code == "wrong-complement")
    }

    @Test("what was entered since and has no room in the older version is named, not dropped in silence")
    func lost() throws {
        let step = DocumentStep(
            from: 0,
            [.add("/email", .value(.string("---"))), .convert("/age", Self.digits), .wrap("/n", under: "v")])
        let draft = try step.apply(to: .of(#"{"age":"007","n":1}"#))
        let edited = try draft.document.replacing([
            ("/email", .string("p@e")), ("/age", .integer(8)), ("/n/unit", .string("m")),
        ])
        let undone = try step.undo(edited, complement: draft.complement)
        #expect(undone.document.text == #"{"age":"007","n":1}"#)
        #expect(Set(undone.lost.map(\.pointer)) == ["/email", "/age", "/n/unit"])
    }

    @Test("a removed field comes back with its value, unless somebody entered it anew")
    func removed() throws {
        let step = DocumentStep(from: 2, [.remove("/age")])
        let draft = try step.apply(to: .of(#"{"alias":"P","age":"55"}"#))
        let undone = try step.undo(draft.document, complement: draft.complement)
        #expect(undone.document.text == #"{"alias":"P","age":"55"}"#)
        let edited = try draft.document.replacing("/age", with: .string("56"))
        #expect(try step.undo(edited, complement: draft.complement).document.value["/age"] == .string("56"))
    }

    @Test("a closure can be undone only from the image of what was there, and says so")
    func closure() throws {
        let step = DocumentStep(from: 1, rule: "whatever") { draft in try draft.set("/a", to: .integer(2)) }
        #expect(step.reversibility == .beforeImage)
        let draft = try step.apply(to: .of(#"{"a":1}"#))
        let stop = #expect(throws: StepStop.self) { try step.undo(draft.document, complement: draft.complement) }
        #expect(stop?.outcome.reason?.code == "before-image-only")
    }
}
