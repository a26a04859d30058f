#if canImport(Glibc)
import Glibc
#endif

/// Tells that a file, or what SQLite keeps beside it, was written, also one that was not there yet; nothing is done while it is
/// not.
///
/// By inotify, on the folder that the file is in; of a folder that is not there, and on other systems, nothing is told.
final class FileWatch {
    /// The path of the file.
    let path: String
    /// What becomes readable once there is something to tell.
    let descriptor: Int32

    #if canImport(Glibc)
    private let name: [UInt8]

    deinit { close(descriptor) }

    init?(_ path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? ".",
            last = slash.map { path.utf8[$0...].dropFirst() } ?? path.utf8[...]
        guard !last.isEmpty else { return nil }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)) >= 0
        else {
            close(descriptor)
            return nil
        }
        (self.path, self.descriptor, name) = (path, descriptor, Array(last))
    }

    /// Takes what has happened; whether any of it was to the file or to what is called after it.
    func drain() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 << 10), isTouched = false
        let head = MemoryLayout<inotify_event>.size
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return isTouched }
            var place = 0
            while place + head <= count {
                let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self) }
                let rest = bytes[min(count, place + head)..<min(count, place + head + Int(event.len))]
                // Of what there was no room for nothing is known.
                let isLost = event.mask & UInt32(IN_Q_OVERFLOW) != 0
                isTouched = isTouched || isLost || rest.prefix { $0 != 0 }.starts(with: name)
                place += head + Int(event.len)
            }
        }
    }
    #else
    init?(_ path: String) { nil }
    func drain() -> Bool { false }
    #endif
}
