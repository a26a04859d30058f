import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("The linter")
struct LintTests: LintedSpecs {
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

    @Test("What rows are told together is told of no spec of the package or example", arguments: Specs.examples)
    func falseAlarms(name: String) throws {
        let told: [SpecProblem.Code] = [
            .operand, .openTable, .twoWriters, .removedEarly, .overlappingWriters, .wholeStore, .endless,
        ]
        let found = Spec.lint(Data(try Specs.text(name).utf8)).filter { told.contains($0.code) }
        #expect(found.isEmpty, "\(name): \(found)")
    }

    @Test(
        "A table of which one value stands for several is told, unless the row passes over what is not in it",
        arguments: [("", 1), (", error: {not-in-table: skip}", 0), (", error: skip", 0), (", error: aside", 0)])
    func openTable(rest: String, count: Int) {
        let row = "- {id: a, from: app/a, do: [{table: {x: 1, z: 1}}], to: app/b\(rest)}"
        #expect(Self.lint(row).count { $0.code == .openTable } == count, "\(Self.lint(row))")
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
