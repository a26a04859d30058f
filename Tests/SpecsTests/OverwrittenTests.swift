import Foundation
import Testing

@testable import Specs

@Suite("Rows that overwrite what a later row reads")
struct OverwrittenTests {
    private static func found(_ steps: String, _ code: SpecProblem.Code = .removedEarly) -> [SpecProblem] {
        let head = "vestige: migration/1\nid: a\ntitle: b\nstores: {app: defaults://com.acme}\nsteps:\n"
        return Spec.lint(Data((head + steps).utf8)).filter { $0.code == code }
    }

    private static let read = "  - {id: r, from: app/q, to: app/r}\n"
    private static let write = "  - {id: q, from: app/p, to: app/q, exists: overwrite}\n"

    @Test("The linter names the row that comes too late, at the one that overwrites")
    func late() {
        let found = Self.found(Self.write + Self.read)
        #expect(found.map(\.place.line) == [6], "\(found)")
        #expect(found.first?.sentence.contains("r reads what this row overwrites") ?? false, "\(found)")
        #expect(found.first?.fix == "Put r before it.")
        #expect(Self.found(Self.read + Self.write).isEmpty)
        #expect(Self.found("  - {id: q, from: app/p, to: app/q}\n" + Self.read).isEmpty, "it loses nothing")
        #expect(
            Self.found(Self.write + "  - {id: t, from: app/q, type: string, do: [trim]}\n").isEmpty,
            "in place it is meant to")
    }

    @Test(
        "Rows that take one another's values in a circle are an error, as no order is right; not where one says for which case",
        arguments: [
            (["b a", "a b"], "a, b"), (["b a", "c b", "a c"], "a, c, b"),
            (["x y", "a b", "b c", "c a", "z x"], "b, c, a"),
            (["b a", "c b"], nil), (["b a ?", "a b ?"], nil), (["b a", "a b ?"], nil), (["b a", "a b keep"], nil),
        ] as [([String], String?)])
    func cycle(rows: [String], names: String?) {
        let steps = rows.map { row in
            let words = row.split(separator: " ")
            let more = words.count < 3 ? "" : words[2] == "?" ? ", if: value is not empty" : ", exists: keep"
            return "  - {id: \(words[1]), from: app/\(words[0]), to: app/\(words[1]), exists: overwrite\(more)}\n"
                .replacing("overwrite, exists: keep", with: "keep")
        }
        let found = Self.found(steps.joined(), .cycle)
        #expect(found.isEmpty == (names == nil), "\(found)")
        if let names { #expect(found.first?.sentence.contains("\(names);") ?? false, "\(found)") }
        #expect(found.allSatisfy { $0.code.severity == .error })
    }
}
