import Reports
import Testing

@testable import Inspector

/// What a person sets: keys, colours, the mouse.
@Suite("The file of settings")
struct SettingsTests {
    private func inspected(_ text: String) throws -> Inspected {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.model = try inspected.inspection.start(
            container: nil, size: Size(width: 120, height: 40), glyphs: .unicode, masking: Masking(),
            settings: Settings(parsing: text))
        inspected.send(.started)
        return inspected
    }

    @Test("a key that is set does its action, the table's key no longer; the help, the footer and the palette show it")
    func keys() throws {
        var inspected = try inspected("# mine\n\nkey facts = z Z\nkey quit = <F9>\nkey apply-all =\n")
        inspected.press("F")
        #expect(inspected.message == "F does nothing here; ? shows what does")
        inspected.press("A")
        #expect(inspected.applied.isEmpty)
        inspected.press("Z")
        #expect(inspected.model.page?.subject == .facts)
        #expect(inspected.screen.contains("<F9> back"))
        inspected.press("<F9> ?")
        let lines = inspected.screen.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.contains("z Z") && $0.contains("facts") }, "\(inspected.screen)")
        #expect(lines.contains { $0.contains(":apply-all") })
        inspected.press("<Esc> <C-p>")
        inspected.type("facts")
        #expect(inspected.screen.contains("z  the facts that"), "\(inspected.screen)")
    }

    @Test("a key that one action is given is taken from the one that had it")
    func taken() throws {
        var inspected = try inspected("key facts = q")
        inspected.press("q")
        #expect(inspected.model.page?.subject == .facts && !inspected.model.hasQuit)
        #expect(inspected.model.settings.keys(of: try #require(Action.named("quit"))).isEmpty)
        // One way out nobody can take away.
        var closed = try self.inspected("key leave =\nkey quit =\nkey out=")
        closed.press("<C-c>")
        #expect(closed.model.hasQuit)
    }

    @Test("sentences and footers name the person's keys, and of what has none the command", arguments: [true, false])
    func named(isOwn: Bool) throws {
        for action in NamedAction.allCases { #expect(Action.named(action.rawValue)?.name == action.rawValue) }
        let own = """
            key fact = <F2>
            key out = <F3>
            key in = <F4>
            key warnings = <F5>
            key accept =
            key help = <F6>
            key filter = <F7>
            key select =
            key difference = <C-d>
            key page-down = <PageDown>
            key reveal = <F8>
            key take = <F9>
            key copy = <F10>
            """
        var inspected = try Inspected(
            RudderStack.stores(["password": .string("hunter2")]),
            facts: .notes.without(.writeKey, .uptime), size: Size(width: 160, height: 45)
        ) { $0.warnings = ["there is one"] }
        inspected.model = try inspected.inspection.start(
            container: nil, size: Size(width: 160, height: 45), glyphs: .unicode, masking: Masking(),
            settings: isOwn ? Settings(parsing: own) : .standard)
        inspected.send(.started)
        func says(_ mine: String, _ standard: String, _ line: Int = #line) {
            let words = isOwn ? mine : standard, all = inspected.screen + (inspected.message ?? "")
            #expect(all.contains(words), "line \(line): \(words) in\n\(all)")
        }
        says("1 warning (F5)", "1 warning (w)")
        says("F2 gives it", "f gives it")
        inspected.command("facts")
        says("F4 changes the fact", "Enter changes the fact")
        inspected.press("a")
        says("F3 closes this page first", "Esc closes this page first")
        inspected.command("out")
        inspected.press("@")
        says("F6 shows what does", "? shows what does")
        inspected.command("filter nothing has this")
        says("no row matches; F7 with nothing", "no row matches; & with nothing")
        inspected.command("filter all")
        inspected.command("what-if uptime=5000")
        says("F9 takes it, F3 leaves it", "! takes it, Esc leaves it")
        inspected.command("out")
        inspected.command("fact writeKey=wk")
        inspected.command("apply selected")
        says(":select selects one", "Space selects one")
        inspected.command("mark")
        says("Ctrl-D shows what differs", "d shows what differs")
        inspected.command("at end")
        inspected.command("apply")
        says("F3 comes back to that", "Esc comes back to that")
        inspected.command("at now")
        inspected.command("out")
        inspected.command("fact now=")
        inspected.command("search password")
        inspected.command("view text")
        says("F8 shows secrets", "v shows secrets")
        inspected.command("copy sentence")
        says("F10 p shows it", "y p shows it")
    }

    @Test("a question names the person's keys, and a locked dump is asked about with Enter whatever goes in elsewhere")
    func questions() throws {
        var inspected = try inspected("key accept = <F7>\nkey in = z\nkey fact = <F8>")
        inspected.command("apply next")
        inspected.command("fact writeKey=other")
        inspected.command("apply next")
        #expect(inspected.message?.hasSuffix(". F7 applies all the same") == true, "\(inspected.message ?? "")")
        let words = AdviceWords.keys(inspected.model.settings)
        #expect(words(.acceptDrift) == "F7 goes on all the same" && words(.givePassword) == "the line below takes it")
        #expect(words(.giveFact(.now, example: "", meaning: "when")) == "now: when; F8 gives it")
        #expect(AdviceWords.keys(.standard)(.acceptDrift) == "y goes on all the same")
    }

    @Test(
        "a colour that is set stands in place of the theme's, also where there are no colours; the mouse stays the terminal's"
    )
    func looks() throws {
        let settings = try Settings(
            parsing: "colour problem = magenta bold\ncolor match = black on yellow\nmouse = off")
        let look = Theme.look(of: Style(.problem), settings.looks)
        #expect(look.foreground == .magenta && look.isBold && look.background == nil)
        #expect(Theme.look(of: Style(.match), settings.looks).monochrome.isReversed)
        #expect(Theme.look(of: Style(.key), settings.looks) == Theme.look(of: Style(.key)))
        #expect(try inspected("mouse = off").model.takesMouse == false)
        #expect(try Settings(parsing: "mouse=off").takesMouse == false)
        #expect(Model(size: Size(width: 80, height: 24)).takesMouse)
    }

    @Test(
        "a mistake is told with its line and what to write instead; all of them at once",
        arguments: [
            ("key aply = a", "there is no action “aply”; did you mean apply?"),
            ("key zzzzzzzz = a", "? in the inspector lists them"),
            ("keys apply = a", "there is no setting “keys”; did you mean key?"),
            ("key apply a", "write it as: key difference = d D"),
            ("key apply = <Entr>", "“<Entr>” is not a key; keys are written"),
            ("key apply = 5", "begins a number"), ("key apply = <C-c>", "leaves the program wherever one is"),
            ("key apply = x x", "gives x to apply already"),
            ("colour problm = red", "there is no kind of text “problm”; did you mean problem?"),
            ("colour problem = rde", "there is no colour “rde”; did you mean red?"),
            ("colour problem = black on", "behind “on” stands a colour"),
            ("colour problem =", "write a colour, or plain"),
            ("colour problem = red on bold", "there is no colour “bold”"),
            ("mouse = of", "write mouse = on, or mouse = off"),
            ("mouse = on\nmouse = off", "the mouse is set in a line above"),
        ])
    func mistakes(text: String, says: String) throws {
        let problems = try #require(throws: SettingsProblems.self) {
            try Settings(parsing: "# one\n" + text + "\nnonsense")
        }
        #expect(problems.all.count == 2, "\(problems.all)")
        #expect(problems.all.first?.sentence.contains(says) == true, "\(problems.all)")
        #expect(problems.all.first?.line == (text.contains("\n") ? 3 : 2))
    }

    @Test("every action and every role can be set")
    func complete() throws {
        for action in Action.all { #expect(throws: Never.self) { try Settings(parsing: "key \(action.name) = <F12>") } }
        for role in Role.allCases {
            #expect(try Settings(parsing: "colour \(role.rawValue) = plain").looks[role] == Theme.Look())
        }
    }
}

