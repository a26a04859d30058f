import Foundation
import GRDB
import MigrationEngine
import StoreFormats

/// The keychain as a device keeps it, `keychain-2.db`: a table for each class of items, every one encrypted with keys that
/// never leave the device.
///
/// Of an item nothing is told but its class, its access group and when it may be read: its names are encrypted too.
struct DeviceKeychain: KeychainContent {
    static let name = "keychain of a device"
    static let isOfDevice = true
    static let refusal: String? =
        "a device's own keychain is locked, and no item of it is written; roll back the steps that change it, or give "
        + "another export of the keychain that they are applied with"
    static let attributes: Set<Name>? = nil

    private(set) var items: [KeychainExport.Item] = []
    private(set) var problems: [KeychainExport.Problem] = []

    /// Lists the rows.
    ///
    /// - Throws: ``DumpError`` where the file is no such database.
    init(_ file: DumpPath, in files: any DumpFiles, _ control: OpeningControl) throws(DumpError) {
        let database = try DatabaseFile(file, in: files, control)
        for kind in KeychainExport.Item.Kind.allCases {
            let room = KeychainExport.itemLimit - items.count
            let found: [KeychainExport.Item]?
            do throws(DumpError) {
                try database.requireTable(kind.rawValue, columns: ["agrp", "pdmn"])
                found = try Self.rows(of: kind, in: database, limit: room, control)
            } catch {
                // A class that is not there has no items; without the first one it is no keychain.
                guard kind != .generic, error.problem != .cancelled else { throw error }
                problems.append(.init(place: kind.rawValue, reason: "its rows cannot be listed"))
                continue
            }
            guard let found else { throw DumpError(file, .tooManyRows(limit: KeychainExport.itemLimit)) }
            items += found
        }
        guard !items.isEmpty else { return }
        let count = items.count
        problems.append(
            .init(
                place: "\(count) item\(count == 1 ? "" : "s")",
                reason:
                    "locked (device key): only the device itself opens \(count == 1 ? "it" : "them"); an export of the "
                    + "keychain tells what is in it", hidesItems: false))
    }

    private static func rows(
        of kind: KeychainExport.Item.Kind, in database: DatabaseFile, limit: Int, _ control: OpeningControl
    ) throws(DumpError) -> [KeychainExport.Item]? {
        let rows = try database.read(isCancelled: control.isStopped) { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT rowid, iif(typeof(agrp) = 'text', agrp, NULL), iif(typeof(pdmn) = 'text', pdmn, NULL)
                    FROM \(kind.rawValue) ORDER BY rowid LIMIT ?
                    """, arguments: [limit + 1])
        }
        guard rows.count <= limit else { return nil }
        return rows.map { row in
            let number = row[0] as Int64? ?? 0
            var item = KeychainExport.Item(
                kind: kind, service: "", account: "row \(number), locked",
                secret: .failure(
                    Unreadable(.locked, "locked (device key): only the device itself opens the items of its keychain")))
            item.isNameless = true
            for (place, attribute) in [(1, "agrp"), (2, "pdmn")] as [(Int, Name)] {
                guard let text = row[place] as String? else { continue }
                item.attributes.all.append(Member(key: attribute, value: .string(text)))
            }
            return item
        }
    }
}
