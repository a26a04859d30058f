import Foundation
import SystemPackage

/// What stands before the content of a member of a tar (POSIX ustar and pax, and GNU's long names and sparse files).
struct TarHeader {
    static let block = 512
    /// The block.
    let bytes: [UInt8]

    /// Makes a header of a block; `nil` where its checksum says that it is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.block, let sum = Self.number(bytes[148..<156]) else { return nil }
        self.bytes = bytes
        guard sum == Self.checksum(of: bytes) else { return nil }
    }

    /// The sum of all bytes, with spaces for the sum itself.
    static func checksum(of bytes: [UInt8]) -> Int {
        bytes.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 0x20 : Int(bytes[$1])) }
    }

    /// What kind of member it is.
    var type: UInt8 { bytes[156] }
    /// How many bytes follow.
    var size: Int? { Self.number(bytes[124..<136]) }
    var mode: UInt16? { Self.number(bytes[100..<108]).map { UInt16(truncatingIfNeeded: $0) & 0o7777 } }
    var modified: Int? { Self.number(bytes[136..<148]) }
    var link: [UInt8] { Self.text(bytes[157..<257]) }
    var isPOSIX: Bool { bytes[257..<263].elementsEqual("ustar\0".utf8) }

    var name: [UInt8] {
        let name = Self.text(bytes[0..<100]), prefix = isPOSIX ? Self.text(bytes[345..<500]) : []
        return prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
    }

    static func text(_ field: ArraySlice<UInt8>) -> [UInt8] { Array(field.prefix { $0 != 0 }) }

    /// A number in octal digits, or with its first bit set in base 256.
    static func number(_ field: ArraySlice<UInt8>) -> Int? {
        if let first = field.first, first & 0x80 != 0 {
            var number = first == 0xFF ? -1 : Int(first & 0x3F)
            for byte in field.dropFirst() {
                guard abs(number) < 1 << 53 else { return nil }
                number = number << 8 | Int(byte)
            }
            return number
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        var number = 0
        for digit in digits {
            guard (0x30...0x37).contains(digit) else { return nil }
            number = number << 3 | Int(digit & 7)
        }
        return number
    }

    /// The records of a pax header: each its length in decimal, a space, a key, `=`, a value, and a line end.
    static func records(_ bytes: [UInt8]) -> [(key: String, value: [UInt8])]? {
        var records: [(String, [UInt8])] = [], rest = bytes[...]
        while !rest.isEmpty, rest.first != 0 {
            guard let space = rest.firstIndex(of: 0x20),
                let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
                length > space - rest.startIndex + 1, length <= rest.count
            else { return nil }
            let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
            guard let equal = record.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            records.append((String(decoding: record[..<equal], as: UTF8.self), Array(record[(equal + 1)...])))
            rest = rest.dropFirst(length)
        }
        return records
    }
}

extension ArchiveTree {
    /// The most bytes that a long name, or what pax says of a member, may have.
    private static let extensionLimit = 1 << 20

    /// Whether a file is called a tar, so that what does not begin as one is damaged.
    static func isNamedTar(_ file: DumpPath) -> Bool {
        if let ending = ArchiveFormat.ending(of: file.name) { return ending != ".zip" }
        // One that is compressed twice, or has a number behind it.
        return file.name.lowercased().split(separator: ".").dropFirst().contains("tar")
    }

    /// Whether bytes begin as a tar does, or as the end of an empty one.
    static func isTar(_ bytes: PackedBytes, _ file: DumpPath) throws(DumpError) -> Bool {
        let block: [UInt8]
        do throws(Errno) { block = try bytes.read(at: 0, upTo: TarHeader.block) } catch {
            throw DumpError(file, .inaccessible(error))
        }
        if block.isEmpty { return true }
        return TarHeader(block) != nil || block.count == TarHeader.block && block.allSatisfy { $0 == 0 }
    }

