import Foundation
import Testing
import TestSupport

@testable import StoreFormats

@Suite("Recognition: what bytes begin as")
struct SniffingTests {
    @Test(
        "A format is told by how it begins",
        arguments: [
            ("bplist00", .readable(.binaryPropertyList)), ("bplist0\u{1}x", .readable(.binaryPropertyList)),
            ("bplist15x", .unsupported("an XPC property list (bplist15)")),
            ("bplist16", .unsupported("an XPC property list (bplist16)")),
            ("bplist17", .unsupported("an XPC property list (bplist17)")),
            ("bplist\u{1}9", .unsupported("another property list (bplist?9)")), ("bplist", nil),
            ("SQLite format 3\0", .unsupported("an SQLite database")), ("SQLite format 4\0", nil),
            ("<?xml version=\"1.0\"?><!-- a --><plist>", .readable(.xmlPropertyList)),
            ("\u{FEFF} \n<plist version", .readable(.xmlPropertyList)), ("<dict>", .readable(.xmlPropertyList)),
            ("<!DOCTYPE plist PUBLIC", .readable(.xmlPropertyList)),
            ("<?xml version=\"1.", .readable(.xmlPropertyList)),
            ("<!DOCTYPE html>", nil), ("<?xml version=\"1.0\"?><svg>", nil), ("<x> b", nil), ("<", nil),
            ("{\"a\": 1}", .readable(.json)), ("{}", .readable(.json)), (" \t{ \"a", .readable(.json)),
            ("\u{FEFF}[\"a\"", .readable(.json)), ("[]", .readable(.json)), ("[[1]]", .readable(.json)),
            ("[{\"a\":", .readable(.json)), ("[1,2]", .readable(.json)), ("[-1.5e3 ]", .readable(.json)),
            ("[true, ", .readable(.json)), ("[null]", .readable(.json)), ("[false]", .readable(.json)),
            ("[] a", nil), ("{} a", nil), ("[section]\na=1", nil), ("[1] Reference", nil), ("[truely", nil),
            ("[draft] hello", nil), ("{{0, 0}, {1, 1}}", nil),
            ("{draft}", nil), ("[{x}]", nil), ("{", nil), ("[", nil), ("1", nil), ("true", nil), ("\"a\"", nil),
            ("", nil),
            ("{ a = 1; }", openStep), ("{\"a\" = b;}", openStep), ("{ /* c */ a = b; }", openStep),
            ("(a, b)", openStep),
            ("( { a = 1; } )", openStep), ("<0fbd 771c>", openStep), ("/* c */\n{ a = 1; }", openStep),
            ("// c\n\"a\" = \"b\";", openStep), ("\"a\" = \"b\";", openStep), ("/usr/bin", nil), ("(hello world)", nil),
            ("a=1", nil), ("eyJhIjoxfQ==", nil), ("hello", nil),
        ] as [(String, SniffedFormat?)])
    func text(text: String, format: SniffedFormat?) {
        #expect(StoreFormat.sniff(Data(text.utf8)) == format)
    }

    private static let openStep = SniffedFormat.unsupported("an OpenStep property list")

    @Test("A property list in UTF-16 is told too")
    func utf16() {
        #expect(
            StoreFormat.sniff(Data([0xFF, 0xFE] + Array("<plist>".utf8).flatMap { [$0, 0] }))
                == .readable(.xmlPropertyList))
        #expect(
            StoreFormat.sniff(Data([0xFE, 0xFF] + Array("<plist>".utf8).flatMap { [0, $0] }))
                == .readable(.xmlPropertyList))
    }

    @Test("A slice of data is told as the data is")
    func slice() {
        #expect(StoreFormat.sniff(Data("xxbplist00".utf8).dropFirst(2)) == .readable(.binaryPropertyList))
    }

    @Test("Every sample is told by its content", .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
    func samples() throws {
        let openStep = ["ascii-animals.plist", "ascii-sample.plist"]
        for folder in ["bpylist2", "corelibs", "cpython", "rust-plist"] {
            for path in try Samples.files(in: "plists/\(folder)") {
                let data = try Samples.data(path), name = (path as NSString).lastPathComponent
                let expected: SniffedFormat? =
                    if openStep.contains(name) {
                        Self.openStep
                    } else if data.starts(with: Data("bplist00".utf8)) {
                        .readable(.binaryPropertyList)
                    } else if data.starts(with: Data("<?xml".utf8)) {
                        .readable(.xmlPropertyList)
                    } else {
                        name.hasSuffix(".json") ? .readable(.json) : nil
                    }
                #expect(StoreFormat.sniff(data) == expected, "\(path)")
            }
        }
    }
}
