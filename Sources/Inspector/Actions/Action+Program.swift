extension Action {
    static let program = [
        Action("help", [.character("?"), .function(1)], .program, label: "help", help: "this help") { model, _ in
            model.page = Page(subject: .help)
            return []
        },
        Action("command", [.character(":")], .program, help: "type the name of an action; Tab completes it") {
            model, _ in
            model.prompt = Prompt(.command)
            return []
        },
        Action("redraw", [.control("l")], .program, help: "draw the screen again") { _, _ in [] },
        Action(
            "quit", [.character("q"), .control("c")], .program, label: "quit", help: "leave; what was applied stays"
        ) {
            model, _ in
            model.hasQuit = true
            return []
        },
    ]
}
