import Foundation
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("The canonical form")
struct FormatTests {
    private static func formatted(_ text: String) throws -> String {
        do {
            return try Spec.formatted(Data(text.utf8))
        } catch {
            Issue.record("\(error.all)\n\(text)")
            throw error
        }
    }

    /// The parts of a text without their places: what it means.
    private static func meaning(_ text: String) throws -> String {
        let root = try #require(SpecText(Data(text.utf8)).root, "\(text)")
        func write(_ node: SpecNode) -> String {
            switch node.content {
            case .scalar(let value): "\(value.typeName) \(value.jsonText)"
            case .list(let items): "[" + items.map(write).joined(separator: ",") + "]"
            // Keys of the language may stand in any order.
            case .mapping(let members):
                "{" + members.map { "\($0.key):\(write($0.value))" }.sorted().joined(separator: ",") + "}"
            }
        }
        return write(root)
    }

    @Test("Every spec of the package, and every example, is in the canonical form", arguments: Specs.examples)
    func canonical(name: String) throws {
        let text = try Specs.text(name)
        #expect(try Self.formatted(text) == text)
    }

    @Test("Formatted twice is formatted once, and means the same", arguments: Specs.examples)
    func examples(name: String) throws {
        let text = try Specs.text(name)
        let once = try Self.formatted(text)
        #expect(try Self.formatted(once) == once)
        #expect(try Self.meaning(once) == Self.meaning(text))
        #expect(SpecRemark.all(in: once).count == SpecRemark.all(in: text).count)
        let old = try Specs.read(Data(text.utf8)), new = try Specs.read(Data(once.utf8))
        #expect(old.profiles.map { $0.steps.map(\.id) } == new.profiles.map { $0.steps.map(\.id) })
        for expectation in new.expectations { #expect(SpecTrial(expectation, of: new).failures.map(\.sentence) == []) }
    }

    @Test(
        "Remarks stay with what they stand at, and what only looks like one is text",
        arguments: [
            ("steps:   # all\n- {from: a/b, to: a/c}", "steps:  # all\n  - {from: a/b, to: a/c}"),
            ("steps:\n- from: a/b   # why\n  to: a/c", "steps:\n  - from: a/b  # why\n    to: a/c"),
            ("steps:\n- {from: a/b, # why\n   to: a/c}", "steps:\n  - from: a/b  # why\n    to: a/c"),
            ("steps:\n- to: a/c\n  # why\n  from: a/b", "steps:\n  # why\n  - {from: a/b, to: a/c}"),
            ("steps:\n- {from: 'a/b#/x', rule: \"c # d\"}", "steps:\n  - {from: a/b#/x, rule: \"c # d\"}"),
            ("steps:\n- {from: a/b, to: a/c}\n# end", "steps:\n  - {from: a/b, to: a/c}\n# end"),
            ("steps:\n- from: a/b\n  to: a/c\n  rule: |\n    one # two\n    'three", "rule: \"one # two\\n'three\\n\""),
            ("steps:\n- {from: a/b, to: a/c, rule: it's \"so\"} # isn't it", "# isn't it"),
            ("title: some long text\n  'twas here\nsteps:\n# four\n- {from: a/b, to: a/c}  # five", "}  # five"),
            ("title: some long text\n  \"so\n  - 'x \"\n# three\nsteps:\n- {from: a/b, to: a/c}", "# three"),
            ("about: 'a text # of\n  two'' lines' # one\nsteps:\n- {from: a/b, to: a/c}", "# one\n"),
            ("steps:\n- rule: |\n  from: a/b # five\n  to: a/c", "from: a/b  # five"),
            ("steps:\n- rule: | # five\n    # text\n   # six\n  from: a/b\n  to: a/c", "# six"),
            ("steps:\n- from: a/b\n  rule: |2\n      x\n    # text\n  # six\n  to: a/c", "# six"),
        ])
    func remarks(steps: String, expected: String) throws {
        let text = "vestige: migration/1\nid: x\nstores: {a: defaults://a}\n\(steps)\n", once = try Self.formatted(text)
        #expect(once.contains(expected), "\(once)")
        #expect(try Self.formatted(once) == once)
        #expect(try Self.meaning(once) == Self.meaning(text))
        let words = steps.split(separator: "# ").dropFirst().compactMap { $0.split(separator: "\n").first }
        for word in words { #expect(once.contains("# " + word), "\(once)") }
    }

    @Test("A byte order mark may stand first, and nowhere else; the canonical form has none")
    func byteOrderMark() throws {
        let text = "vestige: migration/1  # one\nid: x\n\nsteps:\n  - {from: defaults://a/b, to: defaults://a/c}\n"
        let mark = Data([0xEF, 0xBB, 0xBF])
        #expect(try Specs.read(mark + Data(text.utf8)).id == "x")
        #expect(try Spec.formatted(mark + Data(text.utf8)) == text)
        #expect(try Specs.read(mark + Data(#"{"vestige": "migration/1", "id": "x", "steps": []}"#.utf8)).id == "x")
        let twice = try #require(Specs.problems("\u{FEFF}\u{FEFF}" + text).first)
        #expect(twice.place == .init(line: 1, column: 1) && twice.sentence.contains("U+FEFF"), "\(twice)")
        let error = try #require(Specs.problems("\u{FEFF}vestige: yes\n").first)
        #expect(error.place == .init(line: 1, column: 10), "\(error)")
    }

    @Test("A file that is no spec is refused with what is wrong with it")
    func refused() {
        #expect(throws: SpecProblems.self) { try Spec.formatted(Data("vestige: migration/1\nid: x\n".utf8)) }
    }

    @Test("Any spec in any writing has one form that means the same and is its own form", arguments: 0..<200)
    func law(seed: Int) throws {
        var writer = RandomWriter(SeededGenerator(seed: UInt64(seed)))
        let text = writer.spec(), once = try Self.formatted(text)
        #expect(try Self.formatted(once) == once, "seed \(seed)\n\(text)\n\(once)")
        #expect(try Self.meaning(once) == Self.meaning(text), "seed \(seed)\n\(text)\n\(once)")
        let remarks = SpecRemark.all(in: once).map(\.text).sorted()
        #expect(remarks == writer.remarks.sorted(), "seed \(seed)\n\(text)\n\(once)")
    }
}

/// Writes random specs in random ways: block and flow, three kinds of quotes, blocks of text, remarks anywhere.
private struct RandomWriter {
    var random: SeededGenerator
    private(set) var remarks: [String] = []

    init(_ random: SeededGenerator) { self.random = random }

    private indirect enum Node {
        case text(String), plain(String), list([Node]), mapping([(String, Node)])
    }

    private mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &random) == 0 }

