import MigrationEngine
import Reports

extension Action {
    static let looking = [
        Action(
            "search", [.character("/")], .looking, argument: "TEXT",
            labelled: { $0.isListingApps ? "filter" : "search" }, asks: true,
            brief: "search",
            help:
                "look for a text in keys, titles, values and the detail, while it is typed, or show the apps that have it; a capital letter makes case matter",
            disabled: { $0.page == nil && !$0.isListingApps ? $0.reasonNothingOpen : nil }
        ) { model, text in
            guard text.isEmpty else { return model.search(text, forward: true) }
            let isFilter = model.isListingApps
            model.prompt = Prompt(isFilter ? .filter : .search, text: isFilter ? model.apps?.filter ?? "" : "")
            model.searchOrigin = isFilter ? nil : SearchOrigin(model)
            return []
        },
        Action(
            "next-match", [.character("n")], .looking, brief: "next match", help: "to the next match",
            disabled: \.reasonNothingSought
        ) {
            model, _ in model.search(model.searchText ?? "", forward: true)
        },
        Action(
            "previous-match", [.character("N")], .looking, brief: "match before", help: "to the match before",
            disabled: \.reasonNothingSought
        ) { model, _ in model.search(model.searchText ?? "", forward: false) },
        Action(
            "filter", [.character("&")], .looking, argument: "[\(RowFilter.words.joined(separator: "|"))|all|TEXT]",
            label: "filter", asks: true,
            brief: "show only some rows",
            help: "show only the rows that are so or have the text; nothing, or all, shows all again",
            useful: { $0.isInList || $0.isComparing },
            disabled: { $0.page == nil || $0.isComparing ? $0.reasonNotPlanned : $0.reasonCovered }
        ) { model, typed in
            guard typed.isEmpty else { return model.filterRows(by: typed) }
            model.prompt = Prompt(.rows)
            return []
        },
        Action(
            "warnings", [.character("w")], .looking, brief: "warnings",
            help: "what is missing from the dump or cannot be read",
            disabled: { $0.isListingApps ? nil : $0.reasonNothingOpen }
        ) { model, _ in
            model.show(.warnings)
            return []
        },
        Action(
            "report", [.character("R")], .looking, argument: "[FILE]", label: "report",
            brief: "report for a ticket",
            help:
                "what a ticket says of the app, as `vestige report` has it: on a page, or written to a new file (.md, .html, or text)",
            // In the detail its forms are what is wanted.
            useful: \.isInList,
            disabled: { $0.reasonNotPlanned }
        ) { model, path in model.report(to: path) },
        Action(
            "verify", [.character("V")], .looking,
            brief: "check what was applied",
            help:
                "compare the dump and the ledger with what the applied steps would do once more, as `vestige verify` does",
            disabled: { $0.reasonNotPlanned }
        ) { model, _ in model.verify() },
        Action(
            "compare", [.character("c")], .looking, argument: "[DUMP]", label: "compare", asks: true,
            brief: "beside another dump",
            help: "what was there, what should have come, and what came: beside a dump made after the update",
            useful: { $0.page == nil && $0.otherDump != nil }, disabled: \.reasonNotPlanned
        ) { model, path in model.compare(with: path) },
        Action(
            "spec", [], .looking, brief: "a migration for this app",
            help: "how a migration for this app is written, from this dump or from two",
            disabled: { model in
                model.reasonNotPlanned
                    ?? (model.opened?.plan == nil
                        ? nil : "a migration is in view; `vestige specs new DUMP` drafts another one")
            }
        ) { model, _ in
            model.show(.warnings)
            return []
        },
        Action(
            "view", [.character("t")], .looking, argument: "[FORM]", labelled: { $0.nextForm?.rawValue },
            labelsByRow: ValueForm.allCases.filter { $0 != .details }.map(\.rawValue),
            brief: "tree, text, hex, table",
            help: "look at the value as a tree, text, hexadecimal digits, or a table of rows",
            useful: { $0.page == nil }, disabled: \.reasonNotPlanned
        ) { model, form in model.look(as: form) },
        Action(
            "side", [.character("S")], .looking,
            labelled: { $0.opened?.detail?.viewed.side == .migrated ? "legacy side" : "migrated side" },
            brief: "the other side", help: "look at the value on the other side of the step: legacy or migrated",
            useful: { $0.page == nil }, disabled: \.reasonNoSides
        ) { model, _ in
            model.opened?.switchSides()
            return []
        },
        Action(
            "fold", [.character("-")], .looking, brief: "fold the tree", help: "fold the tree by one level",
            disabled: \.reasonNoTree
        ) { model, _ in model.foldTree(by: -1) },
        Action(
            "unfold", [.character("+"), .character("=")], .looking, brief: "unfold the tree",
            help: "unfold the tree by one level",
            disabled: \.reasonNoTree
        ) { model, _ in model.foldTree(by: 1) },
        Action(
            "fold-part", [.character("o")], .looking, brief: "fold one part",
            help: "fold or unfold the part under the cursor of the tree",
            disabled: \.reasonNoTree
        ) { model, _ in model.foldPart() },
        // While a tree is shown, its keys are the tree's.
        Action(
            "larger", [.character(")"), .character("+")], .looking, brief: "a larger list",
            help: "a larger list, and less of the detail", disabled: \.reasonNoPanes
        ) { model, _ in model.moveDivider(by: 1) },
        Action(
            "smaller", [.character("("), .character("_")], .looking, brief: "a smaller list",
            help: "a smaller list, and more of the detail", disabled: \.reasonNoPanes
        ) { model, _ in model.moveDivider(by: -1) },
        Action(
            "divider", [.character("=")], .looking, argument: "[PERCENT|auto]", brief: "both panes as at first",
            help: "how much of the screen the list has, in percent, or what it has at first", disabled: \.reasonNoPanes
        ) { model, argument in model.putDivider(argument) },
        Action(
            "columns-left", [.character("<")], .looking, brief: "columns to the left",
            help: "move the table by one column to the left",
            disabled: \.reasonNoTable
        ) { model, _ in model.moveTable(by: -1) },
        Action(
            "columns-right", [.character(">")], .looking, brief: "columns to the right",
            help: "move the table by one column to the right",
            disabled: \.reasonNoTable
        ) { model, _ in model.moveTable(by: 1) },
        Action("reveal", [.character("v")], .looking, brief: "show secrets", help: "show secrets, or mask them again") {
            model, _ in
            model.masking.isRevealing.toggle()
            model.message = .done(model.masking.isRevealing ? "secrets are shown" : "secrets are masked")
            return []
        },
        Action(
            "copy", [.character("y")], .looking, argument: "[PART]", label: "copy",
            brief: "copy a value or sentence",
            help:
                "copy the value, the key or the address of the row, or the sentence for a ticket; what is masked stays so",
            useful: { $0.page == nil || $0.isComparing }, disabled: \.reasonNothingToCopy
        ) { model, part in model.copy(part) },
        Action(
            "copy-address", [.character("Y")], .looking, brief: "copy the address", help: "copy the address of the row",
            disabled: \.reasonNothingToCopy
        ) { model, _ in model.copy(CopiedPart.address.rawValue) },
        Action(
            "facts", [.character("F")], .looking,
            brief: "facts", help: "the facts that the steps are planned with: where they came from, and to be changed",
            disabled: \.reasonNoMigration
        ) { model, _ in
            model.show(.facts)
            return []
        },
        Action(
            "history", [.character("T")], .looking,
            brief: "timeline and history",
            help:
                "the timeline: what was done, when, by whom, with which facts, and what is next; each line leads there",
            disabled: \.reasonNothingOpen
        ) { model, _ in
            let line = HistoryPage.start(model)
            model.show(.history)
            model.page?.cursor = line
            return []
        },
        Action(
            "earlier", [.character("{")], .looking, label: "earlier",
            brief: "a point earlier", help: "the stores as they were at the point of the timeline before",
            useful: { $0.opened?.showsTimeline ?? false }, disabled: \.reasonNotTravelling
        ) { model, _ in model.travel(by: -1) },
        Action(
            "later", [.character("}")], .looking, label: "later",
            brief: "a point later", help: "the stores as they were, or will be, at the next point",
            useful: { $0.opened?.showsTimeline ?? false }, disabled: \.reasonNotTravelling
        ) { model, _ in model.travel(by: 1) },
        Action(
            "at", [], .looking, argument: "[POINT]",
            brief: "to a point of time",
            help: "the stores at a point: dump, now, end, #3 for the entry of that number, or a step",
            disabled: \.reasonNotTravelling
        ) { model, name in model.travel(toPoint: name.isEmpty ? "now" : name) },
        Action(
            "mark", [.character("x")], .looking, label: "mark",
            brief: "mark this point",
            help: "mark the point of the timeline in view, or under the cursor of its page, for a difference from it",
            useful: { $0.opened?.showsTimeline ?? false || $0.page?.subject == .history },
            disabled: \.reasonNotTravelling
        ) { model, _ in model.markPoint() },
        Action(
            "difference", [.character("d")], .looking, argument: "[POINT]", label: "difference",
            brief: "difference from the mark",
            help:
                "what differs between the point in view, or under the cursor of the timeline's page, and the marked one, the one named, or else the dump",
            useful: { $0.page == nil && $0.opened?.showsTimeline ?? false || $0.page?.subject == .history },
            disabled: \.reasonNotTravelling
        ) { model, name in model.showDifference(from: name) },
        Action(
            "what-if", [.character("P")], .looking, argument: "[NAME=VALUE…] [profile=NAME]",
            brief: "what it would change",
            help: "the rows that other facts would change, or the next profile, before they are taken",
            disabled: \.reasonNoMigration
        ) { model, argument in model.propose(argument) },
        Action(
            "take", [.character("!")], .looking, label: "take it",
            brief: "take what is shown", help: "take the facts or the profile that are shown beside those in view",
            useful: { $0.proposal != nil }, disabled: \.reasonNothingProposed
        ) { model, _ in model.takeProposal() },
        Action(
            "profile", [.character("p")], .looking, argument: "[NAME]",
            brief: "next profile", help: "the next profile of the migration, or the one named",
            disabled: \.reasonNoMigration
        ) { model, name in model.chooseProfile(name) },
        Action(
            "migration", [.character("m")], .looking, argument: "[NAME[:PROFILE]]",
            brief: "next migration", help: "the next migration, or the one named", disabled: \.reasonNothingOpen
        ) { model, name in model.chooseMigration(name) },
        Action(
            "reload", [.control("r"), .function(5), .character("r")], .looking,
            brief: "read all again",
            help: "plan anew, on what the ledger and spec files hold now; in the list of apps, look at all again",
            disabled: { $0.isListingApps ? nil : $0.reasonNothingOpen }
        ) { model, _ in
            guard let opened = model.opened else {
                model.apps?.examineAgain()
                return []
            }
            return [Reloading(request: opened.request)]
        },
        Action(
            "app", [], .looking, argument: "[NAME]", brief: "list of apps, or one",
            help: "back to the list of apps, or to the app named"
        ) {
            model, name in model.chooseApp(name)
        },
    ]
}
