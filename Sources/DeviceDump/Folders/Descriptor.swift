import Foundation

/// An open file descriptor, closed with its last reference.
final class Descriptor: Sendable {
    /// The number that the system knows it by.
    let raw: Int32

    /// Takes over an open descriptor.
    init(_ raw: Int32) { self.raw = raw }

    deinit { close(raw) }

    /// What `openat` or `open` returned, or the error number where that is negative.
    static func take(_ result: Int32) -> Result<Descriptor, POSIXCode> {
        result >= 0 ? .success(Descriptor(result)) : .failure(POSIXCode(errno))
    }

    /// What the file system says of a name in this folder, or of the descriptor itself without one.
    func status(of name: String? = nil) -> Result<stat, POSIXCode> {
        var status = stat()
        let result = name.map { fstatat(raw, $0, &status, AT_SYMLINK_NOFOLLOW) } ?? fstat(raw, &status)
        return result == 0 ? .success(status) : .failure(POSIXCode(errno))
    }

    /// Where a symbolic link in this folder points, at most 4096 bytes of it.
    func target(of name: String) -> String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = readlinkat(raw, name, &bytes, bytes.count)
        return count < 0
            ? "an unknown place" : String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in this folder but `.` and `..`, as bytes, in no order; this descriptor is left as it is.
    func names(limit: Int) -> Result<[[UInt8]], POSIXCode> {
        let copy = openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return .failure(POSIXCode(errno)) }
        guard let stream = fdopendir(copy) else {
            let code = POSIXCode(errno)
            close(copy)
            return .failure(code)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(stream) else { break }
            // By address: the record may be shorter than its declared type, so it is not copied as a whole.
            guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { break }
            let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            let name = UnsafeRawBufferPointer(start: start, count: strlen(start)).map { $0 }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return errno == 0 || names.count == limit ? .success(names) : .failure(POSIXCode(errno))
    }
}

/// An error number of the operating system.
struct POSIXCode: Error, Hashable, Sendable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
}
