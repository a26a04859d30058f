import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("What an error of a spec says")
struct ReadingErrorTests {
    private static let head = "vestige: migration/1\nid: a\ntitle: b\nstores: {app: defaults://com.acme}\n"

    private static func problems(_ text: String) -> [SpecProblem] {
        Spec.lint(Data((head + text).utf8)).filter { $0.code.severity == .error }
    }

    @Test(
        "An error says what was meant and the fix, where it is",
        arguments: [
            (
                "about: x\nsteps: [{id: a, title: the group, where it is, from: app/a, to: app/b}]\n", 6, 35,
                "within braces a comma ends a text", #"title: "the group, where it is"."#
            ),
            ("steps:\n  - {id: a, from: {now}, to: app/b}\n", 6, 20, "braces are a mapping", #""{now}""#),
            ("steps:\n  - {id: a, from:app/a, to: app/b}\n", 6, 13, "has no blank behind it", "Write from: app/a."),
            ("about: Weights: the last\n", 5, 15, "a second colon", #"Write about: "Weights: the last"."#),
            (
                "steps:\n  - id: a\n    from:app/a\n    to: app/b\n", 7, 9, "has no blank behind it",
                "Write from: app/a."
            ),
            ("steps:\n  - id: a\n    from: *w\n", 7, 11, "begins with *", #""*w""#),
            ("steps:\n  - id: a\n    from: app/a\n      to: app/b\n", 8, 9, "indented by 6", "Indent it by 4"),
            ("steps:\n  - id: a\n    from: app/a\n   to: app/b\n", 8, 4, "indented by 3", "Indent it by"),
            ("steps:\n  - id: a\n  from: app/a\n", 7, 3, "and has no dash", "Indent it by 4"),
            ("about: \"open\nsteps:\n  - {id: a, from: app/a}\n", 5, 8, "the quote that opens here", "Close it"),
            ("steps:\n  - {id: a, from: app/a\n", 6, 5, "the brace that opens here", "Close it"),
            (
                "steps:\n  - id: a\n    from: app/a #/WEIGHT\n    to: app/b\n", 7, 11, "is a remark",
                "Write app/a#/WEIGHT"
            ),
            (
                "steps: [{id: a, from: app/a, type: float, to: app/b}]\n", 5, 36, "there is no type float",
                "Did you mean real?"
            ),
            (
                "steps: [{id: a, from: app/a, type: integer, do: [{scale: 100}], to: app/b}]\n", 5, 58,
                "scale has times or over",
                "scale: {times: 100}"
            ),
            (
                "steps: [{id: a, from: app/a, type: string, do: [trim, not], to: app/b}]\n", 5, 55,
                "not takes a bool", "These take it"
            ),
            (
                "steps: [{id: a, from: \"group://{bundleIdentifier}/x\", to: app/b}]\n", 5, 23,
                "“group://{bundleIdentifier}/x” is not an address", "file://group.com.acme.notes/"
            ),
        ] as [(String, Int, Int, String, String)])
    func meant(text: String, line: Int, column: Int, says: String, fix: String) {
        let problems = Self.problems(text)
        let found = problems.first { $0.sentence.contains(says) }
        #expect(found?.place == .init(line: line, column: column), "\(problems)")
        #expect(found?.fix.contains(fix) ?? false, "\(problems)")
    }

    @Test("Every mistake of a row is told with its line and column, and none that only follows from another")
    func everyMistake() {
        let all = Self.problems(
            """
            steps:
              - id: a
                from: {at: ap/a, ignore: [blank]}
                tpye: string
                type: flaot
                if: value is larger than 0
                do: [trimm, {case: uper}, {encode: xml}]
                exists: yes
                empty: never
                to: {at: group://x/y, accessible: sometimes}
                secret: 1
              - {id: b, form: app/b, type: string, do: [not, {each: [trim]}], to: app/c, soruce: keep}
              - {id: c, from:app/x, type: int, source: gone, to: app/d}
              - {document: d, at: ap/d, version: shape, versions: {1: {has: {a: strng}}}, source: keep}

            """)
        let places = all.map { "\($0.place.line):\($0.place.column) \($0.code.rawValue)" }
        #expect(
            places == [
                "7:16 V201", "7:31 V103", "8:5 V108", "9:11 V103", "10:9 V302", "11:10 V108", "11:24 V108",
                "11:40 V103", "12:13 V102", "13:12 V103", "14:14 V203", "14:39 V103", "15:13 V103",
                "16:5 V108", "16:45 V301", "16:51 V301", "16:78 V108", "17:13 V102", "17:31 V103", "17:44 V103",
                "18:23 V201", "18:69 V103", "18:87 V108",
            ], "\(all)")
    }

    @Test("Keys that are normalization twins are two, and one of them twice is told")
    func twinKeys() throws {
        let one = "caf\u{E9}", other = "cafe\u{301}"
        func codes(_ table: String) -> [SpecProblem.Code] {
            Specs.problems(
                ofSteps: "- {id: a, from: app/a, do: [{table: {\(table)}}], to: app/b}",
                "stores: {app: defaults://com.acme.notes}"
            ).map(\.code)
        }
        #expect(codes("\(one): 1, \(other): 2") == [])
        #expect(codes("\(one): 1, \(other): 2, \(one): 3") == [.duplicateKey])
        #expect(codes("\(one): 1, \(one): 2") == [.duplicateKey])
        var tried = try Tried(
            try Specs.spec(
                "- {id: a, from: app/a, do: [{table: {\(one): 1, \(other): 2}}], to: app/b}",
                "stores: {app: defaults://com.acme.notes}"),
            [("defaults://com.acme.notes/a", .string(other))])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/b"] == .integer(2))
    }

    @Test("Keys that stand twice are told beside what else is wrong in the file")
    func twins() {
        let all = Self.problems(
            """
            steps:
              - id: a
                from: app/a
                exists: keep
                "exists": larger
                type: flaot
                to: app/b
              - {id: b, from: app/c, to: app/d, to: app/e, empty: no}

            """)
        #expect(
            all.map { "\($0.place.line):\($0.place.column) \($0.code.rawValue)" } == [
                "8:5 V104", "10:11 V103", "12:26 V104", "12:55 V102",
            ], "\(all)")
    }

    @Test("Of a mapping none of whose keys can be read only the keys are told, not that it is empty")
    func unreadKeys() {
        for operation in ["add: {n: new}", "rename: {yes: b}", "copy: {1.5: b}", "in: {n: [trim]}"] {
            let found = Specs.problems(
                ofSteps: "- {id: r, from: defaults://a/d, type: dictionary, do: [{\(operation)}], to: defaults://a/t}")
            #expect(found.count == 1 && found.first?.code != .operand, "\(operation): \(found)")
        }
    }

    @Test("Of a file that is all mistakes the first hundred are told, and that there are more")
    func cap() {
        let all = Self.problems(
            "steps:\n" + (0..<300).map { "  - {id: s\($0), from: app/a\($0), type: flaot, to: ap/b}\n" }.joined())
        #expect(all.count == 101)
        #expect(all.last?.sentence == "there are more than 100 mistakes, and from here on they are not told")
        #expect(all.last?.place.line == 56)
    }

    @Test(
        "JSON is read with tabs between its parts and characters in two halves; what stands behind them keeps its place"
    )
    func json() throws {
        let json =
            "{\n\t\"vestige\":\t\"migration/1\",\n\t\"id\": \"a\", \"title\": \"\\ud83d\\ude00 \\u00e9\\\\\", \"apps\": [3]\n}\n"
        let problems = Spec.lint(Data(json.utf8)).filter { $0.code.severity == .error }
        #expect(problems.contains { $0.place == .init(line: 3, column: 56) }, "\(problems)")
        let spec = try Spec(
            Data(
                (json.replacing("[3]", with: "[\"com.acme\"]").dropLast(2)
                    + ",\t\"steps\": [{\"id\": \"s\", \"leave\": [], \"because\": \"no\"}]}").utf8))
        #expect(spec.title == "😀 é\\")
        #expect(SpecText.yaml(of: "{a: 'x\ty'}") == "{a: 'x\ty'}", "in YAML a tab stays one, which is refused")
        #expect(SpecText.yaml(of: "a: \"\\ud83d\\ude00\"") == "a: \"\\ud83d\\ude00\"")
        #expect(SpecText.yaml(of: #"{"a": "\ud83d"}"#) == #"{"a": "\ud83d"}"#, "half a character is none")
    }

    @Test("An expectation that differs only in its type names both types")
    func types() throws {
        let spec = try Spec(
            Data(
                (Self.head + """
                    steps: [{id: a, from: app/a, type: integer, do: [text], to: app/b}]
                    expect:
                      - {name: number, given: {app/a: 1}, gives: {app/b: 1}}

                    """).utf8))
        let failures = SpecTrial(spec.expectations[0], of: spec).failures.map(\.sentence)
        #expect(failures.contains { $0.contains("integer") && $0.contains("string") }, "\(failures)")
    }
}
