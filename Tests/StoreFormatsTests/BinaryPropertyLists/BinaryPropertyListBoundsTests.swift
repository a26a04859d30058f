import Foundation
import StoreFormats
import Testing

@Suite("The bounds of a binary property list")
struct BinaryPropertyListBoundsTests {
    private func problem(_ data: Data, limits: Limits = .standard) -> FormatError.Problem? {
        error(data, limits: limits)?.problem
    }

    private func error(_ data: Data, limits: Limits = .standard) -> FormatError? {
        do throws(FormatError) {
            _ = try BinaryPropertyList(data, limits: limits).value()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "The magic is looked at before anything else",
        arguments: [
            ("", .badMagic), ("bplis", .badMagic), ("<plist></plist>", .badMagic), ("Bplist00", .badMagic),
            ("bplist", .tooShort(bytes: 6)), ("bplist00", .tooShort(bytes: 8)), ("bplist15", .unsupported("bplist15")),
            ("bplist16 and more", .unsupported("bplist16")), ("bplist17", .unsupported("bplist17")),
            ("bplist\u{1B}1", .unsupported("bplist\\x1b1")),
        ] as [(String, FormatError.Problem)])
    func magic(_ text: String, _ expected: FormatError.Problem) {
        #expect(problem(Data(text.utf8)) == expected)
    }

    @Test("Any character is accepted as the second of the version, as Apple's reader does")
    func version() throws {
        var list = RawList([[0x09]])
        list.magic = "bplist01"
        #expect(try BinaryPropertyList(list.data).value() == .bool(true))
    }

    @Test(
        "A field of the trailer that cannot be true is refused at its offset",
        arguments: [
            (6, [0], 16), (6, [9], 16), (7, [0], 17), (7, [9], 17),
            (8, [0, 0, 0, 0, 0, 0, 0, 0], 18), (8, [0, 0, 0, 0, 0, 0, 0, 2], 18),
            (8, [0xFF, 0, 0, 0, 0, 0, 0, 1], 18),
            (16, [0, 0, 0, 0, 0, 0, 0, 1], 26), (16, [0xFF, 0, 0, 0, 0, 0, 0, 0], 26),
            (24, [0, 0, 0, 0, 0, 0, 0, 8], 34), (24, [0, 0, 0, 0, 0, 0, 0, 10], 34),
            (24, [0xFF, 0, 0, 0, 0, 0, 0, 9], 34),
        ] as [(Int, [UInt8], Int)])
    func trailer(field: Int, bytes: [UInt8], offset: Int) {
        var data = RawList([[0x09]]).data
        data.replaceSubrange(10 + field..<10 + field + bytes.count, with: bytes)
        #expect(error(data)?.position == .offset(offset))
    }

    @Test(
        "A count beyond the file is refused without an allocation",
        arguments: [0x40, 0x50, 0x60, 0xA0, 0xB0, 0xC0, 0xD0])
    func count(_ marker: UInt8) {
        for size in [0x10, 0x11, 0x12, 0x13] as [UInt8] {
            let bytes = [marker | 0x0F, size] + [UInt8](repeating: 0xFF, count: 1 << (size & 3))
            guard case .outOfBounds = problem(RawList([bytes]).data) else {
                Issue.record("\(bytes)")
                continue
            }
        }
    }

    @Test("References and offsets that lead nowhere are refused where they stand")
    func references() {
        #expect(error(RawList([[0xA1, 1]]).data)?.position == .offset(9))
        #expect(error(RawList([[0xD1, 1, 2], [0x51, 0x61]]).data)?.position == .offset(10))
        for offset in [0, 7, 9, 255] as [UInt8] {
            var data = RawList([[0x09]]).data
            data[9] = offset
            #expect(error(data)?.position == .offset(9))
        }
    }

    @Test("An object that contains itself is refused")
    func cycle() {
        #expect(error(RawList([[0xA1, 0]]).data) == FormatError(.binaryPropertyList, at: .offset(8), .cycle))
        #expect(problem(RawList([[0xA2, 1, 2], [0x09], [0xC1, 3], [0xD1, 4, 2], [0x51, 0x61]]).data) == .cycle)
    }

    @Test("A list that doubles at every level is refused before it is expanded")
    func doubling() {
        let list = RawList.doubling(levels: 26).data
        #expect(list.count < 200)
        let clock = ContinuousClock()
        let time = clock.measure {
            #expect(problem(list) == .tooManyNodes(limit: Limits.standard.nodes))
            #expect(problem(RawList.doubling(levels: 200).data) == .tooManyNodes(limit: Limits.standard.nodes))
        }
        #expect(time < .seconds(1))
    }

    @Test("The number of values is counted exactly")
    func nodes() throws {
        // Ten levels are 2^11 - 1 values.
        let list = RawList.doubling(levels: 10).data
        #expect(problem(list, limits: Limits(nodes: 2047)) == nil)
        #expect(problem(list, limits: Limits(nodes: 2046)) == .tooManyNodes(limit: 2046))
    }

    @Test("The depth is counted exactly, also through shared parts")
    func depth() {
        let chain = RawList((0..<10).map { [0xA1, UInt8($0 + 1)] } + [[0x09]]).data
        #expect(problem(chain, limits: Limits(depth: 10)) == nil)
        #expect(problem(chain, limits: Limits(depth: 9)) == .tooDeep(limit: 9))
        // The second array is finished when it is met again one level deeper.
        let shared = RawList([[0xA2, 1, 2], [0xA0], [0xA1, 3], [0xA1, 1]]).data
        #expect(problem(shared, limits: Limits(depth: 4)) == nil)
        #expect(problem(shared, limits: Limits(depth: 3)) == .tooDeep(limit: 3))
    }

    @Test("Content that overlaps is not decoded without end")
    func overlap() {
        // 200 data objects of 200 bytes each, three bytes apart.
        var objects = Data("bplist00".utf8)
        objects += [0xAF, 0x10, 200] + (1...200).map { UInt8($0) }
        let first = objects.count
        for _ in 0..<200 { objects += [0x4F, 0x10, 200] }
        objects += [UInt8](repeating: 0, count: 200)
        let table = objects.count
        objects += RawList.number(8, bytes: 2)
        for number in 0..<200 { objects += RawList.number(first + 3 * number, bytes: 2) }
        objects += [0, 0, 0, 0, 0, 0, 2, 1]
        for field in [201, 0, table] { objects += RawList.number(field, bytes: 8) }
        #expect(problem(objects) == nil)
        #expect(problem(objects, limits: Limits(bytes: 10_000)) == .tooLarge(bytes: 10_200, limit: 10_000))
    }
}
