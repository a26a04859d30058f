import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("What of values is lost")
struct LostPartsTests {
    private static let head = "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new}"
    private static func key(_ name: String) -> String { "defaults://com.acme.notes/\(name)" }

    private static let window = Value.dictionary([
        "w": .integer(100), "h": .integer(200), "pos": .dictionary(["x": .integer(1)]),
    ])

    private func tried(_ steps: String) throws -> Tried {
        try Tried(
            Specs.spec(steps, Self.head),
            [
                (Self.key("window"), Self.window), (Self.key("count"), .integer(7)), (Self.key("old"), .string("one")),
                (Self.key("new"), .string("two")), (Self.key("doc"), .string(#"{"age":"x","mail":"m","name":"n"}"#)),
            ])
    }

    private func dropped(_ step: String, in tried: Tried) throws -> [String] {
        let changes = try tried.plan().steps.first { $0.id == step }?.changes ?? []
        return changes.flatMap(\.dropped).map { "\($0)".replacing("defaults://com.acme.notes/", with: "") }.sorted()
    }

    // MARK: Parts that other rows read

    private static let win =
        "- {id: win, from: app/window, type: dictionary, do: [{pick: pos}], to: o/pos, source: remove}"

    @Test(
        "A part that is dropped is told whatever other row names it, unless that row has really put it elsewhere",
        arguments: [
            ("- {id: w, from: app/window#/w, type: integer, to: o/w}\n\(win)", ["window#/h"]),
            ("- {id: w, from: app/window#/w, type: integer}\n\(win)", ["window#/h", "window#/w"]),
            (
                "- {id: w, from: app/window#/w, type: integer, if: [value is above 1000], to: o/w}\n\(win)",
                ["window#/h", "window#/w"]
            ),
            ("- {id: w, from: app/window#/w, type: string, to: o/w}\n\(win)", ["window#/h", "window#/w"]),
            (
                "- {id: w, from: [app/count, app/window#/w], type: integer, to: o/w}\n\(win)",
                ["window#/h", "window#/w"]
            ),
            (
                "- {id: w, from: app/window#/w, type: integer, to: app/count, exists: keep}\n\(win)",
                ["window#/h", "window#/w"]
            ),
            ("\(win)\n- {id: w, from: app/window#/w, type: integer, to: o/w}", ["window#/h", "window#/w"]),
            (
                "\(win.replacing(", source: remove", with: ""))\n- {id: w, from: app/window#/w, type: integer, to: o/w}",
                ["window#/h"]
            ),
            (
                "\(win.replacing(", source: remove", with: ""))\n- {id: w, from: app/window#/w, if: [value is 1], to: o/w}",
                ["window#/h", "window#/w"]
            ),
            ("- {id: w, from: app/window#/w, to: app/window#/width}\n\(win)", ["window#/h", "window#/width"]),
            // The whole was put elsewhere first, also under other names, as text or as members.
            ("- {id: all, from: app/window, to: o/all}\n\(win)", []),
            ("- {id: all, from: app/window, type: dictionary, do: [{encode: json}], to: o/all}\n\(win)", []),
            ("- {id: all, from: app/window, type: dictionary, do: [{rename: {w: a, h: b}}], to: o/all}\n\(win)", []),
            (
                "- {id: all, from: app/window, type: dictionary, do: [{rename: {w: a}}, {remove: [a]}], to: o/all}\n\(win)",
                ["window#/w"]
            ),
            ("- {id: m, from: app/window, type: dictionary, to: {w: o/w, h: o/h}}\n\(win)", []),
            (
                "- {id: m, from: app/window, type: dictionary, to: {w: o/w, h: {at: app/count}}, exists: keep}\n\(win)",
                ["window#/h"]
            ),
            (
                "- {id: p1, from: app/window, type: dictionary, do: [{pick: w}], to: o/w}\n"
                    + "- {id: p2, from: app/window, type: dictionary, do: [{pick: h}], to: o/h}\n\(win)", []
            ),
            (
                "- {id: s, from: app/window, type: dictionary, do: [{pick: pos}], to: o/s}\n\(win)",
                ["window#/h", "window#/w"]
            ),
            // Something else stands there since.
            (
                "- {id: all, from: app/window, to: o/all}\n"
                    + "- {id: x, from: app/count, to: app/window#/w, exists: overwrite}\n\(win)",
                ["window#/w"]
            ),
        ] as [(String, [String])])
    func parts(steps: String, lost: [String]) throws {
        var tried = try tried(steps)
        #expect(try dropped("win", in: tried) == lost)
        let applied = try tried.applyAll().first { $0.step.id == "win" }
        let recorded = applied?.entry?.changes.flatMap(\.dropped) ?? []
        #expect(recorded.count == lost.count, "what is applied says what the plan has said: \(recorded)")
    }

    @Test(
        "What has no place in a text is dropped by its address, unless another row takes it or its source is kept",
        arguments: [
            ("", "from: {a: app/old, b: app/new}, do: [{fill: \"{a}\"}], to: o/x, source: remove", ["new"]),
            ("", "from: {a: app/old, b: app/new}, do: [{fill: \"{a} {b}\"}], to: o/x, source: remove", []),
            ("", "from: {a: app/old, b: app/new}, do: [{fill: \"{a}\"}], to: o/x", []),
            ("", "from: {a: app/old, b: app/new}, do: [{pick: a}], to: o/x", []),
            (
                "- {id: k, from: app/new, to: o/k}\n",
                "from: {a: app/old, b: app/new}, do: [{fill: \"{a}\"}], to: o/x, source: remove", []
            ),
            ("", "from: app/doc, type: json dictionary, do: [{fill: \"{name}\"}], to: o/x", ["doc#/age", "doc#/mail"]),
            (
                "- {id: k, from: \"app/doc#/age\", to: o/k}\n",
                "from: app/doc, type: json dictionary, do: [{fill: \"{name}\"}], to: o/x, source: remove", ["doc#/mail"]
            ),
            ("", "from: [app/old, app/new], do: [{fill: \"x{value}\"}], to: o/x, source: remove", []),
        ] as [(String, String, [String])])
    func filled(row: String, fill: String, lost: [String]) throws {
        let tried = try tried(row + "- {id: f, \(fill)}")
        #expect(try dropped("f", in: tried) == lost)
        let plan = try tried.plan(), step = try #require(plan.steps.last)
        #expect(!step.changes.flatMap(\.notes).contains { $0.contains("is dropped") }, "\(step.changes)")
        #expect(plan.effects[.dropped] == lost.count, "\(plan.effects)")
    }

    @Test(
        "What is copied is dropped only where no copy of it stays",
        arguments: [
            ("{copy: {pos: p}}, {pick: p}", "to: o/x", ["window#/h", "window#/w"]),
            ("{copy: {pos: p}}, {pick: [p]}", "to: o/x", ["window#/h", "window#/w"]),
            ("{copy: {pos: p}}, {pick: w}", "to: o/x", ["window#/h", "window#/pos"]),
            ("{copy: {pos: p}}, {remove: [pos]}", "to: o/x", []),
            ("{copy: {pos: p}}, {remove: [p]}", "to: o/x", []),
            ("{copy: {pos: p}}, {remove: [pos, p]}", "to: o/x", ["window#/pos"]),
            ("{copy: {pos: p}}, {rename: {p: q}}, {remove: [pos]}", "to: o/x", []),
            ("{copy: {pos: p}}, {rename: {p: q}}, {remove: [pos, q]}", "to: o/x", ["window#/pos"]),
            ("{copy: {w: v}}", "to: {v: o/v, h: o/h, pos: o/pos}", []),
            ("{copy: {w: v}}", "to: {h: o/h, pos: o/pos}", ["window#/w"]),
        ] as [(String, String, [String])])
    func copies(operations: String, target: String, lost: [String]) throws {
        let tried = try tried(
            "- {id: c, from: app/window, type: dictionary, do: [\(operations)], \(target), source: remove}")
        #expect(try dropped("c", in: tried) == lost)
        let step = try #require(try tried.plan().steps.last)
        #expect(!step.changes.flatMap(\.notes).contains { $0.contains("is dropped") }, "\(step.changes)")
        #expect(step.effects[.dropped] == lost.count, "\(step.effects)")
    }

    @Test(
        "What a row reads and then overwrites, without a place for it in the result, is dropped",
        arguments: [
            ("from: {x: app/old, z: app/new}, type: string, do: [{pick: x}], to: app/new", ["new"]),
            ("from: {x: app/old, z: app/new}, do: [{fill: \"{x}\"}], to: app/new", ["new"]),
            ("from: {x: app/old, z: app/new}, do: [{remove: [z]}, {pick: x}], to: app/new", ["new"]),
            ("from: {x: app/old, z: app/new}, to: {x: app/new}", ["new"]),
            ("from: {x: app/old, z: app/new}, do: [{fill: \"{x} {z}\"}], to: app/new", []),
            ("from: {x: app/old, z: \"app/doc#/age\"}, do: [{pick: x}], to: \"app/doc#/age\"", ["doc#/age"]),
        ] as [(String, [String])])
    func ownSource(row: String, lost: [String]) throws {
        for keeping in ["", ", source: remove"] {
            let tried = try tried("- {id: c, \(row), exists: overwrite\(keeping)}")
            #expect(try dropped("c", in: tried) == lost, "\(keeping)")
        }
    }

    @Test(
        "What was lost with a target that is made already is told, though there is nothing to do",
        arguments: [
            ("from: app/window, type: dictionary, do: [{pick: [pos]}], to: o/made", ["window#/h", "window#/w"], nil),
            (
                "from: app/window, type: dictionary, do: [{pick: [pos]}], to: o/made, source: remove",
                ["window#/h", "window#/w"], ["window#/h", "window#/w"]
            ),
            ("from: app/window#/pos, do: [{wrap: pos}], to: o/made", [], nil),
            ("from: app/same, do: [{case: lower}]", [], nil),
        ] as [(String, [String], [String]?)])
    func foundMade(row: String, lost: [String], removed: [String]?) throws {
        var tried = try Tried(
            Specs.spec("- {id: f, \(row)}", Self.head),
            [
                (Self.key("window"), Self.window), (Self.key("same"), .string("x")),
                ("defaults://com.acme.new/made", .dictionary(["pos": .dictionary(["x": .integer(1)])])),
            ])
        func parts(_ changes: [Change]) -> [String] {
            changes.flatMap(\.dropped).map { "\($0)".replacing("defaults://com.acme.notes/", with: "") }.sorted()
        }
        let plan = try tried.plan(), step = try #require(plan.steps.first)
        #expect(step.outcome.kind == (removed == nil ? .unchanged : .migrates))
        #expect(parts(step.found) == lost && step.found.allSatisfy { $0.action == .found }, "\(step.found)")
        #expect(step.shownChanges.contains { $0.action == .found } == !lost.isEmpty)
        #expect(parts(step.changes) == removed ?? [], "\(step.changes)")
        // What is taken away then is told in the ledger with what is lost with it.
        let entry = try tried.applyAll().first?.entry
        #expect(entry.map { parts($0.changes) } == removed)
        // And what was found goes on being told.
        let after = try #require(try tried.plan().steps.first)
        #expect(after.found == step.found && after.foundLosses == step.foundLosses)
    }

    @Test("Of a ledger of an earlier version, which does not say what steps have found, that is found anew")
    func foundAnew() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: f, from: app/window, type: dictionary, do: [{pick: [pos]}], to: o/made, source: remove}",
                Self.head),
            [
                (Self.key("window"), Self.window),
                ("defaults://com.acme.new/made", .dictionary(["pos": .dictionary(["x": .integer(1)])])),
            ])
        try tried.applyAll()
        let step = try #require(try tried.plan().steps.first)
        let entries = tried.session.history.entries.map { entry in
            var entry = entry
            entry.found = []
            return entry
        }
        let plan = Plan(
            of: tried.migration, profile: try tried.migration.profile(named: nil), facts: tried.facts,
            stores: tried.session.stores, history: History(entries), check: {})
        #expect(!step.found.isEmpty && plan.steps.first?.status == .applied)
        #expect(plan.steps.first?.found.map(\.address) == step.found.map(\.address))
    }

    @Test(
        "What did not arrive, as its target keeps what it has or it has no place, no removal takes along",
        arguments: [
            "{id: r, from: app/window, type: dictionary, to: {w: app/count, h: o/h, pos: o/pos}, exists: keep}",
            "{id: r, from: {p: app/window, q: \"app/window#/w\"}, do: [{pick: p}, {remove: [w]}], to: o/n}",
        ])
    func notArrived(row: String) throws {
        for removal in ["every source", "[app/window]"] {
            let tried = try tried("- \(row)\n- {id: rm, remove: \(removal)}")
            let step = try #require(try tried.plan().steps.last)
            #expect(!step.changes.contains { $0.address.key == "window" && $0.after == nil }, "\(step.changes)")
            #expect("\(step.outcome)".contains("window#/w of it has not arrived"), "\(step.outcome)")
        }
    }

    @Test("That one of several targets keeps what it has is told with what goes to the others")
    func keptMember() throws {
        let tried = try tried(
            "- {id: r, from: app/window, type: dictionary, to: {w: app/count, h: o/h, pos: o/pos}, exists: keep}")
        let step = try #require(try tried.plan().steps.first)
        #expect(
            step.changes.flatMap(\.notes).contains { $0.contains("notes/count") && $0.contains("which is kept") },
            "\(step)")
    }

    @Test("What of a word, or of a meaning, was lost with a target that is made already is told with the removal")
    func foundWords() throws {
        var tried = try Tried(
            Specs.spec(
                "- {id: f, from: app/name, type: string, do: [{split: {at: ' ', into: [f, l]}}, {pick: f}], to: o/n, source: remove}",
                Self.head),
            [(Self.key("name"), .string("Ada King")), ("defaults://com.acme.new/n", .string("Ada"))])
        let entry = try #require(try tried.applyAll().first?.entry)
        #expect(entry.changes.map(\.action) == [.remove])
        #expect(
            entry.changes.flatMap(\.notes).contains { $0.contains("is dropped") || $0.contains("else") }, "\(entry)")
    }

    @Test("Which of several values it was that a table makes one of is lost, and of one that has its own nothing is")
    func mergedByTable() throws {
        for (value, isLost) in [("white", true), ("light", true), ("dark", false)] {
            let row = "{id: t, from: app/theme, type: string, do: [{table: {white: 0, light: 0, dark: 1}}], to: app/t"
            let tried = try Tried(
                Specs.spec("- \(row), source: remove, error: {not-in-table: skip}}", Self.head),
                [(Self.key("theme"), .string(value))])
            let changes = try #require(try tried.plan().steps.first).changes
            #expect(changes.flatMap(\.notes).contains { $0.contains("which of them it was is dropped") } == isLost)
            #expect(changes.last?.effect == (isLost ? .dropped : .carried), "\(changes)")
            #expect(changes.first?.effect == (isLost ? .changed : .converted), "\(changes)")
        }
    }

    @Test("What three picks leave of each other is dropped by none of them, and the plan counts nothing as dropped")
    func picks() throws {
        let tried = try tried(
            """
            - {id: p1, from: app/window, type: dictionary, do: [{pick: w}], to: o/w}
            - {id: p2, from: app/window, type: dictionary, do: [{pick: h}], to: o/h}
            - {id: p3, from: app/window, type: dictionary, do: [{pick: pos}], to: o/p, source: remove}
            """)
        let plan = try tried.plan()
        #expect(plan.steps.flatMap(\.changes).flatMap(\.dropped).isEmpty, "\(plan.steps)")
        #expect(plan.effects[.dropped] == 0)
    }

    @Test("Of items, what one row takes of one is not dropped by another that takes a part of each")
    func items() throws {
        let tried = try Tried(
            Specs.spec(
                """
                - {id: it0, from: app/items#/0, type: dictionary, to: o/it0}
                - {id: it, from: app/items, type: array, do: [{each: [{pick: [id]}]}], to: o/ids, source: remove}
                """, Self.head),
            [
                (
                    Self.key("items"),
                    .array([
                        .dictionary(["id": .integer(1), "body": .string("a")]),
                        .dictionary(["id": .integer(2), "body": .string("b")]),
                    ])
                )
            ])
        #expect(try dropped("it", in: tried) == ["items#/1/body"])
    }

    @Test(
        "A source of several that is left out is dropped and counted once beside what is carried, unless another row takes it",
        arguments: [
            ("", [ValueEffect.carried, .carried, .dropped], 1),
            ("- {id: k, from: app/old, to: o/k, if: [app/count is 1]}\n", [.carried, .carried, .dropped], 1),
            ("- {id: k, from: app/old, to: o/k}\n", [.carried, .carried, .carried], 0),
        ] as [(String, [ValueEffect], Int)])
    func severalSources(row: String, effects: [ValueEffect], count: Int) throws {
        let tried = try tried(
            row + "- {id: m, from: {a: app/new, b: app/old}, do: [{pick: a}], to: o/x, source: remove}")
        let step = try #require(try tried.plan().steps.last)
        #expect(step.changes.map(\.effect) == effects, "\(step.changes)")
        #expect(try dropped("m", in: tried) == (count == 0 ? [] : ["old"]))
        #expect(step.effects[.carried] == 1 && step.effects[.dropped] == count, "\(step.effects)")
    }

    @Test(
        "What was put elsewhere and has been removed from there has arrived nowhere, as long as it has not gone on",
        arguments: [
            ("- {id: gone, remove: [o/x], unmigrated: remove}", nil),
            ("- {id: next, from: o/x, to: o/y, source: remove}", .carried),
            ("- {id: next, from: o/x, to: o/y}\n- {id: gone, remove: [o/x]}", .carried),
            ("- {id: also, from: app/old, to: o/z}\n- {id: gone, remove: [o/x], unmigrated: remove}", .carried),
            (
                "- {id: next, from: o/x, to: o/y, source: remove}\n- {id: gone, remove: [o/y], unmigrated: remove}", nil
            ),
            ("- {id: next, from: o/x, to: o/y}\n- {id: gone, remove: [o/y], unmigrated: remove}", .carried),
        ] as [(String, ValueEffect?)])
    func removedAgain(steps: String, effect: ValueEffect?) throws {
        let row = "- {id: first, from: app/old, to: o/x}\n\(steps)\n"
        let step = try #require(try tried(row + "- {id: rm, remove: [app/old]}").plan().steps.last)
        #expect(step.changes.first?.effect == effect, "\(step.changes)")
        #expect(step.outcome.kind == (effect == nil ? .skipped : .migrates))
        // Where all is to be removed it is told as lost.
        let all = try #require(try tried(row + "- {id: rm, remove: [app/old], unmigrated: remove}").plan().steps.last)
        #expect(all.changes.first?.effect == effect ?? .dropped, "\(all.changes)")
    }

    @Test("A part that a pick leaves out and a row skips keeps the entry from a removal")
    func pickedAround() throws {
        func steps(_ more: String) -> String {
            """
            - {id: m, from: app/window, type: dictionary, do: [{pick: [w, h]}], to: o/wh}
            - {id: p, from: app/window#/pos, to: o/p\(more)}
            - {id: rm, remove: [app/window]}
            """
        }
        let outcome = try tried(steps(", if: [app/count is 1]")).outcome("rm")
        #expect(outcome?.kind == .skipped, "\(String(describing: outcome))")
        #expect(outcome?.reason?.sentence.contains("window#/pos of it has not arrived") ?? false)
        let taken = try tried(steps(""))
        #expect(try taken.plan().steps[2].changes.map(\.effect) == [.carried])
        #expect(try dropped("m", in: taken) == [])
    }

    @Test("So does a row of the whole that is skipped, where the other rows leave a part of it")
    func skippedWhole() throws {
        func rows(_ operation: String) -> String {
            """
            - {id: a, from: app/window, type: dictionary, do: [{\(operation)}], to: o/a}
            - {id: b, from: app/window, type: dictionary, do: [{pick: w}], if: [app/count is 1], to: o/b}
            - {id: rm, remove: [app/window]}
            """
        }
        let outcome = try tried(rows("remove: [w]")).outcome("rm")
        #expect(outcome?.kind == .skipped, "\(String(describing: outcome))")
        #expect(try tried(rows("rename: {w: v}")).outcome("rm")?.kind == .migrates)
    }

    @Test("It is told of a row in place too, and what a step has taken on that is applied already is not told")
    func inPlace() throws {
        let row = "- {id: win, from: app/doc, type: json dictionary, do: [{remove: [age, mail]}, {encode: json}]}"
        #expect(
            try dropped("win", in: tried("- {id: age, from: app/doc#/age, type: integer, to: o/age}\n\(row)"))
                == ["doc#/age", "doc#/mail"])
        var done = try tried("- {id: age, from: app/doc#/age, to: o/age}\n\(row)")
        #expect(try dropped("win", in: done) == ["doc#/mail"])
        try done.session.apply(
            .steps(["age"]), of: done.migration, profile: done.migration.profiles[0], facts: done.facts,
            stamp: Tried.stamp)
        #expect(try dropped("win", in: done) == ["doc#/mail"])
    }

    @Test("What stands in the target already has arrived")
    func settled() throws {
        let tried = try Tried(
            Specs.spec("- {id: w, from: app/window#/w, to: o/w}\n\(Self.win)", Self.head),
            [(Self.key("window"), Self.window), ("defaults://com.acme.new/w", .integer(100))])
        #expect(try tried.outcome("w")?.kind == .unchanged)
        #expect(try dropped("win", in: tried) == ["window#/h"])
    }

    // MARK: Removals

    @Test(
        "An entry stays of which a part that a row reads has not arrived, with the reason; unmigrated: remove takes it",
        arguments: [
            ("if: [value is above 1000], to: o/w", "it does not hold"),
            ("to: app/count, exists: keep", "which is kept"),
            ("type: integer, to: o/w", nil),
        ] as [(String, String?)])
    func removal(keys: String, why: String?) throws {
        func steps(_ more: String) -> String {
            """
            - {id: w, from: app/window#/w, \(keys)}
            - {id: h, from: app/window#/h, to: o/h}
            - {id: p, from: app/window#/pos, to: o/p}
            - {id: rm, remove: [app/window]\(more)}
            """
        }
        let outcome = try tried(steps("")).outcome("rm")
        #expect(outcome?.kind == (why == nil ? .migrates : .skipped))
        if let why {
            let sentence = outcome?.reason?.sentence ?? ""
            #expect(sentence.contains("window#/w of it has not arrived: ") && sentence.contains(why), "\(sentence)")
        }
        let changes = try tried(steps(", unmigrated: remove")).plan().steps[3].changes
        #expect(changes.map(\.after) == [nil] && changes.map(\.effect) == [why == nil ? .carried : .dropped])
        #expect(changes[0].notes.contains { $0.contains("would be lost: ") } == (why != nil), "\(changes)")
    }

    @Test("What a row only checks has arrived nowhere: a removal leaves it, or says that it is lost with the rest")
    func checked() throws {
        let alone = try tried("- {id: c, from: app/count, type: integer}\n- {id: rm, remove: [app/count]}")
        #expect(try alone.outcome("rm")?.kind == .skipped)
        let rest = try tried(
            """
            - {id: c, from: app/window#/w, type: integer}
            - {id: h, from: app/window#/h, to: o/h}
            - {id: p, from: app/window#/pos, to: o/p}
            - {id: rm, remove: [app/window]}
            """)
        let changes = try rest.plan().steps[3].changes
        #expect(changes.map(\.effect) == [.dropped], "\(changes)")
        #expect(changes.first?.notes.contains { $0.contains("w of it is taken on by nothing") } == true, "\(changes)")
        let inPlace = try tried("- {id: c, from: app/old, do: [{case: lower}]}\n- {id: rm, remove: [app/old]}")
        #expect(try inPlace.outcome("rm")?.kind == .skipped)
    }

    // MARK: What is overwritten

    @Test(
        "What exists: overwrite replaces is dropped, unless a step before has put it elsewhere or no user's value was there",
        arguments: [
            ("- {id: x, from: app/new, to: app/old, exists: overwrite}", ["old"], 1),
            ("- {id: k, from: app/old, to: o/kept}\n- {id: x, from: app/new, to: app/old, exists: overwrite}", [], 0),
            (
                "- {id: k, from: app/window, to: o/win}\n- {id: x, from: app/count, to: o/win#/w, exists: overwrite}",
                [], 0
            ),
            ("- {id: x, from: app/window#/pos, to: app/window, exists: overwrite}", ["window#/h", "window#/w"], 2),
            ("- {id: x, from: app/new, do: [{case: upper}], to: app/new, exists: overwrite}", [], 0),
            ("- {id: x, from: app/count, to: app/window#/w, exists: overwrite}", ["window#/w"], 1),
            ("- {id: x, from: app/old, to: app/new, exists: keep}", [], 0),
            // Also where a step has edited it before.
            (
                "- {id: k, from: app/old, to: app/window#/new, source: remove}\n- {id: x, from: app/count, to: app/window, exists: overwrite}",
                ["window"], 1
            ),
            (
                "- {id: k, from: app/window, type: dictionary, do: [{in: {pos: [{wrap: p}]}}]}\n"
                    + "- {id: x, from: app/count, to: app/window, exists: overwrite}", ["window"], 1
            ),
            (
                "- {id: k, from: app/window#/w, to: o/w, source: remove}\n- {id: x, from: app/count, to: app/window, exists: overwrite}",
                ["window"], 1
            ),
            (
                "- {id: k, from: app/window#/pos/x, to: o/x, source: remove}\n"
                    + "- {id: x, from: app/count, to: app/window#/pos, exists: overwrite}", [], 0
            ),
            ("- {id: x, value: 9, to: app/count, exists: larger}", ["count"], 1),
            ("- {id: x, value: 5, to: app/count, exists: larger}", [], 0),
        ] as [(String, [String], Int)])
    func overwritten(steps: String, lost: [String], count: Int) throws {
        let tried = try tried(steps)
        #expect(try dropped("x", in: tried) == lost)
        let effects = try tried.plan().effects
        #expect(effects[.dropped] == count, "\(effects)")
    }

    // MARK: What the linter says of it

    @Test(
        "The linter tells of members without a target, of what versions drop, and of what a star takes that rows read parts of",
        arguments: [
            ("- {id: m, from: app/w, type: dictionary, to: {w: o/w, h: o/h}, source: remove}", "what else is in"),
            ("- {id: m, from: app/w, type: dictionary, to: {w: o/w, h: o/h}}", nil),
            (
                "- {id: m, from: app/n, type: string, do: [{split: {at: x, into: [a, b]}}], to: {a: o/a, b: o/b}, source: remove}",
                nil
            ),
            (
                "- {id: m, from: app/n, type: string, do: [{split: {at: x, into: [a, b]}}], to: {a: o/a}, source: remove}",
                "b has no target"
            ),
            ("- {id: m, from: {a: app/a, b: app/b}, to: {a: o/a, b: o/b}, source: remove}", nil),
            (
                "- {document: d, at: app/d, version: shape, versions: {1: {has: {a: string}}, "
                    + "2: {without: [a], made-by: [{remove: [a]}]}}}", "version 2 of d: what remove drops"
            ),
            (
                "- {id: h, from: app/win#/h, to: o/h}\n- {id: c, from: app/win#/w, type: integer}\n- {id: rm, remove: [\"app/w*\"]}",
                "app/win#/h is all that any row takes of app/win"
            ),
            ("- {id: h, from: app/win, to: o/h}\n- {id: rm, remove: [\"app/w*\"]}", nil),
            (
                "- {id: h, from: \"app/*#/w\", to: \"o/*\"}\n- {id: rm, remove: [\"app/w*\"]}",
                "app/*#/w is all that any row takes of app/w*"
            ),
            ("- {id: h, from: \"app/*#/w\", to: \"o/*\"}\n- {id: rm, remove: [\"app/v.*#/w\"]}", nil),
            (
                "- {id: h, from: \"app/*#/w\", to: \"o/part.*\"}\n- {id: w, from: \"app/w*\", to: \"o/all.*\"}\n"
                    + "- {id: rm, remove: [\"app/w*\"]}", nil
            ),
        ] as [(String, String?)])
    func linted(steps: String, says: String?) {
        let text = "vestige: migration/1\nid: a\ntitle: b\n\(Self.head)\nsteps:\n\(steps)\n"
        let found = Spec.lint(Data(text.utf8)).filter { $0.code == .lossy || $0.code.severity == .error }
        #expect(found.count == (says == nil ? 0 : 1), "\(found)")
        if let says { #expect(found.first?.sentence.contains(says) == true, "\(found)") }
    }

    // MARK: Targets that no dump can hold

    @Test(
        "A target in a store of files that no dump has is an error of the file, with the one that is likely meant",
        arguments: [
            ("file://Document/a", "Did you mean Documents?"), ("file://AppData/a", "The stores of files of an app are"),
            ("file://documents/a", "Did you mean Documents?"), ("file://Document/{bundleIdentifier}/*", "Did you mean"),
            ("file://group.com.acme.notes/a", nil), ("file://com.acme.notes.widget/a", nil), ("file://tmp/a", nil),
            ("file://{bundleIdentifier}/a", nil), ("file://group.{bundleIdentifier}/a", nil),
        ] as [(String, String?)])
    func folders(target: String, fix: String?) {
        let star = target.contains("*") ? "*" : ""
        let found = Specs.problems(
            ofSteps: "- {id: a, from: app/n\(star), type: string, to: \"\(target)\"}", Self.head)
        #expect(found.map(\.code) == (fix == nil ? [] : [.address]), "\(found)")
        if let fix { #expect(found.first?.fix.hasPrefix(fix) ?? false, "\(found)") }
    }

    @Test(
        "What a star or a fact makes of a target that no dump can hold fails, and the other matches go on",
        arguments: [
            ("defaults://com.acme.notes/k.*", "file://Documents/*", ["k..": false, "k...": false, "k.x": true]),
            ("defaults://com.acme.notes/k.*", "defaults://*/k", ["k..": false, "k...": false, "k.x": true]),
            ("defaults://com.acme.notes/k.*", "file://Documents/*/k", ["k..": false, "k...": false, "k.x": true]),
            ("defaults://com.acme.notes/k.*", "file://*/k", ["k.Document": false, "k.tmp": true, "k.group.a": true]),
            ("defaults://com.acme.notes/k.*", "file://Library/*/k", ["k.Caches": false, "k.Cookies": true]),
            (
                "defaults://com.acme.notes/k.*", "file://Library/Preferences/*",
                ["k.a.plist": false, "k.a.txt": true]
            ),
        ] as [(String, String, [String: Bool])])
    func starred(source: String, target: String, keys: [String: Bool]) throws {
        let spec = try Specs.spec("- {id: a, from: \"\(source)\", type: string, to: \"\(target)\", source: remove}")
        var tried = try Tried(spec, keys.keys.sorted().map { (Self.key($0), .string("v")) })
        let outcome = try #require(try tried.outcome("a"))
        #expect(outcome.isPartial, "\(outcome)")
        #expect(outcome.reason?.sentence.contains("(address-outside)") ?? false, "\(outcome)")
        try tried.applyAll()
        for (key, isTaken) in keys { #expect((tried[Self.key(key)] == nil) == isTaken, "\(key)") }
        let alone = try Tried(spec, keys.filter { !$0.value }.prefix(1).map { (Self.key($0.key), .string("v")) })
        #expect(try alone.outcome("a")?.kind == .failed)
        #expect(try alone.outcome("a")?.reason?.code == "address-outside")
    }

    @Test("So does what a fact makes of an address, of a row and of a document")
    func facts() throws {
        let head = "facts: {place: {type: name, about: x}}"
        let row = try Specs.spec("- {id: a, from: defaults://a/b, type: string, to: \"file://{place}/x\"}", head)
        for (place, isTaken) in [("Document", false), ("Documents", true), ("group.a", true)] {
            let outcome = try Tried(row, [("defaults://a/b", .string("v"))], facts: ["place": place]).outcome("a")
            #expect((outcome?.kind == .migrates) == isTaken, "\(place): \(String(describing: outcome))")
            #expect(isTaken || outcome?.reason?.code == "address-outside")
        }
        let document = try Specs.spec(
            """
            - document: doc
              at: "file://{place}/doc.json"
              version: shape
              versions: {1: {has: {a: string}}, 2: {without: [a], made-by: [{remove: [a]}]}}
            """, head)
        let outcome = try Tried(document, [], facts: ["place": "Document"]).plan().steps.first?.outcome
        #expect(
            outcome?.kind == .failed && outcome?.reason?.code == "address-outside", "\(String(describing: outcome))")
    }
}