/// The help in columns.
@Suite("The help in columns")
struct HelpColumnsTests {
    @Test(
        "at 120×40 every action and sign stands on the first page, in ASCII too", arguments: [Glyphs.unicode, .ascii])
    func onePage(glyphs: Glyphs) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40), glyphs: glyphs)
        inspected.press("?")
        let screen = inspected.screen
        for action in Action.all {
            #expect(screen.contains(action.brief), "\(action.name)")
            let key = action.keys.first?.notation ?? ":\(action.name)"
            #expect(screen.contains(key), "\(key)")
        }
        for group in Action.Group.allCases { #expect(screen.contains(group.rawValue)) }
        #expect(screen.contains("Between the sides") && screen.contains("nobody entered it"), "\(screen)")
    }

    @Test("the words of each are short, and no two of them the same")
    func brief() {
        for action in Action.all {
            #expect(action.brief.count <= 24 && !action.brief.isEmpty, "\(action.name)")
            #expect(action.brief.first?.isUppercase == false && !action.brief.hasSuffix("."))
        }
        #expect(Set(Action.all.map(\.brief)).count == Action.all.count)
    }

    @Test(
        "on a narrow screen each action is told in full, and below the columns on a wide one", arguments: [50, 80, 120])
    func inFull(width: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: 24))
        inspected.press("?")
        inspected.command("search recalls nothing")
        let lines = HelpPage.lines(inspected.model).map { $0.map(\.text).joined() }
        #expect(lines.contains { $0.contains(":what-if [NAME=VALUE…]") })
        let columns = HelpPage.columns(inspected.model)
        #expect(columns.isEmpty == (width < 77))
        #expect(columns.allSatisfy { inspected.model.glyphs.columns($0.map(\.text).joined()) <= width })
    }
}
