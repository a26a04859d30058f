import Reports

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
        Action("next-problem", [.character("]")], .moving, help: "to the next step that needs attention") {
            model, _ in model.moveToProblem(forward: true)
        },
        Action("previous-problem", [.character("[")], .moving, help: "to the step before that needs attention") {
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
            "in", [.enter, .character("l"), .right], .moving, label: "details",
            help: "one level in: open the app, unfold the store, go to the detail, fill the screen with it",
            useful: { $0.page == nil }
        ) { model, _ in model.goIn() },
        Action(
            "out", [.escape, .character("h"), .left], .moving, label: "back",
            help: "one level out; stops what is running in the background",
            useful: {
                $0.question != nil || $0.page != nil || $0.opened?.focus == .detail || $0.opened?.isZoomed ?? false
            }
        ) { model, _ in model.goOut() },
    ]
}
