import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Reading a spec's text")
struct ReadingTests {
    /// A text, the code of its first problem, its line and column, and a part of what is said.
    static let refused: [(text: String, code: SpecProblem.Code, line: Int, column: Int, says: String)] = [
        ("a: yes", .doubtfulScalar, 1, 4, "Write true"), ("a: no", .doubtfulScalar, 1, 4, "Write false"),
        ("a: on", .doubtfulScalar, 1, 4, #""on" for the text"#), ("a: Y", .doubtfulScalar, 1, 4, #""Y""#),
        ("a: True", .doubtfulScalar, 1, 4, "Write true"), ("a: ~", .doubtfulScalar, 1, 4, "Write null"),
        ("a:\nb: 1", .doubtfulScalar, 1, 3, "nothing stands here"),
        ("a: 08989", .doubtfulScalar, 1, 4, "octal"), ("a: 0x1F", .doubtfulScalar, 1, 4, "hexadecimal"),
        ("a: 0o7", .doubtfulScalar, 1, 4, "number"), ("a: 1_000", .doubtfulScalar, 1, 4, "number"),
        ("a: 1e9", .doubtfulScalar, 1, 4, "number"), ("a: 12:30", .doubtfulScalar, 1, 4, "base 60"),
        ("a: 2024-08-30", .doubtfulScalar, 1, 4, "a date"), ("a: +5", .doubtfulScalar, 1, 4, "number"),
        ("a: .5", .doubtfulScalar, 1, 4, "number"), ("a: .inf", .doubtfulScalar, 1, 4, "no number"),
        ("a: 999999999999999999999999999999999999999999", .doubtfulScalar, 1, 4, "128 bits"),
        ("a: 1\nb: 2\na: 3", .duplicateKey, 1, 1, "lines 1 and 3"),
        ("source: keep\n\"source\": remove", .duplicateKey, 1, 1, "lines 1 and 2"),
        ("# !\nsource: keep\n\"source\": remove", .duplicateKey, 2, 1, "lines 2 and 3"),
        ("# !\na: {1: p, \"1\": q}", .duplicateKey, 2, 5, "the key 1 stands twice"),
        ("table: {1: p, 1: q}", .duplicateKey, 1, 9, "the key 1 stands twice"),
        ("  # %\n  \n%YAML 1.1\n---\na: 1", .notInTheLanguage, 3, 1, "directive"),
        ("a: &x 1", .notInTheLanguage, 1, 4, "anchor"), ("a: !!str 1", .notInTheLanguage, 1, 4, "tag"),
        ("a: !own 1", .notInTheLanguage, 1, 4, "tag"), ("%YAML 1.1\n---\na: 1", .notInTheLanguage, 1, 1, "directive"),
        ("# a\r\n\r\n%YAML 1.1\r\n---\r\na: 1", .notInTheLanguage, 3, 1, "directive"),
        ("#\n%TAG ! !a\n---\na: 1", .notInTheLanguage, 2, 1, "directive"),
        ("b: 1\n!!str a: 1", .notInTheLanguage, 2, 1, "tag"),
        ("a: 1\n---\nb: 2", .secondDocument, 2, 1, "second document"),
        ("a:\n\tb: 1", .notYAML, 2, 1, "tab"), ("a: \"x\u{202E}y\"", .notYAML, 1, 6, #"\u202E"#),
        ("a: \"x\u{7}y\"", .notYAML, 1, 6, #"\u0007"#), ("a: \"x\u{FEFF}\"", .notYAML, 1, 6, "invisible"),
        ("a: [1, 2", .notYAML, 1, 4, "is not closed"), ("a: \"x", .notYAML, 1, 4, "is not closed"),
        ("", .notYAML, 1, 1, "empty"),
        ("? [1, 2]\n: 3", .wrongType, 1, 3, "a key is a list"), ("<<: {a: 1}", .notInTheLanguage, 1, 1, "merge key"),
    ]

    @Test(
        "What readers of YAML take for different things is refused, with its place and what to write",
        arguments: refused)
    func refusals(text: String, code: SpecProblem.Code, line: Int, column: Int, says: String) throws {
        let problem = try #require(SpecText(Data(text.utf8)).problems.first, "\(text)")
        #expect(problem.code == code)
        #expect("\(problem)".contains(says), "\(problem)")
        #expect(problem.place == SpecProblem.Place(line: line, column: column), "\(problem)")
        #expect(!problem.fix.isEmpty)
    }

    @Test("A table tells 1 from \"1\", whatever else is in the file", arguments: ["", " # !"])
    func tables(remark: String) {
        let text = SpecText(Data("table: {1: p, \"1\": q}\(remark)\n".utf8))
        #expect(text.problems.isEmpty && text.root != nil, "\(text.problems)")
    }

    @Test(
        "A plain scalar is what the language says, whatever the library makes of it",
        arguments: [
            ("true", Value.bool(true)), ("null", .null), ("417", .integer(417)), ("-5", .integer(-5)),
            ("0", .integer(0)),
            ("1.5", .real(1.5)), ("-0.25", .real(-0.25)), ("\"1.10\"", .string("1.10")), ("'yes'", .string("yes")),
            ("170141183460469231731687303715884105727", .integer(.max)), ("1.2.3", .string("1.2.3")),
            ("app/feature.*", .string("app/feature.*")), ("old/a#/b", .string("old/a#/b")), ("---x", .string("---x")),
            ("R&D", .string("R&D")), ("a *b &c", .string("a *b &c")), ("\"a: *b, &c d\"", .string("a: *b, &c d")),
        ])
    func scalars(written: String, value: Value) throws {
        let text = SpecText(Data("a: \(written)".utf8))
        guard case .mapping(let members)? = text.root?.content else {
            Issue.record("\(text.problems)")
            return
        }
        #expect(members[0].value.content == .scalar(value))
        #expect(members[0].value.place == .init(line: 1, column: 4))
    }

    @Test("JSON is read like YAML")
    func json() throws {
        let yaml = try Specs.spec("- {id: theme, from: defaults://a/b, type: string, to: defaults://a/c}")
        let json = try Specs.read(
            Data(
                #"""
                {"vestige": "migration/1", "id": "test",
                 "steps": [{"id": "theme", "from": "defaults://a/b", "type": "string", "to": "defaults://a/c"}]}
                """#.utf8))
        #expect(json.profiles[0].steps.map(\.id) == yaml.profiles[0].steps.map(\.id))
        let number = SpecText(Data(#"{"a": 1e3}"#.utf8))
        #expect(number.problems.isEmpty)
        #expect(
            number.root?.content
                == .mapping([
                    .init(
                        key: "a", keyPlace: .init(line: 1, column: 2),
                        value: .init(content: .scalar(.real(1000)), place: .init(line: 1, column: 7)), isPlainKey: false
                    )
                ]))
        #expect(SpecText(Data("{a: 1e3}".utf8)).problems.count == 1, "in YAML it is a text to some readers")
    }

    @Test(
        "A text that begins with a byte order mark keeps it, and is written with it",
        arguments: [#""\ufeffy""#, #""\uFEFFy""#, #""\U0000FEFFy""#])
    func byteOrderMark(written: String) throws {
        let steps = "- {id: a, value: \(written), to: defaults://a/b}"
        var tried = try Tried(try Specs.spec(steps), [])
        try tried.applyAll()
        #expect(tried["defaults://a/b"] == .string("\u{FEFF}y"))
        let formatted = try Spec.formatted(Data("vestige: migration/1\nid: test\nsteps:\n\(steps)\n".utf8))
        #expect(formatted.contains(#""\uFEFFy""#), "\(formatted)")
    }

    @Test("Every problem of a file is told, in the order of the file")
    func all() {
        let problems = SpecText(Data("a: yes\nb: 08\nc: [1, ~]\n".utf8)).problems
        #expect(problems.map(\.place.line) == [1, 2, 3])
    }

    // MARK: Hostile input

    @Test("Text that looks like an anchor and like an alias is text")
    func looksLikeAliases() throws {
        let text = SpecText(Data("a: \"x &b\"\nc: 'y *b'  # &d and *d\nd: [\"&e\", '*e']\n".utf8))
        #expect(text.problems == [])
        #expect(text.root != nil)
    }

    /// Aliases of aliases: written out they would be 10^30 parts.
    static let bomb =
        "a0: &a0 [x]\n"
        + (1..<30).map { "a\($0): &a\($0) [\(repeatElement("*a\($0 - 1)", count: 10).joined(separator: ", "))]" }
        .joined(separator: "\n")

    @Test(
        "A bomb of aliases is refused at its first alias, also as a key",
        arguments: [
            bomb, bomb + "\n? *a29\n: x\n", bomb + "\nb: {*a29 : 1, *a28 : 2}",
            "title: 'it''s &one *two'\n" + bomb, "# ' \" &x\n" + bomb, "t: |\n  '\n" + bomb,
        ])
    func bombs(text: String) throws {
        let problem = try #require(SpecText(Data(text.utf8)).problems.first)
        #expect(problem.code == .notInTheLanguage, "\(problem)")
    }

    @Test("An anchor within itself is refused")
    func cycle() throws {
        #expect(try #require(SpecText(Data("a: &a [*a]".utf8)).problems.first).code == .notInTheLanguage)
    }

    @Test("Depth has a limit, and so has what the library does before it", arguments: [40, 1000, 100_000])
    func depth(depth: Int) throws {
        let text = "a: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let problem = try #require(SpecText(Data(text.utf8)).problems.first)
        #expect([.overLimit, .notYAML].contains(problem.code))
        #expect(problem.place.line == 1)
    }

    @Test("Size, parts, steps and operations have limits")
    func limits() throws {
        func code(_ text: String) -> SpecProblem.Code? { SpecText(Data(text.utf8)).problems.first?.code }
        #expect(code(String(repeating: "#", count: 4 << 20 | 1)) == .overLimit)
        #expect(code("a: [" + String(repeating: "1,", count: 1_000_001) + "]") == .overLimit)
        let step = "- {leave: defaults://a/b}\n"
        #expect(Specs.problems(ofSteps: String(repeating: step, count: 10_001)).map(\.code) == [.overLimit])
        let chain = repeatElement("trim", count: 65).joined(separator: ", ")
        #expect(
            Specs.problems(ofSteps: "- {from: defaults://a/b, type: string, do: [\(chain)]}").map(\.code) == [
                .overLimit
            ])
    }

    @Test("Bytes that are no UTF-8 are refused")
    func encoding() { #expect(SpecText(Data([0x61, 0xFF])).problems.map(\.code) == [.notYAML]) }
}

@Suite("Reading a spec's meaning")
struct MeaningTests {
    /// A step, the code of its only problem, and a part of what is said.
    static let refused: [(steps: String, code: SpecProblem.Code, says: String)] = [
        ("- {form: app/a, to: app/b}", .key, "Did you mean from by form?"),
        ("- {from: app/a, tpye: string, to: app/b}", .key, "Did you mean type?"),
        ("- {from: app/a, type: strng, to: app/b}", .wrongType, "Did you mean string?"),
        ("- {from: ap/a, to: app/b}", .unknownName, "Did you mean app?"),
        ("- {from: app/a, to: app/b, exists: keeep}", .wrongType, "Did you mean keep?"),
        ("- {from: app/a, to: app/b, do: [trimm]}", .key, "Did you mean trim?"),
        ("- {from: app/a, to: app/b, do: [{split: {ta: x, into: [a]}}]}", .key, "Did you mean at?"),
        ("- {from: fact/nwo, to: app/b}", .unknownName, "Did you mean now?"),
        ("- {from: \"defaults://{secret}/a\", to: app/b}", .unknownName, "secret"),
        ("- {from: \"defaults://{text}/a\", to: app/b}", .address, "may not stand in an address"),
        ("- {from: file://Documents/../../etc/passwd, to: app/b}", .address, "leads out"),
        ("- {from: file:///etc/passwd, to: app/b}", .address, "names no store"),
        ("- {from: file://Documents/%2Fetc, to: app/b}", .address, "leads out"),
        ("- {from: \"defaults://..%2F..%2Fother/a\", to: app/b}", .address, "slash"),
        ("- {from: \"defaults://a%0Ab/a\", to: app/b}", .address, "control character"),
        ("- {from: app/a, to: \"app/b%EF%B7%90\"}", .address, "U+FDD0"),
        ("- {from: app/a, to: \"app/b#/%ef%b7%90\"}", .address, "U+FDD0"),
        ("- {from: app/a, to: app/b, if: [app/k.* exists]}", .wildcards, "the condition on app/k.* has 1 *"),
        ("- {from: app/a, to: app/b, if: [app exists]}", .comparison, "app is a whole store"),
        ("- {from: app/a.*, to: app/b}", .wildcards, "0 *"), ("- {from: app/a, to: app/b.*}", .wildcards, "1 *"),
        ("- {from: app/a, type: integer, do: [trim], to: app/b}", .operand, "takes a string"),
        ("- {from: app/a, type: string, do: [number, trim], to: app/b}", .operand, "takes a string"),
        ("- {from: app/a, type: string, to: {x: app/b, z: app/c}}", .operand, "members of a dictionary"),
        ("- {from: app/a, if: value > 0, to: app/b}", .comparison, "is no test"),
        ("- {from: app/a, if: value is above fact/text, to: app/b}", .comparison, "has no order"),
        ("- {from: app/a, if: valeu is above 0, to: app/b}", .unknownName, "valeu"),
        ("- {from: app/a, to: app/x}\n- {id: other, from: app/b, to: app/x}", .twoWriters, "both write app/x"),
        ("- {id: x, from: app/a, to: app/b}\n- {id: x, from: app/b, to: app/c}", .duplicateKey, "called x"),
        ("- {id: x, from: app/a, to: app/b, after: z}\n- {id: z, from: app/b, to: app/c}", .cycle, "before it"),
        ("- {id: x, from: app/a, to: app/b, after: z}\n- {id: z, from: app/b, to: app/c, after: x}", .cycle, "a cycle"),
        ("- {id: x, from: app/a, to: app/b, after: x}", .cycle, "which it is itself"),
        ("- {from: app/a, to: app/b, after: nothing}", .unknownName, "nothing"),
        ("- {remove: app}", .wholeStore, "whole store"), ("- {from: app, to: app/b}", .address, "whole store"),
        ("- {from: app/a, to: {at: app/b, accessible: when-unlocked}}", .key, "only an item of the keychain"),
        (
            "- {document: d, at: app/a, version: shape, versions: {0: {has: {a: string}}, 2: {has: {b: string}, made-by: []}}}",
            .versions, "follows version 0"
        ),
        (
            "- {document: d, at: app/a, version: shape, versions: {0: {has: {a: string}}, 1: {has: {b: string}}}}",
            .versions, "made-by"
        ),
        (
            "- {document: d, at: app/a, version: shape, versions: {0: {has: {a: string}}, 1: {has: {a: string}, made-by: []}}}",
            .versions, "look the same"
        ),
        ("- {from: app/a, to: app/b, in-profile: {other: {type: string}}}", .unknownName, "profile other"),
        ("- {from: app/a, to: app/b, do: [{decode: jsno}]}", .wrongType, "Did you mean json?"),
    ]

    @Test("Names are compared by their bytes: two that are normalization twins are two targets")
    func twins() {
        let steps = "- {from: app/a, to: \"app/caf\\u00E9\"}\n- {id: other, from: app/b, to: \"app/cafe\\u0301\"}"
        #expect(!Specs.problems(ofSteps: steps, Self.head).contains { $0.code == .twoWriters })
        #expect(
            Specs.problems(ofSteps: steps.replacing("e\\u0301", with: "\\u00E9"), Self.head).contains {
                $0.code == .twoWriters
            })
    }

    static let head = "facts:\n  text: {type: string}\nstores: {app: defaults://com.acme.notes}"

    @Test("A mistake has its line, its code and what was meant", arguments: refused)
    func refusals(steps: String, code: SpecProblem.Code, says: String) throws {
        let problems = Specs.problems(ofSteps: steps, Self.head)
        let problem = try #require(problems.first { "\($0)".contains(says) }, "\(problems)")
        #expect(problem.code == code, "\(problem)")
        #expect(problem.place.line >= 7, "\(problem)")
    }

    @Test("A profile that is no text is told once")
    func onlyOnce() {
        let problems = Specs.problems(ofSteps: "- {id: a, from: defaults://c.a/a, to: defaults://c.a/b, only: [5]}")
        #expect(problems.map(\.code) == [.wrongType], "\(problems)")
        let none = Specs.problems(ofSteps: "- {id: a, from: defaults://c.a/a, to: defaults://c.a/b, only: []}")
        #expect(none.map(\.code) == [.key], "\(none)")
    }

    @Test(
        "A file with a byte order mark and lines that end as on Windows is read as without, and told the same",
        arguments: [
            "a: b\nc: x #/y\n", "a: b\na: c\n", "a: \"\\uFEFFy\"\nb: yes\n", "{\n \"a\": 1e3,\n \"b\": 1.50\n}\n",
            "a: |\n  one\n  two\n", "a: 'x\n", "%YAML 1.1\n---\na: 1\n", "a:\n  b: 1\n   c: 2\n",
        ])
    func windows(text: String) {
        let plain = SpecText(Data(text.utf8))
        for other in [
            text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text,
        ] {
            let read = SpecText(Data(other.utf8))
            #expect(read.root == plain.root && read.problems == plain.problems, "\(other): \(read.problems)")
        }
    }

    @Test("The heads of a file are checked too")
    func heads() {
        func codes(_ text: String) -> [SpecProblem.Code] { Specs.problems(text).map(\.code) }
        #expect(codes("id: x\nsteps: []") == [.format])
        #expect(codes("vestige: migration/2\nid: x\nsteps: []") == [.format])
        #expect(codes("vestige: migration/1\nsteps: []") == [.key])
        #expect(codes("vestige: migration/1\nid: a/b\nsteps: []") == [.wrongType])
        #expect(codes("vestige: migration/1\nid: x\nsteps: []\nprofiles: {a: {like: b}, b: {like: a}}") == [.cycle])
        #expect(
            codes(
                "vestige: migration/1\nid: x\nsteps: []\nfacts: {a: {type: string, from: fact/b}, b: {type: string, from: fact/a}}"
            )
            .contains(.cycle))
    }

    @Test("A fact never leads out of a store", arguments: ["../../etc", "a/b", "..", "a\u{0}b", "a\nb", ""])
    func facts(value: String) throws {
        let spec = try Specs.spec(
            "- {id: row, from: \"defaults://{suite}/a\", to: \"file://Documents/{suite}/a\"}",
            "facts: {suite: {type: name}}")
        let tried = try Tried(spec, [("defaults://com.acme.notes/a", .string("x"))], facts: ["suite": value])
        let outcome = try #require(try tried.outcome("row"))
        #expect(outcome.kind == .blocked)
        #expect(outcome.reason?.code == "malformed-fact")
        #expect(SpecMigration(spec).facts.first { $0.name == "suite" }?.accepts(value) == false)
    }

    @Test("A profile replaces keys whole, and inherits those of the profile that it is like")
    func profiles() throws {
        let spec = try Specs.spec(
            """
            - id: row
              from: app/a
              type: string
              to: app/b
              in-profile: {second: {type: integer, do: [text]}}
            - {id: last, only: [second], from: app/c, to: app/d}
            """, "stores: {app: defaults://x}\nprofiles: {first: one, second: {like: first}, third: {like: second}}")
        func row(_ index: Int) -> SpecRow? {
            if case .row(let row) = spec.profiles[index].steps[0].work { row } else { nil }
        }
        #expect(spec.profiles.map { $0.steps.map(\.id) } == [["row"], ["row", "last"], ["row", "last"]])
        #expect(row(0)?.types == [ValueType(form: nil, kind: .string)])
        #expect(row(2)?.types == [ValueType(form: nil, kind: .integer)])
        #expect(row(1)?.operations.map(\.name) == ["text"])
    }

    @Test(
        "An item of which nobody knows whose it is can be named by no address, no star and no fact",
        arguments: ["keychain://unassigned%3Acom.other/token", "keychain://unassigned:com.other/token"])
    func unassigned(address: String) throws {
        let problems = Specs.problems(ofSteps: "- {id: a, from: '\(address)', to: defaults://com.acme.notes/a}")
        #expect(
            problems.map(\.code) == [.address] && problems.allSatisfy { $0.sentence.contains("another app's") },
            "\(problems)")
        let token = ("keychain://unassigned%3Acom.other/token", KeychainItem(text: "x").value)
        let starred = try Specs.spec(
            "- {id: a, from: 'keychain://*/token', type: text, to: 'defaults://com.acme.notes/a.*'}")
        #expect(try Tried(starred, [token]).outcome("a")?.kind == .skipped)
        let own = ("keychain://com.acme/token", KeychainItem(text: "x").value)
        #expect(try Tried(starred, [token, own]).plan().steps[0].changes.count == 1)
        let head = "facts: {service: {type: name, about: x}}"
        let told = try Specs.spec(
            "- {id: a, from: 'keychain://{service}/token', type: text, to: defaults://c.a/a}", head)
        let outcome = try Tried(told, [token], facts: ["service": "unassigned:com.other"]).outcome("a")
        #expect(
            outcome?.kind == .failed && outcome?.reason?.code == "address-outside", "\(String(describing: outcome))")
    }

    @Test(
        "More profiles than a spec may have are refused; of hundreds of mistakes the first are told, with a guess"
    )
    func manyMistakes() {
        let profiles = (0..<65).map { "p\($0): x" }.joined(separator: ", ")
        let steps = "- {id: a, from: defaults://a/b, to: defaults://a/c}"
        #expect(Specs.problems(ofSteps: steps, "profiles: {\(profiles)}").map(\.code) == [.overLimit])
        let rows = (0..<300).map { "- {id: row\($0), from: defaults://a/b, to: defaults://a/c\($0), after: rowx\($0)}" }
        let found = Specs.problems(ofSteps: rows.joined(separator: "\n"))
        #expect(found.count == 101)
        #expect(found.first?.fix.contains("Did you mean") == true)
        #expect(found.count { $0.fix.contains("Did you mean") } == 100)
    }

    @Test("What an expectation begins with lies beside the file: a path that leads out, or given besides, is refused")
    func fixtures() {
        func codes(_ expectation: String) -> [SpecProblem.Code] {
            Specs.problems(
                ofSteps: "- {id: a, from: app/a, to: app/b}\nexpect: [{name: x, \(expectation)}]",
                "stores: {app: defaults://com.acme.notes}"
            ).map(\.code)
        }
        #expect(codes("fixture: dumps/one.xcappdata, gives: {app/b: 1}") == [])
        #expect(codes("fixture: dumps/, gives: {app/b: 1}") == [])
        for path in ["../one", "/etc/passwd", "a/../../b", "''", "a//b"] {
            #expect(codes("fixture: \(path)") == [.address])
        }
        #expect(codes("fixture: one, given: {app/a: 1}") == [.key])
        #expect(codes("gives: {app: 1}") == [.address], "a whole store holds no value")
    }
}

@Suite("Many steps")
struct ManyStepsTests {
    /// A text with so many steps at this indentation, some of which are written otherwise.
    private static func text(_ indent: Int, odd: String, behind: String) -> String {
        let blanks = String(repeating: " ", count: indent)
        let rows = (0..<520).map { number in
            switch number {
            case 300: "\(blanks)\(odd.replacing("\n", with: "\n" + blanks))"
            case _ where number % 7 == 0:
                "\(blanks)- id: r\(number)  # one\n\n\(blanks)  from: app/a\(number)\n\(blanks)# two\n\(blanks)  do:\n"
                    + "\(blanks)  - trim\n\(blanks)  to: app/b\(number)"
            default: "\(blanks)- {id: r\(number), from: app/a\(number), to: \"app/b\(number)\"}"
            }
        }
        return "vestige: migration/1\nid: test\nsteps:\n# three\n" + rows.joined(separator: "\n") + "\n" + behind
    }

    @Test(
        "Read in stretches they are what they are as a whole, with the same places, remarks and problems",
        arguments: [
            "- {id: odd, from: app/a, to: app/b}", "- {id: odd, from: [app/a,\n  app/b]}", "- {id: odd, from: no}",
            "- {id: odd, about: \"one\n- {two: 2}\n- three\"}", "- about: |\n    # no remark\n    - no item\n  id: odd",
            "- {id: odd, id: twice}", "- {id: odd", "- id: \"odd", "-\n  id: odd", "- odd: \"\n- x\n- y: \"z\"",
            "- - odd\n  - even",
            "- {id: odd, from: app/a #/b, to: app/b}", "odd: 1", " - odd", "---", "- {id: odd}\n# \"\n- \"",
            "- ['it''s\n- it']", "- {id: odd}\r- {id: even}",
        ], [0, 2])
    func stretches(odd: String, indent: Int) {
        let plain = Self.text(indent, odd: "- {id: odd}", behind: "")
        var reader = SpecText(Data())
        #expect(reader.inStretches(plain) != nil, "what is compared below are two ways")
        for behind in ["", "expect:\n- {name: x}\n", "# \"\nabout: \"z\"\n", "about: 'it''s'\n", "steps: []\n"] {
            let text = Self.text(indent, odd: odd, behind: behind)
            // Where there may be an anchor, it is taken apart as a whole.
            let (own, whole) = (SpecText(Data(text.utf8)), SpecText(Data((text + "# &").utf8)))
            #expect(own.root == whole.root, "\(odd) \(behind)")
            #expect(own.writings == whole.writings, "\(odd) \(behind)")
            func phrase(_ problem: SpecProblem) -> String { "\(problem.place) \(problem.sentence) \(problem.fix)" }
            #expect(
                SpecProblems(own.problems).all.map(phrase) == SpecProblems(whole.problems).all.map(phrase),
                "\(odd) \(behind)")
        }
    }
}

@Suite("Addresses of specs")
struct AddressTemplateTests {
    @Test("A brace, a star or a slash is one also where an accent follows it")
    func accents() {
        let pieces = AddressTemplate("defaults://a/\u{308}{writeKey}\u{308}*\u{301}")?.pieces
        #expect(
            pieces == [.text("defaults://a/\u{308}"), .fact("writeKey"), .text("\u{308}"), .star, .text("\u{301}")])
    }

    @Test("What is secret at an address of which a fact is unknown is secret wherever it may be")
    func unknownFact() throws {
        let migration = SpecMigration(
            try Specs.spec(
                "- {id: a, from: \"defaults://rs.{who}/nick\", to: defaults://new/nick, secret: true}",
                "facts: {who: {type: name}}"))
        let open = Address.defaults(Name("rs.\(NamePattern.star)"), "nick")
        #expect(migration.secretEntries(facts: Facts()).contains(open))
        let known = migration.secretEntries(facts: Facts(["who": Fact("me", from: "test")]))
        #expect(!known.contains(open) && known.contains(.defaults("rs.me", "nick")))
    }

    @Test(
        "A key of a store says the same as its whole address does, or is left to that",
        arguments: [
            "defaults://com.acme", "defaults://{a}", "defaults://com.{a}-{b}", "keychain://{a}.x", "keychain://x",
            "defaults://*", "defaults://x.{a}*", "defaults://{a}/k", "file://{a}", "file://Documents",
            "defaults://x%2Fy{a}",
        ])
    func keyOfStore(store: String) throws {
        let template = try #require(AddressTemplate(store))
        for name in ["key", "a.b-c_d~1", "k*", "{f}", "a%20b", "a/b", "é"] {
            guard let key = template.key(name[...]) else { continue }
            let whole = try #require(AddressTemplate("\(store)/\(name)"))
            #expect(key == whole && key.constant == whole.constant, "\(store) \(name)")
        }
        #expect(
            (template.key("key") != nil)
                == [
                    "defaults://com.acme", "defaults://{a}", "defaults://com.{a}-{b}",
                    "keychain://{a}.x", "keychain://x",
                ].contains(store))
    }
}
