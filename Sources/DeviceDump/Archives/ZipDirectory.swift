import Foundation
import StoreFormats
import SystemPackage

/// What the list at the end of a zip says of one entry (APPNOTE.TXT 6.3, sections 4.3 to 4.5).
struct ZipEntry: Sendable {
    /// How the content is packed: 0 as it is, 8 deflated; others are the library's.
    var method: Int
    /// The general purpose flags.
    var flags: Int
    /// The CRC-32 of the content.
    var checksum: UInt32
    /// How many bytes the content is packed in.
    var packed: Int
    /// How many bytes the content has.
    var size: Int
    /// Where the entry itself begins, from the start of the file.
    var start: Int
    /// Where what the list says of it is, from the start of the file.
    var record: Range<Int>

    var isProtected: Bool { flags & 1 != 0 }
    /// Whether sizes and checksum stand behind the content too.
    var hasDescriptor: Bool { flags & 8 != 0 }
}

/// The list of the entries that stands at the end of a zip.
struct ZipDirectory {
    /// Where the list is.
    let range: Range<Int>
    /// How many entries the end says that there are.
    let count: Int
    /// What is to be added to each place that the list says; above 0 where something stands before the archive.
    let shift: Int
    /// What is said of the whole zip behind its end.
    private(set) var comment: [UInt8] = []
    /// Whether each place is cut to 32 bits, as macOS writes it of a zip past 4 GiB.
    let isWrapped: Bool

    private static let endSignature = Array("PK\u{5}\u{6}".utf8)

    /// Finds the list.
    ///
    /// - Returns: `nil` where the file does not end as a zip does.
    init?(in bytes: PackedBytes, _ file: DumpPath) throws(DumpError) {
        let start = max(0, bytes.count - 22 - 0xFFFF), tail = try Self.read(bytes, at: start, upTo: .max, file)
        // What the archive ends with may have a comment behind it, in which anything may stand.
        var place = tail.count - 22
        while place >= 0 {
            defer { place -= 1 }
            guard tail[place...].starts(with: Self.endSignature),
                let comment = tail.number(at: place + 20, bytes: 2), place + 22 + comment <= tail.count
            else { continue }
            if let found = try Self.find(in: bytes, end: start + place, Array(tail[place..<place + 22]), file) {
                self = found
                self.comment = Array(tail[(place + 22)..<(place + 22 + comment)])
                return
            }
        }
        return nil
    }

    private init(range: Range<Int>, count: Int, shift: Int, isWrapped: Bool) {
        self.range = range
        self.count = count
        self.shift = shift
        self.isWrapped = isWrapped
    }

    private static func find(
        in bytes: PackedBytes, end: Int, _ record: [UInt8], _ file: DumpPath
    ) throws(DumpError) -> ZipDirectory? {
        guard let disk = record.number(at: 4, bytes: 2), var count = record.number(at: 10, bytes: 2),
            var size = record.number(at: 12, bytes: 4), var offset = record.number(at: 16, bytes: 4)
        else { return nil }
        var end = end
        let locator = try read(bytes, at: end - 20, upTo: 20, file)
        if locator.starts(with: "PK\u{6}\u{7}".utf8), let place = locator.number(at: 8, bytes: 8) {
            for place in [place, end - 20 - 56] {
                let large = try read(bytes, at: place, upTo: 56, file)
                guard large.starts(with: "PK\u{6}\u{6}".utf8), let total = large.number(at: 32, bytes: 8),
                    let length = large.number(at: 40, bytes: 8), let from = large.number(at: 48, bytes: 8)
                else { continue }
                (count, size, offset, end) = (total, length, from, place)
                break
            }
        } else if disk != 0, disk != 0xFFFF {
            throw DumpError(
                file, .brokenArchive("it is one part of an archive in several; put the parts together first"))
        }
        for start in [end - size, offset] where start >= 0 && size >= 0 && start <= bytes.count - size {
            let begin = try read(bytes, at: start, upTo: 4, file)
            guard size == 0 ? count == 0 : begin.elementsEqual("PK\u{1}\u{2}".utf8) else { continue }
            let shift = start - offset
            // Places that are cut to 32 bits look as if a multiple of that stood before the archive.
            let isWrapped = shift > 0 && shift & 0xFFFF_FFFF == 0
            guard shift >= 0 else {
                throw DumpError(file, .brokenArchive("its first \(-shift) bytes are missing"))
            }
            return ZipDirectory(
                range: start..<start + size, count: count, shift: isWrapped ? 0 : shift, isWrapped: isWrapped)
        }
        return nil
    }

    private static func read(
        _ bytes: PackedBytes, at offset: Int, upTo count: Int, _ file: DumpPath
    ) throws(DumpError) -> [UInt8] {
        do throws(Errno) { return try bytes.read(at: offset, upTo: count) } catch {
            throw DumpError(file, .inaccessible(error))
        }
    }
}

