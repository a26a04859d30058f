import MigrationEngine
import Reports

/// One thing that the person can do: the keys, the command, the help and the footer all come from here.
package struct Action: Sendable {
    /// The parts of the help.
    package enum Group: String, Sendable, CaseIterable {
        case moving = "Moving"
        case looking = "Looking"
        case migrating = "Migrating"
        case program = "Program"
    }

    /// The name, which is also the command after `:`.
    package let name: String
    /// What a command takes after its name, as the help writes it; empty where it takes nothing.
    package let argument: String
    /// The keys that do it.
    package let keys: [Key]
    /// The part of the help it stands in.
    package let group: Group
    /// What the footer calls it now; `nil` where it is not shown there.
    let label: @Sendable (Model) -> String?
    /// Whether its keys ask for a text, which is typed behind them.
    let asks: Bool
    /// What it does, in one line.
    package let help: String
    /// Whether the footer shows it now, where it can be done.
    let isUseful: @Sendable (Model) -> Bool
    /// Why it cannot be done now, or `nil`.
    let disabledReason: @Sendable (Model) -> String?
    /// Does it, with what followed the command's name.
    let perform: @Sendable (inout Model, String) -> [any Effect]

    init(
        _ name: String, _ keys: [Key], _ group: Group, argument: String = "", label: String? = nil,
        labelled: (@Sendable (Model) -> String?)? = nil, asks: Bool = false, help: String,
        useful: @escaping @Sendable (Model) -> Bool = { _ in true },
        disabled: @escaping @Sendable (Model) -> String? = { _ in nil },
        perform: @escaping @Sendable (inout Model, String) -> [any Effect]
    ) {
        self.name = name
        self.argument = argument
        self.keys = keys
        self.group = group
        self.label = labelled ?? { _ in label }
        self.asks = asks
        self.help = help
        isUseful = useful
        disabledReason = disabled
        self.perform = perform
    }
}

extension Action {
    /// Every action, in the order of the help.
    package static let all = moving + looking + migrating + program

    /// The actions of the footer, the most useful first.
    static let footer = [
        "accept", "out", "fact", "apply", "select", "apply-selected", "rollback", "in", "compare", "view", "search",
        "copy", "filter",
    ]
    .compactMap(named)

    /// The action of a name, or of a beginning that only one name has.
    static func named(_ name: String) -> Action? {
        if let exact = all.first(where: { $0.name == name }) { return exact }
        let matching = all.filter { $0.name.hasPrefix(name) }
        return matching.count == 1 && !name.isEmpty ? matching.first : nil
    }

    /// The action of a key: of those that share it, the one that can be done now.
    static func action(of key: Key, in model: Model) -> Action? {
        let actions = byKey[key] ?? []
        return actions.first { $0.disabledReason(model) == nil } ?? actions.first
    }

    private static let byKey = Dictionary(
        all.flatMap { action in action.keys.map { ($0, [action]) } }, uniquingKeysWith: +)
}

extension Model {
    /// Whether the apps of the dump are what is looked at.
    var isListingApps: Bool { page == nil && opened == nil && apps != nil }

    /// What going in does to the row under the cursor.
    fileprivate var labelOfGoingIn: String {
        if isComparing { return "details" }
        if let page { return page.subject == .facts ? "change" : "go there" }
        guard let opened, opened.focus == .sheet, case .store(let store)? = opened.row else { return "details" }
        return opened.unfolded.contains(store) ? "fold" : "unfold"
    }

    /// Does an action, or says why it cannot be done.
    mutating func perform(_ action: Action, argument: String = "") -> [any Effect] {
        // The question stands until it is answered, also by a command.
        if !["accept", "command", "fact"].contains(action.name) { question = nil }
        if let reason = action.disabledReason(self) {
            message = .refused("\(action.name): \(reason)")
            return []
        }
        return action.perform(&self, argument)
    }
}

