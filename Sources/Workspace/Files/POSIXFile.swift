import Foundation

/// An open file or folder, with errors of the operating system as they are; closed with its last reference.
final class POSIXFile: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) throws(SystemError) {
        guard descriptor >= 0 else { throw SystemError(errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens a file or a folder for reading; the last part of the path may not be a symbolic link.
    static func open(_ path: String) throws(SystemError) -> POSIXFile {
        try POSIXFile(Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    }

    /// Opens a file that a person named, so that a symbolic link is what they mean.
    static func openFollowingLinks(_ path: String) throws(SystemError) -> POSIXFile {
        try POSIXFile(Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    }

    /// Makes a file that was not there.
    static func create(_ path: String, mode: mode_t) throws(SystemError) -> POSIXFile {
        try POSIXFile(Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode))
    }

    /// Makes a folder and those above it that are not there.
    static func makeFolders(_ path: String, mode: mode_t) throws(SystemError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part
            if mkdir(made, mode) != 0, errno != EEXIST, errno != EISDIR { throw SystemError(errno) }
            made += "/"
        }
    }

    /// Writes all of the bytes.
    func write(_ data: Data) throws(SystemError) {
        let failure: Int32? = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                if written <= 0 { return written < 0 ? errno : EIO }
                rest = rest.dropFirst(written)
            }
            return nil
        }
        if let failure { throw SystemError(failure) }
    }

    /// The next bytes, at most so many; none at the end.
    func read(upTo count: Int) throws(SystemError) -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count, let base = buffer.baseAddress {
                let got = Foundation.read(descriptor, base + initialized, count - initialized)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                initialized += got
            }
        }
        if let failure { throw SystemError(failure) }
        return bytes
    }

    /// Sets the permission bits, whatever the umask.
    func setMode(_ mode: mode_t) throws(SystemError) {
        guard fchmod(descriptor, mode) == 0 else { throw SystemError(errno) }
    }

    /// Sets when the content was last changed; the time of the last access becomes the same.
    func setModified(seconds: Int, nanoseconds: Int) throws(SystemError) {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        guard futimens(descriptor, [time, time]) == 0 else { throw SystemError(errno) }
    }

    /// Flushes the content, or the names in a folder, to the disk.
    func flush() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError(errno) }
    }
}
