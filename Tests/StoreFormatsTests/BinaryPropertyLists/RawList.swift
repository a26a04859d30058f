import Foundation
import StoreFormats

/// A binary property list made of the bytes of its objects, sound or not.
struct RawList {
    var objects: [[UInt8]]
    var top = 0
    var offsetSize = 1
    var referenceSize = 1
    var magic = "bplist00"

    init(_ objects: [[UInt8]], offsetSize: Int = 1, referenceSize: Int = 1) {
        self.objects = objects
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
    }

    /// The whole file.
    var data: Data {
        var data = Data(magic.utf8)
        var table: [UInt8] = []
        for object in objects {
            table += Self.number(data.count, bytes: offsetSize)
            data += object
        }
        let end = data.count
        data += table
        data += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for field in [objects.count, top, end] { data += Self.number(field, bytes: 8) }
        return data
    }

    /// A number in so many bytes, the highest first.
    static func number(_ number: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> min(8 * $0, 63)) }
    }

    /// An ASCII string of any bytes, up to 255.
    static func ascii(_ bytes: [UInt8]) -> [UInt8] {
        (bytes.count < 15 ? [0x50 | UInt8(bytes.count)] : [0x5F, 0x10, UInt8(bytes.count)]) + bytes
    }

    /// An ASCII string.
    static func ascii(_ text: String) -> [UInt8] { ascii(Array(text.utf8)) }

    /// A UTF-16 string of up to 14 code units.
    static func utf16(_ units: [UInt16]) -> [UInt8] {
        [0x60 | UInt8(units.count)] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// `levels` arrays, each holding the next one twice, and a Boolean at the end.
    static func doubling(levels: Int) -> RawList {
        RawList((0..<levels).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]], offsetSize: 2)
    }
}
