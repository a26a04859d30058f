import Foundation

extension BinaryPropertyList {
    /// The last 32 bytes of a list, checked: everything that it says lies within the file.
    struct Trailer: Sendable {
        /// The bytes at the start of every list: `bplist` and a version of two characters.
        static let magicLength = 8
        static let length = 32

        /// Bytes of an entry of the offset table, 1 to 8.
        let offsetSize: Int
        /// Bytes of a reference in a container, 1 to 8.
        let referenceSize: Int
        /// Entries of the offset table, at least 1.
        let objectCount: Int
        /// The number of the top object, below `objectCount`.
        let top: Int
        /// Where the offset table begins, and so where the objects end.
        let offsetTable: Int

        init(of data: Data) throws(FormatError) {
            try Self.checkMagic(data.prefix(Self.magicLength))
            // The smallest list: one object of one byte, and one offset of one byte.
            guard data.count >= Self.magicLength + 2 + Self.length else {
                throw FormatError(binary: data.count, .tooShort(bytes: data.count))
            }
            let start = data.count - Self.length
            let fields = data.suffix(Self.length)
            func number(at position: Int, bytes: Int) -> UInt64 {
                fields.dropFirst(position).prefix(bytes).reduce(0) { $0 << 8 | UInt64($1) }
            }
            func size(at position: Int, _ name: String) throws(FormatError) -> Int {
                let size = Int(number(at: position, bytes: 1))
                guard (1...8).contains(size) else {
                    throw FormatError(binary: start + position, .invalid("\(name) of \(size) bytes"))
                }
                return size
            }
            offsetSize = try size(at: 6, "offsets")
            referenceSize = try size(at: 7, "references")

            let table = number(at: 24, bytes: 8)
            guard let table = Int(exactly: table), table > Self.magicLength, table < start else {
                throw FormatError(binary: start + 24, .outOfBounds("the offset table (\(table))"))
            }
            offsetTable = table

            let count = number(at: 8, bytes: 8)
            guard count > 0 else {
                throw FormatError(binary: start + 8, .invalid("a list without objects"))
            }
            guard let count = Int(exactly: count), count <= (start - table) / offsetSize else {
                throw FormatError(binary: start + 8, .outOfBounds("an offset table for \(count) objects"))
            }
            objectCount = count

            let top = number(at: 16, bytes: 8)
            guard let top = Int(exactly: top), top < count else {
                throw FormatError(binary: start + 16, .outOfBounds("the top object (#\(top))"))
            }
            self.top = top
        }

        private static func checkMagic(_ magic: Data) throws(FormatError) {
            guard magic.starts(with: "bplist".utf8) else { throw FormatError(binary: 0, .badMagic) }
            guard magic.count == magicLength else {
                throw FormatError(binary: magic.count, .tooShort(bytes: magic.count))
            }
            guard !magic.starts(with: "bplist0".utf8) else { return }
            // bplist15, 16 and 17 are forms of XPC with the same first letters and another layout.
            let version = magic.suffix(2).map { byte in
                (0x21...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
            }
            throw FormatError(binary: 6, .unsupported("bplist" + version.joined()))
        }
    }
}