extension Action {
    static let program = [
        Action("help", [.character("?"), .function(1)], .program, label: "help", help: "this help") { model, _ in
            model.show(.help)
            return []
        },
        Action("command", [.character(":")], .program, help: "type the name of an action; Tab completes it") {
            model, _ in
            model.prompt = Prompt(.command)
            return []
        },
        Action(
            "palette", [.control("p")], .program,
            help: "find an action, a step, a fact, a profile or an app by a few letters of it"
        ) { model, _ in
            model.prompt = Prompt(.palette)
            model.show(.palette(""))
            return []
        },
        Action(
            "mouse", [.character("M")], .program,
            help:
                "leave the mouse to the terminal, to select text with, or take it back; many let Shift select all the same"
        ) { model, _ in
            model.takesMouse.toggle()
            model.message = .done(
                model.takesMouse ? "the mouse moves the cursor" : "the mouse is the terminal's; M takes it back")
            return []
        },
        Action("redraw", [.control("l")], .program, help: "draw the screen again") { _, _ in [] },
        Action(
            "quit", [.character("q")], .program, label: "quit",
            help: "leave what covers the list, or else the program; what was applied stays"
        ) { model, _ in model.quit() },
        Action("leave", [.control("c")], .program, help: "leave the program from anywhere; what was applied stays") {
            model, _ in model.leave()
        },
    ]
}

extension Action {
    static let moving = [
        Action("down", [.character("j"), .down], .moving, help: "one row down; a number before it repeats it") {
            model, _ in model.move(.rows(1))
        },
        Action("up", [.character("k"), .up], .moving, help: "one row up") { model, _ in model.move(.rows(-1)) },
        Action("page-down", [.pageDown, .control("f"), .control("d")], .moving, help: "one screen down") {
            model, _ in model.move(.pages(1))
        },
        Action("page-up", [.pageUp, .control("b"), .control("u")], .moving, help: "one screen up") {
            model, _ in model.move(.pages(-1))
        },
        Action("top", [.character("g"), .home], .moving, help: "to the first row") { model, _ in model.move(.top) },
        Action("bottom", [.character("G"), .end], .moving, help: "to the last row") {
            model, _ in model.move(.bottom)
        },
        Action(
            "next-problem", [.character("]")], .moving,
            help: "to the next step, or row of the comparison, that needs attention"
        ) { model, _ in model.moveToProblem(forward: true) },
        Action("previous-problem", [.character("[")], .moving, help: "to the one before") {
            model, _ in model.moveToProblem(forward: false)
        },
        Action(
            "pane", [.tab, .backTab], .moving, help: "to the other pane", disabled: \.reasonNothingOpen
        ) { model, _ in
            model.opened?.focus.toggle()
            model.opened?.isZoomed = false
            return []
        },
        Action(
            "in", [.enter, .character("l"), .right], .moving,
            labelled: { model in
                model.opened == nil ? (model.apps?.selected == nil ? nil : "open") : model.labelOfGoingIn
            },
            help: "one level in: open the app, unfold the store, go to the detail, fill the screen with it",
            useful: { model in
                model.page.map { page in
                    page.cursor != nil || model.isComparing && model.comparison?.isZoomed == false
                } ?? true
            }
        ) { model, _ in model.goIn() },
        Action(
            "out", [.escape, .character("h"), .left], .moving,
            labelled: { model in
                guard model.isListingApps, let apps = model.apps else { return "back" }
                return apps.filter.isEmpty ? "stop" : "show all"
            },
            help: "one level out; stops what is running in the background",
            useful: {
                $0.question != nil || $0.page != nil || $0.opened?.focus == .detail || $0.opened?.isZoomed ?? false
                    || $0.opened?.filtering != nil
                    || $0.apps != nil
                        && ($0.opened != nil || $0.apps?.filter.isEmpty == false || $0.apps?.isExamining == true)
            }
        ) { model, _ in model.goOut() },
    ]
}

