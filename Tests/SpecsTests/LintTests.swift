import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("The linter")
struct LintTests {
    static func lint(
        _ steps: String, _ head: String = "stores: {app: defaults://com.acme.notes, safe: keychain://com.acme}"
    ) -> [SpecProblem] {
        Spec.lint(Data("vestige: migration/1\nid: test\n\(head)\nsteps:\n\(steps)\nexpect: [{name: x}]\n".utf8))
    }

    @Test(
        "What is doubtful in a spec is told with its line",
        arguments: [
            ("- {id: a, from: safe/a, to: safe/b}", "V202", 3, "alias app"),
            ("- {from: app/a, to: safe/b}", "V601", 5, "made of the target"),
            ("- {id: a, from: app/a, to: safe/b, source: discard}", "V502", 5, "keeps what it has"),
            ("- {id: a, from: app/a, to: safe/b, exists: overwrite}", "V502", 5, "overwritten"),
            ("- {id: a, from: safe/a, to: app/b}", "V501", 5, "secret goes to app/b"),
            ("- {id: a, from: app/a, to: safe/b, default: x}", "V503", 5, "made up"),
            ("- {id: a, from: app/a, to: app/b, do: [{table: {x: 1, z: 1}}]}", "V304", 5, "one value of several"),
            (
                "- {id: a, from: app/a, to: safe/b, do: [{time: {from: microseconds, to: milliseconds}}, text]}",
                "V303", 5,
                "coarser"
            ),
            (
                "- {id: a, from: app/a, to: safe/b, source: remove}\n- {id: b, from: app/a, to: app/c}", "V402", 5,
                "b reads the source"
            ),
            (
                "- {id: a, from: \"app/l#/0\", to: safe/b, source: remove}\n- {id: b, from: \"app/l#/1\", to: app/c}",
                "V402", 5, "b reads an item behind"
            ),
            (
                "- {id: a, from: app/a, type: integer, to: safe/b, do: [{scale: {times: 1.5}}, text]}", "V303", 5,
                "53 bits"
            ),
            (
                "- {id: a, from: app/a, type: integer, to: safe/b, do: [text, {number: real}, text]}", "V303", 5,
                "number makes a real"
            ),
            ("- {id: a, from: app/a, to: {at: safe/b, accessible: always}}", "V501", 5, "while the device is locked"),
            ("- {id: a, from: app/a, to: safe/b, error: aside}", "V502", 5, "that nothing reads"),
            ("- {id: a, from: app/a, to: app/b, do: [{add: {f: 1}}]}", "V503", 5, "nobody entered"),
            ("- {id: a, from: app/a, to: app/b, do: [{in: {f: [{add: {f: 1}}]}}]}", "V503", 5, "nobody entered"),
            (
                "- {id: a, from: app/a, to: app/b, do: [{each: [{table: {x: 1, z: 1}}]}]}", "V304", 5,
                "one value of several"
            ),
            ("- {id: a, from: app/a, to: safe/b, do: [first], source: remove}", "V502", 5, "what first drops"),
            ("- {id: a, from: app/a, to: safe/b, do: [number, text], source: remove}", "V502", 5, "what number drops"),
            (
                "- {id: a, from: app/a, to: app/b, do: [{add: {f: 1}, exists: replace}], source: remove}", "V502", 5,
                "what add drops"
            ),
            (
                "- {id: a, from: app/a, to: app/b, do: [{table: {x: 1}, else: 2}], source: remove}", "V502", 5,
                "what table drops"
            ),
            (
                "- {id: a, from: app/a, to: app/b, do: [{split: {at: [\",\", \";\"], into: [p, q]}}], source: remove}",
                "V502",
                5, "what split drops"
            ),
            (
                "- {id: a, from: app/a, to: app/b, do: [{time: {from: microseconds, to: milliseconds}}], source: remove}",
                "V502", 5, "what time drops"
            ),
            (
                "- {id: a, from: app/x.*, to: safe/*, source: remove}\n- {id: b, from: app/x.one, to: app/c}", "V402",
                5,
                "b reads the source"
            ),
            (
                "- {id: a, from: app/a, to: safe/b}\n- {id: z, remove: every source, unmigrated: remove}", "V505", 6,
                "lost"
            ),
        ])
    func findings(steps: String, code: String, line: Int, says: String) {
        let found = Self.lint(steps).filter { $0.code.rawValue == code }
        #expect(found.count == 1, "\(Self.lint(steps))")
        #expect(found.first?.place.line == line)
        #expect(found.first?.sentence.contains(says) == true, "\(found)")
        #expect(found.first.map { $0.code.severity } != .error)
    }

