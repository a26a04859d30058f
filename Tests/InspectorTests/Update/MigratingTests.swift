import MigrationEngine
import StoreFormats
import Synchronization
import Testing

@testable import Inspector
@testable import Workspace

@Suite("Applying and rolling back")
struct MigratingTests {
    /// The selection that the last keys asked to apply.
    private func selection(_ inspected: Inspected) -> StepSelection? {
        (inspected.asked.first as? Applying)?.selection
    }

    private func target(_ inspected: Inspected) -> RollbackTarget? {
        (inspected.asked.first as? RollingBack)?.target
    }

    @Test(
        "each way to apply asks for those steps",
        arguments: [
            ("a", StepSelection.steps(["anonymous-id"])), (": a p p l y <Enter>", .steps(["anonymous-id"])),
            (": a p p l y <Space> n e x t <Enter>", .next),
            ("A", .all), (": a p p l y <Space> a l l <Enter>", .all),
            ("g <Space> <Space> s", .steps(["anonymous-id", "user-id"])),
            ("3 g <Space> : a p p l y <Space> s e l e c t e d <Enter>", .steps(["traits"])),
            (": a p p l y <Space> t r a i t s <Space> u s e r - i d <Enter>", .steps(["traits", "user-id"])),
        ])
    func apply(keys: String, expected: StepSelection) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press(keys)
        #expect(selection(inspected) == expected)
        #expect(inspected.model.message?.kind == .done)
    }

    @Test("applying takes the migration, the variant and the facts that are in view")
    func effect() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.command("profile sdk-1.2")
        inspected.command("fact uptime=55")
        inspected.press("a")
        let applying = try #require(inspected.asked.first as? Applying)
        #expect(applying.migration.id == "rudderstack-v2" && applying.profile.id == "sdk-1.2")
        #expect(applying.accepted.isEmpty)
        let entry = try #require(inspected.opened?.snapshot.history.standing.first)
        #expect(entry.facts[.uptime] == Fact("55", from: "the inspector") && entry.profile == "sdk-1.2")
    }

    @Test("one after the other, each step says what it did, and the cursor goes with it")
    func next() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("g a")
        #expect(inspected.message == "applied Anonymous ID")
        #expect(inspected.opened?.step?.id == "anonymous-id")
        inspected.press("a")
        #expect(inspected.message == "applied User ID")
        #expect(inspected.opened?.step?.id == "user-id")
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        #expect(inspected.screen.contains("2 of 9 steps applied · 6 to apply · 1 skipped"))
    }

    @Test("a applies the step under the cursor, and says why where that has nothing to apply")
    func underCursor() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.go(to: "app-version")
        #expect(inspected.screen.contains("a apply  "))
        inspected.press("a")
        #expect(inspected.applied == ["app-version"] && inspected.message == "applied App version")
        #expect(inspected.screen.contains("a apply next"))
        inspected.press("a")
        #expect(inspected.applied == ["app-version", "app-build"], "what is done goes on to the next")
        inspected.go(to: "last-activity-time")
        inspected.press("a")
        #expect(inspected.applied.count == 2 && inspected.asked.isEmpty)
        #expect(
            inspected.message?.hasPrefix("Last activity time has nothing to apply: ") == true
                && inspected.message?.hasSuffix("; f gives it; A applies the 5 others") == true,
            "\(inspected.message ?? "")")
    }

    @Test("a on a row of no step applies none that is out of sight, and says what does")
    func onNoStep() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("G")
        #expect(!inspected.screen.contains("a apply"))
        inspected.press("a")
        #expect(inspected.applied == [] && inspected.opened?.step == nil)
        #expect(inspected.message == "this row is of no step; :apply next applies the next one")
        inspected.command("apply next")
        #expect(inspected.applied == ["anonymous-id"])
    }

    @Test("a step that builds on another asks whether that is to be applied with it")
    func earlier() throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        inspected.go(to: "remove-legacy")
        inspected.press("a")
        #expect(inspected.applied == [] && inspected.asked.isEmpty)
        let question = try #require(inspected.model.question)
        #expect(inspected.message?.contains("which come first") == true, "\(inspected.message ?? "")")
        #expect(question.steps.count > 1 && question.steps.last == "Remove legacy keys")
        inspected.press("y")
        #expect(inspected.applied.contains("remove-legacy") && inspected.applied.count == question.steps.count)
    }

    @Test("what could not be applied is named beside what was")
    func held() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rl_session_id": .string("x")], migrated: ["user_id": .string("z")]))
        inspected.press("A")
        #expect(inspected.message == "applied 6 steps; not: User ID (conflict), Session ID (failed)")
        inspected.press("a")
        #expect(inspected.message == "apply: no step has anything to do")
    }

    @Test(
        "a step that cannot be applied is not selected, and the footer does not offer it; one that is can be left out")
    func notSelectable() throws {
        var inspected = try Inspected(RudderStack.stores(["rl_session_id": .string("x")]))
        inspected.go(to: "session-id")
        #expect(!inspected.screen.contains("select"), "\(inspected.screen)")
        inspected.press("<Space>")
        #expect(inspected.message == "select: the step failed, so that it cannot be applied; its detail says why")
        #expect(inspected.opened?.selected == [] && inspected.opened?.step?.id == "session-id")
        inspected.press("g a k <Space>")
        #expect(inspected.message == "select: the step is applied", "\(inspected.screen)")
        inspected.go(to: "user-id")
        inspected.press("<Space>")
        inspected.command("apply user-id")
        inspected.command("rollback")
        inspected.model.opened?.selected = ["session-id"]
        inspected.go(to: "session-id")
        inspected.press("<Space>")
        #expect(inspected.opened?.selected == [])
    }

    @Test("Space selects and deselects a step and goes on; what was applied is no longer selected")
    func select() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("g <Space> <Space> <Space> k <Space>")
        #expect(inspected.opened?.selected == ["anonymous-id", "user-id"])
        #expect(inspected.opened?.cursor == 3)
        #expect(inspected.model.render().shows("●", styled: "badge"))
        inspected.press("s")
        #expect(inspected.opened?.selected == [])
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        inspected.press("G <Space>")
        #expect(inspected.message == "select: there is no step in this row")
    }

    @Test("roll back takes the last step, those after the one under the cursor, or all")
    func rollback() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a a a a u")
        #expect(target(inspected) == .last)
        #expect(inspected.message == "rolled back Session ID")
        #expect(inspected.opened?.step?.id == "session-id")
        #expect(inspected.applied == ["anonymous-id", "user-id", "traits"])
        inspected.go(to: "anonymous-id")
        inspected.press("U")
        #expect(target(inspected) == .entry(1))
        #expect(inspected.message == "rolled back Traits, User ID")
        #expect(inspected.applied == ["anonymous-id"])
        inspected.press("A")
        inspected.command("rollback to traits")
        #expect(target(inspected) == .step("traits"))
        #expect(inspected.applied == ["anonymous-id", "user-id", "traits"])
        inspected.command("rollback to rudderstack-v2:user-id")
        #expect(target(inspected) == .step("user-id", migration: "rudderstack-v2"))
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        inspected.command("rollback all")
        #expect(target(inspected) == .all)
        #expect(inspected.applied == [])
        #expect(inspected.plan?.steps.first?.status == .rolledBack)
        inspected.press("u")
        #expect(inspected.message == "rollback: nothing is applied")
    }

    @Test("rolling back to the last applied step says that nothing came after it")
    func rollbackToLast() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a U")
        #expect(inspected.message == "nothing was applied after it")
        #expect(inspected.applied == ["anonymous-id"])
        inspected.press("j U")
        #expect(inspected.message == "rollback-to-here: the step under the cursor is not applied")
    }

    @Test("a missing fact is asked for where it is missing, and the preview changes at once")
    func fact() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.identifierForVendor), size: Size(width: 120, height: 24))
        #expect(inspected.screen.contains("needs identifierForVendor"))
        inspected.go(to: "anonymous-id")
        inspected.press("f")
        #expect(inspected.model.prompt?.purpose == .fact(.identifierForVendor))
        #expect(inspected.screen.contains("a UUID, as 9B574574-74A7-4EDF-969D-164CB151B6C3"))
        inspected.type("nonsense")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.text == "nonsense", "the line stays, to be corrected")
        #expect(inspected.screen.contains("identifierForVendor is a UUID, for example"))
        #expect(inspected.plan?.steps.first?.outcome.kind == .blocked)
        inspected.press("<C-u>")
        inspected.type("00000000-AAAA-4000-8000-000000000000")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt == nil)
        #expect(
            inspected.message == "identifierForVendor is 00000000-AAAA-4000-8000-000000000000: differs in Anonymous ID")
        #expect(inspected.plan?.steps.first?.outcome.kind == .migrates)
        #expect(inspected.screen.contains("\"00000000-aaaa-"))
        #expect(inspected.applied == [], "giving a fact applies nothing")
    }

    @Test("a step that lacks several facts asks for one after the other")
    func chained() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.writeKey, .now, .uptime))
        inspected.go(to: "last-activity-time")
        inspected.press("f")
        for (name, value) in [(FactName.writeKey, "wk"), (.now, "1725000000"), (.uptime, "10000")] {
            #expect(inspected.model.prompt?.purpose == .fact(name))
            inspected.type(value)
            inspected.press("<Enter>")
        }
        #expect(inspected.model.prompt == nil)
        #expect(inspected.opened?.step?.id == "last-activity-time")
        #expect(inspected.opened?.step?.outcome.kind == .migrates)
        #expect(inspected.opened?.sides.migrated == [RudderStack.suite])
    }

    @Test("another profile asks the other migrations nothing anew, and comes to what a plan from the start comes to")
    func examinedOnce() throws {
        let asked = Mutex(0)
        let stores = RudderStack.stores()
        var inspected = try Inspected(
            stores, migrations: [RudderStack.migration, CountedMigration { asked.withLock { $0 += 1 } }])
        let first = asked.withLock { $0 }
        #expect(first > 0)
        inspected.command("profile sdk-1.2")
        inspected.command("migration counted")
        inspected.command("migration rudderstack-v2:sdk-1.2")
        #expect(asked.withLock { $0 } == first)
        let screen = inspected.screen
        inspected.press("r")
        #expect(asked.withLock { $0 } > first, "what is read again is asked again")
        #expect(inspected.screen.split(separator: "\n").dropLast(2) == screen.split(separator: "\n").dropLast(2))
    }

    /// A migration that tells when it is asked whether it applies.
    private struct CountedMigration: Migration {
        let id = "counted", title = "Counted", summary = ""
        let profiles = [Profile(id: "one", summary: "")]
        let facts: [FactDefinition] = []
        let note: @Sendable () -> Void
        func applies(to stores: any StoreReader, facts: Facts) -> Bool {
            note()
            return true
        }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    @Test("f asks for what any step lacks where the one under the cursor lacks nothing")
    func factOfAnother() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.go(to: "user-id")
        inspected.press("f")
        #expect(inspected.model.prompt?.purpose == .fact(.uptime))
    }

    @Test("another variant says which steps it does otherwise")
    func profile() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("p")
        #expect(inspected.opened?.profile?.id == "sdk-1.1")
        // The traits are a JSON string, which the SDK does not read.
        #expect(inspected.message == "sdk-1.1: differs in User ID, Traits, Session mode, Remove legacy keys")
        inspected.press("p")
        #expect(inspected.message == "sdk-1.2: differs in Last activity time")
        inspected.press("p")
        #expect(inspected.opened?.profile?.id == "documented")
        #expect(
            inspected.message
                == "documented: differs in User ID, Traits, Session mode, Last activity time, Remove legacy keys")
        inspected.command("profile documented")
        #expect(inspected.message == "documented: every step does the same")
    }

    @Test("which facts another program has changed is said with whatever has found it", arguments: ["r", "a", "a u"])
    func changedFacts(keys: String) throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.changedFacts = .fact(
                .changedMemory([GivenFact(name: "now", value: "12")], gone: ["uptime"], file: "l.facts"))
        }
        inspected.press(keys)
        let said = ". Another program has changed these facts: now=12, uptime not known any more"
        #expect(inspected.message?.hasSuffix(said) == true, "\(inspected.message ?? "")")
    }

    @Test("what is said behind something else follows one full stop, whether that has one or not")
    func oneFullStop() {
        #expect("planned again".followed(by: "More") == "planned again. More")
        #expect("Then try again.".followed(by: "More") == "Then try again. More")
    }

    @Test("of steps that stand another fact changes nothing, and that they were applied with others is said at once")
    func otherFactAtEnd() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("apply all")
        #expect(inspected.plan?.isAtEnd == true && !inspected.applied.isEmpty)
        inspected.command("fact uptime=5")
        #expect(inspected.plan?.badge?.words == "applied with other facts")
        #expect(
            inspected.message?.hasSuffix(": what is applied stays as it is, applied with other facts") == true,
            "\(inspected.message ?? "")")
        inspected.command("fact uptime=10000")
        #expect(inspected.message?.hasSuffix(": every step does the same") == true, "\(inspected.message ?? "")")
    }

    @Test("another variant says also which steps find otherwise what is there, and what would change tells of it")
    func profileFinding() throws {
        var inspected = try Inspected(
            RudderStack.stores(migrated: [
                "session_id": .string("1724990100"), "last_activity_time": .string("1724995000000"),
            ]), chosen: ("rudderstack-v2", "sdk-1.1"), size: Size(width: 140, height: 40))
        inspected.press("P")
        #expect(inspected.model.proposal?.profile == "sdk-1.2")
        let row = "skipped (has changed what 1 value means) as it is, skipped (there already) with it"
        #expect(inspected.screen.contains("Last activity time: \(row)"), "\(inspected.screen)")
        #expect(!inspected.screen.contains("Session ID"))
        inspected.press("<Esc> p")
        #expect(inspected.message == "sdk-1.2: differs in Last activity time")
    }

    @Test("a variant with fewer steps leaves no selection of steps that it has not")
    func profileSelection() throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        inspected.go(to: "remove-legacy")
        inspected.press("<Space> p p")
        #expect(inspected.opened?.profile?.id == "documented")
        #expect(inspected.opened?.selected == [])
    }

    @Test("what is open for reading only cannot be changed, and says why")
    func readOnly() throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.readOnlyReason = "open for reading only: another program has it"
        }
        for (key, name) in [("a", "apply"), ("A", "apply-all"), ("u", "rollback")] {
            inspected.press(key)
            #expect(inspected.asked.isEmpty)
            #expect(inspected.message == "\(name): open for reading only: another program has it")
        }
        #expect(inspected.screen.contains("read-only"))
    }

    @Test("a dump that has changed is named, and nothing is applied until the person decides")
    func drift() throws {
        var inspected = try Inspected(RudderStack.stores()) { $0.drift = [Drift("a.plist", .changed)] }
        #expect(inspected.screen.contains("the dump has changed"))
        inspected.press("a")
        #expect(inspected.asked.isEmpty)
        #expect(
            inspected.message
                == "Anonymous ID: the dump has changed since steps were applied: a.plist has changed. y applies all the same"
        )
        inspected.press("j")
        inspected.command("accept")
        #expect(inspected.message == "accept: nothing was asked", "another key drops the question")
        inspected.press("A y")
        let applying = try #require(inspected.asked.first as? Applying)
        #expect(applying.accepted == [Drift("a.plist", .changed)] && applying.selection == .all)
        inspected.command("rollback all")
        inspected.press("a")
        #expect(inspected.applied == ["anonymous-id"], "it is asked once")
    }

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

    @Test("what was applied before Esc is told, at whatever moment that comes")
    func stopped() throws {
        var ends: [String] = []
        for moment in 1...60 {
            var inspected = try Inspected(RudderStack.stores())
            inspected.performs = false
            inspected.press("a")
            inspected.performs = true
            let effect = try #require(inspected.asked.first), asked = Mutex(0)
            let control = EffectControl(isCancelled: {
                asked.withLock {
                    $0 += 1
                    return $0 >= moment
                }
            })
            inspected.send(effect.run(on: inspected.inspection, control))
            let message = try #require(inspected.message)
            #expect(message == (inspected.applied.isEmpty ? "stopped" : "applied Anonymous ID"))
            if asked.withLock({ $0 }) >= moment { ends.append(message) }
        }
        #expect(Set(ends) == ["stopped", "applied Anonymous ID"], "it was stopped before and after")
    }

    @Test("files that are found to have changed while exporting are asked about, with their names")
    func driftElsewhere() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.command("export out")
        inspected.performs = true
        let drift = [Drift("other.plist", .missing)]
        inspected.fail(.drift(drift))
        #expect(inspected.message?.contains("other.plist is missing. y exports all the same") == true)
        inspected.press("y")
        #expect((inspected.asked.first as? Exporting)?.accepted == drift)
        #expect(inspected.message?.hasPrefix("exported to out") == true)
    }

    @Test("files that changed just before steps are applied are asked about, and y goes on")
    func driftJustNow() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.press("a")
        inspected.performs = true
        let drift = [Drift("a.plist", .changed)]
        inspected.fail(.drift(drift))
        #expect(inspected.message?.contains("a.plist has changed") == true)
        inspected.press("y")
        #expect((inspected.asked.first as? Applying)?.accepted == drift)
    }

    @Test("what fails says why, and nothing else changes")
    func failed() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.press("a")
        inspected.performs = true
        inspected.fail(.ledger("/x", .full))
        #expect(inspected.model.message?.kind == .refused && inspected.message?.contains("/x") == true)
        #expect(inspected.model.busy == nil && inspected.applied == [])
    }

    @Test("a profile that the migration has not is told, and no other is taken in its place")
    func unknownProfile() throws {
        let inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-9"))
        #expect(inspected.model.message?.kind == .refused)
        #expect(inspected.message?.contains("The migration rudderstack-v2 has no profile “sdk-9”") == true)
        #expect(inspected.plan == nil)
    }

    @Test("export without a folder says what is missing, also after Enter")
    func exportWithoutFolder() throws {
        var inspected = try Inspected(RudderStack.stores())
        for keys in ["e", "<Enter>"] {
            inspected.press(keys)
            #expect(inspected.model.prompt?.text == "export " && inspected.screen.contains("name the folder to write"))
        }
    }

    @Test("export asks for a folder, and takes the one named")
    func export() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("e")
        #expect(inspected.model.prompt?.text == "export ")
        inspected.type("out here")
        inspected.press("<Enter>")
        let exporting = try #require(inspected.asked.first as? Exporting)
        #expect(exporting.path == "out here" && !exporting.isReplacing)
        #expect(inspected.message == "exported to out here, read back and compared")
        inspected.command("export! out")
        #expect((inspected.asked.first as? Exporting)?.isReplacing == true)
    }

    @Test("nothing that the person asks for overtakes what is being done")
    func nothingOvertakes() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.performs = false
        inspected.press("a")
        inspected.command("fact uptime=7")
        #expect(inspected.message == "still applying; Esc stops it")
        inspected.press("p")
        #expect(inspected.asked.isEmpty && inspected.opened?.profile?.id == "documented")
    }

    @Test("a fact that was given is taken back by giving nothing")
    func unset() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("fact uptime=")
        #expect(inspected.message == "uptime is not known: differs in Last activity time")
        #expect(inspected.plan?.summary[.blocked] == 1)
        #expect(inspected.model.prompt == nil)
    }

    @Test("a fact that is typed as a command is no answer to a question, and asks none")
    func factByName() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.uptime).without(.identifierForVendor))
        let waiting = try #require(
            inspected.plan?.steps.firstIndex {
                $0.outcome.reason?.missingFacts == [.identifierForVendor]
            })
        inspected.model.opened?.moveCursor(to: waiting)
        inspected.command("fact uptime=10000")
        #expect(inspected.model.prompt == nil && inspected.plan?.facts[.uptime]?.value == "10000")
        inspected.press("f")
        #expect(inspected.model.prompt != nil)
    }

    @Test("that another program has closed the ledger is told as that, and not as a change of it")
    func letGo() throws {
        var inspected = try Inspected(RudderStack.stores()) { $0.readOnlyReason = "another program has it open" }
        #expect(inspected.screen.contains("read-only"))
        inspected.workspace.isClosedElsewhere()
        inspected.press("j")
        #expect(!inspected.screen.contains("read-only"))
        #expect(inspected.message?.contains("has closed the ledger") == true, "\(inspected.message ?? "")")
        inspected.press("a")
        #expect(inspected.applied.count == 1)
    }

    @Test("what another program applies is seen with the next key")
    func followed() throws {
        var inspected = try Inspected(RudderStack.stores())
        #expect(inspected.screen.contains("0 of 9 steps applied"))
        try inspected.workspace.meanwhile { session, facts in
            try session.apply(
                .next, of: RudderStack.migration, profile: RudderStack.migration.profiles[0], facts: facts,
                stamp: .test,
                assuming: true)
        }
        inspected.press("j")
        #expect(
            inspected.screen.contains("1 of 9 steps applied")
                && inspected.message == "another program has changed the ledger"
        )
        inspected.press("j")
        #expect(inspected.message == nil)
    }

    @Test("an applied row shows the facts that it was applied with, and the words about a fact are not masked")
    func factsOfApplied() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 50))
        inspected.press("a")
        inspected.command("fact writeKey=other")
        #expect(inspected.screen.contains("writeKey is other: differs in"), "\(inspected.screen)")
        let step = try #require(
            inspected.plan?.steps.first { $0.status == .applied && $0.step.facts.contains(.writeKey) })
        inspected.model.opened?.moveCursor(toStep: step.id)
        inspected.press("<Tab> <Tab>")
        #expect(inspected.screen.contains("fact  writeKey wk  from entry 1 of the ledger"), "\(inspected.screen)")
        #expect(!inspected.screen.contains("writeKey other"))
        inspected.press("a")
        #expect(inspected.screen.contains(":fact writeKey=wk goes back to it"), "\(inspected.screen)")
    }

    @Test(
        "in another profile an applied row shows what the ledger holds, and the header counts it apart; before the next step it is said that that would be another"
    )
    func otherProfile() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.press("a a a")
        let held = (inspected.plan?.steps ?? []).prefix(3).map(\.changes)
        inspected.command("profile sdk-1.2")
        let shown = (inspected.plan?.steps ?? []).prefix(3)
        #expect(shown.map(\.status) == [.applied, .applied, .applied] && shown.map(\.changes) == held)
        #expect(inspected.screen.contains("0 of 10 steps applied · 3 with documented"), "\(inspected.screen)")
        #expect(inspected.screen.contains(" · applied with another profile (w)"))
        inspected.go(to: "user-id")
        let detail = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(detail.contains("it stands as the profile documented has made it"), "\(inspected.screen)")
        inspected.press("a")
        #expect(inspected.message?.contains("3 steps applied with the profile documented") == true)
        #expect(inspected.workspace.snapshot.history.entries.count == 3, "nothing before the answer")
        inspected.press("y")
        #expect(inspected.workspace.snapshot.history.entries.last?.profile == "sdk-1.2")
        #expect(inspected.screen.contains("1 of 10 steps applied · 3 with documented"), "\(inspected.screen)")
        inspected.command("profile documented")
        #expect(inspected.screen.contains("3 of 9 steps applied · 1 with sdk-1.2"), "\(inspected.screen)")
        inspected.press("A")
        #expect(
            inspected.message?.contains("1 step applied with the profile sdk-1.2") == true,
            "of the 4 that stand: \(inspected.message ?? "")")
    }

    @Test("where no step is left, nothing is said of where the next one would go")
    func atEnd() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.press("a a")
        inspected.command("profile sdk-1.1")
        inspected.press("A y")
        let plan = try #require(inspected.plan)
        #expect(plan.isAtEnd && !plan.departures.isEmpty, "\(inspected.screen)")
        #expect(!inspected.screen.contains("elsewhere"), "\(inspected.screen)")
        #expect(inspected.screen.contains("applied with another profile (w)"), "\(inspected.screen)")
        inspected.press("w")
        let page = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            page.contains("Steps were applied with the profile documented. :profile documented goes back"), "\(page)")
        #expect(!page.contains("elsewhere"))
    }

    @Test(
        "what a step wrote in another profile is no conflict in this one: the list, its filter, the page and the plan count it once"
    )
    func otherwiseIsNoConflict() throws {
        let stores = RudderStack.stores(["rs_user_id": .string("another than the traits have")])
        var inspected = try Inspected(stores, size: Size(width: 160, height: 45))
        inspected.command("apply user-id")
        inspected.command("profile sdk-1.1")
        let plan = try #require(inspected.plan)
        let step = try #require(plan.steps.first { $0.id == "user-id" })
        #expect(step.status == .applied && step.otherProfile == "documented" && plan.summary[.conflict] == nil)
        inspected.command("filter conflict")
        #expect(inspected.opened?.sheet.count == 0)
        inspected.command("filter all")
        #expect(inspected.screen.contains("0 of 10 steps applied · 1 with documented"), "\(inspected.screen)")
    }

    @Test(
        "what another profile has applied elsewhere, with another fact, counts with that profile though it is to be applied here"
    )
    func otherwiseElsewhere() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.command("apply user-id")
        inspected.command("fact writeKey=other")
        inspected.command("apply traits")
        inspected.press("y")
        #expect(inspected.workspace.snapshot.history.standing.count == 2, "\(inspected.message ?? "")")
        inspected.command("profile sdk-1.1")
        #expect(inspected.plan?.steps.first { $0.id == "user-id" }?.outcome.kind == .migrates)
        #expect(inspected.screen.contains("0 of 10 steps applied · 2 with documented"), "\(inspected.screen)")
        inspected.go(to: "user-id")
        let detail = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(detail.contains("documented has applied it differently"), "\(inspected.screen)")
    }

    @Test("what a fact changes in what a step lacks is a difference, though it waits all the same")
    func lacksLess() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.writeKey, .identifierForVendor))
        inspected.command("fact writeKey=wk")
        #expect(inspected.message?.contains("differs in Anonymous ID") == true, "\(inspected.message ?? "")")
    }

    @Test("times are typed as people write them, and the page of facts says when the device was rebooted")
    func times() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40)) {
            $0.facts[.downloadDate] = Fact("2024-08-30 06:39:58", from: .metadata("AppDataInfo.plist"))
        }
        func fact(_ name: FactName) -> Fact? { inspected.plan?.facts[name] }
        inspected.command("fact now=3h after the dump")
        #expect(fact(.now) == Fact("1725010798", from: .given("the inspector: 3h after the dump")))
        inspected.command("fact uptime=since 2024-08-30 06:39")
        #expect(fact(.uptime)?.value == "10858")
        inspected.press("F")
        #expect(inspected.screen.contains("rebooted at 2024-08-30T06:39:00Z"), "\(inspected.screen)")
        inspected.press("<Esc>")
        inspected.command("what-if now=2 days before the dump uptime=1h")
        #expect(inspected.screen.contains("now 2024-08-28T06:39:58Z, uptime 1h"), "\(inspected.screen)")
        inspected.press("!")
        #expect(fact(.now)?.value == "1724827198" && fact(.uptime)?.value == "3600")
        // What time it is is asked of the clock of whoever applies steps, and only where a person says so.
        inspected.command("fact now=now")
        #expect(
            fact(.now)?.value == "\(Int(LedgerEntry.Stamp.test.date.timeIntervalSince1970))",
            "\(fact(.now)?.value ?? "")")
        for (typed, says) in [
            ("uptime=since 2099-01-01", "later than the fact now"), ("now=3h later", "now is a number of seconds"),
            ("now=20240830", "for example"),
        ] {
            inspected.command("fact " + typed)
            #expect(inspected.message?.contains(says) == true, "\(typed): \(inspected.message ?? "")")
        }
        var undated = try Inspected(RudderStack.stores())
        undated.command("fact now=3h after the dump")
        #expect(undated.message == "now cannot be told from that: the dump does not say when it was made")
    }

    @Test("that the next steps would be made with another fact than the applied ones is told before, with the way back")
    func otherWay() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a a a")
        #expect(!inspected.screen.contains("applied with"))
        inspected.command("fact writeKey=other")
        #expect(inspected.screen.contains(" · applied with other facts (w)"), "\(inspected.screen)")
        inspected.press("w")
        let page = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            page.contains(
                "applied with writeKey wk, which now is other: the next ones would be made with what it is now"),
            "\(page)")
        inspected.press("<Esc> a")
        #expect(
            inspected.message
                == "Session ID: 3 steps applied with writeKey wk, which now is other (:fact writeKey=wk goes back to it). y applies all the same"
        )
        #expect(inspected.applied.count == 3)
        inspected.command("fact writeKey=wk")
        inspected.press("a")
        #expect(inspected.applied.count == 4)
        inspected.command("profile sdk-1.2")
        inspected.press("a")
        #expect(
            inspected.message?.contains(
                "4 steps applied with the profile documented (:profile documented goes back to it)")
                == true)
        inspected.press("y")
        #expect(inspected.model.message?.kind == .done)
    }

    @Test("it opens on the migration and the profile whose steps were applied last, which the counts are of")
    func reopened() throws {
        var first = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.2"))
        first.press("A")
        let count = first.applied.count
        let entries = try #require(first.opened?.snapshot.history.entries)
        let again = try Inspected(RudderStack.stores(), history: entries)
        #expect(again.opened?.profile?.id == "sdk-1.2")
        #expect(again.screen.contains("rudderstack-v2:sdk-1.2  \(count) of 10 steps applied"))
        #expect(!again.screen.contains("the app was removed before the update"))
        let chosen = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"), history: entries)
        #expect(chosen.opened?.profile?.id == "sdk-1.1", "who names one gets it")
    }

    @Test("the cursor stays on its row when applying removes rows above it")
    func cursorStays() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("G")
        #expect(inspected.opened?.row == .entry(RudderStack.legacy, key: "launches"))
        inspected.command("profile sdk-1.1")
        #expect(inspected.opened?.row == .entry(RudderStack.legacy, key: "launches"))
    }
}
