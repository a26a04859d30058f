import MigrationEngine
import Reports

/// One thing that the person can do: the keys, the command, the help and the footer all come from here.
package struct Action: Sendable {
    /// The parts of the help.
    package enum Group: String, Sendable, CaseIterable {
        case moving = "Moving"
        case migrating = "Migrating"
        case looking = "Looking"
        case program = "Program"
    }

    /// The name, which is also the command after `:`.
    package let name: String
    /// What a command takes after its name, as the help writes it; empty where it takes nothing.
    package let argument: String
    /// The keys that do it, unless a person has set others.
    package let keys: [Key]
    /// The part of the help it stands in.
    package let group: Group
    /// What the footer calls it now; `nil` where it is not shown there.
    let label: @Sendable (Model) -> String?
    /// What the footer calls it on one row of the list or another: its place is kept on those where it is not shown.
    let labelsByRow: [String]
    /// Whether its keys ask for a text, which is typed behind them.
    let asks: Bool
    /// What it does, in a few words, for the help in columns.
    package let brief: String
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
        labelled: (@Sendable (Model) -> String?)? = nil, labelsByRow: [String] = [], asks: Bool = false, brief: String,
        help: String,
        useful: @escaping @Sendable (Model) -> Bool = { _ in true },
        disabled: @escaping @Sendable (Model) -> String? = { _ in nil },
        perform: @escaping @Sendable (inout Model, String) -> [any Effect]
    ) {
        self.name = name
        self.argument = argument
        self.keys = keys
        self.group = group
        self.label = labelled ?? { _ in label }
        self.labelsByRow = labelsByRow
        self.asks = asks
        (self.brief, self.help) = (brief, help)
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
        "accept", "take", "out", "side", "earlier", "later", "fact", "apply", "apply-selected", "rollback",
        "next-problem",
        "in",
        "mark", "difference", "compare", "copy", "search", "report", "view", "filter", "select",
    ]
    .compactMap(named)

    /// Whether it only says that something is still written, while it is.
    var waitsForWriting: Bool {
        ["take", "earlier", "later", "apply", "apply-selected", "rollback", "report"].contains(name)
    }

    /// What the commands outside of the inspector call an action.
    private static let otherNames = ["log": "history", "timeline": "history"]

    /// The action of a name, or of a beginning that only one name has.
    static func named(_ name: String) -> Action? {
        let name = otherNames[name] ?? name
        if let exact = all.first(where: { $0.name == name }) { return exact }
        let matching = all.filter { $0.name.hasPrefix(name) }
        return matching.count == 1 && !name.isEmpty ? matching.first : nil
    }

    /// The action of a key: of those that share it, the one that can be done now.
    static func action(of key: Key, in model: Model) -> Action? {
        let actions = model.settings.actions(of: key)
        return actions.first { $0.disabledReason(model) == nil } ?? actions.first
    }
}

extension Model {
    /// Whether the keys are those of the list of what was found.
    var isInList: Bool { page == nil && opened?.focus == .sheet && opened?.form == .details }

    /// Whether the apps of the dump are what is looked at.
    var isListingApps: Bool { page == nil && opened == nil && apps != nil }

    /// What going in does to the row under the cursor.
    fileprivate var labelOfGoingIn: String {
        if isComparing { return "details" }
        if let page { return page.subject == .facts ? "change" : "go there" }
        guard let opened, opened.focus == .sheet else { return "details" }
        switch opened.row {
        case .store(let store): return opened.unfolded.contains(store) ? "fold" : "unfold"
        case .noise(let store, _): return opened.view.noisy.contains(store) ? "fold" : "unfold"
        default: return "details"
        }
    }