    mutating func spec() -> String {
        var sections: [(String, Node)] = [
            ("id", .text("x-\(seedNumber())")),
            ("stores", .mapping([("a", .text("defaults://a")), ("b", .text("file://Documents"))])),
            ("steps", .list((0..<Int.random(in: 1...4, using: &random)).map { row($0) })),
        ]
        if chance(2) { sections.append(("title", .text(words()))) }
        if chance(2) { sections.append(("about", .text((0..<30).map { _ in words() }.joined(separator: " ")))) }
        if chance(2) {
            sections.append(
                (
                    "profiles",
                    .mapping([
                        ("one", .text(words())),
                        ("two", .mapping([("about", .text(words())), ("like", .text("one"))])),
                    ])
                ))
        }
        sections.shuffle(using: &random)
        sections.insert(("vestige", .plain("migration/1")), at: 0)
        return remarkLine(0) + block(sections, 0) + remarkLine(0)
    }

    private mutating func seedNumber() -> Int { Int.random(in: 0..<1000, using: &random) }

    private mutating func row(_ number: Int) -> Node {
        var members: [(String, Node)] = [
            ("id", .text("row-\(number)")), ("from", .text("a/k\(number)")), ("to", .text("b/n\(number)")),
        ]
        if chance(2) { members.append(("default", literal(0))) }
        if chance(2) { members.append(("rule", .text(words()))) }
        if chance(3) { members.append(("say", .mapping([("absent", .text(words()))]))) }
        if chance(3) {
            members.append(
                ("notes", .list([.text(words()), .mapping([("if", .text("value exists")), ("say", .text(words()))])])))
        }
        if chance(3) {
            members.append(
                (
                    "do",
                    .list([.mapping([("add", .mapping([("f", literal(0))]))]), .mapping([("encode", .text("json"))])])
                ))
        }
        members.shuffle(using: &random)
        return .mapping(members)
    }

