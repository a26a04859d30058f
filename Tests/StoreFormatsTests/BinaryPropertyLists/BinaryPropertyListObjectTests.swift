import Foundation
import StoreFormats
import Testing

@Suite("The objects of a binary property list")
struct BinaryPropertyListObjectTests {
    @Test(
        "Every kind of scalar is read with its type and width",
        arguments: [
            ([0x00], .null), ([0x08], .bool(false)), ([0x09], .bool(true)),
            ([0x10, 0x00], .integer(0)), ([0x10, 0xFF], .integer(255)),
            ([0x11, 0xFF, 0xFF], .integer(65_535)),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
            ([0x13] + [UInt8](repeating: 0xFF, count: 8), .integer(-1)),
            ([0x13, 0x80] + [UInt8](repeating: 0, count: 7), .integer(Int128(Int64.min))),
            (
                [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8),
                .integer(Int128(UInt64.max))
            ),
            ([0x14] + [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 8), .integer(1 << 64)),
            ([0x14, 0x80] + [UInt8](repeating: 0, count: 15), .integer(.min)),
            ([0x22, 0x3F, 0xC0, 0, 0], .real(Real(1.5, form: .single))),
            ([0x22, 0x7F, 0x80, 0, 1], .real(Real(Double(bitPattern: 0x7FF0_0000_2000_0000), form: .single))),
            ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .real(1.5)),
            ([0x23, 0x80, 0, 0, 0, 0, 0, 0, 0], .real(-0.0)),
            ([0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .date(Timestamp(secondsSinceReference: 1.5))),
            ([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], .date(Timestamp(secondsSinceReference: .nan))),
            ([0x33, 0xFF, 0xF0, 0, 0, 0, 0, 0, 0], .date(Timestamp(secondsSinceReference: -.infinity))),
            ([0x40], .data(Data())), ([0x42, 1, 2], .data(Data([1, 2]))),
            ([0x4F, 0x11, 0, 2, 1, 2], .data(Data([1, 2]))),
            ([0x50], .string("")), ([0x52, 0x61, 0x00], .string("a\0")), ([0x5F, 0x10, 1, 0x61], .string("a")),
            ([0x60], .string("")), ([0x61, 0, 0xE4], .string("ä")),
            ([0x62, 0xD8, 0x3D, 0xDE, 0x00], .string("😀")),
            ([0x80, 0xFF], .uid(255)), ([0x82, 1, 0, 0], .uid(65_536)),
            ([0x87] + [UInt8](repeating: 0xFF, count: 8), .uid(.max)),
        ] as [([UInt8], Value)])
    func scalar(_ bytes: [UInt8], _ value: Value) throws {
        #expect(try BinaryPropertyList(RawList([bytes]).data).value() == value)
    }

    @Test("Containers are read in their order, whatever the width of references and offsets", arguments: 1...8, 1...8)
    func container(offsetSize: Int, referenceSize: Int) throws {
        func references(_ marker: UInt8, _ numbers: Int...) -> [UInt8] {
            [marker] + numbers.flatMap { RawList.number($0, bytes: referenceSize) }
        }
        let list = RawList(
            [
                references(0xD4, 1, 2, 3, 4, 5, 6, 7, 8),
                RawList.ascii("b"), RawList.ascii("a"), RawList.ascii("c"), RawList.utf16([0xE4]),
                references(0xA2, 9, 9), references(0xC1, 9), references(0xB2, 9, 1), references(0xD0), [0x10, 7],
            ], offsetSize: offsetSize, referenceSize: referenceSize)
        let expected: Value = .dictionary([
            ("b", .array([.integer(7), .integer(7)])), ("a", .set(SetElements([.integer(7)]))),
            ("c", .set(SetElements([.integer(7), .string("b")], isOrdered: true))), ("ä", .dictionary(Members())),
        ])
        let data = list.data
        #expect(try BinaryPropertyList(data).value() == expected)
        #expect(
            try BinaryPropertyList((Data([1, 2, 3]) + data + Data([4])).dropFirst(3).dropLast()).value() == expected)
        #expect(try BinaryPropertyList(data).objectCount == 10)
    }

    @Test("The same objects have a kind that is known without decoding")
    func kind() throws {
        let objects: [[UInt8]] = [
            [0x00], [0x08], [0x10, 1], [0x22, 0, 0, 0, 0], [0x33, 0, 0, 0, 0, 0, 0, 0, 0], [0x42, 1, 2],
            RawList.ascii("abc"), RawList.utf16([1, 2]), [0x80, 1], [0xA1, 1], [0xB1, 1], [0xC2, 1, 1], [0xD1, 1, 1],
        ]
        let dictionary = [0xDF, 0x10, 13] + [UInt8](repeating: 7, count: 13) + (1...13).map { UInt8($0) }
        let list = try #require(try BinaryPropertyList(RawList([dictionary] + objects).data).topDictionary)
        let expected: [BinaryPropertyList.Kind] = [
            .null, .bool, .integer, .real, .date, .data(length: 2), .string(length: 3), .string(length: 2), .uid,
            .array(count: 1), .set(count: 1), .set(count: 2), .dictionary(count: 1),
        ]
        #expect((0..<list.count).map(list.kind) == expected)
    }

    @Test(
        "Objects that version 00 does not have are refused with their offset",
        arguments: [
            [0x0F], [0x01], [0x0C], [0x0D], [0x0E], [0x15] + [UInt8](repeating: 0, count: 32), [0x20, 0], [0x21, 0, 0],
            [0x24], [0x30], [0x71, 0x61], [0x88] + [UInt8](repeating: 0, count: 9), [0x90], [0xE0], [0xF0],
            [0x51, 0x80], [0x59] + Array("abcdefgh".utf8) + [0xFF], [0x61, 0xD8, 0x00], [0x62, 0xDE, 0x00, 0xD8, 0x3D],
            [0x4F, 0x22, 0, 0, 0, 0], [0x4F, 0x14] + [UInt8](repeating: 0, count: 16),
        ] as [[UInt8]])
    func unknown(_ object: [UInt8]) throws {
        let error = #expect(throws: FormatError.self) { try BinaryPropertyList(RawList([object]).data).value() }
        guard case .offset(8...9) = error?.position, case .invalid = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
