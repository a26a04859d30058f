import Foundation

extension BinaryPropertyList {
    /// The object of a value that is not a container, as bytes; equal bytes are the same value in the same type.
    static func scalarBytes(_ value: Value) throws(FormatError) -> [UInt8] {
        switch value {
        case .null: return [0x00]
        case .bool(let flag): return [flag ? 0x09 : 0x08]
        case .integer(let number): return integerBytes(number)
        case .real(let real): return try realBytes(real)
        case .date(let date): return number(0x33, date.secondsSinceReference.bitPattern, bytes: 8)
        case .string(let text): return textBytes(text)
        case .uid(let uid):
            let width = Int(exactly: uid).map(Output.width) ?? 8
            return number(0x80 | UInt8(width - 1), uid, bytes: width)
        case .data(let data):
            var bytes: [UInt8] = []
            bytes.reserveCapacity(data.count + 10)
            bytes.append(marker: 0x40, count: data.count)
            bytes.append(contentsOf: data)
            return bytes
        case .object(let object): throw unwritable("an object of class \(object.className)")
        case .reference: throw unwritable("a reference to an object of a keyed archive")
        case .array, .set, .dictionary: throw unwritable("a container in the place of a scalar")
        }
    }

    static func unwritable(_ what: String) -> FormatError {
        FormatError(binary: 0, .unwritable(what))
    }

    private static func number(_ marker: UInt8, _ number: UInt64, bytes: Int) -> [UInt8] {
        var result = [marker]
        result.append(bigEndian: number, bytes: bytes)
        return result
    }

    /// As few bytes as hold the number; those of 1, 2 and 4 bytes are unsigned, so a negative number has 8 or 16.
    private static func integerBytes(_ integer: Int128) -> [UInt8] {
        guard let short = Int64(exactly: integer) else {
            var bytes = number(0x14, UInt64(truncatingIfNeeded: integer >> 64), bytes: 8)
            bytes.append(bigEndian: UInt64(truncatingIfNeeded: integer), bytes: 8)
            return bytes
        }
        let width = short < 0 ? 8 : Output.width(of: Int(short))
        return number(0x10 | UInt8(width.trailingZeroBitCount), UInt64(bitPattern: short), bytes: width)
    }

    private static func realBytes(_ real: Real) throws(FormatError) -> [UInt8] {
        switch real.form {
        case .double: return number(0x23, real.value.bitPattern, bytes: 8)
        case .single:
            let bits = singleBits(real.value)
            guard ObjectReader.double(exactly: bits).bitPattern == real.value.bitPattern else {
                throw unwritable("the number \(real.value) in 32 bits")
            }
            return number(0x22, UInt64(bits), bytes: 4)
        case .literal(let text):
            guard real.value.isFinite else { throw unwritable("the number \(text)") }
            return number(0x23, real.value.bitPattern, bytes: 8)
        }
    }

    /// The bits of a single; a NaN keeps those that fit, where a conversion would make a signalling one quiet.
    private static func singleBits(_ value: Double) -> UInt32 {
        guard value.isNaN else { return Float(value).bitPattern }
        let bits = value.bitPattern
        return UInt32(bits >> 63) << 31 | 0x7F80_0000 | UInt32(bits >> 29 & 0x7F_FFFF)
    }

    /// ASCII where the text is, otherwise UTF-16.
    static func textBytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var text = text
        text.withUTF8 { utf8 in
            guard ObjectReader.isASCII(UnsafeRawBufferPointer(utf8)) else { return }
            bytes.reserveCapacity(utf8.count + 10)
            bytes.append(marker: 0x50, count: utf8.count)
            bytes.append(contentsOf: utf8)
        }
        guard bytes.isEmpty else { return bytes }
        let units = Array(text.utf16)
        bytes.reserveCapacity(2 * units.count + 10)
        bytes.append(marker: 0x60, count: units.count)
        for unit in units { bytes.append(bigEndian: UInt64(unit), bytes: 2) }
        return bytes
    }
}
