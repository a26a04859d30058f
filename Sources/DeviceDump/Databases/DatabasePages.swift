import Files
import Foundation
import GRDBSQLite
import Synchronization
import SystemPackage

/// The bytes of a SQLite file, wherever they are: what SQLite opens in place of a file with a name, which others could
/// open, and which would be left where the program is killed.
package protocol DatabasePages: AnyObject, Sendable {
    /// How many bytes there are.
    var count: Int { get }

    /// Whether nothing of it may be on the disk as it is here: it is stored encrypted.
    var isSecret: Bool { get }

    /// Whether reading it makes a copy on the disk, as large as it is in the end.
    var isCopied: Bool { get }

    /// Why the last reading has failed, where more is known than the system's number for it.
    var failure: DumpError? { get }

    /// Makes sure that the bytes are those that were stored, where only a look at all of them shows that.
    func verify() throws(DumpError)

    /// The bytes from a place on: fewer than so many only at the end.
    func read(at offset: Int, upTo count: Int) throws(Errno) -> Data

    /// Puts bytes at a place.
    func write(_ data: Data, at offset: Int) throws(Errno)

    /// Takes away what is behind so many bytes.
    func truncate(to count: Int) throws(Errno)
}

extension DatabasePages {
    package var isSecret: Bool { false }
    package var isCopied: Bool { false }
    package var failure: DumpError? { nil }
    package func verify() throws(DumpError) {}
    package func write(_ data: Data, at offset: Int) throws(Errno) { throw .readOnlyFileSystem }
    package func truncate(to count: Int) throws(Errno) { throw .readOnlyFileSystem }

    /// Opens it for SQLite by a URI, which holds as long as `body` runs.
    ///
    /// What is opened then stays open, and only what is said to be changed can be.
    func withURI<Result, Failure: Error>(
        changed: Bool = false, _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let name = PagesSystem.waiting.withLock { waiting in
            waiting.count += 1
            let name = "pages-\(waiting.count)"
            waiting.files[name] = self
            return name
        }
        defer { PagesSystem.waiting.withLock { _ = $0.files.removeValue(forKey: name) } }
        // That it does not change keeps SQLite from looking for a log beside it, and from locks.
        return try body("file:\(name)?vfs=\(PagesSystem.name)" + (changed ? "" : "&immutable=1"))
    }
}

/// The file system that is made known to SQLite: its own, but for files that are ``DatabasePages``.
private enum PagesSystem {
    /// Files that are about to be opened, by the names that they are opened by.
    static let waiting = Mutex<(files: [String: any DatabasePages], count: Int)>(([:], 0))

    static let name: String = {
        guard let usual = sqlite3_vfs_find(nil), let name = strdup("vestige-pages") else { return "unix" }
        // SQLite keeps it as long as the program runs.
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        system.initialize(to: usual.pointee)
        system.pointee.pNext = nil
        system.pointee.zName = UnsafePointer(name)
        system.pointee.szOsFile = max(usual.pointee.szOsFile, Int32(MemoryLayout<OpenPages>.size))
        // Nothing lies beside them.
        system.pointee.xAccess = { _, _, _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        system.pointee.xDelete = { _, _, _ in SQLITE_OK }
        system.pointee.xFullPathname = { _, name, limit, path in
            guard let name, let path, strlen(name) < Int(limit) else { return SQLITE_CANTOPEN }
            strcpy(path, name)
            return SQLITE_OK
        }
        system.pointee.xOpen = { _, name, place, flags, found in
            guard let place else { return SQLITE_CANTOPEN }
            guard let name, flags & SQLITE_OPEN_MAIN_DB != 0 else {
                // What SQLite sorts in a file without a name.
                guard name == nil, let usual = sqlite3_vfs_find(nil) else { return SQLITE_CANTOPEN }
                return usual.pointee.xOpen(usual, nil, place, flags, found)
            }
            guard let pages = PagesSystem.waiting.withLock({ $0.files[String(cString: name)] }) else {
                return SQLITE_CANTOPEN
            }
            UnsafeMutableRawPointer(place).initializeMemory(
                as: OpenPages.self,
                to: OpenPages(
                    file: sqlite3_file(pMethods: OpenPages.methods), pages: .passRetained(OpenPages.Box(pages))))
            found?.pointee = flags
            return SQLITE_OK
        }
        return sqlite3_vfs_register(system, 0) == SQLITE_OK ? String(cString: name) : "unix"
    }()
}

/// What SQLite has of one that is open: its own part first.
private struct OpenPages {
    /// Holds them where only a reference to a class can be kept.
    final class Box: Sendable {
        let pages: any DatabasePages
        init(_ pages: any DatabasePages) { self.pages = pages }
    }

    var file: sqlite3_file
    var pages: Unmanaged<Box>

    static func box(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<Box> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenPages.self).pointee.pages
    }

    /// What a call on them comes to.
    static func code(
        _ file: UnsafeMutablePointer<sqlite3_file>?, failure: Int32 = SQLITE_IOERR,
        _ body: (any DatabasePages) throws(Errno) -> Int32
    ) -> Int32 {
        guard let file else { return failure }
        do throws(Errno) { return try body(box(file).takeUnretainedValue().pages) } catch { return failure }
    }

    /// Made once and never changed, so that any thread may use it.
    static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var calls = sqlite3_io_methods()
        calls.iVersion = 1
        calls.xClose = { file in
            if let file { OpenPages.box(file).release() }
            return SQLITE_OK
        }
        calls.xRead = { file, buffer, count, offset in
            OpenPages.code(file) { (pages) throws(Errno) in
                guard let buffer else { return SQLITE_IOERR }
                let count = Int(count), part = try pages.read(at: Int(offset), upTo: count)
                part.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: $0) }
                if part.count == count { return SQLITE_OK }
                memset(buffer + part.count, 0, count - part.count)
                return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ, which Swift does not see
            }
        }
        calls.xFileSize = { file, size in
            OpenPages.code(file) { (pages) throws(Errno) in
                size?.pointee = Int64(pages.count)
                return SQLITE_OK
            }
        }
        calls.xWrite = { file, buffer, count, offset in
            OpenPages.code(file, failure: SQLITE_FULL) { (pages) throws(Errno) in
                guard let buffer else { return SQLITE_IOERR }
                try pages.write(Data(bytes: buffer, count: Int(count)), at: Int(offset))
                return SQLITE_OK
            }
        }
        calls.xTruncate = { file, size in
            OpenPages.code(file) { (pages) throws(Errno) in
                try pages.truncate(to: Int(size))
                return SQLITE_OK
            }
        }
        calls.xSync = { _, _ in SQLITE_OK }
        calls.xLock = { _, _ in SQLITE_OK }
        calls.xUnlock = { _, _ in SQLITE_OK }
        calls.xCheckReservedLock = { _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        calls.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        calls.xSectorSize = { _ in 4096 }
        calls.xDeviceCharacteristics = { _ in 0 }
        methods.initialize(to: calls)
        return UnsafePointer(methods)
    }()
}