    /// Where one comes to with the key that quits from the outermost level.
    fileprivate var labelOfQuitting: String? {
        if page != nil { return "back" }
        guard let opened else { return "quit" }
        if opened.focus == .detail || opened.isZoomed { return "list" }
        if opened.showsTimeline { return "now" }
        if busy?.isWriting ?? false { return "stop" }
        return apps == nil ? "quit" : "apps"
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
        Action("help", [.character("?"), .function(1)], .program, label: "help", brief: "this help", help: "this help")
        { model, _ in
            model.show(.help)
            return []
        },
        Action(
            "command", [.character(":")], .program, brief: "type a command",
            help: "type the name of an action; Tab completes it"
        ) {
            model, _ in
            model.prompt = Prompt(.command)
            return []
        },
        Action(
            "palette", [.control("p")], .program,
            brief: "find what can be done",
            help: "find an action, a step, a fact, a profile or an app by a few letters of it"
        ) { model, _ in
            model.prompt = Prompt(.palette)
            model.show(.palette(""))
            return []
        },
        Action(
            "mouse", [.character("M")], .program,
            brief: "mouse on or off",
            help:
                "leave the mouse to the terminal, to select text with, or take it back; many let Shift select all the same"
        ) { model, _ in
            model.takesMouse.toggle()
            model.message = .done(
                model.takesMouse
                    ? "the mouse moves the cursor" : "the mouse is the terminal's; \(model.key(.mouse)) takes it back")
            return []
        },
        Action("redraw", [.control("l")], .program, brief: "draw again", help: "draw the screen again") { model, _ in
            model.isToBeDrawnAnew = true
            return []
        },
        Action(
            "quit", [.character("q")], .program, labelled: \.labelOfQuitting,
            brief: "out; leave from the list",
            help: "leave what covers the list, or else the program; what was applied stays"
        ) { model, _ in model.quit() },
        Action(
            "leave", [.control("c")], .program, brief: "leave from anywhere",
            help: "leave the program from anywhere; what was applied stays"
        ) {
            model, _ in model.leave()
        },
    ]
}

extension Action {
    static let moving = [
        Action(
            "down", [.character("j"), .down], .moving, brief: "down; 10j: ten rows",
            help: "one row down; a number before it repeats it"
        ) {
            model, _ in model.move(.rows(1))
        },
        Action("up", [.character("k"), .up], .moving, brief: "up", help: "one row up") { model, _ in
            model.move(.rows(-1))
        },
        Action(
            "page-down", [.pageDown, .control("f"), .control("d")], .moving, brief: "a screen down",
            help: "one screen down"
        ) {
            model, _ in model.move(.pages(1))
        },
        Action(
            "page-up", [.pageUp, .control("b"), .control("u")], .moving, brief: "a screen up", help: "one screen up"
        ) {
            model, _ in model.move(.pages(-1))
        },
        Action("top", [.character("g"), .home], .moving, brief: "first row", help: "to the first row") { model, _ in
            model.move(.top)
        },
        Action("bottom", [.character("G"), .end], .moving, brief: "last row", help: "to the last row") {
            model, _ in model.move(.bottom)
        },
        Action(
            "next-problem", [.character("]")], .moving, label: "problem",
            brief: "next problem", help: "to the next step, row of the comparison, or warning, that needs attention",
            useful: { model in
                model.isComparing
                    ? model.comparison?.count ?? 0 > 0 && model.opened?.showsTimeline != true
                    : model.page == nil && model.opened?.view.needsAttention ?? false
                        && model.opened?.showsTimeline != true
            },
            disabled: \.reasonNoProblems
        ) { model, _ in model.moveToProblem(forward: true) },
        Action(
            "previous-problem", [.character("[")], .moving, brief: "problem before", help: "to the one before",
            disabled: \.reasonNoProblems
        ) { model, _ in model.moveToProblem(forward: false) },
        Action(
            "pane", [.tab, .backTab], .moving, brief: "the other pane", help: "to the other pane",
            disabled: { $0.reasonNothingOpen ?? ($0.page == nil ? nil : $0.reasonCovered) }
        ) { model, _ in
            model.opened?.focus.toggle()
            model.opened?.isZoomed = false
            return []
        },
        Action(
            "in", [.enter, .character("l"), .right], .moving,
            labelled: { model in
                model.opened == nil ? (model.apps?.selected == nil ? nil : "open") : model.labelOfGoingIn
            }, labelsByRow: ["details", "unfold", "fold"],
            brief: "in: open, unfold, detail",
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
            brief: "out; stops what runs", help: "one level out; stops what is running in the background",
            useful: {
                $0.question != nil || $0.page != nil || $0.opened?.showsTimeline ?? false || $0.opened?.focus == .detail
                    || $0.opened?.isZoomed ?? false
                    || $0.opened?.filtering != nil
                    || $0.apps != nil
                        && ($0.opened != nil || $0.apps?.filter.isEmpty == false || $0.apps?.isExamining == true)
            }
        ) { model, _ in model.goOut() },
        Action(
            "back", [.character("H"), .control("o")], .moving, brief: "back to where you were",
            help: "back to where you were: the app, row, page or detail before this one",
            disabled: { $0.reasonNoPlace(forward: false) }
        ) { model, _ in model.goToPlace(forward: false) },
        Action(
            "forward", [.character("L")], .moving, brief: "forward again",
            help: "forward again, after going back", disabled: { $0.reasonNoPlace(forward: true) }
        ) { model, _ in model.goToPlace(forward: true) },
    ]
}

