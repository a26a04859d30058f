import Foundation
import TestSupport
import Testing

@testable import StoreFormats

@Suite("XML property lists: reading")
struct XMLPropertyListReadingTests {
    private func read(_ body: String, limits: Limits = .standard) throws -> Value {
        try XMLPropertyList.parse(Data("<plist version=\"1.0\">\(body)</plist>".utf8), limits: limits)
    }

    @Test(
        "Each element is the value that it names",
        arguments: [
            ("<true/>", .bool(true)), ("<true></true>", .bool(true)), ("<false />", .bool(false)),
            ("<string/>", .string("")), ("<string></string>", .string("")),
            ("<string> a\n </string>", .string(" a\n ")),
            ("<array/>", .array([])), ("<array><array/></array>", .array([.array([])])),
            ("<dict/>", .dictionary(Members())),
            ("<dict><key>b</key><true/><key/><false/></dict>", .dictionary([("b", .bool(true)), ("", .bool(false))])),
            ("<integer>1</integer>", .integer(1)), ("<integer> -007\n</integer>", .integer(-7)),
            ("<integer>+5</integer>", .integer(5)), ("<integer>0xDEADbeef</integer>", .integer(0xDEAD_BEEF)),
            ("<integer>-0X10</integer>", .integer(-16)),
            ("<integer>18446744073709551615</integer>", .integer(Int128(UInt64.max))),
            ("<integer>170141183460469231731687303715884105727</integer>", .integer(.max)),
            ("<integer>-170141183460469231731687303715884105728</integer>", .integer(.min)),
            ("<real>1</real>", .real(1)), ("<real>-0.0</real>", .real(-0.0)), ("<real> .5 </real>", .real(0.5)),
            ("<real>1.</real>", .real(1)), ("<real>1E-3</real>", .real(0.001)),
            ("<real>+1e400</real>", .real(.infinity)),
            ("<real>nan</real>", .real(.nan)), ("<real>NaN</real>", .real(.nan)),
            ("<real>inf</real>", .real(.infinity)),
            ("<real>+infinity</real>", .real(.infinity)), ("<real>-Infinity</real>", .real(-.infinity)),
            ("<date>2001-01-01T00:00:00Z</date>", .date(Timestamp(secondsSinceReference: 0))),
            ("<date> 1970-01-01T00:00:00Z </date>", .date(Timestamp(secondsSinceEpoch: 0))),
            ("<date>2000-02-29T23:59:59Z</date>", .date(Timestamp(secondsSinceEpoch: 951_868_799))),
            ("<date>0001-01-01T00:00:00Z</date>", .date(Timestamp(secondsSinceEpoch: -62_135_596_800))),
            ("<date>9999-12-31T23:59:59Z</date>", .date(Timestamp(secondsSinceEpoch: 253_402_300_799))),
            ("<date>1970-02Z</date>", .date(Timestamp(secondsSinceEpoch: 2_678_400))),
            ("<data/>", .data(Data())), ("<data>\n\tAAEC\n\t/w==\n</data>", .data(Data([0, 1, 2, 255]))),
            ("<dict><key>CF$UID</key><integer>7</integer></dict>", .uid(7)),
            ("<dict><key>CF$UID</key><integer>18446744073709551615</integer></dict>", .uid(.max)),
            ("<dict><key>CF$UID</key><integer>-1</integer></dict>", .dictionary([("CF$UID", .integer(-1))])),
            ("<dict><key>CF$UID</key><real>1</real></dict>", .dictionary([("CF$UID", .real(1))])),
            (
                "<dict><key>CF$UID</key><integer>1</integer><key>a</key><true/></dict>",
                .dictionary([("CF$UID", .integer(1)), ("a", .bool(true))])
            ),
        ] as [(String, Value)])
    func element(text: String, value: Value) throws {
        #expect(try read(text) == value)
    }

