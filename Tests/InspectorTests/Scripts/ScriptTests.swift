import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Reports
import Specs
import TestSupport
import Testing
import Workspace

@testable import Inspector

/// Runs every script of `Tests/Scripts` on the dump that its first lines name.
///
/// Each screen that it writes is compared with the file `SCRIPT.NAME.screen` beside it. With `VESTIGE_RECORD=1` the files
/// are written, and the run fails.
@Suite("Scripts and their screens")
struct ScriptTests {
    static let isRecording = ProcessInfo.processInfo.environment["VESTIGE_RECORD"] == "1"

    static let names: [String] = files(ending: ".script")

    private static func files(ending: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.scripts.path)) ?? []
        return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
    }

    @Test("there are scripts")
    func found() {
        #expect(Self.names.contains("walk"))
    }

    @Test("a script runs to its end, and its screens are those beside it", arguments: names)
    func script(name: String) throws {
        let text = try String(contentsOf: Fixtures.scripts.appendingPathComponent(name + ".script"), encoding: .utf8)
        let directives = Directives(text)
        let folder = try TemporaryFolder()
        let inspection =
            if let zip = directives.zip {
                try Fixtures.inspection(ofZip: zip, withFacts: directives.facts, in: folder)
            } else {
                try Fixtures.inspection(
                    of: directives.dump, withFacts: directives.facts, ledger: folder,
                    migrations: directives.migrations(), named: directives.named(), other: directives.other)
            }
        let model = try inspection.start(
            container: directives.app, dump: "mail.zip", size: directives.size, glyphs: directives.glyphs,
            masking: Masking())
        var screens: [(name: String, text: String)] = []
        var runner = ScriptRunner(
            model, on: inspection, save: { screens.append(($0, $1.text + "\n")) })
        do {
            try runner.run(Script(text.replacingOccurrences(of: "{folder}", with: folder(""))))
        } catch {
            Issue.record("\(name).script:\(error.line): \(error.problem)\n\(error.screen ?? "")")
        }
        for screen in screens { try compare(screen.text, with: "\(name).\(screen.name).screen", folder: folder) }
    }

    private func compare(_ screen: String, with file: String, folder: TemporaryFolder) throws {
        #expect(!screen.contains(folder("")) && !screen.contains(Places.package), "a path of this machine")
        let url = Fixtures.scripts.appendingPathComponent(file)
        let expected = try? String(contentsOf: url, encoding: .utf8)
        guard expected != screen else { return }
        if Self.isRecording {
            try Data(screen.utf8).write(to: url)
            Issue.record("recorded \(file)")
        } else {
            Issue.record("\(file) is not the screen; VESTIGE_RECORD=1 writes it anew:\n\(screen)")
        }
    }

    @Test("every action has a script that does it, by its name or one of its keys")
    func everyAction() throws {
        var done: Set<String> = []
        for name in Self.names {
            let text = try String(
                contentsOf: Fixtures.scripts.appendingPathComponent(name + ".script"), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.trimmingPrefix("fails ").split(separator: " ")
                if words.first == "key" {
                    let keys = words.dropFirst().compactMap { Key(notation: String($0)) }
                    done.formUnion(keys.flatMap(Settings.standard.actions(of:)).map(\.name))
                } else if let command = words.first, command.hasPrefix(":") {
                    done.formUnion([Action.named(String(command.dropFirst()))?.name].compactMap(\.self))
                }
            }
        }
        #expect(Action.all.map(\.name).filter { !done.contains($0) } == [])
    }

    @Test("every screen beside the scripts is one that a script writes")
    func stale() throws {
        let written = try Self.names.flatMap { name in
            let url = Fixtures.scripts.appendingPathComponent(name + ".script")
            return try Script(String(contentsOf: url, encoding: .utf8)).commands.compactMap { line -> String? in
                guard case .screen(let screen) = line.command else { return nil }
                return "\(name).\(screen)"
            }
        }
        #expect(Set(Self.files(ending: ".screen")) == Set(written))
        #expect(Set(written).count == written.count, "each screen has a name of its own")
    }
}

/// What the comments at the top of a script say of how it is run: `# dump: notes-legacy.xcappdata`.
private struct Directives {
    var dump = "notes-legacy.xcappdata"
    /// What is opened in a zip, as it comes by mail.
    var zip: String?
    var facts = true
    /// What it is compared with.
    var other: String?
    var app: String?
    /// The spec beside the script that stands before what is built in.
    var spec: String?
    /// Whether the specs of the package are offered behind what is built in.
    var offersSpecs = false
    var size = Size(width: 80, height: 24)
    var glyphs = Glyphs.unicode

    init(_ text: String) {
        for line in text.split(separator: "\n").prefix(while: { $0.hasPrefix("#") }) {
            let parts = line.dropFirst().split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "dump": dump = parts[1]
            case "zip": zip = parts[1]
            case "facts": facts = parts[1] == "yes"
            case "compare": other = parts[1]
            case "app": app = parts[1]
            case "spec": spec = parts[1]
            case "specs": offersSpecs = parts[1] == "package"
            case "size": size = Size(parsing: parts[1]) ?? size
            case "glyphs": glyphs = Glyphs(rawValue: parts[1]) ?? glyphs
            default: break
            }
        }
    }

    /// The migrations to offer: as the program does, a spec that is named first, and the package's after what is built in.
    func migrations() throws -> [any Migration] {
        guard let spec else { return BuiltIn.migrations + (offersSpecs ? SpecCatalog.migrations : []) }
        return [SpecMigration(try read(spec))] + BuiltIn.migrations + SpecCatalog.migrations
    }

    /// The names of those whose files are named.
    func named() throws -> Set<String> { try Set([spec].compactMap(\.self).map { try read($0).id }) }

    private func read(_ spec: String) throws -> Spec {
        try Spec(Data(contentsOf: Fixtures.scripts.appendingPathComponent(spec)))
    }
}
