import CZlib
import Foundation

/// Unpacks what is deflated.
final class Inflater {
    /// What is around it.
    enum Frame {
        /// Nothing, as in a zip, whose list has the checksum.
        case bare
        /// The head and the end of a member of a gzip file (RFC 1952); its checksum and its length are checked.
        case gzip

        /// What zlib is told for it: how large the window is, and the frame.
        fileprivate var windowBits: Int32 {
            switch self {
            case .bare: -MAX_WBITS
            case .gzip: MAX_WBITS + 16
            }
        }
    }

    /// Where it stays, as the library checks.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let input: UnsafeMutablePointer<UInt8>
    private static let room = 1 << 16
    private(set) var isAtEnd = false

    init?(_ frame: Frame) {
        stream.initialize(to: z_stream())
        input = .allocate(capacity: Self.room)
        guard inflateInit2_(stream, frame.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    var needsInput: Bool { stream.pointee.avail_in == 0 }

    /// The bytes that were given and not needed yet.
    var left: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: stream.pointee.next_in, count: Int(stream.pointee.avail_in))
    }

    /// Takes the next bytes, at most 64 KB; what is left of those before is dropped.
    func give(_ bytes: [UInt8]) {
        input.update(from: bytes, count: min(bytes.count, Self.room))
        stream.pointee.next_in = UnsafeMutablePointer(input)
        stream.pointee.avail_in = UInt32(min(bytes.count, Self.room))
    }

    /// What the input gives, maybe nothing; `nil` where it is damaged.
    func next(upTo count: Int) -> Data? {
        var data = Data(count: count)
        let status = data.withUnsafeMutableBytes { buffer in
            stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(count)
            defer { stream.pointee.next_out = nil }
            return inflate(stream, Z_NO_FLUSH)
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
        isAtEnd = status == Z_STREAM_END
        return data.prefix(count - Int(stream.pointee.avail_out))
    }

    /// Whether what is damaged is what stands behind the content: its checksum, or its length, is another.
    var isOnlySumWrong: Bool {
        ["incorrect data check", "incorrect length check"].contains(stream.pointee.msg.map { String(cString: $0) })
    }

    /// Begins with what comes next.
    func restart() {
        inflateReset(stream)
        isAtEnd = false
    }
}
