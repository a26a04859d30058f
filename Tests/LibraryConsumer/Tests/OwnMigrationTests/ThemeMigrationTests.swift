import Foundation
import MigrationEngine
@testable import OwnMigration
import StoreFormats
import Testing

@Suite("A migration of somebody else's package")
struct ThemeMigrationTests {
    private let stores = MemoryStores([(.defaults("com.acme.notes"), ["dark_mode": .bool(true)])])
    private let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "test", toolVersion: "1")

    @Test("it is planned, stepped forward and stepped back like a built-in one")
    func steps() throws {
        let migration = ThemeMigration(), theme = Address.defaults("com.acme.notes.ui", "theme")
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        let plan = session.plan(migration, profile: migration.profiles[0], facts: Facts())
        #expect(plan.steps.map(\.outcome) == [.migrates])
        try session.apply(.next, of: migration, profile: migration.profiles[0], facts: Facts(), stamp: stamp)
        #expect(session.overlay.state(at: theme) == .present(.string("dark")))
        try session.rollback(.last, stamp: stamp)
        #expect(session.overlay.state(at: theme) == .absent)
        #expect(stores[.defaults("com.acme.notes")]?.count == 1, "the stores themselves were never changed")
    }

    @Test("the article shows this very code, in fewer than 40 lines")
    func article() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let code = try String(
            contentsOf: package.appendingPathComponent("Sources/OwnMigration/ThemeMigration.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: package.appendingPathComponent(
                "../../Sources/MigrationEngine/MigrationEngine.docc/WriteYourOwnMigration.md"), encoding: .utf8)
        #expect(article.contains("```swift\n\(code)```"))
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    }
}
