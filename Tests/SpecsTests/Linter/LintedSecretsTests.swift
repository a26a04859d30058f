import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Secrets that a spec writes out")
struct LintedSecretsTests {
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
}
