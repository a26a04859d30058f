import Foundation
import StoreFormats
import TestSupport
import Testing

@Suite("Writing a binary property list")
struct BinaryPropertyListWritingTests {
    @Test(
        "A scalar is written in as few bytes as its type allows",
        arguments: [
            (.null, [0x00]), (.bool(false), [0x08]), (.bool(true), [0x09]),
            (.integer(0), [0x10, 0]), (.integer(255), [0x10, 255]), (.integer(256), [0x11, 1, 0]),
            (.integer(65_535), [0x11, 255, 255]), (.integer(65_536), [0x12, 0, 1, 0, 0]),
            (.integer(4_294_967_295), [0x12, 255, 255, 255, 255]),
            (.integer(4_294_967_296), [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
            (.integer(-1), [0x13] + [UInt8](repeating: 255, count: 8)),
            (.integer(1 << 63), [0x14] + [UInt8](repeating: 0, count: 8) + [128, 0, 0, 0, 0, 0, 0, 0]),
            (.integer(.min), [0x14, 128] + [UInt8](repeating: 0, count: 15)),
            (.real(1.5), [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (.real(Real(1.5, form: .single)), [0x22, 0x3F, 0xC0, 0, 0]),
            (.real(Real(Double(bitPattern: 0x7FF0_0000_2000_0000), form: .single)), [0x22, 0x7F, 0x80, 0, 1]),
            (.real(Real(1.5, form: .literal("15e-1"))), [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (.date(Timestamp(secondsSinceReference: 1.5)), [0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (.uid(255), [0x80, 255]), (.uid(256), [0x81, 1, 0]), (.uid(65_536), [0x83, 0, 1, 0, 0]),
            (.uid(.max), [0x87] + [UInt8](repeating: 255, count: 8)),
            (.string("ab"), [0x52, 0x61, 0x62]), (.string("ä"), [0x61, 0, 0xE4]), (.data(Data([7])), [0x41, 7]),
            (.string("0123456789abcde"), [0x5F, 0x10, 15] + Array("0123456789abcde".utf8)),
            (.data(Data(repeating: 1, count: 256)), [0x4F, 0x11, 1, 0] + [UInt8](repeating: 1, count: 256)),
            (.array([]), [0xA0]), (.set(SetElements([])), [0xC0]), (.set(SetElements([], isOrdered: true)), [0xB0]),
            (.dictionary(Members()), [0xD0]),
        ] as [(Value, [UInt8])])
    func scalar(_ value: Value, _ bytes: [UInt8]) throws {
        let width = bytes.count < 248 ? 1 : 2
        #expect(try BinaryPropertyList.write(value) == RawList([bytes], offsetSize: width).data)
    }

    @Test("Equal objects are written once; the number, the text and the truth of one are four")
    func sharing() throws {
        let four: [Value] = [.integer(1), .real(1), .bool(true), .string("1"), .real(Real(1, form: .single))]
        let value: Value = .array(four + four + [.array(four), .array(four)])
        let list = try BinaryPropertyList(BinaryPropertyList.write(value))
        #expect(list.objectCount == 7)
        #expect(try list.value() == value)
    }

    @Test("Texts of different scalars that look alike stay two")
    func alike() throws {
        let list = try BinaryPropertyList(BinaryPropertyList.write(.array([.string("\u{E9}"), .string("e\u{301}")])))
        #expect(list.objectCount == 3)
    }

    @Test("References become two bytes with the 256th object")
    func widths() throws {
        for (count, width) in [(254, 1), (255, 2)] as [(Int, UInt8)] {
            let value: Value = .array((0..<count).map { .integer(Int128($0)) })
            let data = try BinaryPropertyList.write(value)
            #expect(data[data.count - 25] == width)
            #expect(try BinaryPropertyList(data).value() == value)
        }
    }

    @Test(
        "What a property list does not have is refused",
        arguments: [
            .reference(1), .object(ArchivedObject(className: "A", fields: Members())),
            .real(Real(.infinity, form: .literal("1e999"))), .real(Real(0.1, form: .single)),
            .array([.dictionary([("a", .reference(1))])]),
        ] as [Value])
    func unwritable(_ value: Value) {
        let error = #expect(throws: FormatError.self) { try BinaryPropertyList.write(value) }
        guard case .unwritable = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A random value is read back as it was written", arguments: 0..<60)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value: Value = .array((0..<8).map { _ in .random(depth: 3, using: &generator) })
        let data = try BinaryPropertyList.write(value)
        let read = try BinaryPropertyList(data).value()
        #expect(read == value)
        #expect(try BinaryPropertyList.write(read) == data)
    }

    @Test("A value may be deeper than the reader's limit without harm")
    func deep() throws {
        let value = (0..<2000).reduce(Value.bool(true)) { inner, _ in .array([inner]) }
        let data = try BinaryPropertyList.write(value)
        #expect(throws: FormatError.self) { try BinaryPropertyList(data).value() }
        #expect(try BinaryPropertyList(data).objectCount == 2001)
    }
}