    @Test(
        "What reaches further than one row is an error with its line",
        arguments: [
            ("- {id: a, from: app/x.*, to: safe/*}\n- {id: b, from: app/y, to: safe/y}", "V401", "b and a both write"),
            ("- {id: a, from: {p: app/p, q: app/q}, to: {p: safe/z, q: safe/z}}", "V401", "twice in one to"),
            ("- {id: a, from: app/p, to: safe/x}\n- {id: b, from: app/q, to: safe/%78}", "V401", "b and a both write"),
            ("- {id: a, remove: [\"app/*\"]}", "V504", "whole store"),
            ("- {id: a, remove: [\"file://AppSupport/x/*\"]}", "V504", "whole store or folder"),
            ("- {id: a, remove: [\"file://AppSupport/{bundleIdentifier}/**\"]}", "V504", "whole store or folder"),
            ("- {id: a, from: app/a, do: [{rename: {a: b, c: b}}], to: app/b}", "V104", "two fields go to b"),
            ("- {id: a, from: app/a, do: [{move: {a: x/b, c: x/b}}], to: app/b}", "V104", "two fields go to x/b"),
            ("- {id: a, from: app/a, if: [{any: []}], to: app/b}", "V108", "never holds"),
            ("- {id: a, from: app/a, if: [{any: [{any: [value is 1]}]}], to: app/b}", "V103", "any lies within any"),
            ("- {id: a, from: [], to: app/b}", "V108", "names no source"),
            ("- {id: a, from: app/a, to: {}}", "V108", "names no target"),
            ("- {id: a, value: 5}", "V108", "goes nowhere"),
            ("- {id: a, from: app/a, to: app/b, only: []}", "V108", "names no profile"),
            ("- {id: a, from: app/a, to: app/b, say: {nonsense: x}}", "V108", "no reason nonsense"),
            ("- {id: a, from: null, to: app/b}", "V103", "this is null"),
            (
                "- {id: a, from: app/a, type: integer, do: [{table: {\"1\": x}}], to: app/b}", "V301",
                "takes a string, and is given an integer"
            ),
            (
                "- {id: a, from: app/a, type: string, do: [{fill: '{value}@{region}'}], to: app/b}", "V301",
                "fill, as it is written, takes a dictionary"
            ),
            ("- {id: a, from: app/a, optional: [x], to: app/b}", "V108", "from is no mapping"),
            ("- {id: a, from: app/a, except: [app/b], to: app/c}", "V108", "the source has none"),
            ("- {id: a, remove: [\"sqlite://Library/a.sqlite/t/1\"]}", "V203", "only read"),
            (
                "- {id: a, from: \"sqlite://Library/a.sqlite/t/1#/v\", type: text, to: safe/a, source: remove}", "V203",
                "only read"
            ),
            ("- {id: a, value: 5, to: safe/x}", "V301", "holds bytes, and the result is an integer"),
            ("- {id: a, from: app/a, type: dictionary, to: \"file://Documents/a\"}", "V301", "holds bytes"),
            ("- {id: a, from: safe/a, type: json dictionary, do: [{remove: [x]}]}", "V301", "safe/a holds bytes"),
            ("- {id: a, from: app/a, to: \"sqlite://AppSupport/a.sqlite/T/1\"}", "V203", "only read"),
            ("- {id: a, from: app/a, to: \"file://Documents/a%00b\"}", "V203", "NUL"),
            ("- {id: a, from: \"sqlite://Library/x_*/t/r#/v\", to: safe/b, do: [trim]}", "V204", "a database's name"),
            ("- {id: a, from: app/a, to: safe/b, if: target is empty and value exists}", "V302", "more than one test"),
            (
                "- {id: a, from: app/a, to: safe/b, if: value is not empty or target exists}", "V302",
                "more than one test"
            ),
            ("- {id: a, from: app/a, to: safe/b, if: app/c is missing}", "V302", "compare with the text"),
            ("- {id: a, from: app/a, to: safe/b, if: app/c is not missing}", "V302", "compare with the text"),
            ("- {id: a, from: app/a, to: safe/b, if: 'value#/x is present'}", "V302", "compare with the text"),
            ("- {id: a, from: app/a, to: safe/b, if: target is not set}", "V302", "compare with the text"),
            ("- {id: a, from: app/a, to: safe/b, if: app/c is null}", "V302", "compare with the text"),
            ("- {id: a, from: app/a, do: [{each: [number, {case: upper}]}], to: app/b}", "V301", "case takes a string"),
            ("- {id: a, from: app/a, do: [{in: {f: [number, trim]}}], to: app/b}", "V301", "trim takes a string"),
            (
                "- {id: a, from: app/a, if: [app/m is 1], to: app/t}\n- {id: b, from: app/b, if: [app/m is 1.0], to: app/t}",
                "V401", "both write app/t"
            ),
            (
                "- {document: d, at: app/d, version: shape, versions: {1: {has: {a: string}}, "
                    + "2: {has: {b: string}, made-by: [{rename: {c: b}}]}}}", "V404", "made of a field"
            ),
        ])
    func errors(steps: String, code: String, says: String) {
        let found = Self.lint(steps).filter { $0.code.severity == .error }
        #expect(found.map(\.code.rawValue) == [code], "\(found)")
        #expect(found.first?.sentence.contains(says) == true, "\(found)")
    }

