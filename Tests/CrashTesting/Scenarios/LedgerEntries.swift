import Foundation
import MigrationEngine
import StoreFormats
import Workspace

extension CrashScenario {
    /// The first entry of a dump's ledger, which makes the file in a folder that is not there yet.
    public static let firstEntry = ledger("first-entry", entriesBefore: 0)
    /// An entry of a ledger that has others.
    public static let nextEntry = ledger("next-entry", entriesBefore: 2)

    private static func ledger(_ name: String, entriesBefore count: Int) -> CrashScenario {
        CrashScenario(
            name: name,
            prepare: { _, path in
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                for number in 0..<count { try append(number + 1, path) }
            },
            operation: { _, path in try append(count + 1, path) },
            check: { _, path, moment in
                let file = try LedgerFile(path: path + "/state/ledger")
                guard file.access == .readWrite else { throw Wrong("the ledger cannot be written to") }
                let found = try file.ledger(of: "app").entries()
                guard found == (1...max(found.count, 1)).prefix(found.count).map(entry) else {
                    throw Wrong("an entry is not what was written")
                }
                guard found.count == count + 1 || moment == .interrupted && found.count == count else {
                    throw Wrong("there are \(found.count) entries")
                }
                var ledger = file.ledger(of: "app")
                try ledger.append(entry(found.count + 1))
                guard try ledger.entries().count == found.count + 1, try file.problems().isEmpty else {
                    throw Wrong("the next entry is not there, or the file is damaged")
                }
                let left = try FileManager.default.contentsOfDirectory(atPath: path + "/state")
                guard Set(left).isSubset(of: ["ledger", "ledger.lock"]) else { throw Wrong("left over: \(left)") }
            })
    }

    private static func append(_ number: Int, _ path: String) throws {
        var ledger = try LedgerFile(path: path + "/state/ledger").ledger(of: "app")
        try ledger.append(entry(number))
    }

    private static func entry(_ number: Int) -> LedgerEntry {
        let change = Change(
            address: .defaults("com.acme.notes", "k"), before: .present(.integer(Int128(number))),
            after: .data(Data(repeating: UInt8(number), count: 9000)), rule: "a rule")
        return LedgerEntry(
            number: number, event: .applied,
            stamp: LedgerEntry.Stamp(date: Date(timeIntervalSinceReferenceDate: 1), author: "a", toolVersion: "1"),
            migration: "m", profile: "p", step: "s\(number)", changes: [change],
            facts: Facts(["now": Fact("1", from: "--fact")]), digests: ["a.plist": "00"])
    }
}
