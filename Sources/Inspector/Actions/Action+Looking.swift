import Reports

extension Action {
    static let looking = [
        Action(
            "search", [.character("/")], .looking, argument: "TEXT", label: "search",
            help: "look for a text in keys, titles and values; a capital letter makes case matter",
            disabled: { $0.page == nil ? $0.reasonNothingOpen : nil }
        ) { model, text in
            guard text.isEmpty else { return model.search(text, forward: true) }
            model.prompt = Prompt(.search)
            return []
        },
        Action("next-match", [.character("n")], .looking, help: "to the next match", disabled: \.reasonNothingSought) {
            model, _ in model.search(model.searchText ?? "", forward: true)
        },
        Action(
            "previous-match", [.character("N")], .looking, help: "to the match before", disabled: \.reasonNothingSought
        ) { model, _ in model.search(model.searchText ?? "", forward: false) },
        Action(
            "warnings", [.character("w")], .looking, help: "what is missing from the dump or cannot be read",
            disabled: \.reasonNothingOpen
        ) { model, _ in
            model.page = Page(subject: .warnings)
            return []
        },
        Action("reveal", [.character("v")], .looking, help: "show secrets, or mask them again") { model, _ in
            model.masking.isRevealing.toggle()
            model.message = .done(model.masking.isRevealing ? "secrets are shown" : "secrets are masked")
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
            "reload", [.control("r"), .function(5)], .looking, help: "plan anew, on what the ledger holds now",
            disabled: \.reasonNothingOpen
        ) { model, _ in
            guard let opened = model.opened else { return [] }
            return [Reloading(request: opened.request)]
        },
        Action("app", [], .looking, argument: "[NAME]", help: "back to the list of apps, or to the app named") {
            model, name in model.chooseApp(name)
        },
    ]
}
