import Crypto
import CryptoExtras
import Foundation
import GRDBSQLite
import Synchronization
import SystemPackage

/// A SQLite file that is encrypted as backups do it (AES-CBC with a zero first vector), decrypted page by page as SQLite asks
/// for them: a look at a few pages of a large one takes as long as those do, and nothing decrypted is written anywhere.
final class EncryptedPages: Sendable {
    private static let block = 16
    private let bytes: PackedBytes
    private let key: SymmetricKey
    /// How many bytes there are, decrypted.
    let count: Int

    /// Takes encrypted bytes; a block of padding behind the pages, whose size is a multiple of 512 bytes, is left out.
    init(_ bytes: PackedBytes, key: SymmetricKey) {
        self.bytes = bytes
        self.key = key
        count = bytes.count % 512 == Self.block ? bytes.count - Self.block : bytes.count
    }

    /// The bytes from a place on: fewer than so many only at the end, or where what is stored ends within a block.
    ///
    /// - Throws: also where the file has become shorter since it was opened.
    func read(at offset: Int, upTo count: Int) throws(Errno) -> Data {
        guard offset >= 0, offset < self.count, count > 0 else { return Data() }
        let end = min(offset + count, self.count), start = offset / Self.block * Self.block
        // The block before the first one takes part in it.
        let before = min(start, Self.block)
        let wanted = before + (end - start + Self.block - 1) / Self.block * Self.block
        let stored = try bytes.read(at: start - before, upTo: wanted)
        // It was all there when it was opened.
        guard stored.count == min(wanted, bytes.count - start + before) else { throw .ioError }
        let vector = before > 0 ? Array(stored.prefix(before)) : [UInt8](repeating: 0, count: Self.block)
        let cipher = Data(stored[before...].prefix((stored.count - before) / Self.block * Self.block))
        guard !cipher.isEmpty else { return cipher }
        do {
            let plain = try AES._CBC.decrypt(cipher, using: key, iv: AES._CBC.IV(ivBytes: vector), noPadding: true)
            return plain.dropFirst(offset - start).prefix(end - offset)
        } catch {
            throw .ioError
        }
    }
}

// MARK: SQLite's way to it

extension EncryptedPages {
    /// Files that are about to be opened, by the names that they are opened by.
    private static let waiting = Mutex<(files: [String: EncryptedPages], count: Int)>(([:], 0))

    /// Opens it for SQLite by the URI that `body` is given, which holds as long as `body` runs; what is opened then stays open.
    func withURI<Result>(_ body: (String) throws(DumpError) -> Result) throws(DumpError) -> Result {
        let name = Self.waiting.withLock { waiting in
            waiting.count += 1
            let name = "encrypted-\(waiting.count)"
            waiting.files[name] = self
            return name
        }
        defer { Self.waiting.withLock { _ = $0.files.removeValue(forKey: name) } }
        // That it does not change keeps SQLite from looking for a log beside it, and from locks.
        return try body("file:\(name)?vfs=\(Self.system)&immutable=1")
    }

    /// The name of the file system that is made known to SQLite: its own, but for the files that are here.
    private static let system: String = {
        guard let usual = sqlite3_vfs_find(nil), let name = strdup("vestige-encrypted") else { return "unix" }
        // SQLite keeps it as long as the program runs.
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        system.initialize(to: usual.pointee)
        system.pointee.pNext = nil
        system.pointee.zName = UnsafePointer(name)
        system.pointee.szOsFile = max(usual.pointee.szOsFile, Int32(MemoryLayout<OpenPages>.size))
        system.pointee.xAccess = { _, _, _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
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
            guard let pages = EncryptedPages.waiting.withLock({ $0.files[String(cString: name)] }) else {
                return SQLITE_CANTOPEN
            }
            UnsafeMutableRawPointer(place).initializeMemory(
                as: OpenPages.self,
                to: OpenPages(file: sqlite3_file(pMethods: OpenPages.methods), pages: .passRetained(pages)))
            found?.pointee = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
            return SQLITE_OK
        }
        return sqlite3_vfs_register(system, 0) == SQLITE_OK ? String(cString: name) : "unix"
    }()

    /// What SQLite has of one that is open: its own part first.
    private struct OpenPages {
        var file: sqlite3_file
        var pages: Unmanaged<EncryptedPages>

        static func pages(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<EncryptedPages> {
            UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenPages.self).pointee.pages
        }

        /// Made once and never changed, so that any thread may use it.
        static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
            let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            var calls = sqlite3_io_methods()
            calls.iVersion = 1
            calls.xClose = { file in
                if let file { OpenPages.pages(file).release() }
                return SQLITE_OK
            }
            calls.xRead = { file, buffer, count, offset in
                guard let file, let buffer else { return SQLITE_IOERR }
                let count = Int(count), part: Data
                do throws(Errno) {
                    part = try OpenPages.pages(file).takeUnretainedValue().read(at: Int(offset), upTo: count)
                } catch {
                    return SQLITE_IOERR
                }
                part.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: count))
                if part.count == count { return SQLITE_OK }
                memset(buffer + part.count, 0, count - part.count)
                return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ, which Swift does not see
            }
            calls.xFileSize = { file, size in
                guard let file else { return SQLITE_IOERR }
                size?.pointee = Int64(OpenPages.pages(file).takeUnretainedValue().count)
                return SQLITE_OK
            }
            calls.xWrite = { _, _, _, _ in SQLITE_READONLY }
            calls.xTruncate = { _, _ in SQLITE_READONLY }
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
}