extension ArchiveTree {
    /// Reads what a zip holds from the list at its end, in one pass and without looking at the entries themselves.
    init(
        zip bytes: PackedBytes, _ file: DumpPath, limits: ArchiveLimits, _ control: OpeningControl
    ) throws(DumpError) {
        self.init(of: file, limits: limits)
        guard let directory = try ZipDirectory(in: bytes, file) else {
            throw DumpError(
                file,
                .brokenArchive(
                    "the list of its entries, which is the end of a zip, is not there: it was cut after \(bytes.count) bytes, "
                        + "or is one of several parts, which are to be put together first"
                ))
        }
        guard directory.range.count <= limits.names else {
            throw DumpError(file, .tooLongNames(limit: limits.names))
        }
        let list: [UInt8]
        do throws(Errno) { list = try bytes.read(at: directory.range.lowerBound, upTo: directory.range.count) } catch {
            throw DumpError(file, .inaccessible(error))
        }
        var place = 0, previous = 0, number = 0
        while place < list.count {
            if number & 0xFFF == 0 { try control.reach(.listing, number, of: directory.count) }
            number += 1
            guard let found = ZipRecord(list, at: place) else {
                throw DumpError(
                    file,
                    .brokenArchive("the list of its entries is damaged at byte \(directory.range.lowerBound + place)"))
            }
            var entry = found.entry
            let record = directory.range.lowerBound + place
            entry.record = record..<record + found.length
            entry.start += directory.shift
            if directory.isWrapped {
                // The entries stand in their order, and each is where its name is.
                entry.start += (previous >> 32) << 32
                let name = list[place + 46..<place + 46 + found.nameCount]
                while entry.start + (1 << 32) < directory.range.lowerBound,
                    !Self.isEntry(named: name, at: entry.start, in: bytes)
                {
                    entry.start += 1 << 32
                }
                previous = entry.start
            }
            place += found.length
            var member = ArchiveMember(
                name: found.name, kind: found.kind, size: found.kind == .file ? entry.size : 0, mode: found.mode,
                modified: found.modified, content: .zip(entry))
            let end = entry.start.addingReportingOverflow(30 + found.nameCount + entry.packed)
            member.range = entry.start..<max(entry.start, end.overflow ? .max : end.partialValue)
            if found.isLink {
                // Where it points is its content.
                var target = Data()
                if entry.size <= limits.name, !entry.isProtected, let stream = try? ZipStream(entry, in: bytes, .root) {
                    while let part = try? stream.next(), !part.isEmpty { target += part }
                }
                member.kind = .symbolicLink(target: Array(target))
            }
            if found.kind == .folder, entry.size > 0 { filledFolders.add(member.name) }
            if found.hasBackslashes { backslashed.add(member.name) }
            if found.isInCodePage { inCodePage.add(member.name) }
            try add(member)
        }
        try checkOverlaps(before: directory.range.lowerBound, file)
        try finish(packed: bytes.count)
        foundBefore = directory.shift
        if number & 0xFFFF != directory.count & 0xFFFF { listed = directory.count }
    }

    /// Whether an entry of that name begins at a place.
    private static func isEntry(named name: ArraySlice<UInt8>, at start: Int, in bytes: PackedBytes) -> Bool {
        guard let found = try? bytes.read(at: start, upTo: 30 + name.count) else { return false }
        return found.starts(with: "PK\u{3}\u{4}".utf8) && found.number(at: 26, bytes: 2) == name.count
            && found.dropFirst(30).elementsEqual(name)
    }

    /// Refuses entries that share bytes: what few bytes hold that way unpacks to any size, and no tool writes it.
    private func checkOverlaps(before end: Int, _ file: DumpPath) throws(DumpError) {
        let order = members.indices.sorted { members[$0].range.lowerBound < members[$1].range.lowerBound }
        for (first, second) in zip(order, order.dropFirst()) {
            let (one, other) = (members[first], members[second])
            // One that lies outside of the archive is refused when it is read.
            guard one.range.upperBound > other.range.lowerBound, one.range.upperBound <= end else { continue }
            let names = [one, other].map { "“" + String(decoding: $0.name.prefix(200), as: UTF8.self) + "”" }
            throw DumpError(
                file,
                .brokenArchive(
                    "its entries \(names[0]) and \(names[1]) share the bytes from \(other.range.lowerBound) on"))
        }
    }
}

/// One record of the list, as it stands there.
private struct ZipRecord {
    var entry: ZipEntry
    var name: [UInt8]
    /// How many bytes the name has where the entry itself stands.
    var nameCount: Int
    var kind = DumpItem.Kind.file
    var isLink = false
    /// Whether the name was read as code page 437: nothing says that it is UTF-8, and it is not.
    var isInCodePage = false
    /// Whether backslashes stand between its folders, as only Windows has them.
    var hasBackslashes = false
    var mode: UInt16?
    var modified: DumpItem.Moment?
    /// How many bytes the record has.
    var length: Int