extension Action {
    static let looking = [
        Action(
            "search", [.character("/")], .looking, argument: "TEXT",
            labelled: { $0.isListingApps ? "filter" : "search" }, asks: true,
            help:
                "look for a text in keys, titles and values, or show the apps that have it; a capital letter makes case matter",
            disabled: { $0.page == nil && !$0.isListingApps ? $0.reasonNothingOpen : nil }
        ) { model, text in
            guard text.isEmpty else { return model.search(text, forward: true) }
            let isFilter = model.isListingApps
            model.prompt = Prompt(isFilter ? .filter : .search, text: isFilter ? model.apps?.filter ?? "" : "")
            return []
        },
        Action("next-match", [.character("n")], .looking, help: "to the next match", disabled: \.reasonNothingSought) {
            model, _ in model.search(model.searchText ?? "", forward: true)
        },
        Action(
            "previous-match", [.character("N")], .looking, help: "to the match before", disabled: \.reasonNothingSought
        ) { model, _ in model.search(model.searchText ?? "", forward: false) },
        Action(
            "filter", [.character("&")], .looking, argument: "[\(RowFilter.words.joined(separator: "|"))|all|TEXT]",
            label: "filter", asks: true,
            help: "show only the rows that are so or have the text; nothing, or all, shows all again",
            useful: { $0.page == nil || $0.isComparing },
            disabled: { $0.page == nil || $0.isComparing ? $0.reasonNotPlanned : "Esc closes this page first" }
        ) { model, typed in
            guard typed.isEmpty else { return model.filterRows(by: typed) }
            model.prompt = Prompt(.rows)
            return []
        },
        Action(
            "warnings", [.character("w")], .looking, help: "what is missing from the dump or cannot be read",
            disabled: { $0.isListingApps ? nil : $0.reasonNothingOpen }
        ) { model, _ in
            model.show(.warnings)
            return []
        },
        Action(
            "compare", [.character("c")], .looking, label: "compare",
            help: "what was there, what should have come, and what came: beside the dump that --compare names",
            useful: { $0.page == nil && $0.comparison != nil }, disabled: \.reasonNothingToCompare
        ) { model, _ in
            model.show(.comparison)
            return []
        },
        Action(
            "view", [.character("t")], .looking, argument: "[FORM]", labelled: { $0.nextForm?.rawValue },
            help: "look at the value as a tree, text, hexadecimal digits, or a table of rows",
            useful: { $0.page == nil }, disabled: \.reasonNotPlanned
        ) { model, form in model.look(as: form) },
        Action(
            "fold", [.character("-")], .looking, help: "fold the tree by one level", disabled: \.reasonNoTree
        ) { model, _ in model.foldTree(by: -1) },
        Action(
            "unfold", [.character("+"), .character("=")], .looking, help: "unfold the tree by one level",
            disabled: \.reasonNoTree
        ) { model, _ in model.foldTree(by: 1) },
        Action(
            "fold-part", [.character("o")], .looking, help: "fold or unfold the part under the cursor of the tree",
            disabled: \.reasonNoTree
        ) { model, _ in model.foldPart() },
        Action(
            "columns-left", [.character("<")], .looking, help: "move the table by one column to the left",
            disabled: \.reasonNoTable
        ) { model, _ in model.moveTable(by: -1) },
        Action(
            "columns-right", [.character(">")], .looking, help: "move the table by one column to the right",
            disabled: \.reasonNoTable
        ) { model, _ in model.moveTable(by: 1) },
        Action("reveal", [.character("v")], .looking, help: "show secrets, or mask them again") { model, _ in
            model.masking.isRevealing.toggle()
            model.message = .done(model.masking.isRevealing ? "secrets are shown" : "secrets are masked")
            return []
        },
        Action(
            "copy", [.character("y")], .looking, argument: "[PART]", label: "copy",
            help:
                "copy the value, the key or the address of the row, or the sentence for a ticket; what is masked stays so",
            useful: { $0.page == nil || $0.isComparing }, disabled: \.reasonNothingToCopy
        ) { model, part in model.copy(part) },
        Action(
            "copy-address", [.character("Y")], .looking, help: "copy the address of the row",
            disabled: \.reasonNothingToCopy
        ) { model, _ in model.copy(CopiedPart.address.rawValue) },
        Action(
            "facts", [.character("F")], .looking,
            help: "the facts that the steps are planned with: where they came from, and to be changed",
            disabled: \.reasonNoMigration
        ) { model, _ in
            model.show(.facts)
            return []
        },
        Action(
            "history", [.character("T")], .looking,
            help: "what was applied and rolled back: when, by whom, with which facts",
            disabled: \.reasonNothingOpen
        ) { model, _ in
            model.show(.history)
            return []
        },
        Action(
            "profile", [.character("p")], .looking, argument: "[NAME]",
            help: "the next profile of the migration, or the one named", disabled: \.reasonNoMigration
        ) { model, name in model.chooseProfile(name) },
        Action(
            "migration", [.character("m")], .looking, argument: "[NAME[:PROFILE]]",
            help: "the next migration, or the one named", disabled: \.reasonNothingOpen
        ) { model, name in model.chooseMigration(name) },
        Action(
            "reload", [.control("r"), .function(5)], .looking,
            help: "plan anew, on what the ledger and spec files hold now; in the list of apps, look at all again",
            disabled: { $0.isListingApps ? nil : $0.reasonNothingOpen }
        ) { model, _ in
            guard let opened = model.opened else {
                model.apps?.examineAgain()
                return []
            }
            return [Reloading(request: opened.request)]
        },
        Action("app", [], .looking, argument: "[NAME]", help: "back to the list of apps, or to the app named") {
            model, name in model.chooseApp(name)
        },
    ]
}

