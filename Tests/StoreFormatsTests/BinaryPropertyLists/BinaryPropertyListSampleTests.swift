import Foundation
import StoreFormats
import Testing
import TestSupport

@Suite("Binary property lists of other projects", .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
struct BinaryPropertyListSampleTests {
    @Test("Each is read, or refused where and why the table says")
    func all() throws {
        #expect(PropertyListSamples.binary.count >= 90)
        for sample in PropertyListSamples.binary {
            let expected = refusedBinarySamples.first { sample.path.hasPrefix($0.path) }
            do throws(FormatError) {
                _ = try BinaryPropertyList(sample.data).value()
                #expect(expected == nil, "\(sample.path) is read")
            } catch {
                #expect(error.position == expected.map { .offset($0.offset) }, "\(sample.path): \(error)")
                #expect("\(error.problem)" == expected?.problem, "\(sample.path)")
            }
        }
    }

    @Test("Any 64 bits are a date: CPython's lists with NaN, infinite and too large ones are read", arguments: 36...39)
    func dates(number: Int) throws {
        let sample = try #require(PropertyListSamples.binary.first { $0.path.hasPrefix("cpython/INVALID.\(number)") })
        guard case .date(let date) = try BinaryPropertyList(sample.data).value() else {
            Issue.record("not a date")
            return
        }
        #expect(date.iso8601 == nil)
    }

    @Test(
        "What plistlib reads, this reads as the same, type for type",
        .enabled(if: PlistlibOracle.isAvailable, "no python3"))
    func plistlib() throws {
        let readings = try PlistlibOracle.dump(PropertyListSamples.binary.map(\.file))
        var compared = 0
        for (sample, reading) in zip(PropertyListSamples.binary, readings) {
            guard case .value(let theirs) = reading else { continue }
            compared += 1
            let value = try BinaryPropertyList(sample.data).value()
            #expect(PlistlibOracle.canonical(value) == theirs, "\(sample.path)")
        }
        #expect(compared >= 55)
    }

    @Test("No edits keep the values of every sample that has a top dictionary")
    func rewriting() throws {
        var count = 0
        for sample in PropertyListSamples.binary {
            guard let list = try? BinaryPropertyList(sample.data), list.topDictionary != nil else { continue }
            guard let value = try? list.value() else { continue }
            count += 1
            #expect(try BinaryPropertyList(list.rewriting([])).value() == value, "\(sample.path)")
        }
        #expect(count >= 30)
    }
}

@Suite("Binary property lists before other readers")
struct BinaryPropertyListOtherReaderTests {
    /// Random values of the kinds that the other readers know.
    private static let values: [Value] = {
        var generator = SeededGenerator(seed: 7)
        var values = PropertyListSamples.binary.compactMap { try? BinaryPropertyList($0.data).value() }
        values += (0..<60).map { number in
            let parts = (0..<20).map { _ in Value.random(depth: number % 4, sets: false, using: &generator) }
            return .dictionary(parts.filter { !hasWideParts($0) }.enumerated().map { ("k\($0.offset)", $0.element) })
        }
        return values.filter { PlistlibOracle.canonical($0) != nil && !hasWideParts($0) }
    }()

    /// Whether plistlib cannot hold a part: a number above 64 bits, a date outside of its calendar, or a key twice.
    private static func hasWideParts(_ value: Value) -> Bool {
        switch value {
        case .integer(let number): number > Int128(UInt64.max) || number < Int128(Int64.min)
        case .date(let date): date.iso8601 == nil
        case .array(let elements): elements.contains(where: hasWideParts)
        case .dictionary(let members):
            !members.duplicateKeys.isEmpty || members.contains { hasWideParts($0.value) }
        default: false
        }
    }

    @Test("plistlib reads what we write as the same", .enabled(if: PlistlibOracle.isAvailable, "no python3"))
    func plistlib() throws {
        let lists = try Self.values.map(BinaryPropertyList.write)
        #expect(lists.count >= 50)
        for (value, (reading, again)) in zip(Self.values, try PlistlibOracle.read(lists)) {
            let text = try #require(PlistlibOracle.canonical(value))
            #expect(reading == .value(text))
            // And we read what it wrote; singles have become doubles, so the texts are compared.
            let read = try BinaryPropertyList(#require(again)).value()
            #expect(PlistlibOracle.canonical(read) == text)
        }
    }

    @Test(
        "plistlib writes the same bytes, where no containers are equal",
        .enabled(if: PlistlibOracle.isAvailable, "no python3"))
    func bytes() throws {
        let value: Value = .dictionary([
            ("b", .array([.integer(-1), .integer(1), .real(1), .bool(true), .string("1"), .string("ä"), .null])),
            ("a", .dictionary([("b", .string("a")), ("date", .date(Timestamp(secondsSinceReference: 5.5)))])),
            ("uid", .uid(300)), ("big", .integer(Int128(UInt64.max))), ("data", .data(Data(repeating: 3, count: 300))),
            ("many", .array((0..<300).map { .integer(Int128($0 * 300)) })),
        ])
        let list = try BinaryPropertyList.write(value)
        #expect(try PlistlibOracle.read([list]).first?.again == list)
    }

    private static let hasPlistutil = PlistlibOracle.run("plistutil", ["--version"]) != nil

    @Test("plistutil reads what we write", .enabled(if: hasPlistutil, "plistutil (libplist-utils) is not installed"))
    func plistutil() throws {
        let value: Value = .dictionary([
            ("integers", .array([.integer(0), .integer(255), .integer(65_536), .integer(1 << 40), .integer(-5)])),
            ("text", .array([.string("plain"), .string("ä€😀"), .string("")])), ("truth", .bool(true)),
            ("real", .real(1.5)), ("data", .data(Data([0, 1, 254]))),
            ("date", .date(Timestamp(secondsSinceReference: 86_400))),
            ("many", .array((0..<300).map { .string("element \($0)") })), ("empty", .dictionary(Members())),
        ])
        let reading = try PlistlibOracle.withTemporaryFiles([try BinaryPropertyList.write(value)]) { files in
            let path = files[0].path
            // To XML, which plistlib reads.
            _ = try #require(PlistlibOracle.run("plistutil", ["-i", path, "-o", path + ".xml", "-f", "xml"]))
            return try PlistlibOracle.dump([URL(fileURLWithPath: path + ".xml")])
        }
        let text = try #require(PlistlibOracle.canonical(value))
        #expect(reading == [PlistlibOracle.Reading.value(text)])
    }
}