    init?(_ list: [UInt8], at place: Int) {
        guard place + 46 <= list.count, list[place..<place + 4].elementsEqual("PK\u{1}\u{2}".utf8) else { return nil }
        func short(_ offset: Int) -> Int { Int(list[place + offset]) | Int(list[place + offset + 1]) << 8 }
        func long(_ offset: Int) -> Int { short(offset) | short(offset + 2) << 16 }
        nameCount = short(28)
        let extraCount = short(30)
        length = 46 + nameCount + extraCount + short(32)
        guard place + length <= list.count else { return nil }
        entry = ZipEntry(
            method: short(10), flags: short(8), checksum: UInt32(truncatingIfNeeded: long(16)), packed: long(20),
            size: long(24), start: long(42), record: 0..<0)
        let nameEnd = place + 46 + nameCount
        name = Array(list[place + 46..<nameEnd])
        modified = Self.moment(date: short(14), time: short(12))
        readExtra(list[nameEnd..<nameEnd + extraCount])
        // Many tools write UTF-8 without saying so; nobody else's bytes are UTF-8 by chance.
        if entry.flags & 1 << 11 == 0, String(validating: name, as: UTF8.self) == nil {
            name = CodePage437.utf8(of: name)
            isInCodePage = true
        }
        // Far above any file, and so that two of them can be added.
        let most = 1 << 60
        (entry.size, entry.packed) = (min(entry.size, most), min(entry.packed, most))
        entry.start = min(entry.start, most)
        // Of Unix and macOS; elsewhere the upper half means something else.
        let attributes = long(38), type = attributes >> 28, system = short(4) >> 8
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        // Elsewhere it is a letter like others.
        if [0, 10, 11].contains(system), name.contains(backslash), !name.contains(slash) {
            name = name.map { $0 == backslash ? slash : $0 }
            hasBackslashes = true
        }
        if system == 3 || system == 19, attributes >> 16 != 0 { mode = UInt16(attributes >> 16 & 0o7777) }
        if name.last == UInt8(ascii: "/") || mode != nil && type == 4 {
            kind = .folder
        } else if mode != nil, type == 0o12 {
            isLink = true
        } else if mode != nil, type != 0, type != 0o10 {
            kind = .other("neither a file nor a folder")
        }
    }

    /// Reads what stands behind the name: large sizes, exact times, the name in UTF-8.
    private mutating func readExtra(_ extra: ArraySlice<UInt8>) {
        var rest = extra
        while let tag = rest.number(at: 0, bytes: 2), let count = rest.number(at: 2, bytes: 2), rest.count >= 4 + count
        {
            let field = rest.dropFirst(4).prefix(count)
            rest = rest.dropFirst(4 + count)
            switch tag {
            case 0x0001:
                // Each only where its place in the record says that it does not fit there.
                var offset = 0
                func next() -> Int? {
                    defer { offset += 8 }
                    return field.number(at: offset, bytes: 8)
                }
                if entry.size == 0xFFFF_FFFF { entry.size = next() ?? entry.size }
                if entry.packed == 0xFFFF_FFFF { entry.packed = next() ?? entry.packed }
                if entry.start == 0xFFFF_FFFF { entry.start = next() ?? entry.start }
            case 0x5455:
                if let flags = field.first, flags & 1 != 0, let time = field.number(at: 1, bytes: 4) {
                    modified = .init(seconds: Int(Int32(truncatingIfNeeded: time)), nanoseconds: 0)
                }
            case 0x7075:
                // It is of this name only where it says so.
                if field.first == 1, let checksum = field.number(at: 1, bytes: 4), checksum == Int(Checksum.of(name)) {
                    name = Array(field.dropFirst(5))
                }
            default: break
            }
        }
    }

    /// The time in the record itself, which has no zone and steps of two seconds; read as if it were UTC.
    private static func moment(date: Int, time: Int) -> DumpItem.Moment? {
        Timestamp(
            year: 1980 + (date >> 9), month: date >> 5 & 15, day: date & 31, hour: time >> 11, minute: time >> 5 & 63,
            second: (time & 31) * 2
        ).map {
            .init(seconds: Int($0.secondsSinceReference + Timestamp.referenceSinceEpoch), nanoseconds: 0)
        }
    }
}

/// The character set that names in a zip are in where nothing says that they are in UTF-8 (APPNOTE.TXT 6.3, appendix D).
enum CodePage437 {
    /// The upper half; the lower is ASCII.
    private static let upper = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

    /// The text of bytes in it, as UTF-8: no two have the same.
    static func utf8(of bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : Array(String(upper[Int($0) - 0x80]).utf8) }
    }
}
