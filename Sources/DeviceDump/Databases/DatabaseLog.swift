import Foundation

/// The log that SQLite keeps beside a database (`-wal`): pages that are not in the file yet, each in a frame with a checksum.
///
/// SQLite reads frames up to the first that is not sound, as after that come those of an earlier use of the file; so it says
/// nothing of one that is damaged, and its rows are as if they had never been.
struct DatabaseLog {
    private static let head = 32, frameHead = 24
    private let stream: any DumpStream
    private var bytes: [UInt8] = []
    private var place = 0

    /// Why changes that a log had are not read; `nil` where all of them are.
    ///
    /// What does not begin as a log is none, and nothing is said of it.
    static func damage(_ stream: any DumpStream) throws(DumpError) -> String? {
        var log = DatabaseLog(stream)
        return try log.damage()
    }

    private init(_ stream: any DumpStream) { self.stream = stream }

    /// The next bytes: fewer than so many at the end only.
    private mutating func next(_ count: Int) throws(DumpError) -> ArraySlice<UInt8> {
        while bytes.count - place < count {
            let part = try stream.next()
            if part.isEmpty { break }
            if place > 0 { bytes.removeFirst(place) }
            place = 0
            bytes += part
        }
        let found = bytes[place...].prefix(count)
        place += found.count
        return found
    }

    private mutating func damage() throws(DumpError) -> String? {
        let head = Array(try next(Self.head))
        let magic = Self.number(head[...], at: 0)
        guard magic == 0x377F_0682 || magic == 0x377F_0683 else { return nil }
        let isBig = magic & 1 == 1, page = Int(Self.number(head[...], at: 8)), salts = head.dropFirst(16).prefix(8)
        var sum = Sum(isBig: isBig)
        sum.add(head.prefix(24))
        guard head.count == Self.head, (512...65536).contains(page), page & (page - 1) == 0,
            sum.isStored(in: head.suffix(8))
        else { return "its head is damaged" }
        var hasEnded = false, number = 0
        while true {
            let frame = try next(Self.frameHead + page)
            if frame.isEmpty { return nil }
            number += 1
            // What an earlier use of the file has left has other salts.
            let isOwn = frame.dropFirst(8).prefix(8).elementsEqual(salts)
            guard frame.count == Self.frameHead + page else {
                return isOwn || !hasEnded ? "it was cut, within its frame \(number)" : nil
            }
            guard isOwn else {
                hasEnded = true
                continue
            }
            if hasEnded { return "a frame before its frame \(number) is damaged" }
            sum.add(frame.prefix(8))
            sum.add(frame.dropFirst(Self.frameHead))
            guard sum.isStored(in: frame.dropFirst(16).prefix(8)) else { return "its frame \(number) is damaged" }
        }
    }

    /// Four bytes as a number, the first one the highest; 0 where they are not there.
    private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The checksum of all that comes before.
    private struct Sum {
        /// Whether numbers are summed up with their first byte the highest.
        let isBig: Bool
        var first: UInt32 = 0, second: UInt32 = 0

        init(isBig: Bool) { self.isBig = isBig }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            let isBig = isBig
            var (first, second) = (first, second)
            bytes.withUnsafeBytes { bytes in
                for place in stride(from: 0, to: bytes.count - 7, by: 8) {
                    let left = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                    let right = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                    first &+= (isBig ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
                    second &+= (isBig ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
                }
            }
            (self.first, self.second) = (first, second)
        }

        /// Whether it is what is written there.
        func isStored(in bytes: ArraySlice<UInt8>) -> Bool {
            DatabaseLog.number(bytes, at: 0) == first && DatabaseLog.number(bytes, at: 4) == second
        }
    }
}
