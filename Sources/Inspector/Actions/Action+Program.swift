import Reports

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
            "quit", [.character("q")], .program, label: "quit",
            help: "leave what covers the list, or else the program; what was applied stays"
        ) { model, _ in model.quit() },
        Action("leave", [.control("c")], .program, help: "leave the program from anywhere; what was applied stays") {
            model, _ in model.leave()
        },
    ]
}
