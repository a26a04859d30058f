import Foundation
import Migrations
import Reports
import TestSupport
import Testing

@testable import Inspector

/// A session that is written down as a script, and comes to the same when it is run.
@Suite("Recording")
struct RecorderTests {
    private func runner(
        _ fixture: String, in folder: TemporaryFolder, size: Size = Size(width: 100, height: 30), facts: Bool = true
    ) throws -> ScriptRunner {
        let inspection = try Fixtures.inspection(of: fixture, withFacts: facts, ledger: folder)
        let model = try inspection.start(
            container: nil, dump: fixture, size: size, glyphs: .unicode, masking: Masking())
        return ScriptRunner(model, on: inspection)
    }

    /// Runs a script, records it meanwhile, runs what was recorded, and gives both ends and the recording.
    private func replay(
        _ text: String, on fixture: String, facts: Bool = true
    ) throws -> (first: Model, second: Model, script: String) {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        var first = try runner(fixture, in: folders[0], facts: facts)
        first.recorder = Recorder(size: first.model.size)
        try first.run(Script(text))
        let script = try #require(first.recorder).script(first.model)
        var second = try runner(fixture, in: folders[1], size: Size(width: 40, height: 10), facts: facts)
        try second.run(Script(script))
        return (first.model, second.model, script)
    }

    @Test("a story of keys, commands, texts and the mouse comes to the same screen and the same ledger")
    func story() throws {
        let story = """
            key j j <Enter> <Esc>
            :apply anonymous-id
            fails :apply nonsense
            key a u
            key F
            :search uptime
            key <Enter> <C-u> 2 0 0 0 0 <Enter> <Esc>
            click 5 6
            wheel-down 5 6
            resize 120x40
            key / t r a i t s <Enter>
            :filter problems
            key <Esc> : x y <Esc>
            key a a { x } } d
            """
        let (first, second, script) = try replay(story, on: "notes-legacy.xcappdata")
        #expect(first.render().text == second.render().text, "\(script)")
        let entries = [first, second].map { $0.opened?.snapshot.history.entries ?? [] }
        #expect(
            entries[0].map(\.step) == entries[1].map(\.step) && entries[0].map(\.changes) == entries[1].map(\.changes))
        #expect(!entries[0].isEmpty)
        #expect(script.contains(":apply anonymous-id") && script.contains("fails :apply nonsense"), "\(script)")
        #expect(!script.contains("x y"), "a line that is left does nothing")
    }

    @Test("it ends with what each step is, so that a replay that comes to something else fails")
    func expectations() throws {
        let (_, _, script) = try replay(":apply next", on: "notes-legacy.xcappdata")
        #expect(
            script.contains("expect-step anonymous-id applied") && script.contains("expect-step user-id not-applied"))
        let folder = try TemporaryFolder()
        var other = try runner("notes-legacy.xcappdata", in: folder)
        #expect(throws: ScriptError.self) {
            try other.run(Script(script.replacing(":apply next", with: ":apply user-id")))
        }
    }

    @Test("an app of a list is opened by its path, whatever row it has")
    func apps() throws {
        let (first, second, script) = try replay(
            "key j <Enter>", on: "simulator")
        #expect(script.contains(":app "), "\(script)")
        #expect(first.opened?.snapshot.path == second.opened?.snapshot.path && first.opened != nil)
    }

    @Test("no password is written, and what was not taken is left out")
    func leftOut() throws {
        var recorder = Recorder(size: Size(width: 80, height: 24))
        var before = Model(size: Size(width: 80, height: 24))
        before.prompt = Prompt(.password, text: "hun")
        recorder.take(.key(.character("t")), before, before, [])
        recorder.take(.paste("er2"), before, before, [])
        var busy = before
        (before.prompt, busy.prompt, busy.wasHeldUp) = (nil, nil, true)
        recorder.take(.key(.character("a")), before, busy, [])
        before.prompt = Prompt(.password, text: "hun")
        recorder.take(.resize(Size(width: 100, height: 30)), before, before, [])
        before.prompt = nil
        let script = recorder.script(before)
        #expect(
            script == "resize 80x24\n# a password was typed here: give it with --password-file\nresize 100x30\n",
            "\(script)")
    }
}