    /// Reads what a tar holds, from header to header.
    ///
    /// - Parameter packed: How many bytes it was packed in.
    init(
        tar bytes: PackedBytes, packed: Int, _ file: DumpPath, limits: ArchiveLimits, _ control: OpeningControl
    ) throws(DumpError) {
        self.init(of: file, limits: limits)
        var place = 0, start = 0, window: [UInt8] = [], windowStart = 0
        /// Bytes of what describes a member; those of the next ones are mostly read with them.
        func read(_ count: Int) throws(DumpError) -> [UInt8] {
            if place < windowStart || place + count > windowStart + window.count {
                do throws(Errno) { window = try bytes.read(at: place, upTo: max(count, 1 << 14)) } catch {
                    throw DumpError(file, .inaccessible(error))
                }
                windowStart = place
            }
            return Array(window[(place - windowStart)...].prefix(count))
        }
        func cut(_ what: String) -> DumpError {
            DumpError(file, .brokenArchive("it ends after \(bytes.count) bytes, within \(what): it was cut"))
        }
        var global: [String: [UInt8]] = [:], own: [String: [UInt8]] = [:]
        var longName: [UInt8]?, longLink: [UInt8]?, number = 0
        while true {
            if number & 0xFF == 0 { try control.reach(.listing, place, of: bytes.count) }
            number += 1
            let block = try read(TarHeader.block)
            // Without it nothing tells whether more was to come.
            if block.isEmpty, place > 0 { throw cut("its members: there is no end mark") }
            guard block.count == TarHeader.block else { throw cut("what describes a member") }
            if block.allSatisfy({ $0 == 0 }) { break }
            guard let header = TarHeader(block), let stored = header.size, stored >= 0 else {
                throw DumpError(file, .brokenArchive("what is at byte \(place) does not describe a member of a tar"))
            }
            place += TarHeader.block
            switch header.type {
            case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"):
                guard stored <= Self.extensionLimit else {
                    throw DumpError(file, .brokenArchive("what describes a member at byte \(place) is too long"))
                }
                let text = try read(stored)
                guard text.count == stored else { throw cut("what describes a member") }
                place += Self.padded(stored)
                switch header.type {
                case UInt8(ascii: "L"): longName = TarHeader.text(text[...])
                case UInt8(ascii: "K"): longLink = TarHeader.text(text[...])
                default:
                    guard let records = TarHeader.records(text) else {
                        throw DumpError(file, .brokenArchive("what describes a member at byte \(place) is damaged"))
                    }
                    for record in records {
                        if header.type == UInt8(ascii: "g") {
                            global[record.key] = record.value
                        } else {
                            own[record.key] = record.value
                        }
                    }
                }
                continue
            default: break
            }
            func value(_ key: String) -> [UInt8]? { own[key] ?? global[key] }
            func text(_ key: String) -> String? { value(key).map { String(decoding: $0, as: UTF8.self) } }
            var member = ArchiveMember(
                name: value("GNU.sparse.name") ?? value("path") ?? longName ?? header.name, kind: .file,
                mode: header.mode)
            let link = value("linkpath") ?? longLink ?? header.link
            let count = text("size").flatMap { Int($0) } ?? stored
            guard count >= 0, count <= Int.max >> 2 else {
                throw DumpError(file, .brokenArchive("the size of the member at byte \(start) is none"))
            }
            member.modified =
                text("mtime").flatMap(Self.moment) ?? header.modified.map { .init(seconds: $0, nanoseconds: 0) }
            var holds = false
            switch header.type {
            case UInt8(ascii: "1"):
                member.content = .link(link)
            case UInt8(ascii: "2"): member.kind = .symbolicLink(target: link)
            case UInt8(ascii: "5"): member.kind = .folder
            case UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "6"):
                member.kind = .other(header.type == UInt8(ascii: "6") ? "a pipe" : "a device")
            case UInt8(ascii: "V"), UInt8(ascii: "D"), UInt8(ascii: "M"):
                // A label, or what GNU's tar keeps for itself.
                member.kind = .other("not a file")
                holds = true
            case UInt8(ascii: "S"):
                holds = true
                member.size = max(0, TarHeader.number(block[483..<495]) ?? 0)
                var goesOn = block[482] != 0
                while goesOn {
                    let more = try read(TarHeader.block)
                    guard more.count == TarHeader.block else { throw cut("what describes a member") }
                    place += TarHeader.block
                    goesOn = more[504] != 0
                }
                member.content = .sparse(start..<start)
            default:
                holds = true
                if member.name.last == UInt8(ascii: "/") { member.kind = .folder }
                if let real = (text("GNU.sparse.realsize") ?? text("GNU.sparse.size")).flatMap({ Int($0) }) {
                    member.size = max(0, real)
                    member.content = .sparse(start..<start)
                } else {
                    member.size = count
                }
            }
            let content = place..<place + (holds ? count : 0)
            guard content.upperBound <= bytes.count else {
                throw cut("“\(String(decoding: member.name.prefix(200), as: UTF8.self))”")
            }
            place += holds ? Self.padded(count) : 0
            let end = min(place, bytes.count)
            if case .sparse = member.content {
                member.content = .sparse(start..<end)
            } else if member.kind == .file, case .none = member.content {
                member.content = .plain(content)
            }
            member.range = start..<end
            try add(member)
            (own, longName, longLink) = ([:], nil, nil)
            start = place
        }
        // Zeros fill the last record; a tar that was joined to this one begins behind them.
        for _ in 0..<Self.recordBlocks {
            let block = try read(TarHeader.block)
            guard block.count == TarHeader.block else { break }
            if TarHeader(block) != nil {
                joined = place
                break
            }
            place += TarHeader.block
        }
        try finish(packed: packed)
    }

    /// How many blocks of zeros may stand at the end: tools fill records of 20, and two are the mark.
    private static let recordBlocks = 64

    static func padded(_ count: Int) -> Int { (count + TarHeader.block - 1) / TarHeader.block * TarHeader.block }

    /// Seconds with decimals, as pax has them.
    private static func moment(_ text: String) -> DumpItem.Moment? {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard let whole = parts.first.flatMap({ Int($0) }), abs(whole) < 1 << 53 else { return nil }
        let digits = parts.count > 1 ? String(parts[1].prefix(9)) : ""
        guard let part = Int(digits.padding(toLength: 9, withPad: "0", startingAt: 0)), part >= 0 else { return nil }
        // Before 1970 the decimals go the other way.
        if text.hasPrefix("-"), part > 0 { return .init(seconds: whole - 1, nanoseconds: 1_000_000_000 - part) }
        return .init(seconds: whole, nanoseconds: part)
    }
}
