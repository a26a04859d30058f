import Foundation
import Synchronization
import SystemPackage

/// A SQLite file in an archive, unpacked as far as SQLite asks for its pages: its tables stand near its beginning, and most
/// files of an archive are not looked into further.
///
/// What is unpacked is kept in a private file without a name. That the bytes are those that were packed is known only at the
/// end, so that ``verify()`` comes before rows.
final class UnpackedPages: DatabasePages {
    let count: Int
    let isCopied = true
    private let path: DumpPath
    private let state: Mutex<State>

    private struct State {
        var copy: SpilledFile
        let stream: any DumpStream
        var isWhole = false
        var failure: DumpError?
    }

    /// Takes the content of a file, which has so many bytes.
    init(_ path: DumpPath, _ stream: sending any DumpStream, count: Int) throws(DumpError) {
        (self.path, self.count) = (path, count)
        do throws(Errno) {
            state = Mutex(State(copy: try SpilledFile(), stream: stream))
        } catch {
            throw DumpError(path, .noCopy(error))
        }
    }

    var failure: DumpError? { state.withLock(\.failure) }

    func read(at offset: Int, upTo count: Int) throws(Errno) -> Data {
        guard offset >= 0, offset < self.count, count > 0 else { return Data() }
        do throws(DumpError) { try unpack(offset + min(count, self.count - offset)) } catch { throw .ioError }
        return Data(try state.withLock(\.copy.bytes).read(at: offset, upTo: count))
    }

    func verify() throws(DumpError) { try unpack(.max) }

    /// Unpacks until there are so many bytes, or all; what was cancelled goes on where it was.
    private func unpack(_ wanted: Int) throws(DumpError) {
        let failure = state.withLock { state -> DumpError? in
            if let failure = state.failure, failure.problem != .cancelled { return failure }
            do throws(DumpError) {
                while !state.isWhole, state.copy.count < wanted {
                    try OpeningControl.current.reach(.copying, state.copy.count, of: count)
                    let part = try state.stream.next()
                    state.isWhole = part.isEmpty
                    if part.isEmpty { break }
                    do throws(Errno) { try state.copy.write(part) } catch { throw DumpError(path, .noCopy(error)) }
                }
                state.failure = nil
            } catch {
                state.failure = error
            }
            return state.failure
        }
        if let failure { throw failure }
    }
}

/// A SQLite file that stands in an archive as it is.
final class StoredPages: DatabasePages {
    private let bytes: PackedBytes
    private let archive: ArchiveFiles
    private let lastFailure = Mutex<DumpError?>(nil)

    init(_ bytes: PackedBytes, in archive: ArchiveFiles) { (self.bytes, self.archive) = (bytes, archive) }

    var count: Int { bytes.count }
    var failure: DumpError? { lastFailure.withLock(\.self) }

    func read(at offset: Int, upTo count: Int) throws(Errno) -> Data {
        do throws(DumpError) { try archive.checkIsUnchanged() } catch {
            lastFailure.withLock { [error] in $0 = error }
            throw .ioError
        }
        return Data(try bytes.read(at: offset, upTo: count))
    }
}