    @Test(
        "Text is its characters: five entities, character references, CDATA; comments are not text",
        arguments: [
            ("&lt;&gt;&amp;&apos;&quot;", "<>&'\""), ("&#65;&#x42;&#x1F600;&#13;", "AB😀\r"), ("a<!-- b -->c", "ac"),
            ("a<?b c?>d", "ad"), ("<![CDATA[<&amp;>]]>]]", "<&amp;>]]"), ("a\r\nb", "a\r\nb"), ("é\u{1}", "é\u{1}"),
            ("&amp;lt;", "&lt;"),
        ])
    func text(text: String, expected: String) throws {
        let value = try read("<string>\(text)</string>")
        #expect(value.string.map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test("A key that stands twice is kept twice, and the first counts")
    func duplicates() throws {
        let value = try read("<dict><key>a</key><true/><key>b</key><true/><key>a</key><false/></dict>")
        #expect(value.members?.count == 3)
        #expect(value.members?["a"] == .bool(true))
        #expect(value.members?.duplicateKeys == ["a"])
    }

    @Test(
        "What may stand around the value",
        arguments: [
            "<plist><true/></plist>", "<true/>",
            "\u{FEFF}<?xml version='1.0' encoding='utf-8'?>\n<plist><true/></plist>\n",
            "<!-- a --><plist version=\"1.0\" a = 'b'><!-- <false/> --><true /> </plist ><!-- c --> \n",
            "<!DOCTYPE plist PUBLIC \"a>\" \"b[\"><plist><true/></plist>",
            "<!DOCTYPE plist [ <!ELEMENT plist (true)> <!-- ]> <!ENTITY --> ]>\n<plist>&#32;<true/></plist>",
            "<?xml version=\"1.0\" encoding=\"US-ASCII\"?><?a b?><plist><true/></plist>",
        ])
    func surroundings(text: String) throws {
        #expect(try XMLPropertyList.parse(Data(text.utf8)) == .bool(true))
    }

    @Test(
        "UTF-16 is told by its bytes, whatever the declaration says and with or without a byte order mark",
        arguments: ["UTF-8", "UTF-16", "utf-16le", "ISO-8859-1"], [true, false])
    func utf16Declaration(encoding: String, hasMark: Bool) throws {
        let text = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><plist><string>é𝄞</string></plist>"
        for isBigEndian in [true, false] {
            let units = (hasMark ? [0xFEFF] : []) + Array(text.utf16)
            let data = Data(
                units.flatMap {
                    isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
                })
            #expect(try XMLPropertyList.parse(data) == .string("é𝄞"))
            #expect(StoreFormat.sniff(data) == .readable(.xmlPropertyList))
        }
    }

    @Test(
        "UTF-16 with a byte order mark is read, and an error in it names the offset in UTF-16",
        arguments: [true, false])
    func utf16(isBigEndian: Bool) throws {
        func encoded(_ text: String) -> Data {
            Data(
                "\u{FEFF}\(text)".utf16.flatMap {
                    isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
                })
        }
        let header = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>"
        #expect(try XMLPropertyList.parse(encoded("\(header)<plist><string>é😀</string></plist>")) == .string("é😀"))
        let error = try #require(throws: FormatError.self) { try XMLPropertyList.parse(encoded("<!--é😀-->\n <x/>")) }
        #expect(error.position == .line(2, column: 2, offset: 26))
        #expect(throws: FormatError.self) { try XMLPropertyList.parse(encoded("<true/>").dropLast()) }
    }

    @Test(
        "What is not a property list is refused at its line and column",
        arguments: [
            ("", 1, 1), ("abc", 1, 1), ("<plist></plist>", 1, 8), ("<plist/>", 1, 1), ("<plist><true/>", 1, 15),
            ("<plist>\n <x/></plist>", 2, 2), ("<plist><true/><true/></plist>", 1, 15), ("<true/>\nx", 2, 1),
            ("<plist><plist><true/></plist></plist>", 1, 8), ("<array>a</array>", 1, 8), ("<dict><true/></dict>", 1, 7),
            ("<dict><key>a</key></dict>", 1, 19), ("<dict><key>a</key><key>b</key></dict>", 1, 19),
            ("<array><key>a</key></array>", 1, 8), ("<array></dict>", 1, 8), ("</array>", 1, 1),
            ("<string>a<b/></string>", 1, 10), ("<string>a", 1, 9), ("<string>&foo;</string>", 1, 9),
            ("<string>&</string>", 1, 9), ("<string>&#0;</string>", 1, 9), ("<string>&#xD800;</string>", 1, 9),
            ("<string>&#+65;</string>", 1, 9), ("<string><![CDATA[a</string>", 1, 18),
            ("<string><!-- a</string>", 1, 9),
            ("<integer/>", 1, 1), ("<integer>1.0</integer>", 1, 1), ("<integer>0x</integer>", 1, 1),
            ("<integer>--1</integer>", 1, 1), ("<integer>1_0</integer>", 1, 1), ("<integer>0x-1</integer>", 1, 1),
            ("<integer>170141183460469231731687303715884105728</integer>", 1, 1), ("<real/>", 1, 1),
            ("<real>1,5</real>", 1, 1), ("<real>0x1p3</real>", 1, 1), ("<real>1e</real>", 1, 1),
            ("<real>e5</real>", 1, 1),
            ("<real>.</real>", 1, 1), ("<date>2001-02-29T00:00:00Z</date>", 1, 1),
            ("<date>0000-01-01T00:00:00Z</date>", 1, 1),
            ("<date>2001-01-01T24:00:00Z</date>", 1, 1), ("<date>2001-01-01 00:00:00Z</date>", 1, 1),
            ("<date>2001-01-01T00:00:00</date>", 1, 1), ("<date>2001-01-01T00:00:00.5Z</date>", 1, 1),
            ("<date>2001-1-01T00:00:000Z</date>", 1, 1), ("<data>A</data>", 1, 1), ("<data>AA=A</data>", 1, 1),
            ("<data>A*==</data>", 1, 1), ("<true>1</true>", 1, 1), ("<true", 1, 1), ("<true a>", 1, 1),
            ("< true/>", 1, 1),
            ("<true a=\"<\"/>", 1, 1), ("<!DOCTYPE plist", 1, 1), ("<?xml version=\"1.0\"", 1, 1),
        ])
    func refusal(text: String, line: Int, column: Int) throws {
        let error = try #require(throws: FormatError.self) { try XMLPropertyList.parse(Data(text.utf8)) }
        #expect(error.format == .xmlPropertyList)
        guard case .line(line, column: column, offset: _) = error.position else {
            Issue.record("“\(text)” is refused at \(error.position), not at line \(line), column \(column)")
            return
        }
    }

    @Test(
        "Declared entities and other encodings are refused by name",
        arguments: [
            ("<!DOCTYPE plist [ <!ENTITY a \"b\"> ]><true/>", "an XML property list that declares entities"),
            (
                "<!DOCTYPE plist [ <!ENTITY % a SYSTEM \"b\"> %a; ]><true/>",
                "an XML property list that declares entities"
            ),
            (
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><true/>",
                "an XML property list in the encoding “ISO-8859-1”"
            ),
            ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><true/>", "an XML property list in the encoding “UTF-16”"),
        ])
    func unsupported(text: String, name: String) throws {
        let error = try #require(throws: FormatError.self) { try XMLPropertyList.parse(Data(text.utf8)) }
        #expect(error.problem == .unsupported(name))
    }

    @Test("Bytes that are not UTF-8 are refused where they are")
    func invalidUTF8() throws {
        let error = try #require(throws: FormatError.self) {
            try XMLPropertyList.parse(Data("<string>\né".utf8) + [0xC3] + Data("</string>".utf8))
        }
        #expect(
            error == FormatError(.xmlPropertyList, at: .line(2, column: 2, offset: 11), .invalid("this is not UTF-8")))
    }

    @Test("Depth, number of values and size are limited")
    func limits() throws {
        func problem(_ body: String, _ limits: Limits = .standard) -> FormatError.Problem? {
            do {
                _ = try read(body, limits: limits)
                return nil
            } catch {
                return (error as? FormatError)?.problem
            }
        }
        #expect(problem(String(repeating: "<array>", count: 50_000)) == .tooDeep(limit: 256))
        #expect(problem("<array><true/><true/></array>", Limits(nodes: 2)) == .tooManyNodes(limit: 2))
        #expect(problem("<array><true/><true/></array>", Limits(nodes: 3)) == nil)
        #expect(problem("<true/>", Limits(bytes: 10)) == .tooLarge(bytes: 36, limit: 10))
    }

    @Test("Damaged lists are a value or an error, and a value that is accepted is written and read back the same")
    func fuzz() throws {
        let seed = try XMLPropertyList.write(
            .dictionary([
                ("a", .array([.integer(1), .real(-2.5), .string("x<&>é"), .bool(true)])),
                ("b", .data(Data([1, 2, 3]))),
                ("c", .date(Timestamp(secondsSinceReference: 86_400))), ("d", .uid(3)), ("e", .dictionary(Members())),
            ]))
        var generator = SeededGenerator(seed: 4), accepted = 0
        for _ in 0..<4000 {
            guard let value = try? XMLPropertyList.parse(generator.damaged(seed)) else { continue }
            guard let data = try? XMLPropertyList.write(value) else { continue }
            accepted += 1
            #expect(try XMLPropertyList.parse(data) == value)
        }
        #expect(accepted > 100)
    }
}
