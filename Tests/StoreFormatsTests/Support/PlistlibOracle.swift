import Foundation
import TestSupport
import StoreFormats

/// Python's `plistlib` as a second opinion on property lists; `plistlib_oracle.py` defines the canonical text.
enum PlistlibOracle {
    /// What `plistlib` makes of a list: its canonical text, or the name of the exception.
    enum Reading: Equatable {
        case value(String)
        case refused(String)
    }

    /// Whether there is a `python3` to ask.
    static let isAvailable = run("python3", ["-c", "import plistlib"]) != nil

    /// What `plistlib` reads from files, in their order, of any form that it knows.
    static func dump(_ files: [URL]) throws -> [Reading] {
        try ask("dump", files)
    }

    /// What `plistlib` reads from lists, and the lists that it writes of that.
    static func read(_ lists: [Data]) throws -> [(reading: Reading, again: Data?)] {
        try withTemporaryFiles(lists) { files in
            try zip(ask("rewrite", files), files).map { reading, file in
                (reading, try? Data(contentsOf: URL(fileURLWithPath: file.path + ".again")))
            }
        }
    }

    /// The canonical text of a value; `nil` where a part has no counterpart in `plistlib`.
    static func canonical(_ value: Value) -> String? {
        switch value {
        case .null: return pair("null", "")
        case .bool(let flag): return pair("bool", flag ? "true" : "false")
        case .integer(let number): return pair("integer", String(number))
        case .real(let real):
            let digits = String(real.value.bitPattern, radix: 16)
            return pair("real", String(repeating: "0", count: 16 - digits.count) + digits)
        case .string(let text): return pair("string", text)
        case .data(let data): return pair("data", data.base64EncodedString())
        case .date(let date):
            // Rounded as Python's timedelta does: the fraction alone, to even.
            let whole = date.secondsSinceReference.rounded(.towardZero)
            let fraction = ((date.secondsSinceReference - whole) * 1e6).rounded(.toNearestOrEven)
            guard let seconds = Int128(exactly: whole), let micros = Int128(exactly: fraction) else { return nil }
            return pair("date", String(seconds * 1_000_000 + micros))
        case .uid(let number): return pair("uid", String(number))
        case .array(let elements):
            let parts = elements.compactMap(canonical)
            return parts.count == elements.count ? "[\"array\",[\(parts.joined(separator: ","))]]" : nil
        case .dictionary(let members):
            let parts = members.compactMap { member in
                canonical(member.value).map { "[\(quoted(member.key.text)),\($0)]" }
            }
            return parts.count == members.count ? "[\"dictionary\",[\(parts.joined(separator: ","))]]" : nil
        case .set, .object, .reference: return nil
        }
    }

    /// Runs a program with text for its standard input; its standard output where it ended well.
    static func run(_ program: String, _ arguments: [String], input: String = "") -> Data? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let stdin = Pipe(), stdout = Pipe()
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        // The scripts read all of their input before they fill the pipe of their output, or their input is short.
        try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? stdin.fileHandleForWriting.close()
        let output = try? stdout.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? output ?? Data() : nil
    }

    /// Puts lists into files of a folder that is removed afterwards.
    static func withTemporaryFiles<Result>(_ lists: [Data], _ body: ([URL]) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        let files = try lists.enumerated().map { number, list in
            try folder.write("\(number).plist", list)
            return URL(fileURLWithPath: folder("\(number).plist"))
        }
        return try withExtendedLifetime(folder) { try body(files) }
    }

    private static func ask(_ question: String, _ files: [URL]) throws -> [Reading] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("plistlib_oracle.py")
        let input = files.map { $0.path + "\n" }.joined()
        guard let output = run("python3", [script.path, question], input: input) else {
            throw CocoaError(.executableLoad)
        }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
        guard lines.count == files.count else { throw CocoaError(.coderReadCorrupt) }
        return lines.map { line in
            let rest = String(line.drop { $0 != " " }.dropFirst())
            return line.hasPrefix("value ") ? .value(rest) : .refused(rest)
        }
    }

    private static func pair(_ tag: String, _ content: String) -> String {
        "[\"\(tag)\",\(quoted(content))]"
    }

    /// A JSON string in ASCII, escaped as Python's `json` does.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0A: result += "\\n"
            case 0x0D: result += "\\r"
            case 0x09: result += "\\t"
            case 0x0C: result += "\\f"
            case 0x08: result += "\\b"
            case 0x20...0x7E: result.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
