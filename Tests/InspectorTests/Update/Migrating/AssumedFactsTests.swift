import MigrationEngine
import StoreFormats
import Testing

@testable import Inspector

@Suite("Steps that rest on what nobody has said")
struct AssumedFactsTests {
    /// The write key in the old SDK's configuration, and a moment that is only assumed.
    private func guessing() throws -> Inspected {
        let config = try BinaryPropertyList.write(.dictionary(["source": .dictionary(["_writeKey": .string("wk")])]))
        var facts = Facts.notes.without(.writeKey)
        facts[.now] = Fact("1725000000", from: .assumed("the dump was made then"))
        return try Inspected(RudderStack.stores(["rs_server_config": .data(config)]), facts: facts)
    }

    private static let writeKeyGuess = """
        it is only assumed that writeKey is wk (inferred from defaults://com.acme.notes/rs_server_config#/source/_writeKey)
        """

    @Test("a step that rests on what nobody has said is applied once that is agreed to; then the ledger knows it")
    func guesses() throws {
        var inspected = try guessing()
        #expect(inspected.plan?.summary[.blocked] == nil, "the preview uses it")
        inspected.press("a")
        #expect(inspected.asked.isEmpty && inspected.applied == [])
        #expect(
            inspected.message == "Anonymous ID: " + Self.writeKeyGuess + ". y applies all the same, f changes writeKey")
        #expect(inspected.screen.contains("y go on  <Esc> back  f fact"))
        inspected.press("<Esc>")
        #expect(inspected.message == "nothing was applied" && inspected.model.question == nil)
        inspected.command("accept")
        #expect(inspected.message == "accept: nothing was asked")
        inspected.press("a <Enter>")
        #expect((inspected.asked.first as? Applying)?.assuming == true)
        #expect(inspected.applied == ["anonymous-id"])
        let facts = try #require(inspected.opened?.snapshot.history.entries.last?.facts)
        #expect(facts[.writeKey]?.source.kind == "inferred" && facts[.now] == nil, "only what the step rests on")
    }

    @Test("several steps at once are asked about together, by the facts that they rest on")
    func guessesOfAll() throws {
        var inspected = try guessing()
        inspected.press("A")
        #expect(
            inspected.message
                == "8 steps: it is only assumed that now is 2024-08-30T06:40:00Z (assumed: the dump was made then; for Last "
                + "activity time), and that "
                + Self.writeKeyGuess.dropFirst("it is only assumed that ".count)
                + ". y applies all the same, f changes now")
        inspected.press("y")
        #expect(inspected.applied.count == 8)
        // The step's own fact alone.
        var one = try guessing()
        one.command("apply user-id")
        #expect(one.message?.hasPrefix("User ID: " + Self.writeKeyGuess + ".") == true)
    }

    @Test(
        "steps that rest on nothing that is only assumed are applied at once, and only the others are named and asked about"
    )
    func guessOfOne() throws {
        var facts = Facts.notes
        facts[.now] = Fact("1725000000", from: .assumed("the dump was made then"))
        var inspected = try Inspected(RudderStack.stores(), facts: facts)
        let question =
            "Last activity time: it is only assumed that now is 2024-08-30T06:40:00Z (assumed: the dump was made then). "
            + "y applies all the same, f changes now"
        inspected.press("A")
        #expect(inspected.applied.count == 7 && !inspected.applied.contains("last-activity-time"))
        #expect(inspected.message == "applied 7 steps. " + question)
        inspected.press("<Esc>")
        #expect(inspected.message == "nothing more was applied")
        inspected.press("A")
        #expect(inspected.message == question)
        inspected.press("y")
        #expect(inspected.applied.count == 8)
        // The next one is the first that rests on nothing of the kind.
        facts[.identifierForVendor]?.source = .inferred("file://Documents/a")
        var next = try Inspected(RudderStack.stores(), facts: facts)
        next.command("apply next")
        #expect(next.applied.count == 1 && next.applied != ["anonymous-id"] && next.model.question == nil)
        next.command("apply all")
        #expect(next.applied.count == 6)
        #expect(next.message?.contains("; for Anonymous ID), and that now is") == true, "\(next.message ?? "")")
        next.press("y")
        #expect(next.applied.count == 8)
    }

    @Test("f changes what was asked about: its value stands in the line, and what is given is asked about no more")
    func editGuess() throws {
        var inspected = try guessing()
        inspected.press("a f")
        #expect(inspected.model.prompt?.text == "wk" && inspected.model.question == nil)
        inspected.type("2")
        inspected.press("<Enter>")
        #expect(inspected.plan?.facts[.writeKey] == Fact("wk2", from: "the inspector"))
        inspected.press("a")
        #expect(inspected.applied == ["anonymous-id"])
        inspected.command("apply last-activity-time")
        inspected.press("f")
        #expect(inspected.model.prompt?.text == "2024-08-30T06:40:00Z")
        inspected.press("<Enter>")
        #expect(inspected.plan?.facts[.now] == Fact("1725000000", from: "the inspector"))
    }
}
