import Testing

@testable import Specs

@Suite("Conditions that cannot be asked, never hold or are misread")
struct LintedConditionsTests: LintedSpecs {
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
}
