import Foundation
import MigrationEngine
import Reports

extension Model {
    /// Takes a key while the person types a line.
    mutating func type(_ key: Key) -> [any Effect] {
        if prompt?.purpose == .filter, let effects = filter(with: key) { return effects }
        if prompt?.purpose == .palette, let effects = choose(with: key) { return effects }
        if isProposingTyped, let effects = look(with: key) { return effects }
        let isSearching = prompt?.purpose == .search
        switch key {
        // What comes behind one Backspace too many is the password, too.
        case .backspace where prompt?.purpose == .password: prompt?.deleteBackward()
        case .escape, .control("c"): prompt = nil
        case .enter: return submit()
        case .backspace:
            if prompt?.text.isEmpty ?? true { prompt = nil } else { prompt?.deleteBackward() }
        case .delete: prompt?.deleteForward()
        case .left: prompt?.move(by: -1)
        case .right: prompt?.move(by: 1)
        case .home, .control("a"): prompt?.moveToStart()
        case .end, .control("e"): prompt?.moveToEnd()
        case .control("u"): prompt?.deleteToStart()
        case .control("w"): prompt?.deleteWord()
        case .up: recall(1)
        case .down: recall(-1)
        case .tab: complete()
        case .character(let character): prompt?.insert(character)
        default: break
        }
        return isSearching && prompt == nil ? leaveSearch() : followTyping()
    }

    /// Moves among the rows below the line that is typed.
    private mutating func look(with key: Key) -> [any Effect]? {
        switch key {
        case .up: return move(.rows(-1))
        case .down: return move(.rows(1))
        case .pageUp: return move(.pages(-1))
        case .pageDown: return move(.pages(1))
        default: return nil
        }
    }

    /// Shows at once what is typed for.
    private mutating func followTyping() -> [any Effect] {
        proposeTyped()
        if let prompt, prompt.purpose == .filter { apps?.filter(by: prompt.sought) }
        if let prompt, prompt.purpose == .search { return lookAhead(prompt.sought) }
        guard case .palette(let typed)? = page?.subject else { return [] }
        guard let prompt, prompt.purpose == .palette else {
            closePage()
            return []
        }
        if prompt.text != typed { page = Page(subject: .palette(prompt.text), below: page?.below ?? []) }
        return []
    }

    /// Takes a key while the person chooses from the palette.
    private mutating func choose(with key: Key) -> [any Effect]? {
        switch key {
        case .up, .control("p"): return move(.rows(-1))
        case .down, .control("n"): return move(.rows(1))
        case .pageUp: return move(.pages(-1))
        case .pageDown: return move(.pages(1))
        case .enter:
            guard let page else { return nil }
            prompt = nil
            let effects = follow(page)
            if page == self.page { closePage() }
            return effects ?? []
        default: return nil
        }
    }

    /// Takes a key while the person types what the apps are to have; the list follows at once.
    private mutating func filter(with key: Key) -> [any Effect]? {
        if let effects = look(with: key) { return effects }
        switch key {
        case .enter:
            prompt = nil
            return []
        case .escape, .control("c"):
            prompt = nil
            apps?.filter(by: "")
            return []
        default: return nil
        }
    }

    /// Takes a pasted text into the line that is typed; it never stands for keys.
    mutating func paste(_ text: String) -> [any Effect] {
        guard prompt != nil else {
            message = .refused(
                isLocked
                    ? Self.lineIsClosed
                    : "pasted text is taken only into a line that is typed, after \(key(.command)) or \(key(.search))"
            )
            return []
        }
        for character in text.prefix(Prompt.limit) { prompt?.insert(character.isNewline ? " " : character) }
        return followTyping()
    }

    private static let nothingTyped = Message.refused("no password is typed; Enter once more tries the empty one")

    private mutating func submit() -> [any Effect] {
        guard let prompt else { return [] }
        let before = message
        message = nil
        switch prompt.purpose {
        case .command:
            self.prompt = nil
            return runCommand(prompt.text)
        case .search:
            self.prompt = nil
            return endTyping(prompt.sought)
        case .filter: self.prompt = nil
        case .rows:
            self.prompt = nil
            return filterRows(by: prompt.sought)
        case .password:
            guard let unopened, let locked = unopened.locked else {
                self.prompt = nil
                return []
            }
            // The line stays: what is typed behind an Enter too many is a password, and no keys. A few have an empty one.
            if prompt.text.isEmpty, before != Self.nothingTyped {
                message = Self.nothingTyped
                return []
            }
            self.prompt = nil
            return [Unlocking(dump: unopened, locked: locked, password: prompt.text)]
        case .fact(let name):
            endProposing()
            let isOnPage = page?.subject == .facts
            if prompt.text.isEmpty {
                self.prompt = nil
                guard takesBack(name) else { return [] }
            }
            return setFact(name, to: prompt.text, isAsked: !isOnPage)
        case .palette: break
        }
        return []
    }

