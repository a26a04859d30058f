import Foundation
import Testing
import TestSupport

@testable import StoreFormats

@Suite("XML property lists: writing")
struct XMLPropertyListWritingTests {
    @Test("The layout is that of Apple's tools")
    func layout() throws {
        let value: Value = .dictionary([
            ("k<", .array([.string("a&b>\r\n"), .bool(true), .array([]), .dictionary(Members())])),
            ("d", .data(Data([0, 1]))),
            ("u", .uid(5)), ("n", .integer(-5)), ("r", .real(1)), ("t", .date(Timestamp(secondsSinceReference: 0))),
        ])
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>k&lt;</key>
            \t<array>
            \t\t<string>a&amp;b&gt;&#13;
            </string>
            \t\t<true/>
            \t\t<array/>
            \t\t<dict/>
            \t</array>
            \t<key>d</key>
            \t<data>
            \tAAE=
            \t</data>
            \t<key>u</key>
            \t<dict>
            \t\t<key>CF$UID</key>
            \t\t<integer>5</integer>
            \t</dict>
            \t<key>n</key>
            \t<integer>-5</integer>
            \t<key>r</key>
            \t<real>1.0</real>
            \t<key>t</key>
            \t<date>2001-01-01T00:00:00Z</date>
            </dict>
            </plist>

            """
        #expect(String(decoding: try XMLPropertyList.write(value), as: UTF8.self) == expected)
        #expect(try XMLPropertyList.parse(XMLPropertyList.write(value)) == value)
    }

    @Test(
        "A list that plistlib wrote is written again byte for byte",
        .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
    func sameAsPlistlib() throws {
        let data = try Samples.data("plists/cpython/TESTDATA.PlistFormat.FMT_XML.plist")
        #expect(try XMLPropertyList.write(XMLPropertyList.parse(data)) == data)
    }

    @Test("What is written reads back as it was")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let value = generator.value()
            #expect(try XMLPropertyList.parse(XMLPropertyList.write(value)) == value)
        }
    }

    @Test("A real reads back with the same bits")
    func reals() throws {
        var generator = SeededGenerator(seed: 6)
        let chosen: [Double] = [
            0, -0.0, 0.1, 1e20, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
        ]
        let random = (0..<2000).map { _ in Double(bitPattern: generator.next()) }.filter { !$0.isNaN }
        let value: Value = .array((chosen + random + [Double.nan]).map { .real($0) })
        #expect(try XMLPropertyList.parse(XMLPropertyList.write(value)) == value)
    }

    @Test(
        "What XML cannot hold is refused",
        arguments: [
            .null, .set(SetElements([])), .object(ArchivedObject(className: "A", fields: [:])), .reference(1),
            .string("\u{0}"), .string("\u{1B}"), .dictionary([("\u{8}", .bool(true))]),
            .integer(Int128(UInt64.max) + 1),
            .integer(Int128(Int64.min) - 1), .date(Timestamp(secondsSinceReference: 0.5)),
            .date(Timestamp(secondsSinceReference: .nan)), .date(Timestamp(secondsSinceReference: 1e300)),
            .array([.dictionary([("CF$UID", .integer(1))])]),
        ] as [Value])
    func unwritable(value: Value) throws {
        let error = try #require(throws: FormatError.self) { try XMLPropertyList.write(value) }
        guard case .unwritable = error.problem else {
            Issue.record("\(value) is refused as \(error)")
            return
        }
    }

    @Test("A value that is nested beyond reason is refused, not followed")
    func depth() {
        let deep = (0..<2000).reduce(Value.bool(true)) { value, _ in .array([value]) }
        #expect(throws: FormatError.self) { try XMLPropertyList.write(deep) }
        #expect(throws: FormatError.self) { try JSONDocument.write(deep) }
    }
}
