import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("A spec as a migration")
struct SpecMigrationTests {
    static let app = "stores: {app: defaults://com.acme.notes, safe: keychain://com.acme.v3, doc: file://Documents}"

    @Test("What goes into the keychain is a secret where it stands, too, unless the row says that it is none")
    func secrets() throws {
        let rows = [
            ("to: {at: kc/tok, accessible: when-unlocked}", true), ("to: kc/tok, secret: false", false),
            ("to: app/b", false), ("to: app/b, secret: true", true),
        ]
        for (keys, isSecret) in rows {
            let spec = try Specs.spec(
                "- {id: r, from: app/tok, type: string, \(keys)}",
                "stores: {app: defaults://com.acme.notes, kc: keychain://com.acme.notes}")
            let secret = SpecMigration(spec).secretEntries(facts: Facts())
            #expect(try secret.contains(Address(parsing: "defaults://com.acme.notes/tok")) == isSecret, "\(keys)")
        }
    }

    @Test("A row takes from, as type, if, do, and puts to; rolled back, all is as before")
    func row() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: build, from: app/build, type: string, do: [number], to: app/build_number, source: remove}",
                Self.app),
            [("defaults://com.acme.notes/build", .string("417")), ("defaults://com.acme.notes/other", .integer(1))])
        let change = try #require(try tried.plan().steps.first?.changes.first)
        #expect(change.effect == .converted)
        #expect(change.rule.hasPrefix("the text as an integer"))
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/build_number"] == .integer(417))
        #expect(tried["defaults://com.acme.notes/build"] == nil)
        #expect(try tried.outcome("build")?.kind == .unchanged)
        try tried.rollback()
        #expect(tried["defaults://com.acme.notes/build"] == .string("417"))
        #expect(tried["defaults://com.acme.notes/build_number"] == nil)
    }

    @Test(
        "What keeps a row from being taken has the outcome and the code of the language",
        arguments: [
            ("type: string", Value.integer(5), Outcome.Kind.failed, "wrong-type"),
            ("type: string, do: [number]", .string("x"), .failed, "not-a-number"),
            ("type: string, do: [number], error: skip", .string("x"), .skipped, "not-a-number"),
            ("type: string, do: [number], error: {not-a-number: skip}", .string("x"), .skipped, "not-a-number"),
            ("type: string, do: [number], error: {wrong-type: skip}", .string("x"), .failed, "not-a-number"),
            ("type: number, if: value is above 5", .integer(5), .skipped, "condition-not-met"),
            ("type: number, check: value is at most 4", .integer(5), .failed, "check-failed"),
            ("type: string, empty: skip", .string(""), .skipped, "empty"),
            ("type: json dictionary", .string("{"), .failed, "not-json"),
            ("type: keyed-archive bool", .data(Data([1])), .failed, "not-keyed-archive"),
            ("if: other/nothing exists", .integer(5), .skipped, "condition-not-met"),
            ("if: fact/uptime is above 1", .integer(5), .blocked, "missing-fact"),
            ("do: [{time: {from: seconds, to: uptime-seconds}}]", .integer(5), .blocked, "missing-fact"),
        ])
    func stops(keys: String, value: Value, kind: Outcome.Kind, code: String) throws {
        let spec = try Specs.spec(
            "- {id: row, from: app/a, to: app/b, \(keys)}",
            "stores: {app: defaults://com.acme.notes, other: defaults://other}")
        let tried = try Tried(spec, [("defaults://com.acme.notes/a", value)])
        let outcome = try #require(try tried.outcome("row"))
        #expect(outcome.kind == kind, "\(outcome)")
        #expect(outcome.reason?.code == code, "\(outcome)")
    }

    @Test("Of an archive of an app's own class it is said what it holds, and how a field of it is read")
    func ownClass() throws {
        let archive = try BinaryPropertyList.write(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .uid(1))])),
                (
                    "$objects",
                    .array([
                        .string("$null"), .dictionary([("volume", .integer(3)), ("$class", .uid(2))]),
                        .dictionary([("$classname", .string("Profile"))]),
                    ])
                ),
            ]))
        func tried(_ row: String) throws -> Tried {
            let spec = try Specs.spec("- {id: row, \(row), to: app/b}", "stores: {app: defaults://com.acme.notes}")
            return try Tried(spec, [("defaults://com.acme.notes/a", .data(archive))])
        }
        let reason = try tried("from: app/a, type: keyed-archive dictionary").outcome("row")?.reason
        #expect(reason?.code == "wrong-type")
        let field = "defaults://com.acme.notes/a#/volume"
        #expect(
            reason?.sentence.hasSuffix(
                "is data that holds an instance of Profile, where a dictionary in the form of keyed-archive belongs; each "
                    + "field of it can be read by itself, as \(field)") == true, "\(reason?.sentence ?? "")")
        let read = try tried("from: \"\(field)\"").plan().steps.first?.changes.first
        #expect(read?.after == .integer(3))
    }

    @Test(
        "A target that is there is in conflict, kept, overwritten, or the larger one counts",
        arguments: [
            ("conflict", 5, Outcome.Kind.conflict, 3), ("keep", 5, .skipped, 3), ("overwrite", 5, .migrates, 5),
            ("larger", 5, .migrates, 5), ("larger", 2, .skipped, 3), ("conflict", 3, .unchanged, 3),
        ])
    func existing(policy: String, new: Int, kind: Outcome.Kind, result: Int) throws {
        var tried = try Tried(
            Specs.spec("- {id: row, from: app/a, to: app/b, exists: \(policy)}", Self.app),
            [("defaults://com.acme.notes/a", .integer(Int128(new))), ("defaults://com.acme.notes/b", .integer(3))])
        #expect(try tried.outcome("row")?.kind == kind)
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/b"] == .integer(Int128(result)))
    }

    @Test("JSON and property lists that are there are compared by value")
    func byValue() throws {
        let tried = try Tried(
            Specs.spec("- {id: row, from: app/a, type: dictionary, do: [{encode: json}], to: app/b}", Self.app),
            [
                ("defaults://com.acme.notes/a", .dictionary([("x", .integer(1)), ("y", .integer(2))])),
                ("defaults://com.acme.notes/b", .string(#"{ "y": 2, "x": 1 }"#)),
            ])
        #expect(try tried.outcome("row")?.kind == .unchanged)
    }

    @Test("Of a list the first that is there is taken; what is locked is never passed over")
    func first() throws {
        let spec = try Specs.spec("- {id: row, from: [safe/a, app/a], type: text, to: app/b}", Self.app)
        var tried = try Tried(spec, [("defaults://com.acme.notes/a", .string("x"))])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/b"] == .string("x"))
        let locked = LockedKeychain(base: tried.session.stores)
        let session = try MigrationSession(stores: locked, ledger: MemoryLedger())
        let plan = session.plan(tried.migration, profile: tried.migration.profiles[0], facts: tried.facts)
        #expect(plan.steps[0].outcome.kind == .blocked)
        #expect(plan.steps[0].outcome.reason?.code == "unreadable-locked")
    }

    /// Stores with a keychain that cannot be read.
    struct LockedKeychain: StoreReader {
        let base: any StoreReader
        var stores: [StoreID] { base.stores }
        func problem(with store: StoreID) -> Unreadable? {
            store.kind == .keychain ? Unreadable(.locked, "the keychain is locked") : base.problem(with: store)
        }
        func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
        func state(of key: Name, in store: StoreID) -> EntryState {
            problem(with: store).map(EntryState.unreadable) ?? base.state(of: key, in: store)
        }
    }

    @Test("ignore takes a value that is empty, zero, negative or damaged for none")
    func ignored() throws {
        let spec = try Specs.spec(
            "- {id: row, from: [{at: app/a, ignore: [empty, zero, negative, damaged]}, app/b], type: integer, to: app/c}",
            Self.app)
        for value in [Value.string(""), .integer(0), .integer(-1), .string("damaged")] {
            var tried = try Tried(
                spec, [("defaults://com.acme.notes/a", value), ("defaults://com.acme.notes/b", .integer(7))])
            try tried.applyAll()
            #expect(tried["defaults://com.acme.notes/c"] == .integer(7), "\(value)")
        }
    }

    @Test("A mapping takes all of them, and misses none but the optional")
    func mapping() throws {
        let spec = try Specs.spec(
            "- {id: row, from: {w: app/w, h: app/h}, optional: [h], type: integer, do: [{encode: json}], to: app/size}",
            Self.app)
        var tried = try Tried(spec, [("defaults://com.acme.notes/w", .integer(4))])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/size"] == .string(#"{"w":4}"#))
        let other = try Tried(spec, [("defaults://com.acme.notes/h", .integer(4))])
        #expect(try other.outcome("row")?.reason?.code == "absent")
    }

    @Test("One of several targets that keeps what it has does not keep the others from theirs")
    func keptPart() throws {
        let spec = try Specs.spec(
            """
            - {id: row, from: app/n, type: string, do: [{split: {at: " ", into: [a, b]}}], to: {a: app/a, b: app/b}, exists: keep, source: remove}
            """, Self.app)
        var tried = try Tried(
            spec, [("defaults://com.acme.notes/n", .string("x z")), ("defaults://com.acme.notes/b", .string("old"))])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/a"] == .string("x"))
        #expect(tried["defaults://com.acme.notes/b"] == .string("old"))
        #expect(tried["defaults://com.acme.notes/n"] == .string("x z"), "it has not arrived as a whole")
    }

    @Test("A row with * is one step with a change for each match, in the target under the same name")
    func wildcard() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: row, from: app/feature.*, type: flag, to: app/features.*, except: app/feature.old, source: remove}",
                Self.app),
            [
                ("defaults://com.acme.notes/feature.a", .integer(1)),
                ("defaults://com.acme.notes/feature.b", .bool(false)),
                ("defaults://com.acme.notes/feature.old", .bool(true)),
                ("defaults://com.acme.notes/feature.", .bool(true)),
            ])
        #expect(try tried.plan().steps[0].changes.count == 4)
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/features.a"] == .bool(true))
        #expect(tried["defaults://com.acme.notes/features.b"] == .bool(false))
        #expect(tried["defaults://com.acme.notes/feature.old"] == .bool(true))
        #expect(tried["defaults://com.acme.notes/feature.a"] == nil)
    }

    @Test("A row that goes to the keychain makes an item with what the spec says of it; a file holds the text's bytes")
    func kinds() throws {
        var tried = try Tried(
            Specs.spec(
                """
                - {id: token, from: app/token, type: string, to: {at: safe/token, accessible: after-first-unlock, device-only: true}}
                - {id: note, from: app/note, type: string, to: doc/note.txt}
                - {id: back, from: safe/token, type: text, to: app/again}
                """, Self.app),
            [("defaults://com.acme.notes/token", .string("t0k")), ("defaults://com.acme.notes/note", .string("hi"))])
        #expect(try tried.plan().steps[0].changes[0].effect == .carried)
        try tried.applyAll()
        #expect(
            tried["keychain://com.acme.v3/token"]
                == KeychainItem(text: "t0k", attributes: ["pdmn": .string("cku")]).value)
        #expect(tried["file://Documents/note.txt"] == .data(Data("hi".utf8)))
        #expect(tried["defaults://com.acme.notes/again"] == .string("t0k"))
    }

    @Test("A field of JSON is read, written and removed by its pointer; the rest of the text stays byte for byte")
    func fields() throws {
        var tried = try Tried(
            Specs.spec("- {id: row, from: app/doc#/a, to: app/other#/b, source: remove}", Self.app),
            [
                ("defaults://com.acme.notes/doc", .string(#"{ "a" : 5,  "z": 1.50 }"#)),
                ("defaults://com.acme.notes/other", .string(#"{"y":  1e2}"#)),
            ])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/other"]?.string?.contains("1e2") == true)
        #expect(tried["defaults://com.acme.notes/other#/b"] == .integer(5))
        #expect(tried["defaults://com.acme.notes/doc"]?.string?.contains("1.50") == true)
        #expect(tried["defaults://com.acme.notes/doc#/a"] == nil)
        try tried.rollback()
        #expect(tried["defaults://com.acme.notes/doc"] == .string(#"{ "a" : 5,  "z": 1.50 }"#))
    }

    @Test("A removal waits for its readers, and what did not arrive stays unless the spec removes it too")
    func removal() throws {
        func spec(_ keys: String) throws -> Spec {
            try Specs.spec(
                """
                - {id: one, from: app/a, type: string, to: app/x}
                - {id: two, from: app/b, type: string, to: app/y}
                - {id: clean, remove: every source\(keys)}
                """, Self.app)
        }
        let entries: [(String, Value)] = [
            ("defaults://com.acme.notes/a", .string("1")), ("defaults://com.acme.notes/b", .integer(2)),
        ]
        var tried = try Tried(spec(""), entries)
        try tried.session.apply(
            .steps(["clean"]), of: tried.migration, profile: tried.migration.profiles[0], facts: tried.facts,
            stamp: Tried.stamp)
        #expect(tried["defaults://com.acme.notes/a"] == .string("1"), "it waits")
        #expect(try tried.outcome("two")?.kind == .failed)
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/a"] == nil)
        #expect(tried["defaults://com.acme.notes/b"] == .integer(2), "it did not arrive")
        var other = try Tried(spec(", unmigrated: remove"), entries)
        let changes = try other.plan().steps[2].changes
        #expect(changes.map(\.effect) == [.carried, .dropped])
        #expect(changes[1].notes.contains { $0.contains("would be lost") })
        try other.applyAll()
        #expect(other["defaults://com.acme.notes/b"] == nil)
    }

    @Test("What an operation drops is told as dropped, unless another row reads it")
    func dropped() throws {
        let tried = try Tried(
            Specs.spec(
                """
                - {id: user, from: app/traits#/userId, type: string, to: app/user}
                - {id: traits, from: app/traits, type: json dictionary, do: [{remove: [userId, id, none]}, {encode: json}], to: app/new}
                """, Self.app),
            [("defaults://com.acme.notes/traits", .string(#"{"userId":"u","id":"i","mail":"m"}"#))])
        let change = try #require(try tried.plan().steps[1].changes.first)
        #expect(change.dropped.map(\.description) == ["defaults://com.acme.notes/traits#/id"])
    }

    @Test("A requirement that is not met skips every step, judged on what was there before the first")
    func requirements() throws {
        let spec = try Specs.spec(
            "- {id: one, from: app/a, to: new/a}\n- {id: two, from: app/b, to: new/b}",
            "stores: {app: defaults://com.acme.notes, new: defaults://new}\nrequires: [{test: store new is empty, say: it is used}]"
        )
        var tried = try Tried(
            spec, [("defaults://com.acme.notes/a", .integer(1)), ("defaults://com.acme.notes/b", .integer(2))])
        try tried.session.apply(
            .steps(["one"]), of: tried.migration, profile: tried.migration.profiles[0], facts: tried.facts,
            stamp: Tried.stamp)
        #expect(try tried.outcome("two")?.kind == .migrates)
        let other = try Tried(spec, [("defaults://com.acme.notes/a", .integer(1)), ("defaults://new/x", .integer(1))])
        #expect(try other.outcome("one")?.reason?.sentence == "it is used")
    }

    @Test("Facts are inferred where exactly one name fits, assumed, and computed")
    func facts() throws {
        let spec = try Specs.spec(
            "- {id: row, from: app/a, to: \"defaults://com.acme.{key}/{lang}\"}",
            """
            stores: {app: defaults://com.acme.notes}
            facts:
              key: {type: name, infer: \"defaults://com.acme.new.*\"}
              lang: {type: name, from: fact/locale, do: [{split: {at: \"_\", into: [lang, rest], missing: \"\"}}, {pick: lang}]}
            """)
        let entries: [(String, Value)] = [
            ("defaults://com.acme.notes/a", .integer(1)), ("defaults://com.acme.new.k1/x", .integer(1)),
        ]
        var tried = try Tried(spec, entries, facts: [.locale: "ar_EG"])
        #expect(try tried.plan().guesses == ["key"])
        try tried.applyAll()
        #expect(tried["defaults://com.acme.k1/ar"] == .integer(1))
        let rival = try Tried(
            spec, entries + [("defaults://com.acme.new.k2/x", .integer(1))], facts: [.locale: "ar_EG"])
        #expect(try rival.outcome("row")?.kind == .blocked)
        #expect(try rival.outcome("row")?.reason?.missingFacts == ["key"])
    }

    @Test("What a star fits is the step's own also while a fact is missing, and nothing that no step touches")
    func starWithoutFact() throws {
        let entries = (1...4).map {
            ("defaults://com.acme.notes/\($0 < 4 ? "old." : "")k\($0)", Value.integer(Int128($0)))
        }
        for type in ["name", "integer"] {
            let spec = try Specs.spec(
                "- {id: row, from: app/old.*, to: \"app/{key}.*\", source: remove}",
                "stores: {app: defaults://com.acme.notes}\nfacts: {key: {type: \(type)}}")
            let waiting = try Tried(spec, entries).plan(), given = try Tried(spec, entries, facts: ["key": "7"]).plan()
            #expect(waiting.steps.first?.outcome.reason?.code == "missing-fact")
            #expect(waiting.untouched == 1 && given.untouched == 1)
        }
    }

    @Test("after: a step waits for what could still be done before it")
    func after() throws {
        var tried = try Tried(
            Specs.spec("- {id: one, from: app/a, to: app/x}\n- {id: two, value: 2, to: app/y, after: one}", Self.app),
            [("defaults://com.acme.notes/a", .integer(1))])
        try tried.session.apply(
            .steps(["two"]), of: tried.migration, profile: tried.migration.profiles[0], facts: tried.facts,
            stamp: Tried.stamp)
        #expect(tried["defaults://com.acme.notes/y"] == nil)
        try tried.applyAll()
        #expect(tried["defaults://com.acme.notes/y"] == .integer(2))
    }

    @Test("aside: a source that cannot be read moves to a name beside it")
    func aside() throws {
        var tried = try Tried(
            Specs.spec("- {id: check, from: doc/config-*.json, type: json dictionary, error: aside}", Self.app),
            [
                ("file://Documents/config-a.json", .data(Data("{".utf8))),
                ("file://Documents/config-b.json", .data(Data("{}".utf8))),
            ])
        try tried.applyAll()
        #expect(tried["file://Documents/config-a.json.corrupt"] == .data(Data("{".utf8)))
        #expect(tried["file://Documents/config-a.json"] == nil)
        #expect(tried["file://Documents/config-b.json"] == .data(Data("{}".utf8)))
    }

    @Test("A document goes from version to version, with the bytes that no operation names as they were")
    func document() throws {
        var tried = try Tried(
            Specs.example("acme-notes.yaml"),
            [
                (
                    "file://Documents/notebook.json",
                    .data(
                        Data(
                            #"{ "schemaVersion" : 1, "notes":[{"body":"hi","changed":"2024-08-30T06:40:00Z","color":"red"}], "n": 1.50 }"#
                                .utf8))
                )
            ])
        let step = try #require(try tried.plan().steps.first { $0.id == "notebook-1-2" })
        #expect(step.outcome.kind == .migrates, "\(step.outcome)")
        #expect(step.changes.first?.placeholders.map(\.description).sorted() == ["/notes/0/tags", "/owner"])
        try tried.applyAll()
        let after = try #require(
            tried["file://Documents/notebook.json"]?.data.map { String(decoding: $0, as: UTF8.self) })
        #expect(after.contains(#""n": 1.50"#))
        #expect(tried["file://Documents/notebook.json#/notes/0/style/color"] == .string("red"))
        #expect(tried["file://Documents/notebook.json#/notes/0/changed"] == .integer(1_725_000_000))
        #expect(tried["file://Documents/notebook.json#/schemaVersion"] == .integer(2))
    }

    @Test(
        "A step for each row: applied one by one and all at once come to the same, on random entries", arguments: 0..<20
    )
    func law(round: Int) throws {
        let seed = UInt64(round) &* 104_729
        var generator = SeededGenerator(seed: seed)
        let spec = try Specs.example("acme-notes.yaml")
        let keys = [
            "Theme", "sortOrder", "fullName", "windowWidth", "windowHeight", "lastOpened", "token", "legacyToken",
            "feature.a",
            "feature.b", "theme", "sort_order", "firstName", "lastOpenedMs",
        ]
        let entries: [(String, Value)] = keys.shuffled(using: &generator).prefix(8).map { key in
            let value: Value =
                Bool.random(using: &generator)
                ? .string(["title", "Ada King", "", "x y z"].randomElement(using: &generator) ?? "")
                : OperationLawTests.value(&generator)
            return ("defaults://com.acme.notes/\(key)", value)
        }
        var all = try Tried(spec, entries), single = try Tried(spec, entries)
        let before = all.session.overlay
        try all.applyAll()
        for step in try single.plan().steps {
            try single.session.apply(
                .steps([step.id]), of: single.migration, profile: single.migration.profiles[0], facts: single.facts,
                stamp: Tried.stamp)
        }
        for store in all.session.overlay.stores + single.session.overlay.stores {
            for key in keys.map({ Name($0) }) + all.session.overlay.keys(in: store).names {
                #expect(
                    all.session.overlay.state(of: key, in: store) == single.session.overlay.state(of: key, in: store),
                    "seed \(seed): \(key)")
            }
        }
        #expect(try all.plan().pending.isEmpty, "seed \(seed)")
        try all.rollback()
        for store in before.stores {
            #expect(
                all.session.overlay.keys(in: store).names.sorted() == before.keys(in: store).names.sorted(),
                "seed \(seed)")
            for key in before.keys(in: store).names {
                #expect(
                    all.session.overlay.state(of: key, in: store) == before.state(of: key, in: store), "seed \(seed)")
            }
        }
    }

    @Test("Whether a spec applies: for its apps, where it finds what it reads or what it writes")
    func applies() throws {
        let spec = try Specs.spec(
            "- {id: row, from: \"defaults://{bundleIdentifier}/a\", to: new/a}",
            "apps: [com.acme.*]\nstores: {new: defaults://new}")
        func applies(_ entries: [(String, Value)], _ bundle: String) throws -> Bool {
            let tried = try Tried(spec, entries, facts: [.bundleIdentifier: bundle])
            return tried.migration.applies(to: tried.session.stores, facts: tried.facts)
        }
        #expect(try applies([("defaults://com.acme.notes/a", .integer(1))], "com.acme.notes"))
        #expect(try !applies([("defaults://com.acme.notes/b", .integer(1))], "com.acme.notes"))
        #expect(try applies([("defaults://new/z", .integer(1))], "com.acme.notes"))
        #expect(try !applies([("defaults://org.other/a", .integer(1))], "org.other"))
    }

    @Test("An expectation that expects nothing has failed, as has one whose given entry cannot be named")
    func emptyExpectations() throws {
        func failures(_ expectation: String) throws -> [String] {
            let spec = try Specs.spec(
                "- {id: a, from: 'defaults://c.{who}/a', to: defaults://c.b/b}\nexpect: [\(expectation)]",
                "facts: {who: {type: name, about: x, infer: defaults://c.z/who}}")
            return SpecTrial(try #require(spec.expectations.first), of: spec).failures.map(\.sentence)
        }
        #expect(try failures("{name: x}").first?.contains("expects nothing") == true)
        #expect(try failures("{name: x, facts: {who: me}, outcomes: {a: skipped}}") == [])
        let unnamed = try failures("{name: x, given: {'defaults://c.{who}/a': 1}, gives: {defaults://c.b/b: absent}}")
        #expect(unnamed.count == 1 && unnamed[0].contains("who"), "\(unnamed)")
    }

    @Test("What an expectation begins with may be a dump; an entry of it that cannot be read is not absent")
    func fixtureExpectations() throws {
        let spec = try Specs.spec(
            "- {id: a, from: defaults://c.a/a, to: defaults://c.a/b}\nexpect:\n"
                + "- {name: x, fixture: one, gives: {defaults://c.a/b: 5}}\n"
                + "- {name: two, fixture: two, gives: {keychain://c.a/k: absent}}")
        let stores = MemoryStores([(.defaults("c.a"), ["a": .integer(5)])])
        #expect(SpecTrial(spec.expectations[0], of: spec, on: (stores, Facts())).failures.isEmpty)
        #expect(SpecTrial(spec.expectations[0], of: spec).failures.map(\.sentence) == ["its fixture was not opened"])
        let locked = SpecTrial(spec.expectations[1], of: spec, on: (ClosedKeychain(), Facts())).failures.map(\.sentence)
        #expect(locked.count == 1 && locked[0].contains("cannot be read"), "\(locked)")
    }

    @Test("Nothing is nothing in whatever format: a result that is empty is skipped where the row says so")
    func emptyResults() throws {
        let spec = try Specs.spec(
            "- {id: a, from: defaults://c.a/a, type: dictionary, do: [{remove: [x]}, {encode: json}], empty: skip, "
                + "to: defaults://c.a/b}")
        func outcome(_ members: Members) throws -> Outcome? {
            try Tried(spec, [("defaults://c.a/a", .dictionary(members))]).outcome("a")
        }
        #expect(try outcome(["x": .integer(1)])?.reason?.code == "empty")
        #expect(try outcome(["x": .integer(1), "y": .integer(2)])?.kind == .migrates)
    }

    @Test("A flag that is stored as a number is converted, one that is a Boolean is carried")
    func flagEffect() throws {
        let spec = try Specs.spec("- {id: a, from: defaults://c.a/a, type: flag, to: defaults://c.a/b}")
        for (value, effect) in [(Value.bool(true), ValueEffect.carried), (.integer(1), .converted)] {
            let plan = try Tried(spec, [("defaults://c.a/a", value)]).plan()
            #expect(plan.steps[0].changes.map(\.effect) == [effect], "\(value)")
        }
    }
}

/// Stores whose keychain is locked.
private struct ClosedKeychain: StoreReader {
    let stores: [StoreID] = []
    private let reason = Unreadable(.locked, "it is locked")
    func problem(with store: StoreID) -> Unreadable? { store.kind == .keychain ? reason : nil }
    func keys(in store: StoreID) -> any KeyList { Keys() }
    func state(of key: Name, in store: StoreID) -> EntryState {
        store.kind == .keychain ? .unreadable(reason) : .absent
    }
}