    /// Does what a command line says: the name of an action and what it takes.
    mutating func runCommand(_ line: String) -> [any Effect] {
        let words = line.split(separator: " ", maxSplits: 1)
        guard let name = words.first.map(String.init) else { return [] }
        if commandHistory.last != line { commandHistory.append(line) }
        guard let action = Action.named(name) else {
            let similar = Action.all.map(\.name).filter { $0.hasPrefix(name) }
            message = .refused(
                similar.isEmpty
                    ? "there is no command “\(name)”; "
                        + (Nearest.word(to: name, among: Action.all.map(\.name)).map { "did you mean \($0)?" }
                            ?? "\(key(.help)) lists them")
                    : "“\(name)” could be \(similar.joined(separator: ", "))")
            return []
        }
        // A completed word is followed by a blank.
        let argument = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
        guard argument.isEmpty || !action.argument.isEmpty else {
            message = .refused(
                action.name == "spec" ? Self.specAtStart : "\(action.name) takes nothing behind its name")
            return []
        }
        return perform(action, argument: argument)
    }

    private mutating func recall(_ direction: Int) {
        guard prompt?.purpose == .command else { return }
        prompt?.recall(direction, in: commandHistory)
    }

    private mutating func complete() {
        guard let prompt, prompt.purpose == .command || prompt.purpose == .rows else { return }
        let (head, words) =
            prompt.purpose == .rows
            ? ("", filterWords.filter { $0.hasPrefix(prompt.text) }) : completions(of: prompt.text)
        // In the order in which one looks for a name.
        let candidates = words.sorted()
        guard let first = candidates.first else { return }
        let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        let isWhole = candidates.count == 1 && !first.hasSuffix("=")
        self.prompt?.replace(with: head + (isWhole ? first + (prompt.purpose == .rows ? "" : " ") : common))
        // Names of ours, and of the dump's apps; no values.
        message =
            candidates.count > 1 ? Message(kind: .done, text: fitting(candidates), quotesDump: false) : nil
    }

    /// As many of the names as there is room for over the line, and how many more there are.
    private func fitting(_ names: [String]) -> String {
        let room = size.height < 23 ? size.width - 16 : 2 * size.width
        var used = 0
        let shown = names.prefix { name in
            used += glyphs.columns(name, limit: room) + 2
            return used <= room
        }
        let more = names.count - shown.count
        return shown.joined(separator: "  ") + (more > 0 ? "  \(glyphs.ellipsis) \(more) more" : "")
    }

    /// What a beginning of a command line can go on with, behind what of it stays.
    private func completions(of text: String) -> (head: String, words: [String]) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count > 1, let last = words.last, let action = Action.named(words[0]) else {
            return ("", Action.all.map(\.name).filter { $0.hasPrefix(text) })
        }
        if action.name == "filter" {
            // Some of its words have blanks.
            let typed = text.dropFirst(words[0].count + 1)
            return (words[0] + " ", (filterWords + ["all"]).filter { $0.hasPrefix(typed) })
        }
        let head = words.dropLast().joined(separator: " ") + " "
        let steps = opened?.plan?.ownSteps.map(\.id) ?? []
        let words1: [String] =
            switch action.name {
            case "apply": ["next", "selected", "all"] + steps
            case "rollback":
                words.count == 2
                    ? ["last", "to", "all"] : opened?.plan?.steps.filter { $0.entry != nil }.map(\.id) ?? []
            case "profile": opened?.migration?.profiles.map(\.id) ?? []
            case "migration": opened?.migrations.map(\.id) ?? []
            case "fact": opened?.migration?.facts.map { "\($0.name)=" } ?? []
            case "export", "export!": [suggestedExport]
            case "app": apps?.names ?? []
            case "at", "difference": opened?.timeline.names ?? []
            case "what-if":
                (opened?.migration?.facts.map { "\($0.name)=" } ?? [])
                    + (opened?.migration?.profiles.map { "profile=\($0.id)" } ?? [])
            case "copy": copiedParts.map(\.rawValue) + ["page"]
            case "view": (opened?.detail?.pages.forms ?? []).map(\.rawValue)
            default: []
            }
        return (head, words1.filter { $0.hasPrefix(last) })
    }
}
