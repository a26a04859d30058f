import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("What an expectation may ask")
struct ExpectationTests {
    private static let head = "stores: {app: defaults://com.acme.notes}"
    private static let steps = """
        - {id: doc, from: app/doc, type: json dictionary, to: app/doc2}
        - {id: name, from: app/name, type: string, to: app/name2}
        """

    /// What is wrong with a spec that has this expectation.
    private static func problems(_ expectation: String, _ head: String = head) -> [SpecProblem] {
        Specs.problems(ofSteps: steps + "\nexpect:\n- {name: x, \(expectation)}", head)
    }

    private static func failures(_ expectation: String, _ head: String = head) throws -> [String] {
        let spec = try Specs.spec(steps + "\nexpect:\n- {name: x, \(expectation)}", head)
        return SpecTrial(try #require(spec.expectations.first), of: spec).failures.map(\.sentence)
    }

    @Test("how a step ends with its reason: another reason is told, and the one that was found")
    func reasons() throws {
        let given = "given: {app/doc: 'no json', app/name: Ada}"
        #expect(try Self.failures("\(given), outcomes: {doc: {failed: not-json}, name: migrates}") == [])
        #expect(try Self.failures("\(given), outcomes: {doc: failed}") == [])
        let other = try Self.failures("\(given), outcomes: {doc: {failed: wrong-type}}")
        #expect(other.count == 1, "\(other)")
        #expect(other[0].hasPrefix("failed (wrong-type) is expected of doc, and it is failed (not-json): "), "\(other)")
        let none = try Self.failures("\(given), outcomes: {name: {failed: not-json}}")
        #expect(none == ["failed (not-json) is expected of name, and it is migrates"], "\(none)")
        #expect(try Self.failures("given: {app/doc: '{}'}, outcomes: {name: {skipped: absent}}") == [])
    }

    @Test("what an entry is then: where it is not there, the step that would have made it says why")
    func givesNothing() throws {
        let failures = try Self.failures("given: {app/doc: 'no json'}, gives: {app/doc2: {a: 1}}")
        #expect(failures.count == 1 && failures[0].contains("there is nothing; doc failed: "), "\(failures)")
    }

    @Test(
        "A word or a reason that there is not is an error with its line and the nearest one",
        arguments: [
            ("{doc: {failed: not-jsn}}", SpecProblem.Code.key, "no reason not-jsn", "Did you mean not-json?"),
            ("{doc: {faild: not-json}}", .key, "no outcome faild", "Did you mean failed?"),
            ("{doc: faild}", .wrongType, "an outcome is one of", "Did you mean failed?"),
            ("{doc: not-json}", .wrongType, "a reason and no outcome", "Write {failed: not-json}."),
            ("{doc: absent}", .wrongType, "a reason and no outcome", "Write {skipped: absent}."),
            ("{doc: {failed: not-json, skipped: absent}}", .wrongType, "one reason", "{failed: not-json}"),
            ("{doc: {failed: 5}}", .wrongType, "a reason is text", "quotes"),
        ])
    func wrongReasons(outcomes: String, code: SpecProblem.Code, says: String, fix: String) throws {
        let problems = Self.problems("outcomes: \(outcomes)"), problem = try #require(problems.first)
        #expect(problems.count == 1 && problem.code == code && problem.place.line == 8, "\(problems)")
        #expect(problem.sentence.contains(says) && problem.fix.contains(fix), "\(problem)")
    }

    @Test("Every outcome is in the tables, in the schema with its reasons, and read with each of them")
    func outcomes() throws {
        #expect(KeySection.outcomes.names == Outcome.Kind.allCases.map(\.rawValue))
        #expect(KeySection.outcomes.isCalled("outcomes"))
        #expect(KeySection.all.contains { $0.name == KeySection.outcomes.name })
        let schema = try SpecSchema.schema()
        for code in KeySection.reasonCodes { #expect(schema.contains("\"\(code)\""), "\(code)") }
        for reason in KeySection.reasons.keys {
            let example = "outcomes: {doc: {\(reason.values.phrase): \(reason.name)}}"
            #expect(Self.problems(example).isEmpty, "\(example)")
            #expect(reason.example.contains("{STEP: {\(reason.values.phrase): \(reason.name)}}"))
        }
    }

    @Test("What is given as absent is not there; a text of that name has its type beside it")
    func absent() throws {
        #expect(try Self.failures("given: {app/name: absent}, outcomes: {name: {skipped: absent}}") == [])
        let text = "{type: string, value: absent}"
        #expect(try Self.failures("given: {app/name: \(text)}, gives: {app/name2: \(text)}") == [])
    }

    @Test(
        "An address that is no entry, or needs a fact that the expectation does not say, is an error",
        arguments: [
            ("given: {app/n*: 1}, gives: {app/name2: 1}", SpecProblem.Code.wildcards, "app/n* is not one whole entry"),
            ("given: {app/name: a}, gives: {app/n*: a}", .wildcards, "app/n* is not one entry"),
            ("given: {'app/{who}': a}, gives: {app/name2: absent}", .unknownName, "needs the fact who"),
            ("given: {app/name: a}, gives: {'app/{who}': absent}", .unknownName, "needs the fact who"),
            ("given: {app/name: {type: date, value: \"2024-01-01\"}}", .wrongType, "no value of the type date"),
            ("given: {app/name: {type: locked, value: 1}}", .key, "type of a value locked"),
            ("fixture: '.', gives: {app/name2: a}", .address, "is the folder of the file itself"),
            ("fixture: './', gives: {app/name2: a}", .address, "is the folder of the file itself"),
            ("fixture: ../x, gives: {app/name2: a}", .address, "leads out of the folder"),
        ])
    func addresses(expectation: String, code: SpecProblem.Code, says: String) throws {
        let head = Self.head + "\nfacts: {who: {type: name, example: ada}}"
        let problems = Self.problems(expectation, head), problem = try #require(problems.first)
        #expect(problems.count == 1 && problem.code == code && problem.sentence.contains(says), "\(problems)")
        if says.contains("date") { #expect(problem.fix.contains("2024-08-30T06:40:00Z"), "\(problem.fix)") }
        if says.contains("fact who") { #expect(problem.fix.contains("facts: {who: ada}"), "\(problem.fix)") }
    }

    @Test(
        "A fact that is said, found, assumed or computed may stand in an address",
        arguments: [
            ("facts: {who: {type: name}}", "facts: {who: me}, "),
            ("facts: {who: {type: name, infer: defaults://c.a/me}}", ""),
            ("facts: {who: {type: name, assume: me}}", ""),
            ("", "fixture: one, "),
        ])
    func facts(head: String, said: String) {
        let name = head.isEmpty ? "bundleIdentifier" : "who"
        #expect(Self.problems("\(said)gives: {'app/{\(name)}': absent}", Self.head + "\n\(head)").isEmpty)
    }
}
