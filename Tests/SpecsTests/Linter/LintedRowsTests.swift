import StoreFormats
import Testing

@testable import Specs

@Suite("Rows that write, read or remove what is another row's")
struct LintedRowsTests: LintedSpecs {
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

    @Test("What a removal takes besides the parts that were read is told with the removal that takes no more")
    func takenWithParts() throws {
        let rows = "- {id: a, from: 'app/d#/a', to: safe/a}\n- {id: b, from: 'app/d#/b', to: safe/b}\n"
        let found = try #require(Self.lint(rows + "- {id: z, remove: [app/d]}").first { $0.code == .lossy })
        #expect(found.place.line == 7 && found.fix.contains(##"remove: ["app/d#/a", "app/d#/b"]"##), "\(found)")
        #expect(!Self.lint(rows + ##"- {id: z, remove: ["app/d#/a", "app/d#/b"]}"##).contains { $0.code == .lossy })
    }

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

    @Test("A target whose source a star leaves out with except is written once")
    func exceptions() {
        let excepted = "- {id: a, from: app/*, to: safe/*, except: [app/y]}\n- {id: b, from: app/y, to: safe/y}"
        #expect(!Self.lint(excepted).contains { $0.code.rawValue == "V401" }, "\(Self.lint(excepted))")
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

    @Test("Of many rows that read what one takes away the next is named, by one finding for each that takes it")
    func removedEarly() {
        let rows = (0..<50).map { "- {id: r\($0), from: app/a, to: app/b\($0), source: remove}" }.joined(
            separator: "\n")
        let found = Self.lint(rows, "stores: {app: defaults://com.acme.notes}").filter { $0.code == .removedEarly }
        #expect(found.count == 49)
        #expect(found.first?.sentence.hasPrefix("r1 reads") == true)
        #expect(found.last?.sentence.hasPrefix("r49 reads") == true, "\(found.last?.sentence ?? "")")
    }
}
