import MigrationEngine
import Reports
import Testing

@testable import Inspector

@Suite("The table of actions")
struct ActionTableTests {
    @Test("names are unique, and each finds its own action")
    func names() {
        #expect(Set(Action.all.map(\.name)).count == Action.all.count)
        for action in Action.all { #expect(Action.named(action.name)?.name == action.name) }
    }

    @Test("a key does one thing at a time, and finds its own action", arguments: Situation.allCases)
    func keys(situation: Situation) throws {
        var model = try situation.inspected().model
        for question in [nil, Question(concerns: [], intent: .apply(.next, ""))] {
            model.question = question
            for (key, actions) in Dictionary(grouping: Action.all.flatMap { a in a.keys.map { ($0, a) } }, by: \.0) {
                let possible = actions.map(\.1).filter { $0.disabledReason(model) == nil }
                // While a tree is shown, these are the tree's.
                let isOfTree = ["+", "="].contains { key == .character($0) } && model.reasonNoTree == nil
                #expect(possible.count <= 1 || isOfTree)
                #expect(actions.count == 1 || ["y", "+", "="].contains { key == .character($0) })
                #expect(Action.action(of: key, in: model)?.name == (possible.first ?? actions[0].1).name)
            }
        }
    }

    @Test("no action takes a digit, which begins a count")
    func digits() {
        let digits = (0...9).map { Key.character(Character(String($0))) }
        #expect(Set(digits).isDisjoint(with: Action.all.flatMap(\.keys)))
    }

    @Test("every key can be written in a script", arguments: Action.all.map(\.name))
    func notation(name: String) throws {
        for key in try #require(Action.named(name)).keys { #expect(Key(notation: key.notation) == key) }
    }

    @Test("every action says in one line of words what it does", arguments: Action.all.map(\.name))
    func help(name: String) throws {
        let action = try #require(Action.named(name))
        #expect(action.help.contains(" "), "one word says too little")
        #expect(!action.help.hasSuffix("."))
        #expect(Glyphs.ascii.displayText(action.help) == action.help)
        #expect(action.help.first?.isUppercase == false)
    }

    @Test("an action that has no key takes an argument or is there for one situation only")
    func keyless() {
        #expect(Action.all.filter(\.keys.isEmpty).map(\.name) == ["spec", "at", "app", "export!"])
    }

    @Test("what the footer may show has a key and a label")
    func footer() throws {
        let model = try Inspected(RudderStack.stores()).model
        #expect(!Action.footer.isEmpty)
        for action in Action.footer {
            // The next form of a value is one only where there is a value under the cursor.
            if action.name != "view" { #expect(action.label(model) != nil) }
            #expect(!action.keys.isEmpty)
        }
    }

    @Test("a beginning that one name alone has is enough, and one that several have is not")
    func beginnings() {
        #expect(Action.named("roll") == nil)
        #expect(Action.named("rollback-") != nil)
        #expect(Action.named("acc")?.name == "accept")
        #expect(Action.named("apply")?.name == "apply")
        #expect(Action.named("") == nil)
        #expect(Action.named("nothing") == nil)
    }

    /// The situations in which actions are refused.
    enum Situation: String, CaseIterable {
        case noApp, noMigration, nothingDone, readOnly, everythingApplied

        func inspected() throws -> Inspected {
            switch self {
            case .noApp:
                var inspected = try Inspected(
                    MemoryStores(), apps: AppList(title: "", apps: [.init(path: "a", identifier: "a", kind: "app")]))
                inspected.command("app")
                return inspected
            case .noMigration: return try Inspected(MemoryStores(), migrations: [])
            case .nothingDone: return try Inspected(RudderStack.stores())
            case .readOnly:
                return try Inspected(RudderStack.stores()) {
                    $0.readOnlyReason = "open for reading only: another has it"
                }
            case .everythingApplied:
                var inspected = try Inspected(RudderStack.stores())
                inspected.press("A")
                return inspected
            }
        }
    }

    @Test("an action that cannot be done says why in words, and does nothing", arguments: Situation.allCases)
    func disabled(situation: Situation) throws {
        let start = try situation.inspected()
        for action in Action.all {
            guard let reason = action.disabledReason(start.model) else { continue }
            #expect(reason.split(separator: " ").count >= 3, "\(action.name): \(reason)")
            #expect(reason.first?.isUppercase == false && !reason.hasSuffix("."))
            var inspected = start
            for key in action.keys.prefix(1) where Action.action(of: key, in: start.model)?.name == action.name {
                inspected.press(key)
                #expect(inspected.asked.isEmpty)
                #expect(inspected.message == "\(action.name): \(reason)")
                #expect(inspected.model.message?.kind == .refused)
                #expect(!inspected.model.hasQuit)
                #expect(inspected.model.prompt?.text == (action.asks ? action.name + " " : nil))
            }
        }
    }

    @Test("each situation refuses what it must")
    func refused() throws {
        func refused(_ situation: Situation) throws -> Set<String> {
            let model = try situation.inspected().model
            return Set(Action.all.filter { $0.disabledReason(model) != nil }.map(\.name))
        }
        let applying: Set = ["apply", "apply-selected", "apply-all"], undoing: Set = ["rollback", "rollback-to-here"]
        let none = try refused(.nothingDone)
        let viewing: Set = ["fold", "unfold", "fold-part", "columns-left", "columns-right"]
        #expect(
            none
                == undoing.union(viewing).union([
                    "apply-selected", "next-match", "previous-match", "accept", "take", "spec", "side", "back",
                    "forward",
                ]))
        #expect(try refused(.readOnly).isSuperset(of: applying.union(undoing)))
        #expect(try refused(.everythingApplied).isSuperset(of: applying))
        #expect(try refused(.everythingApplied).isDisjoint(with: undoing))
        #expect(try refused(.noMigration).isSuperset(of: applying.union(["fact", "profile", "select"])))
        #expect(try refused(.noApp).isSuperset(of: applying.union(undoing).union(["export", "migration"])))
    }

    @Test("looking and leaving are never refused", arguments: Situation.allCases)
    func alwaysThere(situation: Situation) throws {
        let model = try situation.inspected().model
        for name in ["help", "quit", "leave", "out", "in", "command", "reveal", "down", "up"] {
            #expect(try #require(Action.named(name)).disabledReason(model) == nil)
        }
    }
}
