import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// Rows of random operations, each of which is possible where it stands.
@Suite("What a row puts nowhere it tells as dropped")
struct ArrivalTests {
    /// A row that is made at random, with what it reads.
    private struct RandomRow {
        var sources: [(name: String, value: Value)] = []
        var operations: [String] = [], row = ""
        var generator: SeededGenerator
        private var leaves = 0

        init(seed: UInt64) throws {
            generator = SeededGenerator(seed: seed)
            let isOne = Bool.random(using: &generator)
            for name in isOne ? ["d"] : ["d", "e", "f"] { sources.append((name, value(depth: isOne ? 0 : 1))) }
            var draft: any Draft = ValueDraft(
                isOne
                    ? sources[0].value
                    : .dictionary(Members(sources.map { Member(key: Name($0.name), value: $0.value) })))
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                for _ in 0..<5 {
                    guard let operation = operation(on: draft.value) else { continue }
                    var next = draft
                    let facts = SpecFacts(definitions: [:], facts: Facts())
                    let (read, problems) = try OperationTests.read(operation)
                    guard problems.isEmpty, (try? read.apply(to: &next, facts)) != nil else { continue }
                    operations.append(operation)
                    draft = next
                    break
                }
            }
            let from = isOne ? "app/d" : "{d: app/d, e: app/e, f: app/f}"
            var to = "o/n"
            if let members = draft.value.members, !members.isEmpty, Int.random(in: 0..<4, using: &generator) == 0 {
                let names = members.map(\.key).filter { _ in Bool.random(using: &generator) }
                if !names.isEmpty { to = "{\(names.map { "\($0): o/n\($0)" }.joined(separator: ", "))}" }
            }
            let kept = isOne && Bool.random(using: &generator) ? "" : ", source: remove"
            row = "- {id: r, from: \(from), do: [\(operations.joined(separator: ", "))], to: \(to)\(kept)}"
        }

        private mutating func value(depth: Int) -> Value {
            let kind = depth == 0 ? 0 : Int.random(in: 0..<(depth < 3 ? 5 : 2), using: &generator)
            switch kind {
            case 0 where depth < 3, 2:
                let names = ["a", "b", "c", "x"].filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
                return .dictionary(Members(names.map { Member(key: Name($0), value: value(depth: depth + 1)) }))
            case 3: return .array((0..<Int.random(in: 0...2, using: &generator)).map { _ in value(depth: depth + 1) })
            default:
                leaves += 1
                return .string("leaf\(leaves).")
            }
        }

        private func places(in value: Value, _ place: String = "") -> [String] {
            let parts: [(String, Value)] =
                switch value {
                case .dictionary(let members): members.map { ($0.key.text, $0.value) }
                case .array(let items) where !place.isEmpty: items.enumerated().map { ("\($0)", $1) }
                default: []
                }
            return parts.flatMap { [place + $0] + places(in: $1, place + $0 + "/") }
        }

