import MigrationEngine
import Reports

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
        ) { model, _ in model.rollBack("to \(model.opened?.step?.id ?? "")") },
        Action(
            "fact", [.character("f")], .migrating, argument: "[NAME=VALUE]", label: "give fact",
            help: "give the fact that the step lacks, or any other; NAME= takes it back",
            useful: { $0.opened?.missingFact != nil || $0.question?.guesses.isEmpty == false },
            disabled: \.reasonNoMigration
        ) { model, argument in model.giveFact(argument) },
        Action(
            "accept", [.character("y")], .migrating, label: "go on", help: "go on with what was just asked",
            useful: { $0.question != nil }, disabled: { $0.question == nil ? "nothing was asked" : nil }
        ) { model, _ in model.accept() },
        Action(
            "export", [.character("e")], .migrating, argument: "FOLDER",
            help: "write the dump with what is applied to a new folder", disabled: \.reasonNothingOpen
        ) { model, path in
            guard path.isEmpty else { return model.export(to: path, replacing: false) }
            model.prompt = Prompt(.command, text: "export ")
            return []
        },
        Action(
            "export!", [], .migrating, argument: "FOLDER", help: "the same, replacing the folder if it exists",
            disabled: \.reasonNothingOpen
        ) { model, path in
            guard path.isEmpty else { return model.export(to: path, replacing: true) }
            model.prompt = Prompt(.command, text: "export! ")
            return []
        },
    ]
}
