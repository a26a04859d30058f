import Foundation

extension BinaryPropertyList.ObjectReader {
    /// The value of an object that is not a container.
    func scalar(_ object: BinaryPropertyList.Object) throws(FormatError) -> Value {
        switch object.kind {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer: return .integer(integer(object))
        case .single: return .real(Real(Self.double(exactly: UInt32(number(object))), form: .single))
        case .double: return .real(Double(bitPattern: number(object)))
        case .date: return .date(Timestamp(secondsSinceReference: Double(bitPattern: number(object))))
        case .data: return .data(Data(content(object)))
        case .ascii, .utf16: return .string(try text(object))
        case .uid: return .uid(number(object))
        case .fill: throw FormatError(binary: object.offset, .invalid("a fill byte in the place of an object"))
        case .array, .orderedSet, .set, .dictionary:
            throw FormatError(binary: object.offset, .invalid("a container in the place of a scalar"))
        }
    }

    /// The text of a string; bytes that are not ASCII and surrogates without their other half are errors.
    func text(_ object: BinaryPropertyList.Object) throws(FormatError) -> String {
        let content = content(object)
        switch object.kind {
        case .ascii:
            guard Self.isASCII(content) else {
                throw FormatError(binary: object.offset, .invalid("an ASCII string with other bytes than ASCII"))
            }
            return String(decoding: content, as: UTF8.self)
        case .utf16:
            let units = (0..<object.count).map { unit in
                UInt16(bigEndian: content.loadUnaligned(fromByteOffset: 2 * unit, as: UInt16.self))
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw FormatError(binary: object.offset, .invalid("a UTF-16 string with half a surrogate pair"))
            }
            return text
        default:
            throw FormatError(binary: object.offset, .invalid("a key that is not a string"))
        }
    }

    /// Whether every byte is below 0x80, eight at a time.
    static func isASCII(_ content: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position + 8 <= content.count {
            let word = content.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { return false }
            position += 8
        }
        return content[position...].allSatisfy { $0 < 0x80 }
    }

    /// The unsigned number of an object of at most eight bytes.
    private func number(_ object: BinaryPropertyList.Object) -> UInt64 {
        number(at: object.start, size: object.count)
    }

    /// Integers of 1, 2 and 4 bytes are unsigned; those of 8 and 16 are signed.
    private func integer(_ object: BinaryPropertyList.Object) -> Int128 {
        switch object.count {
        case 16:
            let high = number(at: object.start, size: 8), low = number(at: object.start + 8, size: 8)
            return Int128(Int64(bitPattern: high)) << 64 | Int128(low)
        case 8: return Int128(Int64(bitPattern: number(object)))
        default: return Int128(number(object))
        }
    }

    /// The double of a single; a NaN keeps its bits, where a conversion would make a signalling one quiet.
    static func double(exactly bits: UInt32) -> Double {
        let single = Float(bitPattern: bits)
        guard single.isNaN else { return Double(single) }
        let sign = UInt64(bits >> 31) << 63
        return Double(bitPattern: sign | 0x7FF << 52 | UInt64(bits & 0x7F_FFFF) << 29)
    }
}
