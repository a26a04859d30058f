import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Workspace

/// How long a ledger of many entries takes: to apply them, to open it again, to verify
/// it, to export what it makes, and to take all steps back.
///
/// Writes `COUNT APPLY OPEN VERIFY EXPORT ROLLBACK` with the times in microseconds.
enum ManyEntries {
    static func measure(_ count: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("vestige-benchmarks-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder + "/dump", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let members = Members((0..<count).map { Member(key: "key.\($0)", value: .integer(Int128($0))) })
        let store = try BinaryPropertyList.write(.dictionary(members))
        let preferences = folder + "/dump/Library/Preferences"
        try FileManager.default.createDirectory(atPath: preferences, withIntermediateDirectories: true)
        try store.write(to: URL(fileURLWithPath: preferences + "/com.acme.many.plist"))
        try FileManager.default.createDirectory(atPath: folder + "/dump/Documents", withIntermediateDirectories: true)

        let migration = Renaming(count: count), profile = migration.profiles[0]
        let stamp = LedgerEntry.Stamp(date: Date(), author: "benchmark", toolVersion: "")
        func open() throws -> Workspace {
            try Workspace.open(dump: try Dump.open(folder + "/dump"), ledger: .file(folder + "/ledger"))
        }
        func time(_ body: () throws -> Void) rethrows -> Int64 {
            try ContinuousClock().measure(body).microseconds
        }
        var times = [
            try time { try open().apply(.all, of: migration, profile: profile, stamp: stamp) },
            try time {
                let standing = try open().snapshot.history.standing
                precondition(standing.count == count, "every entry stands")
            },
        ]
        let workspace = try open()
        times.append(
            try time {
                let findings = try workspace.verify([migration]).findings
                precondition(findings.isEmpty, "every entry is as it was written")
            })
        times.append(try time { _ = try workspace.export(to: folder + "/exported") })
        times.append(try time { _ = try workspace.rollback(.all, stamp: stamp) })
        print(count, times.map(String.init).joined(separator: " "))
    }

    /// Gives each key another name, a step a key.
    private struct Renaming: Migration {
        static let store = StoreID.defaults("com.acme.many")
        let id = "renaming"
        let title = "Renaming"
        let summary = "Gives each key another name."
        let profiles = [Profile(id: "only", summary: "the only one")]
        let facts: [FactDefinition] = []
        let count: Int

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.store], [Self.store]) }

        func steps(profile: Profile, facts: Facts) -> [Step] {
            (0..<count).map { number in
                let from = Address(store: Self.store, key: Name("key.\(number)"))
                let to = Address(store: Self.store, key: Name("renamed.\(number)"))
                return Step(id: "\(number)", title: "Key \(number)", sources: [from], rule: "renamed") {
                    transaction, _ throws(StepStop) in
                    guard case .present(let value) = transaction.read(from) else { return }
                    try transaction.write(value, to: to, from: [from], rule: "renamed")
                    transaction.remove(from, rule: "renamed")
                }
            }
        }
    }
}
