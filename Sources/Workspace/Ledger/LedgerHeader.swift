import Foundation

/// The first bytes of a ledger file, looked at before SQLite may touch it.
enum LedgerHeader {
    /// What marks a SQLite file as a ledger of this program: "VSTG" as its application id.
    static let applicationID: UInt32 = 0x5653_5447

    /// Refuses a file that is not a ledger.
    ///
    /// An empty file is a ledger whose program was stopped while making it. Where a rollback journal lies beside the file,
    /// its first page may not be final yet, so that the mark is not asked for.
    static func check(_ path: String) throws(WorkspaceError) {
        let head: [UInt8]
        do {
            head = try POSIXFile.open(path).read(upTo: 100)
        } catch {
            throw .ledger(path, .inaccessible(error.sentence))
        }
        if head.isEmpty { return }
        guard head.starts(with: Array("SQLite format 3\0".utf8)), head.count == 100 else {
            throw .ledger(path, .notALedger("not a SQLite file"))
        }
        // Offset 68: https://www.sqlite.org/fileformat.html, section 1.3.
        let identifier = head[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        if identifier != applicationID, Foundation.access(path + "-journal", F_OK) != 0 {
            throw .ledger(path, .notALedger("another program's SQLite file"))
        }
    }
}
