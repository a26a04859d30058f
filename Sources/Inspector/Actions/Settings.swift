import MigrationEngine
import Reports

/// What a person has set for the inspector: keys, colours, and whether the mouse is its own.
///
/// It is read from a file of lines, `#` before a remark:
///
/// ```
/// key difference = d D
/// key apply-all =
/// colour problem = magenta bold
/// colour match = black on yellow
/// mouse = off
/// ```
package struct Settings: Sendable {
    /// What the table of actions and the theme say.
    package static let standard = Settings([:], looks: [:], takesMouse: true)

    /// How roles look that are to look otherwise than the theme says.
    package let looks: [Role: Theme.Look]
    /// Whether the mouse is the program's at first.
    package let takesMouse: Bool
    private let keys: [String: [Key]]
    private let actions: [Key: [Action]]

    private init(_ set: [String: [Key]], looks: [Role: Theme.Look], takesMouse: Bool) {
        (self.looks, self.takesMouse) = (looks, takesMouse)
        // What is given to one action is taken from those that have it in the table.
        let given = Set(set.values.joined())
        var keys = Dictionary(
            Action.all.map { action in (action.name, set[action.name] ?? action.keys.filter { !given.contains($0) }) }
        ) { first, _ in first }
        // Whatever else is taken away, this one leads out.
        if keys["leave"]?.contains(.control("c")) == false { keys["leave"]?.append(.control("c")) }
        let pairs = Action.all.flatMap { action in (keys[action.name] ?? []).map { ($0, [action]) } }
        (self.keys, actions) = (keys, Dictionary(pairs, uniquingKeysWith: +))
    }

    /// The keys of an action.
    package func keys(of action: Action) -> [Key] { keys[action.name] ?? [] }

    /// What a person presses for an action, in words: the first key it has, else its command.
    func words(for action: NamedAction) -> String {
        keys[action.rawValue]?.first?.words ?? ":\(action.rawValue)"
    }

    /// The actions that have a key.
    func actions(of key: Key) -> [Action] { actions[key] ?? [] }
}

/// The actions that sentences say the key of: what a person has set is looked up in one place, `Settings.words(for:)`.
enum NamedAction: String, CaseIterable {
    case applyAll = "apply-all"
    case accept, command, copy, difference, down, earlier, fact, filter, help, later, migration, mouse, out, pane, quit
    case reload, reveal, search, select, spec, take, up, verify, view, warnings
    case goIn = "in"
    case nextMatch = "next-match"
    case whatIf = "what-if"
}

extension Model {
    /// What the person presses for an action, in words.
    func key(_ action: NamedAction) -> String { settings.words(for: action) }
}

/// All that is wrong with a file of settings.
package struct SettingsProblems: Error, Hashable, Sendable {
    /// What is wrong with a line, counted from 1, and what to do about it.
    package struct Problem: Hashable, Sendable {
        package let line: Int
        package let sentence: String
    }

    package let all: [Problem]
}

