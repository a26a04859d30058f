import Foundation
import Migrations
import TestSupport
import Testing

@testable import Specs

/// The codes stand in the sources as literals, so they are looked up there: no run shows every one.
@Suite("Reason codes")
struct ReasonTests {
    /// The codes that the sources of a module give, as written; of one that is put together what stands before the brace.
    private static func codes(of module: String) throws -> Set<String> {
        let folder = URL(fileURLWithPath: Places.package + "/Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let given = /(?:\.(?:failed|skipped|blocked|conflict)|\bReason)\(\s*(?:at: [\w.]+,\s*)?"([a-z0-9-]+)(?:"|\\\()/
        let named = /static let (?:code|held|partial|unclear) = "([a-z0-9-]+)"/
        var codes: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            codes.formUnion(text.matches(of: given).map { String($0.1) })
            codes.formUnion(text.matches(of: named).map { String($0.1) })
        }
        return codes
    }

    @Test("of steps of specs are in the table of the language", arguments: ["Specs", "MigrationEngine"])
    func language(module: String) throws {
        // What undoing alone says is no outcome of a plan.
        let undoing: Set = ["before-image-only", "wrong-complement"]
        let codes = try Self.codes(of: module).subtracting(undoing)
        #expect(codes.count > 20)
        for code in codes {
            #expect(
                KeySection.reasonCodes.contains { $0 == code || code.hasSuffix("-") && $0.hasPrefix(code) }, "\(code)")
        }
    }

    @Test("of the migrations in Swift are the language's, or in the one table of what a system alone knows")
    func swift() throws {
        let own = Set(OwnReasons.all.map(\.code))
        #expect(own.isDisjoint(with: KeySection.reasonCodes))
        let codes = try Self.codes(of: "Migrations")
        #expect(codes.count > 30)
        let unknown = codes.filter { code in
            !own.union(KeySection.reasonCodes).contains { $0 == code || code.hasSuffix("-") && $0.hasPrefix(code) }
        }
        #expect(unknown.isEmpty)
        let unused = own.filter { one in !codes.contains { $0 == one || $0.hasSuffix("-") && one.hasPrefix($0) } }
        #expect(unused.isEmpty)
        let article = try String(
            contentsOfFile: Places.package + "/Sources/Migrations/Migrations.docc/Migrations.md", encoding: .utf8)
        for one in OwnReasons.all {
            let row = "| `\(one.code)` | \(one.migrations) | \(one.outcome) | \(one.meaning) |"
            #expect(article.contains(row), "\(row)")
        }
    }
}