extension Action {
    static let migrating = [
        Action(
            "apply", [.character("a")], .migrating, argument: "[next|selected|all|STEP…]",
            labelled: { model in
                model.opened?.stepToApply.map { $0.id == model.opened?.step?.id ? "apply" : "apply next" }
            }, labelsByRow: ["apply", "apply next"],
            brief: "apply the step",
            help:
                "apply the step under the cursor, where that is done the next one that has something to do, or the steps named",
            disabled: \.reasonNotApplicable
        ) { model, argument in model.apply(argument) },
        Action(
            "select", [.character(" ")], .migrating, label: "select", brief: "select the step",
            help: "select the step, or deselect it, and go to the next row", useful: \.isInList,
            disabled: \.reasonNotSelectable
        ) { model, _ in model.toggleSelection() },
        Action(
            "apply-selected", [.character("s")], .migrating, label: "apply selected", brief: "apply the selected steps",
            help: "apply the selected steps",
            disabled: { model in
                model.reasonNotApplicable
                    ?? (model.opened?.selected.isEmpty ?? true
                        ? "no step is selected; \(model.key(.select)) selects one" : nil)
            }
        ) { model, _ in model.apply("selected") },
        Action(
            "apply-all", [.character("A")], .migrating, brief: "apply all steps",
            help: "apply every step that has something to do",
            disabled: \.reasonNotApplicable
        ) { model, _ in model.apply(.all, "all") },
        Action(
            "rollback", [.character("u")], .migrating, argument: "[last|to STEP|all]", label: "roll back",
            brief: "roll back the last step",
            help: "undo: take the last applied step back, or all of them down to a step",
            disabled: \.reasonNothingApplied
        ) { model, argument in model.rollBack(argument) },
        Action(
            "rollback-to-here", [.character("U")], .migrating,
            brief: "roll back to here", help: "take back every step applied after the one under the cursor",
            disabled: { model in
                model.reasonNothingApplied
                    ?? (model.opened?.step?.status == .applied ? nil : "the step under the cursor is not applied")
            }
        ) { model, _ in model.rollBackToStep() },
        Action(
            "fact", [.character("f")], .migrating, argument: "[NAME=VALUE]", label: "fact", asks: true,
            brief: "give a missing fact",
            help: "give the fact that the step lacks, or another on the page of facts; NAME= takes it back",
            useful: { $0.opened?.missingFact != nil || $0.question?.guesses.isEmpty == false },
            disabled: \.reasonNoMigration
        ) { model, argument in model.giveFact(argument) },
        Action(
            "accept", [.character("y")], .migrating, label: "go on", brief: "go on after a question",
            help: "go on with what was just asked",
            useful: { $0.question != nil }, disabled: { $0.question == nil ? "nothing was asked" : nil }
        ) { model, _ in model.accept() },
        Action(
            "export", [.character("e")], .migrating, argument: "[--unpacked] FOLDER", asks: true,
            brief: "export to a folder", help: "write the dump with what is applied to a new folder",
            disabled: { $0.reasonNothingOpen ?? $0.reasonNotNow }
        ) { model, path in
            guard path.isEmpty else { return model.export(to: path, replacing: false) }
            return model.askForFolder("export", isNew: true)
        },
        Action(
            "export!", [], .migrating, argument: "FOLDER", brief: "export, replacing it",
            help: "the same, replacing the folder if it exists",
            disabled: { $0.reasonNothingOpen ?? $0.reasonNotNow }
        ) { model, path in
            guard path.isEmpty else { return model.export(to: path, replacing: true) }
            return model.askForFolder("export!", isNew: false)
        },
    ]
}