        private mutating func operation(on value: Value, depth: Int = 0) -> String? {
            let places = places(in: value)
            let names = ["a", "b", "u", "z", "u/v", "a/z", "c/-"]
            func one(_ all: [String]) -> String { all.randomElement(using: &generator) ?? "a" }
            func some(_ all: [String]) -> [String] { all.filter { _ in Bool.random(using: &generator) } }
            let isMembers = !(value.members?.isEmpty ?? true)
            switch Int.random(in: 0..<(isMembers ? 14 : 3), using: &generator) {
            case 0: return "list"
            case 1: return "{wrap: \(one(["w", "a"]))}"
            case 2: return isMembers ? nil : "{fill: \"\(one(["{value}", "it"]))\"}"
            case 3: return "{copy: {\(one(places)): \(one(names))}}"
            case 4: return "{copy: {\(one(places)): \(one(names)), \(one(places)): q}}"
            case 5: return "{move: {\(one(places)): \(one(names))}}"
            case 6: return "{move: {\(one(places)): \(one(places)), \(one(places)): \(one(places))}}"
            case 7: return "{rename: {\(one(places)): \(one(["a", "b", "u", "z"]))}}"
            case 8: return "{pick: \(one(places))}"
            case 9: return "{pick: [\(some(value.members?.map(\.key.text) ?? []).joined(separator: ", "))]}"
            case 10: return "{remove: [\((some(places) + [one(places)]).prefix(3).joined(separator: ", "))]}"
            case 11: return "{fill: \"\(some(value.members?.map { "{\($0.key)}" } ?? []).joined(separator: "-")).\"}"
            case 12: return "{add: {\(one(places)): {new: 1}}, exists: replace}"
            default:
                let place = one(places)
                guard depth < 2, let part = JSONPointer(parsing: "/" + place).flatMap({ value[$0] }),
                    let operation = operation(on: part, depth: depth + 1)
                else { return nil }
                return Bool.random(using: &generator)
                    ? "{in: {\(place): [\(operation)]}}" : "{in: {\(place): [{each: [\(operation)]}]}}"
            }
        }
    }

    private static func leaves(of value: Value, _ place: JSONPointer = JSONPointer()) -> [(JSONPointer, String)] {
        switch value {
        case .string(let text): [(place, text)]
        case .dictionary(let members): members.flatMap { leaves(of: $0.value, place.appending($0.key)) }
        case .array(let items): items.enumerated().flatMap { leaves(of: $1, place.appending(Name("\($0)"))) }
        default: []
        }
    }

    @Test(
        "Whatever operations do, what is nowhere in the result is dropped, and what is there is not", arguments: 0..<8)
    func random(part: UInt64) throws {
        var count = 0
        for seed in (part * 60)..<(part * 60 + 60) {
            let made = try RandomRow(seed: seed)
            let spec = try Specs.spec(made.row, "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new}")
            let tried = try Tried(spec, made.sources.map { ("defaults://com.acme.notes/\($0.name)", $0.value) })
            let step = try #require(try tried.plan().steps.first)
            guard step.outcome.kind == .migrates else { continue }
            count += 1
            let changes = step.changes
            let texts = changes.filter { $0.address.store == .defaults("com.acme.new") }
                .flatMap { $0.after.map { Self.leaves(of: $0).map(\.1) } ?? [] }.joined(separator: " ")
            var lost: [(Address, Bool)] = []
            let dropped =
                changes.flatMap(\.dropped) + changes.filter { $0.after == nil && $0.effect == .dropped }.map(\.address)
            for (name, value) in made.sources {
                for (pointer, text) in Self.leaves(of: value) {
                    let place = Address(store: .defaults("com.acme.notes"), key: Name(name), pointer: pointer)
                    let isLost = !texts.contains(text)
                    lost.append((place, isLost))
                    #expect(
                        !isLost || dropped.contains(where: place.isWithin),
                        "\(seed): \(place) is nowhere, and not told\n\(made.row)\n\(value)\n\(changes)")
                }
            }
            for part in changes.flatMap(\.dropped) {
                let leaves = lost.filter { $0.0.isWithin(part) }
                #expect(
                    leaves.isEmpty || leaves.contains(where: \.1),
                    "\(seed): all of \(part) arrives, and it is told\n\(made.row)\n\(made.sources)\n\(changes)")
            }
        }
        #expect(count > 30, "\(count) rows do something")
    }

    @Test(
        "A member that was copied, wrapped or moved before it goes is told, and one whose parts have all gone on is not",
        arguments: [
            ("[{copy: {q: z}}, {fill: \"{a}\"}]", ["d#/b", "d#/c", "d#/q"]),
            ("[{wrap: w}, {wrap: w}, {remove: [w]}]", ["d"]),
            ("[list, {wrap: w}, {remove: [w]}]", ["d"]),
            ("[{wrap: w}, {move: {w: h/i}}, {remove: [h]}]", ["d"]),
            ("[{in: {c: [{wrap: home}]}}, {pick: a}]", ["d#/b", "d#/c", "d#/q"]),
            ("[{in: {c: [{wrap: home}]}}, {remove: [c]}]", ["d#/c"]),
            ("[{in: {c: [list]}}, {remove: [c]}]", ["d#/c"]),
            ("[{move: {c/x: cx}}, {remove: [c]}]", []),
            ("[{copy: {c/x: cx}}, {remove: [c]}]", []),
            ("[{move: {c/x: cx}}, {remove: [c, cx]}]", ["d#/c"]),
            ("[{copy: {q: z}}, {remove: [q]}, {rename: {z: a2}}]", []),
            (
                "[{copy: {q: z}}, {in: {z: [{split: {at: \"-\", into: [f, l]}}]}}, {move: {z/f: f, z/l: l}}, {remove: [q, z]}]",
                []
            ),
            ("[{in: {q: [{split: {at: \"-\", into: [f, l]}}]}}, {remove: [q]}]", ["d#/q"]),
            ("[{in: {c: [{encode: json}]}}, {remove: [c]}]", ["d#/c"]),
        ])
    func told(operations: String, lost: [String]) throws {
        let spec = try Specs.spec(
            "- {id: r, from: app/d, do: \(operations), to: o/n, source: remove}",
            "stores: {app: defaults://com.acme.notes, o: defaults://com.acme.new}")
        let value: Value = .dictionary([
            "q": .string("lost-one"), "a": .string("keep"), "b": .string("bee"), "c": .dictionary(["x": .string("ex")]),
        ])
        let step = try #require(try Tried(spec, [("defaults://com.acme.notes/d", value)]).plan().steps.first)
        let told = step.changes.flatMap(\.dropped).map { "\($0)".replacing("defaults://com.acme.notes/", with: "") }
        #expect(told.sorted() == lost, "\(step)")
        #expect(!step.changes.flatMap(\.notes).contains { $0.contains("a part of the value") }, "\(step)")
    }
}
