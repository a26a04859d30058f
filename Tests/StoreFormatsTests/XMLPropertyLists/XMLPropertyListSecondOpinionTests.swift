import Foundation
import Testing
import TestSupport

@testable import StoreFormats

@Suite("XML property lists: the second opinion of plistlib", .enabled(if: PlistlibOracle.isAvailable, "no python3"))
struct XMLPropertyListSecondOpinionTests {
    @Test(
        "Every XML sample reads as plistlib reads it, or is refused for a reason",
        .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
    func samples() throws {
        let folders = ["plists/corelibs", "plists/cpython", "plists/rust-plist"]
        let paths = try folders.flatMap { try Samples.files(in: $0) }.filter {
            StoreFormat.sniff(try Samples.data($0)) == .readable(.xmlPropertyList)
        }
        #expect(paths.count == 16)
        let opinions = try PlistlibOracle.dump(paths.map { Samples.folder.appendingPathComponent($0) })
        var refused: [String: FormatError.Problem] = [:]
        for (path, opinion) in zip(paths, opinions) {
            do {
                let value = try XMLPropertyList.parse(Samples.data(path))
                // plistlib knows UIDs in binary lists only.
                #expect(
                    PlistlibOracle.canonical(value.withoutUIDs).map(PlistlibOracle.Reading.value) == opinion, "\(path)")
            } catch let error as FormatError {
                refused[(path as NSString).lastPathComponent] = error.problem
            }
        }
        #expect(
            refused == [
                "XML_PLIST_WITH_ENTITY.plist": .unsupported("an XML property list that declares entities"),
                "xml_entity_error.plist": .invalid("text stands between elements"),
                "xml_error.plist": .invalid("a tag does not end"),
            ])
    }

    @Test("plistlib reads what is written here as the same value, and writes it in the same way")
    func written() throws {
        var generator = SeededGenerator(seed: 7)
        let values = (0..<100).map { _ in Value.dictionary([("k", generator.value()), ("d", .data(Data(0..<200)))]) }
        let lists = try values.map { try XMLPropertyList.write($0) }
        for ((value, list), opinion) in zip(zip(values, lists), try PlistlibOracle.read(lists)) {
            let canonical = try #require(PlistlibOracle.canonical(value))
            #expect(opinion.reading == .value(canonical))
            // Exponents and reals without decimals look different, and mean the same.
            let again = try #require(opinion.again)
            #expect(try XMLPropertyList.parse(again) == value)
            if !list.contains("<real>") { #expect(again == list) }
        }
    }

    @Test("What plistlib reads and refuses of damaged lists is read the same, or refused, here")
    func damaged() throws {
        let seed = try XMLPropertyList.write(
            .dictionary([
                ("a", .array([.integer(1), .real(-2.5), .string("x<&>é")])), ("b", .data(Data([1, 2, 3, 4, 5]))),
                ("c", .date(Timestamp(secondsSinceReference: 86_400))),
            ]))
        var generator = SeededGenerator(seed: 8)
        let lists = (0..<1000).map { _ in generator.damaged(seed) }
        var agreed = 0
        for (list, opinion) in zip(lists, try PlistlibOracle.read(lists)) {
            guard let value = try? XMLPropertyList.parse(list), case .value(let canonical) = opinion.reading else {
                continue
            }
            // plistlib keeps the last of two keys, and turns CR into LF.
            guard !value.hasDuplicates, !list.contains("\r") else { continue }
            agreed += 1
            #expect(
                PlistlibOracle.canonical(value.withoutUIDs) == canonical, "\(String(decoding: list, as: UTF8.self))")
        }
        #expect(agreed > 50)
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

extension Value {
    /// The value with the dictionary that XML has for a UID.
    fileprivate var withoutUIDs: Value {
        switch self {
        case .uid(let number): .dictionary([("CF$UID", .integer(Int128(number)))])
        case .array(let elements): .array(elements.map(\.withoutUIDs))
        case .dictionary(let members): .dictionary(members.map { ($0.key, $0.value.withoutUIDs) })
        default: self
        }
    }

    fileprivate var hasDuplicates: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.hasDuplicates)
        case .dictionary(let members): !members.duplicateKeys.isEmpty || members.contains(where: \.value.hasDuplicates)
        default: false
        }
    }
}
