import CFiles
import Foundation
import StoreFormats
import SystemPackage

/// An open file or folder, with errors of the operating system as they are; closed with its last reference.
///
/// Names are bytes: what a folder holds need not be UTF-8.
package final class OpenFile: Sendable {
    /// The descriptor, which stays open as long as this is referred to.
    package let descriptor: FileDescriptor
    private let isLocked: Bool

    /// Takes over what a call that opens a file has returned.
    private init(_ raw: Int32, isLocked: Bool = false) throws(Errno) {
        guard raw >= 0 else { throw .last }
        descriptor = FileDescriptor(rawValue: raw)
        self.isLocked = isLocked
    }

    deinit {
        // By name: a process that was just forked holds a copy of the descriptor until it becomes another program.
        if isLocked { flock(descriptor.rawValue, LOCK_UN) }
        close(descriptor.rawValue)
    }

    // MARK: Opening

    private static let reading = O_RDONLY | O_CLOEXEC | O_NONBLOCK

    /// Opens a file or a folder for reading; unless links are followed, the last part of the path may not be one.
    package static func open(_ path: String, followingLinks: Bool = false) throws(Errno) -> OpenFile {
        try OpenFile(Foundation.open(path, reading | (followingLinks ? 0 : O_NOFOLLOW)))
    }

    /// The bytes of what a person names as input, a file, a pipe that is waited for, or `-` for standard input; at most as
    /// many as the limit, or `EFBIG`.
    package static func input(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
        let file = try OpenFile(
            path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : Foundation.open(path, O_RDONLY | O_CLOEXEC))
        let bytes = try file.read(upTo: limit + 1)
        guard bytes.count <= limit else { throw Errno(rawValue: EFBIG) }
        return bytes
    }

    /// Whether a path leads to a pipe with a name, which may have no writer, and be waited for without end; one that a shell has
    /// made has one.
    package static func isNamedPipe(_ path: String) -> Bool {
        let type = (try? Stat(path, followTargetSymlink: true))?.type
        return type == .fifo && !["/dev/", "/proc/"].contains(where: path.hasPrefix)
    }

    /// Opens a folder; links on the way to it are followed.
    package static func folder(_ path: String) throws(Errno) -> OpenFile {
        try OpenFile(Foundation.open(path, reading | O_DIRECTORY))
    }

    /// Makes a file that was not there.
    package static func create(_ path: String, mode: UInt16) throws(Errno) -> OpenFile {
        try OpenFile(Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(mode)))
    }

    /// Opens a file for writing, empty: a new one, or the one that is there with its content gone.
    package static func overwrite(_ path: String, mode: UInt16) throws(Errno) -> OpenFile {
        try OpenFile(Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode_t(mode)))
    }

    /// Opens a file, made where it is not there, with the exclusive right to it; `nil` where another process has that.
    ///
    /// The right ends with the last reference, and with the process however that ends. Only whoever has it may remove the file.
    package static func lock(_ path: String, mode: UInt16) throws(Errno) -> OpenFile? {
        for _ in 0..<lockTries {
            guard let lock = try lockable(path, mode).locked() else { return nil }
            if lock.isPlaced(at: path) { return lock }
        }
        return nil
    }

    /// The same, once no other process has the right to it.
    ///
    /// - Parameter isCancelled: Asked while it waits; then `ECANCELED` is thrown.
    package static func lockWhenFree(
        _ path: String, mode: UInt16, isCancelled: () -> Bool
    ) throws(Errno) -> OpenFile {
        while true {
            let lock = try lockable(path, mode).lockedWhenFree(isCancelled: isCancelled)
            if lock.isPlaced(at: path) { return lock }
        }
    }

    /// How often a lock is tried anew whose file was removed meanwhile.
    private static let lockTries = 10

    private static func lockable(_ path: String, _ mode: UInt16) throws(Errno) -> OpenFile {
        try OpenFile(Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_t(mode)))
    }

    /// Whether this is the file at a path, which somebody may have removed since it was opened.
    private func isPlaced(at path: String) -> Bool {
        var held = stat(), placed = stat()
        return fstat(descriptor.rawValue, &held) == 0 && lstat(path, &placed) == 0
            && held.st_ino == placed.st_ino && held.st_dev == placed.st_dev
    }

    /// The same file or folder with the exclusive right to it; `nil` where another process, or reference, has that.
    package func locked() throws(Errno) -> OpenFile? {
        guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw .last
        }
        let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
        return try OpenFile(copy, isLocked: true)
    }

    /// The same file or folder with the exclusive right to it, once no other process, or reference, has that.
    ///
    /// - Parameter isCancelled: Asked while it waits; then `ECANCELED` is thrown.
    package func lockedWhenFree(isCancelled: () -> Bool) throws(Errno) -> OpenFile {
        var pause: UInt32 = 1_000
        while true {
            if let lock = try locked() { return lock }
            if isCancelled() { throw .canceled }
            // A signal ends it early.
            usleep(pause)
            pause = min(pause * 2, 50_000)
        }
    }

    /// Opens what is at a path below this folder; the last part may not be a symbolic link.
    package func open(at path: some Sequence<UInt8>, isFolder: Bool = false) throws(Errno) -> OpenFile {
        let flags = Self.reading | O_NOFOLLOW | (isFolder ? O_DIRECTORY : 0)
        return try OpenFile(Self.withPath(path) { openat(descriptor.rawValue, $0, flags) })
    }

    /// Makes a file below this folder that was not there.
    package func create(at path: some Sequence<UInt8>, mode: UInt16) throws(Errno) -> OpenFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return try OpenFile(Self.withPath(path) { openat(descriptor.rawValue, $0, flags, mode_t(mode)) })
    }

    // MARK: Folders

    /// Makes a folder and those above it that are not there.
    package static func makeFolders(_ path: String, mode: UInt16) throws(Errno) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part
            if mkdir(made, mode_t(mode)) != 0, errno != EEXIST, errno != EISDIR { throw .last }
            made += "/"
        }
    }

    /// Makes a folder in one that is there.
    package static func makeFolder(_ path: String, mode: UInt16) throws(Errno) { try check(mkdir(path, mode_t(mode))) }

    /// Makes a folder below this one.
    package func makeFolder(at path: some Sequence<UInt8>, mode: UInt16) throws(Errno) {
        try Self.check(Self.withPath(path) { mkdirat(descriptor.rawValue, $0, mode_t(mode)) })
    }

    /// Makes a symbolic link below this folder, with a time of its own.
    package func makeLink(
        at path: some Sequence<UInt8>, to target: some Sequence<UInt8>, modified: timespec?
    ) throws(Errno) {
        try Self.check(
            Self.withPath(target) { target in
                Self.withPath(path) { path in symlinkat(target, descriptor.rawValue, path) }
            })
        guard let modified else { return }
        let times = [modified, modified]
        _ = Self.withPath(path) { utimensat(descriptor.rawValue, $0, times, AT_SYMLINK_NOFOLLOW) }
    }

    /// The names in this folder but `.` and `..`, in no order, at most so many.
    package func names(limit: Int = .max) throws(Errno) -> [[UInt8]] {
        let copy = openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw .last }
        guard let stream = fdopendir(copy) else {
            let error = Errno.last
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last }
                break
            }
            // By address: the record may be shorter than its declared type, so it is not copied as a whole.
            guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { break }
            let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            let name = Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names
    }

    /// Removes a file or a link.
    package static func remove(_ path: String) throws(Errno) { try check(unlink(path)) }

    /// Removes a file or a link below this folder.
    package func removeFile(at path: some Sequence<UInt8>) throws(Errno) {
        try Self.check(Self.withPath(path) { unlinkat(descriptor.rawValue, $0, 0) })
    }

    /// Removes what is below this folder under a name, with all that is in it; links are removed, not followed.
    package func removeTree(_ name: some Collection<UInt8>) throws(Errno) {
        if Self.withPath(name, { unlinkat(descriptor.rawValue, $0, 0) }) == 0 { return }
        let failure = Errno.last
        guard failure.rawValue == EISDIR || failure.rawValue == EPERM else { throw failure }
        do {
            let folder = try open(at: name, isFolder: true)
            // A folder that its owner may not write to cannot be emptied.
            try folder.setMode(0o700)
            for below in try folder.names() { try folder.removeTree(below) }
        }
        try Self.check(Self.withPath(name) { unlinkat(descriptor.rawValue, $0, AT_REMOVEDIR) })
    }

    // MARK: What it is

    /// What the file system says of what is at a path; a symbolic link is itself.
    package static func status(at path: String) throws(Errno) -> Stat { try Stat(path, followTargetSymlink: false) }

    /// What the file system says of this file or folder.
    package func status() throws(Errno) -> Stat { try Stat(descriptor) }

    /// What the file system says of a name in this folder; a symbolic link is itself.
    package func status(of name: some Sequence<UInt8>) throws(Errno) -> Stat {
        let result: Result<Stat, Errno> = Self.withPath(name) { path in
            Result { () throws(Errno) in try Stat(path, relativeTo: descriptor, flags: .symlinkNoFollow) }
        }
        return try result.get()
    }

    /// Where a symbolic link in this folder points, at most 4096 bytes of it; none where that cannot be known.
    package func target(of name: some Sequence<UInt8>) -> [UInt8] {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = Self.withPath(name) { readlinkat(descriptor.rawValue, $0, &bytes, bytes.count) }
        return bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    }

    /// Whether it has an extended attribute; `false` also where the file system has none.
    package func hasAttribute(_ name: String) -> Bool { cf_has_attribute(descriptor.rawValue, name) == 1 }

    /// Sets an extended attribute.
    package func setAttribute(_ name: String, to value: String) throws(Errno) {
        try Self.check(cf_set_attribute(descriptor.rawValue, name, value))
    }

    /// How many bytes are free on the disk that it is on.
    package func freeBytes() throws(Errno) -> Int {
        var room = statvfs()
        try Self.check(fstatvfs(descriptor.rawValue, &room))
        let free = UInt(room.f_bavail).multipliedReportingOverflow(by: UInt(room.f_frsize))
        return free.overflow ? .max : Int(clamping: free.partialValue)
    }

    // MARK: Reading

    /// The next bytes, at most so many; none at the end.
    package func read(upTo count: Int) throws(Errno) -> [UInt8] { try read(upTo: count, at: nil) }

    private func read(upTo count: Int, at offset: Int?) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(Errno) {
                initialized = try fill(UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// All bytes of a file, whatever was read of it before; at most as many as the limit, or `EFBIG`.
    ///
    /// The file is copied and not mapped: one that shrinks while it is mapped would end the program.
    package func contents(limit: Int = .max) throws(Errno) -> Data {
        let size = Int(clamping: try status().size)
        guard size <= limit else { throw Errno(rawValue: EFBIG) }
        var data = try block(of: size)
        // The size may be out of date, so reading goes on to the end or past the limit.
        while data.count >= size {
            let more = try read(upTo: 1 << 16, at: data.count)
            if more.isEmpty { break }
            data.append(contentsOf: more)
            guard data.count <= limit else { throw Errno(rawValue: EFBIG) }
        }
        return data
    }

    /// The first bytes in memory of their own, in pages as large as the system has, for a large file is mostly waited for
    /// where its pages are made.
    private func block(of size: Int) throws(Errno) -> Data {
        guard size > 1 << 20 else { return Data(try read(upTo: size, at: 0)) }
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .last }
        #if !canImport(Darwin)
        madvise(memory, size, MADV_HUGEPAGE)
        #endif
        do throws(Errno) {
            let count = try fillConcurrently(UnsafeMutableRawBufferPointer(start: memory, count: size))
            let data = Data(bytesNoCopy: memory, count: size, deallocator: .unmap)
            return count == size ? data : data.prefix(count)
        } catch {
            munmap(memory, size)
            throw error
        }
    }

    /// Fills a large buffer from the beginning, on all cores; returns how many bytes there were.
    private func fillConcurrently(_ buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        let length = 4 << 20, parts = (buffer.count + length - 1) / length
        // Each part is written by nobody else, and all are done before this returns.
        nonisolated(unsafe) let buffer = buffer
        let results = concurrently(parts) { number in
            let offset = number * length
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<min(buffer.count, offset + length)])
            return Result { () throws(Errno) in try fill(part, at: offset) }
        }
        var count = 0
        for result in results {
            let read = try result.get()
            count += read
            // A file that has become shorter has nothing behind its end.
            if read < length { break }
        }
        return count
    }

    /// Reads until a buffer is full or the file ends, from the current place or from another; returns how many bytes there
    /// were.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int? = nil) throws(Errno) -> Int {
        var count = 0
        while count < buffer.count, let base = buffer.baseAddress {
            let rest = buffer.count - count
            let got =
                if let offset {
                    pread(descriptor.rawValue, base + count, rest, off_t(offset + count))
                } else {
                    Foundation.read(descriptor.rawValue, base + count, rest)
                }
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw .last }
            if got == 0 { break }
            count += got
        }
        return count
    }

    // MARK: Writing

    /// Writes all of the bytes.
    package func write(_ data: some DataProtocol) throws(Errno) { try Self.write(data, to: descriptor) }

    /// Writes all of the bytes to what is open already, such as standard output.
    package static func write(_ data: some DataProtocol, to descriptor: FileDescriptor) throws(Errno) {
        for region in data.regions {
            let failure: Errno? = region.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let address = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                    let written = Foundation.write(descriptor.rawValue, address, rest.count)
                    if written < 0, errno == EINTR { continue }
                    if written <= 0 { return written < 0 ? .last : Errno(rawValue: EIO) }
                    rest = rest.dropFirst(written)
                }
                return nil
            }
            if let failure { throw failure }
        }
    }

    /// Writes all of the bytes at a place; those that are read and written next stay the same.
    package func write(_ data: Data, at offset: Int) throws(Errno) {
        let failure: Errno? = data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count, let base = bytes.baseAddress {
                let written = pwrite(descriptor.rawValue, base + done, bytes.count - done, off_t(offset + done))
                if written < 0, errno == EINTR { continue }
                if written <= 0 { return written < 0 ? .last : Errno(rawValue: EIO) }
                done += written
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Takes away what is behind so many bytes, or adds zeros up to there.
    package func truncate(to count: Int) throws(Errno) {
        try Self.check(ftruncate(descriptor.rawValue, off_t(count)))
    }

    /// Sets the permission bits, whatever the umask.
    package func setMode(_ mode: UInt16) throws(Errno) { try Self.check(fchmod(descriptor.rawValue, mode_t(mode))) }

    /// Sets when the content was last changed; the time of the last access becomes the same.
    package func setModified(_ time: timespec) throws(Errno) {
        try Self.check(futimens(descriptor.rawValue, [time, time]))
    }

    /// Flushes the content, or the names in a folder, to the disk.
    package func flush() throws(Errno) {
        #if canImport(Darwin)
        // There `fsync` does not reach past the cache of the drive.
        if fcntl(descriptor.rawValue, F_FULLFSYNC) == 0 { return }
        #endif
        try Self.check(fsync(descriptor.rawValue))
    }

    /// Flushes all that was written to the file system that this is on: for many files the disk is waited for once.
    package func flushFileSystem() throws(Errno) { try Self.check(cf_flush_file_system(descriptor.rawValue)) }

    // MARK: Renaming

    /// Gives a file or a folder another name, which must be free.
    package static func rename(_ path: String, toFree newPath: String) throws(Errno) {
        guard cf_rename_exclusively(path, newPath) != 0 else { return }
        guard isUnsupported(.last) else { throw .last }
        // A file system without that call; there a folder never replaces anything but an empty folder.
        guard access(newPath, F_OK) != 0 else { throw Errno(rawValue: EEXIST) }
        try check(Foundation.rename(path, newPath))
    }

    /// Gives a file another name, in place of one that has that name already.
    package static func rename(_ path: String, replacing newPath: String) throws(Errno) {
        try check(Foundation.rename(path, newPath))
    }

    /// Replaces a file as a whole, or makes it: a reader, or a crash, finds the old bytes or the new ones.
    package static func replace(_ path: String, with data: Data, mode: UInt16) throws(Errno) {
        let new = "\(path).\(UUID().uuidString)"
        let file = try create(new, mode: mode)
        do throws(Errno) {
            try file.write(data)
            try file.flush()
            try rename(new, replacing: path)
        } catch {
            try? remove(new)
            throw error
        }
    }

    /// Exchanges two files or folders; returns where what was at the second path is now.
    package static func exchange(_ path: String, with other: String) throws(Errno) -> String {
        if cf_exchange(path, other) == 0 { return path }
        guard isUnsupported(.last) else { throw .last }
        let aside = path + "-replaced"
        try check(Foundation.rename(other, aside))
        guard Foundation.rename(path, other) == 0 else {
            let failure = Errno.last
            _ = Foundation.rename(aside, other)
            throw failure
        }
        return aside
    }

    private static func isUnsupported(_ error: Errno) -> Bool {
        [EINVAL, ENOSYS, ENOTSUP].contains(error.rawValue)
    }

    // MARK: Calls

    private static func check(_ result: Int32) throws(Errno) {
        if result != 0 { throw .last }
    }

    private static func withPath<Result>(
        _ path: some Sequence<UInt8>, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        body(path.map { CChar(bitPattern: $0) } + [0])
    }
}