    @Test(
        "What reads behind a removal, behind one who takes the whole entry, or asks for what is gone, is told",
        arguments: [
            ("- {id: rm, remove: [app/a]}\n- {id: b, from: app/a, to: safe/b}", 5, "b stands behind this step"),
            (
                "- {id: a, from: app/a, to: safe/a}\n- {id: rm, remove: every source}\n- {id: b, from: app/b, to: safe/b}",
                6, "b stands"
            ),
            (
                "- {id: a, from: app/a, to: safe/a, source: remove}\n- {id: b, from: app/b, if: app/a exists, to: safe/b}",
                5,
                "b reads the source"
            ),
            (
                "- {id: a, from: app/a, to: safe/a, source: remove}\n- {id: b, from: \"app/a#/f\", to: safe/b}", 5,
                "b reads the source"
            ),
            (
                "- {id: a, from: app/a, to: safe/a, error: aside}\n- {id: b, from: app/a, to: safe/b}", 5,
                "b reads the source"
            ),
            (
                "- {id: a, from: app/a, to: safe/a, error: {wrong-type: aside}}\n- {id: b, from: app/a, to: safe/b}", 5,
                "b reads the source"
            ),
        ])
    func removedEarly(steps: String, line: Int, says: String) {
        let found = Self.lint(steps).filter { $0.code == .removedEarly }
        #expect(found.map(\.place.line) == [line] && found[0].sentence.contains(says), "\(Self.lint(steps))")
    }

    @Test(
        "What an operation drops goes with its source also where a removal takes that, and in place",
        arguments: [
            ("- {id: a, from: app/a, do: [first], to: safe/a}\n- {id: z, remove: every source}", 1),
            ("- {id: a, from: app/a, do: [trim], to: safe/a}\n- {id: z, remove: [app/a]}", 1),
            ("- {id: a, from: app/a, do: [{remove: [x]}], if: value is dictionary}", 1),
            ("- {id: a, from: app/a, do: [first], to: safe/a}\n- {id: z, remove: [app/b]}", 0),
            ("- {id: a, from: app/a, do: [trim]}", 0),
            ("- {id: a, from: app/a, do: [{each: [first]}], to: app/b, source: remove}", 1),
            ("- {id: a, from: app/a, do: [{in: {f: [{each: [trim]}]}}], to: app/b, source: remove}", 1),
            ("- {id: a, from: app/a, do: [{each: [{remove: [x]}]}], if: value is array}", 1),
            ("- {id: a, from: app/a, do: [{each: [trim]}], to: app/b}", 0),
            ("- {id: a, from: app/a, do: [{fill: 'p{value}'}], to: safe/a, source: remove}", 0),
            ("- {id: a, from: app/a, do: [{table: {x: 1}, else: 0}], to: app/b, source: remove}", 1),
            ("- {id: a, from: app/a, do: [{table: {x: 1}}], to: app/b, source: remove}", 0),
            ("- {id: a, from: app/a, do: [{fill: 'p{x}'}], to: safe/a, source: remove}", 1),
            ("- {id: a, from: 'app/d#/a', to: safe/a}\n- {id: z, remove: [app/d]}", 1),
            ("- {id: a, from: 'app/d#/a', to: safe/a}\n- {id: z, remove: every source}", 1),
            ("- {id: a, from: 'app/d#/a', to: safe/a}\n- {id: z, remove: ['app/d#/a']}", 0),
            (
                "- {id: a, from: 'app/d#/a', to: safe/a}\n- {id: b, from: app/d, to: safe/d}\n- {id: z, remove: [app/d]}",
                0
            ),
            ("- {id: a, from: 'app/d.*#/a', to: safe/*}\n- {id: z, remove: [app/d.*]}", 1),
            (
                "- {id: a, from: 'app/d.x#/a', to: safe/a}\n- {id: b, from: app/d.*, to: safe/*}\n- {id: z, remove: [app/d.x]}",
                0
            ),
        ])
    func lossy(steps: String, count: Int) {
        #expect(Self.lint(steps).count { $0.code == .lossy } == count, "\(Self.lint(steps))")
    }