extension Settings {
    /// Reads a file of settings.
    ///
    /// - Throws: ``SettingsProblems`` with every line that is wrong.
    package init(parsing text: String) throws(SettingsProblems) {
        var reading = Reading(), problems: [SettingsProblems.Problem] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let isSpaced = line.split { $0 == " " || $0 == "\t" }.contains("=")
            let words = (isSpaced ? line : line.replacing("=", with: " = ", maxReplacements: 1)[...])
                .split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(Mistake) {
                try reading.take(words, at: index + 1)
            } catch {
                problems.append(SettingsProblems.Problem(line: index + 1, sentence: error.sentence))
            }
        }
        guard problems.isEmpty else { throw SettingsProblems(all: problems) }
        self.init(reading.keys, looks: reading.looks, takesMouse: reading.takesMouse ?? true)
    }

    private struct Mistake: Error {
        let sentence: String

        init(_ sentence: String) { self.sentence = sentence }

        /// A name that is none of those that there are.
        init(_ kind: String, _ name: String, among names: [String], _ help: String) {
            let near = Nearest.word(to: name, among: names)
            sentence = "there is no \(kind) “\(name)”; " + (near.map { "did you mean \($0)?" } ?? help)
        }
    }

    private struct Reading {
        var keys: [String: [Key]] = [:]
        var looks: [Role: Theme.Look] = [:]
        var takesMouse: Bool?
        /// The line and the action that a key was given to.
        private var given: [Key: (line: Int, action: String)] = [:]

        /// Takes in a line: a word, mostly a name, `=`, and values.
        mutating func take(_ words: [String], at line: Int) throws(Mistake) {
            switch words[0] {
            case "key":
                let (name, values) = try Self.named(words, "key difference = d D")
                guard let action = Action.all.first(where: { $0.name == name }) else {
                    throw Mistake("action", name, among: Action.all.map(\.name), "? in the inspector lists them")
                }
                guard keys[name] == nil else { throw Mistake("\(name) has its keys in a line above; take one out") }
                var all: [Key] = []
                for value in values {
                    let key = try Self.key(value)
                    if let (other, taken) = given[key] {
                        throw Mistake("line \(other) gives \(value) to \(taken) already; give it to one of them")
                    }
                    given[key] = (line, name)
                    all.append(key)
                }
                keys[action.name] = all
            case "colour", "color":
                let (name, values) = try Self.named(words, "colour problem = magenta bold")
                guard let role = Role(rawValue: name) else {
                    throw Mistake(
                        "kind of text", name, among: Role.allCases.map(\.rawValue),
                        "there are \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                guard looks[role] == nil else { throw Mistake("\(name) has its colour in a line above; take one out") }
                looks[role] = try Self.look(values)
            case "mouse":
                guard words.count == 3, words[1] == "=", ["on", "off"].contains(words[2]) else {
                    throw Mistake("write mouse = on, or mouse = off")
                }
                guard takesMouse == nil else { throw Mistake("the mouse is set in a line above; take one out") }
                takesMouse = words[2] == "on"
            default: throw Mistake("setting", words[0], among: Settings.words, "there are key, colour and mouse")
            }
        }

        private static func named(_ words: [String], _ example: String) throws(Mistake) -> (String, ArraySlice<String>)
        {
            guard words.count > 2, words[2] == "=" else { throw Mistake("write it as: \(example)") }
            return (words[1], words[3...])
        }

        private static func key(_ notation: String) throws(Mistake) -> Key {
            guard let key = Key(notation: notation) else {
                throw Mistake("“\(notation)” is not a key; keys are written d, D, <Enter>, <C-d>, <Space>, <F2>")
            }
            if case .character(let digit) = key, digit.isASCII, digit.isNumber {
                throw Mistake("\(notation) begins a number, which repeats a movement; choose another key")
            }
            guard key != .control("c") else {
                throw Mistake("\(notation) leaves the program wherever one is; choose another key")
            }
            return key
        }

        /// `magenta`, `black on yellow bold`, `plain`.
        private static func look(_ words: ArraySlice<String>) throws(Mistake) -> Theme.Look {
            var look = Theme.Look(), isGround = false
            guard !words.isEmpty else { throw Mistake("write a colour, or plain") }
            for word in words {
                if let colour = Theme.Colour.allCases.first(where: { "\($0)" == word }) {
                    if isGround { look.background = colour } else { look.foreground = colour }
                    isGround = false
                    continue
                }
                guard !isGround else {
                    throw Mistake("colour", word, among: Settings.colours, "there are \(list(Settings.colours))")
                }
                switch word {
                case "on": isGround = true
                case "bold": look.isBold = true
                case "dim": look.isDim = true
                case "underlined": look.isUnderlined = true
                case "reversed": look.isReversed = true
                case "plain": break
                default:
                    let known = Settings.colours + Settings.attributes
                    throw Mistake("colour", word, among: known, "there are \(list(known))")
                }
            }
            guard !isGround else { throw Mistake("behind “on” stands a colour: black on yellow") }
            return look
        }

        private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
    }

    /// What a line begins with.
    package static let words = ["key", "colour", "mouse"]
    /// The colours.
    package static let colours = Theme.Colour.allCases.map { "\($0)" }
    /// What a text can be besides coloured; `on` stands before the colour of the ground.
    package static let attributes = ["on", "bold", "dim", "underlined", "reversed", "plain"]
}
