import Foundation

/// The files of the machine.
public struct POSIXFileSystem: FileSystem {
    /// The most bytes that a file may have to be read.
    public static let sizeLimit = 256 << 20

    /// Makes the file system.
    public init() {}

    /// What lies at a path, or `nil` where nothing does.
    public func status(of path: String) throws(FileError) -> FileStatus? {
        var info = stat()
        guard lstat(path, &info) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError("look at", path, number: errno)
        }
        let kind: FileStatus.Kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        return FileStatus(kind, mode: UInt16(truncatingIfNeeded: info.st_mode & 0o7777))
    }

    /// The content of a file, or `nil` where nothing is there.
    public func contents(of path: String) throws(FileError) -> Data? {
        let descriptor: Descriptor
        do throws(FileError) {
            descriptor = try Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), "read", path)
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw error
        }
        var info = stat()
        guard fstat(descriptor.number, &info) == 0 else { throw FileError("read", path, number: errno) }
        guard info.st_size <= Self.sizeLimit else { throw FileError("read", path, number: EFBIG) }
        var data = Data(), failure: Int32?
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while failure == nil {
            let count = Foundation.read(descriptor.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { failure = errno }
            if count <= 0 { break }
            data.append(contentsOf: buffer[..<count])
            if data.count > Self.sizeLimit { failure = EFBIG }
        }
        if let failure { throw FileError("read", path, number: failure) }
        return data
    }

    /// The names in a folder in no order; none where it is not there.
    public func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw FileError("list", folder, number: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a folder that only its owner can use; nothing happens where there is one.
    public func makeFolder(_ path: String) throws(FileError) {
        guard mkdir(path, 0o700) != 0 else { return }
        let number = errno
        if number == EEXIST, try status(of: path)?.kind == .folder { return }
        throw FileError("make the folder", path, number: number)
    }

    /// Opens a file for writing, empty.
    public func create(_ path: String, mode: UInt16) throws(FileError) -> any OutputFile {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        return Output(descriptor: try Descriptor(open(path, flags, mode_t(mode)), "write", path), path: path)
    }

    /// Gives a file another name in the same folder.
    public func rename(_ path: String, to newPath: String) throws(FileError) {
        guard Foundation.rename(path, newPath) == 0 else { throw FileError("rename", path, number: errno) }
    }

    /// Takes a file away.
    public func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 else { throw FileError("remove", path, number: errno) }
    }

    /// Flushes the names in a folder to the disk.
    public func synchronizeFolder(_ path: String) throws(FileError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        try Descriptor(open(path, flags), "flush", path).flush(path)
    }

    /// Takes the exclusive right to a file.
    public func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try Descriptor(open(path, flags, mode_t(0o600)), "lock", path)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 else { return Lock(descriptor: descriptor) }
        if errno == EWOULDBLOCK { return nil }
        throw FileError("lock", path, number: errno)
    }

    /// A lock that is let go of by name: a process that has just been forked holds a copy of the descriptor until it is its
    /// own program.
    private final class Lock: FileLock {
        let descriptor: Descriptor

        init(descriptor: Descriptor) { self.descriptor = descriptor }

        deinit { flock(descriptor.number, LOCK_UN) }
    }

    private struct Output: OutputFile {
        let descriptor: Descriptor
        let path: String

        func write(_ data: Data) throws(FileError) {
            let failure: Int32? = data.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let address = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                    let count = Foundation.write(descriptor.number, address, rest.count)
                    if count < 0, errno == EINTR { continue }
                    if count <= 0 { return count < 0 ? errno : EIO }
                    rest = rest.dropFirst(count)
                }
                return nil
            }
            if let failure { throw FileError("write", path, number: failure) }
        }

        func synchronize() throws(FileError) { try descriptor.flush(path) }
    }

    /// An open file or folder; closed, and its lock let go, with its last reference.
    private final class Descriptor: Sendable {
        let number: Int32

        init(_ number: Int32, _ operation: String, _ path: String) throws(FileError) {
            guard number >= 0 else { throw FileError(operation, path, number: errno) }
            self.number = number
        }

        deinit { close(number) }

        func flush(_ path: String) throws(FileError) {
            #if canImport(Darwin)
            // There `fsync` does not reach past the cache of the drive.
            if fcntl(number, F_FULLFSYNC) == 0 { return }
            #endif
            guard fsync(number) == 0 else { throw FileError("flush", path, number: errno) }
        }
    }
}
