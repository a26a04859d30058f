import Foundation
import MigrationEngine
import TestSupport
import Testing

@testable import Inspector

@Suite("Typing a line")
struct PromptTests {
    @Test("C-u takes what a command is given before it takes the command")
    func deleting() {
        var prompt = Prompt(.command, text: "export /a/b c")
        prompt.deleteToStart()
        #expect(prompt.text == "export ")
        prompt.deleteToStart()
        #expect(prompt.text == "")
        // The command that a key has put there stays, as the line still says what it asks for.
        var asked = Prompt(command: "export")
        asked.insert("a")
        asked.deleteToStart()
        asked.deleteToStart()
        #expect(asked.text == "export ")
        var fact = Prompt(.fact(.uptime), text: "3 h")
        fact.deleteToStart()
        #expect(fact.text == "")
    }

    @Test(
        "keys edit the line",
        arguments: [
            (":abc", "", "abc", 3), (":abc", "<Left> <Left> x", "axbc", 2), (":abc", "<Backspace>", "ab", 2),
            (":abc", "<Home> <Delete>", "bc", 0), (":abc", "<Delete>", "abc", 3),
            (":abc", "<C-a> x <C-e> y", "xabcy", 5),
            (":abc", "<Left> <C-u>", "c", 0), (":ab cd ", "<C-w>", "ab ", 3), (":ab cd", "<Left> <C-w>", "ab d", 3),
            (":abc", "<Left> <Left> <Left> <Left> <Left> x", "xabc", 1), (":abc", "<Right> <Right> x", "abcx", 4),
            (":abc", "<F3>", "abc", 3), (":", "é 作 👩", "é作👩", 3), ("/x", "q :", "xq:", 3),
        ])
    func editing(typed: String, keys: String, text: String, cursor: Int) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.type(typed)
        inspected.press(keys)
        #expect(inspected.model.prompt?.text == text)
        #expect(inspected.model.prompt?.shown(.unicode).beforeCursor.count == cursor)
    }

    @Test("why a value is refused stands over the line that is typed, with the forms of a date, at 40 and 80 columns")
    func refused() throws {
        for width in [40, 80] {
            var inspected = try Inspected(
                RudderStack.stores(), facts: .notes.without(.now), size: Size(width: width, height: 24))
            inspected.command("fact now=tomorrow")
            inspected.press("F")
            inspected.command("search now")
            inspected.press("<Enter>")
            inspected.type("yesterday")
            inspected.press("<Enter>")
            let screen = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(screen.contains("2024-08-30 10:00, or 3h after the dump"), "\(inspected.screen)")
            #expect(inspected.screen.contains("now = yesterday"), "\(inspected.screen)")
        }
    }

    @Test("an export suggests a name, which Tab takes; ~ is the person's own folder, as a shell has it")
    func exporting() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("e")
        #expect(inspected.message == "name the folder to write; Tab: com.acme.notes-migrated")
        inspected.press("<Tab>")
        #expect(inspected.model.prompt?.text.hasPrefix("export com.acme.notes-migrated") == true)
        let request = try #require(inspected.opened?.request)
        let home = try #require(ProcessInfo.processInfo.environment["HOME"])
        func path(_ typed: String) -> String? {
            ExportOrder(typed).map { Exporting($0, isReplacing: false, accepted: [], request: request).path }
        }
        #expect(path("~/t1") == home + "/t1" && path("--unpacked  ~/t1") == home + "/t1")
        #expect(path("~other/t1") == "~other/t1" && path("a~/b") == "a~/b")
        #expect(path("-u a") == nil && path("a --replace") == nil)
    }

    @Test("the cursor stands where the next character goes, whatever characters join")
    func joining() {
        let hard: [Character] = [
            "e", "\u{301}", "\u{200D}", "👩", "🏽", "🇩", "🇪", "\r", "\n", "\u{1100}", "\u{1161}", "a", " ", "\u{FE0F}",
        ]
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            var prompt = Prompt(.search)
            for _ in 0..<12 {
                switch Int.random(in: 0..<9, using: &random) {
                case 0: prompt.deleteBackward()
                case 1: prompt.deleteForward()
                case 2: prompt.move(by: .random(in: -3...3, using: &random))
                case 3: prompt.deleteWord()
                case 4: if Bool.random(using: &random) { prompt.deleteToStart() }
                default:
                    let character = hard.randomElement(using: &random) ?? "a"
                    prompt.insert(character)
                    #expect(
                        prompt.shown(.unicode).beforeCursor.utf8.reversed().starts(
                            with: String(character).utf8.reversed()))
                }
            }
        }
    }

    @Test("a character typed into the middle of others stands there")
    func inserted() {
        var prompt = Prompt(.search, text: "ab")
        prompt.move(by: -1)
        prompt.insert("\u{301}")
        #expect(prompt.text == "a\u{301}b")
        prompt.insert("x")
        #expect(prompt.text == "a\u{301}xb")
    }

    @Test("Backspace on an empty line, Esc and Ctrl-C leave it without doing anything")
    func leaving() throws {
        for keys in [": <Backspace>", ": q <Esc>", "/ x <C-c>"] {
            var inspected = try Inspected(RudderStack.stores())
            inspected.press(keys)
            #expect(inspected.model.prompt == nil)
            #expect(inspected.asked.isEmpty && !inspected.model.hasQuit)
        }
    }

    @Test("a line that is longer than the screen shows its cursor")
    func long() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 40, height: 12))
        inspected.press("/")
        for number in 0..<60 { inspected.type(number % 7 == 0 ? "作" : "x") }
        for keys in ["", "<Left> <Left> <Left>", "<Home>", "<End>"] {
            inspected.press(keys)
            let frame = inspected.model.render()
            let cursor = try #require(frame.cursor)
            #expect(cursor.y == 10 && (1..<40).contains(cursor.x))
            #expect(frame.rows[10].hasPrefix("/"))
        }
    }

    @Test("Up and Down walk through the commands, and come back to what was typed")
    func history() throws {
        var inspected = try Inspected(RudderStack.stores())
        for line in ["top", "bottom", "bottom", "down"] { inspected.command(line) }
        inspected.type(":mine")
        func text() -> String? { inspected.model.prompt?.text }
        inspected.press("<Down>")
        #expect(text() == "mine")
        for expected in ["down", "bottom", "top", "top"] {
            inspected.press("<Up>")
            #expect(text() == expected)
        }
        for expected in ["bottom", "down", "mine", "mine"] {
            inspected.press("<Down>")
            #expect(text() == expected)
        }
    }

    @Test("without commands before, Up leaves what was typed")
    func noHistory() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.type(":mine")
        inspected.press("<Up>")
        #expect(inspected.model.prompt?.text == "mine")
    }

    @Test(
        "Tab completes names of actions and what they take",
        arguments: [
            ("sea", "search "), ("roll", "rollback"), ("apply tra", "apply traits "), ("apply app", "apply app-"),
            ("apply traits us", "apply traits user-id "), ("profile do", "profile documented "),
            ("profile s", "profile sdk-1."), ("migration r", "migration rudderstack-v2 "),
            ("rollback l", "rollback last "),
            ("rollback to tr", "rollback to tr"), ("fact upt", "fact uptime="), ("zzz", "zzz"),
            ("apply zzz", "apply zzz"), ("down x", "down x"),
        ])
    func completion(typed: String, completed: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.type(":" + typed)
        inspected.press("<Tab>")
        #expect(inspected.model.prompt?.text == completed)
    }

    @Test(
        "a command that takes nothing is not done with something behind it",
        arguments: [("warnings all", "warnings takes nothing"), ("spec a.yaml", "--spec FILE")])
    func takesNothing(typed: String, said: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command(typed)
        #expect(inspected.message?.contains(said) == true && inspected.model.page == nil)
    }

    @Test("Tab completes a step to roll back to, of those that stand")
    func standing() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("apply traits")
        inspected.type(":rollback to tr")
        inspected.press("<Tab>")
        #expect(inspected.model.prompt?.text == "rollback to traits ")
    }

    @Test("what could follow is listed where there are several")
    func candidates() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.type(":profile sdk")
        inspected.press("<Tab>")
        #expect(inspected.message == "sdk-1.1  sdk-1.2", "not the command once more")
        inspected.press("<Esc>")
        for typed in [":re", ":apply ", "&"] {
            inspected.type(typed)
            inspected.press("<Tab>")
            let names = try #require(inspected.message).components(separatedBy: "  ")
            #expect(names.count > 2 && names == names.sorted(), "in one order")
            inspected.press("<Esc>")
        }
    }

    @Test(
        "of more candidates than there is room for it is said how many more there are", arguments: [(40, 12), (80, 24)])
    func moreCandidates(width: Int, height: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: height))
        inspected.type(":")
        inspected.press("<Tab>")
        let message = try #require(inspected.message), parts = message.components(separatedBy: "  ")
        let more = try #require(
            parts.last.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") }, "\(message)")
        #expect(parts.count - 1 + more == Action.all.count)
        let words = inspected.screen.split(whereSeparator: \.isWhitespace)
        #expect(words.contains("more"), "it is on the screen as a whole: \(inspected.screen)")
    }

    @Test("blanks and lines' ends around what is looked for or filtered by are no part of it")
    func pastedBlanks() throws {
        var inspected = try Inspected(RudderStack.stores())
        for key in ["/", "&"] {
            inspected.press(key)
            inspected.send(.terminal(.paste(" dropped\n")))
            inspected.press("<Enter>")
        }
        #expect(inspected.opened?.searchText == "dropped")
        #expect(inspected.opened?.filtering?.filter == .fate(.effect(.dropped)))
        inspected.command("filter  dropped ")
        #expect(inspected.opened?.filtering?.filter == .fate(.effect(.dropped)))
        #expect(RowFilter("\" dropped \"") == .text(" dropped "), "in quotation marks they are")
        inspected.press("/")
        inspected.send(.terminal(.paste("jane\n")))
        #expect(inspected.model.markedText == "jane")
    }

    @Test(
        "the page of the timeline is also called as the command outside, and as the page is",
        arguments: ["log", "timeline"])
    func otherNames(name: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command(name)
        #expect(inspected.model.page?.subject == .history)
    }

    @Test("a completed line does what the whole word does", arguments: ["apply al", "profile sdk-1.2", "rollback al"])
    func completedLine(line: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a")
        inspected.type(":" + line)
        inspected.press("<Tab> <Enter>")
        #expect(inspected.model.message?.kind == .done, "\(inspected.message ?? "")")
    }

    @Test(
        "a command that is not there, or could be several, says so",
        arguments: [
            ("xyz", "there is no command “xyz”; ? lists them"),
            ("roll", "“roll” could be rollback, rollback-to-here"),
            ("apply everything", "there is no step “everything”; the steps are anonymous-id, user-id, traits, "),
            ("apply selected", "no step is selected; Space selects one"),
            ("rollback last now", "rollback takes “last”, “all” or “to STEP”"),
            ("fact", "every fact that a step asks for is known"), ("fact now", "fact takes NAME=VALUE"),
            ("fact colour=red", "this migration asks for no fact “colour”; it asks for bundleIdentifier, "),
            ("profile v9", "there is no profile “v9”; there are documented, sdk-1.1, sdk-1.2"),
            ("migration v9", "there is no migration “v9”; there are rudderstack-v2"),
            ("migration rudderstack-v2:v9", "there is no profile “v9”; there are documented"),
            ("app x", "this dump holds one app"),
        ])
    func refused(line: String, message: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a")
        inspected.command(line)
        #expect(inspected.message?.hasPrefix(message) == true, "\(inspected.message ?? "")")
        #expect(inspected.asked.isEmpty)
    }

    @Test("pasted text goes into the line that is typed, and never stands for keys")
    func pasted() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.send(.terminal(.paste("Alice asked: quit?\nq")))
        #expect(inspected.applied == [] && inspected.model.prompt == nil && !inspected.model.hasQuit)
        #expect(inspected.message?.hasPrefix("pasted text is taken only into a line") == true)
        inspected.press(":")
        inspected.send(.terminal(.paste("search rs_\nuser_id")))
        #expect(inspected.model.prompt?.text == "search rs_ user_id", "it is not entered either")
    }

    @Test("a fact that is pasted with its line's end is taken without it")
    func pastedFact() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.identifierForVendor))
        let identifier = "9B574574-74A7-4EDF-969D-164CB151B6C3"
        inspected.press("f")
        inspected.send(.terminal(.paste(" \(identifier)\n")))
        inspected.press("<Enter>")
        #expect(inspected.opened?.plan?.facts[.identifierForVendor]?.value == identifier, "\(inspected.screen)")
    }

    @Test("an empty line does nothing")
    func empty() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press(": <Enter> / <Enter>")
        inspected.command("   ")
        #expect(inspected.message == nil && inspected.asked.isEmpty && inspected.model.prompt == nil)
    }
}
