import Foundation
import StoreFormats
import SystemPackage

/// The log that SQLite keeps beside a database (`-wal`): pages that are not in the file yet, each in a frame with a checksum.
///
/// SQLite reads frames up to the first that is not sound, as after that come those of an earlier use of the file; so it says
/// nothing of one that is damaged, and its rows are as if they had never been.
struct DatabaseLog {
    private static let head = 32, frameHead = 24
    /// The only version there has ever been.
    private static let version: UInt32 = 3_007_000

    /// Where in the log the last content of each page is that counts, by the numbers of the pages, the first one 0.
    private(set) var pages: [Int: Int] = [:]
    /// How many bytes a page has.
    private(set) var pageSize = 0
    /// How many pages the database has with what is in the log.
    private(set) var pageCount = 0
    /// Why changes that it had are not read; `nil` where all of them are.
    private(set) var damage: String?
    /// The path on the device of the journal that a change of several databases has for all of them, which a journal ends with.
    ///
    /// While that is there the change is not finished in any of them; once it is gone it is in all.
    private(set) var superJournal: [UInt8]?

    /// Reads a log; one that does not begin as one is damaged, though SQLite takes it for none.
    init(_ stream: any DumpStream) throws(DumpError) {
        var bytes = Parts(stream: stream)
        damage = try read(&bytes)
    }

    /// Reads the journal of a change that was not finished (`-journal`): what its pages were before, which SQLite puts back.
    ///
    /// One that its app is done with begins with zeros, and has nothing.
    init(journal stream: any DumpStream) throws(DumpError) {
        var bytes = Parts(stream: stream)
        damage = try read(journal: &bytes)
        // What has no head has no end either.
        guard pageSize > 0 else { return }
        while !(try bytes.next(1 << 16).isEmpty) {}
        superJournal = Self.superJournal(inEnd: bytes.end)
    }

