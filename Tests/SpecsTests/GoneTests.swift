import Foundation
import StoreFormats
import Testing

@testable import Specs

@Suite("Sources that are gone before a row with a star reads them")
struct GoneTests {
    private static func found(_ steps: String) -> [SpecProblem] {
        let head =
            "vestige: migration/1\nid: a\ntitle: b\nstores: {app: defaults://com.acme, o: defaults://o}\nsteps:\n"
        return Spec.lint(Data((head + steps).utf8)).filter { $0.code == .removedEarly }
    }

    @Test(
        "Names with a star that all are among those of an earlier star are told; what is left of others, and what is left out, is not",
        arguments: [
            ("app/*", "", "app/feature.*", true), ("app/feature.*", "", "app/feature.s*", true),
            ("app/*", "", "app/*", true), ("app/a*c", "", "app/a*bc", true), ("app/*.x", "", "app/n.*.x", true),
            ("app/feature.*", "", "app/*", false), ("app/a*", "", "app/b*", false), ("app/*.x", "", "app/n.*", false),
            ("app/*", ", except: [\"app/feature.*\"]", "app/feature.*", false),
            ("app/*", ", except: [\"app/other.*\"]", "app/feature.*", true),
            ("app/*", ", except: [\"app/feature.s*\"]", "app/feature.*", true),
            ("app/*", ", except: [app/k]", "app/k", false), ("app/*", ", except: [app/n]", "app/k", true),
            ("app/*", ", except: [\"app/k*\"]", "app/k1", false), ("o/*", "", "app/feature.*", false),
        ])
    func starred(gone: String, except: String, read: String, isTold: Bool) {
        let star = read.contains("*") ? "*" : ""
        let found = Self.found(
            """
              - {id: all, from: "\(gone)", to: "o/a-*"\(except), source: remove}
              - {id: late, from: "\(read)", to: "o/b-\(star.isEmpty ? "x" : String(repeating: "*", count: read.count { $0 == "*" }))"}

            """)
        #expect(found.map(\.place.line) == (isTold ? [6] : []), "\(found)")
        #expect(!isTold || found[0].sentence.hasPrefix("late reads"), "\(found)")
    }

    @Test("All that read what a row takes away are told, at it")
    func several() {
        let found = Self.found(
            """
              - {id: all, from: "app/*", to: "o/a-*", source: remove}
              - {id: b, from: "app/feature.*", to: "o/b-*"}
              - {id: c, from: app/x, to: o/c}
              - {id: d, from: "app/q#/z", to: o/d}

            """)
        #expect(found.map(\.place.line) == [6], "\(found)")
        #expect(found.first?.sentence.hasPrefix("b, c and d read sources") == true, "\(found)")
    }

    @Test("What a row leaves out by names that are written out, and by stars, is no match of its star")
    func exceptions() throws {
        let names = (0..<200).map { "k\($0)" }
        let rows = names.map { "- {id: r\($0), from: app/\($0), to: o/\($0)}" }.joined(separator: "\n")
        let all =
            "- {id: all, from: \"app/*\", to: \"o/*\", except: [\"app/st*\", \(names.map { "app/\($0)" }.joined(separator: ", "))]}"
        let spec = try Specs.spec(rows + "\n" + all, "stores: {app: defaults://com.acme, o: defaults://o}")
        let entries = (names + ["more", "star"]).map { ("defaults://com.acme/\($0)", Value.integer(1)) }
        let changes = try #require(try Tried(spec, entries).plan().steps.last).changes
        #expect(changes.map { "\($0.address)" } == ["defaults://o/more"])
    }
}
