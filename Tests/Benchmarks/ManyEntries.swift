import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Workspace

/// How long it takes to work with a dump of many entries in real files.
enum ManyEntries {
    /// Where all is written.
    ///
    /// Removed at the end and not between measurements: a file system such as ext4 makes files slowly for seconds after many
    /// were removed.
    private static let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("vestige-benchmarks-\(UUID())").path

    /// Removes what was written.
    static func tidyUp() throws { try FileManager.default.removeItem(atPath: folder) }

    /// A ledger with an entry for each key: applying them all, opening it again, verifying it, exporting what it makes, and
    /// taking all steps back.
    ///
    /// Writes `COUNT APPLY OPEN VERIFY EXPORT ROLLBACK` with the times in microseconds.
    static func measureLedger(_ count: Int) throws {
        try measure(
            count, Moving(count: count, to: { .init(store: Moving.old, key: Name("renamed.\($0)")) }, isByStep: true))
    }

    /// One step that makes as many keychain items of as many keys, and one that makes as many files: the same times.
    static func measureItems(_ count: Int) throws {
        try measure(count, Moving(count: count, to: { .init(store: .keychain("many"), key: Name("item.\($0)")) }))
        try measure(count, Moving(count: count, to: { .init(store: .files("Documents"), key: Name("\($0)")) }))
    }

    private static func measure(_ count: Int, _ migration: Moving) throws {
        let folder = Self.folder + "/\(UUID())"
        func makeFolder(_ path: String) throws -> String {
            try FileManager.default.createDirectory(atPath: folder + path, withIntermediateDirectories: true)
            return folder + path
        }
        let members = Members((0..<count).map { Member(key: "key.\($0)", value: .data(Data("\($0)".utf8))) })
        _ = try makeFolder("/dump/Documents")
        let preferences = try makeFolder("/dump/Library/Preferences")
        try BinaryPropertyList.write(.dictionary(members))
            .write(to: URL(fileURLWithPath: preferences + "/com.acme.many.plist"))
        try Data("[]".utf8).write(to: URL(fileURLWithPath: folder + "/dump/keychain.json"))

        let profile = migration.profiles[0]
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
                let changes = try open().snapshot.history.standing.flatMap(\.changes)
                precondition(changes.count == 2 * count, "every entry stands")
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

    /// Moves each key of a suite, in one step or a step a key.
    private struct Moving: Migration {
        static let old = StoreID.defaults("com.acme.many")
        let id = "moving"
        let title = "Moving"
        let summary = "Moves each key."
        let profiles = [Profile(id: "only", summary: "the only one")]
        let facts: [FactDefinition] = []
        let count: Int
        let to: @Sendable (Int) -> Address
        var isByStep = false

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.old], [to(0).store]) }

        func steps(profile: Profile, facts: Facts) -> [Step] {
            isByStep ? (0..<count).map { step("\($0)", [$0]) } : [step("all", Array(0..<count))]
        }

        private func step(_ id: String, _ numbers: [Int]) -> Step {
            Step(id: id, title: id, sources: [], rule: "moved") { [to] transaction, _ throws(StepStop) in
                for number in numbers {
                    let from = Address(store: Self.old, key: Name("key.\(number)"))
                    guard case .present(let value) = transaction.read(from), let data = value.data else { continue }
                    let target = to(number)
                    let isItem = target.store.kind == .keychain
                    try transaction.write(
                        isItem ? KeychainItem(data: data).value : value, to: target, from: [from], rule: "moved")
                    transaction.remove(from, rule: "moved")
                }
            }
        }
    }
}
