import Foundation
import Testing

@testable import Specs

@Suite("Rows that overwrite what a later row reads")
struct OverwrittenTests {
    private static func found(_ steps: String) -> [SpecProblem] {
        let head = "vestige: migration/1\nid: a\ntitle: b\nstores: {app: defaults://com.acme}\nsteps:\n"
        return Spec.lint(Data((head + steps).utf8)).filter { $0.code == .removedEarly }
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

    @Test("Of two rows that take one another's values no order is right, which is said")
    func cycle() {
        let found = Self.found(
            "  - {id: a, from: app/b, to: app/a, exists: overwrite}\n  - {id: b, from: app/a, to: app/b, exists: overwrite}\n"
        )
        #expect(found.count == 1 && found[0].sentence.contains("in no order"), "\(found)")
    }
}