extension Action {
    static let migrating = [
        Action(
            "apply", [.character("a")], .migrating, argument: "[next|selected|all|STEP…]", label: "apply next",
            help: "apply the next step that has something to do, or the steps named", disabled: \.reasonNotApplicable
        ) { model, argument in model.apply(argument) },
        Action(
            "select", [.character(" ")], .migrating, label: "select", help: "select the step, or deselect it",
            disabled: { $0.opened?.step == nil ? "there is no step in this row" : nil }
        ) { model, _ in model.toggleSelection() },
        Action(
            "apply-selected", [.character("s")], .migrating, label: "apply selected", help: "apply the selected steps",
            disabled: { model in
                model.reasonNotApplicable
                    ?? (model.opened?.selected.isEmpty ?? true ? "no step is selected; Space selects one" : nil)
            }
        ) { model, _ in model.apply("selected") },
        Action(
            "apply-all", [.character("A")], .migrating, help: "apply every step that has something to do",
            disabled: \.reasonNotApplicable
        ) { model, _ in model.apply("all") },
        Action(
            "rollback", [.character("u")], .migrating, argument: "[last|to STEP|all]", label: "roll back",
            help: "take the last applied step back, or all of them down to a step", disabled: \.reasonNothingApplied
        ) { model, argument in model.rollBack(argument) },
        Action(
            "rollback-to-here", [.character("U")], .migrating,
            help: "take back every step applied after the one under the cursor",
            disabled: { model in
                model.reasonNothingApplied
                    ?? (model.opened?.step?.status == .applied ? nil : "the step under the cursor is not applied")
            }
        ) { model, _ in model.rollBackToStep() },
        Action(
            "fact", [.character("f")], .migrating, argument: "[NAME=VALUE]", label: "give fact", asks: true,
            help: "give the fact that the step lacks, or another on the page of facts; NAME= takes it back",
            useful: { $0.opened?.missingFact != nil || $0.question?.guesses.isEmpty == false },
            disabled: \.reasonNoMigration
        ) { model, argument in model.giveFact(argument) },
        Action(
            "accept", [.character("y")], .migrating, label: "go on", help: "go on with what was just asked",
            useful: { $0.question != nil }, disabled: { $0.question == nil ? "nothing was asked" : nil }
        ) { model, _ in model.accept() },
        Action(
            "export", [.character("e")], .migrating, argument: "[--unpacked] FOLDER", asks: true,
            help: "write the dump with what is applied to a new folder", disabled: \.reasonNothingOpen
        ) { model, path in
            guard path.isEmpty else { return model.export(to: path, replacing: false) }
            model.prompt = Prompt(.command, text: "export ")
            model.message = .done("name the folder to write; Tab: \(model.suggestedExport)")
            return []
        },
        Action(
            "export!", [], .migrating, argument: "FOLDER", help: "the same, replacing the folder if it exists",
            disabled: \.reasonNothingOpen
        ) { model, path in
            guard path.isEmpty else { return model.export(to: path, replacing: true) }
            model.prompt = Prompt(.command, text: "export! ")
            model.message = .done("name the folder to write; Tab: \(model.suggestedExport)")
            return []
        },
    ]
}