    @Test(
        "Two rows that may write one entry are told at the later one; what says that it knows of the other is not",
        arguments: [
            ("- {id: a, from: app/a, to: app/x}\n- {id: b, from: app/b, to: \"app/x#/f\"}", [6]),
            ("- {id: a, from: app/a, to: \"app/x#/f\"}\n- {id: b, from: app/b, to: app/%78}", [6]),
            ("- {id: a, from: app/a, to: \"app/x#/f/g\"}\n- {id: b, from: app/b, to: \"app/x#/f\"}", [6]),
            ("- {id: a, from: app/a, to: \"app/x#/g\"}\n- {id: b, from: app/b, to: \"app/x#/f\"}", []),
            ("- {id: a, from: app/a, to: app/x}\n- {id: b, from: app/b, to: \"app/x#/f\", exists: overwrite}", []),
            ("- {id: a, from: app/a, to: \"app/x#/f\"}\n- {id: b, from: app/b, to: app/x, exists: overwrite}", [6]),
            ("- {id: a, from: app/a, to: app/x}\n- {id: b, from: app/b, if: target is absent, to: \"app/x#/f\"}", []),
            ("- {id: a, from: app/a.*, to: app/x.*}\n- {id: b, from: app/b.*, to: app/x.b*}", [6]),
            ("- {id: a, from: app/a.*, to: app/x.*.p}\n- {id: b, from: app/b.*, to: app/x.b.*}", [6]),
            ("- {id: a, from: app/a.*, to: app/x.*.p}\n- {id: b, from: app/b.*, to: app/x.*.q}", []),
            ("- {id: a, from: app/a.*, to: app/x.*}\n- {id: b, from: app/b.*, to: app/z.*}", []),
            ("- {id: a, from: app/a.*, to: app/x.*}\n- {id: b, from: app/b.*, to: app/x.b*, exists: keep}", []),
            (
                "- {id: a, from: app/a.*, except: [app/a.b*], to: app/x.*}\n- {id: b, from: app/a.b*, to: app/x.b*}", []
            ),
            ("- {id: a, from: app/a, do: [trim]}\n- {id: b, from: app/b, to: app/a}", [6]),
            ("- {id: a, from: app/a*, do: [trim]}\n- {id: b, from: app/b, to: app/ab}", [6]),
            ("- {id: a, from: app/b, to: app/a}\n- {id: b, from: app/a, do: [trim]}", []),
            ("- {id: a, from: app/a, do: [trim]}\n- {id: b, from: app/b, to: app/a, exists: keep}", []),
            ("- {id: a, from: app/a, do: [trim]}\n- {id: b, from: app/b, to: app/c}", []),
        ] as [(String, [Int])])
    func overlapping(steps: String, lines: [Int]) {
        let found = Self.lint(steps).filter { $0.code == .overlappingWriters }
        #expect(found.map(\.place.line) == lines, "\(Self.lint(steps))")
        #expect(
            found.allSatisfy { $0.code.rawValue == "V406" && $0.sentence.hasPrefix("a and this row may both write") })
    }

    @Test("What rows are told together is told of no spec of the package or example", arguments: Specs.examples)
    func falseAlarms(name: String) throws {
        let told: [SpecProblem.Code] = [
            .operand, .openTable, .twoWriters, .removedEarly, .overlappingWriters, .wholeStore, .endless,
        ]
        let found = Spec.lint(Data(try Specs.text(name).utf8)).filter { told.contains($0.code) }
        #expect(found.isEmpty, "\(name): \(found)")
    }

    @Test("What a removal takes besides the parts that were read is told with the removal that takes no more")
    func takenWithParts() throws {
        let rows = "- {id: a, from: 'app/d#/a', to: safe/a}\n- {id: b, from: 'app/d#/b', to: safe/b}\n"
        let found = try #require(Self.lint(rows + "- {id: z, remove: [app/d]}").first { $0.code == .lossy })
        #expect(found.place.line == 7 && found.fix.contains(##"remove: ["app/d#/a", "app/d#/b"]"##), "\(found)")
        #expect(!Self.lint(rows + ##"- {id: z, remove: ["app/d#/a", "app/d#/b"]}"##).contains { $0.code == .lossy })
    }

    @Test(
        "A table of which one value stands for several is told, unless the row passes over what is not in it",
        arguments: [("", 1), (", error: {not-in-table: skip}", 0), (", error: skip", 0), (", error: aside", 0)])
    func openTable(rest: String, count: Int) {
        let row = "- {id: a, from: app/a, do: [{table: {x: 1, z: 1}}], to: app/b\(rest)}"
        #expect(Self.lint(row).count { $0.code == .openTable } == count, "\(Self.lint(row))")
    }

    @Test(
        "What cannot be asked of a subject is refused with what can",
        arguments: [
            ("any source was used", "Of any source, ask only exists or is absent"),
            ("any source is empty", "Of any source, ask only"), ("any source is above 3", "Of any source, ask only"),
            ("store app was used", "Of a store, ask only"), ("store app is string", "Of a store, ask only"),
            ("value was used", "by its address: app/KEY was used"), ("target was used", "by its address"),
            ("fact/now was used", "Its sources are app/a"), ("app/c was used", "Its sources are app/a"),
        ])
    func subjects(condition: String, fix: String) {
        let found = Self.lint("- {id: a, from: app/a, to: safe/a, if: [\(condition)]}").filter {
            $0.code.severity == .error
        }
        #expect(found.map(\.code.rawValue) == ["V302"] && found[0].fix.contains(fix), "\(found)")
    }

    @Test(
        "What is likely no text to compare with is refused with what is meant",
        arguments: [
            ("is not absent", "Write exists"), ("is not exists", "Write is absent"), ("is exists", "Write exists"),
            ("is > 5", "is above"), ("is != 5", "is above"), ("is app/m", "behind is above"),
            ("is fact/now", "behind is above"), ("is json dictionary", "type: json dictionary"),
            ("is equal to 7", "in quotes"), ("is between 1 and 5", "in quotes"), ("is a string", "in quotes"),
            ("is defined", "Write exists"), (#"is not "x" or is empty"#, "in quotes"),
        ])
    func misread(test: String, fix: String) {
        let found = Self.lint("- {id: a, from: app/a, to: safe/a, if: ['app/b \(test)']}").filter {
            $0.code.severity == .error
        }
        #expect(found.map(\.code.rawValue) == ["V302"] && found[0].fix.contains(fix), "\(found)")
        let fine = ["is absent", "is Ada", "is application/json", "is 'two words'", "is not \"x y\""]
        for test in fine {
            let problems = Self.lint("- {id: a, from: app/a, to: safe/a, if: [\(Self.quoted("app/b \(test)"))]}")
            #expect(!problems.contains { $0.code.severity == .error }, "\(test): \(problems)")
        }
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

    @Test("Rows of one source and one target whose ifs ask for two things of the value are written once")
    func exclusiveValues() {
        func writers(_ one: String, _ other: String) -> [String] {
            Self.lint("- {id: a, from: app/a, to: app/t\(one)}\n- {id: b, from: \(other), to: app/t, do: [{wrap: x}]}")
                .filter { $0.code.severity == .error }.map(\.code.rawValue)
        }
        #expect(writers(", if: [value is integer]", "app/a, if: [value is string]") == [])
        #expect(writers(", if: [value is 1]", "app/a, if: [value is 2]") == [])
        #expect(writers(", if: [value is 1]", "app/b, if: [value is 2]") == ["V401"])
        #expect(writers(", if: [value is 1], type: integer", "app/a, if: [value is 2]") == ["V401"])
        // What the first takes away the second reads no more.
        #expect(writers(", if: [value is 1], source: remove", "app/a, if: [value is 2]") == ["V401"])
    }

    @Test(
        "The types of what an operation takes and gives are as its arguments say",
        arguments: [
            ("string", "{table: {x: '{locale}'}}, trim", false),
            ("string", "{table: {x: 1}, else: '{locale}'}, text", false),
            ("string", "{time: {from: seconds, to: date}}", true),
            ("integer", "{time: {from: iso8601, to: date}}", true),
            ("string", "{encode: base64}", true), ("data", "{encode: base64}", false), ("data", "{encode: utf8}", true),
            ("dictionary", "{encode: json}", false),
        ])
    func operands(type: String, operations: String, isRefused: Bool) {
        let found = Self.lint("- {id: a, from: app/a, type: \(type), do: [\(operations)], to: app/t}")
        #expect(found.contains { $0.code == .operand } == isRefused, "\(found)")
    }

    @Test("A target whose source a star leaves out with except is written once")
    func exceptions() {
        let excepted = "- {id: a, from: app/*, to: safe/*, except: [app/y]}\n- {id: b, from: app/y, to: safe/y}"
        #expect(!Self.lint(excepted).contains { $0.code.rawValue == "V401" }, "\(Self.lint(excepted))")
    }

    @Test(
        "A comparison that never holds by the type of the row is an error with the line of the test",
        arguments: [
            ("real", "value is larger than 0", "larger than"),
            ("string", "value is above 3", "a string, which has no order"),
            ("bool", "value is 1", "a bool, and never 1"), ("date", "value is above 3", "a number is none"),
            ("string", "value is 3", "never 3"), ("integer", "value is integer above 3", "more than one test"),
            ("integer", "value is string", "never a string"),
            ("date", "value is above fact/build", "the fact build is none"),
        ])
    func comparisons(type: String, test: String, says: String) {
        let head =
            "facts: {build: {type: integer}}\nstores: {app: defaults://com.acme.notes, safe: keychain://com.acme}"
        let row = "- {id: a, from: app/a, type: \(type), if: [\(test)], to: app/b}"
        let problems = Specs.problems(ofSteps: row, head)
        #expect(problems.map(\.code.rawValue) == ["V302"], "\(problems)")
        #expect(problems.first?.sentence.contains(says) == true, "\(problems)")
        #expect(problems.first?.place.line == 6)
    }

    @Test(
        "A comparison that may hold is none",
        arguments: [
            ("number", "value is above 0"), ("date", "value is above fact/now"), ("flag", "value is true"),
            ("[string, integer]", "value is 3"), ("string", "value is more than words"),
            ("integer", "value is at most fact/now"), ("real", "value is 3"), ("text", "value is not empty"),
            ("string", "value is uuid"), ("bool", "value is flag"),
        ])
    func mayHold(type: String, test: String) {
        let head = "stores: {app: defaults://com.acme.notes, safe: keychain://com.acme}"
        let row = "- {id: a, from: app/a, type: \(type), if: ['\(test)'], to: app/b}"
        let problems = Specs.problems(ofSteps: row, head)
        #expect(problems.isEmpty == !test.contains("than"), "\(problems)")
    }

    @Test(
        "A row in place that would change its own result again is told; one that says for what it is, or may repeat, is not",
        arguments: [
            ("{from: app/a, do: [not]}", 1), ("{from: app/a, do: [text]}", 1), ("{from: app/a, do: [trim]}", 0),
            ("{from: app/a, do: [text], if: value is integer}", 0), ("{from: app/a, do: [text], to: app/b}", 0),
            ("{from: app/a, do: [{table: {x: y}}], error: {not-in-table: skip}}", 0),
            // To pass over an error does not help where there is none the second time.
            ("{from: app/a, do: [{table: {x: p, p: q}}], error: {not-in-table: skip}}", 1),
            ("{from: app/a, type: string, do: [{strip: {prefix: x}}], error: {no-prefix: skip}}", 1),
            (
                "{from: app/a, type: string, do: [{split: {at: ':', into: [p, q]}}, {pick: q}], "
                    + "error: {too-few-parts: skip}}", 1
            ),
            // Within a value.
            ("{from: app/a, type: dictionary, do: [{in: {f: [{scale: {times: 10}}]}}]}", 1),
            ("{from: app/a, type: array, do: [{each: [{fill: 'x{value}'}]}]}", 1),
            ("{from: app/a, type: dictionary, do: [{in: {f: [trim]}}]}", 0),
            // A type that is asked of what is decoded.
            ("{from: app/a, type: json dictionary, if: [value is dictionary], do: [{wrap: f}, {encode: json}]}", 1),
            ("{from: app/a, type: json dictionary, if: ['value#/f is absent'], do: [{wrap: f}, {encode: json}]}", 0),
            // What no step changes is the same the second time.
            ("{from: app/a, do: [not], if: [app/b exists]}", 1),
            ("{from: app/a, type: string, if: ['value#/f exists'], do: [trim]}", 0),
            ("{from: app/a, do: [{add: {f: 1}}]}", 1), ("{from: app/a, do: [{add: {f: 1}, exists: keep}]}", 0),
            // The type is asked before the condition is.
            ("{from: app/a, type: string, if: [value is string], do: [number]}", 0),
            ("{from: app/a, type: string, do: [number]}", 1),
            ("{from: app/a, type: string, if: [app/m is absent], do: [number]}", 1),
            ("{from: app/a, type: json dictionary, if: [value is dictionary], do: [{wrap: f}]}", 1),
            ("{from: app/a, type: real, do: [{round: nearest}]}", 1),
            ("{from: app/a, do: [{round: nearest}]}", 0),
            // A condition that holds of the result too tells nothing.
            ("{from: app/a, type: string, if: [value is string], do: [{strip: {prefix: x}}]}", 1),
            // A star that fits its own target.
            ("{from: app/x.*, to: app/x.y.*, source: remove}", 1), ("{from: app/*-*, to: app/*_*}", 1),
            ("{from: app/x.*, to: app/x.y.*, except: [app/x.y.*]}", 0), ("{from: app/x.*, to: app/y.*}", 0),
            ("{from: app/*-*, to: app/*_*, except: ['app/*_*']}", 0), ("{from: app/*, to: safe/*}", 0),
            // Values that take each other's places.
            ("{from: {a: app/a, b: app/b}, to: {a: app/b, b: app/a}, exists: overwrite}", 1),
            ("{from: {a: app/a, b: app/b}, to: {a: app/a, b: app/c}, exists: overwrite}", 0),
            ("{from: app/a, type: string, do: [{fill: 'x{value}'}], to: app/a, exists: overwrite}", 1),
        ])
    func endless(row: String, count: Int) {
        #expect(Self.lint("- " + row).count { $0.code.rawValue == "V405" } == count, "\(Self.lint("- " + row))")
    }

    @Test(
        "A word that is likely a type or a test in other words is told; in quotes, or as a word of its own, it is a text",
        arguments: [
            ("is int", "is integer"), ("is Number", "is number"), ("is EMPTY", "is empty"), ("is json", "type: json"),
            ("is not Boolean", "is not bool"), ("is property-list", "type: property-list"), ("is 'int'", nil),
            ("is \"Number\"", nil), ("is list", nil), ("is integer", nil), ("is Ada", nil),
        ])
    func likelyTypes(test: String, fix: String?) {
        let row = "- {id: a, from: app/n, if: 'value \(test.replacing("'", with: "''"))', to: app/o}"
        let problems = Specs.problems(ofSteps: row, "stores: {app: defaults://c.a}")
        #expect(problems.map(\.code) == (fix == nil ? [] : [.comparison]), "\(problems)")
        #expect(fix.map { problems.first?.fix.contains($0) == true } ?? true, "\(problems)")
    }

    @Test(
        "To keep the larger takes numbers, and a result that is none is told",
        arguments: [
            ("type: string", 1), ("type: date", 1), ("type: integer", 0), ("type: string, do: [number]", 0),
            ("type: integer, do: [text]", 1), ("type: [string, integer]", 0),
        ])
    func larger(keys: String, count: Int) {
        let row = "- {id: a, from: app/n, \(keys), to: app/o, exists: larger}"
        let problems = Specs.problems(ofSteps: row, "stores: {app: defaults://c.a}")
        #expect(problems.count == count && problems.allSatisfy { $0.code == .comparison }, "\(problems)")
    }

    @Test(
        "Rows whose conditions exclude one another may have one target",
        arguments: [
            ("app/m is 1", "app/m is 2"), ("app/m is 1", "app/m is not 1"), ("app/m exists", "app/m is absent"),
            ("app/m is string", "app/m is integer"), ("app/m is above 3", "app/m is at most 3"),
            ("app/m is absent", "app/m is 1"),
        ])
    func exclusive(one: String, other: String) throws {
        let rows = "- {id: a, from: app/a, if: [\(one)], to: app/t}\n- {id: b, from: app/b, if: [\(other)], to: app/t}"
        let head = "stores: {app: defaults://com.acme.notes}"
        #expect(Specs.problems(ofSteps: rows, head).isEmpty, "\(Specs.problems(ofSteps: rows, head))")
        let values = ["a", "b"].map { ("defaults://com.acme.notes/" + $0, Value.string($0)) }
        var tried = try Tried(try Specs.spec(rows, head), values + [("defaults://com.acme.notes/m", 1)])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/t"] != nil)
        #expect(try tried.plan().pending.isEmpty)
        // What a step between them changes is one thing for the first and another for the second.
        let between = rows.replacing("\n", with: "\n- {id: m, value: 2, to: app/m, exists: overwrite}\n")
        #expect(Specs.problems(ofSteps: between, head).map(\.code) == [.twoWriters])
        let behind = rows + "\n- {id: m, value: 2, to: app/m, exists: overwrite}"
        #expect(Specs.problems(ofSteps: behind, head).isEmpty)
    }

    @Test(
        "What says that it is invented, and what no secret is that a name says nothing of, is no literal secret",
        arguments: [
            "'---'", "user_profile", "wk", "keychain", "unknown", "SHA256", "1724990100", "'1724990100'", "example-1",
            "a demo of it",
        ])
    func invented(text: String) {
        let row = "- {id: a, value: \(text), to: app/password}",
            isInvented = text.contains("example") || text.contains("demo")
        #expect(Self.secrets(row) { address, _ in "\(address)".contains("password") } == [])
        // What looks like one by itself is one, unless it says that it is invented.
        #expect(Self.secrets(row) { _, _ in true } == (isInvented ? [] : [5]))
    }

    @Test(
        "A form that is read in place and not written again is told",
        arguments: [
            ("{from: app/a, type: json dictionary, do: [{remove: [x]}]}", 1),
            ("{from: app/a, type: json dictionary, do: [{remove: [x]}, {encode: json}]}", 0),
            ("{from: app/a, type: dictionary, do: [{remove: [x]}]}", 0),
            ("{from: app/a, type: json dictionary, do: [{remove: [x]}], to: app/b}", 0),
        ])
    func formLeft(row: String, count: Int) {
        let found = Self.lint("- " + row)
        #expect(found.count { $0.sentence.contains("what reads text or data there finds none") } == count, "\(found)")
    }

    @Test(
        "A literal that looks like a secret by itself is told with its line; an address or a sentence that does is not",
        arguments: [
            ("- {id: a, value: s3cret, to: app/b, rule: s3cret}", [5]),
            ("- {id: a, from: app/s3cret, to: app/b, title: s3cret}", []),
            ("- {id: a, from: app/b, default: [x, s3cret], to: app/c}", [5]),
            ("- {id: a, from: app/b, do: [{table: {s3cret: 1, x: s3cret}}], to: app/c}", [5, 5]),
            ("- {id: a, from: app/b, do: [{table: {x: 1}, else: s3cret}], to: app/c}", [5]),
            ("- {id: a, from: app/b, type: string, do: [{fill: 's3cret{value}'}], to: app/c}", [5]),
            ("- {id: a, from: app/b, do: [{in: {f: [{add: {g: s3cret}}]}}], to: app/c}", [5]),
            ("- {id: a, value: s3cret, to: app/b, secret: false}", []),
            ("- {id: a, from: app/b, if: value is s3cret, to: app/c}", [5]),
            ("- {id: a, from: app/b, check: [{any: [value is empty, app/x is not s3cret]}], to: app/c}", [5]),
            (
                "- {id: a, from: app/b, do: [{split: {at: x, into: [f, g], missing: s3cret}}, {pick: f}], to: app/c}",
                [5]
            ),
            (
                "- {document: d, at: app/d, version: shape, versions: "
                    + "{1: {has: {a: string}}, 2: {has: {b: string}, made-by: [{add: {b: s3cret}}]}}}", [5]
            ),
            ("- {id: a, from: app/b, to: app/c}\nexpect: [{name: x, given: {app/b: s3cret}}]", [6]),
        ] as [(String, [Int])])
    func literalSecrets(steps: String, lines: [Int]) {
        #expect(Self.secrets(steps) { _, value in value == .string("s3cret") } == lines)
    }

    @Test(
        "A literal is looked at under the names that it goes by: its target's, those of the members around it, its fact's",
        arguments: [
            ("- {id: a, value: swordfish, to: app/password}", [5]), ("- {id: a, value: swordfish, to: app/plain}", []),
            ("- {id: a, value: {password: swordfish, plain: x2}, to: app/b}", [5]),
            ("- {id: a, value: {in: {password: swordfish}}, to: app/b}", [5]),
            ("- {id: a, from: app/password, do: [{add: {b: swordfish}}]}", [5]),
            ("- {id: a, from: app/b, do: [{add: {password: swordfish}}], to: app/c}", [5]),
            ("- {id: a, from: app/b, do: [{in: {password: [{fill: 'swordfish{value}'}]}}], to: app/c}", [5]),
            ("- {id: a, value: swordfish, to: app/b, in-profile: {default: {to: app/password}}}", [5]),
            ("- {id: a, value: swordfish, to: app/password, in-profile: {default: {to: app/b}}}", [5]),
            ("- {id: a, from: app/b, to: app/c}\nexpect: [{name: x, gives: {app/password: swordfish}}]", [6]),
            ("- {id: a, from: app/b, to: app/c}\nexpect: [{name: x, gives: {'app/c#/password': swordfish}}]", [6]),
            ("- {id: a, from: app/b, to: app/c}\nexpect: [{name: x, gives: {app/password: absent}}]", []),
            ("- {id: a, from: app/password, if: value is string, to: app/c}", []),
            ("- {id: a, from: app/password, if: value is above 3, to: app/c}", []),
            ("- {id: a, from: app/b, if: 'value#/password is swordfish', to: app/c}", [5]),
            ("- {id: a, value: true, to: app/password}", []), ("- {id: a, value: '{locale}', to: app/password}", []),
        ] as [(String, [Int])])
    func namedSecrets(steps: String, lines: [Int]) {
        #expect(Self.secrets(steps) { address, _ in "\(address)".contains("password") } == lines)
    }

    private static func secrets(_ steps: String, _ isSecret: @Sendable (Address, Value) -> Bool) -> [Int] {
        let text = "vestige: migration/1\nid: test\nstores: {app: defaults://com.acme.notes}\nsteps:\n\(steps)\n"
        let found = Spec.lint(Data(text.utf8), isSecret: isSecret)
        // Most of these are specs that can be used; of the others the errors are shown.
        if let error = found.first(where: { $0.code.severity == .error }) { Issue.record("\(error)") }
        return found.filter { $0.code.rawValue == "V506" }.map(\.place.line)
    }

    @Test(
        "An address in a folder that is a store of its own is an error with the one that is meant",
        arguments: [
            ("file://Library/Caches/x", "file://Caches/x"), ("file://Library/Caches", "file://Caches"),
            ("file://Library/Caches/{bundleIdentifier}/*", "file://Caches/{bundleIdentifier}/*"),
            ("file://Library/Application%20Support/a/b.json#/f", "file://AppSupport/a/b.json#/f"),
            ("file://Library/Application Support/a", "file://AppSupport/a"),
            ("file://Library/Preferences/com.acme.plist", "defaults://com.acme"),
            ("file://Library/Preferences/by/com.acme.plist#/a/b", "defaults://by%2Fcom.acme/a#/b"),
            ("sqlite://Library/Caches%2Fa%2Fx.db/notes/1", "sqlite://Caches/a%2Fx.db/notes/1"),
            ("app/Caches/x", "file://Caches/x"), ("file://Library/Cachesx", nil), ("file://Library/Cookies/x", nil),
            ("file://Library/Preferences/x.txt", nil), ("file://group.a/Library/Caches/x", nil),
            ("file://Documents/Library/Caches/x", nil), ("file://Caches/x", nil), ("file://tmp/Library/Caches", nil),
            ("sqlite://Library/x.db/Caches/1", nil), ("defaults://Library/Caches/x", nil),
        ] as [(String, String?)])
    func ownStore(address: String, meant: String?) throws {
        let found = Self.lint("- {id: a, leave: ['\(address)'], because: x}", "stores: {app: file://Library}").filter {
            $0.code == .ownStore
        }
        #expect(found.map(\.fix) == (meant.map { ["Write \($0)."] } ?? []), "\(found)")
        #expect(found.allSatisfy { $0.place.line == 5 && $0.code.severity == .error && $0.code.rawValue == "V205" })
    }

    @Test("Of many rows that read what one takes away the next is named, by one finding for each that takes it")
    func removedEarly() {
        let rows = (0..<50).map { "- {id: r\($0), from: app/a, to: app/b\($0), source: remove}" }.joined(
            separator: "\n")
        let found = Self.lint(rows, "stores: {app: defaults://com.acme.notes}").filter { $0.code == .removedEarly }
        #expect(found.count == 49)
        #expect(found.first?.sentence.hasPrefix("r1 reads") == true)
        #expect(found.last?.sentence.hasPrefix("r49 reads") == true, "\(found.last?.sentence ?? "")")
    }

    @Test("With a dump, a source that nothing has and a type that is not there are told")
    func notInDump() throws {
        let stores = MemoryStores([
            (
                .defaults("com.acme.notes"),
                Members([
                    Member(key: "a", value: .integer(1)),
                    Member(key: "archive", value: .data(try KeyedArchive.write(.dictionary([("k", .integer(1))])))),
                ])
            )
        ])
        let text = """
            vestige: migration/1
            id: test
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: a, from: app/a, type: integer, to: app/x}
            - {id: b, from: app/b, type: integer, to: app/y}
            - {id: c, from: app/a, type: string, to: app/z}
            - {id: d, from: app/archive, type: json dictionary, to: app/v}
            """
        let found = Spec.lint(Data(text.utf8), on: (stores, Facts())).filter { $0.code.rawValue == "V602" }
        #expect(found.map(\.place.line) == [6, 7, 8], "\(found)")
        #expect(!Spec.lint(Data(text.utf8)).contains { $0.code.rawValue == "V602" })
    }

    @Test("A spec in which nothing is doubtful has no findings; a profile without an expectation has one")
    func none() {
        #expect(Self.lint("- {id: a, from: app/a, to: app/b}", "stores: {app: defaults://com.acme.notes}") == [])
        let profiles = "stores: {app: defaults://com.acme.notes}\nprofiles: {one: first, two: second}"
        #expect(Self.lint("- {id: a, from: app/a, to: app/b}", profiles).map(\.code) == [.unproven])
    }

    @Test("A file that cannot be used has its errors and nothing else")
    func errors() {
        let found = Self.lint("- {form: a, to: safe/b}")
        #expect(!found.isEmpty && found.allSatisfy { $0.code.severity == .error }, "\(found)")
    }

    @Test("The schema is made of the tables: it names every key that the reader knows, and every operation")
    func schema() throws {
        let schema = try JSONDocument(Data(try SpecSchema.schema().utf8)).value
        for key in KeySection.spec.names { #expect(schema[JSONPointer(["properties", Name(key)])] != nil, "\(key)") }
        let text = try SpecSchema.schema()
        for key in SpecReader.kinds.flatMap(\.section.names) + OperationTable.all.map(\.name) {
            #expect(text.contains("\"\(key)\":"), "\(key)")
        }
    }

}