    /// The name before its length, its sum and the mark of a journal, as SQLite reads it.
    private static func superJournal(inEnd end: [UInt8]) -> [UInt8]? {
        let mark = end.suffix(16), length = Int(number(mark, at: 0))
        guard mark.count == 16, mark.suffix(8).elementsEqual(SQLiteMagic.journal), (1...nameLimit).contains(length)
        else {
            return nil
        }
        let name = end.dropLast(16).suffix(length)
        guard name.count == length else { return nil }
        // The bytes are summed up as they are in C: with a sign on most systems.
        let sums = [
            name.reduce(UInt32(0)) { $0 &+ UInt32($1) },
            name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) },
        ]
        return sums.contains(number(mark, at: 4)) ? Array(name) : nil
    }

    /// What is said of a file that does not begin as its name says.
    private static let isNone = "it does not begin as one"

    /// How long a name may be that SQLite takes for one.
    private static let nameLimit = 512

    /// Reads parts of a journal, each of which begins with a head on a sector of its own, up to where SQLite stops as well.
    private mutating func read(journal bytes: inout Parts) throws(DumpError) -> String? {
        var offset = 0, number = 0, sector = 0
        while true {
            if sector > 0, !offset.isMultiple(of: sector) {
                let rest = sector - offset % sector
                offset += try bytes.next(rest).count
            }
            let head = Array(try bytes.next(28)), count = Int(Self.number(head[...], at: 8))
            guard head.count == 28, head.starts(with: SQLiteMagic.journal) else {
                // What was begun and never stored has a part of the head, or zeros in its place.
                let isBegun = !head.isEmpty && (head[0] == 0 || SQLiteMagic.journal.starts(with: head.prefix(8)))
                return offset == 0 && !isBegun ? Self.isNone : nil
            }
            if sector == 0 {
                let sizes = [20, 24].map { Int(Self.number(head[...], at: $0)) }
                guard sizes.allSatisfy({ (512...65536).contains($0) && $0 & ($0 - 1) == 0 }) else {
                    return "its head is damaged"
                }
                (sector, pageSize, pageCount) = (sizes[0], sizes[1], Int(Self.number(head[...], at: 16)))
            }
            offset += head.count + (try bytes.next(sector - head.count).count)
            let salt = Self.number(head[...], at: 12)
            // Without a number, as where nothing was made sure of, it goes on to the end.
            var left = count == 0xFFFF_FFFF ? Int.max : count
            while left > 0 {
                let record = try bytes.next(pageSize + 8), page = Int(Self.number(record, at: 0))
                if record.isEmpty, count == 0xFFFF_FFFF { return nil }
                number += 1
                let content = Array(record.dropFirst(4).prefix(pageSize))
                let sum = stride(from: pageSize - 200, to: 0, by: -200).reduce(salt) { sum, place in
                    sum &+ UInt32(place < content.count ? content[place] : 0)
                }
                guard record.count == pageSize + 8, page > 0, sum == Self.number(record, at: pageSize + 4) else {
                    return "its page \(number) is damaged or missing"
                }
                if page <= pageCount { pages[page - 1] = offset + 4 }
                offset += record.count
                left -= 1
            }
            if count == 0 { return nil }
        }
    }

    /// What comes in parts, as many bytes at a time as are wanted.
    private struct Parts {
        let stream: any DumpStream
        private var bytes: [UInt8] = []
        private var place = 0
        /// The last bytes that have come, as many as a name and what stands behind it.
        private(set) var end: [UInt8] = []

        init(stream: any DumpStream) { self.stream = stream }

        /// The next bytes: fewer than so many at the end only.
        mutating func next(_ count: Int) throws(DumpError) -> ArraySlice<UInt8> {
            while bytes.count - place < count {
                let part = try stream.next()
                if part.isEmpty { break }
                end = Array((end + part.suffix(DatabaseLog.nameLimit + 16)).suffix(DatabaseLog.nameLimit + 16))
                if place > 0 { bytes.removeFirst(place) }
                place = 0
                bytes += part
            }
            let found = bytes[place...].prefix(count)
            place += found.count
            return found
        }
    }

    private mutating func read(_ bytes: inout Parts) throws(DumpError) -> String? {
        let head = Array(try bytes.next(Self.head))
        guard SQLiteMagic.logs.contains(where: head.starts) else { return Self.isNone }
        let isBig = head[3] & 1 == 1, page = Int(Self.number(head[...], at: 8)), salts = head.dropFirst(16).prefix(8)
        var sum = Sum(isBig: isBig)
        sum.add(head.prefix(24))
        guard head.count == Self.head, (512...65536).contains(page), page & (page - 1) == 0,
            Self.number(head[...], at: 4) == Self.version, sum.isStored(in: head.suffix(8))
        else { return "its head is damaged" }
        pageSize = page
        // A change that is still being made may have frames whose sums hold only once it is finished: SQLite writes them anew.
        var hasEnded = false, number = 0, unsound: Int?, waiting: [Int: Int] = [:]
        while true {
            let frame = try bytes.next(Self.frameHead + page)
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
            let place = Int(Self.number(frame, at: 0)), count = Int(Self.number(frame, at: 4))
            if unsound == nil {
                sum.add(frame.prefix(8))
                sum.add(frame.dropFirst(Self.frameHead))
                if place == 0 || !sum.isStored(in: frame.dropFirst(16).prefix(8)) { unsound = number }
            }
            if let unsound {
                // What was finished behind it is lost.
                if count > 0 { return "its frame \(unsound) is damaged" }
                continue
            }
            waiting[place - 1] = Self.head + number * (Self.frameHead + page) - page
            // A change counts once the last of its frames is there, which says how many pages there are.
            if count > 0 {
                pages.merge(waiting) { $1 }
                waiting = [:]
                pageCount = count
            }
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

/// A SQLite file with what a log, or a journal, beside it has in place of what it replaces.
final class LoggedPages: DatabasePages {
    private let base: any DatabasePages
    private let log: DatabaseLog
    private let frames: any DatabasePages
    let count: Int

    /// Takes a file, a log that has pages, and the bytes of that.
    init(_ base: any DatabasePages, _ log: DatabaseLog, _ frames: any DatabasePages) {
        self.base = base
        self.log = log
        self.frames = frames
        // A log that lies says that there are more pages than either has.
        count = min(log.pageCount, base.count / log.pageSize + log.pages.count) * log.pageSize
    }

    var isSecret: Bool { base.isSecret || frames.isSecret }
    var failure: DumpError? { base.failure ?? frames.failure }

    func verify() throws(DumpError) {
        try base.verify()
        try frames.verify()
    }

    func read(at offset: Int, upTo count: Int) throws(Errno) -> Data {
        let end = min(offset + count, self.count)
        var data = Data(), place = offset
        while place < end {
            let within = place % log.pageSize, wanted = min(log.pageSize - within, end - place)
            let part: Data
            if let frame = log.pages[place / log.pageSize] {
                part = try frames.read(at: frame + within, upTo: wanted)
                // It was all there when it was opened.
                guard part.count == wanted else { throw .ioError }
            } else {
                part = try base.read(at: place, upTo: wanted)
            }
            // Nobody has written a page that is not there yet.
            data += part + Data(count: wanted - part.count)
            place += wanted
        }
        return data
    }
}
