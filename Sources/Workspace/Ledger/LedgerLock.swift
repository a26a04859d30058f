import Foundation

/// The right to write to a ledger: an exclusive `flock` on a file beside it.
///
/// The system lets go of it when the process ends, however it ends, so a lock is never stale. It lies on a file of its
/// own, because closing any descriptor of the ledger itself would undo SQLite's locks. That file is never removed: a
/// second program could otherwise lock a file that has just been unlinked.
final class LedgerLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Let go of by name: a process that has just been forked holds a copy of the descriptor until it is its own program.
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes the lock of a ledger, or says why it cannot be had.
    static func take(forLedgerAt path: String) -> Result<LedgerLock, ReadOnlyReason.Refusal> {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return .failure(.init(.notWritable(SystemError(errno).sentence))) }
        let lock = LedgerLock(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            return .failure(.init(errno == EWOULDBLOCK ? .inUse : .notWritable(SystemError(errno).sentence)))
        }
        fchmod(descriptor, 0o600)
        return .success(lock)
    }
}

extension ReadOnlyReason {
    /// A reason as an error.
    struct Refusal: Error {
        let reason: ReadOnlyReason
        init(_ reason: ReadOnlyReason) { self.reason = reason }
    }
}
