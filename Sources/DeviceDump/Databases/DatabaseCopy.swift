import Files
import Foundation
import GRDB
import SystemPackage

/// A private copy of a SQLite file, or of what lies beside it, in a file without a name: it goes with its last reference, and
/// with the program, however that ends.
final class DatabaseCopy: DatabasePages {
    private let file: OpenFile

    /// Copies bytes that come in parts.
    init(_ file: DumpPath, of content: any DumpStream, _ control: OpeningControl) throws(DumpError) {
        self.file = try PackedBytes.spilled(file) { (_) throws(DumpError) in
            try control.reach(.copying)
            return try content.next()
        }.file
    }

    /// Copies pages, so that they can be changed.
    convenience init(_ file: DumpPath, of pages: any DatabasePages, _ control: OpeningControl) throws(DumpError) {
        try self.init(file, of: PagesStream(pages, file), control)
        do throws(Errno) {
            // The copy has no log, and is not to get one.
            let places = 18..<20, versions = try read(at: places.lowerBound, upTo: places.count)
            try write(Data(versions.map { $0 == 2 ? 1 : $0 }), at: places.lowerBound)
        } catch {
            throw DumpError(file, .noCopy(error))
        }
    }

    var count: Int { (try? file.status()).map { Int(clamping: $0.size) } ?? 0 }

    func read(at offset: Int, upTo count: Int) throws(Errno) -> Data { Data(try bytes.read(at: offset, upTo: count)) }

    func write(_ data: Data, at offset: Int) throws(Errno) { try file.write(data, at: offset) }

    func truncate(to count: Int) throws(Errno) { try file.truncate(to: count) }

    private var bytes: PackedBytes { PackedBytes(file: file, range: 0..<count) }

    /// Its bytes, a part at a time.
    func stream(_ file: DumpPath) -> any DumpStream { PackedStream(bytes, file) }

    /// Changes its rows; nothing that the file brings with it is run.
    func change(_ file: DumpPath, _ change: (Database) throws -> Void) throws(DumpError) {
        do {
            var configuration = DatabaseFile.configuration(isSecret: true)
            configuration.readonly = false
            // What the file says of its rows may change others.
            configuration.foreignKeysEnabled = false
            let database = try withURI(changed: true) { try DatabaseQueue(path: $0, configuration: configuration) }
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA query_only = OFF; PRAGMA journal_mode = MEMORY")
                try db.inTransaction {
                    try change(db)
                    return .commit
                }
            }
            try database.close()
        } catch {
            throw DatabaseFile.problem(error, file)
        }
    }
}

/// The bytes of a SQLite file, a part at a time.
private final class PagesStream: DumpStream {
    private let pages: any DatabasePages
    private let path: DumpPath
    private var offset = 0

    init(_ pages: any DatabasePages, _ path: DumpPath) {
        self.pages = pages
        self.path = path
    }

    func next() throws(DumpError) -> Data {
        do throws(Errno) {
            let part = try pages.read(at: offset, upTo: 1 << 18)
            offset += part.count
            return part
        } catch {
            throw DumpError(path, .inaccessible(error))
        }
    }
}
