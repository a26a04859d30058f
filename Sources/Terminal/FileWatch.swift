import Files
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Tells that a file, or what SQLite keeps beside it, was written, also one that was not there yet.
///
/// By inotify, which wakes nobody while nothing happens: on the folder that the file is in or, where that is not there yet, on
/// the nearest one above it that is. On other systems, and where the system watches no more, one looks at the file once a second.
final class FileWatch {
    /// The path of the file.
    let path: String
    /// What becomes readable once there is something to tell; below zero where one looks now and then.
    private(set) var descriptor: Int32
    /// How long one waits for that before one looks, in milliseconds; below zero for ever.
    var interval: Int32 { descriptor < 0 ? 1000 : -1 }
    /// Why nothing is known of the file, not even whether it is there; `nil` where it can be looked at.
    private(set) var problem: String?
    /// What the file, and what is kept beside it, were when they were last looked at.
    private var seen: [Identity?] = []

    /// - Parameter isLooking: Whether one looks now and then, as where the system tells nothing.
    init(_ path: String, isLooking: Bool = false) {
        self.path = path
        #if canImport(Glibc)
        descriptor = isLooking ? -1 : inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        #else
        descriptor = -1
        #endif
        #if canImport(Glibc)
        if descriptor >= 0 { watch() }
        #endif
        if descriptor < 0 { seen = identities() }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether anything has happened since it was last asked.
    func drain() -> Bool {
        #if canImport(Glibc)
        if descriptor >= 0 { return drainEvents() }
        #endif
        let now = identities()
        defer { seen = now }
        return now != seen
    }

    /// Whether a failure says that something is not there; of what else it says nothing is known.
    private static func isAbsent(_ failure: Errno) -> Bool {
        [.noSuchFileOrDirectory, .notDirectory].contains(failure)
    }

    /// What tells one state of a file from another without reading it.
    private struct Identity: Equatable {
        let file: UInt64, size: Int64, seconds: Int, nanoseconds: Int
    }

    private func identities() -> [Identity?] {
        problem = nil
        return ["", "-wal", "-journal"].map { ending in
            var status = stat()
            guard stat(path + ending, &status) == 0 else {
                let failure = Errno.last
                if !Self.isAbsent(failure) { problem = failure.words }
                return nil
            }
            #if canImport(Glibc)
            let time = status.st_mtim
            #else
            let time = status.st_mtimespec
            #endif
            return Identity(
                file: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(time.tv_sec),
                nanoseconds: Int(time.tv_nsec))
        }
    }

    #if canImport(Glibc)
    /// What in the watched folder leads to the file: it, or the folder on the way to it that was not there.
    private var name: [UInt8] = []
    private var watched: Int32 = -1

    /// Watches the nearest folder on the way to the file that is there.
    private func watch() {
        if watched >= 0 { inotify_rm_watch(descriptor, watched) }
        let events = IN_MODIFY | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
        var file = FilePath(path)
        while let last = file.lastComponent {
            let folder = file.removingLastComponent()
            watched = inotify_add_watch(descriptor, folder.isEmpty ? "." : folder.string, UInt32(events))
            let failure = Errno.last
            name = Array(last.string.utf8)
            if watched >= 0 { return }
            // One that may not be watched, or cannot as the system watches too much already, may well be there.
            if !Self.isAbsent(failure) { break }
            file = folder
        }
        close(descriptor)
        descriptor = -1
        seen = identities()
    }

    /// Whether any of it was to the file or to what is called after it, or to the folder on the way to it.
    private func drainEvents() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 << 10), isTouched = false
        let head = MemoryLayout<inotify_event>.size
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            var place = 0
            while place + head <= count {
                let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self) }
                let rest = bytes[min(count, place + head)..<min(count, place + head + Int(event.len))]
                // Of what there was no room for, or of a folder that has gone, nothing is known.
                let isLost = event.mask & UInt32(IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF) != 0
                isTouched = isTouched || isLost || rest.prefix { $0 != 0 }.starts(with: name)
                place += head + Int(event.len)
            }
        }
        // The way to the file may be longer or shorter now.
        if isTouched { watch() }
        return isTouched
    }
    #endif
}