    private mutating func literal(_ depth: Int) -> Node {
        switch Int.random(in: 0..<(depth > 2 ? 4 : 6), using: &random) {
        case 0:
            .plain(
                ["true", "null", "12", "-7", "1.5", "170141183460469231731687303715884105727"].randomElement(
                    using: &random) ?? "1")
        case 4: .list((0..<Int.random(in: 0...3, using: &random)).map { _ in literal(depth + 1) })
        case 5: .mapping((0..<Int.random(in: 0...3, using: &random)).map { ("k\($0)", literal(depth + 1)) })
        default: .text(words())
        }
    }

    private mutating func words() -> String {
        let pieces = [
            "one", "two", "it's", "a # b", "x: y", "\"q\"", "yes", "08", "1e9", "[a]", "{b c", "- d", "é", "日本", "a,b",
            "#", "'", "\\", ":", "tab\tx", "line\nline", "a  b", " lead", "trail ", "",
            "http://x/y", "?", "*s", "&a", "!t", "%p", "@q", "`r`", "~", "null",
            "a long word that goes on and on until the line is full",
        ]
        return (0..<Int.random(in: 1...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined(separator: " ")
    }

    private mutating func remark() -> String {
        let text =
            "# " + (["why", "isn't it", "\"so\"", "a: b", "- c", "{ [", "#"].randomElement(using: &random) ?? "")
            + " \(remarks.count)"
        remarks.append(text)
        return text
    }

    private mutating func remarkLine(_ indent: Int) -> String {
        chance(4) ? String(repeating: " ", count: indent) + remark() + "\n" : ""
    }

    private mutating func aside() -> String { chance(5) ? "  " + remark() : "" }

    private mutating func block(_ members: [(String, Node)], _ indent: Int, lead: String? = nil) -> String {
        var text = ""
        for (number, (key, value)) in members.enumerated() {
            let pad = String(repeating: " ", count: indent)
            let start = number == 0 ? lead ?? pad : pad
            if number > 0 || lead == nil { text += remarkLine(indent) }
            text += start + key + ":" + after(value, indent)
        }
        return text
    }

    /// What stands behind a colon or a dash, with the end of the line.
    private mutating func after(_ node: Node, _ indent: Int) -> String {
        switch node {
        case .mapping(let members) where !members.isEmpty && chance(2):
            return aside() + "\n" + block(members, indent + 2)
        case .list(let items) where !items.isEmpty && chance(2):
            var text = aside() + "\n"
            let inner = indent + Int.random(in: 0...1, using: &random) * 2
            for item in items {
                text += remarkLine(inner) + String(repeating: " ", count: inner) + "-"
                if case .mapping(let members) = item, !members.isEmpty, chance(2) {
                    text += block(members, inner + 2, lead: " ")
                } else {
                    text += " " + flow(item) + aside() + "\n"
                }
            }
            return text
        case .text(let words)
        where words.contains("\n") && !words.hasPrefix(" ") && !words.contains("\t") && !words.contains(" \n")
            && chance(2):
            let pad = String(repeating: " ", count: indent + 2)
            return " |-\n"
                + words.split(separator: "\n", omittingEmptySubsequences: false).map {
                    $0.isEmpty ? "\n" : pad + $0 + "\n"
                }.joined()
        default: return " " + flow(node) + aside() + "\n"
        }
    }

    private mutating func flow(_ node: Node) -> String {
        switch node {
        case .plain(let text): return text
        case .text(let text):
            if !text.contains("'"), SpecWriting.isVisible(text), chance(3) { return "'\(text)'" }
            return SpecWriting.isPlain(text) && chance(2)
                ? text
                : "\""
                    + text.unicodeScalars.map { scalar in
                        switch scalar {
                        case "\"": "\\\""
                        case "\\": "\\\\"
                        case "\n": "\\n"
                        case "\t": "\\t"
                        default: String(scalar)
                        }
                    }.joined() + "\""
        case .list(let items):
            var parts: [String] = []
            for item in items { parts.append(flow(item)) }
            return "[" + parts.joined(separator: chance(2) ? "," : ", ") + "]"
        case .mapping(let members):
            var parts: [String] = []
            for (key, value) in members { parts.append("\(chance(3) ? "\"\(key)\"" : key): \(flow(value))") }
            return "{" + parts.joined(separator: ", ") + "}"
        }
    }
}
