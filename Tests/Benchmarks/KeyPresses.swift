import DeviceDump
import Foundation
import Inspector
import Migrations
import Reports
import Workspace

/// Measures what can only be measured inside of the program.
///
///     vestige-benchmarks keys DUMP [NAME…] [FACT=VALUE…]
///     vestige-benchmarks changes COUNT…
///     vestige-benchmarks entries COUNT…
///     vestige-benchmarks items COUNT…
///     vestige-benchmarks parts COUNT…
@main
enum Benchmarks {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.dropFirst().first) {
        case ("keys", let dump?):
            let others = arguments.dropFirst(2), facts = others.filter { $0.contains("=") }
            try KeyPresses.measure(dump, facts: facts, only: others.filter { !$0.contains("=") })
        case ("changes", _?):
            for count in arguments.dropFirst().compactMap({ Int($0) }) {
                try ManyChanges.measure(count)
            }
        case ("entries", _?):
            for count in arguments.dropFirst().compactMap({ Int($0) }) { try ManyEntries.measureLedger(count) }
            try ManyEntries.tidyUp()
        case ("items", _?):
            for count in arguments.dropFirst().compactMap({ Int($0) }) { try ManyEntries.measureItems(count) }
            try ManyEntries.tidyUp()
        case ("parts", _?):
            for count in arguments.dropFirst().compactMap({ Int($0) }) { try ManyParts.measure(count) }
        default:
            FileHandle.standardError.write(
                Data(
                    ("usage: vestige-benchmarks keys DUMP [NAME…] [FACT=VALUE…] | changes COUNT… | entries COUNT… | items COUNT… "
                        + "| parts COUNT…\n").utf8))
            exit(64)
        }
    }
}

/// How long the inspector takes from a key to its frame on an open dump, without a terminal.
///
/// Writes a line for each key, `NAME MEDIAN LARGEST COUNT` with times in microseconds, and nothing else.
enum KeyPresses {
    /// How often each round of keys is pressed.
    private static let rounds = 40

    /// The keys of a round, under the name that they are reported by; long enough for a round to cross pages.
    private static let keys: [(name: String, keys: [Key])] = [
        ("top", [.character("g")]),
        ("down", Array(repeating: .down, count: 12)),
        ("page-down", Array(repeating: .pageDown, count: 4)),
        ("bottom", [.character("G")]),
        ("up", [.up]),
        ("page-up", [.pageUp, .pageUp]),
        ("digit", [.character("5"), .character("0"), .character("0"), .character("0"), .character("0")]),
        ("to-row", [.character("G")]),
        ("tab", [.tab, .down, .tab]),
        ("zoom", [.tab, .enter, .escape, .tab]),
        ("search-start", [.character("/"), .character("s"), .character("t"), .escape]),
        ("command-start", [.character(":"), .character("e"), .escape]),
        ("reveal", [.character("v"), .character("v")]),
        ("help", [.character("?"), .escape]),
        ("profile", [.character("p")]),
        ("select", [.character("g"), .character(" ")]),
    ]

    /// - Parameter names: The keys that are pressed; all where none is named.
    static func measure(_ path: String, facts: [String], only names: [String]) throws {
        let keys = names.isEmpty ? keys : keys.filter { names.contains($0.name) }
        let inspection = Inspection(
            of: try Dump.open(path),
            options: Inspection.Options(
                migrations: BuiltIn.migrations, facts: try GivenFacts.arguments(facts),
                // Nothing is applied, so no ledger is written.
                ledger: .file(NSTemporaryDirectory() + "vestige-benchmarks.ledger"),
                stamp: { .init(date: Date(), author: "benchmark", toolVersion: "") }))
        var model = try inspection.start(
            container: nil, size: Size(width: 200, height: 50), glyphs: .unicode, masking: Masking())
        perform(model.update(.started), on: &model, inspection)
        var times: [String: [Duration]] = [:]
        for _ in 0..<rounds {
            for (name, keys) in keys {
                for key in keys { times[name, default: []].append(press(key, on: &model, inspection)) }
            }
        }
        for (name, _) in keys {
            let sorted = times[name, default: []].sorted()
            print(name, sorted[sorted.count / 2].microseconds, sorted[sorted.count - 1].microseconds, sorted.count)
        }
    }

    /// Presses a key, and draws the screen, with the rows that the key brought into the window as they are then known.
    private static func press(_ key: Key, on model: inout Model, _ inspection: Inspection) -> Duration {
        ContinuousClock().measure {
            perform(model.update(.terminal(.key(key))), on: &model, inspection)
            _ = model.render()
        }
    }

    private static func perform(_ effects: [any Effect], on model: inout Model, _ inspection: Inspection) {
        var events = events(of: effects, inspection)
        while !events.isEmpty { events += Self.events(of: model.update(events.removeFirst()), inspection) }
    }

    /// What is looked for while a text is typed runs beside the screen: no frame waits for its end.
    private static func events(of effects: [any Effect], _ inspection: Inspection) -> [Event] {
        effects.filter { $0.lane != .search }.flatMap { ScriptRunner.events(of: $0, on: inspection) }
    }
}

extension Duration {
    /// The time in microseconds.
    var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
