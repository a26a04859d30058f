import Foundation
import MigrationEngine
import Reports
import TestSupport
import Testing

@testable import Workspace

@Suite("Given facts")
struct GivenFactsTests {
    @Test(
        "A file of facts is a JSON object or lines of name=value",
        arguments: [
            #"{"now": 1725000000, "uptime": 12.50, "writeKey": "wk", "big": 1e3}"#,
            "# facts\n\nnow = 1725000000\r\n  uptime=12.50\nwriteKey=wk\nbig=1e3\n",
            "\u{FEFF}now=1725000000\nuptime=12.50\nwriteKey=wk\nbig=1e3",
        ])
    func files(text: String) throws {
        let facts = try GivenFacts.facts(Data(text.utf8), source: "f")
        #expect(facts.names.map { facts[$0]?.value } == ["1e3", "1725000000", "12.50", "wk"])
        #expect(facts["now"]?.source == "f")
    }

    @Test(
        "What is wrong with a file of facts is named with its place",
        arguments: [
            ("now=1\nuptime", .badLine("f", line: 2)), ("=1", .badLine("f", line: 1)),
            ("a b=1", .badLine("f", line: 1)),
            ("now=1\n\nnow=2", .duplicate("f", name: "now", line: 3)),
            (#"{"now": true}"#, .notTextOrNumber("f", name: "now")), ("[1]", .notTextOrNumber("f", name: nil)),
            (#"{"now": 1, "now": 2}"#, .duplicate("f", name: "now", line: nil)),
        ] as [(String, FactProblem)])
    func problems(text: String, problem: FactProblem) {
        let error = #expect(throws: WorkspaceError.fact(problem)) {
            try GivenFacts.facts(Data(text.utf8), source: "f")
        }
        #expect(error?.exitCode == 64)
    }

    @Test("Broken JSON is named with its line, and bytes that are no text as such")
    func malformed() {
        let error = #expect(throws: WorkspaceError.self) {
            try GivenFacts.facts(Data("{\n\"now\": }".utf8), source: "f")
        }
        #expect(error?.description.contains("line 2") == true)
        #expect(throws: WorkspaceError.fact(.malformed("f", reason: "it is not UTF-8"))) {
            try GivenFacts.facts(Data([0x61, 0xFF]), source: "f")
        }
    }

    @Test("A file that is not there, or no file, is named")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        for path in ["missing", "."] {
            #expect(throws: WorkspaceError.self) { try GivenFacts.file(folder(path)) }
        }
        try folder.write("facts", Data("now=1".utf8))
        #expect(try GivenFacts.file(folder("facts"))["now"] == Fact("1", from: "facts"))
    }

    @Test("Arguments are NAME=VALUE; a value may hold anything, and a name may come once")
    func arguments() throws {
        let facts = try GivenFacts.arguments(["now=1", "text=a=b", "empty="])
        #expect(facts["now"] == Fact("1", from: "--fact"))
        #expect(throws: WorkspaceError.fact(.duplicate("--fact", name: "now", line: nil))) {
            try GivenFacts.arguments(["now=1", "text=a", "now=1"])
        }
        #expect(facts["text"]?.value == "a=b")
        #expect(facts["empty"]?.value == "")
        #expect(throws: WorkspaceError.fact(.notAnAssignment("now"))) { try GivenFacts.arguments(["now"]) }
    }

    @Test("A fact without the form that a migration asks for is a usage error with the form and an example")
    func forms() {
        let definition = FactDefinition("identifierForVendor", "…", form: .uuid, example: "1F2E-…")
        let facts = Facts(["identifierForVendor": Fact("no", from: "f")])
        let error = #expect(throws: WorkspaceError.fact(.badForm("no", source: "f", definition))) {
            try GivenFacts.checked(facts, against: [definition])
        }
        #expect(error?.description.contains("a UUID") == true)
        #expect(error?.description.contains("such as 1F2E-…") == true)
        let key = FactDefinition("writeKey", "…", form: .name, example: "2Fk8pQx")
        let refused = WorkspaceError.fact(.badForm("a/b", source: "--fact", key)).description
        #expect(refused.contains("such as 2Fk8pQx") && refused.contains("128 bytes"))
        #expect(Secrets.masked(text: refused) == refused, "its own words are no secrets")
    }

    private static let definitions = [
        FactDefinition(.now, "…", form: .moment, example: "1725000000"),
        FactDefinition(.uptime, "…", form: .seconds, example: "10000"),
    ]

    @Test(
        "A fact that nobody asks for is refused with the names that there are; what a dump's metadata tells may be given"
    )
    func unknown() throws {
        let facts = Facts(["uptim": Fact("3", from: "--fact")])
        let error = #expect(throws: WorkspaceError.self) { try GivenFacts.checked(facts, against: Self.definitions) }
        guard case .fact(.unknown("uptim", source: "--fact", let known)) = error else {
            Issue.record("\(String(describing: error))"); return
        }
        #expect(known.contains("uptime") && known.contains("bundleIdentifier"))
        #expect(error?.description.contains("uptime") == true)
        let metadata = Facts([.bundleIdentifier: Fact("com.acme", from: "--fact")])
        #expect(try GivenFacts.checked(metadata, against: Self.definitions) == metadata)
    }

    @Test(
        "A fact that is declared and not used is said to be unused; for a misspelt one the nearest is proposed that is used"
    )
    func unused() {
        let own = Declaring(
            facts: [FactDefinition("regionCode", "…", form: .name, example: "eu")], unusedFacts: ["region"])
        let other = Declaring(
            facts: Self.definitions + [FactDefinition("personLocation", "…", form: .name, example: "x")])
        func refusal(_ name: FactName) -> String {
            let facts = Facts([name: Fact("3", from: "--fact")])
            let error = #expect(throws: WorkspaceError.self) {
                try GivenFacts.checked(facts, of: [own, other], own: [own])
            }
            return error?.description ?? ""
        }
        #expect(refusal("region").contains("“region” (from --fact) is declared by own, but nothing there uses it"))
        #expect(!refusal("region").contains("Did you mean"))
        #expect(refusal("regionCod").hasSuffix("Did you mean regionCode?"))
        #expect(refusal("uptim").hasSuffix("Did you mean uptime?"))
        #expect(refusal("religion").contains("There are: "), "the beginning of another word is nothing like it")
    }

    private struct Declaring: Migration {
        let id = "own", title = "", summary = ""
        let profiles = [Profile(id: "one", summary: "")]
        var facts: [FactDefinition]
        var unusedFacts: [FactName] = []
        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    @Test(
        "A number of seconds is digits with or without decimals; a moment is that, or a date",
        arguments: [
            ("now", "1725012000", "1725012000"), ("now", "2024-08-30T10:00:00Z", "1725012000"),
            ("now", "2024-08-30 10:00", "1725012000"), ("now", "2024-08-30T10:00:00", "1725012000"),
            ("now", "2024-08-30T12:00:00+02:00", "1725012000"), ("now", "2024-08-30T10:00:00.500Z", "1725012000.5"),
            ("now", "0x10", nil), ("now", "yesterday", nil), ("now", "2024-08-30", "1724976000"), ("now", "inf", nil),
            ("now", "2024-08-3x", nil), ("now", "2024-13-01", nil),
            ("uptime", "12.5", "12.5"), ("uptime", "1e300", nil), ("uptime", "-1", nil), ("uptime", ".5", nil),
            ("uptime", "2024-08-30T10:00:00Z", nil), ("uptime", "9999999999999999", nil), ("uptime", "", nil),
            // What stands between the day and the time is a T or a blank.
            ("now", "2024-08-30+10:00", nil), ("now", "2024-08-30-10:00", nil), ("now", "2024-08-30x10:00", nil),
            ("now", "2024-08-30T", nil), ("now", "2024-08-30 +02:00", nil), ("now", "2024-08-30T25:00", nil),
            ("now", "2024-08-30T10:00Z", "1725012000"), ("now", "2024-08-30T10:00:00.5", "1725012000.5"),
            ("now", "2024-08-30T12:00+02:00", "1725012000"), ("now", "2024-08-30 12:00 +0200", "1725012000"),
            ("now", "2024-08-30 12:00+02", "1725012000"), ("now", "2024-08-30 10:00 UTC", "1725012000"),
            ("now", "2024-08-30t10:00:00z", "1725012000"), ("now", "2024-08-30 10:00 CEST", nil),
            // A day without its hyphens could be a number of seconds too.
            ("now", "20240830", nil), ("now", "20241399", "20241399"),
            // By their distance from a date, and by the clock of whoever gives them.
            ("now", "3h after 2024-08-30 10:00", "1725022800"),
            ("now", "2 days before 2024-08-30T10:00Z", "1724839200"),
            ("now", "now", "1725020000"), ("now", "20 min ago", "1725018800"), ("now", "NOW", "1725020000"),
            ("now", "1 hour, 20 min and 5s before now", "1725015195"), ("now", "0.5s after 1725012000", "1725012000.5"),
            ("now", "3h", nil), ("now", "3h after", nil), ("now", "3 after now", nil), ("now", "3h after soon", nil),
            ("now", "99999999 weeks after now", nil), ("now", "99 years before now", nil),
            ("now", "3000 weeks before 1970-01-02", nil),
            ("uptime", "3h", "10800"), ("uptime", "1 day 4 h", "100800"), ("uptime", "1.5h", "5400"),
            ("uptime", "3h3", nil), ("uptime", "3 moons", nil), ("uptime", "h", nil),
            ("uptime", "999999999999 weeks", nil),
        ] as [(String, String, String?)])
    func numbers(name: String, text: String, value: String?) {
        let facts = Facts([FactName(rawValue: name): Fact(text, from: "--fact")])
        let clock = Date(timeIntervalSince1970: 1_725_020_000)
        let checked = try? GivenFacts.checked(facts, against: Self.definitions, clock: clock)
        #expect(checked?[FactName(rawValue: name)]?.value == value)
    }

    @Test("What is shown of a time is what a person may write for it")
    func words() {
        for definition in Self.definitions where [.now, .uptime].contains(definition.name) {
            for seconds in [0, 59, 60, 10_800, 12_345, 1_000_000, 1_725_012_000] {
                let words = definition.words(for: "\(seconds)")
                #expect(words != "\(seconds)" && definition.name.words(for: "\(seconds)") == words)
                #expect(definition.reading(of: words) == .value("\(seconds)"), "\(words)")
            }
        }
        #expect(FactName.uptime.words(for: "100800") == "1d 4h" && FactName.uptime.words(for: "1.5") == "1.5")
    }

    @Test(
        "A time that counts from the dump's, or from the fact now, is told once the dump is open, and its source says how",
        arguments: [
            (["now": "3h after the dump"], "now", "1725010798"), (["now": "2 days before dump"], "now", "1724827198"),
            (["now": "the dump"], "now", "1724999998"),
            // The fact now is assumed to be the dump's.
            (["uptime": "since 2024-08-30 04:00"], "uptime", "9598"),
            (["uptime": "rebooted at 2024-08-30T04:00Z"], "uptime", "9598"),
            (["uptime": "since 1h before the dump", "now": "2h after the dump"], "uptime", "10800"),
        ])
    func told(given: [String: String], name: String, value: String) throws {
        var facts = Facts()
        for (name, text) in given { facts[FactName(rawValue: name)] = Fact(text, from: "--fact") }
        let name = FactName(rawValue: name)
        let checked = try GivenFacts.checked(facts, against: Self.definitions)
        let dump = Facts([.downloadDate: Fact("2024-08-30 06:39:58.515", from: .metadata("Info.plist"))])
        let told = try checked.told(by: dump)
        #expect(told[name] == Fact(value, from: .given("--fact: \(given[name.rawValue] ?? "")")))
        // Told once, it is told.
        #expect(try told.told(by: Facts()) == told)
        let error = #expect(throws: WorkspaceError.self) { try checked.told(by: Facts()) }
        #expect(error?.description.contains("cannot be told from") == true, "\(String(describing: error))")
    }

    @Test("A device that was rebooted after the new version started is refused")
    func backwards() throws {
        let facts = Facts([
            .uptime: Fact("since 2024-08-30", from: "--fact"), .now: Fact("2024-08-29", from: "--fact"),
        ])
        let checked = try GivenFacts.checked(facts, against: Self.definitions)
        let error = #expect(throws: WorkspaceError.self) { try checked.told(by: Facts()) }
        #expect(error?.description.contains("less than nothing") == true, "\(String(describing: error))")
    }

    @Test("Of two facts of a name the one from the better source counts, in whichever order they are joined")
    func order() {
        let sources: [FactSource] = [
            .given("--fact"), .ledger(entry: 3), .metadata("Info.plist"), .inferred("defaults://a/b"), .assumed("so"),
        ]
        for (index, better) in sources.enumerated() {
            for worse in sources[(index + 1)...] {
                let first = Facts(["f": Fact("1", from: better)]), second = Facts(["f": Fact("2", from: worse)])
                #expect(first.completed(by: second) == first)
                #expect(second.completed(by: first) == first)
            }
        }
        #expect(sources.map(\.isGuess) == [false, false, false, true, true])
    }
}
